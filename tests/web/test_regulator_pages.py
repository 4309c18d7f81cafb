"""The records of the house: every page shows what happened, with its proof, and changes nothing."""

import json
import re
from datetime import timedelta
from pathlib import Path

import pytest
from flask import Flask

from app.audit.entries import leaf_document
from app.clock import time_text
from app.flow.close_day import close_day
from app.flow.override import override_close
from app.flow.pay import Check
from app.flow.seal import seal_log
from app.flow.tax_paper import file_tax_paper
from app.keno.drawer import Count
from app.keno.money import dollars
from app.keno.numbering import printed_number
from app.keno.tender import TenderKind
from app.moments import moment_words
from app.store.queries.log import EntryRow
from app.store.tables import Role
from app.web import create_app
from app.web.telling import tell
from rng.merkle import leaf_hash
from tests.audit.planting import plant, unguarded
from tests.floor import ADA, BANK, MAX, RITA, SAM, WALT, Floor
from tests.flow.access import somebody
from tests.looking import bodies, everything, rows
from tests.story.paying import SAM_APPROVES, paper_of, pay, winning
from tests.watching import CANCELLED, LARGE, PAID, SOLD, TODAY, VOIDED, busy
from tests.web.sign_in import HTML, Browser

pytestmark = pytest.mark.rule("X-audit-log")


@pytest.fixture
def app(floor: Floor) -> Flask:
    return create_app(floor.office)


@pytest.fixture
def rita(app: Flask, floor: Floor, tmp_path: Path) -> Browser:
    """A regulator at a floor on which things happened."""
    busy(floor, tmp_path)
    seal_log(floor.office)
    browser = Browser(app, floor, "S1")
    browser.sign_in(RITA)
    return browser


def shown(browser: Browser, path: str, status: int = 200) -> str:
    answer = browser.client.get(path, headers=HTML)
    assert answer.status_code == status, path
    return " ".join(answer.text.split())


def tags(page: str) -> list[str]:
    """The kinds of entries on a page, in order."""
    return re.findall(r'class="tag">([A-Z-]+)<', page)


# ---- finding -------------------------------------------------------------------------------------


def test_one_box_finds_everything(rita: Browser, floor: Floor) -> None:
    found = {
        "1": "tickets/1",
        printed_number(4): "tickets/4",
        "M-2": "games/M/2",
        "m 2": "games/M/2",
        "WANDA": "people/WANDA",
        "wanda": "people/WANDA",
        "Rita Reg": "people/RITA",
        "b2": "stations/B2",
        "2026-11-16": "days/2026-11-16",
        "#7": "log/7",
    }
    for text, path in found.items():
        answer = rita.client.get("/regulator/find", query_string={"q": text})
        assert answer.location == f"/regulator/{path}", text
    scanned = rita.client.get("/regulator/find", query_string={"q": f"{4:011}{floor.code(4)}"})
    assert scanned.location == "/regulator/tickets/4"
    assert floor.code(1) not in shown(rita, f"/regulator/find?q={99:011}{floor.code(1)}", 404)
    several = shown(rita, "/regulator/find?q=super")
    assert "Sam Super (SAM)" in several
    assert "Sue Super (SUE)" in several
    for text in ("99999", "1-9", "Z-1", "2026-13-01", "%23999999", "nobody", "<b>"):
        assert "Nothing here is called" in shown(rita, f"/regulator/find?q={text}", 404)
    assert "Records of the house" in shown(rita, "/regulator")
    assert len(bodies(floor, "TICKET")) == 6


MISSING = (
    "tickets/99", "tickets/x", "games/M/99", "games/Z/1", "games/M/x", "games/M/3/record.json",
    "people/NOBODY", "stations/NOWHERE", "days/2026-02-30", "log/999999", "log/x",
)  # fmt: skip


def test_what_is_not_there_is_not_found(rita: Browser) -> None:
    for path in MISSING:
        shown(rita, f"/regulator/{path}", 404)


