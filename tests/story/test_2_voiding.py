"""Stage 3 of the flow, taken back: a ticket is voided before its game is locked (15.4(e))."""

import re
from dataclasses import replace
from datetime import timedelta
from itertools import pairwise
from pathlib import Path

import pytest

from app.entropy import system_entropy
from app.flow.access import Approval, Credentials
from app.flow.asking import Answer
from app.flow.code_tries import ONE_CODE_IN
from app.flow.codes import DIGITS, validation_code
from app.flow.keys import KEY_BYTES, make_keys, read_keys
from app.flow.lockout import lock_game
from app.flow.plays import Changes
from app.flow.refusals import REASON_MAX
from app.flow.sell import Sale
from app.flow.void import Voiding, void_ticket
from app.keno.numbering import printed_number
from app.keno.tender import Tender, TenderKind
from app.store.queries import tickets
from tests.floor import (
    ADA,
    IKE,
    MAX,
    NOON,
    RITA,
    SAM,
    SATELLITE,
    SECOND_STATION,
    SUE,
    WALT,
    WANDA,
    Floor,
    dollar,
    secret_of,
)
from tests.looking import bodies, everything, postings, refuses, rows

CHIPS, CASH, COIN, COUPON = (
    TenderKind.CHIPS,
    TenderKind.CURRENCY,
    TenderKind.COIN,
    TenderKind.COUPON,
)
SAM_APPROVES = Approval(SAM, secret_of(SAM))


def void(
    floor: Floor,
    credentials: Credentials,
    voiding: Voiding,
    request: str | None = None,
) -> Answer:
    return void_ticket(floor.office, credentials, voiding, request or floor.request_id())


def without_code(number: int = 1, by: Approval | None = SAM_APPROVES) -> Voiding:
    return Voiding(number, "paper lost", None, by)


def is_void(floor: Floor, number: int = 1) -> bool:
    return bool(rows(floor, "SELECT 1 FROM void WHERE ticket = :number", number=number))


# ---- on the paper's authority --------------------------------------------------------------------


@pytest.mark.rule("15.4(e)-void", "X-ticket-validation")
def test_the_code_from_the_paper_voids_a_ticket_at_the_station_that_issued_it(floor: Floor) -> None:
    wanda = floor.writing()
    floor.sell(wanda)
    back = [{"kind": "currency", "cents": 100}]
    assert floor.void(wanda, 1) == {"number": 1, "back": back, "back_cents": 100}
    assert is_void(floor)
    floor.check_books()


@pytest.mark.rule("X-audit-log")
def test_the_log_tells_all_of_a_void(floor: Floor) -> None:
    wanda = floor.writing()
    floor.sell(wanda)
    floor.void(wanda, 1, request="void-request")
    (body,) = bodies(floor, "VOID")
    ((leaf,),) = rows(
        floor, "SELECT leaf FROM log_entry JOIN ticket ON ticket.entry = log_entry.id"
    )
    assert re.fullmatch(r"2026-11-16T17:00:\d\d\.\d{3}Z", body.pop("voided_at"))
    assert body == {
        "label": "keno/void",
        "version": 1,
        "house": "Test House",
        "ticket": 1,
        "ticket_leaf": bytes(leaf).hex(),
        "series": "M",
        "first_game": 1,
        "price_cents": 100,
        "back": [{"kind": "currency", "cents": 100}],
        "issued_at": "B1",
        "station": "B1",
        "writer": "WANDA",
        "approver": None,
        "with_code": True,
        "reason": "changed mind",
        "request_id": "void-request",
    }


def test_spaces_between_the_digits_of_a_code_do_not_count(floor: Floor) -> None:
    wanda = floor.writing()
    floor.sell(wanda)
    code = floor.code(1)
    spaced = " ".join(code[place : place + 5] for place in range(0, DIGITS, 5))
    floor.void(wanda, 1, f" {spaced}\t")
    assert is_void(floor)


@pytest.mark.rule("X-ticket-validation")
def test_a_wrong_code_is_refused_and_logged_with_who_tried_it_where(floor: Floor) -> None:
    wanda = floor.writing()
    floor.sell(wanda)
    before = len(bodies(floor, "REFUSED"))
    with refuses("ticket.wrong_code"):
        floor.void(wanda, 1, "0" * DIGITS)
    assert not is_void(floor)
    body = bodies(floor, "REFUSED")[before:]
    assert [told["code"] for told in body] == ["ticket.wrong_code"]
    assert body[0]["facts"] == {"ticket": 1, "station": "B1", "staff": "WANDA"}
    floor.void(wanda, 1)
    floor.check_books()


