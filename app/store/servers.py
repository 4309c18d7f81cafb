"""Several servers, of which one can be written to: nobody waits for one that no longer can.

A server that hangs closes no connection, and as long as its machine lives they all look alive:
whoever waits for its answer would wait for ever, though another has long taken over. So whoever has
waited for some seconds is looked after: each server is asked by a new connection, and if *another*
one counts, the one that is waited for is not the house's any more, and the line to it is cut.

Two can be written to at once: where only Patroni died, its PostgreSQL lives on beside the one that
was promoted, and every commit there waits for a standby that has gone. PostgreSQL counts how often
a server was promoted, in its *timeline*; the one with the highest counts. Whoever has once seen a
timeline never works on a lower one again, if only to read: it lacks what was sold since. (A house
that is restored under an older timeline is a house that is started anew.)

No time-out does this: an act on the server that can be written to may take as long as it takes. The
line is cut on this side, and nothing is cancelled on the other. What was being committed there is
unknown, and is looked for on the server that counts (X-recovery, X-ticket-exactly-once).
"""

import os
import socket
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import closing, suppress
from typing import Any

import psycopg
from sqlalchemy import Engine, event
from sqlalchemy.exc import InvalidatePoolError
from sqlalchemy.pool import ConnectionPoolEntry

from app.logs import Voice

log = Voice("keno.database")

PATIENCE_SECONDS = 5.0
LOOK_SECONDS = 1.0
SHORT = {"connect_timeout": 2}  # seconds, and the least that the driver knows
ASK_SECONDS = 2.0  # that a server is waited for which has taken the connection
PORT = 5432  # where none is said
# Of what is written now: the last checkpoint may be from before the server was promoted.
TIMELINE = (
    "SELECT CASE WHEN pg_is_in_recovery() THEN '0'"
    " ELSE left(pg_walfile_name(pg_current_wal_lsn()), 8) END"
)

Connection = psycopg.Connection[Any]
Place = tuple[str, int]


class Line:
    """The line to a server, which can be cut while another thread waits on it."""

    def __init__(self, connection: Connection, timeline: int = 0) -> None:
        self.place: Place = (connection.info.host, connection.info.port)
        self.timeline = timeline
        # A handle of our own: the driver's could be another connection's by the time it is used.
        self._socket = socket.socket(fileno=os.dup(connection.fileno()))

    def cut(self) -> None:
        """Cut it."""
        with suppress(OSError):  # it is closed already
            self._socket.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        """Let go of it."""
        self._socket.close()


class Servers:
    """Looks after whoever waits on the connections of a pool."""

    def __init__(self, engine: Engine, how: Mapping[str, Any]) -> None:
        """Prepare to look.

        Args:
            engine: whose connections are looked after.
            how: a connection is made, to the server that can be written to.
        """
        self._how = how
        self._in_use: dict[int, tuple[float, Line]] = {}
        self._lock = threading.Lock()
        self._looking: threading.Thread | None = None
        self._last: Place | None = None  # which could be written to
        self._timeline = 0  # of that one, and the highest that was seen
        event.listen(engine, "do_connect", self._prefer_last)
        event.listen(engine, "connect", self._connected)
        event.listen(engine, "checkout", self._given_out)
        event.listen(engine, "checkin", self._given_back)
        event.listen(engine, "close", self._closed)

    def _prefer_last(self, _: object, __: object, ___: object, how: dict[str, Any]) -> None:
        """Ask the server first that was the right one last: another may be away for a day."""
        how |= in_order(how, lambda place: place != self._last)

    def _connected(self, connection: Connection, record: ConnectionPoolEntry) -> None:
        line = record.info[Line] = Line(connection, _timeline(connection))
        if not self._counts(line.timeline, line.place):
            self._closed(connection, record)
            connection.close()
            raise psycopg.OperationalError(f"{line.place} was taken over from")

    def _counts(self, timeline: int, place: Place) -> bool:
        """Note a server that can be written to; whether it counts."""
        with self._lock:
            if timeline < self._timeline:
                return False
            self._last, self._timeline = place, timeline
            return True

    def _given_out(self, _: Connection, record: ConnectionPoolEntry, __: object) -> None:
        line = record.info[Line]
        if line.timeline < self._timeline:
            raise InvalidatePoolError  # it is made anew, and so is every other that is as old
        with self._lock:
            self._in_use[id(record)] = time.monotonic(), line
            if self._looking is None:  # not before it is needed: a server of pages forks
                self._looking = threading.Thread(target=self._run, name="servers", daemon=True)
                self._looking.start()

    def _given_back(self, _: Connection | None, record: ConnectionPoolEntry) -> None:
        with self._lock:
            self._in_use.pop(id(record), None)

    def _closed(self, _: Connection, record: ConnectionPoolEntry) -> None:
        line = record.info.pop(Line, None)
        if line is not None:
            line.close()

    def _run(self) -> None:
        while True:
            time.sleep(LOOK_SECONDS)
            try:
                self.look()
            except Exception:
                # As if no descriptor were free: whoever waits is looked after in a second, or never
                # again if nobody looked any more.
                log.exception("database.not_looked")

    def look(self) -> None:
        """Cut the lines on which somebody waits for a server that another has taken over from."""
        if not self._waiting():
            return
        found = [each for place in _places(self._how) if (each := self._asked(*place)) is not None]
        # Where two are of one timeline, the one that was right last stays it. If none answers, none
        # can be written to now; one will be.
        for timeline, place in sorted(found, key=lambda each: (each[0], each[1] == self._last)):
            self._counts(timeline, place)
        for line in self._waiting():
            if line.place != self._last or line.timeline < self._timeline:
                log.warning("database.line_cut", waited_for=line.place, written_to=self._last)
                line.cut()

    def _asked(self, host: str, port: int) -> tuple[int, Place] | None:
        """Return the timeline of a server that can be written to; none if it cannot, or hangs."""
        how = {**self._how, "host": host, "port": port, **SHORT}
        try:
            with closing(psycopg.connect(**how)) as connection, closing(Line(connection)) as line:
                hangs = threading.Timer(ASK_SECONDS, line.cut)
                hangs.start()
                try:
                    return _timeline(connection), line.place
                finally:
                    hangs.cancel()
        except psycopg.Error:
            return None

    def _waiting(self) -> list[Line]:
        """Return the lines that were in use for some time, and those to who was taken over from."""
        since = time.monotonic() - PATIENCE_SECONDS
        with self._lock:
            return [
                line
                for begun, line in self._in_use.values()
                if begun < since or line.timeline < self._timeline
            ]


def _timeline(connection: Connection) -> int:
    row = connection.execute(TIMELINE).fetchone()
    connection.rollback()
    return 0 if row is None else int(row[0], 16)


def in_order(how: Mapping[str, Any], key: Callable[[Place], bool]) -> dict[str, str]:
    """Return hosts and ports of several servers in another order: those with a false key first."""
    ordered = sorted(_places(how), key=key)
    return {
        "host": ",".join(host for host, _ in ordered),
        "port": ",".join(str(port) for _, port in ordered),
    }


def _places(how: Mapping[str, Any]) -> list[Place]:
    """Return where the servers are that an address names."""
    hosts, ports = how["host"].split(","), str(how.get("port", "")).split(",")
    if len(ports) == 1:  # for all of them
        ports *= len(hosts)
    return [(host, int(port or PORT)) for host, port in zip(hosts, ports, strict=True)]
