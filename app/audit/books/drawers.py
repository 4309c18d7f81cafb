"""Drawers: what each should have held is its bank and all that went in and out (X-drawer)."""

from collections import Counter
from collections.abc import Iterator
from typing import Protocol

from app.audit.books.approvals import how_shown
from app.audit.books.house import House, said
from app.audit.books.looks import Look, Thing
from app.audit.books.patrons import CASH
from app.audit.books.stretch import Stretch
from app.audit.faults import Fault
from app.store.queries.books.rows import StoredCount, StoredDrawer, StoredEntry


def drawers() -> list[Look]:
    """A drawer opens with what was counted, is used by its writer, and closes on what it held."""
    held, contents, whose = Held(), Contents(), Whose()
    return [
        Look(Thing.DRAWER, check_closed),
        Look(Thing.COUNT, check_counted),
        Look(Thing.ENTRY, held.check),
        Look(Thing.END, held.check_closed_ones),
        Look(Thing.COUNT, check_bank),
        Look(Thing.ENTRY, contents.check),
        Look(Thing.ENTRY, whose.check),
        Look(Thing.END, whose.check_open_ones),
        Look(Thing.ENTRY, check_fill),
        *(Look(thing, check_use) for thing in USES),
    ]


USES = (Thing.TICKET, Thing.VOID, Thing.PAYOUT, Thing.REFUND)
NOT_COUNTED = Fault(
    "drawers", "the drawers that are closed are not those that were counted"
)  # fmt: skip


def check_closed(drawer: StoredDrawer, _: Stretch) -> Iterator[Fault]:
    """A drawer that is closed was counted, and one that is not was not."""
    if (drawer.closed_at is None) != (drawer.close_entry is None):
        yield NOT_COUNTED


def check_counted(count: StoredCount, stretch: Stretch) -> Iterator[Fault]:
    """What was counted is a drawer."""
    if stretch.house.drawers.get(count.drawer) is None:
        yield NOT_COUNTED


class Held:
    """What is in each drawer; one that was closed on what it held is forgotten."""

    def __init__(self) -> None:
        self._cents: Counter[int] = Counter()

    def check(self, entry: StoredEntry, stretch: Stretch) -> Iterator[Fault]:
        """Add what an act moved; or hold what a drawer was closed with against what it held."""
        count = stretch.count_at.get(entry.id)
        closes = count.drawer if count is not None and count.closing else None
        for leg in stretch.legs(entry.id):
            if leg.drawer is not None and leg.drawer != closes:
                self._cents[leg.drawer] += leg.cents
                if not self._cents[leg.drawer]:
                    del self._cents[leg.drawer]
        if count is not None and count.closing:
            held = self._cents.pop(count.drawer, 0)
            if entry.body.get("expected_cents") != held:
                yield _unlike(count.drawer)
            if entry.body.get("over_short_cents") != count.cents - held:
                yield _no_difference(count.drawer)

    def check_closed_ones(self, _: object, house: House) -> Iterator[Fault]:
        """Nothing went into a drawer after its close, nor out of it."""
        for drawer in sorted(self._cents):
            row = house.drawers.get(drawer)
            if row is not None and row.close_entry is not None:
                yield _unlike(drawer)
                yield _no_difference(drawer)


def _unlike(drawer: int) -> Fault:
    return Fault("drawers", f"drawer {drawer} was not closed against what it held")


def _no_difference(drawer: int) -> Fault:
    return Fault("drawers", f"what drawer {drawer} was over or short is not the difference")


def check_bank(count: StoredCount, stretch: Stretch) -> Iterator[Fault]:
    """What a drawer opened with came out of the bank; what was in it at its close went back."""
    moved = sum(leg.cents for leg in stretch.legs(count.entry) if leg.account == "bank")
    if moved != (count.cents if count.closing else -count.cents):
        yield Fault("drawers", f"what was counted in drawer {count.drawer} is not in the bank")