@pytest.mark.rule("X-ticket-validation")
def test_a_wrong_code_is_refused_even_if_a_supervisor_approves(floor: Floor) -> None:
    wanda = floor.writing()
    floor.sell(wanda)
    with refuses("ticket.wrong_code"):
        void(floor, wanda, Voiding(1, "changed mind", "0" * DIGITS, SAM_APPROVES))
    with refuses("ticket.wrong_code"):
        void(floor, wanda, Voiding(1, "changed mind", "", SAM_APPROVES))
    assert not is_void(floor)


@pytest.mark.rule("X-ticket-validation")
def test_a_code_with_any_one_digit_altered_is_refused(floor: Floor) -> None:
    wanda = floor.writing()
    floor.sell(wanda)
    code = floor.code(1)
    for place in range(DIGITS):
        altered = code[:place] + str((int(code[place]) + 1) % 10) + code[place + 1 :]
        floor.moment[0] += ONE_CODE_IN
        with refuses("ticket.wrong_code"):
            floor.void(wanda, 1, altered)
    for other in (
        code[:-1],
        code + "0",
        code[2:],
        code.translate({48 + d: 0x660 + d for d in range(10)}),
    ):
        floor.moment[0] += ONE_CODE_IN
        with refuses("ticket.wrong_code"):
            floor.void(wanda, 1, other)
    assert len(bodies(floor, "REFUSED")) == DIGITS + 4


@pytest.mark.rule("X-ticket-validation")
def test_the_code_of_another_ticket_is_refused(floor: Floor) -> None:
    wanda = floor.writing()
    floor.sell(wanda)
    floor.sell(wanda)
    with refuses("ticket.wrong_code"):
        floor.void(wanda, 1, floor.code(2))


@pytest.mark.rule("X-ticket-validation")
def test_a_code_cannot_be_derived_from_a_number(floor: Floor) -> None:
    """Two houses, or one ticket's number in two worlds, have nothing in common but the form."""
    wanda = floor.writing()
    for _ in range(20):
        floor.sell(wanda)
    codes = [floor.code(number) for number in range(1, 21)]
    assert len(set(codes)) == 20
    steps = {int(later) - int(code) for code, later in pairwise(codes)}
    assert len(steps) == 19
    key, leaf = floor.office.keys.validation[1], bytes(32)
    here = validation_code(floor.office.keys, 1, 7, leaf)
    elsewhere = replace(floor.office.keys, validation={1: bytes(KEY_BYTES)})
    assert validation_code(elsewhere, 1, 7, leaf) != here
    assert validation_code(floor.office.keys, 1, 8, leaf) != here
    assert validation_code(floor.office.keys, 1, 7, key) != here
    assert re.fullmatch(r"01[0-9]{23}", here)


@pytest.mark.rule("X-ticket-validation")
def test_after_a_key_is_added_new_tickets_use_it_and_old_codes_still_check(
    floor: Floor, tmp_path: Path
) -> None:
    wanda = floor.writing()
    floor.sell(wanda)
    floor.sell(wanda)
    old_code = floor.code(1)
    make_keys(tmp_path / "keys", system_entropy)
    old, second = floor.office.keys, tmp_path / "keys" / "validation-2.key"
    (tmp_path / "keys" / "validation-1.key").write_bytes(old.validation[1].hex().encode())
    second.touch(mode=0o600)
    second.write_bytes(system_entropy(KEY_BYTES).hex().encode())
    floor.office.keys = replace(read_keys(tmp_path / "keys"), log_key=old.log)
    floor.sell(wanda)
    assert rows(floor, "SELECT number, code_key FROM ticket") == [(1, 1), (2, 1), (3, 2)]
    assert (floor.code(1), floor.code(3)[:2]) == (old_code, "02")
    floor.void(wanda, 1, old_code)
    with refuses("ticket.wrong_code"):  # ticket 2 was not made with the new key
        floor.void(wanda, 2, "02" + floor.code(2)[2:])
    code, both = floor.code(3), floor.office.keys
    floor.office.keys = replace(both, validation=old.validation)  # as a machine that was forgotten
    with refuses("ticket.key_not_here"):
        floor.void(wanda, 3, code)
    floor.office.keys = both
    floor.void(wanda, 3)
    floor.check_books()


