"""Settlement and certification: what every ticket won, worked out twice (X-grade-twice)."""

import shutil
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from app.flow import certify, settle
from app.flow.access import at_console
from app.flow.certify import certify_game
from app.flow.lockout import lock_game
from app.flow.look_up import look_up
from app.flow.permissions import Permission
from app.flow.release import release_game
from app.flow.sell import Sale
from app.flow.settle import settle_game
from app.keno import bulk, grading
from app.keno.grading import GameGrade
from app.keno.request import Request
from app.keno.tender import Tender, TenderKind
from app.rng_client import NotNow
from app.store.queries import games as game_queries
from app.store.queries import settling as settling_queries
from app.store.queries.games import SoldFile
from app.store.records import tickets as ticket_records
from app.store.tables import Role
from app.store.unit import Unit
from tests.floor import CARD, MAX, SUE, Floor, dollar, secret_of
from tests.flow.access import somebody
from tests.looking import bodies, refuses, rows, write
from tests.story.settlement import BILLS, frozen_floor, one_more, rich, rounded_down, sell_many

LIMIT = 10_000_000
ON_SQLITE = pytest.mark.parametrize("floor", ["sqlite"], indirect=True)
ON_POSTGRESQL = pytest.mark.parametrize("floor", ["postgresql"], indirect=True)


@pytest.mark.rule("X-grade-twice", "15.5(d)", "15.2(c)1", "15.2(c)3", "15.2(c)5")
def test_tickets_of_every_kind_are_graded_twice_and_the_game_is_payable(floor: Floor) -> None:
    sell_many(floor)
    number = floor.play()
    (settled,) = bodies(floor, "WINS")
    (certified,) = bodies(floor, "CERTIFIED")
    assert settled["winners"] == certified["winners"] > 0
    assert settled["tickets"] == certified["tickets"] == 40
    assert settled["win_cents"] == settled["paid_cents"] > 0
    owed = "SELECT account, sum(cents) FROM posting WHERE account LIKE 'wins%' GROUP BY account"
    assert {account: int(cents) for account, cents in rows(floor, owed)} == {
        "wins": settled["paid_cents"],
        "wins-payable": -settled["paid_cents"],
    }
    assert floor.state(number) == "certified"
    floor.check_books()


@pytest.mark.rule("15.2(c)6", "X-card-version")
def test_a_multi_race_ticket_is_graded_in_each_of_its_games(floor: Floor) -> None:
    wanda = floor.writing()
    ones = Request(tuple((n,) for n in range(1, 41)), "40/1 @ 1.00", games=3)
    floor.sell(wanda, Sale("M", ones, BILLS))
    for _ in range(4):
        floor.play()
    tickets = [body["tickets"] for body in bodies(floor, "WINS")]
    assert tickets == [1, 1, 1, 0]
    floor.check_books()


@pytest.mark.rule("X-not-decided")
def test_a_ticket_is_not_decided_before_its_game_is_certified(floor: Floor) -> None:
    wanda = floor.writing()
    every = Request(tuple((n,) for n in range(1, 81)), "80/1 @ 1.00")
    floor.sell(wanda, Sale("M", every, BILLS))

    sue = floor.signed_in(SUE, "B2")  # a writer is not shown what a ticket has won

    def standing() -> tuple[str, int]:
        found = look_up(floor.office, sue, 1)
        return found["standing"], found["win_cents"]

    assert standing() == ("open", 0)
    floor.lock()
    assert standing() == ("not-decided", 0)
    floor.draw()
    assert standing() == ("not-decided", 0)
    settle_game(floor.office, "M", 1)
    assert standing() == ("not-decided", 0)
    floor.grade(1)
    assert standing() == ("win", 20 * 300)
    assert look_up(floor.office, sue, 1)["explanation"] == "A win of $60.00."


