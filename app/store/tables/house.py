"""The house and where it sells: locations, series, work stations (15.3(a), 15.5(b))."""

from enum import StrEnum

from sqlalchemy import CheckConstraint, ForeignKey
from sqlalchemy.orm import Mapped, mapped_column

from app.keno.house_settings import Setting
from app.store.tables.base import Code, Digest, Id, Moment, Name, Number, Ref, Table, one_of


class LocationKind(StrEnum):
    """Where wagers may be made (15.3(a))."""

    BOOTH = "booth"
    SATELLITE = "satellite"


class House(Table):
    """The one house that this database is about."""

    __tablename__ = "house"

    id: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    name: Mapped[Name]
    jurisdiction: Mapped[Name]
    log_origin: Mapped[Name]
    time_zone: Mapped[Name]
    day_starts_minutes: Mapped[int]  # after midnight, in the house's time zone
    demonstration: Mapped[bool]
    founded_at: Mapped[Moment]

    __table_args__ = (
        CheckConstraint("id = 1", "one"),
        CheckConstraint("day_starts_minutes BETWEEN 0 AND 1439", "day_starts"),
    )


class HouseSetting(Table):
    """A number that the house has settled for itself, from then on."""

    __tablename__ = "house_setting"
    append_only = True

    entry: Mapped[Ref] = mapped_column(ForeignKey("act.id"), primary_key=True)
    name: Mapped[Code]
    value: Mapped[int]
    staff: Mapped[Ref] = mapped_column(ForeignKey("staff.id"))
    manager: Mapped[Ref] = mapped_column(ForeignKey("staff.id"))

    __table_args__ = (
        CheckConstraint(one_of("name", Setting), "name"),
        CheckConstraint("value >= 0", "value"),
        CheckConstraint("manager <> staff", "two_people"),
    )


class Location(Table):
    """A keno booth or a satellite booth."""

    __tablename__ = "location"

    code: Mapped[Code] = mapped_column(primary_key=True)
    kind: Mapped[Code]
    name: Mapped[Name]

    __table_args__ = (CheckConstraint(one_of("kind", LocationKind), "kind"),)


class Series(Table):
    """A run of games with numbers and an interval of its own."""

    __tablename__ = "series"

    code: Mapped[Code] = mapped_column(primary_key=True)
    name: Mapped[Name]
    first_game: Mapped[Number]
    interval_seconds: Mapped[int | None]  # none: its games are locked by hand
    opens_minutes: Mapped[int] = mapped_column(server_default="0")  # after midnight, local time
    closes_minutes: Mapped[int] = mapped_column(server_default="1440")  # may be past midnight

    __table_args__ = (CheckConstraint("first_game >= 1", "first_game"),)


class LocationSeries(Table):
    """Which series a location sells for."""

    __tablename__ = "location_series"

    location: Mapped[Code] = mapped_column(ForeignKey("location.code"), primary_key=True)
    series: Mapped[Code] = mapped_column(ForeignKey("series.code"), primary_key=True)


class Station(Table):
    """A work station: it enrols once, with a code that is then used up."""

    __tablename__ = "station"

    id: Mapped[Id]
    code: Mapped[Code] = mapped_column(unique=True)
    location: Mapped[Code] = mapped_column(ForeignKey("location.code"))
    enrolment: Mapped[Digest | None]
    token: Mapped[Digest | None] = mapped_column(unique=True)
    enrolled_at: Mapped[Moment | None]
    disabled_at: Mapped[Moment | None]
