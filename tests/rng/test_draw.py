"""Drawing: once and for ever, by both keys, on paper of its own."""

import json
from collections.abc import Callable, Mapping
from typing import cast

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from rng.core.derive import draw_numbers
from rng.core.entropy import operating_system
from rng.core.records import Draw
from rng.core.signing import document_hash, seal
from rng.serve.keyed import Fields
from rng.serve.protocol import Unreachable
from tests.rng.draw import Document, request, resigned
from tests.rng.house import IDA, IVAN, SAM, SUE, TestHouse, refusal


@pytest.mark.rule("15.5(a)-independent", "15.5(d)", "15.5(f)")
def test_a_locked_game_gets_twenty_numbers_in_the_order_drawn(house: TestHouse) -> None:
    record = house.office.draw("M")["record"]["body"]
    assert len(set(record["numbers"])) == 20
    assert tuple(record["numbers"]) == draw_numbers(record["intent"], record["mark"])


@pytest.mark.rule("X-draw-once")
def test_asking_again_gives_the_same_record_to_the_byte(house: TestHouse) -> None:
    wanted = request(house)
    first = house.to_rng.call("draw", wanted)
    assert house.to_rng.call("draw", wanted) == first
    house.office.end("M", cast("Draw", first["drawn"]))
    for _ in range(3):
        house.office.draw("M")
    assert house.to_rng.call("draw", wanted) == first
    house.restart()
    assert house.to_rng.call("draw", wanted) == first
    assert house.to_rng.call("record", {"series": "M", "game": 1}) == first
    assert house.kinds("rng").count("INTENT") == 4


@pytest.mark.rule("X-draw-once")
def test_another_statement_for_the_same_game_is_refused_and_alarmed(house: TestHouse) -> None:
    wanted = request(house)
    other = resigned(house, wanted, locked_at="2026-11-16T12:34:56.789Z")
    house.to_rng.call("draw", wanted)
    for _ in range(3):  # alarmed once, however often it comes
        with refusal("statement.conflict"):
            house.to_rng.call("draw", other)
    assert house.kinds("rng").count("ALARM") == 1


@pytest.mark.rule("X-draw-once")
def test_another_statement_is_refused_while_the_game_is_being_drawn(house: TestHouse) -> None:
    wanted = request(house)
    house.kill_inspector()
    with refusal("inspector.unreachable"):
        house.to_rng.call("draw", wanted)  # nothing was begun: the inspector is asked first
    house.start_inspector()
    house.by(IDA, "unlock")
    house.to_inspector.lose_answers_of = {"mark"}
    with refusal("inspector.unreachable"):
        house.to_rng.call("draw", wanted)
    with refusal("statement.conflict"):
        house.to_rng.call("draw", resigned(house, wanted, locked_at="2026-11-16T12:34:56.789Z"))


@pytest.mark.rule("X-draw-once", "X-recovery")
def test_two_series_run_side_by_side_and_one_is_retried_after_ten_games_of_the_other(
    house: TestHouse,
) -> None:
    house.to_inspector.lose_answers_of = {"mark"}
    with refusal("inspector.unreachable"):
        house.office.draw("M")
    r = intents(house)[-1]["r"]
    house.to_inspector.lose_answers_of = set()
    for _ in range(10):
        house.office.draw("S")
    assert house.office.draw("M")["intent"]["body"]["r"] == r
    games = [(body["series"], body["game"]) for body in intents(house)]
    assert games == [("M", 1), *[("S", game) for game in range(101, 111)]]


def intents(house: TestHouse) -> list[dict[str, object]]:
    lines = [json.loads(line) for line in house.journal_text("rng").splitlines()]
    return [line["document"]["intent"]["body"] for line in lines if line["kind"] == "INTENT"]


@pytest.mark.rule("15.5(b)")
def test_games_of_a_series_are_drawn_in_order_without_a_gap(house: TestHouse) -> None:
    wanted = request(house)
    for game in (0, 2, 1000):
        with refusal("request.malformed" if game == 0 else "game.not_next"):
            house.to_rng.call("draw", resigned(house, wanted, game=game))
    house.to_rng.call("draw", wanted)
    with refusal("game.unknown"):
        house.to_rng.call("record", {"series": "M", "game": 2})


@pytest.mark.rule("15.5(a)-dual-key", "X-draw-unpredictable")
@pytest.mark.parametrize("locked", [SAM, IDA])
def test_nothing_is_drawn_unless_both_keys_are_unlocked(house: TestHouse, locked: str) -> None:
    wanted = request(house)
    house.by(locked, "lock")
    with refusal("process.sealed"):
        house.to_rng.call("draw", wanted)
    house.by({SAM: SUE, IDA: IVAN}[locked], "unlock")
    assert house.to_rng.call("draw", wanted)


