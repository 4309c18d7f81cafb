"""What the house hands to those who watch it: the compliance matrix, as a page and as PDF."""

import re
from importlib import import_module
from io import BytesIO
from pathlib import Path

import pytest
from pypdf import PdfReader

from app.cli import main
from app.reports.compliance import Duty, Telling, compliance_matrix, counts_of
from app.reports.compliance_pdf import compliance_pdf
from app.software import manifest, software_hash
from app.web import create_app
from tests.floor import RITA, Floor
from tests.web.sign_in import HTML, Browser


@pytest.fixture
def rita(floor: Floor) -> Browser:
    browser = Browser(create_app(floor.office), floor, "S1")
    browser.sign_in(RITA)
    return browser


def shown(browser: Browser, path: str) -> str:
    answer = browser.client.get(path, headers=HTML)
    assert answer.status_code == 200
    return " ".join(answer.text.split())


def pages_of(document: bytes) -> list[str]:
    return [" ".join(page.extract_text().split()) for page in PdfReader(BytesIO(document)).pages]


def rows_of(page: str) -> list[str]:
    return re.findall(r'<tr id="([^"]+)">', page)


@pytest.mark.rule("X-audit-log")
def test_the_page_has_every_duty_with_what_keeps_and_shows_it(rita: Browser) -> None:
    page = shown(rita, "/regulator/compliance")
    matrix = compliance_matrix()
    counts = counts_of(matrix)
    assert rows_of(page) == [duty.id for duty in matrix]
    assert f"{counts.duties} duties, of which {counts.held} are held" in page
    assert "our text of the rule ends inside 15.6(c); nothing is claimed" in page
    assert "printers/layout/ticket.py<br>" in page
    assert "The type is derived from the request" in page
    assert '<a href="/regulator/compliance" aria-current="page">Compliance</a>' in page


def test_the_page_is_searched(rita: Browser) -> None:
    search = "/regulator/compliance?duty="
    assert rows_of(shown(rita, search + "BLANK%20FORMS")) == ["15.4(b)"]
    assert "15.4(b)" in rows_of(shown(rita, search + "forms_pdf.py"))
    assert rows_of(shown(rita, search + "X-rng-lab")) == ["X-rng-lab"]
    nothing = shown(rita, search + "<b>%20of%20nothing")
    assert rows_of(nothing) == []
    assert 'duties have "&lt;b&gt; of nothing"' in nothing


@pytest.mark.rule("X-audit-log")
def test_the_matrix_on_paper_is_complete_and_always_the_same(rita: Browser, floor: Floor) -> None:
    answer = rita.client.get("/regulator/compliance.pdf")
    assert (answer.status_code, answer.mimetype) == (200, "application/pdf")
    pages = pages_of(answer.data)
    for number, page in enumerate(pages, start=1):
        assert f"Page {number} of {len(pages)}" in page
        assert floor.office.house.name in page
        assert f"Made by software {software_hash()[:16]}" in page
    whole = " ".join(pages)
    for duty in compliance_matrix():
        assert duty.id in whole
    assert "our text of the rule ends inside 15.6(c); nothing is claimed" in whole
    compliance_pdf.cache_clear()
    again = compliance_pdf(floor.office.house.name, software_hash(), compliance_matrix())
    assert again == answer.data


def test_reports_and_odd_names_stand_on_paper_too() -> None:
    duty = Duty(
        "X-odd", "Odd & ends", "A duty <of> its own", None, ("app/a.py",), ("tests/a.py::test_b",),
        (Telling("R1", "Void <tickets> & co"),), None,
    )  # fmt: skip
    whole = " ".join(pages_of(compliance_pdf("Sam & Söhne <House>", "0" * 64, (duty,))))
    assert "Sam & Söhne <House>" in whole
    assert "A duty <of> its own" in whole
    assert "Told by: Void <tickets> & co (R1)" in whole
    assert "Shown by: 1 test " in whole


def test_the_command_tells_the_matrix_and_writes_it(
    floor: Floor,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    file, counts = tmp_path / "matrix.pdf", counts_of(compliance_matrix())
    assert main(["compliance", "--json"]) == 0  # takes no house
    assert '"15.7"' in capsys.readouterr().out
    monkeypatch.setattr(
        import_module("app.cli.console"), "open_office", lambda _, **__: floor.office
    )
    monkeypatch.setattr(floor.office, "close", lambda: None)
    assert main(["compliance", "--out", str(file)]) == 0
    assert f"{counts.held} of {counts.duties} duties are held; " in capsys.readouterr().out
    assert floor.office.house.name in pages_of(file.read_bytes())[0]
    assert main(["compliance", "--out", str(file / "below")]) == 2
    assert "keno: " in capsys.readouterr().err


@pytest.mark.rule("X-software-seal")
def test_the_matrix_is_part_of_the_software_that_is_sealed() -> None:
    assert "  app/reports/compliance.json\n" in manifest()
