"""Paper: what is printed, that it is printed once, and what happens when a printer fails."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import datetime
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import Any, cast
from zoneinfo import ZoneInfo

import pytest
import zxingcpp
from sqlalchemy import Connection, text

from app.audit.books import check_books
from app.flow.access import Approval, Credentials
from app.flow.approvals import approve_payment, look_at_claim
from app.flow.desk import JUST_SOLD, desk
from app.flow.pay import Paying, pay_ticket
from app.flow.plays import Changes
from app.flow.print_wanted import WANTED, Wanted, print_wanted
from app.flow.printers import PrinterPlan
from app.flow.refund import Refunding, refund_ticket
from app.flow.reprint import Again, Seen, papers_at, reprint, say_printed
from app.flow.see_paper import look_at_paper
from app.flow.sell import Sale
from app.flow.spool import (
    interrupted,
    next_paper,
    note_ending,
    note_mended,
    note_stopped,
    note_trouble,
    printers_with_paper,
)
from app.flow.void import Voiding, void_ticket
from app.keno.letters import letter
from app.keno.money import dollars
from app.keno.numbering import printed_number
from app.keno.request import Request
from app.keno.tender import Tender, TenderKind
from app.store.queries import paper as paper_queries
from app.store.queries.paper import Kept, PrinterRow, kept_papers
from app.store.tables import Slip
from app.store.unit import Unit
from printers import slips
from printers.escpos import FILLER
from printers.gallery import read_back
from printers.paper import NARROW, WIDE, Unprintable
from printers.reader import Bars, Kick, Printed, Qr, Reader
from printers.sending import Ending
from printers.virtual import Fault, VirtualPrinter
from tests.floor import MAX, SAM, SUE, WALT, WANDA, Floor, dollar, secret_of
from tests.flow.races import ON_POSTGRESQL, MakePause, in_turn, pause
from tests.looking import bodies, lifted, refuses, rows
from tests.serving import serve
from tests.story.paper import PRESS, QUICKLY, spool, spool_all
from tests.story.paying import RICH, every, pay
from tests.waiting import PATIENCE

__all__ = ["pause"]  # the fixture

SAM_APPROVES, MAX_APPROVES = (Approval(name, secret_of(name)) for name in (SAM, MAX))


@pytest.fixture
def virtual(tmp_path: Path) -> Iterator[VirtualPrinter]:
    made = VirtualPrinter("P-B1", WIDE, tmp_path / "paper")
    made.start()
    yield made
    made.stop()


@pytest.fixture
def printer(floor: Floor, virtual: VirtualPrinter) -> PrinterRow:
    return floor.printer_at("B1", f"tcp:127.0.0.1:{virtual.port}")


def states(floor: Floor) -> list[tuple[str, int, str]]:
    """What waits, or nobody knows of: by its slip, copy and state."""
    found = (
        "SELECT slip, copy, state FROM queued_paper JOIN print_job USING (entry) "
        "ORDER BY entry, copy"
    )
    return [(slip, int(copy), state) for slip, copy, state in rows(floor, found)]


def writing(floor: Floor, printer: PrinterRow) -> Credentials:
    """Wanda with an open drawer, whose count is printed."""
    wanda = floor.signed_in(WANDA)
    floor.open_drawer(wanda, RICH)
    assert spool(floor, printer) is Ending.CONFIRMED
    return wanda


@pytest.mark.rule("15.4(c)", "X-ticket-barcode", "X-ticket-validation", "15.6(a)")
def test_a_ticket_is_printed_scanned_from_its_picture_and_paid(
    floor: Floor, printer: PrinterRow, virtual: VirtualPrinter
) -> None:
    wanda = writing(floor, printer)
    floor.sell(wanda, every())
    assert spool(floor, printer) is Ending.CONFIRMED
    (_, paper) = virtual.papers
    picture = virtual.look_at(paper).convert("L")
    read = {found.format.name: found.text for found in zxingcpp.read_barcodes(picture)}
    assert read["Code128"] == read["QRCode"] == f"{1:011}{floor.code(1)}"
    floor.play()
    number, code = int(read["QRCode"][:11]), read["QRCode"][11:]
    paid = pay_ticket(floor.office, wanda, Paying(number, code), floor.request_id())
    assert paid["win_cents"] == 6_000
    assert spool(floor, printer) is Ending.CONFIRMED
    (drawn,) = [event for event in Reader().read(paper.read_bytes()) if isinstance(event, Qr)]
    assert drawn.text == read["QRCode"]


@pytest.mark.rule("15.4(c)1", "15.4(c)2", "15.4(c)3", "15.4(c)4", "15.4(c)5", "15.4(c)6")
@pytest.mark.rule("15.4(c)7", "15.4(c)8", "15.4(c)9", "15.4(c)10", "15.4(c)11", "15.4(c)12")
@pytest.mark.rule("15.4(c)13", "X-ticket-names")
def test_a_ticket_has_its_thirteen_items_and_names(
    floor: Floor, printer: PrinterRow, virtual: VirtualPrinter
) -> None:
    wanda = writing(floor, printer)
    request = Request(((1, 2, 3, 4), (5, 6, 7, 8), (9,)), "2/4 1/8 1/9 @ 1.00", games=5)
    floor.sell(wanda, replace(every(), request=request))
    spool(floor, printer)
    lines = [event.text for event in read_newest(virtual) if isinstance(event, Printed)]
    said = "\n".join(lines)
    for item in (
        "2026-11-16",  # 1
        "Station B1",  # 2
        "A: 1 2 3 4",  # 3
        "5 games",  # 4
        "First game M-1",  # 5
        "Last game  M-5",
        "Conditioning 2/4 1/8 1/9 @ 1.00",  # 6
        "2 ways of 4 spots at $1.00",  # 7, 8
        "TOTAL PRICE",  # 9
        "$20.00",
        "Writer WANDA",  # 10
        "All wins of one game together",  # 11
        "THIS TICKET MUST BE PRESENTED TO COLLECT.",  # 12
        "Wins must be claimed within 365 days",  # 13
        "1-3",
        "Rate card ",
        floor.office.house.name,
    ):
        assert item in said


def read_newest(virtual: VirtualPrinter) -> list[object]:
    return list(Reader().read(virtual.papers[-1].read_bytes()))


@pytest.mark.rule("X-ticket-validation", "X-audit-log")
def test_what_is_kept_of_a_paper_has_no_code_and_is_what_was_on_it(
    floor: Floor, printer: PrinterRow, virtual: VirtualPrinter
) -> None:
    wanda = writing(floor, printer)
    floor.sell(wanda, dollar())
    spool(floor, printer)
    ((entry, data, digest),) = rows(
        floor, "SELECT entry, data, digest FROM printed_paper ORDER BY entry DESC LIMIT 1"
    )
    code = floor.code(1)
    pairs = bytes(int(f"{1:011}{code}"[at : at + 2]) for at in range(0, 36, 2))
    for secret in (code.encode(), pairs[6:], " ".join([code[:5], code[5:10]]).encode()):
        assert secret not in bytes(data)
    true = virtual.papers[-1].read_bytes().removeprefix(PRESS.kick)
    assert sha256(true).digest() == bytes(digest)
    look = look_at_paper(floor.office, floor.signed_in(SUE, "S1"), int(entry))
    kept = look.on_paper(0, None)
    masked = list(Reader(masked=True).read(kept.data))
    assert FILLER in kept.data
    assert next(e.text for e in masked if isinstance(e, Qr)) == "*" * 36
    assert next(e.digits for e in masked if isinstance(e, Bars)) == "*" * 36
    said = look.told["events"]
    assert isinstance(said, list)
    assert [(step["state"], step["kicked"], step["printer"], step["roll"]) for step in said] == [
        ("sending", True, "P-B1", "80mm"),
        ("confirmed", True, "P-B1", "80mm"),
    ]


@pytest.mark.rule("X-drawer")
def test_the_cash_drawer_opens_with_what_moves_money_and_with_no_copy(
    floor: Floor, printer: PrinterRow, virtual: VirtualPrinter
) -> None:
    wanda = writing(floor, printer)
    assert virtual.kicks == 1
    floor.sell(wanda, dollar())
    spool(floor, printer)
    assert virtual.kicks == 2
    reprint(floor.office, wanda, Again("torn", ticket=1), floor.request_id())
    print_wanted(floor.office, wanda, Wanted(Slip.TEST), floor.request_id())
    assert spool_all(floor, printer) == 2
    assert virtual.kicks == 2
    kicks = [e for path in virtual.papers for e in Reader().read(path.read_bytes())]
    assert sum(isinstance(event, Kick) for event in kicks) == 2


@pytest.mark.rule("15.4(c)", "15.6(a)")
def test_a_ticket_that_was_printed_again_is_paid_only_with_a_supervisor(
    floor: Floor, printer: PrinterRow, virtual: VirtualPrinter
) -> None:
    wanda = writing(floor, printer)
    floor.sell(wanda, every())
    with refuses("paper.still_waits"):  # nothing of it is on paper
        reprint(floor.office, wanda, Again("torn", ticket=1), floor.request_id())
    spool(floor, printer)
    first = virtual.papers[-1].read_bytes().removeprefix(PRESS.kick)
    again = reprint(floor.office, wanda, Again("torn", ticket=1), "again-0001")
    assert again["copy"] == 1
    assert reprint(floor.office, wanda, Again("torn", ticket=1), "again-0001") == again
    with refuses("paper.still_waits"):
        reprint(floor.office, wanda, Again("torn", ticket=1), floor.request_id())
    spool(floor, printer)
    copy = virtual.papers[-1].read_bytes()
    assert copy.endswith(first)
    (band, *_) = [event for event in Reader().read(copy) if isinstance(event, Printed)]
    assert "COPY 1" in band.text
    with refuses("approval.needed"):
        reprint(floor.office, wanda, Again("torn", ticket=1), floor.request_id())
    approved = Again("torn", ticket=1, approval=SAM_APPROVES)
    assert reprint(floor.office, wanda, approved, floor.request_id())["copy"] == 2
    spool(floor, printer)
    floor.play()
    with refuses("approval.needed"):
        pay(floor, wanda)
    assert pay(floor, wanda, approval=SAM_APPROVES)["win_cents"] == 6_000
    floor.check_books()


@pytest.mark.rule("15.6(b)", "X-ticket-validation")
def test_an_approval_from_before_a_copy_does_not_pay_whoever_brings_the_copy(
    floor: Floor, printer: PrinterRow
) -> None:
    """The patron was to come back for it; a writer could print a copy for themselves meanwhile."""
    wanda, sue = writing(floor, printer), floor.signed_in(SUE, "B2")
    floor.sell(wanda, every())
    spool(floor, printer)
    floor.play()
    approve_payment(floor.office, sue, 1, floor.request_id())
    reprint(floor.office, wanda, Again("torn", ticket=1), floor.request_id())
    spool(floor, printer)
    with refuses("approval.needed"):
        pay(floor, wanda)
    with refuses("approval.other_copies"):  # the page is from before it
        approve_payment(floor.office, sue, 1, floor.request_id())
    assert len(look_at_claim(floor.office, sue, 1)["copies"]) == 1
    approve_payment(floor.office, sue, 1, floor.request_id(), copies=1)
    (*_, approved) = bodies(floor, "APPROVED")
    assert approved["copies"] == 1
    with refuses("approval.manager_needed"):  # it was known by then that it won
        pay(floor, wanda)
    assert pay(floor, wanda, manager=MAX_APPROVES)["win_cents"] == 6_000
    floor.check_books()


@ON_POSTGRESQL  # on SQLite there is one writer at a time
@pytest.mark.rule("15.6(b)", "X-ticket-validation")
def test_a_copy_that_is_just_being_made_is_known_to_whoever_approves_the_payment(
    floor: Floor, printer: PrinterRow, pause: MakePause
) -> None:
    """Or a writer would make one while the supervisor approves what the patron brought."""
    wanda, sue = writing(floor, printer), floor.signed_in(SUE, "B2")
    floor.sell(wanda, every())
    spool(floor, printer)
    floor.play()
    before_commit = pause(Unit, "commit")
    copies = partial(reprint, floor.office, wanda, Again("torn", ticket=1), floor.request_id())
    approves = partial(approve_payment, floor.office, sue, 1, floor.request_id())
    made, refused = in_turn(floor, before_commit, copies, approves)
    assert isinstance(made, dict)
    assert refused == "approval.other_copies"
    assert bodies(floor, "APPROVED") == []
    floor.check_books()


# ---- printers that fail --------------------------------------------------------------------------

BEFORE, MIDDLE = 15, 400  # bytes: within the questions beforehand, within the paper
SAYS_NOTHING = {Fault.SILENT, Fault.MUTE, Fault.GARBAGE}


@pytest.mark.rule("X-recovery", "X-ticket-exactly-once")
@pytest.mark.parametrize(
    ("fault", "after", "ending"),
    [
        (Fault.SILENT, 0, Ending.FAILED),
        (Fault.MUTE, 0, Ending.FAILED),
        (Fault.GARBAGE, 0, Ending.FAILED),
        (Fault.PAPER_OUT, 0, Ending.FAILED),
        (Fault.COVER_OPEN, 0, Ending.FAILED),
        (Fault.OFFLINE, 0, Ending.FAILED),
        (Fault.CUT_LINE, 0, Ending.FAILED),
        (Fault.CUT_LINE, BEFORE - 1, Ending.FAILED),
        (Fault.SILENT, MIDDLE, Ending.UNKNOWN),
        (Fault.MUTE, MIDDLE, Ending.UNKNOWN),
        (Fault.GARBAGE, MIDDLE, Ending.UNKNOWN),
        (Fault.PAPER_OUT, MIDDLE, Ending.UNKNOWN),
        (Fault.COVER_OPEN, MIDDLE, Ending.UNKNOWN),
        (Fault.OFFLINE, MIDDLE, Ending.UNKNOWN),
        (Fault.CUT_LINE, MIDDLE, Ending.UNKNOWN),
        (Fault.NEAR_END, 0, Ending.CONFIRMED),
    ],
)
def test_a_printer_that_fails_leads_to_the_right_ending(  # noqa: PLR0917  all that it takes
    floor: Floor,
    printer: PrinterRow,
    virtual: VirtualPrinter,
    fault: Fault,
    after: int,
    ending: Ending,
) -> None:
    wanda = writing(floor, printer)
    floor.sell(wanda, dollar())
    virtual.misbehave(fault, after)
    answers = QUICKLY if fault in SAYS_NOTHING else PATIENCE
    before = answers if ending is Ending.FAILED else PATIENCE
    done = QUICKLY if ending is Ending.UNKNOWN else PATIENCE
    assert spool(floor, printer, before=before, done=done, after=answers) is ending
    virtual.misbehave(Fault.NONE)
    if ending is Ending.FAILED:  # nothing is on paper: it is the same paper that is tried again
        assert states(floor) == [("ticket", 0, "queued")]
        assert spool(floor, printer) is Ending.CONFIRMED
    if ending is Ending.UNKNOWN:
        assert states(floor) == [("ticket", 0, "unknown")]
        assert spool(floor, printer) is None  # it is not printed again by itself
        (asked,) = papers_at(floor.office, wanda)["papers"]
        assert asked["question"] == "Did it print?"
        paper = int(str(asked["paper"]))
        said = say_printed(floor.office, wanda, Seen(paper, 0, printed=False), "not-there-1")
        assert said["copy_queued"] == 1
        again = say_printed(floor.office, wanda, Seen(paper, 0, printed=False), "not-there-1")
        assert again == said
        assert spool(floor, printer) is Ending.CONFIRMED
        assert [body["printed"] for body in bodies(floor, "ON-PAPER")] == [False]
        printed = virtual.papers[-1].read_bytes()
        assert b"COPY 1" in printed
    assert states(floor) == []


@pytest.mark.rule("X-recovery", "X-ticket-exactly-once")
def test_a_writer_who_sees_a_spoiled_paper_has_a_copy_printed(
    floor: Floor, printer: PrinterRow, virtual: VirtualPrinter
) -> None:
    wanda = writing(floor, printer)
    floor.sell(wanda, dollar())
    virtual.misbehave(Fault.SPOILED)
    assert spool(floor, printer) is Ending.CONFIRMED  # as far as a line can tell
    told = read_back(virtual.papers[-1].read_bytes())
    assert told["scan"] is None
    assert not any("1-3" in line for line in cast("list[str]", told["lines"]))
    assert states(floor) == []
    virtual.misbehave(Fault.NONE)
    reprint(floor.office, wanda, Again("it cannot be read", ticket=1), floor.request_id())
    assert spool(floor, printer) is Ending.CONFIRMED
    copy = read_back(virtual.papers[-1].read_bytes())
    assert any("COPY 1" in line for line in cast("list[str]", copy["lines"]))
    assert copy["scan"] is not None
    assert [body["reason"] for body in bodies(floor, "REPRINT")] == ["it cannot be read"]


@pytest.mark.rule("X-recovery")
def test_a_printer_whose_plug_is_pulled_holds_up_nobody_else(
    floor: Floor, printer: PrinterRow, virtual: VirtualPrinter, tmp_path: Path
) -> None:
    wanda = writing(floor, printer)
    other = floor.printer_at("B2", f"file:{tmp_path / 'b2.bin'}")
    walt = floor.writing(WALT, "B2")
    virtual.stop()
    floor.sell(wanda, dollar())
    floor.sell(walt, dollar())
    assert spool(floor, printer) is Ending.FAILED
    (waiting,) = papers_at(floor.office, wanda)["papers"]
    assert waiting["why"] == "The printer cannot be reached."
    (told,) = [papers_at(floor.office, wanda)["printer"]]
    assert told == {"code": "P-B1", "near_end": False, "trouble": "The printer cannot be reached."}
    assert [spool(floor, other) for _ in range(3)] == [Ending.SENT, Ending.SENT, None]
    virtual.start()
    assert spool(floor, printer) is Ending.CONFIRMED
    assert len(virtual.papers) == 2


@pytest.mark.rule("X-recovery", "X-ticket-exactly-once")
def test_what_was_being_sent_when_the_spooler_died_is_asked_about(
    floor: Floor, printer: PrinterRow, virtual: VirtualPrinter
) -> None:
    wanda = writing(floor, printer)
    floor.sell(wanda, dollar())
    sending = next_paper(floor.office, printer, PRESS)  # and then it dies
    assert sending is not None
    assert states(floor) == [("ticket", 0, "sending")]
    assert next_paper(floor.office, printer, PRESS) is None
    interrupted(floor.office, printer)
    assert states(floor) == [("ticket", 0, "unknown")]
    with refuses("paper.not_asked"):
        say_printed(floor.office, wanda, Seen(sending.entry, 1, printed=True), floor.request_id())
    walt = floor.writing(WALT, "B2")
    with refuses("paper.not_asked"):  # of another station
        say_printed(floor.office, walt, Seen(sending.entry, 0, printed=True), floor.request_id())
    said = say_printed(
        floor.office, wanda, Seen(sending.entry, 0, printed=True), floor.request_id()
    )
    assert said["copy_queued"] is None
    assert ("ticket", 0, "unknown") not in states(floor)
    assert len(virtual.papers) == 1


@pytest.mark.rule("X-ticket-exactly-once")
def test_of_two_who_take_a_paper_one_gets_it(floor: Floor, printer: PrinterRow) -> None:
    floor.sell(floor.writing(), dollar())
    took = [next_paper(floor.office, printer, PRESS) for _ in range(3)]
    assert [each is not None for each in took] == [True, True, False]
    assert took[0] != took[1]


@pytest.mark.rule("X-recovery")
def test_a_paper_that_cannot_be_made_holds_up_none_behind_it(
    floor: Floor, printer: PrinterRow, virtual: VirtualPrinter, monkeypatch: pytest.MonkeyPatch
) -> None:
    wanda = writing(floor, printer)
    floor.sell(wanda, dollar())
    floor.sell(wanda, dollar())
    make = PRESS.make
    times = iter(range(10))

    def fails_once(slip: slips.Slip, roll: str) -> bytes:
        if next(times) == 0:
            raise Unprintable("the house has a new name")
        return make(slip, roll)

    monkeypatch.setattr(PRESS, "make", fails_once)
    assert spool(floor, printer) is None
    assert spool(floor, printer) is Ending.CONFIRMED
    (aside,) = papers_at(floor.office, wanda)["papers"]
    assert aside["why"] == "This paper cannot be made; call a supervisor."
    assert (aside["state"], aside["question"]) == ("aside", None)
    seen = look_at_paper(floor.office, floor.signed_in(SUE, "S1"), aside["paper"])
    assert seen.kept == {}
    events = seen.told["events"]
    assert isinstance(events, list)
    assert [step["state"] for step in events] == ["aside"]
    # Nothing of it is on paper: when the fault is mended it is tried again, as the first.
    with refuses("approval.needed"):
        reprint(floor.office, wanda, Again("mended", ticket=1), floor.request_id())
    again = Again("mended", ticket=1, approval=SAM_APPROVES)
    assert reprint(floor.office, wanda, again, floor.request_id())["copy"] == 0
    assert spool(floor, printer) is Ending.CONFIRMED
    assert b"COPY" not in virtual.papers[-1].read_bytes()
    assert numbers_of(virtual.papers) == ["2-1", "1-3"]
    floor.check_books()


@pytest.mark.rule("X-ticket-validation", "X-audit-log")
def test_a_paper_whose_kept_bytes_were_changed_is_never_sent(
    floor: Floor, printer: PrinterRow, virtual: VirtualPrinter, monkeypatch: pytest.MonkeyPatch
) -> None:
    wanda = writing(floor, printer)
    floor.sell(wanda, every())
    assert spool(floor, printer) is Ending.CONFIRMED

    def changed(connection: Connection, entry: int) -> dict[str, Kept]:
        found = kept_papers(connection, entry)
        return {
            roll: replace(kept, data=kept.data.replace(b"WANDA", b"WILMA"))
            for roll, kept in found.items()
        }

    monkeypatch.setattr(paper_queries, "kept_papers", changed)
    reprint(floor.office, wanda, Again("torn", ticket=1), floor.request_id())
    assert spool(floor, printer) is None
    assert states(floor) == [("ticket", 1, "aside")]
    assert len(virtual.papers) == 2


@pytest.mark.rule("15.4(e)-void")
@pytest.mark.parametrize("reason", ["caf\u00e9", "it\u2019s late"])
def test_what_cannot_be_printed_is_refused_before_anything_is_done(
    floor: Floor, reason: str
) -> None:
    wanda = floor.writing()
    floor.sell(wanda, dollar())
    with refuses("reason.missing"):
        void_ticket(floor.office, wanda, Voiding(1, reason, floor.code(1)), floor.request_id())
    assert rows(floor, "SELECT count(*) FROM void") == [(0,)]


# ---- what is printed because somebody asks -------------------------------------------------------


@pytest.mark.rule("15.5(a)-record", "X-drawer")
def test_reports_records_and_test_pages_are_printed_when_they_are_asked_for(
    floor: Floor, printer: PrinterRow, virtual: VirtualPrinter
) -> None:
    wanda = writing(floor, printer)
    wanted: list[tuple[Wanted, str]] = [
        (Wanted(Slip.TEST), "TEST PAGE"),
        (Wanted(Slip.DRAW, series="M", game=1), "DRAW RECORD"),
    ]
    for each, _ in wanted[1:]:
        with refuses("paper.nothing_to_print"):
            print_wanted(floor.office, wanda, each, floor.request_id())
    for nothing in (Slip.SHIFT, Slip.AGGREGATE):
        with refuses("paper.nothing_to_print"):
            print_wanted(floor.office, wanda, Wanted(nothing), floor.request_id())
    floor.sell(wanda, dollar())
    floor.play()
    spool_all(floor, printer)
    for each, title in wanted:
        print_wanted(floor.office, wanda, each, floor.request_id())
        assert spool(floor, printer) is Ending.CONFIRMED
        texts = [event.text for event in read_newest(virtual) if isinstance(event, Printed)]
        assert title in texts
    sam = floor.writing(SAM, "B2")
    with refuses("paper.no_printer"):
        print_wanted(floor.office, sam, Wanted(Slip.TEST), floor.request_id())
    assert set(WANTED) == {"shift", "draw", "aggregate", "test"}


@pytest.mark.rule("X-drawer")
def test_every_slip_of_a_shift_is_printed(
    floor: Floor, printer: PrinterRow, virtual: VirtualPrinter
) -> None:
    wanda = writing(floor, printer)
    floor.sell(wanda, every())
    floor.sell(wanda, every(3))
    spool_all(floor, printer)
    floor.void(wanda, 1)
    floor.play()
    counted = floor.close_drawer(wanda, 1, RICH)
    print_wanted(floor.office, wanda, Wanted(Slip.SHIFT, drawer=1), floor.request_id())
    spool_all(floor, printer)
    titles = [titles_of(Reader().read(path.read_bytes())) for path in virtual.papers]
    assert titles == [
        "OPENING COUNT",
        "KENO TICKET",
        "KENO TICKET",
        "VOID",
        "CLOSING COUNT",
        "SHIFT",
    ]
    assert counted["over_short_cents"] < 0


def titles_of(events: Iterator[object]) -> str:
    """What a slip is: its second line."""
    lines = [event.text for event in events if isinstance(event, Printed)]
    return lines[1]


def numbers_of(papers: Sequence[Path]) -> list[str]:
    """The numbers of the tickets among some papers."""
    found = []
    for path in papers:
        lines = [e for e in Reader().read(path.read_bytes()) if isinstance(e, Printed)]
        if any(line.text == "KENO TICKET" for line in lines):
            found.append(
                [each.text for each in lines if each.runs and each.runs[0].style.size == 2][-1]
            )
    return found


# ---- what a cheat, a tired writer or a frozen process would do -----------------------------------


@pytest.mark.rule("15.4(e)-void", "X-void-slip")
def test_there_is_no_copy_of_a_ticket_that_is_void(
    floor: Floor, printer: PrinterRow, virtual: VirtualPrinter
) -> None:
    """Or a writer takes the money back, and hands the patron a paper that looks as if it played."""
    wanda = writing(floor, printer)
    for _ in range(2):
        floor.sell(wanda, dollar())
    spool(floor, printer)
    virtual.misbehave(Fault.MUTE, MIDDLE)
    assert spool(floor, printer, done=QUICKLY, after=QUICKLY) is Ending.UNKNOWN
    virtual.misbehave(Fault.NONE)
    for number in (1, 2):
        floor.void(wanda, number)
    papers = papers_at(floor.office, wanda)["papers"]
    asked = next(each["paper"] for each in papers if each["state"] == "unknown")
    with refuses("ticket.already_void"):
        approved = Again("torn", ticket=1, approval=SAM_APPROVES)
        reprint(floor.office, wanda, approved, floor.request_id())
    said = say_printed(floor.office, wanda, Seen(asked, 0, printed=False), floor.request_id())
    assert said["copy_queued"] is None
    spool_all(floor, printer)
    slips = [read_back(path.read_bytes())["lines"] for path in virtual.papers]
    assert not any("COPY" in line for lines in slips for line in cast("list[str]", lines))
    floor.check_books()


@pytest.mark.rule("15.4(e)-void", "X-void-slip")
def test_a_ticket_that_is_voided_before_it_is_printed_is_never_printed(
    floor: Floor, printer: PrinterRow, virtual: VirtualPrinter
) -> None:
    wanda = writing(floor, printer)
    for _ in range(3):
        floor.sell(wanda, dollar())
    for number in (1, 2):
        without = Voiding(number, "the printer is out", None, SAM_APPROVES)
        void_ticket(floor.office, wanda, without, floor.request_id())
    spool_all(floor, printer)
    lines = [str(read_back(path.read_bytes())["lines"]) for path in virtual.papers[1:]]
    assert ["VOID" in each for each in lines] == [False, True, True]
    assert printed_number(3) in lines[0]
    assert states(floor) == []
    ended = "SELECT count(*) FROM paper_event WHERE state = 'not-printed'"
    assert rows(floor, ended) == [(2,)]
    floor.check_books()


@pytest.mark.rule("15.4(e)-void", "15.4(d)-refund", "X-ticket-validation")
def test_nothing_goes_back_for_a_ticket_with_a_copy_without_a_supervisor(
    floor: Floor, printer: PrinterRow
) -> None:
    """Or a writer keeps a copy, and takes back with its code what the patron paid."""
    wanda = writing(floor, printer)
    for games in (1, 5):
        floor.sell(wanda, dollar(games=games))
        spool(floor, printer)
    for number in (1, 2):
        reprint(floor.office, wanda, Again("torn", ticket=number), floor.request_id())
        spool(floor, printer)
    with refuses("approval.needed"):
        floor.void(wanda, 1)
    voiding = Voiding(1, "changed mind", floor.code(1), SAM_APPROVES)
    void_ticket(floor.office, wanda, voiding, floor.request_id())
    floor.play()
    with refuses("approval.needed"):
        refund_ticket(
            floor.office, wanda, Refunding(2, "has to leave", floor.code(2)), floor.request_id()
        )
    floor.check_books()


@pytest.mark.rule("X-ticket-validation")
def test_a_paper_of_another_station_is_copied_with_a_supervisor_only(
    floor: Floor, printer: PrinterRow, tmp_path: Path
) -> None:
    """Or a writer who has seen the number of somebody's ticket prints its code."""
    floor.sell(writing(floor, printer), dollar())
    spool(floor, printer)
    other = floor.printer_at("B2", f"file:{tmp_path / 'b2.bin'}")
    walt = floor.writing(WALT, "B2")
    spool_all(floor, other)  # the count of his drawer
    with refuses("approval.needed"):
        reprint(floor.office, walt, Again("it is mine", ticket=1), floor.request_id())
    assert spool(floor, other) is None
    approved = Again("the patron went to the other booth", ticket=1, approval=SAM_APPROVES)
    assert reprint(floor.office, walt, approved, floor.request_id())["copy"] == 1
    assert spool(floor, other) is Ending.SENT
    floor.check_books()


