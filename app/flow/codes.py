"""Validation codes: what only the paper has (X-ticket-validation).

25 digits: the number of the key in two, and 23 digits of an HMAC over the ticket's number and the
leaf of its log entry, which commits to everything that the ticket says. So a code cannot be derived
from a number, a code of another ticket does not fit, and an altered ticket is not the one that the
code is for. Codes are not stored: whoever has the key works them out again.

Of a mutilated ticket the digits are given that can be read, at their places: `?` for each other.
"""

import hmac
import re

from app.audit.canonical import canonical
from app.flow.keys import Keys
from app.flow.refusals import CODE_DIGITS, No, say_no
from app.keno.payment import READ_LEAST

DIGITS = CODE_DIGITS
UNREAD = "?"
_KEY_DIGITS = 2
_PART = re.compile(rf"[0-9{UNREAD}]{{{DIGITS}}}")


def validation_code(keys: Keys, key: int, number: int, leaf: bytes) -> str:
    """Return the code of a ticket."""
    said = {"label": "keno/validation-code", "version": 1, "number": number, "leaf": leaf.hex()}
    digest = hmac.digest(keys.validation[key], canonical(said), "sha256")
    digits = DIGITS - _KEY_DIGITS
    return f"{key:0{_KEY_DIGITS}d}{int.from_bytes(digest) % 10**digits:0{digits}d}"


def is_code(keys: Keys, given: str, key: int, number: int, leaf: bytes) -> bool:
    """Whether what was scanned or typed is the code of a ticket; spaces do not count.

    Refuses: a ticket of a key that was not brought to this machine.
    """
    _check_key(keys, key)
    right = validation_code(keys, key, number, leaf)
    typed = "".join(given.split())
    return hmac.compare_digest(typed.encode("utf-8", "replace"), right.encode())


def part_of_code(given: str | None) -> str | None:
    """Return the digits of a code that could be read, at their places; none if that is all of it.

    Refuses: what has not a digit or a `?` at each of its places; fewer digits than are enough.
    """
    typed = "".join((given or "").split())
    if UNREAD not in typed:
        return None
    if not _PART.fullmatch(typed):
        raise say_no(No.CODE_PLACES, "code")
    if digits_in(typed) < READ_LEAST:
        raise say_no(No.CODE_UNREADABLE, "code")
    return typed


def digits_in(part: str) -> int:
    """Return how many digits of a code could be read."""
    return DIGITS - part.count(UNREAD)


def places_of(part: str) -> str:
    """Return where digits of a code could be read, and not which they are."""
    return re.sub("[0-9]", "X", part)


def is_part_of_code(keys: Keys, part: str, key: int, number: int, leaf: bytes) -> bool:
    """Whether the digits that could be read are those of a ticket's code at their places.

    Refuses: a ticket of a key that was not brought to this machine.
    """
    _check_key(keys, key)
    right = validation_code(keys, key, number, leaf)
    same = zip(part, right, strict=True)
    wanted = "".join(UNREAD if typed == UNREAD else digit for typed, digit in same)
    return hmac.compare_digest(part.encode(), wanted.encode())


def _check_key(keys: Keys, key: int) -> None:
    if key not in keys.validation:
        raise say_no(No.KEY_NOT_HERE, key=key)
