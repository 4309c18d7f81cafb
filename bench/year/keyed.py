"""Both keyed processes of the year: the real ones, in one process of their own, on a clock we set.

Every draw is theirs, with their own entropy and keys, and stands in their journals as it would in
a house. Left out are the sockets, and the waiting for the disk: a year that was not made to its end
is made again.
"""

from collections.abc import Mapping
from datetime import datetime, timedelta
from multiprocessing import get_context
from multiprocessing.connection import Connection
from pathlib import Path
from typing import cast

from app.demo import HOLDERS
from app.flow.keys import Keys
from app.rng_client import publish_terms
from bench.year.plan import FIRST_GAMES, house_plan
from rng.core.canonical import canonical, read_json
from rng.core.entropy import operating_system
from rng.core.records import Role
from rng.serve.afterwards import Devices
from rng.serve.ceremony import Part, make_journal, make_keys
from rng.serve.generator import GeneratorProcess
from rng.serve.inspector import InspectorProcess
from rng.serve.journal import Disk
from rng.serve.keyed import Surroundings
from rng.serve.protocol import read_reply
from rng.serve.refusals import Refused
from rng.serve.server import LOCAL
from rng.serve.tables import Answering, control, generator_service, inspector_service

CHEAP = 2  # to open the keys: their passphrases are in the program
PAPER = "generators-paper.txt"
Answer = dict[str, object]


class SetClock:
    """A clock that stands where it was put, and moves on by a millisecond when it is read."""

    def __init__(self, moment: datetime) -> None:
        self.moment = moment

    def __call__(self) -> datetime:
        """Read it."""
        self.moment += timedelta(milliseconds=1)
        return self.moment


class Unsynced(Disk):
    """A disk that is not waited for."""

    def sync(self, descriptor: int) -> None:
        """Leave it to the system."""


class Paper:
    """The generator's own paper: a file."""

    def __init__(self, path: Path) -> None:
        self._file = path.open("ab", buffering=0)

    def check_ready(self) -> None:
        """It always is."""

    def print(self, slip: bytes) -> None:
        """Add a slip."""
        self._file.write(slip)


def hold_ceremony(root: Path, keys: Keys, moment: datetime) -> None:
    """Hold the key ceremony of the house."""
    plan, public = house_plan(), root / "public"
    office = {"office": keys.office, "log": keys.log}
    publish_terms(public, plan.name, plan.jurisdiction, plan.log_origin, FIRST_GAMES, office)
    parts = [Part(role, root / role, public) for role in HOLDERS]
    for part in parts:
        make_keys(part, HOLDERS[part.role], CHEAP)
    for part in parts:
        holder, passphrase = _first_holder(part.role)
        surroundings = Surroundings(clock=SetClock(moment))
        make_journal(part, holder, passphrase, None, surroundings)


class KeyedPair:
    """The two processes, as whoever asks them one thing after the other reaches them."""

    def __init__(self, root: Path, clock: SetClock) -> None:
        """Start and unlock them where they have drawn already, or only held the ceremony."""
        self._clock = clock
        # Not a fork: whoever starts it may have a database open.
        context = get_context("spawn")
        self._line, theirs = context.Pipe()
        self._process = context.Process(target=_serve, args=(theirs, root, clock.moment))
        self._process.start()
        theirs.close()
        self._line.recv_bytes()

    def post(self, role: str, act: str, fields: Mapping[str, object] | None = None) -> None:
        """Ask for an act without waiting for the answer."""
        at = self._clock.moment.isoformat()
        asked = {"role": role, "at": at, "request": {**(fields or {}), "act": act}}
        self._line.send_bytes(canonical(asked))

    def collect(self) -> Answer:
        """Wait for the answer to what was asked last."""
        return read_reply(self._line.recv_bytes())

    def peer(self, role: str) -> "Peer":
        """Return one of them, for the flow."""
        return Peer(self, role)

    def close(self) -> None:
        """Stop them."""
        self._line.close()
        self._process.join()


class Peer:
    """One of the two, for the flow."""

    def __init__(self, pair: KeyedPair, role: str) -> None:
        self._pair, self._role = pair, role

    def call(self, act: str, fields: Mapping[str, object] | None = None) -> Answer:
        """Ask for an act and return its answer."""
        self._pair.post(self._role, act, fields)
        return self._pair.collect()

    def close(self) -> None:
        """Nothing is to be closed for one of them alone."""


# ---- in their own process ------------------------------------------------------------------------


class Beside:
    """The inspector, as the generator beside it asks it."""

    def __init__(self, answering: Answering) -> None:
        self._answering = answering
        self._owed: list[Answer | Refused] = []

    def call(self, act: str, fields: Mapping[str, object] | None = None) -> Answer:
        """Ask for an act and return its answer."""
        return dict(self._answering(LOCAL, {**(fields or {}), "act": act}))

    def post(self, act: str, fields: Mapping[str, object]) -> None:
        """Ask for an act; its answer is collected later."""
        try:
            self._owed.append(self.call(act, fields))
        except Refused as no:
            self._owed.append(no)

    def collect(self) -> list[Answer]:
        """Return the answers to what was posted."""
        owed, self._owed = self._owed, []
        for answer in owed:
            if isinstance(answer, Refused):
                raise answer
        return cast("list[Answer]", owed)


def _serve(line: Connection, root: Path, moment: datetime) -> None:
    """Answer one request after the other, until nobody asks any more."""
    clock = SetClock(moment)
    surroundings = Surroundings(clock, Unsynced())
    inspector = InspectorProcess(root / "inspector", surroundings)
    answering = {"inspector": inspector_service(inspector)}
    paper = Paper(root / PAPER)
    devices = Devices(operating_system, Beside(answering["inspector"]), paper, "simulated year")
    generator = GeneratorProcess(root / "rng", surroundings, devices)
    answering["rng"] = generator_service(generator)
    for process in (inspector, generator):
        holder, passphrase = _first_holder(process.role)
        control(process)(LOCAL, {"act": "unlock", "holder": holder, "passphrase": passphrase})
    line.send_bytes(b"unlocked")
    while True:
        try:
            asked = cast("dict[str, object]", read_json(line.recv_bytes()))
        except EOFError:
            break
        clock.moment = datetime.fromisoformat(cast("str", asked["at"]))
        request = cast("Mapping[str, object]", asked["request"])
        reply: Answer
        try:
            reply = {"answer": answering[cast("str", asked["role"])](LOCAL, request)}
        except Refused as no:
            reply = {"refused": no.document()}
        line.send_bytes(canonical(reply))
        generator.after()
    for process in (generator, inspector):
        process.journal.close()


def _first_holder(role: Role) -> tuple[str, str]:
    return next(iter(HOLDERS[role].items()))
