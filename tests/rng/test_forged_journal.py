"""Rules that stand behind correct signatures: a forger with every key breaks one, and is found.

Each story is a journal that is sound up to its last line; that line breaks one rule, and the
verifier says which.
"""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from copy import deepcopy
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.rsa import generate_private_key
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from rng.core.canonical import canonical
from rng.core.mark import EXPONENT, MODULUS_BITS, make_mark, show_permutation
from rng.core.signing import document_hash, key_id, public_text
from rng.lab.practice_log import PracticeLog
from rng.lab.verify import Wrong, read_keys, verify_against_statement, verify_draw, verify_void
from rng.lab.verify_journal import Report, verify_agreement, verify_journal
from rng.serve.refusals import Refused
from tests.rng.forger import ELSEWHERE, Forger, Game, loot, stranger
from tests.rng.house import TestHouse
from tests.rng.rollback import hand_over

Story = Callable[[Forger], None]
STORIES: list[Any] = []
ELSEWHERE_SIGNED = "it was signed for another place in the journal"
OTHER_GAME = "statement, tombstone and record are not of the same game"
OTHER_STATEMENT = "the tombstone or the record is of another statement"
OTHER_RECORD = "the record follows another record than its statement does"
TWO_ROOTS = "the log has two roots of one size"
BEFORE = "the game was marked or given up before"


def found(role: str, sentence: str) -> Callable[[Story], Story]:
    """A story in the journal of a role whose last line is found to be wrong, in these words."""

    def kept(story: Story) -> Story:
        name = story.__name__.replace("_", " ")
        STORIES.append(pytest.param(role, story, sentence, id=f"{role}: {name}"))
        return story

    return kept


@contextmanager
def says(sentence: str) -> Iterator[None]:
    """What is found inside is said in just these words."""
    with pytest.raises(Wrong) as found_out:
        yield
    assert str(found_out.value) == sentence


def checked(forger: Forger, path: Path, lines: int | None = None) -> Report:
    """What the verifier says of a journal, or of its first lines."""
    return verify_journal(forger.save(path, lines), loot().public)


# ---- the control: what the forger does not change is sound ---------------------------------------


def honest_day(forger: Forger) -> None:
    """Everything once, and all of it in order."""
    forger.genesis()
    forger.write("UNLOCKED", {"holder": "Sam"})
    game = forger.draw()
    if forger.role == "rng":
        forger.write("PRINTED", printed(game))
    forger.draw(forger.begin(forger.lock("S")))
    forger.void(forger.bury() if forger.role == "inspector" else None)
    lockout = forger.lock_out()
    forger.reopen(forger.role, lockout)
    forger.act("SERIES", "series", "rng", series="LATE", first_game=7)
    forger.act(
        "HOLDERS", "holders", forger.role, role=forger.role, change="add X", holders=["Sam", "X"]
    )
    forger.write("UNLOCKED", {"holder": "X"})
    forger.rotate("log", stranger())


def printed(game: Game) -> dict[str, object]:
    return {"record": document_hash(game.record["body"]), "paper": ELSEWHERE, "reprint": False}


@pytest.mark.rule("X-draw-public")
@pytest.mark.parametrize("role", ["rng", "inspector"])
def test_what_the_forger_leaves_alone_is_sound(role: str, tmp_path: Path) -> None:
    forger = Forger(role)
    honest_day(forger)
    report = checked(forger, tmp_path / "journal.jsonl")
    assert (report.drawn, report.void, report.role) == (2, 1, role)


@pytest.mark.rule("X-draw-public", "X-draw-once")
@pytest.mark.parametrize("role", ["rng", "inspector"])
def test_a_game_that_was_begun_is_finished_in_spite_of_some_lockouts(
    role: str, tmp_path: Path
) -> None:
    forger = Forger(role)
    forger.genesis()
    game = forger.begin() if role == "rng" else forger.lock()
    for reason in ("software", "repeat", "health"):
        forger.lock_out(reason=reason)
    forger.draw(game if role == "rng" else forger.begin(game))
    forger.lock_out(reason="selftest")
    forger.void(forger.bury() if role == "inspector" else None)
    report = checked(forger, tmp_path / "journal.jsonl")
    assert (report.drawn, report.void) == (1, 1)


@pytest.mark.rule("X-draw-public")
@pytest.mark.parametrize("taker", ["rng", "inspector"])
def test_a_handover_that_the_forger_leaves_alone_is_sound(taker: str, tmp_path: Path) -> None:
    giver, new = Forger("inspector" if taker == "rng" else "rng"), Forger(taker, epoch=2)
    giver.genesis()
    giver.draw()
    new.genesis(giver.hand_over())
    new.log = deepcopy(giver.log)
    new.draw()
    checked(giver, tmp_path / "giver.jsonl")
    assert checked(new, tmp_path / "journal.jsonl").epoch == 2


# ---- lines ---------------------------------------------------------------------------------------


@found("rng", "the line does not follow the one before it")
def a_line_with_the_number_of_another(forger: Forger) -> None:
    forger.genesis()
    forger.write("LOCKED", {"reason": "Why not."}, index=2)


@found("rng", "the line does not follow the one before it")
def a_line_that_follows_another_line(forger: Forger) -> None:
    forger.genesis()
    forger.write("LOCKED", {"reason": "Why not."}, previous=ELSEWHERE)


@found("rng", "a genesis is the first line and only that")
def a_second_genesis(forger: Forger) -> None:
    forger.genesis()
    forger.genesis()


@found("rng", "a genesis is the first line and only that")
def no_genesis(forger: Forger) -> None:
    forger.write("LOCKED", {"reason": "Why not."})


