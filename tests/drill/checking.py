"""The checker: what the stations were told against what the database holds.

Every act that was told as done is in the database once, as it was told; none that was refused is;
and the database holds no act that no station was told of. Then the books, the log, the draws.
"""

import json
import os
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psycopg

from tests.drill.house import KEY_ROLES, House
from tests.drill.paper import Tray
from tests.drill.stations import Act

ACTS = """
SELECT station.code, asked.request, asked.answer
FROM asked JOIN station ON station.id = asked.station
"""
TABLES = {
    "sell": "SELECT number, request FROM ticket ORDER BY number",
    "void": "SELECT ticket, request FROM void ORDER BY ticket",
    "pay": "SELECT ticket, request FROM payout ORDER BY ticket",
}
OUTCOMES = "SELECT series, game, numbers FROM outcome"
OVER = "SELECT series, number FROM game WHERE state NOT IN ('open', 'scheduled')"

NEVER = {"never": True}  # what is kept of an act that was settled as never to be done


@dataclass(frozen=True)
class Found:
    """What the checker found."""

    lost: list[str]  # told as done, and not there, or not as it was told
    twice: list[str]  # there, though refused, or more than once
    wrong: list[str]  # anything else

    @property
    def faults(self) -> list[str]:
        """All of it."""
        return [*self.lost, *self.twice, *self.wrong]

    def without(self, known: set[str]) -> "Found":
        """Return what was not known before."""
        parts = (self.lost, self.twice, self.wrong)
        return Found(*([each for each in part if each not in known] for part in parts))


def compare(house: House, acts: Sequence[Act]) -> Found:
    """Compare the stations' history with the database."""
    plain = house.cluster.url.replace("+psycopg", "")
    with psycopg.connect(plain, connect_timeout=10) as connection:
        kept = kept_answers(connection.execute(ACTS))
        tables = {kind: list(connection.execute(text.encode())) for kind, text in TABLES.items()}
    return compared(acts, kept, tables)


def kept_answers(rows: Iterable[tuple[Any, ...]]) -> dict[tuple[str, str], Any]:
    """Return what is kept of every act, by station and request, from what `ACTS` finds."""
    return {(station, request): json.loads(answer) for station, request, answer in rows}


def compared(
    acts: Sequence[Act],
    kept: dict[tuple[str, str], Any],
    tables: dict[str, list[tuple[int, str]]],
) -> Found:
    """Compare acts with what is kept of them, and with the rows they leave behind."""
    lost, twice, wrong = [], [], []
    told = {(act.station, act.request): act for act in acts}
    for key, act in told.items():
        if act.told_at is None:
            wrong.append(f"{act.request} was never answered")
        elif act.is_done and key not in kept:
            lost.append(f"{act.request} was told as done and is not there")
        elif act.is_done and kept[key] != act.answer:
            lost.append(f"{act.request} was told otherwise than it is kept")
        elif not act.is_done and kept.get(key, NEVER) != NEVER:
            twice.append(f"{act.request} was refused and is done")
    twice += [f"{key[1]} is done and nobody asked for it" for key in kept.keys() - told.keys()]
    for kind, rows in tables.items():
        done = {act.request for act in acts if act.kind == kind and act.is_done}
        requests = Counter(request for _, request in rows)
        lost += [f"{request} left no row" for request in sorted(done - requests.keys())]
        twice += [f"{request} left a row" for request in sorted(requests.keys() - done)]
        twice += [f"{request} left {n} rows" for request, n in requests.items() if n > 1]
        tickets = Counter(number for number, _ in rows)
        twice += [f"ticket {number}: {n} times {kind}" for number, n in tickets.items() if n > 1]
    wrong += gaps(number for number, _ in tables["sell"])
    return Found(lost, twice, wrong)


def gaps(numbers: Iterable[int]) -> list[str]:
    """Return what is wrong with numbers that must have no gap."""
    listed = sorted(numbers)
    if listed == list(range(1, len(listed) + 1)):
        return []
    return [f"the numbers of {len(listed)} tickets go to {listed[-1]}"]


def check_papers(tray: Tray) -> list[str]:
    """Check that no ticket has two papers that are not marked as copies."""
    tray.look()
    papers = tray.originals.items()
    return [f"ticket {number} has {n} papers that are no copies" for number, n in papers if n > 1]


def check_records(house: House, told: Callable[[str], None]) -> list[str]:
    """Have books, log and draws checked; `told` is told what takes its time."""
    with psycopg.connect(house.cluster.url.replace("+psycopg", "")) as connection:
        outcomes, over = (list(connection.execute(text.encode())) for text in (OUTCOMES, OVER))
    return [
        *check_by_commands(house.folder, house.environment, told),
        *check_draws(house.folder, outcomes, over),
    ]


def check_by_commands(
    folder: Path, environment: dict[str, str], told: Callable[[str], None] = lambda _: None
) -> list[str]:
    """Have books, log and the generator's journal checked by the product's own commands."""
    keno = [sys.executable, "-m", "app.cli"]
    journal = str(folder / "rng" / "journal.jsonl")
    verify = [sys.executable, "-m", "rng", "rng", "verify", journal]
    commands = (
        [*keno, "books"],
        [*keno, "log", "verify"],
        [*verify, "--keys", str(folder / "public")],
    )
    faults = []
    for command in commands:
        began = time.monotonic()
        done = subprocess.run(  # noqa: S603  our own commands
            command,
            env=os.environ | environment,
            cwd=folder,
            capture_output=True,
            text=True,
            check=False,
        )
        told(f"{' '.join(command[2:5])}: {time.monotonic() - began:.0f} s")
        if done.returncode != 0:
            said = (done.stdout + done.stderr).strip()
            faults.append(f"{' '.join(command[2:])} ended with {done.returncode}: {said}")
    return faults


def check_draws(
    folder: Path, told: Sequence[tuple[Any, ...]], over: Sequence[tuple[Any, ...]]
) -> list[str]:
    """Check that each game that is over has one outcome, and both journals the same one.

    Args:
        folder: where the keyed processes have their journals.
        told: what `OUTCOMES` finds.
        over: what `OVER` finds.
    """
    outcomes = {(series, game): json.loads(numbers) for series, game, numbers in told}
    undrawn = set(over) - outcomes.keys()
    faults = [f"game {game} is over and not drawn" for game in sorted(undrawn)]
    for role in KEY_ROLES:
        drawn = _drawn((folder / role / "journal.jsonl").read_text())
        counted = Counter(game for game, _ in drawn)
        faults += [
            f"{role}: game {game} was drawn {n} times" for game, n in counted.items() if n > 1
        ]
        faults += [
            f"{role}: game {game} was drawn otherwise than it is kept"
            for game, numbers in drawn
            if game in outcomes and outcomes[game] != numbers
        ]
        if role == "rng":
            faults += [f"game {game} is in no journal" for game in outcomes.keys() - counted.keys()]
    return faults


def _drawn(journal: str) -> list[tuple[tuple[str, int], list[int]]]:
    """Return every draw that a journal has, with its game."""
    lines = [json.loads(line) for line in journal.splitlines()]
    bodies = [line["document"]["body"] for line in lines if line["kind"] == "DRAWN"]
    return [((body["series"], body["game"]), body["numbers"]) for body in bodies]
