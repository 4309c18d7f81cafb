"""What is handed over for a ticket: void, refund and payout slips."""

from collections.abc import Iterator

from printers.layout.common import LISTED, amounts, head, listed, reason, signatures
from printers.paper import Element, Roll, between, dollars, line, rule, wrapped
from printers.slips import Part, PayoutSlip, RefundSlip, VoidSlip


def void(slip: VoidSlip, roll: Roll) -> Iterator[Element]:
    """Yield a void slip (X-void-slip)."""
    yield from head(roll, "VOID", slip.done)
    yield from between(roll, f"Ticket {slip.number}", f"issued at {slip.issued_at}", bold=True)
    yield from reason(roll, slip.done)
    yield rule(roll)
    yield from amounts(roll, slip.back, "GIVEN BACK")
    yield from signatures(roll, "Writer", *(("Supervisor",) if slip.done.approver else ()))


def refund(slip: RefundSlip, roll: Roll) -> Iterator[Element]:
    """Yield a refund slip (15.4(d)-refund)."""
    yield from head(roll, "REFUND", slip.done)
    yield line(f"Ticket {slip.number}", bold=True)
    if slip.cancelled is not None:
        yield from wrapped(roll, f"Cancelled: {slip.cancelled}", indent=2)
    if slip.void_games:
        yield from wrapped(roll, f"Void games: {listed(slip.void_games)}", indent=2)
    yield from reason(roll, slip.done)
    yield rule(roll)
    yield from amounts(roll, slip.back, "GIVEN BACK")
    if slip.coupon_cents:
        text = f"Paid by coupon and not given back: {dollars(slip.coupon_cents)}"
        yield from wrapped(roll, text, indent=2)
    yield from signatures(roll, "Patron", "Writer")


def payout(slip: PayoutSlip, roll: Roll) -> Iterator[Element]:
    """Yield a payout slip, with lines for those who must sign (15.6(b))."""
    yield from head(roll, "PAID", slip.done)
    if slip.manager is not None:
        yield from wrapped(roll, f"Approved by manager {slip.manager}")
    yield line(f"Ticket {slip.number}", bold=True)
    if not slip.with_code:
        yield line("PAID WITHOUT ITS CODE", bold=True)
    yield from reason(roll, slip.done)
    yield rule(roll)
    parts = [*slip.wins[:LISTED]]
    more = slip.wins[LISTED:]
    if more:
        parts.append(Part(f"{len(more):,} more games", sum(win.cents for win in more)))
    if slip.refund_cents:
        parts.append(Part("Refund of void games", slip.refund_cents))
    yield from amounts(roll, parts, "PAID")
    yield from wrapped(roll, f"By {slip.paid_by}", bold=True)
    if slip.signature:
        yield from wrapped(roll, "The supervisor signs on the back of the ticket as well.")
        who = ("Patron", "Writer", "Supervisor", *(("Manager",) if slip.manager else ()))
        yield from signatures(roll, *who)
