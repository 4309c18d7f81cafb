"""Who may import whom, and what the pure rules may not touch.

The arrows are those of the design: the rules know nothing of their surroundings, the draw knows
nothing of the back office. An import that has no arrow fails, and so does a module without a row.
"""

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
OURS = ("app", "rng", "printers")
FRONT = ("app.flow", "app.reports", "app.audit", "app.store.queries", "app.keno")

# A module may import what stands in its own row, and its own package. The longest name counts.
ARROWS: dict[str, tuple[str, ...]] = {
    "app.__init__": (),
    "app.keno": (),
    "app.clock": (),
    "app.moments": (),
    "app.software": (),
    "app.logs": ("app.clock",),
    "app.counts": (),
    "app.metrics": (),
    "app.processes": ("app.counts", "app.logs", "app.settings", "app.software"),
    "app.entropy": (),
    "app.store": ("app.keno", "app.clock", "app.logs"),
    "app.flow": (
        "app.keno",
        "app.store",
        "app.audit",
        "app.clock",
        "app.entropy",
        "app.logs",
        "app.moments",
        "app.reports",
        "app.rng_client",
        "app.software",
        "printers.allowed",
        "printers.slips",
        "rng.merkle",
        "rng.note",
    ),
    "app.reports": ("app.keno", "app.moments", "printers.words", "rng.lab"),
    "app.audit": ("app.keno", "app.store.queries", "rng.merkle", "rng.note", "rng.lab"),
    "app.audit.second_grader": ("app.store.queries", "rng.merkle", "rng.note", "rng.lab"),
    "app.audit.verifier": (),  # a regulator runs it alone
    "app.settings": (),
    "app.certificates": (),
    "app.web": (
        *FRONT,
        "app.clock",
        "app.counts",
        "app.logs",
        "app.metrics",
        "app.moments",
        "app.software",
        "app.store.away",
        "printers",
        "rng.lab.frequencies",
    ),
    "app.caller": (*FRONT, "app.clock", "app.logs", "app.nightly", "app.rng_client"),
    "app.nightly": ("app.flow", "app.logs", "app.store.queries"),
    "app.cli": (
        *FRONT,
        "app.caller",
        "app.certificates",
        "app.clock",
        "app.counts",
        "app.feed",
        "app.entropy",
        "app.house",
        "app.locks",
        "app.nightly",
        "app.processes",
        "app.reporter",
        "app.rng_client",
        "app.settings",
        "app.software",
        "app.spooler",
        "app.store",
        "app.tables",
    ),
    "app.house": ("app.flow", "app.rng_client", "app.settings", "app.store", "printers.allowed"),
    "app.locks": (),
    "app.start": ("app.demo", "app.locks"),
    "app.supervise": ("app.logs",),
    "app.demo": (
        *FRONT,
        "app.clock",
        "app.entropy",
        "app.house",
        "app.processes",
        "app.rng_client",
        "app.settings",
        "app.store",
        "app.supervise",
        "printers",
        "rng",
    ),
    "app.tables": ("app.keno",),
    "app.feed": (*FRONT, "app.clock", "app.logs"),
    "app.rng_client": (
        "rng.core",
        "rng.lab",
        "rng.note",
        "rng.sealed_log",
        "rng.serve.protocol",
        "rng.serve.tls",
    ),
    "app.spooler": ("app.flow", "app.logs", "app.store.queries", "app.store.unit", "printers"),
    "app.reporter": (
        "app.flow",
        "app.keno",
        "app.logs",
        "app.reports",
        "app.store.queries",
        "app.store.unit",
    ),
    "rng": (),
    "printers": (),
}

# What a pure module may take from the standard library: values, and nothing that reads a clock,
# a file, a socket or a source of randomness.
VALUE_MODULES = {
    "collections", "contextlib", "dataclasses", "datetime", "enum", "fractions", "functools",
    "itertools", "json", "math", "re", "tomllib", "types", "typing", "unicodedata",
}  # fmt: skip


# What makes a float, and what reads or writes.
IMPURE_NAMES = {"float", "complex", "round", "open", "print", "input", "exec", "eval"}


def modules(root: Path) -> Iterator[tuple[str, ast.Module]]:
    for package in OURS:
        for path in sorted((root / package).rglob("*.py")):
            name = ".".join(path.relative_to(root).with_suffix("").parts)
            yield name, ast.parse(path.read_text())