class Contents:
    """What is in each drawer: cash together, chips and tokens by kind; what is nil is forgotten."""

    def __init__(self) -> None:
        self._inside: Counter[tuple[int | None, str]] = Counter()

    def check(self, entry: StoredEntry, stretch: Stretch) -> Iterator[Fault]:
        """Nothing goes out of a drawer that is not in it."""
        moved = [leg for leg in stretch.legs(entry.id) if leg.account == "drawer"]
        which = [(leg.drawer, "cash" if leg.kind in CASH else leg.kind or "") for leg in moved]
        for place, leg in zip(which, moved, strict=True):
            self._inside[place] += leg.cents
        if any(self._inside[place] < 0 for place in which) and entry.tag != "DRAWER-CLOSE":
            yield Fault("drawers", f"entry {entry.id} took more out of a drawer than was in it")
        for place in which:
            if not self._inside[place]:
                del self._inside[place]


class Whose:
    """Whose each open drawer is, since when, and where it is, as the log tells."""

    def __init__(self) -> None:
        self._open: dict[int, tuple[object, object, object]] = {}

    def check(self, entry: StoredEntry, stretch: Stretch) -> Iterator[Fault]:
        """A drawer is its opener's, from when it was opened, where it was opened or moved to."""
        body = entry.body
        opened = stretch.drawer_at.get(entry.id)
        if opened is not None:
            self._open[opened.id] = body.get("writer"), body.get("time"), body.get("station")
        if entry.tag == "DRAWER-MOVE" and body["act"] == "move":
            writer, since, _ = self._open.get(body["drawer"], (None, None, None))
            self._open[body["drawer"]] = writer, since, body["station"]
        count = stretch.count_at.get(entry.id)
        if count is not None and count.closing:
            told = self._open.pop(count.drawer, None)
            yield from self._check_row(stretch.house, count.drawer, told)

    def check_open_ones(self, _: object, house: House) -> Iterator[Fault]:
        """The same of those that are open still."""
        for drawer, told in self._open.items():
            yield from self._check_row(house, drawer, told)

    @staticmethod
    def _check_row(house: House, drawer: int, told: object) -> Iterator[Fault]:
        row = house.drawers.get(drawer)
        if row is None or (row.writer_code, said(row.opened_at), row.station_code) != told:
            yield Fault("drawers", f"drawer {drawer} is not what its entry says")


def check_fill(entry: StoredEntry, stretch: Stretch) -> Iterator[Fault]:
    """What a fill brought and a bleed took is what moved between the bank and the drawer."""
    if entry.tag != "DRAWER-MOVE":
        return
    body, legs = entry.body, stretch.legs(entry.id)
    sign = -1 if body["act"] == "bleed" else 1
    told = {(body["drawer"], kind): sign * cents for kind, cents in body["amounts"].items()}
    moved = {(leg.drawer, leg.kind): leg.cents for leg in legs if leg.account == "drawer"}
    if moved != told or {leg.account for leg in legs} - {"drawer", "bank"}:
        yield Fault("drawers", f"what entry {entry.id} moved is not what it says")


class Act(Protocol):
    """Something that went over a counter."""

    @property
    def entry(self) -> int: ...  # noqa: D102  its entry
    @property
    def drawer(self) -> int | None: ...  # noqa: D102  the drawer that it went through


def check_use(act: Act, stretch: Stretch) -> Iterator[Fault]:
    """Whatever went over a counter did so through its writer's drawer, while that was open."""
    body = stretch.body(act.entry)
    if act.drawer is None and how_shown(body) == "claim":  # which is paid at no window
        return
    row = None if act.drawer is None else stretch.house.drawers.get(act.drawer)
    writer = body.get("writer")
    if row is not None:
        until = act.entry + 1 if row.close_entry is None else row.close_entry
        if writer == row.writer_code and row.entry < act.entry < until:
            return
    yield Fault("drawers", f"entry {act.entry} was not done with drawer {act.drawer}")
