"""The rate card as patrons read it: pays for each spot, odds, house advantage, limits, claims."""

from collections.abc import Sequence
from dataclasses import dataclass
from io import BytesIO
from xml.sax.saxutils import escape

from reportlab.lib import colors
from reportlab.lib.pagesizes import letter
from reportlab.lib.styles import getSampleStyleSheet
from reportlab.platypus import KeepTogether, Paragraph, SimpleDocTemplate, Spacer, Table, TableStyle

from printers.forms.fitting import fitting


@dataclass(frozen=True)
class Pay:
    """What a catch pays, and how rarely it comes."""

    caught: int
    pays: str
    odds: str


@dataclass(frozen=True)
class SpotPays:
    """What is paid for so many spots, and what the house keeps of it on average."""

    spots: int
    pays: Sequence[Pay]
    advantage: str


@dataclass(frozen=True)
class SchedulePays:
    """One way of paying: the regular one, or a special rate."""

    name: str
    terms: str
    spots: Sequence[SpotPays]


@dataclass(frozen=True)
class CardForm:
    """A rate card in words."""

    house: str
    name: str
    digest: str
    terms: Sequence[str]
    schedules: Sequence[SchedulePays]


FONT, SIZE, PADDING = "Helvetica", 9, 6
COLUMNS = (34, 81, 110)
LOOKS = TableStyle(
    [
        ("FONT", (0, 0), (-1, -1), FONT, SIZE),
        ("FONT", (0, 0), (-1, 1), f"{FONT}-Bold", SIZE),
        ("SPAN", (0, 0), (-1, 0)),
        ("BACKGROUND", (0, 0), (-1, 0), colors.Color(0.85, 0.85, 0.85)),
        ("ALIGN", (1, 1), (-1, -1), "RIGHT"),
        ("LINEBELOW", (0, 1), (-1, 1), 0.5, colors.black),
        ("BOX", (0, 0), (-1, -1), 0.5, colors.black),
    ]
)


def rate_card_form(card: CardForm) -> bytes:
    """Return a rate card as pages; the same bytes every time."""
    pages = BytesIO()
    styles = getSampleStyleSheet()
    document = SimpleDocTemplate(pages, pagesize=letter, invariant=1, title=f"{card.house}: keno")
    story = [
        Paragraph(escape(f"{card.house}: keno rate card"), styles["Title"]),
        Paragraph(escape(f"{card.name} ({card.digest})"), styles["Normal"]),
        Spacer(1, 8),
        *(Paragraph(escape(term), styles["Normal"]) for term in card.terms),
    ]
    for schedule in card.schedules:
        story += [
            Spacer(1, 12),
            Paragraph(escape(schedule.name), styles["Heading2"]),
            Paragraph(escape(schedule.terms), styles["Normal"]),
            Spacer(1, 6),
        ]
        tables = [_table(each) for each in schedule.spots]
        for first in range(0, len(tables), 2):
            pair = tables[first : first + 2]
            row = Table([pair + [""] * (2 - len(pair))], colWidths=[235, 235])
            row.setStyle(TableStyle([("VALIGN", (0, 0), (-1, -1), "TOP")]))
            story.append(KeepTogether(row))
    document.build(story)
    return pages.getvalue()


def _table(spots: SpotPays) -> Table:
    name = "1 spot" if spots.spots == 1 else f"{spots.spots} spots"
    rows = [[f"{name}: the house keeps {spots.advantage}", "", ""], ["Catch", "Pays", "Odds"]]
    rows += [[str(pay.caught), pay.pays, pay.odds] for pay in spots.pays]
    table = Table(rows, colWidths=COLUMNS)
    table.setStyle(LOOKS)
    for column, texts in ((1, [pay.pays for pay in spots.pays]), (2, [p.odds for p in spots.pays])):
        size = fitting(texts, FONT, SIZE, COLUMNS[column] - 2 * PADDING)
        table.setStyle([("FONT", (column, 2), (column, -1), FONT, size)])
    return table
