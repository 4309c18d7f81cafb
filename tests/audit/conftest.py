"""Houses that something happened in once, for every test that takes their records apart."""

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.audit.exporting import ExportedHouse, exported_house
from tests.audit.planting import After, unguarded
from tests.engines import ENGINES, floor_on


@pytest.fixture(scope="session")
def exported(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ExportedHouse]:
    """Three days with every kind of act, exported together and one by one."""
    with exported_house(tmp_path_factory.mktemp("exported")) as house:
        yield house


@pytest.fixture(params=ENGINES)
def after(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[After]:
    """An unguarded house after some stories, which are told once for each engine."""
    with ExitStack() as stack:
        yield lambda *stories: stack.enter_context(
            floor_on(request.param, request, tmp_path, *stories, unguarded)
        )
