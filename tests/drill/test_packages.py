"""What a drill lacks is installed; if it cannot be held it says what to type, and never passes."""

from pathlib import Path
from typing import Any

import pytest

from tests import debian
from tests.drill import packages
from tests.drill.packages import CannotDrill, have_packages

WANTED = "etcd-server haproxy iproute2 patroni postgresql-15 python3-etcd python3-idna util-linux"


@pytest.fixture
def bare_machine(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A machine that has nothing of what a drill needs."""
    monkeypatch.setattr("os.geteuid", lambda: 0)
    monkeypatch.setattr("shutil.which", lambda _: None)
    monkeypatch.setattr(packages, "POSTGRES", tmp_path / "postgres")
    monkeypatch.setattr(packages, "DEBIAN", tmp_path)


@pytest.mark.usefixtures("bare_machine")
def test_what_is_missing_is_installed_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Any] = []
    monkeypatch.setattr(debian, "found_or_installed", lambda _, *names: asked.extend(names))
    with pytest.raises(CannotDrill):  # it was asked for, and did not come
        have_packages()
    assert asked == WANTED.split()


@pytest.mark.usefixtures("bare_machine")
def test_what_cannot_be_installed_is_told_with_the_command() -> None:
    with pytest.raises(CannotDrill) as remedy:
        have_packages()
    assert f"apt-get install --no-install-recommends {WANTED}" in str(remedy.value)


def test_who_is_not_root_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.geteuid", lambda: 1000)
    with pytest.raises(CannotDrill, match="root"):
        have_packages()
