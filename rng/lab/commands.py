"""The laboratory's commands: collect, judge, verify, practise."""

import argparse
import json
import sys
from collections.abc import Callable, Iterable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import TypeVar, cast

from rng.lab import statistics
from rng.lab.collect import sample_draws, sample_raw
from rng.lab.lossy import lose_answers
from rng.lab.practice import PracticeOffice, set_up
from rng.lab.rehearsal import rehearse
from rng.lab.verify import Wrong, read_keys, verify_against_statement, verify_draw, verify_void
from rng.lab.verify_journal import verify_agreement, verify_journal
from rng.serve.commands import BadUsage
from rng.serve.keyed import JOURNAL
from rng.serve.protocol import Client, Unreachable
from rng.serve.tls import credentials_of_office

_PROGRESS_EVERY = 50_000

T = TypeVar("T")


def sample(options: argparse.Namespace) -> int:
    """Collect final outcomes or raw bits."""
    if options.dir is not None and (options.dir / JOURNAL).exists():
        print(
            "that folder holds a generator's journal; samples are taken elsewhere", file=sys.stderr
        )
        return 3
    if options.raw is not None:
        for part in sample_raw(options.raw):
            sys.stdout.buffer.write(part)
    elif options.draws is None:
        raise BadUsage("say --draws N or --raw BYTES")
    elif options.full:
        for numbers in rehearse(options.draws):
            print(*numbers)
    else:
        _with_progress(sample_draws(options.draws), options.draws)
    sys.stdout.flush()
    return 0


def _with_progress(parts: Iterable[str], count: int) -> None:
    done = 0
    for part in parts:
        sys.stdout.write(part)
        before, done = done, done + part.count("\n")
        if done // _PROGRESS_EVERY > before // _PROGRESS_EVERY and sys.stderr.isatty():
            print(f"{done:,} of {count:,}", file=sys.stderr)


def judge(options: argparse.Namespace) -> int:
    """Try the outcome tests on a file of draws."""
    with options.file.open() as file:
        try:
            report = statistics.test_draws(_draws(file))
        except statistics.BadDraws as fault:
            print(fault, file=sys.stderr)
            return 3
    print(json.dumps(report.document()) if options.json else report.text())
    return 0


def _draws(lines: Iterable[str]) -> Iterator[list[int]]:
    for number, line in enumerate(lines, 1):
        words = line.split()
        if not all(word.isdecimal() for word in words):
            raise statistics.BadDraws(f"draw {number} is not twenty numbers")
        yield [int(word) for word in words]


def verify(options: argparse.Namespace) -> int:
    """Check journals, or one published draw, from public keys alone."""
    try:
        keys = read_keys(options.keys)
        if options.files[0].suffix == ".jsonl":
            reports = [verify_journal(path, keys) for path in options.files]
            for report in reports:
                print(f"sound: {report.text()}")
            for one, other in pairwise(reports):
                print(f"agreed: {verify_agreement(one, other)} games in both")
        else:
            for path in options.files:
                _verify_draw(path, keys, options.statement)
    except Wrong as found:
        print(f"wrong: {found}", file=sys.stderr)
        return 3
    return 0


def _verify_draw(path: Path, keys: dict[str, str], statement: Path | None) -> None:
    document = _json(path)
    if isinstance(document, dict) and document.keys() in ({"drawn"}, {"void"}):
        (document,) = document.values()
    if isinstance(document, dict) and "tombstone" in document:
        void = verify_void(document, keys)
        print(f"sound: {void['series']}-{void['game']} is void")
        return
    record = verify_draw(document, keys)
    if statement is not None:
        verify_against_statement(document, _json(statement), keys)
    print(f"sound: {record['series']}-{record['game']} drew", *record["numbers"])


def _json(path: Path) -> object:
    try:
        return cast("object", json.loads(path.read_bytes()))
    except (ValueError, RecursionError) as fault:
        raise Wrong(f"{path.name} is not JSON: {fault}") from None


# ---- practising ----------------------------------------------------------------------------------


def practice_setup(options: argparse.Namespace) -> None:
    """Make the keys of a practice office, and the terms of its house."""
    series = {}
    for text in options.series or ["M=1"]:
        code, _, first = text.partition("=")
        series[code] = int(first or "1")
    try:
        set_up(options.office, options.public, options.house, series)
    except FileExistsError as fault:
        raise BadUsage(f"{fault.filename} is there already; nothing is overwritten") from None
    print(f"practice office in {options.office}; its public keys are in {options.public}")


def practice_lock(options: argparse.Namespace) -> None:
    """Lock and seal the next game, without having it drawn."""
    office = _office(options)
    _reachable(lambda: office.locked(options.series))
    print(f"{options.series}-{office.next[options.series]} is locked and sealed", flush=True)


def practice_lossy(options: argparse.Namespace) -> None:
    """Stand between the generator and the inspector, and lose the answers to some acts."""
    server = lose_answers(options.socket, Client(options.inspector), frozenset(options.lose))
    server.run(lambda: print(f"losing answers at unix:{options.socket}", flush=True))


def practice_draw(options: argparse.Namespace) -> None:
    """Lock and draw games without tickets."""
    office = _office(options)
    for _ in range(options.games):
        drawn = _reachable(lambda: office.draw(options.series))
        record = drawn["record"]["body"]
        print(f"{record['series']}-{record['game']}:", *record["numbers"], flush=True)
        if options.out:
            options.out.write_text(json.dumps(drawn) + "\n")


def practice_void(options: argparse.Namespace) -> None:
    """Have the next game voided."""
    office = _office(options)
    void = _reachable(lambda: office.void(options.series, options.reason))
    record = void["record"]["body"]
    print(f"{record['series']}-{record['game']} is void", flush=True)


def _office(options: argparse.Namespace) -> PracticeOffice:
    office, public = options.office, options.public
    rng, inspector = (
        Client(address, credentials_of_office(office, public, name))
        for address, name in ((options.rng, "rng"), (options.inspector, "inspector"))
    )
    return PracticeOffice(office, public, rng, inspector)


def _reachable(act: Callable[[], T]) -> T:
    try:
        return act()
    except Unreachable as trouble:
        raise BadUsage(f"no answer: {trouble}; ask again, and the same game goes on") from None