@pytest.mark.rule("X-recovery")
def test_the_writer_is_told_that_the_roll_is_nearly_at_its_end(
    floor: Floor, printer: PrinterRow, virtual: VirtualPrinter
) -> None:
    wanda = writing(floor, printer)
    assert papers_at(floor.office, wanda)["printer"]["near_end"] is False
    virtual.misbehave(Fault.NEAR_END)
    floor.sell(wanda, dollar())
    assert spool(floor, printer) is Ending.CONFIRMED
    assert papers_at(floor.office, wanda)["printer"]["near_end"] is True
    virtual.misbehave(Fault.NONE)  # a new roll
    floor.sell(wanda, dollar())
    spool(floor, printer)
    assert papers_at(floor.office, wanda)["printer"]["near_end"] is False


def printing(floor: Floor, writer: Credentials) -> dict[str, Any]:
    """What the writer's page reports of the printer."""
    told: dict[str, Any] = desk(floor.office, writer)["printing"]
    return told


def mark(floor: Floor, writer: Credentials, number: int = 1) -> tuple[str, str, int]:
    """The mark of a ticket on the writer's page, its label, and of which copy that is."""
    sold = {each["number"]: each["printing"] for each in desk(floor.office, writer)["sold"]}
    return sold[number]["mark"], sold[number]["label"], sold[number]["copy"]


