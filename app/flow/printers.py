"""The printers of the house: where they are, and who prints on which (X-printer-place).

A slip carries the code of a ticket. So whatever changes where one comes out takes two people, an
administrator and a supervisor. The one exception: when a printer fails, a supervisor alone has a
station print on another printer of the same location, until the gaming day ends, and a slip on both
printers says so.

Write order: there is one commit in each act. *Crash before: nothing is changed.*
"""

import posixpath
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from app.audit.tags import Tag
from app.clock import time_text
from app.flow.access import permit, still_acting
from app.flow.actor import Actor
from app.flow.day import day_bounds, gaming_day
from app.flow.office import Office
from app.flow.permissions import Permission
from app.flow.placements import Placements, Using
from app.flow.refusals import No, say_no
from app.keno.refusals import quoted
from app.store.queries import paper as queries
from app.store.queries import people
from app.store.queries.paper import PrinterRow
from app.store.queries.people import StationRow
from app.store.records import paper as records
from app.store.tables import RollName, Slip
from app.store.unit import Unit
from printers.allowed import NotAllowed

_ADDRESS = re.compile(
    r"tcp:[A-Za-z0-9._-]+(:[0-9]{1,5})?|(usb|file):/\S+"
    r"|serial:/[^:\s]+(:[0-9]{3,7}(:xoff)?)?|cups:[A-Za-z0-9._-]+"
)
RAW_PORT = "9100"  # of a printer on the network, unless another is named
SPOOLER = "spooler"  # where it was seen that a day ended


@dataclass(frozen=True)
class PrinterPlan:
    """A printer as it is to be from now on, and the stations that print on it."""

    code: str
    address: str
    roll: str | None  # none: as it was; of a new one 80 mm
    stations: Sequence[str] = ()


# ---- two people ----------------------------------------------------------------------------------


def set_printer(
    office: Office, actor: Actor, plan: PrinterPlan, supervisor: Actor | None = None
) -> str:
    """Add a printer, have it elsewhere, or have stations print on it; return its width of paper.

    Args:
        office: the back office.
        actor: the administrator.
        plan: what is to be.
        supervisor: who does it with them; needed for whatever changes where a slip comes out.

    Refuses: a caller who lacks PRINTER_MANAGE, and a supervisor who lacks PRINTER_MIND; an address
    that is none, is not on the list of this machine, or is that of another printer, whose slips
    would be mixed with those of this one; an unknown width or station; a change of where slips come
    out without a supervisor.
    """
    permit(actor.role, Permission.PRINTER_MANAGE)
    if supervisor is not None:
        permit(supervisor.role, Permission.PRINTER_MIND)
    if not (plan.code.strip() and plan.code.isascii() and plan.code.isprintable()):
        raise say_no(No.NOT_PLAIN, "code", text=quoted(plan.code))
    if plan.roll is not None and plan.roll not in list(RollName):
        raise say_no(No.BAD_ROLL, "roll")
    _check_address(office, plan.address)
    with office.unit() as unit:
        unit.lock_printers()
        acting = [each for each in (actor, supervisor) if each is not None]
        still_acting(unit, *acting, what=Permission.PRINTER_MANAGE)
        stations = [_station(unit, code) for code in plan.stations]
        known = queries.printers(unit.connection)
        for other in known:
            if other.code != plan.code and _place(other.address) == _place(plan.address):
                raise say_no(No.ADDRESS_TAKEN, "address", printer=other.code)
        before = next((each for each in known if each.code == plan.code), None)
        if supervisor is None and _moves(unit, plan, before, stations):
            raise say_no(No.SUPERVISOR_NEEDED)
        roll = plan.roll or (RollName.WIDE.value if before is None else before.roll)
        body = {
            "printer": plan.code,
            "address": plan.address,
            "roll": roll,
            "stations": list(plan.stations),
            "by": actor.document(),
            "supervisor": supervisor and supervisor.code,
            "time": time_text(unit.now()),
        }
        entry = office.log(unit, Tag.PRINTER, body).id
        if before is None:
            printer = records.add_printer(unit, entry, plan.code, plan.address, roll)
        else:
            printer = before.id
            records.change_printer(unit, entry, printer, plan.address, roll)
        for station in stations:
            records.use_printer(unit, entry, station.id, printer)
        unit.commit()
    return roll


def _check_address(office: Office, address: str) -> None:
    """Check that an address is one, and on the list of this machine."""
    if not _ADDRESS.fullmatch(address):
        raise say_no(No.BAD_PRINTER, "address")
    try:
        office.allowed.check(address)
    except NotAllowed:
        raise say_no(No.NOT_LISTED, "address", address=address) from None
    except (OSError, UnicodeError):
        raise say_no(No.UNKNOWN_HOST, "address", address=address) from None


def _moves(
    unit: Unit, plan: PrinterPlan, before: PrinterRow | None, stations: Sequence[StationRow]
) -> bool:
    """Whether a plan changes where a slip comes out."""
    if before is None or before.address != plan.address:
        return True
    now = [queries.printer_of(unit.connection, each.id) for each in stations]
    return any(each is None or each.id != before.id for each in now)


