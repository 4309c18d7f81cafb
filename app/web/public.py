"""What anyone may read: the front page, the public keys, and how the process is doing."""

import sqlite3

from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from flask import Blueprint, Response, jsonify, render_template, request

from app.store.queries import games, log, outcomes
from app.store.schema import Away, newest_revision, revision_of
from app.web.problems import problem
from app.web.routes import ANYONE, needs, office

routes = Blueprint("public", __name__)

GAMES_SHOWN = 12
SAFE_SQLITE = (3, 51, 3)
POLICY = "default-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'self'"


@routes.get("/")
@needs(ANYONE)
def front() -> str:
    """Show the house, its newest games with their numbers, and the newest seal."""
    here = office()
    with here.database.reading() as connection:
        newest = games.newest_games(connection, GAMES_SHOWN)
        drawn = outcomes.newest_results(connection, GAMES_SHOWN)
        note = log.newest_checkpoint(connection)
    numbers = {(result.series, result.game): sorted(result.numbers or []) for result in drawn}
    return render_template("front.html", house=here.house, games=newest, numbers=numbers, note=note)


@routes.get("/keys.json")
@needs(ANYONE)
def keys() -> Response:
    """Return every public key that a check of log and draws needs, in DER."""
    public = office().keys.log.public_key()
    der = public.public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)
    keyed = office().keyed
    known = keyed.public_keys() if keyed else {}
    return jsonify(known | {"log": der.hex(), "log_origin": office().house.log_origin})


@routes.get("/healthz")
@needs(ANYONE)
def health() -> Response:
    """Say that the process is there."""
    return jsonify(status="ok")


@routes.get("/readyz")
@needs(ANYONE)
def ready() -> Response:
    """Say whether it can work: the database answers, and is the one this software is for."""
    try:
        found, wanted = revision_of(office().database), newest_revision()
    except Away:
        return problem(503, "database.away", "The database does not answer.")
    if found != wanted:
        return problem(503, "database.other_revision", f"The database is at {found}, not {wanted}.")
    if office().find_house() is None:
        return problem(503, "house.not_founded", "The house was not founded yet.")
    return jsonify(status="ready", **_database())


def _database() -> dict[str, str]:
    """Say which database it is; an SQLite that can lose pages to a race of checkpoints is told of.

    Up to 3.51.2 two connections that write and checkpoint at the same moment can damage the file.
    """
    if not office().database.is_sqlite:
        return {"database": "postgresql"}
    known = {"database": "sqlite", "version": sqlite3.sqlite_version}
    if sqlite3.sqlite_version_info < SAFE_SQLITE:
        return known | {
            "warning": "SQLite is older than 3.51.3; use it for trying things out only."
        }
    return known


def harden(answer: Response) -> Response:
    """Keep answers from being stored, framed, guessed at, or from loading anything elsewhere."""
    answer.headers.setdefault("Content-Security-Policy", POLICY)
    answer.headers.setdefault("X-Content-Type-Options", "nosniff")
    answer.headers.setdefault("Referrer-Policy", "no-referrer")
    if request.path.startswith("/api/"):
        answer.headers.setdefault("Cache-Control", "no-store")
    return answer
