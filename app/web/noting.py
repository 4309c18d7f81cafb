"""What is noted of requests: a line for each act and each refusal, and counts of all.

A line has the route and not the address, in which somebody may have typed anything; the station and
the person by their codes, if they are known; and never what was asked for or answered.
"""

import os
import re
import time
from collections.abc import Callable
from itertools import count

from flask import Flask, Response, g, request

from app import logs
from app.counts import Counts
from app.flow.refusals import No
from app.keno.refusals import Code

log = logs.Voice("keno.web")

# Whose time is watched, by what they are.
ACTS = {"api.sell": "sale", "api.pay": "pay", "api.void": "void"}
# Milliseconds: a sale takes a few, and one that takes seconds is a patron who waits.
BOUNDS = (5, 10, 25, 50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000)
WITHIN, ABOVE, SUM = "within", "above", "microseconds"
REFUSED, ANSWERED = "refused", "answered"
OTHER, FAULT, AWAY = "other", "fault", "database.away"
CODES = (*(each.code for each in (*Code, *No)), FAULT, AWAY, OTHER)
NAMES = (
    *(f"{WITHIN}/{act}/{bound}" for act in ACTS.values() for bound in BOUNDS),
    *(f"{name}/{act}" for act in ACTS.values() for name in (ABOVE, SUM)),
    *(f"{REFUSED}/{code}" for code in CODES),
    *(f"{ANSWERED}/{hundreds}xx" for hundreds in range(1, 6)),
)
REQUEST_ID = "X-Request-Id"
_A_REQUEST_ID = re.compile(r"[A-Za-z0-9._-]{8,40}")
# A ticket by its number; a code is longer, and whoever scans one in its place is not noted so.
_A_TICKET = re.compile(r"[0-9]{1,10}(-[0-9])?")


def install(app: Flask, counts: Counts, counted: Callable[[], int] = time.perf_counter_ns) -> None:
    """Have every request of an application noted."""
    numbers = count(1)

    @app.before_request
    def begin() -> None:
        given = request.headers.get("Idempotency-Key", "")
        made = f"{os.getpid()}-{next(numbers):06}"
        g.began = counted()
        logs.begin(request=given if _A_REQUEST_ID.fullmatch(given) else made)

    @app.after_request
    def end(answer: Response) -> Response:
        answer.headers.setdefault(REQUEST_ID, logs.about().get("request", ""))
        microseconds = (counted() - g.began) // 1_000
        _count(counts, answer.status_code, microseconds)
        _say(answer.status_code, microseconds)
        return answer


def note_refusal(code: str) -> None:
    """Note why this request is refused."""
    g.refused = code


def _count(counts: Counts, status: int, microseconds: int) -> None:
    counts.add(f"{ANSWERED}/{status // 100}xx")
    if (code := g.get("refused")) is not None:
        counts.add(f"{REFUSED}/{code if code in CODES else OTHER}")
    act = ACTS.get(request.endpoint or "")
    if act is not None and status < 400:
        within = next((bound for bound in BOUNDS if microseconds <= bound * 1_000), None)
        counts.add(f"{ABOVE}/{act}" if within is None else f"{WITHIN}/{act}/{within}")
        counts.add(f"{SUM}/{act}", microseconds)


def _say(status: int, microseconds: int) -> None:
    """Say what was done or refused; who only looks is not worth a line."""
    refused = g.get("refused")
    if request.method in ("GET", "HEAD") and refused is None:
        return
    facts: dict[str, object] = {
        "method": request.method,
        "route": "" if request.url_rule is None else request.url_rule.rule,
        "status": status,
        "microseconds": microseconds,
        "from": request.remote_addr,
    }
    number = (request.view_args or {}).get("number")
    if isinstance(number, str) and _A_TICKET.fullmatch(number):
        facts["number"] = number
    if refused is not None:
        facts["code"] = refused
    log.info("request.refused" if refused else "request.done", **facts)
