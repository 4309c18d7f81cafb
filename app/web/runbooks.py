"""The runbooks as a page: `docs/runbooks.md`, whose few kinds of marks are read here and no others.

The page is for those who are signed in. What stands in it is the product's own text.
"""

import re
import sysconfig
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from markupsafe import Markup, escape

_IN_DOCS = Path(__file__).parents[2] / "docs" / "runbooks.md"
# A wheel has no `docs`; it installs this page as a data file (setup.cfg).
_FROM_WHEEL = Path(sysconfig.get_path("data"), "share", "keno", "runbooks.md")
PAGE = _IN_DOCS if _IN_DOCS.exists() else _FROM_WHEEL
_SECTION = re.compile(r"^## ([a-z-]+)\n(.*?)(?=^## |\Z)", re.DOTALL | re.MULTILINE)
_FENCED = re.compile(r"```[a-z]*\n(.*?)```", re.DOTALL)
_STEP = re.compile(r"^\d+\. ", re.MULTILINE)
_MARKED = re.compile(r"`([^`]+)`|\*\*([^*]+)\*\*|\*([^*]+)\*|\[([^]]+)\]\([^)]+\)")


@dataclass(frozen=True)
class Block:
    """A part of a runbook: words, steps or commands."""

    kind: str
    text: str
    steps: tuple[str, ...] = ()


@dataclass(frozen=True)
class Runbook:
    """What is done about an alarm."""

    id: str
    blocks: tuple[Block, ...]


@cache
def read_runbooks(page: Path = PAGE) -> tuple[Runbook, ...]:
    """Return every runbook of the page, in its order."""
    found = _SECTION.findall(page.read_text())
    return tuple(Runbook(name, _blocks(text)) for name, text in found)


def marked(text: str) -> Markup:
    """Return a sentence with what is code, strong or stressed in it; a link is its words."""
    made, place = Markup(), 0
    for found in _MARKED.finditer(text):
        made += escape(text[place : found.start()])
        code, strong, stressed, link = (escape(part or "") for part in found.groups())
        if code:
            made += Markup("<code>{}</code>").format(code)
        elif strong:
            made += Markup("<strong>{}</strong>").format(strong)
        elif stressed:
            made += Markup("<em>{}</em>").format(stressed)
        else:
            made += link
        place = found.end()
    return made + escape(text[place:])


def _blocks(text: str) -> tuple[Block, ...]:
    blocks: list[Block] = []
    for place, part in enumerate(_FENCED.split(text)):
        if place % 2:
            blocks.append(Block("commands", part.rstrip()))
            continue
        for words in filter(None, (each.strip() for each in part.split("\n\n"))):
            steps = tuple(" ".join(step.split()) for step in _STEP.split(words)[1:])
            kind = "steps" if steps else "words"
            blocks.append(Block(kind, " ".join(words.split()), steps))
    return tuple(blocks)
