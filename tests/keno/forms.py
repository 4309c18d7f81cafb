"""Request forms as the example tables write them: `1-4 / 5,7 / (9)`."""

import re


def numbers(text: str) -> tuple[int, ...]:
    """Read `1-4, 9` as 1, 2, 3, 4, 9."""
    found: list[int] = []
    for first, last in re.findall(r"(\d+)(?:-(\d+))?", text):
        found += range(int(first), int(last or first) + 1)
    return tuple(found)


def groups(text: str) -> tuple[tuple[int, ...], ...]:
    """Read groups apart by a slash, kings in brackets."""
    return tuple(numbers(part) for part in text.split("/"))


def draw_with(caught: tuple[int, ...], marked: tuple[tuple[int, ...], ...]) -> tuple[int, ...]:
    """Fill a draw up to twenty with numbers outside the ticket."""
    outside = [
        number
        for number in range(80, 0, -1)
        if number not in caught and not any(number in group for group in marked)
    ]
    return (*caught, *outside[: 20 - len(caught)])
