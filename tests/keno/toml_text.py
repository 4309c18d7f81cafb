"""Rate cards with something changed, as TOML text."""

import tomllib
from typing import Any

from tests.keno.cards import FILE

GONE = "(gone)"


def changed_card(change: str) -> bytes:
    """Return the test card with one change, such as `limits.spots_max = 11`."""
    card: dict[str, Any] = tomllib.loads(FILE.read_text())
    path, _, value = change.partition(" = ")
    *tables, field = path.split(".")
    table = card
    for name in tables:
        table = table[name]
    if value == GONE:
        del table[field]
    else:
        table[field] = tomllib.loads(f"value = {value}")["value"]
    return "\n".join(f'"{name}" = {_text(part)}' for name, part in card.items()).encode()


def _text(value: object) -> str:
    if isinstance(value, dict):
        return "{" + ", ".join(f'"{name}" = {_text(part)}' for name, part in value.items()) + "}"
    if isinstance(value, str):
        return f'"{value}"'
    return str(value).lower()
