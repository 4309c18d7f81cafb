"""Every command on the pages is run: as it stands, by a test that is named for it."""

import argparse
import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

import app.cli
import rng.cli
from tests.doc_blocks import (
    ALONE,
    FOLLOWED,
    HOUSE,
    MAKE,
    PAGES,
    ROOT,
    WHO_RUNS,
    blocks,
    share_of,
    typed,
)
from tests.house_commands import short_folder
from tests.ports import free_port

BIN = Path(sys.executable).parent
SECONDS = 600
KINDS = {"console", "sh", "json", "toml", "sql"}  # console: `test_docs` compares what they print


# ---- nothing is left out -------------------------------------------------------------------------


def test_every_block_of_commands_is_run_by_a_test_that_is_there() -> None:
    for block in blocks():
        assert block.kind in KINDS, f"{block.page} has a block of another kind"
        if block.kind == "sh" and block.page not in FOLLOWED:
            runs = [
                test
                for page, start, test in WHO_RUNS
                if page == block.page and block.text.startswith(start)
            ]
            assert len(runs) == 1, f"{block.page}: who runs\n{block.text}"
    for test in {*FOLLOWED.values(), *(test for _, _, test in WHO_RUNS)}:
        file, name = test.split("::")
        assert f"def {name}(" in (ROOT / "tests" / file).read_text()
    for page, test in FOLLOWED.items():
        assert page in (ROOT / "tests" / test.split("::")[0]).read_text()


def test_every_share_is_a_block_that_is_there() -> None:
    texts = [(block.page, block.text) for block in blocks() if block.kind == "sh"]
    for page, start, _ in WHO_RUNS:
        found = [text for where, text in texts if where == page and text.startswith(start)]
        assert len(found) == 1, f"{page}: {start}"


def spans() -> Iterator[tuple[str, str]]:
    """Every command that stands within a sentence or a table."""
    for page in PAGES:
        text = re.sub(r"^```.*?^```$", "", page.read_text(), flags=re.DOTALL | re.MULTILINE)
        for span in re.findall(r"`((?:\.venv/bin/)?keno(?:-rng|-inspector)? [^`]+)`", text):
            yield page.name, span.removeprefix(".venv/bin/")


@pytest.mark.parametrize(("page", "span"), sorted(set(spans())))
def test_a_command_in_a_sentence_is_one_that_there_is(page: str, span: str) -> None:
    program, *words = re.sub(r"'[^']*'", "WORDS", span).replace("...", " ").split()
    parser = (
        app.cli._parser()  # noqa: SLF001  there is no other way to it
        if program == "keno"
        else rng.cli._parser(program.removeprefix("keno-"))  # noqa: SLF001
    )
    takes_value, unknown = False, []
    for word in (word.strip("[],") for word in words):
        choices = commands_of(parser)
        if word in choices:
            parser = choices[word]
        elif word.startswith("--"):
            unknown += [] if word in options_of(parser) else [word]
            takes_value = True
        elif takes_value:
            takes_value = False
        else:
            unknown += [word] if choices else []  # it should have been a command
    assert unknown == [], f"{page}: {span}"


def commands_of(parser: argparse.ArgumentParser) -> dict[str, argparse.ArgumentParser]:
    """What can follow a command."""
    for action in parser._actions:  # noqa: SLF001
        if isinstance(action, argparse._SubParsersAction):  # noqa: SLF001
            return dict(action.choices)
    return {}


def options_of(parser: argparse.ArgumentParser) -> set[str]:
    return {name for action in parser._actions for name in action.option_strings}  # noqa: SLF001


# ---- the shares ----------------------------------------------------------------------------------


def scratch(folder: Path) -> dict[str, str]:
    """Make a folder look like that of the product, and return the environment to work in."""
    (folder / ".venv").symlink_to(Path(sys.prefix))
    (folder / "docs").symlink_to(ROOT / "docs")
    shutil.copy(ROOT / "wsgi.py", folder)
    (folder / "app").symlink_to(ROOT / "app")
    kept = {name: text for name, text in os.environ.items() if not name.startswith("KENO_")}
    path = f"{BIN}{os.pathsep}{os.environ['PATH']}"
    return kept | {"PATH": path, "PYTHONPATH": str(ROOT)}


