"""Helpers of `test_paying_days` that other tests use too."""

from collections import Counter
from datetime import date, timedelta
from random import Random

from app.flow.access import Approval, Credentials, at_console
from app.flow.approvals import approve_payment
from app.flow.close_day import close_day
from app.flow.contact import Contact
from app.flow.drawer import move_cash
from app.flow.house_amounts import set_amount
from app.flow.look_up import look_up_with_code
from app.flow.pay import Check, Paying, pay_ticket
from app.flow.permissions import Permission
from app.flow.present import present_ticket
from app.flow.refund import Refunding, refund_ticket
from app.flow.sell import Sale
from app.flow.tax_paper import Paper, file_tax_paper
from app.keno.amounts import Amount, Dated
from app.keno.drawer import Count, DrawerAct
from app.keno.request import Request
from app.keno.tender import Tender, TenderKind
from tests.floor import (
    CARD,
    FIRST_STATION,
    MAX,
    SAM,
    SATELLITE,
    SECOND_STATION,
    WALT,
    WANDA,
    Floor,
    secret_of,
)
from tests.looking import rows
from tests.proof.selling_days import request
from tests.story.refunds import void_next

FIRST_DAY = date(2026, 11, 16)

GAMES_A_DAY = 10

TICKETS_A_GAME = 12

STATIONS = {WANDA: FIRST_STATION, WALT: SECOND_STATION}

BILLS = (Tender(TenderKind.CURRENCY, 1_000_000),)

RICH = Count({TenderKind.CURRENCY: 50_000_000})

SAM_APPROVES, MAX_APPROVES = (Approval(name, secret_of(name)) for name in (SAM, MAX))

LOW = {Amount.APPROVAL: 10_000, Amount.SECOND_TIER: 20_000, Amount.TAX_PAPER: 200}

EVERY = tuple((n,) for n in range(1, 81))  # it always wins: a quarter of the numbers, three for one


