"""The generator's own paper on a receipt printer, read back strictly."""

import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path

import pytest

from printers.paper import WIDE
from printers.reader import Printed, Reader
from printers.virtual import Fault, VirtualPrinter
from rng.serve import printer as printer_module
from rng.serve.printer import NotReady, printer_at


@pytest.mark.rule("15.5(a)-record")
@pytest.mark.parametrize("fault", list(Fault))
def test_a_receipt_printer_is_ready_and_done_or_says_why_not(
    tmp_path: Path, fault: Fault, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The paper is read back strictly, by a printer that knows nothing of the generator."""
    monkeypatch.setattr(printer_module, "_TIMEOUT_SECONDS", 60)
    virtual = VirtualPrinter("RNG", WIDE, tmp_path / "paper")
    virtual.start()
    try:
        printer = printer_at(f"escpos:127.0.0.1:{virtual.port}")
        printer.check_ready()
        printer.print(b"GAME M-1  DRAWN\n   1   2   3\n")
        texts = [
            event.text
            for event in Reader().read(virtual.papers[-1].read_bytes())
            if isinstance(event, Printed)
        ]
        assert texts[:2] == ["GAME M-1  DRAWN", "   1   2   3"]
        printer.print("Caf\u00e9".encode())
        assert b"Caf\\xe9" in virtual.papers[-1].read_bytes()
        virtual.misbehave(fault)
        if fault in (Fault.NONE, Fault.NEAR_END, Fault.SLOW, Fault.SPOILED):
            printer.print(b"x")
            return
        monkeypatch.setattr(printer_module, "_TIMEOUT_SECONDS", 0.3)
        for act in (printer.check_ready, partial(printer.print, b"x")):
            with pytest.raises(NotReady):
                act()
        assert len(virtual.papers) == 2
    finally:
        virtual.stop()


@contextmanager
def talking(talk: Callable[[socket.socket], None]) -> Iterator[str]:
    """A printer that talks as it likes; its address."""
    with socket.create_server(("127.0.0.1", 0)) as listening:

        def serve() -> None:
            with suppress(OSError):
                line, _ = listening.accept()
                with line:
                    talk(line)

        thread = threading.Thread(target=serve)
        thread.start()
        yield f"escpos:127.0.0.1:{listening.getsockname()[1]}"
        thread.join()


def answer_questions(line: socket.socket, count: int) -> None:
    """Answer some questions: all is well."""
    for _ in range(count):
        line.recv(3)
        line.sendall(b"\x12")


@pytest.mark.rule("15.5(a)-record")
def test_a_printer_that_never_stops_talking_is_not_waited_for_for_ever(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(printer_module, "_TIMEOUT_SECONDS", 0.3)

    def babble(line: socket.socket) -> None:
        answer_questions(line, 3)
        while True:
            line.sendall(b"\x90")  # no answer to anything
            time.sleep(0.01)

    with talking(babble) as place:
        began = time.monotonic()
        with pytest.raises(NotReady, match=r"timed out|did not say that it was done"):
            printer_at(place).print(b"x")
        assert time.monotonic() - began < 60


@pytest.mark.rule("15.5(a)-record")
def test_a_printer_that_hangs_up_was_not_done() -> None:
    def hang_up(line: socket.socket) -> None:
        answer_questions(line, 3)
        line.recv(4096)
        line.shutdown(socket.SHUT_RDWR)

    with (
        talking(hang_up) as place,
        pytest.raises(NotReady, match=r"hung up before it was done|reset"),
    ):
        printer_at(place).print(b"x")


@pytest.mark.rule("15.5(a)-record")
def test_what_a_printer_said_before_it_was_asked_is_no_answer() -> None:
    """It says unasked that its cover was open, as one that was just closed does."""
    printed = []

    def stale(line: socket.socket) -> None:
        answer_questions(line, 3)
        printed.append(line.recv(4096))
        line.sendall(b"\x00\x16\x16")  # done; and then what nobody asked for
        for _ in range(3):
            line.recv(3)
            line.sendall(b"\x12")

    with talking(stale) as place:
        printer_at(place).print(b"x")
    (sent,) = printed
    assert b"x\n" in sent
