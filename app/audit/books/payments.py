"""Payments: never more than was won, never too early or too late, out of the drawer they say."""

from collections import Counter
from collections.abc import Iterator
from datetime import datetime, timedelta

from app.audit.books.looks import Look, Thing
from app.audit.books.stretch import Stretch
from app.audit.faults import Fault
from app.store.queries.books.rows import StoredExpiry, StoredGame, StoredPayout, StoredTicket

OVER = ("certified", "void")
LOST_LONGER = timedelta(days=30)  # a ticket that was reported lost in time can be paid
PRECISION = timedelta(seconds=1)  # the log tells times in milliseconds, several of which add up


def payments() -> list[Look]:
    """Each ticket was paid once at most, what it won, in time (15.6(a), X-pay-refusals)."""
    return [Look(Thing.PAYOUT, check_payout), Look(Thing.EXPIRY, check_expiry)]


def check_payout(payout: StoredPayout, stretch: Stretch) -> Iterator[Fault]:
    """A payment is of a ticket that could be paid, of what it won, as it says."""
    number = payout.ticket
    ticket = stretch.tickets[number]
    if number in stretch.voids or number in stretch.expiries:
        yield Fault("payments", f"ticket {number} was paid, and is void or expired")
    if not _is_decided(stretch, ticket):
        yield Fault("payments", f"ticket {number} was paid before it was decided")
    if payout.cents != _won_by(stretch, ticket):
        yield Fault("payments", f"ticket {number} was not paid what it won")
    yield from _check_time(stretch, payout, ticket)
    if not _is_moved(stretch, payout):
        yield Fault("payments", f"what ticket {number} was paid was not owed for it")


def check_expiry(expiry: StoredExpiry, stretch: Stretch) -> Iterator[Fault]:
    """What expired is what was won, when its time was over; nobody had come with it in time."""
    number, ticket, house = expiry.ticket, stretch.tickets[expiry.ticket], stretch.house
    if expiry.cents != _won_by(stretch, ticket):
        yield Fault("payments", f"what expired of ticket {number} is not what it won")
    if not _is_decided(stretch, ticket):
        yield Fault("payments", f"ticket {number} expired before it was decided")
    until = _claimed_until(stretch, ticket, expiry.expired_at)
    closing = house.closed_after(expiry.entry)
    early = abs(expiry.expired_at - until) > PRECISION
    if early or (closing and house.day_of(until) > closing):
        yield Fault("payments", f"ticket {number} expired before its time")
    if number in stretch.presented and stretch.presented[number] <= until:
        yield Fault("payments", f"ticket {number} expired, and was presented in time")
    moved = {leg.account: leg.cents for leg in stretch.legs(expiry.entry)}
    if moved != {"wins-payable": expiry.cents, "expired": -expiry.cents}:
        yield Fault("payments", f"what expired of ticket {number} is still owed")


def _won_by(stretch: Stretch, ticket: StoredTicket) -> int:
    """Return what a ticket won in all of its games, after any sharing."""
    return sum(stretch.won_in(ticket, game) for game in stretch.games_of(ticket))


def _is_decided(stretch: Stretch, ticket: StoredTicket) -> bool:
    games = stretch.games_of(ticket)
    return all(stretch.house.state_of((ticket.series, game)) in OVER for game in games)


def _is_moved(stretch: Stretch, payout: StoredPayout) -> bool:
    """Whether what was owed went out of the payer's drawer in currency, or by check.

    What goes back along with it for void games is looked at with the refunds.
    """
    moved: Counter[str] = Counter()
    for leg in stretch.legs(payout.entry):
        moved[leg.account] += leg.cents
        if leg.account == "drawer" and (leg.drawer, leg.kind) != (payout.drawer, "currency"):
            return False
    by_check = payout.cents if payout.paid_by == "check" else 0
    owed = moved.pop("wins-payable", 0) == payout.cents and -moved.pop("checks", 0) == by_check
    if payout.entry in stretch.refunds_at:
        return owed and set(moved) <= {"drawer", "coupons", "prepaid"}
    in_cash = payout.cents - by_check
    return owed and moved == ({"drawer": -in_cash} if in_cash else {})


def _check_time(stretch: Stretch, payout: StoredPayout, ticket: StoredTicket) -> Iterator[Fault]:
    """Not before the last game was locked, nor after the claim period; presented counts as paid."""
    last = stretch.house.games.get((ticket.series, stretch.plays_until(ticket)))
    if last is None or last.lock_entry is None or payout.entry < last.lock_entry:
        yield Fault("payments", f"ticket {ticket.number} was paid before its last game was locked")
        return
    came = min(payout.paid_at, stretch.presented.get(ticket.number, payout.paid_at))
    if came > _claimed_until(stretch, ticket, payout.paid_at) + PRECISION:
        yield Fault("payments", f"ticket {ticket.number} was paid after it expired")


def _claimed_until(stretch: Stretch, ticket: StoredTicket, now: datetime) -> datetime:
    """Return until when a ticket is paid: longer, if it was reported lost in time."""
    ends = claim_period_ends(stretch, ticket, now)
    losses = stretch.lost.get(ticket.number, ())
    return ends + LOST_LONGER if any(each.claimed_at <= ends for each in losses) else ends


def claim_period_ends(stretch: Stretch, ticket: StoredTicket, now: datetime) -> datetime:
    """Return until when a ticket could be claimed: the time for which it was frozen is added."""
    games = [stretch.house.games.get((ticket.series, game)) for game in stretch.games_of(ticket)]
    last = games[-1] if games else None
    if last is None or last.locked_at is None:
        return now
    cancelled = stretch.cancellation(ticket)
    # Before that it could not be claimed.
    since = last.locked_at if cancelled is None else max(last.locked_at, cancelled.at)
    spells = [
        (max(begin, since), end or now)
        for game in games
        for begin, end in _freezes(game)
    ]  # fmt: skip
    frozen, covered = timedelta(0), since
    for begin, end in sorted(spells):
        if end > covered:
            frozen += end - max(begin, covered)
            covered = end
    minutes = stretch.house.cards[ticket.card].limits.claim_minutes
    until = since + timedelta(minutes=minutes) + frozen
    return max(until, ticket.prints_expiry or until)


def _freezes(game: StoredGame | None) -> list[tuple[datetime, datetime | None]]:
    """Return from when until when a game was frozen; one that still is has no end."""
    spells: list[tuple[datetime, datetime | None]] = []
    for settled in game.settlements if game is not None else ():
        still = bool(spells) and spells[-1][1] is None
        if settled.verdict == "frozen" and not still and settled.judged_at is not None:
            spells.append((settled.judged_at, None))
        elif settled.verdict == "certified" and still:
            spells[-1] = (spells[-1][0], settled.judged_at)
    return spells
