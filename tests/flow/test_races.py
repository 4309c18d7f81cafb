"""Two who act at the same time, in threads with connections of their own.

Nothing here is left to luck: one of the two is held up at a place where it matters, until the other
is done or is seen to wait for it. That the place matters is shown by taking the lock away.
"""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from hashlib import sha256
from itertools import count
from threading import Event, Lock

import pytest
from sqlalchemy import event

from app.audit.books import check_books
from app.audit.tags import Tag
from app.flow import drawer as drawer_stage
from app.flow import pay as pay_stage
from app.flow.access import (
    Approval,
    Credentials,
    at_console,
    disable_staff,
    enrol_station,
    sign_in,
)
from app.flow.approvals import approve_payment
from app.flow.asking import Answer
from app.flow.close_day import close_day
from app.flow.contact import Contact
from app.flow.cosign import cosign_log
from app.flow.draw import end_game
from app.flow.lockout import lock_game
from app.flow.pay import Paying, pay_ticket
from app.flow.permissions import Permission
from app.flow.release import release_game
from app.flow.reprint import Again, reprint
from app.flow.sell import Sale
from app.flow.stop_sales import Thing, stop_sale
from app.flow.void import Voiding, void_ticket
from app.keno.drawer import Count
from app.keno.request import Request
from app.keno.tender import Tender, TenderKind
from app.rng_client import KeyedProcesses
from app.store.queries import tickets as ticket_queries
from app.store.records import games as game_records
from app.store.records import house as house_records
from app.store.records import money as money_records
from app.store.records import paper as paper_records
from app.store.records import tickets as ticket_records
from app.store.tables import Role
from app.store.unit import Unit
from tests.depth import IS_PROOF
from tests.floor import (
    ADA,
    BANK,
    FIRST_STATION,
    MAX,
    SAM,
    SECOND_STATION,
    SUE,
    WALT,
    WANDA,
    Floor,
    dollar,
    secret_of,
)
from tests.flow.races import (
    ON_POSTGRESQL,
    MakePause,
    in_turn,
    outcome,
    pause,
    waiting,
)
from tests.looking import bodies, rows, write
from tests.story.settlement import frozen_floor
from tests.waiting import PATIENCE, until

__all__ = ["pause"]  # the fixture


STATIONS = 128 if IS_PROOF else 32
BOUND = 320  # sales, ten of each who sells, that may get in before a lockout takes effect

pytestmark = pytest.mark.both_engines


def faulty(floor: Floor) -> set[str]:
    """The checks of the books that find something."""
    signed = floor.books_keys
    with floor.office.database.reading() as connection:
        found = check_books(connection, *signed)
    return {name for name, faults in found.items() if faults}


def crew(floor: Floor, size: int) -> list[Credentials]:
    """Writers at stations of their own, each with an open drawer."""
    codes = {f"C{number}": f"Crew {number}" for number in range(1, size + 1)}
    secret = floor.office.hasher.hash("secret of the crew")
    founded = {"by": "founding", "time": bodies(floor, "HOUSE")[0]["time"]}
    with floor.office.unit() as unit:
        for code, name in codes.items():
            floor.enrolments = {**floor.enrolments, code: f"enrolment of {code}"}
            digest = _digest(floor.enrolments[code])
            house_records.add_station(unit, code, "booth", digest)
            house_records.add_staff(unit, name.upper(), name, Role.WRITER, secret)
            added = {"station": code, "change": "added", "location": "booth"}
            floor.office.log(unit, Tag.STATION, added)
            added = {"staff": name.upper(), "change": "added", "role": Role.WRITER.value}
            floor.office.log(unit, Tag.STAFF, added | founded)
        unit.commit()
    working = []
    for code, name in codes.items():
        token = floor.station(code)
        signed_in = sign_in(floor.office, token, name, "secret of the crew")
        working.append(Credentials(token, signed_in))
        floor.open_drawer(working[-1])
    return working


def _digest(enrolment: str) -> bytes:
    return sha256(enrolment.encode()).digest()


# ---- one request id ------------------------------------------------------------------------------


@pytest.mark.rule("X-ticket-exactly-once")
def test_many_sales_under_one_request_id_are_one_ticket(floor: Floor) -> None:
    wanda = floor.writing()
    with ThreadPoolExecutor(8) as threads:
        sales = [threads.submit(floor.sell, wanda, None, "clicked-eightfold") for _ in range(8)]
    answers = [sale.result() for sale in sales]
    assert answers == [answers[0]] * 8
    assert floor.sell(wanda)["number"] == 2
    floor.check_books()


