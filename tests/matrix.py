"""The compliance matrix, made from what is there: registry, sources, tests and reports.

`make matrix` writes it to the file that the product ships. No test is run or imported to make it:
duties stand in docs/duties.md, the modules that keep them cite their ids in comments and
docstrings, tests name them in marks, reports in their catalogue.
"""

import ast
import io
import json
import re
import tokenize
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from app.reports.catalogue import CATALOGUE
from app.reports.compliance import FILE, Duty, Telling, matrix_document
from tests.tables import read_table

ROOT = Path(__file__).parent.parent
REGISTRY = Path("docs") / "duties.md"
UNTOLD = "Without a report"  # its part in the registry
SOURCES = ("app", "printers", "rng")
# An id of the rule, or one of our own; what only begins like one is no citation.
CITATION = re.compile(
    r"(?<![\w.:$])"
    r"(15\.\d+(?:\([a-z]\)(?:\d+[iv]*)?)?(?:-[a-z]+)*|8\.3|X-[a-z]+(?:-[a-z]+)*)"
    r"(?![\w%]|\.\d)"
)
# Each report of the catalogue: its id, its title, and the duties that it tells of.
Reported = tuple[str, str, Sequence[str]]
REPORTS: tuple[Reported, ...] = tuple(
    (report.id, report.title, report.duties) for report in CATALOGUE.values()
)


def main() -> None:
    """Write the matrix to the file that the product ships."""
    FILE.write_text(matrix_text(ROOT, REPORTS))


def matrix_text(root: Path, reports: Iterable[Reported]) -> str:
    """Return the file of the matrix; the same bytes for the same repository."""
    document = matrix_document(make_matrix(root, reports))
    return json.dumps(document, ensure_ascii=False, indent=1) + "\n"


def make_matrix(root: Path, reports: Iterable[Reported]) -> tuple[Duty, ...]:
    """Return every duty of the registry, in its order, with what there is to show for it."""
    modules, tests, untold = cited_in(root), marked_in(root), untold_in(root)
    told: dict[str, set[tuple[str, str]]] = defaultdict(set)
    for report, title, duties in reports:
        for duty in duties:
            told[duty].add((report, title))
    return tuple(
        Duty(
            id_,
            part,
            text,
            not_held,
            tuple(sorted(modules.get(id_, ()))),
            tuple(sorted(tests.get(id_, ()))),
            tuple(Telling(*report) for report in sorted(told[id_])),
            untold.get(id_),
        )
        for id_, part, text, not_held in registered(root)
    )


def faults_of(matrix: Iterable[Duty], root: Path, reports: Iterable[Reported]) -> list[str]:
    """Return everything that is missing, cited in vain, or claimed and not claimed at once."""
    faults = []
    for duty in matrix:
        if duty.not_held is None:
            faults += [] if duty.modules else [f"{duty.id} is kept by no module"]
            faults += [] if duty.tests else [f"{duty.id} is shown by no test"]
            if not duty.reports and duty.no_report is None:
                faults.append(f"{duty.id} is told by no report, and it is not said why")
            if duty.reports and duty.no_report is not None:
                faults.append(f"{duty.id} is told by a report, and said to be told by none")
        elif duty.modules and duty.tests:
            faults.append(f"{duty.id} is kept and shown, and not claimed")
    known = {id_ for id_, *_ in registered(root)}
    for id_, modules in cited_in(root).items():
        faults += [f"{module} cites {id_}" for module in sorted(modules) if id_ not in known]
    for report, _, duties in reports:
        faults += [f"{report} cites {id_}" for id_ in duties if id_ not in known]
    return faults


# ---- the registry --------------------------------------------------------------------------------


def registered(root: Path) -> Iterator[tuple[str, str, str, str | None]]:
    """Yield every duty: its id, the part it stands in, its text, and why it is not held if so."""
    heading, duties, not_held = "", [], {}
    for line in (root / REGISTRY).read_text().splitlines():
        if line.startswith("## "):
            heading = line.split(". ", 1)[1]
        if line.startswith("| ") and not line.startswith("| Id |"):
            id_, text = (cell.strip() for cell in line.strip("| ").split(" | "))
            if heading == "Not held":
                not_held[id_] = text
            elif heading != UNTOLD:
                duties.append((id_, heading, text))
    for id_, part, text in duties:
        yield id_, part, text, not_held.get(id_)


def untold_in(root: Path) -> Mapping[str, str]:
    """Return the duties that no report can tell of, and why."""
    heading, why = "", {}
    for line in (root / REGISTRY).read_text().splitlines():
        if line.startswith("## "):
            heading = line.split(". ", 1)[1]
        if heading == UNTOLD and line.startswith("| ") and not line.startswith("| Id |"):
            id_, text = (cell.strip() for cell in line.strip("| ").split(" | "))
            why[id_] = text
    return why


# ---- the modules that keep them ------------------------------------------------------------------


