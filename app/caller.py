"""The caller: it runs the games, from opening to payable, by itself (15.5(b) to 15.5(d)).

One turn looks at every series: a game that waits for its draw is drawn, one that is drawn is
settled, one that is settled is certified; an open game is locked when its time has come, and the
next one opens in the same transaction. Whatever a turn did not finish, because something was away
or because this process died, the next turn finds as it is and goes on with. Nothing is remembered
here that matters (X-recovery).

One caller of the house is active, by a lease; a second one waits and takes over. Grading runs
beside the turns, so that a large game keeps no other from being locked and drawn.
"""

import threading
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from app.flow.certify import certify_game
from app.flow.clock_jump import take_jump
from app.flow.cosign import cosign_log
from app.flow.day import gaming_day
from app.flow.draw import end_game
from app.flow.lease import CALLER, Held, LeaseLost, Watch, take_lease
from app.flow.lockout import lock_on_time
from app.flow.missing import notice_missing, what_is_missing
from app.flow.note_keys import Seen, note_keys, see_keyed
from app.flow.notice import give_notice
from app.flow.office import Office
from app.flow.open_game import open_on_time
from app.flow.override import NOTICE, give_close, hold_game, let_go
from app.flow.refusals import No
from app.flow.room import make_room
from app.flow.schedule import next_close
from app.flow.settle import settle_game
from app.flow.software_seal import note_software
from app.keno.game import GameState
from app.keno.refusals import Refused
from app.logs import Voice
from app.nightly import Nightly
from app.rng_client import KeyedProcesses, NotNow
from app.store.queries import games, running, watching
from app.store.queries.games import OpenGame
from app.store.queries.running import SeriesRow

log = Voice("keno.caller")

TURN_SECONDS = 0.5
KEYS_SECONDS = 10.0
SEAL_SECONDS = 60.0
ROOM_SECONDS = 600.0
WITNESSED = timedelta(minutes=5)  # how old a head may be while there is more to witness
JUMP = timedelta(seconds=2)  # what is less is how long reading two clocks can take
AT_ONCE_SECONDS = 1.0  # and what is more is no reading of both
FAILURE_SECONDS_MOST = 60.0


