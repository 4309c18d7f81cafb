"""The forms of a report: PDF, CSV and JSON, the same bytes every time."""

import csv
import json
from datetime import date, timedelta
from fractions import Fraction
from hashlib import sha256
from io import BytesIO, StringIO
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pypdf import PdfReader
from reportlab.pdfbase.pdfmetrics import stringWidth

from app.flow.report import Asked, make_report, rendered, reports_of
from app.reports import pdf
from app.reports.catalogue import CATALOGUE, Format
from app.reports.content import Cell, Column, Content, Kind, Section
from app.reports.csv import csv_of
from app.reports.document import Document
from app.reports.lines import lines_of, widths_for
from app.reports.pdf import pdf_of, plain, wrapped
from app.reports.told import STANDING, Period, Stretch
from app.reports.written import for_people
from app.store.tables.log import STANDING as INDEXED
from tests.floor import NOON
from tests.looking import refuses
from tests.reports.conftest import Worked


@pytest.mark.rule("X-audit-log", "15.4(e)-list")
@pytest.mark.parametrize("report", list(CATALOGUE))
def test_a_report_made_again_is_the_same_byte_for_byte(worked: Worked, report: str) -> None:
    asked = Asked(report, worked.first, worked.last, Format.PDF)
    first = {form: rendered(_made(worked, asked), form) for form in Format}
    worked.floor.pass_time(minutes=1)  # and whatever happens meanwhile
    worked.floor.signed_in("Rita Regulator")
    again = {form: rendered(_made(worked, asked), form) for form in Format}
    assert first == again
    pages = [page.extract_text() for page in PdfReader(BytesIO(first[Format.PDF])).pages]
    document = json.loads(first[Format.JSON])
    for number, text in enumerate(pages, 1):
        assert f"Page {number} of {len(pages)}" in text
        assert CATALOGUE[report].title in text
        assert f"Gaming days {worked.first} to {worked.last}" in text
        assert document["log"]["root"] in text
        assert document["content"] in text


def _made(worked: Worked, asked: Asked) -> Document:
    return make_report(worked.floor.office, asked)


