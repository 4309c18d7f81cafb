"""One byte form for everything that is hashed or signed: RFC 8785, canonical JSON.

Only a part of JSON is allowed, so that nothing is left to taste: objects with ASCII names, arrays,
text, whole numbers within 2^53, true, false and null. There are no fractions. For this part
Python's own writer already gives the bytes of RFC 8785: names sorted (ASCII, so code points and
UTF-16 units agree), no spaces, the short escapes, everything else as it is in UTF-8.
"""

import json
from typing import Any, cast

WHOLE_MAX = 2**53 - 1

_PLAIN = frozenset({str, bool, type(None)})
_CONTAINERS = frozenset({dict, list, tuple})
_KINDS = _PLAIN | _CONTAINERS | {int}
_WRITER = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), sort_keys=True)


class NotCanonical(Exception):  # noqa: N818  what was offered is refused; nothing of ours failed
    """The value or the bytes have no canonical form here, or are not in it."""


def canonical(value: object) -> bytes:
    """Return the one byte form of a value.

    Raises:
        NotCanonical: it holds something that the form does not have.
    """
    try:
        data = _WRITER.encode(value).encode()
    except UnicodeEncodeError:
        raise NotCanonical("a text holds half of a surrogate pair") from None
    except (TypeError, ValueError, RecursionError) as fault:
        raise NotCanonical(f"it has no canonical form: {fault}") from None
    _check(value)
    return data


def read_json(data: bytes) -> object:
    """Return the value of JSON in any form, without fractions and halves of surrogate pairs.

    Raises:
        NotCanonical: it is not JSON, or holds a fraction or half of a surrogate pair.
    """
    try:
        value = _read(data.decode())
    except (ValueError, RecursionError) as fault:
        raise NotCanonical(f"not JSON: {fault}") from None
    if b"\\u" in data:  # only an escape can hide half of a pair
        canonical(value)
    return value


def read_canonical(data: bytes) -> object:
    """Return the value of canonical bytes.

    Raises:
        NotCanonical: they are not JSON, or not the one form of their value.
    """
    value = read_json(data)
    # A name that stands twice, a space, another order or another escape all end here.
    if canonical(value) != data:
        raise NotCanonical("JSON, but not in the canonical form")
    return value


def _check(value: object) -> None:
    """Check every value within a value; that it has an end, the writer has found out before."""
    waiting: list[Any] = [[value]]
    while waiting:
        inner = waiting.pop()
        if type(inner) is dict:
            _check_names(inner)
            inner = inner.values()
        if not set(map(type, inner)) <= _PLAIN:  # most are, and then there is nothing to look at
            waiting += [item for item in inner if _is_container(item)]


def _is_container(item: object) -> bool:
    """Whether there is more to check within an item, having checked the item itself."""
    kind = type(item)
    if kind is int and not -WHOLE_MAX <= cast("int", item) <= WHOLE_MAX:
        raise NotCanonical("a whole number is beyond 2^53 - 1")
    if kind not in _KINDS:
        raise NotCanonical(f"{kind.__name__} has no canonical form")
    return kind in _CONTAINERS


def _check_names(fields: dict[str, object]) -> None:
    try:
        is_ascii = "".join(fields).isascii()
    except TypeError:  # the writer would have made text of a number
        is_ascii = False
    if not is_ascii:
        raise NotCanonical("a name is not ASCII text")


def _no_fractions(text: str) -> object:
    raise NotCanonical(f"{text} is not a whole number")


_read = json.JSONDecoder(parse_float=_no_fractions, parse_constant=_no_fractions).decode
