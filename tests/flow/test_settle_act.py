"""An act whose answer was lost: it was done, or it never will be."""

import threading

import pytest

from app.flow.settle_act import settle_act
from app.keno.refusals import Refused
from tests.floor import SECOND_STATION, WALT, Floor
from tests.looking import refuses, rows

pytestmark = pytest.mark.both_engines


@pytest.mark.rule("X-ticket-exactly-once")
def test_what_was_done_is_told_and_what_was_not_never_is(floor: Floor) -> None:
    wanda = floor.writing()
    sold = floor.sell(wanda, request="request-done")
    assert settle_act(floor.office, wanda, "request-done") == {"done": True, "answer": sold}
    never = {"done": False, "answer": None}
    assert settle_act(floor.office, wanda, "request-lost") == never
    assert settle_act(floor.office, wanda, "request-lost") == never
    with refuses("request_id.other_content"):  # it was still on its way
        floor.sell(wanda, request="request-lost")
    assert rows(floor, "SELECT count(*) FROM ticket") == [(1,)]
    # Another station's id is its own.
    walt = floor.writing(WALT, SECOND_STATION)
    assert settle_act(floor.office, walt, "request-done") == never
    with refuses("request_id.missing"):
        settle_act(floor.office, wanda, None)
    floor.check_books()


@pytest.mark.rule("X-ticket-exactly-once")
def test_of_a_sale_and_its_settling_at_the_same_time_one_counts(floor: Floor) -> None:
    wanda = floor.writing()
    for place in range(10):
        request = f"request-{place:04}-x"
        settled: list[object] = []
        settling = threading.Thread(
            target=lambda request=request, settled=settled: settled.append(
                settle_act(floor.office, wanda, request)["done"]
            )
        )
        settling.start()
        try:
            floor.sell(wanda, request=request)
            sold = True
        except Refused as no:
            assert no.refusals[0].code == "request_id.other_content"
            sold = False
        settling.join()
        assert settled == [sold]
    floor.check_books()
