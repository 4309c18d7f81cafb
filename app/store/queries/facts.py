"""Every fact with what its entry of the log must say of it, for whoever works it out again.

Rows are given out one by one and as they are: nothing is judged here.
"""

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import Connection, select
from sqlalchemy.orm import aliased

from app.store.tables import (
    Approval,
    Cancellation,
    Certification,
    DayClose,
    DrawerCount,
    DrawerMove,
    Expiry,
    Game,
    HouseAmount,
    LogEntry,
    Outcome,
    Override,
    Payout,
    Presentation,
    Refund,
    Release,
    ReportedWin,
    Settlement,
    Staff,
    Station,
    TaxPaper,
    Tier,
)


@dataclass(frozen=True)
class Fact:
    """A fact: what it is, under which tags its entry may stand, and what that says.

    The first tag is the one of entries that tell of such a fact before all.
    """

    what: str
    tags: tuple[str, ...]
    entry: int
    said: dict[str, Any]


def all_facts(connection: Connection) -> Iterator[Fact]:
    """Yield everything that happened to games, and what went back over tickets."""
    yield from _locks(connection)
    yield from _overrides(connection)
    yield from _outcomes(connection)
    yield from _settlements(connection)
    yield from _certifications(connection)
    yield from _releases(connection)
    yield from _cancellations(connection)
    yield from _refunds(connection)
    yield from _payouts(connection)
    yield from _waiting(connection)
    yield from _drawers(connection)
    yield from _amounts(connection)
    yield from _days(connection)


def _locks(connection: Connection) -> Iterator[Fact]:
    found = select(Game.__table__).where(Game.lock_entry.is_not(None))
    for row in connection.execute(found):
        said = {
            "series": row.series,
            "game": row.number,
            "tickets": row.tickets,
            "handle_cents": row.handle_cents,
            "gaming_day": row.gaming_day,
            "closes_at": _time(row.closes_at),
            "locked_at": _time(row.locked_at),
        }
        yield Fact(f"the lock of {row.series}-{row.number}", ("LOCK",), row.lock_entry, said)


def _overrides(connection: Connection) -> Iterator[Fact]:
    for row in connection.execute(select(Override.__table__)):
        said = {
            "series": row.series,
            "game": row.game,
            "closed_before": _time(row.closed_before),
            "closes_now": _time(row.closes_now),
            "reason": row.reason,
        }
        yield Fact(f"an override of {row.series}-{row.game}", ("OVERRIDE",), row.entry, said)


def _outcomes(connection: Connection) -> Iterator[Fact]:
    for row in connection.execute(select(Outcome.__table__)):
        said = {
            "series": row.series,
            "game": row.game,
            "record": row.record.hex(),
            "time": _time(row.ended_at),
        }
        if row.numbers is not None:
            said["numbers"] = row.numbers
        tag = "VOID-GAME" if row.numbers is None else "DRAW"
        yield Fact(f"the outcome of {row.series}-{row.game}", (tag,), row.entry, said)


def _settlements(connection: Connection) -> Iterator[Fact]:
    for row in connection.execute(select(Settlement.__table__)):
        names = (
            "series", "game", "run", "tickets", "handle_cents", "winners", "win_cents",
            "paid_cents", "limit_cents", "in_full_below_cents",
        )  # fmt: skip
        said = {name: getattr(row, name) for name in names}
        said |= {"digest": row.wins_digest.hex(), "time": _time(row.settled_at)}
        yield Fact(f"the settlement of {row.series}-{row.game}", ("WINS",), row.entry, said)


def _certifications(connection: Connection) -> Iterator[Fact]:
    found = select(
        Certification.__table__, Settlement.series, Settlement.game, Settlement.run
    ).join(Settlement, Settlement.attempt == Certification.attempt)
    for row in connection.execute(found):
        names = ("series", "game", "run", "tickets", "handle_cents", "winners", "differences")
        said = {name: getattr(row, name) for name in names}
        said["time"] = _time(row.certified_at)
        what = f"the verdict on {row.series}-{row.game}"
        yield Fact(what, (row.verdict.upper(),), row.entry, said)


