"""Own id and secret each: what somebody else gave is good for choosing an own one (X-access)."""

import json
import tomllib
from collections.abc import Callable
from datetime import date
from hashlib import sha256
from itertools import count
from pathlib import Path

import pytest
from sqlalchemy import text

from app.audit.verifier import verify
from app.cli.house import read_plan
from app.flow.access import (
    Approval,
    approver,
    at_console,
    begin_work,
    choose_at_console,
    choose_secret,
    disable_staff,
    sign_in,
)
from app.flow.actor import Actor
from app.flow.backup import back_up
from app.flow.close_day import close_day
from app.flow.cosign import cosign_log
from app.flow.export import export_days
from app.flow.found_house import found_house
from app.flow.lockout import lock_at_station
from app.flow.office import Office
from app.flow.permissions import Permission
from app.flow.report import Asked, make_report
from app.flow.staffing import add_person, give_secret
from app.flow.tries import TRIES_MAX
from app.reports.catalogue import Format
from app.store import schema
from app.store.queries import Reading, people
from app.store.queries.people import Person
from tests.crashing import dies
from tests.depth import CRASH_STEP
from tests.floor import (
    ADA,
    FIRST_STATION,
    MAX,
    RITA,
    SAM,
    SECOND_STATION,
    WANDA,
    Floor,
    secret_of,
)
from tests.house_commands import PLAN
from tests.keeping.evening import entries_of
from tests.keeping.house import empty_database, restored
from tests.keeping.refill import refill
from tests.looking import bodies, everything, refuses, rows

TODAY = date(2026, 11, 16)
GIVEN, OWN = "given by the administrator", "that nobody else knows"


def ada(floor: Floor) -> Actor:
    return at_console(floor.office, ADA, secret_of(ADA), Permission.STAFF_MANAGE)


def give(floor: Floor, name: str, secret: str = GIVEN) -> None:
    give_secret(floor.office, ada(floor), floor.sue, name, secret)


def choose(floor: Floor, name: str, secret: str = GIVEN, new: str = OWN) -> None:
    choose_secret(floor.office, floor.station(FIRST_STATION), name, secret, new)


def changes_of(floor: Floor, code: str) -> list[str]:
    return [body["change"] for body in bodies(floor, "STAFF") if body["staff"] == code]


def has_given(floor: Floor) -> list[str]:
    return [code for (code,) in rows(floor, "SELECT code FROM staff WHERE secret_given")]


# ---- a given secret opens nothing ----------------------------------------------------------------


@pytest.mark.rule("X-access")
def test_with_a_given_secret_nobody_signs_in_approves_or_acts_at_the_console(floor: Floor) -> None:
    wanda = floor.writing(WANDA, SECOND_STATION)
    give(floor, SAM)
    office, sams_word = floor.office, Approval(SAM, GIVEN)
    station = floor.station(FIRST_STATION)
    acts: tuple[Callable[[], object], ...] = (
        lambda: sign_in(office, station, SAM, GIVEN),
        lambda: begin_work(office, station, SAM, GIVEN),
        lambda: at_console(office, SAM, GIVEN, Permission.GAME_RUN),
        lambda: at_console(office, SAM, GIVEN, Permission.STAFF_MANAGE),  # nor is that told
        lambda: approver(office, sams_word, FIRST_STATION),
        lambda: lock_at_station(office, wanda, "M", 1, sams_word),
    )
    for act in acts:
        with refuses("staff.secret_given"):
            act()
    refused = bodies(floor, "REFUSED")
    assert [body["code"] for body in refused] == ["staff.secret_given"] * len(acts)
    assert {body["facts"]["name"] for body in refused} == {SAM}
    assert has_given(floor) == ["SAM"]
    floor.check_books()


