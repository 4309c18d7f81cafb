"""Refusals that an honest house never sees: answers that were forged, acts that do not fit.

The forger has the keys of the house, so what he brings is refused for what it says.
"""

import json
from collections.abc import Callable, Mapping
from typing import Any

import pytest

from rng.core.entropy import operating_system
from rng.core.selftest import SelfTestFailed
from rng.core.signing import key_id
from rng.serve.ceremony import CeremonyFailed, Part, make_journal, make_keys
from rng.serve.keystore import Keystore
from rng.serve.protocol import Unreachable
from rng.serve.refusals import Code, Refused, refused
from tests.rng.acts import under_both_keys
from tests.rng.crash import check_books
from tests.rng.forger import ELSEWHERE, NOW, Forger, Game, stranger
from tests.rng.house import CHEAP, IDA, PASSPHRASES, SAM, SUE, TestHouse, refusal
from tests.rng.rollback import hand_over, reasons, vouch
from tests.rng.tampering import rechained

Answer = Mapping[str, object] | Refused


def lie(house: TestHouse, act: str, answer: Answer) -> None:
    """Let whoever stands in the inspector's place answer an act as he likes."""
    honest = house.to_inspector.answering
    assert honest is not None

    def answering(peer: str, request: Mapping[str, object]) -> Mapping[str, object]:
        if request["act"] != act:
            return honest(peer, request)
        if isinstance(answer, Refused):
            raise answer
        return answer

    house.to_inspector.answering = answering


def told(code: str, words: str, act: Callable[[], object]) -> None:
    """What is asked is refused with this code and, somewhere in its sentence, these words."""
    with refusal(code) as caught:
        act()
    assert words in caught[0].message


# ---- a generator that is lied to -----------------------------------------------------------------


@pytest.mark.rule("X-draw-once")
@pytest.mark.parametrize(
    ("answer", "code", "words"),
    [
        (lambda: refused(Code.NOT_NEXT, game="M-1", next="M-2"), "game.not_next", "M-2"),
        (lambda: refused(Code.SUPERSEDED), "inspector.bad_answer", "not what it must be"),
        (
            lambda: refused(
                Code.SUPERSEDED, {"handover": Forger("inspector").handover("rng", epoch=1)}
            ),
            "inspector.bad_answer",
            "the handover is for another journal",
        ),
        (
            lambda: refused(Code.SUPERSEDED, {"handover": Forger("rng").handover("inspector")}),
            "inspector.bad_answer",
            "have to sign",
        ),
    ],
    ids=["not next", "no handover", "handover for another journal", "handover of another"],
)
def test_a_generator_begins_nothing_on_a_lie(
    house: TestHouse, answer: Callable[[], Answer], code: str, words: str
) -> None:
    lie(house, "ready", answer())
    told(code, words, lambda: house.office.draw("M"))
    assert "INTENT" not in house.kinds("rng")
    assert not reasons(house, SAM)


def test_an_inspector_that_falls_silent_begins_nothing(
    house: TestHouse, monkeypatch: pytest.MonkeyPatch
) -> None:
    def collect() -> list[dict[str, object]]:
        raise Unreachable("the line is dead")

    house.office.locked("M")
    monkeypatch.setattr(house.to_inspector, "collect", collect)
    told("inspector.unreachable", "the line is dead", lambda: house.office.draw("M"))
    assert "INTENT" not in house.kinds("rng")


def void_answers() -> list[Any]:
    forger = Forger("inspector")
    other = forger.intend(forger.lock("S"))
    grave = forger.grave()
    wrong_hand = {**grave, "tombstone": forger.sealed(grave["tombstone"]["body"], "rng")}
    return [
        pytest.param({}, "not what it must be", id="nothing"),
        pytest.param(refused(Code.MARKED, game="M-1"), "not what it must be", id="no evidence"),
        pytest.param(
            refused(Code.MARKED, {"intent": other.intent, "mark": other.mark}, game="M-1"),
            "the mark is of another game",
            id="another game's mark",
        ),
        pytest.param(wrong_hand, "have to sign", id="another's tombstone"),
        pytest.param(
            forger.grave(game=2), "the tombstone is of another game", id="another game's tombstone"
        ),
        pytest.param(
            forger.grave(forger.give_up("S"), series="M", game=1),
            "rests on another game's statement",
            id="another game's statement",
        ),
    ]


@pytest.mark.rule("X-draw-once")
@pytest.mark.parametrize(("answer", "words"), void_answers())
def test_a_generator_gives_up_nothing_on_a_lie(
    house: TestHouse, answer: Answer, words: str
) -> None:
    lie(house, "void", answer)
    told("inspector.bad_answer", words, lambda: house.office.void("M", "Why not."))
    assert "VOID" not in house.kinds("rng")


