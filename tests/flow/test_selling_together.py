"""Sales that wait share a transaction: each is as if it were alone, and none can fail another."""

import json
import threading
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import partial
from itertools import count
from typing import Any
from unittest.mock import patch

import psycopg
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import Connection, text

from app.flow import sell_together
from app.flow.access import Credentials, sign_out
from app.flow.asking import Answer
from app.flow.contact import Contact
from app.flow.lockout import lock_game
from app.flow.office import Office
from app.flow.override import override_close
from app.flow.plays import Changes
from app.flow.sell import Sale, asking_to_sell, sell_ticket
from app.flow.sell_together import Customer, sell_to_party, sell_with_others
from app.flow.settle_act import settle_act
from app.flow.turns import PARTY_MAX, Turns
from app.keno.pricing import quote
from app.keno.rate_card import RateCard
from app.keno.refusals import Refused
from app.keno.request import Request
from app.keno.tender import Tender, TenderKind
from app.store.records import tickets as records
from app.store.records.money import hold_drawer_to_close
from app.store.unit import CommitUnknown, Unit
from tests.crashing import Act, killed_everywhere
from tests.floor import SECOND_STATION, WALT, Floor, dollar
from tests.looking import rows

pytestmark = pytest.mark.both_engines

FIVE, COUPON = Tender(TenderKind.CURRENCY, 500), Tender(TenderKind.COUPON, 100, "C-1")


def customer(floor: Floor, who: Credentials, sale: Sale, request: str | None = None) -> Customer:
    """One who waits in line."""
    return Customer(who, asking_to_sell(sale, request or floor.request_id()), sale)


def after(floor: Floor, answers: Sequence[Answer | None]) -> list[int]:
    """Check the books; return the numbers of the tickets that a party got."""
    floor.check_books()
    return [answer["number"] for answer in answers if answer is not None]


# ---- a party ------------------------------------------------------------------------------------


@pytest.mark.rule("X-recovery")
def test_nothing_is_sent_in_parts_that_a_frozen_process_could_stop_between(
    floor: Floor, monkeypatch: pytest.MonkeyPatch
) -> None:
    """To the server whoever stops within such a run is at work, and keeps what everybody needs."""

    def never(*_: object, **__: object) -> None:
        raise AssertionError("several statements were sent as one")

    monkeypatch.setattr(psycopg.Cursor, "executemany", never)
    wanda, walt = floor.writing(), floor.writing(WALT, SECOND_STATION)
    party = [customer(floor, who, dollar(games=2)) for who in (wanda, walt, wanda, walt)]
    assert after(floor, sell_to_party(floor.office, party)) == [1, 2, 3, 4]
    floor.play()
    floor.check_books()


@pytest.mark.rule("X-ticket-gapless", "X-ticket-exactly-once", "15.4(c)")
def test_a_party_gets_its_tickets_in_the_order_in_which_it_stood(floor: Floor) -> None:
    wanda, walt = floor.writing(), floor.writing(WALT, SECOND_STATION)
    party = [customer(floor, who, dollar()) for who in (wanda, walt, wanda, walt)]
    assert after(floor, sell_to_party(floor.office, party)) == [1, 2, 3, 4]
    # Whoever served the party has found out who sells to each: their own lines say so.
    assert [(each.about["station"], each.about["staff"]) for each in party] == [
        ("B1", "WANDA"),
        ("B2", "WALT"),
    ] * 2
    assert floor.sell(wanda)["number"] == 5
    told = rows(floor, "SELECT body FROM log_entry WHERE tag = 'TICKET' ORDER BY id")
    assert [json.loads(body)["number"] for (body,) in told] == [1, 2, 3, 4, 5]
    stations = rows(floor, "SELECT station FROM ticket ORDER BY number")
    assert stations[0] == stations[2] != stations[1] == stations[3]


