"""Helpers of `test_inspector_page` that other tests use too."""

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Event, Thread

from rng.serve.protocol import Unreachable
from tests.floor import Floor


@contextmanager
def hanging_generator(floor: Floor) -> Iterator[None]:
    """Have the generator hang, and one who looks wait for it."""
    wire = floor.keyed.started.to_rng
    hanging, go_on, answering = Event(), Event(), wire.answering

    def hangs(*_: object) -> dict[str, object]:
        hanging.set()
        assert go_on.wait(120)
        raise Unreachable("it hung")

    wire.answering = hangs
    looking = Thread(target=floor.two_keys.statuses)
    looking.start()
    assert hanging.wait(120)
    yield
    go_on.set()
    looking.join(120)
    wire.answering = answering