def imports(tree: ast.Module) -> Iterator[str]:
    """Every imported name in full; relative imports are not used here, and are faults."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            start = "." * node.level + (node.module or "")
            yield from (f"{start}.{alias.name}" for alias in node.names)


def within(name: str, package: str) -> bool:
    return name == package or name.startswith(package + ".")


def row_of(name: str) -> str | None:
    return max((row for row in ARROWS if within(name, row)), key=len, default=None)


def arrow_faults(root: Path) -> list[str]:
    faults = []
    for name, tree in modules(root):
        row = row_of(name)
        if row is None:
            faults.append(f"{name} has no row in the arrows")
            continue
        allowed = (*ARROWS[row], row)
        for target in imports(tree):
            ours = target.split(".")[0] in (*OURS, "")
            if ours and not any(within(target, package) for package in allowed):
                faults.append(f"{name} imports {target}")
    return faults


def purity_faults(root: Path) -> list[str]:
    faults = []
    for name, tree in modules(root):
        if not within(name, "app.keno"):
            continue
        allowed = VALUE_MODULES | {"app"} | ({"numpy"} if name == "app.keno.bulk" else set())
        faults += [
            f"{name} imports {target}"
            for target in imports(tree)
            if target.split(".")[0] not in allowed
            or (within(target, "math") and target != "math.comb")  # the rest of it makes floats
        ]
        faults += [f"{name}:{node.lineno} {what}" for node, what in float_faults(tree)]
        faults += [
            f"{name}:{node.lineno} reads a clock"
            for node in ast.walk(tree)
            if isinstance(node, ast.Attribute) and node.attr in ("now", "today", "utcnow")
        ]
    return faults


# What decides the numbers may touch even less, so that a laboratory need not look further.
CORE_MODULES = {
    "collections", "cryptography", "dataclasses", "functools", "hashlib", "hmac", "json", "math",
    "re", "rng", "struct", "types", "typing",
}  # fmt: skip


def draw_faults(root: Path) -> list[str]:
    """The draw needs the standard library and cryptography; its core no file, socket or clock."""
    faults = []
    for name, tree in modules(root):
        if not within(name, "rng"):
            continue
        core = within(name, "rng.core")
        allowed = CORE_MODULES if core else sys.stdlib_module_names | {"cryptography", "rng"}
        allowed = allowed | ({"os"} if name == "rng.core.entropy" else set())
        faults += [
            f"{name} imports {target}"
            for target in imports(tree)
            if target.split(".")[0] not in allowed
        ]
        if core and any("rng.serve" in target or "rng.lab" in target for target in imports(tree)):
            faults.append(f"{name} imports from outside the core")
        if not within(name, "rng.lab"):
            faults += [
                f"{name}:{node.lineno} {what}"
                for node, what in float_faults(tree)
                if core or what == "has a float"
            ]
    return faults


def float_faults(tree: ast.Module) -> Iterator[tuple[ast.expr | ast.stmt, str]]:
    """Floats, and `/`, which makes one of two integers: write Fraction(a, b) or a // b."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, float | complex):
            yield node, "has a float"
        elif isinstance(node, ast.Name) and node.id in IMPURE_NAMES:
            yield node, f"uses {node.id}"
        elif isinstance(node, ast.BinOp | ast.AugAssign) and isinstance(node.op, ast.Div):
            yield node, "divides with /"


def test_imports_follow_the_arrows() -> None:
    assert arrow_faults(ROOT) == []


@pytest.mark.rule("15.5(a)-independent", "X-draw-independent")
def test_the_draw_stands_alone_and_its_core_touches_nothing() -> None:
    assert draw_faults(ROOT) == []


@pytest.mark.parametrize(
    ("path", "code", "fault"),
    [
        ("rng/core/select.py", "import os", "imports os"),
        ("rng/core/select.py", "import random", "imports random"),
        ("rng/core/select.py", "from time import time", "imports time.time"),
        ("rng/core/select.py", "from rng.serve import keyed", "outside the core"),
        ("rng/core/select.py", "print(open('x'))", "uses open"),
        ("rng/serve/server.py", "import flask", "imports flask"),
        ("rng/serve/server.py", "HALF = 0.5", "has a float"),
        ("rng/lab/forms.py", "import numpy", "imports numpy"),
    ],
)
def test_what_is_planted_in_the_draw_is_found(
    tmp_path: Path, path: str, code: str, fault: str
) -> None:
    plant(tmp_path, path, code)
    assert any(fault in found for found in draw_faults(tmp_path))


