"""A compressed week of a whole house of real processes: nothing grows, nothing is lost.

Two thousand games of two series on each engine, with the trade of 32 stations
(`week_trade`). A week has seven gaming days: the house's own clock is set forward at the end of
each, because nobody can wait for it (`week_house`); whatever counts seconds, as leases do, has only
the minutes that it took. What is held is measured on the way, and compared by quarters
(`week_page`).
"""

import threading
import time
from bisect import bisect
from collections import Counter
from datetime import timedelta
from pathlib import Path

import pytest

from tests.drill.checking import (
    ACTS,
    OUTCOMES,
    OVER,
    TABLES,
    check_by_commands,
    check_draws,
    check_papers,
    compared,
    kept_answers,
)
from tests.drill.house import STATIONS
from tests.drill.stations import Act, Crew
from tests.postgres import mortal_server
from tests.proof.committed import committed
from tests.proof.week_house import DESK, SERIES, House, house_of
from tests.proof.week_page import ENGINES, Figures, note_week
from tests.proof.week_trade import Board, Papers, Supervisor, WeekFloor, Writer

pytestmark = pytest.mark.proof

GAMES = 2_000
DAYS = 7
MEASURE_EVERY = 10
BOARDS = 8
STAYS = (None, 7)  # every other board goes after so many games, and comes again
DRAIN_SECONDS = 60
PAPER_SECONDS = 120  # without a single one: every paper is drawn as a picture, which takes long
# A ticket that was voided while it waited for a printer gets no paper.
SPARED = "SELECT entry FROM paper_event WHERE state = 'not-printed'"
OWED = f"SELECT number FROM ticket WHERE entry NOT IN ({SPARED})"  # noqa: S608  our own text
VOIDED_UNPRINTED = (
    f"SELECT number FROM ticket JOIN void ON void.ticket = number WHERE ticket.entry IN ({SPARED})"  # noqa: S608  the same
)
REPORTS_LEFT = "SELECT count(*) FROM report_job WHERE state IN ('queued', 'running')"


@pytest.fixture(scope="module")
def commit() -> str | None:
    """The commit that a page can name, before anything was written."""
    return committed()


@pytest.mark.rule("X-recovery", "X-ticket-exactly-once", "X-ticket-gapless", "X-audit-books")
@pytest.mark.parametrize("engine", ENGINES)
def test_a_week_of_games_leaves_everything_flat_and_the_books_clean(
    engine: str, tmp_path: Path, commit: str | None
) -> None:
    if engine == "sqlite":
        week = Week(f"sqlite:///{tmp_path / 'keno.db'}", tmp_path)
        week.live()
    else:
        with mortal_server({"autovacuum": "on"}) as server:
            week = Week(server.url, tmp_path)
            week.live()
    assert week.figures.growing() == [], week.figures.table()
    if commit is not None:
        note_week(commit, ENGINES[engine], week.figures.table())


