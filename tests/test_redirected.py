"""A printer whose row was redirected: no code leaves the house, and the floor is told at once."""

import re
from pathlib import Path

import pytest
from sqlalchemy import text
from sqlalchemy.exc import DBAPIError

from app.audit.books import check_books
from app.flow.alarms import AlarmId
from app.flow.see_alarms import see_alarms
from tests.floor import Floor
from tests.looking import bodies, lifted, rows
from tests.spooling import spooling, virtual, waiting
from tests.waiting import until

CODE = re.compile(rb"(?:\d{5} ){4}\d{5}")
TROUBLE = (
    "SELECT why FROM printer_condition JOIN printer ON printer.id = printer WHERE code = :code"
)
MOVED = "The printer is not where the log says it is."
SQLITE = pytest.mark.parametrize("floor", ["sqlite"], indirect=True)
REDIRECTED = "UPDATE printer SET address = :address WHERE code = 'P-B1'"
ELSEWHERE = (
    "UPDATE station_printer SET printer = (SELECT id FROM printer WHERE code = 'P-B2') "
    "WHERE station = (SELECT id FROM station WHERE code = 'B1')"
)


def planted(floor: Floor, statement: str, **values: object) -> None:
    """Change a row with the guards lifted; they are back before anybody looks."""
    with lifted(floor) as connection:
        connection.execute(text(statement), values)


def faults(floor: Floor) -> list[str]:
    """What the books find of printers."""
    with floor.office.database.reading() as connection:
        return [fault.message for fault in check_books(connection, *floor.books_keys)["placed"]]


def moved(floor: Floor) -> list[str]:
    """What the alarm says of printers that moved."""
    alarms = see_alarms(floor.office)
    return [alarm.what for alarm in alarms if alarm.id is AlarmId.PRINTER_MOVED]


@pytest.mark.both_engines
@pytest.mark.rule("X-ticket-validation", "X-printer-place")
def test_a_redirected_printer_gets_no_code_and_rings_at_once(floor: Floor, tmp_path: Path) -> None:
    """As it was shown: a row is redirected for a few seconds, and put back."""
    with virtual(tmp_path / "B1") as printer, virtual(tmp_path / "thief") as thief:
        home = f"tcp:127.0.0.1:{printer.port}"
        away = f"tcp:127.0.0.1:{thief.port}"
        floor.printer_at("B1", home)
        wanda = floor.writing()
        with spooling(floor):
            until(lambda: waiting(floor) == 0)
        planted(floor, REDIRECTED, address=away)
        floor.sell(wanda)
        with spooling(floor):
            until(lambda: rows(floor, TROUBLE, code="P-B1") == [(MOVED,)])
        stolen = [code for paper in thief.papers for code in CODE.findall(paper.read_bytes())]
        assert (stolen, len(printer.papers), waiting(floor)) == ([], 1, 1)
        said = f"Printer P-B1 is at {away}, and the log says at {home}. Nothing is sent to it."
        assert moved(floor) == [said]
        assert faults(floor) == ["printer P-B1 is not where the log says"]
        planted(floor, REDIRECTED, address=home)
        with spooling(floor):
            until(lambda: waiting(floor) == 0)
        assert len(printer.papers) == 2
        # It stays in the log that it was elsewhere, and rings for an hour.
        (entry,) = bodies(floor, "PRINTER-MOVED")
        assert (entry["printer"], entry["found"], entry["logged"]) == ("P-B1", away, home)
        assert moved(floor) == [f"Printer P-B1 was not where the log says: it was found at {away}."]
        floor.pass_time(hours=1)
        assert moved(floor) == []
        floor.check_books()


@pytest.mark.both_engines
@pytest.mark.rule("X-ticket-validation", "X-printer-place")
def test_a_station_that_was_given_another_s_printer_prints_no_code_there(
    floor: Floor, tmp_path: Path
) -> None:
    with virtual(tmp_path / "B1") as printer, virtual(tmp_path / "B2") as other:
        floor.printer_at("B1", f"tcp:127.0.0.1:{printer.port}")
        floor.printer_at("B2", f"tcp:127.0.0.1:{other.port}")
        planted(floor, ELSEWHERE)
        floor.sell(floor.writing())
        with spooling(floor):
            until(lambda: rows(floor, TROUBLE, code="P-B2") == [(MOVED,)])
        assert (other.papers, waiting(floor)) == ([], 2)
        said = "Station B1 prints on P-B2, and the log says on P-B1. Nothing is sent to it."
        assert moved(floor) == [said]
        assert faults(floor) == ["station B1 does not print where the log says"]


