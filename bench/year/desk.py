"""The counters of a shift: sales, voids, and payments in cash out of drawers that have it."""

from collections import Counter, deque
from collections.abc import Sequence
from datetime import date, datetime

from app.audit.tags import Tag
from app.flow.asking import Done
from app.flow.pay import Paying, Payment, asking_to_pay, paid
from app.flow.void import Voiding, asking_to_void, voided
from app.keno.amounts import amounts_on
from app.keno.drawer import CASH
from app.keno.rate_card import RateCard
from app.keno.spots import mask_of
from app.keno.tender import Tender, paid_in_kind
from app.keno.ticket import TicketType
from app.store.queries.games import OpenGame
from app.store.queries.people import Worker
from app.store.queries.tickets import TicketRow
from app.store.tables import Posting
from bench.year.explaining import Explaining
from bench.year.live import Live
from bench.year.log import YearLog
from bench.year.rows import Rows
from bench.year.sale import NO_CONTACT, Sales
from bench.year.wishes import Wish

CODE = "from the paper"  # that it was shown is all that is kept of a code
REPLAYABLE = 50


class Desk:
    """Writers with their drawers, and the tickets that go over their counters."""

    def __init__(
        self, log: YearLog, rows: Rows, house_name: str, code_key: int, card: RateCard
    ) -> None:
        self._log = log
        self._house = house_name
        self._explaining = Explaining(card)
        self._sales = Sales(log, rows, house_name, code_key, card.limits.claim_minutes)
        self._schedules = schedule_places(card)
        self.number = 0  # the last that was given
        self.contents: dict[int | None, Counter[str]] = {}
        self.before: deque[tuple[int, Wish]] = deque(maxlen=REPLAYABLE)

    def sell(self, who: Worker, game: OpenGame, series: str, wish: Wish, at: datetime) -> Live:
        """Sell a ticket."""
        self.number += 1
        inside, kind, form = self.contents[who.drawer], kind_of(wish.kind), wish.form
        cents = wish.cents
        if kind != "cash" and cents - form.price_cents > inside["cash"]:
            cents = form.price_cents  # just so: the drawer has no change for their chips
        sold = self._sales.write(self.number, who, game, series, wish, cents, at)
        inside[kind] += cents
        inside["cash"] -= cents - form.price_cents
        self.before.append((self.number, wish))
        row, play = sold.ticket, self._play(sold.ticket)
        return Live(row, (Tender(wish.kind, cents),), sold.body, play, row.last_game)

    def take_in(self, row: TicketRow, tender: tuple[Tender, ...], body: str) -> Live:
        """Return a ticket that the flow has sold, which then sees to it."""
        return Live(row, tender, body, self._play(row), row.last_game, by_flow=True)

    def _play(self, row: TicketRow) -> tuple[int, int, int] | None:
        """Return the play of a straight ticket: numbers, rate, place of the schedule."""
        if row.type != TicketType.STRAIGHT:
            return None
        (group,), (line,) = row.play["groups"], row.play["lines"]
        return mask_of(group), line["rate_cents"], self._schedules[line["schedule"]]

    def void(self, who: Worker, live: Live, at: datetime) -> bool:
        """Void a ticket whose game is open, if what it was paid with is in the drawer."""
        row = live.row
        back = paid_in_kind(live.tender, row.price_cents)
        if not self._has(who, back):
            return False
        voiding = Voiding(row.number, "the patron changed their mind", CODE)
        asked = asking_to_void(voiding, f"void-{row.number:09d}")
        done = voided(self._house, asked, voiding, who, row, back, None, NO_CONTACT, at)
        self._log.add(Tag.VOID, done.body, done.rows, at)
        self._move(done)
        return True

    def pay(self, who: Worker, live: Live, day: date, at: datetime) -> bool:
        """Pay a win in cash, if that is in the drawer."""
        claim = live.claim(amounts_on(day))
        if self.contents[who.drawer]["cash"] < claim.cents:
            return False
        paying = Paying(live.row.number, CODE)
        asked = asking_to_pay(paying, f"paid-{live.row.number:09d}")
        payment = Payment(claim, live.gradings, self._explaining.of(claim))
        done = paid(self._house, asked, paying, who, payment, at)
        self._log.add(Tag.PAID, done.body, done.rows, at)
        self._move(done)
        return True

    def _has(self, who: Worker, parts: Sequence[Tender]) -> bool:
        inside, needed = self.contents[who.drawer], Counter[str]()
        for part in parts:
            needed[kind_of(part.kind)] += part.cents
        return all(inside[kind] >= cents for kind, cents in needed.items())

    def _move(self, done: Done) -> None:
        """Note what an act moved in its drawer."""
        for table, values in done.rows:
            if table is Posting and values["kind"] is not None:
                inside = self.contents[values["drawer"]]  # type: ignore[index]
                inside[kind_of(str(values["kind"]))] += values["cents"]  # type: ignore[operator]


def kind_of(kind: str) -> str:
    """Return what counts together in a drawer: currency and coin do."""
    return "cash" if kind in CASH else kind


def schedule_places(card: RateCard) -> dict[str, int]:
    """Return the schedules of a card, each with its place for the bulk grader."""
    return {name: place for place, name in enumerate(sorted(card.schedules))}