@pytest.mark.rule("X-draw-once")
def test_a_game_whose_mark_comes_with_the_refusal_of_its_void_is_completed(
    house: TestHouse,
) -> None:
    """The inspector will not say the mark when asked for it, and shows it when asked to void."""
    house.to_inspector.drop_requests_of = {"mark"}
    with refusal("inspector.unreachable"):
        house.office.draw("M")
    house.to_inspector.drop_requests_of = set()
    line = house.rng.state.series["M"].intent
    assert line is not None
    mark = Forger("inspector").marked(dict(line["intent"]))
    lie(house, "mark", refused(Code.NOT_RNG))
    evidence = {"intent": line["intent"], "mark": mark}
    lie(house, "void", refused(Code.MARKED, evidence, game="M-1"))
    with refusal("game.marked") as caught:
        house.office.void("M", "Why not.")
    drawn: Any = caught[0].evidence["drawn"]
    assert drawn["record"]["body"]["mark"] == mark


class Worn:
    """A source of entropy that is stuck for a while."""

    stuck = False

    def __call__(self, size: int) -> bytes:
        return bytes(size) if self.stuck else operating_system(size)


@pytest.mark.rule("X-rng-entropy")
def test_after_a_failure_of_entropy_that_both_keys_looked_into_the_generator_is_a_new_one(
    house: TestHouse,
) -> None:
    house.source = worn = Worn()
    house.restart()
    worn.stuck = True
    with refusal("process.locked_out"):
        house.office.draw("M")
    worn.stuck = False
    (lockout,) = house.rng.state.lockouts
    under_both_keys(house, SAM, "reopen", lockout=lockout, reason="The source was replaced.")
    first, second = house.office.draw("M"), house.office.draw("M")
    assert first["intent"]["body"]["requests"] == second["intent"]["body"]["requests"] - 1
    check_books(house)


@pytest.mark.rule("X-draw-once")
def test_no_series_overtakes_a_game_that_waits_for_its_mark(house: TestHouse) -> None:
    house.to_inspector.drop_requests_of = {"mark"}
    for series in ("M", "S"):
        with refusal("inspector.unreachable"):
            house.office.draw(series)
    assert house.kinds("rng").count("INTENT") == 1


# ---- what a handover brought ---------------------------------------------------------------------


@pytest.mark.rule("X-draw-once", "X-recovery")
def test_a_game_that_was_given_up_is_void_as_soon_as_the_new_generator_is_unlocked(
    house: TestHouse,
) -> None:
    house.to_inspector.lose_answers_of = {"void"}
    with refusal("inspector.unreachable"):
        house.office.void("M", "The lights went out.")
    house.to_inspector.lose_answers_of = set()
    hand_over(house, "rng", new_keys=False)
    assert house.kinds("rng").count("VOID") == 1
    assert house.office.void("M", "The lights went out.")
    house.office.draw("M")
    check_books(house)


def failing() -> tuple[str, ...]:
    raise SelfTestFailed("a known answer was not given")


@pytest.fixture
def holding(house: TestHouse, monkeypatch: pytest.MonkeyPatch) -> TestHouse:
    """A house whose new generator got a marked game with its handover, and cannot finish it."""
    house.to_inspector.lose_answers_of = {"mark"}
    with refusal("inspector.unreachable"):
        house.office.draw("M")
    house.to_inspector.lose_answers_of = set()
    with monkeypatch.context() as patched:
        patched.setattr("rng.serve.keyed.self_test", failing)
        hand_over(house, "rng", new_keys=False)
    return house


@pytest.mark.rule("X-recovery")
def test_a_new_generator_that_cannot_finish_a_game_is_unlocked_and_says_why(
    holding: TestHouse,
) -> None:
    status = holding.by(SAM, "status")
    assert status["unlocked"]
    assert "a known answer was not given" in str(status["trouble"])


@pytest.mark.rule("X-draw-once")
def test_a_new_inspector_gets_no_new_keys_while_a_game_that_was_handed_over_is_unfinished(
    holding: TestHouse,
) -> None:
    fields = {"reason": "Lost.", "keys": {"inspector": stranger()}}
    told("act.refused", "unfinished", lambda: holding.by(SAM, "handover", **fields))


