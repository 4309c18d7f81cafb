"""The page of a share: which state was tried, where, and how each file of tests ended."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable
from datetime import date
from statistics import median

from tests.proof.results import Result, Run

HEAD = "| tests | without a database | SQLite | PostgreSQL | failed | skipped | seconds |"
ENGINES = ("sqlite", "postgresql")


def page(share: str, run: Run, results: Iterable[Result], day: date) -> str:
    """Return the page as Markdown."""
    results = list(results)
    loads = [result.load for result in results]
    facts = {
        "commit": run.commit,
        "finished": day.isoformat(),
        "engines": run.engines,
        "machine": run.machine,
        "seed": str(run.seed),
        "load": f"{median(loads)} at the median, at most {max(loads)}",
        "tests": f"{len(results)}, in {sum(result.seconds for result in results):.0f} s",
    }
    rows = ["| | |", "|---|---|", *(f"| {name} | {fact} |" for name, fact in facts.items())]
    return "\n".join([f"# The long evidence: {share}", "", *rows, "", *_table(results), ""])


def _table(results: Iterable[Result]) -> list[str]:
    files: dict[str, list[Result]] = defaultdict(list)
    for result in results:
        files[result.test.split("::")[0]].append(result)
    rows = [HEAD, "|---" * HEAD.count(" | ") + "|---|"]
    for name, ended in sorted(files.items()):
        passed = Counter(engine_of(each.test) for each in ended if each.outcome == "passed")
        others = Counter(each.outcome for each in ended)
        counts = [passed[engine] for engine in (None, *ENGINES)]
        counts += [others[outcome] for outcome in ("failed", "skipped")]
        seconds = sum(each.seconds for each in ended)
        rows.append(f"| `{name}` | {' | '.join(map(str, counts))} | {seconds:.0f} |")
    return rows


def engine_of(test: str) -> str | None:
    """Return the engine among the parameters of a test; None if there is none."""
    parameters = re.findall(r"[a-z]+", test.partition("[")[2])
    return next((engine for engine in ENGINES if engine in parameters), None)