@pytest.mark.rule("X-printer-place")
def test_a_row_that_is_redirected_while_a_slip_is_taken_gets_no_code(
    floor: Floor, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Between two looks at all printers, the transaction that takes the slip looks again."""
    monkeypatch.setattr("app.spooler.strayed_printers", lambda _office: [])
    with virtual(tmp_path / "thief") as thief:
        floor.printer_at("B1", "tcp:127.0.0.1:1")
        floor.writing()
        planted(floor, REDIRECTED, address=f"tcp:127.0.0.1:{thief.port}")
        with spooling(floor):
            until(lambda: rows(floor, TROUBLE, code="P-B1") == [(MOVED,)])
        assert thief.papers == []
        assert waiting(floor) == 1


@pytest.mark.rule("X-printer-place")
@SQLITE
def test_an_entry_that_is_not_what_its_leaf_says_places_no_printer(
    floor: Floor, tmp_path: Path
) -> None:
    """A thief who changes the row, and the entry with it."""
    with virtual(tmp_path / "thief") as thief:
        floor.printer_at("B1", "tcp:127.0.0.1:1")
        floor.writing()
        away = f"tcp:127.0.0.1:{thief.port}"
        with floor.office.database.writing() as connection:
            connection.exec_driver_sql("DROP TRIGGER log_entry_no_update")
            changed = "UPDATE log_entry SET body = replace(body, :old, :new) WHERE tag = 'PRINTER'"
            connection.execute(text(changed), {"old": "tcp:127.0.0.1:1", "new": away})
            connection.commit()
        planted(floor, REDIRECTED, address=away)
        with spooling(floor):
            until(lambda: rows(floor, TROUBLE, code="P-B1") == [(MOVED,)])
        assert thief.papers == []
        said = f"Printer P-B1 is at {away}, and the log says at nowhere. Nothing is sent to it."
        assert said in moved(floor)


@pytest.mark.rule("X-printer-place")
def test_a_device_that_the_machine_does_not_list_is_not_opened_though_the_log_names_it(
    floor: Floor, tmp_path: Path
) -> None:
    """Whoever can write into the log as well is stopped by root's own list."""
    floor.printer_at("B1", f"file:{tmp_path / 'paper'}")
    floor.writing()
    floor.office.allowed = type(floor.office.allowed).of(["127.0.0.0/8"], ["/dev/usb/lp*"])
    with spooling(floor):
        why = "The address of the printer is not on the list of this machine."
        until(lambda: rows(floor, TROUBLE, code="P-B1") == [(why,)])
    assert not (tmp_path / "paper").exists()
    assert waiting(floor) == 1


# ---- guards --------------------------------------------------------------------------------------


SAYS = "a printer is where the log says"
STATEMENTS = """
UPDATE printer SET address = 'tcp:10.0.0.66' WHERE code = 'P-B1'

UPDATE printer SET roll = '58mm'

UPDATE printer SET entry = entry

UPDATE printer SET entry = :after, address = 'tcp:10.0.0.66' WHERE code = 'P-B1'

UPDATE printer SET entry = :first, address = 'tcp:10.0.0.9' WHERE code = 'P-B1'

UPDATE printer SET code = 'P-B9' WHERE code = 'P-B2'

UPDATE station_printer SET printer = (SELECT id FROM printer WHERE code = 'P-B2')
WHERE station = (SELECT id FROM station WHERE code = 'B1')

UPDATE station_printer SET printer = (SELECT id FROM printer WHERE code = 'P-B1'), entry = :newest
WHERE station = (SELECT id FROM station WHERE code = 'B2')

INSERT INTO printer (code, address, roll, entry)
VALUES ('P9', 'tcp:10.0.0.66', '80mm', :newest)

INSERT INTO station_printer (station, printer, entry)
SELECT station.id, printer.id, :newest FROM station, printer
WHERE station.code = 'S1' AND printer.code = 'P-B1'

DELETE FROM station_printer

DELETE FROM printer
"""


@pytest.mark.both_engines
@pytest.mark.rule("X-printer-place", "X-audit-log")
def test_a_printer_changes_only_with_a_later_entry_that_says_so(floor: Floor) -> None:
    first = floor.printer_at("B1", "tcp:10.0.0.9").entry
    floor.printer_at("B2", "tcp:10.0.0.10")
    newest = floor.printer_at("B1", "tcp:10.0.0.11").entry
    for statement in STATEMENTS.strip().split("\n\n"):
        match = "facts are only ever added" if "DELETE" in statement else SAYS
        named = {"first": first, "newest": newest, "after": newest + 1}
        values = {name: value for name, value in named.items() if f":{name}" in statement}
        with (
            floor.office.database.writing() as connection,
            pytest.raises(DBAPIError, match=match),
        ):
            connection.execute(text(statement), values)
    floor.check_books()


@pytest.mark.rule("X-printer-place")
@SQLITE
def test_a_printer_is_not_replaced_in_sqlite_by_an_earlier_entry(floor: Floor) -> None:
    """OR REPLACE asks no guard of deletes where the connection of a thief does not want it."""
    first = floor.printer_at("B1", "tcp:10.0.0.9")
    floor.printer_at("B1", "tcp:10.0.0.11")
    replacing = text(
        "INSERT OR REPLACE INTO printer (code, address, roll, entry) "
        "VALUES ('P-B1', 'tcp:10.0.0.9', '80mm', :first)"
    )
    with floor.office.database.writing() as connection:
        connection.exec_driver_sql("PRAGMA recursive_triggers = OFF")
        with pytest.raises(DBAPIError, match="a printer is where the log says"):
            connection.execute(replacing, {"first": first.entry})
        connection.exec_driver_sql("PRAGMA recursive_triggers = ON")
