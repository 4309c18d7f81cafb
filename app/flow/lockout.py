"""Lockout: no sale and no void for this game from here on; the next one opens (15.5(d), 15.3(c)).

Write order:

1. One transaction, under the exclusive lock of the series: the game is locked with what was sold
   for it, its price moves from prepaid to write, the LOCK entry stands in the log behind every
   entry of the game, and the next game is open. *Crash before: the game is open as it was. Crash
   after: the game is locked.*
2. The log is sealed (`seal`), so that the sold file can no longer change. *Crash before: whoever
   seals next, seals it too.*

A game is locked by the caller when its time has come; by hand by a supervisor, or by a writer with
a supervisor's approval. By hand before its time it overrides the automatic lockout, and the LOCK
entry says why (15.5(e)). Not while the game before it is undrawn, and not while the two keyed
processes are not ready: the next game would open, and could not be drawn.
"""

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import cast

from app.audit.tags import Tag
from app.clock import time_text
from app.flow.access import Approval, Credentials, approver, at_work, permit, still_acting
from app.flow.actor import Actor, actor_as, actor_of
from app.flow.day import gaming_day
from app.flow.lease import Held
from app.flow.office import Office
from app.flow.open_game import AUTOMATIC, Opening, check_is_open, open_game
from app.flow.permissions import FOR, Permission
from app.flow.refusals import No, check_reason, say_no
from app.flow.schedule import next_close
from app.flow.seal import seal_log
from app.keno.game import GameState
from app.software import software_hash
from app.store.queries import days, games, running
from app.store.queries.games import OpenGame, SoldFile
from app.store.records import games as records
from app.store.records.money import Leg, posting_rows
from app.store.records.outcomes import event_row
from app.store.records.together import Row, add_rows
from app.store.tables import Account, Role
from app.store.unit import Unit

Check = Callable[[Unit, OpenGame], None]


def lock_game(  # noqa: PLR0913, PLR0917  who locks what, when the next one closes, and why
    office: Office,
    actor: Actor,
    series: str,
    number: int | None = None,
    next_closes_at: datetime | None = None,
    reason: str | None = None,
) -> int:
    """Lock the open game of a series by hand, open the next, and seal the log; return its number.

    Whoever names the game that is meant locks that one or none, however often it is asked for. The
    next one closes at the interval of its series, if no other time is given.

    Refuses: whoever may not; a series that is not there, or has no open game, or another one open;
    while the game before is undrawn, or a keyed process is not ready; a reason that is none; a game
    that would lock itself, without a reason.
    """
    permit(actor.role, Permission.GAME_RUN)
    if reason is not None:
        check_reason(reason)

    def check(unit: Unit, game: OpenGame) -> None:
        still_acting(unit, actor)
        _check_reason_to_override(game, reason)

    return _lock(office, actor.document(), series, number, next_closes_at, check, reason)


def lock_at_station(  # noqa: PLR0913, PLR0917  who locks what, approved by whom, and why
    office: Office,
    credentials: Credentials,
    series: str,
    number: int,
    approval: Approval | None,
    reason: str | None = None,
) -> int:
    """Lock the open game from a work station: a writer needs a supervisor's approval (15.5(d)).

    Refuses: as `lock_game`; a writer alone; a game that would lock itself, without a reason.
    """
    with office.database.reading() as connection:
        who = at_work(credentials, Permission.GAME_LOCK)(Unit(office.database, connection))
    actors = [actor_of(who)]
    by = actors[0].document()
    if who.role is Role.WRITER:
        if approval is None:
            raise say_no(No.APPROVAL_NEEDED, why="a writer locks no game alone")
        person = approver(office, approval, who.station_code, asked_by=who.code)
        actors.append(actor_as(person, who.station_code))
        by["approver"] = person.code
        if person.role not in FOR[Permission.APPROVE]:
            by["emergency"] = [person.name]
    if reason is not None:
        check_reason(reason)

    def check(unit: Unit, game: OpenGame) -> None:
        still_acting(unit, *actors)
        _check_reason_to_override(game, reason)

    return _lock(office, by, series, number, None, check, reason)


def _check_reason_to_override(game: OpenGame, reason: str | None) -> None:
    """Refuse to lock a game that would lock itself unless it is said why (15.5(e))."""
    if reason is None and game.closes_at is not None:
        raise say_no(No.NO_REASON, "reason")


