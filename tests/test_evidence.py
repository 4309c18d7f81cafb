"""Every test asserts something, even if nothing is found.

A test that asserts only within a loop over whatever the product returned passes if the product
returns nothing. The check reads the tests as text, by these rules:

- An assertion is an `assert`, a call whose name starts with `check_`, `assert_` or `expect`, a call
  of `raises` or `warns`, or a call of a function of the tests that has such an assertion itself.
- A loop is safe if it goes over a literal, a `range`, or a table that is written in capitals, over
  an enum, or over what `zip`, `sorted` and their like make of these. Any other loop may be empty.
- A test needs one assertion outside of all loops that may be empty. To assert that `all(...)` is
  true, or that a comprehension finds nothing, is such a loop too.
"""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

TESTS = Path(__file__).parent
WORDS = ("check_", "assert_", "expect")
RAISES = {"raises", "warns"}
AS_LONG = {
    "batched", "combinations", "combinations_with_replacement", "enumerate", "items", "keys",
    "list", "pairwise", "permutations", "product", "reversed", "set", "sorted", "tuple", "values",
    "zip",
}  # fmt: skip
# What these show is that nothing is raised.
NOTHING_IS_RAISED = {
    "tests.test_demo.test_a_keyed_process_that_refuses_to_be_unlocked_ends_nothing_else"
}
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
Function = ast.FunctionDef | ast.AsyncFunctionDef


def functions(tree: ast.AST) -> Iterator[Function]:
    return (node for node in ast.walk(tree) if isinstance(node, FUNCTIONS))


def name_of(node: ast.expr) -> str:
    """The last part of a dotted name."""
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""


def is_never_empty(node: ast.expr, tables: set[str]) -> bool:
    """Whether a loop over it runs at least once, as far as the text shows.

    Args:
        node: what the loop goes over.
        tables: local names that were given a literal.
    """
    if isinstance(node, ast.Call):
        name = name_of(node.func)
        parts = [*node.args, *([node.func.value] if isinstance(node.func, ast.Attribute) else [])]
        is_like = name in AS_LONG and any(is_never_empty(part, tables) for part in parts)
        return name == "range" or is_like
    if isinstance(node, ast.List | ast.Tuple | ast.Set):
        return bool(node.elts)
    if isinstance(node, ast.Dict):
        return bool(node.keys)
    if isinstance(node, ast.BinOp):
        return is_never_empty(node.left, tables) or is_never_empty(node.right, tables)
    if isinstance(node, ast.Constant):
        return bool(node.value)
    name = name_of(node)
    return name in tables or name[:1].isupper()


def searched_by(test: ast.expr) -> ast.expr | None:
    """What `all(...)`, `not any(...)`, `not [...]` and `[...] == []` go over; None for others."""
    if isinstance(test, ast.UnaryOp):
        test = test.operand
    elif isinstance(test, ast.Compare):
        if ast.unparse(test.comparators[0]) not in {"[]", "{}", "set()", "()"}:
            return None
        test = test.left
    elif not (isinstance(test, ast.Call) and ast.unparse(test.func) == "all"):
        return None
    if isinstance(test, ast.Call) and ast.unparse(test.func) in {"all", "any"}:
        (test,) = test.args
    if isinstance(test, ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp):
        return test.generators[0].iter
    return None


def asserts(function: Function, helpers: set[str]) -> bool:
    """Whether a function has an assertion that no empty loop can pass over."""
    tables = {
        name_of(target)
        for node in ast.walk(function)
        if isinstance(node, ast.Assign | ast.AnnAssign)
        for target in (node.targets if isinstance(node, ast.Assign) else [node.target])
        if isinstance(node.value, ast.List | ast.Tuple | ast.Set | ast.Dict)
        and is_never_empty(node.value, tables=set())
    }
    left: list[ast.AST] = list(function.body)
    while left:
        node = left.pop()
        if isinstance(node, ast.Assert):
            searched = searched_by(node.test)
            if searched is None or is_never_empty(searched, tables):
                return True
            continue
        if isinstance(node, ast.Call):
            name = name_of(node.func)
            is_helper = isinstance(node.func, ast.Name) and name in helpers
            if is_helper or name in RAISES or name.startswith(WORDS):
                return True
        if isinstance(node, FUNCTIONS):
            continue  # whether it is called is seen where it is called
        if isinstance(node, ast.For | ast.AsyncFor) and not is_never_empty(node.iter, tables):
            left.append(node.iter)
            continue
        left.extend(ast.iter_child_nodes(node))
    return False


def names_of_helpers(module: str, tree: ast.Module, helpers: set[tuple[str, str]]) -> set[str]:
    """The names by which a module of tests calls the helpers that assert."""
    own = {name for place, name in helpers if place == module}
    imported = {
        alias.asname or alias.name
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
        if (node.module, alias.name) in helpers
    }
    return own | imported


def without_evidence(trees: dict[str, ast.Module]) -> list[str]:
    """The tests that pass if nothing is found, of modules by their dotted names."""
    helpers: set[tuple[str, str]] = set()
    silent = {module: list(functions(tree)) for module, tree in trees.items()}
    size = -1
    while size < len(helpers):  # a helper may call one that was found to assert
        size = len(helpers)
        for module, tree in trees.items():
            names = names_of_helpers(module, tree, helpers)
            helpers |= {(module, one.name) for one in silent[module] if asserts(one, names)}
            silent[module] = [one for one in silent[module] if (module, one.name) not in helpers]
    return [
        f"{module}.{one.name}"
        for module, ones in silent.items()
        for one in ones
        if one.name.startswith("test_")
    ]


def test_every_test_asserts_something_even_if_nothing_is_found() -> None:
    trees = {
        ".".join(path.relative_to(TESTS.parent).with_suffix("").parts): ast.parse(path.read_text())
        for path in sorted(TESTS.rglob("*.py"))
    }
    assert len(trees) > 100
    assert set(without_evidence(trees)) <= NOTHING_IS_RAISED


@pytest.mark.parametrize(
    ("body", "is_evidence"),
    [
        ("assert found()", True),
        ("for each in (1, 2): assert each", True),
        ("for each in range(3): assert each", True),
        ("for name, page in sorted(PAGES.items()): assert page", True),
        ("for state in State: assert state", True),
        ("acts = [1]\n  for act in acts: assert act", True),
        ("with pytest.raises(KeyError): act()", True),
        ("seen = found()\n  assert seen\n  for each in seen: assert each.good", True),
        ("see(1)", True),
        ("assert found() == []", True),
        ("assert not any(page for page in PAGES)", True),
        ("act()", False),
        ("assert all(each.good for each in found())", False),
        ("assert [each for each in found() if each.bad] == []", False),
        ("assert not [each for each in found() if each.bad]", False),
        ("for each in found(): assert each", False),
        ("for each in sorted(found()): see(each)", False),
        ("for each in []: assert each", False),
        ("for each in FOLDER.glob('*'): assert each", False),
        ("for _ in (1, 2):\n    for each in found(): assert each", False),
    ],
)
def test_what_is_evidence_and_what_is_not(body: str, *, is_evidence: bool) -> None:
    text = f"def see(thing):\n  assert thing\ndef test_something():\n  {body}\n"
    found = without_evidence({"test_it": ast.parse(text)})
    assert found == ([] if is_evidence else ["test_it.test_something"])
