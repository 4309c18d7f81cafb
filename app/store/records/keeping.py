"""Restored databases: what was noticed, and how it was put right."""

from sqlalchemy import exists, insert, select, update

from app.store.queries.keeping import incomplete
from app.store.tables import House, HowEnded, LostAct, Restoration, RestorationEnd
from app.store.unit import Unit


def note_incomplete(unit: Unit, size: int, known: str) -> bool:
    """Note that the log lacks entries of a cosigned head; says whether that is news."""
    before = incomplete(unit.connection)
    if before is not None and before.known == known:
        return False
    values = {"size": size, "known": known, "noticed_at": unit.now()}
    unit.connection.execute(insert(Restoration).values(values))
    return True


def end_incomplete(unit: Unit, how: HowEnded) -> bool:
    """Let the house go on, whatever was noticed; says whether it waited."""
    now = unit.now()
    ended = exists().where(RestorationEnd.restoration == Restoration.id)
    noticed = unit.connection.execute(select(Restoration.id).where(~ended)).scalars().all()
    for each in noticed:
        values = {"restoration": each, "how": how.value, "ended_at": now}
        unit.connection.execute(insert(RestorationEnd).values(values))
    return bool(noticed)


def rename_log(unit: Unit, origin: str) -> None:
    """Have the log go on under another name."""
    unit.connection.execute(update(House).values(log_origin=origin))


def add_lost(unit: Unit, entry: int, why: str) -> None:
    """Note that something of an act is lost, for staff to look into."""
    unit.connection.execute(insert(LostAct).values(entry=entry, why=why))
