"""Whatever the floor does, in whatever order: a small model says what must come of it.

The model knows games, tickets, money and coupons, and nothing of how they are stored; after every
step the books must agree with themselves, and the house with the model.
"""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from app.flow.access import Credentials
from app.flow.look_up import look_up
from app.flow.plays import Changes
from app.flow.sell import Sale
from app.keno.drawer import Count
from app.keno.refusals import Refused
from app.keno.request import Request
from app.keno.tender import Tender, TenderKind
from tests.engines import ENGINES, floor_on
from tests.floor import BANK, FIRST_STATION, SECOND_STATION, WALT, WANDA, Floor
from tests.looking import rows

WRITERS = {WANDA: FIRST_STATION, WALT: SECOND_STATION}
FIRST_GAMES = {"M": 1, "F": 100}
BANK_CENTS = sum(BANK.cents.values())

writers = st.sampled_from(sorted(WRITERS))
series = st.sampled_from(sorted(FIRST_GAMES))
numbers = st.lists(st.integers(1, 80), min_size=1, max_size=8, unique=True)
races = st.integers(1, 4)


@dataclass
class Sold:
    """A ticket, as the model remembers it."""

    series: str
    first_game: int
    games: int
    rate_cents: int
    station: str
    sale: Sale
    request: str
    answer: dict[str, Any]
    coupon: str | None = None
    is_void: bool = False

    @property
    def price_cents(self) -> int:
        return self.games * self.rate_cents


@dataclass
class Model:
    """What must be true of the house."""

    open_games: dict[str, int] = field(default_factory=lambda: dict(FIRST_GAMES))
    tickets: list[Sold] = field(default_factory=list)
    drawers: dict[str, int] = field(default_factory=dict)  # what should be in each, by writer
    spent: set[str] = field(default_factory=set)

    def live(self, series: str, game: int) -> list[Sold]:
        return [
            ticket
            for ticket in self.tickets
            if ticket.series == series
            and not ticket.is_void
            and ticket.first_game <= game < ticket.first_game + ticket.games
        ]

    def may_void(self, ticket: Sold) -> str:
        """What a void with the code is answered: done, or the code of the refusal."""
        if ticket.is_void:
            return "ticket.already_void"
        is_open = ticket.first_game == self.open_games[ticket.series]
        return "done" if is_open else "ticket.game_locked"


