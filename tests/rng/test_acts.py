"""Acts under both keys: both people, both journals, and the same act however often it is asked."""

import json
from typing import cast

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from rng.core.signing import document_hash, key_id, public_text, seal
from rng.lab.verify import read_keys
from rng.serve.acts import read_act
from rng.serve.keystore import DamagedKeys, Keystore, WrongPassphrase
from rng.serve.refusals import Refused
from tests.rng.acts import OTHER, publish, under_both_keys
from tests.rng.crash import check_books
from tests.rng.house import IDA, IVAN, PASSPHRASES, SAM, SUE, TestHouse, refusal
from tests.rng.rollback import check_books_after
from tests.rng.tampering import rechained


def kept(house: TestHouse, role: str) -> str:
    """The id of the key that each process takes to be in force for a role; they agree."""
    assert house.rng.state.keys[role] == house.inspector.state.keys[role]
    return house.rng.state.key_id(role)


@pytest.mark.rule("15.5(a)-dual-key")
@pytest.mark.parametrize(
    ("holder", "key"),
    [(SAM, "rng"), (IDA, "inspector"), (IDA, "mark")],
    ids=["rng", "insp", "mark"],
)
def test_a_rotated_key_is_announced_under_the_old_one_and_takes_its_place(
    house: TestHouse, holder: str, key: str
) -> None:
    house.office.draw("M")
    before = kept(house, key)
    under_both_keys(house, holder, "rotate", key=key)
    assert kept(house, key) != before
    assert "KEY" in house.kinds("rng")
    assert "KEY" in house.kinds("inspector")
    publish(house, key)
    house.office.draw("M")
    house.restart()
    house.office.draw("M")
    check_books_after(house)


@pytest.mark.rule("15.5(a)-dual-key")
@pytest.mark.parametrize("key", ["office", "log"])
def test_a_key_of_the_back_office_is_replaced_under_both_keys(house: TestHouse, key: str) -> None:
    house.office.draw("M")
    fresh = Ed25519PrivateKey.generate()
    public = public_text(fresh.public_key())
    under_both_keys(house, SAM, "rotate", key=key, public=public)
    assert kept(house, key) == key_id(public)
    if key == "office":
        with refusal("statement.not_signed"):
            house.office.draw("M")
        house.office.requests.clear()  # it was never sent to a process that would take it
        house.office.office_key = fresh
    else:
        with refusal("checkpoint.not_signed"):
            house.office.draw("M")
        house.office.log_key = fresh
    publish(house, key)
    house.office.draw("M")
    check_books_after(house)


def test_a_key_is_not_rotated_while_a_game_is_being_drawn(house: TestHouse) -> None:
    house.to_inspector.lose_answers_of = {"mark"}
    with refusal("inspector.unreachable"):
        house.office.draw("M")
    house.to_inspector.lose_answers_of = set()
    with refusal("act.refused"):
        house.by(SAM, "rotate", key="rng")
    with refusal("act.refused"):
        house.by(IDA, "rotate", key="mark")
    house.office.draw("M")
    under_both_keys(house, SAM, "rotate", key="rng")


def test_a_statement_that_names_a_rotated_key_can_only_be_voided(house: TestHouse) -> None:
    house.office.locked("M")
    under_both_keys(house, SAM, "rotate", key="rng")
    with refusal("statement.other_keys"):
        house.office.draw("M")
    house.office.void("M", "The key was rotated.")
    publish(house, "rng")
    house.office.draw("M")


@pytest.mark.rule("15.5(a)-dual-key", "X-access")
@pytest.mark.parametrize(("holder", "role"), [(SAM, "rng"), (IDA, "inspector")])
def test_a_holder_is_added_and_another_removed_under_both_keys(
    house: TestHouse, holder: str, role: str
) -> None:
    other = SUE if holder == SAM else IVAN
    added = {"change": "add", "who": "New", "new_passphrase": "a passphrase for New"}
    under_both_keys(house, holder, "holders", **added)
    removed = {"change": "remove", "who": other}
    under_both_keys(house, holder, "holders", **removed)
    house.kill()
    house.start()
    wire = house.rng_control if role == "rng" else house.inspector_control
    with refusal("passphrase.wrong"):
        house.by(other, "unlock")
    house.forget_waiting()
    wire.call("unlock", {"holder": "New", "passphrase": "a passphrase for New"})
    house.by(OTHER[holder], "unlock")
    house.office.draw("M")
    assert house.kinds(role).count("HOLDERS") == 2
    check_books(house)


