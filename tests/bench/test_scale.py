"""The simulation of many terminals, where it can be worked out by hand."""

from statistics import fmean

from app.flow.turns import PARTY_MAX
from bench.scale import BETWEEN_SECONDS, GAME_SECONDS, RUSH, RUSH_SECONDS, arrivals, simulate


def test_terminals_come_as_often_as_it_is_said_and_more_often_before_the_close() -> None:
    wanted = list(arrivals(1_000))
    assert wanted == sorted(wanted)
    expected = 1_000 * GAME_SECONDS / BETWEEN_SECONDS
    assert abs(len(wanted) / expected - 1) < 0.05
    rush = sum(moment >= GAME_SECONDS - RUSH_SECONDS for moment in wanted) / RUSH_SECONDS
    calm = (len(wanted) - rush * RUSH_SECONDS) / (GAME_SECONDS - RUSH_SECONDS)
    assert abs(rush / calm / RUSH - 1) < 0.1


def test_whoever_comes_alone_waits_for_the_commit_and_for_nobody() -> None:
    waits = list(simulate(1, 0.005, 0.001))
    assert waits
    assert all(abs(wait - 0.006) < 1e-9 for wait in waits)


def test_every_ticket_is_served_once_and_none_before_it_came() -> None:
    waits = list(simulate(2_000, 0.01, 0.0005))
    assert len(waits) == len(list(arrivals(2_000)))
    assert min(waits) >= 0.0105 - 1e-9


def test_a_sequence_that_is_too_slow_has_a_line_that_grows() -> None:
    slow = GAME_SECONDS / len(list(arrivals(2_000))) * 2  # for each, all one after the other
    waits = list(simulate(2_000, 0.0, slow))
    assert fmean(waits[-PARTY_MAX:]) > 10 * fmean(waits[:PARTY_MAX])