@found("rng", "there is no kind of line 'WISH'")
def a_kind_of_line_that_there_is_not(forger: Forger) -> None:
    forger.genesis()
    forger.write("WISH", {})


@found("inspector", "INTENT does not belong in the journal of the inspector")
def an_intent_in_the_journal_of_the_inspector(forger: Forger) -> None:
    forger.genesis()
    forger.write("INTENT", forger.intend().parts("statement", "seal", "intent"))


@found("rng", "COSIGNED does not belong in the journal of the rng")
def a_cosignature_in_the_journal_of_the_generator(forger: Forger) -> None:
    forger.genesis()
    forger.write("COSIGNED", {"note": forger.checkpoint()})


# ---- the ceremony --------------------------------------------------------------------------------


@found("rng", "a later journal starts with a handover")
def a_second_journal_out_of_nothing(forger: Forger) -> None:
    forger.genesis(epoch=2)


@found("rng", "the office key is not among the public keys")
def a_house_with_the_office_of_a_stranger(forger: Forger) -> None:
    keys = {**forger.house["keys"], "office": stranger()}
    forger.genesis(house={**forger.house, "keys": keys})


@found("rng", "the handover is for another journal")
def a_journal_that_starts_from_the_handover_of_another(forger: Forger) -> None:
    forger.epoch = 3
    forger.genesis(forger.handover("rng", epoch=2))


@found("rng", "the handover is for another journal")
def a_journal_of_another_house_than_its_handover(forger: Forger) -> None:
    forger.epoch = 2
    house = {**forger.house, "series": {"M": 1}}
    forger.genesis(forger.handover("rng", house=house))


def open_game(forger: Forger, **changes: object) -> dict[str, Any]:
    """A game that is marked and has no record, as a handover has it."""
    game = forger.intend(**changes)
    return game.parts("statement", "seal", "intent", "mark")


@found("rng", "the intent is of another statement")
def an_open_game_with_the_intent_of_another(forger: Forger) -> None:
    forger.epoch = 2
    forger.genesis(forger.handover("rng", open_games=[open_game(forger, statement=ELSEWHERE)]))


@found("rng", "M-1 is not the next game of its series")
def an_open_game_that_is_not_the_next(forger: Forger) -> None:
    forger.epoch = 2
    given = [open_game(forger)]
    forger.series["M"] = {"next": 2, "previous": ELSEWHERE}
    forger.genesis(forger.handover("rng", open_games=given))


@found("rng", "M-1 does not follow the record before it")
def a_given_up_game_that_follows_another_record(forger: Forger) -> None:
    forger.epoch = 2
    grave = forger.grave(forger.give_up(previous=ELSEWHERE))
    forger.genesis(forger.handover("rng", buried_games=[grave]))


@found("rng", "a first journal starts without a handover")
def a_first_journal_that_starts_from_a_handover(forger: Forger) -> None:
    forger.genesis(forger.handover("rng", epoch=1))


@found("rng", "a first journal starts without a handover")
def a_journal_before_the_first(forger: Forger) -> None:
    forger.epoch = 0
    forger.genesis(forger.handover("rng", epoch=0))


@found("rng", "a game was handed over twice")
def one_game_handed_over_with_two_intents(forger: Forger) -> None:
    forger.epoch = 2
    game = forger.lock()
    games = [
        forger.intend(game, r=r).parts("statement", "seal", "intent", "mark")
        for r in (ELSEWHERE, "e" * 64)
    ]
    forger.genesis(forger.handover("rng", open_games=games))


@found("rng", "a game was handed over twice")
def one_game_handed_over_as_marked_and_as_given_up(forger: Forger) -> None:
    forger.epoch = 2
    games, graves = [open_game(forger)], [forger.grave()]
    forger.genesis(forger.handover("rng", open_games=games, buried_games=graves))


@found("rng", "the tombstone is of another statement")
def a_game_handed_over_with_the_tombstone_of_another(forger: Forger) -> None:
    forger.epoch = 2
    forger.genesis(forger.handover("rng", buried_games=[forger.grave(game=2)]))


@found("rng", "the statement names another key than that in force")
def a_given_up_game_whose_statement_names_another_key(forger: Forger) -> None:
    forger.epoch = 2
    grave = forger.grave(forger.give_up(office_key=ELSEWHERE))
    forger.genesis(forger.handover("rng", buried_games=[grave]))


@found("rng", "it is of another house or jurisdiction")
def a_game_handed_over_from_another_house(forger: Forger) -> None:
    forger.epoch = 2
    game = forger.intend(forger.lock(house="Elsewhere"), house="Elsewhere")
    given = game.parts("statement", "seal", "intent", "mark")
    forger.genesis(forger.handover("rng", open_games=[given]))


@found("rng", "the signatures are not those of the keys that have to sign")
def a_game_handed_over_with_an_intent_that_the_inspector_made_up(forger: Forger) -> None:
    """Whoever holds both the mark key and the secret can choose the numbers."""
    forger.epoch = 2
    game = open_game(forger)
    game["intent"] = forger.sealed(game["intent"]["body"], "inspector")
    forger.genesis(forger.handover("rng", open_games=[game]))


@found("rng", "the rng key is not among the public keys")
def a_game_handed_over_for_a_generator_that_nobody_knows(forger: Forger) -> None:
    forger.epoch = 2
    game = forger.intend(forger.lock(rng_key=ELSEWHERE))
    given = game.parts("statement", "seal", "intent", "mark")
    forger.genesis(forger.handover("rng", open_games=[given]))


@found("rng", "the cosigned checkpoint is not the one of the statement")
def a_game_handed_over_with_the_seal_of_another(forger: Forger) -> None:
    forger.epoch = 2
    game = open_game(forger)
    game["seal"] = forger.lock("S").seal
    forger.genesis(forger.handover("rng", open_games=[game]))


