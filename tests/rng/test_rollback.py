"""Restored backups, cloned machines, lost disks and keys: found out, and never a second outcome."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import cast

import pytest

from rng.core.records import Draw
from rng.lab.verify import read_keys
from rng.lab.verify_journal import verify_journal
from rng.serve.ceremony import CeremonyFailed, Part, make_journal, make_keys
from rng.serve.keyed import Surroundings
from rng.serve.protocol import Unreachable
from rng.serve.refusals import Refused
from tests.rng.house import CHEAP, IDA, PASSPHRASES, SAM, SUE, TestHouse, refusal
from tests.rng.test_crash import check_books


def backup(house: TestHouse, role: str) -> Path:
    """A copy of a role's folder, as of now."""
    copy = house.root / f"backup of {role}"
    shutil.rmtree(copy, ignore_errors=True)
    shutil.copytree(house.root / role, copy, ignore=shutil.ignore_patterns("*.sock"))
    return copy


def restore(house: TestHouse, *copies: Path) -> None:
    """Kill both, put copies in place of what was there, and start again."""
    house.kill()
    for copy in copies:
        role = copy.name.removeprefix("backup of ")
        shutil.rmtree(house.root / role)
        shutil.copytree(copy, house.root / role)
    house.start()
    house.unlock()


def reasons(house: TestHouse, holder: str) -> list[str]:
    """Why a holder's process is locked out."""
    lockouts = cast("list[dict[str, str]]", house.by(holder, "status")["lockouts"])
    return [lockout["reason"] for lockout in lockouts]


@pytest.mark.rule("X-draw-once", "X-rng-cycling")
def test_a_generator_restored_from_yesterday_locks_out_at_its_first_draw(house: TestHouse) -> None:
    house.office.draw("M")
    copy = backup(house, "rng")
    for _ in range(3):
        house.office.draw("M")
    restore(house, copy)
    with refusal("process.locked_out"):
        house.office.draw("M")
    assert reasons(house, SAM) == ["restored"]
    assert reasons(house, IDA) == []


@pytest.mark.rule("X-draw-once", "X-rng-cycling")
def test_a_generator_restored_with_the_office_gets_no_second_mark(house: TestHouse) -> None:
    """Office and generator forget the last game; the inspector does not."""
    wanted = house.office.locked("M")
    copy = backup(house, "rng")
    first = house.to_rng.call("draw", wanted)
    house.rng.after()
    restore(house, copy)
    with refusal("process.locked_out"):
        house.to_rng.call("draw", wanted)
    assert reasons(house, SAM) == ["restored"]
    record = cast("Draw", first["drawn"])["record"]["body"]
    assert record["numbers"] not in [slip_numbers(slip) for slip in house.paper.slips[1:]]


def slip_numbers(slip: str) -> list[int]:
    rows = slip.split("As drawn:\n")[1].split("In order:", maxsplit=1)[0]
    return [int(word) for word in rows.split()]


@pytest.mark.rule("X-draw-once", "X-rng-cycling")
def test_a_generator_that_lost_an_intent_the_inspector_marked_locks_out(house: TestHouse) -> None:
    wanted = house.office.locked("M")
    copy = backup(house, "rng")
    house.to_inspector.lose_answers_of = {"mark"}
    with refusal("inspector.unreachable"):
        house.to_rng.call("draw", wanted)
    house.to_inspector.lose_answers_of = set()
    restore(house, copy)
    with refusal("process.locked_out"):
        house.to_rng.call("draw", wanted)
    with refusal("process.locked_out"):
        house.office.void("M", "It will not draw.")
    assert reasons(house, SAM) == ["restored"]
    assert house.kinds("rng").count("INTENT") == 0  # it asked first, and so never made a second one