def _station(unit: Unit, code: str) -> StationRow:
    station = people.station_coded(unit.connection, code)
    if station is None:
        raise say_no(No.NO_SUCH_STATION, station=quoted(code))
    return station


# ---- a supervisor, until the day ends ------------------------------------------------------------


def use_other_printer(office: Office, actor: Actor, station: str, printer: str) -> datetime | None:
    """Have a station print on another printer of its location until the gaming day ends.

    On its own printer, that ends. Asked again, nothing more is done.

    Returns:
        Until when; None: it is its own printer.

    Refuses: a caller who lacks PRINTER_MIND; an unknown station or printer; a station that has no
    printer; a printer that belongs to no station of the location.
    """
    permit(actor.role, Permission.PRINTER_MIND)
    with office.unit() as unit:
        unit.lock_printers()
        still_acting(unit, actor, what=Permission.PRINTER_MIND)
        here = _station(unit, station)
        placements = office.placements.read(unit.connection)
        using = placements.stations.get(here.code)
        before = queries.printer_of(unit.connection, here.id)
        if using is None or before is None:
            raise say_no(No.NO_PRINTER, station=here.code)
        after = _printer(unit, printer)
        if after.code not in _of_location(unit, placements, here):
            raise say_no(No.PRINTER_ELSEWHERE, printer=after.code, station=here.code)
        if after.id == before.id:
            return using.until
        now = unit.now()
        until = None if after.code == using.home else _end_of_day(office, now)
        body = _use(after, here, using, until) | {
            "by": actor.document(),
            "time": time_text(now),
        }
        about = {
            "station": here.code,
            "before": before.code,
            "after": after.code,
            "by": actor.code,
            "until": until and time_text(until),
        }
        rows = records.paper_rows(here.id, Slip.PRINTER, about)
        entry = office.log_with(unit, Tag.PRINTER, body, rows).id
        records.change_printer(unit, entry, after.id, after.address, after.roll)
        records.use_printer(unit, entry, here.id, after.id)
        # The other slip has an entry of its own: an act leaves one.
        said = {"slip": Slip.PRINTER.value, "about": about}
        told = {"station": here.code, "writer": actor.code, "time": time_text(now)}
        rows = records.paper_rows(here.id, Slip.PRINTER, about, bound=before.id)
        office.log_with(unit, Tag.PRINT, {**said, **told}, rows)
        unit.commit()
    return until


def end_loans(office: Office) -> None:
    """Have stations print on their own printers again that did not only until a day ended."""
    with office.database.reading() as connection:
        now = Unit(office.database, connection).now()
        if not _over(office.placements.read(connection), now):
            return
    with office.unit() as unit:
        unit.lock_printers()
        now = unit.now()
        for code, using in _over(office.placements.read(unit.connection), now).items():
            home, here = _printer(unit, using.home), _station(unit, code)
            body = _use(home, here, using, None) | {
                "by": {**using.by, "at": SPOOLER},
                "time": time_text(now),
            }
            entry = office.log(unit, Tag.PRINTER, body).id
            records.change_printer(unit, entry, home.id, home.address, home.roll)
            records.use_printer(unit, entry, here.id, home.id)
        unit.commit()


def _over(placements: Placements, now: datetime) -> Mapping[str, Using]:
    return {
        station: using
        for station, using in placements.stations.items()
        if using.until is not None and using.until <= now
    }


def _use(
    after: PrinterRow, here: StationRow, using: Using, until: datetime | None
) -> dict[str, object]:
    """Return what the log says of a station that prints elsewhere, or on its own printer again."""
    return {
        "printer": after.code,
        "address": after.address,
        "roll": after.roll,
        "stations": [here.code],
        "instead_of": using.home if until else using.printer,
        "until": until and time_text(until),
    }


def _printer(unit: Unit, code: str) -> PrinterRow:
    known = queries.printers(unit.connection)
    found = next((each for each in known if each.code == code), None)
    if found is None:
        raise say_no(No.NO_SUCH_PRINTER, printer=quoted(code))
    return found


def _of_location(unit: Unit, placements: Placements, here: StationRow) -> set[str]:
    """Return the printers that stations of a location have as their own."""
    return {
        placements.stations[each.station].home
        for each in queries.stations_printing(unit.connection)
        if each.location == here.location and each.station in placements.stations
    }


def _end_of_day(office: Office, now: datetime) -> datetime:
    house = office.house
    today = gaming_day(now, house.time_zone, house.day_starts_minutes)
    return day_bounds(today, house.time_zone, house.day_starts_minutes)[1]


# ---- places --------------------------------------------------------------------------------------


def _place(address: str) -> tuple[str, str]:
    """Return where a printer is: one place can be written with its port or speed, or without."""
    kind, _, rest = address.partition(":")
    if kind == "tcp":
        host, _, port = rest.lower().partition(":")
        return host, port or RAW_PORT
    if kind == "cups":
        return kind, rest
    return "path", posixpath.normpath(rest.partition(":")[0] if kind == "serial" else rest)