@pytest.mark.rule("15.5(a)-dual-key")
def test_both_start_sealed(house: TestHouse) -> None:
    house.kill()
    house.start()
    assert not house.by(SAM, "status")["unlocked"]
    assert not house.by(IDA, "status")["unlocked"]
    with refusal("process.sealed"):
        house.office.draw("M")


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"jurisdiction": "elsewhere"}, "statement.other_house"),
        ({"house": "Another House"}, "statement.other_house"),
        ({"log_origin": "other.example/log"}, "statement.other_house"),
        ({"series": "X"}, "series.unknown"),
        ({"office_key": "0" * 64}, "statement.other_keys"),
        ({"rng_key": "0" * 64}, "statement.other_keys"),
        ({"mark_key": "0" * 64}, "statement.other_keys"),
        ({"lock_leaf": "0" * 64}, "seal.not_included"),
        ({"lock_index": 5}, "seal.not_included"),
        ({"checkpoint": "practice.example/keno\n1\nAAAA\n"}, "seal.not_cosigned"),
        ({"derivation": 2}, "request.malformed"),
        ({"version": 2}, "request.malformed"),
        ({"label": "keno/void-statement"}, "request.malformed"),
        ({"wager_cents": 100}, "request.malformed"),
        ({"locked_at": "noon"}, "request.malformed"),
    ],
)
def test_a_statement_that_is_not_in_order_is_refused_and_nothing_is_written(
    house: TestHouse, change: Document, code: str
) -> None:
    wanted = request(house)
    before = house.journal_text("rng")
    with refusal(code):
        house.to_rng.call("draw", resigned(house, wanted, **change))
    assert house.journal_text("rng") == before
    house.to_rng.call("draw", wanted)


@pytest.mark.rule("15.5(a)-dual-key", "X-lock-seal")
@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"log_origin": "other.example/log"}, "statement.other_house"),
        ({"office_key": "0" * 64}, "statement.other_keys"),
        ({"rng_key": "0" * 64}, "statement.other_keys"),
        ({"mark_key": "0" * 64}, "statement.other_keys"),
        ({"lock_leaf": "0" * 64}, "seal.not_included"),
        ({"checkpoint": "practice.example/keno\n1\nAAAA\n"}, "seal.not_cosigned"),
    ],
)
def test_the_generator_checks_a_statement_that_the_inspector_accepts(
    house: TestHouse, change: Document, code: str
) -> None:
    """The inspector makes the same checks, so here it says yes to any statement."""
    wanted, before = request(house), house.journal_text("rng")
    inspector = house.to_inspector.answering
    assert inspector is not None

    def agreeing(peer: str, fields: Fields) -> Mapping[str, object]:
        is_question = fields["act"] == "ready"
        return {"epoch": house.inspector.state.epoch} if is_question else inspector(peer, fields)

    house.to_inspector.answering = agreeing
    with refusal(code):
        house.to_rng.call("draw", resigned(house, wanted, **change))
    assert "mark" not in house.to_inspector.asked
    assert house.journal_text("rng") == before
    house.to_rng.call("draw", wanted)


def test_a_statement_that_the_office_did_not_sign_is_refused(house: TestHouse) -> None:
    wanted = request(house)
    body = cast("dict[str, Document]", wanted["statement"])["body"]
    forged = seal(body, Ed25519PrivateKey.generate())
    twice = seal(body, house.office.office_key, house.office.office_key)
    for statement in (forged, twice):
        with refusal("statement.not_signed"):
            house.to_rng.call("draw", {**wanted, "statement": statement})


@pytest.mark.rule("X-lock-seal")
@pytest.mark.parametrize(
    ("spoil", "code"),
    [
        (lambda seal: {**seal, "note": seal["note"].rsplit("—", 1)[0]}, "seal.not_cosigned"),
        (lambda seal: {**seal, "note": seal["note"].split("\n\n")[0] + "\n"}, "seal.not_cosigned"),
        (lambda seal: {**seal, "note": "x\n"}, "seal.not_cosigned"),
        (lambda seal: {**seal, "proof": ["0" * 64]}, "seal.not_included"),
    ],
)
def test_a_sold_file_that_is_not_sealed_is_not_drawn(
    house: TestHouse, spoil: Callable[[object], object], code: str
) -> None:
    wanted = request(house)
    with refusal(code):
        house.to_rng.call("draw", {**wanted, "seal": spoil(wanted["seal"])})
    assert "INTENT" not in house.kinds("rng")


@pytest.mark.rule("15.5(a)-record")
def test_each_draw_is_on_the_generators_own_paper(house: TestHouse) -> None:
    numbers = house.office.draw("M")["record"]["body"]["numbers"]
    (slip,) = house.paper.slips
    assert "GAME M-1  DRAWN" in slip
    assert "REPRINT" not in slip
    assert all(f" {number:2d}" in slip for number in numbers)
    assert house.kinds("rng")[-1] == "PRINTED"


