"""Outcomes: every game that is past its lock has one, sound and in an unbroken chain."""

from collections.abc import Iterator, Mapping

from app.audit.books.house import OPEN, House
from app.audit.books.looks import Look, Thing
from app.audit.books.played import Played
from app.audit.faults import Fault
from app.store.queries.books import played as queries
from app.store.queries.books.rows import StoredOutcome
from rng.lab.verify import Wrong, verify_against_statement, verify_void

WAITS = ("open", "locked")


def outcomes() -> list[Look]:
    """One outcome for a game that was locked, and none for one that was not (X-draw-once)."""
    tally = Tally()
    return [
        Look(Thing.GAME, check_outcome),
        Look(Thing.GAME, tally.count),
        Look(Thing.END, tally.check),
    ]


def check_outcome(played: Played, house: House) -> Iterator[Fault]:
    """A game has the outcome that its state says, and that is sound."""
    state, outcome, name = played.game.state, played.outcome, played.name
    if (outcome is None) != (state in WAITS):
        yield Fault("outcomes", f"game {name} is {state}, and its outcome says otherwise")
    elif outcome is not None:
        if (outcome.numbers is None) != (state == "void"):
            yield Fault("outcomes", f"game {name} is {state} with another's outcome")
        yield from _check_told(outcome, name)
        yield from _check_chain(outcome, played.before, name)
        yield from _check_signed(outcome, played.statement, house.draw_keys, name)


class Tally:
    """How many outcomes belong to games; there are no others."""

    def __init__(self) -> None:
        self._count = 0

    def count(self, played: Played, _: House) -> None:
        """Count the outcome of a game."""
        self._count += played.outcome is not None

    def check(self, _: object, house: House) -> Iterator[Fault]:
        """There are as many outcomes as games that have one."""
        if queries.outcomes_in_all(house.connection) != self._count:
            yield Fault("outcomes", "there are outcomes of games that never were")


def _check_told(outcome: StoredOutcome, name: str) -> Iterator[Fault]:
    """The numbers are twenty of the eighty, and those of the record and of the log."""
    numbers = outcome.numbers
    if numbers is not None and (
        len(numbers) != 20 or len(set(numbers)) != 20 or not set(numbers) <= set(range(1, 81))
    ):
        yield Fault("outcomes", f"the numbers of {name} are not twenty of the eighty")
    body = outcome.told or {}
    record = outcome.document["record"]["body"]
    if (body.get("series"), body.get("game")) != (outcome.series, outcome.game):
        yield Fault("outcomes", f"the entry of {name} is about another game")
    if not body.get("numbers") == record.get("numbers") == numbers:
        yield Fault("outcomes", f"the numbers of {name} are not those of its record and its entry")
    if body.get("record") != outcome.record.hex():
        yield Fault("outcomes", f"the record of {name} is not the one of its entry")


def _check_chain(
    outcome: StoredOutcome, before: StoredOutcome | None, name: str
) -> Iterator[Fault]:
    record = outcome.document["record"]["body"]
    if before is not None and record["previous"] != before.record.hex():
        yield Fault("outcomes", f"the record of {name} does not follow the one before it")
    if (record["series"], record["game"]) != (outcome.series, outcome.game):
        yield Fault("outcomes", f"the record of {name} is that of another game")


def _check_signed(
    outcome: StoredOutcome, statement: object, keys: Mapping[str, str], name: str
) -> Iterator[Fault]:
    """As anybody could check it: from public keys alone, against its own statement."""
    if not keys:
        yield Fault("outcomes", f"there are no public keys to check {name} with")
        return
    try:
        if outcome.numbers is None:
            verify_void(outcome.document, keys)
        else:
            verify_against_statement(outcome.document, statement, keys)
    except Wrong as found:
        yield Fault("outcomes", f"the outcome of {name} is not believed: {found}")


def draws_in_turn() -> list[Look]:
    """No game was locked while the one before it in its series was undrawn, by the log's order."""
    return [Look(Thing.GAME, check_turn)]


def check_turn(played: Played, house: House) -> Iterator[Fault]:
    """The game before this one was drawn before this one was locked."""
    game, before = played.game, played.before
    first = game.number == house.first_games.get(game.series)
    if game.state == OPEN or first or game.lock_entry is None:
        return
    if before is None or before.entry > game.lock_entry:
        message = f"game {played.name} was locked before the one before it was drawn"
        yield Fault("draws in turn", message)
