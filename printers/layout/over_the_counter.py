"""What is handed over for a ticket: void, refund and payout slips."""

from collections.abc import Iterator

from printers.layout.common import LISTED, amounts, head, listed, moment, reason, signatures
from printers.paper import Cut, Element, Roll, between, dollars, line, rule, title, wrapped
from printers.slips import Part, PayoutSlip, RefundSlip, VoidSlip

GROUP = 5  # digits of a code, as they stand on a ticket


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
    if slip.places is not None:
        yield Cut()
        yield from _envelope(slip, slip.places, roll)


def _envelope(slip: PayoutSlip, places: str, roll: Roll) -> Iterator[Element]:
    """Yield what goes into the envelope with a ticket that cannot be read (X-pay-without-code)."""
    done = slip.done
    yield from title(roll, "ENVELOPE")
    yield line(f"Ticket {slip.number}", bold=True, size=2)
    yield from between(roll, "PAID", dollars(slip.total_cents), bold=True)
    yield from wrapped(roll, moment(done.at))
    yield from between(roll, f"Station {done.station}", f"Writer {done.writer}")
    yield from wrapped(roll, f"Approved by {done.approver}")
    if slip.manager is not None:
        yield from wrapped(roll, f"Approved by manager {slip.manager}")
    yield from reason(roll, done)
    yield rule(roll)
    yield from wrapped(roll, "Of its code can be read (X):")
    groups = " ".join(places[at : at + GROUP] for at in range(0, len(places), GROUP))
    yield line(groups, bold=True, centred=True)
    yield from wrapped(roll, "Put the ticket and this slip into an envelope, and seal it.")
    yield from signatures(roll, "Writer", "Supervisor", *(("Manager",) if slip.manager else ()))
