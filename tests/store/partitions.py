"""Helpers of `test_partitions` that other tests use too."""

from tests.floor import Floor
from tests.looking import rows, write

TICKETS = 1_000_000  # in a partition


def parts(floor: Floor, table: str) -> list[str]:
    found = (
        "SELECT relname FROM pg_inherits JOIN pg_class ON pg_class.oid = inhrelid "
        "WHERE inhparent = CAST(:of AS regclass) ORDER BY relname"
    )
    return [name for (name,) in rows(floor, found, of=table)]


def numbered(floor: Floor, last: int) -> None:
    """Have the next ticket numbered behind this one."""
    write(floor, "UPDATE counter SET value = :last WHERE name = 'ticket'", last=last)
