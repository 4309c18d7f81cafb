"""The facts of a stretch of the log, each with what its entry must say of it.

Rows are given out one by one and as they are: nothing is judged here.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import Connection, select
from sqlalchemy.orm import aliased

from app.store.queries.books.span import Span
from app.store.tables import (
    Approval,
    BooksRun,
    Cancellation,
    Card,
    CardAcceptance,
    CardTerm,
    Certification,
    DayClose,
    DrawerCount,
    DrawerMove,
    Expiry,
    Game,
    HoldEnd,
    HouseAmount,
    HouseSetting,
    LogEntry,
    LookUp,
    LostTicket,
    Outcome,
    Override,
    Payout,
    Presentation,
    Refund,
    Release,
    ReportedWin,
    Reprint,
    Resumption,
    SaleStop,
    Settlement,
    ShownInPart,
    Staff,
    StaffChange,
    Station,
    TaxPaper,
    Tier,
)

WENT_ON = ("RESTORED", "REFILLED", "NEW-ORIGIN")


@dataclass(frozen=True)
class Fact:
    """A fact: what it is, under which tags its entry may stand, and what that says.

    The first tag is the one of entries that tell of such a fact before all.
    """

    what: str
    tags: tuple[str, ...]
    entry: int
    said: dict[str, Any]
    # Who did it, by how the entry names them, of entries that name them with their role.
    by: Mapping[str, str] = field(default_factory=dict)


def facts_in(connection: Connection, span: Span) -> Iterator[Fact]:
    """Yield everything that happened to games, and what went back over tickets."""
    yield from _cards(connection, span)
    yield from _stops(connection, span)
    yield from _locks(connection, span)
    yield from _overrides(connection, span)
    yield from _outcomes(connection, span)
    yield from _settlements(connection, span)
    yield from _certifications(connection, span)
    yield from _releases(connection, span)
    yield from _cancellations(connection, span)
    yield from _refunds(connection, span)
    yield from _payouts(connection, span)
    yield from _looked_up(connection, span)
    yield from _waiting(connection, span)
    yield from _drawers(connection, span)
    yield from _amounts(connection, span)
    yield from _settings(connection, span)
    yield from _changes(connection, span)
    yield from _copies(connection, span)
    yield from _days(connection, span)
    yield from _books(connection, span)
    yield from _restores(connection, span)


def _cards(connection: Connection, span: Span) -> Iterator[Fact]:
    """Yield what was brought, accepted and put into force."""
    for row in connection.execute(_done_by(Card).where(span.holds(Card.entry))):
        said = {"card": row.hash.hex(), "name": row.name, "file": row.file}
        by = {"by": row.by} | ({"second": row.second} if row.second else {})
        yield Fact(f"the card {row.name}", ("CARD",), row.entry, said, by)
    against = aliased(Card)
    accepted = _of_card(CardAcceptance).add_columns(against.hash.label("against_hash"))
    accepted = accepted.outerjoin(against, against.id == CardAcceptance.against)
    for row in connection.execute(accepted.where(span.holds(CardAcceptance.entry))):
        said = {"card": row.hash.hex(), "as": row.consent, "against": _hex(row.against_hash)}
        what = f"the acceptance of {row.name} as {row.consent}"
        yield Fact(what, ("CARD-ACCEPTED",), row.entry, said, {"by": row.by})
    manager = aliased(Staff)
    terms = _of_card(CardTerm).add_columns(manager.code.label("manager_code"))
    terms = terms.outerjoin(manager, manager.id == CardTerm.manager)
    for row in connection.execute(terms.where(span.holds(CardTerm.entry))):
        said = {"card": row.hash.hex(), "effective_at": _time(row.effective_at)}
        said |= {"time": _time(row.published_at)}
        said |= {"manager": row.manager_code} if row.manager_code else {}
        yield Fact(f"the term of {row.name}", ("CARD-IN-FORCE",), row.entry, said, {"by": row.by})


def _hex(digest: bytes | None) -> str | None:
    return None if digest is None else digest.hex()


def _stops(connection: Connection, span: Span) -> Iterator[Fact]:
    """Yield what was not sold any more, and what was sold again."""
    manager = aliased(Staff)
    found = _done_by(SaleStop).add_columns(manager.code.label("manager_code"))
    found = found.outerjoin(manager, manager.id == SaleStop.manager)
    for row in connection.execute(found.where(span.holds(SaleStop.entry))):
        said = {
            "series": row.series,
            "schedule": row.schedule,
            "spots": row.spots,
            "reason": row.reason,
            "time": _time(row.at),
        }
        if row.stopped:
            yield Fact("a stop of a sale", ("SALE-STOPPED",), row.entry, said, {"by": row.by})
        else:
            said |= {"supervisor": row.by, "manager": row.manager_code}
            yield Fact("the end of a stop", ("SALE-RESUMED",), row.entry, said)


def _locks(connection: Connection, span: Span) -> Iterator[Fact]:
    found = select(Game.__table__).where(span.holds(Game.lock_entry))
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


def _overrides(connection: Connection, span: Span) -> Iterator[Fact]:
    for row in _rows(connection, span, Override):
        said = {
            "series": row.series,
            "game": row.game,
            "closed_before": _time(row.closed_before),
            "closes_now": _time(row.closes_now),
            "reason": row.reason,
        }
        yield Fact(f"an override of {row.series}-{row.game}", ("OVERRIDE",), row.entry, said)


def _outcomes(connection: Connection, span: Span) -> Iterator[Fact]:
    for row in _rows(connection, span, Outcome):
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


def _settlements(connection: Connection, span: Span) -> Iterator[Fact]:
    for row in _rows(connection, span, Settlement):
        names = (
            "series", "game", "run", "tickets", "handle_cents", "winners", "win_cents",
            "paid_cents", "limit_cents", "in_full_below_cents",
        )  # fmt: skip
        said = {name: getattr(row, name) for name in names}
        said |= {"digest": row.wins_digest.hex(), "time": _time(row.settled_at)}
        yield Fact(f"the settlement of {row.series}-{row.game}", ("WINS",), row.entry, said)


def _certifications(connection: Connection, span: Span) -> Iterator[Fact]:
    for row in connection.execute(
        _of_settlement(Certification).where(span.holds(Certification.entry))
    ):
        names = ("series", "game", "run", "tickets", "handle_cents", "winners", "differences")
        said = {name: getattr(row, name) for name in names}
        said["time"] = _time(row.certified_at)
        what = f"the verdict on {row.series}-{row.game}"
        yield Fact(what, (row.verdict.upper(),), row.entry, said)


def _releases(connection: Connection, span: Span) -> Iterator[Fact]:
    supervisor, manager = aliased(Staff), aliased(Staff)
    found = (
        _of_settlement(Release)
        .add_columns(supervisor.code.label("one"), manager.code.label("other"))
        .outerjoin(supervisor, supervisor.id == Release.supervisor)
        .outerjoin(manager, manager.id == Release.manager)
        .where(span.holds(Release.entry))
    )
    for row in connection.execute(found):
        said = {name: getattr(row, name) for name in ("series", "game", "run", "reason")}
        said["time"] = _time(row.released_at)
        by = {"supervisor": row.one, "manager": row.other}
        yield Fact(f"the release of {row.series}-{row.game}", ("RELEASED",), row.entry, said, by)


def _cancellations(connection: Connection, span: Span) -> Iterator[Fact]:
    for row in connection.execute(_with_people(Cancellation).where(span.holds(Cancellation.entry))):
        said = _authority(row) | {
            "first_cancelled": row.first_cancelled,
            "reason": row.reason,
            "time": _time(row.cancelled_at),
        }
        yield Fact(f"the cancellation of ticket {row.ticket}", ("CANCEL",), row.entry, said)


def _refunds(connection: Connection, span: Span) -> Iterator[Fact]:
    """Yield what went back for void games: all that one act gave back together."""
    acts: dict[int, list[Any]] = defaultdict(list)
    for row in connection.execute(_with_people(Refund).where(span.holds(Refund.entry))):
        acts[row.entry].append(row)
    for entry, rows in acts.items():
        for row in rows:
            said = _authority(row) | {
                "void_games": sorted(each.game for each in rows),
                "time": _time(row.refunded_at),
            }
            tags = ("REFUND", "CANCEL", "PAID")
            yield Fact(f"the refund of ticket {row.ticket}", tags, entry, said)


def _payouts(connection: Connection, span: Span) -> Iterator[Fact]:
    manager = aliased(Staff)
    found = (
        _with_people(Payout)
        .add_columns(manager.code.label("manager_code"))
        .outerjoin(manager, manager.id == Payout.manager)
        .where(span.holds(Payout.entry))
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
    kept = (
        select(ShownInPart.__table__, LostTicket.claimed_at)
        .outerjoin(LostTicket, LostTicket.entry == ShownInPart.claim)
        .where(span.holds(ShownInPart.entry))
    )
    for row in connection.execute(kept):
        shown = {"how": row.how}
        if row.places is not None:
            shown |= {"digits": row.places.count("X"), "places": row.places}
        if row.salted is not None:
            shown["identity"] = row.salted.hex()
        if row.claim is not None:
            shown |= {"claim": _time(row.claimed_at), "procedure": row.procedure}
        said = {"ticket": row.ticket, "shown": shown}
        yield Fact(f"what was shown of ticket {row.ticket}", ("PAID",), row.entry, said)


def _looked_up(connection: Connection, span: Span) -> Iterator[Fact]:
    """Yield who looked wins up without a code, and who says that they lost a ticket."""
    for row in connection.execute(_worked(LookUp).where(span.holds(LookUp.entry))):
        said = {
            "first": row.first,
            "last": row.last,
            "wins": row.wins,
            "station": row.station_code,
            "staff": row.writer_code,
            "time": _time(row.looked_at),
        }
        yield Fact(f"the look-up of entry {row.entry}", ("LOOK-UP",), row.entry, said)
    for row in connection.execute(_worked(LostTicket).where(span.holds(LostTicket.entry))):
        said = {
            "ticket": row.ticket,
            "bought": row.bought,
            "surveillance": row.surveillance,
            "patron": row.salted.hex(),
            "station": row.station_code,
            "staff": row.writer_code,
            "time": _time(row.claimed_at),
        }
        yield Fact(f"the loss of ticket {row.ticket}", ("LOST-TICKET",), row.entry, said)


def _waiting(connection: Connection, span: Span) -> Iterator[Fact]:
    """Yield what was noted of tickets on their way to being paid, or to never being paid."""
    for row in connection.execute(_worked(Presentation).where(span.holds(Presentation.entry))):
        said = {
            "ticket": row.ticket,
            "why": row.why,
            "station": row.station_code,
            "writer": row.writer_code,
            "time": _time(row.presented_at),
        }
        yield Fact(f"ticket {row.ticket} as presented", ("PRESENTED",), row.entry, said)
    wins: dict[int, list[dict[str, int]]] = defaultdict(list)
    on_papers = select(ReportedWin.__table__).where(span.holds(ReportedWin.entry))
    for row in connection.execute(on_papers.order_by(ReportedWin.ticket)):
        names = ("ticket", "win_cents", "wager_cents")
        wins[row.entry].append({name: getattr(row, name) for name in names})
    for row in connection.execute(_worked(TaxPaper).where(span.holds(TaxPaper.entry))):
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
        # By tier first, as they are kept.
        .where(Approval.tier.in_([tier.value for tier in Tier]), span.holds(Approval.entry))
    )
    for row in connection.execute(given):
        what = f"an approval of ticket {row.ticket}"
        # Given from the page it has an entry of its own; else it stands with the payment.
        by = row.tier if row.tag == "PAID" and row.tier == Tier.MANAGER.value else "approver"
        said = {"cents": row.cents, "gradings": row.seen, by: row.code}
        yield Fact(what, ("APPROVED", "PAID"), row.entry, said)


def _days(connection: Connection, span: Span) -> Iterator[Fact]:
    for row in _rows(connection, span, Expiry):
        said = {"ticket": row.ticket, "cents": row.cents, "time": _time(row.expired_at)}
        yield Fact(f"the expiry of ticket {row.ticket}", ("EXPIRED",), row.entry, said)
    for row in _rows(connection, span, DayClose):
        said = {
            "day": row.day.isoformat(),
            "ends_at": _time(row.ends_at),
            "figures": row.figures,
            "drawers": row.drawers,
            "frozen": row.frozen,
            "unclaimed": row.unclaimed,
            "time": _time(row.closed_at),
        }
        yield Fact(f"the close of {row.day}", ("DAY-CLOSE",), row.entry, said)


def _books(connection: Connection, span: Span) -> Iterator[Fact]:
    for row in _rows(connection, span, BooksRun):
        said = {
            "gaming_day": row.gaming_day,
            "log": {"size": row.size, "root": row.root.hex()},
            "faults": row.faults,
            "time": _time(row.began_at),
        }
        yield Fact(f"the books of {row.gaming_day}", ("BOOKS",), row.entry, said)


def _restores(connection: Connection, span: Span) -> Iterator[Fact]:
    found = (
        select(Resumption.__table__, LogEntry.tag)
        .join(LogEntry, LogEntry.id == Resumption.entry)
        .where(span.holds(Resumption.entry))
    )
    for row in connection.execute(found):
        said = {"last_number": row.last_number, "numbers_left_out": row.left_out}
        tag = row.tag if row.tag in WENT_ON else WENT_ON[0]
        yield Fact("how a restored house went on", (tag,), row.entry, said)
    supervisor, manager = aliased(Staff), aliased(Staff)
    ended = (
        select(HoldEnd.__table__, supervisor.code.label("by"), manager.code.label("other"))
        .join(supervisor, supervisor.id == HoldEnd.staff)
        .join(manager, manager.id == HoldEnd.manager)
        .where(span.holds(HoldEnd.entry))
    )
    for row in connection.execute(ended):
        people = {"supervisor": row.by, "manager": row.other}
        said = {"reason": row.reason, **people, "time": _time(row.ended_at)}
        yield Fact("the end of a hold", ("HOLD-ENDED",), row.entry, said)


def _amounts(connection: Connection, span: Span) -> Iterator[Fact]:
    for row in connection.execute(_by_two(HouseAmount).where(span.holds(HouseAmount.entry))):
        said = {
            "name": row.name,
            "supervisor": row.code,
            "manager": row.manager_code,
            "from_day": row.from_day.isoformat(),
            "after_cents": row.cents,
        }
        yield Fact(f"the amount {row.name}", ("AMOUNT",), row.entry, said)


def _changes(connection: Connection, span: Span) -> Iterator[Fact]:
    first, second = aliased(Staff), aliased(Staff)
    found = (
        select(
            StaffChange.__table__,
            Staff.code,
            first.code.label("first_code"),
            second.code.label("second_code"),
        )
        .join(Staff, Staff.id == StaffChange.staff)
        .join(first, first.id == StaffChange.first)
        .join(second, second.id == StaffChange.second)
        .where(span.holds(StaffChange.entry))
    )
    for row in connection.execute(found):
        said = {
            "staff": row.code,
            "kind": row.change,
            "by": row.first_code,
            "second": row.second_code,
            "until": _time(row.until),
            "time": _time(row.changed_at),
        }
        yield Fact(f"what two did with {row.code}", ("STAFF",), row.entry, said)


def _settings(connection: Connection, span: Span) -> Iterator[Fact]:
    for row in connection.execute(_by_two(HouseSetting).where(span.holds(HouseSetting.entry))):
        said = {
            "name": row.name,
            "after": row.value,
            "supervisor": row.code,
            "manager": row.manager_code,
        }
        yield Fact(f"the setting {row.name}", ("SETTING",), row.entry, said)


def _copies(connection: Connection, span: Span) -> Iterator[Fact]:
    """Yield every copy of a paper: asked for, or printed because the first did not come out."""
    found = (
        _with_people(Reprint)
        .add_columns(LogEntry.tag)
        .join(LogEntry, LogEntry.id == Reprint.entry)
        .where(span.holds(Reprint.entry))
    )
    for row in connection.execute(found):
        said = {
            "paper": row.job,
            "station": row.station_code,
            "writer": row.writer_code,
            "time": _time(row.asked_at),
        }
        if row.tag == "REPRINT":
            said |= {"copy": row.copy, "reason": row.reason, "approver": row.approver_code}
        else:
            said |= {"copy_queued": row.copy, "printed": False}
        yield Fact(f"copy {row.copy} of paper {row.job}", ("REPRINT", "ON-PAPER"), row.entry, said)


def _drawers(connection: Connection, span: Span) -> Iterator[Fact]:
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
        .where(span.holds(DrawerCount.entry))
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
    for row in connection.execute(_with_people(DrawerMove).where(span.holds(DrawerMove.entry))):
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


def _rows(connection: Connection, span: Span, table: Any) -> Iterator[Any]:  # noqa: ANN401  with an entry
    """Yield the rows of a table whose entries are in a stretch, as they are."""
    yield from connection.execute(select(table.__table__).where(span.holds(table.entry)))


def _done_by(table: Any) -> Any:  # noqa: ANN401  a table with a person
    return select(table.__table__, Staff.code.label("by")).outerjoin(Staff, Staff.id == table.staff)


def _of_card(table: Any) -> Any:  # noqa: ANN401  a table about a card, with a person
    return _done_by(table).add_columns(Card.hash, Card.name).join(Card, Card.id == table.card)


def _of_settlement(table: Any) -> Any:  # noqa: ANN401  a table about an attempt that was settled
    return select(table.__table__, Settlement.series, Settlement.game, Settlement.run).join(
        Settlement, Settlement.attempt == table.attempt
    )


def _by_two(table: Any) -> Any:  # noqa: ANN401  a table with a person and a manager
    manager = aliased(Staff)
    return (
        select(table.__table__, Staff.code, manager.code.label("manager_code"))
        .join(Staff, Staff.id == table.staff)
        .join(manager, manager.id == table.manager)
    )


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