def _releases(connection: Connection) -> Iterator[Fact]:
    found = select(Release.__table__, Settlement.series, Settlement.game, Settlement.run).join(
        Settlement, Settlement.attempt == Release.attempt
    )
    for row in connection.execute(found):
        said = {name: getattr(row, name) for name in ("series", "game", "run", "reason")}
        said["time"] = _time(row.released_at)
        yield Fact(f"the release of {row.series}-{row.game}", ("RELEASED",), row.entry, said)


def _cancellations(connection: Connection) -> Iterator[Fact]:
    for row in connection.execute(_with_people(Cancellation)):
        said = _authority(row) | {
            "first_cancelled": row.first_cancelled,
            "reason": row.reason,
            "time": _time(row.cancelled_at),
        }
        yield Fact(f"the cancellation of ticket {row.ticket}", ("CANCEL",), row.entry, said)


def _refunds(connection: Connection) -> Iterator[Fact]:
    """Yield what went back for void games: all that one act gave back together."""
    acts: dict[int, list[Any]] = defaultdict(list)
    for row in connection.execute(_with_people(Refund)):
        acts[row.entry].append(row)
    for entry, rows in acts.items():
        for row in rows:
            said = _authority(row) | {
                "void_games": sorted(each.game for each in rows),
                "time": _time(row.refunded_at),
            }
            tags = ("REFUND", "CANCEL", "PAID")
            yield Fact(f"the refund of ticket {row.ticket}", tags, entry, said)


def _payouts(connection: Connection) -> Iterator[Fact]:
    manager = aliased(Staff)
    found = (
        _with_people(Payout)
        .add_columns(manager.code.label("manager_code"))
        .outerjoin(manager, manager.id == Payout.manager)
    )
    for row in connection.execute(found):
        said = _people(row) | {
            "cents": row.cents,
            "paid_by": row.paid_by,
            "check_number": row.check_number,
            "manager": row.manager_code,
            "reason": row.reason,
            "time": _time(row.paid_at),
        }
        yield Fact(f"the payment of ticket {row.ticket}", ("PAID",), row.entry, said)


def _waiting(connection: Connection) -> Iterator[Fact]:
    """Yield what was noted of tickets on their way to being paid, or to never being paid."""
    for row in connection.execute(_worked(Presentation)):
        said = {
            "ticket": row.ticket,
            "why": row.why,
            "station": row.station_code,
            "writer": row.writer_code,
            "time": _time(row.presented_at),
        }
        yield Fact(f"ticket {row.ticket} as presented", ("PRESENTED",), row.entry, said)
    wins: dict[int, list[dict[str, int]]] = defaultdict(list)
    for row in connection.execute(select(ReportedWin.__table__).order_by(ReportedWin.ticket)):
        names = ("ticket", "win_cents", "wager_cents")
        wins[row.entry].append({name: getattr(row, name) for name in names})
    for row in connection.execute(_worked(TaxPaper)):
        said = {
            "wins": wins[row.entry],
            "number": row.ticket,
            "game": row.game,
            "win_cents": row.win_cents,
            "wager_cents": row.wager_cents,
            "due_at_cents": row.due_at_cents,
            "patron": row.salted.hex(),
            "station": row.station_code,
            "writer": row.writer_code,
            "time": _time(row.done_at),
        }
        yield Fact(f"the tax paper of ticket {row.ticket}", ("TAX-PAPER",), row.entry, said)
    given = (
        select(Approval.__table__, Staff.code, LogEntry.tag)
        .join(Staff, Staff.id == Approval.staff)
        .join(LogEntry, LogEntry.id == Approval.entry)
    )
    for row in connection.execute(given):
        what = f"an approval of ticket {row.ticket}"
        # Given from the page it has an entry of its own; else it stands with the payment.
        by = row.tier if row.tag == "PAID" and row.tier == Tier.MANAGER.value else "approver"
        said = {"cents": row.cents, "gradings": row.seen, by: row.code}
        yield Fact(what, ("APPROVED", "PAID"), row.entry, said)


