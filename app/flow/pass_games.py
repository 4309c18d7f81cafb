"""Games that were drawn or voided in what a restored house has lost (X-draw-once).

The generator is ahead of the house: whatever it has ended has its outcome, and was locked. So it is
locked here with what is known of it, and kept with its signed record, before anything can be sold;
and what it has begun to draw is locked, and drawn with the very words of the first time. The lock
that its draw was sealed with is another one: certification finds that and freezes the game, and
staff look into every ticket.

Write order: it is part of the caller's transaction. *Crash before its commit: nothing is passed,
and the house waits as before.*
"""

from app.audit.checkpoints import checkpoint_of
from app.flow.draw import keep_within
from app.flow.lockout import lock_within
from app.flow.office import Office
from app.flow.rebuild.games import signed_alone
from app.keno.game import GameState
from app.rng_client import KeyedProcesses
from app.store.queries import games, house, log
from app.store.records import rebuilding
from app.store.records.outcomes import add_lock_request
from app.store.unit import Unit


def hold_games(unit: Unit) -> None:
    """Keep everybody from selling and locking until this transaction ends.

    Before anything else, as the order of locks has it.
    """
    for series in house.series_codes(unit.connection):
        unit.lock_series(series)


def pass_games(
    office: Office, unit: Unit, keyed: KeyedProcesses, by: dict[str, object]
) -> list[str]:
    """Lock and end every game that the generator has ended and the house has not; return them.

    The generator and the inspector are asked within the transaction, whose caller holds the games:
    nobody sells meanwhile.

    Raises:
        NotNow: one of them does not answer.
    """
    passed = []
    for series in house.series_codes(unit.connection):
        until = keyed.standing(series).next_game
        while (number := _next_undrawn(unit, series)) is not None and number < until:
            _lock_if_open(office, unit, by, series, number)
            ended, request = keyed.ended_game(series, number)
            if request is not None:
                add_lock_request(unit, series, number, request)
            game = games.game(unit.connection, series, number)
            if game is None:
                raise LookupError(f"{series}-{number} was not opened")
            keep_within(office, unit, game, ended)
            passed.append(f"{series}-{number}")
        if number is not None and _take_up(office, unit, keyed, by, series, number):
            passed.append(f"{series}-{number}")
    return passed


def _take_up(  # noqa: PLR0913, PLR0917  which game, and who locks it
    office: Office,
    unit: Unit,
    keyed: KeyedProcesses,
    by: dict[str, object],
    series: str,
    number: int,
) -> bool:
    """Have a game whose draw was begun asked for with the very words of the first time.

    Says whether it was open here, and is locked now.
    """
    request = keyed.begun_game(series, number)
    if request is None:
        return False
    add_lock_request(unit, series, number, request)
    note, head = request["seal"]["note"], log.head(unit.connection)
    if head is not None and checkpoint_of(note).size <= head.size:
        size, now = checkpoint_of(note).size, unit.now()
        rebuilding.put_back_head(unit, size, signed_alone(note), note, now)
    return _lock_if_open(office, unit, by, series, number)


def _lock_if_open(
    office: Office, unit: Unit, by: dict[str, object], series: str, number: int
) -> bool:
    game = games.open_game(unit.connection, series)
    if game is None or game.number != number:
        return False
    lock_within(office, unit, by, series, game)
    return True


def _next_undrawn(unit: Unit, series: str) -> int | None:
    """Return the game of a series that is drawn next, as far as the house knows."""
    is_open = games.open_game(unit.connection, series)
    if is_open is None:
        return None
    before = games.game(unit.connection, series, is_open.number - 1)
    if before is not None and before.state is GameState.LOCKED:
        return before.number
    return is_open.number