def cited_in(root: Path) -> Mapping[str, set[str]]:
    """Return which modules cite an id, right or wrong, in a comment or a docstring."""
    modules: dict[str, set[str]] = defaultdict(set)
    for package in SOURCES:
        for path in sorted((root / package).rglob("*")):
            if path.suffix in (".py", ".js"):
                for id_ in CITATION.findall(_commented(path)):
                    modules[id_].add(path.relative_to(root).as_posix())
    return modules


def _commented(path: Path) -> str:
    """Return what a file says to whoever reads it."""
    source = path.read_text()
    if path.suffix == ".js":
        return "\n".join(re.findall(r"//.*|/\*[\s\S]*?\*/", source))
    tokens = tokenize.generate_tokens(io.StringIO(source).readline)
    said = [token.string for token in tokens if token.type == tokenize.COMMENT]
    alone = [node.value for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Expr)]
    said += [str(value.value) for value in alone if isinstance(value, ast.Constant)]
    return "\n".join(said)


# ---- the tests that show them --------------------------------------------------------------------


def marked_in(root: Path) -> Mapping[str, set[str]]:
    """Return which tests are marked with an id."""
    tests: dict[str, set[str]] = defaultdict(set)
    for path in sorted((root / "tests").rglob("test_*.py")):
        for name, ids in _marks(path):
            for id_ in ids:
                tests[id_].add(f"{path.relative_to(root).as_posix()}::{name}")
    return tests


def _marks(path: Path) -> Iterator[tuple[str, set[str]]]:
    """Yield each test of a file with the ids that it is marked with."""
    tree = ast.parse(path.read_text())
    everywhere: set[str] = set()
    makers = {}  # functions that mark the rows of a table
    for node in tree.body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "pytestmark":
            everywhere |= _ids(node, path, tree)
        if isinstance(node, ast.FunctionDef) and not node.name.startswith("test_"):
            makers[node.name] = _ids(node, path, tree)
    for name, test, around in _tests(tree):
        ids = set(everywhere)
        for decorator in around + test.decorator_list:
            ids |= _ids(decorator, path, tree)
            called = {each.id for each in ast.walk(decorator) if isinstance(each, ast.Name)}
            ids |= {id_ for maker in called & makers.keys() for id_ in makers[maker]}
        yield name, ids


def _tests(tree: ast.Module) -> Iterator[tuple[str, ast.FunctionDef, list[ast.expr]]]:
    """Yield each test by its name, with the decorators of the class around it."""
    for node in tree.body:
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
            yield node.name, node, []
        if isinstance(node, ast.ClassDef) and node.name.startswith("Test"):
            for each in node.body:
                if isinstance(each, ast.FunctionDef) and each.name.startswith("test_"):
                    yield f"{node.name}::{each.name}", each, node.decorator_list


def _ids(node: ast.AST, path: Path, tree: ast.Module) -> set[str]:
    """Return the ids of the marks in a piece of code.

    Where a mark takes its id from a row, every id that the rows have counts: the `duty` column of
    the tables that the file reads, or else what is in its own tables and in those that it imports.
    """
    ids: set[str] = set()
    for call in ast.walk(node):
        if not (isinstance(call, ast.Call) and ast.unparse(call.func) == "pytest.mark.rule"):
            continue
        for argument in call.args:
            if isinstance(argument, ast.Constant):
                ids.add(str(argument.value))
            elif isinstance(argument, ast.Subscript):
                ids |= _in_tables(path, tree)
            else:
                ids |= _in_rows(path, tree)
    return ids


def _in_tables(path: Path, tree: ast.Module) -> set[str]:
    tables = [text for text in _texts(tree) if text.endswith(".md")]
    rows = [row for table in tables for row in read_table(path.parent / "tables" / table)]
    return {row["duty"] for row in rows if "duty" in row}


def _in_rows(path: Path, tree: ast.Module) -> set[str]:
    """Return the ids among the constants of a file's own tables, and of those that it imports."""
    tables = [*_assigned(tree).values(), *_imported(path, tree)]
    texts = {text for table in tables for text in _texts(table)}
    return {text for text in texts if CITATION.fullmatch(text)}


def _imported(path: Path, tree: ast.Module) -> Iterator[ast.expr]:
    """Yield the tables that a file of the tests imports from another one, by name."""
    root = next(folder.parent for folder in path.parents if folder.name == "tests")
    for node in tree.body:
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("tests."):
            source = (root / f"{node.module}".replace(".", "/")).with_suffix(".py")
            tables = _assigned(ast.parse(source.read_text()))
            yield from (tables[name.name] for name in node.names if name.name in tables)


def _assigned(tree: ast.Module) -> Mapping[str, ast.expr]:
    """Return what a module assigns to each name."""
    nodes = [node for node in tree.body if isinstance(node, ast.Assign | ast.AnnAssign)]
    return {
        ast.unparse(node.targets[0] if isinstance(node, ast.Assign) else node.target): node.value
        for node in nodes
        if node.value is not None
    }


def _texts(node: ast.AST) -> list[str]:
    constants = [each.value for each in ast.walk(node) if isinstance(each, ast.Constant)]
    return [value for value in constants if isinstance(value, str)]


if __name__ == "__main__":
    main()
