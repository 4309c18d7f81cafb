"""A new name of the log: entries are lost for good, and both keys agree to go on without them."""

from typing import Any, cast

import pytest

from rng.lab.practice_log import PracticeLog
from rng.lab.verify import read_keys
from rng.lab.verify_journal import verify_journal
from rng.merkle import EMPTY_ROOT
from rng.note import read_checkpoint, read_note
from rng.serve.acts import act_text
from rng.serve.refusals import Refused
from tests.rng.acts import under_both_keys
from tests.rng.crash import check_books
from tests.rng.house import IDA, SAM, TestHouse, refusal

SECOND = "test.example/second"
WHY = {"origin": SECOND, "reason": "the disk was lost"}

pytestmark = pytest.mark.rule("X-recovery", "15.5(a)-dual-key")


def left(house: TestHouse, size: int | None = None, shown: int | None = None) -> dict[str, Any]:
    """What is left of the log, and that it continues the last head that was cosigned."""
    log = house.office.log
    size = log.size if size is None else size
    seen = last_head(house)[0] if shown is None else shown
    proof = [step.hex() for step in log.consistency(seen, size)]
    head = {"size": seen, "root": log.root(seen).hex(), "proof": proof}
    return {"size": size, "root": log.root(size).hex(), "shown": head}


def why(house: TestHouse, **changes: object) -> dict[str, object]:
    """What a supervisor asks for."""
    return {**WHY, "kept": left(house), "fork": False, **changes}


def take_the_name(house: TestHouse, name: str = SECOND) -> None:
    """The back office takes over what both keys agreed to."""
    known: Any = house.office
    known._house = {**known._house, "log_origin": name}  # noqa: SLF001  a test office has no more


def last_head(house: TestHouse) -> tuple[int, str]:
    note = house.inspector.state.checkpoint
    assert note is not None
    head = read_checkpoint(read_note(note).text)
    return head.size, head.root.hex()


def test_the_log_goes_on_under_another_name_and_names_the_head_that_is_given_up(
    house: TestHouse,
) -> None:
    house.office.draw("M")
    first, head = house.rng.state.house["log_origin"], last_head(house)
    under_both_keys(house, SAM, "origin", **why(house))
    for process in (house.rng, house.inspector):
        status = cast("dict[str, Any]", process.status({}))
        body = status["origin"]["body"]
        assert (body["old_origin"], body["new_origin"]) == (first, SECOND)
        assert (body["size"], body["root"]) == head
        assert (body["kept"]["size"], body["kept"]["root"], body["fork"]) == (*head, False)
        assert (body["reason"], status["log_origin"]) == (WHY["reason"], SECOND)
    assert house.inspector.status({})["checkpoint"] is None
    # A log of the old name seals nothing any more.
    with pytest.raises(Refused):
        house.office.draw("M")
    take_the_name(house)
    house.office.requests.clear()
    house.office.draw("S")
    house.restart()
    take_the_name(house)
    house.office.draw("S")
    check_books(house)
    for role in ("rng", "inspector"):
        keys = read_keys(house.root / "public")
        told = verify_journal(house.root / role / "journal.jsonl", keys).text()
        what = f"the log goes on as {SECOND} after {head[0]} entries, with {head[0]} of them"
        assert f"{what}: the disk was lost" in told


def test_what_may_not_be_is_refused(house: TestHouse) -> None:
    first = house.rng.state.house["log_origin"]
    nothing = {"size": 0, "root": "0" * 64, "shown": None}
    with refusal("act.refused"):  # nothing was cosigned yet
        house.by(SAM, "origin", **WHY, kept=nothing, fork=True)
    house.office.draw("M")
    with refusal("act.refused"):
        house.by(SAM, "origin", **why(house, origin=first))
    with refusal("request.malformed"):
        house.by(SAM, "origin", **why(house, reason=""))
    series: Any = house.rng.state.series["M"]
    series.tombstone = {"a game": "is being voided"}
    with refusal("act.refused"):
        house.by(SAM, "origin", **why(house))
    series.tombstone = None
    under_both_keys(house, SAM, "origin", **why(house))
    take_the_name(house)
    house.office.draw("S")
    with refusal("act.refused"):  # no name comes back
        house.by(SAM, "origin", **why(house, origin=first))


def test_the_inspector_approves_only_the_head_that_it_cosigned_last(house: TestHouse) -> None:
    house.office.draw("M")
    house.by(SAM, "origin", **why(house))
    house.by(SAM, "pending")
    house.office.lock_ahead("M", 1)  # the log has grown meanwhile, and was cosigned
    with refusal("act.refused"):
        house.approve(IDA)
    house.by(SAM, "withdraw")
    assert "ORIGIN" not in (*house.kinds("rng"), *house.kinds("inspector"))
    under_both_keys(house, SAM, "origin", **why(house))
    check_books(house)


def test_an_act_that_was_approved_before_a_crash_is_carried_out_after_it(house: TestHouse) -> None:
    house.office.draw("M")
    house.by(SAM, "origin", **why(house))
    house.by(SAM, "pending")
    house.approve(IDA)
    house.kill()
    house.start()
    house.unlock()
    assert house.by(SAM, "pending")["act"] is None
    assert house.kinds("rng").count("ORIGIN") == house.kinds("inspector").count("ORIGIN") == 1
    check_books(house)


