"""What is to be printed."""

from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, select

from app.store.tables import PrintJob, Slip, Station


@dataclass(frozen=True)
class Job:
    """A slip for a station's printer."""

    id: int
    station: str
    slip: Slip
    payload: Any


def jobs_after(connection: Connection, last: int) -> list[Job]:
    """Return the jobs that came after one, in order."""
    found = (
        select(PrintJob.id, Station.code, PrintJob.slip, PrintJob.payload)
        .join(Station, Station.id == PrintJob.station)
        .where(PrintJob.id > last)
        .order_by(PrintJob.id)
        .limit(1000)
    )
    return [Job(row.id, row.code, Slip(row.slip), row.payload) for row in connection.execute(found)]
