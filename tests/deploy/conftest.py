"""A machine with the product installed, in a folder."""

import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.deploy.programs import program

PRODUCT = Path(__file__).parents[2]


@dataclass(frozen=True)
class Machine:
    """A folder that looks like a machine."""

    root: Path

    def install(self, *options: str) -> "subprocess.CompletedProcess[str]":
        for name in ("systemd-sysusers", "systemd-tmpfiles"):
            program(name, "systemd")
        command = [str(PRODUCT / "deploy" / "install"), *options]
        return subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603  ours

    def install_here(self) -> str:
        done = self.install("--root", str(self.root), "--environment", sys.prefix)
        assert done.returncode == 0, done.stderr
        return done.stdout

    @property
    def version(self) -> str:
        return str((self.root / "opt/keno/current").readlink())

    @property
    def units(self) -> list[Path]:
        folder = self.root / "etc/systemd/system"
        return [path for path in sorted(folder.iterdir()) if path.is_file()]


@pytest.fixture(scope="session")
def machine(tmp_path_factory: pytest.TempPathFactory) -> Machine:
    """A machine with this version on it."""
    machine = Machine(tmp_path_factory.mktemp("machine"))
    machine.install_here()
    return machine
