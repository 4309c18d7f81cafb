"""The compliance matrix: every duty, where it is kept, what shows it, which report tells of it.

It is made from the sources and the tests (`make matrix`) and shipped as a file, because tests are
not part of an installed product. A test of the repository fails while the file is out of date.
"""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

FILE = Path(__file__).parent / "compliance.json"


@dataclass(frozen=True)
class Telling:
    """A report that tells how a duty is kept."""

    id: str
    title: str


@dataclass(frozen=True)
class Duty:
    """A duty of the software, and what there is to show for it."""

    id: str
    part: str
    text: str
    not_held: str | None  # why nothing is claimed; none: it is held
    modules: tuple[str, ...]
    tests: tuple[str, ...]
    reports: tuple[Telling, ...]
    no_report: str | None  # why no report tells of it; none: one does, or it is not held


@dataclass(frozen=True)
class Counts:
    """How much there is in a matrix."""

    duties: int
    held: int
    modules: int
    tests: int
    reports: int


@cache
def compliance_matrix() -> tuple[Duty, ...]:
    """Return the matrix that this software was shipped with."""
    return read_matrix(json.loads(FILE.read_text()))


def counts_of(matrix: Iterable[Duty]) -> Counts:
    """Return how much there is in a matrix; what shows several duties counts once."""
    duties = tuple(matrix)
    return Counts(
        len(duties),
        sum(duty.not_held is None for duty in duties),
        len({module for duty in duties for module in duty.modules}),
        len({test for duty in duties for test in duty.tests}),
        len({report for duty in duties for report in duty.reports}),
    )


def read_matrix(document: Mapping[str, Any]) -> tuple[Duty, ...]:
    """Return the matrix that a document tells of."""
    return tuple(
        Duty(
            each["id"],
            each["part"],
            each["text"],
            each["not_held"],
            tuple(each["modules"]),
            tuple(each["tests"]),
            tuple(Telling(**report) for report in each["reports"]),
            each["no_report"],
        )
        for each in document["duties"]
    )


def matrix_document(matrix: Iterable[Duty]) -> dict[str, object]:
    """Return a matrix as a document."""
    return {
        "duties": [
            {
                "id": duty.id,
                "part": duty.part,
                "text": duty.text,
                "not_held": duty.not_held,
                "modules": list(duty.modules),
                "tests": list(duty.tests),
                "reports": [vars(report) for report in duty.reports],
                "no_report": duty.no_report,
            }
            for duty in matrix
        ]
    }


def test_words(test: str) -> tuple[str, str]:
    """Return what a test says, as a sentence, and the file that it stands in."""
    file, *_, name = test.split("::")
    words = name.removeprefix("test_").replace("_", " ")
    return words[:1].upper() + words[1:], file
