"""Who acts, and from where, as it stands in the log."""

from dataclasses import dataclass

from app.store.queries.people import Person, Worker
from app.store.tables import Role

CONSOLE = "console"


@dataclass(frozen=True)
class Actor:
    """A person at a station or at the console, as they were when they were asked who they are."""

    staff: int
    code: str
    role: Role
    place: str
    worker: Worker | None = None  # of somebody at a station: how they are signed in there

    def document(self) -> dict[str, object]:
        """Return who acts, for the log."""
        return {"staff": self.code, "role": self.role.value, "at": self.place}


@dataclass(frozen=True)
class Sitting:
    """Somebody who has the console, its keys and the database, and has not shown who they are."""

    user: str  # as the machine knows them

    def document(self) -> dict[str, object]:
        """Return who that is, for the log; entries from before have no user."""
        return {"at": CONSOLE, "user": self.user}


def actor_as(person: Person, place: str) -> Actor:
    """Return a person who gave their name and secret somewhere as who acts."""
    return Actor(person.id, person.code, person.role, place)


def actor_of(worker: Worker) -> Actor:
    """Return a worker as who acts."""
    return Actor(worker.staff, worker.code, worker.role, worker.station_code, worker)
