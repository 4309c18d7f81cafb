"""Drawers: what each should have held is its bank and all that went in and out (X-drawer)."""

from collections import Counter
from collections.abc import Iterator

from app.audit.books.patrons import CASH
from app.audit.books.stored import Stored, said
from app.audit.faults import Fault
from app.store.queries.books import StoredDrawer


def check_drawers(stored: Stored) -> Iterator[Fault]:
    """A drawer opens with what was counted, is used by its writer, and closes on what it held."""
    closes = {each.drawer: each for each in stored.drawer_counts if each.closing}
    closed = {drawer for drawer, row in stored.drawers.items() if row.closed_at is not None}
    if set(closes) != closed:
        yield Fault("drawers", "the drawers that are closed are not those that were counted")
    held = _held(stored, {each.entry for each in closes.values()})
    for drawer, count in closes.items():
        body = stored.bodies.get(count.entry, {})
        if body.get("expected_cents") != held[drawer]:
            yield Fault("drawers", f"drawer {drawer} was not closed against what it held")
        if body.get("over_short_cents") != count.cents - held[drawer]:
            yield Fault("drawers", f"what drawer {drawer} was over or short is not the difference")
    for count in stored.drawer_counts:
        bank = [leg for leg in stored.postings.get(count.entry, []) if leg.account == "bank"]
        moved = sum(leg.cents for leg in bank)
        if moved != (count.cents if count.closing else -count.cents):
            yield Fault("drawers", f"what was counted in drawer {count.drawer} is not in the bank")
    yield from _check_contents(stored)
    yield from _check_rows(stored)
    yield from _check_fills(stored)
    yield from _check_use(stored, {drawer: each.entry for drawer, each in closes.items()})


def _check_contents(stored: Stored) -> Iterator[Fault]:
    """Nothing goes out of a drawer that is not in it: cash together, chips and tokens by kind."""
    inside: Counter[tuple[int | None, str]] = Counter()
    for entry in sorted(stored.postings):
        moved = [leg for leg in stored.postings[entry] if leg.account == "drawer"]
        which = [(leg.drawer, "cash" if leg.kind in CASH else leg.kind or "") for leg in moved]
        for place, leg in zip(which, moved, strict=True):
            inside[place] += leg.cents
        if any(inside[place] < 0 for place in which) and stored.tags.get(entry) != "DRAWER-CLOSE":
            yield Fault("drawers", f"entry {entry} took more out of a drawer than was in it")


def _check_rows(stored: Stored) -> Iterator[Fault]:
    """A drawer is its opener's, from when it was opened, where it was opened or moved to."""
    at = {drawer: _opening(stored, row).get("station") for drawer, row in stored.drawers.items()}
    for entry in stored.tagged("DRAWER-MOVE"):
        if stored.bodies[entry]["act"] == "move":
            at[stored.bodies[entry]["drawer"]] = stored.bodies[entry]["station"]
    for drawer, row in stored.drawers.items():
        body = _opening(stored, row)
        told = (body.get("writer"), body.get("time"), at[drawer])
        if (row.writer_code, said(row.opened_at), row.station_code) != told:
            yield Fault("drawers", f"drawer {drawer} is not what its entry says")


def _check_fills(stored: Stored) -> Iterator[Fault]:
    """What a fill brought and a bleed took is what moved between the bank and the drawer."""
    for entry in stored.tagged("DRAWER-MOVE"):
        body = stored.bodies[entry]
        sign = -1 if body["act"] == "bleed" else 1
        told = {(body["drawer"], kind): sign * cents for kind, cents in body["amounts"].items()}
        legs = stored.postings.get(entry, [])
        moved = {(leg.drawer, leg.kind): leg.cents for leg in legs if leg.account == "drawer"}
        if moved != told or {leg.account for leg in legs} - {"drawer", "bank"}:
            yield Fault("drawers", f"what entry {entry} moved is not what it says")


def _check_use(stored: Stored, closes: dict[int, int]) -> Iterator[Fault]:
    """Whatever went over a counter did so through its writer's drawer, while that was open."""
    uses = [(each.entry, each.drawer) for each in stored.tickets.values()]
    uses += [(each.entry, each.drawer) for each in stored.voids.values()]
    uses += [(each.entry, each.drawer) for each in stored.payouts.values()]
    uses += [(each.entry, each.drawer) for each in stored.refunds]
    for entry, drawer in uses:
        row = stored.drawers.get(drawer)
        until = closes.get(drawer, entry + 1)
        writer = stored.bodies.get(entry, {}).get("writer")
        if row is None or writer != row.writer_code or not row.entry < entry < until:
            yield Fault("drawers", f"entry {entry} was not done with drawer {drawer}")


def _opening(stored: Stored, drawer: StoredDrawer) -> dict[str, object]:
    return stored.bodies.get(drawer.entry, {})


def _held(stored: Stored, closing_entries: set[int]) -> Counter[int]:
    """Return what went into each drawer and out of it, but for what its close took out."""
    held: Counter[int] = Counter()
    for entry, legs in stored.postings.items():
        for leg in legs:
            if leg.drawer is not None and entry not in closing_entries:
                held[leg.drawer] += leg.cents
    return held