@pytest.mark.rule("15.5(a)-dual-key")
@pytest.mark.parametrize(
    ("holder", "fields", "words"),
    [
        (IDA, {"keys": {"office": stranger()}}, "keys of the other role only"),
        (SAM, {"keys": {"rng": stranger()}}, "keys of the other role only"),
        (SAM, {"keys": {}, "mark_key_roots": ["00" * 384] * 16}, "a permutation"),
        (SAM, {"keys": {"mark": stranger()}}, "not an RSA key"),
        (SAM, {"keys": {}, "mark_key_roots": ["no root"]}, "cannot be approved"),
    ],
)
def test_a_handover_to_keys_that_do_not_fit_is_refused(
    house: TestHouse, holder: str, fields: dict[str, object], words: str
) -> None:
    told("act.refused", words, lambda: house.by(holder, "handover", reason="Lost.", **fields))
    assert "HANDOVER" not in house.kinds("rng") + house.kinds("inspector")


@pytest.mark.rule("X-draw-unpredictable")
@pytest.mark.parametrize(("part", "signer"), [("intent", "inspector"), ("statement", "rng")])
def test_a_game_that_the_giver_made_up_starts_no_journal(
    house: TestHouse, part: str, signer: str
) -> None:
    """Who has the mark key and makes the intent knows the numbers, and can choose among them."""
    house.kill()
    (house.root / "rng" / "journal.jsonl").unlink()
    forger = Forger("inspector")
    game = forger.intend().parts("statement", "seal", "intent", "mark")
    game[part] = forger.sealed(game[part]["body"], signer)
    handover = forger.handover("rng", open_games=[game])
    role = Part("rng", house.root / "rng", house.root / "public")
    with pytest.raises(CeremonyFailed, match="have to sign"):
        make_journal(role, SAM, PASSPHRASES[SAM], handover)
    house.start_inspector()


@pytest.mark.rule("X-draw-unpredictable")
def test_a_game_of_a_lost_key_needs_its_public_half_to_start_a_journal(house: TestHouse) -> None:
    house.to_inspector.lose_answers_of = {"mark"}
    with refusal("inspector.unreachable"):
        house.office.draw("M")
    house.kill()
    public = house.root / "public"
    role = Part("rng", house.root / "new", public)
    for name in ("rng.pem", "rng.tls.pem"):
        (public / name).unlink()
    make_keys(role, {name: PASSPHRASES[name] for name in (SAM, SUE)}, CHEAP)
    document = vouch(house, IDA, "rng", new_keys=True)
    with pytest.raises(CeremonyFailed, match="lacks the key of the generator"):
        make_journal(role, SAM, PASSPHRASES[SAM], document)
    house.start_rng()


# ---- an inspector that is lied to ----------------------------------------------------------------


def question(house: TestHouse, game: Game) -> dict[str, object]:
    """What a generator asks before it makes an intent."""
    return {
        **game.parts("statement", "seal"),
        "last_mark": house.inspector.state.last_mark,
        "epoch": house.inspector.state.peer_epoch,
        "keys": house.inspector.key_ids(),
    }


@pytest.mark.rule("X-audit-log")
def test_an_inspector_that_is_shown_a_larger_log_of_its_own_locks_out(house: TestHouse) -> None:
    """It bears its cosignature and is not in its journal: the journal was set back, or the key."""
    house.office.draw("S")
    forger = Forger("rng")
    forger.lock("S")
    forger.last_mark = house.inspector.state.last_mark
    asked = question(house, forger.lock("M"))
    told("process.locked_out", "cosigned", lambda: house.to_inspector.call("ready", asked))
    assert reasons(house, IDA) == ["restored"]


@pytest.mark.rule("X-draw-once")
def test_an_intent_of_the_key_that_a_handover_replaced_is_answered_with_the_handover(
    house: TestHouse,
) -> None:
    house.office.draw("M")
    hand_over(house, "rng", new_keys=True)
    forger = Forger("rng")
    game = forger.intend(forger.lock("S", rng_key=house.inspector.state.key_id("rng")))
    with refusal("generator.superseded") as caught:
        house.to_inspector.call("mark", game.parts("statement", "seal", "intent"))
    assert caught[0].evidence == {"handover": house.inspector.state.handover}


@pytest.mark.rule("X-draw-once")
def test_a_void_that_is_over_has_the_same_tombstone_for_whoever_asks_again(
    house: TestHouse,
) -> None:
    void = house.office.void("M", "The lights went out.")
    house.to_inspector.collect()
    again = house.to_inspector.call("void", {"statement": void["statement"], "epoch": 1})
    assert again == {"statement": void["statement"], "tombstone": void["tombstone"]}
    told("game.void", "M-1", lambda: house.to_inspector.call("ready", question_of(house)))


def question_of(house: TestHouse) -> dict[str, object]:
    return question(house, Forger("rng").lock("M"))


