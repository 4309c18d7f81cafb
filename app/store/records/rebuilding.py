"""Putting entries back into the log, and making the rows of their acts again."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime

from sqlalchemy import select, update
from sqlalchemy.exc import IntegrityError

from app.store.records.tickets import insert_or_find
from app.store.tables import (
    ContactAct,
    Cosigned,
    Counter,
    LogCheckpoint,
    LogHead,
    Role,
    Staff,
    Station,
)
from app.store.unit import Unit


class AgainstTheRules(Exception):  # noqa: N818  a finding
    """The database does not take what was to be made again."""


@contextmanager
def all_or_nothing(unit: Unit) -> Iterator[None]:
    """Do several things within a transaction, or none of them; the transaction goes on.

    Raises:
        AgainstTheRules: a guard of the database was in the way.
    """
    try:
        with unit.connection.begin_nested():
            yield
    except IntegrityError as refused:
        raise AgainstTheRules(str(refused.orig)) from None


def put_back_head(unit: Unit, size: int, note: str, cosigned: str, at: datetime) -> None:
    """Keep a head that was signed and cosigned, unless it is here."""
    kept = insert_or_find(unit, LogCheckpoint).values(size=size, note=note, signed_at=at)
    unit.connection.execute(kept.on_conflict_do_nothing())
    kept = insert_or_find(unit, Cosigned).values(size=size, note=cosigned)
    unit.connection.execute(kept.on_conflict_do_nothing())


def move_head(unit: Unit, size: int, root: bytes) -> None:
    """Have the head of the tree where it was."""
    unit.connection.execute(update(LogHead).values(size=size, root=root))


def pass_number(unit: Unit, name: str, number: int) -> None:
    """Have the next ticket, or drawer, numbered behind this one."""
    unit.connection.execute(
        update(Counter).where(Counter.name == name, Counter.value < number).values(value=number)
    )


def skip_numbers(unit: Unit, name: str, count: int) -> int:
    """Leave out so many numbers of tickets, or drawers; return the last one that was given.

    Nobody knows which of them are on paper.
    """
    skipped = update(Counter).where(Counter.name == name).values(value=Counter.value + count)
    value: int = unit.connection.execute(skipped.returning(Counter.value)).scalar_one()
    return value - count


def staff_coded(unit: Unit, code: str) -> int | None:
    """Return the id of one of the staff."""
    found = select(Staff.id).where(Staff.code == code)
    return unit.connection.execute(found).scalar_one_or_none()


def administers(unit: Unit, staff: int) -> bool:
    """Whether one of the staff is an administrator."""
    role = unit.connection.execute(select(Staff.role).where(Staff.id == staff)).scalar_one()
    return bool(role == Role.ADMINISTRATOR)


def take_for_given(unit: Unit, staff: int) -> None:
    """Have a person's secret be good for choosing another one only."""
    unit.connection.execute(update(Staff).where(Staff.id == staff).values(secret_given=True))


def disable_staff_at(unit: Unit, staff: int, at: datetime | None) -> None:
    """Have a person disabled since a moment, or not."""
    unit.connection.execute(update(Staff).where(Staff.id == staff).values(disabled_at=at))


def disable_station_at(unit: Unit, station: int, at: datetime) -> None:
    """Have a station disabled since a moment."""
    unit.connection.execute(update(Station).where(Station.id == station).values(disabled_at=at))


def player_cards(unit: Unit) -> list[str]:
    """Return every player card that the house knows."""
    found = select(ContactAct.player_card).where(ContactAct.player_card.is_not(None)).distinct()
    return [card or "" for card in unit.connection.execute(found).scalars()]
