"""What changed after a day was closed, what is lost, and what somebody changed in the tables."""

import json
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from pypdf import PdfReader

from app.audit.checkpoints import signed_head
from app.audit.entries import make_entry
from app.audit.entry_copies import EntryCopy
from app.audit.tags import Tag
from app.audit.tiles import Tree
from app.flow.access import at_console
from app.flow.backup import back_up
from app.flow.books import record_books, work_out_books
from app.flow.close_day import close_day
from app.flow.permissions import Permission
from app.flow.release import release_game
from app.flow.report import Asked, make_report, rendered
from app.reports.catalogue import CATALOGUE, Format
from app.reports.document import _runs
from app.store.queries import log
from app.store.queries.log import StoredHashes
from tests.audit.planting import plant, unguarded
from tests.floor import MAX, Floor, secret_of
from tests.keeping.evening import entries_of
from tests.keeping.house import restored
from tests.keeping.refill import cosigned_size, refill
from tests.looking import refuses, rows
from tests.proof.paying_days import FIRST_DAY
from tests.story.days import closed_drawer
from tests.story.settlement import frozen_floor, rich

NEXT_DAY = FIRST_DAY + timedelta(days=1)


def sections(floor: Floor, report: str, *days: Any) -> Any:  # noqa: ANN401
    """The sections of a report of a day, or from one to another, as JSON has them."""
    asked = Asked(report, days[0], days[-1], Format.JSON)
    return json.loads(make_report(floor.office, asked).json())["sections"]


def close(floor: Floor, place: int) -> dict[str, int]:
    """Close one of the days, when it is over; return its figures."""
    floor.pass_time(days=1)
    told = close_day(floor.office, floor.sam, FIRST_DAY + timedelta(days=place))
    figures = told["figures"]
    assert isinstance(figures, dict)
    return figures


def released(floor: Floor) -> None:
    """Have the first game graded again, and right this time."""
    manager = at_console(floor.office, MAX, secret_of(MAX), Permission.GAME_RELEASE)
    release_game(floor.office, floor.sam, manager, "M", 1, "the grader was mended")
    assert floor.grade(1) == "certified"


@pytest.fixture
def regraded(floor: Floor, monkeypatch: pytest.MonkeyPatch) -> Floor:
    """A game that is frozen when its day is closed, and graded again on the next day."""
    frozen_floor(floor, monkeypatch)
    ((held,),) = rows(floor, "SELECT sum(cents) FROM posting WHERE drawer = 1")
    closed_drawer(floor, int(held))
    close(floor, 0)
    released(floor)
    return floor


# ---- graded again --------------------------------------------------------------------------------


@pytest.mark.rule("X-grade-twice", "X-audit-books")
def test_what_was_graded_again_stands_in_the_recap_of_that_day_with_before_and_now(
    regraded: Floor,
) -> None:
    first = sections(regraded, "game-recap", FIRST_DAY)
    close(regraded, 1)
    assert sections(regraded, "game-recap", FIRST_DAY) == first  # a closed day stays as it is
    assert (first["games"]["rows"][0]["state"], first["again"]["rows"]) == ("frozen", [])
    before, now = rows(
        regraded, "SELECT winners, win_cents, paid_cents FROM settlement ORDER BY run"
    )
    (row,) = sections(regraded, "game-recap", NEXT_DAY)["again"]["rows"]
    assert (row["game"], row["day"], row["run"]) == ("M-1", FIRST_DAY.isoformat(), 2)
    names = ("winners", "won", "payable")
    told = [
        tuple(row[name + rest] for name, rest in zip(names, ends, strict=True))
        for ends in (("_before", "_before_cents", "_before_cents"), ("", "_cents", "_cents"))
    ]
    assert told == [before, now]
    assert row["win_change_cents"] == before[2] - now[2] < 0


