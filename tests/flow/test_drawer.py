"""Drawers: one for each station and writer, closed blind (X-drawer)."""

from dataclasses import replace

import pytest
from sqlalchemy import event

from app.flow.access import Credentials
from app.flow.asking import Answer
from app.flow.drawer import open_drawer
from app.flow.see_floor import see_floor
from app.keno.drawer import Count
from app.keno.tender import Tender, TenderKind
from tests.floor import (
    ADA,
    BANK,
    RITA,
    SATELLITE,
    SECOND_STATION,
    SUE,
    WALT,
    WANDA,
    Floor,
    dollar,
)
from tests.looking import bodies, postings, refuses, rows

CASH, COIN, CHIPS = TenderKind.CURRENCY, TenderKind.COIN, TenderKind.CHIPS


def opened(floor: Floor, credentials: Credentials, counted: Count | None = None) -> int:
    answer = floor.open_drawer(credentials, BANK if counted is None else counted)
    drawer: int = answer["drawer"]
    return drawer


def closed(floor: Floor, credentials: Credentials, drawer: int, counted: Count) -> Answer:
    return floor.close_drawer(credentials, drawer, counted)


# ---- opening -------------------------------------------------------------------------------------


@pytest.mark.rule("X-drawer", "X-audit-log")
def test_a_drawer_opens_with_its_counted_bank(floor: Floor) -> None:
    wanda = floor.signed_in(WANDA)
    answer = floor.open_drawer(wanda, BANK, "open-drawer")
    assert answer["opening_cents"] == 55_000
    (body,) = bodies(floor, "DRAWER-OPEN")
    assert (body["station"], body["writer"]) == ("B1", "WANDA")
    assert body["counted"] == {"currency": 50_000, "coin": 5_000}
    assert sorted(postings(floor, "DRAWER-OPEN")) == [
        ("bank", None, -55_000),
        ("drawer", "coin", 5_000),
        ("drawer", "currency", 50_000),
    ]
    found = "SELECT closing, cents FROM drawer_count"
    assert [(bool(closing), int(cents)) for closing, cents in rows(floor, found)] == [
        (False, 55_000)
    ]
    floor.check_books()


@pytest.mark.rule("X-drawer")
def test_an_empty_drawer_can_be_opened(floor: Floor) -> None:
    wanda = floor.signed_in(WANDA)
    drawer = opened(floor, wanda, Count({}))
    assert postings(floor, "DRAWER-OPEN") == []
    assert closed(floor, wanda, drawer, Count({}))["over_short_cents"] == 0
    floor.check_books()


@pytest.mark.rule("X-drawer")
def test_a_station_has_one_drawer_at_a_time(floor: Floor) -> None:
    floor.writing()
    with refuses("drawer.already_open"):
        floor.writing(WALT)
    with refuses("drawer.already_open"):
        floor.writing(WANDA)


@pytest.mark.rule("X-drawer")
def test_a_writer_has_one_drawer_at_a_time(floor: Floor) -> None:
    wanda = floor.writing()
    with refuses("drawer.already_open"):
        floor.writing(WANDA, SECOND_STATION)
    floor.writing(WALT, SECOND_STATION)
    ((drawer,),) = rows(floor, "SELECT id FROM drawer ORDER BY id LIMIT 1")
    closed(floor, wanda, drawer, BANK)
    with refuses("drawer.already_open"):  # now it is Walt's that stands there
        floor.writing(WANDA, SECOND_STATION)
    assert floor.sell(floor.writing())["number"] == 1


@pytest.mark.rule("X-drawer")
def test_a_drawer_is_of_use_only_where_it_stands(floor: Floor) -> None:
    floor.writing()
    elsewhere = floor.signed_in(WANDA, SECOND_STATION)
    with refuses("drawer.not_open"):
        floor.sell(elsewhere)


@pytest.mark.rule("X-drawer", "X-access")
def test_a_drawer_outlives_signing_in_anew(floor: Floor) -> None:
    wanda = floor.writing()
    floor.sell(wanda)
    assert floor.sell(floor.signed_in(WANDA))["number"] == 2


