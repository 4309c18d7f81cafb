"""Whatever is changed in a bundle is found, and told by name.

A forger within the house has the keys of the log and of the back office, and can sign whatever they
like with them. What they do not have are the keys of the generator and of the inspector.
"""

import json
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
from rng.lab.practice_log import PracticeLog
from rng.merkle import node_hash
from tests.audit.exporting import (
    ExportedHouse,
    Forgery,
    codes,
    flipped,
    said,
    say,
)
from tests.audit.fault_codes import codes_in_source
from tests.audit.plants_log import RESIGNED
from tests.audit.plants_signed import SIGNED, another_report, leaf_alone
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


# What the plants bring about that is listed before the fault that they are named for: a cause of
# it, or of the same cause.
NEARER = {
    "the rate card is left out": {"card.unknown"},
    "the lock of a game that is decided in it is left out": {"draw.not_locked"},
    "the entry before the first is left out": {"ticket.game"},
    "a card without such games": {"card.hash"},
    "a card without such prices": {"card.hash"},
    "a card without such rates": {"card.hash"},
    "a card without so many spots": {"card.hash", "card.unlawful"},
    "another jurisdiction": {"house.other"},
    "everything is dated back": {"ticket.leaf"},
    "a ticket is left out of its game": {"ticket.gap"},
    "a game is cancelled that the ticket never played": {
        "draw.told_otherwise", "game.certified", "game.sold_file", "game.wins",
    },
    "a certification is left out": {"payment.not_decided"},
    "an act after the close of its day": {"void.unknown"},
    "a game is locked after another than the one before": {"draw.not_locked"},
    "a payout of a restored house without a manager": {"ticket.gap"},
    "a payout of a ticket that nobody lost": {"approval.role"},
    "a payout of a lost ticket at a window": {"approval.role"},
    "a payout by who had looked the ticket up": {"approval.missing"},
}  # fmt: skip


def found_first(forgery: Forgery, folder: Path, what: str, code: str) -> set[str]:
    """All codes; before the one that is planted are only those of its own stage, or of the log."""
    faults = forgery.verified(folder / "forged.zip").faults
    stages = {fault.code: fault.stage for fault in reversed(faults)}
    log = verifier.STAGE_OF["log"]
    earlier = {each for each, stage in stages.items() if log < stage < stages.get(code, 0)}
    assert earlier <= NEARER.get(what, set())
    return set(stages)


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


@pytest.mark.rule("X-audit-log", "X-draw-public", "X-grade-twice")
@pytest.mark.parametrize("what", SIGNED)
def test_what_the_house_changed_and_signed_again_is_found(
    exported: ExportedHouse, tmp_path: Path, what: str
) -> None:
    change, code = SIGNED[what]
    forgery = Forgery.of(exported)
    change(forgery)
    forgery.sign()
    assert code in found_first(forgery, tmp_path, what, code)


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
    assert {"head.cosignature", code} <= found_first(forgery, tmp_path, what, code)


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
def test_faults_are_listed_causes_first_and_repeats_are_counted(
    exported: ExportedHouse, tmp_path: Path
) -> None:
    """Whatever was found when: of one changed price come tickets, games, days, and a report."""
    forgery = Forgery.of(exported)
    for entry in forgery.tagged("TICKET")[:7]:
        say(entry, price_cents=said(entry)["price_cents"] + 1)
    forgery.files["reports/win.json"] = b"7\n"
    forgery.sign_log()
    report = forgery.verified(tmp_path / "forged.zip")
    stages = [fault.stage for fault in report.faults]
    assert stages == sorted(stages)
    families = list(dict.fromkeys(fault.code.split(".")[0] for fault in report.faults))
    wanted = ["head", "entry", "log", "ticket", "draw", "game", "day", "json"]
    assert [each for each in families if each in wanted] == wanted
    assert (report.faults[-1].code, report.faults[-1].where) == (
        "json.malformed", "reports/win.json",
    )  # fmt: skip
    lines = [line for line in report.text().splitlines() if line.startswith("FAULT ticket.price")]
    assert len(lines) == 1
    assert lines[0].endswith(" (and 6 more like it)")
    told: dict[str, Any] = report.document()
    assert told["fault_counts"]["ticket.price"] == 7
    assert [fault["code"] for fault in told["faults"]].count("ticket.price") == 7


@pytest.mark.rule("X-audit-log")
def test_no_flood_of_one_fault_hides_another() -> None:
    report = verifier.Report()
    for number in range(1_205):
        report.fault("payment.late", f"entry {number} (PAID)", "it is late")
    report.fault("ticket.price", "entry 9 (TICKET)", "it is wrong")
    assert report.text().splitlines()[-3:] == [
        "FAULT ticket.price, entry 9 (TICKET): it is wrong",
        "FAULT payment.late, entry 0 (PAID): it is late (and 1,204 more like it)",
        "1,206 FAULTS.",
    ]
    assert (len(report.faults), report.faults_more) == (1_001, 205)
    assert report.document()["fault_counts"] == {"payment.late": 1_205, "ticket.price": 1}


@pytest.mark.rule("X-audit-log", "15.4(a)")
def test_a_wrong_price_is_told_in_dollars_a_game_and_in_all(
    exported: ExportedHouse, tmp_path: Path
) -> None:
    """Where only the sum of several games is wrong, too: it said a price was not itself."""
    forgery = Forgery.of(exported)
    ticket = next(each for each in forgery.tagged("TICKET") if said(each)["games"] > 1)
    body = said(ticket)
    each, wrong = body["price_per_game_cents"], body["price_cents"] - 100
    say(ticket, price_cents=wrong)
    forgery.sign_log()
    (fault,) = [
        fault for fault in forgery.verified(tmp_path / "forged.zip").faults
        if fault.code == "ticket.price"
    ]  # fmt: skip
    game, total, stated = (f"${cents / 100:,.2f}" for cents in (each, each * body["games"], wrong))
    assert fault.message == (
        f"its plays cost {game} a game, {total} in all; it says {game} a game, {stated} in all"
    )


