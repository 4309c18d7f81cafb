"""Whether there is enough in a drawer for what goes out of it, and what is noted if not."""

from collections import Counter
from collections.abc import Iterable

from app.flow.access import refused
from app.flow.office import Office
from app.flow.refusals import No, say_no
from app.keno.drawer import CASH
from app.keno.refusals import Refused
from app.keno.tender import Tender, TenderKind
from app.store.queries import drawers
from app.store.queries.people import Worker
from app.store.unit import Unit


def are_in_drawer(unit: Unit, who: Worker, parts: Iterable[Tender]) -> bool:
    """Whether a worker's drawer, which is held, has what goes back in kind; coupons never do."""
    needed: Counter[TenderKind] = Counter()
    for part in parts:
        needed[TenderKind.CURRENCY if part.kind in CASH else part.kind] += part.cents
    cash_cents = needed.pop(TenderKind.CURRENCY, 0)
    inside = drawers.contents(unit.connection, who.drawer or 0)
    rest = all(inside.get(kind, 0) >= cents for kind, cents in needed.items())
    return rest and is_in_drawer(unit, who, cash_cents)


def is_in_drawer(unit: Unit, who: Worker, cents: int) -> bool:
    """Whether a worker's drawer, which is held, has so much currency and coin."""
    if cents <= 0:
        return True
    inside = drawers.contents(unit.connection, who.drawer or 0)
    return cents <= sum(inside.get(kind, 0) for kind in CASH)


def too_little(office: Office, unit: Unit, who: Worker, no: No) -> Refused:
    """Note that there is too little in a worker's drawer, and return the refusal to be raised.

    Noted each time: whoever asks again and again finds out what is in it before the count, which
    is to be blind (X-drawer).
    """
    facts = {"drawer": who.drawer, "station": who.station_code, "staff": who.code}
    return refused(office, unit, say_no(no), **facts)
