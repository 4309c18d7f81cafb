"""The log as it is kept: places, heads that are signed once, and every fault that is planted."""

import json
import os
import signal
import subprocess
import sys
import threading
from base64 import b64decode
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from sqlalchemy import insert, text

from app.audit.books import check_books
from app.audit.checkpoints import signed_head
from app.audit.entries import SALT_BYTES, leaf_document, make_entry
from app.audit.log_check import check_log
from app.audit.tags import Tag
from app.audit.tiles import Tree, full_tiles
from app.entropy import system_entropy
from app.flow import lockout
from app.flow.access import Credentials
from app.flow.office import Office
from app.flow.seal import published_head, seal_log
from app.keno.numbering import printed_number
from app.keno.refusals import Refused
from app.store.queries import games
from app.store.queries import log as queries
from app.store.records.log import SealedMeanwhile
from app.store.tables import Act, LogEntry
from app.web import create_app
from rng.merkle import leaf_hash
from tests.engines import ENGINES, floor_on
from tests.floor import ROLES, WALT, Floor, secret_of
from tests.looking import write
from tests.rng.tree import root

pytestmark = pytest.mark.rule("X-audit-log")

SEALER = Path(__file__).parent / "sealer.py"
POSTGRESQL = pytest.mark.parametrize("floor", ["postgresql"], indirect=True)
ORIGIN = "keno.example/test"


# ---- reading the log as others would -------------------------------------------------------------


@dataclass(frozen=True)
class Stated:
    """What a note states, read by the letter of c2sp.org/signed-note and tlog-checkpoint."""

    origin: str
    size: int
    root: bytes


def verified(note: str, name: str, public: Ed25519PublicKey) -> Stated:
    """Read a checkpoint without any code of ours; a signature that is wrong raises."""
    body, border, signatures = note.rpartition("\n\n")
    assert border, "no empty line stands before the signatures"
    signed = f"{body}\n".encode()
    (line,) = signatures.removesuffix("\n").split("\n")
    dash, signer, encoded = line.split(" ")
    assert (dash, signer) == ("\N{EM DASH}", name)
    raw = b64decode(encoded, validate=True)
    key = b"\x01" + public.public_bytes_raw()  # 0x01 is Ed25519
    assert raw[:4] == sha256(name.encode() + b"\n" + key).digest()[:4]
    public.verify(raw[4:], signed)
    origin, size, of_root, *more = signed.decode().removesuffix("\n").split("\n")
    assert more == []
    assert size == str(int(size))
    return Stated(origin, int(size), b64decode(of_root, validate=True))


def public_key(floor: Floor) -> Ed25519PublicKey:
    return floor.office.keys.log.public_key()


def places(floor: Floor) -> list[tuple[int, int]]:
    """Place and entry of everything that has a place, by place."""
    with floor.office.database.reading() as connection:
        found = connection.execute(text("SELECT position, entry FROM log_position ORDER BY 1"))
        return [(row[0], row[1]) for row in found]


def leaves(floor: Floor) -> list[bytes]:
    with floor.office.database.reading() as connection:
        found = connection.execute(text("SELECT leaf FROM log_position ORDER BY position"))
        return [bytes(leaf) for leaf in found.scalars()]


def waiting(floor: Floor) -> list[int]:
    """The entries that have no place yet."""
    with floor.office.database.reading() as connection:
        return [entry for entry, _ in queries.pending(connection)]


def notes(floor: Floor) -> dict[int, str]:
    """The signed heads, by size."""
    with floor.office.database.reading() as connection:
        return dict(queries.checkpoint_notes(connection))


def newest_seal(floor: Floor, series: str = "M") -> tuple[str | None, str | None]:
    """The game that was sealed last, with its seal, as whoever sells for a series is told."""
    with floor.office.database.reading() as connection:
        game = games.open_game(connection, series)
    assert game is not None
    return game.sealed_game, game.seal


def entries_of(floor: Floor, tag: Tag) -> list[int]:
    with floor.office.database.reading() as connection:
        found = text("SELECT id FROM log_entry WHERE tag = :tag ORDER BY id")
        return list(connection.execute(found, {"tag": tag.value}).scalars())


