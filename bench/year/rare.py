"""What is not common, through the flow itself: at the end of each shift, some of it in turn."""

from collections.abc import Callable
from contextlib import suppress
from datetime import datetime, timedelta
from itertools import count

from app.flow.access import Credentials, sign_in
from app.flow.contact import Contact
from app.flow.draw import ask_to_void, end_game
from app.flow.drawer import Minding, mind_drawer, move_cash
from app.flow.lockout import lock_game
from app.flow.override import override_close
from app.flow.pay import Check, Paying, pay_ticket
from app.flow.present import present_ticket
from app.flow.refund import Refunding, refund_ticket
from app.flow.reprint import Again, reprint
from app.flow.sell import Sale, sell_ticket
from app.flow.tax_paper import Paper, file_tax_paper
from app.flow.void import Voiding, void_ticket
from app.keno.drawer import CASH, DrawerAct
from app.keno.refusals import Refused
from app.keno.request import Request
from app.keno.tender import Tender, TenderKind
from app.store.queries import drawers
from bench.year.house import YearHouse
from bench.year.live import Live
from bench.year.plan import FAST, MAIN, MAX, SAM, secret_of
from bench.year.stretch import Stretches

FIRST, SECOND = "B1", "B2"  # stations
IN_TURN = 3  # kinds of acts in a shift
NEVER_EVERY = 7  # of these wins is brought
REFUNDED = 8  # tickets of a void game, at once
CHECK_CENTS = 150_000  # from here on every other win is paid by check
THOUSAND = (Tender(TenderKind.CURRENCY, 1_000_000),)
TEN = (Tender(TenderKind.CURRENCY, 1_000),)
DOLLAR = Request(((4, 8, 15, 16),), "1/4 @ 1.00")
_SECOND = timedelta(seconds=1)


