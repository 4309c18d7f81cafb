"""Each process does its work with the keys that it needs, and has no other (X-access)."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from app.audit.archives import NO_ARCHIVES
from app.feed import Feed
from app.flow.books import record_books, work_out_books
from app.flow.keys import Key, Keys, KeysMissing
from app.flow.report import Asked
from app.flow.report_jobs import ask_report, see_jobs
from app.flow.schedule import change_schedule
from app.house import BOOKS, CALLER, FEED, REPORTER, SPOOLER, Needs
from app.reporter import Reporter
from app.reports.catalogue import CATALOGUE, Format
from app.store.tables import JobState
from tests.floor import RITA, Floor
from tests.proof.paying_days import FIRST_DAY
from tests.runbooks import caller_of, take_turns
from tests.spooling import spooling, virtual, waiting
from tests.waiting import until


@contextmanager
def having(floor: Floor, needs: Needs) -> Iterator[None]:
    """Have the office only what a process is given."""
    office = floor.office
    keys, keyed = office.keys, office.keyed
    office.keys = Keys(
        keys.validation if Key.VALIDATION in needs.keys else {},
        keys.log if Key.LOG in needs.keys else None,
        keys.office if Key.OFFICE in needs.keys else None,
        keys.patron if Key.PATRON in needs.keys else None,
    )
    office.keyed = keyed if needs.keyed else None
    try:
        yield
    finally:
        office.keys, office.keyed = keys, keyed


def test_a_key_that_a_process_does_not_have_is_not_made_up(floor: Floor) -> None:
    with having(floor, FEED):
        for key in ("newest", "log", "office", "patron"):
            with pytest.raises(KeysMissing, match="this process has no"):
                getattr(floor.office.keys, key)


@pytest.mark.rule("X-access")
def test_the_feed_tells_what_happens_without_any_key(floor: Floor) -> None:
    floor.play()
    with having(floor, FEED):
        told = Feed(floor.office)._new_texts()  # noqa: SLF001  what it does five times a second
    assert any("certified" in text for _, text in told)


@pytest.mark.rule("X-access")
def test_the_caller_runs_games_with_the_keys_of_log_and_office(floor: Floor) -> None:
    floor.sell(floor.writing())
    change_schedule(floor.office, floor.sam, "M", 240)
    caller = caller_of(floor)
    with having(floor, CALLER):
        for _ in range(8):
            take_turns(caller)
            floor.pass_time(minutes=1)
    assert floor.state(1) == "certified"
    floor.check_books()


@pytest.mark.rule("X-access")
def test_the_books_are_worked_out_with_the_key_of_the_log(floor: Floor) -> None:
    floor.sell(floor.writing())
    floor.play()
    with having(floor, BOOKS):
        worked = work_out_books(floor.office, NO_ARCHIVES)
        record_books(floor.office, worked)
    assert worked.count == 0


@pytest.mark.rule("X-access")
def test_the_spooler_prints_with_the_validation_keys(floor: Floor, tmp_path: Path) -> None:
    with virtual(tmp_path / "roll") as printer:
        floor.printer_at("B1", f"tcp:127.0.0.1:{printer.port}")
        floor.sell(floor.writing())
        with having(floor, SPOOLER), spooling(floor):
            until(lambda: waiting(floor) == 0)


@pytest.mark.rule("X-access")
def test_every_report_is_made_with_the_key_of_the_log(floor: Floor, tmp_path: Path) -> None:
    floor.sell(floor.writing())
    floor.play()
    rita = floor.signed_in(RITA, "B2")
    for report in CATALOGUE:
        asked = Asked(report, FIRST_DAY, FIRST_DAY, Format.PDF)
        ask_report(floor.office, rita, asked, floor.request_id())
    reporter = Reporter(floor.office, tmp_path / "archive", look_seconds=0.01)
    with having(floor, REPORTER):
        while reporter.look(threading.Event()):
            pass
    jobs = see_jobs(floor.office, rita)
    assert {job.state for job in jobs} == {JobState.DONE}
    assert len(jobs) >= len(CATALOGUE)
