"""Days with every kind of act, and bundles of them that tests read, change, and sign again."""

import json
import shutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import date, timedelta
from hashlib import sha256
from pathlib import Path
from typing import Any
from zipfile import ZIP_DEFLATED, ZipFile

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from app.audit.verifier import Report, verify
from app.flow import settle
from app.flow.access import Credentials, at_console
from app.flow.close_day import close_day
from app.flow.cosign import cosign_log
from app.flow.export import Exported, export_days
from app.flow.pay import Paying, pay_ticket
from app.flow.permissions import Permission
from app.flow.refund import Refunding, refund_ticket
from app.flow.release import release_game
from app.flow.report import Asked, make_report
from app.flow.seal import seal_log
from app.flow.sell import Sale
from app.keno import grading
from app.keno.request import Request
from app.keno.tender import Tender, TenderKind
from app.reports.catalogue import Format
from rng.core.canonical import canonical
from rng.core.signing import key_id, public_text
from rng.merkle import leaf_hash, node_hash
from rng.note import Checkpoint, Note, sign_note, write_checkpoint, write_note
from rng.serve.keystore import OpenKeys
from tests.floor import MAX, RITA, SECOND_STATION, WALT, WANDA, Floor, secret_of
from tests.proof import paying_days as paying
from tests.proof.paying_days import BILLS, EVERY, FIRST_DAY, House
from tests.story.refunds import void_next
from tests.story.settlement import rounded_down

REPORTS = [("about.txt", b"of the house\n"), ("sales.csv", b"day,sales\n2026-11-17,1\n")]

HELD = ("voids", "win", "winning-numbers")  # which the verifier holds against the entries


