"""The ways to a printer: what is sent arrives, what cannot be sent is said, nothing hangs."""

import os
import pty
import stat
import threading
from pathlib import Path

import pytest

from printers import devices
from printers.devices import Cups, File, Network, Serial, Usb, device_at
from printers.paper import WIDE
from printers.sending import Ending, send_paper
from printers.status import Status, answer_to, read_status
from tests.printers.golden import paper

PAPER = paper("void", WIDE.name)


@pytest.mark.parametrize(
    ("address", "device"),
    [
        ("tcp:10.0.0.9:9101", Network("10.0.0.9", 9101)),
        ("tcp:printer", Network("printer", 9100)),
        ("usb:/dev/usb/lp0", Usb(Path("/dev/usb/lp0"))),
        ("serial:/dev/ttyS0:9600", Serial("/dev/ttyS0", 9600)),
        ("file:/tmp/paper", File(Path("/tmp/paper"))),  # noqa: S108  it is not opened
        ("cups:booth", Cups("booth")),
    ],
)
def test_an_address_names_a_device(address: str, device: object) -> None:
    assert device_at(address) == device


@pytest.mark.parametrize("address", ["", "tcp:", "lpt1", "smb:host", "tcp:host:port"])
def test_what_is_no_address_is_refused(address: str) -> None:
    with pytest.raises(ValueError, match=r"no address|invalid literal"):
        device_at(address)


def test_a_file_has_every_paper_one_behind_the_other(tmp_path: Path) -> None:
    device = File(tmp_path / "paper")
    assert [send_paper(device, PAPER).ending for _ in range(2)] == [Ending.SENT] * 2
    assert (tmp_path / "paper").read_bytes() == PAPER * 2
    missing = send_paper(File(tmp_path / "no" / "paper"), PAPER)
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
    assert send_paper(Cups("booth"), PAPER).ending is Ending.SENT
    assert (tmp_path / "got").read_bytes() == PAPER
    assert (tmp_path / "said").read_text().split() == ["-d", "booth", "-o", "raw", "--", "-"]
    refused = send_paper(Cups("nowhere"), PAPER)
    assert refused.why == "The print queue does not take the paper."
    monkeypatch.setenv("PATH", str(tmp_path / "empty"))
    assert send_paper(Cups("booth"), PAPER).ending is not Ending.SENT


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

    raw = Serial(place, 38_400)
    with raw.connected():  # which makes the terminal take bytes as they are
        pass
    monkeypatch.setattr(devices, "ANSWER_SECONDS", 5.0)
    thread = threading.Thread(target=answer, daemon=True)
    thread.start()
    device = raw if kind == "serial" else Usb(Path(place))
    plain = bytes(byte for byte in PAPER if byte not in b"\r\n\x03\x04\x11\x13\x1a\x1c\x7f\x12")
    outcome = send_paper(device, plain if kind == "usb" else PAPER)
    assert outcome.ending is Ending.CONFIRMED
    assert (plain if kind == "usb" else PAPER) in bytes(received)
    thread.join(5)
    os.close(theirs)


@pytest.mark.parametrize(
    "device", [Usb(Path("/nowhere/lp0")), Serial("/nowhere/tty"), Network("127.0.0.1", 1)]
)
def test_a_printer_that_is_not_there_fails_with_nothing_sent(device: object) -> None:
    outcome = send_paper(device, PAPER)  # type: ignore[arg-type]
    assert outcome.ending is Ending.FAILED


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
