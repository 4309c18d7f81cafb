"""What the database itself refuses, whoever asks: every guard with something planted against it."""

import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing
from dataclasses import replace
from datetime import date, timedelta
from typing import Any

import pytest
from sqlalchemy import Connection, inspect, text
from sqlalchemy.exc import DBAPIError, IntegrityError

from app.flow.access import Approval, Credentials, at_console, sign_in
from app.flow.books import record_books, work_out_books
from app.flow.contact import Contact
from app.flow.draw import ask_to_void
from app.flow.drawer import move_cash
from app.flow.house_amounts import set_amount
from app.flow.house_settings import change_setting
from app.flow.lease import CALLER, Watch, take_lease
from app.flow.override import override_close
from app.flow.pay import Check, Paying, pay_ticket
from app.flow.permissions import Permission
from app.flow.refund import Refunding, refund_ticket
from app.flow.report import Asked
from app.flow.report_jobs import ask_report, choose_report
from app.flow.reprint import Again, reprint
from app.flow.sell import Sale
from app.flow.spool import next_paper, note_ending
from app.flow.staffing import enable_person
from app.flow.stop_sales import Thing, resume_sale, stop_sale
from app.keno.amounts import Amount, Dated
from app.keno.drawer import DrawerAct
from app.keno.house_settings import Setting
from app.keno.refusals import Refused
from app.keno.request import Request
from app.keno.tender import Tender, TenderKind
from app.reports.catalogue import Format
from app.store.tables import APPEND_ONLY, Table
from printers.press import Press
from tests.engines import ENGINES, floor_on
from tests.floor import ADA, MAX, SAM, WALT, Floor, dollar, secret_of
from tests.looking import PLACES, lift_guards

pytestmark = pytest.mark.both_engines

POSTGRESQL = pytest.mark.parametrize("floor", ["postgresql"], indirect=True)
SQLITE = pytest.mark.parametrize("floor", ["sqlite"], indirect=True)
BUSY_POSTGRESQL = pytest.mark.parametrize("busy", ["postgresql"], indirect=True)
BUSY_SQLITE = pytest.mark.parametrize("busy", ["sqlite"], indirect=True)

Row = Mapping[str, Any]


@pytest.fixture(scope="module", params=ENGINES)
def busy(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Floor]:
    """A floor with at least one row in every table, which no test changes; see `make_busy`."""
    with floor_on(request.param, request, tmp_path_factory.mktemp("busy")) as floor:
        yield make_busy(floor)


def make_busy(floor: Floor) -> Floor:
    """Have at least one row in every table; game M-1 is locked, M-2 is open."""
    wanda = floor.writing()
    coupon = (Tender(TenderKind.COUPON, 100, "C1"),)
    floor.sell(wanda, replace(dollar(), tender=coupon))
    floor.sell(wanda, dollar(games=2))
    floor.void(wanda, 1)
    walt = floor.writing(WALT, "B2")
    floor.sell(walt, dollar(games=3))
    floor.lock()
    _run_the_other_series(floor, walt)
    record_books(floor.office, work_out_books(floor.office))
    floor.check_books()
    with floor.office.database.writing() as connection:
        # The log is too short for a full tile, and a tile must be there to be guarded.
        connection.execute(
            text("INSERT INTO log_node (level, place, hash) VALUES (9, 9, :hash)"), {"hash": b"x"}
        )
        # A second card, which nobody accepted.
        connection.execute(
            text(
                "INSERT INTO card (hash, name, file, staff, brought_at, entry) "
                "SELECT :hash, name, file, staff, brought_at, 1 FROM card"
            ),
            {"hash": b"x"},
        )
        # Gradings that were begun; two of them were finished, and one of these was looked at.
        first = connection.execute(text("SELECT id FROM attempt")).scalar_one()
        for _ in range(3):
            connection.execute(
                text(
                    "INSERT INTO attempt (series, game, begun_at) "
                    "SELECT 'F', 100, begun_at FROM attempt WHERE id = :first"
                ),
                {"first": first},
            )
        for table, more in (("settlement", 1), ("settlement", 2), ("certification", 1)):
            names = ", ".join(columns(table))
            changed = names.replace("attempt", f"attempt + {more}").replace("run", f"run + {more}")
            changed = changed.replace("entry", str(more + (table == "certification")))
            copied = f"SELECT {changed} FROM {table} WHERE attempt = :first"  # noqa: S608  our own
            connection.execute(text(f"INSERT INTO {table} ({names}) {copied}"), {"first": first})
        # No day was closed, and nothing expired.
        connection.execute(
            text(
                "INSERT INTO day_close "
                "(day, figures, drawers, frozen, staff, closed_at, entry, ends_at) "
                "SELECT from_day, '{}', '{}', '[]', staff, :now, 1, :ended FROM house_amount"
            ),
            {"now": "2026-11-16T20:00:00.000000Z", "ended": "2026-11-15T20:00:00.000000Z"},
        )
        connection.execute(
            text(
                "INSERT INTO expiry (ticket, cents, expired_at, entry) "
                "SELECT ticket, cents, paid_at, 1 FROM payout"
            )
        )
        # Nothing had to wait for its paper.
        for table, names, taken in (
            ("presentation", "ticket, why, station, staff, presented_at, entry", "'x', 1, 1"),
            (
                "tax_paper",
                (
                    "ticket, game, win_cents, wager_cents, due_at_cents, sealed, salted, "
                    "station, staff, done_at, entry"
                ),
                "100, 1, 1, 1, payee, payee, 1, 1",
            ),
        ):
            planted_ = f"SELECT ticket, {taken}, paid_at, 1 FROM payout"  # noqa: S608  our own
            connection.execute(text(f"INSERT INTO {table} ({names}) {planted_}"))
        connection.execute(
            text(
                "INSERT INTO reported_win (ticket, game, win_cents, wager_cents, entry) "
                "SELECT ticket, game, 1, 1, entry FROM tax_paper"
            )
        )
        # Nobody looked a win up, lost a ticket, brought a part of one or guessed at it.
        for planted_ in (
            (
                "INSERT INTO look_up (entry, first, last, wins, station, staff, looked_at) "
                "SELECT 1, 1, 1, 1, 1, 1, paid_at FROM payout"
            ),
            (
                "INSERT INTO lost_ticket (entry, ticket, sealed, salted, bought, surveillance, "
                "station, staff, claimed_at) "
                "SELECT 1, ticket, payee, payee, 'x', 'x', 1, 1, paid_at FROM payout"
            ),
            (
                "INSERT INTO shown_in_part (ticket, how, claim, entry) "
                "SELECT ticket, 'claim', 1, 1 FROM payout"
            ),
            "INSERT INTO code_tries (ticket, full_at) SELECT ticket, paid_at FROM payout",
        ):
            connection.execute(text(planted_))
        # It was restored once; nothing was lost, and nothing archived.
        for planted_ in (
            "INSERT INTO restoration (size, noticed_at) SELECT 1, founded_at FROM house",
            (
                "INSERT INTO restoration_end (restoration, how, ended_at) "
                "SELECT id, 'complete', noticed_at FROM restoration"
            ),
            "INSERT INTO log_origin (entry, origin, size) SELECT 1, log_origin, 1 FROM house",
            "INSERT INTO lost_act (entry, why) SELECT id, 'planted' FROM log_entry WHERE id = 1",
            "INSERT INTO resumption (entry, last_number, left_out) SELECT 1, 0, 1 FROM house",
            "INSERT INTO resumption (entry, last_number, left_out) SELECT 2, 0, 1 FROM house",
            (
                "INSERT INTO hold_end (resumption, entry, reason, staff, manager, ended_at) "
                "SELECT 1, 1, 'planted', 1, 2, founded_at FROM house"
            ),
            (
                "INSERT INTO retention (entry, kind, days, staff, manager) "
                "SELECT 1, 'access', 400, 1, 2 FROM house"
            ),
            (
                "INSERT INTO archive (entry, before, entries, file, staff, manager, archived_at) "
                "SELECT 1, from_day, 0, :file, 1, 2, founded_at FROM house, house_amount"
            ),
        ):
            wanted = {"file": b"x"} if ":file" in planted_ else {}
            connection.execute(text(planted_), wanted)
        # The limit did not bite, and the game was not frozen.
        connection.execute(text("INSERT INTO share SELECT attempt, ticket, cents FROM win"))
        connection.execute(
            text(
                "INSERT INTO release (attempt, supervisor, manager, reason, released_at, entry) "
                "SELECT attempt, 1, 2, 'planted', certified_at, 1 FROM certification "
                "WHERE attempt = :first"
            ),
            {"first": first},
        )
        connection.commit()
    # Sold after the lock, so that there is an entry without a place.
    floor.sell(floor.signed_in(WALT, "B2"))
    return floor