# ---- tickets -------------------------------------------------------------------------------------


LIVES = (
    (SOLD, ["TICKET", "REPRINT", "ON-PAPER"], ""),
    (VOIDED, ["TICKET", "VOID"], "Voided at"),
    (CANCELLED, ["TICKET", "CANCEL"], "were cancelled"),
    (PAID, ["TICKET", "PAID"], "Paid $60.00"),
    (LARGE, ["TICKET", "PRESENTED", "APPROVED", "PAID"], "Paid $1,500.00"),
)


def test_a_ticket_has_its_whole_life_on_one_page(rita: Browser) -> None:
    for number, acts, standing in LIVES:
        page = shown(rita, f"/regulator/tickets/{number}")
        assert tags(page) == acts
        assert page.count('<span class="state ready">verifies</span>') == len(acts)
        assert standing in page
        assert f"Ticket {printed_number(number)}" in page
        assert 'at <a href="/regulator/stations/B1">B1</a>' in page


def test_a_ticket_shows_what_was_sold_its_games_and_its_papers(rita: Browser, floor: Floor) -> None:
    page = shown(rita, f"/regulator/tickets/{SOLD}")
    assert "<b>A</b>" in page
    for number in (4, 8, 15, 16):
        assert f'<b class="ball">{number}</b>' in page
    assert "currency $5.00" in page
    (sold, *_) = bodies(floor, "TICKET")
    assert sold["card"][:32] in page
    for number in bodies(floor, "DRAW")[0]["numbers"]:
        assert f'<b class="ball">{number}</b>' in page
    ((paper,),) = rows(floor, "SELECT entry FROM ticket WHERE number = 1")
    for copy in (0, 1):
        picture = f"/api/v1/papers/{paper}/picture?copy={copy}&amp;roll=80mm"
        assert f'<img src="{picture}"' in page
    assert "copy 1, unknown on P-B1 (80mm): It was cut off." in page
    assert "copy 1, confirmed: Said by WANDA." in page
    drawn = [
        rita.client.get(f"/api/v1/papers/{paper}/picture?copy={copy}&roll=80mm") for copy in (0, 1)
    ]
    assert [(each.status_code, each.mimetype) for each in drawn] == [(200, "image/png")] * 2
    assert drawn[0].data != drawn[1].data  # the copy has its band


@pytest.mark.rule("X-ticket-validation", "X-pay-tax")
def test_no_code_and_no_name_of_a_patron_stands_on_any_page(
    app: Flask, floor: Floor, monkeypatch: pytest.MonkeyPatch
) -> None:
    wanda = winning(floor, monkeypatch, 300_000)
    file_tax_paper(floor.office, wanda, paper_of(floor), floor.request_id())
    pay(floor, wanda, approval=SAM_APPROVES, check=Check("1001", "Pat Patron"))
    rita = Browser(app, floor, "S1")
    rita.sign_in(RITA)
    page = shown(rita, "/regulator/tickets/1")
    assert tags(page) == ["TICKET", "TAX-PAPER", "PAID"]
    entries = re.findall(r"/regulator/log/[0-9]+", page)
    everywhere = page + "".join(shown(rita, path) for path in entries)
    for secret in ("Pat Patron", "000-00-0000", floor.code(1)):
        assert secret not in everywhere


def test_a_ticket_whose_entry_was_changed_does_not_verify(rita: Browser, floor: Floor) -> None:
    changed = "UPDATE log_entry SET body = replace(body, 'WANDA', 'WALT') WHERE tag = 'TICKET'"
    plant(unguarded(floor), changed)
    page = shown(rita, f"/regulator/tickets/{SOLD}")
    assert "does not verify" in page
    assert "its leaf does not follow from its body" in page
    assert page.count('<span class="state ready">verifies</span>') == 2


