"""Wins: graded again one by one, shared again, and owed as they should be."""

from collections import Counter
from collections.abc import Iterator
from hashlib import sha256

from app.audit.books.house import House
from app.audit.books.looks import Look, Thing
from app.audit.books.played import Played
from app.audit.books.stretch import Move, Stretch
from app.audit.faults import Fault
from app.keno.aggregate import game_limits, prorate
from app.keno.conditioning import Line
from app.keno.conditioning_text import read_set
from app.keno.grading import grade_game
from app.keno.money import rounded_cents
from app.keno.spots import mask_of
from app.keno.ticket import Ticket, TicketType
from app.store.queries.books import standing
from app.store.queries.books.rows import (
    StoredExpiry,
    StoredPayout,
    StoredSettlement,
    StoredTicket,
)

PAST_SETTLEMENT = ("settled", "certified", "frozen")


def wins() -> list[Look]:
    """What every ticket won is what its numbers caught, to the cent (15.3(e), X-grade-twice)."""
    owed = Owed()
    return [
        Look(Thing.GAME, check_wins),
        Look(Thing.GAME, owed.win),
        Look(Thing.PAYOUT, owed.pay),
        Look(Thing.EXPIRY, owed.expire),
        Look(Thing.MOVE, owed.move),
        Look(Thing.END, owed.check),
        Look(Thing.END, check_second_book),
    ]


def check_wins(played: Played, house: House) -> Iterator[Fault]:
    """A game past its settlement has one, which is what grading it again comes to."""
    game, settled, name = played.game, played.game.settled, played.name
    if (game.state in PAST_SETTLEMENT) and settled is None:
        yield Fault("wins", f"game {name} is {game.state} without a settlement")
    if settled is None:
        return
    if game.state in ("certified", "frozen") and settled.verdict != game.state:
        yield Fault("wins", f"game {name} is {game.state}, and its second grading says not")
    yield from _check_settled(played, settled, house)


def check_second_book(_: object, house: House) -> Iterator[Fault]:
    """What the second grader grades next is what the log sold (X-grade-twice)."""
    for number in standing.other_live_tickets(house.connection):
        yield Fault("wins", f"the second grader has another ticket {number} than was sold")


class Owed:
    """What was won, paid and expired in all, and what the accounts say of it."""

    def __init__(self) -> None:
        self._won = self._paid = self._expired = 0
        self._moved: Counter[str] = Counter()

    def win(self, played: Played, _: House) -> None:
        """Add what was won in a game."""
        self._won += 0 if played.game.settled is None else played.game.settled.paid_cents

    def pay(self, payout: StoredPayout, _: Stretch) -> None:
        """Add what was paid."""
        self._paid += payout.cents

    def expire(self, expiry: StoredExpiry, _: Stretch) -> None:
        """Add what expired."""
        self._expired += expiry.cents

    def move(self, move: Move, _: Stretch) -> None:
        """Add what an act moved."""
        for leg in move.legs:
            self._moved[leg.account] += leg.cents

    def check(self, _: object, __: House) -> Iterator[Fault]:
        """Hold the accounts against what was won, paid and expired."""
        payable = self._paid + self._expired - self._won
        balances = {"wins": self._won, "wins-payable": payable, "expired": -self._expired}
        for account, cents in balances.items():
            if self._moved[account] != cents:
                yield Fault("wins", f"{account} is not what was won, paid and expired")


def _check_settled(played: Played, settled: StoredSettlement, house: House) -> Iterator[Fault]:
    name, outcome, live = played.name, played.outcome, played.live
    if outcome is None or outcome.numbers is None:
        yield Fault("wins", f"game {name} is settled and was not drawn")
        return
    won = {}
    drawn = mask_of(outcome.numbers)
    for ticket in live:
        card = house.cards[ticket.card]
        graded = grade_game(_ticket(ticket), drawn, card)
        if graded.win_cents:
            uncut = rounded_cents(graded.win, card.limits.rounding)
            won[ticket.number] = (uncut, graded.win_cents)
    if played.wins != won:
        yield Fault("wins", f"the wins of {name} are not what its tickets caught")
        return
    limit, in_full = game_limits(house.cards[ticket.card].limits for ticket in live)
    cents = [cut for _, cut in won.values()]
    paid, shares = tuple(cents), {}
    if limit is not None and sum(cents) > limit:
        paid = prorate(cents, limit, in_full, [uncut for uncut, _ in won.values()])
        shares = dict(zip(won, paid, strict=True))
    if played.shares != shares:
        yield Fault("wins", f"the aggregate limit of {name} is not shared as it should be")
    digest = sha256()
    for (ticket_number, (uncut, cut)), pay in zip(won.items(), paid, strict=True):
        digest.update(f"{ticket_number} {uncut} {cut} {pay}\n".encode())
    handle = sum(ticket.price_per_game_cents for ticket in live)
    sums = (len(live), handle, len(won), sum(cents), sum(paid), digest.digest())
    if sums != settled.sums:
        yield Fault("wins", f"the sums of {name} are not those of its wins")


def _ticket(stored: StoredTicket) -> Ticket:
    lines = tuple(
        Line(
            line["spots"],
            line["ways"],
            line["rate_cents"],
            line["schedule"],
            tuple(read_set(name) for name in line.get("sets", ())),
        )
        for line in stored.play["lines"]
    )
    groups = tuple(mask_of(group) for group in stored.play["groups"])
    # Whatever its type, it is graded by counting its ways; settlement grades straight ones in bulk.
    return Ticket(TicketType.COMBINATION, groups, lines, stored.games, quick_pick=False)
