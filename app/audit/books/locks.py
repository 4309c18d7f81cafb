"""Locks: nothing was sold or voided behind them, and they say what was sold."""

from collections.abc import Iterator

from app.audit.books.stored import OPEN, Stored
from app.audit.faults import Fault


def check_locks(stored: Stored) -> Iterator[Fault]:
    """Nothing was sold or voided for a game once it was locked (15.3(c), X-lock-server).

    Judged by the order of the log: clocks can be set.
    """
    locks = stored.locks
    for (series, number), game in stored.games.items():
        lock = locks.get((series, number))
        if (game.state == OPEN) != (lock is None) or game.lock_entry != lock:
            yield Fault("locks", f"game {series}-{number} and its LOCK entry do not agree")
    for number, ticket in stored.tickets.items():
        yield from _check_before_lock(stored, number, ticket.entry, f"ticket {number} was sold")
        if number in stored.voids:
            void = stored.voids[number]
            yield from _check_before_lock(stored, number, void.entry, f"ticket {number} was voided")


def _check_before_lock(stored: Stored, number: int, entry: int, what: str) -> Iterator[Fault]:
    ticket = stored.tickets[number]
    which = (ticket.series, ticket.first_game)
    game = stored.games.get(which)
    if game is None:
        yield Fault("locks", f"{what} for a game that never opened")
    lock = stored.locks.get(which)
    if lock is not None and entry > lock:
        yield Fault("locks", f"{what} behind the lock of its game in the log")


def check_sold_files(stored: Stored) -> Iterator[Fault]:
    """What a lock says was sold is what was sold: count, handle, cards (X-lock-seal)."""
    for entry, body in stored.bodies.items():
        if stored.tags[entry] != "LOCK":
            continue
        series, number = body["series"], body["game"]
        live = stored.live(series, number)
        handle = sum(ticket.price_per_game_cents for ticket in live)
        cards = sorted({stored.card_hashes[ticket.card].hex() for ticket in live})
        game = stored.games.get((series, number))
        said = (body["tickets"], body["handle_cents"], body["cards"])
        if said != (len(live), handle, cards):
            yield Fault("sold files", f"the lock of {series}-{number} does not say what was sold")
        if game is not None and (game.tickets, game.handle_cents) != said[:2]:
            yield Fault("sold files", f"game {series}-{number} does not say what its lock says")
