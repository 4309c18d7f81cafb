"""What was on paper, for whoever watches: the very bytes, but for the validation code."""

from dataclasses import dataclass

from app.clock import time_text
from app.flow.access import Credentials, at_work
from app.flow.office import Office
from app.flow.permissions import Permission
from app.flow.refusals import No, say_no
from app.flow.slips import slip_of
from app.store.queries import paper as queries
from app.store.queries.paper import Event, Kept
from app.store.tables import RollName
from app.store.unit import Unit
from printers import slips


@dataclass(frozen=True)
class Look:
    """What was on paper: its bytes without the code by their width, and what became of it."""

    kept: dict[str, Kept]  # the newest last
    steps: list[Event]
    told: dict[str, object]

    def on_paper(self, copy: int, roll: str | None) -> Kept:
        """Return what was on a paper or a copy of it, as wide as it was last printed.

        Refuses: a copy that was never printed; paper for which it was never made.
        """
        steps = [step for step in self.steps if step.copy == copy]
        printed = [step.roll for step in steps if step.roll is not None]
        kept = self.kept.get(roll or next(reversed(printed or list(self.kept)), ""))
        if kept is None or not steps:
            raise say_no(No.NO_SUCH_PAPER)
        return kept


def ticket_as_printed(
    office: Office, credentials: Credentials, number: int
) -> tuple[slips.TicketSlip, str]:
    """Return a ticket as it stands on paper, and how wide that is; it need not be printed yet.

    Refuses: whoever may not see it; a ticket that is not there, or is in an archive.
    """
    with office.database.reading() as connection:
        unit = Unit(office.database, connection)
        at_work(credentials, Permission.TICKET_LOOK_UP)(unit)
        entry = queries.paper_of_ticket(connection, number)
        job = None if entry is None else queries.job(connection, entry)
        if job is None:
            raise say_no(No.UNKNOWN_TICKET, number=number)
        if not job.body:  # what is archived is looked at in the archive
            raise say_no(No.NO_SUCH_PAPER)
        printer = queries.printer_of(connection, job.station)
        slip = slip_of(office, unit, job)
    if not isinstance(slip, slips.TicketSlip):
        raise TypeError("the paper of a ticket is none")
    return slip, printer.roll if printer else RollName.WIDE.value


def look_at_paper(office: Office, credentials: Credentials, paper: int) -> Look:
    """Return what was on a paper, but for the code (X-ticket-validation).

    Refuses: whoever may not see it; a paper that is not there.
    """
    with office.database.reading() as connection:
        at_work(credentials, Permission.PAPER_SEE)(Unit(office.database, connection))
        job = queries.job(connection, paper)
        if job is None:
            raise say_no(No.NO_SUCH_PAPER)
        kept = queries.kept_papers(connection, paper)
        steps = queries.events(connection, paper)
    told: dict[str, object] = {
        "paper": paper,
        "slip": job.slip.value,
        "about": job.payload,
        "made": {roll: each.digest.hex() for roll, each in kept.items()},
        "events": [
            {
                "copy": step.copy,
                "state": step.state,
                "why": step.why,
                "kicked": step.kicked,
                "printer": step.printer,
                "roll": step.roll,
                "time": time_text(step.at),
            }
            for step in steps
        ],
    }
    return Look(kept, steps, told)