@pytest.mark.rule("X-draw-once")
def test_a_second_intent_for_a_marked_game_is_refused_and_alarmed(
    house: TestHouse, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Should a generator make one all the same, there is no second mark."""
    wanted = house.office.locked("M")
    copy = backup(house, "rng")
    house.to_rng.call("draw", wanted)
    restore(house, copy)
    monkeypatch.setattr(house.rng, "_post_ready", lambda *_: None)
    monkeypatch.setattr(house.rng, "_await_ready", lambda _: None)
    with refusal("process.locked_out"):
        house.to_rng.call("draw", wanted)
    assert house.kinds("rng").count("INTENT") == 1
    assert house.kinds("inspector").count("ALARM") == 1
    assert house.kinds("inspector").count("MARK") == 1


@pytest.mark.rule("X-draw-once")
def test_a_void_of_a_game_marked_for_a_lost_intent_locks_out_too(house: TestHouse) -> None:
    wanted = house.office.locked("M")
    copy = backup(house, "rng")
    house.to_inspector.lose_answers_of = {"mark"}
    with refusal("inspector.unreachable"):
        house.to_rng.call("draw", wanted)
    house.to_inspector.lose_answers_of = set()
    restore(house, copy)
    with refusal("process.locked_out"):
        house.office.void("M", "It will not draw.")
    assert reasons(house, SAM) == ["restored"]


@pytest.mark.rule("X-draw-once", "X-rng-cycling")
def test_an_inspector_restored_from_yesterday_locks_out(house: TestHouse) -> None:
    house.office.draw("M")
    copy = backup(house, "inspector")
    for _ in range(3):
        house.office.draw("M")
    restore(house, copy)
    with refusal("process.locked_out"):
        house.office.draw("M")
    assert reasons(house, IDA) == ["restored"]
    assert house.kinds("inspector").count("MARK") == 1


@pytest.mark.rule("X-audit-log")
def test_an_inspector_that_is_shown_its_own_forgotten_cosignature_locks_out(
    house: TestHouse,
) -> None:
    house.office.draw("M")
    copy = backup(house, "inspector")
    house.office.locked("M")
    restore(house, copy)
    with refusal("process.locked_out"):
        house.office.locked("S")
    assert reasons(house, IDA) == ["restored"]


@pytest.mark.rule("X-draw-once")
def test_an_inspector_restored_to_just_before_a_mark_gives_the_same_mark(house: TestHouse) -> None:
    """The intent is sent again, and there is only one mark that it can have."""
    wanted = house.office.locked("M")
    house.to_inspector.drop_requests_of = {"mark"}
    with refusal("inspector.unreachable"):
        house.to_rng.call("draw", wanted)
    house.to_inspector.drop_requests_of = set()
    copy = backup(house, "inspector")
    first = cast("Draw", house.to_rng.call("draw", wanted)["drawn"])["record"]["body"]
    line = house.rng.journal.document_at(house.rng.state.series["M"].opened[0])
    house.kill()
    shutil.rmtree(house.root / "inspector")
    shutil.copytree(copy, house.root / "inspector")
    house.start_inspector()
    house.by(IDA, "unlock")
    assert house.to_inspector.call("mark", line)["mark"] == first["mark"]


@pytest.mark.rule("X-draw-once", "X-rng-cycling")
@pytest.mark.parametrize("later", ["rng", "inspector"])
def test_both_restored_from_different_times_draw_nothing(house: TestHouse, later: str) -> None:
    earlier = "inspector" if later == "rng" else "rng"
    house.office.draw("M")
    old = backup(house, earlier)
    house.office.draw("M")
    new = backup(house, later)
    house.office.draw("M")
    restore(house, old, new)
    for series in ("M", "S"):
        with pytest.raises(Refused):
            house.office.draw(series)
    assert "restored" in reasons(house, SAM) + reasons(house, IDA)
    assert house.kinds(later).count("DRAWN") == 2
    assert house.kinds(earlier).count("DRAWN") == 1


@pytest.mark.rule("X-draw-once", "X-rng-cycling")
def test_of_two_clones_of_a_generator_one_locks_out(house: TestHouse) -> None:
    """Each draws for another series, so that no game is asked of both."""
    house.office.draw("M")
    copy = backup(house, "rng")
    house.office.draw("M")
    house.office.draw("S")
    restore(house, copy)
    house.office.previous["M"] = house.rng.state.series["M"].previous
    with refusal("process.locked_out"):
        house.office.draw("S")
    assert reasons(house, SAM) == ["restored"]


# ---- handover ------------------------------------------------------------------------------------


def hand_over(house: TestHouse, role: str, *, new_keys: bool) -> None:
    """The journal of a role is lost, with or without its keys; the other role vouches for it."""
    giver = IDA if role == "rng" else SAM
    holders = [name for name in PASSPHRASES if (name in (SAM, SUE)) == (role == "rng")]
    house.kill()
    folder, public = house.root / role, house.root / "public"
    part = Part("rng" if role == "rng" else "inspector", folder, public)
    if new_keys:
        shutil.rmtree(folder)
        move_aside(public, role)
        (public / f"{role}.tls.pem").unlink()
        if role == "inspector":
            move_aside(public, "mark")
            (public / "mark.roots.json").unlink()
        make_keys(part, {name: PASSPHRASES[name] for name in holders}, CHEAP)
    else:
        (folder / "journal.jsonl").unlink()
        (folder / "pending.json").unlink(missing_ok=True)
    document = vouch(house, giver, role, new_keys=new_keys)
    surroundings = Surroundings(clock=house.clock)
    make_journal(part, holders[0], PASSPHRASES[holders[0]], document, surroundings)
    house.start_other(role)
    house.by(holders[0], "unlock")
    house.office.reread(public)


def move_aside(public: Path, role: str) -> None:
    """Keep the public half of a lost key under a number, as the page for the laboratory says."""
    older = len(list(public.glob(f"{role}-*.pem")))
    (public / f"{role}.pem").rename(public / f"{role}-{older + 1}.pem")


def vouch(house: TestHouse, giver: str, role: str, *, new_keys: bool) -> object:
    if role == "rng":
        house.start_inspector()
    else:
        house.start_rng()
    house.by(giver, "unlock")
    keys = read_keys(house.root / "public")
    lost = ("rng",) if role == "rng" else ("inspector", "mark")
    fields: dict[str, object] = {"keys": {name: keys[name] for name in lost} if new_keys else {}}
    if new_keys and role == "inspector":
        fields["mark_key_roots"] = json.loads(
            (house.root / "public" / "mark.roots.json").read_text()
        )
    return house.by(giver, "handover", reason="The disk is lost.", **fields)["handover"]


@pytest.mark.rule("X-draw-once", "X-recovery")
@pytest.mark.parametrize("new_keys", [False, True], ids=["disk lost", "disk and keys lost"])
@pytest.mark.parametrize("role", ["rng", "inspector"])
def test_a_lost_journal_is_continued_by_a_handover_of_the_other_role(
    house: TestHouse,
    role: str,
    new_keys: bool,
) -> None:
    for _ in range(2):
        house.office.draw("M")
    house.office.draw("S")
    hand_over(house, role, new_keys=new_keys)
    drawn = house.office.draw("M")
    assert drawn["record"]["body"]["game"] == 3
    house.office.draw("S")
    house.restart()
    house.office.draw("M")
    check_books_after(house)


def check_books_after(house: TestHouse) -> None:
    house.rng.after()
    house.to_inspector.collect()
    keys = read_keys(house.root / "public")
    for name, public in house.old_keys.items():
        keys[f"{name}-old"] = public
    for role in ("rng", "inspector"):
        verify_journal(house.root / role / "journal.jsonl", keys)


@pytest.mark.rule("X-draw-once", "X-recovery")
@pytest.mark.parametrize("new_keys", [False, True], ids=["disk lost", "disk and keys lost"])
def test_a_draw_that_was_marked_is_finished_by_the_new_generator(
    house: TestHouse,
    new_keys: bool,
) -> None:
    """The inspector's journal is enough to finish a draw if the generator is lost."""
    house.office.draw("M")
    house.to_inspector.lose_answers_of = {"mark"}
    with refusal("inspector.unreachable"):
        house.office.draw("M")
    house.to_inspector.lose_answers_of = set()
    marked = house.inspector.state.series["M"]
    mark = marked.mark
    hand_over(house, "rng", new_keys=new_keys)
    drawn = house.office.draw("M")
    assert drawn["record"]["body"]["mark"] == mark
    assert house.to_rng.call("record", {"series": "M", "game": 2}) == {"drawn": drawn}
    house.restart()
    assert house.to_rng.call("record", {"series": "M", "game": 2}) == {"drawn": drawn}
    house.office.draw("M")
    check_books_after(house)


@pytest.mark.rule("X-draw-once")
def test_the_old_generator_is_superseded_should_it_turn_up_again(house: TestHouse) -> None:
    house.office.draw("M")
    copy = backup(house, "rng")
    hand_over(house, "rng", new_keys=False)
    house.office.draw("M")
    restore(house, copy)
    house.office.next["M"], house.office.previous["M"] = (
        house.rng.state.series["M"].next,
        house.rng.state.series["M"].previous,
    )
    with pytest.raises(Refused):
        house.office.draw("M")
    with pytest.raises(Refused):
        house.office.draw("S")
    assert set(reasons(house, SAM)) & {"superseded", "restored"}


@pytest.mark.parametrize(
    ("spoil", "fault"),
    [
        (lambda document: document["body"], "not in order"),
        (lambda document: {**document, "signatures": document["signatures"][:0]}, "not in order"),
        (lambda document: {**document, "body": {**document["body"], "epoch": 7}}, "not in order"),
    ],
)
def test_a_handover_that_the_other_role_did_not_sign_starts_no_journal(
    house: TestHouse, spoil: Callable[[object], object], fault: str
) -> None:
    document = house.by(IDA, "handover", reason="Lost.", keys={})["handover"]
    house.kill()
    (house.root / "rng" / "journal.jsonl").unlink()
    part = Part("rng", house.root / "rng", house.root / "public")
    with pytest.raises(CeremonyFailed, match=fault):
        make_journal(part, SAM, PASSPHRASES[SAM], spoil(document))
    other = Part("inspector", house.root / "inspector", house.root / "public")
    (house.root / "inspector" / "journal.jsonl").unlink()
    with pytest.raises(CeremonyFailed):
        make_journal(other, IDA, PASSPHRASES[IDA], document)


def test_a_journal_is_never_put_in_the_place_of_another(house: TestHouse) -> None:
    part = Part("rng", house.root / "rng", house.root / "public")
    with pytest.raises(CeremonyFailed, match="already"):
        make_journal(part, SAM, PASSPHRASES[SAM])
    check_books(house)


def test_nothing_of_a_journal_before_is_left_beside_a_new_one(house: TestHouse) -> None:
    house.kill()
    part = Part("rng", house.root / "rng", house.root / "public")
    (part.folder / "journal.jsonl").unlink()
    for name in ("pending.json", "journal.jsonl.failed"):
        (part.folder / name).write_text("{}")
        with pytest.raises(CeremonyFailed, match="move it aside"):
            make_journal(part, SAM, PASSPHRASES[SAM])
        (part.folder / name).unlink()


@pytest.mark.rule("X-draw-once", "X-recovery")
def test_a_game_that_only_the_lost_generator_answered_is_learned_from_the_inspector(
    house: TestHouse,
) -> None:
    house.to_rng.lose_answers_of = {"draw"}
    with pytest.raises(Unreachable):
        house.office.draw("M")
    house.to_rng.lose_answers_of = set()
    numbers = house.to_rng.call("record", {"series": "M", "game": 1})
    hand_over(house, "rng", new_keys=False)
    assert {"drawn": house.office.draw("M")} == numbers
    assert house.office.draw("M")["record"]["body"]["game"] == 2


@pytest.mark.rule("X-draw-once")
def test_a_superseded_generator_voids_nothing(house: TestHouse) -> None:
    copy = backup(house, "rng")
    hand_over(house, "rng", new_keys=False)
    restore(house, copy)
    with refusal("generator.superseded"):
        house.office.void("M", "It will not draw.")
    assert reasons(house, SAM) == ["superseded"]


@pytest.mark.rule("X-draw-once")
def test_a_superseded_inspector_is_not_listened_to(house: TestHouse) -> None:
    copy = backup(house, "inspector")
    hand_over(house, "inspector", new_keys=False)
    restore(house, copy)
    with refusal("inspector.bad_answer"):
        house.office.draw("M")
    with refusal("inspector.bad_answer"):
        house.office.void("M", "It will not draw.")
    assert "INTENT" not in house.kinds("rng")
