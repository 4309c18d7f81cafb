"""Printers, and those of the stations, against the log (X-printer-place)."""

from collections.abc import Iterator

from app.audit.books.house import House
from app.audit.books.looks import Look, Thing
from app.audit.books.stretch import Stretch
from app.audit.faults import Fault
from app.store.queries.books import standing
from app.store.queries.books.rows import StoredEntry


def placed() -> list[Look]:
    """Every printer is where the log says, and every station prints where it says."""
    told = Told()
    return [
        Look(Thing.ENTRY, told.note),
        Look(Thing.END, told.check_printers),
        Look(Thing.END, told.check_stations),
    ]


class Told:
    """What the entries say of printers and stations, the newest of each."""

    def __init__(self) -> None:
        self._printers: dict[str, tuple[int, str, str]] = {}
        self._stations: dict[str, tuple[int, str]] = {}

    def note(self, entry: StoredEntry, _: Stretch) -> None:
        """Note where an entry says that a printer is, and who prints on it."""
        if entry.tag == "PRINTER":
            body = entry.body
            self._printers[body["printer"]] = entry.id, body["address"], body["roll"]
            for station in body["stations"]:
                self._stations[station] = entry.id, body["printer"]

    def check_printers(self, _: object, house: House) -> Iterator[Fault]:
        """Every printer is where the log says, with the paper that it says."""
        rows = {row[0]: row[1:] for row in standing.printers(house.connection)}
        for code in sorted(rows.keys() | self._printers.keys()):
            if rows.get(code) != self._printers.get(code):
                yield Fault("placed", f"printer {code} is not where the log says")

    def check_stations(self, _: object, house: House) -> Iterator[Fault]:
        """Every station prints on the printer that the log says."""
        rows = {row[0]: row[1:] for row in standing.stations_printing(house.connection)}
        for code in sorted(rows.keys() | self._stations.keys()):
            if rows.get(code) != self._stations.get(code):
                yield Fault("placed", f"station {code} does not print where the log says")
