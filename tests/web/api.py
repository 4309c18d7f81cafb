"""Helpers of `test_api` that other tests use too."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from flask import Flask
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from app.flow.permissions import Permission
from app.web.routes import ANYONE
from tests.floor import MAX, WANDA, Floor, secret_of

SALE = {
    "series": "M",
    "source": "request",
    "request": {"groups": [[4, 8, 15, 16]], "conditioning": "1/4 @ 1.00"},
    "tender": [{"kind": "currency", "cents": 500}],
}

COUNT = {
    "counted": {"currency": 10_000},
    "verifier": {"name": MAX, "secret": secret_of(MAX)},
}

BECAUSE = {"reason": "none"}

BODIES: dict[str, Any] = {
    "/quote": SALE["request"],
    "/tickets": SALE,
    "/drawers": COUNT,
    "/drawers/1/close": COUNT,
    "/drawers/1/fill": {"amounts": {"coin": 100}},
    "/drawers/1/bleed": {"amounts": {"coin": 100}},
    "/drawers/1/suspend": {},
    "/drawers/1/resume": {},
    "/drawers/1/move": {},
    "/drawers/1/explain": {},
    "/tickets/1/present": {},
    "/tickets/1/look-up": {"code": "x"},
    "/tickets/1/lost": {"bought": "x", "surveillance": "x"},
    "/tickets/1/pay-lost": {"check": {"number": "1", "payee": "x"}, **BECAUSE},
    "/days/2026-11-16/close": {},
    "/days/2026-11-16/review": {},
    "/tickets/1/approve": {},
    "/tickets/1/tax-paper": {"game": 1, "name": "x", "taxpayer_number": "x"},
    "/games/M/1/lock": {},
    "/games/M/1/close": BECAUSE,
    "/games/M/1/void": BECAUSE,
    "/staff/disable": {"name": "x"},
    "/staff/standby": {"name": "x", "listed": "yes"},
    "/staff/emergency": {"name": "x"},
    "/stations/disable": {"code": "x"},
    "/stations/renew": {"code": "x"},
    "/tickets/1/reprint": BECAUSE,
    "/papers": {"slip": "test"},
    "/bundles": {"from": "2026-11-16", "to": "2026-11-16"},
    "/reports": {"report": "x", "from": "2026-11-16", "to": "2026-11-16", "format": "pdf"},
    "/spoken": {"line": "1"},
    "/acts/settle": {},
    "/practice": {"request": {"groups": [[1]], "conditioning": "1/1 @ 1"}, "tender": []},
    "/papers/1/printed": {"copy": 0, "printed": "yes"},
    "/papers/1/reprint": BECAUSE,
}

NAMED = {
    "<number>": "1",
    "<drawer>": "1",
    "<series>": "M",
    "<day>": "2026-11-16",
    "<paper>": "1",
    "<job>": "1",
}


@dataclass(frozen=True)
class RouteAct:
    """A route that needs a permission, with a request that is in order."""

    permission: Permission
    method: str
    path: str
    body: Any


def every_act(app: Flask) -> Iterator[RouteAct]:
    """Every route that needs a permission, asked as it should be."""
    for rule in app.url_map.iter_rules():
        permission = getattr(app.view_functions[rule.endpoint], "needs", ANYONE)
        if not isinstance(permission, Permission):
            continue
        path = rule.rule
        for part, value in NAMED.items():
            path = path.replace(part, value)
        body = BODIES.get(path.removeprefix("/api/v1"), {**BECAUSE, "code": "1"})
        (method,) = (rule.methods or set()) & {"GET", "POST"}
        yield RouteAct(permission, method, path, body)


class Station:
    """A work station that speaks to the API."""

    def __init__(self, client: FlaskClient, floor: Floor, code: str = "B1") -> None:
        self._client, self._floor = client, floor
        body = {"code": code, "enrolment": floor.enrolments[code]}
        self.headers = {"X-Station": self.post("stations/enrol", body).json["station_token"]}

    def sign_in(self, name: str = WANDA) -> None:
        token = self.post("sign-in", {"name": name, "secret": secret_of(name)}).json["token"]
        self.headers["Authorization"] = f"Bearer {token}"

    def post(self, path: str, body: object, request: str | None = None) -> "Answered":
        headers = dict(getattr(self, "headers", {}))
        headers["Idempotency-Key"] = request or self._floor.request_id()
        return Answered(self._client.post(f"/api/v1/{path}", json=body, headers=headers))

    def get(self, path: str) -> "Answered":
        return Answered(self._client.get(f"/api/v1/{path}", headers=self.headers))


class Answered:
    """An answer: its status, and what it says."""

    def __init__(self, answer: TestResponse) -> None:
        self.status = answer.status_code
        self.kind = answer.content_type
        self.json: dict[str, Any] = answer.get_json(force=True)
