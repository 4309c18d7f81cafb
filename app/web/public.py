"""What anyone may read: the public keys, and the program that checks with them."""

from flask import Blueprint, Response, current_app, jsonify, request

from app.audit.verifier import source
from app.flow.see_keys import published_keys
from app.web.routes import ANYONE, needs, office

routes = Blueprint("public", __name__)

STORED = ("/static/", "/log/", "/results.json", "/feed.json")  # which have tags of their own
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; "
    "connect-src 'self'{feed}; frame-ancestors 'none'; base-uri 'none'; form-action 'self'"
)


@routes.get("/keys.json")
@needs(ANYONE)
def keys() -> Response:
    """Return every public key that a check of log and draws needs, in DER."""
    return jsonify(published_keys(office()))


@routes.get("/verifier.py")
@needs(ANYONE)
def verifier() -> Response:
    """Return the program that checks a bundle of the log, for whoever wants to (X-draw-public)."""
    return Response(source(), content_type="text/x-python; charset=utf-8")


def policy(feed: str) -> str:
    """Return what pages may load, and from where: from here, and the live feed."""
    origin = "/".join(feed.split("/")[:3]) if "://" in feed else ""
    return POLICY.format(feed=f" {origin}" if origin else "")


def harden(answer: Response) -> Response:
    """Keep answers from being stored, framed, guessed at, or from loading anything elsewhere."""
    answer.headers.setdefault("Content-Security-Policy", current_app.extensions["policy"])
    answer.headers.setdefault("X-Content-Type-Options", "nosniff")
    answer.headers.setdefault("Referrer-Policy", "same-origin")
    if not request.path.startswith(STORED):
        answer.headers["Cache-Control"] = "no-store"  # whatever a file brought along
    return answer
