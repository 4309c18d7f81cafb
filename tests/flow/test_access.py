"""Who may do what, where and until when (15.3(a), X-access, X-access-disable)."""

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import timedelta
from functools import partial

import pytest
from argon2 import PasswordHasher, extract_parameters

from app.flow import access
from app.flow.access import (
    SHIFT_MAX,
    Approval,
    Credentials,
    acting,
    approver,
    at_console,
    at_work,
    choose_secret,
    disable_staff,
    disable_station,
    enrol_station,
    renew_enrolment,
    sign_in,
    sign_out,
)
from app.flow.actor import Actor
from app.flow.lockout import lock_at_station, lock_game
from app.flow.look_up import look_up
from app.flow.office import ONE_TRY_IN, STATION_TRIES
from app.flow.open_game import open_first_game
from app.flow.override import override_close
from app.flow.permissions import Permission
from app.flow.quote import quote_request
from app.flow.rate_cards import accept_card, bring_card, enter_promotion, put_in_force
from app.flow.schedule import change_schedule
from app.flow.staffing import enable_person, enable_station, give_secret
from app.flow.stop_sales import Thing, stop_sale
from app.flow.tries import LOCKED_FOR, ONE_APPROVAL_IN, TRIES_MAX
from app.flow.void import Voiding, void_ticket
from app.keno.refusals import Refused
from app.keno.request import Request
from app.store.queries import Reading, people
from app.store.queries.people import Person
from app.store.tables import Role
from tests.floor import (
    ADA,
    CARD,
    FIRST_STATION,
    IKE,
    MAX,
    RITA,
    SAM,
    SECOND_STATION,
    SUE,
    WALT,
    WANDA,
    Floor,
    dollar,
    secret_of,
)
from tests.flow.access import CountingHasher, admin, somebody
from tests.flow.races import waiting
from tests.looking import bodies, everything, refuses, rows
from tests.waiting import until

REQUEST = Request(groups=((1, 2, 3, 4),), conditioning="1/4 @ 1.00")


def refused_so_far(floor: Floor) -> list[str]:
    return [body["code"] for body in bodies(floor, "REFUSED")]


def try_wrong_secret(floor: Floor, name: str, times: int = 1) -> None:
    for _ in range(times):
        with refuses("staff.wrong_secret"):
            sign_in(floor.office, floor.station(FIRST_STATION), name, "wrong")


# ---- stations ------------------------------------------------------------------------------------


@pytest.mark.rule("15.3(a)")
def test_a_station_enrols_once(floor: Floor) -> None:
    code = floor.enrolments[FIRST_STATION]
    token = enrol_station(floor.office, FIRST_STATION, code)
    with refuses("station.wrong_enrolment"):
        enrol_station(floor.office, FIRST_STATION, code)
    assert sign_in(floor.office, token, WANDA, secret_of(WANDA))
    assert refused_so_far(floor) == ["station.wrong_enrolment"]
    assert [body["station"] for body in bodies(floor, "ENROL")] == ["B1"]
    floor.check_books()


@pytest.mark.rule("15.3(a)", "X-audit-log")
@pytest.mark.parametrize(
    ("station", "code"),
    [("B1", "made up"), ("B1", ""), ("B1", "the code of B2"), ("B9", "the code of B2")],
)
def test_a_wrong_enrolment_code_is_refused_and_logged(
    floor: Floor, station: str, code: str
) -> None:
    given = floor.enrolments["B2"] if code == "the code of B2" else code
    with refuses("station.wrong_enrolment"):
        enrol_station(floor.office, station, given)
    assert bodies(floor, "REFUSED")[-1]["facts"] == {"station": station}
    assert given not in repr(bodies(floor, "REFUSED")) or not given
    assert floor.station("B2")


@pytest.mark.rule("X-access")
def test_neither_tokens_nor_secrets_nor_enrolment_codes_are_stored(floor: Floor) -> None:
    wanda = floor.writing()
    floor.sell(wanda)
    try_wrong_secret(floor, SAM)
    said = repr(everything(floor))
    assert "WANDA" in said
    assert wanda.token is not None
    assert wanda.station is not None
    for hidden in (wanda.token, wanda.station, *floor.enrolments.values()):
        assert hidden not in said
        assert repr(bytes.fromhex(hidden))[2:-1] not in said
    for name in (WANDA, SAM):
        assert secret_of(name) not in said


@pytest.mark.rule("15.3(a)")
def test_nobody_signs_in_at_a_station_that_is_not_enrolled(floor: Floor) -> None:
    for token in (None, "", "made up"):
        with refuses("station.not_enrolled"):
            sign_in(floor.office, token, WANDA, secret_of(WANDA))
    assert refused_so_far(floor) == ["station.not_enrolled"] * 3


@pytest.mark.rule("15.3(a)", "X-access")
def test_wrong_secrets_from_a_station_that_is_not_enrolled_lock_nobody_out(floor: Floor) -> None:
    for _ in range(TRIES_MAX):
        with refuses("station.not_enrolled"):
            sign_in(floor.office, "made up", WANDA, "wrong")
    floor.signed_in(WANDA)


