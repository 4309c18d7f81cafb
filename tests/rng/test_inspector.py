"""The inspector by itself: what it refuses to cosign, to mark and to take in, whoever asks."""

from copy import deepcopy
from typing import Any, cast

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from rng.core.derive import draw_numbers
from rng.core.signing import document_hash, seal
from rng.lab.practice_log import PracticeLog
from rng.merkle import leaf_hash
from rng.note import Checkpoint, Note, sign_note, write_checkpoint, write_note
from tests.rng.draw import resigned
from tests.rng.house import IDA, TestHouse, refusal
from tests.rng.rollback import reasons

ORIGIN = "practice.example/keno"


# ---- the log -------------------------------------------------------------------------------------


def checkpoint(
    house: TestHouse, log: PracticeLog, size: int, origin: str = ORIGIN, *, forged: bool = False
) -> str:
    """A checkpoint of a log, signed by the log's key or by a stranger's."""
    text = write_checkpoint(Checkpoint(origin, size, log.root(size)))
    key = Ed25519PrivateKey.generate() if forged else house.office.log_key
    return write_note(Note(text, (sign_note(text, ORIGIN, key),)))


def cosign(house: TestHouse, note: str, old: int, proof: list[bytes]) -> str:
    fields = {"note": note, "old_size": old, "proof": [step.hex() for step in proof]}
    answer = house.to_inspector.call("cosign", {**fields, "cosigned": None})
    return cast("str", answer["note"])


@pytest.fixture
def log() -> PracticeLog:
    log = PracticeLog()
    for number in range(8):
        log.append(leaf_hash(b"entry %d" % number))
    return log


@pytest.mark.rule("X-audit-log")
def test_a_log_that_only_grows_is_cosigned_and_again_the_same(
    house: TestHouse, log: PracticeLog
) -> None:
    first = cosign(house, checkpoint(house, log, 3), 0, [])
    assert cosign(house, checkpoint(house, log, 3), 0, []) == first
    cosign(house, checkpoint(house, log, 7), 3, log.consistency(3, 7))
    assert house.kinds("inspector").count("COSIGNED") == 2


@pytest.mark.rule("X-audit-log")
def test_a_log_that_was_changed_is_refused_and_alarmed(house: TestHouse, log: PracticeLog) -> None:
    cosign(house, checkpoint(house, log, 3), 0, [])
    other = PracticeLog()
    for number in range(8):
        other.append(leaf_hash(b"other entry %d" % number))
    for size in (3, 7):  # a second root of the same size, and a log that forked
        with refusal("checkpoint.inconsistent"):
            cosign(house, checkpoint(house, other, size), 3, other.consistency(3, size))
    with refusal("checkpoint.inconsistent"):
        cosign(house, checkpoint(house, log, 7), 3, [])
    assert house.kinds("inspector").count("ALARM") >= 2


@pytest.mark.rule("X-audit-log")
def test_a_log_does_not_shrink_and_proofs_start_from_what_was_seen(
    house: TestHouse, log: PracticeLog
) -> None:
    cosign(house, checkpoint(house, log, 5), 0, [])
    for old, size in ((0, 7), (3, 7), (5, 4), (7, 8)):
        with refusal("checkpoint.stale") as refused:
            cosign(house, checkpoint(house, log, size), old, [])
        assert refused[0].evidence == {"size": 5}


def test_what_is_no_checkpoint_of_this_log_is_not_cosigned(
    house: TestHouse, log: PracticeLog
) -> None:
    with refusal("checkpoint.not_signed"):
        cosign(house, checkpoint(house, log, 3, forged=True), 0, [])
    with refusal("checkpoint.malformed"):
        cosign(house, checkpoint(house, log, 3, "other.example/log"), 0, [])
    for text in ("nonsense\n", "a\n\n— b AAAA\n", "\n"):
        with refusal("checkpoint.malformed"):
            cosign(house, text, 0, [])
    with refusal("request.malformed"):
        cosign(house, "", 0, [])