@pytest.mark.both_engines
@pytest.mark.rule("15.4(c)", "X-recovery")
def test_the_writer_reads_of_each_ticket_how_far_its_slip_is(
    floor: Floor, printer: PrinterRow
) -> None:
    wanda = writing(floor, printer)
    floor.sell(wanda)
    assert mark(floor, wanda) == ("jammed", "no spooler", 0)
    serve(floor)
    assert mark(floor, wanda) == ("queued", "queued", 0)
    note_trouble(floor.office, printer, "The cover of the printer is open.")
    assert mark(floor, wanda) == ("jammed", "cover open", 0)
    sending = next_paper(floor.office, printer, PRESS)  # so the cover is closed again
    assert sending is not None
    assert mark(floor, wanda) == ("printing", "printing", 0)
    assert printing(floor, wanda)["level"] == "ready"
    note_stopped(floor.office, printer, "The printer is out of paper.")
    check_stopped(floor, wanda)
    floor.pass_time(seconds=9)
    note_mended(floor.office, printer)
    check_stopped(floor, wanda)  # by the spooler now, which has ended
    serve(floor)
    assert mark(floor, wanda) == ("printing", "printing", 0)
    note_ending(floor.office, sending, "unknown", "The printer is out of paper.")
    assert mark(floor, wanda) == ("unknown", "printed?", 0)
    say_printed(floor.office, wanda, Seen(sending.entry, 0, printed=False), floor.request_id())
    note_mended(floor.office, printer)
    assert mark(floor, wanda) == ("queued", "queued", 1)
    assert spool(floor, printer) is Ending.CONFIRMED
    assert mark(floor, wanda) == ("printed", "printed", 1)


