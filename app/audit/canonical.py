"""One byte form for everything that is hashed: RFC 8785, canonical JSON.

Bodies of the log hold objects with ASCII names, lists, text, whole numbers within 2^53, true, false
and null, and nothing else. For these Python's own writer already gives the bytes of RFC 8785.
"""

import json
from collections.abc import Iterable

LARGEST = 2**53 - 1
_WRITER = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), sort_keys=True)


def canonical(value: object) -> bytes:
    """Return the one byte form of a value; one that has none is a defect of ours.

    Raises:
        ValueError: it holds something that the form does not have.
    """
    _check(value)
    return _WRITER.encode(value).encode()


def _check(value: object) -> None:
    match value:
        case None | bool() | str():
            return
        case int():
            if not -LARGEST <= value <= LARGEST:
                raise ValueError("a whole number is beyond 2^53 - 1")
        case list() | tuple():
            _check_all(value)
        case dict():
            for name in value:
                if not isinstance(name, str) or not name.isascii():
                    raise ValueError("a name is not ASCII text")
            _check_all(value.values())
        case _:
            raise ValueError(f"{type(value).__name__} has no canonical form")


def _check_all(values: Iterable[object]) -> None:
    """Check values, most of which are plain numbers and texts: every sale waits for this."""
    for value in values:
        if type(value) is str or (type(value) is int and -LARGEST <= value <= LARGEST):
            continue
        _check(value)
