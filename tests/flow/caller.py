"""Helpers of `test_caller` that other tests use too."""

from datetime import UTC, datetime, timedelta

from app.caller import Caller
from app.flow.override import override_close
from app.store.queries import games
from app.store.queries.games import OpenGame
from tests.floor import Floor


def new_caller(floor: Floor, name: str) -> Caller:
    assert floor.office.keyed is not None

    def counted() -> float:
        return (floor.moment[0] - datetime(2026, 1, 1, tzinfo=UTC)).total_seconds()

    return Caller(floor.office, floor.office.keyed, name, counted)


def open_game(floor: Floor, series: str = "M") -> OpenGame:
    with floor.office.database.reading() as connection:
        game = games.open_game(connection, series)
    assert game is not None
    return game


def turns(floor: Floor, caller: Caller, minutes: int) -> None:
    """Let time pass, with a turn every few seconds."""
    for _ in range(minutes * 6):
        floor.pass_time(seconds=10)
        caller.turn()
        caller.finish_grading()


def begin(floor: Floor) -> None:
    """Have the first game of the floor, which was opened by hand, give way to timed ones."""
    override_close(floor.office, floor.sam, "M", 1, floor.moment[0] + timedelta(minutes=2), "begin")
