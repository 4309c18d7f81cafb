"""The runner of the long evidence: what it resumes, what it refuses to publish, what it writes."""

import os
import subprocess
import sys
from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest

from tests.proof import week_page
from tests.proof.committed import changed_since, commit_named, committed, not_in_history
from tests.proof.page import page
from tests.proof.results import (
    DONE,
    FILE,
    Result,
    Run,
    begin,
    cut_torn_line,
    has_failed,
    read_results,
)
from tests.proof.shares import Share, chosen, read_shares

RUN = Run("0123abc", 7, "2 cores", "SQLite 3")
ROOT = Path(__file__).parents[2]
SUITE = """
import os, pytest

@pytest.mark.parametrize("engine", ["sqlite", "postgresql"])
def test_one(engine): pass

def test_two(): assert "BROKEN" not in os.environ
"""


def git(root: Path, *arguments: str) -> str:
    named = ("-c", "user.name=Test", "-c", "user.email=test@keno.example")
    command = ["git", "-C", str(root), *named, *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()  # noqa: S603  git


def commit(root: Path, name: str, text: str) -> str:
    (root / name).parent.mkdir(parents=True, exist_ok=True)
    (root / name).write_text(text)
    git(root, "add", "--all")
    git(root, "commit", "--quiet", "--message", f"{name} changes")
    return git(root, "rev-parse", "--short", "HEAD")


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    root = tmp_path / "repository"
    root.mkdir()
    git(root, "init", "--quiet", "--initial-branch=main")
    return root


def run_suite(folder: Path, *options: str, **environment: str) -> int:
    """Run the suite with the plugin, as `make proof` does."""
    (folder / "test_suite.py").write_text(SUITE)
    file = folder / "results.jsonl"
    if not file.exists():
        begin(file, RUN)
    read = read_results(file)
    assert read is not None
    passed = [test for test, each in read[1].items() if each.outcome == "passed"]
    done = folder / "results.done"
    done.write_text("".join(f"{test}\n" for test in passed))
    own = {"PYTHONPATH": str(ROOT), FILE: str(file), DONE: str(done)}
    command = [sys.executable, "-m", "pytest", "-q", "-p", "tests.proof.results", *options]
    command += ["-p", "no:cacheprovider", "test_suite.py"]
    others = {name: text for name, text in os.environ.items() if not name.startswith("PYTEST_")}
    return subprocess.run(  # noqa: S603  pytest
        command, cwd=folder, env=others | own | environment, capture_output=True, check=False
    ).returncode


@pytest.mark.parametrize(
    "options",
    [(), pytest.param(("--numprocesses=2", "--dist=loadfile"), marks=pytest.mark.proof)],
    ids=["one process", "two"],
)
def test_a_share_that_was_interrupted_resumes_with_what_is_left(
    tmp_path: Path, options: tuple[str, ...]
) -> None:
    assert run_suite(tmp_path, *options, BROKEN="yes") == 1
    file = tmp_path / "results.jsonl"
    first = read_results(file)
    assert first is not None
    assert {test: each.outcome for test, each in first[1].items()} == {
        "test_suite.py::test_one[sqlite]": "passed",
        "test_suite.py::test_one[postgresql]": "passed",
        "test_suite.py::test_two": "failed",
    }
    with file.open("a") as torn:
        torn.write('{"test": "test_suite.py::te')
    assert has_failed(file)
    cut_torn_line(file)
    assert run_suite(tmp_path, *options) == 0
    second = read_results(file)
    assert second is not None
    assert second[0] == RUN
    assert {each.outcome for each in second[1].values()} == {"passed"}
    assert len(file.read_text().splitlines()) == 1 + 3 + 1  # the run, three tests, one once more


def test_the_soak_that_was_interrupted_between_its_engines_has_the_weeks_of_both(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made, results = tmp_path / "soak.md", tmp_path / "days.jsonl"
    monkeypatch.setattr(week_page, "PAGE", made)
    monkeypatch.setattr(week_page, "WEEKS", tmp_path / ".evidence" / "weeks.json")
    monkeypatch.setenv(FILE, str(results))
    begin(results, RUN)
    # All that a process knew is gone behind each line: the rest is read from the disk.
    week_page.note_week("0123abc", "PostgreSQL", "of a run in which a test failed")
    begin(results, replace(RUN, seed=8))
    week_page.note_week("0123abc", "SQLite", "| a sale | 1 ms |")
    assert not made.exists()
    week_page.note_week("0123abc", "PostgreSQL", "| a sale | 2 ms |")
    page = made.read_text()
    assert "Commit 0123abc" in page
    assert page.endswith("## SQLite\n\n| a sale | 1 ms |\n\n## PostgreSQL\n\n| a sale | 2 ms |\n")
    week_page.note_week("0123abc", "SQLite", "of another run")  # by hand: it begins anew
    assert made.read_text() == page


def test_a_torn_last_line_is_a_test_that_did_not_end(tmp_path: Path) -> None:
    file = tmp_path / "share" / "results.jsonl"
    assert read_results(file) is None
    begin(file, RUN)
    whole = file.read_text()
    ended = '{"test": "a", "outcome": "passed", "seconds": 1.0, "load": 0.5}\n'
    file.write_text(whole + ended + ended.replace('"a"', '"b"')[:20])
    assert read_results(file) == (RUN, {"a": Result("a", "passed", 1.0, 0.5)})
    file.write_text(whole[:20])
    assert read_results(file) is None


def test_evidence_is_about_a_committed_state_and_its_own_pages_do_not_count(
    repository: Path,
) -> None:
    first = commit(repository, "app/keno.py", "1")
    assert committed(repository) == first
    commit(repository, "docs/proof/rules.md", f"| commit | {first} |")
    assert committed(repository) == first
    (repository / "docs/proof/draw.md").write_text("written by the evidence")
    assert committed(repository) == first
    (repository / "app/keno.py").write_text("2")
    assert committed(repository) is None


def test_a_page_whose_commit_is_not_in_the_history_is_refused(repository: Path) -> None:
    first = commit(repository, "app/keno.py", "1")
    second = commit(repository, "app/keno.py", "2")
    pages = [repository / "old.md", repository / "new.md", repository / "none.md"]
    pages[0].write_text(f"# The long evidence: old\n\nCommit {first}, 2026-11-16.\n")
    pages[1].write_text(f"| commit | {second} |\n")
    assert [commit_named(page) for page in pages] == [first, second, None]
    assert not_in_history(pages, repository) == {}
    git(repository, "reset", "--quiet", "--hard", first)
    assert not_in_history(pages, repository) == {pages[1]: second}


def test_a_share_is_outdated_by_a_change_below_its_folders_alone(repository: Path) -> None:
    first = commit(repository, "app/keno.py", "1")
    commit(repository, "rng/draw.py", "1")
    assert not changed_since(first, ["app"], repository)
    assert changed_since(first, ["app", "rng"], repository)


def test_the_last_share_runs_what_no_other_does() -> None:
    shares = read_shares()
    rest = [share for share in shares.values() if not share.tests]
    assert [share.name for share in rest] == ["house"]
    assert chosen(shares["rules"], shares) == list(shares["rules"].tests)
    left_out = {path.removeprefix("--ignore=") for path in chosen(rest[0], shares)}
    assert left_out == {path for share in shares.values() for path in share.tests}


def test_a_page_names_state_machine_seed_and_load_and_counts_by_engine() -> None:
    ended = [
        Result("tests/a.py::test_one[sqlite-1]", "passed", 1.5, 0.5),
        Result("tests/a.py::test_one[postgresql-1]", "passed", 2.5, 2.5),
        Result("tests/a.py::test_two", "skipped", 0.0, 1.5),
        Result("tests/b.py::test_three[sqlite]", "failed", 1.0, 1.5),
    ]
    text = page("rules", RUN, ended, date(2026, 11, 20))
    for row in (
        "| commit | 0123abc |",
        "| machine | 2 cores |",
        "| seed | 7 |",
        "| load | 1.5 at the median, at most 2.5 |",
        "| `tests/a.py` | 0 | 1 | 1 | 0 | 1 | 4 |",
        "| `tests/b.py` | 0 | 0 | 0 | 1 | 0 | 1 |",
    ):
        assert row in text.splitlines(), text


def test_a_share_says_where_its_page_is() -> None:
    share = Share("rules", "the rules", ("app/keno",), ("tests/keno",))
    assert share.page == ROOT / "docs" / "proof" / "rules.md"