@found("rng", "the game was given up before")
def a_draw_of_a_game_that_was_handed_over_as_given_up(forger: Forger) -> None:
    forger.epoch = 2
    forger.genesis(forger.handover("rng", buried_games=[forger.grave()]))
    forger.begin()


# ---- handing over --------------------------------------------------------------------------------


@found("rng", "a role hands over to the other, from its own journal")
def a_handover_to_oneself(forger: Forger) -> None:
    forger.genesis()
    body = forger.handover("rng")["body"]
    forger.write("HANDOVER", forger.sealed(body, "rng"))


@found("inspector", "a role hands over to the other, from its own journal")
def a_handover_from_another_journal(forger: Forger) -> None:
    forger.genesis()
    forger.hand_over(giver_epoch=2)


@found("inspector", "the handover is of another house")
def a_handover_of_a_house_with_other_series(forger: Forger) -> None:
    forger.genesis()
    forger.hand_over(house={**forger.house, "series": {"M": 1}})


@found("inspector", "the handover changes keys that are not the other role's")
def a_handover_that_gives_the_office_a_new_key(forger: Forger) -> None:
    forger.genesis()
    keys = {**forger.house["keys"], "office": stranger()}
    forger.hand_over(house={**forger.house, "keys": keys})


@found("inspector", "the new rng key is not among the public keys")
def a_handover_to_the_key_of_a_stranger(forger: Forger) -> None:
    forger.genesis()
    forger.hand_over(house={**forger.house, "keys": {**forger.house["keys"], "rng": stranger()}})


@found("inspector", "the handover vouches for another standing than that of its journal")
def a_handover_that_forgets_a_game(forger: Forger) -> None:
    forger.genesis()
    before = deepcopy(forger.standing())
    forger.draw()
    forger.hand_over(standing=before)


@found("inspector", "the handover has other open games than its journal")
def a_handover_that_forgets_a_mark(forger: Forger) -> None:
    forger.genesis()
    forger.begin()
    forger.hand_over()


@found("inspector", "the handover has other open games than its journal")
def a_handover_with_another_intent_than_was_marked(forger: Forger) -> None:
    forger.genesis()
    game = forger.begin()
    other = forger.sealed({**game.intent["body"], "r": ELSEWHERE}, "rng")
    forger.hand_over(
        open_games=[{**game.parts("statement", "seal", "intent", "mark"), "intent": other}]
    )


@found("inspector", "the handover has other games that are given up than its journal")
def a_handover_that_forgets_a_tombstone(forger: Forger) -> None:
    forger.genesis()
    forger.bury()
    forger.hand_over()


@found("inspector", "the handover has another checkpoint than its journal")
def a_handover_that_forgets_the_inspectors_last_checkpoint(forger: Forger) -> None:
    forger.genesis()
    forger.lock()
    forger.hand_over(checkpoint=None)


@found("rng", "the handover has another checkpoint than its journal")
def a_handover_that_forgets_the_checkpoint_of_a_draw(forger: Forger) -> None:
    forger.genesis()
    forger.draw()
    forger.hand_over(checkpoint=None)


@found("inspector", "the new journal does not follow the other role's last one")
def a_second_handover_for_one_journal(forger: Forger) -> None:
    forger.genesis()
    forger.hand_over()
    forger.hand_over()


# ---- beginning a game ----------------------------------------------------------------------------


@found("rng", "a draw was begun during a lockout")
def a_draw_begun_during_a_lockout(forger: Forger) -> None:
    forger.genesis()
    forger.lock_out()
    forger.begin()


@found("rng", "the game has an intent already")
def a_second_intent_for_a_game(forger: Forger) -> None:
    forger.genesis()
    game = forger.begin()
    forger.begin(forger.intend(game))


@found("rng", "the draw was begun with software that both keys had not accepted")
def an_intent_of_other_software(forger: Forger) -> None:
    forger.genesis()
    forger.begin(forger.intend(software=ELSEWHERE))


@found("rng", "the statement is of another log")
def a_statement_of_another_log(forger: Forger) -> None:
    forger.genesis()
    forger.begin(forger.lock(log_origin="elsewhere.example/keno"))


@found("rng", "it is of another house or jurisdiction")
def a_statement_of_another_jurisdiction(forger: Forger) -> None:
    forger.genesis()
    forger.begin(forger.lock(jurisdiction="elsewhere"))


@found("rng", "the intent is of another statement")
def an_intent_of_another_statement(forger: Forger) -> None:
    forger.genesis()
    forger.begin(forger.intend(statement=ELSEWHERE))


@found("rng", "the intent is of another statement")
def an_intent_of_another_game_than_its_statement(forger: Forger) -> None:
    forger.genesis()
    forger.begin(forger.intend(game=2))


@found("rng", "the statement names other keys than those in force")
def a_statement_that_names_another_mark_key(forger: Forger) -> None:
    forger.genesis()
    forger.begin(forger.lock(mark_key=ELSEWHERE))


@found("rng", "the intent does not follow the last mark")
def an_intent_that_follows_another_mark(forger: Forger) -> None:
    forger.genesis()
    forger.draw()
    forger.begin(forger.intend(last_mark=ELSEWHERE))


@found("rng", ELSEWHERE_SIGNED)
def an_intent_for_another_place(forger: Forger) -> None:
    forger.genesis()
    forger.begin(forger.intend(journal={**forger.place(), "index": 9}))


@found("rng", "M-2 is not the next game of its series")
def a_game_left_out(forger: Forger) -> None:
    forger.genesis()
    forger.begin(forger.lock(game=2))


@found("rng", "Z-1 is not the next game of its series")
def a_game_of_a_series_that_there_is_not(forger: Forger) -> None:
    forger.genesis()
    forger.begin(forger.lock(series="Z"))


