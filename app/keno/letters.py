"""How the groups of a ticket are named: A to Z, then AA, AB and so on.

The letters follow the order in which the groups stand on the request, kings last.
"""

from collections.abc import Iterable

ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


def letter(group: int) -> str:
    """Return the name of the group at this place, counted from 0."""
    if group < len(ALPHABET):
        return ALPHABET[group]
    return letter(group // len(ALPHABET) - 1) + ALPHABET[group % len(ALPHABET)]


def group_named(name: str) -> int:
    """Return the place of the group with this name; the inverse of `letter`."""
    place = 0
    for character in name:
        place = place * len(ALPHABET) + ALPHABET.index(character) + 1
    return place - 1


def set_name(groups: Iterable[int]) -> str:
    """Return how groups played together are written: A+B."""
    return "+".join(letter(group) for group in groups)
