"""The demonstration house in a folder of a test, as `make run` starts it."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any
from urllib.request import urlopen

from app.start import LISTENERS, ports_from
from tests.ports import free_ports
from tests.waiting import until

ROOT = Path(__file__).parent.parent
PORTS = len(LISTENERS)
ANSWER = 20  # seconds for one answer
SECONDS = 180  # until something is given up, on a machine that has other work as well
READY = "Ctrl-C stops the house."  # the last line of a start
ENDED_BY_ALARM = -signal.SIGALRM  # on a machine so busy that the house could not end in time


@dataclass
class Demonstration:
    """A demonstration house, started and stopped as often as a test likes."""

    folder: Path
    port: int = field(default_factory=lambda: free_ports(PORTS))
    url: str = "sqlite:///var/keno.db"
    interval: int = 3600
    environment: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.folder.mkdir(exist_ok=True)
        for name in ("wsgi.py", "docs"):
            if not (self.folder / name).exists():
                (self.folder / name).symlink_to(ROOT / name)
        self.address = f"http://localhost:{self.port}"
        self.ports = ports_from(self.port)
        self.output = self.folder / "output.txt"
        self.errors = self.folder / "errors.txt"
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def settings(self) -> dict[str, str]:
        """The environment of the house and of every command that is run in it."""
        return os.environ | {
            "KENO_DATABASE": self.url,
            "PYTHONPATH": str(ROOT),
            "PYTHONUNBUFFERED": "1",
            "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
            **self.environment,
        }

    @property
    def pid(self) -> int:
        assert self._process is not None
        return self._process.pid

    @property
    def told(self) -> dict[str, Any]:
        """What is in var/demo.json."""
        return dict(json.loads((self.folder / "var" / "demo.json").read_text()))

    @property
    def secrets(self) -> dict[str, str]:
        return {user["name"]: user["secret"] for user in self.told["users"]}

    def start(self) -> None:
        """Start it in a process group of its own, as a shell does; what it says is in two files."""
        command = [sys.executable, "-m", "app.start"]
        command += ["--port", str(self.port), "--interval", str(self.interval)]
        with self.output.open("w") as output, self.errors.open("a") as errors:
            self._process = subprocess.Popen(  # noqa: S603  our own program
                command,
                cwd=self.folder,
                env=self.settings,
                stdout=output,
                stderr=errors,
                process_group=0,
            )

    def wait_until_it_says(self, words: str) -> None:
        wait_for(lambda: words in self.said or self._has_ended)
        assert words in self.said, self.said + self.logged

    @property
    def said(self) -> str:
        """What it has printed since it was started last."""
        return self.output.read_text()

    @property
    def logged(self) -> str:
        """What its processes have written to standard error, since it was first started."""
        return self.errors.read_text()

    @property
    def _has_ended(self) -> bool:
        assert self._process is not None
        return self._process.poll() is not None

    def press_control_c(self) -> None:
        """As a terminal does: every process of the group in front gets the signal."""
        os.killpg(self.pid, signal.SIGINT)

    def send(self, number: signal.Signals) -> None:
        os.kill(self.pid, number)

    def wait_until_it_has_ended(self) -> int:
        """Return its exit code, once neither it nor a process that it started is left."""
        assert self._process is not None
        code = self._process.wait(SECONDS)
        wait_for(lambda: not self.processes())
        return code

    def processes(self) -> list[str]:
        """The commands of all processes that work in its folder."""
        return [command for _, command in processes_in(self.folder)]

    def begin(self, *command: str | Path, output: IO[str]) -> "subprocess.Popen[str]":
        """Start a command in its folder."""
        return subprocess.Popen(  # noqa: S603  our own program
            command, cwd=self.folder, env=self.settings, stdout=output, text=True
        )

    def run(self, *command: str | Path) -> "subprocess.CompletedProcess[str]":
        """Run a command in its folder to its end."""
        return subprocess.run(  # noqa: S603  our own program
            command,
            cwd=self.folder,
            env=self.settings,
            capture_output=True,
            text=True,
            check=False,
        )


def processes_in(folder: Path) -> Iterator[tuple[int, str]]:
    """The id and command of every process that works in a folder."""
    for place in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            if (place / "cwd").readlink() == folder.resolve():
                command = (place / "cmdline").read_bytes().replace(b"\0", b" ").decode()
                yield int(place.name), command


@contextmanager
def running(house: Demonstration) -> Iterator[Demonstration]:
    """Run a house until the test is done with it; then it ends cleanly."""
    with ExitStack() as at_end:
        house.start()
        at_end.callback(stop, house)
        house.wait_until_it_says(READY)
        yield house


def stop(house: Demonstration) -> None:
    """Stop a house if it runs, and check that it ends cleanly."""
    house.press_control_c()
    assert house.wait_until_it_has_ended() in {0, ENDED_BY_ALARM}
    assert_no_fault(house)


def assert_no_fault(house: Demonstration) -> None:
    """No process told of an exception."""
    for words in ("Traceback", "process.failed", "KeyboardInterrupt", "Exception ignored"):
        assert words not in house.said + house.logged, house.logged


def wait_for(happened: Callable[[], object]) -> None:
    """Wait until a condition holds; where nobody listens yet it does not."""

    def seen() -> object:
        with suppress(OSError):
            return happened()
        return None

    until(seen, seconds=SECONDS)


def read_json(address: str) -> Any:  # noqa: ANN401  whatever it is
    with urlopen(address, timeout=ANSWER) as answer:  # noqa: S310  loopback
        return json.load(answer)


def results(address: str) -> list[dict[str, Any]]:
    return list(read_json(f"{address}/results.json")["games"])
