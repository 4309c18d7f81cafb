"""What all tables have in common: how constraints are named, and how columns are typed."""

from datetime import date, datetime
from typing import Annotated, Any, ClassVar

from sqlalchemy import Date, Identity, LargeBinary, MetaData, String, Text
from sqlalchemy.orm import DeclarativeBase, mapped_column

from app.store.columns import Cents, Json, RowId, Utc

# Every constraint has a name that says what it guards, the same on both engines.
NAMES = {
    "ix": "ix_%(table_name)s_%(column_0_N_name)s",
    "uq": "uq_%(table_name)s_%(column_0_N_name)s",
    "ck": "ck_%(table_name)s_%(constraint_name)s",
    "fk": "fk_%(table_name)s_%(column_0_N_name)s",
    "pk": "pk_%(table_name)s",
}

Id = Annotated[int, mapped_column(RowId, Identity(always=True), primary_key=True)]
Ref = Annotated[int, mapped_column(RowId)]
Number = Annotated[int, mapped_column(RowId)]  # a ticket's or a game's, given by us
Code = Annotated[str, mapped_column(String(40))]
Name = Annotated[str, mapped_column(String(100))]
Words = Annotated[str, mapped_column(Text)]
Digest = Annotated[bytes, mapped_column(LargeBinary(32))]
Amount = Annotated[int, mapped_column(Cents)]
Moment = Annotated[datetime, mapped_column(Utc)]
Day = Annotated[date, mapped_column(Date)]
Document = Annotated[Any, mapped_column(Json)]


class Table(DeclarativeBase):
    """The base of every table."""

    metadata = MetaData(naming_convention=NAMES)
    # Facts: rows that are added, and then neither changed nor deleted by anyone.
    append_only: ClassVar[bool] = False
    # Whatever its rows say follows from other tables: nothing is lost with them.
    said_elsewhere: ClassVar[bool] = False


def one_of(column: str, choices: type) -> str:
    """Return the check that a column holds a member of a closed list."""
    members = ", ".join(f"'{member}'" for member in choices)  # type: ignore[attr-defined]
    return f"{column} IN ({members})"
