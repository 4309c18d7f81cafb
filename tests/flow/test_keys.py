"""The files of the office's keys: whole or not there, wherever the process that makes them dies."""

import multiprocessing
import os
import signal
from contextlib import suppress
from itertools import count
from pathlib import Path

import pytest

from app.entropy import system_entropy
from app.flow.keys import make_keys, read_keys
from tests.crashing import Executioner
from tests.waiting import PATIENCE

NAMES = {"validation-1.key", "log.key", "office.key", "patron.key"}
STEPS = ((os, "open"), (os, "fdopen"), (os, "fsync"), (os, "link"), (Path, "unlink"))


def dies(point: int, folder: Path) -> bool:
    """Make keys in a process that is killed before its so-manieth step; whether it got that far."""

    def run() -> None:
        executioner = Executioner(point)
        for module, name in STEPS:
            setattr(module, name, killed_before(getattr(module, name), executioner))
        make_keys(folder, system_entropy)

    process = multiprocessing.get_context("fork").Process(target=run)
    process.start()
    process.join(PATIENCE)
    assert process.exitcode in {0, -signal.SIGKILL}
    return process.exitcode != 0


def killed_before(step: object, executioner: Executioner) -> object:
    def stepped(*given: object, **more: object) -> object:
        executioner.place()
        return step(*given, **more)  # type: ignore[operator]

    return stepped


@pytest.mark.rule("X-recovery")
def test_a_kill_while_keys_are_made_leaves_no_half_of_one_and_the_next_start_makes_the_rest(
    tmp_path: Path,
) -> None:
    for point in count():
        folder = tmp_path / str(point)
        folder.mkdir(mode=0o700)
        died = dies(point, folder)
        there = {path.name: path.read_bytes() for path in folder.glob("*.key")}
        with suppress(FileExistsError):  # it died behind the last of them
            make_keys(folder, system_entropy)
        assert read_keys(folder).newest == 1, point
        assert {path.name for path in folder.iterdir()} == NAMES, point
        assert all((folder / name).read_bytes() == key for name, key in there.items()), point
        if not died:
            break
    assert point > len(STEPS) * len(NAMES)
