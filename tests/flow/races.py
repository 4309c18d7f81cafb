"""Helpers of `test_races` that other tests use too."""

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from threading import Event, Lock
from types import ModuleType

import pytest

from app.keno.refusals import Refused
from tests.floor import Floor
from tests.looking import rows
from tests.waiting import PATIENCE, until

ON_POSTGRESQL = pytest.mark.parametrize("floor", ["postgresql"], indirect=True)


@dataclass
class Pause:
    """A place at which the first who comes by is held up."""

    reached: Event = field(default_factory=Event)
    go: Event = field(default_factory=Event)
    _first: Lock = field(default_factory=Lock)

    def before(self, monkeypatch: pytest.MonkeyPatch, module: type | ModuleType, name: str) -> None:
        act = getattr(module, name)

        def held_up(*given: object, **named: object) -> object:
            if self._first.acquire(blocking=False):
                self.reached.set()
                assert self.go.wait(PATIENCE)
            return act(*given, **named)

        monkeypatch.setattr(module, name, held_up)


@pytest.fixture
def pause(monkeypatch: pytest.MonkeyPatch) -> Callable[[type | ModuleType, str], Pause]:
    def make(module: type | ModuleType, name: str) -> Pause:
        made = Pause()
        made.before(monkeypatch, module, name)
        return made

    return make


MakePause = Callable[[type | ModuleType, str], Pause]


def outcome(act: Callable[[], object]) -> object:
    """What an act is answered, or the code of what it is refused for."""
    try:
        return act()
    except Refused as no:
        return no.refusals[0].code


def waiting(floor: Floor) -> int:
    """How many transactions wait for another one."""
    if floor.office.database.is_sqlite:
        return len(floor.office.database._writers._waiting)  # noqa: SLF001  its queue is its own
    found = (
        "SELECT count(*) FROM pg_stat_activity "
        "WHERE datname = current_database() AND wait_event_type = 'Lock'"
    )
    return int(rows(floor, found)[0][0])


def in_turn(
    floor: Floor, pause: Pause, first: Callable[[], object], *others: Callable[[], object]
) -> list[object]:
    """Start the first, hold it up, have the others wait for it one after the other, let it go."""
    with ThreadPoolExecutor(1 + len(others)) as threads:
        acts: list[Future[object]] = [threads.submit(outcome, first)]
        try:
            assert pause.reached.wait(PATIENCE)
            for count, other in enumerate(others, start=1):
                acts.append(threads.submit(outcome, other))
                until(lambda: acts[-1].done() or waiting(floor) == count)  # noqa: B023
            assert not any(act.done() for act in acts)
        finally:
            pause.go.set()
        return [act.result(PATIENCE) for act in acts]
