"""The caller: it runs the games, from opening to payable, by itself (15.5(b) to 15.5(d)).

One turn looks at every series: a game that waits for its draw is drawn, one that is drawn is
settled, one that is settled is certified; an open game is locked when its time has come, and the
next one opens in the same transaction. Whatever a turn did not finish, because something was away
or because this process died, the next turn finds as it is and goes on with. Nothing is remembered
here that matters.

One caller of the house is active, by a lease; a second one waits and takes over. Grading runs
beside the turns, so that a large game keeps no other from being locked and drawn.
"""

import logging
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from app.flow.certify import certify_game
from app.flow.clock_jump import take_jump
from app.flow.day import gaming_day
from app.flow.draw import end_game
from app.flow.lease import CALLER, Held, LeaseLost, Watch, take_lease
from app.flow.lockout import lock_on_time
from app.flow.notice import give_notice
from app.flow.office import Office
from app.flow.open_game import open_on_time
from app.flow.override import NOTICE, give_close, hold_game, let_go
from app.flow.refusals import No
from app.flow.schedule import next_close
from app.flow.settle import settle_game
from app.flow.software_seal import note_software
from app.keno.game import GameState
from app.keno.refusals import Refused
from app.rng_client import KeyedProcesses, NotNow
from app.store.queries import games, running
from app.store.queries.games import OpenGame
from app.store.queries.running import SeriesRow

log = logging.getLogger("keno.caller")

TURN_SECONDS = 0.5
JUMP = timedelta(seconds=2)  # what is less is how long reading two clocks can take
FAILURE_SECONDS_MOST = 60.0


