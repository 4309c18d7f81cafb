"""Each check of the books finds what it is there for, and nothing else does (X-audit-books).

Faults are planted behind the back of the house, by somebody who has the database in their hands and
has taken the guards away first.
"""

from dataclasses import replace

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from app.audit.books import check_books
from app.audit.tags import Tag
from app.flow.access import at_console
from app.flow.permissions import Permission
from app.flow.seal import seal_log
from app.flow.staffing import give_secret
from app.keno.tender import Tender, TenderKind
from app.store.records.house import add_staff
from app.store.tables import Role
from tests.audit.books import PLANTED, busy, facts
from tests.audit.planting import After, found_in, plant, unguarded
from tests.floor import ADA, SECOND_STATION, WALT, Floor, dollar, secret_of
from tests.looking import bodies, rows, write


def f_100_locked(floor: Floor) -> None:
    """F-101 is open then, and has no tickets."""
    floor.lock("F")


def test_a_house_in_which_everything_happened_has_clean_books(floor: Floor) -> None:
    busy(floor)
    assert found_in(floor) == {}


def test_taking_the_guards_away_is_not_itself_a_fault(after: After) -> None:
    assert found_in(after(busy)) == {}


def filled(message: str, values: dict[str, object]) -> str:
    for name, value in values.items():
        message = message.replace(f":{name}", str(value))
    return message


@pytest.mark.parametrize(
    "what",
    [
        pytest.param(what, marks=pytest.mark.rule("X-audit-books", duty))
        for what, (duty, _, _) in PLANTED.items()
    ],
)
def test_what_is_planted_is_found_by_the_check_that_it_concerns(after: After, what: str) -> None:
    _, statements, expected = PLANTED[what]
    needs_empty_game = "F-101" in repr(expected) or "empty game" in what
    floor = after(busy, f_100_locked) if needs_empty_game else after(busy)
    values = facts(floor)
    plant(floor, *statements, **values)
    assert found_in(floor) == {
        name: [filled(message, values) for message in messages]
        for name, messages in expected.items()
        if messages
    }


@pytest.mark.rule("X-access", "X-audit-books")
@pytest.mark.parametrize(
    ("supervisor", "disabled", "expected"),
    [
        ("SAM", ["SAM"], "was approved by SAM, who may not"),
        ("WALT", [], "was approved by WALT, who may not"),
        ("MAX", [], "took two, and was the word of one"),
        ("SAM", [], None),
    ],
)
def test_what_takes_two_is_the_word_of_two_who_may_at_that_time(
    floor: Floor, supervisor: str, disabled: list[str], expected: str | None
) -> None:
    with floor.office.unit() as unit:
        for code in disabled:
            floor.office.log(unit, Tag.STAFF, {"staff": code, "change": "disabled"})
        by = {"supervisor": {"staff": supervisor}, "manager": {"staff": "MAX"}}
        entry = floor.office.log(unit, Tag.RELEASED, by)
        unit.commit()
    found = found_in(floor)
    told = [] if expected is None else [f"entry {entry.id} {expected}"]
    assert found.get("approvals", []) == told
    assert found["facts"] == [f"entry {entry.id} tells of what is not there (RELEASED)"]
    assert ("people" in found) == bool(disabled)


@pytest.mark.rule("X-access", "X-audit-books")
def test_of_entries_from_before_secrets_and_tokens_are_not_known_until_there_are_others(
    floor: Floor,
) -> None:
    """A house that goes on with entries that told nothing of what is stored."""
    office, code, name = floor.office, "OLD", "Olga Old"
    founded = {"by": "founding", "time": bodies(floor, "HOUSE")[0]["time"]}
    with office.unit() as unit:
        add_staff(unit, code, name, Role.WRITER, office.hasher.hash(secret_of(name)))
        for tag, body in (
            (Tag.STAFF, {"staff": code, "change": "added", "role": "writer", **founded}),
            (Tag.STATION, {"station": "B9", "change": "added", "location": "booth"}),
            (Tag.ENROL, {"station": "B9", "at": "2026-11-16T17:00:00.000Z"}),
            (Tag.SIGN_IN, {"staff": code, "at": "B9", "time": "2026-11-16T17:00:00.000Z"}),
        ):
            office.log(unit, tag, body)
        unit.commit()
    write(
        floor,
        "INSERT INTO station (code, location, token) VALUES ('B9', 'booth', :token)",
        "INSERT INTO sign_in (token, staff, station, since, until) "
        "SELECT :token, staff.id, station.id, :since, :until FROM staff, station "
        "WHERE staff.code = 'OLD' AND station.code = 'B9'",
        token=bytes(32),
        since="2026-11-16T17:00:00.000000Z",
        until="2026-11-17T09:00:00.000000Z",
    )
    assert found_in(floor) == {}
    ada = at_console(office, ADA, secret_of(ADA), Permission.STAFF_MANAGE)
    give_secret(office, ada, floor.sue, name, "given to Olga Old")
    write(floor, "UPDATE staff SET secret = 'x' WHERE code = 'OLD'")
    assert found_in(floor) == {"people": ["OLD has a secret of which the log does not tell"]}


