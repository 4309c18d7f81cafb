"""The public log: its newest checkpoint, its tiles, and its entries as leaves (C2SP tlog-tiles).

Leaves say what kind of thing happened and commit to it; bodies, salts and codes are not here.
"""

import re
import struct

from flask import Blueprint, Response, abort

from app.audit.log_check import public_leaf
from app.audit.tiles import TILE
from app.flow.seal import published_head
from app.keno.money import LARGEST
from app.store.queries import log as queries
from app.web.problems import problem
from app.web.routes import ANYONE, needs, office

routes = Blueprint("log", __name__, url_prefix="/log")

_LEVEL = re.compile(r"[0-9]{1,2}")
_INDEX = re.compile(
    r"(?:x[0-9]{3}/)*[0-9]{3}(?:\.p/(?:[1-9][0-9]?|1[0-9]{2}|2[0-4][0-9]|25[0-5]))?"
)


@routes.get("/", strict_slashes=False)
@routes.get("/checkpoint")
@needs(ANYONE)
def checkpoint() -> Response:
    """Return the newest signed head."""
    note = published_head(office())
    if note is None:
        return problem(503, "log.no_head_yet", "There is no signed head yet; ask again shortly.")
    return Response(note, content_type="text/plain; charset=utf-8")


@routes.get("/tile/entries/<path:index>")
@needs(ANYONE)
def entries(index: str) -> Response:
    """Return a bundle of leaves, each behind its length in two bytes."""
    tile, width = _read_index(index)
    with office().database.reading() as connection:
        found = queries.leaves_between(connection, tile * TILE, tile * TILE + width)
    if len(found) < width or any(entry.is_lost for entry in found):
        abort(404)  # of what was lost with a house only the hash is known
    leaves = [public_leaf(entry) for entry in found]
    return _bytes(b"".join(struct.pack(">H", len(leaf)) + leaf for leaf in leaves))


@routes.get("/tile/<level>/<path:index>")
@needs(ANYONE)
def tile(level: str, index: str) -> Response:
    """Return a tile of the tree: its hashes, one after the other."""
    if not _LEVEL.fullmatch(level):
        abort(404)
    number, width = _read_index(index)
    with office().database.reading() as connection:
        hashes = queries.StoredHashes(connection).run(int(level), number * TILE, width)
    if len(hashes) < width:
        abort(404)
    return _bytes(b"".join(hashes))


def _read_index(index: str) -> tuple[int, int]:
    """Return the number of a tile, written as x001/x234/067, and how much of it is asked for."""
    if not _INDEX.fullmatch(index) or len(index) > 40:
        abort(404)
    text, _, width = index.partition(".p/")
    number = int(text.replace("x", "").replace("/", ""))
    if number * TILE >= LARGEST:  # no log is so large, and no database knows such a number
        abort(404)
    return number, int(width or TILE)


def _bytes(data: bytes) -> Response:
    return Response(data, content_type="application/octet-stream")