@pytest.mark.rule("X-not-decided", "15.4(d)-pay")
def test_a_multi_race_ticket_is_in_play_until_its_last_game(floor: Floor) -> None:
    wanda = floor.writing()
    floor.sell(wanda, dollar(games=2))
    floor.play()
    found = look_up(floor.office, wanda, 1)
    assert (found["standing"], found["explanation"]) == (
        "in-play",
        "The ticket plays until game M-2.",
    )
    floor.play()
    assert look_up(floor.office, wanda, 1)["standing"] in {"win", "no-win"}


# ---- the aggregate limit -------------------------------------------------------------------------


@pytest.mark.rule("X-aggregate-sheet", "15.3(e)")
def test_wins_above_the_aggregate_limit_are_shared_with_a_sheet(floor: Floor) -> None:
    rich(floor)
    number = floor.play()
    (settled,) = bodies(floor, "WINS")
    assert (settled["win_cents"], settled["limit_cents"]) == (17 * 600_000, LIMIT)
    assert settled["paid_cents"] == LIMIT
    shares = [int(cents) for (cents,) in rows(floor, "SELECT cents FROM share ORDER BY ticket")]
    assert sum(shares) == LIMIT
    assert shares == [588_236] * 5 + [588_235] * 12  # the odd cents go to the lowest numbers
    assert floor.state(number) == "certified"
    found = look_up(floor.office, floor.signed_in(SUE, "B2"), 1)
    assert (found["standing"], found["win_cents"]) == ("win", shares[0])
    floor.check_books()


ONE_NUMBER_PAYS_ALWAYS = (
    CARD.read_text()
    .replace("ticket_max_cents = 1_000_000", "ticket_max_cents = 30_000_000", 1)
    .replace("rate_max_cents = 10_000", "rate_max_cents = 30_000_000", 1)
    .replace("1 = { 1 = 300 }", "1 = { 0 = 60, 1 = 150 }", 1)
)


