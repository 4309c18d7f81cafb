"""Every draw and every series of draws of a small urn, listed."""

from collections.abc import Iterator, Sequence
from itertools import combinations, permutations, product

from rng.lab.tally import Tally
from rng.lab.urn import Urn

Draw = tuple[int, ...]


def sets(urn: Urn) -> list[Draw]:
    return list(combinations(range(1, urn.numbers + 1), urn.drawn))


def orders(urn: Urn) -> list[Draw]:
    return list(permutations(range(1, urn.numbers + 1), urn.drawn))


def every_tally(urn: Urn, draws: Sequence[Draw], games: int, depth: int) -> Iterator[Tally]:
    for series in product(draws, repeat=games):
        tally = Tally(urn, depth)
        tally.add(series)
        yield tally
