"""Kill either process after any write, or in the middle of one: the game has one outcome."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from rng.core.signing import document_hash
from rng.serve.journal import Disk, InUse
from rng.serve.refusals import Refused
from tests.rng.crash import MOMENTS, CrashingDisk, Killed, check_books, play
from tests.rng.house import IDA, SAM, TestHouse, refusal
from tests.rng.tampering import rechained

# The lines that each process writes for one game that is drawn, then one that is void.
RNG_LINES = ["INTENT", "DRAWN", "PRINTED", "VOID", "PRINTED"]
INSPECTOR_LINES = ["COSIGNED", "MARK", "DRAWN", "TOMBSTONE", "VOID"]
POINTS = [
    pytest.param(role, number, moment, id=f"{role}: {moment} of {kind} ({number})")
    for role, lines in (("rng", RNG_LINES), ("inspector", INSPECTOR_LINES))
    for number, kind in enumerate(lines, 1)
    for moment in MOMENTS
]


@pytest.mark.rule("X-draw-once", "X-recovery")
@pytest.mark.parametrize(("role", "line", "moment"), POINTS)
def test_after_a_crash_at_any_point_the_day_goes_on_with_one_outcome_a_game(
    house: TestHouse, role: str, line: int, moment: str
) -> None:
    disk = CrashingDisk(line, moment)
    process = house.rng if role == "rng" else house.inspector
    process.journal._disk = disk  # noqa: SLF001  the seam, under a process that is running
    secrets: dict[int, str] = {}
    play(house, secrets)
    assert disk.lines >= line, "the point was never reached"
    check_books(house)
    kinds = house.kinds("rng")
    assert (kinds.count("DRAWN"), kinds.count("VOID")) == (2, 1)
    slips = "".join(house.paper.slips)
    assert all(f"GAME M-{game} " in slips for game in (1, 2, 3))


@pytest.mark.rule("X-draw-once", "X-recovery")
@pytest.mark.parametrize("moment", MOMENTS)
def test_after_a_crash_the_same_secret_and_mark_give_the_same_numbers(
    house: TestHouse, moment: str
) -> None:
    """The inspector has marked; the generator dies around its record."""
    house.rng.journal._disk = CrashingDisk(2, moment)  # noqa: SLF001
    wanted = house.office.locked("M")
    with pytest.raises(Killed):
        house.to_rng.call("draw", wanted)
    marked = house.inspector.state.series["M"]
    assert marked.mark is not None
    assert marked.intent is not None
    house.restart()
    drawn = house.office.draw("M")
    assert drawn["record"]["body"]["mark"] == marked.mark
    assert document_hash(drawn["intent"]["body"]) == document_hash(marked.intent["intent"]["body"])


@pytest.mark.rule("X-recovery")
def test_a_torn_last_line_of_any_length_is_cut_off_and_recorded(house: TestHouse) -> None:
    house.office.draw("M")
    house.kill()
    path = house.root / "rng" / "journal.jsonl"
    whole = path.read_bytes()
    lines = whole.splitlines(keepends=True)
    last = lines[-1]
    every = 1 if os.environ.get("HYPOTHESIS_PROFILE") == "proof" else 23
    for length in {*range(1, len(last), every), len(last) - 2, len(last) - 1}:
        path.write_bytes(whole[: -len(last)] + last[:length])
        house.start()
        assert house.rng.failure is None
        assert house.kinds("rng")[len(lines) - 1] == "REPAIRED"
        house.kill()
    house.start()
    house.unlock()
    house.office.draw("M")
    check_books(house)


class FailingDisk(Disk):
    """A disk whose n-th call of a kind fails, as a broken or a full one does."""

    def __init__(self, call: str, number: int) -> None:
        self.call, self.number = call, number

    def write(self, descriptor: int, data: bytes) -> None:
        self.fail("write")
        super().write(descriptor, data)

    def sync(self, descriptor: int) -> None:
        self.fail("sync")
        super().sync(descriptor)

    def fail(self, call: str) -> None:
        if call == self.call:
            self.number -= 1
            if self.number == 0:
                raise OSError(5, "Input/output error")


@pytest.mark.rule("X-draw-once", "X-recovery")
@pytest.mark.parametrize("role", ["rng", "inspector"])
@pytest.mark.parametrize(("call", "number"), [("write", 1), ("write", 2), ("sync", 1), ("sync", 3)])
def test_a_line_that_cannot_be_written_stops_the_process_and_locks_out_the_next(
    house: TestHouse, role: str, call: str, number: int
) -> None:
    wanted = house.office.locked("M")
    process = house.rng if role == "rng" else house.inspector
    process.journal._disk = FailingDisk(call, number)  # noqa: SLF001
    for _ in range(2):  # the second line of the inspector is the record of the first game
        try:
            house.to_rng.call("draw", wanted)
            house.to_inspector.collect()
        except Refused as refused:
            assert refused.code == "process.failed"
    assert process.failure
    with refusal("process.failed"):
        house.by(SAM if role == "rng" else IDA, "unlock")
    house.restart_sealed()
    status = house.by(SAM if role == "rng" else IDA, "status")
    assert [lockout["reason"] for lockout in status["lockouts"]] == ["journal"]  # type: ignore[attr-defined]


@pytest.mark.rule("X-draw-once")
@pytest.mark.parametrize(
    "damage",
    [
        lambda data: data.replace(b'"kind":"START"', b'"kind":"STARS"', 1),
        lambda data: data.replace(b'"index":2', b'"index":3', 1),
        lambda data: data[:500] + b"\x00" + data[501:],
        lambda data: b"".join(data.splitlines(keepends=True)[1:]),
        lambda data: b"".join(data.splitlines(keepends=True)[::-1]),
        lambda data: data + b"\n",
        lambda data: data + b"{}\n",
        lambda data: data[:0],
        lambda data: data + b"x" * (1 << 21),
        lambda data: data.replace(b"\n", b"\r\n"),
    ],
)
@pytest.mark.parametrize("role", ["rng", "inspector"])
def test_any_other_damage_stops_the_process(
    house: TestHouse, role: str, damage: Callable[[bytes], bytes]
) -> None:
    house.office.draw("M")
    house.kill()
    path: Path = house.root / role / "journal.jsonl"
    damaged = damage(path.read_bytes())
    path.write_bytes(damaged)
    house.start()
    process = house.rng if role == "rng" else house.inspector
    assert process.failure
    holder = SAM if role == "rng" else IDA
    assert house.by(holder, "status")["failed"] == process.failure
    with refusal("process.failed"):
        house.by(holder, "unlock")
    assert path.read_bytes() == damaged, "a damaged journal is never touched"


def test_a_journal_can_be_open_only_once(house: TestHouse) -> None:
    with pytest.raises(InUse):
        house.start_rng()


def test_there_is_no_serving_without_a_journal(house: TestHouse) -> None:
    house.kill()
    (house.root / "rng" / "journal.jsonl").unlink()
    house.start_inspector()
    with pytest.raises(FileNotFoundError):
        house.start_rng()
    assert not (house.root / "rng" / "journal.jsonl").exists()


@pytest.mark.rule("X-draw-once")
def test_a_journal_edited_and_chained_anew_is_found_out(house: TestHouse) -> None:
    """Whoever can write the file can mend its hashes, but not the signatures that name them."""
    house.office.draw("M")
    house.kill()
    path = house.root / "rng" / "journal.jsonl"
    path.write_bytes(rechained(path.read_bytes().replace(b'"holder":"Sam"', b'"holder":"Sue"')))
    house.start()
    assert "signed for another place" in str(house.rng.failure)


def test_the_files_of_a_role_are_for_its_owner_alone(house: TestHouse) -> None:
    for role in ("rng", "inspector"):
        for name in ("journal.jsonl", "keys.json", "tls.key"):
            assert os.stat(house.root / role / name).st_mode & 0o777 == 0o600  # noqa: PTH116
