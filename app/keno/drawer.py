"""A writer's drawer: its states, counting it, and looking for what is over or short (X-drawer).

One writer, one drawer, one station, one shift. What should be in it is what was counted at its
opening and every act since, by kind of tender; nobody is told before the closing count is in.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from app.keno.tender import TenderKind

BILLS_CENTS = (10_000, 5_000, 2_000, 1_000, 500, 200, 100)
COINS_CENTS = (100, 50, 25, 10, 5, 1)
DENOMINATIONS: dict[TenderKind, tuple[int, ...] | None] = {
    TenderKind.CURRENCY: BILLS_CENTS,
    TenderKind.COIN: COINS_CENTS,
    TenderKind.CHIPS: None,  # a house has its own values
    TenderKind.TOKENS: None,
}
CASH = (TenderKind.CURRENCY, TenderKind.COIN)
FOUND_MAX = 50


class DrawerState(StrEnum):
    """The states of a drawer."""

    OPEN = "open"
    SUSPENDED = "suspended"
    CLOSED = "closed"


class DrawerAct(StrEnum):
    """What can be done with a drawer."""

    USE = "use"  # sell, void, pay, refund
    FILL = "fill"
    BLEED = "bleed"
    SUSPEND = "suspend"
    RESUME = "resume"
    MOVE = "move"
    CLOSE = "close"
    EXPLAIN = "explain"


_TABLE: dict[tuple[DrawerState, DrawerAct], DrawerState] = {
    (DrawerState.OPEN, DrawerAct.USE): DrawerState.OPEN,
    (DrawerState.OPEN, DrawerAct.FILL): DrawerState.OPEN,
    (DrawerState.OPEN, DrawerAct.BLEED): DrawerState.OPEN,
    (DrawerState.OPEN, DrawerAct.SUSPEND): DrawerState.SUSPENDED,
    (DrawerState.OPEN, DrawerAct.MOVE): DrawerState.OPEN,
    (DrawerState.OPEN, DrawerAct.CLOSE): DrawerState.CLOSED,
    (DrawerState.SUSPENDED, DrawerAct.RESUME): DrawerState.OPEN,
    (DrawerState.SUSPENDED, DrawerAct.MOVE): DrawerState.SUSPENDED,
    (DrawerState.SUSPENDED, DrawerAct.CLOSE): DrawerState.CLOSED,
    (DrawerState.CLOSED, DrawerAct.EXPLAIN): DrawerState.CLOSED,
}


def next_state(state: DrawerState, act: DrawerAct) -> DrawerState | None:
    """Return the state that an act leads to; none if it cannot be done in this state."""
    return _TABLE.get((state, act))


@dataclass(frozen=True)
class Moved:
    """One act, and what it moved into the drawer, or out of it if that is negative."""

    act: str
    cents: int


def explaining(moved: Sequence[Moved], over_cents: int) -> Iterator[tuple[Moved, ...]]:
    """Yield the acts that alone, or two together, come to what a drawer is over or short.

    Money that was taken in or given out without its act, or the other way round, makes a difference
    of just that act; so the sign does not matter. Single acts come first.
    """
    wanted = abs(over_cents)
    if not wanted:
        return
    yield from ((each,) for each in moved if abs(each.cents) == wanted)
    before: dict[int, list[Moved]] = defaultdict(list)
    for each in moved:
        for rest in (over_cents - each.cents, -over_cents - each.cents):
            yield from ((other, each) for other in before[rest])
        before[each.cents].append(each)


@dataclass(frozen=True)
class Count:
    """What was counted in a drawer: in cents by kind, and by denomination where it was."""

    cents: Mapping[TenderKind, int]
    pieces: Mapping[TenderKind, Mapping[int, int]] = field(default_factory=dict)

    @property
    def total_cents(self) -> int:
        """All of it."""
        return sum(self.cents.values())

    def document(self) -> dict[str, int | dict[str, int]]:
        """Return the count as it is kept: by denomination where it was counted so."""
        document: dict[str, int | dict[str, int]] = {}
        for kind, cents in sorted(self.cents.items()):
            pieces = self.pieces.get(kind)
            counted = {str(value): number for value, number in sorted((pieces or {}).items())}
            document[kind.value] = counted or cents
        return document


def counted_cents(pieces: Mapping[int, int]) -> int:
    """Return what a count by denomination comes to."""
    return sum(value * number for value, number in pieces.items())


def cents_of_kind(counted: int | Mapping[str, int]) -> int:
    """Return what a document of a count says of a kind of money: in all, or by denomination."""
    if isinstance(counted, int):
        return counted
    return counted_cents({int(value): number for value, number in counted.items()})


def is_denomination(kind: TenderKind, cents: int) -> bool:
    """Whether there are pieces of a kind that are worth so much."""
    known = DENOMINATIONS.get(kind)
    return cents > 0 and (known is None or cents in known)
