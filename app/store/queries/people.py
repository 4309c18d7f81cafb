"""Who works where: stations, staff, and who is signed in."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import ColumnElement, Connection, and_, bindparam, func, select
from sqlalchemy.orm import aliased

from app.store.columns import Utc
from app.store.queries.days import LAST_CLOSED
from app.store.tables import (
    Change,
    Drawer,
    Role,
    SignIn,
    Staff,
    StaffChange,
    Station,
)

_WORKERS = (
    select(
        Staff.id.label("staff"),
        Staff.code,
        Staff.name,
        Staff.role,
        Staff.disabled_at.label("staff_disabled_at"),
        Station.id.label("station"),
        Station.code.label("station_code"),
        Station.location,
        Station.disabled_at.label("station_disabled_at"),
        SignIn.token,
        Station.token.label("station_token"),
        SignIn.until,
        SignIn.ended_at,
        SignIn.idle_minutes,
        SignIn.seen_at,
        Drawer.id.label("drawer"),
        func.clock_timestamp(type_=Utc()).label("read_at"),
        LAST_CLOSED.scalar_subquery().label("closed_until"),
    )
    .join_from(SignIn, Staff, Staff.id == SignIn.staff)
    .join(Station, Station.id == SignIn.station)
    .outerjoin(
        Drawer,
        and_(
            Drawer.station == Station.id,
            Drawer.staff == Staff.id,
            Drawer.closed_at.is_(None),
            Drawer.suspended_at.is_(None),
        ),
    )
)
_WORKER = _WORKERS.where(
    SignIn.token == bindparam("token"), Station.token == bindparam("station_token")
)
_SEVERAL = _WORKERS.where(SignIn.token.in_(bindparam("tokens", expanding=True)))


@dataclass(frozen=True)
class Worker:
    """A person at a station, as both stand in the database now."""

    staff: int
    code: str
    name: str
    role: Role
    station: int
    station_code: str
    location: str
    drawer: int | None  # the one that this person has open at this station
    token: bytes  # of the person, and of the station, as they are stored
    station_token: bytes
    until: datetime
    ended: bool
    idle_minutes: int | None  # how long it stays without anybody at the keys; none: for a program
    seen_at: datetime | None
    staff_disabled: bool
    station_disabled: bool
    read_at: datetime  # by the clock of the database
    closed_until: datetime | None  # when the last closed day ended


@dataclass(frozen=True)
class Person:
    """One of the staff, as far as signing in is concerned."""

    id: int
    code: str
    name: str
    role: Role
    secret: str
    secret_given: bool  # by somebody else, who knows it
    failed_tries: int
    locked_until: datetime | None
    disabled_at: datetime | None
    past_secrets: tuple[str, ...]  # the last few before this one

    @property
    def disabled(self) -> bool:
        """Whether they may do nothing."""
        return self.disabled_at is not None


@dataclass(frozen=True)
class StaffChangeRow:
    """What two people did with a person, by ids and codes."""

    staff: int
    code: str
    name: str
    role: Role
    change: Change
    first: int
    first_code: str
    second: int
    second_code: str
    changed_at: datetime
    until: datetime


@dataclass(frozen=True)
class StationRow:
    """A work station."""

    id: int
    code: str
    location: str
    enrolment: bytes | None
    disabled: bool


def worker(connection: Connection, station_token: bytes, token: bytes) -> Worker | None:
    """Return who is signed in with this token at the station with that one."""
    row = connection.execute(_WORKER, {"station_token": station_token, "token": token}).first()
    return None if row is None else _worker(row)


def workers(connection: Connection, tokens: Iterable[bytes]) -> dict[bytes, Worker]:
    """Return who is signed in with each of several tokens, wherever that is."""
    found = connection.execute(_SEVERAL, {"tokens": list(tokens)})
    return {row.token: _worker(row) for row in found}


def _worker(row: Any) -> Worker:  # noqa: ANN401  a row of one of the two
    return Worker(
        staff=row.staff,
        code=row.code,
        name=row.name,
        role=Role(row.role),
        station=row.station,
        station_code=row.station_code,
        location=row.location,
        drawer=row.drawer,
        token=row.token,
        station_token=row.station_token,
        until=row.until,
        ended=row.ended_at is not None,
        idle_minutes=row.idle_minutes,
        seen_at=row.seen_at,
        staff_disabled=row.staff_disabled_at is not None,
        station_disabled=row.station_disabled_at is not None,
        read_at=row.read_at,
        closed_until=row.closed_until,
    )


def person_named(connection: Connection, name: str, *, held: bool = False) -> Person | None:
    """Return one of the staff by the name that they sign in with.

    Held, the row is this transaction's until it ends, though others may still refer to it.
    """
    found = select(Staff.__table__).where(Staff.name == name)
    row = connection.execute(found.with_for_update(key_share=True) if held else found).first()
    if row is None:
        return None
    return Person(
        id=row.id,
        code=row.code,
        name=row.name,
        role=Role(row.role),
        secret=row.secret,
        secret_given=row.secret_given,
        failed_tries=row.failed_tries,
        locked_until=row.locked_until,
        disabled_at=row.disabled_at,
        past_secrets=tuple(row.past_secrets or ()),
    )


_FIRST, _SECOND = aliased(Staff), aliased(Staff)
_CHANGES = (
    select(
        StaffChange.staff,
        Staff.code,
        Staff.name,
        Staff.role,
        StaffChange.change,
        StaffChange.first,
        _FIRST.code.label("first_code"),
        StaffChange.second,
        _SECOND.code.label("second_code"),
        StaffChange.changed_at,
        StaffChange.until,
    )
    .join(Staff, Staff.id == StaffChange.staff)
    .join(_FIRST, _FIRST.id == StaffChange.first)
    .join(_SECOND, _SECOND.id == StaffChange.second)
    .order_by(StaffChange.entry)
)


def changes_since(
    connection: Connection, now: datetime, staff: int | None = None
) -> list[StaffChangeRow]:
    """Return the changes that are not over, of a person, or of all who are not disabled."""
    found = _CHANGES.where(StaffChange.until > now)
    whose = Staff.disabled_at.is_(None) if staff is None else StaffChange.staff == staff
    found = found.where(whose)
    return [_changed(row) for row in connection.execute(found)]


def is_on_standby(connection: Connection, staff: int, now: datetime) -> bool:
    """Whether a person is on the list of those who can be named emergency approver."""
    kinds = StaffChange.change.in_([Change.STANDBY.value, Change.OFF_STANDBY.value])
    newest = (
        select(StaffChange.change, StaffChange.until)
        .where(StaffChange.staff == staff, kinds)
        .order_by(StaffChange.entry.desc())
        .limit(1)
    )
    row = connection.execute(newest).first()
    return row is not None and row.change == Change.STANDBY.value and row.until > now


def role_of(connection: Connection, staff: int) -> Role:
    """Return the role of one of the staff."""
    return Role(connection.execute(select(Staff.role).where(Staff.id == staff)).scalar_one())


def password_given_at(connection: Connection, staff: int) -> datetime | None:
    """Return when two people gave a person their password last; None if they were founded."""
    given = StaffChange.change.in_([Change.ADDED.value, Change.RE_KEYED.value])
    found = select(func.max(StaffChange.changed_at)).where(StaffChange.staff == staff, given)
    at: datetime | None = connection.execute(found).scalar_one()
    return at


def _changed(row: Any) -> StaffChangeRow:  # noqa: ANN401  a row of the above
    return StaffChangeRow(
        **{**row._mapping, "role": Role(row.role), "change": Change(row.change)}  # noqa: SLF001
    )


@dataclass(frozen=True)
class SignInRow:
    """Somebody who is signed in, and where."""

    token: bytes
    station: str
    since: datetime


def sign_ins(connection: Connection, staff: int, now: datetime) -> list[SignInRow]:
    """Return where a person is signed in, and was not away for too long, the oldest first."""
    found = (
        select(SignIn.token, Station.code, SignIn.since, SignIn.seen_at, SignIn.idle_minutes)
        .join(Station, Station.id == SignIn.station)
        .where(SignIn.staff == staff, SignIn.ended_at.is_(None), SignIn.until > now)
        .order_by(SignIn.since, SignIn.token)
    )
    return [
        SignInRow(row.token, row.code, row.since)
        for row in connection.execute(found)
        if row.idle_minutes is None
        or row.seen_at is None
        or now - row.seen_at <= timedelta(minutes=row.idle_minutes)
    ]


def drawer_elsewhere(connection: Connection, staff: int, station: int) -> str | None:
    """Return at which other station a person has an open drawer; none if they have not."""
    found = (
        select(Station.code)
        .join(Drawer, Drawer.station == Station.id)
        .where(
            Drawer.staff == staff,
            Drawer.station != station,
            Drawer.closed_at.is_(None),
            Drawer.suspended_at.is_(None),
        )
    )
    return connection.execute(found).scalars().first()


def names(connection: Connection) -> list[str]:
    """Return the names of all the staff there ever was."""
    return list(connection.execute(select(Staff.name)).scalars())


def is_coded(connection: Connection, code: str) -> bool:
    """Whether one of the staff has a code."""
    return connection.execute(select(Staff.id).where(Staff.code == code)).first() is not None


def station_coded(connection: Connection, code: str) -> StationRow | None:
    """Return a station by its code."""
    return _station(connection, Station.code == code)


def station_with(connection: Connection, token: bytes) -> StationRow | None:
    """Return the station that enrolled with this token."""
    return _station(connection, Station.token == token)


def _station(connection: Connection, which: ColumnElement[bool]) -> StationRow | None:
    row = connection.execute(select(Station.__table__).where(which)).first()
    if row is None:
        return None
    return StationRow(row.id, row.code, row.location, row.enrolment, row.disabled_at is not None)
