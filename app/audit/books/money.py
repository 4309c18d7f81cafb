"""Money between accounts: it adds up, and is where it belongs."""

from collections import Counter
from collections.abc import Iterator

from app.audit.books.house import OPEN, House
from app.audit.books.looks import Look, Thing
from app.audit.books.played import Played
from app.audit.books.stretch import Move, Stretch
from app.audit.faults import Fault
from app.store.queries.books.rows import StoredRefund, StoredTicket, StoredVoid


def money() -> list[Look]:
    """Whatever an act moved adds up to zero, and is what the act is about."""
    balances = Balances()
    return [
        Look(Thing.MOVE, check_move),
        Look(Thing.TICKET, check_sale),
        Look(Thing.VOID, check_void),
        Look(Thing.REFUND, check_refund),
        Look(Thing.MOVE, balances.move),
        Look(Thing.TICKET, balances.sell),
        Look(Thing.VOID, balances.void),
        Look(Thing.REFUND, balances.refund),
        Look(Thing.GAME, balances.lock),
        Look(Thing.END, balances.check),
    ]


def check_move(move: Move, stretch: Stretch) -> Iterator[Fault]:
    """What an act moved adds up to zero, and there is an entry that tells of it."""
    if sum(leg.cents for leg in move.legs) != 0:
        yield Fault("money", f"what entry {move.entry} moved does not add up to zero")
    if stretch.tag(move.entry) is None:
        yield Fault("money", f"what entry {move.entry} moved is told by no entry")


def check_sale(ticket: StoredTicket, stretch: Stretch) -> Iterator[Fault]:
    """What a ticket was paid with is in its drawer, and its price is prepaid."""
    number = ticket.number
    if _moved(stretch, ticket.entry, "prepaid") != -ticket.price_cents:
        yield Fault("money", f"ticket {number} did not make its price prepaid")
    into = Counter[str]()
    for part in stretch.tender.get(number, ()):
        into["coupons" if part.kind == "coupon" else part.kind] += part.cents
    into["currency"] -= ticket.tendered_cents - ticket.price_cents
    if _moved_by_kind(stretch, ticket.entry) != {kind: c for kind, c in into.items() if c}:
        yield Fault("money", f"what ticket {number} was paid with is not where it belongs")
    if _drawers(stretch, ticket.entry) - {ticket.drawer}:
        yield Fault("money", f"ticket {number} was paid for into a drawer that is not its own")


def check_void(void: StoredVoid, stretch: Stretch) -> Iterator[Fault]:
    """The price goes back as what it was paid with, out of the drawer of whoever voided."""
    number, ticket = void.ticket, stretch.tickets.get(void.ticket)
    if ticket is None:
        return
    if _moved(stretch, void.entry, "prepaid") != ticket.price_cents:
        yield Fault("money", f"the void of {number} did not give its price back")
    back = {kind: -cents for kind, cents in _paid_with(stretch, ticket).items() if cents}
    if _moved_by_kind(stretch, void.entry) != back:
        yield Fault("money", f"the void of {number} did not give back what was paid")
    if _drawers(stretch, void.entry) - {void.drawer}:
        yield Fault("money", f"the void of {number} was paid from a drawer that is not its own")


def check_refund(refund: StoredRefund, stretch: Stretch) -> Iterator[Fault]:
    """What goes back is the price of games that were not played; a coupon's part is not cash."""
    ticket = stretch.tickets[refund.ticket]
    games = _back(refund, ticket)
    if refund.cancelled_from is not None:
        lock = stretch.house.lock_of((ticket.series, refund.cancelled_from))
        if lock is not None and refund.entry > lock:
            yield Fault("money", f"ticket {ticket.number} was cancelled behind a lock")
    elif stretch.house.state_of((ticket.series, refund.void_game or 0)) != "void":
        yield Fault("money", f"ticket {ticket.number} was refunded for a game that is not void")
    if refund.cents != len(games) * ticket.price_per_game_cents:
        yield Fault("money", f"what ticket {ticket.number} was refunded is not the price")
    together = [each for each in stretch.refunds[ticket.number] if each.entry == refund.entry]
    if _moved(stretch, refund.entry, "prepaid") != sum(each.cents for each in together):
        yield Fault("money", f"the refund of ticket {ticket.number} is not what was prepaid")
    in_cash = sum(
        cash_price(stretch, ticket, game) for each in together for game in _back(each, ticket)
    )
    paid = stretch.payouts.get(ticket.number)
    if paid is not None and paid.entry == refund.entry and paid.paid_by == "cash":
        in_cash += paid.cents
    if _moved_by_kind(stretch, refund.entry).get("currency", 0) != -in_cash:
        yield Fault("money", f"the refund of ticket {ticket.number} is not what was paid in money")
    if _drawers(stretch, refund.entry) - {refund.drawer}:
        yield Fault("money", f"ticket {ticket.number} was refunded from another's drawer")


