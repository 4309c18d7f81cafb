"""The printers of the house: where they are, and which station prints on which.

Write order: there is one commit. *Crash before: nothing is changed.*
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from app.audit.tags import Tag
from app.clock import time_text
from app.flow.access import permit
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
    r"tcp:[^:\s]+(:[0-9]{1,5})?|(usb|file):/\S+|serial:/[^:\s]+(:[0-9]+)?|cups:\w+"
)


@dataclass(frozen=True)
class PrinterPlan:
    """A printer as it is to be from now on, and the stations that print on it."""

    code: str
    address: str
    roll: str
    stations: Sequence[str] = ()


def set_printer(office: Office, actor: Actor, plan: PrinterPlan) -> None:
    """Add a printer, or have it elsewhere.

    Refuses: whoever may not; an address that is none; paper that is none; a station that is none.
    """
    permit(actor.role, Permission.PRINTER_MANAGE)
    if not _ADDRESS.fullmatch(plan.address):
        raise say_no(No.BAD_PRINTER, "address")
    if plan.roll not in list(RollName):
        raise say_no(No.BAD_ROLL, "roll")
    with office.unit() as unit:
        stations = []
        for code in plan.stations:
            station = people.station_coded(unit.connection, code)
            if station is None:
                raise say_no(No.NO_SUCH_STATION, station=quoted(code))
            stations.append(station.id)
        known = {each.code: each.id for each in queries.printers(unit.connection)}
        printer = known.get(plan.code)
        if printer is None:
            printer = records.add_printer(unit, plan.code, plan.address, plan.roll)
        else:
            records.change_printer(unit, printer, plan.address, plan.roll)
        for station_id in stations:
            records.use_printer(unit, station_id, printer)
        body = {
            "printer": plan.code,
            "address": plan.address,
            "roll": plan.roll,
            "stations": list(plan.stations),
            "by": actor.document(),
            "time": time_text(unit.now()),
        }
        office.log(unit, Tag.PRINTER, body)
        unit.commit()