def check_stopped(floor: Floor, wanda: Credentials) -> None:
    """A slip that may be on paper is called neither queued nor printed, wherever it is read of."""
    why = "Printing has stopped; it may be on paper."
    assert mark(floor, wanda) == ("stopped", "stopped", 0)
    here = desk(floor.office, wanda)
    assert here["sold"][0]["printing"]["why"] == why
    assert [(each["state"], each["why"]) for each in here["papers"]] == [("sending", why)]
    sentence = here["printing"]["sentence"]
    assert "1 slip was being printed and may be on paper." in sentence
    assert "wait" not in sentence


@pytest.mark.rule("15.4(c)", "15.4(e)-void")
def test_a_slip_that_nobody_confirmed_is_never_called_printed(
    floor: Floor, printer: PrinterRow, monkeypatch: pytest.MonkeyPatch
) -> None:
    wanda = writing(floor, printer)
    for _ in range(3):
        floor.sell(wanda)
    sending = next_paper(floor.office, printer, PRESS)
    assert sending is not None
    note_ending(floor.office, sending, "sent", None)  # as to a file
    assert mark(floor, wanda, 1) == ("sent", "sent", 0)
    floor.void(wanda, 2)
    with monkeypatch.context() as patched:
        patched.setattr(PRESS, "make", lambda *_: make_fails())
        assert next_paper(floor.office, printer, PRESS) is None
    assert mark(floor, wanda, 2) == ("not-printed", "not printed", 0)
    assert mark(floor, wanda, 3) == ("not-made", "not made", 0)


