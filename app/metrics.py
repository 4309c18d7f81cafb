"""Figures for whoever watches the machines, as text that Prometheus reads (format 0.0.4).

Pure: what is told is worked out elsewhere. Money is in cents and time in seconds, as the names say.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
INFINITY = "+Inf"


class Kind(StrEnum):
    """How a figure moves."""

    COUNTER = "counter"  # only up
    GAUGE = "gauge"
    HISTOGRAM = "histogram"


@dataclass(frozen=True)
class Sample:
    """One number of a figure, with what it is of."""

    value: int | str
    labels: Mapping[str, str]
    suffix: str = ""


@dataclass(frozen=True)
class Figure:
    """A figure: its name, how it moves, what it says, and its numbers."""

    name: str
    kind: Kind
    says: str
    samples: Sequence[Sample]


def counter(name: str, says: str, *samples: Sample) -> Figure:
    """Return a figure that only goes up."""
    return Figure(name, Kind.COUNTER, says, samples)


def gauge(name: str, says: str, *samples: Sample) -> Figure:
    """Return a figure that goes up and down."""
    return Figure(name, Kind.GAUGE, says, samples)


def one(value: int | str, **labels: str) -> Sample:
    """Return one number."""
    return Sample(value, labels)


def seconds(microseconds: int) -> str:
    """Return a time in seconds, exactly."""
    return f"{microseconds // 1_000_000}.{microseconds % 1_000_000:06}"


def metrics_text(figures: Iterable[Figure]) -> str:
    """Return figures as text; one that has no numbers now is left out."""
    lines: list[str] = []
    for figure in figures:
        if not figure.samples:
            continue
        lines.append(f"# HELP {figure.name} {_help(figure.says)}")
        lines.append(f"# TYPE {figure.name} {figure.kind}")
        lines += (
            f"{figure.name}{each.suffix}{_labels(each.labels)} {each.value}"
            for each in figure.samples
        )
    return "".join(f"{line}\n" for line in lines)


def _help(text: str) -> str:
    return text.replace("\\", "\\\\").replace("\n", "\\n")


def _labels(labels: Mapping[str, str]) -> str:
    if not labels:
        return ""
    return "{" + ",".join(f'{name}="{_quoted(text)}"' for name, text in labels.items()) + "}"


def _quoted(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
