"""The simulated year is a house like any other: a month of it, on both engines."""

import json
from collections.abc import Iterator
from datetime import date
from pathlib import Path

import pytest
from sqlalchemy import text

from app.audit.books import check_books
from app.audit.verifier import verify
from app.flow.actor import Sitting
from app.flow.certify import certify_game
from app.flow.cosign import cosign_log
from app.flow.draw import end_game
from app.flow.drawer import open_drawer
from app.flow.export import export_days
from app.flow.lockout import lock_game
from app.flow.look_up import look_up
from app.flow.pay import Paying, pay_ticket
from app.flow.sell import Sale, sell_ticket
from app.flow.settle import settle_game
from app.keno.drawer import Count
from app.keno.request import Request
from app.keno.tender import Tender, TenderKind
from app.store.database import Database
from app.store.queries import games
from bench.year import MONTH, YearHouse, YearPlan, build_year
from bench.year.plan import FIRST_GAMES, MAX, SAM
from bench.year.shift import BANK
from rng.lab.verify import read_keys
from rng.lab.verify_journal import verify_journal

# Everything that a year is to have in it, whatever is drawn.
HAPPENED = (
    "approval", "cancellation", "certification", "contact_act", "coupon", "day_close", "drawer",
    "drawer_move", "expiry", "override", "payout", "presentation", "printed_paper", "refund",
    "reprint", "tax_paper", "void", "void_statement", "win",
)  # fmt: skip


@pytest.fixture
def house(empty_url: str, tmp_path: Path) -> Iterator[YearHouse]:
    build_year(empty_url, tmp_path / "year", MONTH)
    opened = YearHouse.opened(empty_url, tmp_path / "year")
    yield opened
    opened.close()


def one(house: YearHouse, statement: str) -> int:
    with house.office.database.reading() as connection:
        return int(connection.execute(text(statement)).scalar_one())


def verified(house: YearHouse, folder: Path, first: date, last: date) -> None:
    """Some days of it, as a regulator gets them and verifies them without the house."""
    cosign_log(house.office, house.keyed)
    export_days(house.office, Sitting("bench"), first, last, folder / "bundle.zip")
    assert [str(fault) for fault in verify(folder / "bundle.zip").faults] == []


def check(house: YearHouse) -> None:
    office, keys = house.office, house.keyed.public_keys()
    with office.database.reading(at_length=True) as connection:
        log_key = office.keys.log.public_key()
        found = check_books(connection, office.house.log_origin, log_key, keys)
    assert [str(fault) for faults in found.values() for fault in faults] == []


@pytest.mark.proof
@pytest.mark.rule("X-audit-books", "X-draw-once", "X-draw-public")
def test_a_simulated_month_is_a_house_like_any_other_and_goes_on(
    house: YearHouse, tmp_path: Path
) -> None:
    office = house.office
    check(house)
    verified(house, tmp_path, MONTH.day(0), MONTH.day(1))
    verified(house, tmp_path, MONTH.day(MONTH.days - 2), MONTH.day(MONTH.days - 1))
    # All of it is there, and none of it can be taken for the real thing.
    assert office.house.demonstration
    assert "DEMONSTRATION" in office.house.name
    assert "DEMONSTRATION" in json.loads((tmp_path / "year" / "year.json").read_text())
    assert one(house, "SELECT count(*) FROM ticket") == MONTH.tickets
    assert one(house, "SELECT count(*) FROM game WHERE locked_at IS NOT NULL") == MONTH.games
    assert one(house, "SELECT count(DISTINCT type) FROM ticket") == 5
    assert [name for name in HAPPENED if not one(house, f"SELECT count(*) FROM {name}")] == []  # noqa: S608
    assert one(house, "SELECT count(*) FROM day_close") == MONTH.days
    # Both keyed processes have every game of it in their journals.
    folder = tmp_path / "year"
    for role in ("rng", "inspector"):
        verify_journal(folder / role / "journal.jsonl", read_keys(folder / "public"))
        lines = (folder / role / "journal.jsonl").read_text().splitlines()
        kinds = [json.loads(line)["kind"] for line in lines]
        assert kinds.count("DRAWN") + kinds.count("VOID") == MONTH.games
    # A ticket that nobody came for yet is paid, and a game is sold, locked, drawn and graded.
    before = one(house, "SELECT count(*) FROM payout")
    wanda = house.signed_in("Wanda", "B1")
    open_drawer(office, wanda, BANK, house.request_id(), house.approval(MAX))
    number = unpaid(house)
    assert look_up(office, wanda, number)["standing"] == "win"
    paying = Paying(number, house.code(number), None, house.approval(SAM), house.approval(MAX))
    assert pay_ticket(office, wanda, paying, house.request_id())["win_cents"] > 0
    assert one(house, "SELECT count(*) FROM payout") == before + 1
    for series in FIRST_GAMES:
        sale = Sale(series, Request(((7,),), "1/1 @ 1.00"), (Tender(TenderKind.CURRENCY, 100),))
        sell_ticket(office, wanda, sale, house.request_id())
        game = lock_game(office, house.sam, series, reason="by hand")
        end_game(office, house.keyed, series, game)
        settle_game(office, series, game)
        certify_game(office, house.keyed, series, game)
        with office.database.reading() as connection:
            ended = games.game(connection, series, game)
        assert ended is not None
        assert ended.state == "certified"
    check(house)


def unpaid(house: YearHouse) -> int:
    """A small win that can be paid in cash."""
    return one(
        house,
        "SELECT min(win.ticket) FROM win "
        "JOIN ticket ON ticket.number = win.ticket AND ticket.games = 1 "
        "LEFT JOIN payout ON payout.ticket = win.ticket "
        "LEFT JOIN expiry ON expiry.ticket = win.ticket "
        "LEFT JOIN reprint ON reprint.job = ticket.entry "
        "WHERE payout.ticket IS NULL AND expiry.ticket IS NULL AND win.cents < 100000",
    )


@pytest.mark.proof
@pytest.mark.rule("X-drawer", "X-audit-books")
def test_nothing_goes_out_of_a_drawer_that_is_nearly_empty(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Full days pay out more than a drawer has, and patrons bring chips that want change."""
    monkeypatch.setattr("bench.year.shift.BANK", Count({TenderKind.CURRENCY: 100}))
    url, folder = f"sqlite:///{tmp_path / 'keno.db'}", tmp_path / "year"
    build_year(url, folder, YearPlan(tickets=600, games=8, days=2))
    house = YearHouse.opened(url, folder)
    assert one(house, "SELECT count(*) FROM tender WHERE kind = 'chips'")
    check(house)
    verified(house, tmp_path, date(2025, 1, 1), date(2025, 1, 2))
    house.close()


@pytest.mark.proof
def test_what_is_sold_and_by_whom_follows_from_the_seed(tmp_path: Path) -> None:
    sold = "SELECT number, series, first_game, games, play, price_cents, station, staff FROM ticket"
    plan, found = YearPlan(tickets=120, games=8, days=2, seed=5), []
    for name in ("first", "second"):
        folder = tmp_path / name
        build_year(f"sqlite:///{tmp_path / name}.db", folder, plan)
        database = Database(f"sqlite:///{tmp_path / name}.db")
        with database.reading() as connection:
            found.append(connection.execute(text(f"{sold} ORDER BY number")).all())
        database.close()
    assert found[0] == found[1]
