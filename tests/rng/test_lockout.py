"""Lockouts: what brings them, what they leave possible, and that two keys end them."""

from typing import cast

import pytest

from rng.core import selftest
from rng.core.selftest import KNOWN_ANSWERS, SelfTestFailed, self_test
from rng.serve import generator, inspector
from rng.serve.refusals import Refused
from tests.rng.crash import check_books
from tests.rng.house import IDA, IVAN, SAM, SUE, TestHouse, refusal
from tests.rng.lockout import lockouts, reopened
from tests.rng.rollback import backup, reasons, restore


@pytest.mark.rule("X-rng-drbg")
def test_every_known_answer_is_given() -> None:
    assert self_test() == tuple(KNOWN_ANSWERS)


@pytest.mark.rule("X-rng-drbg")
@pytest.mark.parametrize(
    ("name", "broken"),
    [
        ("draw_numbers", lambda *_: tuple(range(1, 21))),
        ("HmacDrbg", lambda *_: Stuck()),
        ("HealthyEntropy", lambda _: None),
        ("below", lambda *_: 0),
        ("_ED25519_SIGNATURE", "00" * 64),
    ],
)
def test_a_wrong_answer_is_found_whatever_broke(
    monkeypatch: pytest.MonkeyPatch, name: str, broken: object
) -> None:
    monkeypatch.setattr(selftest, name, broken)
    with pytest.raises(SelfTestFailed):
        self_test()


def test_a_signature_check_that_accepts_anything_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    class Gullible:
        @staticmethod
        def from_public_bytes(_: bytes) -> "Gullible":
            return Gullible()

        def verify(self, *_: bytes) -> None:
            return

    monkeypatch.setattr(selftest, "Ed25519PublicKey", Gullible)
    with pytest.raises(SelfTestFailed, match="signature"):
        self_test()


class Stuck:
    """A generator that gives the same bytes for ever."""

    def reseed(self, _: bytes) -> None:
        return

    def generate(self, count: int) -> bytes:
        return bytes(count)


@pytest.mark.rule("X-rng-drbg")
@pytest.mark.parametrize("moment", ["at the start", "on demand", "before the first draw"])
def test_a_failed_self_test_locks_out(
    house: TestHouse, monkeypatch: pytest.MonkeyPatch, moment: str
) -> None:
    if moment == "before the first draw":
        house.restart()
    monkeypatch.setattr(selftest, "below", lambda *_: 0)
    if moment == "at the start":
        house.restart()
    elif moment == "on demand":
        assert house.by(SAM, "selftest")["passed"] == []
    with refusal("process.locked_out"):
        house.office.draw("M")
    assert reasons(house, SAM) == ["selftest"]
    assert "INTENT" not in house.kinds("rng")
    if moment == "on demand":  # a game that cannot be drawn can be voided all the same
        house.office.void("M", "The self-test failed.")
    monkeypatch.undo()
    reopened(house, SAM)
    reopened(house, IDA)
    house.office.draw("M")
    check_books(house)


@pytest.mark.rule("X-software-seal")
def test_changed_software_draws_nothing_new_until_both_keys_accept_it(house: TestHouse) -> None:
    house.office.draw("M")
    house.software = "5" * 64
    house.restart()
    with refusal("process.locked_out"):
        house.office.draw("M")
    assert reasons(house, SAM) == reasons(house, IDA) == ["software"]
    reopened(house, SAM)
    assert reasons(house, SAM) == []
    reopened(house, IDA)
    assert house.office.draw("M")["intent"]["body"]["software"] == "5" * 64
    house.restart()
    house.office.draw("M")
    check_books(house)


@pytest.mark.rule("X-software-seal")
def test_software_that_changes_while_running_is_noticed_at_the_next_draw(house: TestHouse) -> None:
    house.software = house.rng.current_software()
    house.restart()
    house.office.draw("M")
    house.software = "5" * 64
    with refusal("process.locked_out"):
        house.office.draw("M")


@pytest.mark.rule("X-software-seal", "X-draw-once")
@pytest.mark.parametrize("reason", ["software", "health"])
def test_a_draw_that_was_begun_is_finished_in_spite_of_a_lockout(
    house: TestHouse, reason: str
) -> None:
    house.to_inspector.lose_answers_of = {"mark"}
    with refusal("inspector.unreachable"):
        house.office.draw("M")
    house.to_inspector.lose_answers_of = set()
    if reason == "software":
        house.software = "5" * 64
        house.restart()
    else:
        house.rng.lock_out("health", "the entropy source failed")
    house.office.draw("M")
    with refusal("process.locked_out"):
        house.office.draw("M")
    house.office.void("M", "It is locked out.")
    check_books(house)


