"""Voiding: only before the mark, and then for ever."""

from typing import cast

import pytest

from rng.core.records import Draw, Void
from rng.core.signing import document_hash, seal
from rng.serve.refusals import Refused
from tests.rng.crash import check_books
from tests.rng.draw import request
from tests.rng.house import IDA, SAM, TestHouse, refusal

REASON = "The lights went out."


@pytest.mark.rule("X-fault-refund", "X-draw-once")
def test_a_game_without_a_mark_is_voided_by_all_three_and_never_drawn(house: TestHouse) -> None:
    wanted = request(house)
    void = house.office.void("M", REASON)
    assert void["record"]["body"]["game"] == 1
    with refusal("game.void"):
        house.to_rng.call("draw", wanted)
    with refusal("game.void"):
        house.restart()
        house.to_rng.call("draw", wanted)
    assert house.office.draw("M")["record"]["body"]["game"] == 2
    assert "GAME M-1  VOID" in house.paper.slips[0]
    check_books(house)


@pytest.mark.rule("X-draw-once")
def test_a_game_that_was_never_locked_can_be_voided(house: TestHouse) -> None:
    house.office.void("M", REASON)
    assert house.office.draw("M")["record"]["body"]["game"] == 2


@pytest.mark.rule("X-draw-once")
def test_voiding_again_gives_the_same_void(house: TestHouse) -> None:
    statement = void_statement(house)
    first = house.to_rng.call("void", {"statement": statement})
    assert house.to_rng.call("void", {"statement": statement}) == first
    other = void_statement(house, reason="Another reason.")
    with refusal("game.void") as refused:
        house.to_rng.call("void", {"statement": other})
    assert refused[0].evidence == first


@pytest.mark.rule("X-draw-once")
def test_a_game_that_has_an_intent_is_completed_and_not_voided(house: TestHouse) -> None:
    """It may have been marked in a journal that is lost: so the inspector is asked first."""
    house.to_inspector.drop_requests_of = {"mark"}
    with refusal("inspector.unreachable"):
        house.office.draw("M")
    with refusal("inspector.unreachable"):
        house.office.void("M", REASON)
    house.to_inspector.drop_requests_of = set()
    assert house.kinds("rng")[-1] == "INTENT"
    with refusal("game.marked") as refused:
        house.office.void("M", REASON)
    assert refused[0].evidence["drawn"]
    house.office.draw("M")
    check_books(house)


@pytest.mark.rule("X-draw-once")
@pytest.mark.parametrize("restarted", [False, True])
def test_a_marked_game_is_not_voided_but_completed(house: TestHouse, restarted: bool) -> None:
    house.to_inspector.lose_answers_of = {"mark"}
    with refusal("inspector.unreachable"):
        house.office.draw("M")
    house.to_inspector.lose_answers_of = set()
    mark = house.inspector.state.series["M"].mark
    if restarted:
        house.restart()
    with refusal("game.marked") as refused:
        house.office.void("M", REASON)
    drawn = cast("Draw", refused[0].evidence["drawn"])
    assert drawn["record"]["body"]["mark"] == mark
    assert house.to_rng.call("record", {"series": "M", "game": 1}) == {"drawn": drawn}
    assert house.office.draw("M")["record"]["body"]["game"] == 2
    check_books(house)


@pytest.mark.rule("X-draw-once")
def test_a_drawn_game_is_not_voided(house: TestHouse) -> None:
    statement = void_statement(house)
    drawn = house.office.draw("M")
    with refusal("game.drawn") as refused:
        house.to_rng.call("void", {"statement": statement})
    assert refused[0].evidence == {"drawn": drawn}


@pytest.mark.rule("X-draw-once")
def test_a_tombstone_that_the_generator_never_heard_of_is_learned_at_the_next_draw(
    house: TestHouse,
) -> None:
    wanted = request(house)
    house.to_inspector.lose_answers_of = {"void"}
    with refusal("inspector.unreachable"):
        house.office.void("M", REASON)
    house.to_inspector.lose_answers_of = set()
    with refusal("game.void"):
        house.to_rng.call("draw", wanted)
    void = cast("Void", house.to_rng.call("record", {"series": "M", "game": 1})["void"])
    house.office.end("M", void)
    house.office.draw("M")
    check_books(house)


@pytest.mark.rule("X-draw-once")
def test_another_series_does_not_wait_for_a_game_that_was_given_up(house: TestHouse) -> None:
    """The intent of M-1 is open at the generator; the inspector has buried the game."""
    house.to_inspector.drop_requests_of = {"mark"}
    with refusal("inspector.unreachable"):
        house.office.draw("M")
    house.to_inspector.drop_requests_of = set()
    house.to_inspector.call("void", {"statement": void_statement(house), "epoch": 1})
    assert house.office.draw("S")["record"]["body"]["game"] == 101
    void = cast("Void", house.to_rng.call("record", {"series": "M", "game": 1})["void"])
    house.office.end("M", void)
    house.office.draw("M")
    check_books(house)


