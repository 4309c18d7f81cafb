"""Helpers of `test_7_paying` that other tests use too."""

from dataclasses import replace
from typing import Any

import pytest

from app.flow import claim as claims
from app.flow import standing
from app.flow.access import Approval, Credentials
from app.flow.asking import Answer
from app.flow.contact import Contact
from app.flow.pay import Paying, pay_ticket
from app.flow.sell import Sale
from app.flow.tax_paper import Paper
from app.keno.drawer import Count
from app.keno.request import Request
from app.keno.tender import Tender, TenderKind
from tests.floor import MAX, SAM, WANDA, Floor, secret_of

BILLS = (Tender(TenderKind.CURRENCY, 1_000_000),)

RICH = Count({TenderKind.CURRENCY: 10_000_000})

SAM_APPROVES = Approval(SAM, secret_of(SAM))

MAX_APPROVES = Approval(MAX, secret_of(MAX))


def every(games: int = 1, rate: str = "1.00") -> Sale:
    """A ticket that always wins: each of the eighty numbers by itself; a hit pays three for one."""
    request = Request(tuple((n,) for n in range(1, 81)), f"80/1 @ {rate}", games=games)
    return Sale("M", request, BILLS)


WON = 20 * 300  # what it wins at a dollar a way


def paper_of(floor: Floor, number: int = 1, contact: Contact | None = None) -> Paper:
    """The paper of a ticket's first game, filled in."""
    return Paper(number, 1, "Pat Patron", "000-00-0000", contact, floor.code(number))


def sold(floor: Floor, sale: Sale | None = None) -> Credentials:
    """Wanda, with cash in her drawer, who sold a ticket that wins."""
    wanda = floor.signed_in(WANDA)
    floor.open_drawer(wanda, RICH)
    floor.sell(wanda, sale or every())
    return wanda


def pay(
    floor: Floor,
    who: Credentials,
    number: int = 1,
    request: str | None = None,
    **more: Any,  # noqa: ANN401
) -> Answer:
    if "code" not in more:
        more["code"] = floor.code(number)
    paying = Paying(number, **more)
    return pay_ticket(floor.office, who, paying, request or floor.request_id())


def torn(code: str, digits: int = 9) -> str:
    """A code of which only the last digits can be read."""
    return "?" * (len(code) - digits) + code[-digits:]


def winning(floor: Floor, monkeypatch: pytest.MonkeyPatch, cents: int) -> Credentials:
    """Have a ticket that won just so much: the drawn numbers do not decide such amounts."""
    wanda = sold(floor)
    floor.play()
    standing_of = standing.standing_of

    def as_if(*given: Any) -> Any:  # noqa: ANN401
        stands = standing_of(*given)
        games = [replace(game, win_cents=cents) for game in stands.games]
        return replace(stands, win_cents=cents, games=games)

    monkeypatch.setattr(claims, "standing_of", as_if)
    return wanda