@pytest.mark.rule("X-ticket-exactly-once")
def test_a_second_click_while_the_first_is_being_sold_is_the_same_ticket(
    floor: Floor, pause: MakePause
) -> None:
    wanda = floor.writing()
    before_commit = pause(Unit, "commit")
    click = partial(floor.sell, wanda, dollar(), "double-click")
    one, other = in_turn(floor, before_commit, click, click)
    assert one == other
    assert rows(floor, "SELECT number FROM ticket") == [(1,)]
    floor.check_books()


@pytest.mark.rule("X-ticket-exactly-once", "X-lock-server")
def test_a_second_click_that_comes_behind_the_lock_is_told_of_the_ticket(
    floor: Floor, pause: MakePause
) -> None:
    """Told that the game is locked, the writer would send a patron away whose ticket is sold."""
    wanda, sam = floor.writing(), floor.sam
    before_commit = pause(Unit, "commit")
    click = partial(floor.sell, wanda, replace(dollar(), first_game=1), "double-click")
    lock = partial(lock_game, floor.office, sam, "M")
    one, locked, other = in_turn(floor, before_commit, click, lock, click)
    assert isinstance(one, dict)
    assert (one["number"], locked) == (1, 1)
    assert other == one
    floor.check_books()


@pytest.mark.rule("X-ticket-exactly-once")
def test_a_second_click_on_void_is_the_same_void(floor: Floor, pause: MakePause) -> None:
    wanda = floor.writing()
    floor.sell(wanda)
    before_commit = pause(Unit, "commit")
    click = partial(floor.void, wanda, 1, floor.code(1), "double-click")
    one, other = in_turn(floor, before_commit, click, click)
    assert one == other
    assert isinstance(one, dict)
    floor.check_books()


