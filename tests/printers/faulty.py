"""A printer that fails at one byte of a paper after the other, and what is said of the paper."""

from collections.abc import Iterable
from pathlib import Path

import pytest

from printers import devices, sending
from printers.devices import Network
from printers.escpos import CLEARED
from printers.paper import WIDE
from printers.sending import BYTES_A_SECOND, LINES_A_SECOND, Ending, send_paper
from printers.virtual import STOPPED, Fault, VirtualPrinter
from tests.printers.golden import paper
from tests.printing import PRINTING

PAPERS = {name: paper(name, WIDE.name) for name in ("void", "ticket")}
ASKED_BEFORE = 3 + 12  # bytes: it is told to be quiet, and asked four questions
ASKED_BEHIND = 3 + 12  # behind the cut
TOLD = [fault for fault in Fault if fault is not Fault.SPOILED]  # of that one no line tells
QUICKLY, PATIENCE = 0.02, 20.0


def end_of(name: str) -> int:
    """After how many bytes all was said about a paper."""
    return ASKED_BEFORE + len(CLEARED) + len(PAPERS[name]) + ASKED_BEHIND


def within_codes() -> range:
    """The places of a ticket at which its bar code and its QR code are being sent."""
    ticket = PAPERS["ticket"]
    first, last = ticket.index(b"\x1dk"), ticket.rindex(b"\x1d(k")
    before = ASKED_BEFORE + len(CLEARED)
    return range(before + first, before + last + 8)


def check_faults(
    fault: Fault, name: str, places: Iterable[int], folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Have a printer fail at places, and check that what is said of the paper is never wrong."""
    data, end = PAPERS[name], end_of(name)
    behind = end - ASKED_BEHIND
    allowed = QUICKLY - (data.count(b"\n") / LINES_A_SECOND + len(data) / BYTES_A_SECOND)
    monkeypatch.setattr("printers.virtual.SLOW_SECONDS", QUICKLY / 4)
    for place in places:
        # A printer that fails is not waited for; one that does not has all the time it needs.
        sound = fault in {Fault.NONE, Fault.NEAR_END} or place >= end
        # What stops within the paper has answered before it, and one that knows why says so.
        stops_within = ASKED_BEFORE <= place < behind
        before = PATIENCE if sound or stops_within else QUICKLY
        after = PATIENCE if sound or (stops_within and fault in STOPPED) else QUICKLY
        monkeypatch.setattr(devices, "ANSWER_SECONDS", PATIENCE)
        monkeypatch.setattr(sending, "ANSWER_SECONDS", before)

        def take(after: float = after) -> bytes:
            monkeypatch.setattr(sending, "ANSWER_SECONDS", after)
            return data

        printer = VirtualPrinter("P", WIDE, folder / f"{name}-{fault}-{place}")
        printer.start()
        printer.misbehave(fault, place)
        outcome = send_paper(
            Network("127.0.0.1", printer.port, allowed=PRINTING),
            take,
            PATIENCE if sound else allowed,
        )
        assert outcome is not None
        printer.stop()
        whole = [path.read_bytes() for path in printer.papers] == [data]
        begun = bool(printer.printed_so_far) or bool(printer.papers)
        where = f"{fault} after {place} bytes: {outcome}"
        if outcome.ending is Ending.CONFIRMED:
            assert whole, where
        if outcome.ending is Ending.FAILED:
            assert not begun, where
        if sound:
            assert outcome.ending is Ending.CONFIRMED, where
        elif fault is not Fault.SLOW and place < behind:
            # Within the paper nobody knows. Between two questions the printer may have said already
            # that all was well.
            assert outcome.ending in {Ending.UNKNOWN, Ending.FAILED}, where
            if place >= ASKED_BEFORE:
                assert outcome.ending is Ending.UNKNOWN, where
            elif place == 0:
                assert outcome.ending is Ending.FAILED, where
        if fault in STOPPED and stops_within:  # elsewhere it cuts a question
            assert outcome.why == STOPPED[fault].trouble, where