class House(RuleBasedStateMachine):
    """A floor with two writers, driven by chance."""

    def __init__(self, fresh: Callable[[], Floor]) -> None:
        super().__init__()
        self.floor = fresh()
        self.model = Model()
        self.staff: dict[str, Credentials] = {
            name: self.floor.signed_in(name, station) for name, station in WRITERS.items()
        }
        self.drawers: dict[str, int] = {}
        self.coupons = count(1)
        # From an open drawer on, or most runs would end before much is sold.
        for name in WRITERS:
            opened = self.floor.open_drawer(self.staff[name])
            self.drawers[name], self.model.drawers[name] = opened["drawer"], BANK_CENTS

    def refused_with(self, act: Callable[[], object]) -> str:
        try:
            act()
        except Refused as no:
            (refusal,) = no.refusals
            return refusal.code
        return "done"

    # ---- drawers -------------------------------------------------------------------------------

    @rule(name=writers)
    def open(self, name: str) -> None:
        request = self.floor.request_id()

        def act() -> None:
            answer = self.floor.open_drawer(self.staff[name], BANK, request)
            self.drawers[name] = answer["drawer"]

        expected = "drawer.already_open" if name in self.model.drawers else "done"
        assert self.refused_with(act) == expected
        self.model.drawers.setdefault(name, BANK_CENTS)

    @precondition(lambda self: self.model.drawers)
    @rule(name=writers, over_cents=st.integers(-500, 500))
    def close(self, name: str, over_cents: int) -> None:
        if name not in self.model.drawers:
            return
        expected_cents = self.model.drawers.pop(name)
        counted = Count({TenderKind.CURRENCY: expected_cents + over_cents})
        answer = self.floor.close_drawer(self.staff[name], self.drawers[name], counted)
        assert answer["expected_cents"] == expected_cents
        assert answer["over_short_cents"] == over_cents

    # ---- sales ---------------------------------------------------------------------------------

    def sell(self, name: str, sale: Sale, games: int, rate_cents: int, coupon: str | None) -> None:
        request = self.floor.request_id()
        if name not in self.model.drawers:
            refused = self.refused_with(lambda: self.floor.sell(self.staff[name], sale, request))
            assert refused == "drawer.not_open"
            return
        answer = self.floor.sell(self.staff[name], sale, request)
        first_game = self.model.open_games[sale.series]
        sold = Sold(
            sale.series,
            first_game,
            games,
            rate_cents,
            WRITERS[name],
            sale,
            request,
            answer,
            coupon,
        )
        self.model.tickets.append(sold)
        assert answer["number"] == len(self.model.tickets)
        assert (answer["first_game"], answer["last_game"]) == (first_game, first_game + games - 1)
        assert answer["price_cents"] == sold.price_cents
        self.model.drawers[name] += 0 if coupon else sold.price_cents
        if coupon:
            self.model.spent.add(coupon)

    @rule(
        name=writers,
        series=series,
        spots=numbers,
        games=races,
        rate_cents=st.sampled_from([100, 150, 500]),
        kind=st.sampled_from([TenderKind.CURRENCY, TenderKind.CHIPS, TenderKind.COUPON]),
    )
    def sell_request(  # noqa: PLR0917  given by name
        self,
        name: str,
        series: str,
        spots: list[int],
        games: int,
        rate_cents: int,
        kind: TenderKind,
    ) -> None:
        rate = f"{rate_cents // 100}.{rate_cents % 100:02d}"
        request = Request(
            groups=(tuple(spots),), conditioning=f"1/{len(spots)} @ {rate}", games=games
        )
        coupon = f"C{next(self.coupons)}" if kind is TenderKind.COUPON else None
        tender = Tender(kind, games * rate_cents + (0 if coupon else 500), coupon)
        self.sell(name, Sale(series, request, (tender,)), games, rate_cents, coupon)

    @rule(name=writers, series=series, spots=st.integers(1, 12), games=races)
    def sell_quick_pick(self, name: str, series: str, spots: int, games: int) -> None:
        request = Request(
            groups=(), conditioning=f"1/{spots} @ 1.00", games=games, quick_pick=spots
        )
        self.sell(name, Sale(series, request, (Tender(TenderKind.COIN, 500),)), games, 100, None)

    @precondition(lambda self: self.model.tickets)
    @rule(name=writers, series=series, chosen=st.integers(0), games=races)
    def replay(self, name: str, series: str, chosen: int, games: int) -> None:
        old = chosen % len(self.model.tickets)
        rate_cents = self.model.tickets[old].rate_cents
        tender = (Tender(TenderKind.CURRENCY, games * rate_cents),)
        sale = Sale(series, Changes(games=games), tender, replay_of=old + 1)
        self.sell(name, sale, games, rate_cents, None)

    @precondition(lambda self: self.model.spent and self.model.drawers)
    @rule(chosen=st.integers(0))
    def spend_a_coupon_again(self, chosen: int) -> None:
        name, spent = next(iter(self.model.drawers)), sorted(self.model.spent)
        tender = Tender(TenderKind.COUPON, 100, spent[chosen % len(spent)])
        request = Request(groups=((1,),), conditioning="1/1 @ 1.00")
        sale = Sale("M", request, (tender,))
        assert self.refused_with(lambda: self.floor.sell(self.staff[name], sale)) == "coupon.spent"

    @precondition(lambda self: self.model.tickets)
    @rule(chosen=st.integers(0), changes=st.booleans())
    def ask_again(self, chosen: int, changes: bool) -> None:
        sold = self.model.tickets[chosen % len(self.model.tickets)]
        name = next(who for who, station in WRITERS.items() if station == sold.station)
        sale = replace(sold.sale, first_game=999) if changes else sold.sale
        if changes:
            refused = self.refused_with(
                lambda: self.floor.sell(self.staff[name], sale, sold.request)
            )
            assert refused == "request_id.other_content"
        else:
            assert self.floor.sell(self.staff[name], sale, sold.request) == sold.answer

    # ---- voids and locks -----------------------------------------------------------------------

    @precondition(lambda self: self.model.tickets)
    @rule(chosen=st.integers(0), with_code=st.booleans())
    def void(self, chosen: int, with_code: bool) -> None:
        number = chosen % len(self.model.tickets) + 1
        sold = self.model.tickets[number - 1]
        name = next(who for who, station in WRITERS.items() if station == sold.station)
        code = self.floor.code(number) if with_code else "0" * 25
        refused = self.refused_with(lambda: self.floor.void(self.staff[name], number, code))
        if name not in self.model.drawers:
            assert refused == "drawer.not_open"
            return
        expected = self.model.may_void(sold)
        if expected == "done" and not with_code:
            expected = "ticket.wrong_code"
        assert refused == expected
        if expected == "done":
            sold.is_void = True
            self.model.drawers[name] -= 0 if sold.coupon else sold.price_cents
            self.model.spent -= {sold.coupon or ""}

    @rule(series=series)
    def lock(self, series: str) -> None:
        game = self.model.open_games[series]
        live = self.model.live(series, game)
        assert self.floor.lock(series) == game
        self.model.open_games[series] += 1
        found = "SELECT tickets, handle_cents FROM game WHERE series = :series AND number = :number"
        ((tickets, handle_cents),) = rows(self.floor, found, series=series, number=game)
        assert (tickets, int(handle_cents)) == (len(live), sum(each.rate_cents for each in live))

    # ---- what always holds ---------------------------------------------------------------------

    @invariant()
    def the_books_are_clean(self) -> None:
        self.floor.check_books()

    @invariant()
    def the_house_is_as_the_model_says(self) -> None:
        found = rows(self.floor, "SELECT series, number FROM game WHERE state = 'open'")
        assert dict(found) == self.model.open_games
        voids = {number for (number,) in rows(self.floor, "SELECT ticket FROM void")}
        sold = enumerate(self.model.tickets, start=1)
        assert voids == {number for number, ticket in sold if ticket.is_void}
        drawers = rows(self.floor, "SELECT count(*) FROM drawer WHERE closed_at IS NULL")
        assert drawers == [(len(self.model.drawers),)]

    @precondition(lambda self: self.model.tickets)
    @invariant()
    def the_newest_ticket_stands_as_the_model_says(self) -> None:
        number = len(self.model.tickets)
        sold = self.model.tickets[-1]
        found = look_up(self.floor.office, self.staff[WANDA], number)
        now_open = self.model.open_games[sold.series]
        if sold.is_void:
            expected = "void"
        elif now_open == sold.first_game:
            expected = "open"
        else:
            is_over = now_open >= sold.first_game + sold.games
            expected = "not-decided" if is_over else "in-play"
        assert found["standing"] == expected