def cash_price(stretch: Stretch, ticket: StoredTicket, game: int) -> int:
    """Return what of a game's price was paid in money; coupons were spent on the games before."""
    parts = stretch.tender.get(ticket.number, ())
    coupons = sum(part.cents for part in parts if part.kind == "coupon")
    until = (game - ticket.first_game + 1) * ticket.price_per_game_cents
    return max(0, min(until - coupons, ticket.price_per_game_cents))


class Balances:
    """What all acts left in each account, and what should be there."""

    def __init__(self) -> None:
        self._balances: Counter[str] = Counter()
        self._drawers: Counter[int | None] = Counter()  # those that are not empty
        self._played_cents = 0  # the price of all games of live tickets that did not go back
        self._locked_cents = 0  # of them, those that are locked

    def move(self, move: Move, _: Stretch) -> None:
        """Add what an act moved."""
        for leg in move.legs:
            self._balances[leg.account] += leg.cents
            if leg.drawer is not None:
                self._drawers[leg.drawer] += leg.cents
                if not self._drawers[leg.drawer]:
                    del self._drawers[leg.drawer]

    def sell(self, ticket: StoredTicket, _: Stretch) -> None:
        """Add the games of a ticket."""
        self._played_cents += _price(ticket)

    def void(self, void: StoredVoid, stretch: Stretch) -> None:
        """Take the games of a void ticket off."""
        ticket = stretch.tickets.get(void.ticket)
        self._played_cents -= 0 if ticket is None else _price(ticket)

    def refund(self, refund: StoredRefund, stretch: Stretch) -> None:
        """Take games off that are not played."""
        ticket = stretch.tickets[refund.ticket]
        if ticket.number not in stretch.voids:
            games = [
                game
                for game in _back(refund, ticket)
                if refund.cancelled_from is not None or game in stretch.games_of(ticket)
            ]
            self._played_cents -= len(games) * ticket.price_per_game_cents

    def lock(self, played: Played, _: House) -> None:
        """Add the price of a locked game.

        A game that is void counts as one that is not, until its price went back.
        """
        if played.game.state not in (OPEN, "void"):
            self._locked_cents += sum(
                ticket.price_per_game_cents
                for ticket in played.live
                if ticket.number not in played.refunded
            )

    def check(self, _: object, house: House) -> Iterator[Fault]:
        """Hold the accounts against the games, and find drawers empty that are closed."""
        if self._balances["prepaid"] != self._locked_cents - self._played_cents:
            yield Fault("money", "prepaid is not the price of the games still to be locked")
        if self._balances["write"] != -self._locked_cents:
            yield Fault("money", "write is not the price of the games that were locked")
        for drawer in self._drawers:
            row = None if drawer is None else house.drawers.get(drawer)
            if row is not None and row.closed_at is not None:
                yield Fault("money", f"drawer {drawer} is closed and not empty")


def _price(ticket: StoredTicket) -> int:
    return (ticket.last_game - ticket.first_game + 1) * ticket.price_per_game_cents


def _back(refund: StoredRefund, ticket: StoredTicket) -> range:
    """Return the games that a refund is for."""
    if refund.cancelled_from is not None:
        return range(refund.cancelled_from, ticket.last_game + 1)
    return range(refund.void_game or 0, (refund.void_game or 0) + 1)


def _paid_with(stretch: Stretch, ticket: StoredTicket) -> Counter[str]:
    """Return what of a ticket's price was paid in which kind, without what was given as change."""
    paid: Counter[str] = Counter()
    left_cents = ticket.price_cents
    # There is no change on a coupon, so coupons paid first; the change was of what came last.
    for coupons in (True, False):
        for part in stretch.tender.get(ticket.number, ()):
            if (part.kind == "coupon") == coupons:
                cents = min(part.cents, left_cents)
                left_cents -= cents
                paid["coupons" if coupons else part.kind] += cents
    return paid


def _moved(stretch: Stretch, entry: int, account: str) -> int:
    return sum(leg.cents for leg in stretch.legs(entry) if leg.account == account)


def _drawers(stretch: Stretch, entry: int) -> set[int | None]:
    """Return the drawers that an act moved money into or out of."""
    return {leg.drawer for leg in stretch.legs(entry) if leg.account == "drawer"}


def _moved_by_kind(stretch: Stretch, entry: int) -> dict[str, int]:
    moved: Counter[str] = Counter()
    for leg in stretch.legs(entry):
        if leg.account in ("drawer", "coupons"):
            moved[leg.kind or leg.account] += leg.cents
    return {kind: cents for kind, cents in moved.items() if cents}