def entries(floor: Floor) -> list[Any]:
    """Every entry with its body, in their order."""
    with floor.office.database.reading() as connection:
        found = text("SELECT id, tag, salt, body, leaf FROM log_entry ORDER BY id")
        return list(connection.execute(found))


def place_of(floor: Floor, entry: int) -> int:
    return {found: place for place, found in places(floor)}[entry]


def faults(floor: Floor) -> list[str]:
    with floor.office.database.reading() as connection:
        return [fault.message for fault in check_log(connection, ORIGIN, public_key(floor))]


def note_something(floor: Floor, count: int = 1) -> None:
    """Have something told in the log, as acts do."""
    for number in range(count):
        with floor.office.unit() as unit:
            floor.office.log(unit, Tag.REFUSED, {"number": number})
            unit.commit()


def grow(floor: Floor, count: int) -> None:
    """Add many entries at once, all of them without a place."""
    for first in range(0, count, 5_000):  # a house lets nobody dawdle in a transaction
        _add(floor, range(first, min(first + 5_000, count)))


def _add(floor: Floor, numbers: range) -> None:
    rows = []
    for number in numbers:
        entry = make_entry(Tag.REFUSED, {"number": number}, system_entropy(SALT_BYTES))
        rows.append({"tag": entry.tag, "salt": entry.salt, "body": entry.body, "leaf": entry.leaf})
    with floor.office.database.writing() as connection:
        last = connection.execute(text("SELECT max(id) FROM log_entry")).scalar_one()
        acts = insert(Act).returning(Act.id, sort_by_parameter_order=True)
        ids = connection.execute(acts, [{"tag": row["tag"]} for row in rows]).scalars()
        connection.execute(
            insert(LogEntry), [{**row, "id": id_} for id_, row in zip(ids, rows, strict=True)]
        )
        connection.execute(
            text("INSERT INTO log_pending (entry) SELECT id FROM log_entry WHERE id > :last"),
            {"last": last},
        )
        connection.commit()


# ---- places --------------------------------------------------------------------------------------


def test_places_are_without_a_gap_and_in_the_order_of_entries(floor: Floor) -> None:
    wanda = floor.writing()
    for _ in range(3):
        floor.sell(wanda)
        floor.sell(wanda)
        assert waiting(floor)
        seal_log(floor.office)
        assert waiting(floor) == []
    given = places(floor)
    assert [place for place, _ in given] == list(range(len(given)))
    assert [entry for _, entry in given] == sorted(entry for _, entry in given)
    assert len(entries_of(floor, Tag.TICKET)) == 6
    floor.check_books()


def test_what_has_a_place_keeps_it(floor: Floor) -> None:
    note_something(floor, 3)
    seal_log(floor.office)
    before = places(floor)
    note_something(floor, 3)
    seal_log(floor.office)
    assert places(floor)[: len(before)] == before
    assert len(places(floor)) == len(before) + 3


def test_sealing_when_nothing_waits_gives_the_same_head_again(floor: Floor) -> None:
    note_something(floor)
    first = seal_log(floor.office)
    before = notes(floor)
    assert seal_log(floor.office) == first
    assert notes(floor) == before


