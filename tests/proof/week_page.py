"""What the processes of the week held, quarter by quarter, whether that is flat, and its page."""

import json
import os
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from statistics import mean, median, quantiles

from tests.proof.committed import ROOT
from tests.proof.results import FILE
from tests.proof.week_house import Measured

PAGE = ROOT / "docs" / "soak.md"
WEEKS = ROOT / ".evidence" / "weeks.json"  # the weeks of a run that have passed
ENGINES = {"sqlite": "SQLite", "postgresql": "PostgreSQL"}
QUARTERS = 4
SECOND, LAST = 1, 3
# The last quarter is compared with the second: in the first, everything is read and made once.
MEMORY_RATIO = 1.10  # of the mean, and so many KiB that a small process may swing by
MEMORY_KIB = 4 * 1024
HANDLES_RATIO, HANDLES_MORE = 1.10, 8  # of the mean: lines to printers and databases come and go
WORK_RATIO = 1.5
WAIT_RATIO = 3.0  # a machine of tests has others on it
WEB = "web"

INTRODUCTION = """# The soak

`make proof` plays a week of a whole house in compressed time, on SQLite and on PostgreSQL: every
process as in production (web server, caller, spooler, live feed, reporter, generator, inspector),
virtual printers, 32 stations, two series whose games follow each other as fast as the house plays
them. Writers sell straight, split, way, combination and king tickets and quick-picks of one game
and more, play tickets again, void before lockout, cancel rests, pay what has won (by check, where
the drawer has too little), ask for what is refused, and close and open drawers in turn. Boards
listen, and half of them come and go. At the end of each day everybody counts and signs out, the
clock of the house is set to the next day, the day is closed and its reports are made. No process is
started again.

Every few games it is noted what each process holds. The last quarter of the games is compared with
the second: memory may be a tenth and 4 MiB more on the average, file handles a tenth and eight;
the web server may need half as much again of the processor's time for an act. A sale, at the median
and among the slowest hundredth, may take three times as long: waiting depends on who else is on the
machine. On SQLite each connection of the web server fills a page cache of two megabytes.

At the end `keno books`, `keno log verify` and `keno-rng verify` must find nothing; every act that a
station was told of is in the database once as it was told, and no other; every drawer was counted
right to the cent; ticket numbers have no gap; each game has one draw, the same in the database and
in both journals; every board heard each game once; every ticket has its paper, unless it was
voided before it was printed, and none has two that are not marked as copies.
"""