def _run_the_other_series(floor: Floor, walt: Credentials) -> None:
    """Play a game of series F, void the next one, cancel and refund, with a caller at work."""
    office = floor.office
    assert take_lease(office, CALLER, "first", Watch(lambda: 0.0)) is not None
    for name in (WALT, "Nobody"):
        with pytest.raises(Refused):
            sign_in(office, walt.station, name, "not their secret")
    in_time = floor.moment[0] + timedelta(hours=1)
    override_close(office, floor.sam, "F", 100, in_time, "a late bus")
    every = Request(tuple((n,) for n in range(1, 81)), "80/1 @ 1.00", games=6)
    paid = (Tender(TenderKind.CURRENCY, 100_000),)
    rich = floor.sell(walt, Sale("F", every, paid))["number"]
    floor.sell(walt, Sale("F", every, paid))
    floor.play("F")
    floor.lock("F")
    ask_to_void(office, floor.sam, "F", 101, "the power went")
    floor.draw("F")
    for cancel in (False, True):
        refunding = Refunding(rich, "going home", floor.code(rich), cancel=cancel)
        refund_ticket(office, walt, refunding, floor.request_id())
    sam, check, contact = Approval(SAM, secret_of(SAM)), Check("1001", "Pat"), Contact("c-1")
    paying = Paying(rich, floor.code(rich), approval=sam, check=check, contact=contact)
    pay_ticket(office, walt, paying, floor.request_id())
    cash = {TenderKind.CURRENCY: 100}
    move_cash(office, walt, 2, DrawerAct.FILL, cash, sam, floor.request_id())
    max_ = at_console(office, MAX, secret_of(MAX), Permission.AMOUNT_SET)
    change_setting(office, floor.sam, max_, Setting.COPIES_ALONE, 2)
    eights = Thing(schedule="twobits", spots=8)
    stop_sale(office, floor.sam, eights, "the card is wrong")
    resume_sale(office, floor.sam, max_, eights, "the card is right")
    ada = at_console(office, ADA, secret_of(ADA), Permission.STAFF_MANAGE)
    enable_person(office, ada, floor.sue, MAX)
    choose_report(office, floor.sam, "voids", Format.PDF, chosen=True)
    yesterday = date(2026, 11, 16)
    asked = Asked("voids", yesterday, yesterday, Format.PDF)
    ask_report(office, floor.signed_in(SAM), asked, floor.request_id())
    set_amount(office, floor.sam, max_, Dated(Amount.APPROVAL, date(2099, 1, 1), 100_000))
    _print(floor, walt)


def _print(floor: Floor, walt: Credentials) -> None:
    """Have a paper printed, and once more; and one of which nobody knows whether it is."""
    printer = floor.printer_at("B2")
    sending = next_paper(floor.office, printer, Press())
    assert sending is not None
    note_ending(floor.office, sending, "confirmed", None)
    again = Again("torn", paper=sending.entry)
    reprint(floor.office, walt, again, floor.request_id())


def refused(floor: Floor, statement: str, *, match: str, **values: object) -> None:
    """Plant a statement by raw SQL, and see the database refuse it."""
    with (
        floor.office.database.writing() as connection,
        pytest.raises(DBAPIError, match=match),
    ):
        connection.execute(text(statement), values)


@pytest.fixture(autouse=True)
def kept(request: pytest.FixtureRequest) -> Iterator[None]:
    """Whatever a test plants on the busy floor, the database keeps everything as it was."""
    if "busy" not in request.fixturenames:
        yield
        return
    floor: Floor = request.getfixturevalue("busy")
    with floor.office.database.reading() as connection:
        before = contents(connection)
    yield
    with floor.office.database.reading() as connection:
        assert contents(connection) == before