@found("rng", "M-2 does not follow the record before it")
def a_game_that_follows_another_record(forger: Forger) -> None:
    forger.genesis()
    forger.draw()
    forger.begin(forger.lock(previous=ELSEWHERE))


# ---- marking -------------------------------------------------------------------------------------


@found("inspector", BEFORE)
def a_second_mark_for_a_game(forger: Forger) -> None:
    forger.genesis()
    game = forger.begin()
    forger.begin(forger.intend(game))


@found("inspector", BEFORE)
def a_mark_for_a_game_that_was_given_up(forger: Forger) -> None:
    forger.genesis()
    game = forger.lock()
    forger.bury()
    forger.begin(game)


@found("inspector", "the receipt is of another game")
def a_receipt_of_another_game(forger: Forger) -> None:
    forger.genesis()
    forger.begin(forger.lock(), game=2)


@found("inspector", "the receipt is of another mark")
def a_receipt_of_another_mark(forger: Forger) -> None:
    forger.genesis()
    forger.begin(forger.lock(), mark=ELSEWHERE)


@found("inspector", "the receipt is of another mark")
def a_receipt_of_another_intent(forger: Forger) -> None:
    forger.genesis()
    forger.begin(forger.lock(), intent=ELSEWHERE)


@found("inspector", ELSEWHERE_SIGNED)
def a_receipt_for_another_place(forger: Forger) -> None:
    forger.genesis()
    forger.begin(forger.lock(), journal={**forger.place(), "epoch": 2})


@found("inspector", "the intent is of another journal of the generator than that in force")
def a_mark_for_a_generator_that_was_replaced(forger: Forger) -> None:
    forger.genesis()
    forger.hand_over()
    forger.begin(forger.lock())


@found("inspector", "two intents were signed for one place in the generator's journal")
def two_intents_for_one_place(forger: Forger) -> None:
    forger.genesis()
    place = {"epoch": 1, "index": 5, "previous": ELSEWHERE}
    forger.draw(forger.begin(forger.intend(journal=place)))
    forger.begin(forger.intend(journal=place))


# ---- records -------------------------------------------------------------------------------------


@found("rng", "the game was drawn without an intent")
def a_draw_without_an_intent(forger: Forger) -> None:
    forger.genesis()
    forger.draw(forger.intend())


@cache
def second_mark_key() -> Any:  # noqa: ANN401  a key, and its roots
    """Another mark key, shown to be a permutation: making one takes its time."""
    private = generate_private_key(EXPONENT, MODULUS_BITS)
    return private, public_text(private.public_key()), show_permutation(private)


@found("inspector", "the record has another mark than the inspector gave")
def a_record_marked_with_a_key_that_came_after_the_mark(forger: Forger) -> None:
    forger.genesis()
    game = forger.begin()
    private, new, roots = second_mark_key()
    fields = {"role": "mark", "old": key_id(forger.publics["mark"]), "new": new}
    forger.act("KEY", "key", "inspector", mark_key_roots=roots, **fields)
    game.mark = make_mark(private, canonical(game.intent["body"]))
    forger.draw(game)


@found("rng", "statement, intent and record are not of the same game")
def a_record_of_another_house(forger: Forger) -> None:
    forger.genesis()
    forger.draw(house="Elsewhere")


@found("rng", "the intent or the record is of another statement")
def a_record_of_another_statement(forger: Forger) -> None:
    forger.genesis()
    forger.draw(statement=ELSEWHERE)


@found("rng", "the record is of another intent")
def a_record_of_another_intent(forger: Forger) -> None:
    forger.genesis()
    forger.draw(intent=ELSEWHERE)


@found("rng", "the numbers do not follow from intent and mark")
def a_record_of_wished_for_numbers(forger: Forger) -> None:
    forger.genesis()
    forger.draw(numbers=list(range(1, 21)))


@found("rng", "there was nothing to print")
def a_record_printed_twice(forger: Forger) -> None:
    forger.genesis()
    game = forger.draw()
    forger.write("PRINTED", printed(game))
    forger.write("PRINTED", printed(game))


# ---- voiding -------------------------------------------------------------------------------------


@found("inspector", "a marked game was voided")
def a_marked_game_voided(forger: Forger) -> None:
    forger.genesis()
    forger.begin()
    forger.void()


@found("inspector", "the record names another tombstone than the inspector made")
def a_void_with_another_tombstone(forger: Forger) -> None:
    forger.genesis()
    grave = forger.bury()
    forger.void(forger.grave(grave["statement"]))


@found("inspector", "the game was voided without a tombstone")
def a_void_without_a_tombstone(forger: Forger) -> None:
    forger.genesis()
    forger.void()


@found("inspector", "the tombstone is of another statement")
def a_tombstone_of_another_statement(forger: Forger) -> None:
    forger.genesis()
    forger.bury(statement=ELSEWHERE)


@found("inspector", "the tombstone is of another statement")
def a_tombstone_of_another_game(forger: Forger) -> None:
    forger.genesis()
    forger.bury(game=2)


@found("inspector", ELSEWHERE_SIGNED)
def a_tombstone_for_another_place(forger: Forger) -> None:
    forger.genesis()
    forger.bury(journal={**forger.place(), "previous": ELSEWHERE})


@found("inspector", BEFORE)
def a_marked_game_given_up(forger: Forger) -> None:
    forger.genesis()
    forger.begin()
    forger.bury()


@found("inspector", BEFORE)
def a_game_given_up_twice(forger: Forger) -> None:
    forger.genesis()
    forger.bury()
    forger.bury()


@found("rng", "the statement names another key than that in force")
def a_void_statement_that_names_another_key(forger: Forger) -> None:
    forger.genesis()
    forger.void(forger.grave(forger.give_up(office_key=ELSEWHERE)))