@ON_POSTGRESQL  # on SQLite nobody looks while another writes
@pytest.mark.rule("X-ticket-exactly-once")
def test_a_second_click_that_finds_the_ticket_void_is_the_same_void(
    floor: Floor, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It looked for an answer before there was one, and at the ticket when it was void."""
    wanda = floor.writing()
    floor.sell(wanda)
    click = partial(floor.void, wanda, 1, floor.code(1), "double-click")
    share, first = Unit.share_series, Lock()

    def overtaken(unit: Unit, series: str) -> None:
        if first.acquire(blocking=False):
            answers.append(click())
        share(unit, series)

    answers: list[Answer] = []
    monkeypatch.setattr(Unit, "share_series", overtaken)
    assert click() == answers[0]
    floor.check_books()


@pytest.mark.rule("X-ticket-exactly-once", "X-drawer")
def test_a_second_click_on_opening_a_drawer_is_the_same_drawer(
    floor: Floor, pause: MakePause
) -> None:
    wanda = floor.signed_in(WANDA)
    before_commit = pause(Unit, "commit")
    click = partial(floor.open_drawer, wanda, BANK, "double-click")
    one, other = in_turn(floor, before_commit, click, click)
    assert one == other
    assert isinstance(one, dict)
    floor.check_books()


# ---- sale and void against the lock --------------------------------------------------------------


def without_locks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Take away what keeps sale and lockout apart."""
    for name in ("share_series", "lock_series"):
        monkeypatch.setattr(Unit, name, lambda _unit, _series: None)


@ON_POSTGRESQL
@pytest.mark.rule("X-lock-server")
def test_without_the_lock_on_the_series_a_ticket_would_be_sold_behind_the_lockout(
    floor: Floor, pause: MakePause, monkeypatch: pytest.MonkeyPatch
) -> None:
    wanda = floor.writing()
    without_locks(monkeypatch)
    after_the_look = pause(ticket_records, "next_number")
    with ThreadPoolExecutor(1) as threads:
        sale = threads.submit(floor.sell, wanda)
        assert after_the_look.reached.wait(PATIENCE)
        assert floor.lock() == 1
        after_the_look.go.set()
        assert sale.result(PATIENCE)["first_game"] == 1
    assert [body["tickets"] for body in bodies(floor, "LOCK")] == [0]
    assert {"locks", "sold files"} <= faulty(floor)


@ON_POSTGRESQL
@pytest.mark.rule("X-lock-server")
def test_without_the_lock_on_the_series_a_ticket_would_be_voided_behind_the_lockout(
    floor: Floor, pause: MakePause, monkeypatch: pytest.MonkeyPatch
) -> None:
    wanda = floor.writing()
    floor.sell(wanda)
    without_locks(monkeypatch)
    after_the_look = pause(ticket_queries, "tender_of")
    with ThreadPoolExecutor(1) as threads:
        void = threads.submit(floor.void, wanda, 1)
        assert after_the_look.reached.wait(PATIENCE)
        assert floor.lock() == 1
        after_the_look.go.set()
        assert void.result(PATIENCE)["number"] == 1
    assert [body["tickets"] for body in bodies(floor, "LOCK")] == [1]
    assert {"locks", "sold files"} <= faulty(floor)


@pytest.mark.rule("X-lock-server", "15.3(c)")
def test_a_lockout_waits_for_the_sale_that_came_first_and_counts_it(
    floor: Floor, pause: MakePause
) -> None:
    wanda, sam = floor.writing(), floor.sam
    after_the_look = pause(ticket_records, "next_number")
    lock = partial(lock_game, floor.office, sam, "M")
    sold, locked = in_turn(floor, after_the_look, partial(floor.sell, wanda), lock)
    assert isinstance(sold, dict)
    assert (sold["first_game"], locked) == (1, 1)
    assert [body["tickets"] for body in bodies(floor, "LOCK")] == [1]
    floor.check_books()


@pytest.mark.rule("X-sale-stop")
def test_a_stop_waits_for_the_sale_that_came_first_and_the_next_one_is_refused(
    floor: Floor, pause: MakePause
) -> None:
    wanda, walt, sam = floor.writing(), floor.writing(WALT, SECOND_STATION), floor.sam
    after_the_look = pause(ticket_records, "next_number")
    stop = partial(stop_sale, floor.office, sam, Thing(schedule="regular"), "it pays too much")
    sell = partial(floor.sell, wanda), partial(floor.sell, walt)
    sold, _, refused = in_turn(floor, after_the_look, sell[0], stop, sell[1])
    assert isinstance(sold, dict)
    assert (sold["number"], refused) == (1, "schedule.stopped")
    ((ticket,), (stopped,)) = rows(
        floor, "SELECT id FROM act WHERE tag IN ('TICKET', 'SALE-STOPPED') ORDER BY tag DESC"
    )
    assert ticket < stopped
    floor.check_books()


@pytest.mark.rule("X-lock-server", "15.3(c)")
def test_a_lockout_waits_for_the_void_that_came_first_and_does_not_count_its_ticket(
    floor: Floor, pause: MakePause
) -> None:
    wanda, sam = floor.writing(), floor.sam
    floor.sell(wanda)
    after_the_look = pause(ticket_queries, "tender_of")
    lock = partial(lock_game, floor.office, sam, "M")
    void, locked = in_turn(floor, after_the_look, partial(floor.void, wanda, 1), lock)
    assert isinstance(void, dict)
    assert (void["number"], locked) == (1, 1)
    assert [body["tickets"] for body in bodies(floor, "LOCK")] == [0]
    floor.check_books()


@pytest.mark.rule("X-lock-server", "15.3(c)")
def test_a_sale_that_comes_during_a_lockout_is_for_the_next_game(
    floor: Floor, pause: MakePause
) -> None:
    wanda, sam = floor.writing(), floor.sam
    in_the_lock = pause(game_records, "add_game")
    lock = partial(lock_game, floor.office, sam, "M")
    named = partial(floor.sell, wanda, replace(dollar(), first_game=1))
    locked, sold, refused = in_turn(floor, in_the_lock, lock, partial(floor.sell, wanda), named)
    assert isinstance(sold, dict)
    assert (locked, sold["first_game"], refused) == (1, 2, "game.locked")
    assert [body["tickets"] for body in bodies(floor, "LOCK")] == [0]
    floor.check_books()


@pytest.mark.rule("X-lock-server", "15.3(c)")
def test_a_void_that_comes_during_a_lockout_is_too_late(floor: Floor, pause: MakePause) -> None:
    wanda, sam = floor.writing(), floor.sam
    floor.sell(wanda)
    in_the_lock = pause(game_records, "add_game")
    void = partial(floor.void, wanda, 1, floor.code(1))
    outcomes = in_turn(floor, in_the_lock, partial(lock_game, floor.office, sam, "M"), void)
    assert outcomes == [1, "ticket.game_locked"]
    assert [body["tickets"] for body in bodies(floor, "LOCK")] == [1]
    floor.check_books()


@ON_POSTGRESQL
@pytest.mark.rule("15.5(b)")
def test_a_lockout_of_one_series_keeps_nobody_of_another_waiting(
    floor: Floor, pause: MakePause
) -> None:
    wanda, sam = floor.writing(), floor.sam
    in_the_lock = pause(game_records, "add_game")
    with ThreadPoolExecutor(1) as threads:
        locked = threads.submit(lock_game, floor.office, sam, "M")
        assert in_the_lock.reached.wait(PATIENCE)
        assert floor.sell(wanda, dollar("F"))["first_game"] == 100
        assert not locked.done()
        in_the_lock.go.set()
        assert locked.result(PATIENCE) == 1
    floor.check_books()


@pytest.mark.rule("15.5(d)")
def test_of_two_who_lock_at_once_one_locks_and_the_other_waits_for_the_draw(
    floor: Floor, pause: MakePause
) -> None:
    sam = floor.sam
    in_the_lock = pause(game_records, "add_game")
    lock = partial(lock_game, floor.office, sam, "M")
    assert in_turn(floor, in_the_lock, lock, lock) == [1, "game.previous_undrawn"]
    assert [body["game"] for body in bodies(floor, "LOCK")] == [1]
    floor.check_books()


# ---- one thing, two who want it ------------------------------------------------------------------


@pytest.mark.rule("15.4(e)-void")
def test_a_ticket_that_two_stations_void_at_once_is_voided_by_one(
    floor: Floor, pause: MakePause
) -> None:
    wanda, walt = floor.writing(), floor.writing(WALT, SECOND_STATION)
    floor.sell(wanda)
    code, before_commit = floor.code(1), pause(Unit, "commit")
    approved = Voiding(1, "patron moved on", code, Approval(SUE, secret_of(SUE)))
    elsewhere = partial(void_ticket, floor.office, walt, approved, "the-other-void")
    done, refused = in_turn(floor, before_commit, partial(floor.void, wanda, 1, code), elsewhere)
    assert isinstance(done, dict)
    assert refused == "ticket.already_void"
    assert rows(floor, "SELECT count(*) FROM print_job WHERE slip = 'void'") == [(1,)]
    floor.check_books()


@pytest.mark.rule("15.3(b)")
def test_a_coupon_that_two_stations_take_at_once_is_spent_once(
    floor: Floor, pause: MakePause
) -> None:
    wanda, walt = floor.writing(), floor.writing(WALT, SECOND_STATION)
    with_coupon = replace(dollar(), tender=(Tender(TenderKind.COUPON, 100, "C1"),))
    before_commit = pause(Unit, "commit")
    sold, refused = in_turn(
        floor,
        before_commit,
        partial(floor.sell, wanda, with_coupon),
        partial(floor.sell, walt, with_coupon),
    )
    assert isinstance(sold, dict)
    assert (sold["number"], refused) == (1, "coupon.spent")
    assert floor.sell(walt)["number"] == 2
    floor.check_books()


@pytest.mark.rule("15.3(b)")
@ON_POSTGRESQL
def test_whoever_waits_for_a_coupon_keeps_nobody_else_waiting(
    floor: Floor, pause: MakePause
) -> None:
    wanda, walt, (other,) = floor.writing(), floor.writing(WALT, SECOND_STATION), crew(floor, 1)
    with_coupon = replace(dollar(), tender=(Tender(TenderKind.COUPON, 100, "C1"),))
    first = floor.sell(wanda, with_coupon)["number"]
    before_commit = pause(Unit, "commit")
    with ThreadPoolExecutor(3) as threads:
        try:
            threads.submit(floor.void, wanda, first)
            assert before_commit.reached.wait(PATIENCE)
            again = threads.submit(floor.sell, walt, with_coupon)
            until(lambda: waiting(floor) == 1)
            assert threads.submit(floor.sell, other).result(PATIENCE)["number"] == 2
            assert not again.done()
        finally:
            before_commit.go.set()
        assert again.result(PATIENCE)["number"] == 3
    floor.check_books()


@pytest.mark.rule("X-ticket-gapless")
@pytest.mark.parametrize("card", [None, "CARD-1"])
def test_behind_its_number_a_sale_asks_for_nothing_more(floor: Floor, card: str | None) -> None:
    """Every other sale of the house waits from there on."""
    wanda = floor.writing()
    said: list[str] = []

    @event.listens_for(floor.office.database.engine, "before_cursor_execute")
    def note(_connection: object, _cursor: object, statement: str, *_: object) -> None:
        said.append(statement)

    floor.sell(wanda, replace(dollar(), contact=Contact("patron-1", card)))
    (counted,) = [place for place, each in enumerate(said) if each.startswith("UPDATE counter")]
    assert len(said[counted:]) > 1
    # PostgreSQL is given its rows in one statement: WITH act AS (INSERT ...
    assert {each.split()[0] for each in said[counted:]} <= {"UPDATE", "INSERT", "WITH"}


@pytest.mark.rule("X-drawer")
def test_of_two_who_open_a_drawer_at_one_station_one_gets_it(
    floor: Floor, pause: MakePause
) -> None:
    wanda, walt = floor.signed_in(WANDA), floor.signed_in(WALT)
    # Not before just any commit: that the verifier's secret was right is written down first.
    with_a_drawer = pause(drawer_stage, "add_rows")
    opened, refused = in_turn(
        floor,
        with_a_drawer,
        partial(floor.open_drawer, wanda, BANK, "of-wanda"),
        partial(floor.open_drawer, walt, BANK, "of-walt-s"),
    )
    assert isinstance(opened, dict)
    assert refused == "drawer.already_open"
    floor.check_books()


@pytest.mark.rule("X-drawer", "15.3(b)")
def test_of_two_sales_at_once_one_gets_the_last_change_in_the_drawer(
    floor: Floor, pause: MakePause
) -> None:
    """Change on chips is cash that was in the drawer before: two sales cannot both have it."""
    wanda = floor.signed_in(WANDA)
    floor.open_drawer(wanda, Count({TenderKind.CURRENCY: 100}))
    on_chips = replace(dollar(), tender=(Tender(TenderKind.CHIPS, 200),))
    sell = partial(floor.sell, wanda, on_chips)
    sold, refused = in_turn(floor, pause(ticket_records, "next_number"), sell, sell)
    assert isinstance(sold, dict)
    assert (sold["change_cents"], refused) == (100, "drawer.not_enough_cash")
    floor.check_books()


@pytest.mark.rule("X-drawer")
def test_a_close_waits_for_the_sale_that_came_first_and_expects_its_money(
    floor: Floor, pause: MakePause
) -> None:
    """Or what the patron paid would be in a drawer that nobody counts again."""
    wanda = floor.writing()
    ((drawer,),) = rows(floor, "SELECT id FROM drawer")
    in_the_sale = pause(ticket_records, "next_number")
    close = partial(floor.close_drawer, wanda, drawer, BANK, "end-of-shift")
    sold, closed = in_turn(floor, in_the_sale, partial(floor.sell, wanda), close)
    assert isinstance(sold, dict)
    assert isinstance(closed, dict)
    assert closed["over_short_cents"] == -100
    floor.check_books()


@pytest.mark.rule("X-drawer")
@pytest.mark.parametrize("act", ["sell", "void", "close"])
def test_whatever_comes_during_a_close_finds_no_drawer(
    floor: Floor, pause: MakePause, act: str
) -> None:
    wanda = floor.writing()
    floor.sell(wanda)
    ((drawer,),) = rows(floor, "SELECT id FROM drawer")
    acts = {
        "sell": partial(floor.sell, wanda),
        "void": partial(floor.void, wanda, 1, floor.code(1)),
        "close": partial(floor.close_drawer, wanda, drawer, Count({}), "closed-again"),
    }
    in_the_close = pause(money_records, "close_drawer")
    close = partial(floor.close_drawer, wanda, drawer, BANK, "end-of-shift")
    closed, refused = in_turn(floor, in_the_close, close, acts[act])
    assert isinstance(closed, dict)
    assert refused == ("drawer.wrong_state" if act == "close" else "drawer.not_open")
    floor.check_books()


@pytest.mark.rule("15.3(a)")
def test_of_two_who_use_an_enrolment_code_at_once_one_enrols(
    floor: Floor, pause: MakePause
) -> None:
    code = floor.enrolments[FIRST_STATION]
    before_it_is_used = pause(house_records, "enrol_station")
    enrol = partial(outcome, partial(enrol_station, floor.office, FIRST_STATION, code))
    with ThreadPoolExecutor(2) as threads:
        one = threads.submit(enrol)
        assert before_it_is_used.reached.wait(PATIENCE)
        other = threads.submit(enrol)
        until(lambda: other.done() or waiting(floor) == 1)
        before_it_is_used.go.set()
        tokens = [one.result(PATIENCE), other.result(PATIENCE)]
    assert tokens.count("station.wrong_enrolment") == 1
    (token,) = [str(each) for each in tokens if each != "station.wrong_enrolment"]
    assert sign_in(floor.office, token, WANDA, secret_of(WANDA))
    assert [body["station"] for body in bodies(floor, "ENROL")] == [FIRST_STATION]
    assert [body["code"] for body in bodies(floor, "REFUSED")] == ["station.wrong_enrolment"]
    floor.check_books()


@pytest.mark.rule("X-access-disable")
def test_of_two_administrators_who_disable_each_other_at_once_one_is_left(
    floor: Floor, pause: MakePause
) -> None:
    other = "Olga Other"
    with floor.office.unit() as unit:
        secret = floor.office.hasher.hash(secret_of(other))
        house_records.add_staff(unit, "OLGA", other, Role.ADMINISTRATOR, secret)
        unit.commit()
    ada, olga = floor.signed_in(ADA), floor.signed_in(other, SECOND_STATION)
    told = in_turn(
        floor,
        pause(house_records, "disable_staff"),
        partial(disable_staff, floor.office, ada, other),
        partial(disable_staff, floor.office, olga, ADA),
    )
    assert told == [None, "staff.disabled"]
    floor.signed_in(ADA)


# ---- many ----------------------------------------------------------------------------------------


@pytest.mark.rule("X-ticket-gapless", "15.4(c)")
def test_thirty_two_stations_that_sell_at_once_leave_no_gap_and_repeat_no_number(
    floor: Floor,
) -> None:
    writers, each = crew(floor, 32), 3

    def sell(writer: Credentials) -> list[int]:
        return [floor.sell(writer)["number"] for _ in range(each)]

    with ThreadPoolExecutor(32) as threads:
        numbers = [number for sold in threads.map(sell, writers) for number in sold]
    assert sorted(numbers) == list(range(1, 32 * each + 1))
    floor.check_books()


@pytest.mark.rule("X-ticket-gapless")
def test_sales_that_fail_among_many_leave_no_gap(floor: Floor) -> None:
    """A number is used only by a ticket: the spent coupon is found after the number was taken."""
    writers = crew(floor, 8)
    spent = replace(dollar(), tender=(Tender(TenderKind.COUPON, 100, "C1"),))

    def sell(writer: Credentials) -> list[object]:
        return [outcome(partial(floor.sell, writer, sale)) for sale in (dollar(), spent, dollar())]

    with ThreadPoolExecutor(8) as threads:
        outcomes = [each for all_of_one in threads.map(sell, writers) for each in all_of_one]
    numbers = sorted(answer["number"] for answer in outcomes if isinstance(answer, dict))
    assert outcomes.count("coupon.spent") == 7
    assert numbers == list(range(1, 18))
    floor.check_books()


@pytest.mark.rule("15.5(d)", "X-lock-server")
def test_a_lockout_takes_effect_while_many_stations_sell(floor: Floor) -> None:
    writers, sam = crew(floor, STATIONS), floor.sam
    begun, done, stop = Event(), Event(), Event()
    before: list[int] = []
    after: list[int] = []

    def serve(stations: list[Credentials]) -> int:
        for sold in count():
            if stop.is_set():
                return sold
            is_after = done.is_set()
            game = floor.sell(stations[sold % len(stations)])["first_game"]
            if is_after:
                after.append(game)
            elif not begun.is_set():
                before.append(game)
        raise AssertionError

    # As many threads as a large web server has, each for the stations that come to it.
    with ThreadPoolExecutor(32) as threads:
        try:
            sales = [threads.submit(serve, writers[place::32]) for place in range(32)]
            until(lambda: len(before) >= 32)
            begun.set()
            ((had,),) = rows(floor, "SELECT count(*) FROM ticket")
            locked = lock_game(floor.office, sam, "M")
            done.set()
            until(lambda: len(after) >= 32)
        finally:
            stop.set()
        sold = sum(sale.result(PATIENCE) for sale in sales)
    assert locked == 1
    assert set(before) == {1}
    assert set(after) == {2}
    ((live,),) = rows(floor, "SELECT count(*) FROM ticket WHERE first_game = 1")
    assert live - had <= BOUND
    assert [body["tickets"] for body in bodies(floor, "LOCK")] == [live]
    assert rows(floor, "SELECT count(*) FROM ticket") == [(sold,)]
    floor.check_books()


@pytest.mark.rule("X-lock-seal", "X-audit-log")
def test_two_series_that_are_locked_again_and_again_at_once_keep_one_log(floor: Floor) -> None:
    writers, sam = crew(floor, 4), floor.sam

    keyed = floor.office.keyed
    assert keyed is not None

    def lock(series: str) -> list[int]:
        locked = []
        for _ in range(5):
            locked.append(lock_game(floor.office, sam, series))
            end_game(floor.office, keyed, series, locked[-1])
        return locked

    def sell(writer: Credentials) -> None:
        for series in ("M", "F") * 5:
            floor.sell(writer, dollar(series, games=2))

    with ThreadPoolExecutor(6) as threads:
        locks = [threads.submit(lock, series) for series in ("M", "F")]
        sales = [threads.submit(sell, writer) for writer in writers]
        assert [each.result(PATIENCE) for each in locks] == [
            [1, 2, 3, 4, 5],
            [100, 101, 102, 103, 104],
        ]
        for sale in sales:
            sale.result(PATIENCE)
    floor.check_books()


@pytest.mark.rule("X-lock-seal", "X-audit-log")
def test_a_head_that_is_overtaken_on_its_way_to_the_inspector_is_covered_by_the_newer_one(
    floor: Floor, pause: MakePause
) -> None:
    keyed = floor.two_keys
    on_its_way = pause(KeyedProcesses, "cosign")
    with ThreadPoolExecutor(1) as threads:
        older = threads.submit(cosign_log, floor.office, keyed)
        assert on_its_way.reached.wait(PATIENCE)
        floor.sell(floor.writing())
        newer = cosign_log(floor.office, keyed)
        on_its_way.go.set()
        assert older.result(PATIENCE) == newer
    floor.check_books()


# ---- paying --------------------------------------------------------------------------------------


@ON_POSTGRESQL  # on SQLite there is one writer at a time
@pytest.mark.rule("15.6(a)", "X-pay-refusals")
def test_of_two_stations_that_pay_a_ticket_at_once_one_pays(floor: Floor, pause: MakePause) -> None:
    every = Request(tuple((n,) for n in range(1, 81)), "80/1 @ 1.00")
    wanda, walt = floor.writing(), floor.writing(WALT, SECOND_STATION)
    floor.sell(wanda, Sale("M", every, (Tender(TenderKind.CURRENCY, 8_000),)))
    floor.play()
    before_commit = pause(Unit, "commit")

    def paid_by(who: Credentials) -> Callable[[], object]:
        paying = Paying(1, floor.code(1))
        return partial(pay_ticket, floor.office, who, paying, floor.request_id())

    paid, refused = in_turn(floor, before_commit, paid_by(wanda), paid_by(walt))
    assert isinstance(paid, dict)
    assert refused == "ticket.already_paid"
    assert rows(floor, "SELECT count(*) FROM payout") == [(1,)]
    floor.check_books()


@ON_POSTGRESQL
@pytest.mark.rule("15.6(a)", "X-ticket-exactly-once")
def test_a_second_click_on_pay_is_the_same_payment_and_no_second_paper(
    floor: Floor, pause: MakePause
) -> None:
    """A paid ticket that is brought again is noted, which a double click must not be."""
    every = Request(tuple((n,) for n in range(1, 81)), "80/1 @ 1.00")
    wanda = floor.writing()
    floor.sell(wanda, Sale("M", every, (Tender(TenderKind.CURRENCY, 8_000),)))
    floor.play()
    before_commit = pause(Unit, "commit")
    click = partial(pay_ticket, floor.office, wanda, Paying(1, floor.code(1)), floor.request_id())
    one, other = in_turn(floor, before_commit, click, click)
    assert one == other
    assert rows(floor, "SELECT count(*) FROM payout") == [(1,)]
    assert bodies(floor, "REFUSED") == []
    floor.check_books()


def ticket_to_pay(floor: Floor, rate: str) -> tuple[Credentials, Credentials]:
    """Wanda and Walt with cash in their drawers; ticket 1 won sixty times its rate."""
    rich = Count({TenderKind.CURRENCY: 1_000_000})
    wanda, walt = floor.signed_in(WANDA), floor.signed_in(WALT, SECOND_STATION)
    for who in (wanda, walt):
        floor.open_drawer(who, rich)
    every = Request(tuple((n,) for n in range(1, 81)), f"80/1 @ {rate}")
    floor.sell(wanda, Sale("M", every, (Tender(TenderKind.CURRENCY, 1_000_000),)))
    floor.play()
    return wanda, walt


@ON_POSTGRESQL  # on SQLite there is one writer at a time
@pytest.mark.rule("15.6(b)", "15.4(c)")
def test_a_payment_waits_for_the_copy_that_is_being_made_and_needs_a_supervisor(
    floor: Floor, pause: MakePause
) -> None:
    """Or the patron is paid with one of two papers, and no supervisor looked at it."""
    wanda, walt = ticket_to_pay(floor, "1.00")
    floor.printer_at(FIRST_STATION)
    write(floor, "UPDATE queued_paper SET state = 'confirmed'")
    copies = partial(reprint, floor.office, wanda, Again("torn", ticket=1), floor.request_id())
    paying = Paying(1, floor.code(1))
    pays = partial(pay_ticket, floor.office, walt, paying, floor.request_id())
    being_made = pause(paper_records, "queue_copy")
    copied, refused = in_turn(floor, being_made, copies, pays)
    assert isinstance(copied, dict)
    assert (copied["copy"], refused) == (1, "approval.needed")
    assert rows(floor, "SELECT 1 FROM payout") == []
    floor.check_books()


@ON_POSTGRESQL
@pytest.mark.rule("15.6(b)", "15.6(a)")
def test_an_approval_waits_for_the_payment_that_came_first_and_is_refused(
    floor: Floor, pause: MakePause
) -> None:
    """Or an approval of a paid ticket lies there, given for nothing that was seen."""
    wanda, _ = ticket_to_pay(floor, "25.00")
    paying = Paying(1, floor.code(1), approval=Approval(SUE, secret_of(SUE)))
    pays = partial(pay_ticket, floor.office, wanda, paying, floor.request_id())
    sam = floor.signed_in(SAM, SECOND_STATION)
    approves = partial(approve_payment, floor.office, sam, 1, floor.request_id())
    being_paid = pause(pay_stage, "paid")
    paid, refused = in_turn(floor, being_paid, pays, approves)
    assert isinstance(paid, dict)
    assert (paid["win_cents"], refused) == (150_000, "ticket.already_paid")
    floor.check_books()


@ON_POSTGRESQL
@pytest.mark.rule("X-grade-twice", "X-recovery")
def test_of_two_who_release_a_game_at_once_one_does(
    floor: Floor, pause: MakePause, monkeypatch: pytest.MonkeyPatch
) -> None:
    frozen_floor(floor, monkeypatch)
    manager = at_console(floor.office, MAX, secret_of(MAX), Permission.GAME_RELEASE)
    sam, before_commit = floor.sam, pause(Unit, "commit")
    release = partial(release_game, floor.office, sam, manager, "M", 1, "looked into")
    assert in_turn(floor, before_commit, release, release) == [None, "game.not_frozen"]
    assert floor.grade(1) == "certified"
    floor.check_books()


def paid_to_one_card(floor: Floor) -> tuple[Callable[[], object], Callable[[], object]]:
    """Two stations that pay $1,200 each to the same player card."""
    every = Request(tuple((n,) for n in range(1, 81)), "80/1 @ 20.00")
    rich = Count({TenderKind.CURRENCY: 1_000_000})
    stations = (floor.signed_in(WANDA), floor.signed_in(WALT, SECOND_STATION))
    for who in stations:
        floor.open_drawer(who, rich)
        floor.sell(who, Sale("M", every, (Tender(TenderKind.CURRENCY, 160_000),)))
    floor.play()
    first, second = (
        partial(
            pay_ticket,
            floor.office,
            who,
            Paying(number, floor.code(number), contact=Contact("c-1", "P-77")),
            floor.request_id(),
        )
        for number, who in enumerate(stations, start=1)
    )
    return first, second


@ON_POSTGRESQL
@pytest.mark.rule("15.6(b)")
def test_without_the_lock_on_the_card_two_stations_would_pay_without_an_approval(
    floor: Floor, pause: MakePause, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Unit, "lock_patrons", lambda _unit, _names: None)
    first, second = paid_to_one_card(floor)
    before_commit = pause(Unit, "commit")
    with ThreadPoolExecutor(1) as threads:
        paying = threads.submit(first)
        assert before_commit.reached.wait(PATIENCE)
        second()
        before_commit.go.set()
        paying.result(PATIENCE)
    assert faulty(floor) == {"approvals", "contacts"}


@ON_POSTGRESQL  # on SQLite there is one writer at a time
@pytest.mark.rule("15.6(b)")
def test_of_two_stations_that_pay_one_card_at_once_the_second_needs_an_approval(
    floor: Floor, pause: MakePause
) -> None:
    first, second = paid_to_one_card(floor)
    paid, refused = in_turn(floor, pause(Unit, "commit"), first, second)
    assert isinstance(paid, dict)
    assert refused == "approval.needed"
    floor.check_books()


@ON_POSTGRESQL
@pytest.mark.rule("15.6(b)")
def test_whoever_is_paid_while_the_card_is_shown_elsewhere_waits_for_that(
    floor: Floor, pause: MakePause
) -> None:
    """What a contact was paid before it shows the card counts, as soon as it is shown."""
    first, second = paid_to_one_card(floor)
    wanda = floor.signed_in(WANDA)
    floor.sell(wanda, dollar())
    paying = Paying(1, floor.code(1), contact=Contact("c-9"))
    pay_ticket(floor.office, wanda, paying, floor.request_id())  # no card yet
    shows = partial(floor.sell, wanda, replace(dollar(), contact=Contact("c-9", "P-77")))
    shown, refused = in_turn(floor, pause(Unit, "commit"), shows, second)
    assert isinstance(shown, dict)
    assert refused == "approval.needed"
    assert outcome(first) == "ticket.already_paid"
    floor.check_books()


@ON_POSTGRESQL
@pytest.mark.rule("X-drawer")
def test_a_day_waits_for_the_drawer_that_is_being_opened_in_it(
    floor: Floor, pause: MakePause
) -> None:
    today = floor.moment[0].date()
    floor.pass_time(hours=12)  # the day ends before her shift does
    wanda = floor.signed_in(WANDA)
    opens = partial(floor.open_drawer, wanda)
    being_opened = pause(money_records, "open_drawer")

    def closes() -> object:
        floor.pass_time(hours=12)
        return close_day(floor.office, floor.sam, today)

    opened, refused = in_turn(floor, being_opened, opens, closes)
    assert isinstance(opened, dict)
    assert refused == "day.drawers_open"
