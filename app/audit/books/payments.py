"""Payments: never more than was won, never too early or too late, approved where they must be."""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from datetime import timedelta
from zoneinfo import ZoneInfo

from app.audit.books.stored import Stored
from app.audit.faults import Fault
from app.keno.amounts import Amount, amounts_on
from app.store.queries.books import StoredPayout, StoredTicket

OVER = ("certified", "void")


def check_payments(stored: Stored) -> Iterator[Fault]:
    """Each ticket was paid once at most, what it won, and on whose word (15.6, X-pay-refusals)."""
    in_contact: dict[tuple[int, str] | None, list[int]] = defaultdict(list)
    for payout in sorted(stored.payouts.values(), key=lambda each: each.entry):
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
        contact = stored.contacts.get(payout.entry)
        amounts = _amounts(stored, payout)
        counts = contact is not None and payout.cents >= amounts[Amount.ADDED_UP]
        before = in_contact[contact] if counts else []
        yield from _check_approved(
            payout, amounts, sum(c for c in before if c >= amounts[Amount.ADDED_UP])
        )
        if contact is not None:
            in_contact[contact].append(payout.cents)
        account = "drawer" if payout.paid_by == "cash" else "checks"
        moved = {leg.account: 0 for leg in stored.postings.get(payout.entry, [])}
        for leg in stored.postings.get(payout.entry, []):
            moved[leg.account] += leg.cents
        if moved.get("wins-payable") != payout.cents or account not in moved:
            yield Fault("payments", f"what ticket {number} was paid was not owed for it")
    for number, cents in stored.expiries.items():
        if cents != won_by(stored, stored.tickets[number]):
            yield Fault("payments", f"what expired of ticket {number} is not what it won")


def won_by(stored: Stored, ticket: StoredTicket) -> int:
    """Return what a ticket won in all of its games, after any sharing."""
    total = 0
    for game in range(ticket.first_game, stored.plays_until(ticket) + 1):
        settled = stored.settlements.get((ticket.series, game))
        if settled is None:
            continue
        shares = stored.shares.get(settled.attempt)
        _, cents = stored.wins.get(settled.attempt, {}).get(ticket.number, (0, 0))
        total += shares.get(ticket.number, 0) if shares else cents
    return total


def _state(stored: Stored, ticket: StoredTicket, number: int) -> str | None:
    game = stored.games.get((ticket.series, number))
    return None if game is None else game.state


def _check_time(stored: Stored, payout: StoredPayout, ticket: StoredTicket) -> Iterator[Fault]:
    """Not before the last game was certified, nor after the claim period, however it was counted.

    How long games were frozen is not counted here, so this finds only what is late beyond that.
    """
    last = stored.games.get((ticket.series, stored.plays_until(ticket)))
    if last is None or last.lock_entry is None or payout.entry < last.lock_entry:
        yield Fault("payments", f"ticket {ticket.number} was paid before its last game was locked")
        return
    games = range(ticket.first_game, ticket.last_game + 1)
    frozen = any((ticket.series, game) in stored.frozen for game in games)
    minutes = stored.cards[ticket.card].limits.claim_minutes
    locked_at = last.locked_at or payout.paid_at
    until = locked_at + timedelta(minutes=minutes)
    until = max(until, ticket.prints_expiry or until)
    came = min(payout.paid_at, stored.presented.get(ticket.number, payout.paid_at))
    if not frozen and came > until:
        yield Fault("payments", f"ticket {ticket.number} was paid after it expired")


def _amounts(stored: Stored, payout: StoredPayout) -> Mapping[Amount, int]:
    """Return the amounts of the day on which a ticket was paid."""
    day = payout.paid_at.astimezone(ZoneInfo(stored.time_zone)).date()
    return amounts_on(day, stored.amounts)


def _check_approved(
    payout: StoredPayout, amounts: Mapping[Amount, int], before_cents: int
) -> Iterator[Fault]:
    """From an amount on a supervisor approved, from another a manager; neither was the writer."""
    cents = before_cents + payout.cents
    needed = {
        "a supervisor": (Amount.APPROVAL, payout.approver),
        "a manager": (Amount.SECOND_TIER, payout.manager),
    }
    for who, (amount, by) in needed.items():
        if cents >= amounts[amount] and by is None:
            yield Fault("payments", f"ticket {payout.ticket} was paid without {who}")
        if by is not None and by == payout.staff:
            yield Fault("payments", f"ticket {payout.ticket} was approved by who paid it")
