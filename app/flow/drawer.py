"""A drawer and its shift: counted by two at its opening and its close, and moved by every act.

Every sale, void, refund and payment needs an open one. Its close is blind: what should be there is
told only when the count is in, with the acts that come to just the difference. Over or short is
kept for ever, and explained. A shift is not lost with a station: whoever signs in there again goes
on; a supervisor moves a drawer to another station, suspends it for a break, or closes one that was
left behind (X-drawer).

Write order: there is one commit in each act. *Crash before: nothing was done. Crash after: it was,
and the station that asks again is told so.*
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import islice

from app.audit.tags import Tag
from app.clock import time_text
from app.flow.access import Approval, Credentials, at_work
from app.flow.approvers import check_approver
from app.flow.asking import Answer, Asking, answer_once, asking, kept
from app.flow.authority import Approved, answer_approved
from app.flow.cash import too_little
from app.flow.office import Office
from app.flow.permissions import FOR, Permission
from app.flow.refusals import No, check_reason, say_no
from app.keno.drawer import FOUND_MAX, Count, DrawerAct, DrawerState, explaining, next_state
from app.keno.refusals import quoted
from app.keno.tender import TenderKind
from app.store.queries import drawers as queries
from app.store.queries import people
from app.store.queries.drawers import DrawerRow
from app.store.queries.people import Person, Worker
from app.store.records import money as records
from app.store.records.money import Leg
from app.store.records.paper import paper_rows
from app.store.records.together import add_rows
from app.store.tables import Account, Slip
from app.store.unit import Unit


@dataclass(frozen=True)
class Closing:
    """What is counted at the close of a drawer: the money, and the paid tickets that are in it."""

    drawer: int
    count: Count
    tickets: tuple[int, ...] | None = None  # none: they were not checked off
    reason: str | None = None  # of a supervisor who closes one that was left behind


def open_drawer(
    office: Office,
    credentials: Credentials,
    count: Count,
    request: str | None,
    verifier: Approval | None,
) -> Answer:
    """Open a drawer with a bank that two have counted; return its id.

    Refuses: while one is open at this station, or of this writer; a bank that one alone counted.
    """
    asked = asking(request, "open-drawer", count.document())
    worker = at_work(credentials, Permission.DRAWER_KEEP)
    approvals = {Permission.COUNT_VERIFY: verifier}
    act = partial(_open, office, asked, count)
    return answer_approved(office, asked, worker, approvals, act)


def _open(  # noqa: PLR0913, PLR0917  what was counted by whom, and in which transaction
    office: Office, asked: Asking, count: Count, approved: Approved, unit: Unit, who: Worker
) -> Answer:
    unit.share_days()
    if queries.is_open_at(unit.connection, who.station, who.staff):
        raise say_no(No.DRAWER_OPEN)
    verifier = _second(unit, who, approved.get(Permission.COUNT_VERIFY))
    drawer = records.next_drawer(unit)
    body = {
        "drawer": drawer,
        "station": who.station_code,
        "writer": who.code,
        "verifier": verifier.code,
        "counted": count.document(),
    }
    now = unit.now()  # behind the lock: a drawer of a day that is closed meanwhile would be lost
    entry = office.log(unit, Tag.DRAWER_OPEN, {**body, "time": time_text(now)})
    records.open_drawer(unit, drawer, who.station, who.staff, entry.id, now)
    answer: Answer = {"drawer": drawer, "opening_cents": count.total_cents}
    legs = [Leg(Account.DRAWER, cents, drawer, kind) for kind, cents in count.cents.items()]
    rows = [
        kept(who, asked, answer),
        records.count_row(drawer, count, who.staff, verifier.id, closing=False),
        *records.posting_rows([*legs, Leg(Account.BANK, -count.total_cents)]),
        *paper_rows(who.station, Slip.COUNT, {"drawer": drawer, "closing": False}),
    ]
    add_rows(unit, entry.id, rows)
    return answer


def close_drawer(
    office: Office,
    credentials: Credentials,
    closing: Closing,
    request: str | None,
    verifier: Approval | None,
) -> Answer:
    """Close a drawer with a blind count of two; return what should have been there, and was not.

    Refuses: a drawer that is not this writer's open one; one that was left behind to everyone but
    a supervisor with a reason; a count of one alone.
    """
    said = {
        "drawer": closing.drawer,
        "counted": closing.count.document(),
        "tickets": closing.tickets,
        "reason": closing.reason,
    }
    asked = asking(request, "close-drawer", said)
    worker = at_work(credentials, Permission.DRAWER_KEEP)
    approvals = {Permission.COUNT_VERIFY: verifier}
    act = partial(_close, office, asked, closing)
    return answer_approved(office, asked, worker, approvals, act)


def _close(  # noqa: PLR0913, PLR0917  what was counted by whom, and in which transaction
    office: Office, asked: Asking, closing: Closing, approved: Approved, unit: Unit, who: Worker
) -> Answer:
    # Held first: a sale that is on its way belongs to what should be there.
    records.hold_drawer_to_close(unit, closing.drawer)
    drawer = _drawer_for(unit, who, closing.drawer, DrawerAct.CLOSE)
    if who.drawer != drawer.id:
        if who.role not in FOR[Permission.DRAWER_MIND]:
            raise say_no(No.NO_SUCH_DRAWER)
        check_reason(closing.reason or "")
    elif closing.reason is not None:
        check_reason(closing.reason)
    verifier = _second(unit, who, approved.get(Permission.COUNT_VERIFY))
    count = closing.count
    expected = queries.contents(unit.connection, drawer.id)
    over_cents = count.total_cents - sum(expected.values())
    now = unit.now()
    paid = queries.paid_tickets(unit.connection, drawer.id)
    answer: Answer = {
        "drawer": drawer.id,
        "expected_cents": sum(expected.values()),
        "expected": {kind.value: cents for kind, cents in sorted(expected.items()) if cents},
        "counted_cents": count.total_cents,
        "over_short_cents": over_cents,
        "found": found(unit, drawer.id, over_cents),
        "tickets_missing": _missing(paid, closing.tickets),
    }
    body = {
        "station": who.station_code,
        "writer": who.code,
        "verifier": verifier.code,
        "keeper": drawer.writer_code,
        "counted": count.document(),
        "tickets": None if closing.tickets is None else list(closing.tickets),
        "reason": closing.reason,
        **{name: answer[name] for name in ("drawer", "expected_cents", "counted_cents")},
        "over_short_cents": over_cents,
        "time": time_text(now),
    }
    legs = [Leg(Account.DRAWER, -cents, drawer.id, kind) for kind, cents in expected.items()]
    rest = [Leg(Account.BANK, count.total_cents), Leg(Account.OVER_SHORT, -over_cents)]
    rows = [
        kept(who, asked, answer),
        records.count_row(drawer.id, count, who.staff, verifier.id, closing=True),
        *records.posting_rows([*legs, *rest]),
        *paper_rows(who.station, Slip.COUNT, {"drawer": drawer.id, "closing": True}),
    ]
    office.log_with(unit, Tag.DRAWER_CLOSE, body, rows)
    records.close_drawer(unit, drawer.id, now)
    return answer


# ---- fills and bleeds ----------------------------------------------------------------------------


def move_cash(  # noqa: PLR0913, PLR0917  what is moved where, by whom, and who is with them
    office: Office,
    credentials: Credentials,
    drawer: int,
    act: DrawerAct,
    amounts: Mapping[TenderKind, int],
    approval: Approval | None,
    request: str | None,
) -> Answer:
    """Fill a drawer from the bank, or bleed it; a writer and a supervisor, both by name.

    Refuses: a drawer that is not this writer's open one; a writer alone; more than is in it.
    """
    amounts = {kind: cents for kind, cents in amounts.items() if cents}
    moved = {kind.value: cents for kind, cents in sorted(amounts.items())}
    said = {"drawer": drawer, "act": act.value, "amounts": moved}
    asked = asking(request, "move-cash", said)
    worker = at_work(credentials, Permission.DRAWER_KEEP)

    def move(approved: Approved, unit: Unit, who: Worker) -> Answer:
        if who.drawer != drawer or not records.hold_drawer(unit, who, alone=True):
            raise say_no(No.NO_SUCH_DRAWER)
        by = _second(unit, who, approved.get(Permission.APPROVE), No.SUPERVISOR_NEEDED)
        sign = 1 if act is DrawerAct.FILL else -1
        inside = queries.contents(unit.connection, drawer)
        if any(inside.get(kind, 0) + sign * cents < 0 for kind, cents in amounts.items()):
            raise too_little(office, unit, who, No.NOT_IN_DRAWER)
        now, total = unit.now(), sum(amounts.values())
        answer: Answer = {"drawer": drawer, "act": act.value, "cents": total}
        legs = [Leg(Account.DRAWER, sign * c, drawer, kind) for kind, c in amounts.items()]
        row = records.move_row(drawer, act, who.station, who.staff, by.id, now, amounts=moved)
        body = {**answer, "amounts": moved, "writer": who.code, "approver": by.code}
        body |= {"station": who.station_code, "words": None, "time": time_text(now)}
        rows = [
            kept(who, asked, answer),
            row,
            *records.posting_rows([*legs, Leg(Account.BANK, -sign * total)]),
            *paper_rows(who.station, Slip.MOVEMENT, {**answer, "amounts": moved}),
        ]
        office.log_with(unit, Tag.DRAWER_MOVE, body, rows)
        return answer

    return answer_approved(office, asked, worker, {Permission.APPROVE: approval}, move)


# ---- breaks, moves, explanations -----------------------------------------------------------------


@dataclass(frozen=True)
class Minding:
    """What is done with a drawer as a whole."""

    drawer: int
    act: DrawerAct
    station: str | None = None  # where it is moved to
    words: str | None = None  # why, or what explains a difference


def mind_drawer(
    office: Office, credentials: Credentials, minding: Minding, request: str | None
) -> Answer:
    """Suspend a drawer for a break, resume it, move it to another station, or explain a difference.

    Refuses: a drawer that is not there; another's to everyone but a supervisor; what cannot be done
    with it now; a station that is not free.
    """
    asked = asking(request, "mind-drawer", vars(minding) | {"act": minding.act.value})
    worker = at_work(credentials, Permission.DRAWER_KEEP)
    return answer_once(office, asked, worker, partial(_mind, office, asked, minding))


def _mind(office: Office, asked: Asking, minding: Minding, unit: Unit, who: Worker) -> Answer:
    records.hold_drawer_to_close(unit, minding.drawer)
    drawer = _drawer_for(unit, who, minding.drawer, minding.act)
    if minding.words is not None or minding.act in (DrawerAct.MOVE, DrawerAct.EXPLAIN):
        check_reason(minding.words or "")
    if minding.act is DrawerAct.MOVE and who.role not in FOR[Permission.DRAWER_MIND]:
        raise say_no(No.SUPERVISOR_NEEDED)
    station = _station_for(unit, drawer, minding)
    after = next_state(drawer.state, minding.act)
    now = unit.now()
    if after is DrawerState.OPEN and queries.is_in_use(unit.connection, station, drawer.id):
        raise say_no(No.DRAWER_OPEN)
    records.set_drawer(unit, drawer.id, station, now if after is DrawerState.SUSPENDED else None)
    answer: Answer = {"drawer": drawer.id, "act": minding.act.value, "state": after}
    place = minding.station or drawer.station_code
    row = records.move_row(
        drawer.id, minding.act, station, who.staff, None, now, words=minding.words
    )
    body = {**answer, "amounts": {}, "station": place, "writer": who.code, "approver": None}
    body |= {"words": minding.words}
    rows = [kept(who, asked, answer), row]
    office.log_with(unit, Tag.DRAWER_MOVE, {**body, "time": time_text(now)}, rows)
    return answer


def look_at_drawer(
    office: Office,
    credentials: Credentials,
    drawer: int,
    what: Permission = Permission.DRAWER_KEEP,
) -> Answer:
    """Return a drawer: its state, its paid tickets, and, once it is closed, what it came to.

    Args:
        office: the office.
        credentials: of the caller.
        drawer: its number.
        what: DRAWER_KEEP at a station, DRAWER_SEE on the pages of those who watch drawers.

    Refuses: a caller without that permission; an unknown drawer; another's, to a writer.
    """
    with office.database.reading() as connection:
        unit = Unit(office.database, connection)
        who = at_work(credentials, what)(unit)
        row = known_drawer(unit, who, drawer)
        paid = queries.paid_tickets(connection, drawer)
        told: Answer = {
            "drawer": row.id,
            "state": row.state.value,
            "writer": row.writer_code,
            "station": row.station_code,
            "opened_at": time_text(row.opened_at),
            "paid_tickets": [{"number": number} for number in paid],
        }
        if row.state is DrawerState.CLOSED:  # no amount before: the count is blind
            told["paid_tickets"] = [
                {"number": each, "cents": cents} for each, cents in paid.items()
            ]
            told |= queries.closing(connection, drawer)
            told["tickets_missing"] = _missing(paid, told.pop("tickets"))
            told["explanations"] = queries.explanations(connection, drawer)
            told["found"] = found(unit, drawer, int(told["over_short_cents"]))
        return told


def found(unit: Unit, drawer: int, over_cents: int) -> list[dict[str, object]]:
    """Return the acts, alone or two together, that come to what a drawer is over or short."""
    groups = explaining(queries.acts(unit.connection, drawer), over_cents)
    return [
        {"acts": [each.act for each in group], "cents": sum(each.cents for each in group)}
        for group in islice(groups, FOUND_MAX)
    ]


# ---- who, and which ------------------------------------------------------------------------------


def _drawer_for(unit: Unit, who: Worker, drawer: int, act: DrawerAct) -> DrawerRow:
    """Return a drawer with which somebody may do something now."""
    row = known_drawer(unit, who, drawer)
    if next_state(row.state, act) is None:
        raise say_no(No.DRAWER_STATE, state=row.state.value)
    return row


def known_drawer(unit: Unit, who: Worker, drawer: int) -> DrawerRow:
    """Return a drawer of which somebody may know.

    Refuses: an unknown drawer; another's, to a caller without DRAWER_SEE.
    """
    row = queries.drawer(unit.connection, drawer)
    own = row is not None and row.staff == who.staff
    if row is None or (not own and who.role not in FOR[Permission.DRAWER_SEE]):
        raise say_no(No.NO_SUCH_DRAWER)
    return row


def _station_for(unit: Unit, drawer: DrawerRow, minding: Minding) -> int:
    """Return the station at which a drawer is from now on."""
    if minding.act is not DrawerAct.MOVE:
        return drawer.station
    station = people.station_coded(unit.connection, minding.station or "")
    if station is None or station.disabled:
        raise say_no(No.NO_SUCH_STATION, station=quoted(minding.station or ""))
    return station.id


def _second(
    unit: Unit, who: Worker, person: Person | None, missing: No = No.VERIFIER_NEEDED
) -> Person:
    """Return the other one of two who do something together."""
    if person is None:
        raise say_no(missing)
    what = Permission.COUNT_VERIFY if missing is No.VERIFIER_NEEDED else Permission.APPROVE
    check_approver(unit, person.id, person.name, who.staff, what)
    return person


def _missing(paid: Mapping[int, int], there: Sequence[int] | None) -> list[int] | None:
    """Return the paid tickets that are not in the drawer; none if nobody looked."""
    return None if there is None else sorted(set(paid) - set(there))
