"""The books of payments without the whole code: what is planted in them is found."""

from typing import Any

import pytest

from app.flow.look_up import look_up
from app.flow.lost_ticket import Loss, report_lost
from app.flow.patron import Patron
from tests.audit.planting import After, found_in, plant
from tests.floor import SAM, SECOND_STATION, WALT, Floor
from tests.story.paying import MAX_APPROVES, RICH, SAM_APPROVES, every, pay, sold, torn

PAT = Patron("Pat Patron", "licence 12-345")


def paid_without_code(floor: Floor) -> None:
    """Ticket 1 is torn, 2 cannot be read, 3 was lost and is brought by somebody."""
    wanda = sold(floor)
    floor.sell(wanda, every())
    floor.sell(wanda, every())
    floor.play()
    look_up(floor.office, wanda, 2)
    loss = Loss(3, PAT, "B1, about noon", "camera 7")
    report_lost(floor.office, floor.signed_in(SAM, SECOND_STATION), loss, floor.request_id())
    pay(floor, wanda, 1, code=torn(floor.code(1)), reason="torn", approval=SAM_APPROVES)
    pay(floor, wanda, 3, approval=SAM_APPROVES)
    floor.pass_time(hours=2)
    walt = floor.signed_in(WALT, SECOND_STATION)
    floor.open_drawer(walt, RICH)
    both: dict[str, Any] = {"approval": SAM_APPROVES, "manager": MAX_APPROVES}
    pay(floor, walt, 2, code=None, reason="burnt", patron=PAT, **both)
    floor.check_books()


def logged(old: str, new: str, tag: str = "PAID") -> str:
    """Have the log say something else."""
    old, new = (text.replace(":", "\\:") for text in (old, new))
    return f"UPDATE log_entry SET body = replace(body, '{old}', '{new}') WHERE tag = '{tag}'"  # noqa: S608


# What is done to the database, and which checks find it.
PLANTED: dict[str, tuple[str, set[str]]] = {
    "nobody kept what was shown": ("DELETE FROM shown_in_part WHERE ticket = 1", {"shown"}),
    "more of a code was read": (
        "UPDATE shown_in_part SET places = replace(places, '?X', 'XX') WHERE ticket = 1",
        {"facts"},
    ),
    "somebody else was known": (
        "UPDATE shown_in_part SET salted = sealed WHERE ticket = 2",
        {"facts"},
    ),
    "the log says that more of a code was read": (
        logged('"places":"?', '"places":"X'),
        {"facts", "log", "shown"},
    ),
    "the log says that seven digits were enough": (
        logged('"digits":9', '"digits":7'),
        {"facts", "log", "shown"},
    ),
    "the log says that all of a code was shown": (
        logged('"how":"digits"', '"how":"code"'),
        {"facts", "log", "shown"},
    ),
    "the log says that no manager was there": (
        logged('"manager":"MAX"', '"manager":null'),
        {"approvals", "facts", "log"},
    ),
    "the log says that nobody was known": (
        logged('"identity":"', '"other":"'),
        {"facts", "log", "shown"},
    ),
    "a look-up was another's": (
        "UPDATE look_up SET staff = (SELECT id FROM staff WHERE code = 'WALT')",
        {"facts", "shown"},
    ),
    "a look-up is gone": ("DELETE FROM look_up", {"facts"}),
    "a ticket was reported lost at another time": (
        "UPDATE lost_ticket SET claimed_at = '2026-11-16T12:00:00.000000Z'",
        {"facts"},
    ),
    "what cannot be read was paid at once": (
        (
            "UPDATE payout SET paid_at = "
            "(SELECT locked_at FROM game WHERE series = 'M' AND number = 1) WHERE ticket = 2"
        ),
        {"facts", "shown"},
    ),
}


@pytest.mark.rule("X-audit-books", "X-pay-without-code")
@pytest.mark.parametrize("what", PLANTED)
def test_what_is_planted_in_payments_without_the_code_is_found(after: After, what: str) -> None:
    floor = after(paid_without_code)
    statement, expected = PLANTED[what]
    plant(floor, statement)
    assert set(found_in(floor)) == expected
