"""The paper of a drawer: fills and bleeds, counts, and the report of a shift (X-drawer)."""

from collections.abc import Iterator

from printers.layout.common import amounts, head, listed, moment, reason, signatures
from printers.paper import Element, Roll, between, dollars, line, rule, wrapped
from printers.slips import CountSlip, MovementSlip, ShiftReport


def movement(slip: MovementSlip, roll: Roll) -> Iterator[Element]:
    """Yield the slip of a fill or a bleed."""
    yield from head(roll, "FILL" if slip.is_fill else "BLEED", slip.done)
    yield line(f"Drawer {slip.drawer}", bold=True)
    yield rule(roll)
    yield from amounts(roll, slip.parts, "INTO THE DRAWER" if slip.is_fill else "INTO THE BANK")
    yield from signatures(roll, "Writer", "Supervisor")


def count(slip: CountSlip, roll: Roll) -> Iterator[Element]:
    """Yield what was counted; at the close, what should have been there and the difference."""
    closing = slip.expected_cents is not None
    yield from head(roll, "CLOSING COUNT" if closing else "OPENING COUNT", slip.done)
    yield from between(roll, f"Drawer {slip.drawer}", f"of {slip.keeper}", bold=True)
    yield from wrapped(roll, f"Verified by {slip.verifier}")
    yield from reason(roll, slip.done)
    yield rule(roll)
    yield from amounts(roll, slip.parts, "COUNTED")
    if slip.expected_cents is not None:
        over = slip.counted_cents - slip.expected_cents
        yield from between(roll, "Expected", dollars(slip.expected_cents))
        name = "SHORT" if over < 0 else "OVER" if over else "EVEN"
        yield from between(roll, name, dollars(abs(over)), bold=True)
        if slip.tickets_missing:
            missing = f"Paid tickets missing: {listed(slip.tickets_missing)}"
            yield from wrapped(roll, missing, indent=2)
    yield from signatures(roll, "Writer", "Verifier")


def shift(slip: ShiftReport, roll: Roll) -> Iterator[Element]:
    """Yield the figures of a shift."""
    yield from head(roll, "SHIFT", slip.done)
    yield line(f"Drawer {slip.drawer}", bold=True)
    yield from wrapped(roll, f"Opened {moment(slip.opened_at)}")
    yield rule(roll)
    yield from amounts(roll, slip.figures)
    if slip.hold is not None:
        yield from between(roll, "Hold", slip.hold)
    yield from signatures(roll, "Writer", "Supervisor")
