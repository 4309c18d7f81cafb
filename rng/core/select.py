"""Twenty of eighty, every ordered outcome exactly as likely as any other (X-rng-unbiased).

A partial Fisher-Yates shuffle: twenty times a ball is picked from those that are left. Each pick
takes words of 16 bits and rejects those from the largest multiple of what is left on, so that
scaling a word to a ball has no remainder to favour anyone with (N.J.A.C. 13:69E-1.28G: unbiased
scaling, no secondary selection). That both steps are fair is shown by counting, not by statistics.
"""

from collections.abc import Iterator

NUMBERS = 80
DRAWN = 20
WORDS = 2**16


def below(bound: int, words: Iterator[int]) -> int:
    """Return a whole number from 0 to bound - 1, each as likely as the others."""
    limit = WORDS - WORDS % bound
    for word in words:
        if word < limit:
            return word % bound
    raise EOFError("the words ended")  # only a test's words do


def select(words: Iterator[int], numbers: int = NUMBERS, drawn: int = DRAWN) -> tuple[int, ...]:
    """Return the numbers drawn, in the order drawn."""
    balls = list(range(1, numbers + 1))
    for place in range(drawn):
        pick = place + below(numbers - place, words)
        balls[place], balls[pick] = balls[pick], balls[place]
    return tuple(balls[:drawn])
