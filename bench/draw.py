"""The draw: games through both processes, the collector, a start with a long journal."""

import os
import random
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from cryptography.hazmat.primitives.asymmetric.rsa import generate_private_key

from bench.measure import Result
from rng.core.mark import EXPONENT, MODULUS_BITS, make_mark
from rng.lab import statistics
from rng.lab.collect import sample_draws
from rng.lab.practice import PracticeOffice
from rng.lab.rehearsal import rehearsal
from rng.lab.verify import read_keys
from rng.lab.verify_journal import verify_journal

GAMES, ROUNDS = 100, 7
SAMPLE = 200_000
JOURNALS = {"rng": "INTENT, DRAWN, PRINTED", "inspector": "MARK, DRAWN"}


def measure() -> Iterator[Result]:
    """Measure everything about the draw."""
    with TemporaryDirectory(prefix="keno-") as folder, rehearsal(Path(folder)) as office:
        yield from _draws(Path(folder), office)
        yield from _journals(Path(folder))
    yield from _sample()


def _draws(root: Path, office: PracticeOffice) -> Iterator[Result]:
    """Games drawn one after the other, against their bare fsyncs and one RSA-3072 signature."""
    office.lock_ahead("M", GAMES * (ROUNDS + 2))
    _play(office, GAMES)
    floor = _Floor(root, _line_sizes(root))
    pairs = [
        (_seconds(lambda: _play(office, GAMES)), _seconds(lambda: floor.run(GAMES)))
        for _ in range(ROUNDS)
    ]
    drawn = median(seconds for seconds, _ in pairs) / GAMES
    bare = median(seconds for _, seconds in pairs) / GAMES
    ratio = median(floor_seconds / seconds for seconds, floor_seconds in pairs)
    yield Result("draws through both processes, the log sealed before", 1 / drawn, "a second")
    yield Result("their fsyncs and one RSA-3072 signature, bare", 1 / bare, "a second")
    yield Result("draws against the bare cost", ratio, "of the floor", goal=0.5)
    sealed = _seconds(lambda: _play(office, GAMES, "S")) / GAMES
    yield Result("games sealed and drawn, one after the other", 1 / sealed, "a second")


def _play(office: PracticeOffice, games: int, series: str = "M") -> None:
    for _ in range(games):
        office.draw(series)


def _line_sizes(root: Path) -> list[tuple[str, int]]:
    """The length of each line that one game leaves in the journals, and of its slip."""
    sizes = []
    for role, kinds in JOURNALS.items():
        lines = (root / role / "journal.jsonl").read_bytes().splitlines(keepends=True)
        for kind in kinds.split(", "):
            (last,) = [line for line in lines if f'"kind":"{kind}"'.encode() in line][-1:]
            sizes.append((role, len(last)))
    return sizes


class _Floor:
    """The same bytes to files of its own, each synced with its folder, and one signature."""

    def __init__(self, root: Path, sizes: list[tuple[str, int]]) -> None:
        self._folder = os.open(root, os.O_RDONLY)
        flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND
        self._files = {role: os.open(root / f"floor-{role}", flags, 0o600) for role in JOURNALS}
        self._paper = os.open(root / "floor-paper", flags, 0o600)
        self._lines = [(self._files[role], bytes(size)) for role, size in sizes]
        self._key = generate_private_key(EXPONENT, MODULUS_BITS)

    def run(self, games: int) -> None:
        for _ in range(games):
            for file, line in self._lines:
                os.write(file, line)
                os.fsync(file)
                os.fsync(self._folder)
            os.write(self._paper, bytes(400))
            os.fsync(self._paper)
            make_mark(self._key, bytes(700))


def _journals(root: Path) -> Iterator[Result]:
    keys = read_keys(root / "public")
    path = root / "rng" / "journal.jsonl"
    lines = path.read_bytes().count(b"\n")
    seconds = _seconds(lambda: verify_journal(path, keys))
    yield Result("lines of a journal verified from public keys", lines / seconds, "a second")


def _sample() -> Iterator[Result]:
    """The collector against Python's own way to draw 20 of 80 from the operating system."""
    system = random.SystemRandom()
    balls = range(1, 81)
    pairs = []
    for _ in range(3):
        ours = _seconds(lambda: sum(part.count("\n") for part in sample_draws(SAMPLE)))
        pairs.append(
            (ours, _seconds(lambda: [system.sample(balls, 20) for _ in range(SAMPLE // 10)]))
        )
    rate = SAMPLE / median(seconds for seconds, _ in pairs)
    ratio = median(10 * floor / seconds for seconds, floor in pairs)
    yield Result("sample --draws, on the production code path", rate, "draws a second")
    yield Result("sample --draws against SystemRandom().sample", ratio, "of the floor", goal=0.5)
    draws = [
        bytes(map(int, line.split())) for part in sample_draws(SAMPLE) for line in part.splitlines()
    ]
    seconds = _seconds(lambda: statistics.test_draws(draws))
    yield Result("draws judged by all outcome tests", SAMPLE / seconds, "a second")


def _seconds(act: Callable[[], object]) -> float:
    start = time.perf_counter()
    act()
    return time.perf_counter() - start
