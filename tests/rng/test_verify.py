"""Checking without trust: whatever was changed is found, and said in one line."""

import json
from collections.abc import Callable
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from rng.core.canonical import canonical
from rng.core.signing import public_text, seal
from rng.lab.verify import Wrong, read_keys, verify_against_statement, verify_draw, verify_void
from rng.lab.verify_journal import Report, verify_agreement, verify_journal
from tests.rng.acts import publish, under_both_keys
from tests.rng.house import IDA, SAM, TestHouse, refusal
from tests.rng.rollback import backup, restore
from tests.rng.tampering import rechained

EXAMPLE = json.loads((Path(__file__).parent / "vectors" / "worked_example.json").read_text())
KEYS = EXAMPLE["keys"]


@pytest.fixture(scope="module")
def day(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """The journals of a day on which nearly everything happened, and the keys to check them."""
    house = TestHouse.founded(tmp_path_factory.mktemp("day"))
    house.office.draw("M")
    house.office.draw("S")
    house.office.void("M", "The lights went out.")
    under_both_keys(house, SAM, "rotate", key="rng")
    publish(house, "rng")
    house.office.draw("M")
    under_both_keys(house, SAM, "series", series="LATE", first_game=1)
    house.rng.lock_out("health", "the entropy source failed")
    (lockout,) = house.rng.state.lockouts
    under_both_keys(house, SAM, "reopen", lockout=lockout, reason="Looked into.")
    house.restart()
    drawn = house.office.draw("S")
    house.office.draw("M")
    house.close()
    journals = {role: house.root / role / "journal.jsonl" for role in ("rng", "inspector")}
    return {"keys": house.old_keys, "journals": journals, "drawn": drawn}


def leaves(value: object, path: tuple[object, ...] = ()) -> list[tuple[object, ...]]:
    """The place of every text and number within a document."""
    if isinstance(value, dict):
        return [leaf for name, item in value.items() for leaf in leaves(item, (*path, name))]
    if isinstance(value, list):
        return [leaf for at, item in enumerate(value) for leaf in leaves(item, (*path, at))]
    return [path]


def changed(document: object, path: tuple[object, ...]) -> object:
    """The document with one text or number changed."""
    copy: Any = deepcopy(document)
    inner = copy
    for step in path[:-1]:
        inner = inner[step]
    value = inner[path[-1]]
    if isinstance(value, str):
        at = len(value) // 2
        inner[path[-1]] = value[:at] + ("0" if value[at : at + 1] != "0" else "1") + value[at + 1 :]
    else:
        inner[path[-1]] = value % 80 + 1 if isinstance(value, int) else 1
    return copy


@pytest.mark.rule("X-draw-public")
def test_a_sound_draw_is_sound() -> None:
    record = verify_draw(EXAMPLE["draw"], KEYS)
    assert record["numbers"] == EXAMPLE["draw"]["record"]["body"]["numbers"]
    verify_against_statement(EXAMPLE["draw"], EXAMPLE["draw"]["statement"], KEYS)


@pytest.mark.rule("X-draw-public")
@pytest.mark.parametrize("path", leaves(EXAMPLE["draw"]), ids=lambda path: ".".join(map(str, path)))
def test_any_field_of_a_draw_that_is_changed_is_found(path: tuple[object, ...]) -> None:
    with pytest.raises(Wrong):
        verify_draw(changed(EXAMPLE["draw"], path), KEYS)


@pytest.mark.rule("X-draw-public")
def test_a_draw_is_not_that_of_another_statement() -> None:
    other = changed(EXAMPLE["draw"]["statement"], ("body", "game"))
    with pytest.raises(Wrong, match="another statement"):
        verify_against_statement(EXAMPLE["draw"], other, KEYS)
    with pytest.raises(Wrong):
        verify_against_statement(EXAMPLE["draw"], {}, KEYS)


@pytest.mark.rule("X-draw-public")
@pytest.mark.parametrize("role", ["office", "log", "rng", "inspector", "mark"])
def test_every_key_is_needed_and_no_other_will_do(role: str) -> None:
    stranger = public_text(Ed25519PrivateKey.generate().public_key())
    without = {name: public for name, public in KEYS.items() if name != role}
    with pytest.raises(Wrong):
        verify_draw(EXAMPLE["draw"], without)
    with pytest.raises(Wrong):
        verify_draw(EXAMPLE["draw"], {**KEYS, role: stranger})


@pytest.mark.rule("X-draw-public")
def test_numbers_signed_by_the_generator_alone_are_not_believed(house: TestHouse) -> None:
    """Whoever holds the generator's key can sign a record, but not make its mark."""
    drawn = house.office.draw("M")
    keys = house.rng.keys
    assert keys is not None
    for change in (
        {"numbers": list(range(1, 21))},
        {"numbers": drawn["record"]["body"]["numbers"][::-1]},
        {"mark": "00" * 384},
        {"game": 2},
        {"previous": "0" * 64},
        {"jurisdiction": "elsewhere"},
    ):
        forged: Any = deepcopy(drawn)
        forged["record"] = seal({**drawn["record"]["body"], **change}, keys.signing)
        with pytest.raises(Wrong):
            verify_draw(forged, house.old_keys)


@pytest.mark.rule("X-draw-public", "X-audit-log")
def test_the_journals_of_a_day_are_sound_and_agree(day: dict[str, Any]) -> None:
    reports = [verify_journal(path, day["keys"]) for path in day["journals"].values()]
    assert [(report.drawn, report.void) for report in reports] == [(5, 1), (5, 1)]
    assert verify_agreement(*reports) == 6
    assert "5 drawn, 1 void" in reports[0].text()


@pytest.mark.rule("X-draw-public")
@pytest.mark.parametrize("role", ["rng", "inspector"])
def test_a_flipped_byte_in_any_line_is_found(
    day: dict[str, Any], tmp_path: Path, role: str
) -> None:
    """Three bytes of each line here; `make proof` flips every byte there is."""
    data = day["journals"][role].read_bytes()
    places, start = [], 0
    for line in data.splitlines(keepends=True):
        places += [start + 5, start + len(line) // 2, start + len(line) - 1]
        start += len(line)
    assert start == len(data) > 0
    copy = tmp_path / "journal.jsonl"
    for place in places:
        copy.write_bytes(data[:place] + bytes([data[place] ^ 1]) + data[place + 1 :])
        with pytest.raises(Wrong):
            verify_journal(copy, day["keys"])


@pytest.mark.rule("X-draw-public")
@pytest.mark.parametrize("role", ["rng", "inspector"])
def test_a_forger_who_mends_the_chain_is_found_by_the_signatures(
    day: dict[str, Any], tmp_path: Path, role: str
) -> None:
    lines = [json.loads(line) for line in day["journals"][role].read_bytes().splitlines()]
    signed = max(
        at for at, line in enumerate(lines) if line["kind"] in ("INTENT", "MARK", "TOMBSTONE")
    )
    copy = tmp_path / "journal.jsonl"
    for at in range(signed):
        forged = deepcopy(lines)
        forged[at]["at"] = "2020-01-01T00:00:00.000Z"
        data = b"".join(canonical(line) + b"\n" for line in forged)
        copy.write_bytes(rechained(data))
        with pytest.raises(Wrong):
            verify_journal(copy, day["keys"])


@pytest.mark.rule("X-draw-public")
@pytest.mark.parametrize("role", ["rng", "inspector"])
@pytest.mark.parametrize(
    "tamper",
    [
        lambda lines: lines[:3] + lines[4:],
        lambda lines: [*lines[:3], lines[4], lines[3], *lines[5:]],
        lambda lines: [*lines[:5], lines[4], *lines[5:]],
        lambda lines: lines[1:],
        lambda lines: [*lines, lines[-1]],
        lambda lines: lines[::-1],
    ],
    ids=["line cut out", "lines swapped", "line repeated", "no genesis", "replayed", "reversed"],
)
@pytest.mark.parametrize("mended", [False, True])
def test_lines_cut_out_swapped_or_repeated_are_found(
    day: dict[str, Any],
    tmp_path: Path,
    role: str,
    tamper: Callable[[list[bytes]], list[bytes]],
    mended: bool,
) -> None:
    lines = tamper(day["journals"][role].read_bytes().splitlines(keepends=True))
    data = b"".join(lines)
    copy = tmp_path / "journal.jsonl"
    copy.write_bytes(rechained(data) if mended else data)
    with pytest.raises(Wrong):
        verify_journal(copy, day["keys"])


@pytest.mark.rule("X-draw-public")
def test_a_journal_cut_short_is_found_by_the_other(day: dict[str, Any], tmp_path: Path) -> None:
    lines = day["journals"]["rng"].read_bytes().splitlines(keepends=True)
    copy = tmp_path / "journal.jsonl"
    copy.write_bytes(b"".join(lines[:7]))
    short = verify_journal(copy, day["keys"])  # by itself it is sound
    whole = verify_journal(day["journals"]["inspector"], day["keys"])
    for pair in ((short, whole), (whole, short)):
        with pytest.raises(Wrong, match="lacks an intent"):
            verify_agreement(*pair)
    copy.write_bytes(b"".join(lines[:7])[:-1])
    with pytest.raises(Wrong, match="torn"):
        verify_journal(copy, day["keys"])
    copy.write_bytes(b"")
    with pytest.raises(Wrong, match="empty"):
        verify_journal(copy, day["keys"])


@pytest.mark.rule("X-draw-public")
def test_a_published_void_is_checked_like_a_draw() -> None:
    assert verify_void(EXAMPLE["void"], KEYS)["game"] == 3
    for path in leaves(EXAMPLE["void"]):
        with pytest.raises(Wrong):
            verify_void(changed(EXAMPLE["void"], path), KEYS)


@pytest.mark.rule("X-draw-public")
def test_a_key_counts_in_its_own_role_only() -> None:
    for one, other in (("office", "rng"), ("rng", "inspector"), ("log", "office")):
        with pytest.raises(Wrong):
            verify_draw(EXAMPLE["draw"], {**KEYS, one: KEYS[other], other: KEYS[one]})


@pytest.mark.rule("X-draw-public", "X-draw-once")
def test_a_game_marked_in_one_journal_and_void_in_the_other_is_found() -> None:
    one = Report(role="inspector", marks={("M", 1): "a"})
    for other in (Report(buried={("M", 1)}), Report(marks={("M", 1): "b"})):
        with pytest.raises(Wrong, match="M-1"):
            verify_agreement(one, other)


@pytest.mark.rule("X-draw-public")
@pytest.mark.parametrize("keys", ["rng", "inspector", "mark", "office"])
def test_a_handover_by_one_party_to_keys_of_its_own_is_found(house: TestHouse, keys: str) -> None:
    """Whoever checks has the public keys of the ceremony, and of no stranger."""
    body = {
        "label": "keno/handover",
        "version": 1,
        "house": {
            **house.rng.state.house,
            "keys": {
                **house.rng.state.keys,
                keys: public_text(Ed25519PrivateKey.generate().public_key()),
            },
        },
        "role": "inspector",
        "epoch": 2,
        "giver_epoch": 1,
        "standing": house.rng.state.standing(),
        "open_games": [],
        "buried_games": [],
        "checkpoint": None,
        "reason": "I say so.",
        "at": "2026-11-16T12:00:00.000Z",
    }
    opened = house.rng.keys
    assert opened is not None
    house.rng.write("HANDOVER", seal(body, opened.signing))
    with pytest.raises(Wrong):
        verify_journal(house.root / "rng" / "journal.jsonl", house.old_keys)


@pytest.mark.rule("X-draw-public")
def test_a_generator_set_back_and_started_often_is_found(house: TestHouse) -> None:
    """Lines of its new starts stand where the ones that are missing stood."""
    copy = backup(house, "rng")
    house.office.draw("M")
    restore(house, copy)
    for _ in range(5):
        house.restart()
    reports = [
        verify_journal(house.root / role / "journal.jsonl", house.old_keys)
        for role in ("rng", "inspector")
    ]
    with pytest.raises(Wrong, match="lacks an intent"):
        verify_agreement(*reports)


def test_journals_that_tell_different_things_do_not_agree() -> None:
    one, other = Report(records={("M", 1): "a"}), Report(records={("M", 1): "b"})
    with pytest.raises(Wrong, match="M-1"):
        verify_agreement(one, other)


@pytest.mark.rule("X-draw-public")
def test_journals_are_not_each_others(day: dict[str, Any], house: TestHouse) -> None:
    """Another house's journal, or another role's line, is not believed."""
    other = house.root / "rng" / "journal.jsonl"
    with pytest.raises(Wrong):
        verify_journal(other, day["keys"] | {"mark": house.old_keys["rng"]})


@pytest.mark.rule("X-rng-repeat", "X-draw-public")
def test_a_draw_begun_during_a_lockout_is_found(house: TestHouse) -> None:
    house.rng.lock_out("health", "the entropy source failed")
    house.rng.state.lockouts.clear()  # a generator that does not care
    house.office.draw("M")
    with pytest.raises(Wrong, match="during a lockout"):
        verify_journal(house.root / "rng" / "journal.jsonl", house.old_keys)
    with refusal("series.unknown"):
        house.to_rng.call("record", {"series": "Z", "game": 1})


@pytest.mark.rule("X-draw-public")
def test_a_key_that_one_role_put_in_force_alone_is_found(house: TestHouse) -> None:
    house.by(SAM, "rotate", key="rng")
    pending = house.rng.proposals({})["act"]
    house.rng.write("KEY", pending)
    with pytest.raises(Wrong, match="keys that have to sign"):
        verify_journal(house.root / "rng" / "journal.jsonl", house.old_keys)
    assert house.by(IDA, "status")


def test_public_keys_are_read_from_a_folder(tmp_path: Path) -> None:
    with pytest.raises(Wrong, match="no public keys"):
        read_keys(tmp_path)
    (tmp_path / "rng.pem").write_text("not a key")
    with pytest.raises(Wrong, match="no public key"):
        read_keys(tmp_path)
