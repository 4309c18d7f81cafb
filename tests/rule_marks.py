"""Each `@pytest.mark.rule` names a duty of docs/duties.md, or the run fails."""

import re
from collections.abc import Iterable
from pathlib import Path

import pytest

DUTIES = Path(__file__).parent.parent / "docs" / "duties.md"


def duty_ids() -> frozenset[str]:
    """Return the id of every duty: the first column of the tables."""
    rows = re.findall(r"^\| ([^|]+?) \|", DUTIES.read_text(), re.MULTILINE)
    return frozenset(rows) - {"Id"}


def pytest_collection_modifyitems(items: Iterable[pytest.Item]) -> None:
    """Stop the run at a mark that names no duty."""
    known = duty_ids()
    for item in items:
        for mark in item.iter_markers("rule"):
            unknown = [duty for duty in mark.args if duty not in known]
            if unknown or not mark.args:
                raise pytest.UsageError(f"{item.nodeid} names no duty of docs/duties.md: {unknown}")
