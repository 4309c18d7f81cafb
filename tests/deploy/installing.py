"""Helpers of `test_installing` that other tests use too."""

from pathlib import Path


def rows(file: Path) -> list[list[str]]:
    lines = [line for line in file.read_text().splitlines() if line and not line.startswith("#")]
    return [line.split() for line in lines]
