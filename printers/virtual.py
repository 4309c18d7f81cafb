"""A virtual printer: it speaks as a printer does on a port, and keeps its paper as pictures.

It is the printer of the demonstration house, and stands in for a real one in tests. It can be told
to misbehave as real ones do: to be silent or slow, out of paper or nearly, with its cover open or
offline, to cut the line in the middle of a paper, to say garbage, to print garbage.
"""

import socket
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path

from PIL import Image

from printers.drawing import picture
from printers.escpos import CLEARED, CUT_OFF, ID_ANSWER, ID_END, IDENTIFY, QUIET
from printers.paper import Roll
from printers.reader import Ask, Cut, Event, Garbage, Identify, Kick, Reader
from printers.status import Status, answer_to

SLOW_SECONDS = 0.2  # for each piece that arrives
PIECE = 64
NAME_DIGITS = 6
NOT_ON_PAPER = (b"\x00", QUIET)  # what is sent beside a paper and leaves nothing on it
BLANK = CUT_OFF.removeprefix(CLEARED)  # a strip on which nothing hung
CODES = (b"\x1dk", b"\x1d(k")  # how the commands begin that print bars and QR codes


class Fault(StrEnum):
    """How it can misbehave."""

    NONE = "none"
    SILENT = "silent"  # it takes everything, prints nothing and says nothing
    MUTE = "mute"  # it prints, and says nothing
    SLOW = "slow"
    PAPER_OUT = "paper-out"  # it stops where it is
    NEAR_END = "near-end"
    COVER_OPEN = "cover-open"
    OFFLINE = "offline"
    CUT_LINE = "cut-line"  # the line breaks; what it had is on the paper
    GARBAGE = "garbage"  # it answers what no printer answers
    SPOILED = "spoiled"  # it prints garbage, and says that all is well: only eyes can tell


STOPPED = {
    Fault.PAPER_OUT: Status(paper_out=True),
    Fault.COVER_OPEN: Status(cover_open=True),
    Fault.OFFLINE: Status(offline=True),
}


