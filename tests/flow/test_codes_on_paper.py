"""A ticket's code stands on its paper: a scan into the wrong field never gets it into the log."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from app.flow.access import at_console, sign_in
from app.flow.contact import Contact
from app.flow.drawer import Minding, mind_drawer
from app.flow.override import override_close
from app.flow.pay import Check
from app.flow.permissions import Permission
from app.flow.rate_cards import bring_card
from app.flow.staffing import add_person, add_station
from app.flow.void import Voiding, void_ticket
from app.keno.drawer import DrawerAct
from app.keno.tender import Tender, TenderKind
from tests.floor import ADA, CARD, SAM, Floor, dollar, secret_of
from tests.looking import everything, refuses
from tests.story.paying import pay, sold

pytestmark = pytest.mark.rule("X-ticket-validation")


def scans(floor: Floor) -> list[str]:
    """A ticket's code as it is scanned, typed in groups, and in the middle of words."""
    code = floor.code(1)
    return [f"{1:011}{code}", "-".join(code[at : at + 5] for at in range(0, 25, 5)), f"x {code} y"]


def test_no_reason_or_explanation_is_a_code(floor: Floor) -> None:
    wanda = floor.writing()
    floor.sell(wanda, dollar())
    sam = floor.signed_in(SAM, "B2")
    move = Minding(1, DrawerAct.MOVE, station="B2")
    acts: list[Callable[[str], object]] = [
        lambda text: override_close(floor.office, floor.sam, "M", 1, None, text),
        lambda text: void_ticket(
            floor.office, wanda, Voiding(1, text, floor.code(1)), floor.request_id()
        ),
        lambda text: mind_drawer(floor.office, sam, replace(move, words=text), floor.request_id()),
    ]
    for text in scans(floor):
        for act in acts:
            with refuses("text.ticket_code"):
                act(text)
    override_close(floor.office, floor.sam, "M", 1, None, "Call 555 0100 200 0300 400 500.")
    assert floor.code(1) not in str(everything(floor))


def test_no_name_card_check_or_coupon_is_a_code(floor: Floor) -> None:
    wanda = sold(floor)
    floor.play()
    scan, *_ = scans(floor)
    office = floor.office
    ada = at_console(office, ADA, secret_of(ADA), Permission.STAFF_MANAGE)
    card = CARD.read_text().replace('name = "', f'name = "{scan} ', 1).encode()
    coupon = (Tender(TenderKind.COUPON, 100, scan),)
    acts: list[Callable[[], object]] = [
        lambda: floor.sell(wanda, replace(dollar(), contact=Contact("c-1", scan))),
        lambda: floor.sell(wanda, replace(dollar(), tender=coupon)),
        lambda: pay(floor, wanda, check=Check(scan, "Pat")),
        lambda: bring_card(office, floor.sam, card),
        lambda: add_person(office, ada, floor.sue, "NEW", scan, "writer", "a long enough secret"),
        lambda: add_person(office, ada, floor.sue, scan, "New Writer", "writer", "long enough"),
        lambda: add_station(office, ada, scan, "booth"),
    ]
    for act in acts:
        with refuses("text.ticket_code"):
            act()
    with refuses("staff.wrong_secret"):  # which the log tells of, but not of the code
        sign_in(office, floor.station("B1"), scan, "none")
    assert floor.code(1) not in str(everything(floor))
