"""`make proof`: every test with many more examples, and the long ones; the tables to docs/proof.

The evidence has shares (`docs/proof/shares.toml`). `SHARE="rules draw"` runs some of them and
`SHARE=changed` those whose behaviour changed since the commit on their page. The result of each
finished test is on disk: run again on the same commit, a share that was interrupted resumes, with
the same seed. A page is written only if its whole share ran on a committed state and all passed.
"""

import os
import platform
import re
import shutil
import sqlite3
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path
from random import SystemRandom

from tests.needs import machine_remedy
from tests.postgres import server_programs
from tests.proof import results
from tests.proof.committed import ROOT, committed, not_in_history
from tests.proof.page import page
from tests.proof.results import Run, begin, cut_torn_line, has_failed, read_results
from tests.proof.shares import PAGES, Share, chosen, read_shares

EVIDENCE = ROOT / ".evidence"
CHANGED = "changed"
UNCOMMITTED = "uncommitted"
NOTHING_LEFT = 5  # of pytest: every test had passed before


def main(names: list[str]) -> int:
    """Run the shares one after the other; 0 if all of them are green."""
    shares = read_shares()
    if unknown := set(names) - {*shares, CHANGED}:
        sys.exit(f"No share {', '.join(sorted(unknown))}; there are {', '.join(shares)}.")
    if foreign := not_in_history(sorted(PAGES.glob("*.md"))):
        for path, commit in foreign.items():
            sys.stderr.write(f"{path.name} names commit {commit}, which is not in this history.\n")
        sys.exit("Remove these pages, or run their shares on a commit that is.")
    wanted = [
        share
        for share in shares.values()
        if not names or share.name in names or (CHANGED in names and share.is_outdated)
    ]
    if any(not share.tests for share in wanted) and (remedy := machine_remedy()) is not None:
        sys.exit(f"The share of everything else has the tests of machines: {remedy}")
    codes = [run(share, shares) for share in wanted]
    return int(any(codes))  # a process that was killed has a negative one


def run(share: Share, shares: dict[str, Share]) -> int:
    """Run what is left of a share, and write its page if all of it passed."""
    file = EVIDENCE / f"{share.name}.jsonl"
    commit = committed() or UNCOMMITTED
    begun, seed = _resumed(file, commit)
    if share.coverage:  # what is covered is counted in one run
        begun = []
        shutil.rmtree(ROOT / ".coverage", ignore_errors=True)
    done = file.with_suffix(".done")
    done.write_text("".join(f"{test}\n" for test in begun))
    sys.stdout.write(f"{share.name} on {commit}: seed {seed}, {len(begun)} tests passed before\n")
    sys.stdout.flush()
    environment = os.environ | {results.FILE: str(file), results.DONE: str(done)}
    # Coverage is of the tests of every day.
    environment["HYPOTHESIS_PROFILE"] = "test" if share.coverage else "proof"
    code = subprocess.run(  # noqa: S603  pytest
        [*_command(share, seed), *chosen(share, shares)], cwd=ROOT, env=environment, check=False
    ).returncode
    if code == 0 and share.coverage:
        code = _report_coverage()
    read = read_results(file)
    is_green = code in {0, NOTHING_LEFT} and not has_failed(file)
    if read is None or not is_green or committed() != commit:
        sys.stderr.write(f"{share.page.name} stays: it shows a whole, green, committed state\n")
        return 0 if is_green else code or 1
    ran, ended = read
    share.page.write_text(page(share.name, ran, ended.values(), datetime.now(UTC).date()))
    file.unlink()
    return 0


def _resumed(file: Path, commit: str) -> tuple[list[str], int]:
    """Return the tests that passed on this commit before, and the seed of that run.

    A run in which a test failed begins anew: what passes at the second try is no evidence.
    """
    read = read_results(file)
    is_other = read is None or commit in {UNCOMMITTED, ""} or read[0].commit != commit
    if read is None or is_other or has_failed(file):
        seed = SystemRandom().randrange(10**9)
        begin(file, Run(commit, seed, _machine(), _engines()))
        return [], seed
    cut_torn_line(file)
    return [test for test, each in read[1].items() if each.outcome == "passed"], read[0].seed


def _command(share: Share, seed: int) -> list[str]:
    """Return how the tests of a share are run."""
    tracing = ["coverage", "run", "-m"] if share.coverage else []
    command = [sys.executable, "-m", *tracing, "pytest", "-p", "tests.proof.results"]
    command += ["-p", "no:cacheprovider", f"--hypothesis-seed={seed}"]
    if not share.coverage:
        command += ["-m", "proof or not proof"]
    if not (share.alone or share.coverage):
        command += [f"--numprocesses={os.cpu_count()}", "--dist=loadfile"]
    return command


def _report_coverage() -> int:
    coverage = [sys.executable, "-m", "coverage"]
    subprocess.run([*coverage, "combine", "--quiet"], cwd=ROOT, check=True)  # noqa: S603  coverage
    return subprocess.run(  # noqa: S603  coverage
        [*coverage, "report", "--fail-under=100"], cwd=ROOT, check=False
    ).returncode


def _machine() -> str:
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    system = f"{platform.system()} {platform.release().split('-')[0]}"
    python = platform.python_version()
    return f"{os.cpu_count()} cores, {memory:.0f} GiB, {system}, Python {python}"


def _engines() -> str:
    said = subprocess.run(  # noqa: S603  the server's own program
        [str(server_programs() / "postgres"), "--version"],
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    (version,) = re.findall(r"\d+\.\d+", said)[:1]
    return f"SQLite {sqlite3.sqlite_version}, PostgreSQL {version}"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