def test_a_ticket_that_is_stored_otherwise_than_the_log_tells_is_an_alarm(
    rita: Browser, floor: Floor
) -> None:
    assert "does not verify" not in shown(rita, f"/regulator/tickets/{SOLD}")
    plant(unguarded(floor), "UPDATE ticket SET price_cents = 1, type = 'king' WHERE number = 1")
    page = shown(rita, f"/regulator/tickets/{SOLD}")
    assert "the log tells otherwise of type, price cents." in page


def test_an_entry_whose_leaf_was_changed_with_it_does_not_lead_to_the_root(
    rita: Browser, floor: Floor
) -> None:
    of_ticket = "WHERE id = (SELECT entry FROM ticket WHERE number = 1)"
    ((entry, salt),) = rows(floor, f"SELECT id, salt FROM log_entry {of_ticket}")  # noqa: S608
    body = json.dumps({"number": 1})
    leaf = leaf_hash(leaf_document("TICKET", bytes(salt), body.encode()))
    plant(
        unguarded(floor),
        "UPDATE log_entry SET body = :body, leaf = :leaf WHERE id = :entry",
        "UPDATE log_position SET leaf = :leaf WHERE entry = :entry",
        body=body,
        leaf=leaf,
        entry=entry,
    )
    page = shown(rita, f"/regulator/log/{entry}")
    assert "does not verify" in page
    assert "does not lead to the root" in page
    assert "Its body cannot be read." in shown(rita, f"/regulator/tickets/{SOLD}")


@pytest.mark.rule("X-audit-log", "X-recovery")
def test_no_head_is_shown_that_a_standby_may_lack(rita: Browser, floor: Floor) -> None:
    """Of two heads of one size a regulator would have the other in their notes."""
    (before,) = re.findall(r"<dt>Entries</dt><dd>(\d+)</dd>", shown(rita, "/regulator/log"))
    floor.lock()
    seal_log(floor.office)
    with floor.office.making_sure:  # somebody waits for the standby
        page = shown(rita, "/regulator/log")
    assert re.findall(r"<dt>Entries</dt><dd>(\d+)</dd>", page) == [before]
    (after,) = re.findall(r"<dt>Entries</dt><dd>(\d+)</dd>", shown(rita, "/regulator/log"))
    assert int(after) > int(before)


# ---- games and draws -----------------------------------------------------------------------------


@pytest.mark.rule("15.5(h)", "X-draw-public", "15.5(e)")
def test_a_game_has_its_whole_life_on_one_page(rita: Browser, floor: Floor) -> None:
    page = shown(rita, "/regulator/games/M/1")
    assert tags(page) == ["OVERRIDE", "LOCK", "DRAW", "WINS", "CERTIFIED"]
    assert page.count('<span class="state ready">verifies</span>') == 5
    assert "verifies from public keys" in page
    draw = bodies(floor, "DRAW")[0]
    shown_numbers = re.findall(r'<b class="ball">([0-9]+)</b>', page)
    assert [int(number) for number in shown_numbers] == draw["numbers"]
    assert draw["record"] in page
    assert "a bus is late" in page
    (lock, _) = bodies(floor, "LOCK")
    assert lock["tickets"] == 4
    assert "keno/lock-statement" in page
    record = rita.client.get("/regulator/games/M/1/record.json").get_json()
    assert record["record"]["body"]["numbers"] == draw["numbers"]
    assert "It was not drawn yet." in shown(rita, "/regulator/games/M/3")


def test_moments_of_a_game_are_written_as_the_house_writes_them(
    rita: Browser, floor: Floor
) -> None:
    closes_at = floor.office.now() + timedelta(minutes=4)
    override_close(floor.office, floor.sam, "M", 3, closes_at, "a bus is late")
    page = shown(rita, "/regulator/games/M/3")
    words = moment_words(closes_at, floor.office.house.time_zone)
    assert f"closes at {words}" in page
    assert time_text(closes_at) not in page.partition("Its entries in the log")[0]