@pytest.mark.rule("X-audit-log")
def test_a_new_inspector_goes_on_from_what_the_generator_knows_of_the_log(
    house: TestHouse,
) -> None:
    """The office holds a later cosignature, of a journal that is lost: it shows nothing."""
    house.office.draw("M")
    house.office.locked("S")
    hand_over(house, "inspector", new_keys=False)
    house.office.draw("M")
    house.office.draw("S")
    assert not reasons(house, IDA)


@pytest.mark.rule("X-audit-log")
def test_a_checkpoint_that_a_lost_key_cosigned_is_cosigned_anew(house: TestHouse) -> None:
    house.office.draw("M")
    size = house.office.log.size
    hand_over(house, "inspector", new_keys=True)
    assert "COSIGNED" not in house.kinds("inspector")
    house.office._ask_cosigned(size, size)  # noqa: SLF001  nothing was locked since
    assert house.kinds("inspector").count("COSIGNED") == 1


@pytest.mark.rule("X-recovery")
def test_a_game_that_was_marked_in_a_lost_journal_is_not_known_whole(house: TestHouse) -> None:
    """The new inspector has its record, and not its statement, seal and intent."""
    house.kill()
    giver, forger = Forger("rng"), Forger("inspector", epoch=2)
    game = giver.intend()
    given = [game.parts("statement", "seal", "intent", "mark")]
    forger.genesis(giver.handover("inspector", open_games=given))
    forger.draw(game)
    forger.save(house.root / "inspector" / "journal.jsonl")
    house.start()
    asked = {"series": "M", "game": 1}
    told("game.unknown", "M-1", lambda: house.to_inspector.call("record", asked))


# ---- acts under both keys ------------------------------------------------------------------------


@pytest.mark.rule("15.5(a)-dual-key")
@pytest.mark.parametrize("used", ["office", "log", "rng", "inspector"])
def test_a_key_that_is_in_use_already_takes_no_other_place(house: TestHouse, used: str) -> None:
    """A journal with such a key in it would be found wrong for ever after."""
    public = house.rng.state.keys[used]
    told("act.refused", "in use", lambda: house.by(SAM, "rotate", key="log", public=public))


def proposal(label: str, **fields: object) -> dict[str, Any]:
    """An act of the generator's that no generator of ours would propose."""
    forger = Forger("rng")
    return forger.sealed(forger.body(label, at=NOW, **fields), "rng")


def new_log_key(**changes: object) -> dict[str, Any]:
    old = key_id(Forger("rng").publics["log"])
    fields = {"role": "log", "old": old, "new": stranger(), "mark_key_roots": None}
    return proposal("key", **{**fields, **changes})


def strange_acts() -> list[Any]:
    forger = Forger("rng")
    roots = forger.house["mark_key_roots"]
    lockout = forger.body("lockout", role="inspector", reason="health", detail="x", record=None)
    fields = {"role": "rng", "software": ELSEWHERE, "standing": forger.standing(), "reason": "x"}
    return [
        (new_log_key(old=ELSEWHERE), "the old key is not the one in force"),
        (new_log_key(mark_key_roots=roots), "only a mark key has roots"),
        (proposal("reopen", lockout=lockout, **fields), "the lockout is of the other role"),
    ]


@pytest.mark.rule("15.5(a)-dual-key")
@pytest.mark.parametrize(("act", "words"), strange_acts(), ids=["old key", "roots", "lockout"])
def test_an_act_that_does_not_fit_is_not_approved(
    house: TestHouse, act: dict[str, Any], words: str
) -> None:
    with refusal("act.waiting"):
        house.to_inspector.call("propose", {"proposal": act})
    told("act.refused", words, lambda: house.approve(IDA))


@pytest.mark.rule("15.5(a)-dual-key")
def test_an_approved_act_that_was_never_proposed_is_not_carried_out(house: TestHouse) -> None:
    forger = Forger("inspector")
    body = forger.body(
        "holders", role="inspector", change="add X", holders=["Ida", "Ivan", "X"], at=NOW
    )
    act = forger.sealed(body, "inspector", "rng")
    told(
        "act.refused",
        "it was not proposed here",
        lambda: house.to_inspector.call("approved", {"approved": act}),
    )


