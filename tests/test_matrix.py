"""The compliance matrix: complete, honest, and as it would be made now."""

import importlib
import json
from collections import defaultdict
from pathlib import Path

import pytest

from app.reports.compliance import (
    FILE,
    Telling,
    compliance_matrix,
    counts_of,
    matrix_document,
    read_matrix,
)
from app.reports.compliance import test_words as words_of
from tests.matrix import (
    REPORTS,
    ROOT,
    cited_in,
    faults_of,
    make_matrix,
    marked_in,
    matrix_text,
    registered,
)
from tests.rule_marks import duty_ids

REGISTRY = """# The duties
## 1. The base rule
| Id | Duty |
|---|---|
| 15.2(a) | Numbers 1 to 80 |
| 15.2(b) | The largest number of spots |
## 2. Beyond the base rule
| Id | Duty |
|---|---|
| X-clock | One clock |
## 3. Not held
| Id | Why |
|---|---|
| 15.2(b) | Not held: nobody asked |
## 4. Without a report
| Id | Why |
|---|---|
| 15.2(a) | Shown by tests |
| X-clock | Shown by tests |
"""
ROW = '@pytest.mark.parametrize("x", [pytest.param(1, marks=pytest.mark.rule("a"))])'
KEPT = '"""Numbers (15.2(a))."""\nCLOCK = 1  # X-clock\n'
SHOWN = 'import pytest\n@pytest.mark.rule("15.2(a)", "X-clock")\ndef test_it(): pass\n'


def small(root: Path, kept: str = KEPT, shown: str = SHOWN) -> Path:
    """A repository with three duties, one module and one file of tests."""
    for path, text in (
        ("docs/duties.md", REGISTRY),
        ("app/spots.py", kept),
        ("tests/test_spots.py", shown),
    ):
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)
    return root


def faults_in(root: Path) -> list[str]:
    return faults_of(make_matrix(root, ()), root, ())


def test_what_is_shipped_is_what_would_be_made_now() -> None:
    assert FILE.read_text() == matrix_text(ROOT, REPORTS), "make matrix"


def test_every_duty_is_kept_and_shown_and_nothing_else_is_cited() -> None:
    assert faults_of(compliance_matrix(), ROOT, REPORTS) == []


def test_it_has_every_duty_of_the_registry_once() -> None:
    ids = [duty.id for duty in compliance_matrix()]
    assert set(ids) == duty_ids()
    assert len(ids) == len(set(ids))


def test_nothing_is_claimed_for_the_rule_that_we_do_not_have() -> None:
    (irregularities,) = (duty for duty in compliance_matrix() if duty.id == "15.7")
    assert irregularities.not_held == (
        "Not held: our text of the rule ends inside 15.6(c); nothing is claimed"
    )
    assert not irregularities.modules + irregularities.tests


def test_every_module_and_every_test_of_it_is_there() -> None:
    modules = {module for duty in compliance_matrix() for module in duty.modules}
    tests = {test for duty in compliance_matrix() for test in duty.tests}
    assert modules
    assert {module for module in modules if not (ROOT / module).is_file()} == set()
    assert tests
    for test in tests:
        file, *_, name = test.split("::")
        assert f"def {name}(" in (ROOT / file).read_text()


def test_what_is_read_from_sources_is_how_pytest_marks(request: pytest.FixtureRequest) -> None:
    """Of whatever was collected with this test, also by hand."""
    marked = defaultdict(set)
    for id_, tests in marked_in(ROOT).items():
        for test in tests:
            marked[test].add(id_)
    found: dict[str, set[str]] = defaultdict(set)
    for item in request.session.items:
        test = item.nodeid.split("[")[0]
        found[test] |= {id_ for mark in item.iter_markers("rule") for id_ in mark.args}
    assert {test: marked[test] for test in found} == found


@pytest.mark.parametrize(
    ("module", "test"),
    [
        ("tests.keno.test_types", "test_the_type_is_derived_from_the_request"),
        ("tests.keno.test_rate_card", "test_a_card_has_the_faults_that_the_table_says"),
        ("tests.keno.test_refusals", "test_a_refusal_has_its_code_and_a_sentence_to_read_out"),
        (
            "tests.audit.test_books",
            "test_what_is_planted_is_found_by_the_check_that_it_concerns",
        ),
    ],
)
def test_rows_of_tables_are_read_as_they_are_marked(module: str, test: str) -> None:
    function = getattr(importlib.import_module(module), test)
    rows = [
        row
        for mark in function.pytestmark
        if mark.name == "parametrize"
        for row in mark.args[1]
        if mark.args[0] in ("row", "what")
    ]
    by_pytest = {id_ for row in rows for mark in row.marks for id_ in mark.args}
    name = f"{module.replace('.', '/')}.py::{test}"
    assert {id_ for id_, tests in marked_in(ROOT).items() if name in tests} == by_pytest
    assert by_pytest


# ---- what is missing or wrong is found -----------------------------------------------------------


def test_a_small_repository_without_faults_has_none(tmp_path: Path) -> None:
    root = small(tmp_path)
    assert faults_in(root) == []
    spots, largest, clock = make_matrix(root, [("R7", "Clocks", ("X-clock",))])
    assert (spots.modules, spots.tests) == (("app/spots.py",), ("tests/test_spots.py::test_it",))
    assert (largest.part, largest.not_held) == ("The base rule", "Not held: nobody asked")
    assert clock.reports == (Telling("R7", "Clocks"),)
    assert [each[1] for each in registered(root)] == ["The base rule"] * 2 + [
        "Beyond the base rule"
    ]


