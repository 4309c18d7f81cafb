"""The web process as its unit starts it: it speaks to nobody who shows no certificate of the house.

With certificates that were made by the commands of the page, and the proxy as it is installed.
"""

import os
import re
import shlex
import signal
import socket
import ssl
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path

import pytest

from app.certificates import Use, Wanted, issue, make_authority
from app.cli import main
from tests.deploy.conftest import PRODUCT
from tests.deploy.haproxy import FILE
from tests.deploy.proxy_at_work import asked, running_proxy
from tests.deploy.units import DEPLOY, environment
from tests.floor import Floor
from tests.house_commands import Typed
from tests.ports import free_port
from tests.waiting import until

pytestmark = pytest.mark.machine

NAME = "web1.keno.example"
START_SECONDS = 60.0
PASSPHRASE = "the authority of a test"  # noqa: S105  a test's own


@pytest.fixture
def made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the certificates of the page, and those of an authority of somebody else."""
    for folder in (tmp_path / "out", tmp_path / "others"):
        authority = str(folder / "authority")
        wanted = [["authority", "--name", "Test authority", "--dir", authority]]
        for name, use in ((NAME, "server"), ("proxy", "client")):
            words = ["issue", name, "--for", use, "--out", str(folder), "--dir", authority]
            wanted.append(words)
        for words in wanted:
            monkeypatch.setattr("sys.stdin", Typed([PASSPHRASE]))
            assert main(["certificates", *words]) == 0
    return tmp_path


@contextmanager
def web_process(folder: Path) -> Iterator[tuple[int, int]]:
    """Run the web process as its unit does, on a machine whose files are in a folder."""
    url = f"sqlite:///{folder / 'keno.db'}"
    Floor.opened(url, folder, real_clock=True).close()
    out = folder / "out"
    (folder / "scrape.token").write_text("a secret of the test's own\n")
    (folder / "scrape.token").chmod(0o600)
    port = free_port()
    given = {
        **environment(DEPLOY / "etc/web.env"),
        "GRANIAN_HOST": "127.0.0.1",
        "GRANIAN_PORT": str(port),
        "GRANIAN_WORKERS": "1",
        "GRANIAN_SSL_CERTIFICATE": str(out / f"{NAME}.pem"),
        "GRANIAN_SSL_KEYFILE": str(out / f"{NAME}.key"),
        "GRANIAN_SSL_CA": str(out / "authority/authorities.pem"),
        "KENO_SCRAPE": str(folder / "scrape.token"),
        "KENO_DATABASE": url,
        "KENO_KEYS": str(folder / "keys"),
    }
    unit = (DEPLOY / "systemd/keno-web.service").read_text()
    (line,) = re.findall(r"^ExecStart=\S+/run granian (.*)$", unit, re.MULTILINE)
    command = [sys.executable, "-m", "granian", *shlex.split(line)]
    running = subprocess.Popen(  # noqa: S603  our own server
        command, cwd=PRODUCT, env=os.environ | given, start_new_session=True
    )
    try:
        until(
            lambda: answer(port, out, out / "proxy.pem") == 200 or running.poll() is not None,
            "the web process did not come up",
            START_SECONDS,
        )
        assert running.poll() is None, "it says why not"
        yield port, running.pid
    finally:
        with suppress(ProcessLookupError):
            os.killpg(running.pid, signal.SIGKILL)
        running.wait()


def answer(port: int, out: Path, shown: Path | None) -> int:
    """What somebody is answered who shows a certificate, or none; 0 if it is nothing."""
    context = ssl.create_default_context(cafile=out / "authority/authorities.pem")
    if shown is not None:
        context.load_cert_chain(shown, shown.with_suffix(".key"))
    try:
        with (
            socket.create_connection(("127.0.0.1", port), timeout=60) as plain,
            context.wrap_socket(plain, server_hostname=NAME) as line,
        ):
            line.sendall(b"GET /readyz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
            return int(line.recv(64).split()[1])
    except (OSError, IndexError):
        return 0


@pytest.mark.rule("X-access")
def test_a_web_process_answers_who_shows_a_certificate_of_the_house_and_nobody_else(
    made: Path,
) -> None:
    out, others = made / "out", made / "others"
    with web_process(made) as (port, _):
        assert answer(port, out, None) == 0
        assert answer(port, out, others / "proxy.pem") == 0
        assert asked(port, seconds=4) == 0  # without TLS
        assert answer(port, out, out / "proxy.pem") == 200
        # And the proxy itself, as it is installed.
        for name, parts in {
            "proxy.pem": (out / "proxy.pem", out / "proxy.key"),
            "authorities.pem": (out / "authority/authorities.pem",),
        }.items():
            (made / name).write_bytes(b"".join(part.read_bytes() for part in parts))
        text = FILE.read_text().replace("/etc/haproxy/", f"{made}/")
        with running_proxy(text, port, made) as front:
            assert asked(front) == 200


@pytest.mark.rule("X-access", "X-recovery")
def test_a_new_authority_counts_when_the_web_process_was_told_to_read_it_and_not_before(
    made: Path,
) -> None:
    """So everybody reads it first, and nothing is renewed before: that is the page's order."""
    out = made / "out"
    with web_process(made) as (port, pid):
        now = datetime.now(UTC)
        make_authority(out / "authority", "Test authority", PASSPHRASE, now)
        wanted = Wanted("renewed", (), (Use.CLIENT,))
        renewed = issue(out / "authority", PASSPHRASE, wanted, out, now)
        assert answer(port, out, out / "proxy.pem") == 200
        assert answer(port, out, renewed) == 0
        os.kill(pid, signal.SIGHUP)  # as `systemctl reload` does
        until(lambda: answer(port, out, renewed) == 200, "it does not read it", START_SECONDS)
        assert answer(port, out, out / "proxy.pem") == 200  # the old one still does
