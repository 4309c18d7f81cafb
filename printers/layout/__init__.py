"""How each slip looks, on wide paper and on narrow: slips in, elements out, nothing else.

Reading order: `ticket` (what the patron holds), `over_the_counter` (void, refund, payout), `drawer`
(fill, count, shift), `game` (draw record, aggregate sheet), `printer_change`, `test_page`.
"""

from collections.abc import Callable, Iterator
from typing import Any

from printers import slips
from printers.layout import drawer, game, over_the_counter, printer_change, test_page, ticket
from printers.paper import Cut, Element, Roll, line

LAYOUTS: dict[type[slips.Slip], Callable[[Any, Roll], Iterator[Element]]] = {
    slips.TicketSlip: ticket.ticket,
    slips.VoidSlip: over_the_counter.void,
    slips.RefundSlip: over_the_counter.refund,
    slips.PayoutSlip: over_the_counter.payout,
    slips.MovementSlip: drawer.movement,
    slips.CountSlip: drawer.count,
    slips.ShiftReport: drawer.shift,
    slips.AggregateSheet: game.aggregate,
    slips.DrawRecord: game.draw_record,
    slips.TestPage: test_page.test_page,
    slips.PrinterChange: printer_change.printer_change,
}


def laid_out(slip: slips.Slip, roll: Roll) -> list[Element]:
    """Return a slip as it stands on a width of paper, with its cut.

    Raises:
        Unprintable: a text of it cannot be printed.
    """
    return [*LAYOUTS[type(slip)](slip, roll), Cut()]


def copy_band(roll: Roll, copy: int) -> list[Element]:
    """Return what stands above the same paper when it is printed again."""
    text = f" COPY {copy} "
    return [line(text.center(roll.columns // 2, "*"), bold=True, size=2)]