# ---- signing in and out --------------------------------------------------------------------------


@pytest.mark.rule("X-access", "X-audit-log")
def test_signing_in_and_out_is_logged(floor: Floor) -> None:
    wanda = floor.signed_in(WANDA)
    sign_out(floor.office, wanda)
    (signed_in,), (signed_out,) = bodies(floor, "SIGN-IN"), bodies(floor, "SIGN-OUT")
    assert (signed_in["staff"], signed_in["role"], signed_in["at"]) == ("WANDA", "writer", "B1")
    assert (signed_out["staff"], signed_out["at"]) == ("WANDA", "B1")
    floor.check_books()


@pytest.mark.rule("X-access")
def test_whoever_signed_out_is_out(floor: Floor) -> None:
    wanda = floor.writing()
    sign_out(floor.office, wanda)
    with refuses("staff.not_signed_in"):
        floor.sell(wanda)
    with refuses("staff.not_signed_in"):
        sign_out(floor.office, wanda)
    assert floor.sell(floor.signed_in(WANDA))["number"] == 1


@pytest.mark.rule("X-access")
def test_a_shift_ends_by_itself(floor: Floor) -> None:
    wanda = floor.writing()
    ((until,),) = rows(floor, "SELECT until FROM sign_in")
    floor.pass_time(hours=15, minutes=59)
    assert floor.sell(wanda)["number"] == 1
    floor.pass_time(minutes=2)
    with refuses("staff.not_signed_in"):
        floor.sell(wanda)
    assert until
    assert timedelta(hours=16) == SHIFT_MAX


@pytest.mark.rule("X-access")
@pytest.mark.parametrize("secret", ["", "wrong", secret_of(WALT), secret_of(WANDA) + " "])
def test_a_secret_is_right_or_wrong_and_nothing_between(floor: Floor, secret: str) -> None:
    with refuses("staff.wrong_secret"):
        sign_in(floor.office, floor.station(FIRST_STATION), WANDA, secret)


@pytest.mark.rule("X-access", "X-audit-log")
def test_a_wrong_secret_is_logged_with_name_and_station_and_without_the_secret(
    floor: Floor,
) -> None:
    try_wrong_secret(floor, WANDA)
    body = bodies(floor, "REFUSED")[-1]
    assert (body["code"], body["facts"]) == ("staff.wrong_secret", {"name": WANDA, "where": "B1"})
    assert "wrong" not in repr(body["facts"])


# ---- five wrong tries ----------------------------------------------------------------------------


@pytest.mark.rule("X-access")
def test_five_wrong_tries_lock_a_person_out_even_with_the_right_secret(floor: Floor) -> None:
    try_wrong_secret(floor, WANDA, TRIES_MAX)
    with refuses("staff.locked"):
        floor.signed_in(WANDA)
    assert refused_so_far(floor) == ["staff.wrong_secret"] * 5 + ["staff.locked"]
    floor.signed_in(WALT)
    floor.check_books()


@pytest.mark.rule("X-access")
def test_four_wrong_tries_and_a_right_one_start_the_count_anew(floor: Floor) -> None:
    for _ in range(3):
        try_wrong_secret(floor, WANDA, TRIES_MAX - 1)
        floor.signed_in(WANDA)


@pytest.mark.rule("X-access")
def test_a_lockout_ends_after_its_time_and_not_before(floor: Floor) -> None:
    try_wrong_secret(floor, WANDA, TRIES_MAX)
    locked_at = floor.moment[0]
    assert timedelta(minutes=15) == LOCKED_FOR
    floor.moment[0] = locked_at + LOCKED_FOR - timedelta(seconds=1)
    with refuses("staff.locked"):
        floor.signed_in(WANDA)
    floor.moment[0] = locked_at + LOCKED_FOR
    floor.signed_in(WANDA)
    try_wrong_secret(floor, WANDA, TRIES_MAX - 1)
    floor.signed_in(WANDA)


@pytest.mark.rule("X-access")
def test_trying_while_locked_out_does_not_make_it_longer_and_says_when_it_ends(
    floor: Floor,
) -> None:
    try_wrong_secret(floor, WANDA, TRIES_MAX)
    before = rows(floor, "SELECT locked_until FROM staff WHERE code = 'WANDA'")
    floor.pass_time(minutes=5)
    with pytest.raises(Refused, match=r"Wanda Writer can sign in again after Nov 16, 2026, 12:15:"):
        floor.signed_in(WANDA)
    assert rows(floor, "SELECT locked_until FROM staff WHERE code = 'WANDA'") == before


def try_to_void(floor: Floor, writer: Credentials, name: str, given: str = "wrong") -> str:
    """What comes of voiding a ticket that is not there, with somebody's approval."""
    voiding = Voiding(77, "no code", approval=Approval(name, given))
    return outcome(lambda: void_ticket(floor.office, writer, voiding, floor.request_id()))


APPROVED = "ticket.unknown"  # what comes of it once it is approved


