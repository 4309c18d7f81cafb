"""The writer's quick card: every key and how tickets are typed, on one page."""

from collections.abc import Iterable, Mapping
from xml.sax.saxutils import escape

from reportlab.lib.styles import ParagraphStyle
from reportlab.platypus import Paragraph, Spacer, Table, TableStyle

from app.reports.documents import (
    BODY,
    BOLD,
    MONO,
    PLAIN,
    SECTION,
    WIDTH,
    Frontispiece,
    document,
    paragraph,
)

TITLE = "Writer's quick card"
GAP = 18
TYPED = ParagraphStyle(
    "typed", BODY, fontName=f"{MONO}-Bold", fontSize=11, leading=14, spaceAfter=0
)
KEY = ParagraphStyle("key", BODY, fontName=BOLD, fontSize=11, leading=14, spaceAfter=0)
DOES = ParagraphStyle("does", BODY, fontSize=10, leading=13, spaceAfter=0)
LARGE = ParagraphStyle("large", SECTION, fontSize=13, leading=16)

Pairs = Iterable[tuple[str, str]]


def quick_card(house: str, lines: Pairs, keys: Mapping[str, Pairs], troubles: Pairs) -> bytes:
    """Return the card, which is one page; the same bytes every time.

    Args:
        house: whose it is.
        lines: what is typed, and what it is.
        keys: what each key does, by what is at hand; those of the page itself come first.
        troubles: what is seen when something goes wrong, and what it means.
    """
    (first, of_the_page), *others = keys.items()
    half = (WIDTH - GAP) // 2
    left = [paragraph(first, LARGE), _pairs(of_the_page, KEY, 48, half)]
    right = [
        each
        for name, pairs in others
        for each in (paragraph(name, LARGE), _pairs(pairs, KEY, 48, half))
    ]
    columns = Table(
        [[left, "", right]],
        colWidths=[half, GAP, half],
        style=TableStyle(
            [("VALIGN", (0, 0), (-1, -1), "TOP")]
            + [(f"{side}PADDING", (0, 0), (-1, -1), 0) for side in ("LEFT", "RIGHT", "TOP")]
        ),
    )
    story = [
        paragraph("Typed on one line", LARGE),
        _pairs(lines, TYPED, 300, WIDTH),
        Spacer(1, 6),
        columns,
        Spacer(1, 2),
        paragraph("When something goes wrong", LARGE),
        _pairs(troubles, KEY, 210, WIDTH),
    ]
    return document(Frontispiece(house, TITLE), story)


def _pairs(pairs: Pairs, style: ParagraphStyle, first: int, wide: int) -> Table:
    cells = [
        [Paragraph(escape(name), style), Paragraph(escape(text), DOES)] for name, text in pairs
    ]
    return Table(cells, colWidths=[first, wide - first], style=TableStyle(PLAIN))
