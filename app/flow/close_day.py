"""Closing a gaming day: its figures, and what it leaves to the next.

A day waits for its own games and its own drawers only, so that a house can run around the clock:
games that are frozen are listed, and what changes for them later is the day's in which they are
released.

Write order:

1. Wins that had to be claimed before the day ended, and were not, are posted as expired, one by
   one. *Crash: the close is asked for again, and goes on.*
2. One transaction: the figures, the entry. *Crash before: asked for again.*
"""

from collections import Counter
from dataclasses import asdict
from datetime import date, datetime, timedelta
from hashlib import sha256

from app.audit.bundle import ALWAYS_CARRIED
from app.audit.tags import Tag
from app.clock import time_text
from app.flow.access import Credentials, at_work, permit, still_acting
from app.flow.actor import Actor
from app.flow.day import day_bounds, gaming_day
from app.flow.day_review import review_of
from app.flow.expire import expire_wins
from app.flow.office import Office
from app.flow.permissions import Permission
from app.flow.refusals import No, say_no
from app.keno.day import DayFigures, added
from app.keno.game import GameState
from app.keno.refusals import Refused
from app.keno.shift import DrawerSum
from app.store.queries import days, house, log, paper, shifts, stretches
from app.store.records.together import CameSecond
from app.store.tables import DayClose
from app.store.unit import Unit

UNSURE_MOST = 200  # papers that a close names, so that its entry stays short
Frozen = list[dict[str, object]]


def close_day(office: Office, actor: Actor, day: date) -> dict[str, object]:
    """Close a gaming day; return its figures, and those of its month and year so far.

    Refuses: whoever may not; a day that is not over, was closed, or does not follow the last one;
    while a game of it is not decided, or a drawer of it is open; a list that a manager has to sign
    first (`day_review`).
    """
    permit(actor.role, Permission.DAY_CLOSE)
    _, ends = _bounds(office, day)
    with office.unit() as unit:
        still_acting(unit, actor)
        _check(office, unit, day, ends)
    expire_wins(office, ends)
    with office.unit() as unit:
        for series in house.series_codes(unit.connection):
            unit.lock_series(series)  # a lockout that began within the day is waited for
        unit.lock_days()  # and a drawer that is being opened
        still_acting(unit, actor)
        _check(office, unit, day, ends)
        review = review_of(office, unit.connection, day)
        if review.is_due:
            raise say_no(No.DAY_NOT_REVIEWED, day=day.isoformat(), many=len(review.items))
        figures, frozen = _figures(office, unit, day)
        drawers = _drawers(office, unit, day).document()
        unclaimed = _unclaimed(office, unit, day, figures)
        now = unit.now()
        row = {
            "day": day,
            "figures": asdict(figures),
            "drawers": drawers,
            "frozen": frozen,
            "unclaimed": unclaimed,
            "staff": actor.staff,
            "ends_at": ends,
            "closed_at": now,
        }
        body = {
            "house": office.house.name,
            "day": day.isoformat(),
            "ends_at": time_text(ends),
            "figures": asdict(figures),
            "drawers": drawers,
            "frozen": frozen,
            "unclaimed": unclaimed,
            "standing": _standing(unit),
            "unsure": _unsure(unit),
            "by": actor.document(),
            "time": time_text(now),
        }
        try:
            office.log_with(unit, Tag.DAY_CLOSE, body, [(DayClose, row)])
        except CameSecond:
            unit.connection.rollback()
            raise _closed(unit, day) from None
        unit.commit()
    return {"day": body["day"], "figures": told_of(figures), "drawers": drawers, "frozen": frozen}


def closed_day(office: Office, credentials: Credentials, day: date) -> dict[str, object]:
    """Return what a day was closed with: whoever lost the answer to its close asks for it here.

    Refuses: whoever may not see it; a day that is not closed.
    """
    with office.database.reading() as connection:
        unit = Unit(office.database, connection)
        at_work(credentials, Permission.CASH_LOG)(unit)
        found = days.closed_day(connection, day)
        unit.make_sure()  # it is told to whoever was not sure that it is closed
    if found is None:
        raise say_no(No.DAY_NOT_CLOSED, day=day.isoformat())
    figures, drawers, frozen = found
    told = {"figures": told_of(_read(figures)), "drawers": drawers, "frozen": frozen}
    return {"day": day.isoformat(), **told, **so_far(office, day)}


def told_of(figures: DayFigures) -> dict[str, object]:
    """Return the figures of a day, with what follows from them."""
    hold = figures.hold
    return {
        **asdict(figures),
        "prepaid_carried_cents": figures.prepaid_carried_cents,
        "payable_carried_cents": figures.payable_carried_cents,
        "win_cents": figures.win_cents,
        "hold": None if hold is None else f"{hold.numerator}/{hold.denominator}",
    }


def so_far(office: Office, day: date) -> dict[str, object]:
    """Return the month and the year of a closed day, up to it."""
    with office.database.reading() as connection:
        closed = days.closed_days(connection)
    until = {each: _read(told) for each, (told, _) in closed.items() if each <= day}
    year = {each: told for each, told in until.items() if each.year == day.year}
    month = [told for each, told in year.items() if each.month == day.month]
    return {"month": told_of(added(month)), "year": told_of(added([*year.values()]))}


