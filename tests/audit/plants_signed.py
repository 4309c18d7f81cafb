"""Plants in a bundle that a forger signs with the log's key, and the fault code of each.

Some plants also need the keys of the back office, of the generator or of the inspector.
"""

import json
import re
from base64 import b64decode, b64encode
from collections.abc import Callable
from hashlib import sha256
from typing import Any

from rng.core.canonical import canonical
from rng.core.derive import draw_numbers
from rng.core.mark import make_mark
from rng.core.signing import document_hash
from rng.core.signing import seal as sealed
from rng.note import Checkpoint, Note, sign_note, write_checkpoint, write_note
from tests.audit.exporting import (
    ExportedHouse,
    Forgery,
    flipped,
    said,
    say,
    seal,
    without_line,
)

Change = Callable[[Forgery], object]
ENTRIES, CARRIED, DRAWS = "log/entries.jsonl", "log/carried.jsonl", "draws/M.jsonl"
HEADS, ORIGINS = "log/checkpoints.jsonl", "log/origins.jsonl"


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
    lines = forgery.lines(HEADS)
    origin, size = forgery.body["origin"], lines[1]["size"]
    text = write_checkpoint(Checkpoint(origin, size, bytes(32)))
    note = write_note(Note(text, (sign_note(text, origin, forgery.house.log),)))
    lines[1].update({"note": note, "cosigned": None})
    forgery.put_lines(HEADS, lines)


def older_head(forgery: Forgery) -> None:
    cosigned = [line["cosigned"] for line in forgery.lines(HEADS)]
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


def of_game(entry: dict[str, Any]) -> tuple[str, int]:
    return said(entry)["series"], said(entry)["game"]


def leaf_alone(line: dict[str, Any]) -> dict[str, Any]:
    return {"position": line["position"], "tag": "LOST", "leaf": line["leaf"]}


def another_record(forgery: Forgery, **changes: object) -> dict[str, Any]:
    """Sign another record of the last draw with the generator's key; return its line."""
    lines = forgery.lines(DRAWS)
    line: dict[str, Any] = [each for each in lines if "intent" in each["document"]][-1]
    body = {**line["document"]["record"]["body"], **changes}
    line["document"]["record"] = sealed(body, forgery.house.keyed["rng"].signing)
    forgery.put_lines(DRAWS, lines)
    return line


def another_mark(forgery: Forgery) -> dict[str, Any]:
    """Take the mark of another intent, and the numbers that follow from it."""
    lines = forgery.lines(DRAWS)
    mark = drawn(lines)["record"]["body"]["mark"]
    last = [each["document"] for each in lines if "intent" in each["document"]][-1]
    numbers = draw_numbers(document_hash(last["intent"]["body"]), mark)
    return another_record(forgery, mark=mark, numbers=list(numbers))


def other_twenty(forgery: Forgery) -> dict[str, Any]:
    """Draw other numbers than those that follow from intent and mark."""
    return another_record(forgery, numbers=list(range(1, 21)))


def reordered(forgery: Forgery) -> dict[str, Any]:
    """Say that the same twenty numbers were drawn the other way round."""
    numbers = another_record(forgery)["document"]["record"]["body"]["numbers"]
    return another_record(forgery, numbers=numbers[::-1])


def another_void_record(**changes: object) -> Change:
    """Sign another record of a void with the generator's key."""

    def change(lines: list[Any], house: ExportedHouse) -> None:
        body = {**voided(lines)["record"]["body"], **changes}
        voided(lines)["record"] = sealed(body, house.keyed["rng"].signing)

    return lambda forgery: changed_lines(DRAWS, lambda lines: change(lines, forgery.house))(forgery)


def redrawn(
    statement: dict[str, object] | None = None,
    intent: dict[str, object] | None = None,
    record: dict[str, object] | None = None,
) -> Change:
    """Draw the last game again with the keys of all roles, with these changes."""

    def make(forgery: Forgery) -> None:
        lines, keyed = forgery.lines(DRAWS), forgery.house.keyed
        draw = [each["document"] for each in lines if "intent" in each["document"]][-1]
        stated = {**draw["statement"]["body"], **(statement or {})}
        digest = document_hash(stated)
        intended = {**draw["intent"]["body"], "statement": digest, **(intent or {})}
        mark = make_mark(keyed["inspector"].mark, canonical(intended))
        told = {
            **draw["record"]["body"],
            "previous": stated["previous"],
            "statement": digest,
            "intent": document_hash(intended),
            "mark": mark,
            "numbers": list(draw_numbers(document_hash(intended), mark)),
            **(record or {}),
        }
        draw["statement"] = sealed(stated, forgery.house.office)
        draw["intent"] = sealed(intended, keyed["rng"].signing)
        draw["record"] = sealed(told, keyed["rng"].signing)
        forgery.put_lines(DRAWS, lines)

    return make


