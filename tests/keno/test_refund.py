"""What goes back for games that are not played; coupons count as spent on the earliest games."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.keno.refund import Back, refund_of
from app.keno.tender import Tender, TenderKind


def coupon(cents: int) -> Tender:
    return Tender(TenderKind.COUPON, cents, "C1")


CASH = Tender(TenderKind.CURRENCY, 10_000)


@pytest.mark.rule("15.4(d)-refund")
@pytest.mark.parametrize(
    ("tender", "places", "back"),
    [
        ([CASH], range(2, 5), Back(300, 0)),
        ([CASH], [], Back(0, 0)),
        ([CASH, coupon(100)], range(2, 5), Back(300, 0)),  # it was spent on the first game
        ([CASH, coupon(250)], range(2, 5), Back(250, 50)),  # and half of the third
        ([CASH, coupon(250)], [0], Back(0, 100)),
        ([coupon(500)], range(5), Back(0, 500)),
    ],
)
def test_a_refund_by_head(tender: list[Tender], places: range, back: Back) -> None:
    assert refund_of(tender, 100, places) == back
    assert back.cents == 100 * len(places)


@pytest.mark.rule("15.4(d)-refund")
@given(
    price=st.integers(1, 10_000),
    games=st.integers(1, 50),
    share=st.integers(0, 100),
    cut=st.integers(0, 50),
)
def test_what_is_kept_and_what_goes_back_is_the_whole(
    price: int, games: int, share: int, cut: int
) -> None:
    coupons = price * games * share // 100
    tender = [CASH, coupon(coupons)] if coupons else [CASH]
    cut = min(cut, games)
    kept, back = refund_of(tender, price, range(cut)), refund_of(tender, price, range(cut, games))
    assert kept.cents + back.cents == price * games
    assert kept.coupon_cents + back.coupon_cents == coupons
    # A coupon goes back only if everything before was a coupon's as well.
    assert back.coupon_cents == 0 or kept.cash_cents == 0
