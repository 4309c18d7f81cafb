"""Drawers: what each should have held is its bank and all that went in and out (X-drawer)."""

from collections import Counter
from collections.abc import Iterator

from app.audit.books.stored import Stored
from app.audit.faults import Fault


def check_drawers(stored: Stored) -> Iterator[Fault]:
    """A drawer opens with what was counted, and closes against what it held."""
    closes = {each.drawer: each for each in stored.drawer_counts if each.closing}
    if set(closes) != stored.closed_drawers:
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


def _held(stored: Stored, closing_entries: set[int]) -> Counter[int]:
    """Return what went into each drawer and out of it, but for what its close took out."""
    held: Counter[int] = Counter()
    for entry, legs in stored.postings.items():
        for leg in legs:
            if leg.drawer is not None and entry not in closing_entries:
                held[leg.drawer] += leg.cents
    return held
