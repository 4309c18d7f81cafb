"""Amounts that mean something when they are reached, each from its day on."""

from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.keno.amounts import CUSTOM, RULE, Amount, Dated, amounts_on, is_loose

NEW_YEAR = date(2026, 1, 1)


@pytest.mark.rule("X-pay-tax")
@pytest.mark.parametrize(
    ("day", "cents"),
    [
        (date(2025, 12, 31), 150_000),
        (NEW_YEAR, 200_000),
        (date(2026, 12, 31), 200_000),
    ],
)
def test_a_tax_paper_is_due_at_the_amount_of_the_day_of_the_payment(day: date, cents: int) -> None:
    assert amounts_on(day)[Amount.TAX_PAPER] == cents


@pytest.mark.rule("15.6(b)", "X-pay-second-tier", "X-pay-cash-log")
def test_what_the_rule_says_where_a_house_has_set_nothing() -> None:
    assert dict(amounts_on(NEW_YEAR)) == {
        Amount.APPROVAL: 150_000,
        Amount.SECOND_TIER: 1_000_000,
        Amount.TAX_PAPER: 200_000,
        Amount.CURRENCY_REPORT: 1_000_000,
        Amount.ADDED_UP: 1,
        Amount.CONFIRM: 20_000,
        Amount.CONFIRM_LARGE: 100_000,
    }


@pytest.mark.rule("15.6(b)")
def test_a_house_is_stricter_from_its_day_on_and_never_looser() -> None:
    stricter = Dated(Amount.APPROVAL, NEW_YEAR, 100_000)
    looser = Dated(Amount.APPROVAL, NEW_YEAR, 150_001)
    assert (is_loose(stricter), is_loose(looser)) == (False, True)
    assert amounts_on(NEW_YEAR - timedelta(days=1), [stricter])[Amount.APPROVAL] == 150_000
    assert amounts_on(NEW_YEAR, [stricter])[Amount.APPROVAL] == 100_000
    assert amounts_on(NEW_YEAR, [looser])[Amount.APPROVAL] == 150_000


@pytest.mark.rule("X-pay-second-tier")
def test_the_second_tier_is_the_houses_own_to_set() -> None:
    own = Dated(Amount.SECOND_TIER, NEW_YEAR, 5_000_000)
    assert not is_loose(own)
    assert amounts_on(NEW_YEAR, [own])[Amount.SECOND_TIER] == 5_000_000


def test_of_what_is_set_for_one_day_the_last_counts_and_of_two_days_the_later() -> None:
    def own(day: date, cents: int) -> Dated:
        return Dated(Amount.APPROVAL, day, cents)

    later = NEW_YEAR + timedelta(days=1)
    assert amounts_on(later, [own(NEW_YEAR, 1), own(NEW_YEAR, 2)])[Amount.APPROVAL] == 2
    assert amounts_on(later, [own(later, 1), own(NEW_YEAR, 2)])[Amount.APPROVAL] == 1


@pytest.mark.rule("15.6(b)", "X-pay-tax", "X-pay-cash-log")
@given(
    day=st.dates(date(2000, 1, 1), date(2100, 1, 1)),
    house=st.lists(
        st.builds(
            Dated,
            st.sampled_from(Amount),
            st.dates(date(2000, 1, 1), date(2100, 1, 1)),
            st.integers(1, 10**9),
        )
    ),
)
def test_no_setting_ever_loosens_what_the_rule_says(day: date, house: list[Dated]) -> None:
    bound = {each.name for each in RULE}
    now, rule = amounts_on(day, house), amounts_on(day)
    assert all(now[name] <= rule[name] for name in bound)
    assert set(now) == set(Amount) == bound | {each.name for each in CUSTOM}
