"""A game that is released is graded again, and years of the log are not read for it."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import replace

import pytest

from app.flow import release, settle
from app.flow.access import at_console
from app.flow.permissions import Permission
from app.flow.release import release_game
from app.flow.sell import Sale
from app.keno import grading
from app.keno.request import Request
from app.keno.tender import Tender, TenderKind
from tests.audit.planting import plant, unguarded
from tests.engines import ENGINES, floor_on
from tests.floor import MAX, Floor, dollar, secret_of
from tests.looking import rows
from tests.story.settlement import one_more

MOST_GAMES = 20  # of a ticket, says the card of the tests
FROZEN_GAME = 26
LIVE = """SELECT number, series, first_game, last_game, body FROM live_ticket
    WHERE series = 'M' AND last_game > :played ORDER BY number"""
Again = Callable[[], Floor]


def long_played(floor: Floor) -> None:
    """More games of both series than a ticket can play, of which M-26 is frozen.

    Of each game tickets of one, of three and of as many games as there can be; one is void.
    """
    wanda = floor.writing()
    for _ in range(MOST_GAMES + 2):
        floor.sell(wanda, dollar("F"))
        floor.play("F")
    for game in range(1, FROZEN_GAME):
        for games in (1, 3, MOST_GAMES):
            exactly = (Tender(TenderKind.CURRENCY, 100 * games),)
            sale = replace(dollar(games=games), tender=exactly)
            number = floor.sell(wanda, sale)["number"]
        if game == FROZEN_GAME - 2:
            floor.void(wanda, number)
        floor.play()
    ways = Request(((1,), (2,)), "2/1 @ 1.00", games=2)
    floor.sell(wanda, Sale("M", ways, (Tender(TenderKind.CURRENCY, 400),)))
    floor.lock()
    floor.draw()
    right = grading.grade_game
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(settle, "grade_game", lambda *given: one_more(right(*given)))
        assert floor.grade(FROZEN_GAME) == "frozen"


@pytest.fixture(params=ENGINES)
def again(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Again]:
    """Gives out that house, as often as it is asked for."""
    with ExitStack() as stack:
        yield lambda: stack.enter_context(
            floor_on(request.param, request, tmp_path_factory.mktemp("again"), long_played)
        )


def released(floor: Floor) -> Floor:
    manager = at_console(floor.office, MAX, secret_of(MAX), Permission.GAME_RELEASE)
    release_game(floor.office, floor.sam, manager, "M", FROZEN_GAME, "the grader was mended")
    return floor


@pytest.mark.rule("X-grade-twice")
def test_the_book_begins_behind_the_lock_before_which_nothing_was_sold_that_still_plays(
    again: Again,
) -> None:
    floor = released(again())
    found = """SELECT series, number, position FROM game JOIN log_position ON entry = lock_entry
        WHERE (series = 'M' AND number = :m) OR (series = 'F' AND number = :f)"""
    first_open = 100 + MOST_GAMES + 2
    locks = rows(floor, found, m=FROZEN_GAME - MOST_GAMES, f=first_open - MOST_GAMES)
    assert len(locks) == len(("M", "F"))
    assert rows(floor, "SELECT size FROM book_head") == [(min(place for *_, place in locks),)]
    assert floor.grade(FROZEN_GAME) == "certified"
    floor.check_books()


@pytest.mark.rule("X-grade-twice")
def test_the_book_is_then_what_it_would_be_if_everything_had_been_read(
    again: Again, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun_later = released(again())
    monkeypatch.setattr(release, "beginning", lambda _: None)
    begun_first = released(again())
    books = []
    for floor in (begun_later, begun_first):
        assert floor.grade(FROZEN_GAME) == "certified"
        head = rows(floor, "SELECT size, frontier, locks, cards FROM book_head")
        books.append((head, rows(floor, LIVE, played=FROZEN_GAME)))
    assert books[0] == books[1]
    live = [first for _, _, first, _, _ in books[0][1]]
    assert min(live) <= FROZEN_GAME - MOST_GAMES + 2  # tickets of long ago are among them


@pytest.mark.rule("X-grade-twice", "X-audit-log")
@pytest.mark.parametrize(
    ("planted", "verdict"),
    [
        (["UPDATE log_position SET leaf = :other WHERE position = 3"], "certified"),
        (["UPDATE log_entry SET body = body || ' ' WHERE tag = 'LOCK'"], "frozen"),
        (["UPDATE log_entry SET body = body || ' ' WHERE tag = 'CARD'"], "frozen"),
        (["UPDATE game SET lock_entry = NULL WHERE number <= 6"], "certified"),
        (
            [
                """UPDATE game SET lock_entry = (SELECT max(id) FROM log_entry WHERE tag = 'GAME')
                WHERE series = 'M' AND number = 6"""
            ],
            "certified",
        ),
        (
            [
                "UPDATE game SET number = -6 WHERE series = 'M' AND number = 6",
                "UPDATE game SET number = 6 WHERE series = 'M' AND number = 25",
            ],
            "certified",
        ),
    ],
    ids=["leaf", "lock", "card", "no lock", "other entry", "other game"],
)
def test_where_something_is_wrong_the_book_begins_with_the_first_leaf(
    again: Again, planted: list[str], verdict: str
) -> None:
    floor = again()
    plant(unguarded(floor), *planted, other=bytes(32))
    released(floor)
    assert rows(floor, "SELECT count(*) FROM book_head") == [(0,)]
    assert floor.grade(FROZEN_GAME) == verdict
