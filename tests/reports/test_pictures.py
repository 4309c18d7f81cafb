"""Reports looked at as pictures: every page has something on it, and nothing runs off its edges."""

from collections.abc import Iterator
from contextlib import closing
from fractions import Fraction
from io import BytesIO
from itertools import product

import pytest
from PIL import Image, ImageOps
from pypdf import PdfReader
from pypdfium2 import PdfDocument

from app.flow.report import Asked, make_report, rendered
from app.reports import pdf
from app.reports.catalogue import CATALOGUE, Format
from app.reports.content import Column, Content, Kind, Row, Section
from app.reports.document import Document
from app.reports.figures.columns import cents
from app.reports.written import for_people
from tests.reports.conftest import Worked

DOTS = 60  # an inch
POINT = DOTS / 72


def pictures(data: bytes) -> Iterator[Image.Image]:
    """Yield the pages of a PDF as pictures in grey."""
    with closing(PdfDocument(data)) as document:
        for page in document:
            yield page.render(scale=DOTS / 72, grayscale=True).to_pil()


def looked_at(page: Image.Image) -> None:
    """What is on a page stands within its margins, and there is something under its head."""
    ink = ImageOps.invert(page)
    left, top, right, bottom = ink.getbbox() or (0, 0, 0, 0)
    margin = int(pdf.MARGIN * POINT) - 2
    assert left >= margin
    assert top >= margin
    assert right <= page.width - margin
    assert bottom <= page.height - margin
    head = int((pdf.MARGIN + pdf.HEAD) * POINT)
    foot = int((pdf.MARGIN + pdf.FOOT) * POINT)
    body = ink.crop((0, head, page.width, page.height - foot))
    assert body.getbbox() is not None


@pytest.mark.rule("X-audit-books")
@pytest.mark.parametrize("report", CATALOGUE)
def test_no_page_of_a_report_is_blank_or_runs_over(worked: Worked, report: str) -> None:
    asked = Asked(report, worked.first, worked.last, Format.PDF)
    made = make_report(worked.floor.office, asked)
    data = rendered(made, Format.PDF)
    pages = list(pictures(data))
    assert len(pages) == len(PdfReader(BytesIO(data)).pages)
    for page in pages:
        looked_at(page)


@pytest.mark.rule("X-audit-books")
def test_no_page_is_begun_for_the_gap_behind_a_table(worked: Worked) -> None:
    """However much there is above it: every page has a row."""
    made = make_report(worked.floor.office, Asked("drawers", worked.first, worked.last, Format.PDF))
    columns = (Column("station", "Station"),)
    short = Section("short", "Short", columns, [("B1",)])
    for count, above in product(range(25, 40), range(4)):
        section = Section("shifts", "Shifts", columns, [("B1",)] * count)
        document = Document(
            made.report,
            made.house,
            made.jurisdiction,
            made.period,
            made.stretch,
            Content((*[short] * above, section)),
        )
        pages = PdfReader(BytesIO(rendered(document, Format.PDF))).pages
        assert len(pages) >= 1, (count, above)
        assert all("B1" in page.extract_text().splitlines() for page in pages), (count, above)


@pytest.mark.rule("X-audit-books")
@pytest.mark.parametrize("rows", [1, 3, pdf.LOOKED_AT + 5])
def test_large_amounts_stand_on_one_line_each(worked: Worked, rows: int) -> None:
    """A number that is broken reads as two; the last row has the longest, behind all others."""
    made = make_report(worked.floor.office, Asked("drawers", worked.first, worked.last, Format.PDF))
    largest = 2**53 - 1
    columns = (
        Column("station", "Station"),
        *(cents(f"c{place}_cents", f"Amount {place}") for place in range(11)),
        Column("hold", "Hold", Kind.RATIO),
    )
    small: Row = ("B1", *[100] * 11, Fraction(1, 3))
    large: Row = ("B1", *[-largest // rows] * 11, Fraction(-1, 3))
    section = Section("shifts", "Shifts", columns, [*[small] * (rows - 1), large])
    wide = Document(
        made.report,
        made.house,
        made.jurisdiction,
        made.period,
        made.stretch,
        Content((section,)),
    )
    data = rendered(wide, Format.PDF)
    text = "\n".join(page.extract_text() for page in PdfReader(BytesIO(data)).pages)
    written = for_people(large[1], Kind.CENTS, made.period.zone)
    assert text.count(written) >= 11
    for page in pictures(data):
        looked_at(page)
