"""A ticket's number as it is printed: the number and a check digit, as 1234-0.

The check digit is Damm's: it finds every single wrong digit and every swap of two neighbours,
which are the mistakes that people make when they type a number from paper.
"""

import re

# A totally anti-symmetric quasigroup of order ten (H. Michael Damm, 2004).
_TABLE = (
    (0, 3, 1, 7, 5, 9, 8, 6, 4, 2),
    (7, 0, 9, 2, 1, 5, 4, 8, 6, 3),
    (4, 2, 0, 6, 8, 7, 1, 3, 5, 9),
    (1, 7, 5, 0, 9, 8, 3, 4, 2, 6),
    (6, 1, 2, 3, 0, 4, 5, 9, 7, 8),
    (3, 6, 7, 4, 2, 0, 9, 5, 8, 1),
    (5, 8, 6, 9, 7, 2, 0, 1, 3, 4),
    (8, 9, 4, 5, 3, 6, 2, 0, 1, 7),
    (9, 4, 3, 8, 6, 1, 7, 2, 0, 5),
    (2, 5, 8, 1, 4, 3, 6, 7, 9, 0),
)
_PRINTED = re.compile(r"([1-9][0-9]{0,14})-([0-9])")
_PLAIN = re.compile(r"[1-9][0-9]{0,14}")


def check_digit(number: int) -> int:
    """Return the check digit of a number."""
    interim = 0
    for digit in str(number):
        interim = _TABLE[interim][int(digit)]
    return interim


def printed_number(number: int) -> str:
    """Return a ticket's number as it stands on the paper."""
    return f"{number}-{check_digit(number)}"


def read_number(text: str) -> int | None:
    """Return the number that somebody typed, with its check digit or without; None if none."""
    if _PLAIN.fullmatch(text):
        return int(text)
    if (printed := _PRINTED.fullmatch(text)) is None:
        return None
    number = int(printed[1])
    return number if check_digit(number) == int(printed[2]) else None
