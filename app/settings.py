"""The settings of a process, from its environment, checked all at once when it starts."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

DATABASE, KEYS, PUBLIC = "KENO_DATABASE", "KENO_KEYS", "KENO_PUBLIC"
RNG, INSPECTOR = "KENO_RNG", "KENO_INSPECTOR"
DEFAULTS = {
    DATABASE: "sqlite:///var/keno.db",
    KEYS: "var/keys",
    PUBLIC: "var/public",
    RNG: "unix:var/rng/service.sock",
    INSPECTOR: "unix:var/inspector/service.sock",
}
_ENGINES = ("sqlite:///", "postgresql+psycopg://")
_ADDRESS = re.compile(r"unix:.+")


class BadSettings(Exception):  # noqa: N818  the operator's to mend
    """Something in the environment cannot be used; the text says what, all of it."""


@dataclass(frozen=True)
class Settings:
    """Where the database, the keys and the keyed processes are."""

    database: str
    keys: Path
    public: Path  # the public keys of the house, as the key ceremony left them
    rng: str
    inspector: str


def read_settings(environment: Mapping[str, str]) -> Settings:
    """Return the settings that an environment gives.

    Raises:
        BadSettings: every fault that it has.
    """
    values = DEFAULTS | {name: text for name, text in environment.items() if name in DEFAULTS}
    unknown = [name for name in environment if name.startswith("KENO_") and name not in DEFAULTS]
    faults = [f"{name} is no setting" for name in sorted(unknown)]
    if not values[DATABASE].startswith(_ENGINES):
        faults.append(f"{DATABASE} must begin with {' or '.join(_ENGINES)}")
    if values[DATABASE] == "sqlite:///":
        faults.append(f"{DATABASE} must name a file")
    faults += [f"{name} must name a folder" for name in (KEYS, PUBLIC) if not values[name]]
    faults += [
        f"{name} must be an address, as unix:PATH"
        for name in (RNG, INSPECTOR)
        if not _ADDRESS.fullmatch(values[name])
    ]
    if faults:
        raise BadSettings("; ".join(faults))
    folders = Path(values[KEYS]), Path(values[PUBLIC])
    return Settings(values[DATABASE], *folders, values[RNG], values[INSPECTOR])
