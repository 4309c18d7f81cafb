"""Whether a process can work: the database answers, takes writes, and is the one it is for.

What is amiss in the house and does not keep this process from working is an alarm, not this: a web
process that is taken out for it would leave nobody to look at the alarm.
"""

import sqlite3
from dataclasses import dataclass
from typing import Any

from app.audit.checkpoints import checkpoint_of
from app.flow.office import Office
from app.store import schema
from app.store.database import NotDurable
from app.store.queries import log, watching
from app.store.unit import Unit
from rng.note import NoteFailed, check_signature, read_note

SAFE_SQLITE = (3, 51, 3)


@dataclass(frozen=True)
class Ready:
    """What was found: why it cannot work, if it cannot, and the rest for those who look closer."""

    code: str | None
    why: str
    facts: dict[str, Any]


def look_ready(office: Office) -> Ready:
    """Return whether this process can work now; a database that hangs is waited for."""
    try:
        found, wanted = schema.revision_of(office.database), schema.newest_revision()
        if found != wanted:
            return _not("database.other_revision", f"The database is at {found}, not {wanted}.")
        if office.find_house() is None:
            return _not("house.not_founded", "The house was not founded yet.")
        if not schema.is_writable(office.database):
            return _not("database.read_only", "The database takes no writes.")
        return _ready(office)
    except NotDurable:
        return _not("database.not_durable", "The database may lose what was committed.")
    except schema.Away:
        return _not("database.away", "The database does not answer.")


def _ready(office: Office) -> Ready:
    with office.database.reading() as connection:
        note = log.newest_checkpoint(connection)
        if note is not None and not _is_ours(office, note):
            return _not("keys.other", "The keys of this process are not those of the house.")
        seal = watching.sealing(connection)
        now = Unit(office.database, connection).now()
    age = None if seal.signed_at is None else int((now - seal.signed_at).total_seconds())
    facts = {
        "revision": schema.newest_revision(),
        "sealed": seal.size,
        "unsealed": seal.unsealed,
        "uncosigned": seal.uncosigned,
        "seal_age_seconds": age,
        **_engine(office),
    }
    return Ready(None, "", facts)


def _is_ours(office: Office, note: str) -> bool:
    """Whether a head was signed with the key that we have, under whatever name the log had."""
    try:
        check_signature(read_note(note), checkpoint_of(note).origin, office.keys.log.public_key())
    except NoteFailed:
        return False
    return True


def _not(code: str, why: str) -> Ready:
    return Ready(code, why, {})


def _engine(office: Office) -> dict[str, str]:
    """Say which database it is; an SQLite that can lose pages to a race of checkpoints is told of.

    Up to 3.51.2 two connections that write and checkpoint at the same moment can damage the file.
    """
    if not office.database.is_sqlite:
        return {"database": "postgresql"}
    known = {"database": "sqlite", "version": sqlite3.sqlite_version}
    if sqlite3.sqlite_version_info < SAFE_SQLITE:
        return known | {
            "warning": "SQLite is older than 3.51.3; use it for trying things out only."
        }
    return known