@pytest.mark.rule("15.5(a)-record")
def test_without_paper_no_draw_is_begun(house: TestHouse) -> None:
    wanted = request(house)
    house.paper.trouble = "out of paper"
    with refusal("printer.not_ready"):
        house.to_rng.call("draw", wanted)
    assert "INTENT" not in house.kinds("rng")
    house.paper.trouble = None
    house.to_rng.call("draw", wanted)


@pytest.mark.rule("15.5(a)-record", "X-recovery")
def test_paper_that_fails_after_the_draw_is_printed_again_and_says_so(house: TestHouse) -> None:
    wanted = request(house)
    house.paper.jam_at_print = True
    drawn = house.to_rng.call("draw", wanted)  # the numbers stand, and are answered
    assert house.by(SAM, "status")["trouble"]
    house.office.end("M", cast("Draw", drawn["drawn"]))
    with refusal("printer.not_ready"):
        house.office.draw("M")
    house.paper.jam_at_print = False
    house.office.draw("M")
    assert ["REPRINT" in slip for slip in house.paper.slips] == [True, False]


@pytest.mark.rule("X-rng-entropy")
def test_entropy_that_fails_at_a_draw_locks_out_before_the_intent(house: TestHouse) -> None:
    house.kill_rng()
    house.source = failing_after(1024 + 64)
    house.start_rng()
    house.by(SAM, "unlock")
    with refusal("process.locked_out"):
        house.office.draw("M")
    assert "INTENT" not in house.kinds("rng")
    with refusal("process.locked_out"):
        house.office.draw("S")
    assert house.kinds("rng").count("LOCKOUT") == 1


def test_entropy_that_fails_at_the_start_locks_out_at_once(house: TestHouse) -> None:
    house.kill_rng()
    house.source = bytes
    house.start_rng()
    house.by(SAM, "unlock")
    with refusal("process.locked_out"):
        house.office.draw("M")


def failing_after(count: int) -> Callable[[int], bytes]:
    """A source that is the operating system's for so many bytes, and stuck after that."""
    given = 0

    def source(wanted: int) -> bytes:
        nonlocal given
        given += wanted
        return operating_system(wanted) if given <= count else bytes(wanted)

    return source


@pytest.mark.rule("X-rng-cycling")
def test_the_intent_shows_that_the_generator_cycled_and_was_reseeded(house: TestHouse) -> None:
    first = house.office.draw("M")["intent"]["body"]
    for _ in range(5):
        house.rng.idle()
    second = house.office.draw("M")["intent"]["body"]
    assert second["requests"] == first["requests"] + 6
    assert second["reseeds"] == first["reseeds"] + 1
    house.restart()
    third = house.office.draw("M")["intent"]["body"]
    assert third["instance"] != second["instance"]


@pytest.mark.rule("X-draw-independent")
def test_no_document_of_the_draw_has_room_for_a_wager(house: TestHouse) -> None:
    drawn = json.dumps(house.office.draw("M"))
    assert not any(word in drawn for word in ("cents", "wager", "ticket", "spots", "price"))


@pytest.mark.rule("X-draw-once")
def test_an_unreachable_inspector_is_a_refusal_and_the_draw_goes_on_later(house: TestHouse) -> None:
    wanted = request(house)
    house.to_inspector.lose_answers_of = {"mark", "deliver"}
    for _ in range(3):
        with refusal("inspector.unreachable"):
            house.to_rng.call("draw", wanted)
    house.to_inspector.lose_answers_of = set()
    house.to_rng.call("draw", wanted)
    assert house.kinds("inspector").count("MARK") == 1


@pytest.mark.parametrize("answer", [{}, {"mark": "00"}, {"mark": "00" * 384}, {"mark": None}])
def test_an_answer_that_is_no_mark_is_refused(house: TestHouse, answer: Document) -> None:
    wanted = request(house)
    sound = house.to_inspector.answering

    def false(peer: str, fields: object) -> object:
        asked = cast("Document", fields)
        return answer if asked["act"] == "mark" else sound(peer, asked)  # type: ignore[misc]

    house.to_inspector.answering = false  # type: ignore[assignment]
    with refusal("inspector.bad_answer"):
        house.to_rng.call("draw", wanted)
    house.to_inspector.answering = sound
    house.to_rng.call("draw", wanted)


def test_a_lost_answer_of_the_generator_is_asked_for_again(house: TestHouse) -> None:
    house.to_rng.lose_answers_of = {"draw"}
    with pytest.raises(Unreachable):
        house.office.draw("M")
    house.to_rng.lose_answers_of = set()
    drawn = house.office.draw("M")
    assert drawn["record"]["body"]["game"] == 1
    assert house.kinds("rng").count("DRAWN") == 1
    assert document_hash(drawn["record"]["body"]) == house.office.previous["M"]
