"""Drawing a locked game, or voiding it: one outcome, however often it is asked for (X-draw-once).

Write order, after the lock transaction (`lockout`):

1. The log is sealed and its head cosigned (`cosign`). *Crash: done again, to a larger head.*
2. The lock statement is built once and kept. *Crash before: built again. Two callers who build at
   once: the one that is kept first counts, and both send that one.*
3. What was read is made sure of: it may be of a commit that a crashed primary has on its own disk
   alone, and what leaves the house cannot be taken back. *Not sure: nothing is sent, and the next
   turn asks again.* Then it is sent, always the same bytes. The generator makes its intent
   durable, the inspector its mark, the generator its record; each answers the same when it is
   asked again. *Crash of anyone here: sent again.*
4. The record is checked from public keys, and kept with the DRAW entry; the game is drawn. *Crash
   before: asked for again, and the same record comes back.*

Whatever a process refuses, or says that cannot be believed, the game waits. To void a game, the
void statement takes the place of the lock statement; if the inspector has marked the game, it has
an outcome and is completed.
"""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from app.audit.checkpoints import checkpoint_of, short_seal
from app.audit.tags import Tag
from app.audit.tiles import Tree
from app.clock import time_text
from app.flow.access import permit, still_acting
from app.flow.actor import Actor
from app.flow.cosign import cosign_log
from app.flow.office import Office
from app.flow.permissions import Permission
from app.flow.refusals import No, check_reason, say_no
from app.keno.game import GameAct, GameState, next_state
from app.rng_client import Ended, KeyedProcesses, Locked, Marked, NotNow
from app.store.queries import games, outcomes
from app.store.queries.games import GameRow
from app.store.queries.log import StoredHashes
from app.store.records import outcomes as records
from app.store.records.money import Leg, posting_rows
from app.store.records.together import CameSecond, Row
from app.store.tables import Account, Outcome, VoidStatement
from app.store.unit import Unit


def end_game(office: Office, keyed: KeyedProcesses, series: str, number: int) -> None:
    """Have a locked game drawn; or voided, if a supervisor asked for that and it can be.

    Raises:
        NotNow: it waits.
    """
    with office.database.reading() as connection:
        game = games.game(connection, series, number)
        void = outcomes.void_statement(connection, series, number)
        if void is not None:
            Unit(office.database, connection).make_sure()
    if game is None or game.state is not GameState.LOCKED:
        return
    if void is not None:
        try:
            _keep(office, game, keyed.void(void))
        except Marked:
            pass  # it has an outcome, and is completed
        else:
            return
    ended = keyed.draw(_lock_request(office, keyed, game))
    _keep(office, game, ended)


def ask_to_void(office: Office, actor: Actor, series: str, number: int, reason: str) -> None:
    """Have it on record that a locked game is to be voided; `end_game` then has it done.

    Refuses: whoever may not; a game that is not locked; no reason; while it is not known what the
    game builds on.
    """
    permit(actor.role, Permission.GAME_RUN)
    keyed = office.keyed
    if keyed is None:
        raise say_no(No.NOT_READY, why="this process was not told where they are.")
    check_reason(reason)
    with office.database.reading() as connection:
        game = games.game(connection, series, number)
    if game is None or game.state is not GameState.LOCKED:
        raise say_no(No.NOT_TO_VOID, game=f"{series}-{number}")
    body = {
        "jurisdiction": office.house.jurisdiction,
        "house": office.house.name,
        "series": series,
        "game": number,
        "previous": _known_previous(office, keyed, game),
    }
    with office.unit() as unit:
        still_acting(unit, actor)
        if outcomes.void_statement(unit.connection, series, number) is not None:
            return
        now = time_text(unit.now())
        statement = keyed.void_statement(body, reason, now, office.keys.office)
        kept = {"series": series, "game": number, "statement": statement, "staff": actor.staff}
        said = {**body, "reason": reason, "by": actor.document(), "time": now}
        office.log_with(unit, Tag.VOID_ASKED, said, [(VoidStatement, kept)])
        unit.commit()


# ---- the statement -------------------------------------------------------------------------------


def _lock_request(office: Office, keyed: KeyedProcesses, game: GameRow) -> Any:  # noqa: ANN401
    """Return what the generator is asked with: as it was kept, or built and kept now."""
    with office.database.reading() as connection:
        is_kept = outcomes.lock_request(connection, game.series, game.number) is not None
    if not is_kept:
        built = keyed.lock_request(_locked(office, keyed, game), office.keys.office)
        with office.unit() as unit:
            records.add_lock_request(unit, game.series, game.number, built)
            unit.commit()
    with office.database.reading() as connection:
        request = outcomes.lock_request(connection, game.series, game.number)
        Unit(office.database, connection).make_sure()
    return request


