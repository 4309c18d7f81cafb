"""What tickets were paid with (15.3(b))."""

from collections import defaultdict
from collections.abc import Iterator

from app.audit.books.stored import Stored
from app.audit.faults import Fault


def check_tender(stored: Stored) -> Iterator[Fault]:
    """What a ticket was paid with covers its price; a coupon is spent once (15.3(b))."""
    spent: dict[str, list[int]] = defaultdict(list)
    for number, ticket in stored.tickets.items():
        parts = stored.tender.get(number, [])
        if sum(part.cents for part in parts) != ticket.tendered_cents:
            yield Fault("tender", f"the tender of ticket {number} does not add up")
        coupons = [part for part in parts if part.kind == "coupon"]
        if sum(part.cents for part in coupons) > ticket.price_cents:
            yield Fault("tender", f"ticket {number} was paid with more coupons than it costs")
        for part in coupons:
            if not stored.is_given_back(number):
                spent[part.serial or ""].append(number)
    for serial, numbers in spent.items():
        if len(numbers) > 1:
            yield Fault("tender", f"coupon {serial} was spent on tickets {numbers}")
    held = {serial: ticket for serial, ticket in stored.coupons.items() if ticket is not None}
    if held != {serial: numbers[-1] for serial, numbers in spent.items()}:
        yield Fault("tender", "the coupons are not spent on the tickets that they paid for")
