"""The ways to a printer: what is sent arrives, what cannot be sent is said, nothing hangs."""

import os
import pty
import socket
import stat
import threading
import time
from pathlib import Path

import pytest

from printers import sending
from printers.devices import Cups, Device, File, Network, Serial, Unreachable, Usb, device_at
from printers.paper import WIDE
from printers.sending import Ending, Outcome, send_paper
from printers.status import Status, answer_to, read_status
from tests.printers.golden import paper
from tests.printing import PRINTING

PAPER = paper("void", WIDE.name)
PATIENCE = 60.0  # for a printer that answers, on a machine that has other work as well


def sent(device: Device, data: bytes = PAPER, done_seconds: float = PATIENCE) -> Outcome:
    outcome = send_paper(device, lambda: data, done_seconds)
    assert outcome is not None
    return outcome


@pytest.mark.parametrize(
    ("address", "device"),
    [
        ("tcp:10.0.0.9:9101", Network("10.0.0.9", 9101)),
        ("tcp:printer", Network("printer", 9100)),
        ("usb:/dev/usb/lp0", Usb(Path("/dev/usb/lp0"))),
        ("serial:/dev/ttyS0", Serial("/dev/ttyS0", 38_400)),
        ("serial:/dev/ttyS0:9600", Serial("/dev/ttyS0", 9600)),
        ("serial:/dev/ttyS0:9600:xoff", Serial("/dev/ttyS0", 9600, by_xoff=True)),
        ("file:/tmp/paper", File(Path("/tmp/paper"))),  # noqa: S108  it is not opened
        ("cups:booth", Cups("booth")),
    ],
)
def test_an_address_names_a_device(address: str, device: object) -> None:
    assert device_at(address, PRINTING) == device


@pytest.mark.parametrize("address", ["", "tcp:", "lpt1", "smb:host", "tcp:host:port"])
def test_what_is_no_address_is_refused(address: str) -> None:
    with pytest.raises(ValueError, match=r"no address|invalid literal"):
        device_at(address, PRINTING)


def test_a_file_has_every_paper_one_behind_the_other(tmp_path: Path) -> None:
    device = File(tmp_path / "paper", allowed=PRINTING)
    assert [sent(device).ending for _ in range(2)] == [Ending.SENT] * 2
    assert (tmp_path / "paper").read_bytes() == PAPER * 2
    assert stat.S_IMODE((tmp_path / "paper").stat().st_mode) == 0o600  # codes are in it
    missing = sent(File(tmp_path / "no" / "paper", allowed=PRINTING))
    assert (missing.ending, missing.why) == (
        Ending.FAILED,
        "The file of the printer cannot be written.",
    )


