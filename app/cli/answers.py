"""What a command has to say, and how it ends."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

DONE, FAULT, USAGE, REFUSED = 0, 1, 2, 3
NOT_TRIED = 5  # 4 and 6 are the verifier's own: reports not checked, no keys given


class BadUsage(Exception):  # noqa: N818  the caller's mistake, not an error of ours
    """The command was called in a way that cannot be carried out."""


class DatabaseAway(Exception):  # noqa: N818  it can be asked again
    """The database went, or could not be reached."""


class NotTried(Exception):  # noqa: N818  it can be tried again
    """Something could not be tried, so that nothing is known of it; the text says why."""


@dataclass(frozen=True)
class Answer:
    """What a command has to say: to programs, and to people if they ask."""

    document: Mapping[str, object]
    text: Callable[[], str]
    exit_code: int = DONE
