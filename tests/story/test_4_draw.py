"""The draw: a locked game gets its twenty numbers, once, or is void and refunded (15.5(a))."""

import copy
from typing import Any, cast

import pytest

from app.flow.draw import ask_to_void, end_game
from app.flow.lockout import lock_game
from app.rng_client import Ended, KeyedProcesses, NotNow
from app.store.queries import outcomes
from app.store.queries.outcomes import OutcomeRow
from rng.lab.verify import verify_draw
from tests.floor import WALT, Floor, dollar
from tests.looking import bodies, refuses, rows


def keyed_of(floor: Floor) -> KeyedProcesses:
    assert floor.office.keyed is not None
    return floor.office.keyed


def outcome_of(floor: Floor, number: int = 1) -> OutcomeRow:
    with floor.office.database.reading() as connection:
        found = outcomes.outcome(connection, "M", number)
    assert found is not None
    return found


# ---- drawn ---------------------------------------------------------------------------------------


@pytest.mark.rule("15.5(d)", "X-draw-once", "X-lock-seal")
def test_a_locked_game_is_drawn_once_and_asking_again_changes_nothing(floor: Floor) -> None:
    floor.sell(floor.writing())
    floor.lock()
    for _ in range(3):
        end_game(floor.office, keyed_of(floor), "M", 1)
    drawn = outcome_of(floor)
    assert len(set(drawn.numbers or [])) == 20
    assert floor.state(1) == "drawn"
    (body,) = bodies(floor, "DRAW")
    assert body["numbers"] == drawn.numbers
    assert floor.keyed.started.kinds("rng").count("DRAWN") == 1
    floor.check_books()


@pytest.mark.rule("X-draw-public", "15.5(a)-unique")
def test_anybody_can_check_a_draw_from_public_keys(floor: Floor) -> None:
    floor.lock()
    floor.draw()
    record = verify_draw(outcome_of(floor).document, keyed_of(floor).public_keys())
    assert record["numbers"] == outcome_of(floor).numbers
    assert (record["jurisdiction"], record["series"], record["game"]) == ("US-NJ", "M", 1)


@pytest.mark.rule("15.5(b)", "X-draw-once")
def test_the_games_of_a_series_build_on_each_other_and_not_on_those_of_another(
    floor: Floor,
) -> None:
    floor.lock("M")
    floor.lock("F")
    floor.draw("F")
    floor.draw("M")
    floor.lock("M")
    floor.draw("M")
    second = outcome_of(floor, 2).document["record"]["body"]
    assert second["previous"] == outcome_of(floor, 1).record.hex()
    floor.check_books()


@pytest.mark.rule("X-lock-seal", "X-audit-log")
def test_the_statement_is_kept_before_it_is_sent_and_always_sent_as_it_is(floor: Floor) -> None:
    floor.sell(floor.writing())
    floor.lock()
    house = floor.keyed.started
    house.to_rng.drop_requests_of.add("draw")
    with pytest.raises(NotNow, match="does not answer"):
        end_game(floor.office, keyed_of(floor), "M", 1)
    kept = rows(floor, "SELECT request FROM lock_statement")
    floor.sell(floor.writing(WALT, "B2"))  # the log grows meanwhile
    house.to_rng.drop_requests_of.clear()
    end_game(floor.office, keyed_of(floor), "M", 1)
    assert rows(floor, "SELECT request FROM lock_statement") == kept
    floor.check_books()


# ---- waiting -------------------------------------------------------------------------------------


@pytest.mark.rule("X-draw-once", "X-recovery")
@pytest.mark.parametrize("lost", ["draw", "cosign"])
def test_a_lost_answer_is_asked_for_again_and_is_the_same(floor: Floor, lost: str) -> None:
    floor.lock()
    house = floor.keyed.started
    wire = house.to_rng if lost == "draw" else house.to_inspector
    wire.lose_answers_of.add(lost)
    with pytest.raises(NotNow):
        end_game(floor.office, keyed_of(floor), "M", 1)
    assert floor.state(1) == "locked"
    floor.check_books()
    wire.lose_answers_of.clear()
    floor.draw()
    assert floor.state(1) == "drawn"
    assert house.kinds("rng").count("INTENT") == 1
    floor.check_books()


