"""The text of the generator's slips: what a holder compares with the screen."""

from rng.core.records import DrawRecord, VoidRecord
from rng.core.signing import document_hash

_WIDTH = 42
_A_ROW = 10


def short_hash(full: str) -> str:
    """Return the first 80 bits of a hash, in groups that can be read aloud."""
    return " ".join(full[start : start + 4] for start in range(0, 20, 4))


def draw_slip(record: DrawRecord, at: str, *, reprint: bool) -> bytes:
    """Return the slip of a drawn game: its numbers as drawn and in order."""
    drawn = record["numbers"]
    rows = [drawn[start : start + _A_ROW] for start in range(0, len(drawn), _A_ROW)]
    ordered = sorted(drawn)
    in_order = [ordered[start : start + _A_ROW] for start in range(0, len(ordered), _A_ROW)]
    return _slip(
        record,
        "DRAWN",
        at,
        ["As drawn:", *map(_row, rows), "In order:", *map(_row, in_order)],
        reprint=reprint,
    )


def void_slip(record: VoidRecord, at: str, *, reprint: bool) -> bytes:
    """Return the slip of a void game."""
    return _slip(record, "VOID", at, ["No numbers were drawn."], reprint=reprint)


def _slip(
    record: DrawRecord | VoidRecord, word: str, at: str, rows: list[str], *, reprint: bool
) -> bytes:
    lines = [
        "=" * _WIDTH,
        *(["*** REPRINT ***".center(_WIDTH).rstrip()] if reprint else []),
        record["house"],
        record["jurisdiction"],
        f"GAME {record['series']}-{record['game']}  {word}",
        f"Printed {at}",
        *rows,
        f"Record {short_hash(document_hash(record))}",
        f"Before {short_hash(record['previous'])}",
        "",
    ]
    return "\n".join(lines).encode()


def _row(numbers: list[int]) -> str:
    return "".join(f"{number:4d}" for number in numbers)