@pytest.mark.rule("X-audit-books")
def test_the_days_come_to_the_whole_though_a_game_was_graded_again(regraded: Floor) -> None:
    figures = close(regraded, 1)
    both = sections(regraded, "game-recap", FIRST_DAY, NEXT_DAY)
    assert both["again"]["rows"] == []  # its row has the newest grading
    for name in ("winners", "won_cents", "payable_cents"):
        added = 0
        for day in (FIRST_DAY, NEXT_DAY):
            told = sections(regraded, "game-recap", day)
            before = f"{name.removesuffix('_cents')}_before{'_cents' * name.endswith('_cents')}"
            again = told["again"]["sums"]
            added += told["games"]["sums"][name] + again[name] - again[before]
        assert added == both["games"]["sums"][name], name
    win = [
        told["games"]["sums"]["win_cents"] + told["again"]["sums"]["win_change_cents"]
        for told in (sections(regraded, "game-recap", day) for day in (FIRST_DAY, NEXT_DAY))
    ]
    assert sum(win) == both["games"]["sums"]["win_cents"]
    held = sections(regraded, "win", FIRST_DAY, NEXT_DAY)
    assert held["days"]["sums"]["win_cents"] == sum(win)
    assert held["again"]["sums"]["win_change_cents"] == -figures["adjusted_cents"] < 0
    assert sections(regraded, "win", FIRST_DAY)["again"]["rows"] == []


@pytest.mark.rule("X-audit-books")
def test_a_game_that_is_graded_again_before_its_day_is_closed_stands_in_its_own_day_only(
    floor: Floor, monkeypatch: pytest.MonkeyPatch
) -> None:
    frozen_floor(floor, monkeypatch)
    ((held,),) = rows(floor, "SELECT sum(cents) FROM posting WHERE drawer = 1")
    closed_drawer(floor, int(held))
    floor.pass_time(days=1)
    released(floor)  # in the next gaming day, before the close of the first
    assert sections(floor, "game-recap", NEXT_DAY)["again"]["rows"] == []
    close_day(floor.office, floor.sam, FIRST_DAY)
    close(floor, 1)
    assert sections(floor, "game-recap", FIRST_DAY)["games"]["rows"][0]["state"] == "certified"
    for report in ("game-recap", "win"):
        for day in (FIRST_DAY, NEXT_DAY):
            assert sections(floor, report, day)["again"]["rows"] == []


# ---- aggregate sheets ----------------------------------------------------------------------------


@pytest.mark.rule("X-aggregate-sheet", "X-audit-log")
@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE share SET cents = cents + 1 WHERE ticket = 1",
        "UPDATE win SET cents = cents - 1 WHERE ticket = 1",
        "DELETE FROM win WHERE ticket = 17",
    ],
)
def test_no_aggregate_sheet_is_made_from_wins_that_were_changed(
    floor: Floor, statement: str
) -> None:
    rich(floor)
    floor.play()
    told = sections(floor, "aggregate-sheets", FIRST_DAY)
    assert told["winners"]["sums"]["paid_cents"] == told["games"]["sums"]["paid_cents"]
    plant(unguarded(floor), statement)
    with refuses("report.log_changed"):
        sections(floor, "aggregate-sheets", FIRST_DAY)


@pytest.mark.rule("X-aggregate-sheet", "X-audit-log")
def test_the_sheet_of_a_smaller_log_is_that_of_the_grading_that_was_in_it(floor: Floor) -> None:
    rich(floor)
    floor.play()
    asked = Asked("aggregate-sheets", FIRST_DAY, FIRST_DAY, Format.JSON)
    made = make_report(floor.office, asked)
    # Another settlement of the same game, which the log of that size does not have.
    plant(
        unguarded(floor),
        "INSERT INTO attempt (id, series, game, begun_at) "
        "SELECT 99, series, game, begun_at FROM attempt"
        if floor.office.database.is_sqlite
        else "INSERT INTO attempt (id, series, game, begun_at) OVERRIDING SYSTEM VALUE "
        "SELECT 99, series, game, begun_at FROM attempt",
        "INSERT INTO settlement (attempt, series, game, run, tickets, handle_cents, winners, "
        "win_cents, paid_cents, in_full_below_cents, wins_digest, settled_at, entry) "
        "SELECT 99, series, game, 2, tickets, handle_cents, winners, win_cents, paid_cents, "
        "in_full_below_cents, wins_digest, settled_at, 1 FROM settlement",
    )
    assert make_report(floor.office, asked, made.stretch.size).json() == made.json()