def renamed_log(**changes: object) -> Change:
    """Add the act by which both keys gave the log its name; unchanged, the act is sound."""

    def make(forgery: Forgery) -> None:
        act = {
            "label": "keno/origin",
            "version": 1,
            "house": forgery.body["house"],
            "jurisdiction": forgery.body["jurisdiction"],
            "old_origin": "keno.example/first",
            "new_origin": forgery.body["origin"],
            "size": 10,
            "kept": {"size": 5, "root": "0" * 64, "shown": None},
            "fork": True,
            "reason": "The disk burned.",
        }
        signers = [forgery.house.keyed[role].signing for role in ("rng", "inspector")]
        acts = forgery.lines(ORIGINS) if ORIGINS in forgery.files else []
        acts.append({"act": sealed({**act, **changes}, *signers)})
        forgery.put_lines(ORIGINS, acts)

    return make


def renamed_twice(forgery: Forgery) -> None:
    """Give the log a second name, and then another name in place of a third."""
    renamed_log(new_origin="keno.example/second")(forgery)
    renamed_log(old_origin="keno.example/third")(forgery)


def shown_by(head: dict[str, object], **kept: object) -> Change:
    """Show what is left of the log by another head."""
    return renamed_log(fork=False, kept={"size": 5, "root": "0" * 64, "shown": head, **kept})


def head_of_the_lost_part(forgery: Forgery) -> None:
    """Among the heads in between, have one under the log's old name behind what was kept of it."""
    renamed_log()(forgery)
    lines = forgery.lines(HEADS)
    text = write_checkpoint(Checkpoint("keno.example/first", lines[1]["size"], bytes(32)))
    signature = sign_note(text, "keno.example/first", forgery.house.log)
    lines[1].update({"note": write_note(Note(text, (signature,))), "cosigned": None})
    forgery.put_lines(HEADS, lines)


def head_before_the_entries(forgery: Forgery) -> None:
    """Among the heads in between, have one of an earlier day."""
    earlier = Forgery.of(forgery.house, "second").lines(HEADS)[0]
    assert earlier["size"] < forgery.body["first"]
    changed_lines(HEADS, lambda lines: lines.insert(0, earlier))(forgery)


def changed_signature(place: int, change: Callable[[bytes], bytes]) -> Change:
    """Change what a signature of the head says, without the name and key that it begins with."""

    def make(note: bytes) -> bytes:
        text, _, signatures = note.decode().partition("\n\n")
        lines = signatures.splitlines()
        start, _, encoded = lines[place].rpartition(" ")
        lines[place] = f"{start} {change(encoded.encode()).decode()}"
        return "\n".join([text, "", *lines, ""]).encode()

    return changed_file("log/checkpoint", make)


def wrong(encoded: bytes) -> bytes:
    return b64encode(flipped(b64decode(encoded), -1))


def with_spare_bits(encoded: bytes) -> bytes:
    """Set bits that base64 drops when it is decoded."""
    assert encoded.endswith(b"=")
    other = encoded[:-2] + bytes([encoded[-2] + 1]) + b"="
    assert b64decode(other) == b64decode(encoded)
    return other


def another_card_file(change: Callable[[str], str]) -> Change:
    """Have the rate cards say something else, at any place of their files."""

    def make(lines: list[Any]) -> None:
        for line in lines:
            if line["tag"] == "CARD":
                say(line, file=change(said(line)["file"]))

    return changed_lines(CARRIED, make)


