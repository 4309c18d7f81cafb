"""What a ticket is paid with, and what a void gives back (15.3(b))."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.keno.tender import Tender, TenderKind, check_tender, paid_in_kind, tendered_cents

CASH, CHIPS, COUPON = TenderKind.CURRENCY, TenderKind.CHIPS, TenderKind.COUPON
PARTS = st.builds(Tender, st.sampled_from(TenderKind), st.integers(1, 10_000), st.just("S"))


def codes(tender: list[Tender], price_cents: int) -> list[str]:
    return [refusal.code for refusal in check_tender(tender, price_cents)]


@pytest.mark.rule("15.3(b)")
@pytest.mark.parametrize(
    ("tender", "price_cents", "told"),
    [
        ([Tender(CASH, 100)], 100, []),
        ([Tender(CASH, 500)], 100, []),
        ([Tender(COUPON, 100, "A")], 100, []),
        ([Tender(COUPON, 50, "A"), Tender(COUPON, 50, "B")], 100, []),
        ([], 100, ["tender.too_little"]),
        ([Tender(CASH, 99)], 100, ["tender.too_little"]),
        ([Tender(COUPON, 101, "A")], 100, ["tender.coupon_too_large"]),
        ([Tender(COUPON, 100)], 100, ["tender.serial_missing"]),
        ([Tender(COUPON, 50, "A"), Tender(COUPON, 50, "A")], 100, ["tender.coupon_twice"]),
        ([Tender(CHIPS, 100, "A")], 100, ["tender.serial_not_coupon"]),
    ],
)
def test_a_tender_covers_the_price_and_its_coupons_do_not_pass_it(
    tender: list[Tender], price_cents: int, told: list[str]
) -> None:
    assert codes(tender, price_cents) == told


@pytest.mark.rule("15.3(b)")
@pytest.mark.parametrize(
    ("tender", "back"),
    [
        ([Tender(CASH, 500)], [Tender(CASH, 300)]),
        ([Tender(CHIPS, 100), Tender(CASH, 500)], [Tender(CHIPS, 100), Tender(CASH, 200)]),
        (
            [Tender(CASH, 500), Tender(COUPON, 200, "A")],
            [Tender(COUPON, 200, "A"), Tender(CASH, 100)],
        ),
    ],
)
def test_what_goes_back_is_what_paid_the_price_coupons_first(
    tender: list[Tender], back: list[Tender]
) -> None:
    assert list(paid_in_kind(tender, 300)) == back


@given(st.lists(PARTS, min_size=1), st.data())
def test_what_goes_back_is_the_price_and_no_more_of_any_part_than_was_tendered(
    tender: list[Tender], data: st.DataObject
) -> None:
    price_cents = data.draw(st.integers(1, tendered_cents(tender)))
    back = paid_in_kind(tender, price_cents)
    assert tendered_cents(back) == price_cents
    for kind in TenderKind:
        given_cents = tendered_cents([part for part in tender if part.kind is kind])
        assert tendered_cents([part for part in back if part.kind is kind]) <= given_cents
