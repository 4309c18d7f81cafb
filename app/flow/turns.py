"""Turns: whoever comes while others are served waits, and is served with all who wait.

One commit a ticket, behind one counter of numbers, is the ceiling of selling: a commit takes as
long for fifty tickets as for one. Nobody waits for company: who comes when it is quiet is served at
once, and alone. Whoever is first in line serves the party.
"""

import threading
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

PARTY_MAX = 50


@dataclass
class _Place:
    """A place in line."""

    wanted: Any
    got: Any = None
    trouble: Exception | None = None
    is_served: bool = False
    called: threading.Lock = field(default_factory=threading.Lock)


class Turns:
    """The lines at a counter, one for each name."""

    def __init__(self) -> None:
        self._mutex = threading.Lock()
        self._lines: dict[str, deque[_Place]] = {}  # a line that is there is being served

    def wait(self, line: str, wanted: Any, serve: Callable[[Sequence[Any]], Sequence[Any]]) -> Any:  # noqa: ANN401  whatever is served
        """Wait until what is wanted is served, with others who wait; return what is got.

        Args:
            line: where to stand.
            wanted: what this one wants.
            serve: serves a party; returns what each of them gets. What it raises, each of them
                meets.
        """
        mine = _Place(wanted)
        mine.called.acquire()
        with self._mutex:
            first = line not in self._lines
            self._lines.setdefault(line, deque()).append(mine)
        if not first:
            mine.called.acquire()  # released by whoever serves
        if not mine.is_served:
            self._serve(line, serve)
        if mine.trouble is not None:
            raise mine.trouble
        return mine.got

    def _serve(self, line: str, serve: Callable[[Sequence[Any]], Sequence[Any]]) -> None:
        with self._mutex:
            waiting = self._lines[line]
            party = [waiting.popleft() for _ in range(min(PARTY_MAX, len(waiting)))]
        try:
            got = serve([each.wanted for each in party])
            for each, its in zip(party, got, strict=True):
                each.got = its
        except Exception as trouble:  # noqa: BLE001  whatever it is, it is theirs
            for each in party:
                each.trouble = trouble
        finally:
            with self._mutex:
                if waiting:
                    waiting[0].called.release()  # who serves the next party
                else:
                    del self._lines[line]
            for each in party[1:]:
                each.is_served = True
                each.called.release()