def make_fails() -> bytes:
    raise Unprintable("the house has a new name")


@pytest.mark.both_engines
@pytest.mark.rule("15.4(c)")
def test_a_ticket_stays_in_the_list_when_the_next_game_opens(
    floor: Floor, printer: PrinterRow
) -> None:
    wanda = writing(floor, printer)
    for _ in range(9):
        floor.sell(wanda)
    floor.lock()
    floor.sell(wanda)
    sold = desk(floor.office, wanda)["sold"]
    assert [(each["number"], each["first_game"]) for each in sold[:3]] == [(10, 2), (9, 1), (8, 1)]
    assert len(sold) == JUST_SOLD
    walt = floor.signed_in(WALT, "B2")
    assert desk(floor.office, walt)["sold"] == []


@pytest.mark.both_engines
@pytest.mark.rule("15.4(c)", "X-recovery")
def test_the_writer_reads_in_one_sentence_that_the_printer_is_out_or_behind(
    floor: Floor, printer: PrinterRow
) -> None:
    wanda = writing(floor, printer)
    told = partial(printing, floor, wanda)
    assert told()["sentence"] == (
        "No spooler is running for printer P-B1. No slip waits. Call a supervisor."
    )
    serve(floor)
    assert told() == {"level": "ready", "sentence": "Printer P-B1 is ready.", "waiting": 0}
    floor.sell(wanda)
    floor.sell(wanda)
    assert (told()["level"], told()["waiting"]) == ("ready", 2)
    floor.pass_time(seconds=6)
    assert told()["sentence"].startswith("Printer P-B1 is behind: 2 slips wait")
    note_trouble(floor.office, printer, "The printer is out of paper.")
    assert told()["level"] == "fault"
    assert told()["sentence"] == (
        "Printer P-B1 is out of paper. 2 slips wait and print automatically when it is refilled."
    )
    # A printer that gets through many is not behind, though the last of them waits for longer.
    assert spool(floor, printer) is Ending.CONFIRMED
    assert told() == {"level": "ready", "sentence": "Printer P-B1 is ready.", "waiting": 1}
    assert papers_at(floor.office, wanda)["printing"] == told()