class BusyHouse(House):
    """Every game of a day has something of its own, beside what happens by chance."""

    def __init__(self, floor: Floor, seed: int, patch: pytest.MonkeyPatch) -> None:
        self.patch = patch
        self.held_up: list[int] = []
        self.leaving = 0  # the ticket of a patron who does not stay for all its games
        patch.setattr(paying, "GAMES_A_DAY", 4)
        patch.setattr(paying, "TICKETS_A_GAME", 5)
        super().__init__(floor, seed)
        self.acts: Iterator[Callable[[Credentials], None]] = iter([])

    def work_a_game(self) -> None:
        act = next(self.acts, None)
        if act is None:
            self.acts = iter([self.void_one, self.with_coupon, self.over_the_limit, self.frozen])
            act = next(self.acts)
        act(self.staff[WANDA])
        super().work_a_game()

    def close(self, over_cents: int) -> None:
        """What a day comes to with coupons and games held up, the verifier adds up for itself."""
        self.floor.sign_day(self.day)
        told = close_day(self.floor.office, self.floor.sam, self.day)["drawers"]
        assert isinstance(told, dict)
        assert told["over_short_cents"] == over_cents
        expired = self.now_expired()
        self.unpaid -= set(expired)
        self.kinds["expired"] += len(expired)

    def sell(self, writer: Credentials, sale: Sale) -> int:
        sold = self.floor.sell(writer, sale)
        self.sums["sales"] += sold["price_cents"]
        number: int = sold["number"]
        return number

    def void_one(self, writer: Credentials) -> None:
        self.release()
        number = self.sell(writer, Sale("M", Request(((1, 2, 3),), "1/3 @ 1.00"), BILLS))
        self.floor.void(writer, number)
        straight = Request(((4, 8, 15, 16),), "1/4 @ 1.00", 4)
        self.leaving = self.sell(writer, Sale("M", straight, BILLS))

    def with_coupon(self, writer: Credentials) -> None:
        """Another series, listed sets; a coupon, a cancelled ticket, and a void game."""
        cancelling = Refunding(
            self.leaving, "going home", self.floor.code(self.leaving), cancel=True
        )
        refund_ticket(self.floor.office, writer, cancelling, self.floor.request_id())
        tender = (Tender(TenderKind.COUPON, 100, f"C-{self.day}"), *BILLS)
        request = Request(((4, 8, 15, 16),), "1/4 @ 1.00", 3)
        with_coupon = self.sell(writer, Sale("M", request, tender))
        self.unpaid.add(with_coupon)
        groups = ((1, 2), (3, 4), (5, 6))
        self.unpaid.add(self.sell(writer, Sale("F", Request(groups, "2/4 A+B B+C @ 1.00"), BILLS)))
        self.floor.play("F")
        single = self.sell(writer, Sale("M", Request(((1, 2, 3),), "1/3 @ 1.00"), BILLS))
        void_next(self.floor)
        self.give_back(writer, single)
        if self.day != day(2):  # and what is left of the other
            self.give_back(writer, with_coupon)
            self.unpaid.discard(with_coupon)

    def give_back(self, writer: Credentials, number: int) -> None:
        asked = Refunding(number, "the game was void", self.floor.code(number))
        refund_ticket(self.floor.office, writer, asked, self.floor.request_id())

    def over_the_limit(self, writer: Credentials) -> None:
        """More than the house pays for a game, so that it is shared."""
        for _ in range(17):
            self.unpaid.add(self.sell(writer, Sale("M", Request(EVERY, "80/1 @ 100.00"), BILLS)))

    def frozen(self, writer: Credentials) -> None:
        """A game whose first grading is wrong, and which is graded again."""
        self.unpaid.add(self.sell(writer, Sale("M", Request(EVERY, "80/1 @ 1.05", 2), BILLS)))
        straight = Request(((1, 2, 3, 4, 5, 6, 7, 8),), "1/8 @ 1.00", 2)
        self.unpaid.add(self.sell(writer, Sale("M", straight, BILLS)))
        small = self.sell(writer, Sale("M", Request(EVERY, "80/1 @ 0.50"), BILLS))
        right, number = grading.grade_game, self.floor.lock()
        self.floor.draw()
        with self.patch.context() as patched:
            patched.setattr(settle, "grade_game", lambda *given: rounded_down(right(*given)))
            state = self.floor.grade(number)
        assert state == "frozen"
        self.held_up.append(number)
        if self.day != day(2):  # that day is closed while the game is held up
            self.release()
            paying_small = Paying(small, self.floor.code(small))  # it wins $30, whatever is drawn
            pay_ticket(self.floor.office, writer, paying_small, self.floor.request_id())

    def release(self) -> None:
        """Have the games graded again that are held up."""
        manager = at_console(self.floor.office, MAX, secret_of(MAX), Permission.GAME_RELEASE)
        while self.held_up:
            number = self.held_up.pop()
            release_game(self.floor.office, self.floor.sam, manager, "M", number, "mended")
            assert self.floor.grade(number) == "certified"


class VoidingHouse(BusyHouse):
    """The last ticket of each day is void, and would have played the first games of the next."""

    def work_a_game(self) -> None:
        super(BusyHouse, self).work_a_game()
        writer = self.staff[WANDA]
        number = self.sell(writer, Sale("M", Request(((4, 8, 15, 16),), "1/4 @ 1.00", 2), BILLS))
        self.floor.void(writer, number)
        self.floor.signed_in(WALT, SECOND_STATION)  # something else, before the day ends
        seal_log(self.floor.office)


def worked(
    floor: Floor, days: int = 3, seed: int = 5, kind: type[BusyHouse] = BusyHouse
) -> BusyHouse:
    """Work some days, and have the last close cosigned."""
    with pytest.MonkeyPatch.context() as patch:
        # While a game is held up the books say so; they are checked when all of it is over.
        patch.setattr(Floor, "check_books", lambda _: None)
        house = kind(floor, seed, patch)
        for _ in range(days):
            house.work_a_day()
    floor.check_books()
    cosign_log(floor.office, floor.two_keys)
    return house


