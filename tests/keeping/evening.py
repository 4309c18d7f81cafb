"""An evening at the counter with nearly every kind of act, which is then lost."""

from dataclasses import replace
from datetime import date, timedelta
from hashlib import sha256

from app.audit.entry_copies import EntryCopy
from app.flow.access import (
    Approval,
    Credentials,
    at_console,
    disable_staff,
    disable_station,
)
from app.flow.approvals import approve_payment
from app.flow.books import record_books, work_out_books
from app.flow.contact import Contact
from app.flow.cosign import cosign_log
from app.flow.draw import ask_to_void
from app.flow.drawer import Minding, mind_drawer, move_cash
from app.flow.house_amounts import set_amount
from app.flow.house_settings import change_setting
from app.flow.look_up import look_up
from app.flow.lost_ticket import Loss, report_lost
from app.flow.override import override_close
from app.flow.patron import Patron
from app.flow.pay import Check, Paying, pay_ticket
from app.flow.permissions import Permission
from app.flow.present import present_ticket
from app.flow.rate_cards import put_in_force
from app.flow.refund import Refunding, refund_ticket
from app.flow.reprint import Again, reprint
from app.flow.schedule import change_schedule
from app.flow.sell import Sale
from app.flow.spool import next_paper, note_ending
from app.flow.staffing import enable_station
from app.flow.stop_sales import Thing, resume_sale, stop_sale
from app.flow.tax_paper import Paper, file_tax_paper
from app.keno.amounts import Amount, Dated
from app.keno.drawer import Count, DrawerAct
from app.keno.house_settings import Setting
from app.keno.request import Request
from app.keno.tender import Tender, TenderKind
from app.store.queries import log
from app.store.queries.paper import PrinterRow
from printers.press import Press
from tests.floor import ADA, CARD, MAX, SAM, WALT, Floor, dollar, secret_of
from tests.story.paying import torn

SAM_APPROVES = Approval(SAM, secret_of(SAM))
MAX_APPROVES = Approval(MAX, secret_of(MAX))
RICH = Count({TenderKind.CURRENCY: 10_000_000, TenderKind.COIN: 5_000})


def every(series: str = "M", games: int = 1, rate: str = "1.00") -> Sale:
    """A ticket that always wins: each of the eighty numbers by itself."""
    request = Request(tuple((n,) for n in range(1, 81)), f"80/1 @ {rate}", games=games)
    return Sale(series, request, (Tender(TenderKind.CURRENCY, 1_000_000),))


def work(floor: Floor, wanda: Credentials) -> list[int]:
    """Work for an evening; return the numbers of tickets that can still be paid afterwards."""
    walt = floor.signed_in(WALT, "B2")
    floor.open_drawer(walt, RICH)
    printer = floor.printer_at("B2")
    to_pay, rich, by_check, winner = _sell(floor, wanda, walt)
    _mind_drawers(floor, wanda)
    _play(floor)
    _give_back(floor, walt)
    _pay(floor, walt, rich, by_check, winner)
    _print(floor, walt, printer)
    _settle_things(floor)
    # Walt goes home; his drawer is short.
    short = Count({TenderKind.CURRENCY: 100, TenderKind.COIN: 5_000})
    floor.close_drawer(walt, 2, short)
    why = Minding(2, DrawerAct.EXPLAIN, words="a bag was left")
    mind_drawer(floor.office, walt, why, floor.request_id())
    # One more game, whose draw comes after the last head that is cosigned.
    last = floor.sell(wanda, every())["number"]
    floor.lock()
    cosign_log(floor.office, floor.two_keys)
    return [to_pay, last]


def _sell(floor: Floor, wanda: Credentials, walt: Credentials) -> list[int]:
    """Sell tickets of all sorts, one of them void; coupons are spent and given back."""
    coupon = (Tender(TenderKind.COUPON, 100, "C-1"),)
    used = floor.sell(wanda, replace(dollar(), tender=coupon))["number"]
    floor.void(wanda, used)
    mixed = (Tender(TenderKind.COUPON, 100, "C-1"), Tender(TenderKind.CHIPS, 500))
    floor.sell(wanda, replace(dollar(games=3), tender=mixed, contact=Contact("c-1")))
    floor.sell(wanda, replace(every(games=2), contact=Contact("c-2", "CARD-7")))
    quick = Sale("M", Request((), "1/6 @ 1.00", quick_pick=6), (Tender(TenderKind.COIN, 100),))
    floor.sell(wanda, quick)
    # Paid with a coupon, which counts as no wager: its win has to be reported.
    given = (Tender(TenderKind.COUPON, 400_000, "C-9"),)
    sales = (
        (wanda, every(rate="2.00")),
        (walt, replace(every(rate="50.00"), tender=given)),
        (walt, replace(every(), contact=Contact("c-3"))),
        (walt, every()),
    )
    return [floor.sell(writer, sale)["number"] for writer, sale in sales]


