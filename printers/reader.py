"""A strict reader of ESC/POS: it knows the commands that our paper uses, and no other.

Any byte that it does not expect is `Garbage`: nothing is skipped, so what it read is all that a
printer was told. The virtual printer reads with it as bytes arrive, tests read whole slips with it.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace

ESC, GS, DLE = 0x1B, 0x1D, 0x10
LF = 0x0A
NUL = 0x00  # it means nothing, and ends what a broken line left half sent
CODE128 = 73
FILLER = 0xF1  # of a digit of the code, as `printers.escpos` writes it
STAR = "*"
ID_SIZE = 4  # letters of the id of a process


class Garbage(Exception):  # noqa: N818  what was sent is not paper
    """Bytes that are no command and no text of ours."""


@dataclass(frozen=True)
class Style:
    """How text is printed."""

    size: int = 1
    bold: bool = False
    inverse: bool = False


@dataclass(frozen=True)
class Run:
    """Text of one style."""

    text: str
    style: Style


@dataclass(frozen=True)
class Printed:
    """A line of text."""

    runs: tuple[Run, ...]
    align: int = 0  # 0 left, 1 centre, 2 right

    @property
    def text(self) -> str:
        """What it says."""
        return "".join(run.text for run in self.runs)


@dataclass(frozen=True)
class Bars:
    """A CODE128 in set C."""

    digits: str
    dots: int
    height: int
    align: int


@dataclass(frozen=True)
class Qr:
    """A QR code."""

    text: str
    dots: int
    align: int


@dataclass(frozen=True)
class Cut:
    """The paper is cut."""


@dataclass(frozen=True)
class Kick:
    """The cash drawer is opened."""


@dataclass(frozen=True)
class Ask:
    """The printer is asked how it is: at once, or when everything before is done."""

    what: int
    in_order: bool


@dataclass(frozen=True)
class Identify:
    """The printer says an id when everything before is done."""

    id: bytes


Event = Printed | Bars | Qr | Cut | Kick | Ask | Identify


@dataclass
class Reader:
    """Reads bytes as they come; what is not complete yet waits.

    What is kept of a ticket has fillers for its code; masked, they are read as stars.
    """

    masked: bool = False
    _waiting: bytes = b""
    _style: Style = Style()
    _align: int = 0
    _line: list[Run] = field(default_factory=list)
    _bar_dots: int = 3
    _bar_height: int = 162
    _qr_dots: int = 3
    _qr_text: str = ""

    def read(self, data: bytes) -> Iterator[Event]:
        """Yield what some more bytes tell the printer.

        Raises:
            Garbage: what came is not a command of ours.
        """
        self._waiting += data
        while self._waiting:
            size = _length(self._waiting, masked=self.masked)
            if size is None or len(self._waiting) < size:
                return
            command, self._waiting = self._waiting[:size], self._waiting[size:]
            yield from self._do(command)

    @property
    def is_between_commands(self) -> bool:
        """Whether nothing is left that waits for more."""
        return not self._waiting

    def _do(self, command: bytes) -> Iterator[Event]:
        first = command[0]
        if first == NUL:
            return
        if first == LF:
            yield Printed(tuple(self._line), self._align)
            self._line = []
        elif first in (ESC, GS, DLE):
            done = _COMMANDS[command[:2]](self, command)
            if done is not None:
                yield done
        else:
            self._text(_decoded(command))

    def _text(self, text: str) -> None:
        self._line.append(Run(text, self._style))

    # ---- what each command does ------------------------------------------------------------------

    def _reset(self, _command: bytes) -> None:
        self._style, self._align, self._line = Style(), 0, []

    def _code_page(self, command: bytes) -> None:
        _expect(command[2] == 0, command)  # CP437

    def _bold(self, command: bytes) -> None:
        self._style = replace(self._style, bold=_flag(command))

    def _inverse(self, command: bytes) -> None:
        self._style = replace(self._style, inverse=_flag(command))

    def _size(self, command: bytes) -> None:
        wide, high = (command[2] >> 4) + 1, (command[2] & 0x0F) + 1
        _expect(wide == high and wide in (1, 2), command)
        self._style = replace(self._style, size=wide)

    def _mode(self, command: bytes) -> None:
        _expect(command[2] == 0, command)
        self._style = replace(self._style, size=1, bold=False)

    def _aligned(self, command: bytes) -> None:
        _expect(command[2] in (0, 1, 2), command)
        self._align = command[2]

    def _feed(self, command: bytes) -> Printed:
        _expect(not self._line, command)
        return Printed((Run("\n" * (command[2] - 1), Style()),))

    def _kick(self, _command: bytes) -> Kick:
        return Kick()

    def _cut(self, command: bytes) -> Cut:
        _expect(command[2] == 0 and not self._line, command)
        return Cut()

    def _height(self, command: bytes) -> None:
        self._bar_height = command[2]

    def _width(self, command: bytes) -> None:
        self._bar_dots = command[2]

    def _no_text(self, command: bytes) -> None:
        _expect(command[2] == 0, command)

    def _bars(self, command: bytes) -> Bars:
        kind, data = command[2], command[4:]
        pairs = data[2:]
        _expect(kind == CODE128 and data[:2] == b"{C", command)
        if self.masked and set(pairs) == {FILLER}:
            digits = STAR * (2 * len(pairs))
        else:
            _expect(all(pair < 100 for pair in pairs), command)
            digits = "".join(f"{pair:02}" for pair in pairs)
        return Bars(digits, self._bar_dots, self._bar_height, self._align)

    def _many(self, command: bytes) -> Qr | Identify | None:
        return self._identify(command) if command[2:3] == b"H" else self._qr(command)

    def _identify(self, command: bytes) -> Identify:
        what, id_ = command[5:7], command[7:]
        _expect(what == b"00" and len(id_) == ID_SIZE, command)
        return Identify(id_)

    def _qr(self, command: bytes) -> Qr | None:
        what, data = command[5:7], command[7:]
        _expect(what in (b"1A", b"1C", b"1E", b"1P", b"1Q"), command)
        if what == b"1C":
            _expect(len(data) == 1, command)
            self._qr_dots = data[0]
        elif what == b"1P":
            _expect(data[:1] == b"0", command)
            _expect(all(_is_text(byte, self.masked) for byte in data), command)
            self._qr_text = _decoded(data[1:])
        elif what == b"1Q":
            _expect(data == b"0", command)
            return Qr(self._qr_text, self._qr_dots, self._align)
        return None

    def _be_quiet(self, command: bytes) -> None:
        _expect(command[2] == 0, command)

    def _ask_in_order(self, command: bytes) -> Ask:
        _expect(command[2] == 1, command)
        return Ask(1, in_order=True)

    def _ask_at_once(self, command: bytes) -> Ask:
        _expect(command[2] in (1, 2, 3, 4), command)
        return Ask(command[2], in_order=False)


_COMMANDS: dict[bytes, Callable[[Reader, bytes], Event | None]] = {
    b"\x1b@": Reader._reset,  # noqa: SLF001  all of these are its own
    b"\x1bt": Reader._code_page,  # noqa: SLF001
    b"\x1bE": Reader._bold,  # noqa: SLF001
    b"\x1ba": Reader._aligned,  # noqa: SLF001
    b"\x1b!": Reader._mode,  # noqa: SLF001
    b"\x1bd": Reader._feed,  # noqa: SLF001
    b"\x1bp": Reader._kick,  # noqa: SLF001
    b"\x1dB": Reader._inverse,  # noqa: SLF001
    b"\x1d!": Reader._size,  # noqa: SLF001
    b"\x1dV": Reader._cut,  # noqa: SLF001
    b"\x1dh": Reader._height,  # noqa: SLF001
    b"\x1dw": Reader._width,  # noqa: SLF001
    b"\x1df": Reader._no_text,  # noqa: SLF001
    b"\x1dH": Reader._no_text,  # noqa: SLF001
    b"\x1dk": Reader._bars,  # noqa: SLF001
    b"\x1d(": Reader._many,  # noqa: SLF001
    b"\x1da": Reader._be_quiet,  # noqa: SLF001
    b"\x1dr": Reader._ask_in_order,  # noqa: SLF001
    b"\x10\x04": Reader._ask_at_once,  # noqa: SLF001
}
_SIZES = {b"\x1b@": 2, b"\x1bp": 5}  # of the others three, where they do not say it themselves


def _decoded(text: bytes) -> str:
    return text.replace(bytes([FILLER]), STAR.encode()).decode("ascii")


def _length(data: bytes, *, masked: bool) -> int | None:
    """Return how many bytes the next command has, or the next piece of text; none: not known yet.

    Raises:
        Garbage: it is no command of ours.
    """
    first = data[0]
    if first in (LF, NUL):
        return 1
    if first not in (ESC, GS, DLE):
        end = next((at for at, byte in enumerate(data) if not _is_text(byte, masked)), len(data))
        _expect(end > 0, data[:1])
        return end
    name = data[:2]
    if len(name) == 1:
        return None
    _expect(name in _COMMANDS, name)
    if name == b"\x1dk":
        return 4 + data[3] if len(data) > 3 else None
    if name == b"\x1d(":
        _expect(data[2:3] in (b"", b"k", b"H"), data[:3])
        return 5 + data[3] + 256 * data[4] if len(data) > 4 else None
    return _SIZES.get(name, 3)


def _is_text(byte: int, masked: bool) -> bool:
    return 0x20 <= byte <= 0x7E or (masked and byte == FILLER)


def _flag(command: bytes) -> bool:
    _expect(command[2] in (0, 1), command)
    return command[2] == 1


def _expect(is_right: bool, what: bytes) -> None:
    if not is_right:
        raise Garbage(what[:8].hex(" "))
