"""How a route says what it is for: a permission of the flow, or that anyone may ask.

The flow decides, in the transaction; what a route says here is for people to read and for the test
that walks all routes.
"""

from collections.abc import Callable
from typing import TypeVar, cast

from flask import current_app, request

from app.flow.access import Credentials
from app.flow.office import Office
from app.flow.permissions import Permission

View = TypeVar("View", bound=Callable[..., object])
ANYONE = "anyone"
STATION = "station"


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
    """Return the two tokens of this request."""
    kind, _, token = request.headers.get("Authorization", "").partition(" ")
    return Credentials(request.headers.get("X-Station"), token if kind == "Bearer" else None)


def request_id() -> str | None:
    """Return the station's request id of this request."""
    return request.headers.get("Idempotency-Key")
