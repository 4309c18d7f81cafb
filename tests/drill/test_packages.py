"""A drill that cannot be held says what to type, and is never passed over."""

from pathlib import Path

import pytest

from tests.drill import packages
from tests.drill.packages import CannotDrill, check_packages


def test_what_is_missing_is_told_with_the_command(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("os.geteuid", lambda: 0)
    monkeypatch.setattr("shutil.which", lambda _: None)
    monkeypatch.setattr(packages, "POSTGRES", tmp_path / "postgres")
    monkeypatch.setattr(packages, "DEBIAN", tmp_path)
    with pytest.raises(CannotDrill) as remedy:
        check_packages()
    wanted = "etcd-server haproxy iproute2 patroni postgresql-15 python3-etcd python3-idna"
    assert f"apt-get install --no-install-recommends {wanted}" in str(remedy.value)


def test_who_is_not_root_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.geteuid", lambda: 1000)
    with pytest.raises(CannotDrill, match="root"):
        check_packages()