def contents(connection: Connection) -> dict[str, list[Any]]:
    """Every row of every table."""
    return {
        table: sorted(map(repr, connection.execute(text(f"SELECT * FROM {table}")).all()))  # noqa: S608
        for table in sorted(Table.metadata.tables)
    }


def columns(table: str) -> list[str]:
    return [column.name for column in Table.metadata.tables[table].columns]


def planted(floor: Floor, table: str, where: str, changes: Row) -> str | None:
    """Plant a copy of a stored row with some columns changed; return what the database refused.

    A change is SQL. None says that the row was taken, and it is not kept.
    """
    names = columns(table)
    ours = {"house", "log_head", "book_head", "drawer", "log_entry"}
    is_numbered = names[0] == "id" and table not in ours
    kept = names[1:] if is_numbered else names
    assert set(changes) <= set(names)
    values = ", ".join(str(changes.get(name, name)) for name in kept)
    statement = (
        f"INSERT INTO {table} ({', '.join(kept)}) "  # noqa: S608  names of our own tables
        f"SELECT {values} FROM {table} {where} LIMIT 1"
    )
    with floor.office.database.writing() as connection:
        if table in PLACES:
            lift_guards(connection)  # they refuse the row first (`tests/test_redirected.py`)
        try:
            done = connection.execute(text(statement))
        except IntegrityError as refusal:
            connection.rollback()
            return str(refusal.orig)
        assert done.rowcount == 1, "there was no row to copy"
        return None


# ---- facts ---------------------------------------------------------------------------------------


@pytest.mark.rule("X-audit-log")
def test_a_busy_floor_has_a_row_in_every_table(busy: Floor) -> None:
    """Without a row a guard would not be asked, and the tests below would show nothing."""
    with busy.office.database.reading() as connection:
        rows = contents(connection)
    assert {table for table, found in rows.items() if found} == set(Table.metadata.tables)


@pytest.mark.rule("X-audit-log")
def test_no_fact_can_be_changed(busy: Floor) -> None:
    assert [table for table in APPEND_ONLY if columns(table)] == list(APPEND_ONLY)
    for table in APPEND_ONLY:
        for column in columns(table):
            refused(
                busy,
                f"UPDATE {table} SET {column} = {column}",  # noqa: S608  our own names
                # PostgreSQL refuses a change of an id that it gave before it asks the guard.
                match=f"facts are only ever added: {table}"
                + ("|can only be updated to DEFAULT" if column == "id" else ""),
            )


@pytest.mark.rule("X-audit-log")
def test_no_fact_can_be_deleted(busy: Floor) -> None:
    for table in APPEND_ONLY:
        refused(
            busy,
            f"DELETE FROM {table}",  # noqa: S608  our own names
            match=f"facts are only ever added: {table}",
        )


@pytest.mark.rule("X-audit-log")
@BUSY_POSTGRESQL
def test_no_table_of_facts_can_be_emptied_at_once(busy: Floor) -> None:
    for table in (*APPEND_ONLY, "game"):
        refused(busy, f"TRUNCATE {table} CASCADE", match="facts are only ever added")


@pytest.mark.rule("X-audit-log")
@BUSY_SQLITE
def test_no_fact_can_be_replaced(busy: Floor) -> None:
    """SQLite deletes the row that is in the way of OR REPLACE, and must ask the guard for it."""
    for table in (*APPEND_ONLY, "game"):
        refused(
            busy,
            f"INSERT OR REPLACE INTO {table} SELECT * FROM {table}",  # noqa: S608  our own names
            match=f"facts are only ever added: {table}",
        )


@pytest.mark.rule("X-audit-log")
@BUSY_SQLITE
def test_the_guards_are_in_the_file_and_not_in_our_connection(busy: Floor) -> None:
    file = busy.office.database.url.database
    assert file is not None
    with closing(sqlite3.connect(file)) as connection:
        for table in APPEND_ONLY:
            for statement in (
                f"DELETE FROM {table}",  # noqa: S608  our own names
                f"UPDATE {table} SET {columns(table)[0]} = 1",  # noqa: S608
            ):
                with pytest.raises(sqlite3.IntegrityError, match="facts are only ever added"):
                    connection.execute(statement)


# ---- games ---------------------------------------------------------------------------------------


@pytest.mark.rule("15.3(c)", "X-lock-server")
def test_a_locked_game_never_opens_again(busy: Floor) -> None:
    refused(
        busy,
        "UPDATE game SET state = 'open', locked_at = NULL, tickets = NULL, handle_cents = NULL, "
        "lock_entry = NULL "
        "WHERE state = 'locked'",
        match="a locked game never opens again",
    )


@pytest.mark.rule("15.3(c)", "X-lock-server")
@pytest.mark.parametrize("state", ["locked", "drawn", "settled", "certified", "void", "frozen"])
def test_a_game_that_was_ever_locked_never_opens_again(floor: Floor, state: str) -> None:
    floor.lock()
    with floor.office.database.writing() as connection:
        connection.execute(
            text("UPDATE game SET state = :state WHERE series = 'M' AND number = 1"),
            {"state": state},
        )
        # No other game is open, so that only the guard can refuse.
        connection.execute(
            text(
                "UPDATE game SET state = 'void', locked_at = opened_at, tickets = 0, "
                "handle_cents = 0, lock_entry = CASE series WHEN 'M' THEN 1 ELSE 2 END "
                "WHERE state = 'open'"
            )
        )
        connection.commit()
    refused(
        floor,
        "UPDATE game SET state = 'open', locked_at = NULL, tickets = NULL, handle_cents = NULL, "
        "lock_entry = NULL "
        "WHERE series = 'M' AND number = 1",
        match="a locked game never opens again",
    )


@pytest.mark.rule("X-ticket-gapless")
def test_no_game_is_ever_forgotten(busy: Floor) -> None:
    for state in ("open", "locked"):
        refused(
            busy,
            "DELETE FROM game WHERE state = :state",
            match="facts are only ever added: game",
            state=state,
        )


