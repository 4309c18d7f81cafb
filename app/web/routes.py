"""How a route says what it is for, and who asks: a program by headers, a page by cookies.

The flow decides, in the transaction; what a route says here is for people to read and for the test
that walks all routes.

A browser sends cookies by itself, also when a page of somebody else's makes it ask. So a page that
has something done sends a token along that only a page of this house can know.
"""

import hmac
from collections.abc import Callable
from contextlib import suppress
from hashlib import sha256
from typing import TypeVar, cast

from flask import current_app, request

from app.flow.access import Credentials, still_there
from app.flow.office import Office
from app.flow.permissions import Permission
from app.flow.refusals import No, say_no
from app.keno.refusals import Refused

View = TypeVar("View", bound=Callable[..., object])
ANYONE = "anyone"
STATION = "station"
STATION_COOKIE, PERSON_COOKIE = "keno_station", "keno_person"
PAGE_TOKEN, BACKGROUND = "X-Page-Token", "X-Background"
SAFE = ("GET", "HEAD")


def needs(what: Permission | str) -> Callable[[View], View]:
    """Say what a route needs: a permission, an enrolled station, or nothing."""

    def mark(view: View) -> View:
        view.needs = what  # type: ignore[attr-defined]
        return view

    return mark


def office() -> Office:
    """Return the office that this application serves."""
    return cast("Office", current_app.extensions["office"])


def credentials() -> Credentials:
    """Return the two tokens of this request.

    Refuses: a page that is not of this house and would have something done.
    """
    kind, _, token = request.headers.get("Authorization", "").partition(" ")
    if "X-Station" in request.headers or kind == "Bearer":
        by_header = Credentials(
            request.headers.get("X-Station"), token if kind == "Bearer" else None
        )
        if by_header.token is not None and BACKGROUND not in request.headers:
            with suppress(Refused):  # which the act tells, if it needs them
                still_there(office(), by_header)
        return by_header
    by_cookie = page_credentials()
    if by_cookie.token is None:
        if by_cookie.station is not None and request.method not in SAFE:
            check_ours()  # nobody is signed in yet who could have the token of a page
        return by_cookie
    given = request.headers.get(PAGE_TOKEN, "")
    if request.method not in SAFE and not hmac.compare_digest(
        given.encode("utf-8", "replace"), page_token(by_cookie.token).encode()
    ):
        raise say_no(No.NOT_OF_OURS)
    if BACKGROUND not in request.headers:  # what a page asks by itself keeps nobody signed in
        still_there(office(), by_cookie)
    return by_cookie


def check_ours() -> None:
    """Check that a request was sent from a page of ours: a browser says from where it comes.

    By its origin; else by what it says of the site; else by the page that it names. Browsers of
    stations always say one of them.

    Refuses: if it was not, or if nothing is said of it.
    """
    ours = f"{request.scheme}://{request.host}"
    origin, site = request.headers.get("Origin"), request.headers.get("Sec-Fetch-Site")
    if origin is not None:
        is_ours = origin == ours
    elif site is not None:
        is_ours = site == "same-origin"
    else:
        is_ours = request.headers.get("Referer", "").startswith(f"{ours}/")
    if not is_ours:
        raise say_no(No.NOT_OF_OURS)


def page_credentials() -> Credentials:
    """Return the two tokens that a browser keeps."""
    station, person = (
        request.cookies.get(cookie(name)) for name in (STATION_COOKIE, PERSON_COOKIE)
    )
    return Credentials(station, person)


def cookie(name: str) -> str:
    """Return what a cookie is called here: over TLS as one that only this very host can have set.

    A browser takes a name that begins like that over TLS only; on one machine there is none.
    """
    return f"__Host-{name}" if request.is_secure else name


def page_token(person: str) -> str:
    """Return what a page shows to have something done; nobody finds the person's token from it."""
    return sha256(f"keno page {person}".encode("utf-8", "replace")).hexdigest()


def request_id() -> str | None:
    """Return the station's request id of this request."""
    return request.headers.get("Idempotency-Key")