@pytest.mark.rule("X-draw-public", "X-rng-tests")
def test_draws_are_checked_again_and_tested(rita: Browser, floor: Floor) -> None:
    page = shown(rita, "/regulator/draws")
    assert "Draws of series F" in page
    page = shown(rita, "/regulator/draws?series=M")
    assert page.count('<span class="state ready">verifies</span>') == 2
    assert '<svg class="plot"' in page
    assert page.count("<title>") == 81  # of the page, and of each number
    assert "too few draws: it needs 100" in page
    assert "style=" not in page
    plant(unguarded(floor), "UPDATE outcome SET numbers = '[1,2,3]' WHERE game = 2")
    page = shown(rita, "/regulator/draws?series=M")
    assert "does not verify" in page
    assert "draw 2 has 3 numbers, not 20" in page
    assert ">M-1<" not in shown(rita, "/regulator/draws?series=M&before=1")


# ---- people, stations, days ----------------------------------------------------------------------


def test_a_person_and_a_station_have_pages_of_what_they_did(rita: Browser) -> None:
    walt = shown(rita, "/regulator/people/WALT")
    assert tags(walt) == ["TICKET", "DRAWER-OPEN", "SIGN-IN", "STAFF"]
    assert "Max Manager" in shown(rita, "/regulator/people/MAX")
    assert "DRAWER-OPEN" in shown(rita, "/regulator/people/MAX")  # he counted with both
    second = tags(shown(rita, "/regulator/stations/B2"))
    assert second == ["TICKET", "DRAWER-OPEN", "SIGN-IN", "APPROVED", "SIGN-IN", "ENROL", "STATION"]
    assert "does not verify" not in walt


def test_a_bank_is_told_whether_it_was_counted_in_all_or_by_denomination(
    rita: Browser, floor: Floor
) -> None:
    assert "Bank of $550.00, counted with MAX" in shown(rita, "/regulator/people/WALT")
    walt = floor.signed_in(WALT, "B2")
    ((drawer,),) = rows(floor, "SELECT max(id) FROM drawer")
    floor.close_drawer(walt, drawer, BANK)
    kinds = {TenderKind.CURRENCY: 50_000, TenderKind.CHIPS: 1_000}
    floor.open_drawer(walt, Count(kinds, {TenderKind.CURRENCY: {5_000: 8, 2_000: 5}}))
    page = shown(rita, "/regulator/people/WALT")
    assert "Bank of $510.00, counted with MAX" in page
    short = -bodies(floor, "DRAWER-CLOSE")[-1]["over_short_cents"]
    assert f"$550.00 counted with MAX, short {dollars(short)}" in page
    assert "cannot be read" not in page


def test_what_a_process_did_is_told_of_it_and_of_nobody() -> None:
    by = {"at": "caller", "role": "caller", "staff": None}
    body = json.dumps({"by": by, "series": "M", "game": 1, "opened_at": "2026-11-17T12:00:00Z"})
    told = tell(EntryRow(1, "GAME", b"", body, b"", None))
    assert (told.who, told.where, told.words) == ("caller", "caller", "Game M-1 opened")


def test_a_long_list_goes_on_before_the_last_entry(rita: Browser, floor: Floor) -> None:
    seen: list[str] = []
    path = "/regulator/log"
    while path:
        page = shown(rita, path)
        seen += re.findall(r'<td><a href="/regulator/log/([0-9]+)">', page)
        older = re.search(r'href="\?before=([0-9]+)">Older', page)
        path = f"/regulator/log?before={older[1]}" if older else ""
    ((count,),) = rows(floor, "SELECT count(*) FROM log_entry")
    assert [int(entry) for entry in seen] == list(range(count, 0, -1))


def test_a_day_shows_its_games_and_its_entries(rita: Browser) -> None:
    page = shown(rita, "/regulator/days/2026-11-16")
    assert "M-1" in page
    assert "There are figures once the day is closed." in page
    assert tags(page)[0] == "SIGN-IN"
    assert tags(shown(rita, "/regulator/days/2026-11-15")) == []