@dataclass
class Caller:
    """One caller; whether it is the active one, each turn finds out."""

    office: Office
    keyed: KeyedProcesses
    name: str
    counted: Callable[[], float] = time.monotonic
    lease: Held | None = None
    _desk: ThreadPoolExecutor = field(default_factory=lambda: ThreadPoolExecutor(1, "grading"))
    _grading: dict[tuple[str, int], "Future[None]"] = field(default_factory=dict)
    _failures: dict[tuple[str, int], "Failures"] = field(default_factory=dict)
    _clocks: tuple[datetime, float] | None = None
    _noted_day: str | None = None

    def __post_init__(self) -> None:
        """Begin to watch the lease."""
        self._watch = Watch(self.counted)

    def run(self, stop: threading.Event) -> None:
        """Take one turn after the other until it is told to stop."""
        while not stop.is_set():
            try:
                self.turn()
            except LeaseLost:
                log.warning("another caller has taken over")
            except Exception:
                # Whatever it was, the state is what the database says: the next turn finds it.
                log.exception("a turn failed")
            stop.wait(TURN_SECONDS)
        self._desk.shutdown(wait=True, cancel_futures=True)

    def turn(self) -> None:
        """Look at every series once.

        Raises:
            LeaseLost: another caller has taken over in the middle of it.
        """
        self.lease = take_lease(self.office, CALLER, self.name, self._watch)
        if self.lease is None:
            if self._watch.is_renewed:
                # The active one is alive, and minds the clock. If it dies, what the clock did
                # since then is ours to mind.
                self._clocks = self.office.now(), self.counted()
            return
        self._mind_the_clock(self.lease)
        self._note_software(self.lease)
        with self.office.database.reading() as connection:
            all_series = running.all_series(connection)
        trouble = self._trouble()
        for series in all_series:
            self._look_after(self._renewed(), series, trouble)

    def _renewed(self) -> Held:
        """Renew the lease: what a turn has to wait for may take long.

        Raises:
            LeaseLost: another caller has taken over.
        """
        self.lease = take_lease(self.office, CALLER, self.name, self._watch)
        if self.lease is None:
            raise LeaseLost
        return self.lease

    def _mind_the_clock(self, lease: Held) -> None:
        """Compare the house's clock with one that only counts; small steps add up."""
        now, counted = self.office.now(), self.counted()
        if self._clocks is None:
            self._clocks = now, counted
            return
        since, then = self._clocks
        jump = now - since - timedelta(seconds=counted - then)
        if abs(jump) > JUMP:
            log.warning("the clock of the house jumped by %s", jump)
            take_jump(self.office, lease, jump, since)
            self._clocks = now, counted

    def _note_software(self, lease: Held) -> None:
        """Have the software of each gaming day in the log."""
        house = self.office.house
        now = self.office.now()
        today = gaming_day(now, house.time_zone, house.day_starts_minutes).isoformat()
        if today != self._noted_day:
            self._noted_day = note_software(self.office, lease)

    def _trouble(self) -> str | None:
        """Why games cannot be drawn now."""
        try:
            self.keyed.check_ready()
        except NotNow as why:
            return str(why)
        return None

    # ---- one series ------------------------------------------------------------------------------

    def _look_after(self, lease: Held, series: SeriesRow, trouble: str | None) -> None:
        """Look at a series; what goes wrong with one holds up that one alone."""
        try:
            self._series(lease, series, trouble)
        except LeaseLost:
            raise
        except Exception as fault:
            # Whatever it was: the other series go on, and everyone sees that this one does not.
            log.exception("series %s could not be looked after", series.code)
            with self.office.database.reading() as connection:
                game = games.open_game(connection, series.code)
            if game is not None:
                self._hold_if_due(series, game, f"A fault of the system: {type(fault).__name__}.")

    def _series(self, lease: Held, series: SeriesRow, trouble: str | None) -> None:
        with self.office.database.reading() as connection:
            waiting = running.unfinished(connection, series.code)
        for number, state in waiting:
            if state is GameState.LOCKED:
                trouble = trouble or self._draw(series.code, number)
            else:
                self._grade(series.code, number)
        with self.office.database.reading() as connection:
            game = games.open_game(connection, series.code)
        if game is not None:
            self._mind_open(lease, series, game, trouble)
        elif series.interval_seconds is not None:
            self._open(lease, series, trouble)

    def _draw(self, series: str, number: int) -> str | None:
        """Have a locked game drawn; return why it waits, if it does."""
        try:
            end_game(self.office, self.keyed, series, number)
        except NotNow as why:
            log.warning("%s-%s waits for its draw: %s", series, number, why)
            return str(why)
        self._grade(series, number)
        return None

    def _grade(self, series: str, number: int) -> None:
        """Have a drawn game graded twice, beside the turns; what fails is tried ever less often."""
        which = (series, number)
        before = self._grading.get(which)
        if before is not None and not before.done():
            return
        if before is not None and (fault := before.exception()) is not None:
            log.error("grading %s-%s failed", series, number, exc_info=fault)
            failed = self._failures.get(which, Failures())
            self._failures[which] = failed.once_more(self.counted())
        self._grading.pop(which, None)
        failures = self._failures.get(which)
        if failures is None or self.counted() >= failures.again_at:
            self._grading[which] = self._desk.submit(self._settle_and_certify, series, number)

    def _settle_and_certify(self, series: str, number: int) -> None:
        settle_game(self.office, series, number)
        certify_game(self.office, self.keyed, series, number)
        self._failures.pop((series, number), None)

    def finish_grading(self) -> None:
        """Wait until what is being graded is done."""
        for work in list(self._grading.values()):
            work.result()

    # ---- opening and closing ---------------------------------------------------------------------

    def _open(self, lease: Held, series: SeriesRow, trouble: str | None) -> None:
        if trouble is not None:
            return
        try:
            open_on_time(self.office, lease, series.code, self._next_close(series))
        except Refused as no:
            if no.refusals[0].code != No.NO_CARD.code:
                raise

    def _mind_open(
        self, lease: Held, series: SeriesRow, game: OpenGame, trouble: str | None
    ) -> None:
        """Hold the open game, let it go, give it a time, give notice or lock it: what is due."""
        if trouble is not None:
            self._hold_if_due(series, game, trouble)
        elif game.held_why is not None:
            let_go(self.office, series.code)
        elif game.closes_at is None:
            self._give_close(lease, series, game)
        else:
            left = game.closes_at - self.office.now()
            if left <= NOTICE:
                give_notice(self.office, series.code, game.number)
            if left <= timedelta(0):
                self._lock(lease, series, game)

    def _hold_if_due(self, series: SeriesRow, game: OpenGame, trouble: str) -> None:
        """Hold a game that could not be drawn if it closes soon, or has no time to close."""
        if game.closes_at is None or game.closes_at - self.office.now() <= NOTICE:
            hold_game(self.office, series.code, trouble)

    def _give_close(self, lease: Held, series: SeriesRow, game: OpenGame) -> None:
        """Give a game a time that was opened before its series had an interval."""
        closes_at = self._next_close(series)
        with self.office.database.reading() as connection:
            held_open = games.is_held_open(connection, series.code, game.number)
        if closes_at is not None and not held_open:
            give_close(self.office, lease, series.code, game.number, closes_at)

    def _lock(self, lease: Held, series: SeriesRow, game: OpenGame) -> None:
        # Once more: if the clock has jumped within this turn, the time has not come yet.
        self._mind_the_clock(lease)
        locked = lock_on_time(self.office, self._renewed(), series.code, game.number)
        if locked is not None:
            self._draw(series.code, locked)

    def _next_close(self, series: SeriesRow) -> datetime | None:
        return next_close(series, self.office.house.time_zone, self.office.now(), None)


@dataclass(frozen=True)
class Failures:
    """How often something failed, and when it is tried again."""

    times: int = 0
    again_at: float = 0.0

    def once_more(self, now: float) -> "Failures":
        """It failed again: the next try comes after twice the time, at most after a minute."""
        return Failures(self.times + 1, now + min(2.0**self.times, FAILURE_SECONDS_MOST))