@pytest.fixture
def repeating(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    """Both processes work out the same numbers for every game."""
    for module in (generator, inspector):
        monkeypatch.setattr(module, "draw_numbers", lambda *_: tuple(range(1, 21)))
    return monkeypatch


@pytest.mark.rule("X-rng-repeat")
@pytest.mark.parametrize("restart", [False, True])
def test_an_exact_repeat_stands_and_the_next_draw_waits_for_both_keys(
    house: TestHouse,
    repeating: pytest.MonkeyPatch,
    restart: bool,
) -> None:
    first = house.office.draw("M")["record"]["body"]
    again = house.office.draw("S")["record"]["body"]
    assert again["numbers"] == first["numbers"]
    repeating.undo()
    if restart:
        house.restart()
    assert house.to_rng.call("record", {"series": "S", "game": 101})
    for series in ("M", "S"):
        with refusal("process.locked_out"):
            house.office.draw(series)
    assert reasons(house, SAM) == reasons(house, IDA) == ["repeat"]
    reopened(house, SAM)
    assert reasons(house, SAM) == reasons(house, IDA) == []  # once, for both
    house.office.draw("M")
    house.office.draw("S")


@pytest.mark.rule("X-rng-repeat")
def test_a_repeat_is_remembered_even_if_the_process_dies_at_once(
    house: TestHouse, repeating: pytest.MonkeyPatch
) -> None:
    house.office.draw("M")
    house.office.draw("M")
    repeating.undo()
    for role in ("rng", "inspector"):  # the lockout line itself is lost, the record is not
        path = house.root / role / "journal.jsonl"
        lines = path.read_bytes().splitlines(keepends=True)
        at = max(place for place, line in enumerate(lines) if b'"kind":"DRAWN"' in line)
        path.write_bytes(b"".join(lines[: at + 1]))
    house.restart()
    assert reasons(house, SAM) == reasons(house, IDA) == ["repeat"]


@pytest.mark.rule("15.5(a)-dual-key")
def test_a_lockout_is_not_ended_by_one_key(house: TestHouse) -> None:
    house.rng.lock_out("health", "the entropy source failed")
    (lockout,) = lockouts(house, SAM)
    house.by(SAM, "reopen", lockout=lockout["hash"], reason="Looked into.")
    for _ in range(2):
        house.by(SAM, "pending")
        with refusal("process.locked_out"):
            house.office.draw("M")
        house.restart()
    house.by(SAM, "pending")
    house.approve(IVAN)
    house.office.draw("M")  # the draw itself asks whether it was approved
    assert house.by(SUE, "pending")["act"] is None


def test_only_a_lockout_that_is_there_can_be_ended(house: TestHouse) -> None:
    with refusal("act.refused"):
        house.by(SAM, "reopen", lockout="0" * 64, reason="Nothing.")


@pytest.mark.rule("X-draw-once")
def test_a_restored_journal_is_not_reopened_while_the_other_knows_more(house: TestHouse) -> None:
    copy = backup(house, "rng")
    house.office.draw("M")
    restore(house, copy)
    with pytest.raises(Refused):
        house.office.draw("M")
    (lockout,) = lockouts(house, SAM)
    house.by(SAM, "reopen", lockout=lockout["hash"], reason="It is fine, surely.")
    house.by(SAM, "pending")
    with refusal("act.standing_differs"):
        house.approve(IDA)


@pytest.mark.rule("X-draw-once")
def test_a_false_alarm_of_restored_is_reopened_when_both_agree(house: TestHouse) -> None:
    house.office.draw("M")
    true = house.office.previous["M"]
    house.office.previous["M"] = "0" * 64  # the back office's mistake
    with refusal("process.locked_out"):
        house.office.draw("M")
    house.office.previous["M"] = true
    house.office.requests.clear()
    reopened(house, SAM)
    house.office.draw("M")
    check_books(house)


@pytest.mark.rule("X-access")
def test_wrong_passphrases_have_to_wait_longer_and_longer(house: TestHouse) -> None:
    house.by(SAM, "lock")
    with refusal("passphrase.wrong"):
        house.by(SAM, "unlock", passphrase="first guess of many")  # noqa: S106
    with refusal("passphrase.wrong"):
        house.by(SAM, "unlock", passphrase="second guess of many")  # noqa: S106
    with refusal("passphrase.wait"):
        house.by(SAM, "unlock")
    house.forget_waiting()
    for stranger in ("Nobody", IDA, ""):
        with refusal("passphrase.wrong"):
            house.rng_control.call("unlock", {"holder": stranger, "passphrase": "x" * 20})
        house.forget_waiting()
    house.by(SUE, "unlock")
    with refusal("process.already_unlocked"):
        house.by(SUE, "unlock")


@pytest.mark.rule("15.5(a)-dual-key")
def test_unlocking_shows_what_to_compare_with_the_paper(house: TestHouse) -> None:
    house.office.draw("M")
    house.by(SAM, "lock")
    shown = cast("dict[str, dict[str, str]]", house.by(SAM, "unlock")["series"])["M"]["compare"]
    assert f"Record {shown}" in house.paper.slips[0]


@pytest.mark.rule("X-recovery")
def test_a_line_that_failed_does_not_keep_a_sound_journal_from_being_vouched_for(
    house: TestHouse,
) -> None:
    """One side could not write, the other is lost: the first can still hand over."""
    house.office.draw("M")
    house.rng.lock_out("journal", "a line could not be written before the last start")
    assert house.by(SAM, "handover", reason="Its disk is lost.", keys={})["handover"]
    house.rng.lock_out("restored", "this is an old copy")
    with refusal("process.locked_out"):
        house.by(SAM, "handover", reason="Its disk is lost.", keys={})
