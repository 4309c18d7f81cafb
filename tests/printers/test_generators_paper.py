"""The generator's own paper on a receipt printer, read back strictly."""

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
        if fault in (Fault.NONE, Fault.NEAR_END, Fault.SLOW):
            printer.print(b"x")
            return
        monkeypatch.setattr(printer_module, "_TIMEOUT_SECONDS", 0.3)
        for act in (printer.check_ready, partial(printer.print, b"x")):
            with pytest.raises(NotReady):
                act()
        assert len(virtual.papers) == 2
    finally:
        virtual.stop()
