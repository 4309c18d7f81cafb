"""Payments: never more than was won, never too early or too late, out of the drawer they say."""

from collections import Counter
from collections.abc import Iterator
from datetime import datetime, timedelta

from app.audit.books.stored import Stored
from app.audit.faults import Fault
from app.store.queries.books import StoredExpiry, StoredPayout, StoredTicket

OVER = ("certified", "void")
PRECISION = timedelta(seconds=1)  # the log tells times in milliseconds, several of which add up


def check_payments(stored: Stored) -> Iterator[Fault]:
    """Each ticket was paid once at most, what it won, while it could be (15.6, X-pay-refusals)."""
    refunds = Counter(each.entry for each in stored.refunds)
    for payout in stored.payouts.values():
        number = payout.ticket
        ticket = stored.tickets[number]
        games = range(ticket.first_game, stored.plays_until(ticket) + 1)
        if number in stored.voids or number in stored.expiries:
            yield Fault("payments", f"ticket {number} was paid, and is void or expired")
        if any(_state(stored, ticket, game) not in OVER for game in games):
            yield Fault("payments", f"ticket {number} was paid before it was decided")
        if payout.cents != won_by(stored, ticket):
            yield Fault("payments", f"ticket {number} was not paid what it won")
        yield from _check_time(stored, payout, ticket)
        if not _is_moved(stored, payout, has_refund=bool(refunds[payout.entry])):
            yield Fault("payments", f"what ticket {number} was paid was not owed for it")
    for expiry in stored.expiries.values():
        yield from _check_expiry(stored, expiry)


def won_by(stored: Stored, ticket: StoredTicket) -> int:
    """Return what a ticket won in all of its games, after any sharing."""
    games = range(ticket.first_game, stored.plays_until(ticket) + 1)
    return sum(won_in(stored, ticket, game) for game in games)


def won_in(stored: Stored, ticket: StoredTicket, game: int) -> int:
    """Return what a ticket won in one game, after any sharing."""
    settled = stored.settlements.get((ticket.series, game))
    plays = ticket.first_game <= game <= stored.plays_until(ticket)
    if settled is None or not plays:
        return 0
    shares = stored.shares.get(settled.attempt)
    _, cents = stored.wins.get(settled.attempt, {}).get(ticket.number, (0, 0))
    return shares.get(ticket.number, 0) if shares else cents


def _state(stored: Stored, ticket: StoredTicket, number: int) -> str | None:
    game = stored.games.get((ticket.series, number))
    return None if game is None else game.state


def _is_moved(stored: Stored, payout: StoredPayout, *, has_refund: bool) -> bool:
    """Whether what was owed went out of the payer's drawer in currency, or by check.

    What goes back along with it for void games is looked at with the refunds.
    """
    moved: Counter[str] = Counter()
    for leg in stored.postings.get(payout.entry, []):
        moved[leg.account] += leg.cents
        if leg.account == "drawer" and (leg.drawer, leg.kind) != (payout.drawer, "currency"):
            return False
    by_check = payout.cents if payout.paid_by == "check" else 0
    owed = moved.pop("wins-payable", 0) == payout.cents and -moved.pop("checks", 0) == by_check
    if has_refund:
        return owed and set(moved) <= {"drawer", "coupons", "prepaid"}
    in_cash = payout.cents - by_check
    return owed and moved == ({"drawer": -in_cash} if in_cash else {})


def _check_time(stored: Stored, payout: StoredPayout, ticket: StoredTicket) -> Iterator[Fault]:
    """Not before the last game was locked, nor after the claim period; presented counts as paid."""
    last = stored.games.get((ticket.series, stored.plays_until(ticket)))
    if last is None or last.lock_entry is None or payout.entry < last.lock_entry:
        yield Fault("payments", f"ticket {ticket.number} was paid before its last game was locked")
        return
    came = min(payout.paid_at, stored.presented.get(ticket.number, payout.paid_at))
    if came > _claimed_until(stored, ticket, payout.paid_at) + PRECISION:
        yield Fault("payments", f"ticket {ticket.number} was paid after it expired")


def _check_expiry(stored: Stored, expiry: StoredExpiry) -> Iterator[Fault]:
    """What expired is what was won, when its time was over; nobody had come with it in time."""
    number, ticket = expiry.ticket, stored.tickets[expiry.ticket]
    if expiry.cents != won_by(stored, ticket):
        yield Fault("payments", f"what expired of ticket {number} is not what it won")
    games = range(ticket.first_game, stored.plays_until(ticket) + 1)
    if any(_state(stored, ticket, game) not in OVER for game in games):
        yield Fault("payments", f"ticket {number} expired before it was decided")
    until = _claimed_until(stored, ticket, expiry.expired_at)
    closes = [entry for entry in stored.tagged("DAY-CLOSE") if entry > expiry.entry]
    closing = stored.bodies[closes[0]]["day"] if closes else None
    early = abs(expiry.expired_at - until) > PRECISION
    if early or (closing and stored.day_of(until) > closing):
        yield Fault("payments", f"ticket {number} expired before its time")
    if number in stored.presented and stored.presented[number] <= until:
        yield Fault("payments", f"ticket {number} expired, and was presented in time")
    moved = {leg.account: leg.cents for leg in stored.postings.get(expiry.entry, [])}
    if moved != {"wins-payable": expiry.cents, "expired": -expiry.cents}:
        yield Fault("payments", f"what expired of ticket {number} is still owed")


def _claimed_until(stored: Stored, ticket: StoredTicket, now: datetime) -> datetime:
    """Return until when a ticket could be claimed: the time for which it was frozen is added."""
    last_game = stored.plays_until(ticket)
    last = stored.games.get((ticket.series, last_game))
    if last is None or last.locked_at is None:
        return now
    cancelled_at = stored.cancelled_at.get(ticket.number, last.locked_at)
    since = max(last.locked_at, cancelled_at)  # before that it could not be claimed
    spells = [
        (max(begin, since), end or now)
        for game in range(ticket.first_game, last_game + 1)
        for begin, end in stored.freezes.get((ticket.series, game), [])
    ]
    frozen, covered = timedelta(0), since
    for begin, end in sorted(spells):
        if end > covered:
            frozen += end - max(begin, covered)
            covered = end
    minutes = stored.cards[ticket.card].limits.claim_minutes
    until = since + timedelta(minutes=minutes) + frozen
    return max(until, ticket.prints_expiry or until)
