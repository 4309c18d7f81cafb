"""The house itself: its name, its series, and what its locations sell for."""

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Connection, select

from app.keno.house_settings import BOUNDS, Setting
from app.store.tables import House, HouseSetting, Location, LocationSeries, Series


@dataclass(frozen=True)
class HouseRow:
    """The one house of this database."""

    name: str
    jurisdiction: str
    log_origin: str
    time_zone: str
    day_starts_minutes: int
    demonstration: bool
    founded_at: datetime


@dataclass(frozen=True)
class LocationRow:
    """A booth or a satellite booth."""

    code: str
    kind: str
    name: str


def house(connection: Connection) -> HouseRow | None:
    """Return the house; none if it was not founded yet."""
    row = connection.execute(select(House.__table__)).first()
    if row is None:
        return None
    return HouseRow(
        name=row.name,
        jurisdiction=row.jurisdiction,
        log_origin=row.log_origin,
        time_zone=row.time_zone,
        day_starts_minutes=row.day_starts_minutes,
        demonstration=row.demonstration,
        founded_at=row.founded_at,
    )


def setting(connection: Connection, name: Setting) -> int:
    """Return a number that the house has settled, or what it is at first."""
    found = (
        select(HouseSetting.value)
        .where(HouseSetting.name == name.value)
        .order_by(HouseSetting.entry.desc())
        .limit(1)
    )
    value = connection.execute(found).scalar_one_or_none()
    return BOUNDS[name].at_first if value is None else value


def series_codes(connection: Connection) -> list[str]:
    """Return the codes of all series."""
    return list(connection.execute(select(Series.code).order_by(Series.code)).scalars())


def series_names(connection: Connection) -> dict[str, str]:
    """Return the names of all series, by their codes."""
    found = select(Series.code, Series.name).order_by(Series.code)
    return {code: name for code, name in connection.execute(found)}  # noqa: C416  rows are no pairs


def first_game(connection: Connection, series: str) -> int | None:
    """Return the number of a series' first game; none if there is no such series."""
    return connection.execute(
        select(Series.first_game).where(Series.code == series)
    ).scalar_one_or_none()


def locations(connection: Connection) -> list[str]:
    """Return the codes of all locations."""
    return list(connection.execute(select(Location.code).order_by(Location.code)).scalars())


def location_rows(connection: Connection) -> list[LocationRow]:
    """Return every location."""
    found = select(Location.code, Location.kind, Location.name).order_by(Location.code)
    return [LocationRow(*row) for row in connection.execute(found)]


def series_at(connection: Connection, location: str) -> list[str]:
    """Return the series that a location sells for."""
    found = select(LocationSeries.series).where(LocationSeries.location == location)
    return list(connection.execute(found.order_by(LocationSeries.series)).scalars())


def sells(connection: Connection, location: str, series: str) -> bool:
    """Whether a location sells for a series."""
    found = select(LocationSeries.series).where(
        LocationSeries.location == location, LocationSeries.series == series
    )
    return connection.execute(found).first() is not None