def _bounds(office: Office, day: date) -> tuple[datetime, datetime]:
    return day_bounds(day, office.house.time_zone, office.house.day_starts_minutes)


def _check(office: Office, unit: Unit, day: date, ends: datetime) -> None:
    """Refuse a day that cannot be closed now."""
    if unit.now() < ends:
        raise say_no(No.DAY_NOT_OVER, day=day.isoformat())
    closed = list(days.closed_days(unit.connection))
    if day in closed:
        raise _closed(unit, day)
    founded = office.house
    first = gaming_day(founded.founded_at, founded.time_zone, founded.day_starts_minutes)
    following = closed[-1] + timedelta(days=1) if closed else first
    if day != following:
        raise say_no(No.DAY_NOT_NEXT, day=following.isoformat())
    waiting = [
        f"{series}-{number}"
        for series, number, state in days.games_in(unit.connection, day)
        if state is not GameState.FROZEN
    ]
    if waiting:
        raise say_no(No.DAY_GAMES, games=", ".join(waiting))
    drawers = [
        f"{number} of {writer}"
        for number, writer in days.open_drawers(unit.connection, *_bounds(office, day))
    ]
    if drawers:
        raise say_no(No.DAY_DRAWERS, drawers=", ".join(drawers))


def _closed(unit: Unit, day: date) -> Refused:
    """Return the refusal to close a day again: whoever was not sure takes it for a yes."""
    unit.make_sure()
    return say_no(No.DAY_CLOSED, day=day.isoformat())


def _figures(office: Office, unit: Unit, day: date) -> tuple[DayFigures, Frozen]:
    """Return the figures of a day, and the games that are still being looked into."""
    connection = unit.connection
    acts = days.acts_between(connection, *_bounds(office, day))
    before = [(_read(told), frozen) for told, frozen in days.closed_days(connection).values()]
    last = before[-1][0] if before else None
    adjusted, frozen = 0, []
    for held in before[-1][1] if before else []:
        now_cents = days.owed_for(connection, held["series"], held["game"])
        adjusted += now_cents - held["cents"]
        if not days.is_over(connection, held["series"], held["game"]):  # or is graded again
            frozen.append({**held, "cents": now_cents})
    for series, number, state in days.games_in(connection, day):
        if state is GameState.FROZEN:
            cents = days.owed_for(connection, series, number)
            frozen.append({"series": series, "game": number, "cents": cents})
    expired = days.expired_in_all(connection) - sum(told.expired_cents for told, _ in before)
    figures = DayFigures(
        sales_cents=acts.sales_cents,
        voids_cents=acts.voids_cents,
        refunds_cents=acts.refunds_cents,
        write_cents=days.write_of(connection, day),
        wins_cents=days.owed_for_games_of(connection, day),
        adjusted_cents=adjusted,
        paid_cents=acts.paid_cents,
        expired_cents=expired,
        prepaid_brought_cents=0 if last is None else last.prepaid_carried_cents,
        payable_brought_cents=0 if last is None else last.payable_carried_cents,
    )
    return figures, frozen


def _unclaimed(office: Office, unit: Unit, day: date, figures: DayFigures) -> dict[str, int]:
    """Return what is owed at the end of a day by the gaming day of the game that won it.

    From what it was at the last close, so that a close looks at its own day only.
    """
    connection = unit.connection
    owed = Counter(days.unclaimed_before(connection))
    owed[day.isoformat()] += figures.wins_cents
    moved = Counter(days.taken_off(connection, *_bounds(office, day)))
    for held in days.frozen_before(connection):
        change = days.owed_for(connection, held["series"], held["game"]) - held["cents"]
        moved[held["series"], held["game"]] -= change
    for (series, game), cents in moved.items():
        owed[days.day_of_game(connection, series, game)] -= cents
    return {each: cents for each, cents in sorted(owed.items()) if cents}


def _standing(unit: Unit) -> dict[str, object]:
    """Return which entries of the sealed log stand until it is said otherwise (X-audit-log).

    By it a regulator sees that none was left out of a bundle: who was disabled, from which amount
    on an approval is due, which card is in force.
    """
    head = log.head(unit.connection)
    size = 0 if head is None else head.size
    leaves = stretches.standing_leaves(unit.connection, size, ALWAYS_CARRIED)
    return {
        "size": size,
        "entries": len(leaves),
        "digest": sha256(b"".join(leaves)).hexdigest(),
    }


def _unsure(unit: Unit) -> list[dict[str, object]]:
    """Return papers of which nobody has said yet whether they came out, so many at most.

    Nothing is in the log of what a printer was not sure of until somebody answers for it.
    """
    return [
        {
            "paper": each.entry,
            "copy": each.copy,
            "slip": each.slip.value,
            "station": each.station_code,
        }
        for each in paper.asked_about(unit.connection, UNSURE_MOST)
    ]


def _drawers(office: Office, unit: Unit, day: date) -> DrawerSum:
    """Return what went over the counters of a day, held against what its drawers had in them."""
    bounds = _bounds(office, day)
    passed = shifts.over_counters(unit.connection, *bounds)
    return DrawerSum(
        by_acts_cents=passed.both_cents + passed.act_cents,
        in_others_cents=passed.act_cents,
        on_others_cents=passed.drawer_cents,
        shifts=shifts.shifts_of(unit.connection, *bounds),
    )


def _read(told: dict[str, int]) -> DayFigures:
    return DayFigures(**told)
