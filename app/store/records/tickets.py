"""Tickets, their tender, their voids, and the requests that made them."""

from collections.abc import Mapping, Sequence

from sqlalchemy import insert, update
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.exc import IntegrityError

from app.keno.tender import Tender, TenderKind
from app.store.tables import Asked, Counter, Coupon, PrintJob, Slip, Table, Ticket, Void
from app.store.tables import Tender as TenderRow
from app.store.unit import Unit

_NEXT = (
    update(Counter)
    .where(Counter.name == "ticket")
    .values(value=Counter.value + 1)
    .returning(Counter.value)
)


class AskedMeanwhile(Exception):  # noqa: N818  another transaction came first, and its answer counts
    """The same request id was answered by a transaction that came first."""


def insert_or_find(unit: Unit, table: type[Table]) -> postgresql.Insert | sqlite.Insert:
    """Return an insert that can say what is to happen if another one came first."""
    if unit.connection.dialect.name == "postgresql":
        return postgresql.insert(table)
    return sqlite.insert(table)


def next_number(unit: Unit) -> int:
    """Take the next ticket number; nobody else gets one until this transaction ends."""
    number: int = unit.connection.execute(_NEXT).scalar_one()
    return number


def add_asked(unit: Unit, station: int, request: str, content: bytes, answer: object) -> None:
    """Keep what a station asked for, and what it is answered.

    Raises:
        AskedMeanwhile: the same was asked at the same time, and answered first.
    """
    values = {"station": station, "request": request, "content": content, "answer": answer}
    try:
        unit.connection.execute(insert(Asked), values)
    except IntegrityError:
        raise AskedMeanwhile from None


def add_ticket(unit: Unit, values: Mapping[str, object], tender: Sequence[Tender]) -> None:
    """Keep a ticket and what it was paid with."""
    unit.connection.execute(insert(Ticket), dict(values))
    unit.connection.execute(
        insert(TenderRow),
        [
            {
                "ticket": values["number"],
                "place": place,
                "kind": part.kind.value,
                "cents": part.cents,
                "serial": part.serial,
            }
            for place, part in enumerate(tender)
        ],
    )


def spend_coupon(unit: Unit, serial: str, ticket: int) -> bool:
    """Spend a coupon on a ticket, and say whether it could be: it is spent once."""
    spent = insert_or_find(unit, Coupon).values(serial=serial, ticket=ticket)
    done = unit.connection.execute(
        spent.on_conflict_do_update(
            index_elements=[Coupon.serial],
            set_={"ticket": ticket},
            where=Coupon.ticket.is_(None),
        ).returning(Coupon.serial)
    )
    return done.first() is not None


def give_back_coupons(unit: Unit, tender: Sequence[Tender]) -> None:
    """Make the coupons of a ticket that is void usable again."""
    serials = [part.serial for part in tender if part.kind is TenderKind.COUPON]
    if serials:
        unit.connection.execute(
            update(Coupon).where(Coupon.serial.in_(serials)).values(ticket=None)
        )


def add_void(unit: Unit, values: Mapping[str, object]) -> None:
    """Keep that a ticket is void.

    Raises:
        AskedMeanwhile: another voided it at the same time, and came first.
    """
    kept = (
        insert_or_find(unit, Void)
        .values(dict(values))
        .on_conflict_do_nothing()
        .returning(Void.ticket)
    )
    if unit.connection.execute(kept).first() is None:
        raise AskedMeanwhile


def add_print_job(unit: Unit, station: int, slip: Slip, payload: object, entry: int) -> None:
    """Have a slip printed at a station."""
    values = {"station": station, "slip": slip.value, "payload": payload, "entry": entry}
    unit.connection.execute(insert(PrintJob), values)