def export(floor: Floor, out: Path, first: int, last: int) -> Exported:
    """Export some days, counted from the first one, as the regulator."""
    rita = at_console(floor.office, RITA, secret_of(RITA), Permission.RECORDS_EXPORT)
    days = day(first), day(last)
    return export_days(floor.office, rita, *days, out, reports_of(floor, *days))


def reports_of(floor: Floor, first: date, last: date) -> Iterator[tuple[str, bytes]]:
    """Some files that say nothing, and the reports that the verifier reads, when it comes to it."""
    yield from REPORTS
    for report in HELD:
        made = make_report(floor.office, Asked(report, first, last, Format.JSON))
        yield f"{report}.json", made.json()


def sign_and_close(floor: Floor, closed: date) -> None:
    """Close a day whose list a manager has signed."""
    floor.sign_day(closed)
    close_day(floor.office, floor.sam, closed)


def day(number: int) -> date:
    return FIRST_DAY + timedelta(days=number)


@dataclass
class ExportedHouse:
    """A house whose days were exported: bundles, and all that a forger within it would have."""

    folder: Path
    keys: Path
    log: Ed25519PrivateKey
    office: Ed25519PrivateKey
    keyed: Mapping[str, OpenKeys] = field(default_factory=dict)  # by role: rng, inspector

    def bundle(self, name: str) -> Path:
        return self.folder / f"{name}.zip"


@contextmanager
def exported_house(folder: Path) -> Iterator[ExportedHouse]:
    """Work three days, and export them together and one by one."""
    floor = Floor.opened(f"sqlite:///{folder / 'keno.db'}", folder)
    worked(floor)
    for name, days in {"days": (1, 3), "last": (3, 3), "second": (2, 2)}.items():
        export(floor, folder / f"{name}.zip", *days)
    shutil.copytree(floor.keyed.public, folder / "trusted")
    keys, started = floor.office.keys, floor.keyed.started
    keyed = {"rng": started.rng.need_working(), "inspector": started.inspector.need_working()}
    floor.close()
    yield ExportedHouse(folder, folder / "trusted", keys.log, keys.office, keyed)


def codes(report: Report) -> set[str]:
    return {fault.code for fault in report.faults}


# ---- forging -------------------------------------------------------------------------------------

Entry = dict[str, Any]


