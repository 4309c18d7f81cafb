"""Helpers of `test_crash` that other tests use too."""

from rng.lab.verify import read_keys
from rng.lab.verify_journal import verify_agreement, verify_journal
from rng.serve.journal import Disk
from rng.serve.refusals import Refused
from tests.rng.house import TestHouse


class Killed(BaseException):
    """The process is gone; nothing in it may catch this."""


class CrashingDisk(Disk):
    """A disk on which the process dies at its n-th line: before, in the middle, or after it."""

    def __init__(self, line: int, moment: str) -> None:
        self.line, self.moment = line, moment
        self.lines = 0

    def write(self, descriptor: int, data: bytes) -> None:
        self.lines += 1
        if self.lines != self.line:
            return super().write(descriptor, data)
        if self.moment == "before the write":
            raise Killed
        if self.moment == "in the middle of the write":
            super().write(descriptor, data[: len(data) // 2])
            raise Killed
        return super().write(descriptor, data)

    def sync(self, descriptor: int) -> None:
        super().sync(descriptor)
        if self.lines == self.line and self.moment == "after the write":
            raise Killed


MOMENTS = ["before the write", "in the middle of the write", "after the write"]


def play(house: TestHouse, secrets: dict[int, str]) -> None:
    """Draw game 1, void game 2, draw game 3; whatever dies is started again, and asked again."""
    while house.office.next["M"] <= 3:
        game = house.office.next["M"]
        try:
            if game == 2:
                house.office.void("M", "The lights went out.")
            else:
                intent = house.office.draw("M")["intent"]["body"]
                assert secrets.setdefault(game, intent["r"]) == intent["r"]
        except Killed:
            house.restart()
        except Refused as refused:
            assert refused.code == "inspector.unreachable"


def check_books(house: TestHouse) -> None:
    """Both journals are sound and agree."""
    house.rng.after()
    house.to_inspector.collect()
    keys = read_keys(house.root / "public")
    reports = [
        verify_journal(house.root / role / "journal.jsonl", keys) for role in ("rng", "inspector")
    ]
    assert verify_agreement(*reports) == len(reports[0].records)