@pytest.mark.rule("X-ticket-exactly-once")
def test_whoever_cannot_be_sold_to_just_like_that_is_left_out_and_fails_nobody(
    floor: Floor,
) -> None:
    wanda, walt = floor.writing(), floor.writing(WALT, SECOND_STATION)
    sam = floor.signed_in("Sam Super", SECOND_STATION)
    answered = floor.request_id()
    floor.sell(wanda, request=answered)
    twice = floor.request_id()
    patron, carded = Contact("p-1"), Contact("p-2", "CARD-1")
    floor.sell(wanda, replace(dollar(), contact=carded))
    plain = dollar()
    assert isinstance(plain.request, Request)
    party = [
        customer(floor, wanda, plain),
        customer(floor, wanda, replace(plain, tender=(Tender(TenderKind.CURRENCY, 1),))),
        customer(floor, wanda, replace(plain, first_game=7)),
        customer(floor, sam, plain),
        customer(floor, Credentials(wanda.station, "nobody"), plain),
        customer(floor, Credentials(walt.station, wanda.token), plain),
        customer(floor, wanda, plain, answered),
        customer(floor, walt, plain, twice),
        customer(floor, walt, plain, twice),
        customer(floor, walt, replace(plain, contact=patron)),
        customer(floor, walt, replace(plain, contact=patron)),
        customer(floor, wanda, replace(plain, contact=replace(carded, player_card=None))),
        customer(floor, wanda, replace(plain, contact=Contact("not a name"))),
        customer(floor, wanda, replace(plain, request=Changes(), replay_of=99)),
        customer(floor, wanda, replace(plain, request=replace(plain.request, conditioning="1/5"))),
        customer(floor, walt, plain),
    ]
    got = sell_to_party(floor.office, party)
    assert [place for place, answer in enumerate(got) if answer is not None] == [0, 7, 9, 15]
    assert after(floor, got) == [3, 4, 5, 6]


@pytest.mark.rule("15.4(c)", "X-pay-cash-log")
@settings(
    max_examples=6, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    seed=st.lists(
        st.tuples(st.integers(1, 4), st.booleans(), st.booleans()), min_size=2, max_size=4
    )
)
def test_a_ticket_sold_with_others_is_the_ticket_sold_alone(
    floor: Floor, seed: list[tuple[int, bool, bool]]
) -> None:
    if not rows(floor, "SELECT id FROM drawer"):
        floor.stations["wanda"] = floor.writing().token or ""
    wanda = Credentials(floor.station("B1"), floor.stations["wanda"])
    fresh = floor.request_id()
    sales = [
        replace(
            dollar(games=games),
            request=Changes() if replays else dollar(games=games).request,
            replay_of=1 if replays else None,
            contact=Contact(f"{fresh}.{place}") if met else None,
            tender=(Tender(TenderKind.CURRENCY, 2000),),
        )
        for place, (games, met, replays) in enumerate(seed)
    ]
    first = floor.sell(wanda)["number"] + 1
    answers = sell_to_party(floor.office, [customer(floor, wanda, sale) for sale in sales])
    assert None not in answers
    second = first + len(sales)
    for sale in sales:
        # The same patron again, by another name: what passed before counts.
        contact = sale.contact and Contact(f"{sale.contact.id}.again")
        floor.sell(wanda, replace(sale, contact=contact))
    floor.check_books()
    for place in range(len(sales)):
        assert left_by(floor, first + place) == left_by(floor, second + place)


OWN = {
    "number", "sold_at", "expires_at", "prints_expiry", "request", "request_id", "entry", "id",
    "ticket", "job", "payload", "contact", "printed_number", "salt", "leaf",
}  # fmt: skip
LEFT = (
    "SELECT * FROM ticket WHERE entry = :entry",
    "SELECT * FROM tender WHERE ticket = :number ORDER BY place",
    "SELECT * FROM posting WHERE entry = :entry ORDER BY place",
    "SELECT * FROM print_job WHERE entry = :entry",
    "SELECT * FROM queued_paper WHERE entry = :entry",
    "SELECT * FROM contact_act WHERE entry = :entry",
)


def left_by(floor: Floor, number: int) -> list[Any]:
    """What a sale left behind, but for its number, its time, its request and its contact's name."""
    ((entry, request),) = rows(
        floor, "SELECT entry, request FROM ticket WHERE number = :number", number=number
    )
    named = {"entry": entry, "number": number}
    left: list[Any] = [named_rows(floor, query, **named) for query in LEFT]
    assert all(left[:-1])
    ((tag, body),) = rows(floor, "SELECT tag, body FROM log_entry WHERE id = :entry", entry=entry)
    said = json.loads(body)
    ((answer,),) = rows(floor, "SELECT answer FROM asked WHERE request = :id", id=request)
    kept = json.loads(answer) if isinstance(answer, str) else answer
    told = said.get("contact", {})
    return [*left, tag, *(kept_of(each) for each in (said, kept, told))]


def kept_of(row: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in row.items() if name not in OWN}


