"""Helpers of `test_6_refunds` that other tests use too."""

from app.flow.access import Credentials
from app.flow.asking import Answer
from app.flow.draw import ask_to_void
from app.flow.refund import Refunding, refund_ticket
from tests.floor import Floor


def refund(
    floor: Floor,
    who: Credentials,
    number: int = 1,
    *,
    cancel: bool = True,
    code: str | None = None,
    request: str | None = None,
) -> Answer:
    refunding = Refunding(number, "going home", code or floor.code(number), None, cancel)
    return refund_ticket(floor.office, who, refunding, request or floor.request_id())


def void_next(floor: Floor) -> None:
    """Lock a game and have it voided."""
    number = floor.lock()
    ask_to_void(floor.office, floor.sam, "M", number, "the power went")
    floor.draw()
    assert floor.state(number) == "void"