# ---- tags ----------------------------------------------------------------------------------------


@pytest.mark.rule("X-audit-log")
@pytest.mark.parametrize(
    ("report", "statement"),
    [
        # Each would be left out, because it is not found under its tag any more.
        ("voids", "UPDATE log_entry SET tag = 'PRINT' WHERE tag = 'VOID'"),
        ("sales-detail", "UPDATE log_entry SET tag = 'VOID' WHERE tag = 'TICKET'"),
        ("rate-cards", "UPDATE log_entry SET tag = 'PRINT' WHERE tag = 'CARD'"),
        ("certificate", "UPDATE log_entry SET tag = 'LOST', body = '' WHERE tag = 'VOID'"),
        ("certificate", "UPDATE log_entry SET archived = 1, body = '' WHERE tag = 'VOID'"),
    ],
)
def test_no_report_is_made_where_an_entry_was_hidden(
    floor: Floor, report: str, statement: str
) -> None:
    wanda = floor.writing()
    floor.sell(wanda)
    floor.void(wanda, 1)
    sections(floor, report, FIRST_DAY)
    plant(unguarded(floor), statement)
    with refuses("report.log_changed"):
        sections(floor, report, FIRST_DAY)


@pytest.mark.rule("X-audit-log")
def test_no_report_is_made_where_the_close_of_an_earlier_day_was_hidden(floor: Floor) -> None:
    close(floor, 0)
    close(floor, 1)
    close(floor, 2)
    last = FIRST_DAY + timedelta(days=2)
    assert sections(floor, "win", last)["months"]["rows"]
    first = "(SELECT min(id) FROM log_entry WHERE tag = 'DAY-CLOSE')"
    plant(unguarded(floor), f"UPDATE log_entry SET tag = 'PRINT' WHERE id = {first}")  # noqa: S608
    with refuses("report.log_changed"):
        sections(floor, "win", last)


def rewritten(floor: Floor, tag: str, **changed: object) -> None:
    """Write the newest entry of a kind anew, and its leaf, and every hash that is stored of it."""
    found = (
        "SELECT e.id, e.body, p.position FROM log_entry e JOIN log_position p ON p.entry = e.id "
        "WHERE e.tag = :tag ORDER BY e.id DESC LIMIT 1"
    )
    ((entry, body, position),) = rows(floor, found, tag=tag)
    said = json.loads(body) | changed
    del said["label"], said["version"]
    made = make_entry(Tag(tag), said, bytes(32))
    plant(
        unguarded(floor),
        "UPDATE log_entry SET salt = :salt, body = :body, leaf = :leaf WHERE id = :entry",
        "UPDATE log_position SET leaf = :leaf WHERE position = :position",
        salt=made.salt,
        body=made.body,
        leaf=made.leaf,
        entry=entry,
        position=position,
    )
    with floor.office.database.reading() as connection:
        size = log.signed_size(connection)
        root = Tree(StoredHashes(connection)).root(size)
    plant(floor, "UPDATE log_head SET root = :root", root=root)


@pytest.mark.rule("X-audit-log")
def test_no_report_is_made_where_an_entry_was_changed_with_its_leaf(floor: Floor) -> None:
    wanda = floor.writing()
    floor.sell(wanda)
    floor.void(wanda, 1)
    sections(floor, "voids", FIRST_DAY)
    rewritten(floor, "VOID", reason="the patron asked for it")
    with refuses("report.log_changed"):
        sections(floor, "voids", FIRST_DAY)


@pytest.mark.rule("X-audit-log")
def test_no_report_is_made_where_what_stands_from_before_was_changed_with_its_leaf(
    floor: Floor,
) -> None:
    close(floor, 0)
    close(floor, 1)
    sections(floor, "rate-cards", NEXT_DAY)
    rewritten(floor, "CARD", name="Another card")
    with refuses("report.log_changed"):
        sections(floor, "rate-cards", NEXT_DAY)


