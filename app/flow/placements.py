"""Where the printers are, and which station prints on which, by the log (X-printer-place).

A slip has the code of a ticket on it. So the spooler does not take the word of a row for where it
goes: the newest entry of the log that tells of the printer must say the same, and be what its leaf
in the tree says. What differs is told at once, and nothing is sent.

What the entries say is kept in memory, and only newer ones are read before each slip. Whoever
writes such an entry holds a lock (`Unit.lock_printers`), so that a later one never comes first.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from threading import Lock
from typing import Any

from app.audit.entries import leaf_document
from app.audit.tags import Tag
from app.store.queries import Reading
from app.store.queries import paper as queries
from app.store.queries.paper import PlacingEntry, PrinterRow, StationPrints
from rng.merkle import leaf_hash


@dataclass(frozen=True)
class Move:
    """When a printer got its address, by whom, and where it was before."""

    address_before: str
    at: datetime
    by: str


@dataclass(frozen=True)
class Placed:
    """Where a printer is, by its newest entry."""

    entry: int
    address: str
    roll: str
    move: Move | None  # none: it has its first address


@dataclass(frozen=True)
class Using:
    """On which printer a station prints; until when, if it is not its own."""

    entry: int
    printer: str
    home: str
    until: datetime | None
    by: Mapping[str, Any]


@dataclass(frozen=True)
class Strayed:
    """A printer, or that of a station, that is not what the log says."""

    printer: str
    station: str | None
    found: str | None  # an address, or of a station its printer; none: there is no row
    logged: str | None


@dataclass
class Placements:
    """What the log says of all printers and stations, brought up to date when it is asked."""

    printers: dict[str, Placed] = field(default_factory=dict)
    stations: dict[str, Using] = field(default_factory=dict)
    _read_to: int = 0
    _reading: Lock = field(default_factory=Lock)

    def read(self, connection: Reading) -> "Placements":
        """Read what was logged since it was read last; return itself."""
        with self._reading:
            for each in queries.placing_entries(connection, self._read_to):
                self._read_to = each.id
                if _is_as_sealed(each):
                    self._note(each.id, json.loads(each.body))
        return self

    def _note(self, entry: int, body: Mapping[str, Any]) -> None:
        code, address, by = body["printer"], body["address"], body["by"]
        before = self.printers.get(code)
        move = None if before is None else before.move
        if before is not None and before.address != address:
            people = [by["staff"], body.get("supervisor")]
            who = " and ".join(each for each in people if each is not None)
            move = Move(before.address, datetime.fromisoformat(body["time"]), who)
        self.printers[code] = Placed(entry, address, body["roll"], move)
        until = body.get("until")
        for station in body["stations"]:
            home = body["instead_of"] if until else code
            ends = datetime.fromisoformat(until) if until else None
            self.stations[station] = Using(entry, code, home, ends, by)

    def is_here(self, printer: PrinterRow) -> bool:
        """Whether a printer's row is what the log says."""
        placed = self.printers.get(printer.code)
        row = printer.entry, printer.address, printer.roll
        return placed is not None and row == (placed.entry, placed.address, placed.roll)

    def is_used(self, station: StationPrints) -> bool:
        """Whether a station prints where the log says."""
        using = self.stations.get(station.station)
        return using is not None and (station.entry, station.printer) == (
            using.entry,
            using.printer,
        )

    def strayed(self, connection: Reading) -> list[Strayed]:
        """Return what is not as the log says, of all printers and stations."""
        found = self._compared(connection)
        if found:
            # What was read before may be of a database that another took the place of.
            with self._reading:
                self.printers, self.stations, self._read_to = {}, {}, 0
            found = self._compared(connection)
        return found

    def _compared(self, connection: Reading) -> list[Strayed]:
        self.read(connection)
        printers = queries.printers(connection)
        stations = queries.stations_printing(connection)
        return [*self._strayed_printers(printers), *self._strayed_stations(stations)]

    def _strayed_printers(self, printers: list[PrinterRow]) -> Iterator[Strayed]:
        for each in printers:
            if not self.is_here(each):
                placed = self.printers.get(each.code)
                logged = None if placed is None else placed.address
                yield Strayed(each.code, None, each.address, logged)
        for code in sorted(self.printers.keys() - {each.code for each in printers}):
            yield Strayed(code, None, None, self.printers[code].address)

    def _strayed_stations(self, stations: list[StationPrints]) -> Iterator[Strayed]:
        for each in stations:
            if not self.is_used(each):
                using = self.stations.get(each.station)
                logged = None if using is None else using.printer
                yield Strayed(each.printer, each.station, each.printer, logged)
        for code in sorted(self.stations.keys() - {each.station for each in stations}):
            using = self.stations[code]
            yield Strayed(using.printer, code, None, using.printer)


def _is_as_sealed(each: PlacingEntry) -> bool:
    """Whether a body is what its leaf says, and the leaf is the one in the tree."""
    leaf = leaf_hash(leaf_document(Tag.PRINTER, each.salt, each.body.encode()))
    return leaf == each.leaf and each.placed in {None, each.leaf}