@pytest.mark.rule("15.5(b)")
def test_of_a_series_one_game_is_open(busy: Floor) -> None:
    told = planted(busy, "game", "WHERE state = 'open' AND series = 'M'", {"number": "number + 1"})
    assert told is not None
    assert "uq_game_one_open" in told or "game.series" in told
    assert "pk_game" not in told
    # A number that is there already is refused by another constraint.
    told = planted(busy, "game", "WHERE state = 'locked'", {"lock_entry": 1})
    assert told is not None
    assert "pk_game" in told or "game.series, game.number" in told
    # Two series may each have one.
    with busy.office.database.reading() as connection:
        found = connection.execute(text("SELECT series FROM game WHERE state = 'open'"))
        assert sorted(found.scalars()) == ["F", "M"]


# ---- checks: one row planted against each --------------------------------------------------------

OTHER_JOB = {"job": "'x'", "entry": 1}
OTHER_SHOWN: dict[str, object] = {"ticket": 2, "entry": 2}
HASHED = "(SELECT salted FROM lost_ticket)"
OTHER_PAYOUT: dict[str, object] = {"ticket": 2, "entry": 1, "check_number": "'2'"}

# The name of the check, and the columns of a stored row that are changed against it, in SQL.
CHECKS: dict[str, tuple[str, dict[str, object]]] = {
    "ck_book_head_one": ("", {"id": 2}),
    "ck_cancellation_approved": ("", {"with_code": "FALSE", "ticket": 2, "entry": 1}),
    "ck_cancellation_cents": ("", {"cents": 0, "ticket": 2, "entry": 1}),
    "ck_cancellation_two_people": ("", {"approver": "staff", "ticket": 2, "entry": 1}),
    "ck_certification_verdict": ("", {"verdict": "'perhaps'"}),
    "ck_refund_approved": ("", {"with_code": "FALSE", "game": 77}),
    "ck_refund_cents": ("", {"cents": 0, "game": 77}),
    "ck_refund_two_people": ("", {"approver": "staff", "game": 77}),
    "ck_release_two_people": ("", {"manager": "supervisor"}),
    "ck_settlement_paid": ("", {"paid_cents": "win_cents + 1", "run": 77, "entry": 3}),
    "ck_win_cents": ("", {"cents": 0, "ticket": 2}),
    "ck_card_acceptance_consent": ("", {"consent": "'nobody'"}),
    "ck_card_term_published_before": (
        "",
        {"effective_at": "(SELECT founded_at FROM house)"},
    ),
    "ck_approval_tier": ("", {"tier": "'nobody'"}),
    "ck_archive_entries": ("", {"entries": -1, "entry": 2}),
    "ck_archive_two_people": ("", {"manager": "staff", "entry": 2}),
    "ck_log_origin_size": ("", {"size": -1, "entry": 2, "origin": "'another'"}),
    "ck_hold_end_two_people": ("", {"manager": "staff", "resumption": 2}),
    "ck_resumption_last_number": ("", {"last_number": -1, "entry": 3}),
    "ck_resumption_left_out": ("", {"left_out": 0, "entry": 3}),
    "ck_restoration_end_how": ("", {"how": "'luck'"}),
    "ck_restoration_size": ("", {"size": -1}),
    "ck_retention_days": ("", {"days": 365, "entry": 2}),
    "ck_retention_kind": ("", {"kind": "'rumours'", "entry": 2}),
    "ck_retention_two_people": ("", {"manager": "staff", "entry": 2}),
    "ck_contact_act_cents": ("", {"in_cents": -1, "entry": 1}),
    "ck_drawer_count_two_people": ("", {"verifier": "staff", "closing": "TRUE", "entry": 1}),
    "ck_drawer_move_act": ("", {"act": "'dance'", "entry": 1}),
    "ck_drawer_move_two_people": ("", {"approver": "staff", "entry": 1}),
    "ck_expiry_cents": ("", {"cents": 0, "ticket": 2}),
    "ck_house_amount_cents": ("", {"cents": 0, "entry": 1}),
    "ck_house_amount_name": ("", {"name": "'pocket'", "entry": 1}),
    "ck_paper_event_state": ("", {"state": "'eaten'"}),
    "ck_printed_paper_roll": ("", {"roll": "'wide'"}),
    "ck_printer_roll": ("", {"roll": "'wide'", "code": "'P9'", "address": "'tcp:elsewhere'"}),
    "ck_queued_paper_copy": ("", {"copy": -1}),
    "ck_queued_paper_state": ("", {"state": "'eaten'", "copy": 77}),
    "ck_reprint_copy": ("", {"copy": 0, "entry": 1}),
    "ck_reprint_two_people": ("", {"copy": 77, "approver": "staff", "entry": 1}),
    "ck_reported_win_cents": ("", {"win_cents": 0, "game": 77}),
    "ck_books_run_faults": ("", {"faults": -1, "entry": 1}),
    "ck_books_run_size": ("", {"size": -1, "entry": 1}),
    "ck_house_setting_name": ("", {"name": "'pocket'", "entry": 1}),
    "ck_house_setting_value": ("", {"value": -1, "entry": 1}),
    "ck_house_setting_two_people": ("", {"manager": "staff", "entry": 1}),
    "ck_sale_stop_one_thing": ("", {"series": "'M'", "entry": 1}),
    "ck_sale_stop_spots": ("", {"spots": 81, "entry": 1}),
    "ck_sale_stop_two_resume": ("", {"stopped": "FALSE", "manager": "NULL", "entry": 1}),
    "ck_sale_stop_two_people": ("", {"manager": "staff", "entry": 1}),
    "ck_staff_change_change": ("", {"change": "'forgotten'", "entry": 1}),
    "ck_staff_change_two_people": ("", {"second": "first", "entry": 1}),
    "ck_staff_change_of_another": ("", {"second": "staff", "entry": 1}),
    "ck_report_choice_format": ("", {"format": "'xls'", "entry": 1}),
    "ck_report_job_format": ("", {"format": "'xls'", **OTHER_JOB}),
    "ck_report_job_state": ("", {"state": "'lost'", **OTHER_JOB}),
    "ck_report_job_days": ("", {"first_day": "'2026-11-17'", **OTHER_JOB}),
    "ck_report_job_digest": ("", {"digest": "'x'", **OTHER_JOB}),
    "ck_house_amount_two_people": ("", {"manager": "staff", "entry": 1}),
    "ck_payout_approved": ("", {"with_code": "FALSE", **OTHER_PAYOUT}),
    "ck_payout_drawer": (
        "",
        {
            **OTHER_PAYOUT,
            "drawer": "NULL",
            "paid_by": "'cash'",
            "check_number": "NULL",
            "payee": "NULL",
        },
    ),
    "ck_look_up_numbers": ("", {"first": "last + 1", "entry": 2}),
    "ck_shown_in_part_how": ("", {**OTHER_SHOWN, "how": "'a letter'", "claim": "NULL"}),
    "ck_shown_in_part_places": ("", {**OTHER_SHOWN, "places": "'X'"}),
    "ck_shown_in_part_identity": ("", {**OTHER_SHOWN, "salted": HASHED}),
    "ck_shown_in_part_claim": ("", {**OTHER_SHOWN, "claim": "NULL"}),
    "ck_shown_in_part_procedure": (
        "",
        {
            **OTHER_SHOWN,
            "how": "'digits'",
            "places": "'X'",
            "claim": "NULL",
            "procedure": "'letter 12'",
        },
    ),
    "ck_payout_cents": ("", {"cents": 0, **OTHER_PAYOUT}),
    "ck_payout_check_number": ("", {**OTHER_PAYOUT, "check_number": "NULL"}),
    "ck_payout_paid_by": (
        "",
        {**OTHER_PAYOUT, "paid_by": "'words'", "check_number": "NULL", "payee": "NULL"},
    ),
    "ck_payout_payee": ("", {"payee": "NULL", **OTHER_PAYOUT}),
    "ck_payout_two_people": ("", {"approver": "staff", **OTHER_PAYOUT}),
    "ck_payout_two_people_more": ("", {"manager": "staff", **OTHER_PAYOUT}),
    "ck_drawer_count_cents": ("", {"cents": -1, "closing": "TRUE"}),
    "ck_game_handle": ("WHERE state = 'locked'", {"handle_cents": "NULL", "number": 77}),
    "ck_game_lock_entry": ("WHERE state = 'locked'", {"lock_entry": "NULL", "number": 77}),
    "ck_game_locked_at": ("WHERE state = 'locked'", {"locked_at": "NULL", "number": 77}),
    "ck_game_number": ("WHERE state = 'locked'", {"number": 0}),
    "ck_game_state": ("WHERE state = 'locked'", {"state": "'done'", "number": 77}),
    "ck_game_tickets": ("WHERE state = 'locked'", {"tickets": "NULL", "number": 77}),
    "ck_house_day_starts": ("", {"day_starts_minutes": 1440}),
    "ck_house_one": ("", {"id": 2}),
    "ck_location_kind": ("", {"kind": "'kiosk'", "code": "'new'"}),
    "ck_log_head_one": ("", {"id": 2}),
    "ck_log_head_size": ("", {"size": -1}),
    "ck_log_node_level": ("", {"level": 0}),
    "ck_log_position_position": ("", {"position": -1}),
    "ck_posting_account": ("WHERE account = 'bank'", {"account": "'pocket'", "place": 77}),
    "ck_posting_cents": ("", {"cents": 0, "place": 77}),
    "ck_posting_drawer": ("WHERE account = 'drawer'", {"drawer": "NULL", "place": 77}),
    "ck_posting_drawer_kind": ("WHERE account = 'drawer'", {"kind": "NULL", "place": 77}),
    "ck_posting_kind": ("WHERE account = 'drawer'", {"kind": "'cheque'", "place": 77}),
    "ck_print_job_slip": ("", {"slip": "'joke'"}),
    "ck_series_first_game": ("", {"first_game": 0, "code": "'new'"}),
    "ck_staff_failed_tries": ("", {"failed_tries": -1}),
    "ck_name_tries_failed_tries": ("", {"failed_tries": -1}),
    "ck_staff_role": ("", {"role": "'owner'"}),
    "ck_tender_cents": ("", {"cents": 0, "place": 77}),
    "ck_tender_kind": ("WHERE kind = 'currency'", {"kind": "'cheque'", "place": 77}),
    "ck_tender_serial": ("WHERE kind = 'coupon'", {"serial": "NULL", "place": 77}),
    "ck_ticket_games": ("", {"last_game": "last_game + 1", "number": 77}),
    "ck_ticket_number": ("", {"number": 0}),
    "ck_ticket_price": ("", {"price_cents": "price_cents - 1", "number": 77}),
    "ck_ticket_price_per_game": ("", {"price_per_game_cents": 0, "price_cents": 0, "number": 77}),
    "ck_ticket_replay_of": ("", {"replay_of": 1, "number": 77}),
    "ck_ticket_source": ("", {"source": "'spoken'", "number": 77}),
    "ck_ticket_tendered": ("", {"tendered_cents": "price_cents - 1", "number": 77}),
    "ck_ticket_type": ("", {"type": "'joker'", "number": 77}),
    "ck_void_approved": ("", {"with_code": "FALSE", "ticket": 2}),
    "ck_void_two_people": ("", {"approver": "staff", "ticket": 2}),
}

