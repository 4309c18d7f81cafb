"""What a chapter of the submission is, and how times, roles and lists are put into words."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta

from reportlab.platypus import Flowable

from app.keno.submission import Submission

DAY_MINUTES = 1_440
UNITS = ((86_400, "day"), (3_600, "hour"), (60, "minute"), (1, "second"))


@dataclass(frozen=True)
class Chapter:
    """A chapter: its title, the paragraphs that it answers to, and what it tells."""

    title: str
    rule: str
    story: Sequence[Flowable]


def counted(number: int, thing: str) -> str:
    """Return so many of something: 1 way, 3 ways."""
    return f"{number:,} {thing}" if number == 1 else f"{number:,} {thing}s"


def lasting(span: timedelta) -> str:
    """Return how long something lasts, in the largest unit that counts it in whole numbers."""
    seconds = int(span.total_seconds())
    size, unit = next((size, unit) for size, unit in UNITS if not seconds % size)
    return counted(seconds // size, unit)


def clock(minutes: int) -> str:
    """Return a time of day that is so many minutes after midnight, perhaps of the next day."""
    days, rest = divmod(minutes, DAY_MINUTES)
    if days and not rest:
        return "midnight"
    return f"{rest // 60}:{rest % 60:02}" + (" on the next day" if days else "")


def listed(words: Sequence[str], joint: str = "and") -> str:
    """Return words as a list is read out: one, two and three."""
    return f" {joint} ".join(part for part in (", ".join(words[:-1]), words[-1]) if part)


def who_may(submitted: Submission, act: str) -> str:
    """Return whose an act is: a keno manager or a supervisor."""
    named = [f"{'an' if role[0] in 'aeio' else 'a'} {role}" for role in submitted.who_may[act]]
    return listed(named, "or")