class Rare:
    """Acts that a shift has only some of."""

    def __init__(self, house: YearHouse, year: Stretches) -> None:
        self._house, self._year = house, year
        self._turns, self._serials, self._paid = count(), count(1), count(1)
        self._brought = count(1)
        self._writers: dict[str, Credentials] = {}
        self._kinds: tuple[Callable[[], None], ...] = (
            self._coupons,
            self._patron,
            self._void_elsewhere,
            self._cancel,
            self._copy,
            self._refusals,
            self._override,
            self._cash_and_break,
            self._roll_high_for_long,
        )

    def work(self, writers: dict[str, Credentials]) -> None:
        """Pay what only the flow pays, and do some of the rest in turn."""
        self._writers = writers
        self._pay_wins()
        self._refund_void()
        self._sell(THOUSAND, Request(((7,),), "1/1 @ 1000.00"))  # a win that must be reported
        for _ in range(IN_TURN):
            self._kinds[next(self._turns) % len(self._kinds)]()

    def void_game(self, series: str, next_closes_at: datetime) -> None:
        """Lock the open game of a series, and have it voided."""
        house = self._house
        game = self._year.games.open[series]
        when, why = (series, game.number, next_closes_at), "out of order"
        number = lock_game(house.office, house.sam, *when, why)
        ask_to_void(house.office, house.sam, series, number, "the generator was out of order")
        end_game(house.office, house.keyed, series, number)
        self._year.void(series)

    # ---- paying ----------------------------------------------------------------------------------

    def _pay_wins(self) -> None:
        """Pay every win that needs more than a drawer; some are brought too late."""
        waiting, self._year.for_flow = self._year.for_flow, []
        for live in waiting:
            if next(self._brought) % NEVER_EVERY:
                with suppress(Refused):
                    self._pay(live.row.number)

    def _pay(self, number: int) -> None:
        house, office, writer = self._house, self._house.office, self._writers[FIRST]
        code = house.code(number)
        shown = present_ticket(office, writer, number, code)
        needs = {need["code"] for need in shown["needs"]}
        for paper in shown["papers"]:
            who = "Pat Patron", "000-00-0000"
            filed = Paper(number, paper["game"], *who, None, code)
            file_tax_paper(office, writer, filed, house.request_id())
        approval = house.approval(SAM) if "approval.needed" in needs else None
        manager = house.approval(MAX) if "approval.manager_needed" in needs else None
        turn, reason, check = next(self._paid), None, None
        if turn % 8 == 0:
            code, reason, approval = code[:9] + "?" * 16, "the paper is torn", house.approval(SAM)
            manager = house.approval(MAX)
        if turn % 2 and shown["win_cents"] >= CHECK_CENTS:
            check = Check(f"N-{number}", "Pat Patron")
        self._need_cash(FIRST, shown["win_cents"] + shown["refund_cents"])
        paying = Paying(number, code, reason, approval, manager, check)
        pay_ticket(office, writer, paying, house.request_id())

    def _refund_void(self) -> None:
        """Give back what was paid for games that were void."""
        waiting = self._year.to_refund
        for live in waiting[:REFUNDED]:
            self._back(live, cancel=False)
        del waiting[:REFUNDED]

    def _back(self, live: Live, *, cancel: bool) -> int | None:
        """Give money back for games that are not played; return from which it is cancelled."""
        house, number = self._house, live.row.number
        self._need_cash(FIRST, live.row.price_cents)
        code, approval = house.code(number), house.approval(SAM)  # there may be a copy of it
        asked = Refunding(number, "it is not played", code, approval, cancel)
        back = refund_ticket(house.office, self._writers[FIRST], asked, house.request_id())
        cancelled_from: int | None = back["cancelled_from"]
        return cancelled_from

    def _need_cash(self, station: str, cents: int) -> None:
        """See to it that there is so much in a drawer."""
        house, writer = self._house, self._writers[station]
        drawer = house.worker(writer).drawer or 0
        with house.office.database.reading() as connection:
            inside = drawers.contents(connection, drawer)
        if sum(inside.get(kind, 0) for kind in CASH) < cents:
            fill = DrawerAct.FILL, {TenderKind.CURRENCY: cents}, house.approval(SAM)
            move_cash(house.office, writer, drawer, *fill, house.request_id())

    # ---- in turn ---------------------------------------------------------------------------------

    def _sell(
        self, tender: tuple[Tender, ...], request: Request, contact: Contact | None = None
    ) -> int:
        house = self._house
        sale = Sale(MAIN, request, tender, contact=contact)
        sold = sell_ticket(house.office, self._writers[FIRST], sale, house.request_id())
        number: int = sold["number"]
        return number

    def _roll_high_for_long(self) -> None:
        """A ticket that a manager outside keno must approve, as likely as not."""
        self._sell(THOUSAND, Request(((7,),), "1/1 @ 1000.00", games=10))

    def _coupons(self) -> None:
        """Two tickets with coupons, one of which is voided, so that its coupon is used again."""
        serial = f"C-{next(self._serials)}"
        tender = Tender(TenderKind.COUPON, 100, serial), Tender(TenderKind.CHIPS, 500)
        number = self._sell(tender, Request(((4, 8, 15, 16),), "1/4 @ 1.00", games=3))
        house = self._house
        voiding = Voiding(number, "changed mind", house.code(number))
        void_ticket(house.office, self._writers[FIRST], voiding, house.request_id())
        self._sell(tender, Request(((3, 9),), "1/2 @ 5.00"))

    def _patron(self) -> None:
        """A patron who shows a card, and buys twice."""
        contact = Contact(f"patron-{next(self._serials)}", "CARD-1")
        for spots in ((1, 2, 3, 4, 5), (11, 22, 33, 44, 55, 66)):
            self._sell(TEN, Request((spots,), f"1/{len(spots)} @ 2.00"), contact)

    def _void_elsewhere(self) -> None:
        """A ticket that is voided at another station, and without its paper."""
        house, number = self._house, self._sell(TEN, DOLLAR)
        voiding = Voiding(number, "the printer jammed", None, house.approval(SAM))
        void_ticket(house.office, self._writers[SECOND], voiding, house.request_id())

    def _cancel(self) -> None:
        """The rest of a ticket that has played some of its games."""
        year = self._year
        for series in (MAIN, FAST):
            number = year.games.open[series].number
            playing = [live for live in year.games.playing(series) if live.row.first_game < number]
            if playing:
                live = playing[0]
                year.cancelled(live, self._back(live, cancel=True) or number)
                return

    def _copy(self) -> None:
        """A ticket that is printed again; whoever brings it for a win needs a supervisor."""
        for live in self._year.games.playing(MAIN)[:1]:
            house, why = self._house, "the patron spilled coffee on it"
            # It may have been sold at another station.
            again = Again(why, ticket=live.row.number, approval=house.approval(SAM))
            reprint(house.office, self._writers[FIRST], again, house.request_id())
            live.by_flow = True

    def _refusals(self) -> None:
        """Somebody tries a code, somebody a secret, and somebody too small a wager."""
        house, office, writer = self._house, self._house.office, self._writers[FIRST]
        number = self._year.desk.number
        wrong = Paying(number, "0" * 25)
        with suppress(Refused):
            pay_ticket(office, writer, wrong, house.request_id())
        with suppress(Refused):
            sign_in(office, house.tokens[SECOND], "Sam", secret_of("Ike"))
        with suppress(Refused):
            self._sell(TEN, Request(((1, 2),), "1/2 @ 0.05"))

    def _override(self) -> None:
        """The open game closes a little later."""
        house, game = self._house, self._year.games.open[MAIN]
        if game.closes_at is not None:
            closes_at = game.closes_at + _SECOND
            why = "a patron was still writing"
            override_close(house.office, house.sam, MAIN, game.number, closes_at, why)

    def _cash_and_break(self) -> None:
        """A drawer is filled and bled, and its writer has a break."""
        house, writer = self._house, self._writers[SECOND]
        drawer = house.worker(writer).drawer or 0
        for act, cents in ((DrawerAct.FILL, 20_000), (DrawerAct.BLEED, 10_000)):
            moved = act, {TenderKind.CURRENCY: cents}, house.approval(SAM)
            move_cash(house.office, writer, drawer, *moved, house.request_id())
        for act in (DrawerAct.SUSPEND, DrawerAct.RESUME):
            mind_drawer(house.office, writer, Minding(drawer, act), house.request_id())
