"""Every fault of a printer, all along a paper; `make proof` tries each at every single byte."""

from pathlib import Path

import pytest

from printers.virtual import Fault
from tests.printers.faulty import ASKED_BEFORE, TOLD, check_faults, end_of, within_codes

ALL = end_of("void")
EDGES = {
    0,
    1,
    2,
    3,
    ASKED_BEFORE - 1,
    ASKED_BEFORE,
    ASKED_BEFORE + 1,
    *range(ALL - 17, ALL + 1, 4),
    ALL,
}


@pytest.mark.rule("X-recovery", "X-ticket-exactly-once")
@pytest.mark.parametrize("fault", TOLD)
def test_what_is_said_of_a_paper_is_never_wrong(
    fault: Fault, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    places = sorted(EDGES | set(range(0, ALL, 97)))
    check_faults(fault, "void", places, tmp_path, monkeypatch)


@pytest.mark.rule("X-recovery", "X-ticket-exactly-once", "X-ticket-barcode")
@pytest.mark.parametrize("fault", TOLD)
def test_what_is_said_of_a_ticket_that_breaks_within_its_codes_is_never_wrong(
    fault: Fault, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    check_faults(fault, "ticket", within_codes()[::5], tmp_path, monkeypatch)
