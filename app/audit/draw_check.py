"""A kept draw checked again, as anybody could: from public keys alone (X-draw-public).

Also that every place which tells of it tells the same: the row, the signed record, and the entry of
the log; and that its record follows the one before it.
"""

import json
from collections.abc import Mapping

from app.store.queries.draws import DrawRow
from rng.lab.verify import Wrong, verify_against_statement, verify_void


def fault_of(draw: DrawRow, keys: Mapping[str, str]) -> str | None:
    """Return the first thing that is wrong with a draw or a void; none if it verifies.

    Args:
        draw: all that is kept of it.
        keys: the public keys of the house by their names.
    """
    if not keys:
        return "there are no public keys to check it with"
    try:
        _check_signed(draw, keys)
        return _told_otherwise(draw)
    except Wrong as found:
        return str(found)
    except (AttributeError, LookupError, TypeError, ValueError) as odd:
        return f"what is kept of it cannot be read: {odd!r}"


def _check_signed(draw: DrawRow, keys: Mapping[str, str]) -> None:
    if draw.numbers is None:
        verify_void(draw.document, keys)
    else:
        statement = None if draw.request is None else draw.request["statement"]
        verify_against_statement(draw.document, statement, keys)


def _told_otherwise(draw: DrawRow) -> str | None:
    """Return where something else is told of a draw than in its signed record."""
    record, entry = draw.document["record"]["body"], json.loads(draw.body)
    if (record["series"], record["game"]) != (draw.series, draw.game):
        return "the record is that of another game"
    if record.get("numbers") != draw.numbers:
        return "the numbers kept beside the record are others"
    if (entry.get("series"), entry.get("game")) != (draw.series, draw.game):
        return "its entry in the log is about another game"
    if entry.get("numbers") != draw.numbers or entry.get("record") != draw.record.hex():
        return "its entry in the log tells of another draw"
    if draw.before is not None and record["previous"] != draw.before.hex():
        return "the record does not follow the one before it"
    return None