@pytest.mark.rule("X-access")
def test_whoever_is_added_chooses_a_secret_before_anything_else(floor: Floor) -> None:
    add_person(floor.office, ada(floor), floor.sue, "NORA", "Nora New", "writer", GIVEN)
    with refuses("staff.secret_given"):
        sign_in(floor.office, floor.station(FIRST_STATION), "Nora New", GIVEN)
    choose(floor, "Nora New", new=secret_of("Nora New"))
    floor.sell(floor.writing("Nora New"))
    assert changes_of(floor, "NORA") == ["added", "chose an own secret"]
    floor.check_books()


@pytest.mark.rule("X-access")
def test_that_a_secret_was_given_is_told_only_for_the_right_one(floor: Floor) -> None:
    give(floor, SAM)
    station = floor.station(FIRST_STATION)
    for _ in range(TRIES_MAX):
        with refuses("staff.wrong_secret"):
            sign_in(floor.office, station, SAM, "guessed")
    with refuses("staff.locked"):
        sign_in(floor.office, station, SAM, GIVEN)


@pytest.mark.rule("X-access")
def test_the_secrets_of_a_plan_are_given_unless_it_is_of_a_demonstration(floor: Floor) -> None:
    for plan, given in ((PLAN, 2), (f"demonstration = true\n{PLAN}", 0)):
        with empty_database(floor) as database:
            schema.upgrade(database)
            office = Office(database, floor.office.keys, hasher=floor.office.hasher)
            found_house(office, read_plan(tomllib.loads(plan)))
            with database.reading() as connection:
                found = text("SELECT count(*) FROM staff WHERE secret_given")
                assert connection.execute(found).scalar_one() == given


# ---- choosing an own one -------------------------------------------------------------------------


@pytest.mark.rule("X-access", "X-audit-log")
def test_whoever_chose_a_secret_works_with_it_and_with_no_other(floor: Floor) -> None:
    give(floor, SAM)
    choose(floor, SAM)
    assert has_given(floor) == []
    station = floor.station(FIRST_STATION)
    with refuses("staff.wrong_secret"):
        sign_in(floor.office, station, SAM, GIVEN)
    assert sign_in(floor.office, station, SAM, OWN)
    assert approver(floor.office, Approval(SAM, OWN), FIRST_STATION).code == "SAM"
    assert at_console(floor.office, SAM, OWN, Permission.GAME_RUN).code == "SAM"
    body = bodies(floor, "STAFF")[-1]
    ((stored,),) = rows(floor, "SELECT secret FROM staff WHERE code = 'SAM'")
    told = {"staff": "SAM", "change": "chose an own secret", "by": "SAM", "time": body["time"]}
    told |= {"secret": sha256(stored.encode()).hexdigest(), "given": False}
    assert body == {"label": "keno/staff", "version": 1, **told}
    floor.check_books()


@pytest.mark.rule("X-access")
def test_an_own_secret_is_changed_in_the_same_way_and_every_sign_in_ends(floor: Floor) -> None:
    here, there = floor.signed_in(WANDA), floor.signed_in(WANDA, SECOND_STATION)
    choose(floor, WANDA, secret_of(WANDA))
    for credentials in (here, there):
        with refuses("staff.not_signed_in"):
            floor.open_drawer(credentials)
    assert sign_in(floor.office, floor.station(SECOND_STATION), WANDA, OWN)


@pytest.mark.rule("X-access")
def test_an_own_secret_is_chosen_at_the_console_where_tries_are_counted_apart(
    floor: Floor,
) -> None:
    give(floor, SAM)
    for _ in range(TRIES_MAX):
        with refuses("staff.wrong_secret"):
            choose(floor, SAM, "guessed")
    with refuses("staff.locked"):
        choose(floor, SAM)
    choose_at_console(floor.office, SAM, GIVEN, OWN)
    assert at_console(floor.office, SAM, OWN, Permission.GAME_RUN).code == "SAM"
    for _ in range(TRIES_MAX):
        with refuses("staff.wrong_secret"):
            choose_at_console(floor.office, SAM, GIVEN, "another one, by whoever")
    with refuses("staff.locked"):
        choose_at_console(floor.office, SAM, OWN, "another one of Sam's")


