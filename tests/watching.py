"""A floor on which things happened, for those who watch: every kind of act of a ticket's life."""

from datetime import date
from pathlib import Path

from app.flow.approvals import approve_payment
from app.flow.override import override_close
from app.flow.present import present_ticket
from app.flow.reprint import Again, Seen, reprint, say_printed
from app.flow.spool import next_paper, note_ending
from app.store.tables import PaperState
from printers.press import Press
from tests.floor import SAM, SECOND_STATION, WALT, WANDA, Floor, dollar
from tests.looking import rows
from tests.story.paper import spool_all
from tests.story.paying import RICH, every, pay
from tests.story.refunds import refund

TODAY = date(2026, 11, 16)
SOLD, VOIDED, CANCELLED, PAID, LARGE = 1, 2, 3, 4, 5


def busy(floor: Floor, folder: Path) -> None:
    """Two games are played, and M-3 is open.

    Ticket 1 was printed, and its writer was asked about it; then copied. 2 is void, 3 was cancelled
    after its first game, 4 is paid, 5 is paid with an approval; 6 is Walt's.
    """
    printer = floor.printer_at("B1", f"file:{folder / 'roll'}")
    wanda = floor.signed_in(WANDA)
    floor.open_drawer(wanda, RICH)
    floor.sell(wanda)
    spool_all(floor, printer)
    floor.sell(wanda)
    floor.void(wanda, VOIDED)
    floor.sell(wanda, dollar(games=3))
    floor.sell(wanda, every())
    floor.sell(wanda, every(rate="25.00"))
    reprint(floor.office, wanda, Again("torn", ticket=SOLD), floor.request_id())
    ((paper,),) = rows(floor, "SELECT entry FROM ticket WHERE number = 1")
    sending = next_paper(floor.office, printer, Press())
    while sending is not None and (sending.entry, sending.copy) != (paper, 1):
        note_ending(floor.office, sending, PaperState.SENT.value, None, near_end=False)
        sending = next_paper(floor.office, printer, Press())
    assert sending is not None
    note_ending(floor.office, sending, PaperState.UNKNOWN.value, "It was cut off.", near_end=False)
    say_printed(floor.office, wanda, Seen(paper, 1, printed=True), floor.request_id())
    override_close(floor.office, floor.sam, "M", 1, None, "a bus is late")
    floor.play()
    refund(floor, wanda, CANCELLED)
    pay(floor, wanda, PAID)
    present_ticket(floor.office, wanda, LARGE, floor.code(LARGE))
    sam = floor.signed_in(SAM, SECOND_STATION)
    approve_payment(floor.office, sam, LARGE, floor.request_id())
    pay(floor, wanda, LARGE)
    spool_all(floor, printer)
    walt = floor.writing(WALT, SECOND_STATION)
    floor.sell(walt)
    floor.play()
