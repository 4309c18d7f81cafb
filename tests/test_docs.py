"""The pages say what the product does: examples run, lists are complete, links lead somewhere."""

import os
import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

import app.keno
from app.flow.refusals import No
from app.keno.card_checks import check_card
from app.keno.card_file import read_card
from app.keno.documents import read_json, read_request
from app.keno.pricing import quote
from app.keno.refusals import Code, Coded
from docs.pictures import draw_ticket
from rng.serve.refusals import Code as DrawCode
from tests.proof.shares import read_shares
from tests.rng.links import broken_links
from tests.tables import read_table

ROOT = Path(__file__).parent.parent
PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/*.md")])
PARTS = sorted(ROOT.glob("docs/*/*.md"))


def blocks(kind: str, page: Path) -> list[str]:
    """Every fenced block of a kind on a page."""
    fenced = re.compile(rf"^```{kind}\n(.*?)^```$", re.DOTALL | re.MULTILINE)
    return fenced.findall(page.read_text())


def console_examples() -> Sequence[object]:
    """Every `$ command` in a console block, with what the page says it prints."""
    examples = []
    for page in PAGES:
        for block in blocks("console", page):
            for example in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
                command, _, printed = example.partition("\n")
                name = f"{page.name}: {command[:60]}"
                examples.append(pytest.param(command, printed, id=name))
    return examples


@pytest.mark.parametrize(("command", "printed"), console_examples())
def test_an_example_prints_what_the_page_says(command: str, printed: str) -> None:
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(  # noqa: S602  the pages show shell commands
        command,
        shell=True,
        cwd=ROOT,
        env=os.environ | {"PATH": path},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    assert done.stdout.strip("\n") == printed.strip("\n")


def test_the_list_of_refusals_is_the_list_of_refusals() -> None:
    rows = read_table(ROOT / "docs" / "refusals.md")
    for column, listed in (("Code", list[Coded](Code)), ("Reason", list[Coded](No))):
        assert [(row[column], row["Sentence"]) for row in rows if column in row] == [
            (code.code, code.sentence) for code in listed
        ]


def test_every_refusal_of_the_house_is_made_somewhere() -> None:
    folders = [ROOT / "app" / name for name in ("flow", "web")]
    sources = "".join(path.read_text() for each in folders for path in each.glob("*.py"))
    assert [no.name for no in No if f"No.{no.name}" not in sources] == []


def test_the_list_of_the_draws_refusals_is_that_list() -> None:
    rows = read_table(ROOT / "docs" / "draw-refusals.md")
    assert [(row["Code"].strip("`"), row["Sentence"]) for row in rows] == [
        (code.code, code.sentence) for code in DrawCode
    ]


def test_every_refusal_of_the_draw_is_made_somewhere() -> None:
    sources = "".join(path.read_text() for path in (ROOT / "rng").rglob("*.py"))
    assert [code.name for code in DrawCode if f"Code.{code.name}" not in sources] == []


@pytest.mark.parametrize("page", [*PAGES, *PARTS], ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    assert broken_links(page) == []


def test_the_picture_shows_what_the_product_works_out() -> None:
    assert draw_ticket.PICTURE.read_text() == draw_ticket.picture()


@pytest.mark.parametrize("request_", blocks("json", ROOT / "docs" / "commands.md"))
def test_the_requests_on_the_page_of_commands_can_be_sold(request_: str) -> None:
    card = read_card((ROOT / "app" / "rate_cards" / "house-card-1.toml").read_bytes())
    assert quote(read_request(read_json(request_.encode())), card).price_cents


def test_the_page_of_commands_names_every_command() -> None:
    page = (ROOT / "docs" / "commands.md").read_text()
    commands = (
        "odds", "rate-card check", "quote", "grade", "prorate", "database upgrade", "house keys",
        "house found", "house secret", "card bring", "card accept", "card force", "game open",
        "game lock",
        "game every", "game close", "game void", "game release", "house terms", "caller", "feed",
        "compliance", "submission", "manifest", "log seal", "log cosign", "log verify", "books",
        "export", "verify",
        "log missing", "log refill", "log lost", "log new-origin", "log end-hold",
        "backup --out", "backup check", "restore",
        "settings", "database downgrade", "database show", "certificates authority",
        "certificates issue", "certificates renew", "certificates show",
        "certificates office renew", "certificates office change",
        "house retention", "house records", "archive", "alarms",
    )  # fmt: skip
    assert all(f"| `keno {command}" in page for command in commands)


def test_the_card_on_the_rate_card_page_is_sound() -> None:
    (card,) = blocks("toml", ROOT / "docs" / "rate-card.md")
    assert check_card(read_card(card.encode())) == ()


def test_the_reading_order_names_every_module_and_no_import_runs_ahead_of_it() -> None:
    folder = ROOT / "app" / "keno"
    order = re.findall(r"^    ([a-z_]+) {2,}", app.keno.__doc__ or "", re.MULTILINE)
    assert sorted(order) == sorted(path.stem for path in folder.glob("[!_]*.py"))
    for place, name in enumerate(order):
        imported = re.findall(
            r"^from app\.keno\.([a-z_]+) import", (folder / f"{name}.py").read_text(), re.MULTILINE
        )
        assert set(imported) <= set(order[:place]), name


def test_every_make_target_is_in_the_help() -> None:
    makefile = (ROOT / "Makefile").read_text()
    (phony,) = re.findall(r"^\.PHONY: (.*)$", makefile, re.MULTILINE)
    assert set(phony.split()) == set(re.findall(r"^([a-z]+):.*## ", makefile, re.MULTILINE))


def test_the_page_of_the_long_evidence_lists_every_share() -> None:
    text = (ROOT / "docs" / "proof.md").read_text()
    listed = re.findall(r"^- \[(\w+)\]\(proof/(\w+)\.md\): (.*)[;.]$", text, re.MULTILINE)
    shares = read_shares()
    assert listed == [(name, name, share.about) for name, share in shares.items()]
    paths = {path for share in shares.values() for path in (*share.tests, *share.covers)}
    assert [path for path in sorted(paths) if not (ROOT / path).exists()] == []
