"""The format page says what the code does: fields, kinds of lines, and the example to the byte."""

import hashlib
import json
import re
from pathlib import Path
from typing import get_args, get_type_hints

import pytest

import rng
from rng import core
from rng.core import records
from rng.core.canonical import canonical
from rng.core.derive import draw_seed
from rng.core.drbg import HmacDrbg
from rng.core.mark import check_mark
from rng.core.signing import document_hash, rsa_key
from rng.lab.verify_journal import _CHECKS
from rng.serve.protocol import FRAME_BYTES_MAX
from rng.serve.standing import _EFFECTS
from tests.rng.links import broken_links

FOLDER = Path(rng.__file__).parent
PAGE = (FOLDER / "FORMAT.md").read_text()
EXAMPLE = json.loads((Path(__file__).parent / "vectors" / "worked_example.json").read_text())
BODIES = {
    get_args(get_type_hints(form)["label"])[0]: form
    for form in vars(records).values()
    if isinstance(form, type) and "label" in getattr(form, "__annotations__", {})
}


def block(kind: str) -> str:
    """A block of the worked example, its line breaks taken out."""
    (text,) = re.findall(rf"^```{kind}\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)
    return str(text).replace("\n", "")


def test_every_document_is_on_the_page_with_just_its_fields() -> None:
    sections = dict(
        re.findall(r"^### `(keno/[a-z-]+)`\n(.*?)(?=^##)", PAGE, re.DOTALL | re.MULTILINE)
    )
    assert sections.keys() == BODIES.keys() - {"keno/journal-line"}
    for label, text in sections.items():
        fields = re.findall(r"^\| `([a-z_]+)` \|", text, re.MULTILINE)
        assert fields == list(BODIES[label].__annotations__), label


def test_every_kind_of_line_is_on_the_page() -> None:
    kinds = re.findall(r"^\| `([A-Z]+)` \|", PAGE, re.MULTILINE)
    assert set(kinds) == set(_CHECKS) == {"GENESIS", *_EFFECTS}


@pytest.mark.rule("X-draw-public")
def test_the_worked_example_is_right_to_the_byte() -> None:
    draw = EXAMPLE["draw"]
    record = draw["record"]["body"]
    intent = block("intent").encode()
    assert intent == canonical(draw["intent"]["body"])
    assert f"`{hashlib.sha256(intent).hexdigest()}`" in PAGE
    assert hashlib.sha256(intent).hexdigest() == record["intent"]
    assert f"`{document_hash(draw['statement']['body'])}`" in PAGE
    mark = block("mark")
    assert mark == record["mark"]
    check_mark(rsa_key(EXAMPLE["keys"]["mark"]), intent, mark)
    seed = hashlib.sha512(block("seed-document").encode()).digest()
    assert seed == draw_seed(record["intent"], mark)
    assert seed.hex() == block("seed")
    parts = (seed[:32], seed[32:48], seed[48:])
    assert all(f"`{part.hex()}`" in PAGE for part in parts)
    stream = HmacDrbg(*parts).generate(64)
    assert stream.hex() == block("stream")
    assert [int(word) for word in PAGE.split("```numbers\n")[1].split("```")[0].split()] == (
        record["numbers"]
    )


def test_the_first_picks_of_the_example_are_right() -> None:
    rows = re.findall(
        r"^\| (\d) \| (\d+) \| (\d+) \| (\d+) \| (\d+) \| (\d+) \| \*\*(\d+)\*\* \|",
        PAGE,
        re.MULTILINE,
    )
    stream = bytes.fromhex(block("stream"))
    balls = list(range(1, 81))
    for place, row in enumerate(rows):
        word = int.from_bytes(stream[2 * place : 2 * place + 2])
        left = 80 - place
        other = place + word % left
        balls[place], balls[other] = balls[other], balls[place]
        wanted = (place, word, left, 65536 - 65536 % left, word % left, other, balls[place])
        assert tuple(map(int, row)) == wanted
    assert len(rows) == 3


def test_the_limit_of_a_frame_is_as_the_page_says() -> None:
    assert f"{FRAME_BYTES_MAX:,}" in PAGE


def test_the_reading_order_of_the_core_names_every_module_and_no_import_runs_ahead() -> None:
    order = re.findall(r"^    ([a-z_]+) {2,}", core.__doc__ or "", re.MULTILINE)
    assert sorted(order) == sorted(path.stem for path in (FOLDER / "core").glob("[!_]*.py"))
    for place, name in enumerate(order):
        text = (FOLDER / "core" / f"{name}.py").read_text()
        imported = re.findall(r"^from rng\.core\.([a-z_]+) import", text, re.MULTILINE)
        assert set(imported) <= set(order[:place]), name


def test_every_module_stands_in_the_laboratorys_reading_order() -> None:
    page = (FOLDER / "README.md").read_text()
    for path in [*FOLDER.glob("[!_]*.py"), *FOLDER.glob("serve/[!_]*.py")]:
        assert path.name in page, path.name


def test_links_of_the_laboratorys_pages_lead_somewhere() -> None:
    for page in (FOLDER / "README.md", FOLDER / "FORMAT.md"):
        assert broken_links(page) == []


def test_a_link_to_a_missing_file_or_heading_is_broken(tmp_path: Path) -> None:
    page, other = tmp_path / "page.md", tmp_path / "other.md"
    other.write_text(
        "# Other\n\n```\n# A comment\n```\n## `Two` keys, [one](page.md) seal\n## Other\n"
    )
    good = ["page.md", "other.md", "#first-step", "other.md#other", "other.md#other-1"]
    good += ["other.md#two-keys-one-seal", "https://example.org/#nothing"]
    bad = ["none.md", "none.md#other", "#second-step", "other.md#a-comment", "other.md#other-2"]
    links = "".join(f"[a link]({link})\n" for link in (*good, *bad))
    page.write_text(f"# First step\n{links}")
    assert broken_links(page) == bad
