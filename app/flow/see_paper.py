"""What was on paper, for whoever watches: the very bytes, but for the validation code."""

from dataclasses import dataclass

from app.clock import time_text
from app.flow.access import Credentials, at_work
from app.flow.office import Office
from app.flow.permissions import Permission
from app.flow.refusals import No, say_no
from app.store.queries import paper as queries
from app.store.unit import Unit


@dataclass(frozen=True)
class Look:
    """What was on paper: its bytes without the code, and what became of it."""

    roll: str
    data: bytes
    told: dict[str, object]


def look_at_paper(office: Office, credentials: Credentials, paper: int) -> Look:
    """Return what was on a paper, but for the code (X-ticket-validation).

    Refuses: whoever may not see it; a paper that is not there or was never printed.
    """
    with office.database.reading() as connection:
        at_work(credentials, Permission.PAPER_SEE)(Unit(office.database, connection))
        job = queries.job(connection, paper)
        found = queries.kept_paper(connection, paper)
        if job is None or found is None:
            raise say_no(No.NO_SUCH_PAPER)
        steps = queries.events(connection, paper)
    told: dict[str, object] = {
        "paper": paper,
        "slip": job.slip.value,
        "about": job.payload,
        "digest": found.digest.hex(),
        "events": [
            {
                "copy": step.copy,
                "state": step.state,
                "why": step.why,
                "kicked": step.kicked,
                "time": time_text(step.at),
            }
            for step in steps
        ],
    }
    return Look(found.roll, found.data, told)