@pytest.mark.parametrize(
    ("kept", "shown", "fault"),
    [
        (KEPT.replace("# X-clock", ""), SHOWN, "X-clock is kept by no module"),
        (KEPT, SHOWN.replace(', "X-clock"', ""), "X-clock is shown by no test"),
        (KEPT + "# X-clocks", SHOWN, "app/spots.py cites X-clocks"),
        (KEPT + "# 15.2", SHOWN, "app/spots.py cites 15.2"),
        (KEPT + "# 15.2(c)", SHOWN, "app/spots.py cites 15.2(c)"),
        (
            KEPT + "# 15.2(b)",
            SHOWN + '@pytest.mark.rule("15.2(b)")\ndef test_2(): ...',
            "15.2(b) is kept and shown, and not claimed",
        ),
    ],
)
def test_what_is_missing_or_wrong_is_found(
    tmp_path: Path, kept: str, shown: str, fault: str
) -> None:
    assert faults_in(small(tmp_path, kept, shown)) == [fault]


def test_a_duty_that_no_report_tells_of_is_found_unless_it_is_said_why(tmp_path: Path) -> None:
    root = small(tmp_path)
    registry = root / "docs" / "duties.md"
    registry.write_text(registry.read_text().replace("| X-clock | Shown by tests |\n", ""))
    assert faults_in(root) == ["X-clock is told by no report, and it is not said why"]


def test_a_duty_that_a_report_tells_of_is_not_said_to_have_none(tmp_path: Path) -> None:
    root, reports = small(tmp_path), [("R7", "Clocks", ("X-clock",))]
    (fault,) = faults_of(make_matrix(root, reports), root, reports)
    assert fault == "X-clock is told by a report, and said to be told by none"


def test_a_report_that_cites_what_is_no_duty_is_found(tmp_path: Path) -> None:
    root, reports = small(tmp_path), [("R7", "Clocks", ("X-clocks",))]
    assert faults_of(make_matrix(root, reports), root, reports) == ["R7 cites X-clocks"]


@pytest.mark.parametrize(
    ("name", "source", "ids"),
    [
        ("a.py", "# 15.2(c)2ii, and 15.5(a)-dual-key.", {"15.2(c)2ii", "15.5(a)-dual-key"}),
        ("a.py", '"""As X-draw-once says: 8.3."""', {"X-draw-once", "8.3"}),
        ("a.py", "def f() -> None:\n    '''15.2(a).'''", {"15.2(a)"}),
        ("a.py", 'said = "15.2(a)"', set()),  # not to a reader of the code
        ("a.py", "# $15.20, 15.2%, 19:15.2, 115.2, v1.15.2, X-Station", set()),
        ("a.js", 'const a = "15.2(a)"; // X-clock\n/* 15.2(b)\n15.2(c)1 */', {
            "X-clock", "15.2(b)", "15.2(c)1"
        }),
        ("a.css", "/* X-clock */", set()),
    ],
)  # fmt: skip
def test_citations_stand_in_comments_and_docstrings(
    tmp_path: Path, name: str, source: str, ids: set[str]
) -> None:
    (tmp_path / "app").mkdir()
    (tmp_path / "app" / name).write_text(source)
    assert set(cited_in(tmp_path)) == ids


@pytest.mark.parametrize(
    ("source", "marked"),
    [
        ('@pytest.mark.rule("a", "b")\ndef test_1(): ...', {"test_1": "ab"}),
        ('pytestmark = pytest.mark.rule("a")\ndef test_1(): ...', {"test_1": "a"}),
        ('pytestmark = [pytest.mark.proof, pytest.mark.rule("a")]\ndef test_1(): ...', {
            "test_1": "a"
        }),
        ('@pytest.mark.rule("a")\nclass TestIt:\n  @pytest.mark.rule("b")\n  def test_1(): ...', {
            "TestIt::test_1": "ab"
        }),
        (f"{ROW}\ndef test_1(): ...\ndef test_2(): ...", {"test_1": "a"}),
        ('@pytest.mark.rule("a")\ndef helper(): ...', {}),
    ],
)  # fmt: skip
def test_marks_are_read_wherever_pytest_takes_them_from(
    tmp_path: Path, source: str, marked: dict[str, str]
) -> None:
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests" / "test_it.py").write_text(source)
    found = defaultdict(set)
    for id_, tests in marked_in(tmp_path).items():
        for test in tests:
            found[test.removeprefix("tests/test_it.py::")].add(id_)
    assert found == {test: set(ids) for test, ids in marked.items()}


# ---- what the product makes of it ----------------------------------------------------------------


def test_the_document_is_read_again_as_it_was_written() -> None:
    matrix = compliance_matrix()
    assert read_matrix(json.loads(json.dumps(matrix_document(matrix)))) == matrix
    counts = counts_of(matrix)
    assert counts.duties - counts.held == sum(duty.not_held is not None for duty in matrix)
    assert counts.tests == len({test for duty in matrix for test in duty.tests})


def test_a_test_is_read_as_the_sentence_that_it_is() -> None:
    assert words_of("tests/a.py::TestOdds::test_the_odds_add_up") == (
        "The odds add up",
        "tests/a.py",
    )
