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


class Text:
    """Text that matches a pattern from end to end."""

    def __init__(self, pattern: str) -> None:
        self._matched = re.compile(pattern).fullmatch

    def fits(self, value: object) -> bool:
        """Whether a value is of this form."""
        return self._matched(cast("str", value)) is not None


@dataclass(frozen=True)
class Whole:
    """A whole number within bounds."""

    low: int
    high: int

    def fits(self, value: object) -> bool:
        """Whether a value is of this form."""
        return self.low <= cast("int", value) <= self.high


@dataclass(frozen=True)
class Length:
    """A list of so many items."""

    low: int
    high: int

    def fits(self, value: object) -> bool:
        """Whether a value is of this form."""
        return self.low <= len(cast("list[object]", value)) <= self.high


Check = Callable[[object, str], None]


def shaped(form: type[T], value: object) -> T:
    """Return the value as its form.

    Raises:
        WrongShape: it is not of that form.
    """
    _checker(cast("Any", form))(value, "")
    return cast("T", value)


@cache
def _checker(form: Any) -> Check:  # noqa: ANN401, PLR0911  a form is any type; a kind a line
    """Return what checks a value, and says where it stands if it is not of its form."""
    origin, arguments = get_origin(form), get_args(form)
    if origin is Annotated:
        return _limited(arguments)
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


def _limited(arguments: tuple[Any, ...]) -> Check:
    base, limits = _checker(arguments[0]), arguments[1:]

    def check(value: object, place: str) -> None:
        base(value, place)
        for limit in limits:
            if not limit.fits(value):
                raise WrongShape(f"{place} is not in its form")

    return check


def _one_of(choices: tuple[Any, ...]) -> Check:
    def check(value: object, place: str) -> None:
        if not any(value == choice and type(value) is type(choice) for choice in choices):
            raise WrongShape(f"{place} must be {' or '.join(map(repr, choices))}")

    return check


def _or_null(choices: tuple[Any, ...]) -> Check:
    """Return the check of a field that may be null, which is the only choice that forms have."""
    (form,) = (choice for choice in choices if choice is not NoneType)
    inner = _checker(form)

    def check(value: object, place: str) -> None:
        if value is not None:
            inner(value, place)

    return check


def _list_of(inner: Check) -> Check:
    def check(value: object, place: str) -> None:
        if type(value) is not list:
            raise WrongShape(f"{place} is not a list")
        for index, item in enumerate(value):
            inner(item, f"{place}[{index}]")

    return check


def _dict_of(names: Check, items: Check) -> Check:
    def check(value: object, place: str) -> None:
        if type(value) is not dict:
            raise WrongShape(f"{place} is not an object")
        for name, item in value.items():
            names(name, f"a name in {place}")
            items(item, f"{place}.{name}")

    return check


def _fields_of(form: Any) -> Check:  # noqa: ANN401  as above
    """Return the check of a form; in a generic one its parameter is what it holds."""
    origin = get_origin(form) or form
    held = dict(zip(getattr(origin, "__parameters__", ()), get_args(form), strict=True))
    hints = get_type_hints(origin, include_extras=True)
    checks = {name: _checker(held.get(hint, hint)) for name, hint in hints.items()}

    def check(value: object, place: str) -> None:
        if type(value) is not dict:
            raise WrongShape(f"{place or 'the document'} is not an object")
        if value.keys() != checks.keys():
            name = min(value.keys() ^ checks.keys(), key=str)
            problem = "is missing from" if name in checks else "does not belong in"
            raise WrongShape(f"{name!r} {problem} {place or 'the document'}")
        for name, field in checks.items():
            field(value[name], f"{place}.{name}" if place else name)

    return check


def _typed(form: type) -> Check:
    def check(value: object, place: str) -> None:
        # A line's document is any object here: it has the form of its kind, checked elsewhere.
        if type(value) is not form and form is not object:
            raise WrongShape(f"{place or 'the document'} is not {form.__name__}")

    return check
