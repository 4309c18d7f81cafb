"""A bundle for the regulator: some gaming days of the log, with all that a check of them needs.

It can be checked on another machine, with public keys alone (`app.audit.verifier`): every entry of
the stretch, the hashes of what lies before it, the cosigned head, every draw and rate card, and
each earlier entry that something in the stretch rests on, with a proof of its own (X-audit-log).

The same stretch of the same log gives the same bytes. Nothing is held in memory that grows with
what was sold in it; what is, are places of earlier entries.
"""

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from hashlib import sha256
from itertools import groupby
from typing import IO, Any
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from app.audit.archives import ArchivedBodies, ArchiveFile
from app.audit.canonical import canonical
from app.audit.tags import Tag
from app.audit.tiles import TILE, Tree
from app.audit.verifier import moment_of, source
from app.store.queries import Reading, bundles, log, outcomes
from app.store.queries.bundles import CarriedTicket
from app.store.queries.house import HouseRow
from app.store.queries.log import EntryRow, StoredHashes

LABEL, VERSION = "keno/export", 1
LEAVES = 1_000  # read at a time
TILES_HELD = 64
NO_DATE = (1980, 1, 1, 0, 0, 0)  # the first that a zip file can have
REPORT_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")
# Whoever checks an approval needs to know who was who, and from which amount on it is needed;
# whoever checks a sale, which card held.
ALWAYS_CARRIED = (Tag.HOUSE, Tag.STAFF, Tag.AMOUNT, Tag.CARD_ACCEPTED, Tag.CARD_IN_FORCE)
READ_ME = b"""This is a signed bundle of the log of a keno house, for its regulator.

Check it with the program that the house publishes at /verifier.py and with public keys that you
have from elsewhere than this file:

    python verifier.py BUNDLE.zip --keys FOLDER

manifest.json  what is in here, signed by the log
keys.json      public keys of the house
log/           the entries, the hashes of what lies before them, the signed and cosigned heads
draws/         every draw and void with its statement, seal, intent and record
cards/         the rate cards that tickets are on
reports/       reports of the house over the same days
"""


@dataclass(frozen=True)
class Stretch:
    """From which place of the log up to which cosigned head."""

    first: int
    size: int
    root: bytes
    note: str


@dataclass(frozen=True)
class Contents:
    """What a bundle is made for, and what is given to it from outside the log."""

    house: HouseRow
    first_day: date
    last_day: date
    stretch: Stretch
    keys: Mapping[str, str]
    reports: Iterable[tuple[str, bytes]] = ()  # in an order that is always the same
    archives: Sequence[ArchiveFile] = ()  # that are at hand


def write_bundle(
    file: IO[bytes], connection: Reading, contents: Contents, key: Ed25519PrivateKey
) -> str:
    """Write a bundle, and return the hash of its manifest.

    Args:
        file: where it is written; it can be sought in.
        connection: where the log is read.
        contents: what it is made for.
        key: the log's own key, which signs the manifest.

    Raises:
        NotAtHand: an entry of it is in an archive that is not at hand.
    """
    carried = _carry(connection, contents)
    with ZipFile(file, "w", ZIP_DEFLATED, compresslevel=6) as archive:
        writer = _Writer(archive)
        writer.add("README.txt", [READ_ME])
        writer.add("keys.json", [canonical(dict(contents.keys)), b"\n"])
        for name, parts in _log_files(connection, contents, carried):
            writer.add(name, parts)
        for name, parts in _draw_files(connection, contents.stretch, carried):
            writer.add(name, parts)
        for card in bundles.used_cards(connection, carried.cards):
            writer.add(f"cards/{card.hash.hex()}.toml", [card.file.encode()])
        for name, data in contents.reports:
            if not REPORT_NAME.fullmatch(name) or f"reports/{name}" in writer.files:
                raise ValueError(f"{name!r} is no name for a report, or was used before")
            writer.add(f"reports/{name}", [data])
        body = _manifest(contents, [writer.files[name] for name in sorted(writer.files)])
        message = canonical(body)
        public = key.public_key().public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)
        signed = {"key": sha256(public).hexdigest(), "signature": key.sign(message).hex()}
        writer.add("manifest.json", [canonical({"body": body, "signatures": [signed]}), b"\n"])
    return sha256(message).hexdigest()


def _manifest(contents: Contents, files: list[dict[str, object]]) -> dict[str, object]:
    house, stretch = contents.house, contents.stretch
    return {
        "label": LABEL,
        "version": VERSION,
        "house": house.name,
        "jurisdiction": house.jurisdiction,
        "origin": house.log_origin,
        "from": contents.first_day.isoformat(),
        "to": contents.last_day.isoformat(),
        "first": stretch.first,
        "size": stretch.size,
        "root": stretch.root.hex(),
        "files": files,
        "verifier": sha256(source()).hexdigest(),
    }


