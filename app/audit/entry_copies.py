"""Copies of the log that others keep: entries with their bodies, or only the hashes of the tree.

The regulator's copy has an entry a line, as JSON: position, tag, salt, body, leaf. Whoever follows
the log by its tiles (C2SP tlog-tiles) has the leaf hashes. Nothing in a copy is believed here but
that a body leads to its leaf; whether the leaves are those of the log its head shows (X-audit-log).
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol
from urllib.error import URLError
from urllib.request import urlopen
from zipfile import BadZipFile, ZipFile

from app.audit.canonical import canonical
from app.audit.entries import leaf_document
from app.audit.tiles import TILE
from rng.merkle import leaf_hash

HASH_BYTES = 32
ENTRIES = "entries.jsonl"
SECONDS = 30


class NotACopy(Exception):  # noqa: N818  a finding, in words
    """What was given is not a copy of a log; the text says why."""


@dataclass(frozen=True)
class EntryCopy:
    """An entry as a copy has it; only its leaf, if the rest is not known."""

    position: int
    leaf: bytes
    tag: str | None = None
    salt: bytes | None = None
    body: str | None = None


def read_entries(lines: Iterable[str | bytes]) -> Iterator[EntryCopy]:
    """Yield the entries of a copy, each with a body that leads to its leaf.

    Raises:
        NotACopy: a line is no entry, or its leaf is not that of its body.
    """
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            entry = _entry(json.loads(line))
            follows = entry.body is None or _leaf_of(entry) == entry.leaf
        except (AttributeError, KeyError, RecursionError, TypeError, ValueError) as fault:
            raise NotACopy(f"line {number} is no entry: {fault!r}") from None
        if not follows:
            raise NotACopy(f"the leaf in line {number} does not follow from its body")
        yield entry


def _leaf_of(entry: EntryCopy) -> bytes:
    body = (entry.body or "").encode()
    return leaf_hash(leaf_document(entry.tag or "", entry.salt or b"", body))


def _entry(document: Mapping[str, Any]) -> EntryCopy:
    position, leaf = document["position"], bytes.fromhex(document["leaf"])
    if type(position) is not int or position < 0 or len(leaf) != HASH_BYTES:
        raise ValueError("its place or its leaf is none")
    body = document.get("body")
    if body is None:
        return EntryCopy(position, leaf)
    text = body if isinstance(body, str) else canonical(body).decode()
    return EntryCopy(position, leaf, document["tag"], bytes.fromhex(document["salt"]), text)


def entry_line(entry: EntryCopy) -> str:
    """Return an entry as a line of a copy."""
    document: dict[str, object] = {"position": entry.position, "leaf": entry.leaf.hex()}
    if entry.body is not None:
        salt = (entry.salt or b"").hex()
        document |= {"tag": entry.tag, "salt": salt, "body": entry.body}
    return json.dumps(document, sort_keys=True) + "\n"


def entries_in(file: Path) -> Iterator[EntryCopy]:
    """Yield the entries of a file: one a line, or in a bundle (ZIP) whose `entries.jsonl` has them.

    Raises:
        NotACopy: it is neither, or has what is no entry.
    """
    try:
        with ZipFile(file) as bundle:
            named = [name for name in bundle.namelist() if name.endswith(ENTRIES)]
            if len(named) != 1:
                raise NotACopy(f"{file} has not one {ENTRIES}")
            with bundle.open(named[0]) as lines:
                yield from read_entries(lines)
    except BadZipFile:
        with file.open("rb") as lines:
            yield from read_entries(lines)


# ---- tiles ---------------------------------------------------------------------------------------


class Tiles(Protocol):
    """Where tiles are read, by their names."""

    def read(self, name: str) -> bytes:
        """Return a tile; OSError if it is not there."""


@dataclass(frozen=True)
class TileFolder:
    """Tiles as files."""

    folder: Path

    def read(self, name: str) -> bytes:
        """Return a tile."""
        return (self.folder / name).read_bytes()


@dataclass(frozen=True)
class TileAddress:
    """Tiles at an address, as a house or a mirror serves them."""

    address: str

    def read(self, name: str) -> bytes:
        """Return a tile."""
        with urlopen(f"{self.address.rstrip('/')}/{name}", timeout=SECONDS) as answer:  # noqa: S310  the operator's own address
            data: bytes = answer.read(TILE * HASH_BYTES + 1)
        return data


def tiles_at(source: str) -> Tiles:
    """Return the tiles of a folder or of an address."""
    if source.startswith(("http://", "https://")):
        return TileAddress(source)
    return TileFolder(Path(source))


def leaves_in(tiles: Tiles, start: int, end: int) -> Iterator[EntryCopy]:
    """Yield the leaves at places of the tree, from its tiles; nothing else of them is known.

    Raises:
        NotACopy: a tile is not there, or is no tile.
    """
    for number in range(start // TILE, -(-end // TILE)):
        first = number * TILE
        width = min(TILE, end - first)
        hashes = _tile(tiles, number, width)
        for place in range(max(start, first), first + width):
            offset = (place - first) * HASH_BYTES
            yield EntryCopy(place, hashes[offset : offset + HASH_BYTES])


def _tile(tiles: Tiles, number: int, width: int) -> bytes:
    """Return a tile of leaves: the full one, or a partial one that has enough."""
    name = tile_name(number)
    names = [name, *(f"{name}.p/{partial}" for partial in range(width, TILE))]
    for each in names:
        try:
            data = tiles.read(each)
        except (OSError, URLError):
            continue
        if len(data) % HASH_BYTES or len(data) < width * HASH_BYTES:
            raise NotACopy(f"{each} is no tile")
        return data
    raise NotACopy(f"there is no {name}")


def tile_name(number: int) -> str:
    """Return the name of a tile of leaves, as x001/x234/067 (C2SP tlog-tiles)."""
    groups = [f"{number % 1000:03d}"]
    while number >= 1000:
        number //= 1000
        groups.insert(0, f"x{number % 1000:03d}")
    return f"tile/0/{'/'.join(groups)}"
