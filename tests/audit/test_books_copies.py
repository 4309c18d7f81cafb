"""The books of paper: what is planted in jobs, copies and what became of them is found."""

import pytest

from app.flow.access import Approval, at_console
from app.flow.house_settings import change_setting
from app.flow.permissions import Permission
from app.flow.reprint import Again, Seen, reprint, say_printed
from app.flow.spool import interrupted, next_paper, note_ending
from app.keno.house_settings import Setting
from printers.press import Press
from tests.audit.books_copies import PLANTED
from tests.audit.planting import After, found_in, plant
from tests.floor import MAX, SAM, Floor, secret_of
from tests.story.paying import pay, sold

SAM_APPROVES = Approval(SAM, secret_of(SAM))


def copied(floor: Floor) -> None:
    """A winning ticket that did not come out, whose second copy a supervisor approved."""
    printer = floor.printer_at("B1")
    wanda = sold(floor)
    opening = next_paper(floor.office, printer, Press())
    assert opening is not None
    note_ending(floor.office, opening, "confirmed", None)
    first = next_paper(floor.office, printer, Press())
    assert first is not None
    interrupted(floor.office, printer)
    say_printed(floor.office, wanda, Seen(first.entry, 0, printed=False), floor.request_id())
    copy = next_paper(floor.office, printer, Press())
    assert copy is not None
    note_ending(floor.office, copy, "confirmed", None)
    again = Again("torn", ticket=1, approval=SAM_APPROVES)
    assert reprint(floor.office, wanda, again, floor.request_id())["copy"] == 2
    second = next_paper(floor.office, printer, Press())
    assert second is not None
    note_ending(floor.office, second, "confirmed", None)
    manager = at_console(floor.office, MAX, secret_of(MAX), Permission.AMOUNT_SET)
    change_setting(floor.office, floor.sam, manager, Setting.COPIES_ALONE, 3)
    assert reprint(floor.office, wanda, Again("torn", ticket=1), floor.request_id())["copy"] == 3
    floor.play()
    pay(floor, wanda, approval=SAM_APPROVES)
    floor.check_books()


@pytest.mark.rule("X-audit-books", "15.4(c)")
@pytest.mark.parametrize("what", PLANTED)
def test_what_is_planted_in_paper_is_found(after: After, what: str) -> None:
    floor = after(copied)
    statement, expected = PLANTED[what]
    plant(floor, statement)
    assert set(found_in(floor)) == expected


@pytest.mark.rule("X-audit-books", "15.6(a)")
@pytest.mark.parametrize(
    ("name", "fault"),
    [("REPRINT", "was printed without a supervisor"), ("PAID", "gave money for it without asking")],
)
def test_a_supervisor_who_was_not_there_is_missed(after: After, name: str, fault: str) -> None:
    """Also if whoever took the name away took it from the log."""
    floor = after(copied)
    taken = "UPDATE log_entry SET body = replace(body, :was, :now) WHERE tag = :tag"
    plant(floor, taken, was='"approver":"SAM"', now='"approver":null', tag=name)
    assert any(fault in told for told in found_in(floor)["copies"])
