"""Outcome tests of a series of draws (X-rng-tests): is this source accused of not being uniform?

Each test gives a p-value, the chance that a fair source strays as far or farther, and is read at
95 % and at 99 %. One test in twenty accuses a fair source at 95 %, so the seven are also read as a
family: the source is accused only where Holm's adjusted p-value is small.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from types import MappingProxyType

from rng.lab import forms
from rng.lab.distributions import chi_square_tail, holm
from rng.lab.forms import Form
from rng.lab.tally import DEPTH, BadDraws, Draw, Tally
from rng.lab.urn import KENO

__all__ = ["TESTS", "BadDraws", "Report", "Result", "judge", "test_draws"]

LEVEL_95 = 0.05
LEVEL_99 = 0.01

_ROW = "{:<11} {:>10} {:>8} {:>9} {:>9}  {:<11}  {:<11}".format


@dataclass(frozen=True)
class Test:
    """A test: its statistic, and how few draws are too few for its chi-square law."""

    form: Callable[[Tally], Form]
    draws_least: int


# A hundred draws at least, each cell expected five times at least (a given number at a given
# position comes once in 80 draws), and for gaps and runs the games that they look back.
TESTS = MappingProxyType(
    {
        "frequency": Test(forms.frequency, 100),
        "first ball": Test(forms.first_ball, forms.EXPECTED_LEAST * KENO.numbers),
        "order": Test(forms.order, forms.EXPECTED_LEAST * KENO.numbers),
        "pairs": Test(forms.pairs, 100),
        "repeats": Test(forms.repeats, 100),
        "gaps": Test(forms.gaps, 100 + DEPTH),
        "runs": Test(forms.runs, 100 + DEPTH),
    }
)


@dataclass(frozen=True)
class Result:
    """What one test says.

    Attributes:
        name: The test, one of `TESTS`.
        statistic: The quadratic form.
        degrees: The degrees of freedom of its chi-square law.
        p_value: The chance that a fair source has a greater statistic.
        family_p_value: The p-value adjusted for the number of tests that were judged (Holm).
    """

    name: str
    statistic: float
    degrees: int
    p_value: float
    family_p_value: float

    @property
    def accused_95(self) -> bool:
        """Whether this test by itself accuses the source at 95 %."""
        return self.p_value <= LEVEL_95

    @property
    def accused_99(self) -> bool:
        """Whether this test by itself accuses the source at 99 %."""
        return self.p_value <= LEVEL_99


@dataclass(frozen=True)
class Report:
    """What all tests say of one series.

    Attributes:
        draws: The number of draws tested.
        results: The tests that had enough draws, in the order of `TESTS`.
        too_few: The other tests, each with the least number of draws that it needs.
    """

    draws: int
    results: tuple[Result, ...]
    too_few: tuple[tuple[str, int], ...]

    @property
    def p_value(self) -> float | None:
        """The p-value of the family; None if no test had enough draws."""
        return min((result.family_p_value for result in self.results), default=None)

    @property
    def accused_95(self) -> bool:
        """Whether the family accuses the source at 95 %; a fair one in at most 5 % of series."""
        return self.p_value is not None and self.p_value <= LEVEL_95

    @property
    def accused_99(self) -> bool:
        """Whether the family accuses the source at 99 %; a fair one in at most 1 % of series."""
        return self.p_value is not None and self.p_value <= LEVEL_99

    def text(self) -> str:
        """Return the report as a table in plain text."""
        lines = [
            f"{self.draws} draws of {KENO.drawn} numbers from {KENO.numbers}",
            "",
            _ROW("test", "statistic", "degrees", "p-value", "Holm", "95 %", "99 %"),
        ]
        lines += [
            _ROW(
                result.name,
                f"{result.statistic:.2f}",
                result.degrees,
                f"{result.p_value:.6f}",
                f"{result.family_p_value:.6f}",
                _verdict(result.accused_95),
                _verdict(result.accused_99),
            )
            for result in self.results
        ]
        lines += [f"{name:<11} too few draws: needs {least}" for name, least in self.too_few]
        if self.p_value is not None:
            family = "", "", "", f"{self.p_value:.6f}"
            verdicts = _verdict(self.accused_95), _verdict(self.accused_99)
            lines += ["", _ROW("family", *family, *verdicts)]
        return "\n".join(line.rstrip() for line in lines) + "\n"

    def document(self) -> dict[str, object]:
        """Return the report as a document for JSON."""
        return {
            "draws": self.draws,
            "tests": [
                {
                    "name": result.name,
                    "statistic": result.statistic,
                    "degrees": result.degrees,
                    "p_value": result.p_value,
                    "family_p_value": result.family_p_value,
                    "accused_95": result.accused_95,
                    "accused_99": result.accused_99,
                }
                for result in self.results
            ],
            "too_few_draws": [{"name": name, "least": least} for name, least in self.too_few],
            "family": {
                "p_value": self.p_value,
                "accused_95": self.accused_95,
                "accused_99": self.accused_99,
            },
        }


def test_draws(draws: Iterable[Draw]) -> Report:
    """Test the draws of one series, in the order of the games; the iterable is read once.

    Args:
        draws: Each a sequence of 20 different numbers from 1 to 80, in the order drawn.

    Raises:
        BadDraws: One of them is no such draw.
    """
    tally = Tally(KENO)
    tally.add(draws)
    return judge(tally)


def judge(tally: Tally) -> Report:
    """Test what was counted."""
    judged = {
        name: test.form(tally) for name, test in TESTS.items() if tally.draws >= test.draws_least
    }
    p_values = [chi_square_tail(form.statistic, form.degrees) for form in judged.values()]
    results = tuple(
        Result(name, form.statistic, form.degrees, p_value, adjusted)
        for (name, form), p_value, adjusted in zip(
            judged.items(), p_values, holm(p_values), strict=True
        )
    )
    too_few = tuple((name, test.draws_least) for name, test in TESTS.items() if name not in judged)
    return Report(tally.draws, results, too_few)


def _verdict(accused: bool) -> str:
    return "ACCUSED" if accused else "not accused"
