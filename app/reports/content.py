"""What a report says: sections of rows under typed columns, and plots beside them.

A cell is a plain value; how it is written is decided once, by its column's kind (`written`). So the
same figures stand in the PDF, in the CSV and in the JSON.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime
from enum import Enum
from fractions import Fraction

Cell = str | int | bool | Fraction | datetime | date | tuple[int, ...] | None
Row = tuple[Cell, ...]


class Kind(Enum):
    """What a column holds."""

    TEXT = "text"
    WHOLE = "whole"
    CENTS = "cents"
    RATIO = "ratio"
    CHANCE = "chance"
    YES_NO = "yes-no"
    MOMENT = "moment"
    DAY = "day"
    NUMBERS = "numbers"
    HASH = "hash"


SUMMED = (Kind.WHOLE, Kind.CENTS)


@dataclass(frozen=True)
class Column:
    """A column: its stable name, how it is headed, what it holds, and whether it is added up."""

    name: str
    title: str
    kind: Kind = Kind.TEXT
    summed: bool = False


@dataclass(frozen=True)
class Section:
    """Rows under columns."""

    name: str
    title: str
    columns: tuple[Column, ...]
    rows: Sequence[Row]
    remark: str = ""

    @property
    def sums(self) -> Row | None:
        """The columns that are added up, added up; none if there are no such columns."""
        if not any(column.summed for column in self.columns):
            return None
        return tuple(
            sum(int(str(row[place])) for row in self.rows if row[place] is not None)
            if column.summed
            else None
            for place, column in enumerate(self.columns)
        )


@dataclass(frozen=True)
class Line:
    """One line of a plot: a value for each of its places, none where there is no value."""

    name: str
    values: tuple[Fraction | None, ...]


@dataclass(frozen=True)
class Plot:
    """A plot: lines or bars over named places, perhaps with a band that they should stay in."""

    title: str
    places: tuple[str, ...]
    lines: tuple[Line, ...]
    bars: bool = False
    unit: str = ""  # %, $ or nothing: a plain count
    band: tuple[Fraction, Fraction] | None = None
    marked: tuple[int, ...] = ()  # places to look at


@dataclass(frozen=True)
class Content:
    """All that a report says."""

    sections: tuple[Section, ...]
    plots: tuple[Plot, ...] = ()
    remarks: tuple[str, ...] = ()
    signatures: tuple[str, ...] = ()  # who signs on paper that it was looked at