@dataclass
class Forgery:
    """A bundle in pieces, to be changed and put together again."""

    house: ExportedHouse
    files: dict[str, bytes]
    manifest: dict[str, Any]
    entries: list[Entry] = field(default_factory=list)
    extra: list[tuple[str, bytes]] = field(default_factory=list)

    @classmethod
    def of(cls, house: ExportedHouse, name: str = "last") -> "Forgery":
        with ZipFile(house.bundle(name)) as archive:
            files = {each: archive.read(each) for each in archive.namelist()}
        manifest = json.loads(files.pop("manifest.json"))
        forgery = cls(house, files, manifest)
        forgery.entries = forgery.lines("log/entries.jsonl")
        return forgery

    @property
    def body(self) -> dict[str, Any]:
        body: dict[str, Any] = self.manifest["body"]
        return body

    # ---- pieces ------------------------------------------------------------------------------

    def lines(self, name: str) -> list[Any]:
        return [json.loads(line) for line in self.files[name].splitlines()]

    def put_lines(self, name: str, lines: list[Any]) -> None:
        self.files[name] = b"".join(canonical(line) + b"\n" for line in lines)

    def put_entries(self) -> None:
        self.put_lines("log/entries.jsonl", self.entries)

    def tagged(self, tag: str) -> list[Entry]:
        return [entry for entry in self.entries if entry["tag"] == tag]

    def first(self, name: str) -> str:
        """The first file whose name begins so."""
        return min(each for each in self.files if each.startswith(name))

    # ---- signing -----------------------------------------------------------------------------

    def sign(self, key: Ed25519PrivateKey | None = None) -> None:
        """List all files as they are, and sign the manifest with a key of the house."""
        self.body["files"] = [
            {"name": name, "size": len(data), "sha256": sha256(data).hexdigest()}
            for name, data in sorted(self.files.items())
        ]
        signer = key or self.house.log
        self.manifest["signatures"] = [
            {
                "key": key_id(public_text(signer.public_key())),
                "signature": signer.sign(canonical(self.body)).hex(),
            }
        ]

    def sign_log(self) -> None:
        """Work out leaves, places and root anew, and sign the head with the log's own key.

        What the forger does not have is the inspector's key.
        """
        peaks = self._before()
        for place, entry in enumerate(self.entries, self.body["first"]):
            entry["position"] = place
            seal(entry)
            _grow(peaks, bytes.fromhex(entry["leaf"]))
        self.put_entries()
        root = _root(peaks)
        size = self.body["first"] + len(self.entries)
        origin = self.body["origin"]
        text = write_checkpoint(Checkpoint(origin, size, root))
        note = write_note(Note(text, (sign_note(text, origin, self.house.log),)))
        self.files["log/checkpoint"] = note.encode()
        self.body.update({"size": size, "root": root.hex()})
        self.sign()

    def _before(self) -> list[tuple[int, bytes]]:
        found: list[tuple[int, bytes]] = []
        tiles = [name for name in self.files if name.startswith("log/tile/")]
        for name in sorted(tiles, reverse=True):
            level, data = int(name.split("/")[2]), self.files[name]
            hashes = [data[at : at + 32] for at in range(0, len(data), 32)]
            while hashes:
                height = len(hashes).bit_length() - 1
                row, hashes = hashes[: 1 << height], hashes[1 << height :]
                while len(row) > 1:
                    row = [node_hash(row[at], row[at + 1]) for at in range(0, len(row), 2)]
                found.append((8 * level + height, row[0]))
        return found

    # ---- together ----------------------------------------------------------------------------

    def write(self, out: Path) -> Path:
        """Put it together, and return its path."""
        with ZipFile(out, "w", ZIP_DEFLATED) as archive:
            for name, data in [*self.files.items(), *self.extra]:
                archive.writestr(name, data)
            archive.writestr("manifest.json", canonical(self.manifest))
        return out

    def verified(self, out: Path) -> Report:
        """Put it together, and have it checked with the keys that a regulator has."""
        return verify(self.write(out), self.house.keys)


def said(entry: Entry) -> dict[str, Any]:
    body: dict[str, Any] = json.loads(entry["body"])
    return body


def say(entry: Entry, **changes: Any) -> None:  # noqa: ANN401
    """Change what an entry says."""
    entry["body"] = canonical({**said(entry), **changes}).decode()


def seal(entry: Entry) -> None:
    """Give an entry the leaf of what it says now."""
    commitment = sha256(bytes.fromhex(entry["salt"]) + entry["body"].encode()).hexdigest()
    leaf = {"label": "keno/log-leaf", "version": 1, "tag": entry["tag"], "body": commitment}
    entry["leaf"] = leaf_hash(canonical(leaf)).hex()


def without_line(note: bytes, place: int) -> bytes:
    """A note without one of its signatures."""
    text, _, lines = note.decode().partition("\n\n")
    kept = lines.splitlines()
    del kept[place]
    return "\n".join([text, "", *kept, ""]).encode()


def flipped(data: bytes, place: int, bit: int = 0) -> bytes:
    changed = bytearray(data)
    changed[place] ^= 1 << bit
    return bytes(changed)


def _grow(peaks: list[tuple[int, bytes]], leaf: bytes) -> None:
    height, root = 0, leaf
    while peaks and peaks[-1][0] == height:
        root = node_hash(peaks.pop()[1], root)
        height += 1
    peaks.append((height, root))


def _root(peaks: list[tuple[int, bytes]]) -> bytes:
    root = peaks[-1][1]
    for _, left in reversed(peaks[:-1]):
        root = node_hash(left, root)
    return root
