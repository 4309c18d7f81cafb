"""A machine of its own with systemd: a Debian 12 in a folder, started from its first process on.

It has the kernel of this machine, and neither its network nor its clock.
"""

import json
import os
import shutil
import signal
import subprocess
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from tests.debian import install_missing

PROGRAMS = {
    "debootstrap": "debootstrap",
    "systemd-nspawn": "systemd-container",
    "ip": "iproute2",
    "nsenter": "util-linux",
}
SYSTEM = ("systemd", "systemd-sysv", "dbus", "procps", "make")
START_SECONDS = 300.0
COMMAND_SECONDS = 900.0
ENVIRONMENT = {
    "PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
    "HOME": "/root",
    "LANG": "C.UTF-8",
}


class CannotBoot(Exception):  # noqa: N818  the text is the remedy
    """No machine can be started here."""


class Failed(Exception):  # noqa: N818  what was typed, and what it said
    """A command on the machine ended with a fault."""


def check_programs() -> None:
    """See to it that everything is here; what is missing is installed, if that can be done.

    Raises:
        CannotBoot: with what to type.
    """
    if os.geteuid() != 0:
        raise CannotBoot("A machine is started by root alone.")
    if (remedy := install_missing(missing_packages)) is not None:
        raise CannotBoot(remedy)


def missing_packages() -> list[str]:
    """Return which of Debian's packages are not here."""
    missing = {package for program, package in PROGRAMS.items() if shutil.which(program) is None}
    return sorted(missing)


@dataclass
class Machine:
    """One machine, and the addresses that it has."""

    folder: Path
    names: Mapping[str, str]
    _namespace: str = field(default_factory=lambda: f"keno-boot{os.getpid()}")
    _container: "subprocess.Popen[bytes] | None" = None
    _first: int = 0  # the id of its first process, as this machine sees it

    @property
    def root(self) -> Path:
        """Its files."""
        return self.folder / "root"

    def make(self, packages: set[str]) -> None:
        """Install Debian 12 in the folder, with packages.

        Raises:
            CannotBoot: it could not be fetched.
        """
        include = ",".join(sorted({*SYSTEM, *packages}))
        command = ["debootstrap", "--variant=minbase", f"--include={include}", "bookworm"]
        with (self.folder / "debootstrap.log").open("wb") as log:
            done = subprocess.run(  # noqa: S603  Debian's own program
                [*command, str(self.root)], check=False, stdout=log, stderr=subprocess.STDOUT
            )
        if done.returncode != 0:
            raise CannotBoot(f"Debian 12 could not be installed: {log.name} says why.")
        (self.root / "etc/hostname").write_text("web1\n")
        hosts = ["127.0.0.1 localhost web1", *(f"{at} {name}" for name, at in self.names.items())]
        (self.root / "etc/hosts").write_text("\n".join([*hosts, ""]))

    def boot(self) -> float:
        """Switch it on; return how many seconds it took until all was started.

        Raises:
            CannotBoot: this machine does not let us.
        """
        began = time.monotonic()
        if not Path("/run/netns", self._namespace).exists():
            ip("netns", "add", self._namespace)
            ip("-n", self._namespace, "link", "set", "lo", "up")
            for address in self.names.values():
                ip("-n", self._namespace, "addr", "add", f"{address}/32", "dev", "lo")
        with (self.folder / "console.log").open("ab") as log:
            self._container = subprocess.Popen(  # noqa: S603  systemd's own program
                [  # noqa: S607  wherever the system has it
                    "systemd-nspawn",
                    "--boot",
                    "--quiet",
                    "--register=no",
                    "--keep-unit",
                    "--resolv-conf=off",
                    "--timezone=off",
                    f"--machine={self._namespace}",
                    f"--directory={self.root}",
                    f"--network-namespace-path=/run/netns/{self._namespace}",
                ],
                env=os.environ | {"SYSTEMD_NSPAWN_UNIFIED_HIERARCHY": "1"},
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        children = Path(f"/proc/{self._container.pid}/task/{self._container.pid}/children")
        while time.monotonic() - began < START_SECONDS and self._container.poll() is None:
            for child in map(int, children.read_text().split()):
                if Path(f"/proc/{child}/comm").read_text() == "systemd\n":
                    self._first = child
                    self._wait_until_started(began + START_SECONDS)
                    return time.monotonic() - began
            time.sleep(0.2)
        raise CannotBoot(f"systemd does not start here: {log.name} says why.")

    def _wait_until_started(self, end: float) -> None:
        """Wait for what is started with the machine; whether all of it was is looked at later."""
        state = "systemctl is-system-running --wait 2>/dev/null || true"
        while self.run(state).strip() not in {"running", "degraded"}:
            if time.monotonic() > end:
                raise CannotBoot(f"systemd does not come up: see {self.folder}/console.log.")
            time.sleep(0.2)

    def run(self, line: str, typed: str = "") -> str:
        """Have root type a line, in the folder of the product; return what it said.

        Raises:
            Failed: it ended with a fault.
        """
        inside = ["nsenter", f"--target={self._first}", "--all", "--wdns=/", "/usr/bin/env", "-i"]
        given = [f"{name}={value}" for name, value in ENVIRONMENT.items()]
        done = subprocess.run(  # noqa: S603  what the page says, in the machine
            [*inside, *given, "/bin/bash", "-o", "pipefail", "-c", f"cd /srv/keno; {line}"],
            input=typed,
            capture_output=True,
            text=True,
            check=False,
            timeout=COMMAND_SECONDS,
        )
        if done.returncode != 0:
            raise Failed(f"{line}: {done.returncode}\n{done.stdout}{done.stderr}")
        return done.stdout

    def shown(self, unit: str, name: str) -> str:
        """Return what systemd knows of a unit."""
        return self.run(f"systemctl show --property={name} --value {unit}").strip()

    def memory_mb(self, unit: str) -> int:
        """Return how much memory a unit has, with what its processes share counted once."""
        first = self.shown(unit, "MainPID")
        counted = "cat $(printf '/proc/%s/smaps_rollup ' $(pgrep -P PID) PID)".replace("PID", first)
        lines = [line.split() for line in self.run(counted).splitlines()]
        return sum(int(words[1]) for words in lines if words[0] == "Pss:") // 1024

    def lines_of_failure(self) -> list[str]:
        """Return what the journal tells of failures to whatever watches the machine."""
        told = self.run("journalctl --boot --identifier=keno --priority=crit --output=json")
        return [json.loads(line)["MESSAGE"] for line in told.splitlines()]

    def cut_power(self) -> None:
        """Switch it off, at once."""
        if self._container is not None:
            if self._container.poll() is None and self._first:
                os.kill(self._first, signal.SIGKILL)
            elif self._container.poll() is None:
                self._container.kill()
            self._container.wait()
        self._container, self._first = None, 0

    def remove(self) -> None:
        """Take everything away but its logs."""
        self.cut_power()
        if Path("/run/netns", self._namespace).exists():
            ip("netns", "del", self._namespace)
        shutil.rmtree(self.root, ignore_errors=True)


def ip(*words: str) -> None:
    """Change the network of the machine."""
    done = subprocess.run(  # noqa: S603  the system's own program
        ["ip", *words],  # noqa: S607  wherever the system has it
        check=False,
        capture_output=True,
        text=True,
    )
    if done.returncode != 0:
        raise CannotBoot(f"Network namespaces cannot be made here: {done.stderr.strip()}")