def test_a_queue_of_cups_takes_the_bytes_as_they_are(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With a stand-in for lp that keeps what it is given; there is no CUPS on most machines."""
    lp = tmp_path / "lp"
    lp.write_text(
        f'#!/bin/sh\necho "$@" > {tmp_path}/said\ncat > {tmp_path}/got\n[ "$2" = booth ]\n'
    )
    lp.chmod(lp.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    assert sent(Cups("booth", allowed=PRINTING)).ending is Ending.SENT
    assert (tmp_path / "got").read_bytes() == PAPER
    assert (tmp_path / "said").read_text().split() == ["-d", "booth", "-o", "raw", "--", "-"]
    refused = sent(Cups("nowhere", allowed=PRINTING))
    assert refused.why == "The print queue does not take the paper."
    monkeypatch.setenv("PATH", str(tmp_path / "empty"))
    assert (
        sent(Cups("booth", allowed=PRINTING)).why
        == "There is no CUPS on this machine: lp is missing."
    )


@pytest.mark.parametrize("kind", ["serial", "usb"])
def test_a_line_that_answers_confirms(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """On the two ends of a terminal: what a kernel gives for a serial line or a USB printer."""
    ours, theirs = pty.openpty()
    os.set_blocking(ours, True)
    place = os.ttyname(theirs)
    received = bytearray()
    stop = threading.Event()

    def answer() -> None:
        while not stop.is_set():
            received.extend(os.read(ours, 1))
            if received[-3:-1] == b"\x10\x04":
                os.write(ours, bytes([answer_to(received[-1], Status())]))
            if received[-3:] == b"\x1dr\x01":
                os.write(ours, b"\x00")
                stop.set()
        for _ in range(4):
            question = os.read(ours, 3)
            os.write(ours, bytes([answer_to(question[-1], Status())]))

    raw = Serial(place, 38_400, allowed=PRINTING)
    with raw.connected():  # which makes the terminal take bytes as they are
        pass
    monkeypatch.setattr(sending, "ANSWER_SECONDS", PATIENCE)
    thread = threading.Thread(target=answer, daemon=True)
    thread.start()
    device = raw if kind == "serial" else Usb(Path(place), allowed=PRINTING)
    plain = bytes(byte for byte in PAPER if byte not in b"\r\n\x03\x04\x11\x13\x1a\x1c\x7f\x12")
    outcome = sent(device, plain if kind == "usb" else PAPER)
    assert outcome.ending is Ending.CONFIRMED
    assert (plain if kind == "usb" else PAPER) in bytes(received)
    thread.join(PATIENCE)
    os.close(theirs)


@pytest.mark.parametrize(
    "device",
    [
        Usb(Path("/nowhere/lp0"), allowed=PRINTING),
        Serial("/nowhere/tty", allowed=PRINTING),
        Serial("/dev/null", 10**14, allowed=PRINTING),
        Network("127.0.0.1", 1, allowed=PRINTING),
        Network("booth..lan", allowed=PRINTING),
    ],
)
def test_a_printer_that_is_not_there_fails_with_nothing_sent(device: Device) -> None:
    outcome = sent(device)
    assert outcome.ending is Ending.FAILED


@pytest.mark.rule("X-ticket-exactly-once")
@pytest.mark.parametrize(
    ("said", "ending"),
    [
        (b"", Ending.UNKNOWN),
        (b"\x11", Ending.UNKNOWN),  # XON
        (b"\x13\x11", Ending.UNKNOWN),  # XOFF, XON
        (b"\x12\x12", Ending.UNKNOWN),  # late answers to earlier questions
        (b"\x72", Ending.UNKNOWN),
        (b"\x0c", Ending.UNKNOWN),  # done, and no paper
        (b"\x11\x00", Ending.CONFIRMED),
        (b"\x03", Ending.CONFIRMED),  # done, and nearly no paper
    ],
)
def test_only_the_answer_behind_the_cut_says_that_a_paper_is_done(
    said: bytes, ending: Ending, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By a printer that answers every question well, and says something else beside."""
    monkeypatch.setattr(sending, "ANSWER_SECONDS", PATIENCE)
    done_within = 0.2 if ending is Ending.UNKNOWN else PATIENCE
    with socket.create_server(("127.0.0.1", 0)) as listening:

        def answer() -> None:
            line, _ = listening.accept()
            received = b""
            line.sendall(b"\x00")  # something stale, before anything is asked
            while piece := line.recv(1):
                received += piece
                if received[-3:-1] == b"\x10\x04":
                    line.sendall(bytes([answer_to(received[-1], Status())]))
                if received[-3:] == b"\x1dr\x01":
                    line.sendall(said)
            line.close()

        thread = threading.Thread(target=answer, daemon=True)
        thread.start()
        outcome = sent(
            Network("127.0.0.1", listening.getsockname()[1], allowed=PRINTING),
            b"\x1b@x\n",
            done_within,
        )
        thread.join(PATIENCE)
    assert outcome.ending is ending


@pytest.mark.rule("15.4(c)")
def test_a_device_or_a_pipe_is_no_file(tmp_path: Path) -> None:
    """What is sent there could neither be seen onto a disk nor be asked about."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    assert (
        sent(File(pipe, allowed=PRINTING)).ending is Ending.FAILED
    )  # nobody reads it, and nobody waits
    reading = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    for path in (pipe, Path("/dev/null")):
        assert sent(File(path, allowed=PRINTING)) == Outcome(
            Ending.FAILED, "This is no file but a device: use usb: or serial: for it."
        )
    os.close(reading)


def test_a_serial_line_is_not_shared() -> None:
    ours, theirs = os.openpty()
    line = Serial(os.ttyname(theirs), by_xoff=True, allowed=PRINTING)
    with line.connected(), pytest.raises(Unreachable), line.connected():
        pass
    with line.connected():
        pass
    for handle in (ours, theirs):
        os.close(handle)


def test_a_serial_line_waits_for_a_printer_that_says_xoff() -> None:
    """With a buffer that is smaller than the paper: nothing of it is lost."""
    ours, theirs = pty.openpty()
    received = bytearray()

    def slow() -> None:
        pause = 200
        while len(received) < len(PAPER):
            received.extend(os.read(ours, 32))
            if len(received) > pause:
                os.write(ours, b"\x13")
                time.sleep(0.05)
                os.write(ours, b"\x11")
                pause += 200

    device = Serial(os.ttyname(theirs), 38_400, by_xoff=True, allowed=PRINTING)
    with device.connected():
        pass
    thread = threading.Thread(target=slow, daemon=True)
    thread.start()
    with device.connected() as line:
        line.send(PAPER)
        thread.join(PATIENCE)
    assert bytes(received) == PAPER
    os.close(theirs)


# ---- status --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "status",
    [
        Status(),
        Status(offline=True),
        Status(cover_open=True),
        Status(error=True),
        Status(paper_out=True),
        Status(paper_near_end=True),
    ],
)
def test_a_printer_is_understood_as_it_meant_it(status: Status) -> None:
    read = read_status(lambda question: answer_to(question, status))
    assert read is not None
    assert read.trouble == (status.trouble if status != Status(paper_near_end=True) else None)
    assert read.paper_near_end == status.paper_near_end


@pytest.mark.parametrize("answer", [None, 0x00, 0xFF, 0x10, 0x93])
def test_silence_and_nonsense_are_no_status(answer: int | None) -> None:
    assert read_status(lambda _question: answer) is None
