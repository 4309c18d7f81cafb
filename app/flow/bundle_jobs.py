"""Bundles that are asked for from a page: whoever makes the reports makes them too.

Whoever may take bundles away asks for one of some closed days, sees how far it is, and fetches it
when it is ready; both stand in the log. Write order: as of a report (`app.flow.report_jobs`), and
of a bundle (`app.flow.export`) within it.
"""

from collections.abc import Iterator
from datetime import date
from functools import partial
from pathlib import Path

from app.audit.archives import read_shelf
from app.flow.access import Credentials, at_work
from app.flow.actor import Actor
from app.flow.asking import Answer, Asking, answer_once, asking, kept
from app.flow.export import Exported, export_days
from app.flow.office import Office
from app.flow.permissions import Permission
from app.flow.refusals import No, say_no
from app.flow.report import Progress, reports_of
from app.flow.report_jobs import ID_BYTES, Wanted, queue_job
from app.reports.catalogue import CATALOGUE
from app.store.queries import bundles, reports
from app.store.queries.people import Worker
from app.store.queries.reports import JobRow
from app.store.unit import Unit

BUNDLE, TITLE, FORM = "bundle", "Signed bundle", "zip"
PLACE = "reporter"


def ask_bundle(
    office: Office, credentials: Credentials, first: date, last: date, request: str | None
) -> Answer:
    """Ask for a bundle of some days; return under which id it is being made.

    Refuses: whoever may not take records away; days in the wrong order, or not closed.
    """
    what = asking(request, "bundle", {"from": str(first), "to": str(last)})
    worker = at_work(credentials, Permission.RECORDS_EXPORT)
    return answer_once(office, what, worker, partial(_ask, office, what, first, last))


def _ask(  # noqa: PLR0913, PLR0917  what is asked, by whom, and in which transaction
    office: Office, what: Asking, first: date, last: date, unit: Unit, who: Worker
) -> Answer:
    if last < first:
        raise say_no(No.EXPORT_ORDER, first=first.isoformat(), last=last.isoformat())
    for day in (last, first):
        if bundles.closed_day(unit.connection, day) is None:
            raise say_no(No.EXPORT_NOT_CLOSED, day=day.isoformat())
    job = office.entropy(ID_BYTES).hex()
    answer: Answer = {"job": job}
    by = {"staff": who.code, "at": who.station_code}
    wanted = Wanted(BUNDLE, first, last, FORM)
    queue_job(office, unit, job, wanted, by, who.staff, [kept(who, what, answer)])
    return answer


def make_bundle(  # noqa: PLR0913, PLR0917  which one, where, from what, and who is told how far
    office: Office,
    job: JobRow,
    out: Path,
    public: Path | None,
    archives: Path | None,
    progress: Progress,
) -> Exported:
    """Make a bundle that somebody asked for.

    Args:
        office: the office.
        job: what was asked for.
        out: where it goes.
        public: the folder of public keys, for a process that does not speak with the two.
        archives: the folder in which archives are at hand, if there is one.
        progress: is told how far it is, and may end it.

    Refuses: whoever asked and may not any more; as `export_days` does.
    """
    with office.database.reading() as connection:
        asker = reports.who_asked(connection, job.id)
    if asker is None:
        raise LookupError(f"nobody asked for the bundle {job.id}")
    if asker.is_disabled:
        raise say_no(No.STAFF_DISABLED, name=asker.name)
    actor = Actor(asker.id, asker.code, asker.role, PLACE)
    along = _counted(reports_of(office, job.first, job.last), progress)
    files = read_shelf(archives).files if archives is not None and archives.is_dir() else ()
    return export_days(office, actor, job.first, job.last, out, along, files, public)


def _counted(
    reports_along: Iterator[tuple[str, bytes]], progress: Progress
) -> Iterator[tuple[str, bytes]]:
    """Yield the reports that go along, and tell how many; most of the work is in them."""
    total = sum(1 if each.is_detail else 2 for each in CATALOGUE.values())
    for done, each in enumerate(reports_along):
        progress(min(done, total), total)
        yield each