class _Writer:
    """A zip file that has no times in it, and knows what it has written."""

    def __init__(self, archive: ZipFile) -> None:
        self._archive = archive
        self.files: dict[str, dict[str, object]] = {}

    def add(self, name: str, parts: Iterable[bytes]) -> None:
        """Add a file, part by part."""
        info = ZipInfo(name, NO_DATE)
        info.compress_type, info.create_system, info.external_attr = ZIP_DEFLATED, 3, 0o644 << 16
        digest, size = sha256(), 0
        with self._archive.open(info, "w", force_zip64=True) as file:
            for part in parts:
                file.write(part)
                digest.update(part)
                size += len(part)
        self.files[name] = {"name": name, "size": size, "sha256": digest.hexdigest()}


# ---- what the stretch rests on -------------------------------------------------------------------


@dataclass
class _Carried:
    """Earlier entries that go along, by their places; and games and cards."""

    places: set[int] = field(default_factory=set)
    games_before: set[tuple[str, int]] = field(default_factory=set)  # ended before the stretch
    cards: set[int] = field(default_factory=set)  # that any of its tickets are on


def _carry(connection: Reading, contents: Contents) -> _Carried:
    """Find every earlier entry without which something in the stretch could not be checked."""
    first, size = contents.stretch.first, contents.stretch.size
    carried = _Carried(cards=bundles.cards_sold_on(connection, first, size))
    carried.places.update(bundles.standing_places(connection, ALWAYS_CARRIED, first))
    last = bundles.last_ticket_before(connection, first)
    if last is not None:  # ticket numbers go on from it; and it may be void
        number, place = last
        carried.places.update([place, *bundles.places_of_acts(connection, [number], first)])
    carried.places.update(_just_before(connection, contents))
    carried.places.update(bundles.opening_places(connection, first))
    carried.places.update(bundles.resumption_places(connection, first))
    games = bundles.games_between(connection, first, size)
    for series, low, high in _runs(games):
        before = bundles.ended_before(connection, series, low - 1, high, first)
        carried.games_before.update(before)  # and the one that the first of them builds on
        for batch in _batches(bundles.playing_before(connection, series, low, high, first)):
            _carry_tickets(connection, carried, batch, first)
    for batch in _batches(bundles.acted_on_between(connection, first, size)):
        _carry_tickets(connection, carried, batch, first)
        for ticket in batch:
            run = (ticket.series, ticket.first_game, ticket.last_game)
            carried.games_before.update(bundles.ended_before(connection, *run, first))
    for series, game in sorted({*games, *carried.games_before}):
        locked = bundles.lock_place(connection, series, game)
        if locked is not None and locked < first:
            carried.places.add(locked)  # from which the time to claim is counted, too
        carried.places.update(bundles.grading_places(connection, series, game, first))
    for card in bundles.used_cards(connection, carried.cards):
        if card.place is not None and card.place < first:
            carried.places.add(card.place)
    return carried


def _just_before(connection: Reading, contents: Contents) -> list[int]:
    """Return the last place before a stretch, by whose time it begins no later than its first day.

    And those before it, as far back as it takes to one whose time is known.
    """
    places: list[int] = []
    for place in range(contents.stretch.first - 1, -1, -1):
        places.append(place)
        (entry,) = bundles.entries_at(connection, [place])
        opened = ArchivedBodies(connection, contents.archives).opened(entry)
        if opened.body and moment_of(opened.tag, json.loads(opened.body)) is not None:
            break
    return places


def _carry_tickets(
    connection: Reading, carried: _Carried, tickets: list[CarriedTicket], first: int
) -> None:
    numbers = [ticket.number for ticket in tickets]
    carried.places.update(ticket.place for ticket in tickets)
    carried.places.update(bundles.places_of_acts(connection, numbers, first))
    carried.cards |= bundles.cards_of(connection, numbers)


def _runs(games: list[tuple[str, int]]) -> Iterator[tuple[str, int, int]]:
    """Yield series, first and last of every run of games that follow each other."""
    for series, of_series in groupby(games, key=lambda game: game[0]):
        numbers = [number for _, number in of_series]
        known = set(numbers)
        begins = [number for number in numbers if number - 1 not in known]
        ends = [number for number in numbers if number + 1 not in known]
        for low, high in zip(begins, ends, strict=True):
            yield series, low, high


def _batches(tickets: Iterator[CarriedTicket]) -> Iterator[list[CarriedTicket]]:
    batch: list[CarriedTicket] = []
    for ticket in tickets:
        batch.append(ticket)
        if len(batch) == bundles.BATCH:
            yield batch
            batch = []
    if batch:
        yield batch


