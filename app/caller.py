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
from app.flow.lease import CALLER, Held, LeaseLost, take_lease
from app.flow.lockout import lock_on_time
from app.flow.notice import give_notice
from app.flow.office import Office
from app.flow.open_game import open_on_time
from app.flow.override import NOTICE, hold_game, let_go
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
JUMP = timedelta(seconds=2)  # what is less is how long a turn takes


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
    _clocks: tuple[datetime, float] | None = None
    _noted_day: str | None = None

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
        self.lease = take_lease(self.office, CALLER, self.name)
        if self.lease is None:
            self._clocks = None
            return
        self._mind_the_clock(self.lease)
        self._note_software(self.lease)
        with self.office.database.reading() as connection:
            all_series = running.all_series(connection)
        trouble = self._trouble()
        for series in all_series:
            self._series(self.lease, series, trouble)

    def _mind_the_clock(self, lease: Held) -> None:
        """Compare the house's clock with one that only counts."""
        clocks = self.office.now(), self.counted()
        if self._clocks is not None:
            passed = timedelta(seconds=clocks[1] - self._clocks[1])
            jump = clocks[0] - self._clocks[0] - passed
            if abs(jump) > JUMP:
                log.warning("the clock of the house jumped by %s", jump)
                take_jump(self.office, lease, jump)
        self._clocks = clocks

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
        if series.interval_seconds is None:
            return
        if game is None:
            self._open(lease, series, trouble)
        elif game.closes_at is not None:
            self._close(lease, series, game, trouble)

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
        """Have a drawn game graded twice, beside the turns."""
        which = (series, number)
        before = self._grading.get(which)
        if before is not None and not before.done():
            return
        if before is not None and (fault := before.exception()) is not None:
            log.error("grading %s-%s failed", series, number, exc_info=fault)
        self._grading = {key: work for key, work in self._grading.items() if not work.done()}
        self._grading[which] = self._desk.submit(self._settle_and_certify, series, number)

    def _settle_and_certify(self, series: str, number: int) -> None:
        settle_game(self.office, series, number)
        certify_game(self.office, self.keyed, series, number)

    def finish_grading(self) -> None:
        """Wait until what is being graded is done."""
        for work in list(self._grading.values()):
            work.result()

    # ---- opening and closing ---------------------------------------------------------------------

    def _open(self, lease: Held, series: SeriesRow, trouble: str | None) -> None:
        if trouble is not None:
            return
        try:
            open_on_time(self.office, lease, series.code, self._next_close(series, None))
        except Refused as no:
            if no.refusals[0].code != No.NO_CARD.code:
                raise

    def _close(self, lease: Held, series: SeriesRow, game: OpenGame, trouble: str | None) -> None:
        """Give notice, hold, let go or lock the open game, whichever is its turn."""
        left = (game.closes_at or game.read_at) - self.office.now()
        if trouble is not None:
            if left <= NOTICE:
                hold_game(self.office, series.code, trouble)
            return
        if game.held_why is not None:
            let_go(self.office, series.code)
            return
        if left <= NOTICE:
            give_notice(self.office, series.code, game.number)
        if left <= timedelta(0):
            following = self._next_close(series, game.closes_at)
            locked = lock_on_time(self.office, lease, series.code, game.number, following)
            if locked is not None:
                self._draw(series.code, locked)

    def _next_close(self, series: SeriesRow, closed: datetime | None) -> datetime | None:
        zone = self.office.house.time_zone
        return next_close(series, zone, self.office.now(), closed)
