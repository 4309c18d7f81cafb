"""The checker of the drill finds what it is there for."""

import pytest

from tests.drill.checking import compared
from tests.drill.stations import Act
from tests.drill.table import down_seconds

TOLD = {"number": 1}
SOLD = ("B1", "B1-sell-000001")


def act(status: int | None, answer: dict[str, int] | None = None, at: float = 2.0) -> Act:
    told = None if status is None else at
    return Act(*SOLD, "sell", "/tickets", {}, 1.0, 1, status, answer, told)


def tables(*sold: tuple[int, str]) -> dict[str, list[tuple[int, str]]]:
    return {"sell": list(sold), "void": [], "pay": []}


@pytest.mark.rule("X-recovery", "X-ticket-exactly-once", "X-ticket-gapless")
@pytest.mark.parametrize(
    ("done", "kept", "sold", "counts"),
    [
        pytest.param(act(201, TOLD), TOLD, [(1, SOLD[1])], (0, 0, 0), id="as it was told"),
        pytest.param(act(409), None, [], (0, 0, 0), id="refused"),
        pytest.param(act(409), {"never": True}, [], (0, 0, 0), id="refused for ever"),
        pytest.param(act(201, TOLD), {"never": True}, [], (2, 0, 0), id="told, and never done"),
        pytest.param(act(201, TOLD), None, [], (2, 0, 0), id="lost"),
        pytest.param(act(201, TOLD), {"number": 2}, [(1, SOLD[1])], (1, 0, 0), id="told otherwise"),
        pytest.param(act(409), TOLD, [(1, SOLD[1])], (0, 2, 0), id="refused and done"),
        pytest.param(act(None), None, [], (0, 0, 1), id="never answered"),
        pytest.param(
            act(201, TOLD), TOLD, [(1, SOLD[1]), (2, SOLD[1])], (0, 1, 0), id="two tickets"
        ),
        pytest.param(
            act(201, TOLD), TOLD, [(1, SOLD[1]), (2, "B2-sell-000001")], (0, 1, 0), id="nobody's"
        ),
        pytest.param(act(201, TOLD), TOLD, [(2, SOLD[1])], (0, 0, 1), id="a gap"),
    ],
)
def test_what_was_lost_or_done_twice_is_found(
    done: Act,
    kept: dict[str, object] | None,
    sold: list[tuple[int, str]],
    counts: tuple[int, int, int],
) -> None:
    found = compared([done], {} if kept is None else {SOLD: kept}, tables(*sold))
    assert tuple(map(len, (found.lost, found.twice, found.wrong))) == counts


@pytest.mark.rule("X-recovery")
def test_the_longest_time_without_a_sale_is_what_counts() -> None:
    sold = [act(201, TOLD, at) for at in (0.5, 2.0, 9.0, 10.0)]
    assert down_seconds(sold, since=1.0, until=12.0) == 7.0
    assert down_seconds([], since=1.0, until=12.0) == 11.0
