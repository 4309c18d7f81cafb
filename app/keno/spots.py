"""The eighty numbers, and sets of them (15.2(a)).

A set of numbers is one integer of 80 bits, number n being bit n - 1. Joining groups is `|`,
what a way catches is `(way & draw).bit_count()`.
"""

from collections.abc import Iterable

NUMBERS = 80
DRAWN = 20


def on_the_ticket(number: int) -> bool:
    """Say whether keno is played with this number."""
    return 1 <= number <= NUMBERS


def mask_of(numbers: Iterable[int]) -> int:
    """Return the set of these numbers, each of which is on the ticket."""
    mask = 0
    for number in numbers:
        mask |= 1 << (number - 1)
    return mask