@pytest.mark.rule("15.4(c)")
def test_a_station_without_a_printer_is_told_so_of_each_ticket(floor: Floor) -> None:
    wanda = floor.writing()
    floor.sell(wanda)
    assert mark(floor, wanda) == ("jammed", "no printer", 0)
    assert desk(floor.office, wanda)["printing"]["sentence"] == (
        "Station B1 has no printer. 2 slips wait; an administrator assigns a printer."
    )


@pytest.mark.rule("15.4(c)")
def test_a_paper_is_made_for_the_width_on_which_it_is_printed(
    floor: Floor, printer: PrinterRow, virtual: VirtualPrinter
) -> None:
    """Though it was made for another before, and did not come out."""
    wanda = writing(floor, printer)
    floor.sell(wanda, dollar())
    sending = next_paper(floor.office, printer, PRESS)
    assert sending is not None
    note_ending(floor.office, sending, "failed", "out of paper")
    narrow = floor.printer_at("B1", printer.address, "58mm")
    assert spool(floor, narrow) is Ending.CONFIRMED
    lines = [event for event in read_newest(virtual) if isinstance(event, Printed)]
    assert max(len(line.text) for line in lines) <= NARROW.columns
    made = look_at_paper(floor.office, floor.signed_in(SUE, "S1"), sending.entry).told["made"]
    assert isinstance(made, dict)
    assert set(made) == {"80mm", "58mm"}


