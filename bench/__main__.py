"""`make bench`: measure, print the table, write bench/results.json.

It fails if a goal is missed or an answer is wrong; a test never does so for speed alone.
"""

import json
import platform
import subprocess
import sys
from dataclasses import asdict
from itertools import chain
from pathlib import Path

from bench import draw, games, payments, rules, tickets
from bench.measure import Result

RESULTS = Path(__file__).parent / "results.json"


def main() -> int:
    """Measure everything; return 1 if a goal is missed."""
    results: list[Result] = []
    parts = (rules, draw, tickets, games, payments)
    for result in chain.from_iterable(part.measure() for part in parts):
        results.append(result)
        print(line(result), flush=True)
    RESULTS.write_text(json.dumps(report(results), indent=2) + "\n")
    return 1 if any(result.met is False for result in results) else 0


def line(result: Result) -> str:
    """Return one line of the table."""
    goal = ""
    if result.goal is not None:
        sign = "at most" if result.at_most else "at least"
        goal = f"goal: {sign} {result.goal:g}, {'met' if result.met else 'MISSED'}"
    return f"{result.name:<75} {result.figure:>10,.2f} {result.unit:<16} {goal}".rstrip()


def report(results: list[Result]) -> dict[str, object]:
    """Return the results with what they depend on: the commit and the machine."""
    return {
        "commit": _git("rev-parse", "--short", "HEAD"),
        "uncommitted_changes": bool(_git("status", "--porcelain", "app", "bench", "rng")),
        "python": platform.python_version(),
        "machine": platform.machine(),
        "results": [asdict(result) | {"met": result.met} for result in results],
    }


def _git(*arguments: str) -> str:
    command = ["git", *arguments]
    return subprocess.run(  # noqa: S603  git itself, on this repository
        command, capture_output=True, text=True, check=False
    ).stdout.strip()


if __name__ == "__main__":
    sys.exit(main())