@found("rng", "it is of another house or jurisdiction")
def a_void_statement_of_another_house(forger: Forger) -> None:
    forger.genesis()
    forger.void(forger.grave(forger.give_up(house="Elsewhere")))


@found("rng", "statement, tombstone and record are not of the same game")
def a_void_with_the_tombstone_of_another_game(forger: Forger) -> None:
    forger.genesis()
    forger.void(forger.grave(game=2))


# ---- the log -------------------------------------------------------------------------------------


@found("inspector", "the log became smaller")
def a_log_that_became_smaller(forger: Forger) -> None:
    forger.genesis()
    forger.lock()
    forger.lock("S")
    forger.write("COSIGNED", {"note": forger.checkpoint(size=1)})


@found("inspector", TWO_ROOTS)
def a_log_with_two_roots_of_one_size(forger: Forger) -> None:
    forger.genesis()
    forger.lock()
    forger.write("COSIGNED", {"note": forger.checkpoint(b"x" * 32)})


@found("inspector", TWO_ROOTS)
def a_game_sealed_in_another_log_than_that_of_the_journal(forger: Forger) -> None:
    forger.genesis()
    forger.lock()
    forger.begin(forger.intend(Forger("rng", entry="another sold file").lock()))


@found("rng", TWO_ROOTS)
def two_games_sealed_in_two_logs(forger: Forger) -> None:
    forger.genesis()
    forger.draw()
    forger.log, forger.entry = PracticeLog(), "another sold file"
    forger.begin()


@found("inspector", TWO_ROOTS)
def a_log_with_another_root_after_a_handover(forger: Forger) -> None:
    giver = Forger("rng")
    giver.genesis()
    giver.draw()
    forger.epoch = 2
    forger.genesis(giver.hand_over())
    forger.write("COSIGNED", {"note": forger.checkpoint(b"x" * 32, size=1)})


# ---- lockouts and acts under both keys -----------------------------------------------------------


@found("rng", "the lockout is of the other role")
def a_lockout_of_the_other_role(forger: Forger) -> None:
    forger.genesis()
    forger.lock_out(role="inspector")


@found("rng", "it is of another house or jurisdiction")
def a_lockout_of_another_house(forger: Forger) -> None:
    forger.genesis()
    forger.lock_out(house="Elsewhere")


@found("rng", "there was no such lockout")
def a_lockout_ended_that_never_was(forger: Forger) -> None:
    forger.genesis()
    lockout = forger.lock_out()
    forger.reopen("rng", {**lockout, "detail": "Something else failed."})


@found("inspector", "the lockout is of the other role")
def a_lockout_ended_in_the_name_of_the_other_role(forger: Forger) -> None:
    forger.genesis()
    lockout = forger.lock_out()
    forger.reopen("rng", lockout)


@found("inspector", "a game was marked during a lockout")
def a_mark_of_an_inspector_that_was_set_back(forger: Forger) -> None:
    forger.genesis()
    game = forger.lock()
    forger.lock_out(reason="restored")
    forger.begin(game)


@found("rng", "a game was completed during a lockout")
def a_record_of_a_generator_that_was_superseded(forger: Forger) -> None:
    forger.genesis()
    game = forger.begin()
    forger.lock_out(reason="superseded")
    forger.draw(game)


@found("inspector", "the log was cosigned during a lockout")
def a_log_cosigned_by_an_inspector_that_was_set_back(forger: Forger) -> None:
    forger.genesis()
    forger.lock_out(reason="restored")
    forger.lock()


@found("inspector", "a game was given up during a lockout")
def a_game_given_up_by_an_inspector_whose_journal_failed(forger: Forger) -> None:
    forger.genesis()
    forger.lock_out(reason="journal")
    forger.bury()


@found("rng", "a game was given up during a lockout")
def a_game_given_up_by_a_generator_that_was_set_back(forger: Forger) -> None:
    forger.genesis()
    forger.lock_out(reason="restored")
    forger.void()


@found("rng", "it is of another house or jurisdiction")
def an_act_of_another_house(forger: Forger) -> None:
    forger.genesis()
    forger.act("SERIES", "series", "rng", series="LATE", first_game=1, house="Elsewhere")


@found("rng", "another key was in force")
def a_key_in_the_place_of_one_that_was_not_in_force(forger: Forger) -> None:
    forger.genesis()
    forger.rotate("log", stranger(), old=ELSEWHERE)


@found("rng", "the new key is another role's, or has roots that it should not have")
def a_key_that_is_another_roles(forger: Forger) -> None:
    forger.genesis()
    forger.rotate("log", forger.publics["office"])


@found("rng", "the new key is another role's, or has roots that it should not have")
def a_key_of_the_log_with_the_roots_of_a_mark_key(forger: Forger) -> None:
    forger.genesis()
    forger.rotate("log", stranger(), mark_key_roots=forger.house["mark_key_roots"])


@found("rng", "Mallory was no holder")
def a_stranger_who_unlocked(forger: Forger) -> None:
    forger.genesis()
    forger.write("UNLOCKED", {"holder": "Mallory"})


@found("rng", "Sue was no holder")
def one_who_was_removed_and_unlocked(forger: Forger) -> None:
    forger.genesis()
    names = ["Sam", "Stan"]
    forger.act("HOLDERS", "holders", "rng", role="rng", change="remove Sue", holders=names)
    forger.write("UNLOCKED", {"holder": "Sue"})


@found("rng", "there was such a series")
def a_series_that_began_twice(forger: Forger) -> None:
    forger.genesis()
    forger.act("SERIES", "series", "rng", series="S", first_game=1)


# ---- a new name of the log -----------------------------------------------------------------------