@pytest.mark.rule("X-drawer")
def test_a_drawer_does_not_open_for_what_was_done_long_ago(
    floor: Floor, printer: PrinterRow, virtual: VirtualPrinter
) -> None:
    wanda = writing(floor, printer)
    virtual.misbehave(Fault.OFFLINE)
    floor.sell(wanda, dollar())
    assert [spool(floor, printer) for _ in range(3)] == [Ending.FAILED] * 3
    floor.pass_time(minutes=2)
    virtual.misbehave(Fault.NONE)
    assert spool(floor, printer) is Ending.CONFIRMED
    assert virtual.kicks == 1  # of the opening count
    ((failed, kicked),) = rows(
        floor,
        "SELECT count(*), sum(CASE WHEN kicked THEN 1 ELSE 0 END) FROM paper_event "
        "WHERE copy = 0 AND entry = (SELECT entry FROM ticket) AND state = 'failed'",
    )
    assert (failed, kicked) == (1, 0)  # once for each reason, and no drawer opened


@pytest.mark.rule("X-recovery")
def test_a_supervisor_answers_for_a_station_at_which_nobody_works_any_more(
    floor: Floor, printer: PrinterRow, virtual: VirtualPrinter
) -> None:
    wanda = writing(floor, printer)
    floor.sell(wanda, dollar())
    sending = next_paper(floor.office, printer, PRESS)
    interrupted(floor.office, printer)
    assert sending is not None
    sam = floor.signed_in(SAM, "S1")
    seen = Seen(sending.entry, 0, printed=False)
    said = say_printed(floor.office, sam, seen, floor.request_id())
    assert (said["copy_queued"], said["copy_station"]) == (1, "B1")
    assert spool(floor, printer) is Ending.CONFIRMED  # where the patron stands
    assert b"COPY 1" in virtual.papers[-1].read_bytes()
    floor.check_books()


@pytest.mark.rule("X-recovery")
def test_a_copy_comes_out_beside_the_supervisor_if_its_station_has_no_printer_any_more(
    floor: Floor, printer: PrinterRow, tmp_path: Path
) -> None:
    wanda = writing(floor, printer)
    floor.sell(wanda, dollar())
    sending = next_paper(floor.office, printer, PRESS)
    interrupted(floor.office, printer)
    assert sending is not None
    without_printer(floor, "B1")
    sam = floor.signed_in(SAM, "S1")
    seen = Seen(sending.entry, 0, printed=False)
    with refuses("paper.no_printer"):
        say_printed(floor.office, sam, seen, floor.request_id())
    assert states(floor) == [("ticket", 0, "unknown")]  # nothing was said: it is asked again
    beside = floor.printer_at("S1", f"file:{tmp_path / 's1.bin'}")
    assert say_printed(floor.office, sam, seen, floor.request_id())["copy_station"] == "S1"
    assert spool(floor, beside) is Ending.SENT
    assert b"COPY 1" in (tmp_path / "s1.bin").read_bytes()


def without_printer(floor: Floor, station: str) -> None:
    """Take its printer from a station."""
    taken = (
        "DELETE FROM station_printer WHERE station = (SELECT id FROM station WHERE code = :code)"
    )
    with lifted(floor) as connection:
        connection.execute(text(taken), {"code": station})


