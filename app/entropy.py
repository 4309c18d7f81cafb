"""The one place in the back office that reads the operating system's random source.

For salts, tokens, enrolment codes and quick-picks. The draw has a source of its own, in `rng`, and
nothing here can reach it (15.5(a)-independent).
"""

import os
from collections.abc import Callable
from random import SystemRandom

Entropy = Callable[[int], bytes]


def system_entropy(count: int) -> bytes:
    """Return so many random bytes."""
    return os.urandom(count)


def quick_pick(spots: int) -> tuple[int, ...]:
    """Pick so many of the eighty numbers, each set alike (15.1-quick-pick)."""
    return tuple(sorted(SystemRandom().sample(range(1, 81), spots)))