@pytest.mark.rule("X-access")
def test_tries_at_choosing_and_at_signing_in_are_counted_together(floor: Floor) -> None:
    station = floor.station(FIRST_STATION)
    for _ in range(3):
        with refuses("staff.wrong_secret"):
            choose(floor, WANDA, "guessed")
    for _ in range(2):
        with refuses("staff.wrong_secret"):
            sign_in(floor.office, station, WANDA, "guessed")
    with refuses("staff.locked"):
        choose(floor, WANDA, secret_of(WANDA))
    assert changes_of(floor, "WANDA") == ["added"]


@pytest.mark.rule("X-access")
@pytest.mark.parametrize(
    ("secret", "new", "code"),
    [
        ("guessed", OWN, "staff.wrong_secret"),
        ("guessed", "short", "staff.wrong_secret"),
        (OWN, OWN, "staff.wrong_secret"),
        (GIVEN, "short", "staff.secret_short"),
        (GIVEN, "", "staff.secret_short"),
        (GIVEN, GIVEN, "staff.secret_same"),
    ],
)
def test_a_wrong_secret_and_one_that_is_short_or_the_same_change_nothing(
    floor: Floor, secret: str, new: str, code: str
) -> None:
    give(floor, SAM)
    stored = rows(floor, "SELECT secret, secret_given FROM staff ORDER BY id")
    with refuses(code):
        choose(floor, SAM, secret, new)
    assert rows(floor, "SELECT secret, secret_given FROM staff ORDER BY id") == stored
    assert changes_of(floor, "SAM") == ["added", "given a new secret"]
    # Or whoever guesses would find out here, unseen, which secret is right.
    assert [body["code"] for body in bodies(floor, "REFUSED")] == [code]


@pytest.mark.rule("X-access", "X-access-disable")
def test_a_secret_is_chosen_by_whoever_may_work_here_and_at_a_station(floor: Floor) -> None:
    give(floor, SAM)
    for token in (None, "made up"):
        with refuses("station.not_enrolled"):
            choose_secret(floor.office, token, SAM, GIVEN, OWN)
    with refuses("staff.wrong_secret"):
        choose(floor, "Nobody")
    disable_staff(floor.office, floor.signed_in(ADA, SECOND_STATION), SAM)
    with refuses("staff.disabled"):
        choose(floor, SAM)
    assert has_given(floor) == ["SAM"]


@pytest.mark.rule("X-access")
def test_a_choice_that_is_asked_for_again_is_refused_and_changes_nothing(floor: Floor) -> None:
    give(floor, SAM)
    choose(floor, SAM)
    with refuses("staff.wrong_secret"):
        choose(floor, SAM)
    with refuses("staff.wrong_secret"):
        choose(floor, SAM, new="of somebody who knew it")
    assert sign_in(floor.office, floor.station(FIRST_STATION), SAM, OWN)


@pytest.mark.rule("X-access")
def test_an_administrator_who_gave_a_secret_gets_nowhere_once_another_was_chosen(
    floor: Floor,
) -> None:
    """And who chooses first, or gives another, locks the owner out, and stands in the log."""
    give(floor, SAM)
    choose(floor, SAM)
    station = floor.station(FIRST_STATION)
    for act in (
        lambda: sign_in(floor.office, station, SAM, GIVEN),
        lambda: choose(floor, SAM, new="of the administrator"),
        lambda: approver(floor.office, Approval(SAM, GIVEN), FIRST_STATION),
    ):
        with refuses("staff.wrong_secret"):
            act()
    give(floor, SAM, "given once more")
    choose(floor, SAM, "given once more", "of the administrator")
    with refuses("staff.wrong_secret"):
        sign_in(floor.office, station, SAM, OWN)
    given, chose = "given a new secret", "chose an own secret"
    assert changes_of(floor, "SAM") == ["added", given, chose, given, chose]