def test_the_rules_are_pure_and_have_no_float() -> None:
    assert purity_faults(ROOT) == []


@pytest.mark.parametrize(
    ("path", "code", "fault"),
    [
        ("app/keno/odds.py", "import app.store.tables", "app.keno.odds imports app.store.tables"),
        ("app/keno/odds.py", "from app import cli", "app.keno.odds imports app.cli"),
        ("app/keno/odds.py", "from . import ways", "app.keno.odds imports ..ways"),
        ("app/store/rows.py", "from app.flow.sell import sell", "imports app.flow.sell.sell"),
        ("app/web/writer.py", "import app.store.rows", "app.web.writer imports app.store.rows"),
        ("app/audit/second_grader.py", "import app.keno.grading", "imports app.keno.grading"),
        ("rng/core/draw.py", "from app.keno import spots", "rng.core.draw imports app.keno.spots"),
        ("rng/core/draw.py", "import printers", "rng.core.draw imports printers"),
        ("printers/bytes.py", "import rng.core", "printers.bytes imports rng.core"),
        ("app/extra.py", "", "app.extra has no row in the arrows"),
    ],
)
def test_a_planted_import_against_the_arrows_is_found(
    tmp_path: Path, path: str, code: str, fault: str
) -> None:
    plant(tmp_path, path, code)
    assert any(fault in found for found in arrow_faults(tmp_path))


@pytest.mark.parametrize(
    ("code", "fault"),
    [
        ("import random", "imports random"),
        ("from time import time", "imports time.time"),
        ("from datetime import date\n\nTODAY = date.today()", "reads a clock"),
        ("import numpy", "imports numpy"),
        ("HALF = 0.5", "has a float"),
        ("HALF = float(1)", "uses float"),
        ("HALF = 1 / 2", "divides with /"),
        ("half = 1\nhalf /= 2", "divides with /"),
        ("from math import sqrt", "imports math.sqrt"),
        ("import math", "imports math"),
        ("print(open('card.toml').read())", "uses open"),
    ],
)
def test_a_planted_impurity_is_found(tmp_path: Path, code: str, fault: str) -> None:
    plant(tmp_path, "app/keno/odds.py", code)
    assert any(fault in found for found in purity_faults(tmp_path))


def test_bulk_alone_may_use_numpy(tmp_path: Path) -> None:
    plant(tmp_path, "app/keno/bulk.py", "import numpy as np")
    assert purity_faults(tmp_path) == []


def plant(root: Path, path: str, code: str) -> None:
    file = root / path
    file.parent.mkdir(parents=True)
    file.write_text(code)


def imported_test_modules(tests: Path) -> list[str]:
    """Return each import of a module of tests by another one, as `importer: imported`."""
    return [
        f"{path.relative_to(tests)}: {name}"
        for path in sorted(tests.rglob("*.py"))
        for name in imports(ast.parse(path.read_text()))
        if any(part.startswith("test_") for part in name.split(".")[:-1])
        or (
            (name.startswith("tests.") and (tests.parent / f"{name.replace('.', '/')}.py").exists())
            and name.rpartition(".")[2].startswith("test_")
        )
    ]


def test_no_test_imports_another_test_module() -> None:
    """A helper that tests share has a module of its own; tests can then be moved and renamed."""
    assert imported_test_modules(ROOT / "tests") == []


def test_an_import_of_a_test_module_is_found(tmp_path: Path) -> None:
    tests = tmp_path / "tests"
    tests.mkdir()
    (tests / "test_one.py").write_text("HOUSE = 1\n")
    (tests / "helper.py").write_text("from app.reports.compliance import test_words\n")
    (tests / "test_two.py").write_text(
        "from tests.test_one import HOUSE\nfrom tests import test_one\n"
    )
    assert imported_test_modules(tests) == [
        "test_two.py: tests.test_one.HOUSE",
        "test_two.py: tests.test_one",
    ]
