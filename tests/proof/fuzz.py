"""Helpers of `test_fuzz` that other tests use too."""

from random import Random

SCRAPS = [
    b"[", b"]", b"{", b"}", b",", b":", b'"', b"-", b"0", b"81", b"1e9", b"NaN", b"null", b"true",
    b"9" * 40, b"\xff", b"\\ud800", b"@", b"/", b"+", b"A+B", b"R", b" way ", b"$", b".5",
    b"regular", b"twobits", b"sets", b"rate_cents", b"\n", b"=", b"#", b"[limits]", b"1_0", b"'",
]  # fmt: skip


def damaged(chance: Random, document: bytes) -> bytes:
    """Cut, repeat, overwrite or insert, a few times over."""
    for _ in range(chance.randint(1, 6)):
        start = chance.randrange(len(document) + 1)
        end = min(len(document), start + chance.randrange(12))
        insert = chance.choice([b"", document[start:end] * 2, *SCRAPS])
        document = document[:start] + insert + document[end:]
    return document
