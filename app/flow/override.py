"""Overriding the automatic lockout: only before it, by a supervisor, with a reason (15.5(e)).

And holding: when the keyed processes are not ready, the caller holds the open game by itself, says
why, and sales go on for as long as the house has settled.
"""

from collections.abc import Mapping
from datetime import datetime, timedelta

from app.audit.tags import Tag
from app.clock import time_text
from app.flow.access import permit, still_acting
from app.flow.actor import Actor
from app.flow.lease import Held
from app.flow.office import Office
from app.flow.open_game import check_is_open
from app.flow.permissions import Permission
from app.flow.refusals import No, check_reason, say_no
from app.keno.house_settings import Setting
from app.store.queries import games, house
from app.store.records import games as records
from app.store.records.outcomes import event_row
from app.store.tables import Override
from app.store.unit import Unit

NOTICE = timedelta(minutes=1)  # before every close (15.5(c))
AHEAD_MOST = timedelta(days=7)


def override_close(  # noqa: PLR0913, PLR0917  who changes what to when, and why
    office: Office,
    actor: Actor,
    series: str,
    number: int,
    closes_at: datetime | None,
    reason: str,
) -> None:
    """Have the open game close at another time: earlier, later, or not before it is said again.

    Refuses: whoever may not; a game that is not open; no reason; a time that has passed, or is
    more than a week ahead.
    """
    permit(actor.role, Permission.GAME_RUN)
    check_reason(reason)
    with office.unit() as unit:
        unit.lock_series(series)
        still_acting(unit, actor)
        game = games.open_game(unit.connection, series)
        if game is None:
            raise say_no(No.NO_OPEN_GAME, series=series)
        check_is_open(series, number, game.number)
        now = unit.now(game.read_at)
        if closes_at is not None and closes_at < now:
            raise say_no(No.TIME_PASSED, time=office.moment(closes_at))
        if closes_at is not None and closes_at > now + AHEAD_MOST:
            raise say_no(No.TIME_FAR)
        body = {
            "house": office.house.name,
            "series": series,
            "game": number,
            "closed_before": game.closes_at and time_text(game.closes_at),
            "closes_now": closes_at and time_text(closes_at),
            "reason": reason,
            "by": actor.document(),
            "time": time_text(now),
        }
        override = {
            "series": series,
            "game": number,
            "closed_before": game.closes_at,
            "closes_now": closes_at,
            "reason": reason,
            "staff": actor.staff,
        }
        records.set_close(unit, series, number, closes_at)
        if game.held_until is not None and closes_at is not None:
            until = min(game.held_until, closes_at)  # what is to close early is not sold longer
            records.set_hold(unit, series, number, game.held_why, until)
        told = event_row(unit, "closes", series, number, {"closes_at": body["closes_now"]}, now)
        office.log_with(unit, Tag.OVERRIDE, body, [(Override, override), told])
        unit.commit()


def hold_game(office: Office, lease: Held, series: str, number: int, why: str) -> None:
    """Hold the open game of a series, because it could not be drawn; everyone sees why.

    It is sold for as long as the house has settled. Held again for another reason, only the reason
    changes; when it was to close is kept.

    Raises:
        LeaseLost: another caller has taken over.
    """
    with office.unit() as unit:
        unit.lock_series(series)
        lease.check(unit)
        game = games.open_game(unit.connection, series)
        if game is None or game.number != number or game.held_why == why:
            return
        now = unit.now(game.read_at)
        until = game.held_until
        if game.held_why is None:
            until = now + timedelta(seconds=house.setting(unit.connection, Setting.HOLD_SECONDS))
        records.set_hold(unit, series, game.number, why, until)
        facts = {"why": why, "sells_until": until and time_text(until)}
        _tell(office, unit, Tag.HELD, "held", series, game.number, facts, now)
        unit.commit()


def let_go(office: Office, lease: Held, series: str, number: int) -> None:
    """Let a game that was held go on: it closes when it was to close, but not within a minute.

    Raises:
        LeaseLost: another caller has taken over.
    """
    with office.unit() as unit:
        unit.lock_series(series)
        lease.check(unit)
        game = games.open_game(unit.connection, series)
        if game is None or game.number != number or game.held_why is None:
            return
        now = unit.now(game.read_at)
        closes_at = game.closes_at and max(game.closes_at, now + NOTICE)
        records.set_hold(unit, series, game.number, None, None)
        records.set_close(unit, series, game.number, closes_at)
        facts = {"why": None, "closes_at": closes_at and time_text(closes_at)}
        _tell(office, unit, Tag.HELD, "closes", series, game.number, facts, now)
        unit.commit()


def give_close(office: Office, lease: Held, series: str, number: int, closes_at: datetime) -> None:
    """Have an open game that was opened without a time close like the others of its series.

    Raises:
        LeaseLost: another caller has taken over.
    """
    with office.unit() as unit:
        unit.lock_series(series)
        lease.check(unit)
        game = games.open_game(unit.connection, series)
        if game is None or game.number != number or game.closes_at is not None:
            return
        records.set_close(unit, series, number, closes_at)
        facts = {"closes_at": time_text(closes_at)}
        now = unit.now(game.read_at)
        _tell(office, unit, Tag.CLOSES, "closes", series, number, facts, now)
        unit.commit()


def _tell(  # noqa: PLR0913, PLR0917  of which game, what, and to whom
    office: Office,
    unit: Unit,
    tag: Tag,
    kind: str,
    series: str,
    number: int,
    facts: Mapping[str, object],
    now: datetime,
) -> None:
    body = {"house": office.house.name, "series": series, "game": number, **facts}
    told = event_row(unit, kind, series, number, facts, now)
    office.log_with(unit, tag, {**body, "time": time_text(now)}, [told])