# ---- files ---------------------------------------------------------------------------------------

Files = Iterator[tuple[str, Iterable[bytes]]]
Opened = Callable[[EntryRow], EntryRow]


def _log_files(connection: Reading, contents: Contents, carried: _Carried) -> Files:
    stretch, archives = contents.stretch, contents.archives
    yield "log/checkpoint", [stretch.note.encode()]
    acts = [json.loads(body)["act"] for body in bundles.origin_bodies(connection, stretch.size)]
    if acts:
        yield "log/origins.jsonl", (_line({"act": act}) for act in acts)
    yield from _tiles_before(connection, stretch.first)
    heads = bundles.heads_between(connection, stretch.first, stretch.size)
    yield (
        "log/checkpoints.jsonl",
        (_line({"size": size, "note": note, "cosigned": both}) for size, note, both in heads),
    )
    opened = ArchivedBodies(connection, archives).opened
    places = sorted(carried.places)
    yield "log/carried.jsonl", _carried_lines(connection, opened, places, stretch.size)
    opened = ArchivedBodies(connection, archives).opened
    yield "log/entries.jsonl", _entry_lines(connection, opened, stretch)


def _tiles_before(connection: Reading, first: int) -> Files:
    """Yield the tiles that end where the stretch begins: what lies before follows from them.

    By the names and with the bytes that they have in the public log (C2SP tlog-tiles).
    """
    level, hashes = 0, StoredHashes(connection)
    while first:
        first, width = divmod(first, TILE)
        if width:
            data = b"".join(hashes.run(level, first * TILE, width))
            yield f"log/tile/{level}/{tile_path(first)}.p/{width}", [data]
        level += 1


def tile_path(number: int) -> str:
    """Return the number of a tile as the public log writes it: x001/x234/067."""
    parts = [f"{number % 1000:03}"]
    while number := number // 1000:
        parts.append(f"x{number % 1000:03}")
    return "/".join(reversed(parts))


def _entry_lines(connection: Reading, opened: Opened, stretch: Stretch) -> Iterator[bytes]:
    for start in range(stretch.first, stretch.size, LEAVES):
        end = min(start + LEAVES, stretch.size)
        for entry in log.leaves_between(connection, start, end):
            yield _line(_entry(opened(entry)))


def _carried_lines(
    connection: Reading, opened: Opened, places: list[int], size: int
) -> Iterator[bytes]:
    tree = Tree(_HeldTiles(StoredHashes(connection)))
    for start in range(0, len(places), bundles.BATCH):
        for entry in bundles.entries_at(connection, places[start : start + bundles.BATCH]):
            path = tree.inclusion(entry.position or 0, size)
            yield _line({**_entry(opened(entry)), "proof": [step.hex() for step in path]})
        tree = Tree(_HeldTiles(StoredHashes(connection)))  # which forgets what it has read


class _HeldTiles:
    """Hashes that are read a whole tile at a time: the proofs of neighbours need the same ones."""

    def __init__(self, hashes: StoredHashes) -> None:
        self._hashes = hashes
        self._tiles: dict[tuple[int, int], list[bytes]] = {}

    def run(self, level: int, start: int, count: int) -> list[bytes]:
        """Return so many hashes of a level, from a place on; they lie in one tile."""
        tile, offset = divmod(start, TILE)
        if (level, tile) not in self._tiles:
            if len(self._tiles) >= TILES_HELD:
                self._tiles.pop(next(iter(self._tiles)))
            self._tiles[level, tile] = self._hashes.run(level, tile * TILE, TILE)
        return self._tiles[level, tile][offset : offset + count]


def _draw_files(connection: Reading, stretch: Stretch, carried: _Carried) -> Files:
    ended = bundles.ended_between(connection, stretch.first, stretch.size)
    yield "draws/before.jsonl", _draw_lines(connection, sorted(carried.games_before))
    for series, games in groupby(ended, key=lambda game: game[0]):
        yield f"draws/{series}.jsonl", _draw_lines(connection, list(games))


def _draw_lines(connection: Reading, games: list[tuple[str, int]]) -> Iterator[bytes]:
    for series, game in games:
        ended = outcomes.outcome(connection, series, game)
        if ended is not None:
            yield _line({"series": series, "game": game, "document": ended.document})


def _entry(entry: EntryRow) -> dict[str, object]:
    if entry.is_lost:
        return {"position": entry.position, "tag": Tag.LOST.value, "leaf": entry.leaf.hex()}
    return {
        "position": entry.position,
        "tag": entry.tag,
        "salt": entry.salt.hex(),
        "body": entry.body,
        "leaf": entry.leaf.hex(),
    }


def _line(document: dict[str, Any]) -> bytes:
    return canonical(document) + b"\n"
