"""Column types that let nothing through that does not belong in them."""

import json
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import BigInteger, DateTime, Integer, Text
from sqlalchemy.engine import Dialect
from sqlalchemy.types import TypeDecorator, TypeEngine

LARGEST = 2**53 - 1  # the largest whole number of canonical JSON, in which every amount is logged

# SQLite numbers rows by itself only if their key is plainly an INTEGER.
RowId = BigInteger().with_variant(Integer, "sqlite")


def utc_text(moment: datetime) -> str:
    """Return a moment in UTC as SQLite keeps it."""
    # Not strftime: its years have no fixed width.
    return f"{moment.replace(tzinfo=None).isoformat(timespec='microseconds')}Z"


class Utc(TypeDecorator[datetime]):
    """A moment in UTC. SQLite keeps it as text of one width, so that it sorts as time does."""

    impl = DateTime
    cache_ok = True

    def load_dialect_impl(self, dialect: Dialect) -> TypeEngine[Any]:
        """Return the type that the database itself has for it."""
        if dialect.name == "sqlite":
            return dialect.type_descriptor(Text())
        return dialect.type_descriptor(DateTime(timezone=True))

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> Any:  # noqa: ANN401
        """Write a moment; one without a time zone is a defect."""
        if value is None:
            return None
        if value.tzinfo is None:
            raise ValueError("a moment without a time zone")
        moment = value.astimezone(UTC)
        if dialect.name == "sqlite":
            return utc_text(moment)
        return moment

    def process_result_value(self, value: Any, dialect: Dialect) -> datetime | None:  # noqa: ANN401
        """Read a moment."""
        if value is None:
            return None
        if dialect.name == "sqlite":
            return datetime.fromisoformat(value)
        moment: datetime = value
        return moment.astimezone(UTC)


class Cents(TypeDecorator[int]):
    """Money: whole cents, and never anything that only looks like them."""

    impl = BigInteger
    cache_ok = True

    def process_bind_param(self, value: int | None, dialect: Dialect) -> int | None:  # noqa: ARG002
        """Write an amount; a float or a bool is a defect."""
        if value is not None and (type(value) is not int or not -LARGEST <= value <= LARGEST):
            raise ValueError(f"{value!r} is not an amount in cents")
        return value


class Json(TypeDecorator[Any]):
    """A JSON document as text, the same on both engines: nothing is ever looked up inside it."""

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: Any, dialect: Dialect) -> str | None:  # noqa: ANN401, ARG002
        """Write a document."""
        return None if value is None else json.dumps(value, separators=(",", ":"), sort_keys=True)

    def process_result_value(self, value: Any, dialect: Dialect) -> Any:  # noqa: ANN401, ARG002
        """Read a document."""
        return None if value is None else json.loads(value)
