"""One administrator is one person: who is new, or has a password from another, has to wait."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from app.audit.tags import Tag
from app.flow.access import (
    FOUNDED_FOR,
    GIVEN_FOR,
    Approval,
    acting,
    approver,
    at_console,
    choose_at_console,
    choose_secret,
    disable_staff,
    sign_in,
)
from app.flow.actor import Actor
from app.flow.approvers import NOT_FOR_RE_KEYED
from app.flow.emergency import name_approver, set_standby
from app.flow.house_settings import change_setting
from app.flow.permissions import APPROVING, FOR, Permission
from app.flow.rate_cards import accept_card, bring_card, put_in_force
from app.flow.release import release_game
from app.flow.see_floor import see_floor
from app.flow.sell import Sale
from app.flow.staffing import RETURNS_AFTER, add_person, enable_person, give_secret
from app.flow.void import Voiding, void_ticket
from app.keno.house_settings import Setting
from app.keno.refusals import Refused
from app.store.tables import Role
from app.web import create_app
from tests.audit.planting import found_in
from tests.floor import (
    ADA,
    CARD,
    FIRST_STATION,
    MAX,
    SAM,
    SATELLITE,
    SECOND_STATION,
    SUE,
    WALT,
    WANDA,
    Floor,
    secret_of,
)
from tests.flow.access import somebody
from tests.looking import bodies, refuses, rows, write
from tests.web.sign_in import Browser
from tests.web.supervisor_pages import BILLS, LARGE

pytestmark = pytest.mark.rule("X-approver-new")

GIVEN = "given by an administrator"
NEW = "New Nora"
# What neither approves nor decides, so that a new person does it at once. A new permission belongs
# here or in APPROVING.
AT_ONCE = frozenset(
    {
        Permission.TICKET_QUOTE,
        Permission.TICKET_PRACTISE,
        Permission.TICKET_SELL,
        Permission.TICKET_VOID,
        Permission.TICKET_REFUND,
        Permission.TICKET_PAY,
        Permission.TICKET_LOOK_UP,
        Permission.WIN_SEE,
        Permission.UNCLAIMED_SEE,
        Permission.LOST_TICKET_NOTE,
        Permission.SALE_STOP,
        Permission.DRAWER_KEEP,
        Permission.DRAWER_MIND,
        Permission.DRAWER_SEE,
        Permission.GAME_LOCK,
        Permission.GAME_RUN,
        Permission.COUNT_VERIFY,
        Permission.DAY_CLOSE,
        Permission.CASH_LOG,
        Permission.PAPER_PRINT,
        Permission.PAPER_SEE,
        Permission.STAFF_MANAGE,  # to disable; what else it is for waits in the act itself
        Permission.STATION_MANAGE,
        Permission.FLOOR_SEE,
        Permission.KEYS_SEE,
        Permission.RECORDS_SEE,
        Permission.REPORTS_SEE,
        Permission.RECORDS_EXPORT,
    }
)


def ada(floor: Floor) -> Actor:
    return at_console(floor.office, ADA, secret_of(ADA), Permission.STAFF_MANAGE)


def max_(floor: Floor) -> Actor:
    return at_console(floor.office, MAX, secret_of(MAX), Permission.STAFF_CONFIRM)


def approving(role: Role) -> set[Permission]:
    return {each for each in APPROVING if role in FOR[each]}


def own(floor: Floor, name: str) -> None:
    choose_at_console(floor.office, name, GIVEN, secret_of(name))


def come(floor: Floor, role: Role, name: str = NEW) -> str:
    """Somebody new in a role, with a password of their own."""
    code = name.rsplit(maxsplit=1)[-1].upper()
    add_person(floor.office, ada(floor), floor.sue, code, name, role, GIVEN)
    own(floor, name)
    return name


def re_key(floor: Floor, name: str) -> None:
    give_secret(floor.office, ada(floor), floor.sue, name, GIVEN)
    choose_at_console(floor.office, name, GIVEN, fresh(name))


def fresh(name: str) -> str:
    """The password of somebody who had to choose another one."""
    return f"another of {name}"


def outcome(act: Callable[[], object]) -> str:
    try:
        act()
    except Refused as no:
        return no.refusals[0].code
    return "done"


# ---- two people ----------------------------------------------------------------------------------


def test_an_administrator_adds_re_keys_and_enables_nobody_alone(floor: Floor) -> None:
    office, by = floor.office, ada(floor)
    disable_staff(office, floor.signed_in(ADA), WALT)
    itself = at_console(office, ADA, secret_of(ADA), Permission.TICKET_QUOTE)
    wanda = at_console(office, WANDA, secret_of(WANDA), Permission.TICKET_QUOTE)
    for second, code in (
        (None, "staff.second_needed"),
        (itself, "staff.not_permitted"),
        (wanda, "staff.not_permitted"),
    ):
        acts = (
            lambda: add_person(office, by, second, "NEW", NEW, "writer", GIVEN),  # noqa: B023
            lambda: enable_person(office, by, second, WALT),  # noqa: B023
            lambda: give_secret(office, by, second, MAX, GIVEN),  # noqa: B023
        )
        assert [outcome(act) for act in acts] == [code] * 3
    with refuses("staff.second_needed"):
        give_secret(office, by, floor.sue, SUE, GIVEN)
    with refuses("staff.oneself"):
        give_secret(office, by, floor.sue, ADA, GIVEN)
    enable_person(office, by, max_(floor), WALT)
    change = bodies(floor, "STAFF")[-1]
    assert (change["staff"], change["kind"], change["by"], change["second"]) == (
        "WALT",
        "enabled",
        "ADA",
        "MAX",
    )
    floor.check_books()


# ---- new -----------------------------------------------------------------------------------------


def test_every_permission_either_waits_or_approves_nothing() -> None:
    assert set(Permission) == APPROVING | AT_ONCE
    assert not APPROVING & AT_ONCE
    assert APPROVING | {Permission.STAFF_MANAGE} >= NOT_FOR_RE_KEYED


def test_a_new_person_approves_nothing_for_a_day_wherever_they_show_who_they_are(
    floor: Floor,
) -> None:
    """Each permission that approves at each door: the console, a station, beside a writer."""
    office, tried = floor.office, set()
    roles = (Role.SUPERVISOR, Role.OUTSIDE_MANAGER, Role.ADMINISTRATOR, Role.COMPLIANCE)
    names = {role: come(floor, role, f"New {role.value}") for role in roles}
    for expected in ("approval.new_person", "done"):
        for role, name in names.items():
            credentials = floor.signed_in(name, SECOND_STATION)
            word = Approval(name, secret_of(name))
            for permission in approving(role):
                doors = (
                    partial(at_console, office, name, secret_of(name), permission),
                    partial(acting, office, credentials, permission),
                    partial(approver, office, word, SATELLITE, permission),
                )
                assert {outcome(door) for door in doors} == {expected}, (role, permission)
                floor.pass_time(minutes=1)  # so that the station has tries left
                tried.add(permission)
        floor.pass_time(hours=24)
    assert tried == APPROVING


def test_a_new_writer_sells_at_once(floor: Floor) -> None:
    assert floor.sell(floor.writing(come(floor, Role.WRITER)))["number"] == 1
    floor.check_books()


def test_who_was_disabled_for_more_than_90_days_is_new_again(floor: Floor) -> None:
    for away, code in ((RETURNS_AFTER, "done"), (RETURNS_AFTER * 2, "approval.new_person")):
        disable_staff(floor.office, floor.signed_in(ADA, SECOND_STATION), SAM)
        floor.pass_time(seconds=int(away.total_seconds()) - 1)
        enable_person(floor.office, ada(floor), floor.sue, SAM)
        word = Approval(SAM, secret_of(SAM))
        assert outcome(lambda: approver(floor.office, word, "B1")) == code  # noqa: B023


# ---- re-keyed ------------------------------------------------------------------------------------


def test_who_has_a_password_from_another_approves_only_what_is_small_and_of_neither_of_the_two(
    floor: Floor,
) -> None:
    walt, sue = floor.writing(WALT, SECOND_STATION), floor.writing(SUE)
    numbers = [int(floor.sell(who)["number"]) for who in (walt, sue)]
    re_key(floor, SAM)
    word = Approval(SAM, fresh(SAM))

    def void(who: object, number: int, code: str | None) -> str:
        voiding = Voiding(number, "wrong", code, word)
        return outcome(
            lambda: void_ticket(floor.office, who, voiding, floor.request_id())  # type: ignore[arg-type]
        )

    first, of_sue = numbers
    assert void(walt, first, None) == "approval.new_secret"
    assert void(walt, first, floor.code(first)) == "done"
    assert void(sue, of_sue, floor.code(of_sue)) == "approval.new_secret"
    his = {each for each in NOT_FOR_RE_KEYED & APPROVING if Role.SUPERVISOR in FOR[each]}
    for permission in his:
        with refuses("approval.new_secret"):
            at_console(floor.office, SAM, fresh(SAM), permission)
    # Nor do they decide something together with one of the two.
    re_key_by_max(floor, SUE)
    pair = (
        at_console(floor.office, SUE, fresh(SUE), Permission.AMOUNT_SET),
        at_console(floor.office, MAX, secret_of(MAX), Permission.AMOUNT_SET),
    )
    with refuses("approval.new_secret"):
        change_setting(floor.office, *pair, Setting.COPIES_ALONE, 2)
    floor.pass_time(hours=24)
    walt = floor.signed_in(WALT, SECOND_STATION)
    change_setting(floor.office, *pair, Setting.COPIES_ALONE, 2)
    floor.check_books()


def re_key_by_max(floor: Floor, name: str) -> None:
    give_secret(floor.office, ada(floor), max_(floor), name, GIVEN)
    choose_at_console(floor.office, name, GIVEN, fresh(name))


def test_choosing_another_password_with_the_old_one_makes_nobody_wait(floor: Floor) -> None:
    station, other = floor.station(FIRST_STATION), "quite another one"
    choose_secret(floor.office, station, SAM, secret_of(SAM), other)
    told = {
        outcome(partial(at_console, floor.office, SAM, other, permission))
        for permission in approving(Role.SUPERVISOR)
    }
    assert told == {"done"}


# ---- first passwords -----------------------------------------------------------------------------


def test_a_first_password_is_good_once_and_for_a_day(floor: Floor) -> None:
    add_person(floor.office, ada(floor), floor.sue, "NORA", NEW, "writer", GIVEN)
    floor.pass_time(seconds=int(GIVEN_FOR.total_seconds()))
    with refuses("staff.secret_expired"):
        own(floor, NEW)
    give_secret(floor.office, ada(floor), floor.sue, NEW, "another that was given")
    choose_at_console(floor.office, NEW, "another that was given", secret_of(NEW))
    with refuses("staff.wrong_secret"):
        choose_at_console(floor.office, NEW, "another that was given", "and once more")
    assert sign_in(floor.office, floor.station(FIRST_STATION), NEW, secret_of(NEW))


def test_the_passwords_of_a_plan_are_good_for_a_week(floor: Floor) -> None:
    write(floor, "UPDATE staff SET secret_given = TRUE WHERE code = 'MAX'")
    floor.pass_time(seconds=int(FOUNDED_FOR.total_seconds()) - 3600)
    choose_at_console(floor.office, MAX, secret_of(MAX), "his own for ever")
    write(floor, "UPDATE staff SET secret_given = TRUE WHERE code = 'SAM'")
    floor.pass_time(hours=1)
    with refuses("staff.secret_expired"):
        choose_at_console(floor.office, SAM, secret_of(SAM), "his own for ever")


# ---- seen, and told ------------------------------------------------------------------------------


def test_every_supervisor_sees_who_is_new_and_by_whom(floor: Floor) -> None:
    come(floor, Role.WRITER)
    re_key(floor, SAM)
    seen = see_floor(floor.office, floor.signed_in(MAX))
    assert [
        (each.code, each.change.value, each.first_code, each.second_code) for each in seen.changes
    ] == [("NORA", "added", "ADA", "SUE"), ("SAM", "re-keyed", "ADA", "SUE")]
    assert [each.of for each in seen.alarms if each.id.value == "approver-new"] == ["SAM"]
    floor.pass_time(hours=24)
    assert see_floor(floor.office, floor.signed_in(MAX)).changes == []


def test_nobody_is_exempt_who_was_not_founded_with_the_house(floor: Floor) -> None:
    """Those of the plan wait for nothing; an entry that says so of another is a fault."""
    assert rows(floor, "SELECT count(*) FROM staff_change") == [(0,)]
    for name, role in ((SAM, Role.SUPERVISOR), (MAX, Role.OUTSIDE_MANAGER)):
        for permission in approving(role):
            assert at_console(floor.office, name, secret_of(name), permission).role is role
    come(floor, Role.SUPERVISOR)
    floor.check_books()
    founded, *_, newest = bodies(floor, "STAFF")
    with floor.office.unit() as unit:
        late = {**founded, "staff": "LATE", "time": newest["time"]}
        floor.office.log(unit, Tag.STAFF, late)
        alone = {**newest, "staff": "WANDA", "change": "given a new secret", "by": "ADA"}
        floor.office.log(unit, Tag.STAFF, alone)
        unit.commit()
    told = found_in(floor)
    assert "LATE was not founded with the house" in told["people"]
    assert [each.split(" tells")[1] for each in told["facts"]] == [" of what is not there (STAFF)"]


# ---- no supervisor is there ----------------------------------------------------------------------


def standing_by(floor: Floor) -> tuple[str, str]:
    """Somebody of surveillance on the standby list, and somebody of compliance."""
    vera, cleo = somebody(floor, Role.SURVEILLANCE), somebody(floor, Role.COMPLIANCE)
    set_standby(floor.office, ada(floor), floor.sue, vera, listed=True)
    return vera, cleo


def manager(floor: Floor) -> Actor:
    return at_console(floor.office, MAX, secret_of(MAX), Permission.EMERGENCY_NAME)


def watcher(floor: Floor, name: str) -> Actor:
    return at_console(floor.office, name, secret_of(name), Permission.EMERGENCY_CONFIRM)


def test_an_emergency_approver_is_named_by_two_from_the_list_and_by_nobody_else(
    floor: Floor,
) -> None:
    office = floor.office
    with refuses("emergency.not_outside"):
        set_standby(office, ada(floor), floor.sue, WANDA, listed=True)
    with refuses("staff.second_needed"):
        set_standby(office, ada(floor), None, MAX, listed=True)
    vera, cleo = standing_by(floor)
    two = manager(floor), watcher(floor, cleo)
    for pair, name, code in (
        ((two[0], None), vera, "emergency.second_needed"),
        ((two[0], actor(floor, SUE)), vera, "staff.not_permitted"),
        ((actor(floor, SAM), two[1]), vera, "staff.not_permitted"),
        (two, cleo, "emergency.second_needed"),
        (two, WALT, "emergency.not_on_standby"),
        (two, "Nobody", "staff.unknown"),
    ):
        with refuses(code):
            name_approver(office, pair[0], pair[1], name)
    re_key(floor, vera)
    with refuses("approval.new_secret"):
        name_approver(office, *two, vera)
    set_standby(office, ada(floor), floor.sue, vera, listed=False)
    floor.pass_time(hours=24)
    with refuses("emergency.not_on_standby"):
        name_approver(office, *two, vera)
    floor.check_books()


def test_an_emergency_approver_has_a_supervisors_word_for_12_hours_and_each_act_says_so(
    floor: Floor,
) -> None:
    vera, cleo = standing_by(floor)
    wanda = floor.writing()
    numbers = [int(floor.sell(wanda)["number"]) for _ in range(2)]
    large = Sale("M", replace(LARGE, conditioning="80/1 @ 62.50", games=2), BILLS)
    dear = int(floor.sell(wanda, large)["number"])
    word = Approval(vera, secret_of(vera))

    def void(number: int) -> str:
        voiding = Voiding(number, "the paper is torn", None, word)
        who = floor.signed_in(WANDA)
        return outcome(lambda: void_ticket(floor.office, who, voiding, floor.request_id()))

    assert void(numbers[0]) == "staff.not_permitted"
    name_approver(floor.office, manager(floor), watcher(floor, cleo), vera)
    (alarm,) = [
        each
        for each in see_floor(floor.office, floor.signed_in(SUE, SECOND_STATION)).alarms
        if each.id.value == "emergency-approver"
    ]
    assert "MAX and NEW COMPLIANCE named them" in alarm.what
    assert void(numbers[0]) == "done"
    assert bodies(floor, "VOID")[-1]["emergency"] == [vera]
    assert void(dear) == "emergency.too_large"
    for permission in APPROVING - {Permission.APPROVE, Permission.EMERGENCY_CONFIRM}:
        with refuses("staff.not_permitted"):
            at_console(floor.office, vera, secret_of(vera), permission)
    floor.check_books()
    floor.pass_time(hours=12)
    assert void(numbers[1]) == "staff.not_permitted"


# ---- the attack ----------------------------------------------------------------------------------


def test_an_administrator_alone_has_neither_a_payment_approved_nor_a_card_in_force_within_a_day(
    floor: Floor, tmp_path: Path
) -> None:
    """Whatever she does with people, at the console, over the API and on the pages."""
    app = create_app(floor.office, archive=tmp_path)
    browser = Browser(app, floor, SATELLITE)
    browser.sign_in(ADA)
    people = rows(floor, "SELECT code, role, secret, disabled_at FROM staff ORDER BY code")
    itself = {"name": ADA, "secret": secret_of(ADA)}
    wrong = {"name": SUE, "secret": "a guess of hers"}
    for second in ({}, {"second": itself}, {"second": wrong}):
        for path, body in (
            ("staff", {"code": "EVE", "name": "Eve", "role": "supervisor", "secret": GIVEN}),
            ("staff", {"code": "OMA", "name": "Oma", "role": "outside-manager", "secret": GIVEN}),
            ("staff/secret", {"name": MAX, "secret": GIVEN}),
            ("staff/secret", {"name": SAM, "secret": GIVEN}),
        ):
            headers = {"X-Page-Token": browser.token, "Idempotency-Key": floor.request_id()}
            sent = browser.client.post(f"/api/v1/{path}", json=body | second, headers=headers)
            assert sent.status_code in {401, 403}, (path, second, sent.text)
        floor.pass_time(minutes=16)  # so that her guesses lock nobody
        browser.sign_in(ADA)
    assert rows(floor, "SELECT code, role, secret, disabled_at FROM staff ORDER BY code") == people


def test_two_made_up_people_whom_a_careless_supervisor_confirmed_get_nothing_for_a_day(
    floor: Floor,
) -> None:
    """Nor do they confirm each other, and every supervisor sees them meanwhile."""
    office = floor.office
    wanda = floor.writing()
    floor.sell(wanda)
    eve = come(floor, Role.SUPERVISOR, "Evil Eve")
    oma = come(floor, Role.OUTSIDE_MANAGER, "Evil Oma")
    come(floor, Role.ADMINISTRATOR, "Evil Ann")
    digest = bring_card(office, floor.sam, CARD.read_bytes() + b"# other\n")
    acts: tuple[Callable[[], object], ...] = (
        *(
            partial(at_console, office, name, secret_of(name), permission)
            for name, role in ((eve, Role.SUPERVISOR), (oma, Role.OUTSIDE_MANAGER))
            for permission in approving(role)
        ),
        partial(accept_card, office, actor(floor, oma), digest),
        partial(put_in_force, office, actor(floor, eve), digest),
        partial(add_person, office, ada(floor), actor(floor, eve), "X", "Ex", "writer", GIVEN),
        partial(give_secret, office, actor(floor, "Evil Ann"), floor.sue, MAX, GIVEN),
        partial(release_game, office, actor(floor, eve), actor(floor, oma), "M", 1, "why not"),
    )
    for hours in (0, 23):
        floor.pass_time(hours=hours)
        assert {outcome(act) for act in acts} == {"approval.new_person"}
        voiding = Voiding(1, "wrong", None, Approval(eve, secret_of(eve)))
        with refuses("approval.new_person"):
            void_ticket(office, floor.signed_in(WANDA), voiding, floor.request_id())
    alarms = see_floor(office, floor.signed_in(MAX)).alarms
    assert {each.of for each in alarms if each.id.value == "approver-new"} == {"EVE", "OMA", "ANN"}
    floor.check_books()


def actor(floor: Floor, name: str) -> Actor:
    """Somebody as an act is given them by a door that asked for something harmless."""
    return at_console(floor.office, name, secret_of(name), Permission.TICKET_QUOTE)
