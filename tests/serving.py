"""A printer that a spooler serves, for tests in which none runs."""

from app.flow.lease import Watch, printer_lease, take_lease
from tests.floor import Floor


def serve(floor: Floor, printer: str = "P-B1") -> None:
    """Take the lease of a printer, as a spooler that has just started does."""
    assert take_lease(floor.office, printer_lease(printer), "spooler", Watch(lambda: 0.0))
