"""One byte form for everything that is hashed or signed: RFC 8785, canonical JSON.

Only a part of JSON is allowed, so that nothing is left to taste: objects with ASCII names, arrays,
text, whole numbers within 2^53, true, false and null. There are no fractions. For this part
Python's own writer already gives the bytes of RFC 8785: names sorted (ASCII, so code points and
UTF-16 units agree), no spaces, the short escapes, everything else as it is in UTF-8.
"""

import json

WHOLE_MAX = 2**53 - 1
DEPTH_MAX = 32
_WRITER = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), sort_keys=True)


class NotCanonical(Exception):  # noqa: N818  what was offered is refused; nothing of ours failed
    """The value or the bytes have no canonical form here, or are not in it."""


def canonical(value: object) -> bytes:
    """Return the one byte form of a value.

    Raises:
        NotCanonical: it holds something that the form does not have.
    """
    _check(value, DEPTH_MAX)
    try:
        return _WRITER.encode(value).encode()
    except UnicodeEncodeError:
        raise NotCanonical("a text holds half of a surrogate pair") from None


def read_canonical(data: bytes) -> object:
    """Return the value of canonical bytes.

    Raises:
        NotCanonical: they are not JSON, or not the one form of their value.
    """
    try:
        value: object = json.loads(
            data.decode(), parse_float=_no_fractions, parse_constant=_no_fractions
        )
    except (ValueError, RecursionError) as fault:
        raise NotCanonical(f"not JSON: {fault}") from None
    # A name that stands twice, a space, another order or another escape all end here.
    if canonical(value) != data:
        raise NotCanonical("JSON, but not in the canonical form")
    return value


def _check(value: object, depth: int) -> None:
    if value is None or isinstance(value, bool | str):
        return
    if isinstance(value, int):
        if abs(value) > WHOLE_MAX:
            raise NotCanonical("a whole number is beyond 2^53")
    elif not depth:
        raise NotCanonical("nested too deep")
    elif isinstance(value, dict):
        for name, item in value.items():
            if not (isinstance(name, str) and name.isascii()):
                raise NotCanonical("a name is not ASCII text")
            _check(item, depth - 1)
    elif isinstance(value, list | tuple):
        for item in value:
            _check(item, depth - 1)
    else:
        raise NotCanonical(f"{type(value).__name__} has no canonical form")


def _no_fractions(text: str) -> object:
    raise NotCanonical(f"{text} is not a whole number")
