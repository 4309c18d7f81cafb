"""Restored backups, cloned machines, lost disks and keys: found out, and never a second outcome."""

import shutil
from collections.abc import Callable
from typing import cast

import pytest

from rng.core.records import Draw
from rng.serve.ceremony import CeremonyFailed, Part, make_journal
from rng.serve.protocol import Unreachable
from rng.serve.refusals import Refused
from tests.rng.crash import check_books
from tests.rng.house import IDA, PASSPHRASES, SAM, TestHouse, refusal
from tests.rng.rollback import backup, check_books_after, hand_over, reasons, restore


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
