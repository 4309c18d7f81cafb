"""A report as CSV (RFC 4180): one table with stable columns.

A report with several sections has its sections under one another, named in the first column, over
all their columns. Amounts are cents, moments UTC, ratios exact: programs read this.

A text that begins as a formula does is written behind an apostrophe, always and in the same way, so
that a spreadsheet shows it and does not work it out. Numbers and ratios, which the report itself
writes, are never text: a loss is -5, and a negative hold is -1/20.
"""

import csv
from io import StringIO

from app.reports.content import Cell
from app.reports.document import Document
from app.reports.written import for_programs

# What a spreadsheet would take for a formula, also in the wide letters of East Asian keyboards; and
# what some pass over to look at what comes behind it. And the apostrophe itself: whoever takes one
# away from each text that has it has the text again.
FORMULA = ("'", "=", "+", "-", "@", "\t", "\r", "\n", "\uff1d", "\uff0b", "\uff0d", "\uff20")


def csv_of(document: Document) -> bytes:
    """Return a report as CSV in UTF-8."""
    sections = document.content.sections
    names = list(dict.fromkeys(column.name for each in sections for column in each.columns))
    several = len(sections) > 1
    out = StringIO(newline="")
    writer = csv.writer(out)
    writer.writerow(["section", *names] if several else names)
    for section in sections:
        places = {column.name: place for place, column in enumerate(section.columns)}
        for row in section.rows:
            cells = [row[places[name]] if name in places else None for name in names]
            written = [_plain(cell) for cell in cells]
            writer.writerow([section.name, *written] if several else written)
    return out.getvalue().encode()


def _plain(cell: Cell) -> str:
    if isinstance(cell, str):
        return f"'{cell}" if cell.startswith(FORMULA) else cell
    if cell is None:
        return ""
    if isinstance(cell, bool):
        return "yes" if cell else "no"
    if isinstance(cell, tuple):
        return " ".join(map(str, cell))
    return str(for_programs(cell))
