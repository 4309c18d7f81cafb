"""Amounts above which somebody else must approve, or paper must be filled in, each from its day on.

The rule sets most of them, and a house may set them lower: stricter than the rule, never looser.
They are dated, because they change: what counts is the day of the payment (15.6(b), X-pay-tax).
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date
from enum import StrEnum
from types import MappingProxyType


class Amount(StrEnum):
    """Every amount that means something when it is reached."""

    APPROVAL = "approval"
    SECOND_TIER = "second-tier"
    TAX_PAPER = "tax-paper"
    CURRENCY_REPORT = "currency-report"
    ADDED_UP = "added-up"
    CONFIRM = "confirm"
    CONFIRM_LARGE = "confirm-large"


@dataclass(frozen=True)
class Dated:
    """An amount from a day on."""

    name: Amount
    from_day: date
    cents: int


_EVER = date.min

RULE = (
    Dated(Amount.APPROVAL, _EVER, 150_000),  # 15.6(b)
    Dated(Amount.TAX_PAPER, _EVER, 150_000),  # X-pay-tax
    Dated(Amount.TAX_PAPER, date(2026, 1, 1), 200_000),
    Dated(Amount.CURRENCY_REPORT, _EVER, 1_000_000),  # X-pay-cash-log
)
# The house's to set, in either direction; so it is until it is set (X-pay-second-tier).
CUSTOM = (
    Dated(Amount.SECOND_TIER, _EVER, 1_000_000),
    # Tickets of one patron contact are added up for an approval if each won at least so much. A
    # house that adds none up sets it higher than any ticket can win.
    Dated(Amount.ADDED_UP, _EVER, 1),
    # From here on a page has the writer confirm a price; from there on, by typing it again.
    Dated(Amount.CONFIRM, _EVER, 20_000),
    Dated(Amount.CONFIRM_LARGE, _EVER, 100_000),
)


def amounts_on(day: date, house: Iterable[Dated] = ()) -> Mapping[Amount, int]:
    """Return every amount as it is on a day: the rule's, or the house's own where that is lower.

    Args:
        day: the day of the payment.
        house: what the house has set, in the order in which it was set; of one day the last counts.
    """
    rule, own = _newest(RULE, day), _newest([*CUSTOM, *house], day)
    stricter = {name: min(cents, own.get(name, cents)) for name, cents in rule.items()}
    return MappingProxyType(own | stricter)


def is_loose(dated: Dated) -> bool:
    """Whether an amount that a house would set is more than the rule allows on that day."""
    rule = _newest(RULE, dated.from_day)
    return dated.cents > rule.get(dated.name, dated.cents)


def _newest(dated: Iterable[Dated], day: date) -> dict[Amount, int]:
    """Return the newest of each amount that counts on a day."""
    since: dict[Amount, date] = {}
    found: dict[Amount, int] = {}
    for each in dated:
        if each.from_day <= day and each.from_day >= since.get(each.name, _EVER):
            since[each.name], found[each.name] = each.from_day, each.cents
    return found
