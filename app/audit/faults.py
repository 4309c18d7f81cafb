"""What a check finds: one line that says what is wrong, under the name of the check."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Fault:
    """Something stored that does not follow from the rest."""

    check: str
    message: str
