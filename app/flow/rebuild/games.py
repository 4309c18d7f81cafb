"""Games made again: opened, held, locked, drawn or void, settled, certified, frozen, released.

What became of a game is not believed from the log alone: the inspector's journal has the signed
record, and what the draw was asked with. Wins are graded again, and must come to the same digest.
"""

from collections.abc import Mapping
from datetime import datetime

from app.audit.checkpoints import checkpoint_of
from app.flow.draw import legs_of_void_game
from app.flow.rebuild.context import Act, Body, NotRebuilt, Rebuilding, moment, perhaps, taken
from app.flow.settle import grade_within
from app.keno.game import GameState
from app.store.queries import games as queries
from app.store.queries import outcomes, settling
from app.store.records import games, rebuilding
from app.store.records import outcomes as outcome_records
from app.store.records import settling as settling_records
from app.store.records.money import Leg, posting_rows
from app.store.records.outcomes import GameMoved, event_row, move_game
from app.store.records.running import set_schedule
from app.store.records.together import Row, add_rows
from app.store.tables import (
    Account,
    Certification,
    Outcome,
    Override,
    Release,
    Settlement,
    Verdict,
    VoidStatement,
)
from rng.note import Note, read_note, write_note


def opened(here: Rebuilding, entry: int, body: Body) -> str | None:
    """A game was opened."""
    at, closes_at = moment(body["opened_at"]), perhaps(body["closes_at"])
    card = here.card(body["card"])
    games.add_game(here.unit, body["series"], body["game"], card, closes_at, at)
    _tell(here, entry, body, "opened", {"closes_at": body["closes_at"]}, at)
    return None


def overridden(here: Rebuilding, entry: int, body: Body) -> str | None:
    """A supervisor changed when the open game closes."""
    at, closes_at = moment(body["time"]), perhaps(body["closes_now"])
    values = {
        "series": body["series"],
        "game": body["game"],
        "closed_before": perhaps(body["closed_before"]),
        "closes_now": closes_at,
        "reason": body["reason"],
        "staff": here.actor(body["by"]),
    }
    game = queries.open_game(here.unit.connection, body["series"])
    games.set_close(here.unit, body["series"], body["game"], closes_at)
    if game is not None and game.held_until is not None and closes_at is not None:
        until = min(game.held_until, closes_at)
        games.set_hold(here.unit, body["series"], body["game"], game.held_why, until)
    facts = {"closes_at": body["closes_now"]}
    told = event_row(here.unit, "closes", body["series"], body["game"], facts, at)
    add_rows(here.unit, entry, [(Override, values), told])
    return None


def held(here: Rebuilding, entry: int, body: Body) -> str | None:
    """The open game was held, or let go on."""
    which = (body["series"], body["game"])
    if body["why"] is None:
        games.set_hold(here.unit, *which, None, None)
        games.set_close(here.unit, *which, perhaps(body["closes_at"]))
        kind, facts = "closes", {"why": None, "closes_at": body["closes_at"]}
    else:
        games.set_hold(here.unit, *which, body["why"], perhaps(body["sells_until"]))
        kind, facts = "held", {"why": body["why"], "sells_until": body["sells_until"]}
    _tell(here, entry, body, kind, facts, moment(body["time"]))
    return None


def closes(here: Rebuilding, entry: int, body: Body) -> str | None:
    """The open game was given a time to close."""
    games.set_close(here.unit, body["series"], body["game"], perhaps(body["closes_at"]))
    _tell(here, entry, body, "closes", {"closes_at": body["closes_at"]}, moment(body["time"]))
    return None


def clock_jumped(here: Rebuilding, entry: int, body: Body) -> str | None:
    """The clock of the house jumped, and the open games close as much later or earlier."""
    for each in body["moved"]:
        games.set_close(here.unit, each["series"], each["game"], moment(each["closes_at"]))
        _tell(here, entry, each, "closes", {"closes_at": each["closes_at"]}, moment(body["time"]))
    return None


