"""What a check finds: one line that says what is wrong, under the name of the check."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

LISTED = 1_000  # faults of one check that are told; how many there are beyond that is counted


@dataclass(frozen=True)
class Fault:
    """Something stored that does not follow from the rest."""

    check: str
    message: str


@dataclass
class Finding:
    """All that a check has found: how much it looked at, and what is wrong, each told once."""

    looked_at: int = 0
    untold: int = 0
    _told: dict[Fault, None] = field(default_factory=dict)

    def __iter__(self) -> Iterator[Fault]:
        """Return what is wrong, as far as it is told."""
        return iter(self._told)

    def __len__(self) -> int:
        """Return how much is wrong."""
        return len(self._told) + self.untold

    def count(self, looked_at: int) -> None:
        """Note how much more was looked at."""
        self.looked_at += looked_at

    def add(self, faults: Iterable[Fault] | None) -> None:
        """Add what is wrong."""
        for fault in faults or ():
            if fault not in self._told:
                if len(self._told) < LISTED:
                    self._told[fault] = None
                else:
                    self.untold += 1

    def merge(self, other: "Finding") -> None:
        """Add what another look of the same check has found."""
        self.add(other)
        self.untold += other.untold
