"""What goes with a ticket: its number, its tender, its coupons, its paper, the request for it."""

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import bindparam, func, update
from sqlalchemy.dialects import postgresql, sqlite

from app.keno.tender import Tender
from app.store.columns import Utc
from app.store.records.together import Row
from app.store.tables import Asked, Counter, Coupon, Table
from app.store.tables import Tender as TenderRow
from app.store.unit import Unit

_NEXT = (
    update(Counter)
    .where(Counter.name == "ticket")
    .values(value=Counter.value + bindparam("count"))
    .returning(Counter.value, func.clock_timestamp(type_=Utc()))
)


def insert_or_find(unit: Unit, table: type[Table]) -> postgresql.Insert | sqlite.Insert:
    """Return an insert that can say what is to happen if another one came first."""
    if unit.connection.dialect.name == "postgresql":
        return postgresql.insert(table)
    return sqlite.insert(table)


def next_number(unit: Unit) -> tuple[int, datetime]:
    """Take the next ticket number; nobody else gets one until this transaction ends.

    Returns it with the time at which it was taken, behind whoever had to be waited for: so tickets
    are in the order of their times as well.
    """
    return next_numbers(unit, 1)


def next_numbers(unit: Unit, count: int) -> tuple[int, datetime]:
    """Take several numbers in a row, as `next_number` does; return the first of them."""
    last, taken_at = unit.connection.execute(_NEXT, {"count": count}).one()
    return last - count + 1, unit.now(taken_at)


def asked_row(station: int, staff: int | None, request: str, content: bytes, answer: object) -> Row:
    """Return the row that keeps what a person asked for at a station, and what they are answered.

    Without a person for an act that nobody is ever to do.
    """
    asked = {"station": station, "request": request, "content": content, "answer": answer}
    return Asked, {**asked, "staff": staff}


def tender_rows(ticket: int, tender: Sequence[Tender]) -> list[Row]:
    """Return the rows that keep what a ticket was paid with."""
    return [
        (
            TenderRow,
            {
                "ticket": ticket,
                "place": place,
                "kind": part.kind.value,
                "cents": part.cents,
                "serial": part.serial,
            },
        )
        for place, part in enumerate(tender)
    ]


def serials_of(tender: Sequence[Tender]) -> list[str]:
    """Return the coupons in a tender."""
    return [part.serial for part in tender if part.serial is not None]


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
    serials = serials_of(tender)
    if serials:
        unit.lock_coupons(serials)
        unit.connection.execute(
            update(Coupon).where(Coupon.serial.in_(serials)).values(ticket=None)
        )
