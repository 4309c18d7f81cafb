"""Before a day is closed a manager signs what was unusual: voids, wrong tries, copies."""

from contextlib import suppress
from datetime import date
from pathlib import Path

import pytest

from app.flow.access import at_console, sign_in
from app.flow.actor import Actor
from app.flow.close_day import close_day
from app.flow.day_review import Item, review_of, sign_review
from app.flow.permissions import Permission
from app.flow.reprint import Again, reprint
from app.keno.refusals import Refused
from app.store.records.house import add_staff
from app.store.tables import Role
from tests.floor import BANK, FIRST_STATION, MAX, SAM, WANDA, Floor, secret_of
from tests.looking import bodies, refuses
from tests.story.paper import spool_all

DAY = date(2026, 11, 16)
KEN = "Ken Manager"


def who(floor: Floor, name: str, permission: Permission = Permission.DAY_REVIEW) -> Actor:
    return at_console(floor.office, name, secret_of(name), permission)


def listed(floor: Floor) -> list[Item]:
    with floor.office.database.reading() as connection:
        return review_of(floor.office, connection, DAY).items


def end_the_day(floor: Floor, name: str = WANDA, drawer: int = 1) -> None:
    floor.play("M")
    floor.play("F")
    floor.close_drawer(floor.signed_in(name), drawer, BANK)
    floor.pass_time(days=1)


def close(floor: Floor) -> None:
    close_day(floor.office, who(floor, SAM, Permission.DAY_CLOSE), DAY)


@pytest.mark.rule("X-alarm-day", "X-void-slip", "X-audit-log")
def test_a_day_with_unusual_voids_tries_and_copies_waits_for_a_manager_s_signature(
    floor: Floor, tmp_path: Path
) -> None:
    printer = floor.printer_at(FIRST_STATION, f"file:{tmp_path / 'slips'}")
    wanda = floor.writing()
    numbers = [floor.sell(wanda)["number"] for _ in range(5)]
    for number in numbers[:3]:
        floor.void(wanda, number)
    spool_all(floor, printer)
    reprint(floor.office, wanda, Again("torn", ticket=numbers[3]), floor.request_id())
    for _ in range(5):
        with suppress(Refused):
            sign_in(floor.office, floor.station(FIRST_STATION), SAM, "wrong")
        floor.pass_time(minutes=10)
    items = listed(floor)
    assert [each.what for each in items] == [
        "WANDA voided 3 tickets and sold 5.",
        "At B1: 5 wrong names or passwords.",
        "WANDA had a copy printed at B1.",
    ]
    with refuses("day.not_over"):
        sign_review(floor.office, who(floor, MAX), DAY)
    end_the_day(floor)
    with refuses("day.not_reviewed"):
        close(floor)
    for _ in range(2):  # a second press changes nothing
        assert sign_review(floor.office, who(floor, MAX), DAY).signed_by == "MAX"
    (body,) = bodies(floor, "DAY-REVIEW")
    assert [each["what"] for each in body["items"]] == [each.what for each in items]
    close(floor)
    floor.check_books()


@pytest.mark.rule("X-alarm-day")
def test_a_day_on_which_nothing_was_unusual_is_closed_without_a_signature(floor: Floor) -> None:
    wanda = floor.writing()
    for _ in range(3):
        floor.sell(wanda)
    for number in (1, 2):  # two voids of three tickets say nothing yet
        floor.void(wanda, number)
    with suppress(Refused):
        sign_in(floor.office, floor.station(FIRST_STATION), SAM, "wrong")
    assert listed(floor) == []
    end_the_day(floor)
    close(floor)
    assert bodies(floor, "DAY-REVIEW") == []


@pytest.mark.rule("X-alarm-day", "X-access")
def test_a_manager_whom_the_list_names_does_not_sign_it(floor: Floor) -> None:
    with floor.office.unit() as unit:
        secret = floor.office.hasher.hash(secret_of(KEN))
        add_staff(unit, "KEN", KEN, Role.KENO_MANAGER, secret)
        unit.commit()
    ken = floor.writing(KEN)
    for _ in range(3):
        floor.void(ken, floor.sell(ken)["number"])
    end_the_day(floor, KEN)
    with refuses("day.review_own"):
        sign_review(floor.office, who(floor, KEN), DAY)
    with refuses("staff.not_permitted"):
        who(floor, SAM)
    sign_review(floor.office, who(floor, MAX), DAY)
    close(floor)


@pytest.mark.rule("X-alarm-day")
def test_a_signature_is_for_the_list_as_it_was_signed(floor: Floor) -> None:
    """Whatever is added to the list afterwards is signed again."""
    wanda = floor.writing()
    for _ in range(3):
        floor.void(wanda, floor.sell(wanda)["number"])
    end_the_day(floor)
    sign_review(floor.office, who(floor, MAX), DAY)
    now, floor.moment[0] = floor.moment[0], floor.moment[0].replace(day=16, hour=20)
    for _ in range(5):
        with suppress(Refused):
            sign_in(floor.office, floor.station(FIRST_STATION), SAM, "wrong")
        floor.pass_time(minutes=10)
    floor.moment[0] = now
    with refuses("day.not_reviewed"):
        close(floor)
    sign_review(floor.office, who(floor, MAX), DAY)
    assert len(bodies(floor, "DAY-REVIEW")) == 2
    close(floor)
