"""The commands on the pages, and which test runs each of them.

A block of commands is run as it stands, by the test that asks for it here: a test that asks for a
share of the blocks runs them all, and a block that is in no share fails `test_docs_commands`.
"""

import re
import shlex
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parent.parent
PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/*.md")])

# What shares there are, and who runs them.
ALONE = "test_docs_commands.py::test_commands_that_need_no_house"
MAKE = "test_docs_commands.py::test_make_does_what_the_page_says"
HOUSE = "test_docs_commands.py::test_a_house_is_installed_founded_keyed_and_opened_by_the_pages"
DEMONSTRATION = "test_demo.py::test_the_commands_for_the_demonstration_house"

# Each block by its page and its first words, in the order in which a reader comes to them.
WHO_RUNS = (
    ("README.md", "make run", MAKE),
    ("README.md", "python3 docs/try_it.py", DEMONSTRATION),
    ("README.md", "curl http://localhost:8000/results.json", DEMONSTRATION),
    ("README.md", "keno-rng sample", ALONE),
    ("auditing.md", "keno grade", ALONE),
    ("paper.md", "curl -d", DEMONSTRATION),
    ("proof.md", "make proof", MAKE),
    ("reports.md", "keno report list", DEMONSTRATION),
    ("reports.md", "keno house report", DEMONSTRATION),
    ("running.md", "make setup", HOUSE),
    ("running.md", "keno database upgrade", HOUSE),
    ("ceremony.md", "keno house terms", HOUSE),
    ("ceremony.md", "keno-rng keygen --dir var/rng --public var/public --holder Sam --h", HOUSE),
    ("ceremony.md", "keno-rng keygen --dir var/rng --public var/public --holder Sam\n", HOUSE),
    ("ceremony.md", "keno-inspector serve", HOUSE),
    ("ceremony.md", "keno-rng unlock", HOUSE),
    ("ceremony.md", "keno-rng selftest", HOUSE),
    ("running.md", "keno game every", HOUSE),
    ("running.md", "keno books", HOUSE),
)
# Pages that a test of their own follows from beginning to end.
FOLLOWED = {
    "runbooks.md": "test_runbooks.py::test_every_command_of_a_runbook_is_followed_by_its_test",
    "installing.md": "deploy/test_page.py::test_the_page_is_followed",
    "failover.md": "deploy/test_failover_page.py::test_the_page_is_followed",
    "keeping.md": "keeping/test_commands.py::test_the_drill_on_the_page",
    "verifying.md": (
        "audit/test_verifying_page.py::test_the_bundle_is_made_and_checked_as_the_page_says"
    ),
}


HOLDERS = {name: f"the passphrase of {name}" for name in ("Sam", "Sue", "Ida", "Ivan")}


class Block(NamedTuple):
    """A fenced block of a page."""

    page: str
    kind: str
    text: str


def blocks() -> list[Block]:
    """Return every fenced block of every page."""
    fenced = re.compile(r"^```(\w*)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
    return [
        Block(page.name, kind, text)
        for page in PAGES
        for kind, text in fenced.findall(page.read_text())
    ]


def share_of(test: str) -> list[str]:
    """Return the commands that a test runs, in order."""
    return [
        block.text
        for page, start, who in WHO_RUNS
        if who == test
        for block in blocks()
        if block.kind == "sh" and block.page == page and block.text.startswith(start)
    ]


def typed(line: str, secrets: dict[str, str]) -> str:
    """Return a line with what is typed when it asks: a secret, the next one too, or passphrases."""
    named = re.search(r'--as (?:"([^"]+)"|(\w+))', line)
    answers = [secrets[named[1] or named[2]]] if named else []
    if named and line.startswith("keno house secret"):
        name = named[1] or named[2]
        secrets[name] = f"chosen by {name}"
        answers.append(secrets[name])
    wait = ""
    if re.match(r"keno-\w+ (keygen|unlock)", line):
        holders = re.findall(r"--holder (\w+)", line)
        answers = [HOLDERS[name] for name in (*holders, holders[0])]
        wait = "waited; " if "unlock" in line else ""
    if not answers:
        return line
    return f"{wait}printf '%s\\n' {' '.join(map(shlex.quote, answers))} | {line}"