@pytest.fixture(params=ENGINES)
def fresh(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Callable[[], Floor]]:
    """A new house for each run of the machine."""
    made = count(1)
    with ExitStack() as stack:

        def new() -> Floor:
            stack.close()  # what the run before had
            folder = tmp_path / f"run-{next(made)}"
            folder.mkdir()
            return stack.enter_context(floor_on(request.param, request, folder))

        yield new


@pytest.mark.rule("X-audit-books", "X-ticket-gapless", "X-lock-server", "X-ticket-exactly-once")
def test_whatever_the_floor_does_the_books_agree_and_so_does_the_model(
    fresh: Callable[[], Floor],
) -> None:
    sold: list[int] = []

    class FreshHouse(House):
        def __init__(self) -> None:
            super().__init__(fresh)

        def teardown(self) -> None:
            sold.append(len(self.model.tickets))

    # A step costs a whole check of the books: few runs in `make test`, many in `make proof`.
    is_sqlite = fresh().office.database.is_sqlite
    share = 16 if is_sqlite else 33
    run_state_machine_as_test(
        FreshHouse,
        settings=settings(
            max_examples=settings().max_examples // share,
            stateful_step_count=30 if is_sqlite else 15,
            suppress_health_check=list(HealthCheck),
        ),
    )
    assert max(sold) > 0