def test_a_cosignature_that_is_nobodys_shows_nothing(house: TestHouse, log: PracticeLog) -> None:
    fields = {"note": checkpoint(house, log, 3), "old_size": 0, "proof": []}
    for shown in ("nonsense\n", checkpoint(house, log, 8)):
        house.to_inspector.call("cosign", {**fields, "cosigned": shown})
    assert reasons(house, IDA) == []


# ---- marking -------------------------------------------------------------------------------------


@pytest.fixture
def line(house: TestHouse) -> dict[str, Any]:
    """What the generator sends to be marked, before it was."""
    house.to_inspector.drop_requests_of = {"mark"}
    with refusal("inspector.unreachable"):
        house.office.draw("M")
    house.to_inspector.drop_requests_of = set()
    return cast("dict[str, Any]", deepcopy(house.rng.state.series["M"].intent))


def by_rng(house: TestHouse, line: dict[str, Any], /, **changes: object) -> dict[str, Any]:
    """The line with its intent changed, and signed by the generator again."""
    keys = house.rng.keys
    assert keys is not None
    return {**line, "intent": seal({**line["intent"]["body"], **changes}, keys.signing)}


@pytest.mark.rule("X-draw-unpredictable")
@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"statement": "0" * 64}, "intent.other_statement"),
        ({"game": 2}, "intent.other_statement"),
        ({"series": "S"}, "intent.other_statement"),
        ({"house": "Another House"}, "statement.other_house"),
        ({"jurisdiction": "elsewhere"}, "statement.other_house"),
        ({"r": "short"}, "request.malformed"),
        ({"wagers": []}, "request.malformed"),
    ],
)
def test_an_intent_that_is_not_in_order_is_not_marked(
    house: TestHouse, line: dict[str, Any], changes: dict[str, object], code: str
) -> None:
    with refusal(code):
        house.to_inspector.call("mark", by_rng(house, line, **changes))
    assert "MARK" not in house.kinds("inspector")
    assert house.to_inspector.call("mark", line)["mark"]


def test_an_intent_that_the_generator_did_not_sign_is_not_marked(
    house: TestHouse, line: dict[str, Any]
) -> None:
    forged = seal(line["intent"]["body"], Ed25519PrivateKey.generate())
    with refusal("intent.not_signed"):
        house.to_inspector.call("mark", {**line, "intent": forged})
    unsigned = deepcopy(line)
    unsigned["statement"]["signatures"][0]["signature"] = "0" * 128
    with refusal("statement.not_signed"):
        house.to_inspector.call("mark", unsigned)


@pytest.mark.rule("X-lock-seal")
def test_what_is_not_sealed_is_not_marked(house: TestHouse, line: dict[str, Any]) -> None:
    note = line["seal"]["note"]
    for spoiled, code in (
        ({"note": note, "proof": ["0" * 64]}, "seal.not_included"),
        ({"note": note.rsplit("—", 1)[0], "proof": []}, "seal.not_cosigned"),
        ({"note": "x\n", "proof": []}, "seal.not_cosigned"),
    ):
        with refusal(code):
            house.to_inspector.call("mark", {**line, "seal": spoiled})


@pytest.mark.rule("X-draw-once")
def test_a_second_intent_for_a_game_gets_no_mark(house: TestHouse, line: dict[str, Any]) -> None:
    mark = house.to_inspector.call("mark", line)["mark"]
    other = by_rng(house, line, r="1" * 64)
    for _ in range(2):
        with refusal("intent.conflict") as refused:
            house.to_inspector.call("mark", other)
    assert refused[0].evidence == {"intent": line["intent"], "mark": mark}
    assert house.to_inspector.call("mark", line)["mark"] == mark
    assert house.kinds("inspector").count("ALARM") == 1


