"""Days with every kind of payment, by chance.

In cash and by check, approved once and twice, after tax papers, without the code, after cancelled
rests and void games, too late, and never.

What was sold, paid, refunded and left over is added up here on the way, and must be what the house
closes each day with.
"""

import pytest

from tests.floor import Floor
from tests.looking import rows
from tests.proof.paying_days import House

pytestmark = pytest.mark.proof

DAYS = 4
SEEDS = 3


@pytest.mark.rule("15.6(a)", "15.6(b)", "15.6(c)", "X-pay-tax", "X-drawer", "X-audit-books")
@pytest.mark.parametrize("seed", range(SEEDS))
def test_days_of_every_kind_of_payment_add_up(floor: Floor, seed: int) -> None:
    house = House(floor, seed)
    for _ in range(DAYS):
        house.work_a_day()
    floor.check_books()
    wanted = (
        "paid", "by check", "approval.needed", "approval.manager_needed", "approved from the page",
        "payment.tax_paper_needed", "expired", "in-play",
    )  # fmt: skip
    assert [kind for kind in wanted if not house.kinds[kind]] == []
    assert rows(floor, "SELECT count(*) FROM payout") == [(house.kinds["paid"],)]
