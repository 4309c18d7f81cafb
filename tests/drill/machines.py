"""Machines of the drill: network namespaces on one switch, whose cables can be cut.

A cut is silent, as a cable that is pulled out at the switch: packets go nowhere, and nobody is
told. So that any two machines can be cut from each other while both reach the rest, each of them is
given a hardware address for the other that nobody has.
"""

import ctypes
import os
import pwd
import re
import signal
import subprocess
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path

from tests.drill.packages import CannotDrill

NOBODY = "02:00:00:00:00:99"
_CLONE_NEWNET = 0x40000000
_LEFT = re.compile(r"keno([0-9]+)-")


@dataclass
class Network:
    """The switch, and all machines on it."""

    tag: str = field(default_factory=lambda: f"keno{os.getpid()}")
    machines: dict[str, "Machine"] = field(default_factory=dict)
    _cut: set[tuple[str, str]] = field(default_factory=set)

    def __post_init__(self) -> None:
        """Make the switch.

        Raises:
            CannotDrill: this machine does not let us.
        """
        sweep()
        try:
            _ip("netns", "add", self._switch)
            _ip("-n", self._switch, "link", "add", "name", "switch", "type", "bridge")
            _ip("-n", self._switch, "link", "set", "switch", "up")
        except subprocess.CalledProcessError as trouble:
            self.remove()
            raise CannotDrill(
                "Network namespaces cannot be made here; run the drill as root on a machine of its "
                f"own, or in a container with --privileged. ({trouble.stderr.strip()})"
            ) from None

    @property
    def _switch(self) -> str:
        return f"{self.tag}-switch"

    def add(self, name: str, address: str) -> "Machine":
        """Put a machine on the switch."""
        machine = Machine(name, address, f"{self.tag}-{name}")
        space = machine.namespace
        _ip("netns", "add", space)
        self.machines[name] = machine
        cable = ("link", "add", "name", f"to-{name}", "netns", self._switch, "type", "veth")
        _ip(*cable, "peer", "name", "eth0", "netns", space)
        _ip("-n", self._switch, "link", "set", f"to-{name}", "master", "switch", "up")
        _ip("-n", space, "addr", "add", f"{address}/24", "dev", "eth0")
        _ip("-n", space, "link", "set", "eth0", "up")
        _ip("-n", space, "link", "set", "lo", "up")
        return machine

    def move_to(self, machine: "Machine") -> None:
        """Move this process to a machine: it must have no other thread yet."""
        with Path(f"/run/netns/{machine.namespace}").open() as space:
            libc = ctypes.CDLL(None, use_errno=True)
            if libc.setns(space.fileno(), _CLONE_NEWNET) != 0:
                raise OSError(ctypes.get_errno(), "setns")

    def cut(self, some: Iterable["Machine"], others: Iterable["Machine"]) -> None:
        """Cut every one of some from every one of the others."""
        for one, other in product(some, others):
            for here, there in ((one, other), (other, one)):
                to_nobody = ("neigh", "replace", there.address, "lladdr", NOBODY)
                _ip("-n", here.namespace, *to_nobody, "dev", "eth0", "nud", "permanent")
                self._cut.add((here.namespace, there.address))

    def mend(self) -> None:
        """Put all cables back."""
        for space, address in self._cut:
            _ip("-n", space, "neigh", "del", address, "dev", "eth0")
        self._cut.clear()

    def remove(self) -> None:
        """Take everything away, with whatever still runs there."""
        for machine in self.machines.values():
            machine.signal(signal.SIGKILL)
        for space in (self._switch, *(each.namespace for each in self.machines.values())):
            with suppress(subprocess.CalledProcessError):
                _ip("netns", "del", space)


@dataclass(frozen=True)
class Machine:
    """One machine."""

    name: str
    address: str
    namespace: str

    def pids(self) -> list[int]:
        """Return every process on the machine, but for the drill's own."""
        listed = _ip("netns", "pids", self.namespace).split()
        return [int(pid) for pid in listed if int(pid) != os.getpid()]

    def signal(self, number: signal.Signals) -> None:
        """Send every process on the machine a signal; twice, for one that was just being born."""
        for _ in range(2):
            for pid in self.pids():
                with suppress(ProcessLookupError):
                    os.kill(pid, number)


def sweep() -> None:
    """Take away what a drill left behind that was killed itself."""
    for line in _ip("netns", "list").splitlines():
        space = line.split()[0]
        found = _LEFT.match(space)
        if found is not None and not Path(f"/proc/{found[1]}").exists():
            Machine(space, "", space).signal(signal.SIGKILL)
            _ip("netns", "del", space)


@dataclass
class Program:
    """A program on a machine, which is killed, frozen and started again."""

    name: str
    machine: Machine
    command: Sequence[str]
    folder: Path  # where it is run, and its log is kept
    environment: Mapping[str, str] = field(default_factory=dict)
    account: str | None = None
    _process: "subprocess.Popen[bytes] | None" = None

    def start(self) -> None:
        """Start it."""
        inside = ["ip", "netns", "exec", self.machine.namespace, "setpriv", "--pdeathsig", "KILL"]
        if self.account is not None:
            group = pwd.getpwnam(self.account).pw_gid
            inside += ["--reuid", self.account, "--regid", str(group), "--clear-groups"]
        with (self.folder / f"{self.name}.log").open("ab") as log:
            self._process = subprocess.Popen(  # noqa: S603  what the drill runs
                [*inside, *self.command],
                cwd=self.folder,
                env={**os.environ, "HOME": str(self.folder), **self.environment},
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )

    def signal(self, number: signal.Signals) -> None:
        """Send it and its own processes a signal."""
        if self._process is not None:
            with suppress(ProcessLookupError):
                os.killpg(self._process.pid, number)

    def kill(self) -> None:
        """Kill it, at once."""
        self.signal(signal.SIGKILL)
        if self._process is not None:
            self._process.wait()

    @property
    def is_running(self) -> bool:
        """Whether it runs, as far as it was started."""
        return self._process is not None and self._process.poll() is None


def _ip(*words: str) -> str:
    done = subprocess.run(  # noqa: S603  the system's own program
        ["ip", *words],  # noqa: S607  wherever the system has it
        check=True,
        capture_output=True,
        text=True,
    )
    return done.stdout
