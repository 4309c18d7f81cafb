"""Sources of draws: a fair one, and some with a planted bias each."""

from collections.abc import Callable, Iterator
from itertools import islice
from random import Random

Draw = list[int]
Source = Callable[[Random], Iterator[Draw]]

NUMBERS = range(1, 81)


def draws_of(source: Source, seed: int, games: int) -> Iterator[Draw]:
    return islice(source(Random(seed)), games)  # noqa: S311  a test repeats itself


def fair(chance: Random) -> Iterator[Draw]:
    while True:
        yield chance.sample(NUMBERS, 20)


def heavy_ball(chance: Random) -> Iterator[Draw]:
    for draw in fair(chance):
        if chance.random() < 0.1:
            take_in(draw, 7, chance)
        yield draw


def missing_number(chance: Random) -> Iterator[Draw]:
    while True:
        yield chance.sample([number for number in NUMBERS if number != 13], 20)


def sticky(chance: Random) -> Iterator[Draw]:
    previous: Draw = []
    for draw in fair(chance):
        if previous and chance.random() < 0.3:
            take_in(draw, chance.choice(previous), chance)
        previous = list(draw)
        yield draw


def favoured_pair(chance: Random) -> Iterator[Draw]:
    """Numbers 3 and 4 like to come together, and each comes as often as the others."""
    for draw in fair(chance):
        if (3 in draw) != (4 in draw) and chance.random() < 0.5:
            if chance.random() < 0.5:
                take_in(draw, 4 if 3 in draw else 3, chance, keep=(3, 4))
            else:
                place = draw.index(3 if 3 in draw else 4)
                draw[place] = chance.choice([n for n in NUMBERS if n not in (3, 4, *draw)])
        yield draw


def low_first_ball(chance: Random) -> Iterator[Draw]:
    for draw in fair(chance):
        if chance.random() < 0.1:
            place = draw.index(min(draw))
            draw[0], draw[place] = draw[place], draw[0]
        yield draw


def rising_end(chance: Random) -> Iterator[Draw]:
    """Sort the last five: neither a set nor a first ball shows it."""
    for draw in fair(chance):
        yield draw[:15] + sorted(draw[15:])


def overdue(chance: Random) -> Iterator[Draw]:
    """What has been away for ten games comes sooner than it should."""
    away = dict.fromkeys(NUMBERS, 0)
    for draw in fair(chance):
        late = [number for number in NUMBERS if away[number] >= 10 and number not in draw]
        if late and chance.random() < 0.5:
            take_in(draw, chance.choice(late), chance)
        for number in NUMBERS:
            away[number] = 0 if number in draw else away[number] + 1
        yield draw


def tired(chance: Random) -> Iterator[Draw]:
    """What has come in three games running seldom comes in the next."""
    running = dict.fromkeys(NUMBERS, 0)
    for draw in fair(chance):
        for place, number in enumerate(draw):
            if running[number] >= 3 and chance.random() < 0.7:
                draw[place] = chance.choice([n for n in NUMBERS if n not in draw])
        for number in NUMBERS:
            running[number] = running[number] + 1 if number in draw else 0
        yield draw


def take_in(draw: Draw, number: int, chance: Random, keep: tuple[int, ...] = ()) -> None:
    if number not in draw:
        place = chance.choice([at for at, drawn in enumerate(draw) if drawn not in keep])
        draw[place] = number
