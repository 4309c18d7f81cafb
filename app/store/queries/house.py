"""The house itself: its name, its series, and what its locations sell for."""

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Connection, select

from app.store.tables import House, LocationSeries, Series


@dataclass(frozen=True)
class HouseRow:
    """The one house of this database."""

    name: str
    jurisdiction: str
    log_origin: str
    time_zone: str
    day_starts_minutes: int
    demonstration: bool
    hold_sales_seconds: int
    reprints_alone: int
    founded_at: datetime


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
        hold_sales_seconds=row.hold_sales_seconds,
        reprints_alone=row.reprints_alone,
        founded_at=row.founded_at,
    )


def series_codes(connection: Connection) -> list[str]:
    """Return the codes of all series."""
    return list(connection.execute(select(Series.code).order_by(Series.code)).scalars())


def first_game(connection: Connection, series: str) -> int | None:
    """Return the number of a series' first game; none if there is no such series."""
    return connection.execute(
        select(Series.first_game).where(Series.code == series)
    ).scalar_one_or_none()


def sells(connection: Connection, location: str, series: str) -> bool:
    """Whether a location sells for a series."""
    found = select(LocationSeries.series).where(
        LocationSeries.location == location, LocationSeries.series == series
    )
    return connection.execute(found).first() is not None
