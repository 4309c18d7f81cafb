"""A house for each test that asks for one."""

from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.serialization import load_der_private_key

from rng.serve import keystore
from tests.rng.house import TestHouse


@pytest.fixture(scope="session", autouse=True)
def _each_key_is_checked_once() -> Iterator[None]:
    """Whoever loads a private key has it checked, which is most of what unlocking takes."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(keystore, "load_der_private_key", cache(load_der_private_key))
        yield


@pytest.fixture
def house(tmp_path: Path) -> Iterator[TestHouse]:
    """Return a house fresh from its ceremony, both processes unlocked."""
    house = TestHouse.founded(tmp_path)
    yield house
    house.close()