@pytest.mark.parametrize(
    ("fields", "code"),
    [
        ({"change": "add", "who": SUE, "new_passphrase": "long enough, really"}, "act.refused"),
        ({"change": "add", "who": "New", "new_passphrase": "short"}, "act.refused"),
        ({"change": "add", "who": "New"}, "request.malformed"),
        ({"change": "remove", "who": SUE}, "act.refused"),
        ({"change": "remove", "who": "Nobody"}, "act.refused"),
        ({"change": "replace", "who": SUE}, "request.malformed"),
        ({"change": "add", "who": ""}, "request.malformed"),
    ],
)
def test_holders_that_cannot_be_changed_are_not(
    house: TestHouse, fields: dict[str, object], code: str
) -> None:
    with refusal(code):
        house.by(SAM, "holders", **fields)
    assert house.by(SAM, "pending")["act"] is None


@pytest.mark.rule("15.5(b)")
def test_a_further_series_begins_under_both_keys(house: TestHouse) -> None:
    under_both_keys(house, SAM, "series", series="LATE", first_game=7)
    with refusal("act.refused"):
        house.by(SAM, "series", series="LATE", first_game=7)
    assert house.office.draw("LATE")["record"]["body"]["game"] == 7
    house.restart()
    assert house.office.draw("LATE")["record"]["body"]["game"] == 8
    check_books(house)


@pytest.mark.rule("15.5(a)-dual-key")
def test_what_only_one_has_asked_for_has_no_effect(house: TestHouse) -> None:
    before = kept(house, "rng")
    house.by(SAM, "rotate", key="rng")
    assert house.by(SAM, "pending")["act"] is not None
    assert kept(house, "rng") == before
    for _ in range(2):
        with refusal("act.key_pending"):
            house.office.draw("M")
        with refusal("act.key_pending"):
            house.office.void("M", "A key waits.")
        house.restart()
    house.by(SAM, "withdraw")
    house.office.draw("M")
    assert kept(house, "rng") == before
    assert "KEY" not in house.kinds("rng")


def test_one_act_waits_at_a_time_and_can_be_withdrawn(house: TestHouse) -> None:
    house.by(SAM, "rotate", key="rng")
    with refusal("act.other_pending"):
        house.by(SUE, "series", series="LATE", first_game=1)
    house.by(SUE, "withdraw")
    with refusal("act.none"):
        house.by(SUE, "withdraw")
    under_both_keys(house, SUE, "series", series="LATE", first_game=1)


def test_there_must_be_something_to_approve(house: TestHouse) -> None:
    for holder in (SAM, IDA):
        with refusal("act.none"):
            house.by(holder, "approve")
        with refusal("act.none"):
            house.by(holder, "proposed")


@pytest.mark.rule("15.5(a)-dual-key", "X-access")
@pytest.mark.parametrize("act", ["rotate", "reopen", "holders", "series", "handover", "approve"])
@pytest.mark.parametrize("holder", [SAM, IDA])
def test_every_act_takes_a_holders_passphrase_anew(house: TestHouse, holder: str, act: str) -> None:
    with refusal("passphrase.wrong"):
        house.by(holder, act, passphrase="not my passphrase")  # noqa: S106


@pytest.mark.rule("X-recovery")
@pytest.mark.parametrize("holder", [SAM, IDA])
def test_an_approval_whose_answer_was_lost_is_found_again(house: TestHouse, holder: str) -> None:
    key = "rng" if holder == SAM else "mark"
    house.by(holder, "rotate", key=key)
    house.by(holder, "pending")
    if holder == SAM:
        house.approve(IDA)  # the generator has not asked yet
    else:
        house.to_inspector.drop_requests_of = {"approved"}
        with refusal("inspector.unreachable"):
            house.approve(SAM)
        house.to_inspector.drop_requests_of = set()
    house.kill()
    house.start()
    house.unlock()
    house.approve(SAM) if holder == IDA else house.by(SAM, "pending")
    assert house.by(holder, "pending")["act"] is None
    house.unlock_sealed()
    kept(house, key)
    publish(house, key)
    house.office.draw("M")
    check_books_after(house)


@pytest.mark.rule("X-recovery")
def test_a_draw_settles_what_was_approved_meanwhile(house: TestHouse) -> None:
    house.by(SAM, "rotate", key="rng")
    house.by(SAM, "pending")
    house.approve(IDA)
    with refusal("process.sealed"):  # its key file was changed by this very question
        house.office.draw("M")
    house.unlock_sealed()
    with refusal("statement.other_keys"):
        house.office.draw("M")
    house.office.void("M", "Its statement named the old key.")
    publish(house, "rng")
    house.office.draw("M")


