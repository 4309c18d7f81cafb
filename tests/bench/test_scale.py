"""The simulation of many terminals, where it can be worked out by hand."""

from statistics import fmean

from app.flow.turns import PARTY_MAX
from bench.load import THREADS
from bench.scale import BETWEEN_SECONDS, GAME_SECONDS, RUSH, RUSH_SECONDS, Web, arrivals


def test_terminals_come_as_often_as_it_is_said_and_more_often_before_the_close() -> None:
    wanted = list(arrivals(1_000))
    assert wanted == sorted(wanted)
    expected = 1_000 * GAME_SECONDS / BETWEEN_SECONDS
    assert abs(len(wanted) / expected - 1) < 0.05
    rush = sum(moment >= GAME_SECONDS - RUSH_SECONDS for moment in wanted) / RUSH_SECONDS
    calm = (len(wanted) - rush * RUSH_SECONDS) / (GAME_SECONDS - RUSH_SECONDS)
    assert abs(rush / calm / RUSH - 1) < 0.1


def waits(web: Web, terminals: int) -> list[float]:
    return [at - came for came, at in web.number(arrivals(terminals))]


def test_whoever_comes_alone_waits_for_the_commit_and_for_nobody() -> None:
    alone = waits(Web(4, THREADS, 0.005, 0.001), 1)
    assert alone
    assert all(abs(wait - 0.006) < 1e-9 for wait in alone)


def test_every_ticket_is_numbered_once_and_none_before_it_came() -> None:
    web = Web(4, THREADS, 0.01, 0.0005)
    wanted = list(arrivals(2_000))
    numbered = list(web.number(wanted))
    assert sorted(came for came, _ in numbered) == wanted
    assert min(at - came for came, at in numbered) >= 0.0105 - 1e-9


def test_a_sequence_that_is_too_slow_has_a_line_that_grows() -> None:
    slow = GAME_SECONDS / len(list(arrivals(2_000))) * 2  # for each, all one after the other
    waited = waits(Web(4, THREADS, 0.0, slow), 2_000)
    assert fmean(waited[-PARTY_MAX:]) > 10 * fmean(waited[:PARTY_MAX])


def test_a_party_is_of_those_who_stood_in_line_when_the_one_before_it_ended() -> None:
    """Who is served keeps their threads until the end: the rest is all that can be in line."""
    numbered = list(Web(1, 16, 1.0, 0.0).number([0.0] * 50))
    # One alone, the fifteen who came meanwhile, the one who was let in for the first of all, ...
    sizes = [sum(at == moment for _, at in numbered) for moment in range(1, 8)]
    assert sizes == [1, 15, 1, 15, 1, 15, 1]
    assert sum(sizes) + sum(at > 7 for _, at in numbered) == 50


def test_lines_take_the_sequence_in_turns_and_no_two_at_once() -> None:
    numbered = list(Web(4, 1, 0.25, 0.0).number([0.0] * 12))
    assert [at for _, at in numbered] == [number / 4 for number in range(1, 13)]