@pytest.mark.rule("15.5(a)-dual-key", "X-draw-unpredictable")
@pytest.mark.parametrize("away", ["rng", "inspector"])
def test_without_both_keys_the_game_waits(floor: Floor, away: str) -> None:
    floor.lock()
    house = floor.keyed.started
    (house.kill_rng if away == "rng" else house.kill_inspector)()
    with pytest.raises(NotNow):
        end_game(floor.office, keyed_of(floor), "M", 1)
    assert floor.state(1) == "locked"
    house.start_other(away)
    with pytest.raises(NotNow, match="locked"):  # it listens, and nobody has unlocked it
        end_game(floor.office, keyed_of(floor), "M", 1)
    house.unlock_sealed()
    floor.draw()
    assert floor.state(1) == "drawn"


@pytest.mark.rule("15.5(a)-dual-key")
@pytest.mark.parametrize("away", ["rng", "inspector"])
def test_no_game_is_locked_or_opened_while_a_keyed_process_is_not_ready(
    floor: Floor, away: str
) -> None:
    sam, house = floor.sam, floor.keyed.started
    (house.kill_rng if away == "rng" else house.kill_inspector)()
    with refuses("draw.not_ready"):
        lock_game(floor.office, sam, "M")
    house.start_other(away)
    with refuses("draw.not_ready"):
        lock_game(floor.office, sam, "M")
    house.unlock_sealed()
    assert lock_game(floor.office, sam, "M") == 1


@pytest.mark.rule("X-lock-server")
def test_a_game_is_not_locked_before_the_one_before_it_is_drawn(floor: Floor) -> None:
    sam = floor.sam
    lock_game(floor.office, sam, "M")
    with refuses("game.previous_undrawn"):
        lock_game(floor.office, sam, "M")
    assert lock_game(floor.office, sam, "F") == 100
    floor.draw()
    assert lock_game(floor.office, sam, "M") == 2


# ---- lies ----------------------------------------------------------------------------------------

LIES = {
    "other numbers": lambda draw: draw["record"]["body"]["numbers"].reverse(),
    "another mark": lambda draw: draw["record"]["body"].update(mark="0" * 768),
    "another game": lambda draw: draw["record"]["body"].update(game=2),
    "another statement": lambda draw: draw["statement"]["body"].update(lock_index=0),
    "another seal": lambda draw: draw["seal"].update(proof=[]),
    "no signature": lambda draw: draw["record"]["signatures"][0].update(signature="0" * 128),
}


@pytest.mark.rule("X-draw-public", "X-draw-once")
@pytest.mark.parametrize("lie", LIES)
def test_a_draw_that_does_not_follow_is_not_believed_and_the_game_waits(
    floor: Floor, monkeypatch: pytest.MonkeyPatch, lie: str
) -> None:
    floor.sell(floor.writing())
    floor.lock()
    wire = floor.keyed.started.to_rng
    ask = wire.call

    def lying(act: str, fields: object = None) -> dict[str, object]:
        answer = copy.deepcopy(ask(act, fields))
        if act == "draw":
            LIES[lie](cast("Any", answer["drawn"]))
        return answer

    with monkeypatch.context() as patched:
        patched.setattr(wire, "call", lying)
        with pytest.raises(NotNow, match="not believed"):
            end_game(floor.office, keyed_of(floor), "M", 1)
    assert floor.state(1) == "locked"
    assert rows(floor, "SELECT count(*) FROM outcome") == [(0,)]
    floor.draw()
    floor.check_books()


@pytest.mark.rule("X-draw-once")
def test_the_draw_of_another_game_is_not_taken_for_this_one(
    floor: Floor, monkeypatch: pytest.MonkeyPatch
) -> None:
    floor.lock()
    floor.draw()
    first = outcome_of(floor)
    floor.lock()
    wire = floor.keyed.started.to_rng
    monkeypatch.setattr(wire, "call", lambda _act, _fields=None: {"drawn": first.document})
    with pytest.raises(NotNow, match="another statement"):
        end_game(floor.office, keyed_of(floor), "M", 2)


