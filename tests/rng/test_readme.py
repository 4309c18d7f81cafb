"""The laboratory's page can be followed as it stands: every command of it, for real."""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import rng
from rng import cli

FOLDER = Path(rng.__file__).parent
PAGE = (FOLDER / "README.md").read_text()
UNCOMPILED = shutil.ignore_patterns("__pycache__")
HOLDERS = {name: f"the passphrase of {name}" for name in ("Sam", "Sue", "Ida", "Ivan")}
# Each program, from this very checkout; it reads passphrases from its input, one a line.
PROGRAMS = {"keno-rng": "rng", "keno-inspector": "inspector"}


def shell_script() -> str:
    """The page's commands in order; in a script, `unlock` and the like get their input from us."""
    # The last command of a terminal may still be running when the next is typed.
    blocks = re.findall(r"^```sh\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)
    lines = [line for block in blocks for line in block.splitlines()]
    return "\n".join(_with_input(line) for line in lines)


def _with_input(line: str) -> str:
    if not re.match(r"keno-\w+ (keygen|unlock)", line):
        return line
    names = re.findall(r"--holder (\w+)", line)
    passphrases = [HOLDERS[name] for name in (*names, names[0])]
    wait = "" if "keygen" in line else "waited; "
    return f"{wait}printf '%s\\n' {' '.join(map(repr, passphrases))} | {line}"


PRELUDE = """
waited() {
    for n in $(seq 100); do
        keno-rng status --dir rng && keno-inspector status --dir inspector && return
        sleep 0.1
    done > /dev/null 2>&1
}
"""


@pytest.mark.proof  # twenty commands, each a process of its own
@pytest.mark.rule("X-draw-public", "X-recovery", "15.5(a)-dual-key")
def test_the_rehearsal_in_two_terminals_works_as_it_is_written(tmp_path: Path) -> None:
    for tool in ("bash", "openssl"):
        assert shutil.which(tool), f"this test needs {tool}; on Debian: apt-get install {tool}"
    programs = tmp_path / "programs"
    programs.mkdir()
    for name, role in PROGRAMS.items():
        script = (
            f'#!/bin/sh\nPYTHONPATH="{FOLDER.parent}" exec "{sys.executable}" -m rng {role} "$@"\n'
        )
        (programs / name).write_text(script)
        (programs / name).chmod(0o755)
    work = tmp_path / "work"
    work.mkdir()
    output, file_of_script = tmp_path / "output", tmp_path / "script.sh"
    file_of_script.write_text(PRELUDE + shell_script())
    with output.open("w") as file:
        process = subprocess.Popen(  # noqa: S603  the page's own commands
            ["bash", str(file_of_script)],  # noqa: S607  wherever the system has it
            cwd=work,
            env=os.environ | {"PATH": f"{programs}{os.pathsep}{os.environ['PATH']}"},
            stdout=file,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        try:
            process.wait(timeout=600)
        finally:
            os.killpg(process.pid, signal.SIGKILL)
    printed = output.read_text()
    house = re.findall(r"both roles must see the same house: (.*)", printed)
    assert len(house) == 2
    assert house[0] == house[1]
    assert "game.marked" in printed
    assert "is void" in printed
    games = [int(game) for game in re.findall(r"^M-(\d+):", printed, re.MULTILINE)]
    assert games[:3] == [1, 2, 3]
    assert len(games) > 4
    assert re.findall(r"agreed: \d+ games in both", printed)
    assert printed.count("sound: ") == 3
    assert "Verified OK" in printed
    drawn = json.loads((work / "draw.json").read_text())
    assert f"{drawn['record']['body']['intent']}  intent.bytes" in printed
    assert "Traceback" not in printed


def test_the_folder_and_its_tests_can_be_taken_alone(tmp_path: Path) -> None:
    """A laboratory takes `rng` and `tests/rng` and nothing else, and runs what is there."""
    shutil.copytree(FOLDER, tmp_path / "rng", ignore=UNCOMPILED)
    shutil.copytree(Path(__file__).parent, tmp_path / "tests" / "rng", ignore=UNCOMPILED)
    few = ["test_select.py", "test_drbg.py", "test_format_page.py"]
    done = subprocess.run(  # noqa: S603  our own tests
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--import-mode=importlib"]
        + [f"tests/rng/{name}" for name in few],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(tmp_path), "PYTHONSAFEPATH": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    imported = re.compile(r"^(?:from|import) ([a-z_0-9]+)", re.MULTILINE)
    ours = {"rng", "tests"}
    for path in (tmp_path / "tests").rglob("*.py"):
        for name in imported.findall(path.read_text()):
            known = (
                name in sys.stdlib_module_names | {"pytest", "hypothesis", "cryptography"} | ours
            )
            assert known, f"{path.name} imports {name}"
        assert not re.search(r"^from tests\.(?!rng\b)", path.read_text(), re.MULTILINE), path.name


def test_every_command_of_the_two_programs_has_a_word_on_the_page() -> None:
    for role in cli.PROGRAMS:
        actions = [action for action in cli._parser(role)._actions if action.choices]  # noqa: SLF001
        (commands,) = (list(action.choices or ()) for action in actions)
        assert "serve" in commands
        assert [command for command in commands if not re.search(rf"\b{command}\b", PAGE)] == []