@dataclass
class Caller:
    """One caller; whether it is the active one, each turn finds out."""

    office: Office
    keyed: KeyedProcesses
    name: str
    counted: Callable[[], float] = time.monotonic
    nightly: Nightly | None = None  # who has the books worked out, beside the games
    lease: Held | None = None
    _desk: ThreadPoolExecutor = field(default_factory=lambda: ThreadPoolExecutor(1, "grading"))
    _grading: dict[tuple[str, int], "Future[None]"] = field(default_factory=dict)
    _failures: dict[tuple[str, int], "Failures"] = field(default_factory=dict)
    _clocks: tuple[datetime, float] | None = None
    _noted_day: str | None = None
    _noted_keys: Seen | None = None
    _keys_looked: float = float("-inf")
    _seal_looked: float | None = None
    _room_looked: float | None = None
    _is_compared: bool = False  # the log with what the inspector has cosigned, once a start
    _told_missing: str | None = None

    def __post_init__(self) -> None:
        """Begin to watch the lease."""
        self._watch = Watch(self.counted)

    def run(self, stop: threading.Event) -> None:
        """Take one turn after the other until it is told to stop."""
        while not stop.is_set():
            try:
                self.turn()
            except LeaseLost:
                log.warning("caller.lease_lost")
            except Exception:
                # Whatever it was, the state is what the database says: the next turn finds it.
                log.exception("caller.turn_failed")
            stop.wait(TURN_SECONDS)
        if self.nightly is not None:
            self.nightly.stop()
        self._desk.shutdown(wait=True, cancel_futures=True)

    def turn(self) -> None:
        """Look at every series once.

        Raises:
            LeaseLost: another caller has taken over in the middle of it.
        """
        if self._is_incomplete():
            return
        self.lease = take_lease(self.office, CALLER, self.name, self._watch)
        if self.lease is None:
            if self._watch.is_renewed:
                # The active one is alive, and minds the clock. If it dies, what the clock did
                # since then is ours to mind.
                self._clocks = self._both_clocks() or self._clocks
            return
        self._step("clock", self._mind_the_clock, self.lease)
        self._step("software", self._note_software, self.lease)
        self._step("keys", self._note_keys, self.lease)
        with self.office.database.reading() as connection:
            all_series = running.all_series(connection)
        trouble = self._trouble()
        for series in all_series:
            self._look_after(self._renewed(), series, trouble)
        self._step("seal", self._mind_the_seal)
        self._step("room", self._mind_the_room)
        if self.nightly is not None:
            self._step("books", self.nightly.mind)

    def _step(self, name: str, act: Callable[..., object], *given: Held) -> None:
        """Do what a turn does beside the games; what goes wrong with it holds up no game."""
        try:
            act(*given)
        except LeaseLost:
            raise
        except Exception:  # whatever it was: games are locked and drawn on time, and it is told
            log.exception("caller.step_failed", step=name)

    def _is_incomplete(self) -> bool:
        """Whether this is a restored house that lacks entries: then nothing is run (X-recovery)."""
        if not self._is_compared:
            self._step("log", self._compare)
        with self.office.database.reading() as connection:
            missing = what_is_missing(connection)
        words = None if missing is None else missing.words()
        if words not in (None, self._told_missing):
            log.error("log.entries_missing", why=words)
        self._told_missing = words
        return missing is not None

    def _compare(self) -> None:
        """Compare the log with what the inspector has cosigned."""
        try:
            notice_missing(self.office, self.keyed)
            self._is_compared = True
        except NotNow as why:
            log.warning("log.not_compared", why=str(why))

    def _renewed(self) -> Held:
        """Renew the lease: what a turn has to wait for may take long.

        Raises:
            LeaseLost: another caller has taken over.
        """
        self.lease = take_lease(self.office, CALLER, self.name, self._watch)
        if self.lease is None:
            raise LeaseLost
        return self.lease

    def _mind_the_clock(self, lease: Held) -> bool:
        """Compare the house's clock with one that only counts; small steps add up.

        Returns whether both could be read at once.
        """
        both = self._both_clocks()
        if both is None or self._clocks is None:
            self._clocks = self._clocks or both
            return both is not None
        now, counted = both
        since, then = self._clocks
        jump = now - since - timedelta(seconds=counted - then)
        if abs(jump) > JUMP:
            log.warning("clock.jumped", milliseconds=jump // timedelta(milliseconds=1))
            take_jump(self.office, lease, jump, since)
            self._clocks = now, counted
        return True

    def _both_clocks(self) -> tuple[datetime, float] | None:
        """Read both clocks; none if too much passed in between to say that they were read at once.

        A process that stands still just there would take that for a jump of the house's clock.
        """
        before = self.counted()
        now = self.office.now()
        counted = self.counted()
        return None if counted - before > AT_ONCE_SECONDS else (now, counted)

    def _note_software(self, lease: Held) -> None:
        """Have the software of each gaming day in the log."""
        house = self.office.house
        now = self.office.now()
        today = gaming_day(now, house.time_zone, house.day_starts_minutes).isoformat()
        if today != self._noted_day:
            self._noted_day = note_software(self.office, lease)

    def _note_keys(self, lease: Held) -> None:
        """Have in the log how the keyed processes stand, when that has changed."""
        if self.counted() - self._keys_looked < KEYS_SECONDS:
            return
        self._keys_looked = self.counted()
        seen = see_keyed(self.office)
        if seen != self._noted_keys:
            note_keys(self.office, lease, seen)
            self._noted_keys = seen

    def _mind_the_seal(self) -> None:
        """Have the log witnessed also while no game is locked, as at night (X-audit-log)."""
        if self._seal_looked is None:
            self._seal_looked = self.counted()
        if self.counted() - self._seal_looked < SEAL_SECONDS:
            return
        self._seal_looked = self.counted()
        with self.office.database.reading() as connection:
            age = watching.unwitnessed_for(connection, self.office.now())
        if age is not None and age > WITNESSED:
            try:
                cosign_log(self.office, self.keyed)
            except NotNow as why:
                log.warning("log.not_witnessed", why=str(why))

    def _mind_the_room(self) -> None:
        """Have room made for what is still to come."""
        if self._room_looked is None or self.counted() - self._room_looked >= ROOM_SECONDS:
            self._room_looked = self.counted()
            if made := make_room(self.office):
                log.info("room.made", partitions=made)

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
            log.exception("series.failed", series=series.code)
            with self.office.database.reading() as connection:
                game = games.open_game(connection, series.code)
            if game is not None:
                self._hold_if_due(
                    lease, series, game, f"A fault of the system: {type(fault).__name__}."
                )

    def _series(self, lease: Held, series: SeriesRow, trouble: str | None) -> None:
        with self.office.database.reading() as connection:
            waiting = running.unfinished(connection, series.code)
        self._forget_graded(series.code, {number for number, _ in waiting})
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
            log.warning("draw.waits", series=series, game=number, why=str(why))
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
            log.error("grading.failed", exc_info=fault, series=series, game=number)
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

    def _forget_graded(self, series: str, waiting: set[int]) -> None:
        """Forget what was graded of a series and is over: a caller runs for years."""
        for which, work in list(self._grading.items()):
            code, number = which
            if code == series and number not in waiting and work.done():
                del self._grading[which]
                self._failures.pop(which, None)

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
            self._hold_if_due(lease, series, game, trouble)
        elif game.held_why is not None:
            let_go(self.office, lease, series.code, game.number)
        elif game.closes_at is None:
            self._give_close(lease, series, game)
        else:
            left = game.closes_at - self.office.now()
            if left <= NOTICE:
                give_notice(self.office, series.code, game.number)
            if left <= timedelta(0):
                self._lock(lease, series, game)

    def _hold_if_due(self, lease: Held, series: SeriesRow, game: OpenGame, trouble: str) -> None:
        """Hold a game that could not be drawn if it closes soon, or has no time to close."""
        if game.closes_at is None or game.closes_at - self.office.now() <= NOTICE:
            hold_game(self.office, lease, series.code, game.number, trouble)

    def _give_close(self, lease: Held, series: SeriesRow, game: OpenGame) -> None:
        """Give a game a time that was opened before its series had an interval."""
        closes_at = self._next_close(series)
        with self.office.database.reading() as connection:
            held_open = games.is_held_open(connection, series.code, game.number)
        if closes_at is not None and not held_open:
            give_close(self.office, lease, series.code, game.number, closes_at)

    def _lock(self, lease: Held, series: SeriesRow, game: OpenGame) -> None:
        # Once more: if the clock has jumped within this turn, the time has not come yet. If that
        # cannot be said now, the next turn locks it.
        if not self._mind_the_clock(lease):
            return
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
