"""Paper: what is printed, that it is printed once, and what happens when a printer fails."""

from collections.abc import Iterator
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

import pytest
import zxingcpp

from app.flow.access import Approval, Credentials
from app.flow.pay import Paying, pay_ticket
from app.flow.print_wanted import WANTED, Wanted, print_wanted
from app.flow.reprint import Again, Seen, papers_at, reprint, say_printed
from app.flow.see_paper import look_at_paper
from app.flow.spool import interrupted, next_paper, note_ending
from app.flow.void import Voiding, void_ticket
from app.keno.request import Request
from app.store.queries.paper import PrinterRow
from app.store.tables import Slip
from printers import slips
from printers.devices import device_at
from printers.escpos import FILLER
from printers.paper import WIDE, Unprintable
from printers.press import Press
from printers.reader import Bars, Kick, Printed, Qr, Reader
from printers.sending import Ending, send_paper
from printers.virtual import Fault, VirtualPrinter
from tests.floor import SAM, SUE, WALT, WANDA, Floor, dollar, secret_of
from tests.looking import bodies, refuses, rows
from tests.story.test_7_paying import RICH, every, pay

SAM_APPROVES = Approval(SAM, secret_of(SAM))
PRESS = Press()
QUICKLY = 0.5


@pytest.fixture
def virtual(tmp_path: Path) -> Iterator[VirtualPrinter]:
    made = VirtualPrinter("P-B1", WIDE, tmp_path / "paper")
    made.start()
    yield made
    made.stop()


@pytest.fixture
def printer(floor: Floor, virtual: VirtualPrinter) -> PrinterRow:
    return floor.printer_at("B1", f"tcp:127.0.0.1:{virtual.port}")


def spool(floor: Floor, printer: PrinterRow) -> Ending | None:
    """Do as the spooler does with the next paper."""
    sending = next_paper(floor.office, printer, PRESS)
    if sending is None:
        return None
    outcome = send_paper(device_at(printer.address), sending.data, QUICKLY)
    note_ending(floor.office, sending, outcome.ending.value, outcome.why)
    return outcome.ending


def spool_all(floor: Floor, printer: PrinterRow) -> int:
    """Print all that waits; return how much it was."""
    count = 0
    while spool(floor, printer) is not None:
        count += 1
    return count


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
    masked = list(Reader(masked=True).read(look.data))
    assert FILLER in look.data
    assert next(e.text for e in masked if isinstance(e, Qr)) == "*" * 36
    assert next(e.digits for e in masked if isinstance(e, Bars)) == "*" * 36
    said = look.told["events"]
    assert isinstance(said, list)
    assert [(step["state"], step["kicked"]) for step in said] == [
        ("sending", True),
        ("confirmed", False),
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
    with refuses("paper.unknown"):  # it waits: nothing of it is on paper
        reprint(floor.office, wanda, Again("torn", ticket=1), floor.request_id())
    spool(floor, printer)
    first = virtual.papers[-1].read_bytes().removeprefix(PRESS.kick)
    again = reprint(floor.office, wanda, Again("torn", ticket=1), "again-0001")
    assert again["copy"] == 1
    assert reprint(floor.office, wanda, Again("torn", ticket=1), "again-0001") == again
    spool(floor, printer)
    copy = virtual.papers[-1].read_bytes()
    assert copy.endswith(first)
    (band, *_) = [event for event in Reader().read(copy) if isinstance(event, Printed)]
    assert "COPY 1" in band.text
    with refuses("approval.needed"):
        reprint(floor.office, wanda, Again("torn", ticket=1), floor.request_id())
    approved = Again("torn", ticket=1, approval=SAM_APPROVES)
    assert reprint(floor.office, wanda, approved, floor.request_id())["copy"] == 2
    floor.play()
    with refuses("approval.needed"):
        pay(floor, wanda)
    assert pay(floor, wanda, approval=SAM_APPROVES)["win_cents"] == 6_000
    floor.check_books()


# ---- printers that fail --------------------------------------------------------------------------

BEFORE, MIDDLE = 12, 400  # bytes: within the questions beforehand, within the paper


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
        (Fault.SLOW, MIDDLE, Ending.UNKNOWN),
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
    assert spool(floor, printer) is ending
    virtual.misbehave(Fault.NONE)
    if ending is Ending.FAILED:  # nothing is on paper: it is the same paper that is tried again
        assert states(floor) == [("ticket", 0, "queued")]
        assert spool(floor, printer) is Ending.CONFIRMED
    if ending is Ending.UNKNOWN:
        assert states(floor) == [("ticket", 0, "unknown")]
        assert spool(floor, printer) is None  # it is not printed again by itself
        (asked,) = papers_at(floor.office, wanda)
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
    (waiting,) = papers_at(floor.office, wanda)
    assert waiting["why"] == "The printer cannot be reached."
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
    floor: Floor, printer: PrinterRow, monkeypatch: pytest.MonkeyPatch
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
    (aside,) = papers_at(floor.office, wanda)
    assert aside["why"] == "This paper cannot be made; call a supervisor."


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
