"""One pass over the draws of a series: everything that the tests count, in constant memory.

The draws are taken in blocks. For each number a block becomes one long integer, its column, with
one bit a game: the first game is the highest bit and the last game the lowest, so that `>> 1`
lays each game over the one after it. How often two numbers came together is then
`(column & other).bit_count()`, thousands of games at a time; this is what makes the 3,160 pairs of
a million draws a matter of seconds.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations, islice
from operator import add

from rng.lab.urn import Urn

# The longest absence or presence, in games, that the gaps and runs tell apart is one less.
DEPTH = 40

_BLOCK = 8192
_DRAWN, _NOT_DRAWN = b"10"

Draw = Sequence[int]


class BadDraws(ValueError):  # noqa: N818  a refusal, as in the rules
    """A draw of the series is no draw; the message says which, counted from 1, and why."""


class Spells:
    """How long numbers had been in a state, and how often they were drawn then.

    A spell of length s in the state is s games in it just before, and one game out of it before
    those. `waiting[s]` counts the numbers that stood so before a game, over all games and numbers;
    `drawn[s]` counts those of them that this game drew.
    """

    def __init__(self, depth: int) -> None:
        self.waiting = [0] * depth
        self.drawn = [0] * depth

    def add(self, column: int, out: int, games: int) -> None:
        """Count one number's spells in a column.

        Args:
            column: The games that drew the number.
            out: The games in which it was out of the state.
            games: The games before which to look; the column reaches `depth` games further back.
        """
        lasting = games
        for length in range(len(self.waiting)):
            ending = lasting & (out >> (length + 1))
            self.waiting[length] += ending.bit_count()
            self.drawn[length] += (ending & column).bit_count()
            lasting ^= ending
            if not lasting:
                break


class Tally:
    """The counts of a series of draws.

    Attributes:
        urn: What the draws are drawn from.
        depth: How many games the spells look back.
        draws: The number of draws.
        numbers: How often each number was drawn; number n has place n - 1, here and below.
        pairs: How often each pair was drawn, in the order of `itertools.combinations`.
        positions: For each position, how often each number was drawn there.
        overlaps: How often a draw had 0, 1, ... numbers in common with the one before it.
        absences: The spells of games in which a number did not come.
        presences: The spells of games in which it came.
    """

    def __init__(self, urn: Urn, depth: int = DEPTH) -> None:
        self.urn = urn
        self.depth = depth
        self.draws = 0
        self.numbers = [0] * urn.numbers
        self.pairs = [0] * (urn.numbers * (urn.numbers - 1) // 2)
        self.positions = [[0] * urn.numbers for _ in range(urn.drawn)]
        self.overlaps = [0] * (urn.drawn + 1)
        self.absences = Spells(depth)
        self.presences = Spells(depth)
        self._previous: frozenset[int] | None = None
        self._past = [0] * urn.numbers

    @property
    def spell_games(self) -> int:
        """The games before which the spells are known: all but the first `depth`."""
        return max(0, self.draws - self.depth)

    def add(self, draws: Iterable[Draw]) -> None:
        """Count further draws of the series, in the order of the games.

        Raises:
            BadDraws: One of them is no draw of this urn; the tally is then of no use.
        """
        checked = self._checked(draws)
        while block := tuple(islice(checked, _BLOCK)):
            self._add_positions(block)
            self._add_columns(_columns(block, self.urn.numbers), len(block))

    def _checked(self, draws: Iterable[Draw]) -> Iterator[Draw]:
        """Pass the draws on, each of which is one, and count their overlaps on the way."""
        on_the_balls = frozenset(range(1, self.urn.numbers + 1))
        for game, draw in enumerate(draws, start=self.draws + 1):
            if not isinstance(draw, Sequence):
                raise BadDraws(f"draw {game} is not a sequence of numbers in the order drawn")
            if len(draw) != self.urn.drawn:
                raise BadDraws(f"draw {game} has {len(draw)} numbers, not {self.urn.drawn}")
            # True is 1 and 1.0 is 1 to a set, but neither is the number on a ball.
            if set(map(type, draw)) != {int}:
                raise BadDraws(f"draw {game} has something that is not an integer")
            drawn = frozenset(draw)
            if not drawn <= on_the_balls:
                raise BadDraws(f"draw {game} has a number outside 1 to {self.urn.numbers}")
            if len(drawn) != self.urn.drawn:
                raise BadDraws(f"draw {game} has a number twice")
            if self._previous is not None:
                self.overlaps[len(drawn & self._previous)] += 1
            self._previous = drawn
            yield draw

    def _add_positions(self, block: Sequence[Draw]) -> None:
        for counts, column in zip(self.positions, zip(*block, strict=True), strict=True):
            for number, count in Counter(column).items():
                counts[number - 1] += count

    def _add_columns(self, columns: Sequence[int], games: int) -> None:
        self.draws += games
        self.numbers = list(map(add, self.numbers, map(int.bit_count, columns)))
        together = ((one & other).bit_count() for one, other in combinations(columns, 2))
        self.pairs = list(map(add, self.pairs, together))
        # Only games with `depth` games before them have spells: the lowest bits, being the last.
        with_past = (1 << min(games, self.spell_games)) - 1
        for place, column in enumerate(columns):
            whole = self._past[place] << games | column
            self.absences.add(whole, whole, with_past)
            self.presences.add(whole, ~whole, with_past)
            self._past[place] = whole & ((1 << self.depth) - 1)


def _columns(block: Sequence[Draw], numbers: int) -> list[int]:
    """Return, for each number, the games of the block that drew it."""
    digits = [bytearray([_NOT_DRAWN]) * len(block) for _ in range(numbers + 1)]
    for game, draw in enumerate(block):
        for number in draw:
            digits[number][game] = _DRAWN
    return [int(column, base=2) for column in digits[1:]]
