"""`make run`: the demonstration house for real, stopped and started again, with a whole shift."""

import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.request import urlopen

import pytest

ROOT = Path(__file__).parent.parent
SECONDS = 60


@contextmanager
def running(folder: Path, url: str, port: int) -> Iterator["subprocess.Popen[bytes]"]:
    """Run the house in a folder until the test is done with it."""
    environment = os.environ | {"KENO_DATABASE": url, "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-m", "app.demo", "--port", str(port), "--interval", "3600"]
    house = subprocess.Popen(command, cwd=folder, env=environment)  # noqa: S603  our own module
    try:
        yield house
    finally:
        house.send_signal(signal.SIGINT)
        assert house.wait(SECONDS) == 0


def wait_until_ready(address: str) -> dict[str, str]:
    end = time.monotonic() + SECONDS
    while True:
        try:
            with urlopen(f"{address}/readyz") as answer:  # noqa: S310  loopback
                return dict(json.load(answer))
        except OSError:
            assert time.monotonic() < end, "the house did not come up"
            time.sleep(0.1)


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as server:
        return int(server.getsockname()[1])


@pytest.mark.rule("X-recovery", "X-ticket-exactly-once")
def test_the_demonstration_house_runs_a_shift_is_stopped_and_goes_on(
    tmp_path: Path, empty_url: str
) -> None:
    (tmp_path / "docs").mkdir()
    script = tmp_path / "docs" / "try_it.py"
    script.write_text((ROOT / "docs" / "try_it.py").read_text())
    (tmp_path / "wsgi.py").write_text((ROOT / "wsgi.py").read_text())
    port = free_port()
    address = f"http://127.0.0.1:{port}"
    for shift in (1, 2):
        with running(tmp_path, empty_url, port):
            assert wait_until_ready(address)["status"] == "ready"
            done = subprocess.run(  # noqa: S603  our own script
                [sys.executable, str(script)], capture_output=True, text=True, check=False
            )
            assert done.returncode == 0, done.stdout + done.stderr
            assert f"Ticket {3 * shift - 1}-" in done.stdout
            assert "over or short: 0 cents" in done.stdout
            with urlopen(address) as page:
                assert b"Demonstration house" in page.read()
    assert (tmp_path / "var" / "demo.json").stat().st_mode & 0o777 == 0o600
    environment = os.environ | {"KENO_DATABASE": empty_url, "KENO_KEYS": str(tmp_path / "var/keys")}
    keno = [sys.executable, "-c", "from app.cli import console; console()"]
    for command in (["books"], ["log", "verify"]):
        checked = subprocess.run([*keno, *command], env=environment, cwd=ROOT, check=False)  # noqa: S603
        assert checked.returncode == 0
