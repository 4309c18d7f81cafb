"""What a house settles for itself as a number: what it is at first, and within which bounds.

Amounts of money are set apart (`amounts`), because they are dated and held against the rule.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType


class Setting(StrEnum):
    """Every number that a house settles."""

    COPIES_ALONE = "copies-alone"
    HOLD_SECONDS = "hold-seconds"
    IDLE_MINUTES = "idle-minutes"
    VOID_PERCENT = "void-percent"
    CARD_NOTICE_MINUTES = "card-notice-minutes"


@dataclass(frozen=True)
class Bounds:
    """What a setting is until it is set, and what it can be."""

    at_first: int
    least: int
    most: int


BOUNDS: Mapping[Setting, Bounds] = MappingProxyType(
    {
        # How many copies of a paper a writer prints without a supervisor.
        Setting.COPIES_ALONE: Bounds(1, 0, 9),
        # How long the open game is still sold for when it cannot be drawn.
        Setting.HOLD_SECONDS: Bounds(600, 0, 86_400),
        # After how long without a key pressed a page signs its person out (X-access).
        Setting.IDLE_MINUTES: Bounds(30, 1, 720),
        # Above which void rate a writer or a station is marked in a report (X-void-slip).
        Setting.VOID_PERCENT: Bounds(5, 0, 100),
        # For how long a new card, or a looser amount, is published before it takes effect (8.3):
        # a gaming day unless the house says otherwise, half an hour at least, a week at most.
        Setting.CARD_NOTICE_MINUTES: Bounds(1_440, 30, 10_080),
    }
)


def is_within(setting: Setting, value: int) -> bool:
    """Whether a setting can be so."""
    bounds = BOUNDS[setting]
    return bounds.least <= value <= bounds.most
