"""Whatever is changed in a bundle is found, and told by name.

A forger within the house has the keys of the log and of the back office, and can sign whatever they
like with them. What they do not have are the keys of the generator and of the inspector.
"""

import json
import re
import stat
import struct
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from fractions import Fraction
from hashlib import sha256
from pathlib import Path
from typing import Any
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from app.audit import second_grader, verifier
from app.audit.verifier import verify
from rng.core.canonical import canonical
from rng.core.derive import draw_numbers
from rng.core.signing import seal as sealed
from rng.lab.practice_log import PracticeLog
from rng.merkle import node_hash
from rng.note import Checkpoint, Note, sign_note, write_checkpoint, write_note
from tests.audit.exporting import (
    ExportedHouse,
    Forgery,
    codes,
    flipped,
    said,
    say,
    seal,
    without_line,
)
from tests.tables import read_table

PAGE = Path(__file__).parent.parent.parent / "docs" / "verifying.md"
Change = Callable[[Forgery], None]
FILES = (
    "README.txt", "keys.json", "log/checkpoint", "log/tile/", "log/checkpoints.jsonl",
    "log/carried.jsonl", "log/entries.jsonl", "draws/before.jsonl", "draws/M.jsonl",
    "draws/F.jsonl", "cards/", "reports/",
)  # fmt: skip


def found(forgery: Forgery, folder: Path) -> set[str]:
    return codes(forgery.verified(folder / "forged.zip"))


# ---- files ---------------------------------------------------------------------------------------


@pytest.mark.rule("X-audit-log")
@pytest.mark.parametrize("name", ["days", "last", "second"])
def test_what_nobody_changed_has_no_fault(
    exported: ExportedHouse, tmp_path: Path, name: str
) -> None:
    forgery = Forgery.of(exported, name)
    assert found(forgery, tmp_path) == set()
    forgery.sign()
    assert found(forgery, tmp_path) == set()