@pytest.mark.rule("X-ticket-validation")
def test_no_code_is_stored_anywhere(floor: Floor) -> None:
    wanda = floor.writing()
    for _ in range(3):
        floor.sell(wanda)
    floor.void(wanda, 1)
    with refuses("ticket.wrong_code"):
        floor.void(wanda, 2, floor.code(3))
    void(floor, wanda, without_code(2))
    floor.lock()
    found = everything(floor)
    assert {"ticket", "log_entry", "asked", "print_job", "void"} <= found.keys()
    said = repr(found)
    assert printed_number(3) in said  # or the search would find nothing whatever is there
    for number in (1, 2, 3):
        code = floor.code(number)
        assert code not in said
        assert code[2:] not in said
        assert code.encode().hex() not in said.lower()


# ---- on a supervisor's authority -----------------------------------------------------------------


@pytest.mark.rule("15.4(e)-void", "X-access")
def test_without_the_code_only_a_supervisor_lets_a_ticket_be_voided(floor: Floor) -> None:
    wanda = floor.writing()
    floor.sell(wanda)
    with refuses("approval.needed"):
        void(floor, wanda, without_code(by=None))
    assert not is_void(floor)
    void(floor, wanda, without_code())
    (body,) = bodies(floor, "VOID")
    assert (body["with_code"], body["approver"], body["writer"]) == (False, "SAM", "WANDA")
    floor.check_books()


@pytest.mark.rule("15.4(e)-void", "X-access")
def test_at_another_station_even_the_code_needs_a_supervisor(floor: Floor) -> None:
    wanda, walt = floor.writing(), floor.writing(WALT, SECOND_STATION)
    floor.sell(wanda)
    with refuses("approval.needed"):
        floor.void(walt, 1)
    void(floor, walt, Voiding(1, "patron moved on", floor.code(1), SAM_APPROVES))
    (body,) = bodies(floor, "VOID")
    assert (body["issued_at"], body["station"], body["approver"]) == ("B1", "B2", "SAM")
    floor.check_books()


@pytest.mark.rule("X-drawer")
def test_another_writer_at_the_issuing_station_cannot_void_from_the_open_drawer(
    floor: Floor,
) -> None:
    floor.sell(floor.writing())
    with refuses("drawer.not_open"):  # it is Wanda's
        floor.void(floor.signed_in(WALT), 1)
    assert not is_void(floor)


@pytest.mark.rule("X-access")
@pytest.mark.parametrize("name", [WANDA, WALT, MAX, ADA, RITA])
def test_nobody_but_a_supervisor_approves(floor: Floor, name: str) -> None:
    wanda = floor.writing()
    floor.sell(wanda)
    with refuses("staff.not_permitted"):
        void(floor, wanda, without_code(by=Approval(name, secret_of(name))))
    assert not is_void(floor)


@pytest.mark.rule("X-access")
def test_a_supervisor_approves_with_their_own_secret_only(floor: Floor) -> None:
    wanda = floor.writing()
    floor.sell(wanda)
    for name, secret in ((SAM, secret_of(SUE)), (SAM, ""), (IKE, secret_of(IKE))):
        with refuses("staff.wrong_secret"):
            void(floor, wanda, without_code(by=Approval(name, secret)))
    assert not is_void(floor)
    told = [body["code"] for body in bodies(floor, "REFUSED")]
    assert told == ["staff.wrong_secret"] * 3


@pytest.mark.rule("X-access")
def test_a_supervisor_at_work_as_a_writer_never_approves_their_own_void(floor: Floor) -> None:
    sam = floor.writing(SAM)
    floor.sell(sam)
    with refuses("approval.needed"):
        void(floor, sam, without_code(by=None))
    with refuses("approval.same_person"):
        void(floor, sam, without_code())
    with refuses("approval.same_person"):  # nor where no approval was needed
        void(floor, sam, Voiding(1, "changed mind", floor.code(1), SAM_APPROVES))
    void(floor, sam, without_code(by=Approval(SUE, secret_of(SUE))))
    assert [body["approver"] for body in bodies(floor, "VOID")] == ["SUE"]


