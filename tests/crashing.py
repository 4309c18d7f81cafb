"""Acts in processes of their own, which are killed at one place after the other."""

import multiprocessing
import os
import signal
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import count
from typing import NamedTuple

import pytest
from sqlalchemy import event

from app.store.database import Database
from app.store.unit import Unit
from tests.depth import CRASH_STEP, IS_PROOF
from tests.engines import ENGINES
from tests.floor import Floor
from tests.looking import rows
from tests.waiting import PATIENCE

Act = Callable[[Floor], object]
MANY = 80  # acts to be killed: more than there are places at which one can die


def on(engine: str) -> pytest.MarkDecorator:
    """Try crashes on one engine by day, on both in the long evidence."""
    return pytest.mark.parametrize("floor", ENGINES if IS_PROOF else [engine], indirect=True)


@dataclass
class Executioner:
    """Counts the places at which a process can die, and kills it at one of them."""

    point: int
    passed: "count[int]" = field(default_factory=count)

    def place(self, *_: object) -> None:
        if next(self.passed) == self.point:
            os.kill(os.getpid(), signal.SIGKILL)

    def watch(self, database: Database) -> None:
        event.listen(database.engine, "before_cursor_execute", self.place)
        commit = Unit.commit

        def between(unit: Unit) -> None:
            self.place()
            commit(unit)
            self.place()

        setattr(Unit, "commit", between)  # noqa: B010  in this process only, which dies


def dies(floor: Floor, point: int, act: Act) -> bool:
    """Do an act in a process that is killed at its so-manieth place; whether it got that far."""
    # If the two processes were used here they go on in there, and here again afterwards.
    keyed_at = floor.keyed.stop() if floor.keyed.is_running else None

    def run() -> None:
        url = floor.office.database.url.render_as_string(hide_password=False)
        own = floor.on(url, keyed_at)
        Executioner(point).watch(own.office.database)
        act(own)

    process = multiprocessing.get_context("fork").Process(target=run)
    process.start()
    process.join(PATIENCE)
    floor.pass_time(seconds=1)  # in the other process it did
    assert process.exitcode in {0, -signal.SIGKILL}
    return process.exitcode != 0


class Deaths(NamedTuple):
    """What a series of killed acts came to."""

    places: int  # the first place that an act does not reach
    acts: int  # that were done, each after one death


def killed_everywhere(floor: Floor, prepare: Callable[[], Act], done: Callable[[], int]) -> Deaths:
    """Kill acts at one place after the other.

    By day every third place is tried, in the long evidence each.

    Args:
        floor: where it happens.
        prepare: makes the next act, which can be asked for as often as need be.
        done: how many such acts have been done.
    """
    for acts, point in enumerate(count(step=CRASH_STEP), start=1):
        before, act = done(), prepare()
        died = dies(floor, point, act)
        assert done() in {before, before + 1}
        if point % 18 == 0:  # what is half done would show in the books after the next act as well
            floor.check_books()
        act(floor)
        assert done() == before + 1
        if point % 12 == 0:
            floor.check_books()
        if not died:
            floor.check_books()
            return Deaths(point, acts)
    raise AssertionError


def number_of(floor: Floor, table: str) -> int:
    ((number,),) = rows(floor, f"SELECT count(*) FROM {table}")  # noqa: S608  a name of ours
    return int(number)
