"""Outcomes: every game that is past its lock has one, sound and in an unbroken chain."""

from collections.abc import Iterator, Mapping

from app.audit.books.stored import OPEN, Stored
from app.audit.faults import Fault
from app.store.queries.books import StoredOutcome
from rng.lab.verify import Wrong, verify_against_statement, verify_void

WAITS = ("open", "locked")


def check_outcomes(stored: Stored) -> Iterator[Fault]:
    """One outcome for a game that was locked, and none for one that was not (X-draw-once)."""
    for (series, number), game in stored.games.items():
        outcome = stored.outcomes.get((series, number))
        name = f"{series}-{number}"
        if (outcome is None) != (game.state in WAITS):
            yield Fault("outcomes", f"game {name} is {game.state}, and its outcome says otherwise")
        elif outcome is not None:
            if (outcome.numbers is None) != (game.state == "void"):
                yield Fault("outcomes", f"game {name} is {game.state} with another's outcome")
            yield from _check_told(stored, outcome, name)
            yield from _check_chain(stored, outcome, name)
            yield from _check_signed(outcome, stored.statements, stored.draw_keys, name)
    if set(stored.outcomes) - set(stored.games):
        yield Fault("outcomes", "there are outcomes of games that never were")


def _check_told(stored: Stored, outcome: StoredOutcome, name: str) -> Iterator[Fault]:
    """The numbers are twenty of the eighty, and those of the record and of the log."""
    numbers = outcome.numbers
    if numbers is not None and (
        len(numbers) != 20 or len(set(numbers)) != 20 or not set(numbers) <= set(range(1, 81))
    ):
        yield Fault("outcomes", f"the numbers of {name} are not twenty of the eighty")
    body = stored.bodies.get(outcome.entry, {})
    record = outcome.document["record"]["body"]
    if (body.get("series"), body.get("game")) != (outcome.series, outcome.game):
        yield Fault("outcomes", f"the entry of {name} is about another game")
    if not body.get("numbers") == record.get("numbers") == numbers:
        yield Fault("outcomes", f"the numbers of {name} are not those of its record and its entry")
    if body.get("record") != outcome.record.hex():
        yield Fault("outcomes", f"the record of {name} is not the one of its entry")


def _check_chain(stored: Stored, outcome: StoredOutcome, name: str) -> Iterator[Fault]:
    before = stored.outcomes.get((outcome.series, outcome.game - 1))
    record = outcome.document["record"]["body"]
    if before is not None and record["previous"] != before.record.hex():
        yield Fault("outcomes", f"the record of {name} does not follow the one before it")
    if (record["series"], record["game"]) != (outcome.series, outcome.game):
        yield Fault("outcomes", f"the record of {name} is that of another game")


def _check_signed(
    outcome: StoredOutcome,
    statements: Mapping[tuple[str, int], object],
    keys: Mapping[str, str],
    name: str,
) -> Iterator[Fault]:
    """As anybody could check it: from public keys alone, against its own statement."""
    if not keys:
        yield Fault("outcomes", f"there are no public keys to check {name} with")
        return
    try:
        if outcome.numbers is None:
            verify_void(outcome.document, keys)
        else:
            statement = statements.get((outcome.series, outcome.game))
            verify_against_statement(outcome.document, statement, keys)
    except Wrong as found:
        yield Fault("outcomes", f"the outcome of {name} is not believed: {found}")


def check_locked_in_order(stored: Stored) -> Iterator[Fault]:
    """No game was locked while the one before it in its series was undrawn, by the log's order."""
    for (series, number), game in stored.games.items():
        before = stored.outcomes.get((series, number - 1))
        first = number == stored.first_games.get(series)
        if game.state == OPEN or first or game.lock_entry is None:
            continue
        if before is None or before.entry > game.lock_entry:
            message = f"game {series}-{number} was locked before the one before it was drawn"
            yield Fault("draws in turn", message)
