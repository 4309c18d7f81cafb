"""How long records are kept: five years until it is settled, and never less than the rule says."""

import pytest

from app.keno.retention import (
    CENTURY,
    FIVE_YEARS,
    FOUR_YEARS,
    PERIODS,
    YEAR,
    RecordKind,
    is_allowed,
)


@pytest.mark.rule("X-retention")
@pytest.mark.parametrize("kind", list(RecordKind))
def test_a_kind_is_kept_for_five_years_and_never_less_than_a_year(kind: RecordKind) -> None:
    assert PERIODS[kind].at_first == FIVE_YEARS
    least = FOUR_YEARS if kind is RecordKind.TAX_PAPERS else YEAR
    assert not is_allowed(kind, least - 1)
    assert is_allowed(kind, least)
    assert is_allowed(kind, CENTURY)
    assert not is_allowed(kind, CENTURY + 1)
