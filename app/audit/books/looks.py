"""How a check is made: what it looks at, and who judges that, one thing after the other.

A check is a list of looks. A look names a kind of thing, and a function that is shown every thing
of that kind, together with all that belongs to it, and yields what is wrong with it. Most of these
functions know nothing but what they are shown. Those that add up or compare over the whole house
belong to an object that keeps their sums; they are asked once more at the end.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import StrEnum, auto
from typing import Any

from app.audit.faults import Fault


class Thing(StrEnum):
    """What a check can look at."""

    NUMBER = auto()  # of a ticket, in their order
    ENTRY = auto()  # of the log, in their order
    MOVE = auto()  # all that one entry moved between accounts
    DRAWER = auto()
    COUNT = auto()
    TICKET = auto()
    VOID = auto()
    REFUND = auto()
    CONTACT = auto()  # an act within one, in their order, before the payments of its stretch
    PAYOUT = auto()
    EXPIRY = auto()
    PAPER = auto()
    COPY = auto()  # of a paper
    FACT = auto()
    GAME = auto()
    END = auto()  # the whole house, once all else was looked at


@dataclass(frozen=True)
class Look:
    """What is looked at, and by whom.

    A judge is given the thing and the stretch of the log that it is in; of numbers and games, which
    are in none, and at the end, the house. One that only adds something up has nothing to yield.
    """

    at: Thing
    judge: Callable[[Any, Any], Iterable[Fault] | None]
