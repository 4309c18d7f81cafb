"""Stretches of the log for a page: read back from an entry, and no further than it is told."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from flask import request

from app.audit.tags import Tag
from app.flow.day import day_bounds
from app.flow.office import Office
from app.store.queries import Reading, records
from app.store.queries.log import EntryRow
from app.store.queries.records import Stretch
from app.web.finding import read_day
from app.web.telling import PERSON_NAMES, STATION_NAMES, Told, names_one_of, tell

MOST = 50  # entries on a page
WINDOW = 20_000  # entries that are looked at for it
DIGITS = 15


@dataclass(frozen=True)
class Listed:
    """Entries on a page, the newest first, and where it goes on."""

    told: list[Told]
    before: int | None  # the page of older ones begins before this entry; none: there are none


def newest(connection: Reading) -> Listed:
    """Return the newest entries of the log."""
    return _listed(records.entries_back(connection, _before(connection), MOST))


def of_person(connection: Reading, code: str, name: str) -> Listed:
    """Return the newest entries that name a person."""
    words = (code, name)
    found = records.entries_naming(connection, words, _before(connection), WINDOW, MOST)
    return _listed(found, lambda entry: names_one_of(entry, words, PERSON_NAMES))


def of_station(connection: Reading, code: str) -> Listed:
    """Return the newest entries that name a station."""
    found = records.entries_naming(connection, (code,), _before(connection), WINDOW, MOST)
    return _listed(found, lambda entry: names_one_of(entry, (code,), STATION_NAMES))


def of_day(office: Office, connection: Reading, day: str) -> Listed:
    """Return the newest entries of a gaming day: those between the locks of the days around it."""
    known = read_day(day)
    if known is None:
        return Listed([], None)
    house = office.house
    begins, ends = day_bounds(known, house.time_zone, house.day_starts_minutes)
    first, last = records.entries_around(connection, day)
    before = min(_before(connection), last + 1)
    found = records.entries_back(connection, before, MOST, first)
    listed = _listed(found)
    return Listed([each for each in listed.told if _belongs(each, begins, ends)], listed.before)


def _belongs(told: Told, begins: datetime, ends: datetime) -> bool:
    """Whether an entry is of a day, by its own time; an expiry is dated back, and stays."""
    return told.at is None or told.entry.tag == Tag.EXPIRED or begins <= told.at < ends


def _listed(stretch: Stretch, keep: Callable[[EntryRow], bool] = lambda _: True) -> Listed:
    told = [tell(entry) for entry in stretch.entries if keep(entry)]
    return Listed(told, stretch.looked_until)


def _before(connection: Reading) -> int:
    """Return the entry before which a page begins, as its address says, or the end of the log."""
    text = request.args.get("before", "")
    if text.isascii() and text.isdecimal() and len(text) <= DIGITS:
        return int(text)
    return records.newest_number(connection) + 1