DEEP = {"lists": "[" * 65 + "]" * 65, "objects": '{"a":' * 65 + "1" + "}" * 65}


@pytest.mark.rule("X-audit-log")
@pytest.mark.parametrize("deep", [*DEEP.values(), "[" * 50_000, '{"a":' * 50_000], ids=len)
def test_what_is_nested_too_deep_is_refused_by_its_depth(
    exported: ExportedHouse, tmp_path: Path, deep: str
) -> None:
    """In a sentence: how far the program could have followed it depends on the machine."""
    told = "it is nested deeper than 64 levels"
    with pytest.raises(verifier.Wrong, match=told) as keys:
        verifier.read_published(deep.encode())
    assert keys.value.code == "keys.malformed"
    if deep.startswith("["):
        with pytest.raises(verifier.Wrong, match=told) as card:
            verifier.read_card(f"a = {deep}\n")
        assert card.value.code == "card.malformed"
    forgery = Forgery.of(exported)
    forgery.entries[5]["body"] = deep
    forgery.sign_log()
    faults = forgery.verified(tmp_path / "forged.zip").faults
    messages = [fault.message for fault in faults if fault.code == "json.malformed"]
    assert told in messages or any(each.endswith("too long") for each in messages)
    assert not any("Recursion" in fault.message for fault in faults)


@pytest.mark.rule("X-audit-log")
@pytest.mark.parametrize("text", ["[" * 64 + "]" * 64, '["' + "[" * 99 + '","\\\\","[\\"["]'])
def test_depth_is_that_of_brackets_outside_of_texts(text: str) -> None:
    assert verifier.read_json(text.encode()) is not None
    assert "TOML" not in str(card_of(f"a = {text}\n"))
    quoted = f'# {"[" * 99}\na = \'{"[" * 99}\'\nb = """\\"{"[" * 99}"""\n'
    assert "'limits'" in str(card_of(quoted))
    assert "TOML" in str(card_of("a = " + '"\\\\' * 50_000))  # read once, and not from every quote
    assert "'limits'" in str(card_of(f"{quoted}c = '''\n{'[' * 99}'{'{' * 99}'''\n"))


def card_of(file: str) -> verifier.Wrong:
    """What is wrong with a card that has nothing of one."""
    with pytest.raises(verifier.Wrong) as found:
        verifier.read_card(file)
    return found.value


@pytest.mark.rule("X-audit-log")
def test_reports_that_were_not_checked_have_their_own_exit_code_and_last_line(
    exported: ExportedHouse, tmp_path: Path
) -> None:
    """Nobody reads a note: the last line says that a report may say what it likes."""
    forgery = Forgery.of(exported)
    del forgery.files["reports/win.json"]
    forgery.sign()
    report = forgery.verified(tmp_path / "forged.zip")
    assert (report.faults, report.exit_code) == ([], 4)
    told = report.document()
    assert (told["verdict"], told["reports"]) == (
        "sound_but_reports",
        {
            "checked": ["voids.json", "winning-numbers.json"],
            "in_part": {},
            "not_checked": ["about.txt", "sales.csv"],
        },
    )
    assert report.text().splitlines()[-3:] == [
        "Reports checked against the entries: voids.json, winning-numbers.json",
        "Reports NOT checked against the entries: about.txt, sales.csv",
        "NO FAULTS, BUT 2 REPORTS WERE NOT CHECKED AGAINST THE ENTRIES, OR ONLY IN PART.",
    ]
    for name in ("about.txt", "sales.csv"):
        del forgery.files[f"reports/{name}"]
    forgery.sign()
    report = forgery.verified(tmp_path / "forged.zip")
    assert (report.exit_code, report.document()["verdict"]) == (0, "sound")
    assert report.text().endswith("voids.json, winning-numbers.json\nNO FAULTS.")


@pytest.mark.rule("X-audit-log")
def test_what_a_house_adds_to_a_report_is_not_taken_for_checked(
    exported: ExportedHouse, tmp_path: Path
) -> None:
    forgery = Forgery.of(exported)

    def add(report: dict[str, Any]) -> None:
        report["all_voids"] = 0
        report["sections"]["voids"]["rows"][0]["writers"] = "none"
        report["sections"]["more"] = {"rows": [], "title": "More", "sums": {}}

    another_report("voids", add)(forgery)
    forgery.sign()
    report = forgery.verified(tmp_path / "forged.zip")
    assert report.faults == []
    told: dict[str, Any] = report.document()
    assert told["reports"]["in_part"]["voids.json"] == [
        "all_voids",
        "section more",
        "voids writers",
    ]
    assert "voids.json (not checked: all_voids, section more, voids writers)" in report.text()


@pytest.mark.rule("X-audit-log")
def test_without_keys_a_bundle_is_only_consistent_with_itself(exported: ExportedHouse) -> None:
    """Whoever made the bundle could choose the keys in it."""
    report = verify(exported.bundle("last"))
    assert (report.exit_code, report.document()["verdict"]) == (6, "consistent")
    assert report.text().endswith("CONSISTENT WITH ITSELF; NOBODY'S KEYS WERE GIVEN.")
    report = verify(exported.bundle("last"), exported.keys)
    assert (report.exit_code, report.document()["verdict"]) == (4, "sound_but_reports")


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
    assert codes(verify(tmp_path / "b.zip", exported.keys)) == {"bundle.hostile"}


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
    assert codes_in_source() == set(verifier.FAULTS)
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
