"""A strict reader of Prometheus' text format 0.0.4, written from its description and not from ours.

Every figure has HELP and TYPE before its numbers, stands once and together; no number stands twice;
histograms add up.
"""

import re
from collections.abc import Mapping
from decimal import Decimal

NAME = r"[a-zA-Z_:][a-zA-Z0-9_:]*"
LABEL = r'([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\\\|\\"|\\n)*)"'
HELP = re.compile(rf"# HELP ({NAME}) ((?:[^\\\n]|\\\\|\\n)+)")
TYPE = re.compile(rf"# TYPE ({NAME}) (counter|gauge|histogram)")
SAMPLE = re.compile(rf"({NAME})(?:\{{({LABEL}(?:,{LABEL})*)\}})? (-?[0-9]+(?:\.[0-9]+)?)")

Labels = frozenset[tuple[str, str]]
Read = dict[str, dict[tuple[str, Labels], Decimal]]


def read_metrics(text: str) -> Read:
    """Return every figure with its numbers, by the ending of their names and their labels."""
    assert text.endswith("\n")
    figures: Read = {}
    kinds: dict[str, str] = {}
    name = ""
    for line in text.removesuffix("\n").split("\n"):
        if (told := HELP.fullmatch(line)) is not None:
            name = told[1]
            assert name not in figures, f"{name} stands twice"
            figures[name] = {}
        elif (told := TYPE.fullmatch(line)) is not None:
            assert told[1] == name, line
            assert name not in kinds, f"{name} has its kind twice"
            assert not figures[name]
            kinds[name] = told[2]
        else:
            told = SAMPLE.fullmatch(line)
            assert told is not None, f"not of the format: {line!r}"
            ending = told[1].removeprefix(name)
            allowed = ("_bucket", "_sum", "_count") if kinds[name] == "histogram" else ("",)
            assert told[1].startswith(name), line
            assert ending in allowed, line
            labels = frozenset(re.findall(LABEL, told[2] or ""))
            assert len({label for label, _ in labels}) == len(labels), line
            assert (ending, labels) not in figures[name], f"twice: {line}"
            figures[name][ending, labels] = Decimal(told[len(told.groups())])
    for name, kind in kinds.items():
        assert figures[name], f"{name} has no number"
        if kind == "counter":
            assert name.endswith("_total"), name
            assert min(figures[name].values()) >= 0
        if kind == "histogram":
            check_histogram(figures[name])
    return figures


def check_histogram(samples: Mapping[tuple[str, Labels], Decimal]) -> None:
    """Check that what is within a bound is within every larger one, and all are counted."""
    for (ending, labels), total in samples.items():
        if ending != "_count":
            continue
        within = {
            Decimal("Infinity" if dict(each)["le"] == "+Inf" else dict(each)["le"]): number
            for (kind, each), number in samples.items()
            if kind == "_bucket" and labels == each - {("le", dict(each)["le"])}
        }
        in_order = [within[bound] for bound in sorted(within)]
        assert in_order == sorted(in_order)
        assert in_order[-1] == total
        assert ("_sum", labels) in samples


def number(figures: Read, name: str, ending: str = "", **labels: str) -> int:
    """Return one number of a figure."""
    return int(figures[name][ending, frozenset(labels.items())])