MORE_CHECKS: list[tuple[str, str, dict[str, object]]] = [
    ("ck_win_cents", "", {"cents": "uncut_cents + 1", "ticket": 2}),
    ("ck_game_handle", "WHERE state = 'open'", {"handle_cents": 0, "number": 77}),
    ("ck_game_lock_entry", "WHERE state = 'open'", {"lock_entry": 1, "number": 77}),
    ("ck_game_locked_at", "WHERE state = 'open'", {"locked_at": "opened_at", "number": 77}),
    ("ck_game_tickets", "WHERE state = 'open'", {"tickets": 0, "number": 77}),
    ("ck_house_day_starts", "", {"day_starts_minutes": -1}),
    ("ck_posting_drawer", "WHERE account = 'bank'", {"drawer": 1, "place": 77}),
    ("ck_posting_drawer_kind", "WHERE account = 'bank'", {"kind": "'coin'", "place": 77}),
    ("ck_tender_serial", "WHERE kind = 'currency'", {"serial": "'C9'", "place": 77}),
    ("ck_ticket_games", "", {"games": 0, "price_cents": 0, "last_game": 0, "number": 77}),
    ("ck_ticket_replay_of", "", {"source": "'ticket'", "number": 77}),
]


def all_checks() -> list[tuple[str, str, dict[str, object]]]:
    return [(name, where, changes) for name, (where, changes) in CHECKS.items()] + MORE_CHECKS


