"""Several servers, of which one can be written to: nobody waits for one that no longer can.

A server that hangs closes no connection, and as long as its machine lives they all look alive:
whoever waits for its answer would wait for ever, though another has long taken over. So whoever has
waited for some seconds is looked after: a new connection is made, and if that leads to *another*
server, the one that is waited for is not the house's any more, and the line to it is cut.

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
from sqlalchemy.pool import ConnectionPoolEntry

from app.logs import Voice

log = Voice("keno.database")

PATIENCE_SECONDS = 5.0
LOOK_SECONDS = 1.0
SHORT = {"connect_timeout": 2}  # seconds, and the least that the driver knows
PORT = 5432  # where none is said

Connection = psycopg.Connection[Any]
Place = tuple[str, int]


class Line:
    """The line to a server, which can be cut while another thread waits on it."""

    def __init__(self, connection: Connection) -> None:
        self.place: Place = (connection.info.host, connection.info.port)
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
        event.listen(engine, "do_connect", self._prefer_last)
        event.listen(engine, "connect", self._connected)
        event.listen(engine, "checkout", self._given_out)
        event.listen(engine, "checkin", self._given_back)
        event.listen(engine, "close", self._closed)

    def _prefer_last(self, _: object, __: object, ___: object, how: dict[str, Any]) -> None:
        """Ask the server first that was the right one last: another may be away for a day."""
        how |= in_order(how, lambda place: place != self._last)

    def _connected(self, connection: Connection, record: ConnectionPoolEntry) -> None:
        line = record.info[Line] = Line(connection)
        self._last = line.place

    def _given_out(self, _: Connection, record: ConnectionPoolEntry, __: object) -> None:
        with self._lock:
            self._in_use[id(record)] = time.monotonic(), record.info[Line]
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
            self.look()

    def look(self) -> None:
        """Cut the lines on which somebody waits for a server that another has taken over from."""
        if not self._waiting():
            return
        # The one that is waited for is asked first, and not for long: it may hang for this one too.
        how = in_order(self._how, lambda place: place != self._last)
        try:
            with closing(psycopg.connect(**{**self._how, **how, **SHORT})) as connection:
                place = self._last = connection.info.host, connection.info.port
        except psycopg.Error:
            return  # none can be written to now; one will be
        for line in self._waiting():
            if line.place != place:
                log.warning("database.line_cut", waited_for=line.place, written_to=place)
                line.cut()

    def _waiting(self) -> list[Line]:
        """Return the lines that have been in use for some time."""
        since = time.monotonic() - PATIENCE_SECONDS
        with self._lock:
            return [line for begun, line in self._in_use.values() if begun < since]


def in_order(how: Mapping[str, Any], key: Callable[[Place], bool]) -> dict[str, str]:
    """Return hosts and ports of several servers in another order: those with a false key first."""
    hosts, ports = how["host"].split(","), str(how.get("port", "")).split(",")
    if len(ports) == 1:  # for all of them
        ports *= len(hosts)
    servers = zip(hosts, ports, strict=True)
    ordered = sorted(servers, key=lambda each: key((each[0], int(each[1] or PORT))))
    return {
        "host": ",".join(host for host, _ in ordered),
        "port": ",".join(port for _, port in ordered),
    }
