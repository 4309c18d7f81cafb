"""The long evidence for the draw: every byte flipped, every crash twice over, random days, soak."""

import random
import socket
import struct
from copy import deepcopy
from itertools import pairwise
from pathlib import Path

import pytest

from rng.lab import statistics
from rng.lab.collect import sample_draws
from rng.lab.rehearsal import rehearsal
from rng.lab.verify import WRONG, Wrong, read_keys, verify_draw
from rng.lab.verify_journal import _Check, verify_agreement, verify_journal
from rng.serve.protocol import FRAME_BYTES_MAX, Unreachable
from rng.serve.refusals import Refused
from tests.rng.crash import MOMENTS, CrashingDisk, Killed, check_books, play
from tests.rng.house import TestHouse

pytestmark = pytest.mark.proof


@pytest.fixture
def house(tmp_path: Path) -> TestHouse:
    return TestHouse.founded(tmp_path)


@pytest.mark.rule("X-draw-once", "X-recovery")
@pytest.mark.parametrize("first", ["rng", "inspector"])
@pytest.mark.parametrize("moment", MOMENTS)
@pytest.mark.parametrize("second_moment", MOMENTS)
@pytest.mark.parametrize("line", range(1, 6))
@pytest.mark.parametrize("second_line", [1, 3])
def test_two_crashes_in_one_day_of_either_process_leave_one_outcome_a_game(  # noqa: PLR0917
    house: TestHouse, first: str, moment: str, second_moment: str, line: int, second_line: int
) -> None:
    house.rng.journal._disk = CrashingDisk(  # noqa: SLF001
        line if first == "rng" else second_line, moment if first == "rng" else second_moment
    )
    house.inspector.journal._disk = CrashingDisk(  # noqa: SLF001
        second_line if first == "rng" else line, second_moment if first == "rng" else moment
    )
    play(house, {})
    check_books(house)
    assert house.kinds("rng").count("DRAWN") == 2
    house.close()


@pytest.mark.rule("X-draw-public")
@pytest.mark.parametrize("role", ["rng", "inspector"])
def test_every_flipped_byte_of_a_journal_is_found(house: TestHouse, role: str) -> None:
    """Each byte of each line but the last, on which no other line rests yet."""
    house.office.draw("M")
    house.office.void("M", "The lights went out.")
    house.office.draw("S")
    house.close()
    data = (house.root / role / "journal.jsonl").read_bytes()
    lines = data.splitlines(keepends=True)
    check = _Check(house.old_keys)
    assert len(lines) > 3
    for line, following in pairwise(lines):
        for place in range(len(line)):
            flipped = line[:place] + bytes([line[place] ^ (1 + place % 255)]) + line[place + 1 :]
            forged = deepcopy(check)
            with pytest.raises((Wrong, *WRONG)):
                _read_both(forged, flipped, following)
        check.line(line)


def _read_both(check: _Check, line: bytes, following: bytes) -> None:
    check.line(line)
    check.line(following)


@pytest.mark.rule("X-draw-once", "X-recovery")
@pytest.mark.parametrize("seed", range(20))
def test_a_random_day_of_lost_answers_and_kills_has_one_record_a_game(
    house: TestHouse, seed: int
) -> None:
    """Draws, voids, kills, lost answers and lost requests, a hundred and fifty steps of them."""
    chance = random.Random(seed)  # noqa: S311  the same day for the same seed
    records: dict[tuple[str, int], str] = {}
    for _ in range(150):
        _one_step(house, chance)
        for code in "MS":
            known = house.rng.state.series[code]
            if known.next > known.first:
                last = (code, known.next - 1)
                assert records.setdefault(last, known.previous) == known.previous
    for wire in (house.to_rng, house.to_inspector):
        wire.lose_answers_of = wire.drop_requests_of = set()
    house.restart()
    for series in "MS":
        try:
            house.office.draw(series)
        except Refused as refused:  # it was decided while the office was not listening
            assert refused.code in ("game.void", "game.marked")
    check_books(house)
    house.close()


def _one_step(house: TestHouse, chance: random.Random) -> None:
    for wire in (house.to_rng, house.to_inspector):
        wire.lose_answers_of = _some(chance, ("draw", "void", "mark", "cosign", "deliver"))
        wire.drop_requests_of = _some(chance, ("draw", "mark", "deliver", "ready"))
    if chance.random() < 0.15:
        disk = CrashingDisk(chance.randint(1, 4), chance.choice(MOMENTS))
        house.rng.journal._disk = disk  # noqa: SLF001
    series = chance.choice("MS")
    try:
        if chance.random() < 0.15:
            house.office.void(series, "A bad day.")
        else:
            house.office.draw(series)
    except Killed:
        house.restart()
    except (Refused, Unreachable):
        if chance.random() < 0.3:
            house.restart()


def _some(chance: random.Random, acts: tuple[str, ...]) -> set[str]:
    return {act for act in acts if chance.random() < 0.08}


@pytest.mark.rule("X-recovery")
def test_ten_thousand_random_frames_stop_neither_process(tmp_path: Path) -> None:
    chance = random.Random(1947)  # noqa: S311  the same noise each time
    with rehearsal(tmp_path) as office:
        for number in range(10_000):
            role = chance.choice(("rng", "inspector"))
            data = chance.randbytes(chance.randint(0, 200))
            if chance.random() < 0.5:
                length = chance.choice((len(data), 0, 1, FRAME_BYTES_MAX, 2**32 - 1))
                data = struct.pack(">I", length) + data
            with socket.socket(socket.AF_UNIX) as peer:
                peer.connect(str(tmp_path / role / "service.sock"))
                peer.sendall(data)
            if number % 500 == 0:
                office.draw("M")
        office.draw("M")
    keys = read_keys(tmp_path / "public")
    for role in ("rng", "inspector"):
        assert verify_journal(tmp_path / role / "journal.jsonl", keys).drawn >= 20


@pytest.mark.rule("X-draw-once", "X-draw-public", "X-rng-tests")
def test_five_thousand_games_through_both_processes_are_sound_and_fair(tmp_path: Path) -> None:
    with rehearsal(tmp_path) as office:
        games = [office.draw("M") for _ in range(5_000)]
    keys = read_keys(tmp_path / "public")
    for game in games[::100]:
        verify_draw(game, keys)
    reports = [
        verify_journal(tmp_path / role / "journal.jsonl", keys) for role in ("rng", "inspector")
    ]
    assert verify_agreement(*reports) >= 4_999
    judged = statistics.test_draws([game["record"]["body"]["numbers"] for game in games])
    assert (judged.p_value or 0) > 1e-7


@pytest.mark.rule("X-rng-tests", "X-rng-lab")
def test_a_fair_million_of_the_collector_is_not_accused() -> None:
    lines = (line for part in sample_draws(1_000_000) for line in part.splitlines())
    report = statistics.test_draws(bytes(map(int, line.split())) for line in lines)
    assert report.draws == 1_000_000
    assert (report.p_value or 0) > 1e-7
