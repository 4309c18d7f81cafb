"""Kill -9 at every statement of every act: nothing is half done, and asking again finishes it.

Each act runs in a process of its own, which is killed before its first statement, then before its
second, and so on, and before and after each commit, until it gets through. After each death the
books must agree, and the act is asked for again, as a station or a supervisor would.
"""

from contextlib import suppress
from functools import partial
from hashlib import sha256
from itertools import count

import pytest

from app.flow.asking import Answer
from app.flow.contact import Contact
from app.flow.draw import end_game
from app.flow.lockout import lock_game
from app.flow.pay import Paying, pay_ticket
from app.flow.rate_cards import accept_card, bring_card
from app.flow.seal import seal_log
from app.flow.sell import Sale
from app.keno.refusals import Refused
from app.keno.request import Request
from app.keno.tender import Tender, TenderKind
from tests.crashing import MANY, Act, dies, killed_everywhere, number_of, on
from tests.depth import CRASH_STEP
from tests.floor import BANK, CARD, WANDA, Floor
from tests.looking import rows

pytestmark = on("postgresql")

ENOUGH = Tender(TenderKind.CURRENCY, 10_000)


@pytest.mark.rule("X-recovery", "X-ticket-exactly-once", "X-ticket-gapless")
@pytest.mark.parametrize("coupon", [False, True], ids=["cash", "coupon"])
def test_a_sale_that_dies_anywhere_is_one_ticket_or_none(floor: Floor, coupon: bool) -> None:
    wanda = floor.writing()
    request = Request(groups=((1, 2), (3, 4)), conditioning="2/2 1/4 @ 1.00", games=2)

    def prepare() -> Act:
        asked = floor.request_id()
        spent = Tender(TenderKind.COUPON, 100, asked.upper())
        paid = (
            (spent, Tender(TenderKind.CURRENCY, 500)) if coupon else (Tender(TenderKind.COIN, 600),)
        )
        return lambda here: here.sell(wanda, Sale("M", request, paid), asked)

    deaths = killed_everywhere(floor, prepare, partial(number_of, floor, "ticket"))
    assert deaths.places > 6
    numbers = rows(floor, "SELECT number FROM ticket ORDER BY number")
    assert [number for (number,) in numbers] == list(range(1, len(numbers) + 1))


@pytest.mark.rule("X-recovery", "15.4(e)-void")
def test_a_void_that_dies_anywhere_is_one_void_or_none(floor: Floor) -> None:
    wanda = floor.writing()

    def prepare() -> Act:
        number, asked = floor.sell(wanda)["number"], floor.request_id()
        code = floor.code(number)
        return lambda here: here.void(wanda, number, code, asked)

    assert killed_everywhere(floor, prepare, partial(number_of, floor, "void")).places > 6


@pytest.mark.rule("X-recovery", "15.6(a)")
def test_a_payment_that_dies_anywhere_is_one_payment_or_none(floor: Floor) -> None:
    wanda = floor.writing()
    every = Sale("M", Request(tuple((n,) for n in range(1, 81)), "80/1 @ 1.00"), (ENOUGH,))
    for _ in range(MANY):
        floor.sell(wanda, every)
    floor.play()
    numbers = count(1)

    def prepare() -> Act:
        number, asked = next(numbers), floor.request_id()
        paying = Paying(number, floor.code(number), contact=Contact(f"c-{number}"))
        return lambda here: pay_ticket(here.office, wanda, paying, asked)

    assert killed_everywhere(floor, prepare, partial(number_of, floor, "payout")).places > 10
    ((paid,),) = rows(floor, "SELECT sum(cents) FROM posting WHERE account = 'wins-payable'")
    assert int(paid) == number_of(floor, "payout") * 6_000 - MANY * 6_000


