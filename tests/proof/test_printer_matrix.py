"""Every fault of a printer at every single byte of a paper, and of the codes of a ticket."""

from pathlib import Path

import pytest

from printers.virtual import Fault
from tests.printers.faulty import TOLD, check_faults, end_of, within_codes


@pytest.mark.proof
@pytest.mark.rule("X-recovery", "X-ticket-exactly-once")
@pytest.mark.parametrize("fault", TOLD)
def test_what_is_said_of_a_paper_is_never_wrong_at_any_byte(
    fault: Fault, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    check_faults(fault, "void", range(end_of("void") + 1), tmp_path, monkeypatch)


@pytest.mark.proof
@pytest.mark.rule("X-recovery", "X-ticket-exactly-once")
@pytest.mark.parametrize("fault", TOLD)
def test_what_is_said_of_a_ticket_is_never_wrong_at_any_byte_of_its_codes(
    fault: Fault, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    check_faults(fault, "ticket", within_codes(), tmp_path, monkeypatch)