def test_an_act_that_was_changed_on_the_way_is_not_approved(house: TestHouse) -> None:
    answer = house.by(SAM, "series", series="LATE", first_game=7)
    act = cast("dict[str, dict[str, object]]", answer["act"])
    act["body"]["first_game"] = 8
    with refusal("act.refused"):
        house.to_inspector.call("propose", {"proposal": act})
    nonsense: object
    for nonsense in ({}, None, {"body": {"label": "keno/house"}}, {"body": {}}, [], "act"):
        with refusal("request.malformed"):
            house.to_inspector.call("propose", {"proposal": nonsense})
        with refusal("request.malformed"):
            house.to_inspector.call("approved", {"approved": nonsense})


@pytest.mark.rule("15.5(a)-dual-key")
def test_nobody_approves_their_own_act(house: TestHouse) -> None:
    answer = house.by(SAM, "series", series="LATE", first_game=7)
    signing = house.rng.keys
    assert signing is not None
    body = cast("dict[str, object]", answer["act"])["body"]
    self_approved = seal(body, signing.signing, signing.signing)
    with refusal("act.refused"):
        house.rng.take_act(self_approved)
    with refusal("act.refused"):
        house.rng.sign_act(read_act(answer["act"]), signing)


@pytest.mark.parametrize("key", ["inspector", "mark", "nonsense"])
def test_a_role_rotates_only_its_own_keys(house: TestHouse, key: str) -> None:
    with refusal("act.refused"):
        house.by(SAM, "rotate", key=key)
    with refusal("act.refused"):
        house.by(IDA, "rotate", key="rng")


@pytest.mark.parametrize("public", ["00" * 44, None, "zz"])
def test_what_is_no_public_key_is_not_put_in_force(house: TestHouse, public: object) -> None:
    with refusal("act.refused" if public == "00" * 44 else "request.malformed"):
        house.by(SAM, "rotate", key="office", public=public)


def test_passphrases_are_nowhere_in_the_clear(house: TestHouse) -> None:
    house.office.draw("M")
    for path in house.root.rglob("*"):
        if path.is_file():
            data = path.read_bytes()
            assert not any(passphrase.encode() in data for passphrase in PASSPHRASES.values())
    assert read_keys(house.root / "public")


@pytest.mark.rule("15.5(a)-dual-key")
@pytest.mark.parametrize("holder", [SAM, IDA])
def test_only_what_was_shown_is_approved(house: TestHouse, holder: str) -> None:
    """Something harmless is shown; before the passphrase comes, it is exchanged."""
    approver = OTHER[holder]
    if holder == SAM:
        house.by(SAM, "series", series="LATE", first_game=1)
        house.by(SAM, "pending")
    else:
        added = {"change": "add", "who": "New", "new_passphrase": "a passphrase for New"}
        house.by(IDA, "holders", **added)
    shown = cast("dict[str, object]", house.by(approver, "proposed")["act"])
    if holder == SAM:
        house.by(SAM, "withdraw")
        house.by(SAM, "rotate", key="rng")
        house.by(SAM, "pending")
    else:
        house.by(SAM, "decline")
        house.by(IDA, "rotate", key="inspector")
    with refusal("act.other"):
        house.by(approver, "approve", shown=document_hash(shown["body"]))


@pytest.mark.rule("X-recovery")
def test_what_was_approved_already_cannot_be_withdrawn(house: TestHouse) -> None:
    house.by(SAM, "rotate", key="rng")
    house.by(SAM, "pending")
    house.approve(IDA)
    with refusal("act.refused"):
        house.by(SAM, "withdraw")
    kept(house, "rng")
    house.by(IDA, "rotate", key="inspector")
    house.by(SAM, "proposed")
    with refusal("act.maybe_approved"):
        house.by(IDA, "withdraw")
    house.by(SAM, "decline")
    assert house.by(IDA, "pending")["act"] is None


@pytest.mark.rule("X-access")
def test_one_who_was_removed_cannot_open_what_was_made_later(house: TestHouse) -> None:
    """With the old key file, the old passphrase, and a copy of the new file."""
    old = (house.root / "rng" / "keys.json").read_bytes()
    added = {"change": "add", "who": "New", "new_passphrase": "a passphrase for New"}
    under_both_keys(house, SAM, "holders", **added)
    under_both_keys(house, SAM, "holders", change="remove", who=SUE)
    under_both_keys(house, SAM, "rotate", key="rng")
    store = Keystore(house.root / "rng" / "keys.json")
    with pytest.raises(WrongPassphrase):
        store.open(SUE, PASSPHRASES[SUE])
    new = json.loads(store.path.read_bytes())
    mixed = house.root / "mixed.json"
    entry = next(one for one in json.loads(old)["holders"] if one["name"] == SUE)
    mixed.write_text(json.dumps({**new, "holders": [entry]}))
    with pytest.raises(DamagedKeys):
        Keystore(mixed).open(SUE, PASSPHRASES[SUE])


