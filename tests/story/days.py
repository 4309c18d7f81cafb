"""Helpers of `test_9_days` that other tests use too."""

from datetime import date

from app.keno.drawer import Count
from app.keno.tender import TenderKind
from tests.floor import WANDA, Floor

TODAY = date(2026, 11, 16)


def closed_drawer(floor: Floor, cents: int) -> None:
    wanda = floor.signed_in(WANDA)
    count = Count({TenderKind.CURRENCY: cents})
    assert floor.close_drawer(wanda, 1, count)["over_short_cents"] == 0
