"""A real web server for tests and benchmarks: granian, our wsgi.py, a port of its own."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from http import HTTPStatus
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from typing import Any

from tests.ports import free_port

ROOT = Path(__file__).parents[2]
OPEN = "/open-another-house"  # which only the application of `warm` has
START_SECONDS = 60


class Server:
    """A web server that can be killed and started again on the same port."""

    application = "wsgi:app"

    def __init__(
        self, url: str, keys: Path, workers: int = 1, threads: int = 4, *, quiet: bool = False
    ) -> None:
        self.port = free_port()
        self._keys = str(keys)
        self._environment = os.environ | {"KENO_DATABASE": url, "KENO_KEYS": self._keys}
        self._command = [sys.executable, "-m", "granian", "--interface", "wsgi", "--no-ws"]
        self._command += ["--host", "127.0.0.1", "--port", str(self.port)]
        self._command += ["--workers", str(workers), "--blocking-threads", str(threads)]
        self._command += ["--backpressure", "256", "--log-level", "error", self.application]
        self._said = subprocess.DEVNULL if quiet else None
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start it, and wait until it answers."""
        self._process = subprocess.Popen(  # noqa: S603  our own server
            self._command,
            cwd=ROOT,
            env=self._environment,
            start_new_session=True,
            stderr=self._said,
        )
        end = time.monotonic() + START_SECONDS
        while True:
            try:
                with closing(Client(self.port)) as client:
                    assert client.ask("GET", "/readyz")[0] == 200
            except (OSError, HTTPException):
                assert time.monotonic() < end, "the server did not come up"
                time.sleep(0.05)
            else:
                return

    @property
    def is_running(self) -> bool:
        """Whether it was started and not killed since."""
        return self._process is not None and self._process.poll() is None

    def kill(self) -> None:
        """Kill it and all its workers, at once."""
        assert self._process is not None
        with suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()

    def memory_bytes(self) -> int:
        """Return what all its processes hold in memory."""
        assert self._process is not None
        pages = 0
        for statm in Path("/proc").glob("[0-9]*/statm"):
            with suppress(OSError):
                if os.getpgid(int(statm.parent.name)) == self._process.pid:
                    pages += int(statm.read_text().split()[1])
        return pages * os.sysconf("SC_PAGE_SIZE")


class WarmServer(Server):
    """A web server that opens one house after the other: loading what it needs takes seconds."""

    application = "tests.web.warm:app"

    def open(self, url: str) -> None:
        """Have it serve the house of a database, also when it is started again."""
        self._environment = os.environ | {"KENO_DATABASE": url, "KENO_KEYS": self._keys}
        settings = {
            name: text for name, text in self._environment.items() if name.startswith("KENO_")
        }
        if not self.is_running:
            self.start()
            return
        with closing(Client(self.port)) as client:
            assert client.ask("POST", OPEN, settings)[0] == HTTPStatus.OK


@contextmanager
def serving(
    url: str, keys: Path, workers: int = 1, threads: int = 4, *, quiet: bool = False
) -> Iterator[Server]:
    """Run a server until the test is done with it."""
    server = Server(url, keys, workers, threads, quiet=quiet)
    server.start()
    try:
        yield server
    finally:
        server.kill()


class Client:
    """A station's connection: kept open, as stations keep it."""

    def __init__(self, port: int, headers: dict[str, str] | None = None) -> None:
        self._headers = {"Content-Type": "application/json", **(headers or {})}
        self._connection = HTTPConnection("127.0.0.1", port, timeout=60)

    def ask(
        self, method: str, path: str, body: object = None, request: str | None = None
    ) -> tuple[int, dict[str, Any]]:
        """Ask, and return status and answer; OSError or HTTPException if there is none."""
        headers = self._headers | ({"Idempotency-Key": request} if request else {})
        data = None if body is None else json.dumps(body)
        self._connection.request(method, path, data, headers)
        answer = self._connection.getresponse()
        return answer.status, json.loads(answer.read())

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()
