"""How a document is checked against its written form: every field, nothing else, each in its form.

The forms are TypedDicts (`rng.core.records`): what a programmer reads there is what is checked
here, so the code and the format page cannot drift apart. A field too many is refused like a field
too few.
"""

import re
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


@dataclass(frozen=True)
class Text:
    """Text that matches a pattern from end to end."""

    pattern: str

    def fits(self, value: object) -> bool:
        """Whether a value is of this form."""
        return re.fullmatch(self.pattern, cast("str", value)) is not None


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


def shaped(form: type[T], value: object) -> T:
    """Return the value as its form.

    Raises:
        WrongShape: it is not of that form.
    """
    _check(form, value, "the document")
    return cast("T", value)


def _check(form: Any, value: object, place: str) -> None:  # noqa: ANN401, C901  a type is any value; one branch a kind of form
    origin = get_origin(form)
    if origin is Annotated:
        base, *limits = get_args(form)
        _check(base, value, place)
        if not all(limit.fits(value) for limit in limits):
            raise WrongShape(f"{place} is not in its form")
    elif origin is Literal:
        if not any(value == choice and type(value) is type(choice) for choice in get_args(form)):
            raise WrongShape(f"{place} must be {' or '.join(map(repr, get_args(form)))}")
    elif origin in (Union, UnionType):
        _check_choice(get_args(form), value, place)
    elif origin is list or form is list:
        _check_type(list, value, place)
        for index, item in enumerate(cast("list[object]", value)):
            _check(get_args(form)[0], item, f"{place}[{index}]")
    elif origin is dict:
        _check_type(dict, value, place)
        names, items = get_args(form)
        for name, item in cast("dict[str, object]", value).items():
            _check(names, name, f"a name in {place}")
            _check(items, item, f"{place}.{name}")
    elif is_typeddict(origin or form):
        _check_fields(form, value, place)
    elif form is not object:  # a line's document has the form of its kind, checked elsewhere
        _check_type(form, value, place)


def _check_choice(choices: tuple[Any, ...], value: object, place: str) -> None:
    """Check a field that may be null, which is the only choice that forms have."""
    if value is not None:
        (form,) = (choice for choice in choices if choice is not NoneType)
        _check(form, value, place)


def _check_fields(form: Any, value: object, place: str) -> None:  # noqa: ANN401  as above
    _check_type(dict, value, place)
    document = cast("dict[str, object]", value)
    fields = _fields(form)
    for name in fields.keys() ^ document.keys():
        problem = "is missing from" if name in fields else "does not belong in"
        raise WrongShape(f"{name!r} {problem} {place}")
    for name, field in fields.items():
        _check(field, document[name], f"{place}.{name}" if place != "the document" else name)


def _check_type(kind: type, value: object, place: str) -> None:
    if type(value) is not kind:
        raise WrongShape(f"{place} is not {kind.__name__}")


@cache
def _fields(form: Any) -> dict[str, Any]:  # noqa: ANN401  as above
    """Return the fields of a form; in a generic one its parameter is replaced by what it holds."""
    origin = get_origin(form) or form
    hints = get_type_hints(origin, include_extras=True)
    held = dict(zip(getattr(origin, "__parameters__", ()), get_args(form), strict=True))
    return {name: held.get(hint, hint) for name, hint in hints.items()}
