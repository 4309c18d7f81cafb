"""Paper that is for no act: a shift's report, a draw record, an aggregate sheet, a test page.

Write order: there is one commit. *Crash before: it was not asked for.*
"""

from dataclasses import dataclass
from functools import partial

from app.audit.tags import Tag
from app.clock import time_text
from app.flow.access import Credentials, at_work
from app.flow.asking import Answer, Asking, answer_once, asking, kept
from app.flow.drawer import known_drawer
from app.flow.office import Office
from app.flow.permissions import Permission
from app.flow.refusals import No, say_no
from app.flow.slips import sheets_of
from app.store.queries import outcomes, settling, shifts
from app.store.queries import paper as queries
from app.store.queries.paper import PrinterRow
from app.store.queries.people import Worker
from app.store.records import paper as records
from app.store.tables import Slip
from app.store.unit import Unit

WANTED = {slip.value: slip for slip in (Slip.SHIFT, Slip.DRAW, Slip.AGGREGATE, Slip.TEST)}


@dataclass(frozen=True)
class Wanted:
    """A paper that is for no act: a shift's report, a draw record, an aggregate sheet, a test."""

    slip: Slip
    drawer: int | None = None
    series: str | None = None
    game: int | None = None
    part: int = 1  # of a sheet that has several


def print_wanted(
    office: Office, credentials: Credentials, wanted: Wanted, request: str | None
) -> Answer:
    """Have a paper printed that somebody asks for; return which it is.

    Refuses: whoever is not at work; a station without a printer; what there is nothing to print of;
    another's shift to everyone but a supervisor.
    """
    asked = asking(request, "print", vars(wanted) | {"slip": wanted.slip.value})
    worker = at_work(credentials, Permission.PAPER_PRINT)
    return answer_once(office, asked, worker, partial(_print_wanted, office, asked, wanted))


def _print_wanted(office: Office, asked: Asking, wanted: Wanted, unit: Unit, who: Worker) -> Answer:
    printer = queries.printer_of(unit.connection, who.station)
    if printer is None:
        raise say_no(No.NO_PRINTER, station=who.station_code)
    about = _about(unit, who, wanted, printer)
    now = unit.now()
    said = {"slip": wanted.slip.value, "about": about}
    body = {**said, "station": who.station_code, "writer": who.code, "time": time_text(now)}
    answer: Answer = said
    rows = [kept(who, asked, answer), *records.paper_rows(who.station, wanted.slip, about)]
    office.log_with(unit, Tag.PRINT, body, rows)
    return answer


def _about(unit: Unit, who: Worker, wanted: Wanted, printer: PrinterRow) -> dict[str, object]:
    """Return what a paper is about, if there is anything to print of it, and it is theirs to read.

    Whose shift somebody may not look at, they do not have printed either.
    """
    connection = unit.connection
    if wanted.slip is Slip.TEST:
        return {"printer": printer.code}
    if wanted.slip is Slip.SHIFT and wanted.drawer is not None:
        known_drawer(unit, who, wanted.drawer)
        if shifts.shift_of(connection, wanted.drawer) is None:
            raise say_no(No.NOT_TO_PRINT, why="the drawer is not closed.")
        return {"drawer": wanted.drawer}
    series, game = wanted.series or "", wanted.game or 0
    if wanted.slip is Slip.DRAW:
        outcome = outcomes.outcome(connection, series, game)
        if outcome is None or outcome.numbers is None:
            raise say_no(No.NOT_TO_PRINT, why="the game is not drawn.")
        return {"series": series, "game": game}
    if wanted.slip is Slip.AGGREGATE:
        settled = settling.settlement(connection, series, game)
        if (
            settled is None
            or settled.limit_cents is None
            or settled.win_cents == settled.paid_cents
        ):
            raise say_no(No.NOT_TO_PRINT, why="no limit was shared in the game.")
        if wanted.part > sheets_of(settled.winners):
            raise say_no(No.NOT_TO_PRINT, why="the sheet has not so many parts.")
        return {"series": series, "game": game, "part": wanted.part}
    raise say_no(No.NOT_TO_PRINT, why="it is not said of what.")
