"""Payments: what was paid, approved and filled in, and what the house has set."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Connection, select
from sqlalchemy.orm import aliased

from app.keno.amounts import Amount, Dated
from app.store.tables import (
    Approval,
    Certification,
    CodeTries,
    Game,
    HouseAmount,
    LogEntry,
    LookUp,
    LostTicket,
    Payout,
    Presentation,
    ReportedWin,
    Role,
    Settlement,
    ShownInPart,
    Staff,
    Station,
    Ticket,
    Tier,
    Verdict,
)


@dataclass(frozen=True)
class PayoutRow:
    """When, where and by whom a ticket was paid."""

    cents: int
    paid_at: datetime
    station_code: str
    writer_code: str


@dataclass(frozen=True)
class LostRow:
    """A ticket was reported lost."""

    entry: int
    claimed_at: datetime


@dataclass(frozen=True)
class PaidInPart:
    """A payment for which not the whole code was shown."""

    ticket: int
    cents: int
    paid_at: datetime
    station_code: str
    writer_code: str
    approver_code: str | None
    how: str


@dataclass(frozen=True)
class ApprovalRow:
    """Somebody approved that a ticket is paid so much."""

    tier: Tier
    staff: int
    code: str
    role: Role
    disabled: bool
    cents: int


def house_amounts(connection: Connection) -> list[Dated]:
    """Return what the house has set for itself, in the order in which it was set."""
    found = select(HouseAmount.name, HouseAmount.from_day, HouseAmount.cents).order_by(
        HouseAmount.entry
    )
    return [Dated(Amount(name), day, cents) for name, day, cents in connection.execute(found)]


def payout(connection: Connection, ticket: int) -> PayoutRow | None:
    """Return the payment of a ticket."""
    found = (
        select(Payout.cents, Payout.paid_at, Station.code, Staff.code)
        .join(Station, Station.id == Payout.station)
        .join(Staff, Staff.id == Payout.staff)
        .where(Payout.ticket == ticket)
    )
    row = connection.execute(found).first()
    return None if row is None else PayoutRow(*row)


def is_check_used(connection: Connection, number: str) -> bool:
    """Whether a check with this number was made out already."""
    found = select(Payout.ticket).where(Payout.check_number == number)
    return connection.execute(found).first() is not None


def presented_at(connection: Connection, ticket: int) -> datetime | None:
    """Return when a ticket was first brought that could not be paid then."""
    found = select(Presentation.presented_at).where(Presentation.ticket == ticket)
    return connection.execute(found).scalar_one_or_none()


def approvals(connection: Connection, ticket: int, since: int | None = None) -> list[ApprovalRow]:
    """Return who approved the payment of a ticket: at all, or since an entry of the log."""
    found = (
        select(Approval.tier, Staff.id, Staff.code, Staff.role, Staff.disabled_at, Approval.cents)
        .join(Staff, Staff.id == Approval.staff)
        .where(Approval.ticket == ticket, Approval.entry > (since or 0))
        .order_by(Approval.entry)
    )
    return [
        ApprovalRow(Tier(tier), staff, code, Role(role), disabled is not None, cents)
        for tier, staff, code, role, disabled, cents in connection.execute(found)
    ]


def reported(connection: Connection, tickets: Collection[int]) -> set[tuple[int, int]]:
    """Return which of these tickets' wins, and in which game, stand on a tax paper."""
    found = select(ReportedWin.ticket, ReportedWin.game).where(ReportedWin.ticket.in_(tickets))
    return {(ticket, game) for ticket, game in connection.execute(found)}


def locked_at(connection: Connection, series: str, number: int) -> datetime | None:
    """Return when a game was locked."""
    found = select(Game.locked_at).where(Game.series == series, Game.number == number)
    return connection.execute(found).scalar_one_or_none()


def freezes(
    connection: Connection, series: str, first: int, last: int
) -> list[tuple[datetime, datetime | None]]:
    """Return from when until when games were frozen; one that still is has no end."""
    found = (
        select(Settlement.game, Certification.verdict, Certification.certified_at)
        .join(Certification, Certification.attempt == Settlement.attempt)
        .where(Settlement.series == series, Settlement.game.between(first, last))
        .order_by(Settlement.game, Settlement.run)
    )
    frozen: list[tuple[datetime, datetime | None]] = []
    since: tuple[int, datetime] | None = None
    for game, verdict, at in connection.execute(found):
        if since is not None and since[0] != game:
            frozen.append((since[1], None))
            since = None
        if verdict == Verdict.FROZEN.value:
            since = since or (game, at)
        elif since is not None:
            frozen.append((since[1], at))
            since = None
    if since is not None:
        frozen.append((since[1], None))
    return frozen


def ticket_body(connection: Connection, ticket: int) -> str:
    """Return what the log says of a ticket."""
    found = (
        select(LogEntry.body)
        .join(Ticket, Ticket.entry == LogEntry.id)
        .where(Ticket.number == ticket)
    )
    return connection.execute(found).scalar_one()


def code_full_at(connection: Connection, ticket: int) -> datetime | None:
    """Return when a ticket will have all tries of a part of its code again, if it has not."""
    found = select(CodeTries.full_at).where(CodeTries.ticket == ticket)
    return connection.execute(found).scalar_one_or_none()


def was_looked_up_by(connection: Connection, ticket: int, staff: int) -> bool:
    """Whether a person looked a win up without its code, by itself or in a list."""
    found = select(LookUp.entry).where(
        LookUp.staff == staff, LookUp.first <= ticket, LookUp.last >= ticket
    )
    return connection.execute(found.limit(1)).first() is not None


def reported_lost(connection: Connection, ticket: int) -> list[LostRow]:
    """Return when a ticket was reported lost, each time, the first one first."""
    found = (
        select(LostTicket.entry, LostTicket.claimed_at)
        .where(LostTicket.ticket == ticket)
        .order_by(LostTicket.entry)
    )
    return [LostRow(*row) for row in connection.execute(found)]


def paid_in_part(connection: Connection, since: datetime, limit: int) -> list[PaidInPart]:
    """Return the newest payments since a time for which not the whole code was shown."""
    approver = aliased(Staff)
    found = (
        select(
            Payout.ticket,
            Payout.cents,
            Payout.paid_at,
            Station.code,
            Staff.code,
            approver.code,
            ShownInPart.how,
        )
        .join(ShownInPart, ShownInPart.ticket == Payout.ticket)
        .join(Station, Station.id == Payout.station)
        .join(Staff, Staff.id == Payout.staff)
        .outerjoin(approver, approver.id == Payout.approver)
        .where(Payout.paid_at > since)
        .order_by(ShownInPart.entry.desc())
        .limit(limit)
    )
    return [PaidInPart(*row) for row in connection.execute(found)]
