"""Helpers of `test_supervisor_pages` that other tests use too."""

from app.keno.request import Request
from app.keno.tender import Tender, TenderKind

LARGE = Request(tuple((n,) for n in range(1, 81)), "80/1 @ 30.00")

BILLS = (Tender(TenderKind.CURRENCY, 1_000_000),)