def named_rows(floor: Floor, statement: str, **values: object) -> list[dict[str, Any]]:
    with floor.office.database.reading() as connection:
        return [
            kept_of({str(name): value for name, value in row.items()})
            for row in connection.execute(text(statement), values).mappings()
        ]


# ---- failures -----------------------------------------------------------------------------------


@pytest.mark.rule("X-recovery", "X-ticket-exactly-once", "X-ticket-gapless")
def test_a_party_that_dies_anywhere_is_sold_to_as_a_whole_or_not_at_all(floor: Floor) -> None:
    wanda = floor.writing()

    def prepare() -> Act:
        contact = Contact(floor.request_id())
        party = [
            customer(floor, wanda, dollar()),
            customer(floor, wanda, replace(dollar(), contact=contact)),
        ]

        def asked(here: Floor) -> None:
            got = sell_to_party(here.office, party)
            # Asked again, what was answered is left out: each is told so alone.
            assert [answer is None for answer in got] in ([True, True], [False, False])

        return asked

    def parties() -> int:
        ((sold,),) = rows(floor, "SELECT count(*) FROM ticket")
        assert sold % 2 == 0
        return int(sold) // 2

    assert killed_everywhere(floor, prepare, parties).places > 8


@pytest.mark.rule("X-recovery", "X-ticket-exactly-once")
def test_a_commit_of_which_nobody_knows_is_looked_for_by_each(floor: Floor) -> None:
    wanda = floor.writing()
    commit = Unit.commit
    lost = count()

    def lost_answer(unit: Unit) -> None:
        commit(unit)
        if next(lost) == 0:
            raise CommitUnknown

    with patch.object(Unit, "commit", lost_answer):
        answers = line_up(floor, [(wanda, dollar(), floor.request_id()) for _ in range(3)])
    assert sorted(answer["number"] for answer in answers) == [1, 2, 3]
    floor.check_books()


@pytest.mark.rule("X-ticket-exactly-once")
@pytest.mark.parametrize("floor", ["postgresql"], indirect=True)  # there others can hold rows
@pytest.mark.parametrize("held", ["drawer", "patron"])
def test_whoever_is_held_by_another_act_keeps_nobody_else_waiting(floor: Floor, held: str) -> None:
    wanda, walt = floor.writing(), floor.writing(WALT, SECOND_STATION)
    named = replace(dollar(), contact=Contact("p-1"))
    party = [customer(floor, wanda, dollar()), customer(floor, walt, named)]
    drawer, station = rows(floor, "SELECT id, station FROM drawer ORDER BY id")[-1]
    with floor.office.unit() as other:
        if held == "drawer":
            assert hold_drawer_to_close(other, drawer)
        else:
            other.lock_patrons([f"contact/{station}/p-1"])
        answers = sell_to_party(floor.office, party)
    assert [answer is None for answer in answers] == [False, True]
    assert after(floor, answers) == [1]
    assert floor.sell(walt, named)["number"] == 2


@pytest.mark.rule("X-ticket-exactly-once")
@pytest.mark.parametrize("floor", ["postgresql"], indirect=True)  # else nobody can come in between
def test_whose_request_is_settled_while_a_party_waits_is_left_out_of_it(floor: Floor) -> None:
    wanda, walt = floor.writing(), floor.writing(WALT, SECOND_STATION)
    party = [customer(floor, who, dollar()) for who in (wanda, walt) * 3]
    take = records.next_numbers

    def settled_meanwhile(unit: Unit, count: int) -> tuple[int, datetime]:
        with patch("app.store.records.tickets.next_numbers", take):
            assert not settle_act(floor.office, wanda, party[0].asked.request)["done"]
        return take(unit, count)

    with patch("app.store.records.tickets.next_numbers", settled_meanwhile):
        answers = sell_to_party(floor.office, party)
    assert answers[0] is None
    assert after(floor, answers) == [1, 2, 3, 4, 5]


@pytest.mark.rule("X-recovery")
def test_a_sale_that_meets_a_defect_fails_nobody_else(floor: Floor) -> None:
    wanda = floor.writing()
    party = [customer(floor, wanda, dollar(games=number)) for number in (1, 2, 3)]

    def broken(request: Request, card: RateCard) -> Any:  # noqa: ANN401  whatever it returns
        if request.games == 2:
            raise KeyError("a defect")
        return quote(request, card)

    with patch.object(sell_together, "quote", broken):
        answers = sell_to_party(floor.office, party)
    assert [answer is None for answer in answers] == [False, True, False]
    assert after(floor, answers) == [1, 2]


