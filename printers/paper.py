"""Paper as elements: lines of text, the ticket's codes, and where it is cut. No bytes yet.

Only printable ASCII goes on paper. Anything else is refused before anything is printed: a printer
would show something else for it, and nobody would know what was meant.
"""

import textwrap
from collections.abc import Iterator
from dataclasses import dataclass, replace


class Unprintable(ValueError):  # noqa: N818  a refusal, with the text that was meant
    """A text with characters that a printer cannot be trusted with."""


@dataclass(frozen=True)
class Roll:
    """A width of paper: how many characters are on a line, and how many dots."""

    name: str
    columns: int
    dots: int


WIDE = Roll("80mm", 42, 512)
NARROW = Roll("58mm", 32, 384)
ROLLS = {roll.name: roll for roll in (WIDE, NARROW)}


@dataclass(frozen=True)
class Span:
    """A piece of a line."""

    text: str
    bold: bool = False
    inverse: bool = False

    def __post_init__(self) -> None:
        check_printable(self.text)


@dataclass(frozen=True)
class Line:
    """A line: pieces of text side by side, all of one size."""

    spans: tuple[Span, ...]
    size: int = 1  # twice as wide and as high at 2
    centred: bool = False

    @property
    def text(self) -> str:
        """What it says."""
        return "".join(span.text for span in self.spans)


@dataclass(frozen=True)
class CodeDigits:
    """The validation code, as it is read out and typed: five groups of five digits."""


@dataclass(frozen=True)
class CodeBars:
    """The ticket's number and code as CODE128 in set C."""


@dataclass(frozen=True)
class CodeQr:
    """The ticket's number and code as a QR code."""


@dataclass(frozen=True)
class Cut:
    """The end of the slip."""


Element = Line | CodeDigits | CodeBars | CodeQr | Cut


def check_printable(text: str) -> None:
    """Refuse what is not printable ASCII.

    Raises:
        Unprintable: it is not.
    """
    if not is_printable(text):
        raise Unprintable(ascii(text))


def is_printable(text: str) -> bool:
    """Whether a text is printable ASCII throughout."""
    return all(" " <= character <= "~" for character in text)


BLANK = Line((Span(""),))


def line(text: str, *, bold: bool = False, size: int = 1, centred: bool = False) -> Line:
    """Return a line of one piece."""
    return Line((Span(text, bold=bold),), size, centred)


def rule(roll: Roll) -> Line:
    """Return a line across the paper."""
    return line("-" * roll.columns)


def wrapped(roll: Roll, text: str, *, bold: bool = False, indent: int = 0) -> Iterator[Line]:
    """Yield a text as lines; nothing of it is lost, however long its words are.

    No number is broken at its check digit: half of it would be read as another ticket.
    """
    check_printable(text)  # before anything is broken: no kind of space is dropped unseen
    following = " " * indent
    lines = textwrap.wrap(text, roll.columns, subsequent_indent=following, break_on_hyphens=False)
    for each in lines or [""]:
        yield line(each, bold=bold)


def between(roll: Roll, left: str, right: str, *, bold: bool = False) -> Iterator[Line]:
    """Yield two texts, one at each edge; on lines of their own if one is too narrow for both."""
    gap = roll.columns - len(left) - len(right)
    if gap >= 1:
        yield line(left + " " * gap + right, bold=bold)
        return
    yield from wrapped(roll, left, bold=bold)
    yield from (
        replace(each, spans=(Span(each.text.rjust(roll.columns), bold=bold),))
        for each in wrapped(roll, right, bold=bold)
    )


def title(roll: Roll, text: str) -> Iterator[Line]:
    """Yield a text in large letters, in the middle."""
    check_printable(text)
    for each in textwrap.wrap(text, roll.columns // 2, break_on_hyphens=False):
        yield line(each, bold=True, size=2, centred=True)


def dollars(cents: int) -> str:
    """Return an amount as it is printed."""
    sign = "-" if cents < 0 else ""
    return f"{sign}${abs(cents) // 100:,}.{abs(cents) % 100:02}"
