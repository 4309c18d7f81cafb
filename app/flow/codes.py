"""Validation codes: what only the paper has (X-ticket-validation).

25 digits: the number of the key in two, and 23 digits of an HMAC over the ticket's number and the
leaf of its log entry, which commits to everything that the ticket says. So a code cannot be derived
from a number, a code of another ticket does not fit, and an altered ticket is not the one that the
code is for. Codes are not stored: whoever has the key works them out again.
"""

import hmac

from app.audit.canonical import canonical
from app.flow.keys import Keys
from app.flow.refusals import CODE_DIGITS, No, say_no

DIGITS = CODE_DIGITS
_KEY_DIGITS = 2


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
    if key not in keys.validation:
        raise say_no(No.KEY_NOT_HERE, key=key)
    right = validation_code(keys, key, number, leaf)
    typed = "".join(given.split())
    return hmac.compare_digest(typed.encode("utf-8", "replace"), right.encode())