@pytest.mark.rule("X-draw-once", "X-rng-cycling")
def test_an_intent_that_does_not_follow_the_last_mark_is_refused(
    house: TestHouse, line: dict[str, Any]
) -> None:
    stale = by_rng(house, line, last_mark=house.inspector.state.last_mark)
    assert house.to_inspector.call("mark", stale)
    house.office.requests.clear()
    # Another series, after that mark: naming the one before it is a rolled-back generator.
    wanted = house.office.locked("S")
    body = {
        **line["intent"]["body"],
        "series": "S",
        "game": 101,
        "statement": document_hash(cast("dict[str, object]", wanted["statement"])["body"]),
    }
    keys = house.rng.keys
    assert keys is not None
    with refusal("intent.stale") as refused:
        house.to_inspector.call("mark", {**wanted, "intent": seal(body, keys.signing)})
    assert refused[0].evidence["mark"]
    unknown = {**body, "last_mark": "7" * 64}
    with refusal("process.locked_out"):
        house.to_inspector.call("mark", {**wanted, "intent": seal(unknown, keys.signing)})
    assert reasons(house, IDA) == ["restored"]


@pytest.mark.rule("X-draw-once")
@pytest.mark.parametrize("epoch", [0, 2])
def test_a_generator_of_another_journal_is_refused(
    house: TestHouse, line: dict[str, Any], epoch: int
) -> None:
    place = {**line["intent"]["body"]["journal"], "epoch": epoch}
    with refusal("generator.superseded" if epoch == 0 else "process.locked_out"):
        house.to_inspector.call("mark", by_rng(house, line, journal=place))


def test_readiness_is_a_question_and_locks_nothing_out(house: TestHouse) -> None:
    sound = {
        **house.office.locked("M"),
        "last_mark": house.inspector.state.last_mark,
        "epoch": 1,
        "keys": house.rng.key_ids(),
    }
    house.to_inspector.call("ready", sound)
    for change, code in (
        (resigned(house, house.office.locked("M"), game=2), "game.not_next"),
        (resigned(house, house.office.locked("M"), previous="0" * 64), "game.not_next"),
        (resigned(house, house.office.locked("M"), series="Z"), "series.unknown"),
        (resigned(house, house.office.locked("M"), office_key="0" * 64), "statement.other_keys"),
        (resigned(house, house.office.locked("M"), rng_key="0" * 64), "statement.other_keys"),
        (resigned(house, house.office.locked("M"), mark_key="0" * 64), "statement.other_keys"),
        (resigned(house, house.office.locked("M"), lock_index=3), "seal.not_included"),
        ({"last_mark": "0" * 64}, "intent.stale"),
        ({"seal": None}, "request.malformed"),
        ({"epoch": 0}, "generator.superseded"),
        ({"keys": {}}, "statement.other_keys"),
    ):
        with refusal(code):
            house.to_inspector.call("ready", {**sound, **change})
    assert reasons(house, IDA) == []
    house.by(IDA, "lock")
    with refusal("process.sealed"):
        house.to_inspector.call("ready", sound)


# ---- records -------------------------------------------------------------------------------------


@pytest.fixture
def drawn(house: TestHouse) -> dict[str, Any]:
    """A record that was drawn but has not reached the inspector."""
    house.to_inspector.drop_requests_of = {"deliver"}
    drawn = house.office.draw("M")
    house.to_inspector.drop_requests_of = set()
    return cast("dict[str, Any]", {"intent": drawn["intent"], "record": drawn["record"]})


def resealed(house: TestHouse, drawn: dict[str, Any], /, **changes: object) -> dict[str, Any]:
    keys = house.rng.keys
    assert keys is not None
    return {**drawn, "record": seal({**drawn["record"]["body"], **changes}, keys.signing)}


@pytest.mark.rule("X-draw-once", "X-draw-public")
def test_the_inspector_works_out_the_numbers_for_itself(
    house: TestHouse, drawn: dict[str, Any]
) -> None:
    for changes in (
        {"numbers": list(range(1, 21))},
        {"intent": "0" * 64},
        {"statement": "0" * 64},
        {"mark": "00" * 384},
    ):
        with refusal("record.wrong"):
            house.to_inspector.call("deliver", resealed(house, drawn, **changes))
    assert "DRAWN" not in house.kinds("inspector")
    for _ in range(2):
        house.to_inspector.call("deliver", drawn)
    assert house.kinds("inspector").count("DRAWN") == 1


