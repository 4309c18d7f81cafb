"""Which entries of the log are of which kind of record, as far as retention goes (X-retention).

What stands under no kind is kept for ever: the house, rate cards, games, locks, draws, wins, closes
of days, amounts, people and stations; and whatever tells of backups, archives and the log itself.
"""

from collections.abc import Mapping
from types import MappingProxyType

from app.keno.retention import RecordKind

TAGS: Mapping[RecordKind, tuple[str, ...]] = MappingProxyType(
    {
        RecordKind.TICKETS: (
            "TICKET", "VOID", "CANCEL", "REFUND", "PRESENTED", "APPROVED", "PAID", "EXPIRED",
            "LOST-TICKET",
        ),
        RecordKind.DRAWERS: ("DRAWER-OPEN", "DRAWER-MOVE", "DRAWER-CLOSE"),
        RecordKind.TAX_PAPERS: ("TAX-PAPER",),
        RecordKind.PAPER: ("PRINT", "REPRINT", "RETRIED", "ON-PAPER"),
        RecordKind.ACCESS: (
            "SIGN-IN", "SIGN-OUT", "ENROL", "REFUSED", "REPORT", "LOOK-UP", "DAY-REVIEW",
        ),
        RecordKind.RUNNING: ("HELD", "CLOSES", "CLOCK", "CALLER", "PROCESS", "SOFTWARE", "KEYS"),
    }
)  # fmt: skip
KIND_OF: Mapping[str, RecordKind] = MappingProxyType(
    {tag: kind for kind, tags in TAGS.items() for tag in tags}
)
_NAMED = {"TICKET": "sold_at", "VOID": "voided_at", "ENROL": "at"}


def time_said(tag: str, body: Mapping[str, str]) -> str:
    """Return when an act happened, as its entry says."""
    return body[_NAMED.get(tag, "time")]