def table_of(constraint: str) -> str:
    """The table that a constraint is named after."""
    name = constraint.split("_", 1)[1]
    return max((table for table in Table.metadata.tables if name.startswith(f"{table}_")), key=len)


@pytest.mark.rule("X-lock-server")
def test_every_check_refuses_the_row_that_is_planted_against_it(busy: Floor) -> None:
    assert len(all_checks()) == len(CHECKS) + len(MORE_CHECKS)
    for name, where, changes in all_checks():
        told = planted(busy, table_of(name), where, changes)
        assert told is not None, f"{name} let {changes} through"
        # Which constraint it was: another one in the way would show nothing.
        assert f'"{name}"' in told or told.endswith(f": {name}"), f"{name}: {told}"


def test_no_check_of_the_database_is_left_out_above(busy: Floor) -> None:
    with busy.office.database.reading() as connection:
        inspector = inspect(connection)
        found = {
            check["name"]
            for table in Table.metadata.tables
            for check in inspector.get_check_constraints(table)
        }
    assert found == set(CHECKS)


# ---- keys: one row planted against each ----------------------------------------------------------

# What is unique: of the copy of a stored row everything else is changed.
UNIQUE: dict[str, tuple[str, dict[str, object]]] = {
    "approval.tier, approval.entry": ("pk_approval", {}),
    "archive.entry": ("pk_archive", {"file": "(SELECT leaf FROM log_entry WHERE id = 1)"}),
    "archive.file": ("uq_archive_file", {"entry": 2}),
    "book_head.id": ("pk_book_head", {}),
    "log_origin.entry": ("pk_log_origin", {"origin": "'another'"}),
    "log_origin.origin": ("uq_log_origin_origin", {"entry": 2}),
    "lost_act.entry": ("pk_lost_act", {}),
    "restoration_end.restoration": ("pk_restoration_end", {}),
    "hold_end.resumption": ("pk_hold_end", {}),
    "resumption.entry": ("pk_resumption", {}),
    "retention.entry": ("pk_retention", {}),
    "contact_act.entry": ("pk_contact_act", {}),
    "day_close.day": ("pk_day_close", {"entry": 2}),
    "day_close.entry": (
        "uq_day_close_entry",
        {"day": "CURRENT_DATE"},
    ),
    "drawer_move.entry": ("pk_drawer_move", {}),
    "expiry.ticket": ("pk_expiry", {}),
    "house_amount.entry": ("pk_house_amount", {}),
    "books_run.entry": ("pk_books_run", {}),
    "house_setting.entry": ("pk_house_setting", {}),
    "sale_stop.entry": ("pk_sale_stop", {}),
    "staff_change.entry": ("pk_staff_change", {}),
    "report_choice.entry": ("pk_report_choice", {}),
    "report_job.job": ("pk_report_job", {"entry": 1}),
    "report_job.entry": ("uq_report_job_entry", {"job": "'x'"}),
    "printer_condition.printer": ("pk_printer_condition", {}),
    "look_up.entry": ("pk_look_up", {}),
    "lost_ticket.entry": ("pk_lost_ticket", {}),
    "code_tries.ticket": ("pk_code_tries", {}),
    "shown_in_part.ticket": ("pk_shown_in_part", {"entry": 2}),
    "shown_in_part.entry": ("uq_shown_in_part_entry", {"ticket": 2}),
    "payout.check_number": ("uq_payout_check_number", {"ticket": 2, "entry": 1}),
    "payout.entry": ("uq_payout_entry", {"ticket": 2, "check_number": "'2'"}),
    "payout.ticket": ("pk_payout", {"entry": 1, "check_number": "'2'"}),
    "presentation.entry": ("uq_presentation_entry", {"ticket": 2}),
    "presentation.ticket": ("pk_presentation", {"entry": 2}),
    "printed_paper.entry, printed_paper.roll": ("pk_printed_paper", {}),
    "printer.address": ("uq_printer_address", {"code": "'P9'"}),
    "printer.code": ("uq_printer_code", {"address": "'tcp:elsewhere'"}),
    "queued_paper.entry, queued_paper.copy": ("pk_queued_paper", {}),
    "reprint.entry": ("uq_reprint_entry", {"copy": 77}),
    "reprint.job, reprint.copy": ("pk_reprint", {"entry": 1}),
    "station_printer.station": ("pk_station_printer", {}),
    "reported_win.ticket, reported_win.game": ("pk_reported_win", {}),
    "tax_paper.entry": ("pk_tax_paper", {}),
    "cancellation.entry": ("uq_cancellation_entry", {"ticket": 2}),
    "cancellation.ticket": ("pk_cancellation", {"entry": 1}),
    "certification.attempt": ("pk_certification", {"entry": 3}),
    "cosigned.size": ("pk_cosigned", {}),
    "lease.name": ("pk_lease", {}),
    "live_ticket.number": ("pk_live_ticket", {}),
    "lock_statement.series, lock_statement.game": ("pk_lock_statement", {}),
    "outcome.entry": ("uq_outcome_entry", {"series": "'M'", "game": 1}),
    "outcome.series, outcome.game": ("pk_outcome", {"entry": 1}),
    "override.entry": ("uq_override_entry", {}),
    "refund.ticket, refund.game": ("pk_refund", {}),
    "release.attempt": ("pk_release", {"entry": 2}),
    "settlement.attempt": ("pk_settlement", {"entry": 3, "run": 77}),
    "settlement.series, settlement.game, settlement.run": (
        "uq_settlement_series_game_run",
        {"entry": 3, "attempt": "(SELECT max(id) FROM attempt)"},
    ),
    "share.attempt, share.ticket": ("pk_share", {}),
    "void_statement.entry": ("uq_void_statement_entry", {"series": "'M'", "game": 1}),
    "void_statement.series, void_statement.game": ("pk_void_statement", {"entry": 1}),
    "win.attempt, win.ticket": ("pk_win", {}),
    "asked.station, asked.request": ("pk_asked", {}),
    "card.entry": ("uq_card_entry", {"hash": "'new'"}),
    "card.hash": ("uq_card_hash", {"entry": "(SELECT max(id) FROM log_entry)"}),
    "card_acceptance.card, card_acceptance.consent": ("pk_card_acceptance", {"entry": 1}),
    "card_acceptance.entry": (
        "uq_card_acceptance_entry",
        {"card": "(SELECT max(id) FROM card)"},
    ),
    "card_term.entry": ("uq_card_term_entry", {}),
    "counter.name": ("pk_counter", {}),
    "coupon.serial": ("pk_coupon", {"ticket": 2}),
    "drawer.id": ("pk_drawer", {"closed_at": "opened_at", "entry": 1}),
    "drawer.entry": ("uq_drawer_entry", {"closed_at": "opened_at", "id": 77}),
    "drawer.station": (
        "uq_drawer_one_open_station",
        {"staff": "(SELECT id FROM staff WHERE code = 'SAM')", "entry": 1, "id": 77},
    ),
    "drawer.staff": (
        "uq_drawer_one_open_staff",
        {"station": "(SELECT id FROM station WHERE code = 'S1')", "entry": 1, "id": 77},
    ),
    "drawer_count.drawer, drawer_count.closing": ("pk_drawer_count", {"entry": 1}),
    "drawer_count.entry": ("uq_drawer_count_entry", {"closing": "TRUE"}),
    "game.lock_entry": ("uq_game_lock_entry", {"number": 77}),
    "house.id": ("pk_house", {}),
    "location.code": ("pk_location", {}),
    "location_series.location, location_series.series": ("pk_location_series", {}),
    "log_checkpoint.size": ("pk_log_checkpoint", {"note": "'another head'"}),
    "log_entry.id": ("pk_log_entry", {}),
    "log_head.id": ("pk_log_head", {}),
    "log_node.level, log_node.place": ("pk_log_node", {"hash": "'new'"}),
    "log_pending.entry": ("pk_log_pending", {}),
    "name_tries.name, name_tries.station": ("pk_name_tries", {}),
    "try_bucket.bucket": ("pk_try_bucket", {}),
    "log_position.entry": ("uq_log_position_entry", {"position": 7777}),
    "log_position.position": (
        "pk_log_position",
        {"entry": "(SELECT max(entry) FROM log_pending)"},
    ),
    "posting.entry, posting.place": ("pk_posting", {}),
    "print_job.entry": ("uq_print_job_entry", {}),
    "series.code": ("pk_series", {}),
    "sign_in.token": ("pk_sign_in", {}),
    "staff.code": ("uq_staff_code", {"name": "'Nobody'"}),
    "staff.name": ("uq_staff_name", {"code": "'NOBODY'"}),
    "station.code": ("uq_station_code", {"token": "NULL"}),
    "station.token": ("uq_station_token", {"code": "'B9'"}),
    "tender.ticket, tender.place": ("pk_tender", {}),
    "ticket.entry": ("uq_ticket_entry", {"number": 77}),
    "ticket.number": ("pk_ticket", {"entry": 1}),
    "void.entry": ("uq_void_entry", {"ticket": 2}),
    "void.ticket": ("pk_void", {"entry": 1}),
}