@pytest.mark.rule("X-audit-log")
def test_no_report_is_made_where_a_signed_head_was_made_up(floor: Floor) -> None:
    floor.sell(floor.writing())
    sections(floor, "sales", FIRST_DAY)
    rewritten(floor, "TICKET", price_cents=1)
    other = Ed25519PrivateKey.generate()
    with floor.office.database.reading() as connection:
        size = log.signed_size(connection)
        root = Tree(StoredHashes(connection)).root(size)
    note = signed_head(floor.office.house.log_origin, size, root, other)
    plant(floor, "UPDATE log_checkpoint SET note = :note WHERE size = :size", note=note, size=size)
    with refuses("report.log_changed"):
        sections(floor, "sales", FIRST_DAY)


# ---- leaves that are lost ------------------------------------------------------------------------


@pytest.fixture
def with_lost(floor: Floor, tmp_path: Path) -> Iterator[tuple[Floor, list[int]]]:
    """A restored house of whose last sales only the leaves are known; and their places."""
    wanda = floor.writing()
    floor.sell(wanda)
    cosigned_size(floor)
    manifest = back_up(floor.office, tmp_path / "house.backup")
    floor.sell(wanda)
    floor.sell(wanda)
    size = cosigned_size(floor)
    copy = [EntryCopy(each.position, each.leaf) for each in entries_of(floor)]
    with restored(floor, tmp_path / "house.backup") as again:
        refill(again, copy)
        yield again, list(range(manifest.log_size, size))


@pytest.mark.rule("X-recovery", "X-audit-log")
def test_lost_leaves_are_named_and_every_report_is_made(
    with_lost: tuple[Floor, list[int]], tmp_path: Path
) -> None:
    floor, lost = with_lost
    for report in CATALOGUE:
        made = make_report(floor.office, Asked(report, FIRST_DAY, FIRST_DAY, Format.JSON))
        (remark,) = [each for each in made.content.remarks if "nothing but the leaf" in each]
        assert f"Places: {lost[0]} to {lost[-1]}." in remark
    (tmp_path / "last.pdf").write_bytes(rendered(made, Format.PDF))
    assert "was lost with a house" in PdfReader(tmp_path / "last.pdf").pages[0].extract_text()
    told = sections(floor, "certificate", FIRST_DAY)
    assert [row["place"] for row in told["lost"]["rows"]] == lost
    kinds = {row["tag"]: row["entries"] for row in told["tags"]["rows"]}
    assert kinds["LOST"] == len(lost)
    told = sections(floor, "exceptions", FIRST_DAY)
    kinds = {row["what"]: row["times"] for row in told["kinds"]["rows"]}
    assert kinds["entry lost"] == len(lost)


def test_places_in_a_row_are_told_as_one() -> None:
    assert list(_runs([3, 5, 6, 7, 9])) == ["3", "5 to 7", "9"]


# ---- books ---------------------------------------------------------------------------------------


@pytest.mark.rule("X-audit-books", "X-retention")
def test_the_certificate_says_where_the_books_went_no_further_than_the_log(floor: Floor) -> None:
    record_books(floor.office, work_out_books(floor.office))
    plant(
        unguarded(floor),
        "INSERT INTO archive (entry, before, entries, file, staff, manager, archived_at) "
        "SELECT 1, '2026-11-16', 0, leaf, 1, 2, '2026-11-16T17:00:00.000000Z' "
        "FROM log_entry WHERE id = 1",
    )
    record_books(floor.office, work_out_books(floor.office))
    told = sections(floor, "certificate", FIRST_DAY)
    assert [row["checked"] for row in told["books"]["rows"]] == ["everything", "the log only"]
    ((entries,),) = rows(floor, "SELECT count(*) FROM log_entry")
    before_the_second, archives = entries - 1, 1
    assert told["books"]["rows"][1]["looked_at"] == before_the_second + archives