@pytest.mark.rule("X-access", "X-audit-log")
def test_no_secret_is_stored_or_logged_whoever_chose_it(floor: Floor) -> None:
    give(floor, SAM)
    with refuses("staff.secret_short"):
        choose(floor, SAM, new="too short")
    choose(floor, SAM)
    said = repr(everything(floor))
    assert "chose an own secret" in said
    assert not any(secret in said for secret in (GIVEN, OWN, "too short"))


@pytest.mark.rule("X-access", "X-audit-log")
def test_reports_and_the_regulators_bundle_tell_of_a_choice(floor: Floor, tmp_path: Path) -> None:
    give(floor, MAX)
    with refuses("staff.secret_given"):
        sign_in(floor.office, floor.station(FIRST_STATION), MAX, GIVEN)
    choose(floor, MAX)
    floor.play()
    floor.pass_time(days=1)
    close_day(floor.office, floor.sam, TODAY)
    cosign_log(floor.office, floor.two_keys)
    access, exceptions, who_can = (
        json.loads(make_report(floor.office, Asked(name, TODAY, TODAY, Format.JSON)).json())
        for name in ("access", "exceptions", "who-can")
    )
    said = json.dumps(access)
    assert said.index("MAX given a new secret") < said.index("MAX chose an own secret")
    assert "sign-in with a given secret" in json.dumps(exceptions)
    assert "MAX" in json.dumps(who_can)
    rita = at_console(floor.office, RITA, secret_of(RITA), Permission.RECORDS_EXPORT)
    export_days(floor.office, rita, TODAY, TODAY, tmp_path / "day.zip")
    assert verify(tmp_path / "day.zip", floor.keyed.public).faults == []
    floor.check_books()


# ---- at the same time, and dying in the middle ---------------------------------------------------


