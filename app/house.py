"""The office that the settings of a process describe."""

from app.flow.keys import read_keys
from app.flow.office import Office
from app.rng_client import KeyedProcesses, Line
from app.settings import Settings
from app.store.database import Database


def open_office(settings: Settings) -> Office:
    """Return the office; nothing is connected to before it is needed.

    Raises:
        KeysMissing: the folder of keys is not as it must be.
    """
    keyed = KeyedProcesses(Line(settings.rng), Line(settings.inspector), settings.public)
    return Office(Database(settings.database), read_keys(settings.keys), keyed)
