"""The printers of the house: where they are, and which station prints on which.

Write order: there is one commit. *Crash before: nothing is changed.*
"""

import posixpath
import re
from collections.abc import Sequence
from dataclasses import dataclass

from app.audit.tags import Tag
from app.clock import time_text
from app.flow.access import permit, still_acting
from app.flow.actor import Actor
from app.flow.office import Office
from app.flow.permissions import Permission
from app.flow.refusals import No, say_no
from app.keno.refusals import quoted
from app.store.queries import paper as queries
from app.store.queries import people
from app.store.records import paper as records
from app.store.tables import RollName

_ADDRESS = re.compile(
    r"tcp:[A-Za-z0-9._-]+(:[0-9]{1,5})?|(usb|file):/\S+"
    r"|serial:/[^:\s]+(:[0-9]{3,7}(:xoff)?)?|cups:[A-Za-z0-9._-]+"
)
RAW_PORT = "9100"  # of a printer on the network, unless another is named


@dataclass(frozen=True)
class PrinterPlan:
    """A printer as it is to be from now on, and the stations that print on it."""

    code: str
    address: str
    roll: str | None  # none: as it was; of a new one 80 mm
    stations: Sequence[str] = ()


def set_printer(office: Office, actor: Actor, plan: PrinterPlan) -> str:
    """Add a printer, or have it elsewhere; return how wide its paper is.

    Refuses: whoever may not; an address that is none, or that of another printer, whose papers
    would be mixed with those of this one; paper that is none; a station that is none.
    """
    permit(actor.role, Permission.PRINTER_MANAGE)
    if not (plan.code.strip() and plan.code.isascii() and plan.code.isprintable()):
        raise say_no(No.NOT_PLAIN, "code", text=quoted(plan.code))
    if not _ADDRESS.fullmatch(plan.address):
        raise say_no(No.BAD_PRINTER, "address")
    if plan.roll is not None and plan.roll not in list(RollName):
        raise say_no(No.BAD_ROLL, "roll")
    with office.unit() as unit:
        still_acting(unit, actor)
        stations = []
        for code in plan.stations:
            station = people.station_coded(unit.connection, code)
            if station is None:
                raise say_no(No.NO_SUCH_STATION, station=quoted(code))
            stations.append(station.id)
        known = queries.printers(unit.connection)
        for other in known:
            if other.code != plan.code and _place(other.address) == _place(plan.address):
                raise say_no(No.ADDRESS_TAKEN, "address", printer=other.code)
        before = next((each for each in known if each.code == plan.code), None)
        if before is None:
            roll = plan.roll or RollName.WIDE.value
            printer = records.add_printer(unit, plan.code, plan.address, roll)
        else:
            printer, roll = before.id, plan.roll or before.roll
            records.change_printer(unit, printer, plan.address, roll)
        for station_id in stations:
            records.use_printer(unit, station_id, printer)
        body = {
            "printer": plan.code,
            "address": plan.address,
            "roll": roll,
            "stations": list(plan.stations),
            "by": actor.document(),
            "time": time_text(unit.now()),
        }
        office.log(unit, Tag.PRINTER, body)
        unit.commit()
    return roll


def _place(address: str) -> tuple[str, str]:
    """Return where a printer is: one place can be written with its port or speed, or without."""
    kind, _, rest = address.partition(":")
    if kind == "tcp":
        host, _, port = rest.lower().partition(":")
        return host, port or RAW_PORT
    if kind == "cups":
        return kind, rest
    return "path", posixpath.normpath(rest.partition(":")[0] if kind == "serial" else rest)
