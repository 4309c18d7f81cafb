"""Who works here and where, and on which terms the house was founded, against the log (X-access).

Whoever has the database in their hands could make a writer a supervisor, or let somebody work who
was sent away: the rows of people, stations, series and of the house itself can be changed, because
they do change. What they came to is told by the log.
"""

from collections.abc import Iterator
from typing import Any

from app.audit.books.house import House
from app.audit.books.looks import Look, Thing
from app.audit.books.stretch import Stretch
from app.audit.faults import Fault
from app.store.queries.books import standing
from app.store.queries.books.rows import StoredEntry

TERMS = ("name", "jurisdiction", "time_zone", "day_starts_minutes", "demonstration")
PLANNED = ("interval_seconds", "opens_minutes", "closes_minutes")
AT_FIRST = {"interval_seconds": None, "opens_minutes": 0, "closes_minutes": 1440}


def people() -> list[Look]:
    """People, stations, series and the house are what the log says they came to."""
    told = Told()
    return [
        Look(Thing.ENTRY, told.note),
        Look(Thing.END, told.check_people),
        Look(Thing.END, told.check_stations),
        Look(Thing.END, told.check_house),
        Look(Thing.END, told.check_series),
    ]


class Told:
    """What the entries say of people, stations, series and the house, in their order."""

    def __init__(self) -> None:
        self._people: dict[str, dict[str, Any]] = {}
        self._stations: dict[str, dict[str, Any]] = {}
        self._plans: dict[str, dict[str, Any]] = {}
        self._terms: dict[str, Any] | None = None
        self._rebuilt = False  # then whoever came since the backup is here, and disabled

    def note(self, entry: StoredEntry, _: Stretch) -> Iterator[Fault]:
        """Note what an entry says; a house is founded once."""
        body = entry.body
        if entry.tag == "STAFF":
            _change(self._people, body["staff"], body)
        elif entry.tag == "STATION":
            _change(self._stations, body["station"], body)
        elif entry.tag == "SERIES":
            self._plans[body["series"]] = body["after"]
        elif entry.tag == "REFILLED":
            self._rebuilt = True
        elif entry.tag == "NEW-ORIGIN" and self._terms is not None:
            self._terms["log_origin"] = body["new_origin"]
        elif entry.tag == "HOUSE":
            if self._terms is not None:
                yield Fault("people", f"entry {entry.id} founds the house a second time")
            self._terms = dict(body)

    def check_people(self, _: object, house: House) -> Iterator[Fault]:
        """Everybody was added, has the role of then, and is disabled if the log says so."""
        rows = standing.people(house.connection)
        for code, role, is_disabled in rows:
            told = self._people.get(code)
            if told is None:
                yield Fault("people", f"{code} was never added")
            elif told["role"] != role:
                yield Fault("people", f"{code} is {role}, and was added as {told['role']}")
            elif not self._agrees(told, is_disabled):
                yield Fault("people", f"whether {code} is disabled is not what the log says")
        for code in sorted(self._people.keys() - {row[0] for row in rows}):
            yield Fault("people", f"{code} was added, and is not there")

    def check_stations(self, _: object, house: House) -> Iterator[Fault]:
        """Every station was added where it is, and is disabled if the log says so."""
        rows = standing.stations(house.connection)
        for code, location, is_disabled in rows:
            told = self._stations.get(code)
            if told is None:
                yield Fault("people", f"station {code} was never added")
            elif told["location"] != location:
                yield Fault("people", f"station {code} is not where it was added")
            elif not self._agrees(told, is_disabled):
                yield Fault(
                    "people", f"whether station {code} is disabled is not what the log says"
                )
        for code in sorted(self._stations.keys() - {row[0] for row in rows}):
            yield Fault("people", f"station {code} was added, and is not there")

    def _agrees(self, told: dict[str, Any], is_disabled: bool) -> bool:
        return told["disabled"] == is_disabled or (self._rebuilt and is_disabled)

    def check_house(self, _: object, house: House) -> Iterator[Fault]:
        """The house is the one that was founded."""
        row, told = standing.house_row(house.connection), self._terms or {}
        names = (*TERMS, "log_origin")
        if [row.get(name) for name in names] != [told.get(name) for name in names]:
            yield Fault("people", "the house is not the one that was founded")

    def check_series(self, _: object, house: House) -> Iterator[Fault]:
        """Every series begins where it was founded to, and has the times that were set last."""
        first = dict((self._terms or {}).get("series", []))
        for row in standing.series(house.connection):
            code = row["code"]
            told = {"first_game": first.get(code)} | self._plans.get(code, AT_FIRST)
            if any(row[name] != told[name] for name in ("first_game", *PLANNED)):
                yield Fault("people", f"series {code} is not as the log says")
        if {row["code"] for row in standing.series(house.connection)} != set(first):
            yield Fault("people", "the series are not those that were founded")


def _change(known: dict[str, dict[str, Any]], code: str, body: dict[str, Any]) -> None:
    if body["change"] == "added":
        known[code] = {**body, "disabled": False}
    elif code in known and body["change"] in ("disabled", "enabled"):
        known[code]["disabled"] = body["change"] == "disabled"