@pytest.mark.rule("15.5(a)-dual-key")
@pytest.mark.parametrize("locked", [SAM, IDA])
def test_voiding_takes_both_keys(house: TestHouse, locked: str) -> None:
    house.by(locked, "lock")
    with refusal("process.sealed"):
        house.office.void("M", REASON)


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"house": "Another House"}, "statement.other_house"),
        ({"jurisdiction": "elsewhere"}, "statement.other_house"),
        ({"series": "X"}, "series.unknown"),
        ({"game": 2}, "game.not_next"),
        ({"office_key": "0" * 64}, "statement.other_keys"),
        ({"reason": ""}, "request.malformed"),
        ({"label": "keno/lock-statement"}, "request.malformed"),
    ],
)
def test_a_void_statement_that_is_not_in_order_is_refused(
    house: TestHouse, change: dict[str, object], code: str
) -> None:
    statement = void_statement(house, change)
    with refusal(code):
        house.to_rng.call("void", {"statement": statement})
    assert "TOMBSTONE" not in house.kinds("inspector")


def test_a_void_statement_that_the_office_did_not_sign_is_refused(house: TestHouse) -> None:
    statement = void_statement(house)
    signature = cast("list[dict[str, str]]", statement["signatures"])[0]
    signature["signature"] = "0" * 128
    with refusal("statement.not_signed"):
        house.to_rng.call("void", {"statement": statement})
    with refusal("statement.not_signed"):
        house.to_inspector.call("void", {"statement": statement, "epoch": 1})


@pytest.mark.rule("X-draw-once")
def test_the_inspector_never_marks_what_it_buried_nor_buries_what_it_marked(
    house: TestHouse,
) -> None:
    house.to_inspector.drop_requests_of = {"mark"}
    with refusal("inspector.unreachable"):
        house.office.draw("M")
    house.to_inspector.drop_requests_of = set()
    assert house.kinds("rng")[-1] == "INTENT"  # which stays there, with no mark behind it
    line = cast("dict[str, object]", house.rng.state.series["M"].intent)
    statement = void_statement(house)
    stone = house.to_inspector.call("void", {"statement": statement, "epoch": 1})
    with refusal("game.void"):
        house.to_inspector.call("mark", line)
    assert house.to_inspector.call("void", {"statement": statement, "epoch": 1}) == stone
    other = void_statement(house, {"reason": "Another."})
    assert house.to_inspector.call("void", {"statement": other, "epoch": 1}) == stone


def void_statement(
    house: TestHouse, change: dict[str, object] | None = None, reason: str = REASON
) -> dict[str, object]:
    """A void statement for the next game of M, signed by the office."""
    body = {
        "label": "keno/void-statement",
        "version": 1,
        "jurisdiction": "US-NJ",
        "house": "Test House",
        "series": "M",
        "game": house.office.next["M"],
        "previous": house.office.previous["M"],
        "reason": reason,
        "office_key": house.rng.state.key_id("office"),
        "voided_at": "2026-11-16T12:00:00.000Z",
        **(change or {}),
    }
    return cast("dict[str, object]", seal(body, house.office.office_key))


@pytest.mark.rule("X-draw-once", "X-draw-unpredictable")
def test_a_tombstone_on_another_games_statement_voids_nothing(house: TestHouse) -> None:
    """An inspector who does not like an outcome cannot bury it by himself."""
    house.office.void("S", REASON)
    old = house.rng.journal.document_at(house.rng.state.series["S"].ended[0])
    keys = house.inspector.keys
    assert keys is not None
    statement = cast("Void", old)["statement"]
    stone = {
        **cast("Void", old)["tombstone"]["body"],
        "series": "M",
        "game": 1,
        "statement": document_hash(statement["body"]),
    }
    evidence = {"statement": statement, "tombstone": seal(stone, keys.signing)}
    sound = house.to_inspector.answering

    def false(peer: str, request: dict[str, object]) -> object:
        if request["act"] == "mark":
            raise Refused("game.void", "Game M-1 is void.", evidence)
        assert sound is not None
        return sound(peer, request)

    house.to_inspector.answering = false  # type: ignore[assignment]
    with refusal("inspector.bad_answer"):
        house.office.draw("M")
    house.to_inspector.answering = sound
    assert "VOID" in house.kinds("rng")
    assert house.office.draw("M")["record"]["body"]["game"] == 1
