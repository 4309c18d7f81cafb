"""A whole house in one test: ceremony, generator, inspector and practice office, without sockets.

The cast: Sam and Sue hold the generator's key (supervisors), Ida and Ivan the inspector's. Requests
pass through their bytes, as they would over a wire.
"""

import atexit
import json
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import cache
from pathlib import Path
from tempfile import mkdtemp
from typing import cast
from unittest.mock import patch

import pytest
from cryptography.hazmat.primitives.serialization import load_der_private_key

from rng.core.canonical import canonical, read_json
from rng.core.entropy import operating_system
from rng.core.signing import document_hash
from rng.lab.practice import PracticeOffice, set_up
from rng.lab.verify import read_keys
from rng.serve import keystore
from rng.serve.afterwards import Devices
from rng.serve.ceremony import Part, make_journal, make_keys
from rng.serve.generator import GeneratorProcess
from rng.serve.inspector import InspectorProcess
from rng.serve.journal import Disk
from rng.serve.keyed import JOURNAL, Surroundings
from rng.serve.printer import NotReady
from rng.serve.protocol import Unreachable, read_reply
from rng.serve.refusals import Refused
from rng.serve.server import LOCAL
from rng.serve.tables import Answering, control, generator_service, inspector_service

SAM, SUE, IDA, IVAN = "Sam", "Sue", "Ida", "Ivan"
PASSPHRASES = {
    SAM: "sam has a long passphrase",
    SUE: "sue has another long one",
    IDA: "ida keeps hers to herself",
    IVAN: "ivan wrote his nowhere",
}
CHEAP = 2  # scrypt's cost in tests: the strength of a passphrase is not what they are about
SERIES = {"M": 1, "S": 101}
NOON = datetime(2026, 11, 16, 12, tzinfo=UTC)


class Clock:
    """A clock that a test sets; each reading is a millisecond later."""

    def __init__(self) -> None:
        self.moment = NOON

    def __call__(self) -> datetime:
        self.moment += timedelta(milliseconds=1)
        return self.moment


class Paper:
    """A printer that keeps what it printed, and can be out of order."""

    def __init__(self) -> None:
        self.slips: list[str] = []
        self.trouble: str | None = None
        self.jam_at_print = False

    def check_ready(self) -> None:
        if self.trouble:
            raise NotReady(self.trouble)

    def print(self, slip: bytes) -> None:
        self.check_ready()
        if self.jam_at_print:
            raise NotReady("paper jam")
        self.slips.append(slip.decode())


class Wire:
    """A connection to a process that may be down, or lose its answers; it notes what passed."""

    def __init__(self) -> None:
        self.answering: Answering | None = None
        self.after: Callable[[], None] = lambda: None
        self.lose_answers_of: set[str] = set()
        self.drop_requests_of: set[str] = set()
        self.asked: list[str] = []
        self.owed: list[Refused | dict[str, object]] = []

    def post(self, act: str, fields: object) -> None:
        try:
            self.owed.append(self.call(act, fields))
        except Refused as refusal:
            self.owed.append(refusal)

    def collect(self) -> list[dict[str, object]]:
        owed, self.owed = self.owed, []
        for answer in owed:
            if isinstance(answer, Refused):
                raise answer
        return [answer for answer in owed if not isinstance(answer, Refused)]

    def call(self, act: str, fields: object = None) -> dict[str, object]:
        if self.answering is None or act in self.drop_requests_of:
            raise Unreachable("the process is down")
        self.asked.append(act)
        request = read_json(canonical({**cast("dict[str, object]", fields or {}), "act": act}))
        try:
            reply = {"answer": self.answering(LOCAL, cast("dict[str, object]", request))}
        except Refused as refusal:
            reply = {"refused": refusal.document()}
        data = canonical(reply)
        if act in self.lose_answers_of:
            raise Unreachable("the answer was lost")
        self.after()
        return read_reply(data)


@cache
def loaded_key(data: bytes, passphrase: None) -> object:
    """The key that these bytes are: whether it is a good RSA key is found out once for each."""
    return load_der_private_key(data, passphrase)


@cache
def ceremony() -> Path:
    """One ceremony for all tests, copied for each: making RSA keys takes its time."""
    root = Path(mkdtemp())
    atexit.register(shutil.rmtree, root)
    set_up(root / "office", root / "public", "Test House", SERIES)
    parts = [Part("rng", root / "rng", root / "public")]
    parts.append(Part("inspector", root / "inspector", root / "public"))
    for part, holders in zip(parts, ((SAM, SUE), (IDA, IVAN)), strict=True):
        make_keys(part, {name: PASSPHRASES[name] for name in holders}, CHEAP)
    for part, holder in zip(parts, (SAM, IDA), strict=True):
        make_journal(part, holder, PASSPHRASES[holder], None, Surroundings(clock=Clock()))
    return root