def test_a_key_file_that_is_damaged_is_a_refusal(house: TestHouse) -> None:
    house.by(SAM, "lock")
    path = house.root / "rng" / "keys.json"
    whole = path.read_bytes()
    file = json.loads(whole)
    for damaged in (
        b"",
        b"{",
        b"[" * 100_000,
        json.dumps({**file, "keys": {}}).encode(),
        json.dumps({**file, "version": 2}).encode(),
        (house.root / "inspector" / "keys.json").read_bytes().replace(b"Ida", b"Sam"),
    ):
        path.write_bytes(damaged)
        with pytest.raises(Refused) as refused:
            house.by(SAM, "unlock")
        assert refused.value.code in ("keys.damaged", "passphrase.wrong")
        house.forget_waiting()
    path.unlink()
    with refusal("keys.damaged"):
        house.by(SAM, "unlock")
    path.write_bytes(whole)
    house.by(SAM, "unlock")


@pytest.mark.parametrize("text", ["", "{}", "[", '{"act": {}, "keystore": null}'])
def test_a_pending_act_that_is_damaged_stops_the_process(house: TestHouse, text: str) -> None:
    house.kill()
    (house.root / "rng" / "pending.json").write_text(text)
    house.start()
    assert "pending.json" in str(house.rng.failure)


@pytest.mark.rule("X-draw-once")
@pytest.mark.parametrize("kind", ["REOPEN", "KEY", "HANDOVER"])
def test_an_act_added_to_the_journal_without_both_keys_is_found(
    house: TestHouse, kind: str
) -> None:
    under_both_keys(house, SAM, "series", series="LATE", first_game=1)
    house.kill()
    path = house.root / "rng" / "journal.jsonl"
    lines = path.read_bytes().splitlines()
    added = json.loads(lines[-1])
    act = next(json.loads(line)["document"] for line in lines if b'"kind":"SERIES"' in line)
    forged = {**added, "kind": kind, "document": act}
    path.write_bytes(rechained(b"\n".join([*lines, json.dumps(forged).encode()]) + b"\n"))
    house.start()
    assert house.rng.failure


@pytest.mark.rule("X-access")
def test_a_holder_whose_public_half_was_exchanged_is_given_nothing(house: TestHouse) -> None:
    """Whoever can write the key file cannot put himself in the place of a holder."""
    path = house.root / "rng" / "keys.json"
    file = json.loads(path.read_bytes())
    for change in ({"public": "11" * 32}, {"name": "Mallory"}):
        spoiled = {**file, "holders": [file["holders"][0], {**file["holders"][1], **change}]}
        path.write_text(json.dumps(spoiled))
        with refusal("keys.damaged"):
            house.by(SAM, "rotate", key="rng")
    path.write_text(json.dumps({**file, "holders": [{**file["holders"][0], "cost": 3}]}))
    with refusal("keys.damaged"):
        house.by(SAM, "rotate", key="rng")


@pytest.mark.rule("X-draw-once")
def test_the_inspector_begins_and_buries_nothing_while_its_own_new_key_waits(
    house: TestHouse,
) -> None:
    house.by(IDA, "rotate", key="inspector")
    with refusal("act.key_pending"):
        house.office.draw("M")
    with refusal("act.key_pending"):
        house.office.void("M", "A key waits.")
    house.to_inspector.drop_requests_of = {"approved"}
    with refusal("inspector.unreachable"):
        house.approve(SAM)
    house.to_inspector.drop_requests_of = set()
    with refusal("act.key_pending"):
        house.office.void("M", "A key waits.")
    house.approve(SAM)
    house.unlock_sealed()
    publish(house, "inspector")
    house.office.void("M", "Its seal was under the old key.")
    house.office.draw("M")
    check_books_after(house)


def test_the_inspector_can_take_back_what_the_generator_has_not_seen(house: TestHouse) -> None:
    house.by(IDA, "rotate", key="mark")
    house.by(IDA, "withdraw")
    assert house.by(IDA, "pending")["act"] is None
    house.office.draw("M")


def test_a_pending_act_of_another_time_is_not_carried_out(house: TestHouse) -> None:
    """An old copy of the folder brings an act that both keys carried out long ago."""
    house.by(SAM, "series", series="LATE", first_game=1)
    old = (house.root / "rng" / "pending.json").read_bytes()
    house.by(SAM, "pending")
    house.approve(IDA)
    house.by(SAM, "pending")
    house.kill()
    (house.root / "rng" / "pending.json").write_bytes(old)
    house.start()
    house.unlock()
    assert house.by(SAM, "pending")["act"] is None
    house.office.draw("LATE")
    house.office.draw("LATE")
    check_books(house)
