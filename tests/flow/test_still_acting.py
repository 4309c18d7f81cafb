"""Whoever is disabled between being asked who they are and their act has it refused to them.

(X-access-disable.) The act is held up just there, so that it happens each time.
"""

import re
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from functools import partial
from pathlib import Path

import pytest

from app.flow import access, lockout, staffing
from app.flow.access import (
    Approval,
    Credentials,
    acting,
    at_console,
    disable_staff,
    disable_station,
    renew_enrolment,
    sign_out,
)
from app.flow.actor import Actor
from app.flow.approvals import approve_payment
from app.flow.bundle_jobs import ask_bundle
from app.flow.close_day import close_day
from app.flow.day import gaming_day
from app.flow.draw import ask_to_void
from app.flow.drawer import Closing, Minding, close_drawer, mind_drawer, open_drawer
from app.flow.going_on import end_hold
from app.flow.house_amounts import set_amount
from app.flow.house_settings import change_setting
from app.flow.lockout import lock_at_station, lock_game
from app.flow.open_game import open_first_game
from app.flow.override import override_close
from app.flow.permissions import Permission
from app.flow.present import present_ticket
from app.flow.print_wanted import Wanted, print_wanted
from app.flow.printers import PrinterPlan, set_printer, use_other_printer
from app.flow.rate_cards import accept_card, bring_card, put_in_force
from app.flow.release import release_game
from app.flow.report import Asked
from app.flow.report_jobs import (
    ask_again,
    ask_report,
    choose_report,
    note_fetched,
    queue_for_closed_days,
    stop_report,
)
from app.flow.reprint import Again, Seen, reprint, say_printed
from app.flow.retention import set_retention
from app.flow.schedule import change_schedule
from app.flow.settle_act import settle_act
from app.flow.spool import interrupted, next_paper, note_ending
from app.flow.tax_paper import file_tax_paper
from app.keno.amounts import Amount, Dated
from app.keno.drawer import DrawerAct
from app.keno.house_settings import Setting
from app.keno.retention import RecordKind
from app.reports.catalogue import Format
from app.store.queries.people import Worker
from app.store.queries.reports import newest_jobs
from app.store.records import house as house_records
from app.store.tables import Role, Slip
from app.store.unit import Unit
from app.web import create_app
from printers.press import Press
from tests.floor import (
    ADA,
    BANK,
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
from tests.flow.races import ON_POSTGRESQL, MakePause, in_turn, outcome, pause
from tests.looking import bodies, everything, refuses, write
from tests.story.cheats import by_coupon
from tests.story.paying import RICH, paper_of
from tests.waiting import PATIENCE

pytestmark = pytest.mark.both_engines

__all__ = ["pause"]  # the fixture

BEA = "Bea Boss"
OTHER_CARD = CARD.read_bytes() + b"# other\n"
FLOW = Path(access.__file__).parent


@pytest.fixture
def bea(floor: Floor) -> Credentials:
    """Another administrator, at a station of her own."""
    with floor.office.unit() as unit:
        secret = floor.office.hasher.hash(secret_of(BEA))
        house_records.add_staff(unit, "BEA", BEA, Role.ADMINISTRATOR, secret)
        unit.commit()
    return floor.signed_in(BEA, SATELLITE)


Acts = dict[str, Callable[[], object]]


def acts_of_ada(floor: Floor, ada: Actor) -> Acts:
    """What an administrator does."""
    office, sue = floor.office, floor.sue
    return {
        "add a person": lambda: staffing.add_person(
            office, ada, sue, "NEW", "New One", "writer", "a secret of twelve"
        ),
        "enable a person": lambda: staffing.enable_person(office, ada, sue, WALT),
        "enable oneself": lambda: staffing.enable_person(office, ada, sue, ADA),
        "give a secret": lambda: staffing.give_secret(office, ada, sue, WALT, "a secret of twelve"),
        "add a station": lambda: staffing.add_station(office, ada, "B3", "booth"),
        "enable a station": lambda: staffing.enable_station(office, ada, SECOND_STATION),
        "renew an enrolment": lambda: renew_enrolment(office, ada, SECOND_STATION),
        "set a printer": lambda: set_printer(
            office, ada, PrinterPlan("P9", "file:/nowhere/P9", "80mm", [FIRST_STATION])
        ),
    }


def acts_of_sam(floor: Floor, card: bytes, sam: Actor, max_: Actor) -> Acts:
    """What a supervisor does, some of it with a manager."""
    office, now = floor.office, floor.moment[0]
    today = gaming_day(now, office.house.time_zone, office.house.day_starts_minutes)
    dated = Dated(Amount.SECOND_TIER, today + timedelta(days=9), 100_000)
    return {
        "bring a card": lambda: bring_card(office, sam, OTHER_CARD + b"# more\n"),
        "accept a card": lambda: accept_card(office, sam, card),
        "put in force": lambda: put_in_force(office, sam, card),
        "override a close": lambda: override_close(office, sam, "M", 2, None, "a late bus"),
        "change a schedule": lambda: change_schedule(office, sam, "M", 300),
        "open a game": lambda: open_first_game(office, sam, "M"),
        "lock a game": lambda: lock_game(office, sam, "F"),
        "print elsewhere": lambda: use_other_printer(office, sam, FIRST_STATION, "P9"),
        "ask to void": lambda: ask_to_void(office, sam, "M", 1, "cannot be drawn"),
        "release a game": lambda: release_game(office, sam, max_, "M", 1, "looked into"),
        "close a day": lambda: close_day(office, sam, today),
        "choose a report": lambda: choose_report(office, sam, "voids", Format.CSV, chosen=True),
        "set an amount": lambda: set_amount(office, sam, max_, dated),
        "settle a number": lambda: change_setting(office, sam, max_, Setting.IDLE_MINUTES, 5),
        "settle a period": lambda: set_retention(office, sam, max_, RecordKind.TICKETS, 9_999),
        "end a hold": lambda: end_hold(office, sam, max_, "looked into"),
    }


def at(floor: Floor, name: str, permission: Permission) -> list[tuple[Credentials | None, Actor]]:
    """Somebody who was asked who they are: at a station, and at the console."""
    signed_in = floor.signed_in(name, SECOND_STATION)
    return [
        (signed_in, acting(floor.office, signed_in, permission)),
        (None, at_console(floor.office, name, secret_of(name), permission)),
    ]


def check_refused(floor: Floor, acts: Acts, code: str) -> None:
    before = everything(floor)
    told = {name: outcome(act) for name, act in acts.items()}
    assert told == dict.fromkeys(acts, code)
    assert everything(floor) == before


@pytest.mark.rule("X-access-disable")
def test_an_administrator_who_is_disabled_meanwhile_does_nothing_any_more(
    floor: Floor, bea: Credentials
) -> None:
    asked = at(floor, ADA, Permission.STAFF_MANAGE)
    disable_staff(floor.office, bea, ADA)
    assert len(asked) == 2
    for _, ada in asked:
        check_refused(floor, acts_of_ada(floor, ada), "staff.disabled")


@pytest.mark.rule("X-access-disable")
def test_a_supervisor_who_is_disabled_meanwhile_does_nothing_any_more(floor: Floor) -> None:
    floor.lock()
    asked = at(floor, SUE, Permission.GAME_RUN)
    max_ = at_console(floor.office, MAX, secret_of(MAX), Permission.GAME_RELEASE)
    card = bring_card(floor.office, floor.sam, OTHER_CARD)
    disable_staff(floor.office, floor.signed_in(ADA), SUE)
    assert len(asked) == 2
    for _, sue in asked:
        check_refused(floor, acts_of_sam(floor, card, sue, max_), "staff.disabled")


@pytest.mark.rule("X-access-disable")
def test_a_manager_who_is_disabled_meanwhile_is_no_second_person(floor: Floor) -> None:
    sam = at_console(floor.office, SAM, secret_of(SAM), Permission.GAME_RUN)
    max_ = at_console(floor.office, MAX, secret_of(MAX), Permission.GAME_RELEASE)
    acts = acts_of_sam(floor, b"", sam, max_)
    disable_staff(floor.office, floor.signed_in(ADA), MAX)
    together = "release a game", "set an amount", "settle a number", "settle a period", "end a hold"
    check_refused(floor, {name: acts[name] for name in together}, "staff.disabled")


@pytest.mark.rule("X-access-disable")
def test_at_a_station_that_is_disabled_meanwhile_nothing_is_done_any_more(
    floor: Floor, bea: Credentials
) -> None:
    (_, ada), (_, at_the_console) = at(floor, ADA, Permission.STAFF_MANAGE)
    disable_station(floor.office, bea, SECOND_STATION)
    check_refused(floor, acts_of_ada(floor, ada), "station.disabled")
    staffing.enable_person(floor.office, at_the_console, floor.sue, WALT)


@pytest.mark.rule("X-access")
def test_whoever_is_signed_out_meanwhile_or_has_another_station_does_nothing_any_more(
    floor: Floor, bea: Credentials
) -> None:
    (signed_in, ada), _ = at(floor, ADA, Permission.STAFF_MANAGE)
    assert signed_in is not None
    sign_out(floor.office, signed_in)
    check_refused(floor, acts_of_ada(floor, ada), "staff.not_signed_in")
    (_, ada), _ = at(floor, ADA, Permission.STAFF_MANAGE)
    renew_enrolment(
        floor.office, acting(floor.office, bea, Permission.STATION_MANAGE), SECOND_STATION
    )
    check_refused(floor, acts_of_ada(floor, ada), "station.not_enrolled")


@pytest.mark.rule("X-access-disable", "15.5(d)")
@pytest.mark.parametrize("out", [WANDA, SAM])
def test_a_lockout_of_two_is_refused_if_one_of_them_is_disabled_meanwhile(
    floor: Floor, monkeypatch: pytest.MonkeyPatch, out: str
) -> None:
    wanda, ada = floor.writing(), floor.signed_in(ADA, SECOND_STATION)
    lock = lockout._lock  # noqa: SLF001  what is behind the two who are asked

    def late(*given: object, **named: object) -> object:
        disable_staff(floor.office, ada, out)
        return lock(*given, **named)  # type: ignore[arg-type]

    monkeypatch.setattr(lockout, "_lock", late)
    with refuses("staff.disabled"):
        word = Approval(SAM, secret_of(SAM))
        lock_at_station(floor.office, wanda, "M", 1, word, "closing early")
    assert (bodies(floor, "LOCK"), floor.state(1)) == ([], "open")


def test_every_stage_that_is_given_who_acts_asks_whether_they_still_may() -> None:
    assert len(stages_given("Actor")) > 15
    asking = {name for name, text in stages_given("Actor").items() if "still_acting(" in text}
    assert set(stages_given("Actor")) - asking == set()


def test_every_stage_that_is_given_who_is_at_work_asks_behind_its_act_whether_they_still_are() -> (
    None
):
    """Each commits by `answer_once`, which asks; or holds who works; or asks for itself."""
    stages = {
        name: text
        for name, text in stages_given("Credentials").items()
        if re.search(r"\.commit\(\)|\banswer_(once|approved)\(|office\.unit\(\)", text)
    }
    assert len(stages) > 15
    asks = ["still_at_work(", "still_acting(", "hold_drawer", "answer_once(", "answer_approved("]
    asks.append("note_look_up(")  # it asks before it commits
    assert [name for name, text in stages.items() if not any(ask in text for ask in asks)] == []
    # And no unit of work of theirs is without it.
    for name, text in stages.items():
        for unit in re.split(r"(?=with office\.unit\(\))", text)[1:]:
            act = re.split(r"\n(?=def |class )", unit)[0]
            if ".commit()" in act and "(credentials, Permission." in act:
                assert "still_" in act, (name, act)


def stages_given(whom: str) -> dict[str, str]:
    """The source of every stage with an act that is given this, by its name."""
    given = re.compile(rf"^def [a-z]\w*\((?:[^()]|\([^()]*\))*: {whom}\b", re.MULTILINE)
    return {file.stem: text for file in FLOW.glob("*.py") if given.search(text := file.read_text())}


# ---- in the middle of an act ---------------------------------------------------------------------


DISABLED = "UPDATE staff SET disabled_at = now() WHERE role IN ('writer', 'supervisor')"


def acts_at_stations(floor: Floor) -> Acts:
    """What is done at stations without money that moves in a drawer, by Wanda, Walt and Sue."""
    office, day = floor.office, floor.moment[0].date()
    printer = floor.printer_at(FIRST_STATION)
    choose_report(office, floor.sam, "voids", Format.PDF, chosen=True)
    floor.pass_time(days=1)
    close_day(office, floor.sam, day)
    queue_for_closed_days(office)
    wanda, walt = floor.signed_in(WANDA), floor.signed_in(WALT, SECOND_STATION)
    sue = floor.signed_in(SUE, SATELLITE)
    floor.open_drawer(wanda, RICH)
    floor.sell(wanda, by_coupon("40.00", "A-1"))
    printed, unsure = (next_paper(office, printer, Press()) for _ in range(2))
    assert printed is not None
    assert unsure is not None
    note_ending(office, printed, "confirmed", None)
    assert interrupted(office, printer)  # now somebody is asked whether it came out
    floor.play()
    asked = Asked("voids", day, day, Format.PDF)
    job = ask_report(office, sue, asked, floor.request_id())["job"]
    with office.database.reading() as connection:
        of_close = next(each for each in newest_jobs(connection, 9) if each.is_of_close)
    left = Closing(1, BANK, reason="left behind")
    id_, max_ = floor.request_id, Approval(MAX, secret_of(MAX))
    seen, again = Seen(unsure.entry, unsure.copy, printed=True), Again("torn", printed.entry)
    return {
        "open a drawer": lambda: open_drawer(office, walt, BANK, id_(), max_),
        "mind a drawer": lambda: mind_drawer(office, wanda, Minding(1, DrawerAct.SUSPEND), id_()),
        "print": lambda: print_wanted(office, wanda, Wanted(Slip.TEST), id_()),
        "say that it printed": lambda: say_printed(office, wanda, seen, id_()),
        "print again": lambda: reprint(office, wanda, again, id_()),
        "settle an act": lambda: settle_act(office, wanda, id_()),
        "present a ticket": lambda: present_ticket(office, wanda, 1, floor.code(1)),
        "file a paper": lambda: file_tax_paper(office, wanda, paper_of(floor), id_()),
        "close a drawer": lambda: close_drawer(office, sue, left, id_(), max_),
        "approve": lambda: approve_payment(office, sue, 1, id_()),
        "ask for a report": lambda: ask_report(office, sue, asked, id_()),
        "ask for a bundle": lambda: ask_bundle(office, sue, day, day, id_()),
        "stop a report": lambda: stop_report(office, sue, job),
        "ask again": lambda: ask_again(office, sue, of_close.id),
        "fetch a report": lambda: note_fetched(office, sue, of_close),
    }


def stored(floor: Floor) -> dict[str, list[str]]:
    """Every row, in an order of its own: PostgreSQL puts one that was written again at the end."""
    return {table: sorted(map(repr, found)) for table, found in everything(floor).items()}


@ON_POSTGRESQL
@pytest.mark.rule("X-access-disable")
@pytest.mark.parametrize(
    ("out", "back", "code"),
    [
        pytest.param(DISABLED, "UPDATE staff SET disabled_at = NULL", "staff.disabled", id="out"),
        pytest.param(
            "UPDATE sign_in SET ended_at = now() WHERE ended_at IS NULL",
            "UPDATE sign_in SET ended_at = NULL",
            "staff.not_signed_in",
            id="signed out",
        ),
    ],
)
def test_whoever_is_out_before_their_act_is_done_has_not_done_it(
    floor: Floor, monkeypatch: pytest.MonkeyPatch, out: str, back: str, code: str
) -> None:
    """On SQLite there is one writer at a time: nobody is disabled in the middle of an act."""
    acts = acts_at_stations(floor)
    before = stored(floor)
    working, told = access.working, {}

    def then_out(unit: Unit, credentials: Credentials) -> Worker:
        who = working(unit, credentials)
        if unit.connection.get_isolation_level() == "READ COMMITTED":  # where it is done
            write(floor, out)
        return who

    for name, act in acts.items():
        with monkeypatch.context() as patched:
            patched.setattr(access, "working", then_out)
            told[name] = outcome(act)
        write(floor, back)
        assert stored(floor) == before, name
    assert told == dict.fromkeys(acts, code)
    for act in acts.values():  # and each of them can be done
        act()
    floor.check_books()


# ---- at the same time ----------------------------------------------------------------------------


@pytest.mark.rule("X-access-disable")
def test_an_administrator_cannot_undo_their_own_disabling_however_often_they_ask(
    floor: Floor, bea: Credentials, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Six requests are let in before the disabling, and act behind it."""
    app, ada = create_app(floor.office), floor.signed_in(ADA)
    let_in, go = threading.Barrier(7, timeout=PATIENCE), threading.Event()
    enable = staffing.enable_person

    def late(*given: object) -> None:
        let_in.wait()
        assert go.wait(PATIENCE)
        enable(*given)  # type: ignore[arg-type]

    monkeypatch.setattr(staffing, "enable_person", late)
    headers = {"X-Station": ada.station or "", "Authorization": f"Bearer {ada.token}"}

    def ask(_: int) -> str:
        body = {"name": ADA, "second": {"name": SUE, "secret": secret_of(SUE)}}
        answer = app.test_client().post("/api/v1/staff/enable", json=body, headers=headers)
        return str(answer.get_json(force=True).get("code", answer.status_code))

    with ThreadPoolExecutor(6) as threads:
        asked = threads.map(ask, range(6))
        let_in.wait()
        disable_staff(floor.office, bea, ADA)
        go.set()
        assert list(asked) == ["staff.disabled"] * 6
    with refuses("staff.disabled"):
        floor.signed_in(ADA, SECOND_STATION)
    changes = [body["change"] for body in bodies(floor, "STAFF") if body["staff"] == "ADA"]
    assert changes == ["added", "disabled"]


@pytest.mark.rule("X-access-disable")
def test_nobody_enables_themselves(floor: Floor) -> None:
    (_, at_station), (_, at_the_console) = at(floor, ADA, Permission.STAFF_MANAGE)
    for ada in (at_station, at_the_console):
        with refuses("staff.oneself"):
            staffing.enable_person(floor.office, ada, floor.sue, ADA)


@pytest.mark.rule("X-access-disable", "X-audit-log")
def test_a_disabling_waits_for_an_act_that_is_under_way_and_stands_behind_it_in_the_log(
    floor: Floor, bea: Credentials, pause: MakePause
) -> None:
    (_, ada), _ = at(floor, ADA, Permission.STAFF_MANAGE)
    told = in_turn(
        floor,
        pause(house_records, "enable_staff"),
        partial(staffing.enable_person, floor.office, ada, floor.sue, WALT),
        partial(disable_staff, floor.office, bea, ADA),
    )
    assert told == [None, None]
    changes = [(body["staff"], body["change"]) for body in bodies(floor, "STAFF")]
    assert changes[-2:] == [("WALT", "enabled"), ("ADA", "disabled")]


@pytest.mark.rule("X-access-disable")
def test_of_two_who_disable_each_others_stations_at_once_one_is_left(
    floor: Floor, bea: Credentials, pause: MakePause
) -> None:
    ada = floor.signed_in(ADA)
    told = in_turn(
        floor,
        pause(house_records, "disable_station"),
        partial(disable_station, floor.office, ada, SATELLITE),
        partial(disable_station, floor.office, bea, FIRST_STATION),
    )
    assert told == [None, "station.disabled"]


@pytest.mark.rule("X-access-disable")
def test_two_who_enable_each_other_at_once_do_not_wait_for_each_other(
    floor: Floor, bea: Credentials, pause: MakePause
) -> None:
    ada = acting(floor.office, floor.signed_in(ADA), Permission.STAFF_MANAGE)
    other = acting(floor.office, bea, Permission.STAFF_MANAGE)
    told = in_turn(
        floor,
        pause(house_records, "enable_staff"),
        partial(staffing.enable_person, floor.office, ada, floor.sue, BEA),
        partial(staffing.enable_person, floor.office, other, floor.sue, ADA),
    )
    assert told == [None, "approval.new_secret"]  # who was enabled enables nobody for a day
