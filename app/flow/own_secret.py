"""What a secret must be before it is anybody's: not short, not common, not what others guess first.

Everything that is wrong with one is told at once. Its length is looked at before anything else, and
what is too long is not read any further: nobody keeps this machine busy with it (X-access).
"""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from functools import cache
from importlib.resources import files
from itertools import pairwise

from app.flow.refusals import No
from app.keno.refusals import Refusal, refusal

SECRET_LEAST, SECRET_MOST = 12, 128
DIFFERENT_LEAST = 5  # characters of one secret that differ
UNKNOWN_LEAST = 8  # characters that are no part of a name, nor of a word of the house
WORD_LEAST = 3  # a shorter word says nothing
OF_EVERY_HOUSE = ("keno", "ticket", "casino", "writer", "supervisor", "manager")
_SIGNS = re.compile(r"[^a-z]+")
_AROUND = re.compile(r"^[^a-z]+|[^a-z]+$")
_BETWEEN = re.compile(r"[\W_]+")
_LEET = str.maketrans("013457@$!", "oieastasi")


def secret_faults(secret: str, known: Sequence[str] = ()) -> Iterator[Refusal]:
    """Yield all that is wrong with a secret that somebody chooses, or gives.

    Args:
        secret: what is chosen.
        known: names that others would try with this person: theirs, the house's, the station's.
    """
    if len(secret) > SECRET_MOST:
        yield refusal(No.SECRET_LONG, most=SECRET_MOST)
        return
    seen = unicodedata.normalize("NFKC", secret).casefold()
    letters = "".join(seen.split())
    if len(secret) < SECRET_LEAST:
        yield refusal(No.SECRET_SHORT, least=SECRET_LEAST)
    elif len(set(letters)) < DIFFERENT_LEAST or _is_in_a_row(letters):
        yield refusal(No.SECRET_PLAIN, least=DIFFERENT_LEAST)
    if _is_common(seen):
        yield refusal(No.SECRET_COMMON)
    if len(_without(letters, known)) < UNKNOWN_LEAST <= len(letters):
        yield refusal(No.SECRET_OF_HOUSE)


def _is_common(seen: str) -> bool:
    """Whether a secret is a common one: as it is, several times, or with digits and signs added."""
    common = common_secrets()
    plain = "".join(seen.split())
    readings = {seen, plain, _SIGNS.sub("", plain), _AROUND.sub("", plain)}
    readings |= {each.translate(_LEET) for each in readings}
    readings |= {_unit(each) for each in readings}
    return any(each in common for each in readings if len(each) >= WORD_LEAST)


def _unit(text: str) -> str:
    """Return what a text repeats, if it is nothing else several times; else the text."""
    for length in range(1, len(text) // 2 + 1):
        if len(text) % length == 0 and text[:length] * (len(text) // length) == text:
            return text[:length]
    return text


def _is_in_a_row(letters: str) -> bool:
    """Whether each character follows the one before, up or down, as in 123456789012 and abcdef."""
    steps = {ord(after) - ord(before) for before, after in pairwise(letters)}
    return steps <= {1, -9} or steps <= {-1, 9}


def _without(letters: str, known: Sequence[str]) -> str:
    """Return what is left of a secret without the words that others would try first."""
    named = (part for each in known for part in re.split(r"\W+", each.casefold()))
    words = {*OF_EVERY_HOUSE, *named}
    for word in sorted((word for word in words if len(word) >= WORD_LEAST), key=len, reverse=True):
        letters = letters.replace(word, "")
    return _BETWEEN.sub("", letters)


@cache
def common_secrets() -> frozenset[str]:
    """Return the 10,000 secrets that are tried first everywhere."""
    text = files("app.flow").joinpath("common_secrets.txt").read_text("ascii")
    return frozenset(line for line in text.splitlines() if not line.startswith("#"))
