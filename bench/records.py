"""Records of a simulated year: reports, books, export and verification, and how they grow.

Two houses with days equally full, one with ten times the days of the other. A day's report must
take two seconds at most and as long whatever lies before that day; what looks at everything may
take ten times as long, and must not hold more in memory. A bundle also has what its days rest on,
such as the tickets of wins that were paid in them, which are as old as a claim may be: how exports
grow is judged where both houses are older than that. Each is done by a process that does nothing
else.

As it stands, a tenth of a tenth of a year, 100,000 tickets in 1,500 games on each engine, beside a
tenth of that: a tenth itself takes longer to make than the ten minutes that all benchmarks have
together. `SCALE=days`: ten days as full as those of the year, beside one. `SCALE=tenth`: 36 of
them, beside four. `SCALE=year`: all of it, 10,000,000 tickets in 150,000 games, beside a tenth,
which takes hours for each engine: `ENGINE=sqlite` and `ENGINE=postgresql` measure one at a time.
`KEPT=FOLDER` measures houses that `python -m bench.year` has made in folders of that one (`4` and
`36` for the tenth, `36` and `365` for the year), and leaves them there, to be measured again;
`ACTS=reports,export` only some of what is measured, of which books take by far the longest.
"""

import json
import os
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from itertools import product
from multiprocessing import get_context
from pathlib import Path
from tempfile import TemporaryDirectory

from sqlalchemy import text

from app.audit.verifier import verify
from app.flow.actor import Sitting
from app.flow.books import work_out_books
from app.flow.cosign import cosign_log
from app.flow.export import export_days
from app.flow.report import Asked, make_report, rendered
from app.reports.catalogue import CATALOGUE, Format
from app.store.database import Database
from bench.house import NAMES, on_both_engines
from bench.measure import Result
from bench.year import YearHouse, YearPlan, build_year
from bench.year.house import TOLD
from bench.year.plan import CLAIM_DAYS


@dataclass(frozen=True)
class Scale:
    """How many days the two houses have worked, and how full those were."""

    days: tuple[int, int]
    tickets_a_day: int
    games_a_day: int
    rounds: int = 1  # in turn, of which the best counts: what is short is easily disturbed

    def plan(self, days: int) -> YearPlan:
        """Return what happens in so many days."""
        return YearPlan(days * self.tickets_a_day, days * self.games_a_day, days)


FULL = 27_777, 416  # tickets and games of a day of the year
SCALES = {
    "": Scale((1, 10), 10_000, 150, rounds=2),
    "days": Scale((1, 10), *FULL),
    "tenth": Scale((4, 36), *FULL),
    "year": Scale((36, 365), *FULL),
}
READ = ("log_entry", "ticket", "posting", "tender", "win", "payout", "game", "outcome")
REPORT_GOAL, GROWTH_GOAL, MEMORY_GOAL_MIB = 2.0, 1.5, 64.0
Told = dict[str, float]
Made = tuple[str, Path, YearPlan]
"""A house that was made: its database, its folder, and what happened in it."""


def measure() -> Iterator[Result]:
    """Measure the records on both engines, or those of houses that are kept."""
    scale, kept = SCALES[os.environ.get("SCALE", "")], os.environ.get("KEPT")
    if kept is not None:
        yield from _kept(scale, Path(kept).absolute())
    else:
        yield from on_both_engines(partial(_fresh, scale))


def _fresh(
    scale: Scale, engine: str, root: Path, new_url: Callable[[str], str]
) -> Iterator[Result]:
    made = {
        days: (new_url(f"year{days}"), root / f"year{days}", scale.plan(days))
        for days in scale.days
    }
    for house in made.values():
        build_year(*house)
    yield from _measure(engine, scale, made)


def _kept(scale: Scale, root: Path) -> Iterator[Result]:
    made: dict[int, Made] = {}
    for days in scale.days:
        folder, plan = root / str(days), scale.plan(days)
        told = json.loads((folder / TOLD).read_text())
        if (told["tickets"], told["games"], told["days"]) != (plan.tickets, plan.games, plan.days):
            raise LookupError(f"the house in {folder} is another one than {plan}")
        made[days] = told["database"], folder, plan
    engine = "sqlite" if made[max(made)][0].startswith("sqlite") else "postgresql"
    yield from _measure(engine, scale, made)