def _mind_drawers(floor: Floor, wanda: Credentials) -> None:
    fill = (1, DrawerAct.FILL, {TenderKind.CURRENCY: 100_000}, SAM_APPROVES)
    move_cash(floor.office, wanda, *fill, floor.request_id())
    for act in (DrawerAct.SUSPEND, DrawerAct.RESUME):
        mind_drawer(floor.office, wanda, Minding(1, act), floor.request_id())


def _play(floor: Floor) -> None:
    """Run a game that was held, let go and overridden."""
    floor.hold("The inspector does not answer.")
    floor.let_go()
    in_time = floor.moment[0] + timedelta(hours=1)
    override_close(floor.office, floor.sam, "M", 1, in_time, "a late bus")
    change_schedule(floor.office, floor.sam, "M", 240)
    floor.play()


def _give_back(floor: Floor, walt: Credentials) -> None:
    """Void a game of the other series, and give back what its ticket cost, and the rest of it."""
    fast = floor.sell(walt, every("F", games=4))["number"]
    floor.lock("F")
    ask_to_void(floor.office, floor.sam, "F", 100, "the power went")
    floor.draw("F")
    for cancel in (False, True):
        refunding = Refunding(fast, "going home", floor.code(fast), cancel=cancel)
        refund_ticket(floor.office, walt, refunding, floor.request_id())


def _pay(floor: Floor, walt: Credentials, rich: int, by_check: int, winner: int) -> None:
    """Pay a torn ticket in cash, by check, and what must be approved, was lost and is reported."""
    office = floor.office
    code, contact = torn(floor.code(winner)), Contact("c-4")
    cash = Paying(winner, code, reason="torn", approval=SAM_APPROVES, contact=contact)
    pay_ticket(office, walt, cash, floor.request_id())
    look_up(office, walt, rich)
    loss = Loss(rich, Patron("Pat Patron", "licence 1"), "B1, at noon", "camera 7")
    report_lost(office, floor.signed_in(SAM, "B2"), loss, floor.request_id())
    named, contact = Check("1001", "Pat"), Contact("c-3")
    check = Paying(by_check, floor.code(by_check), check=named, contact=contact)
    pay_ticket(office, walt, check, floor.request_id())
    present_ticket(office, walt, rich, floor.code(rich))
    approve_payment(office, floor.signed_in(SAM, "B2"), rich, floor.request_id())
    paper = Paper(rich, 1, "Pat Patron", "123-45-6789", code=floor.code(rich))
    file_tax_paper(office, walt, paper, floor.request_id())
    large = Paying(rich, floor.code(rich), manager=MAX_APPROVES)
    pay_ticket(office, walt, large, floor.request_id())


def _print(floor: Floor, walt: Credentials, printer: PrinterRow) -> None:
    sending = next_paper(floor.office, printer, Press())
    assert sending is not None
    note_ending(floor.office, sending, "confirmed", None)
    again = Again("torn", paper=sending.entry)
    reprint(floor.office, walt, again, floor.request_id())


def _settle_things(floor: Floor) -> None:
    """Settle numbers, amounts and a card; disable people and stations."""
    office = floor.office
    max_ = at_console(office, MAX, secret_of(MAX), Permission.AMOUNT_SET)
    change_setting(office, floor.sam, max_, Setting.COPIES_ALONE, 2)
    set_amount(office, floor.sam, max_, Dated(Amount.APPROVAL, date(2099, 1, 1), 100_000))
    floor.put_in_force(CARD.read_bytes() + b"# another version\n", timedelta(minutes=30))
    put_in_force(office, floor.sam, sha256(CARD.read_bytes()).digest(), None, max_)
    eights = Thing(schedule="twobits", spots=8)
    stop_sale(office, floor.sam, eights, "it is looked into")
    resume_sale(office, floor.sam, max_, eights, "it is right")
    stop_sale(office, floor.sam, eights, "it is not")
    admin = floor.signed_in(ADA, "S1")
    disable_staff(office, admin, "Sue Super")
    disable_station(office, admin, "S1")
    ada = at_console(office, ADA, secret_of(ADA), Permission.STATION_MANAGE)
    enable_station(office, ada, "S1")
    record_books(office, work_out_books(office))


def entries_of(floor: Floor) -> list[EntryCopy]:
    """The log of a house as the regulator has it."""
    with floor.office.database.reading() as connection:
        return [
            EntryCopy(entry.position, entry.leaf, entry.tag, entry.salt, entry.body)
            for entry in log.entries(connection)
            if entry.position is not None
        ]