@pytest.mark.rule("X-ticket-exactly-once", "X-audit-books")
def test_a_station_whose_printer_is_moved_is_not_asked_about_what_the_old_one_still_prints(
    floor: Floor, printer: PrinterRow, tmp_path: Path
) -> None:
    wanda = writing(floor, printer)
    floor.sell(wanda, dollar())
    sending = next_paper(floor.office, printer, PRESS)
    assert sending is not None
    other = floor.printer_at("B2", f"file:{tmp_path / 'b2.bin'}", "58mm")
    place_at(floor, other, "B1")  # the station's paper comes out there from now on
    assert printers_with_paper(floor.office) == {printer.id}
    assert interrupted(floor.office, other) is False
    assert states(floor) == [("ticket", 0, "sending")]
    note_ending(floor.office, sending, "confirmed", None)
    assert states(floor) == []
    floor.check_books()


@pytest.mark.rule("X-ticket-exactly-once")
def test_who_owned_a_printer_that_was_moved_away_is_asked_by_its_next_owner(
    floor: Floor, printer: PrinterRow, tmp_path: Path
) -> None:
    """It says on which roll it was printed, though that was changed since."""
    wanda = writing(floor, printer)
    floor.sell(wanda, dollar())
    sending = next_paper(floor.office, printer, PRESS)  # and then it dies
    assert sending is not None
    place_at(floor, floor.printer_at("B2", f"file:{tmp_path / 'b2.bin'}"), "B1")
    assert interrupted(floor.office, replace(printer, roll="58mm")) is True
    assert states(floor) == [("ticket", 0, "unknown")]
    told = look_at_paper(floor.office, floor.signed_in(SUE, "S1"), sending.entry).told["events"]
    assert isinstance(told, list)
    assert [(step["state"], step["printer"], step["roll"]) for step in told] == [
        ("sending", "P-B1", "80mm"),
        ("unknown", "P-B1", "80mm"),
    ]


@pytest.mark.rule("X-drawer")
def test_a_paper_that_was_interrupted_opened_a_drawer_only_if_its_bytes_did(
    floor: Floor, printer: PrinterRow
) -> None:
    wanda = writing(floor, printer)
    opened = "SELECT kicked FROM paper_event WHERE state = 'unknown' ORDER BY id"
    for minutes in (0, 2):  # what was done long ago opens none
        floor.sell(wanda, dollar())
        floor.pass_time(minutes=minutes)
        sending = next_paper(floor.office, printer, PRESS)
        assert sending is not None
        assert sending.data.startswith(PRESS.kick) is (minutes == 0)
        interrupted(floor.office, printer)
    assert [bool(kicked) for (kicked,) in rows(floor, opened)] == [True, False]


def place_at(floor: Floor, printer: PrinterRow, station: str) -> None:
    """Have a station print on a printer that there is."""
    floor.set_printer(PrinterPlan(printer.code, printer.address, None, [station]))


@pytest.mark.rule("X-ticket-exactly-once", "X-audit-books")
def test_a_paper_that_is_sent_after_all_is_found_by_the_books(
    floor: Floor, printer: PrinterRow
) -> None:
    """A spooler was frozen, the writer was asked and said no, and then it wakes up."""
    wanda = writing(floor, printer)
    floor.sell(wanda, dollar())
    sending = next_paper(floor.office, printer, PRESS)
    assert sending is not None
    interrupted(floor.office, printer)
    say_printed(floor.office, wanda, Seen(sending.entry, 0, printed=False), floor.request_id())
    note_ending(floor.office, sending, "confirmed", None)
    with floor.office.database.reading() as connection:
        found = check_books(connection, *floor.books_keys)["copies"]
    assert [fault.message for fault in found] == [
        f"paper {sending.entry} was confirmed after it was done with"
    ]


@pytest.mark.rule("15.4(c)3", "15.4(c)11", "15.4(c)13", "X-ticket-names", "X-lock-seal")
def test_what_a_ticket_says_is_what_was_sold(
    floor: Floor, printer: PrinterRow, virtual: VirtualPrinter
) -> None:
    """Held against the log, item by item, for a king ticket and a quick-pick of the second game."""
    wanda = writing(floor, printer)
    floor.play()
    money = (Tender(TenderKind.CURRENCY, 10_000),)
    king = Request(((1, 2, 3, 4), (5, 6, 7, 8), (9,)), "2/4 1/9 @ 1.00", games=2)
    floor.sell(wanda, Sale("M", king, money))
    floor.sell(wanda, Sale("M", Request((), "1/8 @ 1.00", quick_pick=8), money))
    floor.sell(wanda, Sale("M", Changes(), money, replay_of=1))
    zone = ZoneInfo(floor.office.house.time_zone)
    texts = []
    for body in bodies(floor, "TICKET"):
        assert spool(floor, printer) is Ending.CONFIRMED
        said = " ".join(e.text for e in read_newest(virtual) if isinstance(e, Printed)).split()
        text = " ".join(said)
        texts.append(text)
        sold_at, until = (
            datetime.fromisoformat(body[name]).astimezone(zone)
            for name in ("sold_at", "expires_at")
        )
        assert f"{sold_at:%Y-%m-%d %H:%M:%S %Z}" in text
        assert f"until {until:%Y-%m-%d %H:%M:%S %Z} or later" in text
        assert f"Station {body['station']}" in text
        assert f"Writer {body['writer']}" in text
        first, last = body["first_game"], body["first_game"] + body["games"] - 1
        assert f"First game M-{first}" in text
        assert f"Last game M-{last}" in text
        for place, numbers in enumerate(body["groups"]):
            mark = "KING " if body["type"] == "king" and len(numbers) == 1 else ""
            listed = " ".join(map(str, sorted(numbers)))
            assert f"{mark}{letter(place)}: {listed} " in text
        assert f"Conditioning {body['conditioning']} " in text
        assert f"TOTAL PRICE {dollars(body['price_cents'])} " in text
        assert "All wins of one game together are paid up to $100,000.00." in text
        assert "Wins must be claimed within 365 days" in text
        assert f"Rate card {body['card'][:12]}" in text
        seal = body["previous_seal"]
        assert f"Seal of M-{seal['game']} {seal['seal']}" in text
        assert ("QUICK PICK" in text) == (body["source"] == "quick-pick")
    assert [("Replay of 1-3" in text) for text in texts] == [False, False, True]