@pytest.mark.rule("X-draw-once", "X-draw-unpredictable")
def test_a_record_of_an_intent_that_was_never_marked_is_not_taken(
    house: TestHouse, drawn: dict[str, Any]
) -> None:
    """The true mark, another secret, and the numbers that would follow from both."""
    keys = house.rng.keys
    assert keys is not None
    body = {**drawn["intent"]["body"], "r": "1" * 64}
    digest, mark = document_hash(body), drawn["record"]["body"]["mark"]
    numbers = list(draw_numbers(digest, mark))
    forged = resealed(house, drawn, intent=digest, numbers=numbers)
    with refusal("record.wrong"):
        house.to_inspector.call("deliver", {**forged, "intent": seal(body, keys.signing)})


@pytest.mark.rule("X-draw-once")
def test_the_inspector_tells_the_office_what_a_lost_generator_drew(house: TestHouse) -> None:
    drawn = house.office.draw("M")
    void = house.office.void("S", "The lights went out.")
    assert house.to_inspector.call("record", {"series": "M", "game": 1}) == {"drawn": drawn}
    assert house.to_inspector.call("record", {"series": "S", "game": 101}) == {"void": void}
    with refusal("game.unknown"):
        house.to_inspector.call("record", {"series": "M", "game": 2})


@pytest.mark.rule("X-draw-once")
def test_a_second_record_of_a_game_is_refused_and_alarmed(
    house: TestHouse, drawn: dict[str, Any]
) -> None:
    house.to_inspector.call("deliver", drawn)
    with refusal("record.wrong"):
        house.to_inspector.call("deliver", resealed(house, drawn, numbers=list(range(1, 21))))
    assert "ALARM" in house.kinds("inspector")


def test_a_record_that_the_generator_did_not_sign_is_not_taken(
    house: TestHouse, drawn: dict[str, Any]
) -> None:
    forged = seal(drawn["record"]["body"], Ed25519PrivateKey.generate())
    with refusal("intent.not_signed"):
        house.to_inspector.call("deliver", {**drawn, "record": forged})
    malformed: list[dict[str, object]] = [{}, {"record": {}}, {"void": {}}, {"void": None}]
    for nonsense in malformed:
        with refusal("request.malformed"):
            house.to_inspector.call("deliver", nonsense)


def test_records_are_taken_in_while_sealed_and_locked_out(
    house: TestHouse, drawn: dict[str, Any]
) -> None:
    house.by(IDA, "lock")
    house.inspector.lock_out("software", "the software is now another one")
    house.to_inspector.call("deliver", drawn)
    assert house.kinds("inspector")[-1] == "DRAWN"


@pytest.mark.rule("X-draw-once")
def test_a_void_that_was_not_given_up_here_is_not_taken(house: TestHouse) -> None:
    house.to_inspector.drop_requests_of = {"deliver"}
    void: Any = deepcopy(house.office.void("M", "The lights went out."))
    house.to_inspector.drop_requests_of = set()
    keys = house.rng.keys
    assert keys is not None
    forged = deepcopy(void)
    forged["tombstone"]["signatures"][0]["signature"] = "0" * 128
    with refusal("record.wrong"):
        house.to_inspector.call("deliver", {"void": forged})
    other = {
        **void,
        "record": seal({**void["record"]["body"], "tombstone": "0" * 64}, keys.signing),
    }
    with refusal("record.wrong"):
        house.to_inspector.call("deliver", {"void": other})
    house.inspector.state.series["M"].tombstone = None  # a journal without its last line
    with refusal("process.locked_out"):
        house.to_inspector.call("deliver", {"void": void})
    assert reasons(house, IDA) == ["restored"]