@pytest.mark.rule("X-recovery")
def test_any_number_of_entries_that_waited_is_sealed_at_once(floor: Floor) -> None:
    """More than a statement may have parameters, and than one tile of tiles has leaves."""
    grow(floor, 66_000)
    stated = verified(seal_log(floor.office), ORIGIN, public_key(floor))
    assert waiting(floor) == []
    assert stated.size == len(places(floor)) > 66_000
    assert stated.root == root(leaves(floor))
    with floor.office.database.reading() as connection:
        levels = connection.execute(text("SELECT level, count(*) FROM log_node GROUP BY level"))
        assert {row[0]: row[1] for row in levels} == {1: stated.size // 256, 2: 1}
    assert faults(floor) == []


@pytest.mark.rule("X-draw-public")
def test_proofs_from_the_tables_are_those_of_the_definition(floor: Floor) -> None:
    grow(floor, 300)
    seal_log(floor.office)
    note_something(floor, 3)
    seal_log(floor.office)
    kept = leaves(floor)
    with floor.office.database.reading() as connection:
        tree = Tree(queries.StoredHashes(connection))
        assert [tree.root(size) for size in range(len(kept) + 1)] == [
            root(kept[:size]) for size in range(len(kept) + 1)
        ]


# ---- heads ---------------------------------------------------------------------------------------


@pytest.mark.rule("X-draw-public")
def test_a_signed_head_can_be_read_and_verified_without_our_code(floor: Floor) -> None:
    floor.sell(floor.writing())
    stated = verified(seal_log(floor.office), ORIGIN, public_key(floor))
    assert stated == Stated(ORIGIN, len(places(floor)), root(leaves(floor)))
    with pytest.raises(InvalidSignature):
        verified(
            seal_log(floor.office).replace(f"{stated.size}\n", f"{stated.size + 1}\n", 1),
            ORIGIN,
            public_key(floor),
        )


@pytest.mark.rule("X-lock-seal")
def test_every_lock_is_sealed_by_a_signed_head_over_its_entry(floor: Floor) -> None:
    wanda = floor.writing()
    for number in (1, 2, 3):
        floor.sell(wanda)
        floor.lock()
        lock = entries_of(floor, Tag.LOCK)[-1]
        size, note = max(notes(floor).items())
        assert place_of(floor, lock) < size
        stated = verified(note, ORIGIN, public_key(floor))
        assert (stated.size, stated.root) == (size, root(leaves(floor)[:size]))
        assert newest_seal(floor) == (f"M-{number}", note)
    floor.check_books()


def test_while_somebody_waits_for_the_standby_others_are_shown_the_head_before(
    floor: Floor,
) -> None:
    first = seal_log(floor.office)
    assert published_head(floor.office) == first
    floor.sell(floor.writing())
    second = seal_log(floor.office)
    with floor.office.making_sure:
        assert published_head(floor.office) == first
    assert published_head(floor.office) == second != first


def test_who_asks_for_the_head_before_it_is_sure_asks_again(floor: Floor) -> None:
    """As where the web process has just been started, and the standby is away."""
    client = create_app(floor.office).test_client()
    told = client.get("/log/checkpoint")
    assert (told.status_code, told.get_json(force=True)["code"]) == (503, "log.no_head_yet")
    note = seal_log(floor.office)
    with floor.office.making_sure:
        assert client.get("/log/checkpoint").status_code == 503
    assert client.get("/log/checkpoint").text == note


def test_a_place_that_was_given_already_is_told_and_not_tried_for_ever(floor: Floor) -> None:
    seal_log(floor.office)
    write(floor, "INSERT INTO log_pending SELECT entry FROM log_position WHERE position = 0")
    with pytest.raises(SealedMeanwhile):
        seal_log(floor.office)


@pytest.mark.rule("X-lock-seal", "X-recovery")
def test_a_lock_whose_sealer_died_is_sealed_by_whoever_seals_next(
    floor: Floor, monkeypatch: pytest.MonkeyPatch
) -> None:
    def die(_: object) -> str:
        raise RuntimeError("the power went out")

    floor.lock()
    before = newest_seal(floor)
    with monkeypatch.context() as patched:
        patched.setattr(lockout, "seal_log", die)
        with pytest.raises(RuntimeError):
            floor.lock()
    assert newest_seal(floor) == before
    note = seal_log(floor.office)
    assert newest_seal(floor) == ("M-2", note)
    note_something(floor)
    seal_log(floor.office)
    assert newest_seal(floor) == ("M-2", note)
    floor.check_books()


@pytest.mark.rule("X-lock-seal")
def test_two_locks_under_one_head_are_both_sealed_by_it(
    floor: Floor, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whichever of two lockouts seals first, it seals for both."""
    with monkeypatch.context() as patched:
        patched.setattr(lockout, "seal_log", lambda _: "")
        floor.lock("M")
    floor.lock("F")
    ((size, note),) = notes(floor).items()
    locks = entries_of(floor, Tag.LOCK)
    assert [place_of(floor, lock) < size for lock in locks] == [True, True]
    assert newest_seal(floor) == newest_seal(floor, "F") == ("F-100", note)
    floor.check_books()


def test_a_game_that_names_another_entry_as_its_lock_is_found(floor: Floor) -> None:
    floor.lock()
    plant(floor, "UPDATE game SET lock_entry = lock_entry - 1 WHERE state = 'locked'")
    with floor.office.database.reading() as connection:
        found = check_books(connection, ORIGIN, public_key(floor), floor.books_keys[2])
    assert [fault.message for fault in found["locks"]] == [
        "game M-1 and its LOCK entry do not agree"
    ]


def test_heads_are_those_of_the_log_as_it_was_at_each_size(floor: Floor) -> None:
    for _ in range(4):
        note_something(floor, 2)
        seal_log(floor.office)
    kept = leaves(floor)
    assert len(notes(floor)) >= 4
    for size, note in notes(floor).items():
        assert verified(note, ORIGIN, public_key(floor)) == Stated(ORIGIN, size, root(kept[:size]))


# ---- entries that commit late --------------------------------------------------------------------


@POSTGRESQL
def test_an_entry_that_commits_late_gets_a_later_place_and_is_never_skipped(floor: Floor) -> None:
    """Its id is lower than those of entries that were sealed before it could be seen."""
    with floor.office.unit() as unit:
        late = floor.office.log(unit, Tag.REFUSED, {"number": 1})
        note_something(floor, 3)
        size = verified(seal_log(floor.office), ORIGIN, public_key(floor)).size
        assert late.id < max(entry for _, entry in places(floor))
        assert late.id not in [entry for _, entry in places(floor)]
        unit.commit()
    assert waiting(floor) == [late.id]
    assert faults(floor) == []
    note_something(floor)
    seal_log(floor.office)
    assert place_of(floor, late.id) == size
    assert waiting(floor) == []
    floor.check_books()


@POSTGRESQL
def test_an_entry_that_is_rolled_back_leaves_no_gap(floor: Floor) -> None:
    with floor.office.unit() as unit:
        floor.office.log(unit, Tag.REFUSED, {"number": 1})
        note_something(floor)
        seal_log(floor.office)
    note_something(floor)
    seal_log(floor.office)
    assert [place for place, _ in places(floor)] == list(range(len(places(floor))))
    floor.check_books()


@dataclass
class Held:
    """An act of the floor that waits just before it would commit."""

    reached: threading.Event = field(default_factory=threading.Event)
    go_on: threading.Event = field(default_factory=threading.Event)

    def after(self, real: Callable[..., object]) -> Callable[..., object]:
        def held(*args: object) -> None:
            real(*args)
            self.reached.set()
            assert self.go_on.wait(60)

        return held


@pytest.mark.rule("15.3(c)", "X-lock-server", "X-lock-seal")
@pytest.mark.parametrize("tag", [Tag.TICKET, Tag.VOID])
def test_nothing_lands_behind_the_lock_of_its_game_however_late_it_commits(
    floor: Floor, monkeypatch: pytest.MonkeyPatch, tag: Tag
) -> None:
    wanda, held = floor.writing(), Held()
    if tag is Tag.VOID:
        floor.sell(wanda)
    code = floor.code(1) if tag is Tag.VOID else None
    monkeypatch.setattr(Office, "log_with", held.after(Office.log_with))
    with ThreadPoolExecutor(2) as pool:
        try:
            act: Future[object] = pool.submit(
                lambda: floor.void(wanda, 1, code) if tag is Tag.VOID else floor.sell(wanda)
            )
            assert held.reached.wait(60)
            lock = pool.submit(floor.lock)
            if not floor.office.database.is_sqlite:  # which would have us wait as well
                seal_log(floor.office)
            with pytest.raises(TimeoutError):
                lock.result(timeout=0.5)
        finally:
            held.go_on.set()
        act.result(60)
        assert lock.result(60) == 1
    (locked,), (late,) = entries_of(floor, Tag.LOCK), entries_of(floor, tag)
    assert place_of(floor, late) < place_of(floor, locked)
    with floor.office.database.reading() as connection:
        sold = text("SELECT tickets FROM game WHERE series = 'M' AND number = 1")
        assert connection.execute(sold).scalar_one() == (1 if tag is Tag.TICKET else 0)
    floor.check_books()


# ---- two who seal --------------------------------------------------------------------------------


def check_signed_once(floor: Floor, answered: list[str]) -> None:
    """Every note that anybody was ever answered is the one that is kept of its size."""
    kept = notes(floor)
    leaf_hashes = leaves(floor)
    for note in answered:
        stated = verified(note, ORIGIN, public_key(floor))
        assert kept[stated.size] == note
        assert stated.root == root(leaf_hashes[: stated.size])
    floor.check_books()


def test_sealers_at_the_same_time_never_sign_two_heads_of_one_size(floor: Floor) -> None:
    writers = [floor.writing(), floor.writing(WALT, "B2")]
    done, answered = threading.Event(), list[str]()

    def seal() -> None:
        while not done.is_set():
            answered.append(seal_log(floor.office))
        answered.append(seal_log(floor.office))

    def sell(who: Credentials) -> None:
        for _ in range(8):
            floor.sell(who)

    with ThreadPoolExecutor(5) as pool:
        sealers = [pool.submit(seal) for _ in range(3)]
        try:
            sellers = [pool.submit(sell, who) for who in writers]
            for seller in sellers:
                seller.result(120)
        finally:
            done.set()
        for sealer in sealers:
            sealer.result(120)
    assert waiting(floor) == []
    assert len(entries_of(floor, Tag.TICKET)) == 16
    check_signed_once(floor, answered)


@contextmanager
def stopped_sealer(floor: Floor, keys: Path, point: str) -> Iterator["subprocess.Popen[str]"]:
    """A sealer in a process of its own, stopped at a point of its work."""
    url = floor.office.database.url.render_as_string(hide_password=False)
    command = [sys.executable, str(SEALER), url, str(keys), point]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:  # noqa: S603
        try:
            _, status = os.waitpid(process.pid, os.WUNTRACED)
            assert os.WIFSTOPPED(status), "the sealer never came to the point"
            yield process
        finally:
            process.kill()


def keys_of(floor: Floor) -> Path:
    return floor.ceremony.parent / "keys"


def is_held_up(floor: Floor, point: str) -> bool:
    """Whether a sealer who is stopped there holds up everyone else who would seal."""
    return floor.office.database.is_sqlite or point in {"placed", "signing"}


@pytest.mark.rule("X-recovery")
@pytest.mark.parametrize("point", ["read", "placed", "signing"])
def test_a_sealer_that_was_stopped_and_goes_on_never_signs_a_second_head(
    floor: Floor, point: str
) -> None:
    note_something(floor, 3)
    with (
        stopped_sealer(floor, keys_of(floor), point) as process,
        ThreadPoolExecutor(1) as pool,
    ):

        def add_and_seal() -> str:
            note_something(floor, 2)
            return seal_log(floor.office)

        ours = pool.submit(add_and_seal)
        try:
            if is_held_up(floor, point):
                with pytest.raises(TimeoutError):
                    ours.result(timeout=0.5)
            else:
                ours.result(60)
                assert waiting(floor) == []
        finally:
            process.send_signal(signal.SIGCONT)
        theirs, _ = process.communicate(timeout=60)
        assert process.returncode == 0
        check_signed_once(floor, [theirs, ours.result(60), seal_log(floor.office)])
    assert waiting(floor) == []


@pytest.mark.rule("X-recovery")
@pytest.mark.parametrize("point", ["read", "placed", "signing"])
def test_a_sealer_that_is_killed_leaves_a_log_that_the_next_one_seals(
    floor: Floor, point: str
) -> None:
    note_something(floor, 3)
    before, to_place = len(places(floor)), len(waiting(floor))
    with stopped_sealer(floor, keys_of(floor), point) as process:
        process.kill()
        process.wait(60)
    # Places that were committed hold; of what was not committed nothing is left.
    assert len(places(floor)) == (before + to_place if point == "signing" else before)
    assert len(waiting(floor)) == (0 if point == "signing" else to_place)
    assert notes(floor) == {}
    floor.check_books()
    note_something(floor)
    answered = [seal_log(floor.office)]
    assert waiting(floor) == []
    assert len(places(floor)) == before + to_place + 1
    check_signed_once(floor, answered)


# ---- what the public sees ------------------------------------------------------------------------


@pytest.mark.rule("X-draw-public", "X-ticket-validation")
def test_a_leaf_has_nothing_but_its_kind_and_a_commitment(floor: Floor) -> None:
    wanda = floor.writing()
    floor.sell(wanda)
    floor.sell(wanda)
    floor.void(wanda, 2)
    with pytest.raises(Refused) as refused:
        floor.void(wanda, 1, "0" * len(floor.code(1)))
    assert [refusal.code for refusal in refused.value.refusals] == ["ticket.wrong_code"]
    floor.lock()
    private = {*ROLES, *(name.split()[0].upper() for name in ROLES)}
    private |= {secret_of(name) for name in ROLES}
    private |= {printed_number(1), floor.code(1), floor.code(2), "Test House", "changed mind"}
    stored = entries(floor)
    for entry in stored:
        public = leaf_document(entry.tag, entry.salt, entry.body.encode())
        assert leaf_hash(public) == entry.leaf
        assert json.loads(public) == {
            "label": "keno/log-leaf",
            "version": 1,
            "tag": Tag(entry.tag).value,
            "body": sha256(entry.salt + entry.body.encode()).hexdigest(),
        }
        assert not [word for word in private if word in public.decode()]
        assert len(entry.salt) == SALT_BYTES
    assert len({entry.salt for entry in stored}) == len(stored)
    assert {entry.tag for entry in stored} >= {"TICKET", "VOID", "LOCK", "REFUSED", "STAFF"}


@pytest.mark.rule("X-ticket-validation", "X-access")
def test_not_even_the_bodies_have_a_code_or_a_secret(floor: Floor) -> None:
    wanda = floor.writing()
    floor.sell(wanda)
    floor.sell(wanda)
    floor.void(wanda, 2)
    words = {floor.code(1), floor.code(2), *(secret_of(name) for name in ROLES)}
    words |= {token for token in (wanda.station, wanda.token) if token}
    bodies_ = [entry.body for entry in entries(floor) if entry.body]
    assert any("TICKET" in str(entry.tag) for entry in entries(floor))
    assert [word for word in words for body in bodies_ if word in body] == []


def test_the_same_said_twice_has_two_leaves(floor: Floor) -> None:
    """Else the public could find out a body by trying bodies."""
    note_something(floor)
    note_something(floor)
    one, other = entries(floor)[-2:]
    assert one.body == other.body
    assert one.leaf != other.leaf


# ---- planted faults ------------------------------------------------------------------------------

TILES = "the stored tiles are not those of the entries"
HEAD = "the head is not that of the entries"
LEAF = "a leaf stands in another place than its entry"
WAITS = "the entries without a place are not those that wait for one"


@pytest.fixture(params=ENGINES)
def long(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Floor]:
    """A floor whose log has a full tile and several heads, and whose guards were dropped."""
    with floor_on(request.param, request, tmp_path, make_long) as floor:
        yield floor


def make_long(floor: Floor) -> None:
    note_something(floor, 2)
    seal_log(floor.office)
    grow(floor, 260)
    seal_log(floor.office)
    note_something(floor, 3)
    floor.check_books()
    with floor.office.database.writing() as connection:
        for table in ("log_entry", "log_position", "log_node", "log_checkpoint"):
            if floor.office.database.is_sqlite:
                connection.execute(text(f"DROP TRIGGER {table}_no_update"))
                connection.execute(text(f"DROP TRIGGER {table}_no_delete"))
            else:
                connection.execute(text(f"DROP TRIGGER {table}_only_added ON {table}"))
        connection.commit()


def plant(floor: Floor, *statements: str, **values: object) -> None:
    """Do what nobody may do."""
    with floor.office.database.writing() as connection:
        for statement in statements:
            wanted = {name: value for name, value in values.items() if f":{name}" in statement}
            assert connection.execute(text(statement), wanted).rowcount >= 1
        connection.commit()


def entry_at(floor: Floor, place: int) -> int:
    return dict(places(floor))[place]


def heads_after(floor: Floor, place: int) -> list[str]:
    """What is said of every signed head that covers a place whose leaf is wrong."""
    return [
        f"the checkpoint of size {size} states another head"
        for size in sorted(notes(floor))
        if size > place
    ]


@pytest.mark.parametrize(
    "change",
    ["body = body || ' '", "salt = :other", "tag = 'VOID'"],
    ids=["body", "salt", "tag"],
)
@pytest.mark.parametrize("place", [0, 17, 261])
def test_a_changed_entry_is_found(long: Floor, change: str, place: int) -> None:
    entry = entry_at(long, place)
    plant(
        long,
        f"UPDATE log_entry SET {change} WHERE id = :entry",  # noqa: S608  the text above
        entry=entry,
        other=b"\0" * SALT_BYTES,
    )
    tiles = [TILES] if place < 256 else []
    untold = [f"act {entry} has no entry of its kind"] if change.startswith("tag") else []
    assert faults(long) == [
        f"entry {entry}: its leaf does not follow from its body",
        *untold,
        LEAF,
        HEAD,
        *tiles,
        *heads_after(long, place),
    ]


def test_a_changed_entry_that_has_no_place_yet_is_found(long: Floor) -> None:
    entry = waiting(long)[0]
    plant(long, "UPDATE log_entry SET body = body || ' ' WHERE id = :entry", entry=entry)
    assert faults(long) == [f"entry {entry}: its leaf does not follow from its body"]


def test_a_changed_leaf_of_an_entry_is_found(long: Floor) -> None:
    entry = entry_at(long, 17)
    plant(long, "UPDATE log_entry SET leaf = :leaf WHERE id = :entry", entry=entry, leaf=b"x" * 32)
    assert faults(long) == [f"entry {entry}: its leaf does not follow from its body"]


def test_a_changed_leaf_of_a_place_is_found(long: Floor) -> None:
    plant(long, "UPDATE log_position SET leaf = :leaf WHERE position = 17", leaf=b"x" * 32)
    assert faults(long) == [LEAF]


def test_swapped_places_are_found(long: Floor) -> None:
    plant(
        long,
        "UPDATE log_position SET position = 9999 WHERE position = 17",
        "UPDATE log_position SET position = 17 WHERE position = 18",
        "UPDATE log_position SET position = 18 WHERE position = 9999",
    )
    assert faults(long) == [HEAD, TILES, *heads_after(long, 17)]


def test_entries_that_were_swapped_under_their_leaves_are_found(long: Floor) -> None:
    one, other, spare = entry_at(long, 17), entry_at(long, 18), waiting(long)[0]
    move = "UPDATE log_position SET entry = :{} WHERE position = {}"
    plant(
        long,
        move.format("spare", 17),
        move.format("one", 18),
        move.format("other", 17),
        one=one,
        other=other,
        spare=spare,
    )
    assert faults(long) == [LEAF, HEAD, TILES, *heads_after(long, 17)]


@pytest.mark.parametrize("place", [17, -1])
def test_a_missing_place_is_found(long: Floor, place: int) -> None:
    size = len(places(long))
    plant(long, "DELETE FROM log_position WHERE position = :place", place=place % size)
    found = faults(long)
    assert found[:2] == [WAITS, f"the places are not 0 to {size - 1}, each once"]
    assert HEAD in found
    assert found[-len(heads_after(long, place % size)) :] == heads_after(long, place % size)


def test_a_place_that_is_not_the_next_one_is_found(long: Floor) -> None:
    size = len(places(long))
    plant(
        long,
        "UPDATE log_position SET position = position + 1 WHERE position = :last",
        last=size - 1,
    )
    assert f"the places are not 0 to {size - 1}, each once" in faults(long)


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE log_node SET hash = :hash",
        "DELETE FROM log_node",
        "UPDATE log_node SET place = 1",
        "INSERT INTO log_node (level, place, hash) VALUES (2, 0, :hash)",
    ],
)
def test_a_tile_that_is_wrong_is_found(long: Floor, statement: str) -> None:
    plant(long, statement, hash=b"x" * 32)
    assert faults(long) == [TILES]


def test_a_head_that_is_wrong_is_found(long: Floor) -> None:
    plant(long, "UPDATE log_head SET root = :root", root=b"x" * 32)
    assert faults(long) == [HEAD]


@pytest.mark.parametrize("by", [-1, 1])
def test_a_head_of_the_wrong_size_is_found(long: Floor, by: int) -> None:
    plant(long, "UPDATE log_head SET size = size + :by", by=by)
    size = len(places(long)) + by
    assert faults(long) == [f"the places are not 0 to {size - 1}, each once", HEAD]


def test_a_head_that_is_gone_is_found(long: Floor) -> None:
    plant(long, "DELETE FROM log_head")
    assert "there is not one head" in faults(long)


def test_a_forged_head_is_found(long: Floor) -> None:
    """It states the truth, and another key signed it in the name of the log's."""
    size = max(notes(long))
    forged = signed_head(ORIGIN, size, root(leaves(long)), Ed25519PrivateKey.generate())
    plant(long, "UPDATE log_checkpoint SET note = :note WHERE size = :size", note=forged, size=size)
    assert faults(long) == [f"the checkpoint of size {size}: the note is not signed by {ORIGIN}"]


def test_a_head_that_was_signed_and_then_changed_is_found(long: Floor) -> None:
    size = max(notes(long))
    changed = notes(long)[size].replace(f"\n{size}\n", f"\n{size - 1}\n", 1)
    plant(
        long, "UPDATE log_checkpoint SET note = :note WHERE size = :size", note=changed, size=size
    )
    assert faults(long) == [f"the checkpoint of size {size}: a signature by {ORIGIN} is wrong"]


def test_a_signed_head_under_another_size_is_found(long: Floor) -> None:
    small, large = min(notes(long)), max(notes(long))
    plant(
        long,
        "UPDATE log_checkpoint SET note = :note WHERE size = :size",
        note=notes(long)[small],
        size=large,
    )
    assert faults(long) == [f"the checkpoint of size {large} states another head"]


@pytest.mark.parametrize("size", [0, 5, 99_999])
def test_a_second_history_that_the_right_key_signed_is_found(long: Floor, size: int) -> None:
    """A head of a size that the log had or not, over entries that it never had."""
    split = signed_head(ORIGIN, size, b"x" * 32, long.office.keys.log)
    plant(
        long,
        "INSERT INTO log_checkpoint (size, note, signed_at) "
        "SELECT :size, :note, signed_at FROM log_checkpoint LIMIT 1",
        note=split,
        size=size,
    )
    assert faults(long) == [f"the checkpoint of size {size} states another head"]


def test_a_head_of_another_log_is_found(long: Floor) -> None:
    size = max(notes(long))
    other = signed_head("keno.example/other", size, root(leaves(long)), long.office.keys.log)
    plant(long, "UPDATE log_checkpoint SET note = :note WHERE size = :size", note=other, size=size)
    assert faults(long) == [f"the checkpoint of size {size}: the note is not signed by {ORIGIN}"]


def test_what_is_no_note_at_all_is_found(long: Floor) -> None:
    size = max(notes(long))
    plant(long, "UPDATE log_checkpoint SET note = 'lost' WHERE size = :size", size=size)
    (found,) = faults(long)
    assert found.startswith(f"the checkpoint of size {size}: ")


def test_an_entry_that_no_longer_waits_and_has_no_place_is_found(long: Floor) -> None:
    plant(long, "DELETE FROM log_pending WHERE entry = :entry", entry=waiting(long)[0])
    assert faults(long) == [WAITS]


def test_an_entry_that_has_a_place_and_waits_for_another_is_found(long: Floor) -> None:
    plant(long, "INSERT INTO log_pending (entry) VALUES (:entry)", entry=entry_at(long, 3))
    assert faults(long) == [WAITS]


def test_a_history_that_was_rewritten_with_all_its_hashes_is_found(long: Floor) -> None:
    """Everything agrees with everything, but not with what was signed before."""
    entry, salt = entry_at(long, 17), system_entropy(SALT_BYTES)
    made = make_entry(Tag.REFUSED, {"number": 4711}, salt)
    plant(
        long,
        "UPDATE log_entry SET tag = :tag, salt = :salt, body = :body, leaf = :leaf "
        "WHERE id = :entry",
        "UPDATE log_position SET leaf = :leaf WHERE entry = :entry",
        tag=made.tag.value,
        salt=made.salt,
        body=made.body,
        leaf=made.leaf,
        entry=entry,
    )
    kept = leaves(long)
    ((_, _, tile),) = full_tiles(_Nothing(), 0, kept)
    plant(
        long,
        "UPDATE log_node SET hash = :tile",
        "UPDATE log_head SET root = :root",
        tile=tile,
        root=root(kept),
    )
    assert faults(long) == heads_after(long, 17)
    assert faults(long)


class _Nothing:
    """What is stored of a log without entries."""

    def run(self, level: int, start: int, count: int) -> list[bytes]:
        assert (start, count) == (0, 0), level
        return []


def test_a_whole_log_without_faults_has_none(long: Floor) -> None:
    assert faults(long) == []
    assert len(notes(long)) >= 2
