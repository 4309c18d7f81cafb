"""The house, its locations, series and stations, and its staff."""

from datetime import datetime

from sqlalchemy import insert, update

from app.store.records.tickets import insert_or_find
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
    StationTries,
)
from app.store.unit import Unit


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


def add_staff(unit: Unit, code: str, name: str, role: Role, secret: str) -> int:
    """Add one of the staff, and return their id."""
    values = {"code": code, "name": name, "role": role.value, "secret": secret, "failed_tries": 0}
    staff: int = unit.connection.execute(
        insert(Staff).values(values).returning(Staff.id)
    ).scalar_one()
    return staff


def disable_staff(unit: Unit, staff: int) -> None:
    """Keep a person from doing anything, from now on."""
    unit.connection.execute(update(Staff).where(Staff.id == staff).values(disabled_at=unit.now()))


def note_tries(unit: Unit, staff: int, tries: int, locked_until: datetime | None) -> None:
    """Keep how often a person's secret was wrong since it was right."""
    unit.connection.execute(
        update(Staff).where(Staff.id == staff).values(failed_tries=tries, locked_until=locked_until)
    )


def note_tries_at(
    unit: Unit, staff: int, station: str, tries: int, locked_until: datetime | None
) -> None:
    """Note how often a person's secret was wrong at a station, and until when that locks them."""
    values = {"failed_tries": tries, "locked_until": locked_until}
    noted = insert_or_find(unit, StationTries).values(staff=staff, station=station, **values)
    unit.connection.execute(
        noted.on_conflict_do_update(
            index_elements=[StationTries.staff, StationTries.station], set_=values
        )
    )


def add_sign_in(unit: Unit, token: bytes, staff: int, station: int, until: datetime) -> None:
    """Sign a person in at a station."""
    values = {"token": token, "staff": staff, "station": station}
    unit.connection.execute(insert(SignIn), {**values, "since": unit.now(), "until": until})


def end_sign_in(unit: Unit, token: bytes) -> None:
    """Sign a person out."""
    unit.connection.execute(update(SignIn).where(SignIn.token == token).values(ended_at=unit.now()))
