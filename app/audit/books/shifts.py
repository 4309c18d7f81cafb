"""The shifts of each gaming day, worked out again from what went through their drawers."""

from collections import Counter, defaultdict
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

from app.audit.books.house import House
from app.audit.books.stretch import Stretch
from app.store.queries.books.rows import StoredDrawer, StoredEntry

SUMS = (
    "sales_cents", "voids_cents", "refunds_cents", "paid_cents", "opening_cents",
    "filled_cents", "bled_cents", "counted_cents", "over_short_cents",
)  # fmt: skip


class Shifts:
    """What went through the drawers of the days that are not closed yet."""

    def __init__(self) -> None:
        self._passed: Counter[tuple[str, str]] = Counter()  # by the days of the act and the drawer
        self._sums: dict[str, dict[int, Counter[str]]] = defaultdict(lambda: defaultdict(Counter))
        self._closed = ""  # the last day that was closed

    def add(self, entry: StoredEntry, stretch: Stretch) -> Iterator[str]:
        """Add what was done; yield the days that it is of, if they were closed before it."""
        drawer = _drawer_of(stretch, entry.id)
        if drawer is not None:
            done, opened = stretch.day_of(entry.id) or "", _opened_on(stretch.house, drawer)
            legs = stretch.legs(entry.id)
            self._passed[done, opened] += sum(c.cents for c in legs if c.account == "drawer")
            yield from (day for day in (done, opened) if day and day <= self._closed)
        for which, name, cents in _sums(entry, stretch):
            self._sums[_opened_on(stretch.house, which)][which][name] += cents

    def of_day(self, day: str, house: House) -> dict[str, Any]:
        """Return what the drawers of a day come to, as its close must tell it."""
        shifts = [_shift(house.drawers.get(each), sums) for each, sums in self._of(day)]
        passed = self._passed
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

    def _of(self, day: str) -> list[tuple[int, Counter[str]]]:
        return sorted(self._sums.get(day, {}).items())

    def close(self, day: str) -> None:
        """Forget what belongs to a day that was closed, and to those before it."""
        self._closed = max(self._closed, day)
        for both in [both for both in self._passed if max(both) <= self._closed]:
            del self._passed[both]
        for each in [each for each in self._sums if each <= self._closed]:
            del self._sums[each]


def _opened_on(house: House, drawer: int) -> str:
    row = house.drawers.get(drawer)
    return "" if row is None else house.day_of(row.opened_at)


def _drawer_of(stretch: Stretch, entry: int) -> int | None:
    """Return the drawer that an act went through over a counter, if it did."""
    acts = [
        stretch.payout_at.get(entry),
        *stretch.refunds_at.get(entry, ()),
        stretch.void_at.get(entry),
        stretch.sold_at.get(entry),
    ]
    return next((act.drawer for act in acts if act is not None), None)


def _sums(entry: StoredEntry, stretch: Stretch) -> Iterator[tuple[int, str, int]]:
    """Yield what an act did to drawers: which, what for, and how much."""
    if (ticket := stretch.sold_at.get(entry.id)) is not None:
        yield ticket.drawer, "sales_cents", ticket.price_cents
    if (void := stretch.void_at.get(entry.id)) is not None:
        taken_back = stretch.tickets.get(void.ticket)
        yield void.drawer, "voids_cents", 0 if taken_back is None else taken_back.price_cents
    for refund in stretch.refunds_at.get(entry.id, ()):
        yield refund.drawer, "refunds_cents", refund.cents
    payout = stretch.payout_at.get(entry.id)
    if payout is not None and payout.drawer is not None:
        yield payout.drawer, "paid_cents", payout.cents
    if entry.tag == "DRAWER-MOVE":
        name = "bled_cents" if entry.body["act"] == "bleed" else "filled_cents"
        yield entry.body["drawer"], name, sum(entry.body["amounts"].values())
    if (count := stretch.count_at.get(entry.id)) is not None:
        yield count.drawer, "counted_cents" if count.closing else "opening_cents", count.cents
        over = (leg.cents for leg in stretch.legs(entry.id) if leg.account == "over-short")
        yield count.drawer, "over_short_cents", -sum(over)


def _shift(drawer: StoredDrawer | None, sums: Counter[str]) -> dict[str, Any]:
    if drawer is None:
        return dict(sums)
    sold = sums["sales_cents"] - sums["voids_cents"] - sums["refunds_cents"]
    win = sold - sums["paid_cents"]
    hold = Fraction(win, sold) if sold else None
    return {
        "drawer": drawer.id,
        "writer": drawer.writer_code,
        "station": drawer.station_code,
        **{name: sums[name] for name in SUMS},
        "win_cents": win,
        "hold": None if hold is None else f"{hold.numerator}/{hold.denominator}",
    }