def left(forger: Forger, size: int, shown: int | None = None) -> dict[str, Any]:
    """What is left of the log, and that it continues a head of another size."""
    if not forger.log.size:
        return {"size": 0, "root": ELSEWHERE, "shown": {"size": 1, "root": ELSEWHERE, "proof": []}}
    seen = size if shown is None else shown
    proof = [step.hex() for step in forger.log.consistency(seen, size)]
    head = {"size": seen, "root": forger.log.root(seen).hex(), "proof": proof}
    return {"size": size, "root": forger.log.root(size).hex(), "shown": head}


@found("inspector", "what is left is neither shown to be a beginning nor said to be a fork")
def a_new_name_with_a_fork_that_is_not_said_to_be_one(forger: Forger) -> None:
    forger.genesis()
    forger.draw()
    new_origin(forger, kept={**left(forger, forger.log.size), "shown": None})


@found("rng", "what is left is neither shown to be a beginning nor said to be a fork")
def a_new_name_with_a_beginning_that_is_said_to_be_a_fork(forger: Forger) -> None:
    forger.genesis()
    forger.draw()
    new_origin(forger, fork=True)


@found("inspector", "what is left does not continue the head that is shown")
def a_new_name_for_what_does_not_continue_what_was_cosigned(forger: Forger) -> None:
    forger.genesis()
    forger.draw()
    new_origin(forger, kept={**left(forger, forger.log.size), "root": ELSEWHERE})


@found("inspector", "what is left is no beginning of what is given up")
def a_new_name_for_more_than_is_given_up(forger: Forger) -> None:
    forger.genesis()
    forger.draw()
    more = forger.log.size + 1
    new_origin(forger, kept={**left(forger, forger.log.size), "size": more})


@found("inspector", "what is left is not shown to continue the last head of its size")
def a_new_name_for_what_continues_only_an_older_head(forger: Forger) -> None:
    forger.genesis()
    forger.draw()
    shown = forger.log.size
    forger.draw()
    new_origin(forger, kept=left(forger, forger.log.size, shown))


@found("inspector", "what is left continues another head than the log had")
def a_new_name_for_what_continues_a_head_of_nobody(forger: Forger) -> None:
    forger.genesis()
    forger.draw()
    size = forger.log.size
    head = {"size": size, "root": ELSEWHERE, "proof": []}
    new_origin(forger, kept={"size": size, "root": ELSEWHERE, "shown": head})


def new_origin(forger: Forger, **changes: object) -> None:
    """Both keys give up the last head, and go on under another name."""
    fields: dict[str, object] = {
        "old_origin": forger.house["log_origin"],
        "new_origin": "elsewhere.example/log",
        "size": forger.log.size,
        "root": forger.log.root(forger.log.size).hex(),
        "kept": left(forger, forger.log.size),
        "fork": False,
        "reason": "the disk was lost",
    }
    forger.act("ORIGIN", "origin", "rng", **{**fields, **changes})


@found("rng", "the log had another name")
def a_new_name_for_another_log(forger: Forger) -> None:
    forger.genesis()
    forger.draw()
    new_origin(forger, old_origin="nobody.example/log")


@found("rng", "the log had this name before")
def a_name_that_the_log_had_before(forger: Forger) -> None:
    forger.genesis()
    forger.draw()
    new_origin(forger, new_origin=forger.house["log_origin"])


@found("rng", "the log got a new name while a game was being drawn or voided")
def a_new_name_in_the_middle_of_a_game(forger: Forger) -> None:
    forger.genesis()
    forger.begin()
    new_origin(forger)


@found("inspector", "the log got a new name while a game was being drawn or voided")
def a_new_name_behind_a_tombstone(forger: Forger) -> None:
    forger.genesis()
    forger.draw()
    forger.bury()
    new_origin(forger)


@found("rng", "it gives up an older head of the log than is known here")
def a_new_name_that_gives_up_an_old_head(forger: Forger) -> None:
    forger.genesis()
    forger.draw()
    forger.draw()
    new_origin(forger, size=1, root=forger.log.root(1).hex())


@found("inspector", "it gives up another head than the last that was cosigned")
def a_new_name_that_gives_up_another_head(forger: Forger) -> None:
    forger.genesis()
    forger.draw()
    new_origin(forger, root=ELSEWHERE)


@found("inspector", "it gives up another head than the last that was cosigned")
def a_new_name_that_gives_up_a_head_that_was_never_cosigned(forger: Forger) -> None:
    forger.genesis()
    forger.draw()
    new_origin(forger, size=77)


@found("rng", "the statement is of another log")
def a_draw_sealed_by_the_log_that_was_given_up(forger: Forger) -> None:
    forger.genesis()
    forger.draw()
    new_origin(forger)
    forger.begin()


@found("inspector", "the handover is of another house")
def a_handover_under_the_name_that_was_given_up(forger: Forger) -> None:
    forger.genesis()
    forger.draw()
    new_origin(forger)
    forger.note = None
    forger.write("HANDOVER", forger.handover("rng"))


# ---- found, line by line -------------------------------------------------------------------------


@pytest.mark.rule("X-draw-public")
@pytest.mark.parametrize(("role", "story", "sentence"), STORIES)
def test_a_forger_with_every_key_is_found_by_the_rule_that_he_breaks(
    role: str, story: Story, sentence: str, tmp_path: Path
) -> None:
    forger = Forger(role)
    story(forger)
    path, last = tmp_path / "journal.jsonl", len(forger.lines)
    if last > 1:
        checked(forger, path, last - 1)  # nothing else is wrong with it
    with says(f"journal.jsonl, line {last}: {sentence}"):
        checked(forger, path)


