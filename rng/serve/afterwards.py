"""What R does after an answer has left: its own paper, and the inspector's journal.

Both are owed for every record, and both are seen to before the next draw begins. What was printed
but not noted as printed is printed again, and says so; what was delivered but not known to be is
delivered again, and is the same.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Protocol, cast

from rng.core.entropy import Source
from rng.core.records import Draw, DrawRecord, Handover, Sealed, Void
from rng.core.signing import document_hash
from rng.note import Checkpoint, NoteFailed, read_checkpoint, read_note
from rng.serve.acts import ActingProcess
from rng.serve.keyed import Fields, Surroundings
from rng.serve.printer import NotReady, Printer
from rng.serve.protocol import Unreachable
from rng.serve.refusals import Code, Refused, refused
from rng.serve.slip import draw_slip, void_slip
from rng.serve.standing import NOWHERE


class Peer(Protocol):
    """What the generator needs of its connection to the inspector."""

    def call(self, act: str, fields: Mapping[str, object] | None = None) -> dict[str, object]:
        """Ask for an act; Refused or Unreachable if it is not done."""

    def post(self, act: str, fields: Mapping[str, object]) -> None:
        """Ask for an act without waiting."""

    def collect(self) -> list[dict[str, object]]:
        """Return the answers to what was posted; Refused or Unreachable as above."""


@dataclass(frozen=True)
class Devices:
    """What only the generator has: entropy, the inspector's process, paper, and a name."""

    source: Source
    inspector: Peer
    printer: Printer
    name: str


class Afterwards(ActingProcess):
    """A generator's records, once they are made."""

    def __init__(self, folder: Path, surroundings: Surroundings, devices: Devices) -> None:
        """Start as every keyed process does, and print what the paper does not have."""
        self._devices = devices
        self._inspector = devices.inspector
        self._printer = devices.printer
        self._delivered: dict[str, int] = {}
        self._posted: list[tuple[str, int]] = []
        self._last_ended: tuple[tuple[str, int], dict[str, object]] | None = None
        self._trouble: str | None = None
        super().__init__(folder, surroundings)
        if self.failure is None:
            # What was not noted as printed may be on the paper: it is printed again, and says so.
            self._maybe_printed = set(self.state.unprinted)
            self.after()

    def after(self) -> None:
        """Print and deliver what the last answer left to do; the next draw waits for both."""
        if self.failure is not None:
            return
        self._trouble = None
        for act in (self._post_records, self._print_slips):
            try:
                act()
            except Refused as refusal:
                self._trouble = refusal.message

    def _print_slips(self) -> None:
        """Print every record that the paper does not have (15.5(a)-record).

        Raises:
            Refused: the printer is not ready.
        """
        for item in list(self.state.unprinted.values()):
            reprint = item.record in self._maybe_printed
            slip = self._slip(item.series, item.game, reprint=reprint)
            self._maybe_printed.add(item.record)
            try:
                self._printer.print(slip)
            except NotReady as trouble:
                raise refused(Code.PRINTER, detail=trouble) from None
            paper = sha256(slip).hexdigest()
            self.write("PRINTED", {"record": item.record, "paper": paper, "reprint": reprint})
            self._maybe_printed.discard(item.record)

    def _slip(self, code: str, game: int, *, reprint: bool) -> bytes:
        ended = self._ended(code, game)
        if "void" in ended:
            void = cast("Void", ended["void"])["record"]["body"]
            return void_slip(void, self.now(), reprint=reprint)
        drawn = cast("Draw", ended["drawn"])["record"]["body"]
        return draw_slip(drawn, self.now(), reprint=reprint)

    def status(self, fields: Fields) -> Mapping[str, object]:
        """Return how things stand, with what the paper and the inspector are waiting for."""
        common = super().status(fields)
        if "series" not in common:
            return common
        return {**common, "unprinted": len(self.state.unprinted), "trouble": self._trouble}

    def _ended(self, code: str, game: int) -> dict[str, object]:
        """Return the whole of a game that is over, from the journal."""
        if self._last_ended is not None and self._last_ended[0] == (code, game):
            return self._last_ended[1]
        series = self.state.series[code]
        place = game - series.first
        end = self.journal.document_at(series.ended[place])
        if "tombstone" in end:
            return {"void": end}
        opened = series.opened[place]
        line = self.journal.document_at(opened) if opened != NOWHERE else self._handed_over(end)
        return {"drawn": {**line, "record": end}}

    def _handed_over(self, record: dict[str, object]) -> dict[str, object]:
        """Return the statement, seal and intent of a game that a handover brought with it."""
        handover = cast("Sealed[Handover]", self.state.genesis["handover"])
        digest = cast("Sealed[DrawRecord]", record)["body"]["intent"]
        (game,) = (
            game
            for game in handover["body"]["open_games"]
            if document_hash(game["intent"]["body"]) == digest
        )
        return {"statement": game["statement"], "seal": game["seal"], "intent": game["intent"]}

    # ---- the inspector's journal -----------------------------------------------------------------

    def _owed(self) -> list[tuple[str, int]]:
        """Return the last record of each series that the inspector may not have."""
        return [
            (code, game)
            for code, game in self.state.last_records.items()
            if self._delivered.get(code) != game
        ]

    def _post_records(self) -> None:
        """Send what the inspector is owed without waiting; the next draw waits.

        Raises:
            Refused: the inspector cannot be reached.
        """
        for which in self._owed():
            if which not in self._posted:
                try:
                    self._inspector.post("deliver", self._delivery(which))
                except Unreachable as trouble:
                    raise refused(Code.NO_INSPECTOR, detail=trouble) from None
                self._posted.append(which)

    def _deliver(self) -> None:
        """See what the inspector is owed into its journal.

        Raises:
            Refused: the inspector does not take it, or cannot be reached.
        """
        posted, self._posted = self._posted, []
        try:
            self._inspector.collect()
            self._delivered.update(posted)
        except (Refused, Unreachable):
            pass  # which one it was is found out by sending them again
        for which in self._owed():
            self._ask("deliver", self._delivery(which))
            self._delivered[which[0]] = which[1]

    def _delivery(self, which: tuple[str, int]) -> Mapping[str, object]:
        ended = self._ended(*which)
        if "void" in ended:
            return ended
        drawn = cast("Draw", ended["drawn"])  # statement and seal are there with the mark
        return {"intent": drawn["intent"], "record": drawn["record"]}

    def last_cosigned(self) -> Checkpoint | None:
        """Return the last head that the inspector has cosigned, as it says itself."""
        note = self._ask("status", {}).get("checkpoint")
        try:
            return None if note is None else read_checkpoint(read_note(str(note)).text)
        except NoteFailed as fault:
            raise refused(Code.ACT_REFUSED, detail=fault) from None

    def _ask(self, act: str, fields: Mapping[str, object]) -> dict[str, object]:
        try:
            return self._inspector.call(act, fields)
        except Unreachable as trouble:
            raise refused(Code.NO_INSPECTOR, detail=trouble) from None