def _locked(office: Office, keyed: KeyedProcesses, game: GameRow) -> Locked:
    note = cosign_log(office, keyed)
    size = checkpoint_of(note).size
    with office.database.reading() as connection:
        lock = outcomes.sealed_lock(connection, game.series, game.number)
        if lock is None or lock.index >= size or game.locked_at is None:
            raise LookupError("a locked game has no LOCK entry in the sealed log")
        proof = Tree(StoredHashes(connection)).inclusion(lock.index, size)
    return Locked(
        jurisdiction=office.house.jurisdiction,
        house=office.house.name,
        log_origin=office.house.log_origin,
        series=game.series,
        game=game.number,
        note=note,
        lock_index=lock.index,
        lock_leaf=lock.leaf,
        proof=proof,
        previous=_previous(office, keyed, game),
        closes_at=time_text(game.closes_at or game.locked_at),
        locked_at=time_text(game.locked_at),
    )


def _known_previous(office: Office, keyed: KeyedProcesses, game: GameRow) -> str:
    try:
        return _previous(office, keyed, game)
    except NotNow as why:
        raise say_no(No.NOT_READY, why=str(why)) from None


def _previous(office: Office, keyed: KeyedProcesses, game: GameRow) -> str:
    """Return the hash of the record that a game builds on: its predecessor's, or the ceremony's."""
    with office.database.reading() as connection:
        before = outcomes.outcome(connection, game.series, game.number - 1)
        request = outcomes.lock_request(connection, game.series, game.number)
    if before is not None:
        return before.record.hex()
    if request is not None:
        return str(request["statement"]["body"]["previous"])
    standing = keyed.standing(game.series)
    if standing.next_game != game.number:
        raise NotNow(
            f"The generator's next game of series {game.series} is {standing.next_game}, "
            f"ours is {game.number}."
        )
    return standing.previous


# ---- the outcome ---------------------------------------------------------------------------------


def draw_said(ended: Ended) -> dict[str, object]:
    """Return what the entry of a draw says of it beside its game."""
    return {
        "numbers": ended.numbers,
        "statement": ended.document["record"]["body"]["statement"],
        "seal": short_seal(ended.document["seal"]["note"]),
    }


def legs_of_void_game(handle_cents: int) -> list[Leg]:
    """Return what a void moves: what was written for the game is owed again (X-fault-refund)."""
    return [Leg(Account.WRITE, handle_cents), Leg(Account.PREPAID, -handle_cents)]


def _keep(office: Office, game: GameRow, ended: Ended) -> None:
    """Keep what became of a game, once: whoever comes second finds it kept."""
    try:
        with office.unit() as unit:
            keep_within(office, unit, game, ended)
            unit.commit()
    except (records.GameMoved, CameSecond):
        return


def keep_within(office: Office, unit: Unit, game: GameRow, ended: Ended) -> None:
    """Keep what became of a locked game, within a unit of work.

    Raises:
        GameMoved: it is kept already.
        CameSecond: another keeps it at the same time.
    """
    if ended.numbers is None:
        act, tag, body, rows = GameAct.VOID_GAME, Tag.VOID_GAME, *_voided(game, ended)
    else:
        act, tag, body, rows = GameAct.DRAW, Tag.DRAW, draw_said(ended), []
    after = next_state(game.state, act)
    if after is None:
        raise LookupError(f"{act} cannot be done to a game that is {game.state}")
    now, which = unit.now(), (game.series, game.number)
    said = outcome_body(office.house.name, *which, ended, body, now)
    outcome = outcome_row(*which, ended, now)
    records.move_game(unit, *which, game.state, after)
    told = records.event_row(unit, after.value, *which, {"numbers": ended.numbers}, now)
    office.log_with(unit, tag, said, [outcome, told, *rows])


def _voided(game: GameRow, ended: Ended) -> tuple[dict[str, object], list[Row]]:
    """Return what the entry of a void says of it beside its game, and what it moves."""
    handle_cents = game.handle_cents or 0
    body = {"handle_cents": handle_cents, "reason": ended.document["statement"]["body"]["reason"]}
    return body, posting_rows(legs_of_void_game(handle_cents))


def outcome_body(  # noqa: PLR0913, PLR0917  what became of which game, and when
    house_name: str,
    series: str,
    number: int,
    ended: Ended,
    said: Mapping[str, object],
    now: datetime,
) -> dict[str, object]:
    """Return what the entry of an outcome says."""
    return {
        "house": house_name,
        "series": series,
        "game": number,
        **said,
        "record": ended.record.hex(),
        "time": time_text(now),
    }


def outcome_row(series: str, number: int, ended: Ended, now: datetime) -> Row:
    """Return the row that keeps what became of a game."""
    values = {
        "series": series,
        "game": number,
        "numbers": ended.numbers,
        "document": ended.document,
        "record": ended.record,
        "ended_at": now,
    }
    return Outcome, values
