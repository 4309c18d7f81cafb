"""Helpers of `test_runbooks` that other tests use too."""

from datetime import UTC, datetime

from app.caller import Caller
from tests.floor import Floor


def caller_of(floor: Floor) -> Caller:
    def counted() -> float:
        return (floor.moment[0] - datetime(2026, 1, 1, tzinfo=UTC)).total_seconds()

    return Caller(floor.office, floor.two_keys, "first", counted)


def take_turns(caller: Caller) -> None:
    for _ in range(3):
        caller.turn()
        caller.finish_grading()
