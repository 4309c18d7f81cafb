"""What holds when a restored house goes on: nothing is paid, sold or drawn a second time."""

from collections.abc import Iterable
from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest

from app.audit.books import check_books
from app.audit.entry_copies import EntryCopy
from app.flow.access import Approval, at_console, choose_secret, disable_staff
from app.flow.approvals import approve_payment
from app.flow.backup import back_up
from app.flow.close_day import close_day
from app.flow.cosign import cosign_log
from app.flow.drawer import open_drawer
from app.flow.export import export_days
from app.flow.going_on import DRAWERS_LEFT_OUT, TICKETS_LEFT_OUT, end_hold
from app.flow.look_for import look_for_missing
from app.flow.new_origin import start_new_origin
from app.flow.pay import Paying, pay_ticket
from app.flow.permissions import Permission
from app.flow.present import present_ticket
from app.flow.refill import refill_log
from app.flow.refund import Refunding, refund_ticket
from app.flow.reprint import Seen, papers_at, say_printed
from app.flow.seal import seal_log
from app.flow.spool import next_paper, note_ending
from app.flow.staffing import add_person, enable_person
from app.flow.void import Voiding, void_ticket
from app.rng_client import NotNow
from printers.press import Press
from tests.audit.exporting import ExportedHouse, Forgery, codes, say
from tests.floor import ADA, MAX, RITA, SAM, SUE, WALT, WANDA, Floor, dollar, secret_of
from tests.keeping.evening import MAX_APPROVES, RICH, entries_of, every
from tests.keeping.house import restored
from tests.keeping.new_origin import SECOND, agree, lost_evening
from tests.keeping.noticing import PUT_BACK_BY_HAND
from tests.keeping.refill import refill, two
from tests.looking import bodies, refuses, rows, write

pytestmark = pytest.mark.rule("X-recovery")


def without(copy: Iterable[EntryCopy], *tags: str) -> list[EntryCopy]:
    """A copy in which entries of some kinds are bare leaves; of none: all of them."""
    return [
        replace(each, tag=None, salt=None, body=None) if not tags or each.tag in tags else each
        for each in copy
    ]


def winner_paid_after_backup(floor: Floor, file: Path) -> Paying:
    """A ticket that won before the backup, and was paid after it; and one more game."""
    wanda = floor.signed_in(WANDA)
    floor.open_drawer(wanda, RICH)
    number = floor.sell(wanda, every())["number"]
    floor.play()
    back_up(floor.office, file)
    paying = Paying(number, floor.code(number))
    pay_ticket(floor.office, wanda, paying, floor.request_id())
    floor.play()
    return paying


def pay(floor: Floor, paying: Paying) -> int:
    wanda = floor.signed_in(WANDA)
    paid: int = pay_ticket(floor.office, wanda, paying, floor.request_id())["win_cents"]
    return paid


# ---- the waiting ends on the inspector's word, or that of two ------------------------------------


def away(*_: object) -> None:
    raise NotNow("The inspector is away.")


