"""The statistics: what was counted, as quadratic forms that are chi-square under the null.

Throughout, N numbers are on the balls, k are drawn a game, n games are counted, and D is a vector
of counts minus their exact expectations. If C is the exact covariance of D for one game, then by
the central limit theorem D' C⁻ D / n tends to chi-square with rank(C) degrees of freedom, C⁻ being
the inverse on the range of C. Two parts of D that are uncorrelated are independent in the limit.
Plain Pearson statistics would do only if C were that of one ball drawn from a box; the numbers of
a keno draw are drawn without replacement, and C must say so.

Since every C is exact, the mean of each form is exactly its degrees of freedom f, for any n; and
where the vector of one game has always the same length (frequency, first ball, order, pairs), its
variance is exactly 2f(1 - 1/n). The tests show both by listing every series of a small urn. How
many draws are enough for the law itself is `statistics` to say; here they only must not be none.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import sqrt

from rng.lab.tally import Spells, Tally
from rng.lab.urn import Urn

# Cells are pooled until each is expected this often (Cochran's rule).
EXPECTED_LEAST = 5


@dataclass(frozen=True)
class Form:
    """A statistic, and the degrees of freedom of its chi-square law."""

    statistic: float
    degrees: int


def frequency(tally: Tally) -> Form:
    """How often each number came.

    For one game the covariance of the N indicators is k(N-k)/(N(N-1)) on the vectors whose sum is
    zero, and nothing on the constants, for k numbers come in every game. That makes Pearson's
    statistic times (N-1)/(N-k) = 79/60 chi-square with N-1 = 79 degrees; Pearson's alone has mean
    60.
    """
    urn, n = tally.urn, tally.draws
    pearson = Fraction(_squares(_number_deviations(tally)), urn.numbers * urn.drawn * n)
    return Form(float(pearson * (urn.numbers - 1) / (urn.numbers - urn.drawn)), urn.numbers - 1)


def first_ball(tally: Tally) -> Form:
    """How often each number came first: one ball a game from a box, so Pearson's own statistic."""
    numbers, n = tally.urn.numbers, tally.draws
    deviations = (numbers * count - n for count in tally.positions[0])
    return Form(_squares(deviations) / (numbers * n), numbers - 1)


def order(tally: Tally) -> Form:
    """How often each number came at each position, beyond how often it came at all.

    Let X(p, i) say that number i came at position p. From P(X(p, i) = 1) = 1/N and
    P(X(p, i) = X(q, j) = 1) = 1/(N(N-1)) for p ≠ q, i ≠ j, the covariance of the k N indicators is
    the Kronecker product (I - J/N) ⊗ (I - J/N) / (N-1), the first factor over the k positions and
    the second over the N numbers, J being all ones. The first factor has the eigenvalue 1 - k/N on
    the constants, which are the sums over the positions and so the frequency test, and 1 on the
    k-1 dimensions across them. There the form is (N-1)/n times the squares of D less those of its
    means over the positions, with (k-1)(N-1) = 1,501 degrees, uncorrelated with the frequencies
    and, as the order is uniform whatever the set, with every statistic of the sets.
    """
    urn, n = tally.urn, tally.draws
    across = sum(_squares(urn.numbers * count - n for count in row) for row in tally.positions)
    along = Fraction(_squares(_number_deviations(tally)), urn.drawn)
    scale = Fraction(urn.numbers - 1, n * urn.numbers**2)
    return Form(float((across - along) * scale), (urn.drawn - 1) * (urn.numbers - 1))


