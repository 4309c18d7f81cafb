"""A report as it stands: what it was made from, what it says, and the hash over all of it."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from hashlib import sha256
from itertools import groupby

from app.reports.catalogue import Report
from app.reports.content import Content, Section
from app.reports.told import LostLeaf, Period, Stretch, Told
from app.reports.written import for_programs

LABEL, VERSION = "keno/report", 1
RUNS_TOLD = 20  # of places whose entries are lost


@dataclass(frozen=True)
class Document:
    """A report that was made."""

    report: Report
    house: str
    jurisdiction: str
    period: Period
    stretch: Stretch
    content: Content

    @cached_property
    def hash(self) -> str:
        """The SHA-256 of the JSON form without the hash itself: sorted keys, no spaces, UTF-8."""
        return sha256(_dumped(self._told())).hexdigest()

    def json(self) -> bytes:
        """Return the report as JSON."""
        return _dumped(self._told() | {"content": self.hash}) + b"\n"

    def _told(self) -> dict[str, object]:
        period, stretch = self.period, self.stretch
        return {
            "label": LABEL,
            "version": VERSION,
            "report": self.report.id,
            "title": self.report.title,
            "duties": list(self.report.duties),
            "house": self.house,
            "jurisdiction": self.jurisdiction,
            "period": {"from": period.first.isoformat(), "to": period.last.isoformat()},
            "log": {
                "origin": stretch.origin,
                "first": stretch.first,
                "size": stretch.size,
                "root": stretch.root.hex(),
                "whole": stretch.is_whole,
            },
            "sections": {each.name: _section(each) for each in self.content.sections},
            "remarks": list(self.content.remarks),
        }


def make_document(report: Report, told: Told) -> Document:
    """Make a report from what the log told."""
    content = report.figures(told)
    if told.lost:
        content = replace(content, remarks=(*content.remarks, _lost(told.lost)))
    return Document(report, told.house, told.jurisdiction, told.period, told.stretch, content)


def _lost(leaves: Sequence[LostLeaf]) -> str:
    """Return what a report says where nobody knows what some of its entries were."""
    runs = list(_runs([each.position for each in leaves]))
    more = f" and {len(runs) - RUNS_TOLD} more stretches" if len(runs) > RUNS_TOLD else ""
    return (
        f"Of {len(leaves):,} entries of this stretch of the log nothing but the leaf is known: the "
        "rest was lost with a house, and stands in no figure here. Places: "
        f"{', '.join(runs[:RUNS_TOLD])}{more}. The certificate names each of them."
    )


def _runs(places: Sequence[int]) -> Iterator[str]:
    """Yield places in their order, those that follow on each other as one."""
    for _, run in groupby(enumerate(places), lambda each: each[1] - each[0]):
        first, *rest = (place for _, place in run)
        yield f"{first} to {rest[-1]}" if rest else str(first)


def _section(section: Section) -> dict[str, object]:
    names = [column.name for column in section.columns]
    rows = [dict(zip(names, map(for_programs, row), strict=True)) for row in section.rows]
    sums = section.sums
    told: dict[str, object] = {"title": section.title, "rows": rows}
    if sums is not None:
        told["sums"] = {
            column.name: cents
            for column, cents in zip(section.columns, sums, strict=True)
            if column.summed
        }
    if section.remark:
        told["remark"] = section.remark
    return told


def _dumped(told: dict[str, object]) -> bytes:
    text = json.dumps(told, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return text.encode()
