"""What several slips have in common."""

from collections.abc import Iterator, Sequence
from datetime import datetime

from printers.paper import BLANK, Line, Roll, between, dollars, line, rule, title, wrapped
from printers.slips import Done, Part

LISTED = 100  # games or tickets on one slip; the rest is counted


def moment(at: datetime) -> str:
    """Return a time as it is printed, with its time zone."""
    return at.strftime("%Y-%m-%d %H:%M:%S %Z").rstrip()


def head(roll: Roll, what: str, done: Done) -> Iterator[Line]:
    """Yield of which house a slip is, what it is, and who did it where and when."""
    yield from title(roll, done.house)
    yield from title(roll, what)
    yield rule(roll)
    yield from wrapped(roll, moment(done.at))
    yield from between(roll, f"Station {done.station}", f"Writer {done.writer}")
    if done.approver is not None:
        yield from wrapped(roll, f"Approved by {done.approver}")


def listed(names: Sequence[str]) -> str:
    """Return names side by side; beyond a number of them, how many more there are."""
    more = len(names) - LISTED
    shown = ", ".join(names[:LISTED])
    return f"{shown} and {more:,} more" if more > 0 else shown


def reason(roll: Roll, done: Done) -> Iterator[Line]:
    """Yield why it was done, where a reason was given."""
    if done.reason is not None:
        yield from wrapped(roll, f"Reason: {done.reason}", indent=2)


def amounts(roll: Roll, parts: Sequence[Part], total: str | None = None) -> Iterator[Line]:
    """Yield amounts, one below the other, and what they come to."""
    for part in parts:
        yield from between(roll, part.name, dollars(part.cents))
    if total is not None:
        together = dollars(sum(part.cents for part in parts))
        yield from between(roll, total, together, bold=True)


def signatures(roll: Roll, *who: str) -> Iterator[Line]:
    """Yield a line for each who signs."""
    for name in who:
        yield BLANK
        yield BLANK
        yield rule(roll)
        yield line(name)