@pytest.mark.rule("X-recovery", "X-ticket-exactly-once")
@pytest.mark.parametrize("sell", [sell_ticket, sell_with_others])
def test_what_may_have_been_sold_is_not_refused_to_whoever_was_signed_out_since(
    floor: Floor, sell: Callable[[Office, Credentials, Sale, str], Answer]
) -> None:
    """A refusal says that nothing was done. The station asks again, and settles the act."""
    wanda, request = floor.writing(), floor.request_id()
    commit, reading = Unit.commit, floor.office.database.reading
    lost: list[Unit] = []

    def lost_answer(unit: Unit) -> None:
        commit(unit)
        lost.append(unit)
        raise CommitUnknown

    def behind_it(*, at_length: bool = False) -> AbstractContextManager[Connection]:
        if lost:
            lost.clear()
            with patch.object(Unit, "commit", commit):
                sign_out(floor.office, wanda)
        return reading(at_length=at_length)

    with (
        patch.object(Unit, "commit", lost_answer),
        patch.object(floor.office.database, "reading", behind_it),
        pytest.raises(CommitUnknown),
    ):
        sell(floor.office, wanda, dollar(), request)
    assert rows(floor, "SELECT number FROM ticket") == [(1,)]
    floor.check_books()


@pytest.mark.rule("X-ticket-exactly-once")
def test_a_commit_that_was_not_done_is_told_as_unknown_and_asked_again(floor: Floor) -> None:
    wanda = floor.writing()
    requests = [floor.request_id() for _ in range(2)]

    def not_done(_: Unit) -> None:
        raise CommitUnknown

    with patch.object(Unit, "commit", not_done), pytest.raises(CommitUnknown):
        line_up(floor, [(wanda, dollar(), request) for request in requests])
    again = line_up(floor, [(wanda, dollar(), request) for request in requests])
    assert sorted(answer["number"] for answer in again) == [1, 2]
    floor.check_books()


@pytest.mark.rule("15.3(b)", "X-lock-server")
def test_a_game_that_closes_while_numbers_are_waited_for_is_sold_to_none_of_them(
    floor: Floor,
) -> None:
    wanda, sam = floor.writing(), floor.sam
    override_close(floor.office, sam, "M", 1, floor.moment[0] + timedelta(minutes=2), "a test")
    taken = records.next_numbers

    def waited(unit: Unit, count: int) -> tuple[int, datetime]:
        floor.pass_time(minutes=3)
        return taken(unit, count)

    with patch("app.store.records.tickets.next_numbers", waited):
        answers = line_up(floor, [(wanda, dollar(), floor.request_id()) for _ in range(3)])
    assert [answer["code"] for answer in answers] == ["game.closed"] * 3
    assert rows(floor, "SELECT count(*) FROM ticket") == [(0,)]


@pytest.mark.rule("X-pay-cash-log")
def test_a_day_that_ends_while_numbers_are_waited_for_counts_in_the_right_day(
    floor: Floor,
) -> None:
    floor.moment[0] = datetime(2026, 11, 17, 10, 59, 59, tzinfo=UTC)
    wanda = floor.writing()
    taken = records.next_numbers

    def waited(unit: Unit, count: int) -> tuple[int, datetime]:
        floor.moment[0] = max(floor.moment[0], datetime(2026, 11, 17, 11, 0, tzinfo=UTC))
        return taken(unit, count)

    sales = [replace(dollar(), contact=Contact(f"late-{place}")) for place in range(2)]
    with patch("app.store.records.tickets.next_numbers", waited):
        line_up(floor, [(wanda, sale, floor.request_id()) for sale in sales])
    days = rows(floor, "SELECT gaming_day FROM contact_act")
    assert [str(day) for (day,) in days] == ["2026-11-17"] * 2
    floor.check_books()


# ---- lines --------------------------------------------------------------------------------------


def line_up(floor: Floor, wanted: Sequence[tuple[Credentials, Sale, str]]) -> list[Answer]:
    """Have everybody stand in line behind a sale that takes its time; return what each is told."""
    gathered, office = threading.Event(), floor.office

    def told(each: tuple[Credentials, Sale, str]) -> Answer:
        try:
            return sell_with_others(office, *each)
        except Refused as no:
            return {"code": no.refusals[0].code}

    with ThreadPoolExecutor(len(wanted) + 1) as threads:
        holding = threads.submit(office.selling.wait, "M", None, lambda _: [gathered.wait(300)])
        while "M" not in office.selling._lines:  # noqa: SLF001  it is served first
            threading.Event().wait(0.001)
        waiting = [threads.submit(told, each) for each in wanted]
        while in_line(office) < len(wanted):
            threading.Event().wait(0.001)
        gathered.set()
        holding.result()
        return [each.result() for each in waiting]