def _days(connection: Connection) -> Iterator[Fact]:
    for row in connection.execute(select(Expiry.__table__)):
        said = {"ticket": row.ticket, "cents": row.cents, "time": _time(row.expired_at)}
        yield Fact(f"the expiry of ticket {row.ticket}", ("EXPIRED",), row.entry, said)
    closed = select(DayClose.__table__, Staff.code).join(Staff, Staff.id == DayClose.staff)
    for row in connection.execute(closed):
        said = {
            "day": row.day.isoformat(),
            "ends_at": _time(row.ends_at),
            "figures": row.figures,
            "drawers": row.drawers,
            "frozen": row.frozen,
            "time": _time(row.closed_at),
        }
        yield Fact(f"the close of {row.day}", ("DAY-CLOSE",), row.entry, said)


def _amounts(connection: Connection) -> Iterator[Fact]:
    manager = aliased(Staff)
    found = (
        select(HouseAmount.__table__, Staff.code, manager.code.label("manager_code"))
        .join(Staff, Staff.id == HouseAmount.staff)
        .join(manager, manager.id == HouseAmount.manager)
    )
    for row in connection.execute(found):
        said = {
            "name": row.name,
            "supervisor": row.code,
            "manager": row.manager_code,
            "from_day": row.from_day.isoformat(),
            "after_cents": row.cents,
        }
        yield Fact(f"the amount {row.name}", ("AMOUNT",), row.entry, said)


def _drawers(connection: Connection) -> Iterator[Fact]:
    """Yield what was counted in drawers, and what was done with them."""
    verifier = aliased(Staff)
    found = (
        select(
            DrawerCount.__table__,
            Staff.code.label("writer_code"),
            verifier.code.label("verifier_code"),
        )
        .outerjoin(Staff, Staff.id == DrawerCount.staff)
        .outerjoin(verifier, verifier.id == DrawerCount.verifier)
    )
    for row in connection.execute(found):
        said = {
            "counted": row.counted,
            "writer": row.writer_code,
            "verifier": row.verifier_code,
        }
        if row.closing:
            said |= {"drawer": row.drawer, "counted_cents": row.cents}
        tag = "DRAWER-CLOSE" if row.closing else "DRAWER-OPEN"
        yield Fact(f"a count of drawer {row.drawer}", (tag,), row.entry, said)
    for row in connection.execute(_with_people(DrawerMove)):
        said = {
            "drawer": row.drawer,
            "act": row.act,
            "amounts": row.amounts,
            "station": row.station_code,
            "writer": row.writer_code,
            "approver": row.approver_code,
            "words": row.words,
            "time": _time(row.moved_at),
        }
        yield Fact(f"what was done with drawer {row.drawer}", ("DRAWER-MOVE",), row.entry, said)


def _worked(table: Any) -> Any:  # noqa: ANN401  a table with a station and a person
    return (
        select(
            table.__table__,
            Station.code.label("station_code"),
            Staff.code.label("writer_code"),
        )
        .outerjoin(Station, Station.id == table.station)
        .outerjoin(Staff, Staff.id == table.staff)
    )


def _with_people(table: Any) -> Any:  # noqa: ANN401  a table with an approver as well
    approver = aliased(Staff)
    return (
        select(
            table.__table__,
            Station.code.label("station_code"),
            Staff.code.label("writer_code"),
            approver.code.label("approver_code"),
        )
        .outerjoin(Station, Station.id == table.station)
        .outerjoin(Staff, Staff.id == table.staff)
        .outerjoin(approver, approver.id == table.approver)
    )


def _authority(row: Any) -> dict[str, Any]:  # noqa: ANN401  a row of the above
    return {"back": row.back, **_people(row)}


def _people(row: Any) -> dict[str, Any]:  # noqa: ANN401  a row of the above
    return {
        "ticket": row.ticket,
        "station": row.station_code,
        "writer": row.writer_code,
        "approver": row.approver_code,
        "with_code": row.with_code,
        "request_id": row.request,
    }


def _time(moment: datetime | None) -> str | None:
    """Return a moment as entries write it."""
    if moment is None:
        return None
    return moment.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
