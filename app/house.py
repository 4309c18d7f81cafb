"""The office that the settings of a process describe."""

from dataclasses import dataclass

from app.flow.keys import Key, KeysMissing, read_keys, secret_faults
from app.flow.office import Office
from app.rng_client import KeyedProcesses, Line, line_to
from app.settings import Settings
from app.store.database import Database
from printers.allowed import Allowed


@dataclass(frozen=True)
class Needs:
    """What a process needs to have beside the database; what it does not have nobody takes away."""

    keys: frozenset[Key] = frozenset(Key)
    keyed: bool = True  # it speaks with generator and inspector


EVERYTHING = Needs()
FEED = Needs(frozenset(), keyed=False)
WATCHER = Needs(frozenset(), keyed=False)  # of any process, with whatever keys that has
CALLER = Needs(frozenset({Key.LOG, Key.OFFICE}))
SPOOLER = Needs(frozenset({Key.VALIDATION}), keyed=False)  # the codes stand on the paper
REPORTER = Needs(frozenset({Key.LOG}), keyed=False)  # a report is of a log that is sealed
BOOKS = Needs(frozenset({Key.LOG}))  # whose public half checks the heads


def open_office(settings: Settings, *, hurried: bool = False, needs: Needs = EVERYTHING) -> Office:
    """Return the office; nothing is connected to before it is needed.

    Args:
        settings: of the process.
        hurried: people wait at a counter for what it does.
        needs: what it has beside the database.

    Raises:
        KeysMissing: the folder of keys is not as it must be.
    """
    keys = read_keys(settings.keys, needs.keys)
    keyed = None
    if needs.keyed:
        keyed = KeyedProcesses(
            _line(settings, settings.rng, "rng"),
            _line(settings, settings.inspector, "inspector"),
            settings.public,
        )
    allowed = Allowed.of(settings.printer_networks, settings.printer_devices)
    return Office(Database(settings.database, hurried=hurried), keys, keyed, allowed=allowed)


def start_faults(settings: Settings) -> list[str]:
    """Return everything for which a process of the house would not start, as far as files say."""
    faults = []
    try:
        read_keys(settings.keys)
    except KeysMissing as missing:
        faults.append(str(missing))
    for address, name in ((settings.rng, "rng"), (settings.inspector, "inspector")):
        try:
            _line(settings, address, name)
        except KeysMissing as missing:
            faults.append(str(missing))
    try:
        read_scrape(settings)
    except KeysMissing as missing:
        faults.append(str(missing))
    if not settings.public.is_dir():
        faults.append(f"{settings.public} is no folder; the key ceremony fills it")
    return faults


def read_scrape(settings: Settings) -> str | None:
    """Return what a program shows that asks for figures; none if the settings name no such file.

    Raises:
        KeysMissing: it is not there, not ours, not for its owner alone, or empty.
    """
    if settings.scrape is None:
        return None
    if faults := list(secret_faults(settings.scrape)):
        raise KeysMissing("; ".join(faults))
    token = settings.scrape.read_text().strip()
    if not token:
        raise KeysMissing(f"{settings.scrape} is empty: anybody could show that")
    return token


def _line(settings: Settings, address: str, name: str) -> Line:
    try:
        return line_to(address, settings.keys, settings.public, name)
    except (OSError, ValueError) as trouble:
        raise KeysMissing(f"the line to {name}: {trouble}") from None
