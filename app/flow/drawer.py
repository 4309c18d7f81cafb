"""A drawer at a station: opened with a counted bank, closed with a blind count.

Every sale and void needs one. Its close compares what was counted with what should be there, keeps
the difference, and shows neither before the count is in.
"""

from collections.abc import Mapping

from app.audit.tags import Tag
from app.clock import time_text
from app.flow.access import Credentials, at_work
from app.flow.asking import Answer, answer_once, asking, kept
from app.flow.office import Office
from app.flow.permissions import Permission
from app.flow.refusals import No, say_no
from app.keno.tender import TenderKind
from app.store.queries import drawers as queries
from app.store.queries.people import Worker
from app.store.records import money as records
from app.store.records.money import Leg
from app.store.records.together import add_rows
from app.store.tables import Account
from app.store.unit import Unit

Counted = Mapping[TenderKind, int]


def open_drawer(
    office: Office, credentials: Credentials, counted: Counted, request: str | None
) -> Answer:
    """Open a drawer with a counted bank; return its id.

    Refuses: while one is open at this station, or of this writer.
    """
    asked = asking(request, "open-drawer", _document(counted))

    def act(unit: Unit, who: Worker) -> Answer:
        if queries.is_open_at(unit.connection, who.station, who.staff):
            raise say_no(No.DRAWER_OPEN)
        body = {"station": who.station_code, "writer": who.code, "counted": _document(counted)}
        entry = office.log(unit, Tag.DRAWER_OPEN, {**body, "time": time_text(unit.now())})
        drawer = records.open_drawer(unit, who.station, who.staff, entry.id)
        total = sum(counted.values())
        answer: Answer = {"drawer": drawer, "opening_cents": total}
        legs = [Leg(Account.DRAWER, cents, drawer, kind) for kind, cents in counted.items()]
        rows = [
            kept(who, asked, answer),
            records.count_row(drawer, _document(counted), total, closing=False),
            *records.posting_rows([*legs, Leg(Account.BANK, -total)]),
        ]
        add_rows(unit, entry.id, rows)
        return answer

    return answer_once(office, asked, at_work(credentials, Permission.DRAWER_KEEP), act)


def close_drawer(
    office: Office, credentials: Credentials, drawer: int, counted: Counted, request: str | None
) -> Answer:
    """Close a drawer with a blind count; return what should have been there, and the difference.

    Refuses: a drawer that is not this writer's open one at this station.
    """
    asked = asking(request, "close-drawer", {"drawer": drawer, "counted": _document(counted)})

    def act(unit: Unit, who: Worker) -> Answer:
        # Held first: a sale that is on its way belongs to what should be there.
        if who.drawer != drawer or not records.hold_drawer_to_close(unit, drawer):
            raise say_no(No.NO_SUCH_DRAWER)
        expected = queries.contents(unit.connection, drawer)
        expected_cents, counted_cents = sum(expected.values()), sum(counted.values())
        over_cents = counted_cents - expected_cents
        answer: Answer = {
            "drawer": drawer,
            "expected_cents": expected_cents,
            "counted_cents": counted_cents,
            "over_short_cents": over_cents,
        }
        body = {"station": who.station_code, "writer": who.code, "counted": _document(counted)}
        legs = [Leg(Account.DRAWER, -cents, drawer, kind) for kind, cents in expected.items()]
        rest = [Leg(Account.BANK, counted_cents), Leg(Account.OVER_SHORT, -over_cents)]
        rows = [
            kept(who, asked, answer),
            records.count_row(drawer, _document(counted), counted_cents, closing=True),
            *records.posting_rows([*legs, *rest]),
        ]
        body |= {**answer, "time": time_text(unit.now())}
        office.log_with(unit, Tag.DRAWER_CLOSE, body, rows)
        records.close_drawer(unit, drawer)
        return answer

    return answer_once(office, asked, at_work(credentials, Permission.DRAWER_KEEP), act)


def _document(counted: Counted) -> dict[str, int]:
    return {kind.value: cents for kind, cents in sorted(counted.items())}
