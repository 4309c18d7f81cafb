"""Kill -9 at every statement of what a shift and a day are made of, beside selling and paying."""

from contextlib import suppress
from datetime import date, timedelta
from functools import partial
from itertools import count

import pytest

from app.flow.access import Approval, at_console
from app.flow.approvals import approve_payment
from app.flow.close_day import close_day
from app.flow.drawer import Minding, mind_drawer, move_cash
from app.flow.house_amounts import set_amount
from app.flow.permissions import Permission
from app.flow.refund import Refunding, refund_ticket
from app.flow.sell import Sale
from app.flow.tax_paper import Paper, file_tax_paper
from app.keno.amounts import Amount, Dated
from app.keno.drawer import DrawerAct
from app.keno.refusals import Refused
from app.keno.request import Request
from app.keno.tender import Tender, TenderKind
from tests.crashing import MANY, Act, killed_everywhere, number_of, on
from tests.floor import BANK, CARD, MAX, SAM, SECOND_STATION, WANDA, Floor, secret_of
from tests.looking import rows

pytestmark = on("sqlite")

SAM_APPROVES = Approval(SAM, secret_of(SAM))
BILLS = (Tender(TenderKind.CURRENCY, 10_000),)
TODAY = date(2026, 11, 16)
EVERY = Sale("M", Request(tuple((n,) for n in range(1, 81)), "80/1 @ 1.00"), BILLS)


def from_one_cent(floor: Floor, name: Amount) -> None:
    """Let the house be as strict as can be from tomorrow on, and wait until then."""
    manager = at_console(floor.office, MAX, secret_of(MAX), Permission.AMOUNT_SET)
    day = floor.moment[0].date() + timedelta(days=1)
    set_amount(floor.office, floor.sam, manager, Dated(name, day, 1))
    floor.pass_time(days=1)


@pytest.mark.rule("X-recovery", "X-drawer")
@pytest.mark.parametrize("act", [DrawerAct.FILL, DrawerAct.BLEED])
def test_a_fill_or_bleed_that_dies_anywhere_is_one_or_none(floor: Floor, act: DrawerAct) -> None:
    wanda, moved = floor.writing(), {TenderKind.CURRENCY: 100}

    def prepare() -> Act:
        asked = floor.request_id()
        return lambda here: move_cash(here.office, wanda, 1, act, moved, SAM_APPROVES, asked)

    deaths = killed_everywhere(floor, prepare, partial(number_of, floor, "drawer_move"))
    assert deaths.places > 6
    found = "SELECT sum(cents) FROM posting WHERE account = 'drawer' AND kind = 'currency'"
    ((inside,),) = rows(floor, found)
    sign = 1 if act is DrawerAct.FILL else -1
    assert int(inside) == BANK.cents[TenderKind.CURRENCY] + sign * 100 * deaths.acts


@pytest.mark.rule("X-recovery", "X-drawer")
def test_a_drawer_that_is_suspended_and_resumed_while_the_process_dies_is_one_or_the_other(
    floor: Floor,
) -> None:
    wanda = floor.writing()
    acts = count()

    def prepare() -> Act:
        act = DrawerAct.RESUME if next(acts) % 2 else DrawerAct.SUSPEND
        asked, minding = floor.request_id(), Minding(1, act)
        return lambda here: mind_drawer(here.office, wanda, minding, asked)

    deaths = killed_everywhere(floor, prepare, partial(number_of, floor, "drawer_move"))
    assert deaths.places > 4
    suspended = number_of(floor, "drawer WHERE suspended_at IS NOT NULL")
    assert suspended == deaths.acts % 2


@pytest.mark.rule("X-recovery", "15.6(b)")
def test_an_approval_that_dies_anywhere_is_one_approval_or_none(floor: Floor) -> None:
    from_one_cent(floor, Amount.APPROVAL)
    wanda, sam = floor.writing(), floor.signed_in(SAM, SECOND_STATION)
    for _ in range(MANY):
        floor.sell(wanda, EVERY)
    floor.play()
    numbers = count(1)

    def prepare() -> Act:
        number, asked = next(numbers), floor.request_id()
        return lambda here: approve_payment(here.office, sam, number, asked)

    assert killed_everywhere(floor, prepare, partial(number_of, floor, "approval")).places > 6


@pytest.mark.rule("X-recovery", "X-pay-tax")
def test_a_tax_paper_that_dies_anywhere_is_filed_once_or_not(floor: Floor) -> None:
    """Each number by itself on a ticket of its own: a quarter of them win more than they cost."""
    from_one_cent(floor, Amount.TAX_PAPER)
    wanda = floor.writing()
    for number in (*range(1, 81), *range(1, 81)):
        floor.sell(wanda, Sale("M", Request(((number,),), "1/1 @ 1.00"), BILLS))
    floor.play()
    winners = iter(rows(floor, "SELECT ticket FROM win ORDER BY ticket"))

    def prepare() -> Act:
        ((number,), asked) = next(winners), floor.request_id()
        paper = Paper(number, 1, "Pat Patron", "000-00-0000", code=floor.code(number))
        return lambda here: file_tax_paper(here.office, wanda, paper, asked)

    assert killed_everywhere(floor, prepare, partial(number_of, floor, "tax_paper")).places > 6


@pytest.mark.rule("X-recovery", "15.4(d)-refund")
def test_a_cancellation_that_dies_anywhere_is_one_or_none(floor: Floor) -> None:
    wanda = floor.writing()
    for _ in range(MANY):
        floor.sell(wanda, Sale("M", Request(((5,),), "1/1 @ 1.00", games=3), BILLS))
    floor.play()
    numbers = count(1)

    def prepare() -> Act:
        number, asked = next(numbers), floor.request_id()
        refunding = Refunding(number, "has to leave", floor.code(number))
        return lambda here: refund_ticket(here.office, wanda, refunding, asked)

    assert killed_everywhere(floor, prepare, partial(number_of, floor, "cancellation")).places > 6


@pytest.mark.rule("X-recovery", "15.6(c)", "X-audit-books")
def test_a_close_of_day_that_dies_anywhere_closes_the_day_once_and_expires_each_win_once(
    floor: Floor,
) -> None:
    """Each day leaves a win that nobody comes for, and that expires at the close two days later."""
    short = CARD.read_bytes().replace(b"claim_minutes = 525_600", b"claim_minutes = 2_880")
    floor.put_in_force(short)
    floor.pass_time(hours=2)
    floor.play()  # the next game opens on that card
    days, sam = count(), floor.sam

    def prepare() -> Act:
        wanda = floor.signed_in(WANDA)
        drawer = floor.open_drawer(wanda)["drawer"]
        floor.sell(wanda, EVERY)
        floor.play()
        floor.close_drawer(wanda, drawer, BANK)
        floor.pass_time(days=1)
        day = TODAY + timedelta(days=next(days))

        def close(here: Floor) -> None:
            with suppress(Refused):  # it is closed already
                close_day(here.office, sam, day)

        return close

    deaths = killed_everywhere(floor, prepare, partial(number_of, floor, "day_close"))
    assert deaths.places > 6
    assert number_of(floor, "day_close") == deaths.acts
    expired = rows(floor, "SELECT count(*), count(DISTINCT ticket) FROM expiry")
    assert expired == [(deaths.acts - 2, deaths.acts - 2)]