def _measure(engine: str, scale: Scale, made: dict[int, Made]) -> Iterator[Result]:
    for days, (url, folder, plan) in made.items():
        _come_to_rest(url)
        rate = plan.tickets / json.loads((folder / TOLD).read_text())["made_in_seconds"]
        yield Result(f"{_name(engine, scale, days)}: made", rate, "tickets/s")
    wanted = os.environ.get("ACTS", ",".join(ACTS)).split(",")
    found: dict[int, dict[str, Told]] = {days: {} for days in scale.days}
    for _ in range(scale.rounds):
        for days, what in product(scale.days, wanted):
            began = time.perf_counter()
            told = _alone(ACTS[what], *made[days])
            took = time.perf_counter() - began
            sys.stderr.write(f"{_name(engine, scale, days)}: {what} in {took:,.0f} s\n")
            found[days][what] = _best(found[days].get(what, told), told)
    for days in scale.days:
        name = _name(engine, scale, days)
        if days == max(scale.days) and "reports" in wanted:
            yield from _each_report(name, found[days])
        yield from _told(name, found[days], scale.plan(days))
    yield from _growth(NAMES[engine], scale, *found.values())


def _come_to_rest(url: str) -> None:
    """Do what a server would have done by itself in so many days: know its tables, and write them.

    That of the benchmarks does nothing by itself, so that nothing is measured beside it.
    """
    if url.startswith("sqlite"):
        return
    with closing(Database(url)) as database, database.writing() as connection:
        connection.execute(text("ANALYZE"))
        connection.commit()
        connection.execute(text("CHECKPOINT"))


def _name(engine: str, scale: Scale, days: int) -> str:
    return f"{NAMES[engine]}, {days} days of {scale.tickets_a_day:,} tickets"


def _best(one: Told, other: Told) -> Told:
    """Return the better of two rounds: the shorter times; but of the memory the larger."""
    best = {what: min(one[what], other[what]) for what in one}
    return best | {"mib": max(one["mib"], other["mib"])}


def _seconds(found: dict[str, Told]) -> dict[str, float]:
    """Return how long each report took."""
    return {report: found["reports"][report] for report in CATALOGUE}


def _each_report(name: str, found: dict[str, Told]) -> Iterator[Result]:
    for report, seconds in _seconds(found).items():
        yield Result(f"{name}: a day's {report}", seconds, "seconds")


def _told(name: str, found: dict[str, Told], plan: YearPlan) -> Iterator[Result]:
    if "reports" in found:
        reports = _seconds(found)
        slowest = max(reports, key=lambda key: reports[key])
        yield Result(
            f"{name}: slowest report of a day ({slowest})",
            reports[slowest],
            "seconds",
            goal=REPORT_GOAL,
            at_most=True,
        )
        yield Result(
            f"{name}: all {len(reports)} reports of a day", sum(reports.values()), "seconds"
        )
    if "books" in found:
        books = found["books"]["seconds"]
        yield Result(f"{name}: books", books, "seconds")
        yield Result(f"{name}: books, for each ticket", 1e6 * books / plan.tickets, "microseconds")
        if "raw" in found:
            raw = found["raw"]["seconds"]
            yield Result(f"{name}: books, times the raw reading", books / raw, "times")
    if "export" in found:
        export = found["export"]
        yield Result(f"{name}: export of the last day", export["seconds"], "seconds")
        yield Result(f"{name}: size of that bundle", export["bundle"], "MiB")
        yield Result(f"{name}: verification of it", export["verify"], "seconds")
    for what in _held(found):
        yield Result(f"{name}: {what}, peak memory", found[what]["mib"], "MiB")


def _held(found: dict[str, Told]) -> list[str]:
    """Return what was measured of which the memory counts; reading raw is only a floor."""
    return [what for what in found if what != "raw"]