def test_the_hash_of_a_report_is_that_of_its_json_without_the_hash(worked: Worked) -> None:
    made = _made(worked, Asked("sales", worked.first, worked.last, Format.JSON))
    document = json.loads(made.json())
    stated = document.pop("content")
    text = json.dumps(document, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    assert sha256(text.encode()).hexdigest() == stated


def test_every_row_stands_in_the_csv_under_the_same_columns(worked: Worked) -> None:
    made = _made(worked, Asked("sales-detail", worked.first, worked.last, Format.CSV))
    (section,) = made.content.sections
    lines = list(csv.DictReader(StringIO(csv_of(made).decode(), newline="")))
    assert list(lines[0]) == [column.name for column in section.columns]
    assert len(lines) == len(section.rows)
    assert sum(int(line["price_cents"]) for line in lines) == sum(
        int(str(r[11])) for r in section.rows
    )
    several = _made(worked, Asked("drawers", worked.first, worked.last, Format.CSV))
    named = [line["section"] for line in csv.DictReader(StringIO(csv_of(several).decode()))]
    assert set(named) == {"shifts", "moves"}


def test_every_cell_of_a_table_is_on_the_pages(worked: Worked) -> None:
    made = _made(worked, Asked("payouts-detail", worked.first, worked.last, Format.PDF))
    text = " ".join(
        page.extract_text() for page in PdfReader(BytesIO(rendered(made, Format.PDF))).pages
    )
    (section,) = made.content.sections
    assert section.rows
    for row in section.rows:
        assert str(row[0]) in text
        assert for_people(row[5], Kind.CENTS, made.period.zone) in text


# ---- days that are not over ----------------------------------------------------------------------


def test_a_day_that_is_not_closed_is_told_so_far_and_can_be_had_again(worked: Worked) -> None:
    today = worked.last + timedelta(days=1)
    asked = Asked("sales", today, today, Format.PDF)
    before = _made(worked, asked)
    assert not before.stretch.is_whole
    (page, *_) = PdfReader(BytesIO(rendered(before, Format.PDF))).pages
    assert "SO FAR" in page.extract_text()
    worked.floor.signed_in("Rita Regulator")
    after = _made(worked, asked)
    assert after.stretch.size > before.stretch.size
    again = make_report(worked.floor.office, asked, before.stretch.size)
    assert rendered(again, Format.PDF) == rendered(before, Format.PDF)


def test_what_cannot_be_reported_is_refused(worked: Worked) -> None:
    first, last, day = worked.first, worked.last, timedelta(days=1)
    for code, asked in (
        ("report.unknown", Asked("secrets", first, last, Format.PDF)),
        ("report.days_backwards", Asked("sales", last, first, Format.PDF)),
        ("report.days_many", Asked("sales", first, first + 400 * day, Format.PDF)),
        ("report.days_outside", Asked("sales", first - 9 * day, last, Format.PDF)),
        ("report.days_outside", Asked("sales", first, last + 9 * day, Format.PDF)),
    ):
        with refuses(code):
            make_report(worked.floor.office, asked)
    with refuses("report.no_such_size"):
        make_report(worked.floor.office, Asked("sales", first, last, Format.PDF), 10**9)


def test_a_report_that_would_be_too_long_is_refused(
    worked: Worked, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.flow.report.LINES_MOST", 100)
    asked = Asked("sales-detail", worked.first, worked.last, Format.PDF)
    with refuses("report.too_long"):
        make_report(worked.floor.office, asked)
    monkeypatch.setattr("app.flow.report.ENTRIES_MOST", 100)
    with refuses("report.too_long"):
        make_report(worked.floor.office, Asked("access", worked.first, worked.last, Format.CSV))


def test_what_stays_true_is_found_by_an_index_of_the_same_tags() -> None:
    assert STANDING == INDEXED


# ---- texts ---------------------------------------------------------------------------------------


def document_with(made: Document, rows: list[tuple[Cell, ...]], columns: int = 1) -> Document:
    heads = tuple(Column(f"c{place}", f"Column {place}") for place in range(columns))
    content = Content((Section("any", "Any", heads, rows),))
    return Document(made.report, made.house, made.jurisdiction, made.period, made.stretch, content)


FORMULAS = [
    "=1+1", "+1", "-1", "@SUM(A1)", "\t=1+1", "\r=1+1", "\n=1+1", "\uff1d1+1", "\uff0b1",
    "\uff0d1", "\uff20SUM(A1)", "'=1+1",
]  # fmt: skip


@pytest.mark.parametrize("text", FORMULAS)
def test_nothing_in_a_csv_is_taken_for_a_formula(text: str) -> None:
    assert cells_of(text) == [f"'{text}"]


def test_numbers_and_ratios_in_a_csv_are_never_taken_for_texts() -> None:
    assert cells_of(-500, Fraction(-1, 20)) == ["-500", "-1/20"]


@given(st.text(max_size=20))
def test_a_text_in_a_csv_is_had_again_by_taking_one_apostrophe_away(text: str) -> None:
    (cell,) = cells_of(text)
    assert cell.removeprefix("'") == text


def cells_of(*row: Cell) -> list[str]:
    """A row as a program finds it in a CSV."""
    period = Period(date(2026, 11, 16), date(2026, 11, 16), NOON, NOON, "UTC")
    stretch = Stretch("keno.example/test", 0, 1, bytes(32), is_whole=True)
    made = Document(CATALOGUE["sales"], "Test House", "US-NJ", period, stretch, Content(()))
    data = csv_of(document_with(made, [row], columns=len(row))).decode()
    _, cells = csv.reader(StringIO(data, newline=""))
    return cells


@given(st.text(max_size=300), st.floats(20, 400))
def test_no_letter_is_lost_where_a_text_wraps(text: str, width: float) -> None:
    shown = plain(text)
    lines = wrapped(shown, pdf.FONT, pdf.SIZE, width)
    assert "".join(lines).replace(" ", "") == shown.replace(" ", "")
    assert all(len(line) == 1 or stringWidth(line, pdf.FONT, pdf.SIZE) <= width for line in lines)


def test_letters_that_a_page_does_not_have_are_written_as_numbers(worked: Worked) -> None:
    assert plain("caf\u00e9 \u2713\x00") == "caf\u00e9 \\u2713\\x00"
    made = _made(worked, Asked("sales", worked.first, worked.last, Format.PDF))
    data = pdf_of(document_with(made, [("\u2713 (", ")\\ \u65e5")], columns=2))
    assert "\\u2713 (" in PdfReader(BytesIO(data)).pages[0].extract_text()


def test_what_looks_like_markup_is_text_on_a_page(worked: Worked) -> None:
    odd = '<b>Sam</b> & <a href="file:///etc/passwd">Co</a> &lt;'
    made = _made(worked, Asked("sales", worked.first, worked.last, Format.PDF))
    page = PdfReader(BytesIO(pdf_of(document_with(made, [(odd, ") Tj /JS (")], columns=2)))).pages[
        0
    ]
    assert odd in page.extract_text()
    assert ") Tj /JS (" in page.extract_text()
    assert "/Annots" not in page  # nothing leads anywhere


def test_ratios_and_chances_are_written_for_people() -> None:
    assert for_people(Fraction(1, 4), Kind.RATIO, "UTC") == "25.00%"
    assert for_people(Fraction(1, 8_911_711), Kind.CHANCE, "UTC") == "1 in 8,911,711.00"
    assert for_people(Fraction(0), Kind.CHANCE, "UTC") == "never"
    assert for_people(None, Kind.CENTS, "UTC") == ""
    assert for_people(True, Kind.YES_NO, "UTC") == "yes"


def test_every_report_stands_in_the_documentation() -> None:
    page = (Path(__file__).parent.parent.parent / "docs" / "reports.md").read_text()
    for report in CATALOGUE.values():
        row = f"| `{report.id}` | {report.title} | {report.says} | {', '.join(report.duties)} |"
        assert row in page


def test_every_duty_that_a_report_answers_is_a_duty() -> None:
    duties = (Path(__file__).parent.parent.parent / "docs" / "duties.md").read_text()
    named = {duty for report in CATALOGUE.values() for duty in report.duties}
    assert named
    assert {duty for duty in named if f"| {duty} |" not in duties} == set()


def test_a_very_long_table_has_every_row_too(
    worked: Worked, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pdf, "LONG", 10)
    made = _made(worked, Asked("sales-detail", worked.first, worked.last, Format.PDF))
    pages = PdfReader(BytesIO(rendered(made, Format.PDF))).pages
    text = "\n".join(page.extract_text() for page in pages)
    (section,) = made.content.sections
    for row in section.rows:
        assert f"\n{row[0]} " in text
    assert for_people(sum(int(str(row[11])) for row in section.rows), Kind.CENTS, "UTC") in text


@given(
    st.lists(st.lists(st.text("ab 1", max_size=30), min_size=3, max_size=3), min_size=1),
    st.integers(20, 120),
)
def test_no_letter_is_lost_in_lines(rows: list[list[str]], room: int) -> None:
    widths = widths_for(rows, [True, True, False], room)
    assert len(widths) == 3
    for row in rows:
        lines = lines_of(row, widths, [False, False, True])
        said = "".join(lines).replace(" ", "")
        assert sorted(said) == sorted("".join(row).replace(" ", ""))
        fits = sum(widths) + 4
        assert all(len(line) <= fits for line in lines)


def test_every_report_goes_along_with_a_bundle(
    worked: Worked, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.flow.report.ROWS_MOST", 200)
    given = dict(reports_of(worked.floor.office, worked.first, worked.last))
    assert {name.split(".")[0] for name in given} == set(CATALOGUE)
    assert given["win.pdf"].startswith(b"%PDF-")
    assert json.loads(given["win.json"])["report"] == "win"
    assert b"ask for fewer days" in given["sales-detail.txt"]
    assert given["payouts-detail.csv"].startswith(b"ticket,time,station")