def lock_on_time(office: Office, lease: Held, series: str, number: int) -> int | None:
    """Lock a game whose time has come, by the clock of the house; none if it has not.

    Refuses: as `lock_game`.

    Raises:
        LeaseLost: another caller has taken over.
    """

    def check(unit: Unit, game: OpenGame) -> None:
        lease.check(unit)
        held = game.held_why is not None or game.closes_at is None
        if held or unit.now(game.read_at) < cast("datetime", game.closes_at):
            raise _TooEarly

    try:
        return _lock(office, AUTOMATIC, series, number, None, check)
    except _TooEarly:
        return None


class _TooEarly(Exception):  # noqa: N818  the caller asked a moment too early
    pass


def _lock(  # noqa: PLR0913, PLR0917  who locks what, and when it may be
    office: Office,
    by: dict[str, object],
    series: str,
    number: int | None,
    next_closes_at: datetime | None,
    check: Check,
    reason: str | None = None,
) -> int:
    office.check_ready()
    with office.unit() as unit:
        if running.series_coded(unit.connection, series) is None:
            raise say_no(No.NO_SUCH_SERIES, series=series)
        unit.lock_series(series)
        game = games.open_game(unit.connection, series)
        if game is None:
            raise say_no(No.NO_OPEN_GAME, series=series)
        check_is_open(series, number, game.number)
        check(unit, game)
        before = games.game(unit.connection, series, game.number - 1)
        if before is not None and before.state is GameState.LOCKED:
            raise say_no(No.GAME_BEFORE_UNDRAWN, game=f"{series}-{before.number}")
        lock_within(office, unit, by, series, game, next_closes_at, reason)
        unit.commit()
    seal_log(office)
    return game.number


def lock_within(  # noqa: PLR0913, PLR0917  who locks what, and when the next one closes
    office: Office,
    unit: Unit,
    by: dict[str, object],
    series: str,
    game: OpenGame,
    next_closes_at: datetime | None = None,
    reason: str | None = None,
) -> None:
    """Lock the open game and open the next, within a unit of work that has the series locked.

    Refuses: while the clock is behind a day that is closed; if no card is in force.
    """
    _lock_open(office, unit, by, series, game, reason)
    schedule = running.series_coded(unit.connection, series)
    if schedule is None:
        raise LookupError(f"a game of series {series}, which is not there")
    closes_at = next_closes_at or next_close(
        schedule, office.house.time_zone, unit.now(), game.closes_at
    )
    open_game(office, unit, Opening(series, game.number + 1, closes_at, by))


def _lock_open(  # noqa: PLR0913, PLR0917  who locks what, and why
    office: Office,
    unit: Unit,
    by: dict[str, object],
    series: str,
    game: OpenGame,
    reason: str | None,
) -> None:
    now = unit.now()
    closed_until = days.closed_until(unit.connection)
    if closed_until is not None and now < closed_until:
        raise say_no(No.CLOCK_BACK)  # else the game could belong to a day that is closed
    sold = games.sold_file(unit.connection, series, game.number)
    day = gaming_day(now, office.house.time_zone, office.house.day_starts_minutes).isoformat()
    body = lock_body(office.house.name, series, game, sold, now, day, by)
    if reason is not None:
        body["reason"] = reason
    entry = office.log(unit, Tag.LOCK, body)
    records.lock_game(
        unit, series, game.number, sold.tickets, sold.handle_cents, now, day, entry.id
    )
    told = event_row(unit, "locked", series, game.number, {"tickets": sold.tickets}, now)
    add_rows(unit, entry.id, [*written(sold), told])


def lock_body(  # noqa: PLR0913, PLR0917  all that is said of a lock
    house_name: str,
    series: str,
    game: OpenGame,
    sold: SoldFile,
    now: datetime,
    day: str,
    by: Mapping[str, object],
) -> dict[str, object]:
    """Return what the LOCK entry of a game says."""
    return {
        "house": house_name,
        "series": series,
        "game": game.number,
        "tickets": sold.tickets,
        "handle_cents": sold.handle_cents,
        "cards": [card.hex() for card in sold.card_hashes],
        "closes_at": game.closes_at and time_text(game.closes_at),
        "locked_at": time_text(now),
        "gaming_day": day,
        "software": software_hash(),
        "by": by,
    }


def written(sold: SoldFile) -> list[Row]:
    """Return the rows of the money that a lock moves: what was prepaid is written."""
    moved = [Leg(Account.PREPAID, sold.handle_cents), Leg(Account.WRITE, -sold.handle_cents)]
    return posting_rows(moved)
