"""Where everybody begins: a browser enrols as a station once, then people sign in and out at it.

Whoever has a secret that somebody else gave them chooses one of their own here first.
"""

import re
from contextlib import suppress

from flask import Blueprint, make_response, redirect, render_template, request, url_for
from werkzeug.wrappers import Response

from app.flow import access
from app.flow.access import Credentials
from app.flow.own_secret import SECRET_LEAST
from app.flow.permissions import FOR
from app.flow.refusals import No, say_no
from app.keno.refusals import Refused
from app.store.queries import house, people
from app.store.queries.people import Worker
from app.web.pages import PLACES, START
from app.web.problems import status_of
from app.web.routes import (
    ANYONE,
    PERSON_COOKIE,
    STATION,
    STATION_COOKIE,
    check_ours,
    cookie,
    needs,
    office,
    page_credentials,
)
from app.web.strangers import now_and_then

routes = Blueprint("sign_in", __name__)
YEARS = 5 * 365 * 24 * 3600
_OURS = re.compile(r"/(writer|supervisor|inspector|regulator)[A-Za-z0-9/_-]*(\?practice)?")


@routes.get("/")
@needs(ANYONE)
def front() -> str | Response:
    """Show where to sign in, or go where whoever is signed in works."""
    who = _worker()
    if who is not None:
        return redirect(_wanted(who))
    return _shown()


@routes.post("/enrol")
@needs(ANYONE)
def enrol() -> str | tuple[str, int] | Response:
    """Have this browser be a work station, with its one-time code."""
    check_ours()
    try:
        code, enrolment = request.form.get("code", ""), request.form.get("enrolment", "")
        with now_and_then():
            token = access.enrol_station(office(), code.strip(), enrolment.strip())
    except Refused as no:
        return _shown(no), status_of(no)
    answer = redirect("/")
    _keep(answer, STATION_COOKIE, token, YEARS)
    return answer


@routes.post("/sign-in")
@needs(STATION)
def sign_in() -> str | tuple[str, int] | Response:
    """Sign a person in at this station."""
    check_ours()
    name, secret = request.form.get("name", ""), request.form.get("secret", "")
    station = page_credentials().station
    try:
        with now_and_then(station):
            signed_in = access.begin_work(office(), station, name.strip(), secret)
    except Refused as no:
        if no.refusals[0].code == No.SECRET_GIVEN.code:
            return _choosing(name, no), status_of(no)
        return _shown(no), status_of(no)
    now = Credentials(station, signed_in.token)
    wanted = _wanted(access.who_is_signed_in(office(), now))
    answer: Response = redirect(wanted)
    if signed_in.ended:
        answer = make_response(_shown(ended=signed_in.ended, wanted=wanted))
    _keep(answer, PERSON_COOKIE, signed_in.token)
    return answer


@routes.post("/sign-ins/<which>/end")
@needs(STATION)
def end_sign_in(which: str) -> Response:
    """End one of one's own sign-ins, from the page for one's own secret."""
    check_ours()
    with suppress(Refused):  # it has ended
        access.end_own_sign_in(office(), page_credentials(), which)
    return redirect(url_for("sign_in.own_secret"))


@routes.get("/secret")
@needs(ANYONE)
def own_secret() -> str:
    """Show where a person chooses a secret of their own; a browser that is no station enrols."""
    return _choosing() if access.is_at_station(office(), page_credentials().station) else _shown()


@routes.post("/secret")
@needs(STATION)
def choose_secret() -> tuple[str, int] | Response:
    """Have a person choose a secret of their own; they sign in with it then."""
    check_ours()
    name, secret, new, again = (
        request.form.get(field, "") for field in ("name", "secret", "new", "again")
    )
    station = page_credentials().station
    try:
        if new != again:
            raise say_no(No.SECRETS_DIFFER)
        with now_and_then(station):
            access.choose_secret(office(), station, name.strip(), secret, new)
    except Refused as no:
        return _choosing(name, no), status_of(no)
    return redirect(url_for("sign_in.front", chosen="", next=request.args.get("next") or None))


@routes.post("/sign-out")
@needs(STATION)
def sign_out() -> Response:
    """Sign the person out who is signed in here."""
    check_ours()
    answer = redirect("/")
    answer.delete_cookie(cookie(PERSON_COOKIE), secure=request.is_secure, httponly=True)
    with suppress(Refused):  # they were already
        access.sign_out(office(), page_credentials())
    return answer


def _worker() -> Worker | None:
    """Return who is signed in at this browser."""
    try:
        return access.who_is_signed_in(office(), page_credentials())
    except Refused:
        return None


def _wanted(who: Worker) -> str:
    """Return where somebody wants to go, of our own pages; else where their role begins."""
    path = request.args.get("next", "")
    start = START[who.role.value]
    if not _OURS.fullmatch(path):
        return start
    for place, _, permission in PLACES:
        if path.startswith(place) and who.role not in FOR[permission]:
            return start
    return path


def _choosing(name: str = "", no: Refused | None = None) -> str:
    """Return the page on which a person chooses a secret; of all that was typed the name stays."""
    mine: list[dict[str, object]] = []
    with suppress(Refused):  # nobody is signed in
        mine = access.own_sign_ins(office(), page_credentials())
    return _shown(no, choosing=True, name=name.strip(), mine=mine)


def _shown(no: Refused | None = None, **more: object) -> str:
    """Return the page on which a station enrols or a person signs in."""
    token = page_credentials().station or ""
    with office().database.reading() as connection:
        station = people.station_with(connection, access.digest(token))
        boards = house.series_names(connection)
    return render_template(
        "sign_in.html",
        station=station,
        boards=boards,
        next=request.args.get("next", ""),
        refusal=None if no is None else " ".join(each.message for each in no.refusals),
        has_chosen="chosen" in request.args,
        least=SECRET_LEAST,
        **more,
    )


def _keep(answer: Response, name: str, token: str, seconds: int | None = None) -> None:
    """Have the browser keep a token where no script reads it, for pages of ours only."""
    answer.set_cookie(
        cookie(name),
        token,
        max_age=seconds,
        httponly=True,
        samesite="Strict",
        secure=request.is_secure,
    )
