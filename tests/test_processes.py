"""What runs until it is told to stop: a signal ends it, whatever its main thread is doing."""

import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from types import FrameType

import pytest

from app.caller import Caller
from app.cli import house, main
from app.reporter import Reporter
from app.spooler import Spooler
from tests.floor import Floor
from tests.waiting import PATIENCE


@contextmanager
def no_deadlock() -> Iterator[None]:
    """Fail where the main thread waits for ever, in a signal handler too."""

    def too_late(_number: int, _frame: FrameType | None) -> None:
        raise TimeoutError

    before = signal.signal(signal.SIGALRM, too_late)
    signal.setitimer(signal.ITIMER_REAL, PATIENCE)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


@pytest.mark.rule("X-recovery")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize(
    ("command", "runs"), [("caller", Caller), ("spooler", Spooler), ("reporter", Reporter)]
)
def test_a_signal_that_comes_while_the_event_is_locked_still_stops_the_process(
    floor: Floor,
    monkeypatch: pytest.MonkeyPatch,
    command: str,
    runs: type,
    number: signal.Signals,
) -> None:
    stopped: list[bool] = []

    def run(_self: object, stop: threading.Event) -> None:
        with stop._cond:  # type: ignore[attr-defined]  # noqa: SLF001  as within `Event.wait`
            os.kill(os.getpid(), number)
            for _ in range(1_000):  # the interpreter runs handlers between two steps
                pass
        stopped.append(stop.wait(PATIENCE))

    monkeypatch.setattr(runs, "run", run)
    monkeypatch.setattr(house, "begin_process", lambda *_: None)
    monkeypatch.setattr(house, "_founded_office", lambda *_: nullcontext(floor.office))
    monkeypatch.setattr(house, "_only_one", lambda *_: nullcontext())
    before = [signal.getsignal(each) for each in (signal.SIGINT, signal.SIGTERM)]
    threads = threading.active_count()
    with no_deadlock():
        assert main([command]) == 0
    assert stopped == [True]
    assert [signal.getsignal(each) for each in (signal.SIGINT, signal.SIGTERM)] == before
    assert threading.active_count() == threads