def unknown_card(forgery: Forgery) -> None:
    """Add a rate card that no entry names, under the hash that it has."""
    data = forgery.files[forgery.first("cards/")] + b"\n"
    forgery.files[f"cards/{sha256(data).hexdigest()}.toml"] = data


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
        changed_lines(HEADS, lambda lines: lines.pop()),
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
    "a card on which the house loses": (another_card("base_cents", 20), "card.unlawful"),
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
    "a report with another state of a game": (
        another_report("winning-numbers", lambda told: told["sections"]["games"]["rows"][0].update(
            state="void")),
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
    "a day that is no date": (manifest(**{"from": "tomorrow"}), "bundle.unreadable"),
    "a head that is no note": (
        changed_file("log/checkpoint", lambda note: b"\n" + note),
        "head.malformed",
    ),
    "a time zone that does not exist": (
        changed_lines(
            CARRIED, lambda lines: say(carried(lines, "HOUSE"), time_zone="Mars/Olympus_Mons")
        ),
        "house.time_zone",
    ),
    "a card that rounds in an unknown way": (another_card("rounding", 7), "card.malformed"),
    "a card that no entry names": (unknown_card, "card.unknown"),
    "a record that is neither draw nor void": (
        changed_lines(DRAWS, lambda lines: lines[0].update(document={})),
        "draw.malformed",
    ),
    "a record in the middle is left out": (
        changed_lines(DRAWS, lambda lines: lines.pop(1)),
        "draw.gap",
    ),
    "a record is in the bundle twice": (
        changed_lines(DRAWS, lambda lines: lines.insert(1, lines[0])),
        "draw.twice",
    ),
    "the generator takes another mark": (another_mark, "draw.mark"),
    "the generator signs other numbers": (other_twenty, "draw.numbers"),
    "the generator signs its numbers in another order": (reordered, "draw.numbers"),
    "the generator signs a record of another intent": (
        lambda forgery: another_record(forgery, intent="0" * 64),
        "draw.other_intent",
    ),
    "the generator signs a void of another tombstone": (
        another_void_record(tombstone="0" * 64),
        "draw.other_intent",
    ),
    "both keys gave another log its name": (
        renamed_log(new_origin="keno.example/other"),
        "origin.malformed",
    ),
    "both keys of another house gave the log its name": (
        renamed_log(house="Other House"),
        "origin.malformed",
    ),
    "what is left of the log is not shown": (renamed_log(fork=False), "origin.kept"),
    "the generator signs a void of another statement": (
        another_void_record(statement="0" * 64),
        "draw.other_statement",
    ),
    "all keys draw on another record than the one before": (
        redrawn(statement={"previous": "0" * 64}),
        "draw.chain",
    ),
    "all keys sign a record on another one than its statement": (
        redrawn(record={"previous": "0" * 64}),
        "draw.chain",
    ),
    "all keys draw in an unknown way": (redrawn(statement={"derivation": 2}), "draw.malformed"),
    "all keys draw for an unknown statement": (
        redrawn(statement={"version": 2}),
        "draw.malformed",
    ),
    "all keys draw for another game": (redrawn(intent={"game": 1}), "draw.other_game"),
    "all keys draw for another log": (
        redrawn(statement={"log_origin": "keno.example/other"}),
        "draw.other_house",
    ),
    "all keys draw for another seal": (
        redrawn(statement={"checkpoint": "keno.example/test\n1\nAAAA\n"}),
        "draw.seal",
    ),
    "all keys draw for a lock behind the seal": (
        redrawn(statement={"lock_index": 10**9}),
        "entry.proof",
    ),
    "all keys draw for another key of the office": (
        redrawn(statement={"office_key": "0" * 64}),
        "signature.wrong",
    ),
    "the names of the log do not follow each other": (renamed_twice, "origin.malformed"),
    "more is left of the log than there was": (
        shown_by({"size": 11, "root": "0" * 64, "proof": []}, size=11),
        "origin.kept",
    ),
    "what is left of the log does not continue its head": (
        shown_by({"size": 4, "root": "0" * 64, "proof": []}),
        "origin.kept",
    ),
    "a head of the part of the log that is lost": (head_of_the_lost_part, "head.other"),
    "a head of another day in between": (head_before_the_entries, "head.other"),
    "a head in between of another size": (
        changed_lines(HEADS, lambda lines: lines[0].update(size=lines[0]["size"] - 1)),
        "head.other",
    ),
    "two heads in between change places": (
        changed_lines(HEADS, lambda lines: lines.insert(0, lines.pop(1))),
        "head.order",
    ),
    "a head of another log": (
        changed_file("log/checkpoint", lambda note: note.replace(b"/test\n", b"/other\n", 1)),
        "head.malformed",
    ),
    "the log's signature of the head is wrong": (changed_signature(0, wrong), "head.signature"),
    "the cosignature of the head is wrong": (changed_signature(1, wrong), "head.signature"),
    "a signature of the head is not base64": (
        changed_signature(0, lambda _: b"=A"),
        "head.malformed",
    ),
    "a signature of the head has spare bits": (
        changed_signature(0, with_spare_bits),
        "head.malformed",
    ),
    "the hashes before the entries are left out": (
        lambda forgery: forgery.files.pop(forgery.first("log/tile/0")),
        "log.tiles",
    ),
    "hashes that have no place before the entries": (
        lambda forgery: forgery.files.update({"log/tile/3/000.p/1": bytes(32)}),
        "log.tiles",
    ),
    "a salt that is too short": (
        changed_lines(ENTRIES, lambda lines: lines[5].update(salt="0" * 63)),
        "json.malformed",
    ),
    "a stretch of the log without entries": (manifest(first=10**6), "manifest.malformed"),
    "a card with another file": (another_card("claim_minutes", 2_881), "card.hash"),
    "a card that is not TOML": (another_card_file(lambda _: "= 1"), "card.malformed"),
    "a card that nests too deep": (
        another_card_file(lambda file: f"{'a.' * 51}a = 1\n{file}"),
        "card.malformed",
    ),
    "a card with more spots than the board": (
        another_card_file(lambda file: f"{file}99 = {{ 1 = 300 }}\n"),
        "card.malformed",
    ),
}  # fmt: skip
