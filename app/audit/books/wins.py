"""Wins: graded again one by one, shared again, and owed as they should be."""

from collections.abc import Iterator
from hashlib import sha256

from app.audit.books.stored import Stored
from app.audit.faults import Fault
from app.keno.aggregate import game_limits, prorate
from app.keno.conditioning import Line
from app.keno.conditioning_text import read_set
from app.keno.grading import grade_game
from app.keno.money import rounded_cents
from app.keno.spots import mask_of
from app.keno.ticket import Ticket, TicketType
from app.store.queries.books import StoredSettlement, StoredTicket

PAST_SETTLEMENT = ("settled", "certified", "frozen")


def check_wins(stored: Stored) -> Iterator[Fault]:
    """What every ticket won is what its numbers caught, to the cent (15.3(e), X-grade-twice)."""
    for (series, number), game in stored.games.items():
        settled = stored.settlements.get((series, number))
        name = f"{series}-{number}"
        if (game.state in PAST_SETTLEMENT) and settled is None:
            yield Fault("wins", f"game {name} is {game.state} without a settlement")
        if settled is None:
            continue
        verdict = stored.verdicts.get(settled.attempt)
        if game.state in ("certified", "frozen") and verdict != game.state:
            yield Fault("wins", f"game {name} is {game.state}, and its second grading says not")
        yield from _check_settled(stored, settled, series, number)
    won = sum(settled.paid_cents for settled in stored.settlements.values())
    paid = sum(payout.cents for payout in stored.payouts.values())
    expired = sum(expiry.cents for expiry in stored.expiries.values())
    balances = {"wins": won, "wins-payable": paid + expired - won, "expired": -expired}
    for account, cents in balances.items():
        moved = sum(
            leg.cents for legs in stored.postings.values() for leg in legs if leg.account == account
        )
        if moved != cents:
            yield Fault("wins", f"{account} is not what was won, paid and expired")


def _check_settled(
    stored: Stored, settled: StoredSettlement, series: str, number: int
) -> Iterator[Fault]:
    name = f"{series}-{number}"
    outcome = stored.outcomes.get((series, number))
    if outcome is None or outcome.numbers is None:
        yield Fault("wins", f"game {name} is settled and was not drawn")
        return
    live = sorted(stored.live(series, number), key=lambda ticket: ticket.number)
    won = {}
    for ticket in live:
        card = stored.cards[ticket.card]
        graded = grade_game(_ticket(ticket), mask_of(outcome.numbers), card)
        if graded.win_cents:
            uncut = rounded_cents(graded.win, card.limits.rounding)
            won[ticket.number] = (uncut, graded.win_cents)
    if stored.wins.get(settled.attempt, {}) != won:
        yield Fault("wins", f"the wins of {name} are not what its tickets caught")
        return
    limit, in_full = game_limits(stored.cards[ticket.card].limits for ticket in live)
    cents = [cut for _, cut in won.values()]
    paid, shares = tuple(cents), {}
    if limit is not None and sum(cents) > limit:
        paid = prorate(cents, limit, in_full, [uncut for uncut, _ in won.values()])
        shares = dict(zip(won, paid, strict=True))
    if stored.shares.get(settled.attempt, {}) != shares:
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
