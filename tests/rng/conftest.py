"""A house for each test that asks for one."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.rng.house import TestHouse


@pytest.fixture
def house(tmp_path: Path) -> Iterator[TestHouse]:
    """Return a house fresh from its ceremony, both processes unlocked."""
    house = TestHouse.founded(tmp_path)
    yield house
    house.close()