def in_line(office: Office) -> int:
    return sum(len(line) for line in office.selling._lines.values())  # noqa: SLF001  to be sure


@pytest.mark.rule("X-ticket-gapless", "X-lock-server")
def test_thirty_stations_sell_through_a_lockout_and_nothing_is_lost_or_late(floor: Floor) -> None:
    people = [floor.writing(), floor.writing(WALT, SECOND_STATION)]
    sold: list[Answer] = []
    is_over = threading.Event()

    def station(place: int) -> None:
        for turn in count():
            request = f"station-{place}-{turn}"
            sold.append(sell_with_others(floor.office, people[place % 2], dollar(), request))
            if is_over.is_set():
                return

    with ThreadPoolExecutor(30) as threads:
        running = [threads.submit(station, place) for place in range(30)]
        while len(sold) < 40:
            threading.Event().wait(0.005)
        lock_game(floor.office, floor.sam, "M")
        ((tickets,),) = rows(floor, "SELECT tickets FROM game WHERE series = 'M' AND number = 1")
        is_over.set()
        for each in running:
            each.result()
    numbers = sorted(answer["number"] for answer in sold)
    assert numbers == list(range(1, len(numbers) + 1))
    assert sum(answer["first_game"] == 1 for answer in sold) == tickets
    floor.check_books()


def test_whoever_comes_alone_is_served_alone_and_at_once(floor: Floor) -> None:
    wanda = floor.writing()
    with patch("app.flow.sell_together.sell_to_party", side_effect=AssertionError):
        assert sell_with_others(floor.office, wanda, dollar(), floor.request_id())["number"] == 1


def test_a_coupon_never_waits_in_line(floor: Floor) -> None:
    wanda = floor.writing()
    sale = replace(dollar(), tender=(COUPON, FIVE))
    with patch.object(Turns, "wait", side_effect=AssertionError):
        assert sell_with_others(floor.office, wanda, sale, floor.request_id())["number"] == 1


@pytest.mark.rule("X-pay-cash-log")
def test_a_sale_with_a_player_card_never_waits_in_line(floor: Floor) -> None:
    """A batch adds up the cash of one contact; a card counts over all stations."""
    wanda, walt = floor.writing(), floor.writing(WALT, SECOND_STATION)
    sale = replace(dollar(), contact=Contact("p-1", "CARD-1"))
    with patch.object(Turns, "wait", side_effect=AssertionError):
        first, second = (
            sell_with_others(floor.office, who, sale, floor.request_id())["contact"]
            for who in (wanda, walt)
        )
    assert (first["cash_in_cents"], second["cash_in_cents"]) == (100, 200)


def test_lines_are_served_in_order_in_parties_and_no_longer_than_need_be() -> None:
    turns = Turns()
    parties: list[list[int]] = []
    hold, far = threading.Event(), PARTY_MAX + 7

    def serve(party: Sequence[int]) -> list[int]:
        if not parties:
            hold.wait(300)
        parties.append(list(party))
        return [2 * each for each in party]

    with ThreadPoolExecutor(far + 1) as threads:
        got = []
        for place in range(far + 1):
            got.append(threads.submit(partial(turns.wait, "M", place, serve)))
            while place and len(turns._lines["M"]) < place:  # noqa: SLF001  one after the other
                threading.Event().wait(0.001)
        assert turns.wait("F", 21, lambda party: [2 * each for each in party]) == 42
        hold.set()
        assert [each.result() for each in got] == [2 * place for place in range(far + 1)]
    assert parties == [[0], list(range(1, PARTY_MAX + 1)), list(range(PARTY_MAX + 1, far + 1))]
    assert turns._lines == {}  # noqa: SLF001  nothing stays behind


def test_a_party_whose_serving_fails_is_told_so_and_the_next_is_served() -> None:
    turns = Turns()

    def fails(_: Sequence[int]) -> list[int]:
        raise LookupError("no paper")

    with pytest.raises(LookupError, match="no paper"):
        turns.wait("M", 1, fails)
    assert turns.wait("M", 1, list) == 1