class Week:
    """A week, from the first drawer that is opened to the last day that is closed."""

    def __init__(self, url: str, folder: Path) -> None:
        self.figures = Figures(GAMES)
        self._url = url
        self._folder = folder
        self._moments: list[float] = []  # when it was measured, and how many games were over then
        self._played: list[int] = []
        (folder / "journals").mkdir()

    def live(self) -> None:
        """Live it, and check all that it left."""
        with house_of(self._url, self._folder) as house:
            self._house = house
            self._pids = [program.pids for program in house.programs]
            tray = Papers(house.papers)
            self._floor = WeekFloor(house.web, tray, self._folder / "journals")
            threading.Thread(target=tray.run, args=(self._floor.ended,), daemon=True).start()
            self._open(house)
            self._day = house.first_day
            try:
                for day in range(DAYS):
                    self._work(GAMES * day // DAYS, GAMES * (day + 1) // DAYS)
                    self._close_days()
            finally:
                self._crew.end()
            self._check()

    def _open(self, house: House) -> None:
        """Have everybody come for the first time."""
        floor = self._floor
        floor.boards += [Board(floor, house.feed, STAYS[n % len(STAYS)]) for n in range(BOARDS)]
        for board in floor.boards:
            board.start()
        self._supervisor = Supervisor(floor, house.enrolments[DESK], DESK)
        self._writers = [Writer(floor, code, seed) for seed, code in enumerate(STATIONS)]
        for writer in self._writers:
            writer.enrol(house.enrolments[writer.code])
        self._crew = Crew(floor, [*self._writers])
        self._crew.start()

    # ---- a day -----------------------------------------------------------------------------------

    def _work(self, played: int, until: int) -> None:
        """Sell while games are played, from one number of games to another."""
        self._supervisor.come()
        for writer in self._writers:
            writer.come()
        self._crew.sell()
        share = {code: n for n, code in enumerate(SERIES)}
        games = {
            code: (_of_series(played, n) + 1, _of_series(until, n)) for code, n in share.items()
        }
        callers = [
            threading.Thread(target=self._supervisor.play, args=(code, *which), daemon=True)
            for code, which in games.items()
        ]
        for caller in callers:
            caller.start()
        self._measure_while(callers)
        assert self._crew.pause(DRAIN_SECONDS), "a station got no answer"
        self._wait_until_official(until)
        self._wait_for_papers()
        for writer in self._writers:
            writer.go()

    def _measure_while(self, callers: list[threading.Thread]) -> None:
        while any(caller.is_alive() for caller in callers):
            time.sleep(0.05)
            self._check_alive()
            if len(self._floor.official) >= (len(self._played) + 1) * MEASURE_EVERY:
                self._measure()

    def _measure(self) -> None:
        played = len(self._floor.official)
        self.figures.note(played, {each.name: each.measured() for each in self._house.programs})
        self._moments.append(time.monotonic())
        self._played.append(played)

    def _check_alive(self) -> None:
        ended = {each.name: each.ended_with for each in self._house.programs}
        assert set(ended.values()) == {None}, ended
        assert self._floor.wrong == []

    def _wait_until_official(self, games: int) -> None:
        end = time.monotonic() + DRAIN_SECONDS
        while len(self._floor.official) < games:
            assert time.monotonic() < end, f"{len(self._floor.official)} of {games} are official"
            time.sleep(0.05)

    def _wait_for_papers(self) -> None:
        """Wait until every ticket that is owed a paper has it: nobody goes home without it."""
        tray = self._floor.tray
        printed, end = -1, 0.0
        while (now := len(tray.codes)) < (owed := len(self._house.rows(OWED))):
            if now > printed:
                printed, end = now, time.monotonic() + PAPER_SECONDS
            assert time.monotonic() < end, f"{now} of {owed} tickets have a paper"
            time.sleep(0.2)

    def _close_days(self) -> None:
        """Let the night pass, and close every day that is over then."""
        self._house.pass_night()
        self._supervisor.come()
        while (told := self._supervisor.close_day(self._day.isoformat())).is_closed:
            self._day += timedelta(days=1)
        assert told.code == "day.not_over", told

    # ---- what it left ----------------------------------------------------------------------------

    def _check(self) -> None:
        """Check everything that can be checked once it is quiet."""
        house, floor = self._house, self._floor
        assert floor.wrong == []
        self._wait_for_reports()
        assert [program.pids for program in house.programs] == self._pids  # nobody started anew
        for program in house.programs:
            assert program.stop() == 0, program.name
        acts = list(floor.acts)
        kept = kept_answers(house.rows(ACTS))
        tables = {kind: house.rows(text) for kind, text in TABLES.items()}
        assert compared(acts, kept, tables).faults == []
        assert check_papers(floor.tray) == []
        unprinted = {number for (number,) in house.rows(VOIDED_UNPRINTED)}
        sold = {number for (number,) in house.rows("SELECT number FROM ticket")}
        assert floor.tray.originals.keys() == sold - unprinted
        outcomes = house.rows(OUTCOMES)
        assert len(outcomes) == GAMES
        assert check_draws(house.folder, outcomes, house.rows(OVER)) == []
        self._check_boards(sorted((series, game) for series, game, _ in outcomes))
        assert check_by_commands(house.folder, house.environment) == []
        self._count(acts)

    def _wait_for_reports(self) -> None:
        """Wait until the reports of every day are made."""
        end = time.monotonic() + DRAIN_SECONDS
        while (waiting := self._house.rows(REPORTS_LEFT)) != [(0,)]:
            assert time.monotonic() < end, f"{waiting} reports are not made"
            time.sleep(0.2)

    def _check_boards(self, games: list[tuple[str, int]]) -> None:
        """Check that every board heard of each game once, and of those of a series in order."""
        for board in self._floor.boards:
            for heard in board.heard.values():
                assert sorted(heard) == games
                for code in SERIES:
                    numbers = [game for series, game in heard if series == code]
                    assert numbers == sorted(numbers)

    def _count(self, acts: list[Act]) -> None:
        """Note how long sales took, and how much was done."""
        kinds = Counter(act.kind for act in acts if act.is_done)
        for act in acts:
            place = bisect(self._moments, act.asked_at)
            played = self._played[min(place, len(self._played) - 1)]
            self.figures.acts.append(played)
            if act.kind == "sell" and act.told_at is not None:
                self.figures.waits.append((played, act.told_at - act.asked_at))
        self.figures.counts = {
            "games": GAMES,
            "days closed": len(self._house.rows("SELECT day FROM day_close")),
            "tickets": kinds["sell"],
            "voids": kinds["void"],
            "refunds": kinds["refund"],
            "payments": kinds["pay"],
            "drawers closed": kinds["close"],
            "refusals": sum(not act.is_done for act in acts),
            "papers": sum(self._floor.tray.originals.values()),
            "voided before they were printed": len(self._house.rows(VOIDED_UNPRINTED)),
            "entries of the log": self._house.rows("SELECT count(*) FROM log_entry")[0][0],
        }


def _of_series(games: int, place: int) -> int:
    """Return how many of so many games are those of the first, the second ... series."""
    return (games + len(SERIES) - 1 - place) // len(SERIES)