def followed(script: str, folder: Path, environment: dict[str, str]) -> str:
    """Run a script until it fails, and return what it printed; whatever it left running ends."""
    assert shutil.which("bash"), "this test needs bash; on Debian: apt-get install bash"
    (folder / "script.sh").write_text(f"set -e -o pipefail\n{script}")
    output = folder / "output.txt"
    with output.open("w") as file:
        process = subprocess.Popen(
            ["bash", "script.sh"],  # noqa: S607  wherever the system has it
            cwd=folder,
            env=environment,
            stdout=file,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        try:
            ended = process.wait(timeout=SECONDS)
        finally:
            with suppress(ProcessLookupError):  # nothing was left running
                os.killpg(process.pid, signal.SIGKILL)
    printed = output.read_text()
    assert ended == 0, printed
    return printed


def test_commands_that_need_no_house(tmp_path: Path) -> None:
    shutil.copy(ROOT / "app" / "rate_cards" / "house-card-1.toml", tmp_path / "card.toml")
    grading = json.loads((ROOT / "docs" / "examples" / "grading.json").read_text())
    (tmp_path / "day.jsonl").write_text(f"{json.dumps(grading)}\n" * 3)
    printed = followed("\n".join(share_of(ALONE)), tmp_path, scratch(tmp_path))
    (draw,) = printed.splitlines()
    numbers = [int(number) for number in draw.split()]
    assert len(numbers) == len(set(numbers)) == 20
    assert set(numbers) <= set(range(1, 81))
    regraded = (tmp_path / "regraded.jsonl").read_text().splitlines()
    assert [json.loads(line)["win_cents"] for line in regraded] == [208_900] * 3


def test_make_does_what_the_page_says() -> None:
    """They are this very run and that of `test_demo`: what they would start is looked at."""
    lines = [line for block in share_of(MAKE) for line in block.splitlines()]
    assert len(lines) == 5
    for line in lines:
        command = shlex.split(line, comments=True)
        done = subprocess.run(  # noqa: S603  the page's own command, which only says what it does
            [*command, "--dry-run"], cwd=ROOT, capture_output=True, text=True, check=True
        )
        if "run" in command:
            assert "-m app.start --port 8000 --interval 240" in done.stdout
        elif "proof" in command:
            shares = command[-1].removeprefix("SHARE=") if len(command) > 2 else ""
            assert f"-m tests.proof {shares}" in done.stdout
        else:
            assert "ruff check" in done.stdout
    makefile = (ROOT / "Makefile").read_text()
    (last,) = re.findall(r"^test: .*\n\t.*\n\t@\$\(MAKE\).* --jobs=2 (.*)$", makefile, re.MULTILINE)
    assert last.split() == ["lint", "tests"]


WAITING = """
make() { command make --dry-run --directory "$PRODUCT" "$@"; }  # the environment is there
waited() {
    for n in $(seq 1000); do
        keno-rng status --dir var/rng && keno-inspector status --dir var/inspector && return
        sleep 0.1
    done > /dev/null 2>&1
}
certified() {
    for n in $(seq 2000); do
        curl --silent --fail http://127.0.0.1:$GRANIAN_PORT/results.json | grep certified && return
        sleep 0.2
    done > /dev/null 2>&1
}
"""


@pytest.mark.proof
@pytest.mark.rule("15.5(a)-dual-key", "X-audit-books", "X-audit-log")
def test_a_house_is_installed_founded_keyed_and_opened_by_the_pages() -> None:
    """On the database that the page begins with; `test_house_commands` has both."""
    assert shutil.which("curl"), "this test needs curl; on Debian: apt-get install curl"
    plans = [
        block.text for block in blocks() if block.page == "running.md" and block.kind == "toml"
    ]
    secrets = {each["name"]: each["secret"] for each in tomllib.loads(plans[0])["staff"]}
    *before, open_it, check_it = share_of(HOUSE)
    lines = [line for block in (*before, open_it) for line in block.splitlines()]
    script = [WAITING, *(typed(hurried(line), secrets) for line in lines), "certified", check_it]
    with short_folder() as folder:
        environment = scratch(folder) | {"PRODUCT": str(ROOT)}
        (folder / "plan.toml").write_text(plans[0])
        shutil.copy(ROOT / "app" / "rate_cards" / "house-card-1.toml", folder / "card.toml")
        environment["GRANIAN_PORT"] = str(free_port())
        printed = followed("\n".join(script), folder, environment)
        for file in ("compliance.pdf", "rules.pdf"):
            assert (folder / file).read_bytes().startswith(b"%PDF")
        assert "M-1" in (folder / "var" / "paper.txt").read_text()
    houses = re.findall(r"both roles must see the same house: (.*)", printed)
    assert len(houses) == 2
    assert houses[0] == houses[1]
    assert "M-1" in printed
    assert not re.search(r"faults$", printed, re.MULTILINE)
    assert "Traceback" not in printed


def hurried(line: str) -> str:
    """Return a line that takes no four minutes, and no port twice."""
    line = line.replace("keno game every M 240", "keno game every M 10")
    return line.replace("keno feed", f"keno feed --port {free_port()}")