@pytest.mark.rule("X-recovery", "X-drawer")
def test_a_drawer_that_is_opened_or_closed_while_the_process_dies_is_open_or_closed(
    floor: Floor,
) -> None:
    wanda = floor.signed_in(WANDA)

    def opened(asked: str, here: Floor) -> Answer:
        return here.open_drawer(wanda, BANK, asked)

    def closed(drawer: int, asked: str, here: Floor) -> Answer:
        return here.close_drawer(wanda, drawer, BANK, asked)

    for point in count(step=CRASH_STEP):
        opening = partial(opened, floor.request_id())
        died = dies(floor, point, opening)
        floor.check_books()
        closing = partial(closed, opening(floor)["drawer"], floor.request_id())
        died |= dies(floor, point, closing)
        floor.check_books()
        assert closing(floor)["over_short_cents"] == 0
        floor.pass_time(minutes=3)  # whoever dies while a second person is asked has used a try
        floor.check_books()
        if not died:
            break
    assert point > 6
    assert rows(floor, "SELECT count(*) FROM drawer WHERE closed_at IS NULL") == [(0,)]
    assert rows(floor, "SELECT count(*) FROM drawer") == [(point // CRASH_STEP + 1,)]


@pytest.mark.rule("X-recovery", "X-lock-server", "X-lock-seal")
def test_a_lockout_that_dies_anywhere_locks_its_game_once_and_the_log_is_sealed(
    floor: Floor,
) -> None:
    wanda, sam = floor.writing(), floor.sam
    numbers = count(1)

    def prepare() -> Act:
        floor.draw("M")  # the game before, or this one could not be locked
        floor.sell(wanda, Sale("M", Request(((5,),), "1/1 @ 1.00", games=3), TENDER))
        number = next(numbers)

        def lock(here: Floor) -> None:
            with suppress(Refused):  # it is locked already: what is left is to seal it
                lock_game(here.office, sam, "M", number)
            seal_log(here.office)

        return lock

    locked = "game WHERE series = 'M' AND state <> 'open'"
    deaths = killed_everywhere(floor, prepare, partial(number_of, floor, locked))
    assert deaths.places > 12
    assert number_of(floor, "log_pending") == 0
    assert number_of(floor, locked) == deaths.acts


@pytest.mark.rule("X-recovery", "X-card-version")
def test_a_rate_card_that_is_brought_while_the_process_dies_is_brought_and_accepted_once(
    floor: Floor,
) -> None:
    sam = floor.sam

    def bring(file: bytes, here: Floor) -> None:
        with suppress(Refused):  # it was brought already
            bring_card(here.office, sam, file)

    def accept(digest: bytes, here: Floor) -> None:
        with suppress(Refused):  # it is accepted already
            accept_card(here.office, sam, digest)

    for point in count(step=CRASH_STEP):
        file = CARD.read_bytes().replace(b'name = "', f'name = "Version {point} '.encode())
        digest = sha256(file).digest()
        died = False
        for act in (partial(bring, file), partial(accept, digest)):
            died |= dies(floor, point, act)
            floor.check_books()
            act(floor)
            floor.check_books()
        if not died:
            break
    assert point > 3
    assert number_of(floor, "card") == 2 + point // CRASH_STEP
    accepted = rows(floor, "SELECT count(*) FROM card_acceptance WHERE consent = 'supervisor'")
    assert accepted == [(2 + point // CRASH_STEP,)]


TENDER = (Tender(TenderKind.CURRENCY, 500),)


@pytest.mark.rule("X-recovery", "X-draw-once", "X-grade-twice", "15.5(d)")
def test_a_game_whose_caller_dies_anywhere_has_one_draw_and_the_same_wins(floor: Floor) -> None:
    """From lock to payable: seal, cosignature, statement, draw, wins, verdict."""
    wanda, numbers = floor.writing(), count(1)
    tickets = Request(tuple((n,) for n in range(1, 41)), "40/1 @ 1.00", games=2)
    done = "game WHERE series = 'M' AND state = 'certified'"

    def prepare() -> Act:
        floor.sell(wanda, Sale("M", tickets, (Tender(TenderKind.CURRENCY, 10_000),)))
        floor.sell(wanda)
        lock_game(floor.office, floor.sam, "M")
        number = next(numbers)

        def finish(here: Floor) -> None:
            assert here.office.keyed is not None
            end_game(here.office, here.office.keyed, "M", number)
            here.grade(number)

        return finish

    deaths = killed_everywhere(floor, prepare, partial(number_of, floor, done))
    assert deaths.places > 25
    drawn = rows(floor, "SELECT game, count(*) FROM outcome GROUP BY game ORDER BY game")
    assert drawn == [(number, 1) for number in range(1, deaths.acts + 1)]
    assert floor.keyed.started.kinds("rng").count("DRAWN") == deaths.acts