def pairs(tally: Tally) -> Form:
    """How often each pair came, beyond what the frequencies of its two numbers say.

    The covariance of two pair indicators depends only on how many numbers the pairs share: it is
    c2 = p2 - p2² for a pair with itself, c1 = p3 - p2² if they share one and c0 = p4 - p2² if none,
    with pt the chance that t given numbers all come. So C = c2 I + c1 A1 + c0 A0 lies in the
    algebra of the Johnson scheme J(N, 2), whose three common eigenspaces are
      - the constants: C is 0 there, since every draw has k(k-1)/2 pairs;
      - the N-1 dimensions of u(i) + u(j) with u of sum zero: the frequency test, since the pairs
        that hold i came (k-1) times as often as i itself;
      - the rest, N(N-3)/2 = 3,080 dimensions, where the pairs that hold i add up to zero for each
        i. A1 is -2 and A0 is 1 there, so C is p2 - 2 p3 + p4.
    The form is the square of the part of D in the last space over that eigenvalue: D² less the
    square of its part in the second, which is u(i) + u(j) with u(i) = R(i)/(N-2), R(i) the sum of D
    over the pairs that hold i, and has the square R²/(N-2). Different eigenspaces are
    uncorrelated, so it is independent of the frequency test in the limit.
    """
    urn, n = tally.urn, tally.draws
    ordered = urn.numbers * (urn.numbers - 1)
    expected = urn.drawn * (urn.drawn - 1) * n
    whole = Fraction(_squares(ordered * count - expected for count in tally.pairs), ordered**2)
    by_number = Fraction((urn.drawn - 1) ** 2 * _squares(_number_deviations(tally)), urn.numbers**2)
    rest = whole - by_number / (urn.numbers - 2)
    return Form(float(rest / (n * pair_eigenvalue(urn))), urn.numbers * (urn.numbers - 3) // 2)


def pair_eigenvalue(urn: Urn) -> Fraction:
    """Return the variance of one draw's pairs in any direction that the frequencies do not see."""
    return urn.together(2) - 2 * urn.together(3) + urn.together(4)


def repeats(tally: Tally) -> Form:
    """How many numbers each draw has in common with the one before it.

    Given all earlier draws, the overlap with the last of them is hypergeometric, and this law is
    the same whatever that last draw was, for all k-sets are alike to a uniform draw. So the
    overlaps of successive pairs of games are independent, though the pairs of games are not
    disjoint, and Pearson's own statistic is right for them.
    """
    overlaps = sum(tally.overlaps)
    expected = [chance * overlaps for chance in tally.urn.overlap_chances()]
    cells = pooled(tally.overlaps, expected)
    statistic = sum((seen - mean) ** 2 / mean for seen, mean in cells)
    return Form(float(statistic), len(cells) - 1)


def pooled(counts: Sequence[int], expected: Sequence[Fraction]) -> list[tuple[int, Fraction]]:
    """Join neighbouring cells until each is expected often enough; a poor last one joins its left.

    Which cells are joined depends on what is expected only, never on what was seen.
    """
    cells: list[tuple[int, Fraction]] = []
    seen, mean = 0, Fraction(0)
    for count, chance in zip(counts, expected, strict=True):
        seen, mean = seen + count, mean + chance
        if mean >= EXPECTED_LEAST:
            cells.append((seen, mean))
            seen, mean = 0, Fraction(0)
    if cells:
        last_seen, last_mean = cells.pop()
        seen, mean = seen + last_seen, mean + last_mean
    return [*cells, (seen, mean)]


def gaps(tally: Tally) -> Form:
    """Whether the chance of a number depends on how many games it has been away."""
    return spells(tally, tally.absences, tally.urn.complement())


def runs(tally: Tally) -> Form:
    """Whether the chance of a number depends on how many games running it has come."""
    return spells(tally, tally.presences, tally.urn)


def spells(tally: Tally, counted: Spells, state: Urn) -> Form:
    """Whether the chance of a number depends on how long it has been in a state.

    The lengths of the gaps of the N numbers are geometric each, but dependent: a number that comes
    takes the place of another. So they are not thrown into cells. Instead, before each game the
    numbers are classed by the length of their spell; a game draws h(s) of the w(s) numbers of class
    s, and D(s) is the sum of h(s) - w(s) k/N over the games. Given the past, h is multivariate
    hypergeometric with mean w k/N. So the terms are martingale differences, the terms of different
    games are uncorrelated, and the covariance of D is n times the mean of the hypergeometric
    covariance of one game (`spell_covariance`). The martingale central limit theorem makes the form
    chi-square. The longest classes, too rare for it, are left out; all classes together would have
    a singular C, for the deviations of one game add up to zero.
    """
    games = tally.spell_games
    length = spell_classes(tally.urn, state, games, tally.depth)
    deviations = [
        drawn - waiting * tally.urn.drawn / tally.urn.numbers
        for drawn, waiting in zip(counted.drawn[:length], counted.waiting[:length], strict=True)
    ]
    covariance = [[float(cell) for cell in row] for row in spell_covariance(state, length)]
    return Form(whitened_square(deviations, covariance) / games, length)


def spell_classes(urn: Urn, state: Urn, games: int, depth: int) -> int:
    """Return how many classes, from length 0 on, are drawn often enough in so many games.

    A spell has length s with the chance x^s (1-x) and a longer one with x^(s+1), x being the chance
    of the state; k x^s times the lesser of 1-x and x is how often a game draws from either.
    """
    stay = state.together(1)
    least = EXPECTED_LEAST / (urn.drawn * min(stay, 1 - stay) * games)
    return sum(stay**length >= least for length in range(depth))


def spell_covariance(state: Urn, length: int) -> list[list[Fraction]]:
    """Return the covariance of h(s) - w(s) k/N over the classes s < length, for one game.

    Given the past it is multivariate hypergeometric: k(N-k)/(N²(N-1)) times N w(s) [s = t] less
    w(s) w(t). Its mean needs the mean of w(s) w(t), which counts the pairs of different numbers i
    and j whose spells are s and t > s. Going back in time, both are in the state for s games, then
    i is out of it and j in, then j is in it for t-s-1 games, then out; games are independent.

    Args:
        state: The urn whose draws are the numbers in the state at a game: this urn for presence,
            its complement for absence. The factor k(N-k) is the same for both.
        length: The number of classes.
    """
    numbers, inside = state.numbers, state.drawn
    one, both = state.together(1), state.together(2)
    neither = 1 - 2 * one + both
    factor = Fraction(inside * (numbers - inside), numbers**2 * (numbers - 1))

    def covariance(short: int, long: int) -> Fraction:
        if short == long:
            mean = numbers * one**short * (1 - one)
            couples = both**short * neither
        else:
            mean = Fraction(0)
            couples = both**short * (one - both) * one ** (long - short - 1) * (1 - one)
        # The mean of w(s) w(t) is `mean`, each number with itself, and its couples.
        return factor * (numbers * mean - mean - numbers * (numbers - 1) * couples)

    places = range(length)
    return [[covariance(min(s, t), max(s, t)) for t in places] for s in places]


def whitened_square(vector: Sequence[float], covariance: Sequence[Sequence[float]]) -> float:
    """Return v' C⁻¹ v for a positive definite C, by Cholesky's C = L L': the square of L⁻¹ v."""
    lower: list[list[float]] = []
    white: list[float] = []
    for place, row in enumerate(covariance):
        built: list[float] = []
        for above, cell in zip(lower, row, strict=False):
            built.append((cell - _dot(built, above)) / above[-1])
        pivot = sqrt(row[place] - _dot(built, built))
        white.append((vector[place] - _dot(built, white)) / pivot)
        lower.append([*built, pivot])
    return _dot(white, white)


def _dot(shorter: Sequence[float], longer: Sequence[float]) -> float:
    return sum(one * other for one, other in zip(shorter, longer, strict=False))


def _number_deviations(tally: Tally) -> list[int]:
    """Return N times D of the single numbers."""
    expected = tally.urn.drawn * tally.draws
    return [tally.urn.numbers * count - expected for count in tally.numbers]


def _squares(values: Iterable[int]) -> int:
    return sum(value * value for value in values)
