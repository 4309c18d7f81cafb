"""A plot drawn on a page: bars or a line, a band that they should stay in, places to look at.

Plots are looked at; the figures beside them are exact. Only here numbers become lengths.
"""

from fractions import Fraction

from reportlab.lib.colors import Color, black
from reportlab.pdfgen.canvas import Canvas

from app.reports.content import Plot

HEIGHT = 150
FONT, SIZE = "Helvetica", 7
LEFT, BOTTOM, TOP = 44, 18, 18  # room for the scale, the places and the title
STEPS = 4
PLACES_NAMED = 40
CALM = Color(0.20, 0.38, 0.60)
MARKED = Color(0.76, 0.20, 0.16)
BAND = Color(0.88, 0.92, 0.86)
GREY = Color(0.6, 0.6, 0.6)


def draw_plot(canvas: Canvas, plot: Plot, x: float, y: float, width: float) -> None:
    """Draw a plot whose lower left corner is at a place of the page."""
    low, high = _scale(plot)
    drawing = _Drawing(canvas, plot, x + LEFT, y + BOTTOM, width - LEFT, low, high)
    canvas.setFont(f"{FONT}-Bold", SIZE + 1)
    canvas.setFillColor(black)
    canvas.drawString(x, y + HEIGHT - 10, plot.title)
    drawing.band()
    drawing.scale()
    drawing.places()
    if plot.bars:
        drawing.bars()
    else:
        drawing.lines()


def _scale(plot: Plot) -> tuple[float, float]:
    """Return between which values a plot is drawn; nothing lies outside."""
    values = [float(value) for line in plot.lines for value in line.values if value is not None]
    values += [float(edge) for edge in plot.band or ()]
    low, high = min([*values, 0.0]), max([*values, 0.0])
    return (low, high) if high > low else (low, low + 1)


class _Drawing:
    """A plot that is being drawn."""

    def __init__(  # noqa: PLR0913, PLR0917  where, and to which scale
        self, canvas: Canvas, plot: Plot, x: float, y: float, width: float, low: float, high: float
    ) -> None:
        self.canvas, self.plot, self.x, self.y, self.width = canvas, plot, x, y, width
        self.low, self.high = low, high
        self.height = HEIGHT - BOTTOM - TOP
        self.step = width / max(len(plot.places), 1)

    def up(self, value: float | Fraction) -> float:
        """Return how high a value stands on the page."""
        return self.y + (float(value) - self.low) / (self.high - self.low) * self.height

    def band(self) -> None:
        """Draw the band in which everything should lie."""
        if self.plot.band is not None:
            low, high = map(self.up, self.plot.band)
            self.canvas.setFillColor(BAND)
            self.canvas.rect(self.x, low, self.width, high - low, stroke=0, fill=1)

    def scale(self) -> None:
        """Draw the scale on the left, and lines across."""
        canvas = self.canvas
        canvas.setFont(FONT, SIZE)
        canvas.setStrokeColor(GREY)
        canvas.setLineWidth(0.3)
        for step in range(STEPS + 1):
            value = self.low + (self.high - self.low) * step / STEPS
            high = self.up(value)
            canvas.line(self.x, high, self.x + self.width, high)
            canvas.setFillColor(black)
            canvas.drawRightString(self.x - 4, high - 2, self._said(value))

    def _said(self, value: float) -> str:
        if self.plot.unit == "%":
            return f"{100 * value:.1f} %"
        return f"${value / 100:,.0f}" if self.plot.unit == "$" else f"{value:,.4g}"

    def places(self) -> None:
        """Name the places along the bottom, not all of them where there are many."""
        every = -(-len(self.plot.places) // PLACES_NAMED)
        self.canvas.setFillColor(black)
        self.canvas.setFont(FONT, SIZE - 1)
        for place, name in enumerate(self.plot.places):
            if place % max(every, 1) == 0:
                middle = self.x + (place + 0.5) * self.step
                self.canvas.drawCentredString(middle, self.y - 9, name)

    def bars(self) -> None:
        """Draw a bar for each value."""
        wide = self.step * 0.7
        for place, value in enumerate(self.plot.lines[0].values):
            if value is not None:
                self._colour(place)
                left, foot = self.x + place * self.step + self.step * 0.15, self.up(0)
                self.canvas.rect(left, foot, wide, self.up(value) - foot, stroke=0, fill=1)

    def lines(self) -> None:
        """Draw a line through the values, with a dot at each; it stops where there is none."""
        canvas = self.canvas
        before: tuple[float, float] | None = None
        for place, value in enumerate(self.plot.lines[0].values):
            if value is None:
                before = None
                continue
            at = self.x + (place + 0.5) * self.step, self.up(value)
            if before is not None:
                canvas.setStrokeColor(CALM)
                canvas.setLineWidth(1)
                canvas.line(*before, *at)
            self._colour(place)
            canvas.circle(*at, 1.8, stroke=0, fill=1)
            before = at

    def _colour(self, place: int) -> None:
        self.canvas.setFillColor(MARKED if place in self.plot.marked else CALM)
