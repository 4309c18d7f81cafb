"""Plots as plain numbers for a template to draw: no script, no style attribute."""

from dataclasses import dataclass

from rng.lab.frequencies import Frequencies

LEFT, TOP, STEP, BAR, HALF = 46, 12, 10, 8, 100


@dataclass(frozen=True)
class Bar:
    """A bar of a plot, and what it says when it is pointed at."""

    x: int
    y: float
    height: float
    is_odd: bool
    title: str


@dataclass(frozen=True)
class FrequencyPlot:
    """How far each number is above or below what is expected, with the band of a fair source."""

    width: int
    height: int
    middle: int
    bars: list[Bar]
    band_y: float
    band_height: float
    marks: list[tuple[float, str]]  # of the axis: where, and what stands there
    labels: list[tuple[int, int]]  # below the bars: where, and which number


def frequency_plot(counted: Frequencies) -> FrequencyPlot:
    """Return the plot of how often each number came."""
    shown = (*counted.counts, counted.low, counted.high)
    scale = HALF / (1.1 * max(1.0, *(abs(count - counted.expected) for count in shown)))
    middle, outside = TOP + HALF, set(counted.outside)
    bars = []
    for number, count in enumerate(counted.counts, 1):
        rise = (count - counted.expected) * scale
        title = f"{number}: drawn {count} times"
        x, y = LEFT + (number - 1) * STEP + 1, middle - max(rise, 0.0)
        bars.append(Bar(x, round(y, 2), round(abs(rise), 2), number in outside, title))
    marks = [
        (round(middle - (count - counted.expected) * scale, 2), f"{count:,}")
        for count in (counted.high, counted.low)
    ]
    return FrequencyPlot(
        width=LEFT + len(bars) * STEP + 4,
        height=TOP + 2 * HALF + 24,
        middle=middle,
        bars=bars,
        band_y=marks[0][0],
        band_height=round(marks[1][0] - marks[0][0], 2),
        marks=marks,
        labels=[
            (LEFT + (number - 1) * STEP + STEP // 2, number) for number in (1, *range(10, 81, 10))
        ],
    )