class House:
    """A house whose amounts are low, so that everything that can be needed is."""

    def __init__(self, floor: Floor, seed: int) -> None:
        self.floor = floor
        self.chance = Random(seed)  # noqa: S311  days that can be had again
        manager = at_console(floor.office, MAX, secret_of(MAX), Permission.AMOUNT_SET)
        for name, cents in LOW.items():
            dated = Dated(name, FIRST_DAY + timedelta(days=1), cents)
            set_amount(floor.office, floor.sam, manager, dated)
        short = CARD.read_bytes().replace(b"claim_minutes = 525_600", b"claim_minutes = 2_880")
        floor.put_in_force(short)
        floor.pass_time(hours=2)
        floor.play()  # the next game opens on that card
        floor.pass_time(days=1)
        close_day(floor.office, floor.sam, FIRST_DAY)
        self.day = FIRST_DAY
        self.unpaid: set[int] = set()
        self.kinds: Counter[str] = Counter()

    # ---- a day -------------------------------------------------------------------------------

    def work_a_day(self) -> None:
        """Work a day, and have it closed with what was added up here."""
        floor = self.floor
        self.day += timedelta(days=1)
        self.sums: Counter[str] = Counter()
        self.staff = {name: floor.signed_in(name, place) for name, place in STATIONS.items()}
        drawers = {name: floor.open_drawer(self.staff[name], RICH)["drawer"] for name in self.staff}
        fill = {TenderKind.CURRENCY: 10_000}
        drawer, request_id = drawers[WANDA], floor.request_id()
        moved = (DrawerAct.FILL, fill, SAM_APPROVES, request_id)
        move_cash(floor.office, self.staff[WANDA], drawer, *moved)
        for _ in range(GAMES_A_DAY):
            self.work_a_game()
        over = 0
        for name, drawer in drawers.items():
            count = Count({TenderKind.CURRENCY: self.held(drawer) + self.chance.choice([0, -500])})
            over += floor.close_drawer(self.staff[name], drawer, count)["over_short_cents"]
        floor.check_books()
        floor.pass_time(days=1)
        self.close(over)

    def close(self, over_cents: int) -> None:
        self.floor.sign_day(self.day)
        told = close_day(self.floor.office, self.floor.sam, self.day)
        figures, drawers = told["figures"], told["drawers"]
        assert isinstance(figures, dict)
        assert isinstance(drawers, dict)
        for name in ("sales", "refunds", "paid"):
            assert figures[f"{name}_cents"] == self.sums[name], name
        assert (drawers["over_short_cents"], drawers["unexplained_cents"]) == (over_cents, 0)
        expired = self.now_expired()
        assert figures["expired_cents"] == sum(expired.values())
        self.unpaid -= set(expired)
        self.kinds["expired"] += len(expired)

    def now_expired(self) -> dict[int, int]:
        found = rows(self.floor, "SELECT ticket, cents FROM expiry")
        return {int(n): int(cents) for n, cents in found if n in self.unpaid}

    def held(self, drawer: int) -> int:
        found = "SELECT sum(cents) FROM posting WHERE drawer = :drawer"
        ((cents,),) = rows(self.floor, found, drawer=drawer)
        return int(cents)

    # ---- a game ------------------------------------------------------------------------------

    def work_a_game(self) -> None:
        for _ in range(TICKETS_A_GAME):
            writer = self.chance.choice(sorted(self.staff))
            sold = self.floor.sell(self.staff[writer], Sale("M", self.asked(), BILLS))
            self.sums["sales"] += sold["price_cents"]
            self.unpaid.add(sold["number"])
        if self.chance.random() < 0.1:
            void_next(self.floor)
        else:
            self.floor.play()
        for number in sorted(self.unpaid):
            if number % 7 and self.chance.random() < 0.3:  # some are never brought
                self.bring(number)

    def asked(self) -> Request:
        games = self.chance.choice([1, 1, 2, 5])
        kind = self.chance.choice(["every", "every", "one", "any"])
        if kind == "every":
            return Request(EVERY, f"80/1 @ {self.chance.choice([1, 2, 4])}.00", games)
        if kind == "one":
            return Request(((self.chance.randint(1, 80),),), "1/1 @ 1.00", games)
        return request(self.chance)

    # ---- a ticket ----------------------------------------------------------------------------

    def bring(self, number: int) -> None:
        """Bring a ticket to a booth, and do what can be done with it."""
        writer = self.staff[self.chance.choice(sorted(self.staff))]
        code = self.floor.code(number)
        standing = look_up_with_code(self.floor.office, writer, number, code)["standing"]
        if standing == "win":
            self.pay(writer, number)
        elif standing == "refund" or (standing == "in-play" and self.chance.random() < 0.1):
            asked = Refunding(number, "has to leave", self.floor.code(number))
            back = refund_ticket(self.floor.office, writer, asked, self.floor.request_id())
            self.sums["refunds"] += back["back_cents"]
            self.kinds[standing] += 1
        elif standing in {"no-win", "refunded"}:
            self.unpaid.discard(number)

    def pay(self, writer: Credentials, number: int) -> None:
        office, floor = self.floor.office, self.floor
        code = floor.code(number)
        contact = Contact(f"c-{number // 3}") if self.chance.random() < 0.3 else None
        shown = present_ticket(office, writer, number, code, contact)
        needs = [need["code"] for need in shown["needs"]]
        approval, manager, reason = None, None, None
        for need in needs:
            self.kinds[need] += 1
        games = [paper["game"] for paper in shown["papers"]]
        assert bool(games) == ("payment.tax_paper_needed" in needs)
        self.file_papers(writer, number, games, contact)
        if "approval.needed" in needs:
            approval = self.supervisor(number, contact)
        if "approval.manager_needed" in needs:
            manager = MAX_APPROVES
        if self.chance.random() < 0.05:
            code, reason, approval = f"{code[:9]}{'?' * 16}", "the paper is torn", SAM_APPROVES
            if "approval.needed" in needs:
                manager = MAX_APPROVES
            self.kinds["without the code"] += 1
        check = None
        if self.chance.random() < 0.2:
            check = Check(f"N-{number}", "Pat Patron")
            self.kinds["by check"] += 1
        paying = Paying(number, code, reason, approval, manager, check, contact)
        asked = floor.request_id()
        paid = pay_ticket(office, writer, paying, asked)
        assert pay_ticket(office, writer, paying, asked) == paid  # whose answer was lost
        assert paid["win_cents"] == shown["win_cents"]
        self.sums["paid"] += paid["win_cents"]
        self.sums["refunds"] += paid["refund_cents"]
        self.kinds["paid"] += 1
        self.kinds["with a void game"] += bool(paid["void_games"])
        self.unpaid.remove(number)

    def supervisor(self, number: int, contact: Contact | None) -> Approval | None:
        """Have a supervisor approve in place, or from a page of their own."""
        if contact is not None or self.chance.random() < 0.5:
            return SAM_APPROVES
        sam = self.floor.signed_in(SAM, SATELLITE)
        approve_payment(self.floor.office, sam, number, self.floor.request_id())
        self.kinds["approved from the page"] += 1
        return None

    def file_papers(
        self, writer: Credentials, number: int, games: list[int], contact: Contact | None
    ) -> None:
        for game in games:
            paper = Paper(
                number, game, "Pat Patron", "000-00-0000", contact, self.floor.code(number)
            )
            file_tax_paper(self.floor.office, writer, paper, self.floor.request_id())