@dataclass
class VirtualPrinter:
    """One printer: it listens on a port, and keeps each paper that it cuts in a folder."""

    name: str
    roll: Roll
    folder: Path
    port: int = 0
    _fault: Fault = Fault.NONE
    _after: int = 0  # how many more bytes it takes before the fault
    _bytes: bytearray = field(default_factory=bytearray)  # what was done since the last cut
    _pending: bytearray = field(default_factory=bytearray)  # a command that is not complete
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _listening: socket.socket | None = None
    _kept: int = 0  # how many papers there are; not counted anew for each
    kicks: int = 0

    def start(self) -> None:
        """Listen, from now on."""
        self.folder.mkdir(parents=True, exist_ok=True)
        self._kept = len(self.papers)
        self._listening = socket.create_server(("127.0.0.1", self.port))
        self.port = self._listening.getsockname()[1]
        threading.Thread(target=self._serve, args=(self._listening,), daemon=True).start()

    def stop(self) -> None:
        """Listen no more: its plug is pulled."""
        if self._listening is not None:
            # Closing alone would not wake whoever waits for a connection.
            self._listening.shutdown(socket.SHUT_RDWR)
            self._listening.close()
            self._listening = None

    def misbehave(self, fault: Fault, after: int = 0) -> None:
        """Misbehave when so many more bytes have been taken, until told otherwise."""
        with self._lock:
            self._fault, self._after = fault, after

    def look_at(self, paper: Path) -> Image.Image:
        """Return a paper as a picture."""
        return picture(Reader().read(paper.read_bytes()), self.roll)

    @property
    def fault(self) -> Fault:
        """How it misbehaves, or will."""
        return self._fault

    @property
    def papers(self) -> list[Path]:
        """What was cut off, the oldest first, as bytes."""
        return sorted(self.folder.glob("*.bin"))

    @property
    def printed_so_far(self) -> bytes:
        """What is on the paper that is not cut off yet."""
        return bytes(self._bytes)

    # ---- what it does ----------------------------------------------------------------------------

    def _serve(self, listening: socket.socket) -> None:
        while True:
            try:
                line, _ = listening.accept()
            except OSError:
                return
            threading.Thread(target=self._talk, args=(line,), daemon=True).start()

    def _talk(self, line: socket.socket) -> None:
        reader = Reader()
        self._pending.clear()
        with line:
            while True:
                try:
                    data = line.recv(PIECE)
                except OSError:
                    return
                if not data or not self._take(reader, data, line.sendall):
                    return

    def _take(self, reader: Reader, data: bytes, say: Callable[[bytes], None]) -> bool:
        """Take some bytes; says whether the line is still there."""
        with self._lock:
            sound = data if self._fault is Fault.NONE else data[: self._after]
            if self._fault is not Fault.NONE:
                self._after = max(self._after - len(data), 0)
        if not self._print(reader, sound, say):
            return False
        rest = data[len(sound) :]
        return not rest or self._misbehaving(reader, rest, say)

    def _misbehaving(self, reader: Reader, data: bytes, say: Callable[[bytes], None]) -> bool:
        fault = self._fault
        if fault is Fault.CUT_LINE:
            return False
        if fault is Fault.SLOW:
            time.sleep(SLOW_SECONDS)
        if fault in (Fault.SLOW, Fault.SPOILED):
            return self._print(reader, data, say, spoils=fault is Fault.SPOILED)
        if fault is Fault.NEAR_END:
            return self._print(reader, data, say, Status(paper_near_end=True))
        if fault is Fault.MUTE:
            return self._print(reader, data, lambda _said: None)
        if fault is Fault.GARBAGE:
            return self._print(reader, data, lambda said: say(bytes(len(said))))
        if fault in STOPPED:  # it answers at once, and does nothing of what waits in it
            for question in _questions(data):
                say(bytes([answer_to(question, STOPPED[fault])]))
        return True

    def _print(
        self,
        reader: Reader,
        data: bytes,
        say: Callable[[bytes], None],
        status: Status = Status(),  # noqa: B008  it is frozen
        *,
        spoils: bool = False,
    ) -> bool:
        """Do what some bytes say; what is no command of ours ends the conversation."""
        for byte in data:
            self._pending.append(byte)
            try:
                events = list(reader.read(bytes([byte])))
            except Garbage:
                return False
            if reader.is_between_commands:  # a command that is cut short does nothing
                if bytes(self._pending) not in NOT_ON_PAPER:
                    done = bytes(self._pending)
                    self._bytes += _spoiled(done) if spoils else done
                self._pending.clear()
            for event in events:
                try:
                    self._do(event, say, status)
                except OSError:
                    return False
        return True

    def _do(self, event: Event, say: Callable[[bytes], None], status: Status) -> None:
        match event:
            case Ask(in_order=True):
                del self._bytes[-3:]
                say(b"\x00")
            case Ask(what=what):
                del self._bytes[-3:]
                say(bytes([answer_to(what, status)]))
            case Identify(id=id_):
                del self._bytes[-len(IDENTIFY + id_) :]
                say(ID_ANSWER + id_ + ID_END)
            case Kick():
                self.kicks += 1
            case Cut():
                self._keep()

    def _keep(self) -> None:
        """Keep a paper: its bytes, written whole before they have their name.

        A blank strip, on which nothing hung that was to be cut off, is thrown away.
        """
        if self._bytes == BLANK:
            self._bytes.clear()
            return
        path = self.folder / f"{self._kept + 1:0{NAME_DIGITS}}.bin"
        fresh = path.with_suffix(".new")
        fresh.write_bytes(bytes(self._bytes))
        fresh.replace(path)
        self._kept += 1
        self._bytes.clear()


def _spoiled(command: bytes) -> bytes:
    """Return what a command leaves on the paper if it is spoiled: other letters, and no codes."""
    if command.startswith(CODES):
        return b""
    is_letter = len(command) == 1 and command.isascii() and command.decode().isprintable()
    return bytes([33 + command[0] * 37 % 94]) if is_letter and command != b" " else command


def _questions(data: bytes) -> list[int]:
    """Return what is asked at once among some bytes."""
    return [data[at + 2] for at in range(len(data) - 2) if data[at : at + 2] == b"\x10\x04"]