@pytest.mark.rule("X-aggregate-sheet", "15.3(e)", "X-grade-twice")
def test_of_straight_wins_that_were_cut_to_the_limit_the_largest_gets_the_odd_cent(
    floor: Floor,
) -> None:
    """Each of the three wins more than the limit, whatever is drawn; cut to it they are equal."""
    floor.put_in_force(ONE_NUMBER_PAYS_ALWAYS.encode())
    floor.pass_time(hours=2)
    floor.play()  # the next game opens on that card
    wanda, rates = floor.writing(), (20_000_000, 21_000_000, 22_000_000)
    for rate in rates:
        request = Request(((8,),), f"1/1 @ {rate // 100}.00")
        floor.sell(wanda, Sale("M", request, (Tender(TenderKind.CURRENCY, rate),)))
    number = floor.play()
    drawn = bodies(floor, "DRAW")[-1]["numbers"]
    percent = 150 if 8 in drawn else 60
    won = rows(floor, "SELECT cents, uncut_cents FROM win ORDER BY ticket")
    assert won == [(LIMIT, rate * percent // 100) for rate in rates]
    shares = rows(floor, "SELECT cents FROM share ORDER BY ticket")
    assert [int(cents) for (cents,) in shares] == [3_333_333, 3_333_333, 3_333_334]
    assert floor.state(number) == "certified"
    floor.check_books()


# ---- mistakes of the first grader ----------------------------------------------------------------


def one_cent_more(wins: "np.ndarray[Any, Any]") -> "np.ndarray[Any, Any]":
    return np.where(wins > 0, wins + 1, wins)


def none_at_all(wins: "np.ndarray[Any, Any]") -> "np.ndarray[Any, Any]":
    return np.zeros_like(wins)


def everyone(wins: "np.ndarray[Any, Any]") -> "np.ndarray[Any, Any]":
    return wins + 100


@pytest.mark.rule("X-grade-twice")
@pytest.mark.parametrize("mistake", [one_cent_more, none_at_all, everyone])
def test_a_mistake_in_bulk_grading_freezes_the_game(
    floor: Floor,
    monkeypatch: pytest.MonkeyPatch,
    mistake: Callable[["np.ndarray[Any, Any]"], "np.ndarray[Any, Any]"],
) -> None:
    wanda = floor.writing()
    for number in range(1, 81):
        floor.sell(wanda, Sale("M", Request(((number,),), "1/1 @ 1.00"), BILLS))
    right = bulk.Grader.wins_cents

    def wrong(grader: bulk.Grader, plays: bulk.Plays, draw: int) -> "np.ndarray[Any, Any]":
        return mistake(right(grader, plays, draw))

    monkeypatch.setattr(bulk.Grader, "wins_cents", wrong)
    floor.lock()
    floor.draw()
    assert floor.grade(1) == "frozen"
    (body,) = bodies(floor, "FROZEN")
    assert len(body["differences"]) >= 20


def a_line_forgotten(graded: GameGrade) -> GameGrade:
    win = sum((line.win for line in graded.lines[1:]), Fraction(0))
    return GameGrade(graded.lines, win, int(win), graded.capped)


@pytest.mark.rule("X-grade-twice")
@pytest.mark.parametrize("mistake", [a_line_forgotten, rounded_down])
def test_a_mistake_in_grading_ways_freezes_the_game_and_no_other(
    floor: Floor, monkeypatch: pytest.MonkeyPatch, mistake: Callable[[GameGrade], GameGrade]
) -> None:
    wanda = floor.writing()
    ways = Request(tuple((n,) for n in range(1, 81)), "80/1 @ 1.00", games=2)
    floor.sell(wanda, Sale("M", ways, BILLS))
    right = grading.grade_game
    floor.lock()
    floor.draw()
    with monkeypatch.context() as patched:
        patched.setattr(settle, "grade_game", lambda *given: mistake(right(*given)))
        assert floor.grade(1) == "frozen"
    found = look_up(floor.office, wanda, 1)
    assert found["standing"] == "in-play"
    assert floor.play() == 2  # the next game is not held up
    found = look_up(floor.office, floor.signed_in(SUE, "B2"), 1)
    assert (found["standing"], found["win_cents"]) == ("frozen", 20 * 300)
    assert "M-1" in found["explanation"]


@pytest.mark.rule("X-grade-twice")
def test_a_ticket_that_settlement_overlooks_freezes_the_game(
    floor: Floor, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is graded is not what was locked."""
    sell_many(floor, 5)
    floor.lock()
    floor.draw()
    played = settling_queries.played

    def overlooked(*given: Any) -> Any:  # noqa: ANN401
        for batch in played(*given):
            yield batch[1:]

    monkeypatch.setattr(settling_queries, "played", overlooked)
    assert floor.grade(1) == "frozen"
    (body,) = bodies(floor, "FROZEN")
    assert any("tickets, handle, winners and wins are" in said for said in body["differences"])


@pytest.mark.rule("X-grade-twice", "X-lock-seal")
@pytest.mark.parametrize(("tickets", "cents"), [(1, 0), (0, 100)])
def test_a_game_whose_lock_says_more_than_both_graders_find_is_frozen(
    floor: Floor, monkeypatch: pytest.MonkeyPatch, tickets: int, cents: int
) -> None:
    """A ticket was lost between the lock and the grading: both graders miss it."""
    wanda = floor.writing()
    for _ in range(5):
        floor.sell(wanda)
    sold_file = game_queries.sold_file

    def with_one_more(*given: Any) -> SoldFile:  # noqa: ANN401
        sold = sold_file(*given)
        handle_cents = sold.handle_cents + cents
        return replace(sold, tickets=sold.tickets + tickets, handle_cents=handle_cents)

    with monkeypatch.context() as patched:
        patched.setattr(game_queries, "sold_file", with_one_more)
        floor.lock()
    floor.draw()
    assert floor.grade(1) == "frozen"
    (body,) = bodies(floor, "FROZEN")
    told = f"the lock says {5 + tickets} tickets for {500 + cents} cents"
    assert body["differences"] == [told]


@pytest.mark.rule("X-grade-twice", "X-aggregate-sheet")
def test_a_mistake_in_sharing_freezes_the_game(
    floor: Floor, monkeypatch: pytest.MonkeyPatch
) -> None:
    rich(floor)

    def first_come(wins: Sequence[int], limit: int, *_: object) -> tuple[int, ...]:
        paid, left = [], limit
        for win in wins:
            paid.append(min(win, left))
            left -= paid[-1]
        return tuple(paid)

    monkeypatch.setattr(settle, "prorate", first_come)
    floor.lock()
    floor.draw()
    assert floor.grade(1) == "frozen"


@pytest.mark.rule("X-grade-twice", "X-aggregate-sheet")
def test_a_cent_moved_from_one_winner_to_another_freezes_the_game_even_if_all_are_paid_the_same(
    floor: Floor, monkeypatch: pytest.MonkeyPatch
) -> None:
    rich(floor)
    graded = settle._graded  # noqa: SLF001  the first grader, in which the fault is planted

    def moved(*given: Any) -> Any:  # noqa: ANN401
        for batch, won in graded(*given):
            (first, *more), *others, (last, uncut, cents) = won
            more = [cents + 1 for cents in more]
            yield batch, [(first, *more), *others, (last, uncut, cents - 1)]

    monkeypatch.setattr(settle, "_graded", moved)
    floor.lock()
    floor.draw()
    assert floor.grade(1) == "frozen"
    shares = [int(cents) for (cents,) in rows(floor, "SELECT cents FROM share ORDER BY ticket")]
    assert shares == [588_236] * 5 + [588_235] * 12  # as if nothing had happened
    (body,) = bodies(floor, "FROZEN")
    assert body["differences"] == [
        "ticket 1 won 600000, not 600001",
        "ticket 1 won 600000 before any limit, not 600001",
        "ticket 17 won 600000, not 599999",
    ]


@pytest.mark.rule("X-grade-twice", "X-recovery")
@pytest.mark.parametrize("missing", ["mark.pem", "*.pem"])
def test_without_the_public_keys_a_game_waits_for_its_certification(
    floor: Floor, missing: str, tmp_path: Path
) -> None:
    """Nothing is wrong with the game: it is not frozen, and goes on when they are back."""
    sell_many(floor, 5)
    floor.lock()
    floor.draw()
    settle_game(floor.office, "M", 1)
    public = shutil.copytree(floor.keyed.public, tmp_path / "public")
    for path in public.glob(missing):
        path.unlink()
    with pytest.raises(NotNow, match="public keys"):
        certify_game(floor.office, floor.keyed.processes(public), "M", 1)
    assert floor.state(1) == "settled"
    assert floor.grade(1) == "certified"


# ---- what the second grader reads ----------------------------------------------------------------


@ON_SQLITE  # whose guards can be dropped by hand
@pytest.mark.rule("X-grade-twice", "X-audit-log")
def test_a_body_that_was_changed_behind_its_leaf_freezes_the_game(floor: Floor) -> None:
    sell_many(floor, 5)
    floor.lock()
    floor.draw()
    write(floor, "DROP TRIGGER log_entry_no_update")
    changed = "UPDATE log_entry SET body = replace(body, :old, :new) WHERE tag = 'TICKET'"
    write(floor, changed, old='"games":1', new='"games":2')
    assert floor.grade(1) == "frozen"
    (body,) = bodies(floor, "FROZEN")
    assert "does not commit to the body" in body["differences"][0]


@ON_POSTGRESQL  # on SQLite there is one writer at a time, and nothing can slip in
@pytest.mark.rule("X-grade-twice", "15.3(c)", "X-lock-server")
def test_a_ticket_behind_the_lock_of_its_game_freezes_it(
    floor: Floor, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The lock of the database is taken away, and a sale slips in behind the LOCK entry."""
    wanda, sam = floor.writing(), floor.sam
    for name in ("share_series", "lock_series"):
        monkeypatch.setattr(Unit, name, lambda _unit, _series: None)
    take_number = ticket_records.next_number

    def locked_meanwhile(unit: Unit) -> tuple[int, datetime]:
        monkeypatch.setattr(ticket_records, "next_number", take_number)
        lock_game(floor.office, sam, "M")
        return take_number(unit)

    monkeypatch.setattr(ticket_records, "next_number", locked_meanwhile)
    floor.sell(wanda)
    floor.draw()
    floor.lock("F")  # so that the late entry is sealed
    assert floor.grade(1) == "frozen"
    (body,) = bodies(floor, "FROZEN")
    assert "ticket 1 was sold behind its lock" in body["differences"]


@pytest.mark.rule("X-grade-twice")
def test_a_game_is_certified_although_another_is_released_at_that_moment(
    floor: Floor, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The release drops the second grader's book, which is then read anew."""
    wanda, sam = floor.writing(), floor.sam
    floor.sell(wanda, Sale("F", Request(((1,), (2,)), "2/1 @ 1.00"), BILLS))
    floor.sell(wanda)
    number = floor.lock("F")
    floor.draw("F")
    right = grading.grade_game
    with monkeypatch.context() as patched:
        patched.setattr(settle, "grade_game", lambda *given: one_more(right(*given)))
        assert floor.grade(number, "F") == "frozen"
    floor.lock()
    floor.draw()
    manager = at_console(floor.office, MAX, secret_of(MAX), Permission.GAME_RELEASE)
    read_to = certify._read_to  # noqa: SLF001  the moment at which the other is released

    def then_released(*given: Any) -> None:  # noqa: ANN401
        read_to(*given)
        monkeypatch.setattr(certify, "_read_to", read_to)
        release_game(floor.office, sam, manager, "F", number, "mended")

    monkeypatch.setattr(certify, "_read_to", then_released)
    assert floor.grade(1) == "certified"
    assert floor.grade(number, "F") == "certified"
    floor.check_books()


# ---- released ------------------------------------------------------------------------------------


@pytest.mark.rule("X-grade-twice")
def test_a_frozen_game_is_graded_again_when_two_people_release_it(
    floor: Floor, monkeypatch: pytest.MonkeyPatch
) -> None:
    frozen_floor(floor, monkeypatch)
    numbers = rows(floor, "SELECT numbers FROM outcome")
    manager = at_console(floor.office, MAX, secret_of(MAX), Permission.GAME_RELEASE)
    release_game(floor.office, floor.sam, manager, "M", 1, "the grader was mended")
    assert floor.grade(1) == "certified"
    assert rows(floor, "SELECT numbers FROM outcome") == numbers
    assert [body["run"] for body in bodies(floor, "WINS")] == [1, 2]
    floor.check_books()


@pytest.mark.rule("X-access", "X-grade-twice")
def test_nobody_releases_a_game_alone_without_reason_or_one_that_is_not_frozen(
    floor: Floor, monkeypatch: pytest.MonkeyPatch
) -> None:
    office, sam = floor.office, floor.sam
    manager = at_console(office, MAX, secret_of(MAX), Permission.GAME_RELEASE)
    with refuses("game.not_frozen"):
        release_game(office, sam, manager, "M", 1, "why not")
    frozen_floor(floor, monkeypatch)
    with refuses("staff.not_permitted"):
        release_game(office, sam, sam, "M", 1, "why not")
    with refuses("staff.not_permitted"):
        release_game(office, manager, manager, "M", 1, "why not")
    keno = somebody(floor, Role.KENO_MANAGER)  # who may do either, and not both
    alone = at_console(office, keno, secret_of(keno), Permission.GAME_RELEASE)
    with refuses("approval.same_person"):
        release_game(office, alone, alone, "M", 1, "why not")
    with refuses("reason.missing"):
        release_game(office, sam, manager, "M", 1, " ")