@pytest.mark.rule("X-ticket-exactly-once")
def test_opening_asked_twice_is_one_drawer(floor: Floor) -> None:
    wanda = floor.signed_in(WANDA)
    first = floor.open_drawer(wanda, BANK, "double-click")
    assert floor.open_drawer(wanda, BANK, "double-click") == first
    with refuses("request_id.other_content"):
        floor.open_drawer(wanda, Count({}), "double-click")
    with refuses("request_id.missing"):
        open_drawer(floor.office, wanda, BANK, None, None)
    assert rows(floor, "SELECT count(*) FROM drawer") == [(1,)]


@pytest.mark.rule("X-access")
@pytest.mark.parametrize("name", [ADA, RITA])
def test_only_writers_and_supervisors_keep_drawers(floor: Floor, name: str) -> None:
    with refuses("staff.not_permitted"):
        floor.writing(name)


# ---- the close -----------------------------------------------------------------------------------


@pytest.mark.rule("X-drawer")
@pytest.mark.parametrize(("counted_cents", "over"), [(50_000, -100), (50_100, 0), (50_350, 250)])
def test_the_close_keeps_what_is_over_or_short(floor: Floor, counted_cents: int, over: int) -> None:
    wanda = floor.signed_in(WANDA)
    drawer = opened(floor, wanda)
    floor.sell(wanda)
    answer = closed(floor, wanda, drawer, Count({CASH: counted_cents, COIN: 5_000}))
    assert answer == {
        "drawer": drawer,
        "expected_cents": 55_100,
        "expected": {"coin": 5_000, "currency": 50_100},
        "counted_cents": counted_cents + 5_000,
        "over_short_cents": over,
        "found": [{"acts": ["ticket 1 sold"], "cents": 100}] if over == -100 else [],
        "tickets_missing": None,
    }
    moved = postings(floor, "DRAWER-CLOSE")
    assert sum(cents for _, _, cents in moved) == 0
    assert sorted(moved) == sorted(
        [
            ("bank", None, counted_cents + 5_000),
            ("drawer", "coin", -5_000),
            ("drawer", "currency", -50_100),
        ]
        + ([("over-short", None, -over)] if over else [])
    )
    (body,) = bodies(floor, "DRAWER-CLOSE")
    assert (body["over_short_cents"], body["counted"]) == (
        over,
        {"currency": counted_cents, "coin": 5_000},
    )
    floor.check_books()


@pytest.mark.rule("X-drawer", "15.3(b)")
def test_the_close_expects_what_sales_and_voids_left_there_by_kind(floor: Floor) -> None:
    wanda = floor.signed_in(WANDA)
    drawer = opened(floor, wanda, Count({CASH: 10_000}))
    floor.sell(wanda, replace(dollar(), tender=(Tender(CHIPS, 500),)))  # chips in, change out
    floor.sell(wanda, replace(dollar(), tender=(Tender(TenderKind.COUPON, 100, "C1"),)))
    floor.sell(wanda, dollar(games=3))
    floor.void(wanda, 3)
    expected = Count({CASH: 10_000 - 400, CHIPS: 500})
    found = "SELECT kind, sum(cents) FROM posting WHERE drawer = :drawer GROUP BY kind"
    held = {TenderKind(kind): int(cents) for kind, cents in rows(floor, found, drawer=drawer)}
    assert held == expected.cents
    assert closed(floor, wanda, drawer, expected)["over_short_cents"] == 0
    assert {int(cents) for _, cents in rows(floor, found, drawer=drawer)} == {0}
    floor.check_books()


