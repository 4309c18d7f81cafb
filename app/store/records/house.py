"""The house, its locations, series and stations, and its staff."""

from collections.abc import Iterable
from datetime import datetime

from sqlalchemy import insert, select, update

from app.store.tables import (
    House,
    Location,
    LocationKind,
    LocationSeries,
    Role,
    Series,
    SignIn,
    Staff,
    Station,
)
from app.store.unit import Unit

PAST_SECRETS = 3


def add_house(unit: Unit, values: dict[str, object]) -> None:
    """Found the house."""
    unit.connection.execute(insert(House), {"id": 1, "founded_at": unit.now(), **values})


def add_series(unit: Unit, code: str, name: str, first_game: int) -> None:
    """Add a series of games."""
    unit.connection.execute(insert(Series), {"code": code, "name": name, "first_game": first_game})


def add_location(unit: Unit, code: str, kind: LocationKind, name: str, series: list[str]) -> None:
    """Add a booth or satellite, which sells for some series."""
    unit.connection.execute(insert(Location), {"code": code, "kind": kind.value, "name": name})
    unit.connection.execute(
        insert(LocationSeries), [{"location": code, "series": each} for each in series]
    )


def add_station(unit: Unit, code: str, location: str, enrolment: bytes) -> None:
    """Add a work station, which is to enrol with a code of this digest."""
    values = {"code": code, "location": location, "enrolment": enrolment}
    unit.connection.execute(insert(Station), values)


def enrol_station(unit: Unit, station: int, token: bytes) -> bool:
    """Enrol a station: its code is used up, and this token's digest is how it is known.

    Says whether it could be: of two who use the code at the same time, one comes too late.
    """
    done = unit.connection.execute(
        update(Station)
        .where(Station.id == station, Station.enrolment.is_not(None))
        .values(enrolment=None, token=token, enrolled_at=unit.now())
    )
    return done.rowcount == 1


def renew_enrolment(unit: Unit, station: int, enrolment: bytes) -> None:
    """Let a station enrol again; whatever token it had counts no more."""
    unit.connection.execute(
        update(Station)
        .where(Station.id == station)
        .values(enrolment=enrolment, token=None, enrolled_at=None)
    )


def disable_station(unit: Unit, station: int) -> None:
    """Keep a station from doing anything, from now on."""
    unit.connection.execute(
        update(Station).where(Station.id == station).values(disabled_at=unit.now())
    )


def add_staff(
    unit: Unit, code: str, name: str, role: Role, secret: str, *, given: bool = False
) -> int:
    """Add one of the staff, with a secret of their own or a given one, and return their id."""
    values = {"code": code, "name": name, "role": role.value, "secret": secret, "failed_tries": 0}
    staff: int = unit.connection.execute(
        insert(Staff).values(**values, secret_given=given).returning(Staff.id)
    ).scalar_one()
    return staff


def enable_staff(unit: Unit, staff: int) -> None:
    """Let a person work again."""
    unit.connection.execute(update(Staff).where(Staff.id == staff).values(disabled_at=None))


def change_secret(unit: Unit, staff: int, secret: str, *, given: bool) -> None:
    """Have a person known by another secret: one that somebody gave them, or one of their own.

    The last few before it are kept, of which none is taken again.
    """
    found = select(Staff.secret, Staff.past_secrets).where(Staff.id == staff)
    last, before = unit.connection.execute(found.with_for_update(key_share=True)).one()
    past = [last, *(before or ())][:PAST_SECRETS]
    values = {"secret": secret, "secret_given": given, "past_secrets": past}
    unit.connection.execute(update(Staff).where(Staff.id == staff).values(values))


def enable_station(unit: Unit, station: int, enrolment: bytes) -> None:
    """Let a station work again, once it has enrolled again."""
    unit.connection.execute(update(Station).where(Station.id == station).values(disabled_at=None))
    renew_enrolment(unit, station, enrolment)


def end_all_sign_ins(unit: Unit, staff: int) -> None:
    """Sign a person out wherever they are signed in."""
    theirs = SignIn.staff == staff, SignIn.ended_at.is_(None)
    unit.connection.execute(update(SignIn).where(*theirs).values(ended_at=unit.now()))


def end_sign_ins_at(unit: Unit, station: int) -> None:
    """Sign everybody out who is signed in at a station."""
    there = SignIn.station == station, SignIn.ended_at.is_(None)
    unit.connection.execute(update(SignIn).where(*there).values(ended_at=unit.now()))


def end_every_sign_in(unit: Unit) -> None:
    """Sign everybody out, wherever they are signed in."""
    still = SignIn.ended_at.is_(None)
    unit.connection.execute(update(SignIn).where(still).values(ended_at=unit.now()))


def hold_people(unit: Unit, staff: Iterable[int], *, alone: bool = False) -> set[int]:
    """Keep people as they are until this transaction ends; return who of them is not disabled.

    Alone, for whoever is going to change one of them.
    """
    found = select(Staff.id, Staff.disabled_at).where(Staff.id.in_(staff)).order_by(Staff.id)
    held = unit.connection.execute(found.with_for_update(read=not alone, key_share=alone))
    return {each for each, disabled_at in held if disabled_at is None}


def hold_stations(unit: Unit, stations: Iterable[int], *, alone: bool = False) -> None:
    """Keep stations as they are until this transaction ends, as `hold_people` does."""
    found = select(Station.id).where(Station.id.in_(stations)).order_by(Station.id)
    unit.connection.execute(found.with_for_update(read=not alone, key_share=alone)).all()


def hold_sign_ins(unit: Unit, tokens: Iterable[bytes]) -> None:
    """Keep people signed in until this transaction ends."""
    found = select(SignIn.token).where(SignIn.token.in_(tokens)).order_by(SignIn.token)
    unit.connection.execute(found.with_for_update(read=True)).all()


def disable_staff(unit: Unit, staff: int) -> None:
    """Keep a person from doing anything, from now on."""
    unit.connection.execute(update(Staff).where(Staff.id == staff).values(disabled_at=unit.now()))


def note_tries(unit: Unit, staff: int, tries: int, locked_until: datetime | None) -> None:
    """Keep how often a person's secret was wrong since it was right."""
    unit.connection.execute(
        update(Staff).where(Staff.id == staff).values(failed_tries=tries, locked_until=locked_until)
    )


def add_sign_in(
    unit: Unit,
    token: bytes,
    staff: int,
    station: int,
    until: datetime,
    idle_minutes: int | None = None,
) -> None:
    """Sign a person in at a station; if so many minutes are named, while they are at the keys."""
    now = unit.now()
    values = {"token": token, "staff": staff, "station": station, "since": now, "until": until}
    unit.connection.execute(
        insert(SignIn), {**values, "idle_minutes": idle_minutes, "seen_at": now}
    )


def note_seen(unit: Unit, token: bytes) -> None:
    """Note that somebody is at the keys."""
    unit.connection.execute(update(SignIn).where(SignIn.token == token).values(seen_at=unit.now()))


def end_sign_in(unit: Unit, token: bytes) -> None:
    """Sign a person out."""
    unit.connection.execute(update(SignIn).where(SignIn.token == token).values(ended_at=unit.now()))
