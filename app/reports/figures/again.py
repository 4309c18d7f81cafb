"""Games that were graded again after the close of their day (X-grade-twice).

A day that is closed stays as it is. What a later grading changes belongs to the first day that is
closed after it, as in the figures of that close; so the days of a year come to the year.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta

from app.reports.content import Column, Kind, Row, Section
from app.reports.figures.columns import DAY, GAME, TIME, cents, whole
from app.reports.told import Act, Told


@dataclass(frozen=True)
class Regraded:
    """A game whose wins changed after its day was closed."""

    series: str
    game: int
    day: str  # of its lock
    before: Act
    now: Act

    @property
    def key(self) -> tuple[str, int]:
        """The game that it is."""
        return self.series, self.game


def graded_again(told: Told) -> list[Regraded]:
    """Return what was graded again in the period, after the close of the day that it belongs to."""
    closes = list(told.standing("DAY-CLOSE"))
    found = []
    for wins in told.acts("WINS"):
        key = wins.body["series"], wins.body["game"]
        before = [close for close in closes if close.position < wins.position]
        if wins.body["run"] == 1 or not before or not _is_held(before[-1], key):
            continue
        counted_on = date.fromisoformat(before[-1].body["day"]) + timedelta(days=1)
        if told.period.has_day(counted_on.isoformat()):
            day = next(close.body["day"] for close in before if _is_held(close, key))
            found.append(Regraded(*key, day, told.settled_before(wins), wins))
    return found


def _is_held(close: Act, key: tuple[str, int]) -> bool:
    """Whether a game was being looked into when a day was closed."""
    return key in {(held["series"], held["game"]) for held in close.body["frozen"]}


def again_section(games: Sequence[Regraded], remark: str) -> Section:
    """Return what was graded again, with before and now."""
    rows: list[Row] = []
    for each in games:
        before, now = each.before.body, each.now.body
        names = ("winners", "win_cents", "paid_cents")
        both = [side[name] for name in names for side in (before, now)]
        change = before["paid_cents"] - now["paid_cents"]
        name = f"{each.series}-{each.game}"
        rows.append((each.now.at, name, each.day, now["run"], *both, change))
    return Section(
        "again",
        "Graded again in this period",
        (
            TIME,
            GAME,
            DAY,
            Column("run", "Grading", Kind.WHOLE),
            whole("winners_before", "Winners before"),
            whole("winners", "Now"),
            cents("won_before_cents", "Won before"),
            cents("won_cents", "Now"),
            cents("payable_before_cents", "Payable before"),
            cents("payable_cents", "Now"),
            cents("win_change_cents", "House win by"),
        ),
        rows,
        remark,
    )