@pytest.mark.rule("X-access")
def test_what_others_try_at_a_station_keeps_no_supervisor_from_approving_there(
    floor: Floor, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(access, "_NOBODY", floor.office.hasher.hash("nobody's"))  # it costs less
    wanda, right = floor.writing(), secret_of(SAM)
    for name in (*[SAM] * TRIES_MAX, *(f"Nobody {place}" for place in range(STATION_TRIES))):
        outcome(partial(sign_in, floor.office, floor.station(FIRST_STATION), name, "wrong"))
    assert outcome(lambda: floor.signed_in(WALT)) == "station.too_many_tries"
    assert try_to_void(floor, wanda, SAM, right) == APPROVED
    # Nor does what one writer tries there keep them from approving for another.
    floor.pass_time(minutes=15)
    walt = floor.signed_in(WALT)
    tried = [try_to_void(floor, walt, SAM) for _ in range(TRIES_MAX + 1)]
    assert tried == ["staff.wrong_secret"] * TRIES_MAX + ["station.too_many_tries"]
    assert try_to_void(floor, walt, SAM, right) == "station.too_many_tries"
    assert try_to_void(floor, walt, SUE, secret_of(SUE)) == "drawer.not_open"
    assert try_to_void(floor, wanda, SAM, right) == APPROVED
    floor.signed_in(SAM)
    floor.check_books()


@pytest.mark.both_engines
@pytest.mark.rule("X-access")
def test_a_guess_at_a_supervisors_secret_takes_a_minute_and_whoever_has_it_waits_no_longer(
    floor: Floor,
) -> None:
    wanda = floor.writing()
    hasher = floor.office.hasher = CountingHasher()
    for _ in range(3 * TRIES_MAX):
        try_to_void(floor, wanda, SAM)
    assert len(hasher.compared) == TRIES_MAX
    for _ in range(3):
        floor.moment[0] += ONE_APPROVAL_IN
        assert try_to_void(floor, wanda, SAM) == "staff.wrong_secret"
        assert try_to_void(floor, wanda, SAM) == "station.too_many_tries"
    floor.moment[0] += ONE_APPROVAL_IN
    assert try_to_void(floor, wanda, SAM, secret_of(SAM)) == APPROVED
    assert refused_so_far(floor) == ["staff.wrong_secret"] * (TRIES_MAX + 3)


@pytest.mark.rule("X-access")
def test_whoever_tries_at_one_station_locks_nobody_out_elsewhere(floor: Floor) -> None:
    """Or a writer could keep every supervisor from locking the game."""
    office, right = floor.office, Approval(SAM, secret_of(SAM))
    for _ in range(5):
        with refuses("staff.wrong_secret"):
            approver(office, Approval(SAM, "wrong"), "B1")
    with refuses("station.too_many_tries"):
        approver(office, right, "B1")
    floor.station("B2")
    assert approver(office, right, "B2").code == "SAM"
    assert floor.sam.code == "SAM"
    for _ in range(5):
        with refuses("staff.wrong_secret"):
            at_console(office, SUE, "wrong", Permission.GAME_RUN)
    with refuses("staff.locked"):
        at_console(office, SUE, secret_of(SUE), Permission.GAME_RUN)
    floor.signed_in(SUE, "B2")


@pytest.mark.rule("X-access")
def test_a_lockout_leaves_whoever_is_at_work_at_work(floor: Floor) -> None:
    """Or anyone who knows a name could send a writer home in the middle of a queue."""
    wanda = floor.writing()
    try_wrong_secret(floor, WANDA, TRIES_MAX)
    assert floor.sell(wanda)["number"] == 1


@pytest.mark.both_engines
@pytest.mark.rule("X-access")
def test_tries_made_at_the_same_time_are_all_counted(
    floor: Floor, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Or whoever guesses with many hands has more than five tries."""
    token = floor.station(FIRST_STATION)
    find, hand = people.person_named, threading.local()
    compared: list[bool] = []  # the hands that have read the secret
    counting: list[bool] = []  # and those that have read the row whose tries they add to

    def all_have_come() -> bool:
        """On SQLite a hand that is not the one at work waits, also before it has compared."""
        have_compared = floor.office.database.is_sqlite or len(compared) == TRIES_MAX
        return have_compared and len(counting) + waiting(floor) >= TRIES_MAX

    def found_slowly(connection: Reading, name: str, **how: bool) -> Person | None:
        person = find(connection, name, **how)
        if not hasattr(hand, "has_compared"):
            hand.has_compared = True
            compared.append(True)
            return person
        counting.append(True)
        # Unless the row is locked, all of them read the same count before any of them adds to it.
        until(all_have_come)
        return person

    monkeypatch.setattr(people, "person_named", found_slowly)
    with ThreadPoolExecutor(TRIES_MAX) as hands:
        guesses = [
            hands.submit(outcome, partial(sign_in, floor.office, token, WANDA, "wrong"))
            for _ in range(TRIES_MAX)
        ]
    monkeypatch.undo()
    outcomes = [guess.result() for guess in guesses]
    assert outcomes == ["staff.wrong_secret"] * TRIES_MAX
    with refuses("staff.locked"):
        floor.signed_in(WANDA)


# ---- names of nobody's ---------------------------------------------------------------------------


@pytest.mark.rule("X-access")
def test_a_name_of_nobodys_takes_the_same_path_and_gets_the_same_answer(floor: Floor) -> None:
    floor.station(FIRST_STATION)
    hasher = floor.office.hasher = CountingHasher()
    said = []
    for name in (IKE, WANDA):
        with pytest.raises(Refused) as refused:
            sign_in(floor.office, floor.station(FIRST_STATION), name, "wrong")
        said.append(str(refused.value))
    assert said[0] == said[1]
    assert len(hasher.compared) == 2
    assert refused_so_far(floor) == ["staff.wrong_secret"] * 2


@pytest.mark.both_engines
@pytest.mark.rule("X-access")
@pytest.mark.parametrize("way", ["sign in", "choose a secret", "approve"])
def test_a_name_of_nobodys_is_locked_and_counted_like_a_real_one(
    floor: Floor, way: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else whoever tries five times knows who works here."""
    token, office = floor.station(FIRST_STATION), floor.office
    monkeypatch.setattr(access, "_NOBODY", office.hasher.hash("nobody's"))  # it costs less
    ways: dict[str, Callable[[str], object]] = {
        "sign in": lambda name: sign_in(office, token, name, "wrong"),
        "choose a secret": lambda name: choose_secret(office, token, name, "wrong", "w" * 12),
        "approve": lambda name: approver(office, Approval(name, "wrong"), FIRST_STATION),
    }
    told = []
    for name in (WANDA, IKE):
        hasher, said = CountingHasher(), []
        office.hasher = hasher
        for turn in range(TRIES_MAX + 3):
            if turn == TRIES_MAX + 2:
                floor.pass_time(minutes=16)
            with pytest.raises(Refused) as refused:
                ways[way](name)
            said.append((refused.value.refusals[0].code, len(hasher.compared)))
        assert str(refused.value)
        told.append(said)
        floor.pass_time(hours=1)
    assert told[0] == told[1]
    assert [code for code, _ in told[0][:TRIES_MAX]] == ["staff.wrong_secret"] * TRIES_MAX
    assert told[0][TRIES_MAX][0] in {"staff.locked", "station.too_many_tries"}
    assert told[0][-1] == ("staff.wrong_secret", TRIES_MAX + 1)


@pytest.mark.rule("X-access")
def test_the_secret_of_nobody_costs_as_much_as_a_real_one(floor: Floor) -> None:
    hasher = floor.office.hasher = CountingHasher()
    with refuses("staff.wrong_secret"):
        sign_in(floor.office, floor.station(FIRST_STATION), IKE, "wrong")
    nobody = extract_parameters(hasher.compared[0])
    real = extract_parameters(PasswordHasher().hash("any"))
    assert (nobody.type, nobody.time_cost, nobody.memory_cost, nobody.parallelism) == (
        real.type,
        real.time_cost,
        real.memory_cost,
        real.parallelism,
    )


@pytest.mark.rule("X-access", "X-audit-log")
@pytest.mark.parametrize("way", ["sign in", "choose a secret", "approve"])
def test_names_that_are_tried_one_after_the_other_at_a_station_are_soon_not_even_looked_at(
    floor: Floor, way: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else whoever is at one keeps the machine busy with comparing, and fills the log for years."""
    token = floor.station(FIRST_STATION)
    monkeypatch.setattr(access, "_NOBODY", floor.office.hasher.hash("nobody's"))  # it costs less
    hasher = floor.office.hasher = CountingHasher()
    ways: dict[str, Callable[[str], object]] = {
        "sign in": lambda name: sign_in(floor.office, token, name, "wrong"),
        "choose a secret": lambda name: choose_secret(floor.office, token, name, "wrong", "w" * 12),
        "approve": lambda name: approver(floor.office, Approval(name, "wrong"), FIRST_STATION),
    }
    told = [outcome(partial(ways[way], f"Nobody {place}")) for place in range(300)]
    assert told[:STATION_TRIES] == ["staff.wrong_secret"] * STATION_TRIES
    assert set(told[STATION_TRIES:]) == {"station.too_many_tries"}
    assert len(hasher.compared) == len(refused_so_far(floor)) == STATION_TRIES
    # Nobody is kept from working elsewhere, nor here for long; and a right secret costs no try.
    floor.signed_in(WALT, SECOND_STATION)
    for _ in range(3):
        floor.pass_time(seconds=int(ONE_TRY_IN.total_seconds()))
        for _ in range(3):
            floor.signed_in(WANDA)


@pytest.mark.rule("X-access")
def test_tries_at_a_station_are_counted_for_all_processes_together(
    floor: Floor, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else whoever tries has as many times more as a house has web processes."""
    monkeypatch.setattr(access, "_NOBODY", floor.office.hasher.hash("nobody's"))  # it costs less
    token, url = floor.station(FIRST_STATION), floor.office.database.url
    others = [floor.on(url.render_as_string(hide_password=False)) for _ in range(2)]

    def try_at(turn: int) -> str:
        here = (floor, *others)[turn % 3]
        return outcome(lambda: sign_in(here.office, token, f"Nobody {turn}", "wrong"))

    with ThreadPoolExecutor(6) as threads:
        told = list(threads.map(try_at, range(2 * STATION_TRIES)))
    assert told.count("staff.wrong_secret") == STATION_TRIES
    assert told.count("station.too_many_tries") == STATION_TRIES
    for other in others:
        other.close()


@pytest.mark.rule("X-access", "X-clock")
def test_a_clock_that_is_set_back_keeps_nobody_waiting_and_gives_no_tries_away(
    floor: Floor,
) -> None:
    floor.pass_time(hours=5)
    try_many(floor, STATION_TRIES)
    floor.pass_time(hours=-5)
    assert try_many(floor, 4)[1:] == ["station.too_many_tries"] * 3
    floor.pass_time(seconds=2 * int(ONE_TRY_IN.total_seconds()))
    floor.signed_in(WANDA)


@pytest.mark.rule("X-access")
def test_a_station_whose_tries_all_came_back_is_not_remembered(floor: Floor) -> None:
    try_many(floor, 3)
    floor.pass_time(seconds=2 * int(ONE_TRY_IN.total_seconds()))
    floor.signed_in(WANDA)
    assert rows(floor, "SELECT count(*) FROM try_bucket") == [(1,)]
    floor.pass_time(seconds=2 * int(ONE_TRY_IN.total_seconds()))
    floor.signed_in(WANDA)
    assert rows(floor, "SELECT count(*) FROM try_bucket") == [(0,)]


def try_many(floor: Floor, times: int) -> list[str]:
    token = floor.station(FIRST_STATION)
    return [outcome(lambda: sign_in(floor.office, token, IKE, "wrong")) for _ in range(times)]


@pytest.mark.rule("X-access", "X-access-disable", "X-audit-log")
@pytest.mark.parametrize(
    ("why", "code"),
    [
        ("she was sent away", "staff.disabled"),
        ("she may not approve", "staff.not_permitted"),
        ("her secret was given", "staff.secret_given"),
        ("her choice is too short", "staff.secret_short"),
        ("her choice is the same", "staff.secret_same"),
    ],
)
def test_a_right_secret_that_lets_nobody_in_is_soon_not_even_looked_at(
    floor: Floor, why: str, code: str
) -> None:
    """Else a writer who was sent away has tries without end, each compared and logged."""
    token, right = floor.station(FIRST_STATION), secret_of(WANDA)
    office = floor.office
    if why == "she was sent away":
        disable_staff(office, floor.signed_in(ADA, SECOND_STATION), WANDA)
    if why == "her secret was given":
        give_secret(office, admin(floor), floor.sue, WANDA, right)
    acts: dict[str, Callable[[], object]] = {
        "she may not approve": lambda: approver(office, Approval(WANDA, right), FIRST_STATION),
        "her choice is too short": lambda: choose_secret(office, token, WANDA, right, "short"),
        "her choice is the same": lambda: choose_secret(office, token, WANDA, right, right),
    }
    act = acts.get(why, lambda: sign_in(office, token, WANDA, right))
    hasher = office.hasher = CountingHasher()
    most = TRIES_MAX if why == "she may not approve" else STATION_TRIES
    told = [outcome(act) for _ in range(2 * most)]
    assert told == [code] * most + ["station.too_many_tries"] * most
    assert len(hasher.compared) == len(refused_so_far(floor)) == most
    floor.signed_in(WALT, SECOND_STATION)


@pytest.mark.rule("X-access", "X-audit-log")
def test_who_is_locked_is_not_compared_and_fills_no_log(floor: Floor) -> None:
    token = floor.station(FIRST_STATION)
    for _ in range(TRIES_MAX):
        try_wrong_secret(floor, WANDA)
    hasher = floor.office.hasher = CountingHasher()
    told = [
        outcome(lambda: sign_in(floor.office, token, WANDA, secret_of(WANDA))) for _ in range(100)
    ]
    assert set(told) == {"staff.locked", "station.too_many_tries"}
    assert hasher.compared == []
    assert len(refused_so_far(floor)) == STATION_TRIES


@pytest.mark.rule("X-access")
def test_no_secret_opens_the_door_to_a_name_of_nobodys(floor: Floor) -> None:
    for secret in ("", "\0" * 32, access._NOBODY):  # noqa: SLF001
        with refuses("staff.wrong_secret"):
            sign_in(floor.office, floor.station(FIRST_STATION), IKE, secret)
    for _ in range(TRIES_MAX - 3):
        with refuses("staff.wrong_secret"):
            sign_in(floor.office, floor.station(FIRST_STATION), IKE, "wrong")


# ---- disabling -----------------------------------------------------------------------------------


@pytest.mark.rule("X-access-disable")
def test_a_disabled_person_is_out_at_once_also_in_the_middle_of_a_shift(floor: Floor) -> None:
    wanda, ada = floor.writing(), floor.signed_in(ADA, SECOND_STATION)
    floor.sell(wanda)
    disable_staff(floor.office, ada, WANDA)
    for act in (
        lambda: floor.sell(wanda),
        lambda: floor.void(wanda, 1),
        lambda: look_up(floor.office, wanda, 1),
        lambda: quote_request(floor.office, wanda, REQUEST),
        lambda: sign_out(floor.office, wanda),
        lambda: floor.signed_in(WANDA),
        lambda: floor.signed_in(WANDA, SECOND_STATION),
    ):
        with refuses("staff.disabled"):
            act()
    body = bodies(floor, "STAFF")[-1]
    assert (body["staff"], body["change"], body["by"]) == ("WANDA", "disabled", "ADA")
    floor.check_books()


@pytest.mark.rule("X-access-disable")
def test_a_disabled_supervisor_neither_approves_nor_runs_games(floor: Floor) -> None:
    wanda, ada = floor.writing(), floor.signed_in(ADA, SECOND_STATION)
    floor.sell(wanda)
    disable_staff(floor.office, ada, SAM)
    with refuses("staff.disabled"):
        approver(floor.office, Approval(SAM, secret_of(SAM)), "B1")
    with refuses("staff.disabled"):
        floor.lock()
    assert refused_so_far(floor) == ["staff.disabled"] * 2


@pytest.mark.rule("X-access-disable")
def test_that_somebody_is_disabled_is_told_only_for_the_right_secret(floor: Floor) -> None:
    disable_staff(floor.office, floor.signed_in(ADA), WANDA)
    try_wrong_secret(floor, WANDA)


@pytest.mark.rule("X-access-disable")
def test_a_disabled_station_is_out_at_once_also_in_the_middle_of_a_shift(floor: Floor) -> None:
    wanda, ada = floor.writing(), floor.signed_in(ADA, SECOND_STATION)
    floor.sell(wanda)
    disable_station(floor.office, ada, FIRST_STATION)
    for act in (
        lambda: floor.sell(wanda),
        lambda: floor.void(wanda, 1),
        lambda: look_up(floor.office, wanda, 1),
        lambda: floor.signed_in(WALT, FIRST_STATION),
    ):
        with refuses("station.disabled"):
            act()
    body = bodies(floor, "STATION")[-1]
    assert (body["station"], body["change"], body["by"]) == ("B1", "disabled", "ADA")
    floor.signed_in(WANDA, SECOND_STATION)
    floor.check_books()


@pytest.mark.rule("X-access-disable")
def test_whoever_is_enabled_again_signs_in_anew_and_no_old_token_is_good(floor: Floor) -> None:
    """They may have been disabled because it was stolen."""
    wanda, ada = floor.writing(), floor.signed_in(ADA, SECOND_STATION)
    disable_staff(floor.office, ada, WANDA)
    by = acting(floor.office, ada, Permission.STAFF_MANAGE)
    enable_person(floor.office, by, floor.sue, WANDA)
    with refuses("staff.not_signed_in"):
        floor.sell(wanda)
    assert floor.sell(floor.signed_in(WANDA))["number"] == 1  # the drawer is still hers
    floor.check_books()


@pytest.mark.rule("X-access-disable", "15.3(a)")
def test_a_station_that_is_enabled_again_enrols_anew_and_no_old_token_is_good(floor: Floor) -> None:
    wanda, ada = floor.writing(), floor.signed_in(ADA, SECOND_STATION)
    disable_station(floor.office, ada, FIRST_STATION)
    actor = acting(floor.office, ada, Permission.STATION_MANAGE)
    enrolment = enable_station(floor.office, actor, FIRST_STATION)
    with refuses("station.enabled"):  # pressed twice: the code that was shown is still good
        enable_station(floor.office, actor, FIRST_STATION)
    for act in (lambda: floor.sell(wanda), lambda: floor.signed_in(WANDA)):
        with refuses("station.not_enrolled"):
            act()
    floor.stations[FIRST_STATION] = enrol_station(floor.office, FIRST_STATION, enrolment)
    with refuses("staff.not_signed_in"):
        floor.sell(replace(wanda, station=floor.stations[FIRST_STATION]))
    assert floor.sell(floor.signed_in(WANDA))["number"] == 1
    floor.check_books()


@pytest.mark.rule("X-access-disable")
def test_a_station_can_be_disabled_before_it_ever_enrols(floor: Floor) -> None:
    disable_station(floor.office, floor.signed_in(ADA), SECOND_STATION)
    with refuses("station.disabled"):
        floor.station(SECOND_STATION)


@pytest.mark.rule("X-access", "X-audit-log")
def test_trying_to_get_in_at_a_disabled_station_is_logged(floor: Floor) -> None:
    ada = floor.signed_in(ADA)
    disable_station(floor.office, ada, SECOND_STATION)
    with refuses("station.disabled"):
        floor.station(SECOND_STATION)
    disable_station(floor.office, ada, FIRST_STATION)
    with refuses("station.disabled"):
        floor.signed_in(WANDA)
    assert refused_so_far(floor) == ["station.disabled"] * 2


@pytest.mark.rule("X-access-disable")
def test_what_is_not_there_cannot_be_disabled(floor: Floor) -> None:
    ada = floor.signed_in(ADA)
    with refuses("staff.unknown"):
        disable_staff(floor.office, ada, IKE)
    with refuses("station.unknown"):
        disable_station(floor.office, ada, "B9")


@pytest.mark.rule("X-access-disable")
@pytest.mark.parametrize("name", [WANDA, SAM, MAX, RITA])
def test_only_an_administrator_disables(floor: Floor, name: str) -> None:
    credentials = floor.signed_in(name)
    with refuses("staff.not_permitted"):
        disable_staff(floor.office, credentials, WALT)
    with refuses("staff.not_permitted"):
        disable_station(floor.office, credentials, SECOND_STATION)
    floor.signed_in(WALT, SECOND_STATION)


# ---- who may do what -----------------------------------------------------------------------------

# Written down a second time, by hand: W writer, S supervisor, K keno manager, O outside manager,
# I inspector, R regulator, A administrator.
MAY = {
    "ticket:quote": "WSKOIRAVCP",
    "ticket:sell": "WSK",
    "ticket:void": "WSK",
    "ticket:look-up": "WSKOIRVP",
    "drawer:keep": "WSK",
    "game:lock": "WSK",
    "game:run": "SK",
    "game:release": "KO",
    "ticket:refund": "WSK",
    "ticket:pay": "WSK",
    "approval:give": "SK",
    "approval:give-large": "O",
    "approval:give-from-page": "SKO",
    "count:verify": "WSKO",
    "drawer:mind": "SK",
    "drawer:see": "SKVC",
    "amount:set": "SKO",
    "house:keep": "SKO",
    "win:see": "SKOIRVP",
    "unclaimed:see": "SKO",
    "lost-ticket:note": "SKO",
    "lost-ticket:pay": "O",
    "lost-ticket:account": "P",
    "day:close": "SK",
    "day:cash-log": "SKOIRP",
    "paper:print": "WSK",
    "paper:see": "SKOIRV",
    "printer:manage": "A",
    "printer:mind": "SK",
    "card:bring": "SK",
    "card:accept": "SKO",
    "card:enter-promotion": "O",
    "card:join-promotion": "P",
    "sale:stop": "SK",
    "staff:manage": "A",
    "staff:confirm": "SKO",
    "emergency:name": "O",
    "emergency:confirm": "VCP",
    "station:manage": "A",
    "ticket:practise": "WSK",
    "day:review": "KO",
    "floor:see": "SKOIRAVP",
    "keys:see": "SKOIR",
    "records:see": "SKOIRVP",
    "reports:see": "SKOIRVPC",
    "records:export": "SKOIR",
}
LETTERS = {
    Role.WRITER: "W",
    Role.SUPERVISOR: "S",
    Role.KENO_MANAGER: "K",
    Role.OUTSIDE_MANAGER: "O",
    Role.INSPECTOR: "I",
    Role.REGULATOR: "R",
    Role.ADMINISTRATOR: "A",
    Role.SURVEILLANCE: "V",
    Role.CAGE: "C",
    Role.COMPLIANCE: "P",
}


SUES_WORD = Approval(SUE, secret_of(SUE))


def outcome(act: Callable[[], object]) -> str:
    try:
        act()
    except Refused as no:
        return no.refusals[0].code
    return "done"


def test_every_act_and_every_role_is_in_the_table() -> None:
    assert set(MAY) == set(Permission)
    assert set(LETTERS) == set(Role)


@pytest.mark.rule("X-access")
@pytest.mark.parametrize("role", Role)
def test_a_role_may_do_what_the_table_says_and_nothing_else(floor: Floor, role: Role) -> None:
    name = somebody(floor, role)
    credentials = floor.signed_in(name)
    for permission in Permission:
        expected = "done" if LETTERS[role] in MAY[permission] else "staff.not_permitted"
        with floor.office.unit() as unit:
            assert outcome(lambda: at_work(credentials, permission)(unit)) == expected  # noqa: B023
        console = outcome(lambda: at_console(floor.office, name, secret_of(name), permission))  # noqa: B023
        assert console == expected


@pytest.mark.rule("X-access", "15.5(d)")
@pytest.mark.parametrize("role", Role)
def test_every_act_asks_for_its_own_permission(floor: Floor, role: Role) -> None:
    """The acts themselves, so that none of them asks for a permission that is too easily had."""
    floor.sell(floor.writing(SUE, SECOND_STATION))
    office, name = floor.office, somebody(floor, role)
    credentials = floor.signed_in(name)
    acts: dict[str, Callable[[], object]] = {
        "ticket:quote": lambda: quote_request(office, credentials, REQUEST),
        "ticket:look-up": lambda: look_up(office, credentials, 1),
        "drawer:keep": lambda: floor.open_drawer(credentials),
        "ticket:sell": lambda: floor.sell(credentials),
        "game:lock": lambda: lock_at_station(office, credentials, "F", 100, SUES_WORD),
        "ticket:void": lambda: floor.void(credentials, 2 if LETTERS[role] in "WSK" else 1),
        "approval:give": lambda: approver(office, Approval(name, secret_of(name)), "B1"),
        "staff:manage": lambda: disable_staff(office, credentials, WALT),
        "station:manage": lambda: disable_station(office, credentials, "S1"),
    }
    for permission, act in acts.items():
        allowed = LETTERS[role] in MAY[permission]
        assert outcome(act) == ("done" if allowed else "staff.not_permitted")


@pytest.mark.rule("X-access", "15.5(d)")
@pytest.mark.parametrize("role", Role)
def test_an_act_at_the_console_is_for_its_own_roles_whatever_else_was_asked_for(
    floor: Floor, role: Role
) -> None:
    """Somebody who was let in at the console for a quote has not been let in to lock a game."""
    office, name = floor.office, somebody(floor, role)
    actor = at_console(office, name, secret_of(name), Permission.TICKET_QUOTE)
    fresh = CARD.read_bytes() + b"\n"
    other = somebody(floor, Role.COMPLIANCE) if role is not Role.COMPLIANCE else name
    colleague = at_console(office, other, secret_of(other), Permission.TICKET_QUOTE)
    brought = bring_card(office, floor.sam, CARD.read_bytes() + b"# other\n")
    in_an_hour = floor.moment[0] + timedelta(hours=1)
    acts: dict[Callable[[], object], tuple[str, str]] = {
        (lambda: lock_game(office, actor, "M")): ("game:run", "done"),
        (lambda: override_close(office, actor, "F", 100, None, "a late bus")): ("game:run", "done"),
        (lambda: change_schedule(office, actor, "F", 60)): ("game:run", "done"),
        (lambda: open_first_game(office, actor, "M")): ("game:run", "game.already_open"),
        (lambda: bring_card(office, actor, fresh)): ("card:bring", "done"),
        (lambda: accept_card(office, actor, brought)): ("card:accept", "done"),
        (lambda: put_in_force(office, actor, brought, in_an_hour)): (
            "card:bring",
            "card.not_accepted",
        ),
        (lambda: enter_promotion(office, actor, colleague, fresh)): (
            "card:enter-promotion",
            "document.field_missing",
        ),
        (lambda: stop_sale(office, actor, Thing(series="F"), "a test")): ("sale:stop", "done"),
    }
    for act, (permission, done) in acts.items():
        allowed = LETTERS[role] in MAY[permission]
        assert outcome(act) == (done if allowed else "staff.not_permitted")


@pytest.mark.rule("X-access", "X-audit-log")
def test_a_right_secret_for_an_act_that_is_not_theirs_is_refused_and_logged(floor: Floor) -> None:
    with refuses("staff.not_permitted"):
        at_console(floor.office, WANDA, secret_of(WANDA), Permission.GAME_RUN)
    with refuses("staff.not_permitted"):
        approver(floor.office, Approval(WANDA, secret_of(WANDA)), "B1")
    told = [(body["code"], body["facts"]) for body in bodies(floor, "REFUSED")]
    assert told == [
        ("staff.not_permitted", {"name": WANDA, "where": "console"}),
        ("staff.not_permitted", {"name": WANDA, "where": "B1"}),
    ]


@pytest.mark.rule("X-access")
def test_a_token_of_one_station_is_worth_nothing_at_another(floor: Floor) -> None:
    wanda = floor.writing()
    floor.station(SECOND_STATION)
    stolen = Credentials(floor.stations[SECOND_STATION], wanda.token)
    with refuses("staff.not_signed_in"):
        floor.sell(stolen)
    with refuses("station.not_enrolled"):
        floor.sell(replace(wanda, station=wanda.token))
    with refuses("staff.not_signed_in"):
        floor.sell(replace(wanda, token=wanda.station), dollar())


# ---- a machine that was replaced -----------------------------------------------------------------


@pytest.mark.rule("15.3(a)", "X-access-disable")
def test_a_station_that_is_to_enrol_again_is_no_station_until_it_has(floor: Floor) -> None:
    wanda = floor.writing()
    ada = at_console(floor.office, ADA, secret_of(ADA), Permission.STATION_MANAGE)
    enrolment = renew_enrolment(floor.office, ada, FIRST_STATION)
    with refuses("station.not_enrolled"):
        floor.sell(wanda)
    with refuses("station.wrong_enrolment"):
        enrol_station(floor.office, FIRST_STATION, floor.enrolments[FIRST_STATION])
    floor.stations[FIRST_STATION] = enrol_station(floor.office, FIRST_STATION, enrolment)
    with refuses("station.wrong_enrolment"):
        enrol_station(floor.office, FIRST_STATION, enrolment)
    assert bodies(floor, "STATION")[-1]["change"] == "to be enrolled again"
    floor.check_books()


@pytest.mark.rule("X-access")
@pytest.mark.parametrize("role", [role for role in Role if role is not Role.ADMINISTRATOR])
def test_only_an_administrator_has_a_station_enrol_again(floor: Floor, role: Role) -> None:
    """Whoever could, would have a station of their own and leave the real one without any."""
    wanda = floor.writing()
    actor = Actor(1, "SOMEBODY", role, "console")
    with refuses("staff.not_permitted"):
        renew_enrolment(floor.office, actor, FIRST_STATION)
    assert floor.sell(wanda)["number"] == 1


def test_a_station_that_is_not_there_cannot_enrol_again(floor: Floor) -> None:
    ada = at_console(floor.office, ADA, secret_of(ADA), Permission.STATION_MANAGE)
    with refuses("station.unknown"):
        renew_enrolment(floor.office, ada, "B99")