@pytest.mark.rule("X-audit-log")
@pytest.mark.parametrize("name", FILES)
def test_a_file_that_was_changed_is_named(
    exported: ExportedHouse, tmp_path: Path, name: str
) -> None:
    forgery = Forgery.of(exported)
    which = forgery.first(name)
    forgery.files[which] = flipped(forgery.files[which], len(forgery.files[which]) // 2)
    report = forgery.verified(tmp_path / "forged.zip")
    assert ("file.changed", which) in {(fault.code, fault.where) for fault in report.faults}
    forgery.body["files"] = [
        {**each, "sha256": "0" * 64} if each["name"] == which else each
        for each in forgery.body["files"]
    ]
    assert "signature.wrong" in found(forgery, tmp_path)


@pytest.mark.rule("X-audit-log")
@pytest.mark.parametrize("name", FILES)
def test_a_file_that_was_taken_out_is_named(
    exported: ExportedHouse, tmp_path: Path, name: str
) -> None:
    forgery = Forgery.of(exported)
    which = forgery.first(name)
    del forgery.files[which]
    report = forgery.verified(tmp_path / "forged.zip")
    assert ("file.missing", which) in {(fault.code, fault.where) for fault in report.faults}


@pytest.mark.rule("X-audit-log")
def test_a_file_that_was_added_is_named(exported: ExportedHouse, tmp_path: Path) -> None:
    forgery = Forgery.of(exported)
    forgery.files["reports/added.csv"] = b"day,sales\n"
    report = forgery.verified(tmp_path / "forged.zip")
    assert [(each.code, each.where) for each in report.faults] == [
        ("file.unlisted", "reports/added.csv")
    ]


@pytest.mark.rule("X-audit-log")
def test_a_report_that_the_house_left_out_is_told(exported: ExportedHouse, tmp_path: Path) -> None:
    """The house says what is in a bundle; without its voids it is not wrong, but should be seen."""
    forgery = Forgery.of(exported)
    del forgery.files["reports/voids.json"]
    forgery.sign()
    report = forgery.verified(tmp_path / "forged.zip")
    assert report.faults == []
    assert "reports that a house can give and this one did not: voids.json" in report.notes


@pytest.mark.rule("X-audit-log")
@pytest.mark.parametrize("odd", [{}, {"name": 7}, {"oame": "keys.json"}, [], "keys.json", 7, None])
def test_a_listed_file_that_is_none_is_named(
    exported: ExportedHouse, tmp_path: Path, odd: object
) -> None:
    """Whoever made the bundle cannot have the verifier end with nothing said."""
    forgery = Forgery.of(exported)
    forgery.body["files"].insert(1, odd)
    report = forgery.verified(tmp_path / "forged.zip")
    told = [(each.code, each.where) for each in report.faults]
    assert ("json.malformed", "manifest.json") in told
    assert ("signature.wrong", "manifest.json") in told


# ---- signed by the house itself ------------------------------------------------------------------


def changed_lines(name: str, change: Callable[[list[Any]], object]) -> Change:
    """Change the lines of a file."""

    def make(forgery: Forgery) -> None:
        lines = forgery.lines(name)
        change(lines)
        forgery.put_lines(name, lines)

    return make


def changed_file(name: str, change: Callable[[bytes], bytes]) -> Change:
    """Change the bytes of a file."""

    def make(forgery: Forgery) -> None:
        which = forgery.first(name)
        forgery.files[which] = change(forgery.files[which])

    return make


def not_along(tag: str) -> Change:
    """Leave the last earlier entry of a kind out of what goes along."""

    def change(lines: list[Any]) -> None:
        lines.remove([line for line in lines if line["tag"] == tag][-1])

    return changed_lines("log/carried.jsonl", change)


def another_card(name: str, value: int) -> Change:
    """Have the rate cards say something else."""

    def change(lines: list[Any]) -> None:
        for line in lines:
            if line["tag"] == "CARD":
                file = re.sub(rf"(?m)^{name} *=.*$", f"{name} = {value}", said(line)["file"])
                say(line, file=file)

    return changed_lines("log/carried.jsonl", change)


def another_report(name: str, change: Callable[[Any], object]) -> Change:
    """Have a report say something else, with the hash of that."""

    def changed(data: bytes) -> bytes:
        told = json.loads(data)
        change(told)
        del told["content"]
        told["content"] = sha256(canonical(told)).hexdigest()
        return canonical(told) + b"\n"

    return changed_file(f"reports/{name}.json", changed)


def numbers_told(told: Any) -> list[int]:  # noqa: ANN401
    """The numbers of a game in a report of them; a void game has none."""
    rows: list[dict[str, Any]] = told["sections"]["games"]["rows"]
    return next(row["numbers"] for row in rows if row["numbers"])


def manifest(**changes: object) -> Change:
    return lambda forgery: forgery.body.update(changes)


def drawn(lines: list[Any]) -> dict[str, Any]:
    """A draw among the lines of a file."""
    return next(line["document"] for line in lines if "intent" in line["document"])


def voided(lines: list[Any]) -> dict[str, Any]:
    return next(line["document"] for line in lines if "tombstone" in line["document"])


def carried(lines: list[Any], tag: str) -> dict[str, Any]:
    return next(line for line in lines if line["tag"] == tag)


def other_checkpoint(forgery: Forgery) -> None:
    """A head of the same size with another root, signed by the log, among those in between."""
    lines = forgery.lines("log/checkpoints.jsonl")
    origin, size = forgery.body["origin"], lines[1]["size"]
    text = write_checkpoint(Checkpoint(origin, size, bytes(32)))
    note = write_note(Note(text, (sign_note(text, origin, forgery.house.log),)))
    lines[1].update({"note": note, "cosigned": None})
    forgery.put_lines("log/checkpoints.jsonl", lines)


def older_head(forgery: Forgery) -> None:
    cosigned = [line["cosigned"] for line in forgery.lines("log/checkpoints.jsonl")]
    forgery.files["log/checkpoint"] = next(filter(None, cosigned)).encode()


def another_statement(lines: list[Any], house: ExportedHouse) -> None:
    """The back office signs another statement for a game that was drawn."""
    statement = drawn(lines)["statement"]["body"]
    drawn(lines)["statement"] = sealed({**statement, "lock_leaf": "0" * 64}, house.office)


def swapped(lines: list[Any], first: int = 0, second: int = 1) -> None:
    lines[first]["document"], lines[second]["document"] = (
        lines[second]["document"], lines[first]["document"],
    )  # fmt: skip


def other_keys(forgery: Forgery) -> None:
    keys = json.loads(forgery.files["keys.json"])
    keys["rng"], keys["inspector"] = keys["inspector"], keys["rng"]
    forgery.files["keys.json"] = canonical(keys) + b"\n"


def other_leaf(lines: list[Any]) -> None:
    """An entry that says something else, with the leaf of what it says now."""
    entry = next(line for line in lines if line["tag"] == "TICKET")
    say(entry, writer="WALT")
    seal(entry)


def without(tag: str) -> Callable[[list[Any]], None]:
    """No line of a kind."""

    def leave_out(lines: list[Any]) -> None:
        kept = [line for line in lines if line["tag"] != tag]
        assert len(kept) < len(lines)
        lines[:] = kept

    return leave_out


def without_locks_decided_before(lines: list[Any]) -> None:
    """No lock of a game that was certified before the bundle begins."""
    games = [of_game(line) for line in lines if line["tag"] == "CERTIFIED"]
    lines[:] = [line for line in lines if line["tag"] != "LOCK" or of_game(line) not in games]


def without_locks_of_graded(forgery: Forgery) -> None:
    """No lock of a game that was locked before the bundle begins and graded in it."""
    graded = [of_game(entry) for entry in forgery.tagged("WINS")]

    def leave_out(lines: list[Any]) -> None:
        locked = [line for line in lines if line["tag"] == "LOCK" and of_game(line) in graded]
        assert locked
        lines[:] = [line for line in lines if line not in locked]

    changed_lines(CARRIED, leave_out)(forgery)


def leaf_alone(line: dict[str, Any]) -> dict[str, Any]:
    return {"position": line["position"], "tag": "LOST", "leaf": line["leaf"]}


ENTRIES, CARRIED, DRAWS = "log/entries.jsonl", "log/carried.jsonl", "draws/M.jsonl"
SIGNED: dict[str, tuple[Change, str]] = {
    "the keys are swapped": (other_keys, "keys.other"),
    "the cosignature is taken away": (
        changed_file("log/checkpoint", lambda note: without_line(note, 1)),
        "head.cosignature",
    ),
    "the log's signature is taken away": (
        changed_file("log/checkpoint", lambda note: without_line(note, 0)),
        "head.signature",
    ),
    "an older head": (older_head, "head.other"),
    "a head in between with another root": (other_checkpoint, "log.root"),
    "a head in between is gone": (
        changed_lines("log/checkpoints.jsonl", lambda lines: lines.pop()),
        "head.order",
    ),
    "another hash before the entries": (
        changed_file("log/tile/", lambda data: flipped(data, 5)),
        "log.root",
    ),
    "a hash too few before the entries": (
        changed_file("log/tile/", lambda data: data[32:]),
        "log.tiles",
    ),
    "the body of an entry": (
        changed_lines(ENTRIES, lambda lines: say(lines[5], time="2026-11-17T12:00:00.000Z")),
        "entry.leaf",
    ),
    "the salt of an entry": (
        changed_lines(ENTRIES, lambda lines: lines[5].update(salt="0" * 64)),
        "entry.leaf",
    ),
    "the leaf of an entry": (
        changed_lines(ENTRIES, lambda lines: lines[5].update(leaf="0" * 64)),
        "entry.leaf",
    ),
    "the tag of an entry": (
        changed_lines(ENTRIES, lambda lines: lines[5].update(tag="CLOCK")),
        "entry.leaf",
    ),
    "the place of an entry": (
        changed_lines(ENTRIES, lambda lines: lines[5].update(position=0)),
        "entry.gap",
    ),
    "two entries change places": (
        changed_lines(ENTRIES, lambda lines: lines.insert(4, lines.pop(5))),
        "entry.gap",
    ),
    "an entry is left out": (changed_lines(ENTRIES, lambda lines: lines.pop(7)), "entry.gap"),
    "the last entry is left out": (changed_lines(ENTRIES, lambda lines: lines.pop()), "entry.gap"),
    "an entry stands twice": (
        changed_lines(ENTRIES, lambda lines: lines.insert(4, lines[4])),
        "entry.gap",
    ),
    "an entry with the leaf of another body": (changed_lines(ENTRIES, other_leaf), "log.root"),
    "the body of an earlier entry": (
        changed_lines(CARRIED, lambda lines: say(carried(lines, "TICKET"), writer="X")),
        "entry.proof",
    ),
    "the proof of an earlier entry": (
        changed_lines(CARRIED, lambda lines: lines[0]["proof"].reverse()),
        "entry.proof",
    ),
    "the proof of an earlier entry is too long": (
        changed_lines(CARRIED, lambda lines: lines[0]["proof"].append("0" * 64)),
        "entry.proof",
    ),
    "the place of an earlier entry": (
        changed_lines(CARRIED, lambda lines: lines[1].update(position=10**9)),
        "entry.order",
    ),
    "the terms of the house are left out": (
        changed_lines(CARRIED, lambda lines: lines.remove(carried(lines, "HOUSE"))),
        "house.missing",
    ),
    "the rate card is left out": (
        changed_lines(CARRIED, lambda lines: lines.remove(carried(lines, "CARD"))),
        "ticket.card",
    ),
    "the lock of a game that is decided in it is left out": (
        without_locks_of_graded,
        "game.not_locked",
    ),
    "the lock is left out from which the time to claim is counted": (
        changed_lines(CARRIED, without_locks_decided_before),
        "expiry.unknown",
    ),
    "the opening of the game that is sold for first is left out": (
        changed_lines(CARRIED, without("GAME")),
        "ticket.game",
    ),
    "which rate card was in force is left out": (
        changed_lines(CARRIED, without("CARD-IN-FORCE")),
        "game.card",
    ),
    "who accepted a rate card is left out": (
        changed_lines(CARRIED, without("CARD-ACCEPTED")),
        "card.not_accepted",
    ),
    "the entry before the first is left out": (
        changed_lines(CARRIED, lambda lines: lines.pop()),
        "day.begins",
    ),
    "an entry is said to be lost": (
        changed_lines(ENTRIES, lambda lines: lines.insert(5, leaf_alone(lines.pop(5)))),
        "entry.lost",
    ),
    "the last ticket before is left out": (
        changed_lines(
            CARRIED,
            lambda lines: lines.remove([line for line in lines if line["tag"] == "TICKET"][-1]),
        ),
        "ticket.gap",
    ),
    "the numbers of a draw": (
        changed_lines(DRAWS, lambda lines: drawn(lines)["record"]["body"]["numbers"].sort()),
        "signature.wrong",
    ),
    "the mark of a draw": (
        changed_lines(
            DRAWS, lambda lines: drawn(lines)["record"]["body"].update(mark="0" * 768)
        ),
        "signature.wrong",
    ),
    "the secret of an intent": (
        changed_lines(DRAWS, lambda lines: drawn(lines)["intent"]["body"].update(r="0" * 64)),
        "signature.wrong",
    ),
    "the reason of a void game": (
        changed_lines(
            DRAWS, lambda lines: voided(lines)["statement"]["body"].update(reason="none")
        ),
        "signature.wrong",
    ),
    "the inspector's word that a game is void": (
        changed_lines(
            DRAWS,
            lambda lines: voided(lines)["tombstone"].update(
                signatures=voided(lines)["record"]["signatures"]
            ),
        ),
        "keys.unknown",
    ),
    "the seal of a draw is not cosigned": (
        changed_lines(
            DRAWS,
            lambda lines: drawn(lines)["seal"].update(
                note=without_line(drawn(lines)["seal"]["note"].encode(), 1).decode()
            ),
        ),
        "head.cosignature",
    ),
    "the proof of a lock": (
        changed_lines(DRAWS, lambda lines: drawn(lines)["seal"]["proof"].reverse()),
        "draw.seal",
    ),
    "two draws change places": (changed_lines(DRAWS, swapped), "draw.other_game"),
    "a draw is left out": (changed_lines(DRAWS, lambda lines: lines.pop(1)), "draw.missing"),
    "the draw before the first is left out": (
        changed_lines("draws/before.jsonl", lambda lines: lines.clear()),
        "draw.chain",
    ),
    "a draw of another series": (
        changed_lines(DRAWS, lambda lines: lines[0].update(series="F")),
        "draw.order",
    ),
    "the office signs another statement": (
        lambda forgery: changed_lines(
            DRAWS, lambda lines: another_statement(lines, forgery.house)
        )(forgery),
        "draw.other_statement",
    ),
    "a rate card": (changed_file("cards/", lambda data: data.replace(b"300", b"900")), "card.hash"),
    "a rate card that nobody brought": (
        lambda forgery: forgery.files.update({f"cards/{'0' * 64}.toml": b""}),
        "card.hash",
    ),
    "a person is left out of what goes along": (not_along("STAFF"), "day.standing"),
    "the last acceptance is left out": (not_along("CARD-ACCEPTED"), "day.standing"),
    "a card that the rule does not allow": (
        another_card("claim_minutes", 1), "card.unlawful",
    ),
    "a card that keeps too much": (another_card("base_cents", 10**6), "card.unlawful"),
    "a card whose limit is too low": (another_card("aggregate_cents", 99_999_99), "card.unlawful"),
    "a card without such games": (another_card("games_max", 1), "ticket.limits"),
    "a card without such prices": (another_card("ticket_max_cents", 1), "ticket.limits"),
    "a card without such rates": (another_card("rate_step_cents", 97), "ticket.limits"),
    "a card without so many spots": (another_card("spots_max", 1), "ticket.limits"),
    "a report with another figure": (
        another_report("win", lambda told: told["sections"]["days"]["rows"][0].update(
            sales_cents=1)),
        "report.figures",
    ),
    "a report without a void": (
        another_report("voids", lambda told: told["sections"]["voids"]["rows"].pop()),
        "report.figures",
    ),
    "a report with other numbers": (
        another_report("winning-numbers", lambda told: numbers_told(told).pop()),
        "report.figures",
    ),
    "a report with another sum": (
        another_report("win", lambda told: told["sections"]["days"]["sums"].update(win_cents=1)),
        "report.figures",
    ),
    "a report with another win of the house": (
        another_report("win", lambda told: told["sections"]["days"]["rows"][0].update(
            win_cents=1)),
        "report.figures",
    ),
    "a report with another hold": (
        another_report("win", lambda told: told["sections"]["days"]["rows"][0].update(hold="1/4")),
        "report.figures",
    ),
    "a report with a void on another day": (
        another_report("voids", lambda told: told["sections"]["voids"]["rows"][0].update(
            day="2026-11-01")),
        "report.figures",
    ),
    "a report with fewer voids of a station": (
        another_report("voids", lambda told: told["sections"]["stations"].update(
            rows=[{"station": "B1", "voids": 0, "voids_cents": 0}],
            sums={"voids": 0, "voids_cents": 0})),
        "report.figures",
    ),
    "a report with another seal": (
        another_report("winning-numbers", lambda told: told["sections"]["games"]["rows"][0].update(
            seal="0000 0000 0000 0000 0000")),
        "report.figures",
    ),
    "a report with another time of a draw": (
        another_report("winning-numbers", lambda told: told["sections"]["games"]["rows"][0].update(
            drawn_at="2026-11-19T00:00:00.000Z")),
        "report.figures",
    ),
    "a report under the name of another": (
        another_report("win", lambda told: told.update(report="sales")), "report.malformed",
    ),
    "a report of another log": (
        another_report("win", lambda told: told["log"].update(root="0" * 64)), "log.root",
    ),
    "a report of other days": (
        another_report("win", lambda told: told["period"].update(to="2026-11-01")),
        "report.malformed",
    ),
    "a report that was changed": (
        changed_file("reports/win.json", lambda data: data.replace(b"false", b"true")),
        "report.hash",
    ),
    "other days": (manifest(**{"from": "2026-11-10"}), "day.not_closed"),
    "days that are not over": (manifest(to="2026-11-25"), "day.not_closed"),
    "days in the wrong order": (manifest(to="2026-11-01"), "manifest.malformed"),
    "another house": (manifest(house="Other House"), "house.other"),
    "another jurisdiction": (manifest(jurisdiction="US-NV"), "draw.other_house"),
    "another log": (manifest(origin="keno.example/other"), "keys.origin"),
    "another root": (manifest(root="0" * 64), "head.other"),
    "another size": (manifest(size=10**6), "head.other"),
    "another beginning": (manifest(first=1), "file.missing"),
    "another version": (manifest(version=2), "manifest.malformed"),
    "another label": (manifest(label="keno/other"), "manifest.malformed"),
}  # fmt: skip


@pytest.mark.rule("X-audit-log", "X-draw-public", "X-grade-twice")
@pytest.mark.parametrize("what", SIGNED)
def test_what_the_house_changed_and_signed_again_is_found(
    exported: ExportedHouse, tmp_path: Path, what: str
) -> None:
    change, code = SIGNED[what]
    forgery = Forgery.of(exported)
    change(forgery)
    forgery.sign()
    assert code in found(forgery, tmp_path)


@pytest.mark.rule("X-audit-log")
def test_an_old_manifest_does_not_do_for_new_files(exported: ExportedHouse, tmp_path: Path) -> None:
    forgery = Forgery.of(exported, "last")
    forgery.manifest = Forgery.of(exported, "second").manifest
    assert {"file.changed", "head.other"} <= found(forgery, tmp_path)


@pytest.mark.rule("X-audit-log")
def test_another_key_of_the_house_does_not_sign_a_manifest(
    exported: ExportedHouse, tmp_path: Path
) -> None:
    for key in (exported.office, Ed25519PrivateKey.generate()):
        forgery = Forgery.of(exported)
        forgery.sign(key)
        assert found(forgery, tmp_path) == {"keys.unknown"}
    forgery.manifest["signatures"] *= 2
    assert found(forgery, tmp_path) == {"signature.wrong"}


@pytest.mark.rule("X-draw-public")
def test_keys_of_another_house_find_everything_wrong(
    exported: ExportedHouse, tmp_path: Path
) -> None:
    others = tmp_path / "keys"
    others.mkdir()
    for path in exported.keys.glob("*.pem"):
        (others / path.name).write_bytes(path.read_bytes())
    for mine, other in (("log", "office"), ("office", "log")):
        (others / f"{mine}.pem").write_bytes((exported.keys / f"{other}.pem").read_bytes())
    report = verify(exported.bundle("last"), others)
    assert {"keys.other", "keys.unknown", "head.signature"} <= codes(report)


@pytest.mark.rule("X-draw-public")
def test_the_published_keys_do_as_well(exported: ExportedHouse, tmp_path: Path) -> None:
    forgery = Forgery.of(exported)
    (tmp_path / "keys.json").write_bytes(forgery.files["keys.json"])
    assert verify(exported.bundle("last"), tmp_path).faults == []
    published = json.loads(forgery.files["keys.json"]) | {"log_origin": "keno.example/other"}
    (tmp_path / "keys.json").write_text(json.dumps(published))
    assert codes(verify(exported.bundle("last"), tmp_path)) == {"manifest.origin"}


# ---- the log signed anew by the house, without the inspector -------------------------------------


def every_win_raised(forgery: Forgery) -> None:
    """A win is raised, and the digest and the certification are made to fit."""
    wins = forgery.tagged("WINS")[-1]
    say(wins, win_cents=said(wins)["win_cents"] + 100, paid_cents=said(wins)["paid_cents"] + 100,
        digest="0" * 64)  # fmt: skip


def first_said(tag: str, **changes: object) -> Change:
    return lambda forgery: say(forgery.tagged(tag)[0], **changes)


def raised(tag: str, name: str, cents: int = 100) -> Change:
    def make(forgery: Forgery) -> None:
        entry = forgery.tagged(tag)[-1]
        say(entry, **{name: said(entry)[name] + cents})

    return make


def entry_of(tag: str, **body: object) -> dict[str, Any]:
    """An entry that nobody has written."""
    told = {"label": f"keno/{tag.lower()}", "version": 1, **body}
    return {"tag": tag, "salt": "0" * 64, "body": canonical(told).decode()}


def founded_again(forgery: Forgery) -> None:
    house = next(each for each in forgery.lines("log/carried.jsonl") if each["tag"] == "HOUSE")
    forgery.entries.append({"tag": "HOUSE", "salt": house["salt"], "body": house["body"]})


def without_standing(forgery: Forgery) -> None:
    close = forgery.tagged("DAY-CLOSE")[-1]
    told = said(close)
    del told["standing"]
    close["body"] = canonical(told).decode()


def void_in_chips(forgery: Forgery) -> None:
    void = forgery.tagged("VOID")[0]
    say(void, back=[{**each, "kind": "chips"} for each in said(void)["back"]])


def void_of_the_cancelled(forgery: Forgery) -> None:
    """A ticket whose rest was given back is void as well, for its full price."""
    tickets = {said(each)["number"]: each for each in forgery.tagged("TICKET")}
    cancel = next(each for each in forgery.tagged("CANCEL") if said(each)["ticket"] in tickets)
    number = said(cancel)["ticket"]
    sold = tickets[number]
    void = dict(forgery.tagged("VOID")[0])
    price = said(sold)["price_cents"]
    say(void, ticket=number, ticket_leaf=sold["leaf"], price_cents=price,
        voided_at=said(cancel)["time"], back=[{"kind": "currency", "cents": price}])  # fmt: skip
    forgery.entries.remove(cancel)
    place = forgery.entries.index(sold) + 1
    forgery.entries[place:place] = [cancel, void]


def left_out(tag: str, place: int = 0) -> Change:
    return lambda forgery: forgery.entries.remove(forgery.tagged(tag)[place])


def again(tag: str) -> Change:
    return lambda forgery: forgery.entries.append(dict(forgery.tagged(tag)[0]))


def moved_behind_its_lock(tag: str) -> Change:
    def make(forgery: Forgery) -> None:
        entry = forgery.tagged(tag)[0]
        forgery.entries.remove(entry)
        game = (said(entry)["series"], said(entry)["first_game"])
        locks = (lock for lock in forgery.tagged("LOCK") if of_game(lock) == game)
        forgery.entries.insert(forgery.entries.index(next(locks)) + 1, entry)

    return make


def cancelled_behind_its_lock(forgery: Forgery) -> None:
    """A ticket gets back what it paid for a game that was locked when it was given back."""
    series = {said(each)["number"]: said(each)["series"] for each in forgery.tagged("TICKET")}
    entry, lock = next(
        (cancel, lock)
        for cancel in forgery.tagged("CANCEL")
        for lock in forgery.tagged("LOCK")
        if of_game(lock) == (series.get(said(cancel)["ticket"]), said(cancel)["first_cancelled"])
    )
    forgery.entries.remove(entry)
    forgery.entries.insert(forgery.entries.index(lock) + 1, entry)


def of_game(entry: dict[str, Any]) -> tuple[str, int]:
    return said(entry)["series"], said(entry)["game"]


def refund(forgery: Forgery) -> dict[str, Any]:
    """A refund of a ticket of which nothing is left then."""
    single = {said(each)["number"] for each in forgery.tagged("TICKET") if said(each)["games"] == 1}
    return next(each for each in forgery.tagged("REFUND") if said(each)["ticket"] in single)


def other_numbers(forgery: Forgery) -> None:
    """A ticket that did not catch all of its numbers has those that were drawn.

    Not one that did, whose win would be the same; nor one that was cancelled, and plays no more.
    """
    draw = forgery.tagged("DRAW")[-1]
    game, drawn = said(draw)["game"], said(draw)["numbers"]
    cancelled = {said(entry)["ticket"] for entry in forgery.tagged("CANCEL")}
    for entry in forgery.tagged("TICKET"):
        body = said(entry)
        plays = body["first_game"] <= game < body["first_game"] + body["games"]
        if plays and body["series"] == "M" and len(body["groups"]) == 1:
            (group,) = body["groups"]
            if body["number"] in cancelled or set(group) <= set(drawn):
                continue
            say(entry, groups=[sorted(drawn[: len(group)])])
            return
    raise LookupError


def figures(forgery: Forgery) -> None:
    close = forgery.tagged("DAY-CLOSE")[-1]
    say(close, figures={**said(close)["figures"], "sales_cents": 1})


def unapproved(forgery: Forgery) -> None:
    paid = max(forgery.tagged("PAID"), key=lambda entry: said(entry)["cents"])
    say(paid, approver=None, manager=None)


def approved_by(**who: str) -> Change:
    def make(forgery: Forgery) -> None:
        paid = next(entry for entry in forgery.tagged("PAID") if said(entry)["manager"])
        say(paid, **who)

    return make


def price(forgery: Forgery) -> None:
    ticket = forgery.tagged("TICKET")[-1]
    say(ticket, price_per_game_cents=said(ticket)["price_per_game_cents"] - 1)


def ways(forgery: Forgery) -> None:
    ticket = forgery.tagged("TICKET")[-1]
    lines = said(ticket)["lines"]
    say(ticket, lines=[{**lines[0], "ways": lines[0]["ways"] + 1}, *lines[1:]])


def other_card(forgery: Forgery) -> None:
    """A ticket is on a card that pays more, which was never brought."""
    say(forgery.tagged("TICKET")[-1], card="1" * 64)


def paid_to_a_loser(forgery: Forgery) -> None:
    paid = forgery.tagged("PAID")[0]
    say(paid, ticket=max(said(entry)["number"] for entry in forgery.tagged("TICKET")) + 1)


def reprinted(forgery: Forgery) -> None:
    """A ticket was printed again before it was paid without an approval."""
    place, paid = next(
        (place, entry)
        for place, entry in enumerate(forgery.entries)
        if entry["tag"] == "PAID" and said(entry)["approver"] is None
    )
    body = {"label": "keno/reprint", "version": 1, "slip": "ticket",
            "about": {"ticket": said(paid)["ticket"]}}  # fmt: skip
    entry = {**paid, "tag": "REPRINT", "body": canonical(body).decode()}
    forgery.entries.insert(place, entry)


def dated(tag: str, name: str, place: int = 0, **by: int) -> Change:
    """An entry says another time."""

    def make(forgery: Forgery) -> None:
        entry = forgery.tagged(tag)[place]
        say(entry, **{name: moved(said(entry)[name], timedelta(**by))})

    return make


def lock_of_a_draw_dated_anew(forgery: Forgery) -> None:
    """The lock of a game that was drawn says another time; that of a void game draws nothing."""
    drawn = [of_game(entry) for entry in forgery.tagged("DRAW")]
    lock = next(entry for entry in forgery.tagged("LOCK") if of_game(entry) in drawn)
    say(lock, locked_at=moved(said(lock)["locked_at"], timedelta(seconds=1)))


def moved(moment: str, by: timedelta) -> str:
    return (datetime.fromisoformat(moment) + by).isoformat(timespec="milliseconds")


def everything_dated(**by: int) -> Change:
    """All entries say other times, and agree with each other."""

    def make(forgery: Forgery) -> None:
        for entry in forgery.entries:
            body = said(entry)
            names = ("time", "sold_at", "voided_at", "locked_at", "opened_at")
            times = {name: body[name] for name in names if type(body.get(name)) is str}
            say(entry, **{name: moved(at, timedelta(**by)) for name, at in times.items()})

    return make


def paid_late(forgery: Forgery) -> None:
    """A ticket that nobody brought before is paid after its time."""
    brought = {said(entry)["ticket"] for entry in forgery.tagged("PRESENTED")}
    paid = next(each for each in forgery.tagged("PAID") if said(each)["ticket"] not in brought)
    say(paid, time=moved(said(paid)["time"], timedelta(days=400)))


def expired_early(forgery: Forgery) -> None:
    """A win is posted as expired a day before its time is over."""
    expired = forgery.tagged("EXPIRED")[0]
    forgery.entries.remove(expired)
    forgery.entries.insert(0, expired)


def added(tag: str, place: int = 0, **body: object) -> Change:
    """An entry is added that was never made."""

    def make(forgery: Forgery) -> None:
        document = {"label": f"keno/{tag.lower()}", "version": 1, **body}
        entry = {**forgery.entries[place], "tag": tag, "body": canonical(document).decode()}
        forgery.entries.insert(place, entry)

    return make


def expired_though_brought(forgery: Forgery) -> None:
    """A ticket that was brought in time expires all the same."""
    expired, at = forgery.tagged("EXPIRED")[0], said(forgery.entries[0])["time"]
    added("PRESENTED", ticket=said(expired)["ticket"], time=at)(forgery)


def other_card_in_force(forgery: Forgery) -> None:
    """A ticket is on a card that is in the log, and was not in force."""
    ticket = forgery.tagged("TICKET")[-1]
    cards = [each for each in forgery.lines(CARRIED) if each["tag"] == "CARD"]
    file = next(said(card)["file"] for card in cards if said(card)["card"] == said(ticket)["card"])
    digest = sha256(f"{file}\n".encode()).hexdigest()
    added("CARD", card=digest, file=f"{file}\n")(forgery)
    say(ticket, card=digest)


def put_in_force_by_nobody(forgery: Forgery) -> None:
    first = forgery.entries[0]
    at = said(first)["time"]
    added("CARD-IN-FORCE", card="1" * 64, effective_at=at, time=at)(forgery)


def released_by(**who: str) -> Change:
    def make(forgery: Forgery) -> None:
        entry = forgery.tagged("RELEASED")[0]
        say(entry, **{role: {"staff": code} for role, code in who.items()})

    return make


RESIGNED: dict[str, tuple[Change, str]] = {
    "a ticket is dated back": (dated("TICKET", "sold_at", 5, hours=-2), "entry.time"),
    "a ticket is dated ahead": (dated("TICKET", "sold_at", 5, hours=2), "entry.time"),
    "a payment is dated back": (dated("PAID", "time", 1, minutes=-5), "entry.time"),
    "everything is dated ahead": (everything_dated(hours=1), "entry.cosigned_before"),
    "everything is dated back": (everything_dated(hours=-1), "draw.time"),
    "a lock is dated otherwise than its draw": (
        lock_of_a_draw_dated_anew,
        "draw.other_lock",
    ),
    "a day is closed before it is over": (
        dated("DAY-CLOSE", "time", -1, days=-1),
        "day.closed_early",
    ),
    "a ticket is paid after its time": (paid_late, "payment.late"),
    "a win expires while it can be claimed": (expired_early, "expiry.early"),
    "a win expires at another time": (dated("EXPIRED", "time", hours=-1), "expiry.time"),
    "a win expires whose ticket was brought in time": (expired_though_brought, "expiry.presented"),
    "a game is graded again without a release": (left_out("RELEASED", -1), "game.graded_again"),
    "a game is released by one": (released_by(supervisor="MAX"), "approval.same"),
    "a game is released by a writer": (released_by(supervisor="WALT"), "approval.role"),
    "a game is released by somebody who was disabled": (
        added("STAFF", staff="MAX", change="disabled"),
        "approval.disabled",
    ),
    "a payout is approved by somebody who was disabled": (
        added("STAFF", staff="SAM", change="disabled"),
        "approval.disabled",
    ),
    "a ticket is on a card that was not in force": (other_card_in_force, "ticket.card_in_force"),
    "a game is opened on another card": (
        lambda forgery: say(forgery.tagged("GAME")[0], card="1" * 64),
        "game.card",
    ),
    "a card is put into force that nobody accepted": (put_in_force_by_nobody, "card.not_accepted"),
    "a card is put into force without notice": (put_in_force_by_nobody, "card.notice"),
    "a win is raised, digest and all": (every_win_raised, "game.wins"),
    "a ticket gets the winning numbers": (other_numbers, "game.wins"),
    "a ticket is left out of its game": (left_out("TICKET", 1), "game.sold_file"),
    "a ticket number is missing": (left_out("TICKET", 2), "ticket.gap"),
    "a ticket is sold behind the lock": (moved_behind_its_lock("TICKET"), "ticket.behind_lock"),
    "a ticket is cheaper": (price, "ticket.price"),
    "a ticket has a way more": (ways, "ticket.ways"),
    "a ticket is on another card": (other_card, "ticket.card"),
    "a ticket was not paid for": (raised("TICKET", "change_cents"), "ticket.tender"),
    "a ticket is sold twice": (again("TICKET"), "ticket.gap"),
    "a void is left out": (left_out("VOID"), "game.sold_file"),
    "a void comes too late": (moved_behind_its_lock("VOID"), "void.behind_lock"),
    "a void gives back more": (raised("VOID", "price_cents"), "void.amount"),
    "a void is done twice": (again("VOID"), "void.unknown"),
    "a refund gives back more": (
        lambda forgery: say(refund(forgery), back=[{"kind": "currency", "cents": 1}]),
        "refund.amount",
    ),
    "a refund is given twice": (
        lambda forgery: forgery.entries.append(dict(refund(forgery))),
        "refund.unknown",
    ),
    "a cancellation gives back more": (
        lambda forgery: say(forgery.tagged("CANCEL")[0], back=[{"kind": "currency", "cents": 1}]),
        "refund.amount",
    ),
    "a game is cancelled that the ticket never played": (
        lambda forgery: say(forgery.tagged("CANCEL")[0], first_cancelled=1),
        "refund.games",
    ),
    "a game is cancelled behind its lock": (cancelled_behind_its_lock, "refund.behind_lock"),
    "a lock states more tickets": (raised("LOCK", "tickets", 1), "game.sold_file"),
    "a lock states more money": (raised("LOCK", "handle_cents"), "game.sold_file"),
    "a lock names no cards": (first_said("LOCK", cards=[]), "game.cards"),
    "a lock is of another day": (first_said("LOCK", gaming_day="2026-11-01"), "game.day"),
    "a lock is left out": (left_out("LOCK"), "draw.not_locked"),
    "a draw tells of other numbers": (first_said("DRAW", numbers=[1]), "draw.told_otherwise"),
    "a draw tells of another record": (first_said("DRAW", record="0" * 64), "draw.other_record"),
    "a draw is not told of": (left_out("DRAW"), "draw.not_told"),
    "a void game is told otherwise": (
        first_said("VOID-GAME", handle_cents=1),
        "draw.told_otherwise",
    ),
    "a grading is left out": (left_out("WINS", -1), "game.not_graded"),
    "a certification is left out": (left_out("CERTIFIED", -1), "day.undecided"),
    "a certification of fewer": (first_said("CERTIFIED", tickets=0), "game.certified"),
    "a game is released that was not frozen": (left_out("FROZEN", -1), "game.not_frozen"),
    "a payout is doubled": (again("PAID"), "payment.twice"),
    "a payout is raised": (raised("PAID", "cents"), "payment.amount"),
    "a payout of what nobody won": (paid_to_a_loser, "payment.no_win"),
    "a payout shows other gradings": (first_said("PAID", gradings=[]), "payment.gradings"),
    "a payout gives back more": (
        lambda forgery: say(forgery.tagged("PAID")[0], back=[{"kind": "currency", "cents": 1}]),
        "payment.back",
    ),
    "a large payout without an approval": (unapproved, "approval.missing"),
    "a payout without the code and without an approval": (
        lambda forgery: say(
            next(e for e in forgery.tagged("PAID") if said(e)["approver"] is None),
            with_code=False,
        ),
        "approval.missing",
    ),
    "a payout of a reprinted ticket": (reprinted, "approval.missing"),
    "an approval by a writer": (approved_by(approver="WALT"), "approval.role"),
    "an approval by a supervisor as manager": (approved_by(manager="SUE"), "approval.role"),
    "an approval of one's own": (approved_by(writer="SAM"), "approval.same"),
    "an expiry is raised": (raised("EXPIRED", "cents", 10**9), "expiry.amount"),
    "an expiry is left out": (left_out("EXPIRED"), "day.figures"),
    "the figures of a day": (figures, "day.figures"),
    "the close of a day is left out": (left_out("DAY-CLOSE", -1), "day.not_closed"),
    "the close of a day says it ended later": (
        lambda forgery: say(forgery.tagged("DAY-CLOSE")[-1], ends_at="2026-11-21T11:00:00.000Z"),
        "day.bounds",
    ),
    "the close of a day hides a frozen game": (
        lambda forgery: say(forgery.tagged("DAY-CLOSE")[-1], frozen=[{"game": 1}]),
        "day.frozen",
    ),
    "an act after the close of its day": (again("VOID"), "day.closed_before"),
    "the house is founded again": (founded_again, "house.twice"),
    "the close of a day does not say what is unclaimed": (
        lambda forgery: say(forgery.tagged("DAY-CLOSE")[-1], unclaimed=None), "json.malformed",
    ),
    "the close of a day does not say what stands": (without_standing, "day.standing"),
    "coupons for more than the price": (
        first_said("TICKET", tender=[{"kind": "coupon", "cents": 10**6, "serial": "X"}],
                   change_cents=10**6 - 100),
        "ticket.tender",
    ),
    "a void gives back another kind": (void_in_chips, "void.kind"),
    "a void of what was cancelled in part": (void_of_the_cancelled, "void.in_part"),
    "a restored house leaves out numbers that nobody missed": (
        lambda forgery: forgery.entries.append(
            entry_of("RESTORED", last_number=10**6, numbers_left_out=1)
        ),
        "ticket.gap",
    ),
    "a body of another kind": (first_said("LOCK", label="keno/other"), "entry.label"),
    "a body that is no document": (
        lambda forgery: forgery.tagged("LOCK")[0].update(body="[]"),
        "json.malformed",
    ),
    "a body that is not canonical": (
        lambda forgery: forgery.tagged("LOCK")[0].update(body='{"a":1, "b":2}'),
        "json.malformed",
    ),
    "a body with a number beyond all": (
        lambda forgery: forgery.tagged("LOCK")[0].update(body='{"a":' + "9" * 400 + "}"),
        "json.malformed",
    ),
    "a body that has no end": (
        lambda forgery: forgery.tagged("LOCK")[0].update(body="[" * 9_000 + "]" * 9_000),
        "json.malformed",
    ),
}  # fmt: skip


@pytest.mark.rule("X-audit-log", "X-grade-twice", "X-pay-refusals", "X-audit-books")
@pytest.mark.parametrize("what", RESIGNED)
def test_a_log_that_the_house_wrote_anew_is_found_and_what_was_changed_in_it(
    exported: ExportedHouse, tmp_path: Path, what: str
) -> None:
    """The forger cannot have it cosigned; and even if they could, what they did is named."""
    change, code = RESIGNED[what]
    forgery = Forgery.of(exported)
    change(forgery)
    forgery.sign_log()
    assert {"head.cosignature", code} <= found(forgery, tmp_path)


@pytest.mark.rule("X-audit-log")
def test_a_log_that_was_only_signed_anew_lacks_nothing_but_the_inspector(
    exported: ExportedHouse, tmp_path: Path
) -> None:
    forgery = Forgery.of(exported)
    forgery.sign_log()
    assert found(forgery, tmp_path) == {"head.cosignature"}


# ---- where a bundle begins and ends --------------------------------------------------------------


def proof_of(leaves: list[bytes], place: int) -> list[str]:
    """The way from a leaf to the root (RFC 6962)."""
    if len(leaves) == 1:
        return []
    split = 1 << (len(leaves) - 1).bit_length() - 1
    left, right = leaves[:split], leaves[split:]
    if place < split:
        return [*proof_of(left, place), root_of(right).hex()]
    return [*proof_of(right, place - split), root_of(left).hex()]


def root_of(leaves: list[bytes]) -> bytes:
    if len(leaves) == 1:
        return leaves[0]
    split = 1 << (len(leaves) - 1).bit_length() - 1
    return node_hash(root_of(leaves[:split]), root_of(leaves[split:]))


@pytest.mark.rule("X-audit-log")
@pytest.mark.parametrize("shown", [False, True])
def test_a_bundle_that_begins_within_its_first_day_is_found(
    exported: ExportedHouse, tmp_path: Path, shown: bool
) -> None:
    """The house leaves out the first entries of the day, and shows what it likes of them."""
    forgery = Forgery.of(exported, "days")
    before, tile = forgery.body["first"], forgery.first("log/tile/")
    data = forgery.files.pop(tile)
    assert tile == f"log/tile/0/000.p/{before}"
    hashes = [data[at : at + 32] for at in range(0, len(data), 32)]
    hashes += [bytes.fromhex(entry["leaf"]) for entry in forgery.entries]
    place = next(i for i, each in enumerate(forgery.entries) if each["tag"] == "DRAWER-OPEN")
    first, hidden = before + place + 1, forgery.entries[: place + 1]
    forgery.files[f"log/tile/0/000.p/{first}"] = b"".join(hashes[:first])
    forgery.body["first"], forgery.entries = first, forgery.entries[place + 1 :]
    forgery.put_entries()
    if shown:
        lines = forgery.lines("log/carried.jsonl")
        lines += [{**each, "proof": proof_of(hashes, each["position"])} for each in hidden]
        forgery.put_lines("log/carried.jsonl", lines)
    heads = [each for each in forgery.lines("log/checkpoints.jsonl") if each["size"] >= first]
    forgery.put_lines("log/checkpoints.jsonl", heads)
    forgery.sign()
    report = forgery.verified(tmp_path / "forged.zip")
    told = {(fault.code, fault.message) for fault in report.faults}
    why = "is of 2026-11-17" if shown else "is not in the bundle"
    assert any(code == "day.begins" and why in message for code, message in told)
    assert not {"entry.proof", "log.root", "log.tiles"} & codes(report)


@pytest.mark.rule("X-clock")
def test_a_jump_of_the_clock_that_the_house_tells_explains_one_step_back() -> None:
    noon = datetime(2026, 11, 16, 12, tzinfo=UTC)
    for steps, jumps, faults in (((-59,), (), 0), ((-3600,), (), 1), ((-3600,), (-3600,), 0),
                                 ((-7200,), (-3600,), 1), ((-3600, -3600), (-3600,), 1),
                                 ((-3600,), (3600,), 1)):  # fmt: skip
        report = verifier.Report()
        times, at = verifier.Times(report), noon
        times.take(at, "noon")
        for step in steps:
            at += timedelta(seconds=step)
            times.take(at, "then")
        for jump in jumps:
            times.jumped(timedelta(seconds=jump), "the clock")
        times.end()
        assert [fault.code for fault in report.faults] == ["entry.time"] * faults


@pytest.mark.rule("X-audit-log")
def test_a_lost_entry_is_named_in_the_verdict(exported: ExportedHouse, tmp_path: Path) -> None:
    forgery = Forgery.of(exported)
    lost = next(each for each in forgery.entries if each["tag"] == "SIGN-IN")
    forgery.entries[forgery.entries.index(lost)] = leaf_alone(lost)
    forgery.put_entries()
    forgery.sign()
    report = forgery.verified(tmp_path / "forged.zip")
    assert codes(report) == {"entry.lost"}
    assert (report.exit_code, report.document()["lost"]) == (3, [lost["position"]])
    assert f"1 ENTRIES ARE LOST: {lost['position']}.\n1 FAULTS." in report.text()


@pytest.mark.rule("X-audit-log")
def test_without_keys_a_bundle_is_only_consistent_with_itself(exported: ExportedHouse) -> None:
    """Whoever made the bundle could choose the keys in it."""
    report = verify(exported.bundle("last"))
    assert (report.exit_code, report.document()["verdict"]) == (4, "consistent")
    assert report.text().endswith("CONSISTENT WITH ITSELF; NOBODY'S KEYS WERE GIVEN.")
    report = verify(exported.bundle("last"), exported.keys)
    assert (report.exit_code, report.document()["verdict"]) == (0, "sound")
    assert report.text().endswith("NO FAULTS.")


# ---- hostile bundles -----------------------------------------------------------------------------


def hostile(folder: Path, *files: tuple[str, bytes]) -> Path:
    path = folder / "hostile.zip"
    with ZipFile(path, "w", ZIP_DEFLATED) as archive:
        for name, data in files:
            with pytest.MonkeyPatch.context() as patch:
                patch.setattr("warnings.warn", lambda *_, **__: None)  # of a name that is twice
                archive.writestr(ZipInfo(name), data, ZIP_DEFLATED)
    return path


@pytest.mark.rule("X-audit-log")
@pytest.mark.parametrize(
    ("files", "code"),
    [
        ([], "file.missing"),
        ([("manifest.json", b"{}"), ("manifest.json", b"{}")], "bundle.hostile"),
        ([("../manifest.json", b"{}")], "bundle.hostile"),
        ([("/etc/passwd", b"")], "bundle.hostile"),
        ([("log/", b"")], "bundle.hostile"),
        ([("manifest.json", b"[" * 100_000)], "json.malformed"),
        ([("manifest.json", b'{"a":' * 50_000 + b"1" + b"}" * 50_000)], "json.malformed"),
        ([("manifest.json", b'{"body":' + b"9" * 10_000 + b"}")], "json.malformed"),
        ([("manifest.json", b'{"body":1e400}')], "json.malformed"),
        ([("manifest.json", b'{"body":NaN}')], "json.malformed"),
        ([("manifest.json", b'{"body":{},"body":{}}')], "json.malformed"),
        ([("manifest.json", b'"\\ud800"')], "json.malformed"),
        ([("manifest.json", b"\xff\xfe")], "json.malformed"),
        ([("manifest.json", b"null")], "json.malformed"),
        ([("manifest.json", bytes(80_000_000))], "bundle.hostile"),
        ([("reports/bomb", bytes(400_000_000))], "bundle.hostile"),
    ],
)
def test_a_hostile_bundle_is_refused_and_never_unpacked(
    tmp_path: Path, files: list[tuple[str, bytes]], code: str
) -> None:
    report = verify(hostile(tmp_path, *files))
    assert codes(report) == {code}
    assert report.exit_code == 3


@pytest.mark.rule("X-audit-log")
def test_a_link_in_a_bundle_is_refused(tmp_path: Path) -> None:
    """Whoever unpacks it would be led to a file of their own machine."""
    link = ZipInfo("reports/about.txt")
    link.external_attr = (stat.S_IFLNK | 0o777) << 16
    with ZipFile(tmp_path / "b.zip", "w") as archive:
        archive.writestr(link, "/etc/passwd")
    assert codes(verify(tmp_path / "b.zip")) == {"bundle.hostile"}


@pytest.mark.rule("X-audit-log")
@pytest.mark.parametrize("data", [b"", b"PK", b"PK\x05\x06" + bytes(18), b"no zip at all" * 100])
def test_what_is_no_bundle_is_said_to_be_none(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "bundle.zip"
    path.write_bytes(data)
    assert codes(verify(path)) <= {"bundle.not_zip", "file.missing"}
    assert verify(path).faults


@pytest.mark.rule("X-audit-log")
def test_files_that_share_their_bytes_are_refused(exported: ExportedHouse, tmp_path: Path) -> None:
    """Two names for one piece of a zip file: a small file could unpack to any size."""
    data = exported.bundle("last").read_bytes()
    start = data.rfind(b"PK\x01\x02", 0, data.rfind(b"PK\x01\x02"))
    (offset,) = struct.unpack_from("<L", data, data.find(b"PK\x01\x02") + 42)
    changed = bytearray(data)
    struct.pack_into("<L", changed, start + 42, offset)
    (tmp_path / "b.zip").write_bytes(bytes(changed))
    assert codes(verify(tmp_path / "b.zip", exported.keys)) & {"bundle.hostile", "file.unreadable"}


@pytest.mark.rule("X-audit-log")
@pytest.mark.parametrize(
    "name", ["log/entries.jsonl", "log/carried.jsonl", "draws/M.jsonl", "log/checkpoints.jsonl"]
)
@pytest.mark.parametrize(
    "line", [b"null\n", b"{}\n", b"[1]\n", b"x" * 500_000 + b"\n", b'{"position":0}', b"\n"]
)
def test_a_line_of_nonsense_is_a_fault_and_nothing_worse(
    exported: ExportedHouse, tmp_path: Path, name: str, line: bytes
) -> None:
    forgery = Forgery.of(exported)
    forgery.files[name] = line + forgery.files[name]
    forgery.sign()
    report = forgery.verified(tmp_path / "forged.zip")
    assert name in {fault.where for fault in report.faults}


def test_keys_that_cannot_be_used_are_told(exported: ExportedHouse, tmp_path: Path) -> None:
    with pytest.raises(verifier.NotToBeUsed, match="no public keys"):
        verify(exported.bundle("last"), tmp_path)
    (tmp_path / "log.pem").write_text("no key")
    with pytest.raises(verifier.NotToBeUsed, match="cannot be used"):
        verify(exported.bundle("last"), tmp_path)


@pytest.mark.rule("X-audit-log")
def test_every_kind_of_fault_is_in_the_list_and_on_the_page() -> None:
    written = set(re.findall(r'"([a-z]+\.[a-z_]+)"', verifier.source().decode()))
    written -= {"keys.json", "manifest.json", "verifier.py"}
    either = {f"{act}.{how}" for act in ("payment", "expiry")
              for how in ("twice", "expired", "no_win", "not_decided")}  # fmt: skip
    assert written | either == set(verifier.FAULTS)
    listed = {row["Fault"].strip("`"): row["Meaning"] for row in read_table(PAGE) if "Fault" in row}
    assert listed == verifier.FAULTS


# ---- any byte ------------------------------------------------------------------------------------


@pytest.mark.rule("X-audit-log", "X-draw-public")
@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_any_byte_of_any_file_that_is_flipped_is_found(
    exported: ExportedHouse, tmp_path: Path, data: st.DataObject
) -> None:
    forgery = Forgery.of(exported, "second")
    files = forgery.files | {"manifest.json": canonical(forgery.manifest)}
    name = data.draw(st.sampled_from(sorted(files)))
    place = data.draw(st.integers(0, len(files[name]) - 1))
    files[name] = flipped(files[name], place, data.draw(st.integers(0, 7)))
    path = hostile(tmp_path, *files.items())
    report = verify(path, exported.keys)
    assert name in {fault.where for fault in report.faults}


@pytest.mark.rule("X-audit-log")
@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_a_bundle_of_which_any_byte_is_flipped_has_a_fault_or_the_same_files(
    exported: ExportedHouse, tmp_path: Path, data: st.DataObject
) -> None:
    whole = exported.bundle("second").read_bytes()
    place = data.draw(st.integers(0, len(whole) - 1))
    path = tmp_path / "flipped.zip"
    path.write_bytes(flipped(whole, place, data.draw(st.integers(0, 7))))
    if not verify(path, exported.keys).faults:
        with ZipFile(path) as changed, ZipFile(exported.bundle("second")) as real:
            assert changed.namelist() == real.namelist()
            assert all(changed.read(name) == real.read(name) for name in real.namelist())


# ---- the same as those that it checks ------------------------------------------------------------


@pytest.mark.rule("X-draw-public")
@given(intent=st.binary(min_size=32, max_size=32), mark=st.binary(min_size=384, max_size=384))
def test_it_draws_as_the_generator_does(intent: bytes, mark: bytes) -> None:
    given_both = (intent.hex(), mark.hex())
    assert verifier.draw_numbers(*given_both) == list(draw_numbers(*given_both))


@pytest.mark.rule("X-audit-log")
def test_it_knows_a_beginning_of_a_log_as_the_inspector_does() -> None:
    log = PracticeLog()
    for place in range(33):
        log.append(sha256(str(place).encode()).digest())
    for new in range(1, 34):
        for old in range(new + 1):
            one, two = (verifier.Head(size, log.root(size)) for size in (old, new))
            proof = log.consistency(old, new)
            verifier.check_beginning(one, two, proof)
            wrong = [(replace(one, root=bytes(32)), two, proof), (one, two, [*proof, bytes(32)])]
            if old:  # else anything continues it
                wrong.append((one, replace(two, root=bytes(32)), proof))
            if proof:
                wrong += [(one, two, proof[1:]), (one, two, [*proof[:-1], bytes(32)])]
            for each in wrong:
                with pytest.raises(verifier.Wrong):
                    verifier.check_beginning(*each)


@pytest.mark.rule("X-aggregate-sheet")
@given(
    wins=st.dictionaries(
        st.integers(1, 50), st.tuples(st.integers(0, 400), st.integers(1, 300)), max_size=20
    ),
    limit=st.none() | st.integers(1, 1_000),
    in_full=st.integers(0, 100),
)
def test_it_shares_a_limit_as_the_second_grader_does(
    wins: dict[int, tuple[int, int]], limit: int | None, in_full: int
) -> None:
    both = {number: (cut + more, cut) for number, (more, cut) in wins.items()}
    second = {
        number: second_grader.Win(exact=Fraction(uncut), cents=cut,
                                  uncut_cents=uncut if uncut > cut else None)
        for number, (uncut, cut) in both.items()
    }  # fmt: skip
    assert verifier.shared(both, limit, in_full) == second_grader.shared(second, limit, in_full)
