"""Both keyed processes of the floor's house, in the same process and without sockets.

They are real: the same code, the same journals, a real ceremony with the floor's own keys. What is
left out is the wire between them, which can therefore lose answers, be cut, or be slow at will.
"""

import shutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from datetime import datetime
from pathlib import Path
from tempfile import mkdtemp
from threading import Lock
from typing import cast

from app.flow.keys import Keys
from app.rng_client import KeyedProcesses, publish_terms
from rng.lab import rehearsal
from rng.lab.verify import read_keys
from rng.serve.ceremony import Part, make_journal, make_keys
from rng.serve.keyed import Surroundings
from tests.rng.house import CHEAP, IDA, IVAN, PASSPHRASES, SAM, SUE, Clock, TestHouse


def hold_ceremony(root: Path, keys: Keys, series: Mapping[str, int]) -> None:
    """Hold the key ceremony of the floor's house."""
    terms = ("Test House", "US-NJ", "keno.example/test")
    publish_terms(root / "public", *terms, series, {"office": keys.office, "log": keys.log})
    parts = [Part("rng", root / "rng", root / "public")]
    parts.append(Part("inspector", root / "inspector", root / "public"))
    for part, holders in zip(parts, ((SAM, SUE), (IDA, IVAN)), strict=True):
        make_keys(part, {name: PASSPHRASES[name] for name in holders}, CHEAP)
    for part, holder in zip(parts, (SAM, IDA), strict=True):
        make_journal(part, holder, PASSPHRASES[holder], None, Surroundings(clock=Clock()))


@contextmanager
def real_processes(root: Path, public: Path) -> Iterator[dict[str, str]]:
    """Hold the ceremony for terms that were published, and run both processes for real.

    Gives out the settings by which the back office finds them.
    """
    parts = [Part(role, root / role, public) for role in rehearsal.HOLDERS]
    for part in parts:
        make_keys(part, rehearsal.passphrases(part.role), CHEAP)
    for part in parts:
        first = rehearsal.HOLDERS[part.role][0]
        make_journal(part, first, rehearsal.passphrases(part.role)[first])
    with ExitStack() as stack:
        for role in ("inspector", "rng"):
            stack.enter_context(rehearsal.running(root, role))
            rehearsal.unlock(root, role)
        yield {
            "KENO_RNG": f"unix:{root / 'rng' / 'service.sock'}",
            "KENO_INSPECTOR": f"unix:{root / 'inspector' / 'service.sock'}",
        }


class Lazy:
    """A connection to one of the two, which start when they are first asked for something."""

    def __init__(self, house: "KeyedHouse", name: str) -> None:
        self._house, self._name = house, name

    def call(self, act: str, fields: Mapping[str, object] | None = None) -> dict[str, object]:
        with self._house.one_at_a_time:
            house = self._house.started
            wire = house.to_rng if self._name == "rng" else house.to_inspector
            return wire.call(act, fields)

    def close(self) -> None:
        """There is nothing to close: the two are closed with the house."""


class KeyedHouse:
    """The two processes of one floor, each floor with a copy of what the ceremony left."""

    def __init__(
        self, ceremony: Path, root: Path | None = None, clock: Callable[[], datetime] | None = None
    ) -> None:
        """Prepare them.

        Args:
            ceremony: what the ceremony left.
            root: where they have drawn already, if they are to go on there.
            clock: theirs; it goes as that of the house does.
        """
        self._clock = Clock() if clock is None else clock
        self._ceremony = ceremony
        self._house: TestHouse | None = None
        self._root = root
        self.one_at_a_time = Lock()  # as a process answers one request after the other

    @property
    def started(self) -> TestHouse:
        """The two processes, started and unlocked."""
        if self._house is None:
            if self._root is None:
                self._root = Path(mkdtemp(prefix="keno-keyed-"))
                shutil.copytree(self._ceremony, self._root, dirs_exist_ok=True)
            keys = read_keys(self._root / "public")
            self._house = TestHouse(self._root, cast("Clock", self._clock), old_keys=keys)
            self._house.start()
            self._house.unlock()
        return self._house

    @property
    def public(self) -> Path:
        """The public keys of the ceremony."""
        return self._ceremony / "public"

    def processes(self, public: Path | None = None) -> KeyedProcesses:
        """The two as the back office reaches them, with the public keys that it has."""
        rng, inspector = Lazy(self, "rng"), Lazy(self, "inspector")
        return KeyedProcesses(rng, inspector, public or self.public)

    @property
    def is_running(self) -> bool:
        return self._house is not None

    def stop(self) -> Path:
        """Stop them; they go on when they are asked next, here or wherever else. Return where."""
        for process in (self.started.rng, self.started.inspector):
            process.journal.close()
        self._house = None
        return cast("Path", self._root)

    def close(self) -> None:
        if self._root is not None:
            shutil.rmtree(self.stop())
            self._root = None
