"""Reading the example tables: Markdown, so that anyone can read them without the code."""

from pathlib import Path


def read_table(path: Path) -> list[dict[str, str]]:
    """Return the rows of the tables in a file, each cell under its column's head."""
    rows: list[dict[str, str]] = []
    heads: list[str] = []
    for line in path.read_text().splitlines():
        if not line.startswith("|"):
            heads = []
            continue
        cells = [cell.strip().removeprefix("`").removesuffix("`") for cell in line.split("|")[1:-1]]
        if not heads:
            heads = cells
        elif set(line) - set("|-: "):
            rows.append(dict(zip(heads, cells, strict=True)))
    return rows
