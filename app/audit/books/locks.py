"""Locks: nothing was sold or voided behind them, and they say what was sold."""

from collections.abc import Iterator

from app.audit.books.house import OPEN, House
from app.audit.books.looks import Look, Thing
from app.audit.books.played import Played
from app.audit.books.stretch import Stretch
from app.audit.faults import Fault
from app.store.queries.books.rows import StoredTicket, StoredVoid
from rng.note import NoteFailed, read_note


def locks() -> list[Look]:
    """Nothing was sold or voided for a game once it was locked (15.3(c), X-lock-server).

    Judged by the order of the log: clocks can be set.
    """
    return [
        Look(Thing.GAME, check_lock),
        Look(Thing.GAME, check_head),
        Look(Thing.TICKET, check_sold_in_time),
        Look(Thing.VOID, check_voided_in_time),
    ]


def check_lock(played: Played, _: House) -> Iterator[Fault]:
    """A game that is not open has a LOCK entry, and only such a game."""
    lock = played.locks[-1].id if played.locks else None
    if (played.game.state == OPEN) != (lock is None) or played.game.lock_entry != lock:
        yield Fault("locks", f"game {played.name} and its LOCK entry do not agree")


def check_head(played: Played, _: House) -> Iterator[Fault]:
    """The head that a statement seals its game with was signed, and is there (X-lock-seal)."""
    if played.statement is None:
        return
    named = played.statement["body"]["checkpoint"]
    try:
        signed = None if played.head is None else read_note(played.head).text
    except NoteFailed:
        signed = None
    if signed != named:
        yield Fault("locks", f"the head that {played.name} was sealed with is not there")


def check_sold_in_time(ticket: StoredTicket, stretch: Stretch) -> Iterator[Fault]:
    """A ticket was sold before its first game was locked."""
    what = f"ticket {ticket.number} was sold"
    yield from _check_before_lock(stretch.house, ticket, ticket.entry, what)


def check_voided_in_time(void: StoredVoid, stretch: Stretch) -> Iterator[Fault]:
    """A ticket was voided before its first game was locked."""
    ticket = stretch.tickets.get(void.ticket)
    if ticket is not None:
        what = f"ticket {void.ticket} was voided"
        yield from _check_before_lock(stretch.house, ticket, void.entry, what)


def _check_before_lock(
    house: House, ticket: StoredTicket, entry: int, what: str
) -> Iterator[Fault]:
    which = (ticket.series, ticket.first_game)
    if house.games.get(which) is None:
        yield Fault("locks", f"{what} for a game that never opened")
    lock = house.lock_of(which)
    if lock is not None and entry > lock:
        yield Fault("locks", f"{what} behind the lock of its game in the log")


def sold_files() -> list[Look]:
    """What a lock says was sold is what was sold: count, handle, cards (X-lock-seal)."""
    return [Look(Thing.GAME, check_sold_file)]


def check_sold_file(played: Played, house: House) -> Iterator[Fault]:
    """Hold what a game's lock says, and what its row says, against the tickets that play it."""
    handle = sum(ticket.price_per_game_cents for ticket in played.live)
    cards = sorted({house.card_hashes[ticket.card].hex() for ticket in played.live})
    for lock in played.locks:
        said = (lock.body["tickets"], lock.body["handle_cents"], lock.body["cards"])
        if said != (len(played.live), handle, cards):
            yield Fault("sold files", f"the lock of {played.name} does not say what was sold")
        if (played.game.tickets, played.game.handle_cents) != said[:2]:
            yield Fault("sold files", f"game {played.name} does not say what its lock says")
