"""What is not sold for now: series, schedules, spot counts of a schedule."""

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Connection, func, select

from app.store.tables import SaleStop, Staff

# The newest word on each thing. An aggregate groups what is not there as one, on both engines.
_NEWEST = select(func.max(SaleStop.entry)).group_by(
    SaleStop.series, SaleStop.schedule, SaleStop.spots
)
_STOPPED = (
    select(
        SaleStop.series,
        SaleStop.schedule,
        SaleStop.spots,
        SaleStop.reason,
        SaleStop.at,
        Staff.code.label("by"),
    )
    .join(Staff, Staff.id == SaleStop.staff)
    .where(SaleStop.entry.in_(_NEWEST), SaleStop.stopped)
    .order_by(SaleStop.entry)
)


@dataclass(frozen=True)
class Stopped:
    """A series, a schedule or a spot count of one that is not sold."""

    series: str | None
    schedule: str | None
    spots: int | None
    reason: str
    at: datetime
    by: str

    @property
    def thing(self) -> tuple[str | None, str | None, int | None]:
        """Return what is stopped."""
        return self.series, self.schedule, self.spots


def stopped(connection: Connection) -> list[Stopped]:
    """Return everything that is not sold for now, the oldest stop first."""
    return [Stopped(*row) for row in connection.execute(_STOPPED)]
