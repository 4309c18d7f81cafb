"""The paper of the drill, read as it comes out of the printers: the codes of tickets are on it."""

import threading
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from printers.reader import Cut, Event, Garbage, Printed, Qr, Reader

NUMBER_DIGITS = 11  # of a scanned ticket; behind them stands the code
LOOK_SECONDS = 0.2


@dataclass
class Tray:
    """What came out of all printers so far."""

    rolls: Sequence[Path]
    codes: dict[int, str] = field(default_factory=dict)  # of each ticket, by its number
    originals: "Counter[int]" = field(default_factory=Counter)  # papers that are marked no copy
    _read: dict[Path, int] = field(default_factory=dict)
    _readers: dict[Path, Reader] = field(default_factory=dict)
    _papers: dict[Path, list[Event]] = field(default_factory=dict)

    def run(self, stop: threading.Event) -> None:
        """Read until told to stop."""
        while not stop.wait(LOOK_SECONDS):
            self.look()

    def look(self) -> None:
        """Read what came since."""
        for roll in self.rolls:
            if roll.exists():
                with roll.open("rb") as paper:
                    paper.seek(self._read.get(roll, 0))
                    came = paper.read()
                self._read[roll] = self._read.get(roll, 0) + len(came)
                self._take(roll, came)

    def _take(self, roll: Path, came: bytes) -> None:
        reader = self._readers.setdefault(roll, Reader())
        paper = self._papers.setdefault(roll, [])
        try:
            for event in reader.read(came):
                paper.append(event)
                if isinstance(event, Cut):
                    self._cut(paper)
                    paper.clear()
        except Garbage:  # a paper that was cut short; the next one begins anew
            self._readers[roll] = Reader()

    def _cut(self, paper: Sequence[Event]) -> None:
        """Keep what is on a paper, if it is a ticket."""
        scans = [event.text for event in paper if isinstance(event, Qr)]
        lines = [event.text for event in paper if isinstance(event, Printed)]
        for scan in scans:
            number = int(scan[:NUMBER_DIGITS])
            self.codes[number] = scan[NUMBER_DIGITS:]
            if not any("COPY" in line for line in lines):
                self.originals[number] += 1