def test_it_is_read_out_in_a_sentence(house: TestHouse) -> None:
    house.office.draw("M")
    act = cast("dict[str, Any]", house.by(SAM, "origin", **why(house))["act"])
    told = act_text(act["body"])
    assert told.startswith(f"go on with the log as {SECOND}, giving up ")
    assert told.endswith("entries and keeping 1: the disk was lost")
    house.by(SAM, "withdraw")
    fork = why(house, kept={**left(house), "shown": None}, fork=True)
    act = cast("dict[str, Any]", house.by(SAM, "origin", **fork)["act"])
    assert "keeping 1, A FORK that is no beginning of them: " in act_text(act["body"])


# ---- what is left --------------------------------------------------------------------------------


def drawn_thrice(house: TestHouse) -> list[int]:
    """The sizes of the log at which it was cosigned."""
    sizes = []
    for _ in range(3):
        house.office.draw("M")
        sizes.append(last_head(house)[0])
    return sizes


def go_on_with(house: TestHouse, size: int) -> None:
    """The office has lost its log but for so many leaves, and takes over the new name."""
    log, old = PracticeLog(), house.office.log
    for place in range(size):
        log.append(old._subtree(0, place))  # noqa: SLF001  as a restored database has it
    house.office.log = log
    known: Any = house.office
    known._cosigned, known._sealed_size = None, 0  # noqa: SLF001
    take_the_name(house)
    house.office.requests.clear()


@pytest.mark.rule("X-audit-log")
@pytest.mark.parametrize("beyond", [0, 1])
def test_the_log_goes_on_from_what_is_left_of_it(house: TestHouse, beyond: int) -> None:
    """Which ends with a head that was cosigned, or with entries behind it."""
    house.office.draw("M")
    first = last_head(house)[0]
    house.office.lock_ahead("M", 2)
    kept = left(house, first + beyond, first)
    under_both_keys(house, SAM, "origin", **why(house, kept=kept))
    go_on_with(house, first + beyond)
    house.office.draw("S")
    assert last_head(house)[0] == first + beyond + 1
    house.restart()
    take_the_name(house)
    house.office.draw("S")
    check_books(house)


@pytest.mark.rule("X-audit-log")
def test_what_is_not_a_beginning_of_what_is_given_up_is_refused(house: TestHouse) -> None:
    first, second, third = drawn_thrice(house)
    right = left(house, second, second)
    shown = right["shown"]
    for kept in (
        left(house, third, first),  # heads were cosigned in between
        left(house, second, first),
        {**right, "root": "0" * 64},
        {**right, "shown": {**shown, "root": "0" * 64}},
        {**right, "size": third + 1},
        {**right, "shown": {**shown, "size": 0}},
        {**right, "shown": {"size": 0, "root": EMPTY_ROOT.hex(), "proof": []}},
        {**right, "shown": None},
        {**left(house, third, second), "size": second},
    ):
        house_says = why(house, kept=kept)
        with refusal("act.refused"):
            house.by(SAM, "origin", **house_says)
            house.by(SAM, "pending")
            house.approve(IDA)
        if house.by(SAM, "pending")["act"] is not None:
            house.by(SAM, "withdraw")
    with refusal("act.refused"):  # nor is a beginning said to be a fork
        house.by(SAM, "origin", **why(house, kept=right, fork=True))
    assert "ORIGIN" not in (*house.kinds("rng"), *house.kinds("inspector"))
    under_both_keys(house, SAM, "origin", **why(house, kept=right))
    check_books(house)


@pytest.mark.rule("X-audit-log")
def test_a_fork_is_said_to_be_one(house: TestHouse) -> None:
    drawn_thrice(house)
    kept = {**left(house), "root": "0" * 64, "shown": None}
    under_both_keys(house, SAM, "origin", **why(house, kept=kept, fork=True))
    for role in ("rng", "inspector"):
        keys = read_keys(house.root / "public")
        told = verify_journal(house.root / role / "journal.jsonl", keys).text()
        assert "which are a FORK: the disk was lost" in told


@pytest.mark.rule("X-audit-log")
def test_the_first_head_of_the_new_name_continues_what_is_left(house: TestHouse) -> None:
    """Else a house could go on with any log under the new name."""
    first, second, _ = drawn_thrice(house)
    under_both_keys(house, SAM, "origin", **why(house, kept=left(house, second, second)))
    go_on_with(house, first)  # shorter than what both keys agreed to
    with pytest.raises(Refused):
        house.office.draw("S")
    go_on_with(house, first)
    house.office.log.append(bytes(32))  # as long, and another one
    with pytest.raises(Refused):
        house.office.draw("S")
    assert "COSIGNED" not in house.kinds("inspector")[house.kinds("inspector").index("ORIGIN") :]


@pytest.mark.rule("X-draw-once")
def test_a_game_that_has_begun_is_told_in_the_words_of_its_statement(house: TestHouse) -> None:
    """So that an office that was restored can ask for it again in the same words."""
    house.office.draw("M")
    request = house.office.locked("M")
    which = {"series": "M", "game": 2}
    for ask in (house.to_rng, house.to_inspector):
        with refusal("game.unknown"):
            ask.call("record", which)
    house.rng._devices.printer.ready = False  # type: ignore[attr-defined]  # noqa: SLF001
    drawn = cast("dict[str, Any]", house.office.draw("M"))
    assert drawn["statement"] == request["statement"]
    series: Any = house.inspector.state.series["M"]
    # As it was after the mark, before the record was delivered.
    begun = {name: drawn[name] for name in ("statement", "seal", "intent")}
    series.ended.pop()
    series.opened.pop()
    series.intent, series.mark = begun, drawn["record"]["body"]["mark"]
    answer = cast("dict[str, Any]", house.to_inspector.call("record", which))
    assert answer["begun"] == {"statement": drawn["statement"], "seal": drawn["seal"]}