def _growth(
    engine: str, scale: Scale, few: dict[str, Told], many: dict[str, Told]
) -> Iterator[Result]:
    more = max(scale.days) / min(scale.days)
    name = f"{engine}: {max(scale.days)} days against {min(scale.days)}"
    of_bundle = GROWTH_GOAL if min(scale.days) > CLAIM_DAYS else None
    grown: dict[str, tuple[float, float | None]] = {}
    if "reports" in few:
        grown["reports of a day"] = _in_all(many) / _in_all(few), GROWTH_GOAL
    if "books" in few:
        longer = many["books"]["seconds"] / few["books"]["seconds"]
        grown["books, for each ticket"] = longer / more, GROWTH_GOAL
    if "export" in few:
        for what, part in (("export", "seconds"), ("verification", "verify")):
            times = _by_size(many, part) / _by_size(few, part)
            grown[f"{what}, for each MiB"] = times, of_bundle
    for what, (times, goal) in grown.items():
        yield Result(f"{name}, {what}", times, "times as long", goal=goal, at_most=True)
    for what in _held(few):
        mib, most = many[what]["mib"] - few[what]["mib"], MEMORY_GOAL_MIB
        yield Result(f"{name}, {what}, memory more", mib, "MiB", goal=most, at_most=True)


def _in_all(found: dict[str, Told]) -> float:
    return sum(_seconds(found).values())


def _by_size(found: dict[str, Told], what: str) -> float:
    return found["export"][what] / found["export"]["bundle"]


# ---- what is measured, each in a process of its own ----------------------------------------------


def _alone(
    act: Callable[[YearHouse, YearPlan], Told], url: str, folder: Path, plan: YearPlan
) -> Told:
    with ProcessPoolExecutor(1, get_context("spawn")) as pool:
        return pool.submit(_in_house, act, url, folder, plan).result()


def _in_house(
    act: Callable[[YearHouse, YearPlan], Told], url: str, folder: Path, plan: YearPlan
) -> Told:
    house = YearHouse.opened(url, folder)
    house.office.now()
    before = _mib()
    try:
        found = act(house, plan)
        return {**found, "mib": _mib() - before}
    finally:
        house.close()


def _mib() -> float:
    """Return the most that this process has held.

    Not `ru_maxrss`, which begins with what the process held that started this one.
    """
    (line,) = [
        line
        for line in Path("/proc/self/status").read_text().splitlines()
        if line.startswith("VmHWM:")
    ]
    return int(line.split()[1]) / 1024


def _reports(house: YearHouse, plan: YearPlan) -> Told:
    """Every report of the last day; long lists as CSV, the rest as PDF."""
    day = plan.day(plan.days - 1)
    seconds = {}
    for report in CATALOGUE.values():
        form = Format.CSV if report.is_detail else Format.PDF
        began = time.perf_counter()
        rendered(make_report(house.office, Asked(report.id, day, day, form)), form)
        seconds[report.id] = time.perf_counter() - began
    return seconds


def _books(house: YearHouse, _plan: YearPlan) -> Told:
    began = time.perf_counter()
    worked = work_out_books(house.office)
    if worked.count:
        raise AssertionError(f"the books have faults: {worked.faults[:3]}")
    return {"seconds": time.perf_counter() - began}


def _raw(house: YearHouse, _plan: YearPlan) -> Told:
    """The same rows read by SQL, and nothing done with them."""
    began = time.perf_counter()
    with house.office.database.reading(at_length=True) as connection:
        for table in READ:
            found = text(f"SELECT * FROM {table}")  # noqa: S608  our own names
            for _ in connection.execution_options(yield_per=1000).execute(found):
                pass
    return {"seconds": time.perf_counter() - began}


def _export(house: YearHouse, plan: YearPlan) -> Told:
    cosign_log(house.office, house.office.keyed)  # type: ignore[arg-type]
    last = plan.day(plan.days - 1)
    with TemporaryDirectory(prefix="keno-") as folder:
        out = Path(folder) / "bundle.zip"
        began = time.perf_counter()
        export_days(house.office, Sitting("bench"), last, last, out)
        exported = time.perf_counter()
        found = verify(out)
        bundle = out.stat().st_size / 1024**2
    if found.faults:
        raise AssertionError(f"the bundle has faults: {found.faults[:3]}")
    verified = time.perf_counter()
    return {"seconds": exported - began, "verify": verified - exported, "bundle": bundle}


ACTS: dict[str, Callable[[YearHouse, YearPlan], Told]] = {
    "reports": _reports,
    "books": _books,
    "raw": _raw,
    "export": _export,
}
