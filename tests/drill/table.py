"""The table of the drill, and its page."""

import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path

from tests.drill.checking import Found
from tests.drill.stations import Act

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "drill.md"
HEAD = (
    "Fault",
    "What was done",
    "Sales down (s)",
    "Longest wait (s)",
    "Acts done",
    "Unknown at first",
    "Lost",
    "Twice",
    "Other faults",
)
INTRODUCTION = """# The drill

`make drill` brings a whole house up on machines of its own (network namespaces): two PostgreSQL
servers under Patroni with a synchronous standby, three members of etcd, two web nodes behind
HAProxy, two callers, two spoolers, the generator and the inspector. 32 stations sell, void and
pay through HTTP. Then it is broken, in one way after the other, while they work. [What happens in
each failure](failover.md) stands on a page of its own.

Every station writes down what it asked, under which request id, and what it was told. An act that
got no answer, or none that says what became of it, is *unknown at first*; it is asked again with
the same id until it is told. After each fault the checker compares all of that with the database:
*lost* is what was told as done and is not there as it was told, *twice* is what is there though
it was refused, or more than once. Ticket numbers must have no gap. *Sales down* is the longest
time in which no station was told of a sale (a game is locked every 30 seconds, which is a moment
without sales as well); *longest wait* is that of one station for one act, with all its asking
again. At the end `keno books`, `keno log verify` and `keno-rng verify` must find nothing, each
game must have one draw, the same in the database and in both journals, and no ticket two papers
that are not marked as copies.
"""


@dataclass(frozen=True)
class Row:
    """What became of one fault."""

    name: str
    what: str
    down_seconds: float
    acts: Sequence[Act]
    found: Found

    def cells(self) -> tuple[str, ...]:
        """Return the row of the table."""
        waits = [act.told_at - act.asked_at for act in self.acts if act.told_at is not None]
        found = self.found
        counts = (
            sum(act.is_done for act in self.acts),
            sum(act.was_unknown for act in self.acts),
            *map(len, (found.lost, found.twice, found.wrong)),
        )
        seconds = (f"{self.down_seconds:.1f}", f"{max(waits, default=0.0):.1f}")
        return (f"`{self.name}`", self.what, *seconds, *map(str, counts))


def down_seconds(acts: Sequence[Act], since: float, until: float) -> float:
    """Return the longest time in which no station was told of a sale."""
    told = [act.told_at for act in acts if act.kind == "sell" and act.is_done and act.told_at]
    moments = [since, *sorted(at for at in told if since < at < until), until]
    return max(after - before for before, after in pairwise(moments))


def write_page(rows: Sequence[Row], wrong: Sequence[str]) -> None:
    """Write the page."""
    lines = [f"| {' | '.join(HEAD)} |", f"|{'---|' * len(HEAD)}"]
    lines += [f"| {' | '.join(row.cells())} |" for row in rows]
    day = datetime.now(UTC).date().isoformat()
    ended = "; ".join(wrong) or "books, log, draws and paper are sound"
    state = f"Commit {_git('rev-parse', '--short', 'HEAD')}{_unclean()}, {day}; {ended}."
    PAGE.write_text(f"{INTRODUCTION}\n{state}\n\n" + "\n".join(lines) + "\n")


def _unclean() -> str:
    changed = _git("status", "--porcelain", "--", ".", ":!docs/drill.md")
    return " with changes" if changed else ""


def _git(*arguments: str) -> str:
    command = ["git", "-C", str(ROOT), *arguments]
    return subprocess.run(  # noqa: S603  git itself, on this repository
        command, capture_output=True, text=True, check=True
    ).stdout.strip()
