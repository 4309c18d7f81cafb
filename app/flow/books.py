"""The books: worked out at one moment, and what was found recorded (X-audit-books).

The caller has it done once a gaming day, by a process of its own (`app.nightly`): it takes long,
holds nothing that anybody waits for, and games go on meanwhile. What it says is over the log as it
was then, whose size and root it names.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from app.audit.archives import NO_ARCHIVES, Shelf
from app.audit.books import Progress, check_books
from app.audit.faults import Fault, Finding
from app.audit.tags import Tag
from app.clock import time_text
from app.flow.day import gaming_day
from app.flow.office import Office
from app.software import software_hash
from app.store.queries import log
from app.store.queries.log import Head
from app.store.tables import BooksRun
from rng.merkle import EMPTY_ROOT

TOLD = 5  # faults of each check that stand in the log
WORDS = 300  # characters of one of them


@dataclass(frozen=True)
class Worked:
    """The books as they were worked out."""

    found: Mapping[str, Finding]
    head: Head
    gaming_day: str
    began_at: datetime

    @property
    def faults(self) -> list[Fault]:
        """All that is wrong, as far as it is told."""
        return [fault for finding in self.found.values() for fault in finding]

    @property
    def count(self) -> int:
        """How much is wrong."""
        return sum(len(finding) for finding in self.found.values())

    def document(self, told: int | None = None) -> dict[str, object]:
        """Return what was found; of each check so many faults are told, or all."""
        return {
            "gaming_day": self.gaming_day,
            "log": {"size": self.head.size, "root": self.head.root.hex()},
            "software": software_hash(),
            "looked_at": {name: finding.looked_at for name, finding in self.found.items()},
            "faults_of": {name: len(finding) for name, finding in self.found.items()},
            "faults": self.count,
            "checks": {name: _told(finding, told) for name, finding in self.found.items()},
            "time": time_text(self.began_at),
        }


def _told(finding: Finding, told: int | None) -> list[dict[str, str]]:
    return [
        {"code": fault.check, "message": fault.message[:WORDS]} for fault in list(finding)[:told]
    ]


def work_out_books(
    office: Office,
    archives: Shelf = NO_ARCHIVES,
    progress: Progress = lambda *_: None,
) -> Worked:
    """Work the books out, from all that is there at one moment; nothing is changed by it.

    Args:
        office: the office.
        archives: the archives that are at hand.
        progress: is told now and then how far it is.
    """
    now, house = office.now(), office.house
    day = gaming_day(now, house.time_zone, house.day_starts_minutes).isoformat()
    draw_keys = office.keyed.public_keys() if office.keyed is not None else {}
    with office.database.reading(at_length=True) as connection:
        head = log.head(connection) or Head(0, EMPTY_ROOT)
        signed_by = office.keys.log.public_key()
        signed = (house.log_origin, signed_by, draw_keys)
        found = check_books(connection, *signed, archives, progress=progress)
    return Worked(found, head, day, now)


def record_books(office: Office, worked: Worked) -> None:
    """Record what was found: the entry, and the row by which a supervisor is told of faults."""
    row = {
        "gaming_day": worked.gaming_day,
        "size": worked.head.size,
        "root": worked.head.root,
        "faults": worked.count,
        "began_at": worked.began_at,
    }
    with office.unit() as unit:
        body = {"house": office.house.name, **worked.document(TOLD)}
        office.log_with(unit, Tag.BOOKS, body, [(BooksRun, row)])
        unit.commit()