@pytest.mark.rule("15.3(b)")
def test_a_coupon_that_paid_for_two_tickets_is_found(floor: Floor) -> None:
    busy(floor)
    other = (Tender(TenderKind.COUPON, 60, "C2"), Tender(TenderKind.CHIPS, 100))
    floor.sell(floor.signed_in(WALT, SECOND_STATION), replace(dollar(), tender=other))
    plant(
        unguarded(floor),
        "UPDATE tender SET serial = 'C1' WHERE serial = 'C2'",
        "DELETE FROM coupon WHERE serial = 'C2'",
    )
    assert found_in(floor) == {
        "tender": [
            "coupon C1 was spent on tickets [4, 7]",
            "the coupons are not spent on the tickets that they paid for",
        ],
        "entries": ["ticket 7 is not what its entry says"],
    }


@pytest.mark.rule("X-audit-log")
@pytest.mark.parametrize("tag", [Tag.TICKET, Tag.VOID])
def test_an_entry_of_a_ticket_that_never_was_is_found(floor: Floor, tag: Tag) -> None:
    busy(floor)
    with floor.office.unit() as unit:
        entry = floor.office.log(unit, tag, {"ticket": 99, "number": 99})
        unit.commit()
    kind = "tickets" if tag is Tag.TICKET else "voids"
    assert found_in(floor) == {
        "entries": [f"the {tag.value} entries are not those of the {kind}"],
        "copies": [f"entry {entry.id} has no {tag.value.lower()} slip"],
    }


@pytest.mark.rule("X-audit-log")
def test_a_lock_that_never_was_is_found(floor: Floor) -> None:
    busy(floor)
    with floor.office.unit() as unit:
        sold = {"tickets": 1, "handle_cents": 100, "cards": []}
        entry = floor.office.log(unit, Tag.LOCK, {"series": "F", "game": 100, **sold})
        unit.commit()
    assert found_in(floor) == {
        "locks": ["game F-100 and its LOCK entry do not agree"],
        "sold files": [
            "the lock of F-100 does not say what was sold",
            "game F-100 does not say what its lock says",
        ],
        "facts": [f"entry {entry.id} tells of what is not there (LOCK)"],
    }


@pytest.mark.rule("X-audit-log")
def test_a_log_that_was_signed_by_another_key_is_found(floor: Floor) -> None:
    busy(floor)
    keys = floor.office.keys
    other = Ed25519PrivateKey.generate().public_key()
    with floor.office.database.reading() as connection:
        origin = floor.office.house.log_origin
        found = check_books(connection, origin, other, floor.books_keys[2])
        assert {name for name, faults in found.items() if faults} == {"log"}
        found = check_books(
            connection, "keno.example/other", keys.log.public_key(), floor.books_keys[2]
        )
        assert {name for name, faults in found.items() if faults} == {"log"}


@pytest.mark.rule("X-audit-log")
def test_the_roots_of_full_tiles_are_worked_out_again(floor: Floor) -> None:
    busy(floor)
    with floor.office.unit() as unit:
        for number in range(300):
            floor.office.log(unit, Tag.REFUSED, {"code": "made.up", "number": number})
        unit.commit()
    seal_log(floor.office)
    assert rows(floor, "SELECT level, place FROM log_node") == [(1, 0)]
    assert found_in(floor) == {}
    plant(unguarded(floor), "UPDATE log_node SET hash = :other", other=bytes(32))
    assert found_in(floor) == {"log": ["the stored tiles are not those of the entries"]}
