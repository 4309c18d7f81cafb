"""Money between accounts: it adds up, and is where it belongs."""

from collections import Counter
from collections.abc import Iterator

from app.audit.books.stored import OPEN, Stored
from app.audit.faults import Fault
from app.store.queries.books import StoredRefund, StoredTicket


def check_money(stored: Stored) -> Iterator[Fault]:
    """Whatever an act moved adds up to zero, and is what the act is about."""
    for entry, legs in stored.postings.items():
        if sum(leg.cents for leg in legs) != 0:
            yield Fault("money", f"what entry {entry} moved does not add up to zero")
    for number, ticket in stored.tickets.items():
        if _moved(stored, ticket.entry, "prepaid") != -ticket.price_cents:
            yield Fault("money", f"ticket {number} did not make its price prepaid")
        into = Counter[str]()
        for part in stored.tender.get(number, []):
            into["coupons" if part.kind == "coupon" else part.kind] += part.cents
        into["currency"] -= ticket.tendered_cents - ticket.price_cents
        if _moved_by_kind(stored, ticket.entry) != {kind: c for kind, c in into.items() if c}:
            yield Fault("money", f"what ticket {number} was paid with is not where it belongs")
        if _drawers(stored, ticket.entry) - {ticket.drawer}:
            yield Fault("money", f"ticket {number} was paid for into a drawer that is not its own")
        if number in stored.voids:
            yield from _check_void(stored, number)
    for refund in stored.refunds:
        yield from _check_refund(stored, refund)
    yield from _check_balances(stored)


def _check_refund(stored: Stored, refund: StoredRefund) -> Iterator[Fault]:
    """What goes back is the price of games that were not played; a coupon's part is not cash."""
    ticket = stored.tickets[refund.ticket]
    games = _back(refund, ticket)
    if refund.cancelled_from is not None:
        lock = stored.locks.get((ticket.series, refund.cancelled_from))
        if lock is not None and refund.entry > lock:
            yield Fault("money", f"ticket {ticket.number} was cancelled behind a lock")
    else:
        game = stored.games.get((ticket.series, refund.void_game or 0))
        if game is None or game.state != "void":
            yield Fault("money", f"ticket {ticket.number} was refunded for a game that is not void")
    if refund.cents != len(games) * ticket.price_per_game_cents:
        yield Fault("money", f"what ticket {ticket.number} was refunded is not the price")
    together = [each for each in stored.refunds if each.entry == refund.entry]
    if _moved(stored, refund.entry, "prepaid") != sum(each.cents for each in together):
        yield Fault("money", f"the refund of ticket {ticket.number} is not what was prepaid")
    in_cash = sum(
        cash_price(stored, ticket, game) for each in together for game in _back(each, ticket)
    )
    paid = stored.payouts.get(ticket.number)
    if paid is not None and paid.entry == refund.entry and paid.paid_by == "cash":
        in_cash += paid.cents
    if _moved_by_kind(stored, refund.entry).get("currency", 0) != -in_cash:
        yield Fault("money", f"the refund of ticket {ticket.number} is not what was paid in money")
    if _drawers(stored, refund.entry) - {refund.drawer}:
        yield Fault("money", f"ticket {ticket.number} was refunded from another's drawer")


def _back(refund: StoredRefund, ticket: StoredTicket) -> range:
    """Return the games that a refund is for."""
    if refund.cancelled_from is not None:
        return range(refund.cancelled_from, ticket.last_game + 1)
    return range(refund.void_game or 0, (refund.void_game or 0) + 1)


def cash_price(stored: Stored, ticket: StoredTicket, game: int) -> int:
    """Return what of a game's price was paid in money; coupons were spent on the games before."""
    coupons = sum(p.cents for p in stored.tender.get(ticket.number, []) if p.kind == "coupon")
    until = (game - ticket.first_game + 1) * ticket.price_per_game_cents
    return max(0, min(until - coupons, ticket.price_per_game_cents))


def _check_void(stored: Stored, number: int) -> Iterator[Fault]:
    """The price goes back as what it was paid with, out of the drawer of whoever voided."""
    ticket, void = stored.tickets[number], stored.voids[number]
    if _moved(stored, void.entry, "prepaid") != ticket.price_cents:
        yield Fault("money", f"the void of {number} did not give its price back")
    back = {kind: -cents for kind, cents in paid_with(stored, ticket).items() if cents}
    if _moved_by_kind(stored, void.entry) != back:
        yield Fault("money", f"the void of {number} did not give back what was paid")
    if _drawers(stored, void.entry) - {void.drawer}:
        yield Fault("money", f"the void of {number} was paid from a drawer that is not its own")


def paid_with(stored: Stored, ticket: StoredTicket) -> Counter[str]:
    """Return what of a ticket's price was paid in which kind, without what was given as change."""
    paid: Counter[str] = Counter()
    left_cents = ticket.price_cents
    # There is no change on a coupon, so coupons paid first; the change was of what came last.
    for coupons in (True, False):
        for part in stored.tender.get(ticket.number, []):
            if (part.kind == "coupon") == coupons:
                cents = min(part.cents, left_cents)
                left_cents -= cents
                paid["coupons" if coupons else part.kind] += cents
    return paid


def _check_balances(stored: Stored) -> Iterator[Fault]:
    legs = [leg for moved in stored.postings.values() for leg in moved]
    balances: Counter[str] = Counter()
    drawers: Counter[int | None] = Counter()
    for leg in legs:
        balances[leg.account] += leg.cents
        drawers[leg.drawer] += leg.cents
    prices = _prices_by_lock(stored)
    if balances["prepaid"] != -prices[False]:
        yield Fault("money", "prepaid is not the price of the games still to be locked")
    if balances["write"] != -prices[True]:
        yield Fault("money", "write is not the price of the games that were locked")
    for drawer, row in stored.drawers.items():
        if row.closed_at is not None and drawers[drawer]:
            yield Fault("money", f"drawer {drawer} is closed and not empty")


def _prices_by_lock(stored: Stored) -> Counter[bool]:
    """Return the price of all games of live tickets: of those locked, and of those not.

    A game that is void counts as one that is not, until its price went back.
    """
    prices: Counter[bool] = Counter()
    back = {(each.ticket, each.void_game) for each in stored.refunds}
    for ticket in stored.tickets.values():
        if ticket.number not in stored.voids:
            for number in range(ticket.first_game, stored.plays_until(ticket) + 1):
                game = stored.games.get((ticket.series, number))
                is_locked = game is not None and game.state not in (OPEN, "void")
                if (ticket.number, number) not in back:
                    prices[is_locked] += ticket.price_per_game_cents
    return prices


def _moved(stored: Stored, entry: int, account: str) -> int:
    return sum(leg.cents for leg in stored.postings.get(entry, []) if leg.account == account)


def _drawers(stored: Stored, entry: int) -> set[int | None]:
    """Return the drawers that an act moved money into or out of."""
    return {leg.drawer for leg in stored.postings.get(entry, []) if leg.account == "drawer"}


def _moved_by_kind(stored: Stored, entry: int) -> dict[str, int]:
    moved: Counter[str] = Counter()
    for leg in stored.postings.get(entry, []):
        if leg.account in ("drawer", "coupons"):
            moved[leg.kind or leg.account] += leg.cents
    return {kind: cents for kind, cents in moved.items() if cents}
