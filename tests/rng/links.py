"""Links of a Markdown page that lead nowhere: missing files, and anchors that no heading has."""

import re
from collections import Counter
from pathlib import Path

_BLOCK = re.compile(r"^```.*?^```$", re.DOTALL | re.MULTILINE)
_HEADING = re.compile(r"^#{1,6} +(.*?)[ #]*$", re.MULTILINE)
_LINK = re.compile(r"\[(?:[^][]|\[[^]]*\])*\]\(([^)\s]+)\)")


def anchors_of(page: Path) -> set[str]:
    """Return the anchors of the headings of a page, as GitHub makes them."""
    anchors, seen = set(), Counter[str]()
    for heading in _HEADING.findall(_BLOCK.sub("", page.read_text())):
        shown = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", heading)
        anchor = re.sub(r"[^\w\- ]", "", shown.lower()).replace(" ", "-")
        anchors.add(f"{anchor}-{seen[anchor]}" if seen[anchor] else anchor)
        seen[anchor] += 1
    return anchors


def broken_links(page: Path) -> list[str]:
    """Return the links of a page that lead nowhere; those to other hosts are not followed."""
    broken = []
    for link in _LINK.findall(_BLOCK.sub("", page.read_text())):
        target, _, anchor = link.partition("#")
        file = page.parent / target if target else page
        if re.match(r"[a-z]+:", link):
            continue
        is_page = file.suffix == ".md" and file.is_file()
        if not file.exists() or (anchor and not (is_page and anchor in anchors_of(file))):
            broken.append(link)
    return broken
