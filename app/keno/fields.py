"""Reading a document field by field, so that its reader is told all its faults at once.

Used for requests (JSON) and rate cards (TOML) alike. A value is never converted: text that looks
like a number, 5.0 and true are not whole numbers. A field that nobody asked for is a fault too,
because a mistyped `aggregate_cents` would otherwise mean "no limit".
"""

import datetime as dt
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import TypeGuard

from app.keno.money import LARGEST
from app.keno.refusals import REPORTED_MAX, Code, Refusal, Refused, quoted, refusal

_DIGEST = re.compile(r"[0-9a-f]{64}")


def is_whole(value: object) -> TypeGuard[int]:
    """Say whether a value is a whole number: JSON's true and false are not, in Python they are."""
    return isinstance(value, int) and not isinstance(value, bool)


class Fields:
    """One object of a document; the faults go to the list it is given."""

    def __init__(
        self, document: object, place: str, faults: list[Refusal], *, absent: bool = False
    ) -> None:
        self._place = place
        self._faults = faults
        self._is_object = isinstance(document, dict)
        self._table: Mapping[str, object] = document if isinstance(document, dict) else {}
        self._unread = list(self._table)
        if not self._is_object and not absent:
            what = place or "document"
            faults.append(refusal(Code.WRONG_TYPE, place, field=what, wanted="an object"))

    def whole(
        self,
        field: str,
        low: int = 0,
        high: int = LARGEST,
        *,
        default: int | None = None,
        if_faulty: int | None = None,
    ) -> int:
        """Return a whole number from low to high; without a default the field must be there."""
        if default is None:
            self._require(field)
        elif self._table.get(field) is None:
            self._take(field)
            return default
        value = self.maybe_whole(field, low, high)
        if value is not None:
            return value
        return low if if_faulty is None else if_faulty

    def maybe_whole(self, field: str, low: int = 0, high: int = LARGEST) -> int | None:
        """Return a whole number from low to high, or None where the field is absent or faulty."""
        value = self._take(field)
        if value is None:
            return None
        if not is_whole(value):
            self._wrong(field, "a whole number")
        elif not low <= value <= high:
            self._fault(Code.OUT_OF_RANGE, field, low=low, high=high)
        else:
            return value
        return None

    def wholes(self, field: str) -> tuple[int, ...]:
        """Return a list of any whole numbers; an absent field is an empty list."""
        value = self._take(field)
        return () if value is None else self._wholes(field, value)

    def amounts(self, field: str) -> tuple[int, ...]:
        """Return a list of amounts in cents, which must be there."""
        self._require(field)
        amounts = self.wholes(field)
        if amounts and not 0 <= min(amounts) <= max(amounts) <= LARGEST:
            self._fault(Code.OUT_OF_RANGE, field, low=0, high=LARGEST)
        return amounts

    def lists_of_wholes(self, field: str) -> tuple[tuple[int, ...], ...]:
        """Return a list of lists of whole numbers; an absent field is an empty list."""
        parts = self.items(field)
        return tuple(self._wholes(f"{field}[{place}]", part) for place, part in enumerate(parts))

    def items(self, field: str) -> Sequence[object]:
        """Return a list of anything; an absent field is an empty list."""
        value = self._take(field)
        if value is None or isinstance(value, list):
            return value or ()
        self._wrong(field, "a list")
        return ()

    def text_or_items(self, field: str) -> str | Sequence[object]:
        """Return a text or a list of anything; an absent field is an empty text."""
        value = self._take(field)
        if isinstance(value, str | list):
            return value
        if value is not None:
            self._wrong(field, "a text or a list")
        return ""

    def text(self, field: str, *, default: str | None = None) -> str:
        """Return a text; without a default the field must be there."""
        if default is None:
            self._require(field)
        value = self._take(field)
        if isinstance(value, str):
            return value
        if value is not None:
            self._wrong(field, "a text")
        return default or ""

    def maybe_text(self, field: str) -> str | None:
        """Return a text, or None where the field is absent or faulty."""
        value = self._take(field)
        if value is None or isinstance(value, str):
            return value
        self._wrong(field, "a text")
        return None

    def words(self, field: str, most: int) -> str:
        """Return a printable text of 1 to so many characters, which must be there."""
        value = self.text(field)
        is_good = value.strip() and value.isprintable() and len(value) <= most
        if isinstance(self.peek(field), str) and not is_good:
            self._wrong(field, f"a printable text of 1 to {most} characters")
        return value

    def date(self, field: str) -> dt.date:
        """Return a date, which must be there."""
        self._require(field)
        value = self._take(field)
        if isinstance(value, dt.date) and not isinstance(value, dt.datetime):
            return value
        if value is not None:
            self._wrong(field, "a date, such as 2027-01-31")
        return dt.date.min

    def digest(self, field: str) -> str:
        """Return a SHA-256 digest in hexadecimal, which must be there."""
        value = self.text(field)
        if isinstance(self.peek(field), str) and not _DIGEST.fullmatch(value):
            self._wrong(field, "a SHA-256 digest, 64 hexadecimal digits in small letters")
        return value

    def peek(self, field: str) -> object:
        """Return whatever stands in a field, which is still to be read."""
        return self._table.get(field)

    def names(self) -> tuple[str, ...]:
        """Return the names of all fields."""
        return tuple(self._table)

    def has(self, field: str) -> bool:
        """Whether a field is there and says something."""
        return self._table.get(field) is not None

    def choice(self, field: str, choices: Iterable[str], *, default: str) -> str:
        """Return one of the words that may stand here; an absent field is the default."""
        words = tuple(choices)
        value = self.text(field, default=default)
        if value in words:
            return value
        self._fault(Code.NOT_A_CHOICE, field, choices=", ".join(words))
        return default

    def inner(self, field: str) -> "Fields":
        """Return the object that stands in a field, which must be there."""
        self._require(field)
        value = self._take(field)
        return Fields(value, self.place_of(field), self._faults, absent=value is None)

    def take_names(self) -> tuple[str, ...]:
        """Return the names of the fields nobody has read yet, and count them as read."""
        names, self._unread = tuple(self._unread), []
        return names

    def no_more(self) -> None:
        """Report every field that nobody has read."""
        for field in self.take_names():
            self._fault(Code.FIELD_UNKNOWN, field)

    def take(self, field: str) -> object:
        """Return whatever stands in a field, for a form of its own."""
        return self._take(field)

    def _take(self, field: str) -> object:
        if field in self._unread:
            self._unread.remove(field)
        return self._table.get(field)

    def _require(self, field: str) -> None:
        # The fields of an object that is itself not there are not missed one by one.
        if self._is_object and self._table.get(field) is None:
            self._fault(Code.FIELD_MISSING, field)

    def _wholes(self, field: str, value: object) -> tuple[int, ...]:
        if isinstance(value, list) and all(is_whole(part) for part in value):
            return tuple(value)
        self._wrong(field, "a list of whole numbers")
        return ()

    def _wrong(self, field: str, wanted: str) -> None:
        self._fault(Code.WRONG_TYPE, field, wanted=wanted)

    def _fault(self, code: Code, field: str, **facts: object) -> None:
        self._faults.append(refusal(code, self.place_of(field), field=quoted(field), **facts))
        if len(self._faults) >= REPORTED_MAX:
            raise Refused(self._faults)  # what would not be reported need not be read

    def place_of(self, field: str) -> str:
        """Return where in the document a field stands."""
        return f"{self._place}.{quoted(field)}" if self._place else quoted(field)