@pytest.mark.rule("X-rng-repeat", "X-draw-public")
@pytest.mark.parametrize("reopened", [False, True])
def test_after_an_exact_repeat_no_draw_is_begun_until_both_keys_reopen(
    reopened: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Even if its lockout has no line: it follows from the record. No keys can make a repeat."""
    for module in ("rng.lab.verify", "tests.rng.forger"):
        monkeypatch.setattr(f"{module}.draw_numbers", lambda *_: tuple(range(1, 21)))
    forger = Forger("rng")
    forger.genesis()
    forger.draw()
    game = forger.draw()
    if reopened:
        detail = "M-2 repeats the numbers of an earlier game"
        lockout = forger.body("lockout", role="both", reason="repeat", detail=detail)
        forger.reopen("rng", {**lockout, "record": document_hash(game.record["body"])})
        forger.begin()
        assert checked(forger, tmp_path / "journal.jsonl").drawn == 2
        return
    forger.begin()
    with says("journal.jsonl, line 6: a draw was begun during a lockout"):
        checked(forger, tmp_path / "journal.jsonl")


@pytest.mark.rule("X-draw-public")
def test_a_torn_or_empty_journal_is_found(tmp_path: Path) -> None:
    forger = Forger("rng")
    forger.genesis()
    path = forger.save(tmp_path / "journal.jsonl")
    path.write_bytes(path.read_bytes()[:-1])
    with says("journal.jsonl, line 1: the line is torn"):
        verify_journal(path, loot().public)
    path.write_bytes(b"")
    with says("journal.jsonl is empty"):
        verify_journal(path, loot().public)


# ---- what is published of one game ---------------------------------------------------------------


def published(forger: Forger, game: Game) -> dict[str, Any]:
    return forger.recorded(game).parts("statement", "seal", "intent", "record")


@pytest.mark.rule("X-draw-public")
@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"series": "S"}, "statement, intent and record are not of the same game"),
        ({"statement": ELSEWHERE}, "the intent or the record is of another statement"),
        ({"previous": ELSEWHERE}, OTHER_RECORD),
        ({"intent": ELSEWHERE}, "the record is of another intent"),
        ({"numbers": list(range(1, 21))}, "the numbers do not follow from intent and mark"),
    ],
)
def test_a_published_draw_with_a_forged_record_is_found(
    changes: dict[str, object], sentence: str
) -> None:
    forger = Forger("rng")
    draw = published(forger, forger.intend())
    verify_draw(draw, loot().public)
    draw["record"] = forger.sealed({**draw["record"]["body"], **changes}, "rng")
    with says(f"the draw: {sentence}"):
        verify_draw(draw, loot().public)


@pytest.mark.rule("X-draw-public")
@pytest.mark.parametrize(
    ("part", "changes", "sentence"),
    [
        ("record", {"game": 2}, OTHER_GAME),
        ("tombstone", {"series": "S"}, OTHER_GAME),
        ("tombstone", {"statement": ELSEWHERE}, OTHER_STATEMENT),
        ("record", {"statement": ELSEWHERE}, OTHER_STATEMENT),
        ("record", {"tombstone": ELSEWHERE}, "the record names another tombstone"),
        ("record", {"previous": ELSEWHERE}, OTHER_RECORD),
    ],
)
def test_a_published_void_with_a_forged_part_is_found(
    part: str, changes: dict[str, object], sentence: str
) -> None:
    forger = Forger("rng")
    void = forger.voided()
    verify_void(void, loot().public)
    signer = "rng" if part == "record" else "inspector"
    void[part] = forger.sealed({**void[part]["body"], **changes}, signer)
    with says(f"the void: {sentence}"):
        verify_void(void, loot().public)


@pytest.mark.rule("X-draw-public")
def test_a_published_draw_names_keys_that_are_among_the_public_ones() -> None:
    forger = Forger("rng")
    draw = published(forger, forger.intend(forger.lock(rng_key=ELSEWHERE)))
    with says("the draw: the rng key ffffffffffffffff is not among the public keys"):
        verify_draw(draw, loot().public)


@pytest.mark.rule("X-draw-public")
def test_a_draw_is_that_of_its_own_statement_only() -> None:
    forger = Forger("rng")
    draw, other = published(forger, forger.intend()), forger.lock("S").statement
    verify_against_statement(draw, draw["statement"], loot().public)
    with says("the statement: the draw was made for another statement"):
        verify_against_statement(draw, other, loot().public)


@pytest.mark.rule("X-draw-public")
def test_a_public_key_of_another_kind_is_none(tmp_path: Path) -> None:
    with says(f"there are no public keys in {tmp_path}"):
        read_keys(tmp_path)
    other = ec.generate_private_key(ec.SECP256R1()).public_key()
    pem = other.public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
    (tmp_path / "rng.pem").write_bytes(pem)
    with says("rng.pem is neither an Ed25519 nor an RSA key"):
        read_keys(tmp_path)
    (tmp_path / "rng.pem").write_text(json.dumps(pem.decode()))
    with says("rng.pem is no public key"):
        read_keys(tmp_path)


# ---- two journals --------------------------------------------------------------------------------


def both(tmp_path: Path, rng: Story, inspector: Story) -> tuple[Report, Report]:
    """The reports of two journals, each sound by itself."""
    reports = []
    for role, story in (("rng", rng), ("inspector", inspector)):
        forger = Forger(role)
        story(forger)
        reports.append(checked(forger, tmp_path / f"{role}.jsonl"))
    return reports[0], reports[1]


def follow(source: Forger, game: Game) -> Story:
    """Journal at the inspector what the generator did with a game."""

    def story(forger: Forger) -> None:
        forger.genesis()
        forger.write("COSIGNED", {"note": source.note})
        forger.draw(forger.begin(game))

    return story


@pytest.mark.rule("X-draw-public")
def test_two_journals_of_one_game_agree(tmp_path: Path) -> None:
    generator = Forger("rng")
    generator.genesis()
    game = generator.draw()
    inspector = Forger("inspector")
    follow(generator, game)(inspector)
    one = checked(generator, tmp_path / "rng.jsonl")
    other = checked(inspector, tmp_path / "inspector.jsonl")
    assert verify_agreement(one, other) == verify_agreement(other, one) == 1


def drew(forger: Forger) -> None:
    forger.genesis()
    forger.draw()


def voided(forger: Forger) -> None:
    forger.genesis()
    forger.void(forger.bury() if forger.role == "inspector" else None)


def marked(forger: Forger) -> None:
    forger.genesis()
    forger.begin()


def gave_up(forger: Forger) -> None:
    forger.genesis()
    forger.bury()


def idle(forger: Forger) -> None:
    forger.genesis()


@pytest.mark.rule("X-draw-public", "X-draw-once")
@pytest.mark.parametrize(
    ("rng", "inspector", "sentence"),
    [
        (drew, voided, "the journals have different records of M-1"),
        (drew, drew, "the journals have different records of M-1"),
        (voided, marked, "the journals differ about the mark of M-1"),
        (drew, gave_up, "the journals differ about the mark of M-1"),
        (drew, marked, "the journals differ about the mark of M-1"),
        (idle, marked, "the generator's journal lacks an intent that it has signed"),
        (drew, idle, "the inspector's journal lacks a mark that it has given"),
        (voided, idle, "the inspector's journal lacks a tombstone that it has made"),
    ],
)
def test_two_sound_journals_that_do_not_agree_are_found(
    rng: Story, inspector: Story, sentence: str, tmp_path: Path
) -> None:
    one, other = both(tmp_path, rng, inspector)
    for pair in ((one, other), (other, one)):
        with says(f"{sentence}"):
            verify_agreement(*pair)


@pytest.mark.rule("X-draw-public", "X-recovery")
@pytest.mark.parametrize("taker", ["rng", "inspector"])
def test_a_journal_that_starts_from_a_handover_agrees_with_the_one_that_gave_it(
    taker: str, tmp_path: Path
) -> None:
    giver, new = Forger("inspector" if taker == "rng" else "rng"), Forger(taker, epoch=2)
    drew(giver)
    unwritten = giver.handover(taker)
    new.genesis(unwritten)
    one = checked(new, tmp_path / "new.jsonl")
    with says(f"the handover that the {taker}'s journal starts from is not in the other"):
        verify_agreement(one, checked(giver, tmp_path / "giver.jsonl"))
    giver.write("HANDOVER", unwritten)
    assert verify_agreement(one, checked(giver, tmp_path / "giver.jsonl")) == 0


@pytest.mark.rule("X-draw-public", "X-draw-once")
@pytest.mark.parametrize("as_what", ["open_games", "buried_games"])
def test_what_was_handed_over_as_marked_or_given_up_is_so_in_the_journal_of_its_giver(
    as_what: str, tmp_path: Path
) -> None:
    """The inspector vouches for a mark, and later gives the game up; or the other way round."""
    giver, new = Forger("inspector"), Forger("rng", epoch=2)
    giver.genesis()
    given = [open_game(Forger("rng"))] if as_what == "open_games" else [Forger("rng").grave()]
    new.genesis(giver.handover("rng", **{as_what: given}))
    one = checked(new, tmp_path / "new.jsonl")
    if as_what == "open_games":
        giver.bury()
    else:
        giver.begin()
    two = checked(giver, tmp_path / "giver.jsonl")
    for pair in ((one, two), (two, one)):
        with says("the journals differ about the mark of M-1"):
            verify_agreement(*pair)


# ---- nobody is accused wrongly -------------------------------------------------------------------


def agreed(house: TestHouse) -> int:
    """How many games both journals of a house have; each is sound, and they agree."""
    house.rng.after()
    house.to_inspector.collect()
    keys = read_keys(house.root / "public")
    keys |= {f"{name}-1": public for name, public in house.old_keys.items()}
    rng, inspector = (
        verify_journal(house.root / role / "journal.jsonl", keys) for role in ("rng", "inspector")
    )
    return verify_agreement(rng, inspector)


@pytest.mark.rule("X-draw-public", "X-recovery")
@pytest.mark.parametrize(
    "new_keys",
    [False, pytest.param(True, marks=pytest.mark.proof)],  # keys take seconds to make
    ids=["disk lost", "disk and keys lost"],
)
@pytest.mark.parametrize("role", ["rng", "inspector"])
@pytest.mark.parametrize("lost", ["mark", "void", "deliver", "nothing"])
def test_an_honest_house_agrees_with_itself_whatever_was_lost(
    house: TestHouse, role: str, new_keys: bool, lost: str
) -> None:
    house.office.draw("M")
    house.office.draw("S")
    house.to_inspector.lose_answers_of = {lost}
    with suppress(Refused):
        if lost == "void":
            house.office.void("M", "The lights went out.")
        else:
            house.office.draw("M")
    house.to_inspector.lose_answers_of = set()
    hand_over(house, role, new_keys=new_keys)
    with suppress(Refused):  # a game that is void by now, or that is drawn instead
        if lost == "void":
            house.office.void("M", "The lights went out.")
    house.office.requests.clear()  # locked anew, for the keys that are now in force
    for series in ("S", "S"):
        house.office.draw(series)
    assert agreed(house) > 0
    house.restart()
    house.office.draw("S")
    hand_over(house, "rng" if role == "inspector" else "inspector", new_keys=False)
    house.office.draw("S")
    assert agreed(house) > 0  # those since the journal that was handed over last
