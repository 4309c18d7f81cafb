"""Helpers of `test_proxy_at_work` that other tests use too."""

import re
import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from http.client import HTTPConnection, HTTPException
from pathlib import Path

from tests.deploy.programs import program
from tests.ports import free_port

START_SECONDS = 60.0


def as_installed(text: str, web: int, port: int, other: int | None = None) -> str:
    """A configuration of the proxy, but for addresses; whoever asks in a test does without TLS."""
    if other is None:
        text = re.sub(r" *server (web|feed)2 .*\n", "", text)
    text = text.replace("10.0.0.11:8000", f"127.0.0.1:{web}")
    text = text.replace("10.0.0.12:8000", f"127.0.0.1:{other}")
    dropped = r"ssl-default-bind|log |option httplog|http-request redirect|bind :80$|user |group "
    text = re.sub(rf"^ *({dropped}).*\n", "", text, flags=re.MULTILINE)
    text = text.replace("maxconn 20000", "maxconn 500")
    return re.sub(r"bind :443 .*", f"bind 127.0.0.1:{port}", text)


@contextmanager
def running_proxy(text: str, web: int, folder: Path, other: int | None = None) -> Iterator[int]:
    """Run HAProxy with a configuration, in front of one or two web processes; return its port."""
    port = free_port()
    haproxy = shutil.which("/usr/sbin/haproxy") or program("haproxy", "haproxy")
    (folder / "haproxy.cfg").write_text(as_installed(text, web, port, other))
    command = [haproxy, "-db", "-f", str(folder / "haproxy.cfg")]
    running = subprocess.Popen(command)  # noqa: S603  its own program
    try:
        end = time.monotonic() + START_SECONDS
        while asked(port) != 200:
            assert running.poll() is None, "it says why not"
            assert time.monotonic() < end, "the proxy did not come up"
            time.sleep(0.1)
        yield port
    finally:
        running.kill()
        running.wait()


def asked(
    port: int,
    method: str = "GET",
    path: str = "/check",
    body: bytes | None = None,
    seconds: float = START_SECONDS,
) -> int:
    """Ask, and return the status; 0 if there was no answer in time."""
    headers = {"Content-Type": "application/x-www-form-urlencoded"} if body else {}
    with (
        closing(HTTPConnection("127.0.0.1", port, timeout=seconds)) as line,
        suppress(OSError, HTTPException),
    ):
        line.request(method, path, body, headers)
        return line.getresponse().status
    return 0