def scheduled(here: Rebuilding, entry: int, body: Body) -> str | None:  # noqa: ARG001  one form for all
    """The games of a series close at another interval."""
    after = body["after"]
    hours = (after["opens_minutes"], after["closes_minutes"])
    set_schedule(here.unit, body["series"], after["interval_seconds"], *hours)
    return None


def locked(here: Rebuilding, entry: int, body: Body) -> str | None:
    """A game was locked, with what was sold for it."""
    which, at = (body["series"], body["game"]), moment(body["locked_at"])
    tickets, handle_cents = body["tickets"], body["handle_cents"]
    games.lock_game(here.unit, *which, tickets, handle_cents, at, body["gaming_day"], entry)
    written = [Leg(Account.PREPAID, handle_cents), Leg(Account.WRITE, -handle_cents)]
    told = event_row(here.unit, "locked", *which, {"tickets": tickets}, at)
    add_rows(here.unit, entry, [*posting_rows(written), told])
    sold = queries.sold_file(here.unit.connection, *which)
    if (sold.tickets, sold.handle_cents) == (tickets, handle_cents):
        return None
    return f"{tickets} tickets were sold for this game, and {sold.tickets} are here."


def drawn(here: Rebuilding, entry: int, body: Body) -> str | None:
    """A game was drawn."""
    _end(here, entry, body, GameState.DRAWN, [])
    return None


def void_asked(here: Rebuilding, entry: int, body: Body) -> str | None:
    """A supervisor asked for a locked game to be voided: signed again, it is the same statement."""
    keyed = here.office.keyed
    if keyed is None:
        raise NotRebuilt("The keyed processes are not known here.")
    key = here.office.keys.office
    values = {
        "series": body["series"],
        "game": body["game"],
        "statement": keyed.void_statement(body, body["reason"], body["time"], key),
        "staff": here.actor(body["by"]),
    }
    add_rows(here.unit, entry, [(VoidStatement, values)])
    return None


def void(here: Rebuilding, entry: int, body: Body) -> str | None:
    """A game was voided."""
    legs = legs_of_void_game(body["handle_cents"])
    _end(here, entry, body, GameState.VOID, posting_rows(legs))
    return None


def _end(here: Rebuilding, entry: int, body: Body, after: GameState, rows: list[Row]) -> None:
    which, at = (body["series"], body["game"]), moment(body["time"])
    found = here.ended.get(which)
    if found is None:
        raise NotRebuilt("The inspector's journal does not have what became of it.")
    ended, request = found
    if ended.record.hex() != body["record"]:
        raise NotRebuilt("The inspector's journal has another record of it.")
    if request is not None:
        outcome_records.add_lock_request(here.unit, *which, request)
        note = request["seal"]["note"]
        rebuilding.put_back_head(here.unit, checkpoint_of(note).size, signed_alone(note), note, at)
    _move(here, body, GameState.LOCKED, after)
    outcome = {
        "series": body["series"],
        "game": body["game"],
        "numbers": ended.numbers,
        "document": ended.document,
        "record": ended.record,
        "ended_at": at,
    }
    told = event_row(here.unit, after.value, *which, {"numbers": ended.numbers}, at)
    add_rows(here.unit, entry, [(Outcome, outcome), told, *rows])


def signed_alone(note: str) -> str:
    """Return a cosigned head as the log signed it."""
    read = read_note(note)
    return write_note(Note(read.text, read.signatures[:1]))


# ---- wins ----------------------------------------------------------------------------------------


