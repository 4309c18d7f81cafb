"""The registry of duties and the marks that cite it."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.rule_marks import duty_ids

ROOT = Path(__file__).parent.parent


def run_pytest_on(test: str, folder: Path) -> subprocess.CompletedProcess[str]:
    (folder / "test_planted.py").write_text(test)
    command = [sys.executable, "-m", "pytest", "-p", "tests.rule_marks", "--rootdir", str(folder)]
    settings = ["-c", str(ROOT / "setup.cfg"), "-p", "no:cacheprovider", str(folder)]
    return subprocess.run(  # noqa: S603  our own interpreter on our own file
        command + settings, cwd=ROOT, capture_output=True, text=True, check=False
    )


def test_the_registry_has_the_rule_and_our_own_duties() -> None:
    assert {"15.2(a)", "15.2(c)2ii", "15.4(c)1", "15.4(c)13", "8.3", "X-card-odds"} <= duty_ids()


@pytest.mark.parametrize("mark", ['"15.2(a)"', '"15.2(a)", "X-card-odds"'])
def test_a_mark_that_names_a_duty_passes(tmp_path: Path, mark: str) -> None:
    result = run_pytest_on(
        f"import pytest\n@pytest.mark.rule({mark})\ndef test_it(): pass\n", tmp_path
    )
    assert result.returncode == pytest.ExitCode.OK, result.stdout + result.stderr


@pytest.mark.parametrize("mark", ['"15.2(z)"', '"15.2(a)", "15.2 (b)"', ""])
def test_a_mark_that_names_no_duty_fails_the_run(tmp_path: Path, mark: str) -> None:
    result = run_pytest_on(
        f"import pytest\n@pytest.mark.rule({mark})\ndef test_it(): pass\n", tmp_path
    )
    assert result.returncode == pytest.ExitCode.USAGE_ERROR
    assert "names no duty" in result.stderr + result.stdout