@pytest.mark.rule("15.3(a)", "X-access")
def test_whoever_is_not_at_work_cannot_try_a_supervisors_secret(floor: Floor) -> None:
    """Or an intruder could guess it, and lock every supervisor out, from anywhere."""
    wanda = floor.writing()
    floor.sell(wanda)
    guess = without_code(by=Approval(SAM, "a guess"))
    for _ in range(6):
        with refuses("station.not_enrolled"):
            void(floor, Credentials("made up", "made up"), guess)
        with refuses("staff.not_signed_in"):
            void(floor, Credentials(wanda.station, "made up"), guess)
    with refuses("staff.not_permitted"):
        void(floor, floor.signed_in(RITA, SECOND_STATION), guess)
    assert rows(floor, "SELECT failed_tries FROM staff WHERE code = 'SAM'") == [(0,)]
    void(floor, wanda, without_code())


@pytest.mark.rule("X-audit-log")
def test_a_wrong_secret_of_an_approver_is_logged_with_the_station(floor: Floor) -> None:
    wanda = floor.writing()
    floor.sell(wanda)
    with refuses("staff.wrong_secret"):
        void(floor, wanda, without_code(by=Approval(SAM, "a guess")))
    assert bodies(floor, "REFUSED")[-1]["facts"] == {"name": SAM, "where": "B1"}


# ---- when it may be ------------------------------------------------------------------------------


@pytest.mark.rule("15.4(e)-void")
@pytest.mark.parametrize("reason", ["", "  \t ", "x" * (REASON_MAX + 1)])
def test_a_void_needs_a_reason_in_a_few_words(floor: Floor, reason: str) -> None:
    wanda = floor.writing()
    floor.sell(wanda)
    with refuses("reason.missing"):
        void(floor, wanda, Voiding(1, reason, floor.code(1)))
    assert not is_void(floor)
    void(floor, wanda, Voiding(1, "x" * REASON_MAX, floor.code(1)))


def test_a_ticket_that_never_was_cannot_be_voided(floor: Floor) -> None:
    wanda = floor.writing()
    floor.sell(wanda)
    for number in (0, 2, -1):
        with refuses("ticket.unknown"):
            void(floor, wanda, Voiding(number, "changed mind", "0" * DIGITS))


@pytest.mark.rule("15.3(c)", "15.4(e)-void", "X-lock-server")
def test_after_the_lock_a_ticket_stands_as_printed(floor: Floor) -> None:
    wanda = floor.writing()
    floor.sell(wanda)
    floor.lock()
    with refuses("ticket.game_locked"):
        floor.void(wanda, 1)
    with refuses("ticket.game_locked"):
        void(floor, wanda, without_code())
    assert not is_void(floor)
    floor.check_books()


@pytest.mark.rule("15.3(c)")
def test_the_lock_of_another_series_keeps_nobody_from_voiding(floor: Floor) -> None:
    wanda = floor.writing()
    floor.sell(wanda)
    floor.lock("F")
    floor.void(wanda, 1)
    floor.check_books()


@pytest.mark.rule("15.5(d)")
def test_from_its_closing_time_on_a_game_has_no_voids(floor: Floor) -> None:
    wanda = floor.writing()
    closes_at = floor.moment[0] + timedelta(minutes=5)
    lock_game(floor.office, floor.sam, "M", next_closes_at=closes_at)
    floor.sell(wanda)
    floor.sell(wanda)
    floor.void(wanda, 1)
    floor.pass_time(minutes=5)
    with refuses("game.closed"):
        floor.void(wanda, 2)
    floor.check_books()


@pytest.mark.rule("15.4(e)-void")
def test_a_multi_race_ticket_is_voided_whole_and_only_before_its_first_game(floor: Floor) -> None:
    wanda = floor.writing()
    for _ in range(2):
        floor.sell(wanda, dollar(games=5))
    assert floor.void(wanda, 1)["back_cents"] == 500
    floor.lock()
    with refuses("ticket.game_locked"):
        floor.void(wanda, 2)
    assert [body["tickets"] for body in bodies(floor, "LOCK")] == [1]
    floor.lock()
    assert [body["handle_cents"] for body in bodies(floor, "LOCK")] == [100, 100]
    floor.check_books()


