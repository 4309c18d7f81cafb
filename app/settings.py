"""The settings of a process, from its environment, checked all at once when it starts."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

DATABASE, KEYS = "KENO_DATABASE", "KENO_KEYS"
DEFAULTS = {DATABASE: "sqlite:///var/keno.db", KEYS: "var/keys"}
_ENGINES = ("sqlite:///", "postgresql+psycopg://")


class BadSettings(Exception):  # noqa: N818  the operator's to mend
    """Something in the environment cannot be used; the text says what, all of it."""


@dataclass(frozen=True)
class Settings:
    """Where the database and the keys are."""

    database: str
    keys: Path


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
    if not values[KEYS]:
        faults.append(f"{KEYS} must name a folder")
    if faults:
        raise BadSettings("; ".join(faults))
    return Settings(values[DATABASE], Path(values[KEYS]))
