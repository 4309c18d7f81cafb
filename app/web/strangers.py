"""How often somebody may try who is at no work station of the house.

Each try is kept in the log, for years: what anyone can send must not fill it (X-audit-log). The
stations of the house are not slowed down by them; each has tries of its own (`app.flow.access`).
"""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta

from flask import Flask, current_app, request

from app.flow.access import is_at_station
from app.flow.refusals import No, say_no
from app.flow.throttle import Throttle
from app.keno.refusals import Refused
from app.web.routes import office

TRIES, ONE_IN = 30, timedelta(seconds=20)


def install(app: Flask) -> None:
    """Give an application a throttle of its own."""
    app.extensions["strangers"] = Throttle(TRIES, ONE_IN)


@contextmanager
def now_and_then(station: str | None = None) -> Iterator[None]:
    """Let somebody try, who is at this station or at none; at none only now and then.

    Refuses: too many wrong tries from one address.
    """
    if is_at_station(office(), station):
        yield
        return
    throttle: Throttle = current_app.extensions["strangers"]
    at, address = office().now(), request.remote_addr
    if not throttle.take(address, at):
        raise say_no(No.TOO_MANY_TRIES)
    was_wrong = False
    try:
        yield
    except Refused:
        was_wrong = True
        raise
    finally:
        if not was_wrong:
            throttle.give_back(address, at)
