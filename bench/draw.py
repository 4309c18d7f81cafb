"""The draw: games through both processes, the collector, a start with a long journal."""

import os
import random
import time
from collections.abc import Callable, Iterator
from multiprocessing import get_context
from pathlib import Path
from socket import socket, socketpair
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

GAMES, ROUNDS = 100, 9
SAMPLE = 200_000
JOURNALS = {"rng": "INTENT, DRAWN, PRINTED", "inspector": "MARK, DRAWN"}


def measure() -> Iterator[Result]:
    """Measure everything about the draw."""
    with TemporaryDirectory(prefix="keno-") as folder, rehearsal(Path(folder)) as office:
        yield from _draws(Path(folder), office)
        yield from _journals(Path(folder))
    yield from _sample()


def _draws(root: Path, office: PracticeOffice) -> Iterator[Result]:
    """Games one after the other, against their bare fsyncs and one RSA-3072 signature.

    The floor makes the same writes in the same order, each synced with its folder: once in bare
    processes that wait for each other as the caller and the two must, once in a single loop.
    """
    office.lock_ahead("M", GAMES * (ROUNDS + 1))
    _play(office)
    sizes = _line_sizes(root)
    apart, alone = _Apart(root, sizes), _Alone(root, sizes)
    rounds = [
        tuple(_seconds(act) / GAMES for act in acts)
        for acts in [(lambda: _play(office), apart.run, alone.run)] * ROUNDS
    ]
    apart.end()
    drawn, two, one = (median(column) for column in zip(*rounds, strict=True))
    ratio = median(floor / seconds for seconds, floor, _ in rounds)
    plain = median(floor / seconds for seconds, _, floor in rounds)
    yield Result("draws through both processes, the log sealed before", 1 / drawn, "a second")
    yield Result("their fsyncs and one RSA-3072 signature, bare processes", 1 / two, "a second")
    yield Result("their fsyncs and one RSA-3072 signature, one loop", 1 / one, "a second")
    signature = _seconds(lambda: [alone.sign() for _ in range(GAMES)]) / GAMES
    yield Result("one RSA-3072 signature", 1000 * signature, "milliseconds")
    yield Result("draws against the bare processes", ratio, "of the floor", goal=0.5)
    yield Result("draws against the one bare loop", plain, "of the floor")


def _play(office: PracticeOffice) -> None:
    for _ in range(GAMES):
        office.draw("M")


def _line_sizes(root: Path) -> dict[str, int]:
    """The length of each line that one game leaves in the journals, and of its slip."""
    sizes = {"paper": 400}
    for role, kinds in JOURNALS.items():
        lines = (root / role / "journal.jsonl").read_bytes().splitlines(keepends=True)
        for kind in kinds.split(", "):
            (last,) = [line for line in lines if f'"kind":"{kind}"'.encode() in line][-1:]
            sizes[f"{role} {kind}"] = len(last)
    return sizes


class _Files:
    """Files of the floor's own: a journal, synced with its folder, and the paper."""

    def __init__(self, root: Path, name: str, sizes: dict[str, int]) -> None:
        self._sizes = sizes
        self._folder = os.open(root, os.O_RDONLY)
        self._journal, self._paper = (
            os.open(root / file, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
            for file in (name, f"{name}-paper")
        )

    def write(self, line: str) -> None:
        file = self._paper if line == "paper" else self._journal
        os.write(file, bytes(self._sizes[line]))
        os.fsync(file)
        if line != "paper":
            os.fsync(self._folder)


class _Alone:
    """The same writes and one signature, in one loop."""

    def __init__(self, root: Path, sizes: dict[str, int]) -> None:
        self._files = _Files(root, "floor-alone", sizes)
        self._sizes = sizes
        self._key = generate_private_key(EXPONENT, MODULUS_BITS)

    def run(self) -> None:
        for _ in range(GAMES):
            for line in self._sizes:
                self._files.write(line)
            self.sign()

    def sign(self) -> str:
        return make_mark(self._key, bytes(700))


class _Apart:
    """The same writes and one signature in bare processes: a caller, a generator, an inspector."""

    def __init__(self, root: Path, sizes: dict[str, int]) -> None:
        self._line, to_caller = socketpair()
        to_inspector, to_rng = socketpair()
        everyone = (self._line, to_caller, to_inspector, to_rng)
        parts = (
            (_bare_rng, _Files(root, "floor-rng", sizes), (to_caller, to_inspector)),
            (_bare_inspector, _Files(root, "floor-inspector", sizes), (to_rng,)),
        )
        self._processes = [
            get_context("fork").Process(target=_alone_with, args=(act, files, mine, everyone))
            for act, files, mine in parts
        ]
        for process in self._processes:
            process.start()
        for other in everyone[1:]:
            other.close()

    def run(self) -> None:
        for _ in range(GAMES):
            self._line.sendall(b"d")
            self._line.recv(1)

    def end(self) -> None:
        self._line.close()
        for process in self._processes:
            process.join()


def _alone_with(
    act: Callable[..., None], files: _Files, mine: tuple[socket, ...], everyone: tuple[socket, ...]
) -> None:
    """Run a bare process with its own ends of the lines; those that came with the fork close."""
    for line in everyone:
        if line not in mine:
            line.close()
    act(files, *mine)


def _bare_rng(files: _Files, caller: socket, inspector: socket) -> None:
    while asked := caller.recv(1):
        files.write("rng INTENT")
        inspector.sendall(b"m")
        inspector.recv(1)
        files.write("rng DRAWN")
        caller.sendall(asked)
        inspector.sendall(b"d")
        files.write("paper")
        files.write("rng PRINTED")
        inspector.recv(1)


def _bare_inspector(files: _Files, rng: socket) -> None:
    key = generate_private_key(EXPONENT, MODULUS_BITS)
    while asked := rng.recv(1):
        if asked == b"m":
            make_mark(key, bytes(700))
            files.write("inspector MARK")
        else:
            files.write("inspector DRAWN")
        rng.sendall(asked)


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