def settled(here: Rebuilding, entry: int, body: Body) -> str | None:
    """A game was settled: it is graded again, and comes to the same."""
    which, at = (body["series"], body["game"]), moment(body["time"])
    outcome = outcomes.outcome(here.unit.connection, *which)
    if outcome is None or outcome.numbers is None:
        raise NotRebuilt("The game is not drawn here.")
    before = settling.settlement(here.unit.connection, *which)
    graded = grade_within(here.office, here.unit, *which, outcome.numbers)
    if graded.digest != body["digest"]:
        raise NotRebuilt("Graded again it comes to other wins.")
    attempt = settling_records.begin_attempt(here.unit, *which)
    settling_records.add_wins(here.unit, attempt, graded.wins)
    if graded.shares:
        settling_records.add_shares(here.unit, attempt, graded.shares)
    row = {
        "attempt": attempt,
        **taken(body, "series game run tickets handle_cents winners win_cents paid_cents"),
        **taken(body, "limit_cents in_full_below_cents"),
        "wins_digest": bytes.fromhex(body["digest"]),
        "settled_at": at,
    }
    owed_cents = body["paid_cents"] - (0 if before is None else before.paid_cents)
    owed = [Leg(Account.WINS, owed_cents), Leg(Account.WINS_PAYABLE, -owed_cents)]
    _move(here, body, GameState.DRAWN, GameState.SETTLED)
    facts = {"winners": body["winners"], "paid_cents": body["paid_cents"]}
    told = event_row(here.unit, "settled", *which, facts, at)
    add_rows(here.unit, entry, [(Settlement, row), *posting_rows(owed), told])
    return None


def certified(here: Rebuilding, entry: int, body: Body) -> str | None:
    """A second grader agreed."""
    _judge(here, entry, body, Verdict.CERTIFIED, GameState.CERTIFIED)
    return None


def frozen(here: Rebuilding, entry: int, body: Body) -> str | None:
    """A second grader did not agree."""
    _judge(here, entry, body, Verdict.FROZEN, GameState.FROZEN)
    return None


def _judge(here: Rebuilding, entry: int, body: Body, verdict: Verdict, after: GameState) -> None:
    which, at = (body["series"], body["game"]), moment(body["time"])
    row = {
        "attempt": _attempt(here, body),
        "verdict": verdict.value,
        "differences": body["differences"],
        "certified_at": at,
        **taken(body, "tickets handle_cents winners"),
    }
    _move(here, body, GameState.SETTLED, after)
    told = event_row(here.unit, after.value, *which, {}, at)
    add_rows(here.unit, entry, [(Certification, row), told])


def released(here: Rebuilding, entry: int, body: Body) -> str | None:
    """A frozen game was to be graded again."""
    at = moment(body["time"])
    row = {
        "attempt": _attempt(here, body),
        "supervisor": here.actor(body["supervisor"]),
        "manager": here.actor(body["manager"]),
        "reason": body["reason"],
        "released_at": at,
    }
    _move(here, body, GameState.FROZEN, GameState.DRAWN)
    told = event_row(here.unit, "released", body["series"], body["game"], {}, at)
    add_rows(here.unit, entry, [(Release, row), told])
    return None


def _attempt(here: Rebuilding, body: Body) -> int:
    found = settling.settlement(here.unit.connection, body["series"], body["game"])
    if found is None or found.run != body["run"]:
        raise NotRebuilt("The game is not settled so here.")
    return found.attempt


def _move(here: Rebuilding, body: Body, before: GameState, after: GameState) -> None:
    try:
        move_game(here.unit, body["series"], body["game"], before, after)
    except GameMoved:
        raise NotRebuilt(f"The game is not {before.value} here.") from None


def _tell(  # noqa: PLR0913, PLR0917  of which game, what, and when
    here: Rebuilding, entry: int, body: Body, kind: str, facts: Body, at: datetime
) -> None:
    told = event_row(here.unit, kind, body["series"], body["game"], facts, at)
    add_rows(here.unit, entry, [told])


GAMES: Mapping[str, Act] = {
    "GAME": opened,
    "OVERRIDE": overridden,
    "HELD": held,
    "CLOSES": closes,
    "CLOCK": clock_jumped,
    "SERIES": scheduled,
    "LOCK": locked,
    "DRAW": drawn,
    "VOID-ASKED": void_asked,
    "VOID-GAME": void,
    "WINS": settled,
    "CERTIFIED": certified,
    "FROZEN": frozen,
    "RELEASED": released,
}
