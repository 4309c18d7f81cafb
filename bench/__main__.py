"""`make bench`: measure, print the table, write bench/results.json.

It fails if a goal is missed or an answer is wrong; a test never does so for speed alone.
`python -m bench records` measures one part: its rows take the place of those of the same name, each
with the commit that it was measured on, and the rest stays.
"""

import json
import platform
import subprocess
import sys
from dataclasses import asdict
from itertools import chain
from pathlib import Path
from typing import Any

from bench import draw, games, pages, paper, payments, records, rules, scale, tickets
from bench.measure import Result

RESULTS = Path(__file__).parent / "results.json"
PARTS = {
    "rules": rules,
    "draw": draw,
    "tickets": tickets,
    "games": games,
    "payments": payments,
    "paper": paper,
    "pages": pages,
    "records": records,
    "scale": scale,
}


def main(names: list[str]) -> int:
    """Measure some parts, or everything; return 1 if a goal is missed."""
    if unknown := [name for name in names if name not in PARTS]:
        sys.exit(f"There is no part {', '.join(unknown)}; there are {', '.join(PARTS)}.")
    results: list[Result] = []
    parts = [PARTS[name] for name in names or PARTS]
    for result in chain.from_iterable(part.measure() for part in parts):
        results.append(result)
        print(line(result), flush=True)
    told = report(results)
    if names:
        told = put_into(json.loads(RESULTS.read_text()), told)
    RESULTS.write_text(json.dumps(told, indent=2) + "\n")
    return 1 if any(result.met is False for result in results) else 0


def line(result: Result) -> str:
    """Return one line of the table."""
    goal = ""
    if result.goal is not None:
        sign = "at most" if result.at_most else "at least"
        goal = f"goal: {sign} {result.goal:g}, {'met' if result.met else 'MISSED'}"
    return f"{result.name:<75} {result.figure:>10,.2f} {result.unit:<16} {goal}".rstrip()


def put_into(before: dict[str, Any], measured: dict[str, Any]) -> dict[str, Any]:
    """Return results with some of them measured anew, each of which names its commit."""
    rows = {row["name"]: row for row in before["results"]}
    for row in measured["results"]:
        rows[row["name"]] = row | {"commit": measured["commit"]}
    return before | {"results": [*rows.values()]}


def report(results: list[Result]) -> dict[str, Any]:
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
    sys.exit(main(sys.argv[1:]))
