"""Helpers of `test_sign_in` that other tests use too."""

from typing import TYPE_CHECKING

from flask import Flask

from app.web.routes import PERSON_COOKIE, page_token
from tests.floor import Floor, secret_of

if TYPE_CHECKING:
    from flask.testing import FlaskClient

HTML = {"Accept": "text/html"}


OURS = "http://localhost"


def ours(app: Flask) -> "FlaskClient":
    """A client that says of what it sends that it is from a page of the house, as browsers do."""
    client = app.test_client()
    client.environ_base["HTTP_ORIGIN"] = OURS
    return client


class Browser:
    """A browser at a station."""

    def __init__(self, app: Flask, floor: Floor, station: str = "B1") -> None:
        self.client: FlaskClient = ours(app)
        form = {"code": station, "enrolment": floor.enrolments[station]}
        assert self.client.post("/enrol", data=form).location == "/"

    def sign_in(self, name: str, path: str = "/sign-in") -> str | None:
        form = {"name": name, "secret": secret_of(name)}
        return self.client.post(path, data=form).location

    @property
    def token(self) -> str:
        kept = self.client.get_cookie(PERSON_COOKIE)
        return page_token(kept.value) if kept else ""