def test_two_who_keep_an_outcome_at_once_keep_it_once(
    floor: Floor, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The second caller has the record in hand when the first has kept it."""
    floor.lock()
    draw = KeyedProcesses.draw

    def overtaken(keyed: KeyedProcesses, request: Any) -> Ended:  # noqa: ANN401
        ended = draw(keyed, request)
        monkeypatch.undo()
        end_game(floor.office, keyed, "M", 1)
        return ended

    monkeypatch.setattr(KeyedProcesses, "draw", overtaken)
    end_game(floor.office, keyed_of(floor), "M", 1)
    assert len(bodies(floor, "DRAW")) == 1
    floor.check_books()


# ---- void ----------------------------------------------------------------------------------------


@pytest.mark.rule("X-fault-refund", "X-draw-once")
def test_a_game_without_a_mark_can_be_voided_and_its_price_is_owed_again(floor: Floor) -> None:
    wanda = floor.writing()
    floor.sell(wanda, dollar(games=2))
    floor.lock()
    ask_to_void(floor.office, floor.sam, "M", 1, "the generator's room is flooded")
    end_game(floor.office, keyed_of(floor), "M", 1)
    assert floor.state(1) == "void"
    (body,) = bodies(floor, "VOID-GAME")
    assert (body["handle_cents"], body["reason"]) == (100, "the generator's room is flooded")
    assert floor.keyed.started.kinds("inspector").count("TOMBSTONE") == 1
    floor.check_books()
    floor.play()
    floor.check_books()


@pytest.mark.rule("X-draw-once", "X-fault-refund")
def test_a_game_with_a_mark_cannot_be_voided_and_is_completed(floor: Floor) -> None:
    floor.lock()
    house = floor.keyed.started
    house.to_rng.lose_answers_of.add("draw")
    with pytest.raises(NotNow):
        end_game(floor.office, keyed_of(floor), "M", 1)
    ask_to_void(floor.office, floor.sam, "M", 1, "it takes too long")
    house.to_rng.lose_answers_of.clear()
    end_game(floor.office, keyed_of(floor), "M", 1)
    assert floor.state(1) == "drawn"
    floor.check_books()


@pytest.mark.rule("X-fault-refund", "X-access")
def test_a_void_needs_a_supervisor_a_reason_and_a_locked_game(floor: Floor) -> None:
    sam = floor.sam
    with refuses("game.not_to_void"):
        ask_to_void(floor.office, sam, "M", 1, "no reason at all")
    floor.lock()
    with refuses("reason.missing"):
        ask_to_void(floor.office, sam, "M", 1, "  ")
    ask_to_void(floor.office, sam, "M", 1, "flooded")
    ask_to_void(floor.office, sam, "M", 1, "asked again")  # the first one stands
    assert [body["reason"] for body in bodies(floor, "VOID-ASKED")] == ["flooded"]
    end_game(floor.office, keyed_of(floor), "M", 1)
    with refuses("game.not_to_void"):
        ask_to_void(floor.office, sam, "M", 1, "once more")


@pytest.mark.rule("X-fault-refund")
@pytest.mark.parametrize("lie", ["another reason", "no signature"])
def test_a_void_that_does_not_follow_is_not_believed(
    floor: Floor, monkeypatch: pytest.MonkeyPatch, lie: str
) -> None:
    floor.lock()
    ask_to_void(floor.office, floor.sam, "M", 1, "flooded")
    wire = floor.keyed.started.to_rng
    ask = wire.call

    def lying(act: str, fields: object = None) -> dict[str, object]:
        answer = cast("Any", copy.deepcopy(ask(act, fields)))
        if act == "void" and lie == "another reason":
            answer["void"]["statement"]["body"]["reason"] = "for fun"
        elif act == "void":
            answer["void"]["record"]["signatures"][0]["signature"] = "0" * 128
        return cast("dict[str, object]", answer)

    with monkeypatch.context() as patched:
        patched.setattr(wire, "call", lying)
        with pytest.raises(NotNow, match="not believed"):
            end_game(floor.office, keyed_of(floor), "M", 1)
    assert floor.state(1) == "locked"
    end_game(floor.office, keyed_of(floor), "M", 1)
    assert floor.state(1) == "void"
