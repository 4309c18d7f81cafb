"""Every refusal has a test that expects its code: a new code without one fails here.

Read from the sources of the tests, so that it does not matter which of them run in this process. A
test expects a code that is written out in an assertion, in a `with`, in the rows of a loop or of
`parametrize`, or in a table of its module that the test names.
"""

import ast
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

from app.flow.refusals import No
from app.keno.refusals import Code
from rng.serve.refusals import Code as DrawCode
from tests.tables import read_table

HERE = Path(__file__).parent
OF_THE_DRAW = HERE / "rng"
THE_VERIFIER_S = "audit/test_verif*.py"  # its faults have codes of their own, some of the same name
NOT_DAILY = {HERE / "proof", HERE / "bench"}
TABLES = HERE / "keno" / "tables"


def texts_in(nodes: Iterable[ast.AST]) -> set[str]:
    """Every text that is written out in some nodes."""
    return {
        node.value
        for root in nodes
        for node in ast.walk(root)
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    }


def expecting(test: ast.FunctionDef) -> Iterator[ast.AST]:
    """The parts of a test that say what it expects."""
    yield from test.decorator_list
    for node in ast.walk(test):
        if isinstance(node, ast.Assert):
            yield node
        elif isinstance(node, ast.With):
            yield from (item.context_expr for item in node.items)
        elif isinstance(node, ast.For):
            yield node.iter


def expected_in(source: str) -> set[str]:
    """Every text that a test of a module expects."""
    module = ast.parse(source)
    tables = {
        target.id: node
        for node in module.body
        if isinstance(node, ast.Assign | ast.AnnAssign)
        for target in (node.targets if isinstance(node, ast.Assign) else [node.target])
        if isinstance(target, ast.Name)
    }
    found: set[str] = set()
    for test in ast.walk(module):
        if isinstance(test, ast.FunctionDef) and test.name.startswith("test_"):
            names = {node.id for node in ast.walk(test) if isinstance(node, ast.Name)}
            found |= texts_in(expecting(test))
            found |= texts_in(tables[name] for name in names & tables.keys())
    return found


def expected_by(files: Iterable[Path]) -> set[str]:
    """Every text that a daily test in some files expects."""
    daily = (file for file in files if not NOT_DAILY & set(file.parents))
    return {text for file in daily for text in expected_in(file.read_text())}


def shown_in_tables() -> set[str]:
    """The codes in the tables of requests and cards, each of whose rows is a test."""
    requests = {row["codes"] for row in read_table(TABLES / "refusals.md")}
    cards = {row["faults"] for row in read_table(TABLES / "card_faults.md")}
    return {code for row in requests | cards for code in row.split(", ")}


def test_every_refusal_of_the_house_and_of_its_rules_is_expected_by_a_test() -> None:
    files = set(HERE.rglob("test_*.py")) - set(HERE.glob(THE_VERIFIER_S))
    expected = expected_by(file for file in files if OF_THE_DRAW not in file.parents)
    assert [no.code for no in No if no.code not in expected] == []
    expected |= shown_in_tables()
    assert [code.code for code in Code if code.code not in expected] == []


def test_every_refusal_of_the_draw_is_expected_by_a_test() -> None:
    expected = expected_by(OF_THE_DRAW.glob("test_*.py"))
    assert [code.code for code in DrawCode if code.code not in expected] == []


@pytest.mark.parametrize(
    ("source", "expects"),
    [
        ('def test_1():\n  with refuses("a.b"):\n    act()', True),
        ('def test_1():\n  assert code(act) == "a.b"', True),
        ('def test_1():\n  for code in ("a.b",):\n    check(code)', True),
        ('@parametrize("code", ["a.b"])\ndef test_1(code): ...', True),
        ('ROWS = [("act", "a.b")]\ndef test_1():\n  check(ROWS[0])', True),
        ('ROWS: Rows = [("act", "a.b")]\ndef test_1():\n  check(ROWS[0])', True),
        ('ROWS = ["a.b"]\ndef test_1(): ...', False),  # a table that no test names
        ('def test_1():\n  """Of a.b."""\n  plant("a.b")  # a.b', False),
        ('def helper():\n  assert code(act) == "a.b"', False),
        ('def test_1():\n  assert said == "not a.b"', False),
    ],
)
def test_what_counts_as_expecting_a_code(source: str, expects: bool) -> None:
    assert ("a.b" in expected_in(source)) is expects
