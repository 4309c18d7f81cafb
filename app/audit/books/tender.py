"""What tickets were paid with (15.3(b))."""

from collections import defaultdict
from collections.abc import Iterator

from app.audit.books.house import House
from app.audit.books.looks import Look, Thing
from app.audit.books.stretch import Stretch
from app.audit.faults import Fault
from app.store.queries.books import lives, standing
from app.store.queries.books.rows import StoredTicket


def tender() -> list[Look]:
    """What a ticket was paid with covers its price; a coupon is spent once (15.3(b))."""
    coupons = Coupons()
    return [
        Look(Thing.TICKET, check_tender),
        Look(Thing.TICKET, coupons.spend),
        Look(Thing.END, coupons.check),
    ]


def check_tender(ticket: StoredTicket, stretch: Stretch) -> Iterator[Fault]:
    """The parts add up to what was tendered, and coupons to no more than the price."""
    parts = stretch.tender.get(ticket.number, ())
    if sum(part.cents for part in parts) != ticket.tendered_cents:
        yield Fault("tender", f"the tender of ticket {ticket.number} does not add up")
    if sum(part.cents for part in parts if part.kind == "coupon") > ticket.price_cents:
        yield Fault("tender", f"ticket {ticket.number} was paid with more coupons than it costs")


class Coupons:
    """Which tickets coupons were spent on, of those that are not spent where they say.

    A coupon's row names one ticket. If each ticket that a coupon paid for is the one of its row,
    and there are as many such rows, then each is spent once, and nothing more has to be known.
    """

    def __init__(self) -> None:
        self._agreed = 0
        self._doubtful: dict[str, list[int]] = defaultdict(list)

    def spend(self, ticket: StoredTicket, stretch: Stretch) -> None:
        """Hold the coupons of a ticket against their rows."""
        coupons = [p.serial or "" for p in stretch.tender.get(ticket.number, ()) if p.serial]
        if not coupons or stretch.is_given_back(ticket):
            return
        for place, serial in enumerate(coupons):
            if stretch.coupons.get(serial) == ticket.number and serial not in coupons[:place]:
                self._agreed += 1
            else:
                self._doubtful[serial].append(ticket.number)

    def check(self, _: object, house: House) -> Iterator[Fault]:
        """Tell of the coupons that are not spent where they say."""
        where_it_says = lives.spent_coupons(house.connection, list(self._doubtful))
        for serial, numbers in self._doubtful.items():
            on = sorted([*numbers, *where_it_says.get(serial, ())])
            if len(on) > 1:
                yield Fault("tender", f"coupon {serial} was spent on tickets {on}")
        if self._doubtful or standing.coupons_in_use(house.connection) != self._agreed:
            yield Fault("tender", "the coupons are not spent on the tickets that they paid for")
