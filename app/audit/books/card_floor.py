"""Whether the house keeps something of every wager of a card: worked out again (X-card-floor).

From the file alone, and rate by rate: it shares nothing with the check that a card passes when it
is brought.
"""

from collections.abc import Iterator, Mapping
from fractions import Fraction
from functools import lru_cache
from math import ceil, comb, floor, gcd
from tomllib import loads
from typing import Any

RATES = 500  # from the smallest: what rounding adds to larger ones is next to nothing
FILES = 64  # of cards that are remembered; the books of a day have one or two
ALL = comb(80, 20)


@lru_cache(FILES)
def losing_wager(file: str) -> str | None:
    """Return a wager of which nothing is left to the house on average; none if there is none.

    None also for a promotion, which names the regulator's letter.
    """
    card = loads(file.removeprefix("\ufeff"))
    if "approval" in card:
        return None
    limits = card["limits"]
    for name, schedule in card["schedules"].items():
        rates = range(
            schedule["rate_min_cents"],
            schedule["rate_max_cents"] + 1,
            schedule["rate_step_cents"],
        )
        base = schedule["base_cents"]
        rates = rates[: base // gcd(base, schedule["rate_step_cents"])]  # then fractions repeat
        for spots, pays in schedule["pays"].items():
            for rate in rates[:RATES]:
                for back in _backs(int(spots), pays, Fraction(rate, base), limits):
                    if back >= rate:
                        return f"{spots} spots on {name} at {rate} cents"
    return None


def _backs(
    spots: int, pays: Mapping[str, int], rate: Fraction, limits: Mapping[str, Any]
) -> Iterator[Fraction]:
    """Yield what comes back of a wager on average: as it is, and rounded for a way alone."""
    rounding = limits.get("rounding", "up")
    exact, rounded = Fraction(0), Fraction(0)
    for caught, pay in pays.items():
        draws = comb(spots, int(caught)) * comb(80 - spots, 20 - int(caught))
        win = pay * rate
        cents = {"up": ceil(win), "down": floor(win), "half-up": floor(win + Fraction(1, 2))}
        most = limits.get("aggregate_cents", win + 1)
        exact += Fraction(draws, ALL) * min(win, most)
        rounded += Fraction(draws, ALL) * min(cents[rounding], most)
    yield exact
    yield rounded
