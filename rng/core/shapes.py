"""How a document is checked against its written form: every field, nothing else, each in its form.

The forms are TypedDicts (`rng.core.records`): what a programmer reads there is what is checked
here, so the code and the format page cannot drift apart. A field too many is refused like a field
too few.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from types import NoneType, UnionType
from typing import (
    Annotated,
    Any,
    Literal,
    TypeVar,
    Union,
    cast,
    get_args,
    get_origin,
    get_type_hints,
    is_typeddict,
)

T = TypeVar("T")


class WrongShape(Exception):  # noqa: N818  what was offered is refused
    """A document is not of its form; the text says where."""

    def __init__(self, problem: str, place: str = "") -> None:
        super().__init__(f"{place.removeprefix('.') or 'the document'} {problem}")
        self._problem, self._place = problem, place

    def within(self, step: str) -> "WrongShape":
        """Return the finding as it is told from one level further out."""
        return WrongShape(self._problem, step + self._place)


Check = Callable[[object], None]


class Text:
    """Text that matches a pattern from end to end."""

    def __init__(self, pattern: str) -> None:
        self._matched = re.compile(pattern).fullmatch

    def check(self, value: object) -> None:
        """Check that a value is of this form."""
        if type(value) is not str or self._matched(value) is None:
            raise WrongShape("is not in its form")


@dataclass(frozen=True)
class Whole:
    """A whole number within bounds."""

    low: int
    high: int

    def check(self, value: object) -> None:
        """Check that a value is of this form."""
        if type(value) is not int or not self.low <= value <= self.high:
            raise WrongShape("is not in its form")


@dataclass(frozen=True)
class Length:
    """How many items a list has."""

    low: int
    high: int

    def of(self, items: Check) -> Check:
        """Return the check of such a list."""

        def check(value: object) -> None:
            items(value)
            if not self.low <= len(cast("list[object]", value)) <= self.high:
                raise WrongShape("is not in its form")

        return check


def shaped(form: type[T], value: object) -> T:
    """Return the value as its form.

    Raises:
        WrongShape: it is not of that form.
    """
    _checker(cast("Any", form))(value)
    return cast("T", value)


@cache
def _checker(form: Any) -> Check:  # noqa: ANN401, PLR0911  a form is any type; a kind a line
    """Return what checks a value, and says where in it something is not of its form."""
    origin, arguments = get_origin(form), get_args(form)
    if origin is Annotated:
        form, limit = arguments
        return limit.of(_checker(form)) if isinstance(limit, Length) else limit.check
    if origin is Literal:
        return _one_of(arguments)
    if origin in (Union, UnionType):
        return _or_null(arguments)
    if origin is list:
        return _list_of(_checker(arguments[0]))
    if origin is dict:
        return _dict_of(_checker(arguments[0]), _checker(arguments[1]))
    if is_typeddict(origin or form):
        return _fields_of(form)
    return _typed(form)


def _one_of(choices: tuple[Any, ...]) -> Check:
    kinds = {type(choice) for choice in choices}  # True equals 1, but is no version
    told = " or ".join(map(repr, choices))

    def check(value: object) -> None:
        if type(value) not in kinds or value not in choices:
            raise WrongShape(f"must be {told}")

    return check


def _or_null(choices: tuple[Any, ...]) -> Check:
    """Return the check of a field that may be null, which is the only choice that forms have."""
    (form,) = (choice for choice in choices if choice is not NoneType)
    inner = _checker(form)

    def check(value: object) -> None:
        if value is not None:
            inner(value)

    return check


def _list_of(inner: Check) -> Check:
    def check(value: object) -> None:
        if type(value) is not list:
            raise WrongShape("is not a list")
        for index, item in enumerate(value):
            try:
                inner(item)
            except WrongShape as fault:
                raise fault.within(f"[{index}]") from None

    return check


def _dict_of(names: Check, items: Check) -> Check:
    def check(value: object) -> None:
        if type(value) is not dict:
            raise WrongShape("is not an object")
        for name, item in value.items():
            try:
                names(name)
            except WrongShape:
                raise WrongShape("has a name that is not in its form") from None
            try:
                items(item)
            except WrongShape as fault:
                raise fault.within(f".{name}") from None

    return check


def _fields_of(form: Any) -> Check:  # noqa: ANN401  as above
    """Return the check of a form; in a generic one its parameter is what it holds."""
    origin = get_origin(form) or form
    held = dict(zip(getattr(origin, "__parameters__", ()), get_args(form), strict=True))
    hints = get_type_hints(origin, include_extras=True)
    checks = {name: _checker(held.get(hint, hint)) for name, hint in hints.items()}

    def check(value: object) -> None:
        if type(value) is not dict:
            raise WrongShape("is not an object")
        if value.keys() != checks.keys():
            name = min(value.keys() ^ checks.keys(), key=str)
            problem = "lacks" if name in checks else "has no place for"
            raise WrongShape(f"{problem} {name!r}")
        for name, field in checks.items():
            try:
                field(value[name])
            except WrongShape as fault:
                raise fault.within(f".{name}") from None

    return check


def _typed(form: type) -> Check:
    def check(value: object) -> None:
        # A line's document is any object here: it has the form of its kind, checked elsewhere.
        if type(value) is not form and form is not object:
            raise WrongShape(f"is not {form.__name__}")

    return check