@pytest.mark.rule("X-drawer")
def test_what_should_be_there_is_not_shown_before_the_count_is_in(floor: Floor) -> None:
    """Blind: nothing that a writer is told on the way to a close has the amount in it."""
    wanda = floor.signed_in(WANDA)
    answer = floor.open_drawer(wanda)
    for _ in range(3):
        floor.sell(wanda)
    said = repr([answer, floor.void(wanda, 1)])
    with refuses("drawer.unknown"):
        closed(floor, wanda, answer["drawer"] + 1, Count({}))
    assert "55200" not in said
    assert "expected" not in said
    closed(floor, wanda, answer["drawer"], Count({}))
    ((cents,),) = rows(floor, "SELECT cents FROM posting WHERE account = 'over-short'")
    assert int(cents) == 55_200  # a close is a close: there is no second try at the count


@pytest.mark.rule("X-drawer")
def test_a_closed_drawer_stays_closed(floor: Floor) -> None:
    wanda = floor.signed_in(WANDA)
    drawer = opened(floor, wanda)
    floor.sell(wanda)
    closed(floor, wanda, drawer, BANK)
    with refuses("drawer.wrong_state"):
        closed(floor, wanda, drawer, BANK)
    with refuses("drawer.not_open"):
        floor.sell(wanda)
    with refuses("drawer.not_open"):
        floor.void(wanda, 1)
    again = opened(floor, wanda)
    assert again != drawer
    floor.void(wanda, 1)  # from the new drawer
    with refuses("drawer.wrong_state"):
        closed(floor, wanda, drawer, BANK)
    assert closed(floor, wanda, again, BANK)["over_short_cents"] == 100
    floor.check_books()


@pytest.mark.rule("X-drawer", "X-access")
def test_nobody_closes_the_drawer_of_another(floor: Floor) -> None:
    wanda = floor.signed_in(WANDA)
    drawer = opened(floor, wanda)
    walt = floor.writing(WALT, SECOND_STATION)
    for other in (walt, floor.signed_in(WALT), floor.signed_in(WANDA, SECOND_STATION)):
        with refuses("drawer.unknown"):
            closed(floor, other, drawer, BANK)
    assert closed(floor, wanda, drawer, BANK)["over_short_cents"] == 0


@pytest.mark.rule("X-ticket-exactly-once", "X-drawer")
def test_a_close_asked_twice_is_one_close(floor: Floor) -> None:
    wanda = floor.signed_in(WANDA)
    drawer = opened(floor, wanda)
    first = floor.close_drawer(wanda, drawer, BANK, "double-click")
    assert floor.close_drawer(wanda, drawer, BANK, "double-click") == first
    with refuses("request_id.other_content"):  # the count cannot be bettered afterwards
        floor.close_drawer(wanda, drawer, Count({CASH: 55_000}), "double-click")
    assert rows(floor, "SELECT count(*) FROM drawer_count") == [(2,)]
    floor.check_books()


@pytest.mark.rule("X-drawer")
def test_the_counts_of_a_drawer_are_kept_for_ever(floor: Floor) -> None:
    wanda = floor.signed_in(WANDA)
    closed(floor, wanda, opened(floor, wanda), BANK)
    found = "SELECT closing, counted FROM drawer_count ORDER BY closing"
    kept = '{"coin":5000,"currency":50000}'
    assert [(bool(closing), said) for closing, said in rows(floor, found)] == [
        (False, kept),
        (True, kept),
    ]


@pytest.mark.rule("X-drawer")
def test_the_floor_takes_no_more_looking_with_more_drawers(floor: Floor) -> None:
    # Supervisors have it in view all day, beside those who sell.
    sue = floor.signed_in(SUE, SATELLITE)
    see_floor(floor.office, sue)  # what an office looks up once
    asked: list[str] = []
    event.listen(
        floor.office.database.engine,
        "before_cursor_execute",
        lambda *told: asked.append(told[2]),
    )
    counts = []
    for name, station in ((WANDA, "B1"), (WALT, SECOND_STATION)):
        floor.open_drawer(floor.signed_in(name, station))
        asked.clear()
        seen = see_floor(floor.office, sue)
        counts.append((len(seen.drawers), len(asked)))
    (_, few), (_, many) = counts
    assert [drawers for drawers, _ in counts] == [1, 2]
    assert few == many, asked
