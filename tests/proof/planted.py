"""A reader with a planted fault: five bytes lead to it, one by one.

Blind damage writes each of them often (they are among its scraps), and all five hardly ever.
"""

WHOLE = b"2/2 1/4 @ 1.00"


class Planted(Exception):  # noqa: N818  it is there to be found
    """The fault."""


def read(data: bytes) -> None:
    """Go one step further for each byte that is right, and fail at the end of that way."""
    if (
        data[:1] == b"{"
        and data[1:2] == b"$"
        and data[2:3] == b"\xff"
        and data[3:4] == b"R"
        and data[4:5] == b"#"
    ):
        raise Planted


READERS = {"planted": (lambda: WHOLE, read, ())}
