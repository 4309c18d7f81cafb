"""The compliance matrix on paper: every duty at a glance, then each with its evidence."""

from functools import lru_cache
from itertools import groupby
from xml.sax.saxutils import escape

from reportlab.lib.styles import ParagraphStyle
from reportlab.platypus import Flowable, KeepTogether, Paragraph

from app.reports.compliance import Duty, counts_of, test_words
from app.reports.documents import (
    SECTION,
    SMALL,
    Frontispiece,
    chapter,
    contents,
    document,
    front_page,
    paragraph,
    table,
)

TITLE = "Compliance matrix"
EVIDENCE = ParagraphStyle("evidence", SMALL, leftIndent=10, spaceAfter=1)


@lru_cache(maxsize=1)  # nothing in it changes while this software runs
def compliance_pdf(house: str, software: str, matrix: tuple[Duty, ...]) -> bytes:
    """Return the matrix as pages; the same bytes every time."""
    front = Frontispiece(house, TITLE, software)
    counts = counts_of(matrix)
    parts = [(part, list(duties)) for part, duties in groupby(matrix, lambda duty: duty.part)]
    story: list[Flowable] = [
        *front_page(front, "Every duty of the software: where it is kept, and what shows it"),
        paragraph(
            f"{counts.duties} duties, of which {counts.held} are held: {counts.modules} modules "
            f"keep them, {counts.tests:,} tests show them, {counts.reports} reports tell of them."
        ),
        paragraph(
            "The duties follow N.J.A.C. 19:47-15 by its paragraphs; those that begin with X are "
            "asked by other regulators, laboratories and operators, or by ourselves. A module "
            "keeps a duty where its source cites the id; a test shows one that it is marked with."
        ),
        contents(),
    ]
    story += chapter("At a glance")
    heads = ("Duty", "Held", "Modules", "Tests", "Reports")
    rows = [
        (
            duty.id,
            "yes" if duty.not_held is None else "no",
            *(f"{len(each):,}" for each in (duty.modules, duty.tests, duty.reports)),
        )
        for duty in matrix
    ]
    story.append(table(heads, rows, (40, 12, 16, 16, 16), right=(2, 3, 4)))
    for part, duties in parts:
        story += chapter(part)
        for duty in duties:
            story += _evidence(duty)
    return document(front, story)


def _evidence(duty: Duty) -> list[Flowable]:
    head: list[Flowable] = [paragraph(duty.id, SECTION), paragraph(duty.text)]
    if duty.not_held is not None:
        return [KeepTogether([*head, _line("Claimed", duty.not_held)])]
    head.append(_line("Kept by", ", ".join(duty.modules)))
    told = ", ".join(f"{report.title} ({report.id})" for report in duty.reports)
    head.append(_line("Told by", told or f"no report. {duty.no_report}"))
    shown = [test_words(test) for test in duty.tests]
    counted = "1 test" if len(shown) == 1 else f"{len(shown):,} tests"
    files = [
        _line(file, "; ".join(words for words, _ in tests), EVIDENCE)
        for file, tests in groupby(shown, lambda each: each[1])
    ]
    return [KeepTogether([*head, _line("Shown by", counted), *files[:1]]), *files[1:]]


def _line(name: str, text: str, style: ParagraphStyle = SMALL) -> Paragraph:
    return Paragraph(f"<b>{escape(name)}</b>: {escape(text)}", style)