@pytest.mark.rule("15.4(e)-void")
def test_a_ticket_is_voided_once(floor: Floor) -> None:
    wanda = floor.writing()
    floor.sell(wanda)
    floor.void(wanda, 1)
    with refuses("ticket.already_void"):
        floor.void(wanda, 1)
    with refuses("ticket.already_void"):
        void(floor, wanda, without_code())
    floor.lock()
    with refuses("ticket.already_void"):
        floor.void(wanda, 1)
    assert rows(floor, "SELECT count(*) FROM void") == [(1,)]
    floor.check_books()


@pytest.mark.rule("X-ticket-exactly-once")
def test_the_same_request_id_again_is_the_same_void(floor: Floor) -> None:
    wanda = floor.writing()
    floor.sell(wanda)
    first = floor.void(wanda, 1, request="double-click")
    assert floor.void(wanda, 1, request="double-click") == first
    floor.lock()
    assert void(floor, wanda, Voiding(1, "changed mind"), "double-click") == first
    assert rows(floor, "SELECT count(*) FROM print_job WHERE slip = 'void'") == [(1,)]
    floor.check_books()


@pytest.mark.rule("X-ticket-exactly-once")
def test_a_request_id_that_was_used_for_something_else_voids_nothing(floor: Floor) -> None:
    wanda = floor.writing()
    floor.sell(wanda, request="one-and-the-same")
    with refuses("request_id.other_content"):
        floor.void(wanda, 1, request="one-and-the-same")
    floor.sell(wanda)
    floor.void(wanda, 1, request="first-void")
    with refuses("request_id.other_content"):
        floor.void(wanda, 2, request="first-void")
    with refuses("request_id.missing"):
        void_ticket(floor.office, wanda, Voiding(2, "changed mind", floor.code(2)), None)
    assert not is_void(floor, 2)


@pytest.mark.rule("X-ticket-exactly-once")
def test_a_refused_void_leaves_its_request_id_free(floor: Floor) -> None:
    wanda = floor.writing()
    floor.sell(wanda)
    with refuses("ticket.wrong_code"):
        floor.void(wanda, 1, "0" * DIGITS, request="tired-writer")
    assert floor.void(wanda, 1, request="tired-writer")["number"] == 1


@pytest.mark.rule("X-drawer")
def test_nothing_is_voided_without_an_open_drawer(floor: Floor) -> None:
    wanda = floor.writing()
    floor.sell(wanda)
    sue = floor.signed_in(SUE, SECOND_STATION)
    with refuses("drawer.not_open"):
        void(floor, sue, without_code())
    assert not is_void(floor)


# ---- money back ----------------------------------------------------------------------------------


@pytest.mark.rule("15.3(b)", "15.4(e)-void")
@pytest.mark.parametrize(
    ("tender", "back"),
    [
        ([Tender(CASH, 100)], [("currency", 100)]),
        ([Tender(CASH, 2_000)], [("currency", 100)]),
        ([Tender(CHIPS, 500)], [("chips", 100)]),
        ([Tender(COIN, 40), Tender(CASH, 100)], [("coin", 40), ("currency", 60)]),
        ([Tender(CHIPS, 25), Tender(COIN, 75)], [("chips", 25), ("coin", 75)]),
        ([Tender(CASH, 500), Tender(COUPON, 60, "C1")], [("coupon", 60), ("currency", 40)]),
        ([Tender(COUPON, 100, "C1")], [("coupon", 100)]),
        ([Tender(TenderKind.TOKENS, 100), Tender(CASH, 5)], [("tokens", 100)]),
    ],
)
def test_the_price_goes_back_as_what_it_was_paid_with(
    floor: Floor, tender: list[Tender], back: list[tuple[str, int]]
) -> None:
    wanda = floor.writing()
    floor.sell(wanda, replace(dollar(), tender=tuple(tender)))
    answer = floor.void(wanda, 1)
    assert [(part["kind"], part["cents"]) for part in answer["back"]] == back
    moved = [
        ("coupons", None, -cents) if kind == "coupon" else ("drawer", kind, -cents)
        for kind, cents in back
    ]
    assert postings(floor, "VOID") == [*moved, ("prepaid", None, 100)]
    floor.check_books()