@pytest.mark.rule("15.5(a)-dual-key")
def test_an_approved_act_that_no_longer_fits_is_not_carried_out(house: TestHouse) -> None:
    """It waited in an old copy of the folder while another like it was carried out."""
    house.by(SAM, "series", series="LATE", first_game=1)
    waiting: Any = house.rng.proposals({})["act"]
    forger = Forger("rng")
    other = forger.body("series", series="LATE", first_game=1, at=NOW)
    house.rng.write("SERIES", forger.sealed(other, "rng", "inspector"))
    lie(house, "propose", {"act": forger.sealed(waiting["body"], "rng", "inspector")})
    told("act.refused", "at another time", lambda: house.by(SAM, "pending"))
    assert house.kinds("rng").count("SERIES") == 1


def test_an_approval_is_asked_for_again_when_the_inspector_is_back(house: TestHouse) -> None:
    house.by(SAM, "series", series="LATE", first_game=1)
    house.to_inspector.drop_requests_of = {"propose"}
    with refusal("inspector.unreachable"):
        house.by(SAM, "pending")
    with refusal("inspector.unreachable"):
        house.office.draw("M")
    house.to_inspector.drop_requests_of = set()
    house.by(SAM, "pending")
    house.approve(IDA)
    assert house.by(SAM, "pending")["act"] is None


@pytest.mark.rule("15.5(a)-dual-key")
def test_what_was_approved_cannot_be_declined(house: TestHouse) -> None:
    house.by(IDA, "rotate", key="inspector")
    house.to_inspector.drop_requests_of = {"approved"}
    with refusal("inspector.unreachable"):
        house.approve(SAM)
    house.to_inspector.drop_requests_of = set()
    told("act.refused", "approve it once more", lambda: house.by(SAM, "decline"))
    house.approve(SAM)
    assert house.by(IDA, "pending")["act"] is None


def test_another_proposal_is_not_forgotten_by_declining_one(house: TestHouse) -> None:
    house.by(IDA, "rotate", key="inspector")
    house.to_inspector.call("declined", {"proposal": ELSEWHERE})
    assert house.by(IDA, "pending")["act"] is not None


@pytest.mark.rule("X-recovery")
def test_a_key_file_that_cannot_be_replaced_stops_the_process_and_is_replaced_at_the_next_start(
    house: TestHouse, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(keystore: Keystore, data: bytes) -> None:
        raise OSError(5, f"Input/output error of {keystore.path.name}, {len(data)} bytes")

    house.by(SAM, "rotate", key="rng")
    house.by(SAM, "pending")
    house.approve(IDA)
    with monkeypatch.context() as patched:
        patched.setattr(Keystore, "replace", broken)
        told("process.failed", "could not be replaced", lambda: house.by(SAM, "pending"))
    house.restart()
    assert house.by(SAM, "status")["unlocked"]


# ---- journals that a process does not build on ---------------------------------------------------


def damaged(house: TestHouse, data: bytes) -> str:
    """What the generator says of a journal that was put in the place of its own."""
    house.kill()
    (house.root / "rng" / "journal.jsonl").write_bytes(data)
    house.start()
    return str(house.rng.failure)


def journal(house: TestHouse, role: str = "rng") -> bytes:
    return (house.root / role / "journal.jsonl").read_bytes()


@pytest.mark.rule("X-draw-once")
def test_the_journal_of_the_other_role_is_not_built_on(house: TestHouse) -> None:
    assert damaged(house, journal(house, "inspector")) == "this is the journal of the inspector"


@pytest.mark.rule("X-draw-once")
def test_a_journal_without_its_genesis_is_not_built_on(house: TestHouse) -> None:
    rest = b"".join(journal(house).splitlines(keepends=True)[1:])
    assert damaged(house, rechained(rest)) == "the journal does not begin with its genesis"


@pytest.mark.rule("X-draw-once")
def test_a_journal_that_leaves_out_a_game_is_not_built_on(house: TestHouse) -> None:
    forger = Forger("rng")
    forger.genesis()
    forger.begin(forger.intend(forger.lock(game=2)))
    path = forger.save(house.root / "forged.jsonl")
    assert damaged(house, path.read_bytes()) == "line 2: M-2 is not the next game"


@pytest.mark.rule("X-draw-once")
@pytest.mark.parametrize("kind", ["INTENT", "DRAWN"])
def test_a_journal_whose_last_signature_is_wrong_is_not_built_on(
    house: TestHouse, kind: str
) -> None:
    house.office.draw("M")
    lines = [json.loads(line) for line in journal(house).splitlines()]
    at = next(at for at, line in enumerate(lines) if line["kind"] == kind)
    document = lines[at]["document"]
    (document if kind == "DRAWN" else document["intent"])["signatures"][0]["signature"] = "0" * 128
    data = b"".join(json.dumps(line).encode() + b"\n" for line in lines[: at + 1])
    wanted = "the last signed record of the journal was changed"
    assert damaged(house, rechained(data)) == wanted