# Which row is copied, where not every row has what is unique.
COPIED = {"game": "WHERE state = 'locked'", "station": "WHERE token IS NOT NULL"}


def test_what_is_there_once_is_refused_a_second_time(busy: Floor) -> None:
    for where, (name, changes) in UNIQUE.items():
        table = where.split(".", maxsplit=1)[0]
        told = planted(busy, table, COPIED.get(table, ""), changes)
        assert told is not None, f"{name} let {changes} through"
        named = any(f'"{each}"' in told for each in (name, *in_partition(name)))
        assert named or told.endswith(f"UNIQUE constraint failed: {where}"), f"{name}: {told}"


def in_partition(name: str) -> list[str]:
    """What a guard is called in the first partition of its table."""
    return ["uq_ticket_0"] if name == "uq_ticket_entry" else [f"{name}_0"]


def test_nothing_that_is_there_once_is_left_out_above(busy: Floor) -> None:
    with busy.office.database.reading() as connection:
        inspector = inspect(connection)
        found = {
            constraint["name"]
            for table in Table.metadata.tables
            for constraint in (
                inspector.get_pk_constraint(table),
                *inspector.get_unique_constraints(table),
                *(index for index in inspector.get_indexes(table) if index["unique"]),
            )
        }
    if not busy.office.database.is_sqlite:
        found.add("uq_ticket_entry")  # every partition has its own
    numbered = {"pk_act", "pk_card", "pk_card_term", "pk_print_job"}
    numbered |= {"pk_staff", "pk_station"}  # the database gives these ids itself
    numbered |= {"pk_attempt", "pk_feed_event", "pk_override", "pk_paper_event", "pk_printer"}
    numbered.add("pk_restoration")
    tested = {name for name, _ in UNIQUE.values()} | {"uq_game_one_open", "pk_game"}
    # Refused as well, but another constraint of the same row is always in the way.
    tested |= {"uq_certification_entry", "uq_release_entry", "uq_settlement_entry"}
    assert found == tested | numbered


@pytest.mark.rule("X-drawer")
def test_a_drawer_that_was_closed_makes_room_for_the_next(floor: Floor) -> None:
    floor.writing()
    with floor.office.database.writing() as connection:
        connection.execute(text("UPDATE drawer SET closed_at = opened_at"))
        connection.commit()
    assert planted(floor, "drawer", "", {"entry": 1, "id": 77}) is None


# ---- references ----------------------------------------------------------------------------------


def test_every_reference_to_something_that_is_not_there_is_refused(busy: Floor) -> None:
    """Row by row: a value that nothing has, in each column that refers to something."""
    count = 0
    for table in Table.metadata.tables.values():
        for key in table.foreign_key_constraints:
            column = list(key.columns)[-1]
            fresh = {column.name: 987_654 if column.type.python_type is int else "'nothing'"}
            told = planted(busy, table.name, "", unused(table.name, fresh))
            assert told is not None, f"{table.name} took {fresh}"
            # A station is also part of what was asked, and PostgreSQL may name that reference.
            assert f'"{key.name}' in told or told == "FOREIGN KEY constraint failed", told
            count += 1
    assert count >= 35