@pytest.mark.rule("X-access")
def test_a_secret_that_is_changed_while_it_is_compared_lets_nobody_in(
    floor: Floor, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Or whoever has a secret that was just replaced would replace the new one."""
    give(floor, SAM)
    station = floor.station(FIRST_STATION)
    given_by, second, find = ada(floor), floor.sue, people.person_named
    acts: tuple[Callable[[], object], ...] = (
        lambda: choose_secret(floor.office, station, SAM, GIVEN, OWN),
        lambda: sign_in(floor.office, station, SAM, f"{GIVEN} 0"),
    )
    for n, act in enumerate(acts):

        def changed_meanwhile(connection: Reading, name: str, **how: bool) -> Person | None:
            person = find(connection, name, **how)
            monkeypatch.undo()
            give_secret(floor.office, given_by, second, SAM, f"{GIVEN} {n}")  # noqa: B023
            return person

        monkeypatch.setattr(people, "person_named", changed_meanwhile)
        with refuses("staff.wrong_secret"):
            act()
    assert has_given(floor) == ["SAM"]


@pytest.mark.rule("X-access", "X-recovery")
def test_a_choice_that_dies_anywhere_was_made_or_was_not(floor: Floor) -> None:
    station = floor.station(FIRST_STATION)
    for point in count(step=CRASH_STEP):
        give(floor, SAM)
        floor.pass_time(minutes=1)  # a try whose process died comes back with time
        before = len(changes_of(floor, "SAM"))
        own = f"{OWN} {point}"  # of those before none is taken again

        def choosing(here: Floor, own: str = own) -> None:
            choose_secret(here.office, station, SAM, GIVEN, own)

        died = dies(floor, point, choosing)
        is_chosen = len(changes_of(floor, "SAM")) > before
        assert has_given(floor) == ([] if is_chosen else ["SAM"])
        with refuses("staff.secret_given" if not is_chosen else "staff.wrong_secret"):
            sign_in(floor.office, station, SAM, GIVEN)
        if is_chosen:
            assert sign_in(floor.office, station, SAM, own)
        if not died:
            assert (point > 4, is_chosen) == (True, True)
            break
    floor.check_books()


# ---- a restored house ----------------------------------------------------------------------------


@pytest.mark.rule("X-access", "X-recovery")
def test_what_was_chosen_since_a_backup_is_lost_and_the_old_secret_opens_nothing(
    floor: Floor, tmp_path: Path
) -> None:
    """An administrator gives new ones, and their own old one lets them choose another."""
    floor.station(FIRST_STATION)
    back_up(floor.office, tmp_path / "house.backup")
    choose(floor, WANDA, secret_of(WANDA))
    choose(floor, ADA, secret_of(ADA), "that Ada alone knows")
    floor.play()
    with restored(floor, tmp_path / "house.backup") as again:
        lost = refill(again, entries_of(floor)).lost
        assert [tag for _, tag, _ in lost] == ["STAFF", "STAFF"]
        for secret in (secret_of(WANDA), OWN):
            with refuses("staff.wrong_secret"):
                sign_in(again.office, again.station(FIRST_STATION), WANDA, secret)
        with refuses("staff.secret_given"):
            ada(again)
        choose_at_console(again.office, ADA, secret_of(ADA), "chosen by Ada again")
        by = at_console(again.office, ADA, "chosen by Ada again", Permission.STAFF_MANAGE)
        give_secret(again.office, by, again.sue, WANDA, GIVEN)
        choose(again, WANDA)
        assert sign_in(again.office, again.station(FIRST_STATION), WANDA, OWN)
        again.check_books()


# ---- names ---------------------------------------------------------------------------------------

WIDE_SAM = " ".join("".join(chr(0xFEE0 + ord(sign)) for sign in word) for word in SAM.split())


@pytest.mark.rule("X-access")
@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("", "staff.malformed"),
        ("   ", "staff.malformed"),
        ("x" * 101, "staff.malformed"),
        (" Nora New", "staff.malformed"),
        ("Nora\nNew", "staff.malformed"),
        ("Nora\x1b[2J", "staff.malformed"),
        ("Nora\u200b New", "staff.malformed"),  # a space of no width
        ("\u202eNora New", "staff.malformed"),  # which turns the letters round
        ("S\u0430m Super", "staff.malformed"),  # an a of another alphabet
        ("2026", "staff.malformed"),
        (SAM, "staff.known"),
        (SAM.upper(), "staff.known"),
        ("\u0415\u0432\u0430 \u0420\u0430\u0441\u0435", "staff.malformed"),  # not Eva Pace
        (SAM.replace(" ", "  "), "staff.known"),
        (WIDE_SAM, "staff.malformed"),
    ],
)
def test_nobody_is_added_who_looks_like_another(floor: Floor, name: str, code: str) -> None:
    with refuses(code):
        add_person(floor.office, ada(floor), floor.sue, "NEW", name, "supervisor", GIVEN)


@pytest.mark.rule("X-access")
def test_letters_that_look_like_others_make_no_second_person(floor: Floor) -> None:
    add_person(floor.office, ada(floor), floor.sue, "WILL", "Will Wood", "supervisor", GIVEN)
    by = ada(floor)
    for code, name in enumerate(("WiIl Wood", "Wil1 Wood", "Will W00d", "WILL WOOD")):
        with refuses("staff.known"):
            add_person(floor.office, by, floor.sue, f"NEW-{code}", name, "supervisor", GIVEN)
    add_person(floor.office, ada(floor), floor.sue, "WILLA", "Willa Wood", "writer", GIVEN)


@pytest.mark.rule("X-access")
@pytest.mark.parametrize("name", ["José Núñez", "Anne-Marie O'Neil 2nd", "Ali Öztürk"])
def test_names_of_many_people_are_names(floor: Floor, name: str) -> None:
    add_person(floor.office, ada(floor), floor.sue, "NEW", name, "writer", GIVEN)
    assert rows(floor, "SELECT name FROM staff WHERE code = 'NEW'") == [(name,)]
