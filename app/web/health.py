"""How this process and the house are doing, for programs that watch them.

Anyone may ask whether the process is there and whether it can work, and is told yes or no. The rest
is for whoever watches the house: a program on this machine, or one that shows the token of the
settings. It is not for patrons, nor for pages.
"""

import hmac
from dataclasses import dataclass
from ipaddress import ip_address
from pathlib import Path
from typing import cast

from flask import Blueprint, Flask, Response, current_app, jsonify, request

from app.counts import Counts, read_counts
from app.flow.ready import look_ready
from app.flow.see_figures import see_figures
from app.metrics import CONTENT_TYPE, metrics_text
from app.web.figures import all_figures
from app.web.problems import problem
from app.web.routes import ANYONE, needs, office

routes = Blueprint("health", __name__)

# A request that has one of these came by way of another machine, or of a proxy on this one.
PASSED_ON = ("X-Forwarded-For", "X-Forwarded-Host", "X-Real-Ip", "Forwarded", "Via")


@dataclass(frozen=True)
class Watched:
    """What this process counts, where the others leave their counts, and who may ask for them."""

    counts: Counts
    folder: Path | None = None
    token: str | None = None


def install(app: Flask, watched: Watched) -> None:
    """Have an application know what it counts."""
    app.extensions["watched"] = watched


def watched() -> Watched:
    """Return what this application counts."""
    return cast("Watched", current_app.extensions["watched"])


@routes.get("/healthz")
@needs(ANYONE)
def health() -> Response:
    """Say that the process is there; nothing else is looked at."""
    return jsonify(status="ok")


@routes.get("/readyz")
@needs(ANYONE)
def ready() -> Response:
    """Say whether this process can work, and to those who watch it why not."""
    found = look_ready(office())
    if found.code is not None:
        why = found.why if may_watch() else "This process cannot work now."
        return problem(503, found.code, why)
    return jsonify(status="ready", **(found.facts if may_watch() else {}))


@routes.get("/metrics")
@needs(ANYONE)
def metrics() -> Response:
    """Return all figures, to those who watch the house; for anybody else there is no such page."""
    if not may_watch():
        return problem(404, "http.not_found", "Not Found")
    here = watched()
    counted = [here.counts.read()] if here.folder is None else read_counts(here.folder)
    figures = all_figures(see_figures(office(), [current_app.extensions["reports"]]), counted)
    return Response(metrics_text(figures), content_type=CONTENT_TYPE)


def may_watch() -> bool:
    """Whether whoever asks watches the house.

    If there is a token, only by it; else from this machine, and not by way of a proxy: behind one
    everybody would seem to be here.
    """
    token = watched().token
    if token is not None:
        given = request.headers.get("Authorization", "").encode("utf-8", "replace")
        return hmac.compare_digest(given, f"Bearer {token}".encode())
    if any(name in request.headers for name in PASSED_ON):
        return False
    try:
        return ip_address(request.remote_addr or "").is_loopback
    except ValueError:
        return False
