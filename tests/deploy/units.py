"""Helpers of `test_units` that other tests use too."""

import shlex
from pathlib import Path

from tests.deploy.conftest import PRODUCT

DEPLOY = PRODUCT / "deploy"

SERVICES = sorted((DEPLOY / "systemd").glob("keno-*.service"))


def environment(file: Path) -> dict[str, str]:
    """An environment file as systemd and a shell read it."""
    words = [shlex.split(line) for line in file.read_text().splitlines() if line[:1] != "#"]
    return {word.split("=", 1)[0]: word.split("=", 1)[1] for (word,) in words if word}