def test_an_old_head_that_somebody_brings_does_not_end_the_waiting(
    floor: Floor, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    wanda = floor.writing()
    floor.sell(wanda)
    floor.play()
    old = floor.two_keys.newest_cosigned("keno.example/test")
    back_up(floor.office, tmp_path / "house.backup")
    floor.play()
    with restored(floor, tmp_path / "house.backup") as again:
        monkeypatch.setattr(again.two_keys, "newest_cosigned", away)
        looked = look_for_missing(again.office, old)
        assert looked.missing.is_complete  # as far as anybody knows
        assert not looked.goes_on
        assert "does not say what it has cosigned" in looked.words()
        with refuses("log.entries_missing"):
            again.sell(again.signed_in(WANDA))
        monkeypatch.undo()
        assert look_for_missing(again.office).missing.entries > 0
        # What was noticed once is not forgotten, whoever is away and whatever two people say.
        monkeypatch.setattr(again.two_keys, "newest_cosigned", away)
        assert look_for_missing(again.office, old).missing.entries > 0
        assert not look_for_missing(again.office, old, two(again)).goes_on
        with refuses("log.entries_missing"):
            again.sell(again.signed_in(WANDA))
        assert bodies(again, "RESTORED") == []


@pytest.mark.rule("X-audit-log")
def test_two_people_can_say_that_this_is_all_and_the_log_tells_who(
    floor: Floor, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    wanda = floor.writing()
    floor.sell(wanda)
    floor.play()
    back_up(floor.office, tmp_path / "house.backup")
    with restored(floor, tmp_path / "house.backup") as again:
        monkeypatch.setattr(again.two_keys, "newest_cosigned", away)
        with refuses("draw.not_ready"):
            look_for_missing(again.office)
        sam, max_ = two(again)
        sue = at_console(again.office, SUE, secret_of(SUE), Permission.HOUSE_KEEP)
        with refuses("amount.two_sides"):
            look_for_missing(again.office, None, (sam, sue))
        assert look_for_missing(again.office, None, (sam, max_)).goes_on
        ((size,),) = rows(again, "SELECT size FROM log_head")
        (told,) = bodies(again, "RESTORED")
        assert (told["supervisor"], told["manager"]) == ("SAM", "MAX")
        assert (told["inspector_answered"], told["size"]) == (False, size)
        assert told["head"] is not None
        again.sell(again.signed_in(WANDA))
        again.check_books()
        # A house that does not wait is as it was.
        monkeypatch.undo()
        assert look_for_missing(again.office).goes_on
        assert len(bodies(again, "RESTORED")) == 1


def test_the_log_tells_that_the_inspector_answered(floor: Floor, tmp_path: Path) -> None:
    floor.writing()
    floor.play()
    back_up(floor.office, tmp_path / "house.backup")
    with restored(floor, tmp_path / "house.backup") as again:
        look_for_missing(again.office)
        (told,) = bodies(again, "RESTORED")
        assert (told["inspector_answered"], told["supervisor"]) == (True, None)


# ---- tickets are held ----------------------------------------------------------------------------


@pytest.mark.rule("X-pay-refusals")
@pytest.mark.parametrize("way", ["bare leaf", "tiles", "whole", "new name"])
def test_a_ticket_that_may_have_been_paid_is_paid_only_with_a_manager(
    floor: Floor, tmp_path: Path, way: str
) -> None:
    paying = winner_paid_after_backup(floor, tmp_path / "house.backup")
    with restored(floor, tmp_path / "house.backup") as again:
        if way == "new name":
            look_for_missing(again.office)
            agree(again)
            start_new_origin(again.office, *two(again))
        elif way == "bare leaf":
            refill(again, without(entries_of(floor), "PAID"))
        elif way == "tiles":
            refill(again, without(entries_of(floor)))
        else:
            refill(again, entries_of(floor))
        if way == "whole":  # it is known that it was paid
            with refuses("ticket.already_paid"):
                pay(again, paying)
            return
        wanda = again.signed_in(WANDA)
        shown = present_ticket(again.office, wanda, paying.number, paying.code)
        assert [need["code"] for need in shown["needs"]] == ["approval.manager_needed"]
        assert "entries of the log were lost" in shown["needs"][0]["message"]
        with refuses("approval.manager_needed"):
            pay(again, paying)
        with refuses("approval.manager_needed"):
            pay(again, replace(paying, approval=Approval(SAM, secret_of(SAM))))
        assert pay(again, replace(paying, manager=MAX_APPROVES)) > 0
        told = bodies(again, "PAID")[-1]
        assert (told["held"], told["manager"]) == ("held: lost entries", "MAX")


def test_what_was_paid_after_the_last_cosigned_head_is_held(floor: Floor, tmp_path: Path) -> None:
    wanda = floor.signed_in(WANDA)
    floor.open_drawer(wanda, RICH)
    number = floor.sell(wanda, every())["number"]
    floor.play()
    back_up(floor.office, tmp_path / "house.backup")
    floor.play()
    paying = Paying(number, floor.code(number))
    pay_ticket(floor.office, wanda, paying, floor.request_id())
    with restored(floor, tmp_path / "house.backup") as again:
        assert refill(again, entries_of(floor)).lost == []
        with refuses("approval.manager_needed"):
            pay(again, paying)
        again.check_books()


def test_an_approval_from_before_a_restore_is_none_after_it(floor: Floor, tmp_path: Path) -> None:
    """It may have been used in what was lost."""
    wanda = floor.signed_in(WANDA)
    floor.open_drawer(wanda, RICH)
    number = floor.sell(wanda, every())["number"]
    floor.play()
    approve_payment(floor.office, floor.signed_in(MAX, "B2"), number, floor.request_id())
    back_up(floor.office, tmp_path / "house.backup")
    with restored(floor, tmp_path / "house.backup") as again:
        look_for_missing(again.office)
        paying = Paying(number, floor.code(number))
        with refuses("approval.manager_needed"):
            pay(again, paying)
        approve_payment(again.office, again.signed_in(MAX, "B2"), number, again.request_id())
        assert pay(again, paying) > 0
        again.check_books()


def test_a_held_ticket_is_voided_and_refunded_only_with_a_manager(
    floor: Floor, tmp_path: Path
) -> None:
    wanda = floor.signed_in(WANDA)
    floor.open_drawer(wanda, RICH)
    playing = floor.sell(wanda, dollar(games=4))["number"]
    floor.play()
    waiting = floor.sell(wanda)["number"]
    back_up(floor.office, tmp_path / "house.backup")
    with restored(floor, tmp_path / "house.backup") as again:
        look_for_missing(again.office)
        wanda = again.signed_in(WANDA)
        voiding = Voiding(waiting, "changed mind", floor.code(waiting))
        with refuses("approval.manager_needed"):
            void_ticket(again.office, wanda, voiding, again.request_id())
        voiding = replace(voiding, manager=MAX_APPROVES)
        void_ticket(again.office, wanda, voiding, again.request_id())
        (told,) = bodies(again, "VOID")
        assert (told["held"], told["manager"]) == ("held: lost entries", "MAX")
        refunding = Refunding(playing, "going home", floor.code(playing))
        with refuses("approval.manager_needed"):
            refund_ticket(again.office, wanda, refunding, again.request_id())
        refunding = replace(refunding, manager=MAX_APPROVES)
        refund_ticket(again.office, wanda, refunding, again.request_id())
        (told,) = bodies(again, "CANCEL")
        assert (told["held"], told["manager"]) == ("held: lost entries", "MAX")
        # What is sold from now on is as any other.
        again.void(wanda, again.sell(wanda)["number"])
        again.check_books()


@pytest.mark.rule("X-audit-books")
def test_the_books_find_what_went_out_over_a_held_ticket_without_a_manager(
    floor: Floor, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    paying = winner_paid_after_backup(floor, tmp_path / "house.backup")
    with restored(floor, tmp_path / "house.backup") as again:
        refill(again, without(entries_of(floor), "PAID"))
        with monkeypatch.context() as blind:
            blind.setattr("app.store.queries.keeping.held_since", lambda *_: None)
            pay(again, paying)
        with again.office.database.reading() as connection:
            found = check_books(connection, *again.books_keys)
        told = f"ticket {paying.number} was held, and paid without a manager"
        assert told in [fault.message for fault in found["approvals"]]


def test_two_people_end_the_hold_and_say_why(floor: Floor, tmp_path: Path) -> None:
    wanda = floor.signed_in(WANDA)
    floor.open_drawer(wanda, RICH)
    number = floor.sell(wanda, every())["number"]
    floor.play()
    back_up(floor.office, tmp_path / "house.backup")
    with refuses("ticket.none_held"):
        end_hold(floor.office, *two(floor), "nothing was lost")
    with restored(floor, tmp_path / "house.backup") as again:
        look_for_missing(again.office)
        sam, max_ = two(again)
        with refuses("amount.two_sides"):
            end_hold(again.office, sam, sam, "all papers compared")
        with refuses("reason.missing"):
            end_hold(again.office, sam, max_, " ")
        assert end_hold(again.office, sam, max_, "all papers compared") == number
        assert bodies(again, "HOLD-ENDED")[0]["reason"] == "all papers compared"
        assert pay(again, Paying(number, floor.code(number))) > 0
        again.check_books()


# ---- games that were drawn -----------------------------------------------------------------------


@pytest.mark.rule("X-draw-once")
@pytest.mark.parametrize("lost", [(), ("LOCK",), ("DRAW",), ("LOCK", "DRAW", "WINS", "CERTIFIED")])
def test_a_game_that_was_drawn_is_never_sold_for_again(
    floor: Floor, tmp_path: Path, lost: tuple[str, ...]
) -> None:
    wanda = floor.signed_in(WANDA)
    floor.open_drawer(wanda, RICH)
    number = floor.sell(wanda, every())["number"]
    back_up(floor.office, tmp_path / "house.backup")
    floor.sell(wanda)
    floor.play()
    drawn = rows(floor, "SELECT series, game, record FROM outcome")
    with restored(floor, tmp_path / "house.backup") as again:
        refill(again, without(entries_of(floor), *lost))
        assert rows(again, "SELECT series, game, record FROM outcome") == drawn
        assert again.sell(again.signed_in(WANDA), every())["first_game"] == 2
        with refuses("ticket.game_locked"):
            again.void(again.signed_in(WANDA), number)
        if again.state(1) != "certified":
            # Locked again, it is not the lock that it was drawn for: its tickets are looked into.
            expected = "certified" if lost == ("DRAW",) else "frozen"
            assert again.grade(1) == expected
        again.play()


@pytest.mark.rule("X-draw-once")
def test_a_game_whose_draw_was_begun_is_locked_and_drawn_with_the_same_words(
    floor: Floor, tmp_path: Path
) -> None:
    wanda = floor.writing()
    floor.sell(wanda)
    back_up(floor.office, tmp_path / "house.backup")
    floor.lock()
    cosign_log(floor.office, floor.two_keys)
    keyed = floor.keyed.started
    keyed.to_inspector.lose_answers_of.add("mark")  # the generator has its intent
    with pytest.raises(NotNow):
        floor.draw()
    keyed.to_inspector.lose_answers_of.clear()
    with restored(floor, tmp_path / "house.backup") as again:
        refill(again, without(entries_of(floor), "LOCK"))
        asked = "SELECT request FROM lock_statement"
        assert rows(again, asked) == rows(floor, asked)
        assert again.sell(again.signed_in(WANDA))["first_game"] == 2
        again.draw()
        assert again.grade(1) == "frozen"


@pytest.mark.rule("X-draw-once")
def test_a_locked_game_that_was_drawn_after_a_whole_backup_keeps_its_numbers(
    floor: Floor, tmp_path: Path
) -> None:
    """Nothing cosigned is missing, and yet the generator is ahead."""
    wanda = floor.writing()
    floor.sell(wanda)
    floor.lock()
    cosign_log(floor.office, floor.two_keys)
    back_up(floor.office, tmp_path / "house.backup")
    floor.draw()
    drawn = rows(floor, "SELECT series, game, record FROM outcome")
    with restored(floor, tmp_path / "house.backup") as again:
        cosigned = again.two_keys.newest_cosigned("keno.example/test")
        looked = look_for_missing(again.office)
        if not looked.goes_on:  # the draw had a newer head cosigned
            assert cosigned is not None
            refill_log(again.office, *two(again), entries_of(floor), "a copy")
        assert rows(again, "SELECT series, game, record FROM outcome") == drawn
        again.play()
        again.check_books()


@pytest.mark.rule("X-draw-once")
def test_under_a_new_name_nothing_is_sold_before_drawn_games_are_passed(
    floor: Floor, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lost_evening(floor, tmp_path / "house.backup")
    with restored(floor, tmp_path / "house.backup") as again:
        look_for_missing(again.office)
        agree(again)
        with monkeypatch.context() as context:
            context.setattr(again.two_keys, "standing", away)
            with refuses("draw.not_ready"):
                start_new_origin(again.office, *two(again))
        with refuses("log.entries_missing"):
            again.sell(again.signed_in(WANDA), every())
        assert start_new_origin(again.office, *two(again)).games == ["M-1", "M-2"]
        assert again.sell(again.signed_in(WANDA), every())["first_game"] == 3


# ---- numbers -------------------------------------------------------------------------------------


@pytest.mark.rule("X-ticket-gapless")
@pytest.mark.parametrize("way", ["complete", "refilled", "lost ticket"])
def test_no_number_is_on_two_tickets(floor: Floor, tmp_path: Path, way: str) -> None:
    wanda = floor.writing()
    floor.sell(wanda)
    floor.play()
    back_up(floor.office, tmp_path / "house.backup")
    if way != "complete":
        floor.sell(wanda)
        floor.play()
    on_paper = floor.sell(wanda)["number"]  # after the last cosigned head
    with restored(floor, tmp_path / "house.backup") as again:
        copy = entries_of(floor)
        if way == "complete":
            assert look_for_missing(again.office).goes_on
        else:
            refill(again, without(copy, "TICKET") if way == "lost ticket" else copy)
        sold = again.sell(again.signed_in(WANDA))["number"]
        assert sold > on_paper
        ((last, left_out),) = rows(again, "SELECT last_number, left_out FROM resumption")
        assert (sold, left_out >= TICKETS_LEFT_OUT) == (last + left_out + 1, True)
        (told,) = bodies(again, "RESTORED") + bodies(again, "REFILLED")
        assert (told["last_number"], told["numbers_left_out"]) == (last, left_out)
        assert again.sell(again.signed_in(WANDA))["number"] == sold + 1
        if way != "lost ticket":
            again.check_books()


@pytest.mark.rule("X-ticket-gapless")
def test_no_number_is_on_two_tickets_after_a_log_went_another_way(
    floor: Floor, tmp_path: Path
) -> None:
    wanda = floor.writing()
    back_up(floor.office, tmp_path / "house.backup")
    on_paper = [floor.sell(wanda)["number"] for _ in range(30)]
    cosign_log(floor.office, floor.two_keys)
    with restored(floor, tmp_path / "house.backup") as again:
        write(again, PUT_BACK_BY_HAND)
        again.sell(wanda)
        for _ in range(40):
            again.signed_in(WANDA, "B2")
        seal_log(again.office)
        assert look_for_missing(again.office).missing.other
        agree(again, fork=True)
        start_new_origin(again.office, *two(again))
        assert again.sell(again.signed_in(WANDA))["number"] > TICKETS_LEFT_OUT + on_paper[-1]


@pytest.mark.rule("X-drawer")
def test_a_drawer_keeps_its_number_and_the_next_one_has_another(
    floor: Floor, tmp_path: Path
) -> None:
    floor.writing()
    back_up(floor.office, tmp_path / "house.backup")
    walt = floor.signed_in(WALT, "B2")
    with refuses("drawer.verifier_needed"):
        open_drawer(floor.office, walt, RICH, floor.request_id(), None)
    drawer = floor.open_drawer(walt, RICH)["drawer"]
    assert bodies(floor, "DRAWER-OPEN")[-1]["drawer"] == drawer
    floor.close_drawer(walt, drawer, RICH)
    floor.play()
    with restored(floor, tmp_path / "house.backup") as again:
        lost = refill(again, entries_of(floor)).lost
        assert [tag for _, tag, _ in lost] == ["ENROL"]
        assert rows(again, "SELECT id, closed_at IS NULL FROM drawer ORDER BY id") == rows(
            floor, "SELECT id, closed_at IS NULL FROM drawer ORDER BY id"
        )
        sam = again.signed_in(SAM)
        wanda = again.signed_in(WANDA)
        again.close_drawer(wanda, 1, RICH)
        assert again.open_drawer(sam)["drawer"] == drawer + DRAWERS_LEFT_OUT + 1


@pytest.mark.rule("X-drawer")
def test_a_house_that_is_restored_twice_gives_no_drawer_number_twice(
    floor: Floor, tmp_path: Path
) -> None:
    """What the first restored house left out the second one leaves out as well."""
    file = tmp_path / "house.backup"
    floor.writing()
    floor.signed_in(WALT, "B2")
    back_up(floor.office, file)
    floor.play()
    with restored(floor, file) as again:
        refill(again, entries_of(floor))
        cosign_log(again.office, again.two_keys)
        copy = entries_of(again)
        # Of this one nobody knows in the house that is restored next.
        on_paper = again.open_drawer(again.signed_in(WALT, "B2"), RICH)["drawer"]
        with restored(again, file) as third:
            refill(third, copy)
            sam = third.signed_in(SAM, "B2")
            assert third.open_drawer(sam)["drawer"] == on_paper + DRAWERS_LEFT_OUT


# ---- names ---------------------------------------------------------------------------------------


def test_a_log_that_both_keys_gave_up_is_not_refilled(floor: Floor, tmp_path: Path) -> None:
    lost_evening(floor, tmp_path / "house.backup")
    with restored(floor, tmp_path / "house.backup") as again:
        look_for_missing(again.office)
        agree(again)
        with refuses("log.origin_agreed"):
            refill_log(again.office, *two(again), entries_of(floor), "found after all")
        start_new_origin(again.office, *two(again))
        again.sell(again.signed_in(WANDA))
        again.play()


def test_a_backup_from_before_a_new_name_is_refilled_and_takes_it_over(
    floor: Floor, tmp_path: Path
) -> None:
    lost_evening(floor, tmp_path / "house.backup")
    with restored(floor, tmp_path / "house.backup") as again:
        look_for_missing(again.office)
        agree(again)
        start_new_origin(again.office, *two(again))
        wanda = again.signed_in(WANDA)
        number = again.sell(wanda, every())["number"]
        again.play()
        with restored(again, tmp_path / "house.backup") as third:
            assert look_for_missing(third.office).missing.entries > 0
            with refuses("log.wrong_copy"):  # it must tell how the log got its name
                refill_log(
                    third.office, *two(third), without(entries_of(again), "NEW-ORIGIN"), "a copy"
                )
            refill_log(third.office, *two(third), entries_of(again), "a copy")
            assert third.office.house.log_origin == SECOND
            for columns in (
                "origin, size FROM log_origin",
                "number FROM ticket",
                "record FROM outcome",
            ):
                found = f"SELECT {columns} ORDER BY 1"
                assert rows(third, found) == rows(again, found)
            assert third.grade(3) == "certified"  # drawn after the last cosigned head
            paying = Paying(number, again.code(number), manager=MAX_APPROVES)
            assert pay(third, paying) > 0
            third.play()
            assert look_for_missing(third.office).goes_on


# ---- paper and people ----------------------------------------------------------------------------


@pytest.mark.rule("X-ticket-exactly-once")
def test_a_paper_that_waited_is_asked_about_and_comes_again_as_a_copy(
    floor: Floor, tmp_path: Path
) -> None:
    wanda = floor.writing()
    printer = floor.printer_at("B1")
    number = floor.sell(wanda)["number"]
    while sending := next_paper(floor.office, printer, Press()):
        if sending.entry == rows(floor, "SELECT entry FROM ticket")[0][0]:
            break
        note_ending(floor.office, sending, "confirmed", None)
    # One is being sent, and one waits.
    floor.sell(wanda)
    back_up(floor.office, tmp_path / "house.backup")
    with restored(floor, tmp_path / "house.backup") as again:
        assert next_paper(again.office, printer, Press()) is None
        look_for_missing(again.office)
        assert next_paper(again.office, printer, Press()) is None
        wanda = again.signed_in(WANDA)
        waiting = papers_at(again.office, wanda)["papers"]
        assert [each["state"] for each in waiting] == ["unknown", "unknown"]
        assert {each["question"] for each in waiting} == {"Did it print?"}
        seen = Seen(waiting[0]["paper"], 0, printed=False)
        say_printed(again.office, wanda, seen, again.request_id())
        copy = next_paper(again.office, printer, Press())
        assert copy is not None
        assert copy.copy == 1
        assert copy.data.startswith(Press().band(1, printer.roll))
        assert number == 1


def test_whoever_was_disabled_in_what_was_lost_does_not_refill(
    floor: Floor, tmp_path: Path
) -> None:
    floor.writing()
    back_up(floor.office, tmp_path / "house.backup")
    admin = floor.signed_in(ADA, "S1")
    disable_staff(floor.office, admin, SUE)
    disable_staff(floor.office, admin, SAM)
    ada = at_console(floor.office, ADA, secret_of(ADA), Permission.STAFF_MANAGE)
    second = at_console(floor.office, MAX, secret_of(MAX), Permission.STAFF_CONFIRM)
    enable_person(floor.office, ada, second, SAM)
    floor.play()
    with restored(floor, tmp_path / "house.backup") as again:
        look_for_missing(again.office)
        sue = at_console(again.office, SUE, secret_of(SUE), Permission.HOUSE_KEEP)
        with refuses("staff.disabled"):
            refill_log(again.office, sue, two(again)[1], entries_of(floor), "a copy")
        refill_log(again.office, *two(again), entries_of(floor), "a copy")
        disabled = "SELECT code FROM staff WHERE disabled_at IS NOT NULL"
        assert rows(again, disabled) == [("SUE",)]


@pytest.mark.rule("X-access", "X-ticket-gapless")
def test_what_a_new_person_sold_in_what_was_lost_is_paid(floor: Floor, tmp_path: Path) -> None:
    wanda = floor.signed_in(WANDA)
    floor.open_drawer(wanda, RICH)
    back_up(floor.office, tmp_path / "house.backup")
    ada = at_console(floor.office, ADA, secret_of(ADA), Permission.STAFF_MANAGE)
    add_person(floor.office, ada, floor.sue, "NORA", "Nora New", "writer", "given by Ada")
    own = ("Nora New", "given by Ada", secret_of("Nora New"))
    choose_secret(floor.office, floor.station("B2"), *own)
    nora = floor.signed_in("Nora New", "B2")
    floor.open_drawer(nora, RICH)
    number = floor.sell(nora, every())["number"]
    floor.play()
    with restored(floor, tmp_path / "house.backup") as again:
        lost = refill(again, entries_of(floor)).lost
        assert [tag for _, tag, _ in lost] == ["STAFF", "ENROL", "STAFF"]
        with refuses("staff.wrong_secret"):  # there is nobody of that name
            again.signed_in("Nora New")
        with refuses("staff.wrong_secret"):
            at_console(again.office, "NORA", secret_of("Nora New"), Permission.TICKET_SELL)
        assert again.grade(1) == "certified"
        assert pay(again, Paying(number, floor.code(number), manager=MAX_APPROVES)) > 0
        again.check_books()


@pytest.mark.rule("X-access")
def test_everybody_is_signed_out_when_a_restored_house_goes_on(
    floor: Floor, tmp_path: Path
) -> None:
    wanda = floor.writing()
    back_up(floor.office, tmp_path / "house.backup")
    with restored(floor, tmp_path / "house.backup") as again:
        look_for_missing(again.office)
        with refuses("staff.not_signed_in"):
            again.sell(wanda)
        again.sell(again.signed_in(WANDA))


def test_a_backup_does_not_write_over_a_file_that_comes_meanwhile(
    floor: Floor, tmp_path: Path
) -> None:
    file = tmp_path / "house.backup"

    def comes(_: int) -> None:
        file.write_text("another backup")

    with refuses("backup.file_there"):
        back_up(floor.office, file, comes)
    assert file.read_text() == "another backup"
    assert [each.name for each in tmp_path.iterdir() if "backup" in each.name] == [file.name]


# ---- what a regulator sees -----------------------------------------------------------------------


@pytest.mark.rule("X-audit-log", "X-pay-second-tier")
def test_a_day_on_which_a_house_was_restored_is_exported_and_verified(
    floor: Floor, tmp_path: Path
) -> None:
    wanda = floor.signed_in(WANDA)
    floor.open_drawer(wanda, RICH)
    number = floor.sell(wanda, every())["number"]
    floor.play()
    back_up(floor.office, tmp_path / "house.backup")
    day = date(2026, 11, 16)
    with restored(floor, tmp_path / "house.backup") as again:
        look_for_missing(again.office)
        wanda = again.signed_in(WANDA)
        again.sell(wanda)
        held = Paying(number, again.code(number), manager=MAX_APPROVES)
        pay_ticket(again.office, wanda, held, again.request_id())
        again.play()
        again.close_drawer(wanda, 1, RICH)
        again.pass_time(days=1)
        close_day(again.office, again.sam, day)
        cosign_log(again.office, again.two_keys)
        rita = at_console(again.office, RITA, secret_of(RITA), Permission.RECORDS_EXPORT)
        export_days(again.office, rita, day, day, tmp_path / "day.zip")
        keys = again.office.keys
    house = ExportedHouse(tmp_path, floor.keyed.public, keys.log, keys.office)
    report = Forgery.of(house, "day").verified(tmp_path / "forged.zip")
    assert report.faults == []
    assert any("a restored house left out the ticket numbers 2 to" in note for note in report.notes)
    forgery = Forgery.of(house, "day")
    say(forgery.tagged("PAID")[0], manager=None)
    forgery.sign_log()
    assert "approval.missing" in codes(forgery.verified(tmp_path / "forged.zip"))
    forgery = Forgery.of(house, "day")
    forgery.entries.remove(forgery.tagged("RESTORED")[0])
    forgery.sign_log()
    assert "ticket.gap" in codes(forgery.verified(tmp_path / "forged.zip"))
