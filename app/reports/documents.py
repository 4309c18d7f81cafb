"""How a document of the house looks on paper: one set of styles, one frame around every page.

A document has no date and no number but those that it is given, so that the same facts make the
same bytes: two prints of one document can be compared.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from io import BytesIO
from xml.sax.saxutils import escape

from reportlab.lib import colors
from reportlab.lib.enums import TA_RIGHT
from reportlab.lib.pagesizes import letter
from reportlab.lib.styles import ParagraphStyle
from reportlab.pdfgen.canvas import Canvas
from reportlab.platypus import (
    BaseDocTemplate,
    CondPageBreak,
    Flowable,
    Frame,
    PageTemplate,
    Paragraph,
    Spacer,
    Table,
    TableStyle,
)
from reportlab.platypus.tableofcontents import TableOfContents

WIDE, HIGH = letter
MARGIN, TOP, BOTTOM = 54, 66, 54
WIDTH = WIDE - 2 * MARGIN
FONT, BOLD, MONO = "Helvetica", "Helvetica-Bold", "Courier"
INK, QUIET = colors.HexColor(0x1D2433), colors.HexColor(0x535D72)
LINE, GROUND, ACCENT = (colors.HexColor(each) for each in (0xCFD5E2, 0xEEF1F8, 0x1F4FA3))
HASH_SHOWN = 16

BODY = ParagraphStyle("body", fontName=FONT, fontSize=10, leading=13.5, textColor=INK, spaceAfter=5)
SMALL = ParagraphStyle("small", BODY, fontSize=8, leading=10.5, textColor=QUIET, spaceAfter=3)
TITLE = ParagraphStyle("title", BODY, fontName=BOLD, fontSize=24, leading=29, spaceAfter=4)
SUBTITLE = ParagraphStyle("subtitle", BODY, fontSize=13, leading=17, textColor=QUIET, spaceAfter=14)
CHAPTER = ParagraphStyle(
    "chapter", BODY, fontName=BOLD, fontSize=15, leading=19, textColor=ACCENT, spaceBefore=16
)  # fmt: skip
SECTION = ParagraphStyle(
    "section", BODY, fontName=BOLD, fontSize=11, leading=14, spaceBefore=8, spaceAfter=3
)
LISTED = ParagraphStyle("listed", BODY, leftIndent=12, bulletIndent=2, spaceAfter=3)
CELL = ParagraphStyle("cell", BODY, fontSize=9, leading=11.5, spaceAfter=0)
CELL_RIGHT = ParagraphStyle("cell-right", CELL, alignment=TA_RIGHT)
HEAD = ParagraphStyle("head", CELL, fontName=BOLD)
HEAD_RIGHT = ParagraphStyle("head-right", HEAD, alignment=TA_RIGHT)
PLAIN = (
    ("LINEBELOW", (0, 0), (-1, -1), 0.25, LINE),
    ("VALIGN", (0, 0), (-1, -1), "TOP"),
    ("TOPPADDING", (0, 0), (-1, -1), 2.5),
    ("BOTTOMPADDING", (0, 0), (-1, -1), 2.5),
    ("LEFTPADDING", (0, 0), (-1, -1), 5),
    ("RIGHTPADDING", (0, 0), (-1, -1), 5),
)
HEADED = (
    *PLAIN,
    ("BACKGROUND", (0, 0), (-1, 0), GROUND),
    ("LINEBELOW", (0, 0), (-1, 0), 0.75, ACCENT),
)


@dataclass(frozen=True)
class Frontispiece:
    """Whose document it is, what it is called, and which software made it."""

    house: str
    title: str
    software: str = ""  # empty: it says nothing that depends on the software

    @property
    def made_by(self) -> str:
        """What stands at the foot of every page."""
        return f"Made by software {self.software[:HASH_SHOWN]}" if self.software else ""


def paragraph(text: str, style: ParagraphStyle = BODY) -> Paragraph:
    """Return words as they are written; nothing in them is markup."""
    return Paragraph(escape(text), style)


def points(*texts: str) -> list[Flowable]:
    """Return sentences as a list."""
    return [Paragraph(escape(text), LISTED, bulletText="\u2022") for text in texts]


def chapter(text: str) -> list[Flowable]:
    """Return a heading that stands in the table of contents, with room for what it heads."""
    return [CondPageBreak(110), paragraph(text, CHAPTER)]


def section(text: str) -> list[Flowable]:
    """Return a heading within a chapter, with room for what it heads."""
    return [CondPageBreak(80), paragraph(text, SECTION)]


def table(
    heads: Sequence[str],
    rows: Iterable[Sequence[str]],
    widths: Sequence[int],
    right: Sequence[int] = (),
) -> Table:
    """Return a table whose head comes again on every page.

    Args:
        heads: what stands over the columns.
        rows: the cells, in words.
        widths: how wide the columns are to each other; together they are as wide as the page.
        right: the columns that stand to the right, as amounts do.
    """
    cells = [
        [_cell(text, HEAD_RIGHT if at in right else HEAD) for at, text in enumerate(heads)],
        *(
            [_cell(text, CELL_RIGHT if at in right else CELL) for at, text in enumerate(row)]
            for row in rows
        ),
    ]
    wide = [WIDTH * width / sum(widths) for width in widths]
    return Table(cells, colWidths=wide, repeatRows=1, style=TableStyle(HEADED), spaceAfter=8)


def facts(pairs: Iterable[tuple[str, str]]) -> Table:
    """Return names and what they are, without a head."""
    cells = [[_cell(name, HEAD), _cell(text, CELL)] for name, text in pairs]
    return Table(cells, colWidths=[150, WIDTH - 150], style=TableStyle(PLAIN), spaceAfter=8)


def contents() -> TableOfContents:
    """Return the table of contents, which is filled as the document is made."""
    return TableOfContents(
        dotsMinLevel=0,
        levelStyles=[ParagraphStyle("contents", BODY, spaceAfter=1)],
    )


def front_page(front: Frontispiece, subtitle: str) -> list[Flowable]:
    """Return the head of the first page."""
    return [Spacer(1, 8), paragraph(front.title, TITLE), paragraph(subtitle, SUBTITLE)]


def document(front: Frontispiece, story: Sequence[Flowable]) -> bytes:
    """Return a document as pages; the same bytes every time."""
    pages = BytesIO()
    template = _Document(
        pages, pagesize=letter, invariant=1, title=f"{front.house}: {front.title}",
        author=front.house, creator=front.made_by,
    )  # fmt: skip
    frame = Frame(MARGIN, BOTTOM, WIDTH, HIGH - TOP - BOTTOM, 0, 0, 0, 0)
    template.addPageTemplates(PageTemplate(frames=[frame]))
    template.multiBuild(list(story), canvasmaker=_framed(front))
    return pages.getvalue()


def _cell(text: str, style: ParagraphStyle) -> Paragraph:
    return Paragraph(escape(text), style)


class _Document(BaseDocTemplate):  # type: ignore[misc]  # reportlab says nothing of its types
    """A document that enters its chapters into the contents and the outline."""

    def afterFlowable(self, flowable: Flowable) -> None:  # noqa: N802  reportlab's name
        if not (isinstance(flowable, Paragraph) and flowable.style is CHAPTER):
            return
        text = flowable.getPlainText()
        self.canv.bookmarkPage(text)
        self.canv.addOutlineEntry(text, text, 0)
        self.notify("TOCEntry", (0, escape(text), self.page, text))


def _framed(front: Frontispiece) -> type[Canvas]:
    """Return a canvas that knows how many pages there are before it writes the first."""

    class Framed(Canvas):  # type: ignore[misc]
        def __init__(self, *given: object, **named: object) -> None:
            super().__init__(*given, **named)
            self._kept: list[dict[str, object]] = []

        def showPage(self) -> None:  # noqa: N802  reportlab's name
            self._kept.append(dict(self.__dict__))
            self._startPage()

        def save(self) -> None:
            for number, kept in enumerate(self._kept, start=1):
                self.__dict__.update(kept)
                _frame(self, front, number, len(self._kept))
                super().showPage()
            super().save()

    return Framed


def _frame(canvas: Canvas, front: Frontispiece, number: int, pages: int) -> None:
    high, low = HIGH - TOP + 22, BOTTOM - 20
    canvas.setFont(BOLD, 9)
    canvas.setFillColor(INK)
    canvas.drawString(MARGIN, high, front.house)
    canvas.setFont(FONT, 9)
    canvas.setFillColor(QUIET)
    canvas.drawRightString(WIDE - MARGIN, high, front.title)
    canvas.setStrokeColor(LINE)
    canvas.setLineWidth(0.75)
    canvas.line(MARGIN, high - 6, WIDE - MARGIN, high - 6)
    canvas.setFont(FONT, 8)
    canvas.drawString(MARGIN, low, front.made_by)
    canvas.drawRightString(WIDE - MARGIN, low, f"Page {number} of {pages}")
