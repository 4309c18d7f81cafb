"""A rehearsal: both processes for real, with test keys, in a folder that is thrown away.

For the collector that goes the whole way (`sample --full`) and for benchmarks. The house is called
a rehearsal and its jurisdiction too, so that nothing of it can be taken for the real thing.
"""

import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from rng.core.records import Role
from rng.lab.practice import PracticeOffice, set_up
from rng.serve.ceremony import Part, make_journal, make_keys
from rng.serve.commands import CONTROL_SOCKET
from rng.serve.places import SERVICE_SOCKET
from rng.serve.protocol import Address, Client, Unreachable

HOLDERS: dict[Role, tuple[str, str]] = {
    "rng": ("First supervisor", "Second supervisor"),
    "inspector": ("First inspector", "Second inspector"),
}
SERIES = {"M": 1, "S": 1}
_START_SECONDS = 90
_CHEAP_SCRYPT = 2


def rehearse(count: int, series: str = "M") -> Iterator[list[int]]:
    """Yield the numbers of so many games, drawn by both processes."""
    with TemporaryDirectory(prefix="keno-") as folder, rehearsal(Path(folder)) as office:
        for _ in range(count):
            yield office.draw(series)["record"]["body"]["numbers"]


@contextmanager
def rehearsal(root: Path) -> Iterator[PracticeOffice]:
    """Hold a ceremony, start and unlock both processes, and give out an office for them."""
    found(root)
    with ExitStack() as stack:
        for role in ("inspector", "rng"):
            stack.enter_context(running(root, role))
            unlock(root, role)
        rng, inspector = (client(root / role / SERVICE_SOCKET) for role in ("rng", "inspector"))
        stack.callback(rng.close)
        stack.callback(inspector.close)
        office = PracticeOffice(root / "office", root / "public", rng, inspector)
        stack.callback(office.close)
        yield office


def found(root: Path) -> None:
    """Hold the ceremony: keys of everyone, then both journals."""
    public = root / "public"
    set_up(root / "office", public, "Rehearsal", SERIES, jurisdiction="rehearsal")
    parts = [Part(role, root / role, public) for role in HOLDERS]
    for part in parts:
        make_keys(part, passphrases(part.role), _CHEAP_SCRYPT)
    for part in parts:
        first = HOLDERS[part.role][0]
        make_journal(part, first, passphrases(part.role)[first])


def passphrases(role: Role) -> dict[str, str]:
    """Return the passphrases of a rehearsal, which are no secret."""
    return {name: f"rehearsal of the {name}" for name in HOLDERS[role]}


@contextmanager
def running(root: Path, role: str) -> Iterator[None]:
    """Run a process of the rehearsal, and end it."""
    process = start(root, role, f"unix:{root / 'inspector' / SERVICE_SOCKET}", [])
    try:
        yield
    finally:
        process.terminate()
        process.communicate(timeout=_START_SECONDS)


def start(root: Path, role: str, inspector: str, further: list[str]) -> "subprocess.Popen[str]":
    """Start a process of the rehearsal, sealed as every process is when it starts."""
    command = [sys.executable, "-m", "rng", role, "serve", "--dir", str(root / role), *further]
    if role == "rng":
        command += ["--inspector", inspector, "--printer", f"file:{root / 'paper.txt'}"]
    return subprocess.Popen(  # noqa: S603  our own module, by the running interpreter
        command, stdout=subprocess.PIPE, text=True, cwd=Path(__file__).parents[2]
    )


def unlock(root: Path, role: Role) -> None:
    """Unlock a process as its first holder, as soon as it listens."""
    holder = HOLDERS[role][0]
    control = client(root / role / CONTROL_SOCKET)
    end = time.monotonic() + _START_SECONDS
    while True:
        try:
            control.call("unlock", {"holder": holder, "passphrase": passphrases(role)[holder]})
        except Unreachable:
            if time.monotonic() > end:
                raise
            time.sleep(0.05)
        else:
            break
    control.close()


def client(path: Path) -> Client:
    """Return a connection to a socket of the rehearsal."""
    return Client(Address(path=str(path)))