@dataclass
class Figures:
    """What was noted of one week."""

    games: int
    samples: dict[str, list[tuple[int, Measured]]] = field(default_factory=dict)  # after a game
    waits: list[tuple[int, float]] = field(default_factory=list)  # for a sale, seconds, at a game
    acts: list[int] = field(default_factory=list)  # at which game each was done
    counts: dict[str, int] = field(default_factory=dict)

    def note(self, game: int, measured: Mapping[str, Measured]) -> None:
        """Note what the processes hold after a game."""
        for name, each in measured.items():
            self.samples.setdefault(name, []).append((game, each))

    def memory(self, name: str) -> list[float]:
        """Return the mean memory of a process in each quarter, in KiB."""
        noted = self._parts((game, each.memory_kib) for game, each in self.samples[name])
        return [mean(part) for part in noted]

    def handles(self, name: str) -> list[float]:
        """Return how many handles a process has in each quarter, on the average."""
        noted = self._parts((game, each.handles) for game, each in self.samples[name])
        return [mean(part) for part in noted]

    def work(self) -> list[float]:
        """Return how long the web server works for an act in each quarter, in seconds.

        Who else is on the machine makes everybody wait, but makes it little more work.
        """
        noted = self._parts((game, each.processor_ms) for game, each in self.samples[WEB])
        done = Counter(map(self._quarter, self.acts))
        used = [part[-1] - part[0] for part in noted]
        return [each / done[quarter] / 1000 for quarter, each in enumerate(used)]

    def latency(self) -> tuple[list[float], list[float]]:
        """Return the median and the slowest hundredth of sales in each quarter, in seconds."""
        parts = self._parts(self.waits)
        return [median(part) for part in parts], [quantiles(part, n=100)[-1] for part in parts]

    def _quarter(self, game: int) -> int:
        return min(game * QUARTERS // self.games, QUARTERS - 1)

    def _parts(self, noted: Iterable[tuple[int, float]]) -> list[list[float]]:
        """Return what was noted at games, by their quarters."""
        parts: list[list[float]] = [[] for _ in range(QUARTERS)]
        for game, value in noted:
            parts[self._quarter(game)].append(value)
        return parts

    def growing(self) -> list[str]:
        """Return everything that is not flat."""
        found = []
        for name in self.samples:
            memory, handles = self.memory(name), self.handles(name)
            if memory[LAST] > memory[SECOND] * MEMORY_RATIO + MEMORY_KIB:
                found.append(f"{name} grows: {_row(memory, _mebibytes)}")
            if handles[LAST] > handles[SECOND] * HANDLES_RATIO + HANDLES_MORE:
                found.append(f"{name} holds ever more: {_row(handles, _whole)}")
        middle, slowest = self.latency()
        for what, seconds, ratio in (
            ("the web server's work for an act", self.work(), WORK_RATIO),
            ("a sale", middle, WAIT_RATIO),
            ("the slowest hundredth of sales", slowest, WAIT_RATIO),
        ):
            if seconds[LAST] > seconds[SECOND] * ratio:
                found.append(f"{what} takes ever longer: {_row(seconds, _milliseconds)}")
        return found

    def table(self) -> str:
        """Return all of it as Markdown."""
        counted = ", ".join(f"{count:,} {what}" for what, count in self.counts.items())
        lines = [f"{counted}.", "", "| | 1st quarter | 2nd | 3rd | 4th |", "|---|---|---|---|---|"]
        for name in self.samples:
            lines.append(f"| {name}: memory, MiB | {_row(self.memory(name), _mebibytes)} |")
            lines.append(f"| {name}: file handles | {_row(self.handles(name), _whole)} |")
        middle, slowest = self.latency()
        lines.append(f"| {WEB}: work for an act, ms | {_row(self.work(), _milliseconds)} |")
        lines.append(f"| a sale, median, ms | {_row(middle, _milliseconds)} |")
        lines.append(f"| a sale, slowest hundredth, ms | {_row(slowest, _milliseconds)} |")
        return "\n".join(lines)


def _row(values: Sequence[float], written: Callable[[float], str]) -> str:
    return " | ".join(map(written, values))


def _mebibytes(kibibytes: float) -> str:
    return f"{kibibytes / 1024:.1f}"


def _whole(count: float) -> str:
    return f"{count:.0f}"


def _milliseconds(seconds: float) -> str:
    return f"{seconds * 1000:.1f}"


# ---- the page ------------------------------------------------------------------------------------


def note_week(commit: str, engine: str, table: str) -> None:
    """Note the week of an engine on disk, and write the page once there is one of each.

    The share may be interrupted between the two, and resumed by another process.
    """
    run = _run(commit)
    noted = json.loads(WEEKS.read_text()) if WEEKS.exists() else {}
    tables = noted["tables"] if noted.get("run") == run else {}
    tables[engine] = table
    WEEKS.parent.mkdir(exist_ok=True)
    WEEKS.with_suffix(".new").write_text(json.dumps({"run": run, "tables": tables}))
    WEEKS.with_suffix(".new").replace(WEEKS)
    if all(each in tables for each in ENGINES.values()):
        day = datetime.now(UTC).date().isoformat()
        parts = [INTRODUCTION, f"Commit {commit}, {day}.\n"]
        parts += [f"## {each}\n\n{tables[each]}\n" for each in ENGINES.values()]
        PAGE.write_text("\n".join(parts))
        WEEKS.unlink()


def _run(commit: str) -> str:
    """Return which run of the share this is: of one that began anew nothing counts any more."""
    results = os.environ.get(FILE)
    return Path(results).read_text().partition("\n")[0] if results else commit
