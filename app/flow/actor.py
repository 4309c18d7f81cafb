"""Who acts, and from where, as it stands in the log."""

from dataclasses import dataclass

from app.store.queries.people import Worker
from app.store.tables import Role


@dataclass(frozen=True)
class Actor:
    """A person at a station or at the console."""

    staff: int
    code: str
    role: Role
    place: str

    def document(self) -> dict[str, object]:
        """Return who acts, for the log."""
        return {"staff": self.code, "role": self.role.value, "at": self.place}


def actor_of(worker: Worker) -> Actor:
    """Return a worker as who acts."""
    return Actor(worker.staff, worker.code, worker.role, worker.station_code)
