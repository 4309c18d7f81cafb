"""Helpers of `test_lockout` that other tests use too."""

from typing import cast

from tests.rng.acts import under_both_keys
from tests.rng.house import TestHouse


def lockouts(house: TestHouse, holder: str) -> list[dict[str, str]]:
    return cast("list[dict[str, str]]", house.by(holder, "status")["lockouts"])


def reopened(house: TestHouse, holder: str) -> None:
    """Both keys end every lockout of a holder's process."""
    for lockout in lockouts(house, holder):
        under_both_keys(house, holder, "reopen", lockout=lockout["hash"], reason="Looked into.")