@dataclass
class TestHouse:
    """Both processes and an office, in a folder of their own."""

    __test__ = False

    root: Path
    clock: Clock = field(default_factory=Clock)
    paper: Paper = field(default_factory=Paper)
    source: Callable[[int], bytes] = operating_system
    software: str | None = None
    rng_disk: Disk = field(default_factory=Disk)
    inspector_disk: Disk = field(default_factory=Disk)
    to_rng: Wire = field(default_factory=Wire)
    to_inspector: Wire = field(default_factory=Wire)
    rng_control: Wire = field(default_factory=Wire)
    inspector_control: Wire = field(default_factory=Wire)
    old_keys: dict[str, str] = field(default_factory=dict)

    @classmethod
    def founded(cls, root: Path) -> "TestHouse":
        """Return a house fresh from its ceremony, both processes unlocked."""
        shutil.copytree(ceremony(), root, dirs_exist_ok=True)
        house = cls(root, old_keys=read_keys(root / "public"))
        house.start()
        house.unlock()
        house.open_office()
        return house

    def surroundings(self, disk: Disk) -> Surroundings:
        if self.software is None:
            return Surroundings(self.clock, disk)
        return Surroundings(self.clock, disk, lambda: cast("str", self.software))

    def start(self) -> None:
        self.start_inspector()
        self.start_rng()

    def start_inspector(self) -> None:
        self.inspector = InspectorProcess(
            self.root / "inspector", self.surroundings(self.inspector_disk)
        )
        self.to_inspector.answering = inspector_service(self.inspector)
        self.inspector_control.answering = control(self.inspector)

    def start_rng(self) -> None:
        devices = Devices(self.source, self.to_inspector, self.paper, "test machine")
        self.rng = GeneratorProcess(self.root / "rng", self.surroundings(self.rng_disk), devices)
        self.to_rng.answering = generator_service(self.rng)
        self.to_rng.after = self.rng.after
        self.rng_control.answering = control(self.rng)

    def kill_rng(self) -> None:
        """End the generator without a word, as `kill -9` does."""
        self.to_rng.answering = self.rng_control.answering = None
        self.to_inspector.owed.clear()
        self.rng.journal.close()

    def kill_inspector(self) -> None:
        self.to_inspector.answering = self.inspector_control.answering = None
        self.to_inspector.owed.clear()
        self.inspector.journal.close()

    def kill(self) -> None:
        self.kill_rng()
        self.kill_inspector()

    def start_other(self, role: str) -> None:
        """Start the process of a role beside the other one, which is running."""
        if role == "rng":
            self.start_rng()
        else:
            self.start_inspector()

    def close(self) -> None:
        """Close what is open at the end of a test."""
        self.office.close()
        for process in (self.rng, self.inspector):
            with suppress(OSError):
                process.journal.close()

    def restart_sealed(self) -> None:
        self.kill()
        self.start()

    def restart(self) -> None:
        """Kill both, start both, unlock both."""
        self.kill()
        self.start()
        self.unlock()

    def unlock(self) -> None:
        with patch.object(keystore, "load_der_private_key", loaded_key):
            self.by(SAM, "unlock")
            self.by(IDA, "unlock")

    def open_office(self) -> None:
        self.office = PracticeOffice(
            self.root / "office", self.root / "public", self.to_rng, self.to_inspector, self.clock
        )

    def by(self, holder: str, act: str, **fields: object) -> dict[str, object]:
        """Let a holder ask for an act at the control of their own process."""
        wire = self.rng_control if holder in (SAM, SUE) else self.inspector_control
        return wire.call(
            act, {"holder": holder, "passphrase": PASSPHRASES.get(holder, ""), **fields}
        )

    def approve(self, holder: str) -> dict[str, object]:
        """Let a holder look at what the other role asks for, and approve just that."""
        act = cast("dict[str, object]", self.by(holder, "proposed")["act"])
        return self.by(holder, "approve", shown=document_hash(act["body"]))

    def unlock_sealed(self) -> None:
        """Unlock whoever is sealed: an act may have changed a key file."""
        for holder in (SAM, IDA):
            if not self.by(holder, "status")["unlocked"]:
                self.by(holder, "unlock")

    def forget_waiting(self) -> None:
        """Let the time pass that a wrong passphrase costs."""
        for process in (self.rng, self.inspector):
            process._wait_until.clear()  # noqa: SLF001

    def journal_text(self, role: str) -> str:
        return (self.root / role / JOURNAL).read_text()

    def kinds(self, role: str) -> list[str]:
        """The kinds of the lines of a journal."""
        return [json.loads(line)["kind"] for line in self.journal_text(role).splitlines()]


@contextmanager
def refusal(code: str) -> Iterator[list[Refused]]:
    """What happens inside is refused, with this code."""
    caught: list[Refused] = []
    with pytest.raises(Refused) as info:
        yield caught
    caught.append(info.value)
    assert info.value.code == code, info.value.message