@pytest.mark.rule("15.5(h)")
def test_a_closed_day_shows_its_figures_and_not_the_next_days_entries(
    app: Flask, floor: Floor
) -> None:
    wanda = floor.writing()
    floor.sell(wanda)
    floor.play()
    ((drawer,),) = rows(floor, "SELECT id FROM drawer")
    floor.close_drawer(wanda, drawer, Count({TenderKind.CURRENCY: 50_100, TenderKind.COIN: 5_000}))
    floor.pass_time(days=1)
    close_day(floor.office, floor.sam, TODAY)
    floor.play()
    rita = Browser(app, floor, "S1")
    rita.sign_in(RITA)
    page = shown(rita, "/regulator/days/2026-11-16")
    assert '<th scope="row">sales</th><td class="cents">$1.00</td>' in page
    assert "DAY-CLOSE" not in tags(page)
    assert tags(page).count("LOCK") == 1
    later = tags(shown(rita, "/regulator/days/2026-11-17"))
    assert "DAY-CLOSE" in later
    assert "TICKET" not in later


# ---- the log -------------------------------------------------------------------------------------


def test_the_log_shows_its_head_and_every_entry_its_body_and_proof(
    rita: Browser, floor: Floor
) -> None:
    page = shown(rita, "/regulator/log")
    ((size, root),) = rows(floor, "SELECT size, root FROM log_head")
    assert bytes(root).hex() in page
    assert f"<dd>{size}</dd>" in page
    assert page.count('<span class="state ready">verifies</span>') == 2  # signed, and cosigned
    ((entry, body),) = rows(floor, "SELECT id, body FROM log_entry WHERE tag = 'APPROVED'")
    page = shown(rita, f"/regulator/log/{entry}")
    assert "verifies" in page
    for name in json.loads(body):
        assert f"&#34;{name}&#34;" in page
    newest = max(number for (number,) in rows(floor, "SELECT id FROM log_entry"))
    assert "waits for the next seal" in shown(rita, f"/regulator/log/{newest}")


def test_a_head_that_somebody_else_signed_does_not_verify(rita: Browser, floor: Floor) -> None:
    plant(
        unguarded(floor),
        "UPDATE log_checkpoint SET note = replace(note, 'keno.example', 'evil.example')",
    )
    assert "does not verify" in shown(rita, "/regulator/log")
    assert "the signed head: " in shown(rita, "/regulator/log/1")


# ---- who sees it ---------------------------------------------------------------------------------

PATHS = (
    "/regulator",
    "/regulator/find?q=1",
    "/regulator/tickets/1",
    "/regulator/games/M/1",
    "/regulator/people/WANDA",
    "/regulator/stations/B1",
    "/regulator/days/2026-11-16",
    "/regulator/log",
    "/regulator/log/1",
    "/regulator/draws",
    "/regulator/compliance",
    "/regulator/compliance.pdf",
    "/regulator/submission.pdf",
)


@pytest.mark.rule("X-access")
def test_those_who_watch_see_the_records_and_nobody_else(rita: Browser, floor: Floor) -> None:
    writer = somebody(floor, Role.WRITER)  # who has no drawer elsewhere
    for name, permitted in ((writer, False), (ADA, False), (SAM, True), (MAX, True)):
        rita.sign_in(name)
        for path in PATHS:
            answer = rita.client.get(path, headers=HTML)
            assert (answer.status_code == 403) != permitted, path


@pytest.mark.rule("X-access")
def test_nobody_sees_the_records_who_is_not_signed_in(app: Flask) -> None:
    for path in PATHS:
        answer = app.test_client().get(path, headers=HTML)
        assert (answer.location or "").startswith("/?next=/regulator"), path


def test_nothing_is_written_by_looking(rita: Browser, floor: Floor) -> None:
    """But for a look at a win that is not paid yet, which a ticket that was paid is not."""
    before = everything(floor)
    for path in PATHS:
        rita.client.get(path.replace("tickets/1", f"tickets/{PAID}"), headers=HTML)
    assert everything(floor) == before
