"""The shifts of each gaming day, worked out again from what went through their drawers."""

from collections import Counter, defaultdict
from collections.abc import Iterator
from datetime import datetime
from fractions import Fraction
from typing import Any

from app.audit.books.stored import Stored
from app.store.queries.books import StoredDrawer


def drawers_by_day(stored: Stored) -> dict[str, dict[str, Any]]:
    """Return what the drawers of each day come to, as its close must tell it."""
    opened_on = {each.id: stored.day_of(each.opened_at) for each in stored.drawers.values()}
    passed: Counter[tuple[str, str]] = Counter()  # by the days of the act and of the drawer
    for entry, drawer in _acts(stored):
        legs = stored.postings.get(entry, [])
        done_on = stored.day_of(datetime.fromisoformat(stored.time_of(entry)))
        moved = sum(leg.cents for leg in legs if leg.account == "drawer")
        passed[done_on, opened_on.get(drawer, "")] += moved
    sums = _sums(stored)
    shifts: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for row in stored.drawers.values():
        shifts[opened_on[row.id]].append(_shift(row, sums[row.id]))
    days = {day for both in passed for day in both} | set(shifts)
    return {day: _drawers(day, passed, shifts[day]) for day in days}


def _drawers(
    day: str, passed: Counter[tuple[str, str]], shifts: list[dict[str, Any]]
) -> dict[str, Any]:
    here = passed[day, day]
    elsewhere = sum(c for (done, opened), c in passed.items() if done == day != opened)
    others = sum(c for (done, opened), c in passed.items() if opened == day != done)
    more = {"counted_cents": 1, "opening_cents": -1, "filled_cents": -1, "bled_cents": 1}
    came_in = sum(sign * each[name] for each in shifts for name, sign in more.items())
    over = sum(each["over_short_cents"] for each in shifts)
    return {
        "by_acts_cents": here + elsewhere,
        "by_drawers_cents": came_in,
        "over_short_cents": over,
        "in_drawers_of_other_days_cents": elsewhere,
        "by_acts_of_other_days_cents": others,
        "unexplained_cents": came_in - here - others - over,
        "shifts": shifts,
    }


def _acts(stored: Stored) -> Iterator[tuple[int, int]]:
    """Yield what went over counters: each act once, with the drawer that it went through."""
    acts = {each.entry: each.drawer for each in stored.tickets.values()}
    acts |= {each.entry: each.drawer for each in stored.voids.values()}
    acts |= {each.entry: each.drawer for each in stored.refunds}
    acts |= {each.entry: each.drawer for each in stored.payouts.values()}
    yield from acts.items()


def _sums(stored: Stored) -> dict[int, Counter[str]]:
    """Return what went through each drawer, by what it was for."""
    sums: dict[int, Counter[str]] = defaultdict(Counter)
    for ticket in stored.tickets.values():
        sums[ticket.drawer]["sales_cents"] += ticket.price_cents
    for void in stored.voids.values():
        sums[void.drawer]["voids_cents"] += stored.tickets[void.ticket].price_cents
    for refund in stored.refunds:
        sums[refund.drawer]["refunds_cents"] += refund.cents
    for payout in stored.payouts.values():
        sums[payout.drawer]["paid_cents"] += payout.cents
    for entry in stored.tagged("DRAWER-MOVE"):
        body = stored.bodies[entry]
        name = "bled_cents" if body["act"] == "bleed" else "filled_cents"
        sums[body["drawer"]][name] += sum(body["amounts"].values())
    for count in stored.drawer_counts:
        name = "counted_cents" if count.closing else "opening_cents"
        sums[count.drawer][name] += count.cents
        over = (leg for leg in stored.postings.get(count.entry, []) if leg.account == "over-short")
        sums[count.drawer]["over_short_cents"] -= sum(leg.cents for leg in over)
    return sums


def _shift(drawer: StoredDrawer, sums: Counter[str]) -> dict[str, Any]:
    names = (
        "sales_cents", "voids_cents", "refunds_cents", "paid_cents", "opening_cents",
        "filled_cents", "bled_cents", "counted_cents", "over_short_cents",
    )  # fmt: skip
    sold = sums["sales_cents"] - sums["voids_cents"] - sums["refunds_cents"]
    win = sold - sums["paid_cents"]
    hold = Fraction(win, sold) if sold else None
    return {
        "drawer": drawer.id,
        "writer": drawer.writer_code,
        "station": drawer.station_code,
        **{name: sums[name] for name in names},
        "win_cents": win,
        "hold": None if hold is None else f"{hold.numerator}/{hold.denominator}",
    }