def unused(table: str, changes: Row) -> Row:
    """Change everything of a copied row that must not be there twice."""
    free: dict[str, Row] = {
        "approval": {"tier": "'manager'"},
        "archive": {"entry": 2, "file": "(SELECT leaf FROM log_entry WHERE id = 1)"},
        "log_origin": {"origin": "'another'"},
        "lost_act": {},
        "restoration_end": {},
        "hold_end": {"resumption": 2},
        "resumption": {"entry": 3},
        "retention": {"entry": 2},
        "asked": {"request": "'fresh-id'"},
        "contact_act": {"entry": 1},
        "day_close": {"day": "CURRENT_DATE", "entry": 2},
        "drawer_move": {"entry": 1},
        "expiry": {"ticket": 2},
        "house_amount": {"entry": 1},
        "books_run": {"entry": 1},
        "house_setting": {"entry": 1},
        "sale_stop": {"entry": 1, "series": "'M'", "schedule": "NULL", "spots": "NULL"},
        "staff_change": {"entry": 1},
        "report_choice": {"entry": 1},
        "report_job": OTHER_JOB,
        "payout": OTHER_PAYOUT,
        "look_up": {"entry": 2},
        "lost_ticket": {"entry": 2},
        "code_tries": {"ticket": 2},
        "shown_in_part": OTHER_SHOWN,
        "presentation": {"ticket": 2, "entry": 2},
        "printed_paper": {},
        "printer": {"code": "'P9'", "address": "'tcp:elsewhere'"},
        "queued_paper": {"copy": 77},
        "reprint": {"copy": 77, "entry": 1},
        "station_printer": {"station": 3},
        "paper_event": {},
        "reported_win": {"game": 77},
        "tax_paper": {"entry": 2},
        "attempt": {},
        "cancellation": {"ticket": 2, "entry": 1},
        "certification": {"attempt": "(SELECT max(attempt) FROM settlement)", "entry": 3},
        "cosigned": {"size": 987_654},
        "lock_statement": {"game": 987_654},
        "outcome": {"series": "'M'", "game": 1, "entry": 1},
        "override": {"entry": 1},
        "refund": {"game": 77},
        "release": {"attempt": "(SELECT max(attempt) FROM certification)", "entry": 2},
        "settlement": {"attempt": "(SELECT max(id) FROM attempt)", "entry": 3, "run": 77},
        "share": {"ticket": 2},
        "void_statement": {"series": "'M'", "game": 1, "entry": 1},
        "win": {"ticket": 2},
        "card": {"hash": "'new'", "entry": "(SELECT max(id) FROM log_entry)"},
        "card_acceptance": {"card": "(SELECT max(id) FROM card)", "entry": 1},
        "card_term": {"entry": 1},
        "coupon": {"serial": "'C9'"},
        "drawer": {"closed_at": "opened_at", "entry": 1, "id": 77},
        "drawer_count": {"closing": "TRUE", "entry": 1},
        "game": {"number": 77, "state": "'void'", "locked_at": "opened_at", "tickets": 0}
        | {"handle_cents": 0, "lock_entry": 1},
        "log_position": {"position": 7777},
        "posting": {"place": 77, "account": "'drawer'", "kind": "'coin'", "drawer": 1},
        "print_job": {"entry": 1},
        "sign_in": {"token": "'new'"},
        "station": {"code": "'B9'", "token": "NULL"},
        "name_tries": {"station": "'B2'"},
        "try_bucket": {"bucket": "(SELECT leaf FROM log_entry WHERE id = 1)"},
        "tender": {"place": 77},
        "ticket": {"number": 77, "entry": 1},
        "void": {"ticket": 2, "entry": 1},
    }
    if table == "ticket" and "replay_of" in changes:
        changes = {"source": "'ticket'", **changes}
    if table == "ticket" and "first_game" in changes:
        changes = {"last_game": "987654 + games - 1", **changes}
    return {**free.get(table, {}), **changes}


# ---- SQLite --------------------------------------------------------------------------------------


@pytest.mark.rule("X-recovery")
@SQLITE
def test_what_sqlite_has_committed_is_on_the_disk(floor: Floor) -> None:
    wanted = {
        "journal_mode": "wal",
        "synchronous": 2,  # FULL
        "foreign_keys": 1,
        "recursive_triggers": 1,
        "busy_timeout": 30_000,
    }
    database = floor.office.database
    for opened in (database.reading, database.writing):
        with opened() as connection:
            for pragma, value in wanted.items():
                told = connection.exec_driver_sql(f"PRAGMA {pragma}").scalar_one()
                assert told == value, pragma


@pytest.mark.rule("X-recovery")
@SQLITE
def test_a_transaction_that_may_write_begins_by_keeping_other_writers_out(floor: Floor) -> None:
    file = floor.office.database.url.database
    assert file is not None
    with closing(sqlite3.connect(file, timeout=0, isolation_level=None)) as other:
        with floor.office.database.reading() as connection:
            connection.execute(text("SELECT 1 FROM house")).one()
            other.execute("BEGIN IMMEDIATE")
            other.execute("ROLLBACK")
        with floor.office.database.writing() as connection:
            connection.execute(text("SELECT 1 FROM house")).one()
            with pytest.raises(sqlite3.OperationalError, match="locked"):
                other.execute("BEGIN IMMEDIATE")


@pytest.mark.rule("X-recovery")
@POSTGRESQL
def test_what_postgresql_has_committed_is_on_the_disk(floor: Floor) -> None:
    with floor.office.database.writing() as connection:
        for setting in ("synchronous_commit", "fsync", "full_page_writes"):
            assert connection.exec_driver_sql(f"SHOW {setting}").scalar_one() == "on"


def test_a_unit_that_is_not_committed_is_undone(floor: Floor) -> None:
    with floor.office.unit() as unit:
        unit.connection.execute(text("UPDATE counter SET value = 77"))
    with floor.office.database.reading() as connection:
        assert connection.execute(text("SELECT max(value) FROM counter")).scalar_one() == 0


def test_a_reader_sees_one_moment_whatever_is_committed_meanwhile(floor: Floor) -> None:
    with floor.office.database.reading() as connection:
        assert connection.execute(text("SELECT max(value) FROM counter")).scalar_one() == 0
        with floor.office.unit() as unit:
            unit.connection.execute(text("UPDATE counter SET value = 77"))
            unit.commit()
        assert connection.execute(text("SELECT max(value) FROM counter")).scalar_one() == 0
    with floor.office.database.reading() as connection:
        assert connection.execute(text("SELECT max(value) FROM counter")).scalar_one() == 77
