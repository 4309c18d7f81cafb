"""Making the year, day by day."""

import gc
import sys
import time
from datetime import datetime, timedelta
from pathlib import Path

from app.flow.close_day import close_day
from app.flow.day_review import sign_review
from app.flow.permissions import Permission
from app.flow.room import make_room
from app.flow.seal import seal_log
from bench.year.house import YearHouse
from bench.year.plan import OPENS, Close, YearPlan, at_wall, closes_on
from bench.year.rare import Rare
from bench.year.shift import Shift
from bench.year.stretch import Stretches
from bench.year.writing import Writing

VOID_EVERY = 20  # shifts, a game is void
_BEFORE = timedelta(minutes=15)  # the floor opens


def build_year(url: str, folder: Path, plan: YearPlan) -> None:
    """Make a year in an empty database, with its keys and journals in a folder.

    Args:
        url: `sqlite:///PATH` or `postgresql+psycopg://...`; a database without tables.
        folder: where keys, journals and `year.json` go.
        plan: how much happens.
    """
    folder.mkdir(parents=True, exist_ok=True)
    began = time.monotonic()
    house = YearHouse.founded(url, folder, plan)
    writing = Writing(url)
    collected = gc.isenabled()
    gc.disable()  # rows that wait would be looked at over and over, a fifth of all the time
    try:
        _work(house, plan, writing)
        house.leave(url, folder, plan, time.monotonic() - began)
    finally:
        if collected:
            gc.enable()
        writing.close()
        house.close()


def _work(house: YearHouse, plan: YearPlan, writing: Writing) -> None:
    year, begun = Stretches(house, plan, writing), time.monotonic()
    rare = Rare(house, year)
    for place in range(plan.days):
        closes = closes_on(plan, place)
        following = _following(plan, place, closes)
        house.clock.moment = at_wall(plan.day(place), OPENS) - _BEFORE
        for number in (0, 1):
            mine = [n for n, close in enumerate(closes) if close.shift == number]
            shift = Shift.begun(house, number)
            year.resume([house.worker(credentials) for credentials in shift.writers.values()])
            voids = (2 * place + number) % VOID_EVERY == VOID_EVERY - 1
            year.work([closes[n] for n in mine], [following[n] for n in mine], leave=voids)
            if voids:
                rare.void_game(closes[mine[-1]].series, following[mine[-1]])
            if (place, number) != (plan.days - 1, 1):  # behind the last there are all the tickets
                rare.work(shift.writers)
            shift.end()
        house.clock.moment = at_wall(plan.day(place + 1), OPENS) - 4 * _BEFORE
        max_ = house.at_console("Max", Permission.DAY_REVIEW)
        sign_review(house.office, max_, plan.day(place))
        close_day(house.office, house.at_console("Sam", Permission.DAY_CLOSE), plan.day(place))
        seal_log(house.office)
        make_room(house.office)
        gc.collect()
        _tell(plan, place, year.desk.number, time.monotonic() - begun)


def _following(plan: YearPlan, place: int, closes: list[Close]) -> list[datetime]:
    """Return when the next game of the same series closes, behind each close of a day."""
    after = {close.series: close.at for close in reversed(closes_on(plan, place + 1))}
    following = []
    for close in reversed(closes):
        following.append(after[close.series])
        after[close.series] = close.at
    return following[::-1]


def _tell(plan: YearPlan, place: int, tickets: int, seconds: float) -> None:
    done = f"day {place + 1} of {plan.days}, {tickets:,} tickets"
    sys.stderr.write(f"{done}, {seconds:,.0f} s, {tickets / seconds:,.0f} a second\n")