@pytest.mark.rule("15.3(b)")
def test_the_money_comes_out_of_the_drawer_of_whoever_voids(floor: Floor) -> None:
    wanda, walt = floor.writing(), floor.writing(WALT, SECOND_STATION)
    floor.sell(wanda)
    void(floor, walt, Voiding(1, "patron moved on", floor.code(1), SAM_APPROVES))
    found = (
        "SELECT station.code, sum(cents) FROM posting JOIN drawer ON drawer.id = posting.drawer "
        "JOIN station ON station.id = drawer.station GROUP BY station.code ORDER BY station.code"
    )
    assert [(code, int(cents)) for code, cents in rows(floor, found)] == [
        ("B1", 55_100),
        ("B2", 54_900),
    ]
    floor.check_books()


@pytest.mark.rule("15.3(b)")
def test_a_coupon_of_a_void_ticket_can_be_used_again_and_only_once(floor: Floor) -> None:
    wanda = floor.writing()
    with_coupon = replace(dollar(), tender=(Tender(COUPON, 100, "C1"),))
    floor.sell(wanda, with_coupon)
    floor.void(wanda, 1)
    assert floor.sell(wanda, with_coupon)["number"] == 2
    with refuses("coupon.spent"):
        floor.sell(wanda, with_coupon)
    with refuses("ticket.already_void"):  # which would set the coupon free a second time
        floor.void(wanda, 1)
    assert rows(floor, "SELECT serial, ticket FROM coupon") == [("C1", 2)]
    floor.check_books()


@pytest.mark.rule("X-ticket-replay")
def test_a_void_ticket_can_be_played_again_as_a_new_one(floor: Floor) -> None:
    wanda = floor.writing()
    floor.sell(wanda)
    floor.void(wanda, 1)
    again = floor.sell(wanda, Sale("M", Changes(), (Tender(CASH, 100),), replay_of=1))
    assert again["number"] == 2
    with refuses("ticket.wrong_code"):
        floor.void(wanda, 2, floor.code(1))
    floor.check_books()


# ---- paper ---------------------------------------------------------------------------------------


@pytest.mark.rule("X-void-slip")
def test_every_void_prints_a_slip_where_it_is_made(floor: Floor) -> None:
    wanda, walt = floor.writing(), floor.writing(WALT, SECOND_STATION)
    floor.sell(wanda)
    with refuses("approval.needed"):
        floor.void(walt, 1)
    slips = (
        "SELECT station.code, print_job.payload, log_entry.tag FROM print_job "
        "JOIN station ON station.id = print_job.station "
        "JOIN log_entry ON log_entry.id = print_job.entry WHERE slip = 'void'"
    )
    assert rows(floor, slips) == []
    void(floor, walt, Voiding(1, "patron moved on", floor.code(1), SAM_APPROVES))
    assert rows(floor, slips) == [("B2", '{"ticket":1}', "VOID")]


@pytest.mark.rule("15.4(e)-list")
def test_the_daily_list_has_every_void_under_the_station_that_issued_the_ticket(
    floor: Floor,
) -> None:
    wanda, walt = floor.writing(), floor.writing(WALT, SECOND_STATION)
    sue = floor.writing(SUE, SATELLITE)
    floor.sell(walt, dollar(games=2))
    floor.sell(wanda)
    floor.sell(wanda)
    floor.sell(sue, dollar("F"))
    floor.void(walt, 1)
    void(floor, walt, Voiding(2, "patron moved on", floor.code(2), SAM_APPROVES))
    floor.void(sue, 4)
    with floor.office.database.reading() as connection:
        found = tickets.voids_between(connection, NOON, NOON + timedelta(days=1))
        ((sam,),) = rows(floor, "SELECT id FROM staff WHERE code = 'SAM'")
        lines = [
            (v.issued_at, v.ticket, v.voided_at_station, v.voided_by, v.approver, v.with_code)
            for v in found
        ]
        assert lines == [
            ("B1", 2, "B2", "WALT", sam, True),
            ("B2", 1, "B2", "WALT", None, True),
            ("S1", 4, "S1", "SUE", None, True),
        ]
        assert [(v.price_cents, v.reason) for v in found] == [
            (100, "patron moved on"),
            (200, "changed mind"),
            (100, "changed mind"),
        ]
        moments = sorted(v.voided_at for v in found)
        # A day ends where the next begins: a void is in one list only.
        first = tickets.voids_between(connection, NOON, moments[1])
        rest = tickets.voids_between(connection, moments[1], moments[2] + timedelta(hours=1))
        assert sorted(v.ticket for v in first) == [1]
        assert sorted(v.ticket for v in rest) == [2, 4]
