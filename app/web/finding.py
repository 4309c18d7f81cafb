"""What somebody means who types into the one search box of the records."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from urllib.parse import quote

from app.flow.codes import DIGITS
from app.keno.numbering import printed_number, read_number
from app.keno.refusals import quoted
from app.store.queries import Reading, games, house, records, tickets

_SCAN = re.compile(rf"([0-9]{{11}})[0-9]{{{DIGITS}}}")
_ENTRY = re.compile(r"#([0-9]{1,15})")
_GAME = re.compile(r"([A-Za-z0-9]{1,12})[ -]([0-9]{1,15})")
YEARS = range(2000, 3000)
_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
NOTHING = "Nothing here is called {text}."


@dataclass(frozen=True)
class Found:
    """Something that has a page of its own."""

    path: str
    name: str


def looked_for(text: str) -> str:
    """Return what is looked for: of a scanned ticket its number, for its code is shown nowhere."""
    scan = _SCAN.fullmatch("".join(text.split()))
    return str(int(scan[1])) if scan else text.strip()


def find(connection: Reading, text: str) -> list[Found]:
    """Return what a text names; more than one if it is part of several names."""
    for look in (_entries, _days, _tickets, _stations, _games, _people):
        found = list(look(connection, text))
        if found:
            return found
    return []


def nothing(text: str) -> str:
    """Return the sentence for a text that names nothing."""
    return NOTHING.format(text=quoted(text))


def read_day(text: str) -> date | None:
    """Return the day that a text is; none if it is none."""
    try:
        day = date.fromisoformat(text) if _DAY.fullmatch(text) else None
    except ValueError:
        return None
    return day if day and day.year in YEARS else None


def _entries(connection: Reading, text: str) -> Iterator[Found]:
    if (written := _ENTRY.fullmatch(text)) and records.entry(connection, int(written[1])):
        yield Found(f"/regulator/log/{int(written[1])}", f"Entry {text}")


def _days(_: Reading, text: str) -> Iterator[Found]:
    if day := read_day(text):
        yield Found(f"/regulator/days/{day.isoformat()}", f"Day {text}")


def _tickets(connection: Reading, text: str) -> Iterator[Found]:
    number = read_number(text)
    if number is not None and tickets.ticket(connection, number) is not None:
        yield Found(f"/regulator/tickets/{number}", f"Ticket {printed_number(number)}")


def _stations(connection: Reading, text: str) -> Iterator[Found]:
    for station in records.stations(connection):
        if station.code.casefold() == text.casefold():
            yield Found(f"/regulator/stations/{quote(station.code)}", f"Station {station.code}")


def _games(connection: Reading, text: str) -> Iterator[Found]:
    if (written := _GAME.fullmatch(text)) is None:
        return
    for series in house.series_codes(connection):
        number = int(written[2])
        known = series.casefold() == written[1].casefold()
        if known and games.game(connection, series, number) is not None:
            yield Found(f"/regulator/games/{quote(series)}/{number}", f"Game {series}-{number}")


def _people(connection: Reading, text: str) -> Iterator[Found]:
    """Find a person by code; else everybody in whose name the text occurs."""
    staff, wanted = records.people(connection), text.casefold()
    coded = [person for person in staff if person.code.casefold() == wanted]
    named = [person for person in staff if wanted and wanted in person.name.casefold()]
    for person in coded or named:
        yield Found(f"/regulator/people/{quote(person.code)}", f"{person.name} ({person.code})")
