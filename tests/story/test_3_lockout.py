"""Stage 4 of the flow: no more sales and voids for a game; the next one opens (15.5(d))."""

import re
from dataclasses import replace
from datetime import datetime, timedelta

import pytest

from app.audit.checkpoints import checkpoint_of, short_seal
from app.flow.lockout import lock_game
from app.flow.open_game import open_first_game
from app.flow.plays import Changes
from app.flow.quote import quote_request
from app.flow.sell import Sale
from app.keno.request import Request
from app.keno.tender import Tender, TenderKind
from app.software import software_hash
from app.store.queries import games, log
from app.store.queries.games import GameRow
from app.store.tables import GameState
from tests.floor import CARD, SATELLITE, WALT, WANDA, Floor, dollar
from tests.looking import bodies, postings, refuses, rows, write

pytestmark = pytest.mark.both_engines

CASH = (Tender(TenderKind.CURRENCY, 2_000),)


def game(floor: Floor, number: int, series: str = "M") -> GameRow:
    with floor.office.database.reading() as connection:
        found = games.game(connection, series, number)
    assert found is not None
    return found


def another_card() -> bytes:
    return CARD.read_bytes().replace(b'"Test card"', b'"Second card"')


def balance(floor: Floor, account: str) -> int:
    found = "SELECT coalesce(sum(cents), 0) FROM posting WHERE account = :account"
    return int(rows(floor, found, account=account)[0][0])


# ---- the lock ------------------------------------------------------------------------------------


@pytest.mark.rule("15.5(d)", "15.5(b)")
def test_a_lock_ends_a_game_and_opens_the_next(floor: Floor) -> None:
    assert floor.lock() == 1
    locked, following = game(floor, 1), game(floor, 2)
    assert (locked.state, locked.tickets, locked.handle_cents) == (GameState.LOCKED, 0, 0)
    assert (following.state, following.tickets, following.handle_cents) == (
        GameState.OPEN,
        None,
        None,
    )
    assert locked.locked_at is not None
    assert locked.opened_at < locked.locked_at <= following.opened_at
    floor.check_books()


@pytest.mark.rule("X-lock-seal", "X-audit-log")
def test_the_log_tells_all_of_a_lock(floor: Floor) -> None:
    wanda = floor.writing()
    floor.sell(wanda)
    floor.sell(wanda, dollar(games=3))
    floor.lock()
    (body,) = bodies(floor, "LOCK")
    card = floor.sell(wanda)["rate_card"]
    assert re.fullmatch(r"2026-11-16T17:00:\d\d\.\d{3}Z", body.pop("locked_at"))
    assert body == {
        "label": "keno/lock",
        "version": 1,
        "house": "Test House",
        "series": "M",
        "game": 1,
        "tickets": 2,
        "handle_cents": 200,
        "cards": [card],
        "closes_at": None,
        "gaming_day": "2026-11-16",
        "software": software_hash(),
        "by": {"staff": "SAM", "role": "supervisor", "at": "console"},
    }
    opened = bodies(floor, "GAME")[-1]
    assert (opened["series"], opened["game"], opened["card"]) == ("M", 2, card)


@pytest.mark.rule("X-recovery")
def test_lock_and_opening_happen_both_or_not_at_all(
    floor: Floor, monkeypatch: pytest.MonkeyPatch
) -> None:
    floor.sell(floor.writing())

    def crash(*_: object) -> None:
        raise RuntimeError("the power went")

    with monkeypatch.context() as broken:
        broken.setattr("app.store.records.games.add_game", crash)
        with pytest.raises(RuntimeError):
            floor.lock()
    assert game(floor, 1).state is GameState.OPEN
    assert bodies(floor, "LOCK") == []
    assert balance(floor, "write") == 0
    floor.check_books()
    assert floor.lock() == 1
    floor.check_books()


@pytest.mark.rule("X-recovery")
def test_a_game_that_could_not_open_keeps_the_one_before_from_being_locked(floor: Floor) -> None:
    """A lock without a next game would leave a house that sells nothing, and says not why."""
    drop = "DROP TRIGGER card_term_only_added ON card_term"
    if floor.office.database.is_sqlite:
        drop = "DROP TRIGGER card_term_no_delete"
    write(floor, drop, "DELETE FROM card_term")
    with refuses("card.none_in_force"):
        floor.lock()
    assert game(floor, 1).state is GameState.OPEN


@pytest.mark.rule("X-recovery", "X-lock-seal")
def test_a_lock_whose_sealing_failed_is_sealed_by_the_next(
    floor: Floor, monkeypatch: pytest.MonkeyPatch
) -> None:
    floor.sell(floor.writing())

    def crash(*_: object) -> None:
        raise RuntimeError("the power went")

    with monkeypatch.context() as broken:
        broken.setattr("app.flow.lockout.seal_log", crash)
        with pytest.raises(RuntimeError):
            floor.lock()
    assert game(floor, 1).state is GameState.LOCKED
    assert game(floor, 2).state is GameState.OPEN
    floor.check_books()
    floor.lock()
    waiting = "SELECT count(*) FROM log_pending JOIN log_entry ON log_entry.id = entry"
    assert rows(floor, f"{waiting} WHERE tag = 'LOCK'") == [(0,)]
    floor.check_books()


@pytest.mark.rule("15.5(b)")
def test_locking_twice_locks_the_next_game(floor: Floor) -> None:
    wanda = floor.writing()
    floor.sell(wanda)
    assert (floor.lock(), floor.lock(), floor.lock()) == (1, 2, 3)
    assert [body["tickets"] for body in bodies(floor, "LOCK")] == [1, 0, 0]
    assert floor.sell(wanda)["first_game"] == 4
    floor.check_books()


@pytest.mark.rule("15.5(d)", "X-recovery")
def test_whoever_names_the_game_locks_that_one_once(floor: Floor) -> None:
    """Pressed twice, the button locks one game."""
    assert lock_game(floor.office, floor.sam, "M", 1) == 1
    with refuses("game.locked"):
        lock_game(floor.office, floor.sam, "M", 1)
    with refuses("game.not_open_yet"):
        lock_game(floor.office, floor.sam, "M", 3)
    assert game(floor, 2).state is GameState.OPEN


@pytest.mark.rule("15.4(a)", "X-card-version")
def test_a_quote_is_on_the_card_that_is_sold_on_also_while_another_waits(floor: Floor) -> None:
    dearer = CARD.read_bytes().replace(b"ticket_min_cents = 100", b"ticket_min_cents = 200")
    wanda = floor.writing()
    floor.put_in_force(dearer, timedelta(minutes=32))
    floor.pass_time(minutes=33)
    request = dollar().request
    assert isinstance(request, Request)
    assert quote_request(floor.office, wanda, request).price_cents == 100
    floor.lock()
    with refuses("ticket.price_too_low"):
        quote_request(floor.office, wanda, request)


@pytest.mark.rule("15.5(b)")
def test_two_series_run_without_each_other(floor: Floor) -> None:
    wanda, walt = floor.writing(), floor.writing(WALT, SATELLITE)
    floor.sell(wanda)
    floor.sell(walt, dollar("F", games=2))
    assert floor.lock("F") == 100
    assert floor.sell(wanda)["first_game"] == 1
    assert floor.sell(walt, dollar("F"))["first_game"] == 101
    assert floor.lock("M") == 1
    assert floor.sell(walt, dollar("F"))["first_game"] == 101
    told = [(body["series"], body["game"], body["tickets"]) for body in bodies(floor, "LOCK")]
    assert told == [("F", 100, 1), ("M", 1, 2)]
    floor.check_books()


def test_a_series_that_is_not_there_cannot_be_locked(floor: Floor) -> None:
    with refuses("series.unknown"):
        floor.lock("X")


@pytest.mark.rule("15.5(d)")
def test_without_an_open_game_there_is_nothing_to_lock_or_sell(floor: Floor) -> None:
    wanda = floor.writing()
    write(
        floor,
        "UPDATE game SET state = 'locked', locked_at = opened_at, tickets = 0, handle_cents = 0, "
        "lock_entry = (SELECT max(id) FROM log_entry) WHERE series = 'M'",
    )
    with refuses("game.none_open"):
        floor.lock()
    with refuses("game.none_open"):
        floor.sell(wanda)
    assert open_first_game(floor.office, floor.sam, "M") == 2
    assert floor.sell(wanda)["first_game"] == 2


def test_a_game_is_not_opened_twice(floor: Floor) -> None:
    with refuses("game.already_open"):
        open_first_game(floor.office, floor.sam, "M")
    with refuses("series.unknown"):
        open_first_game(floor.office, floor.sam, "X")


@pytest.mark.rule("X-lock-server")
def test_the_database_itself_never_opens_a_locked_game_again(floor: Floor) -> None:
    floor.lock()
    again = (
        "UPDATE game SET state = 'open', locked_at = NULL, tickets = NULL, handle_cents = NULL "
        "WHERE series = 'M' AND number = 1"
    )
    with pytest.raises(Exception, match="a locked game never opens again"):
        write(floor, again)
    with pytest.raises(Exception, match="facts are only ever added"):
        write(floor, "DELETE FROM game WHERE series = 'M' AND number = 1")


# ---- what was sold -------------------------------------------------------------------------------


@pytest.mark.rule("X-lock-seal")
def test_count_and_handle_are_those_of_the_tickets_that_play_the_game_and_are_not_void(
    floor: Floor,
) -> None:
    wanda = floor.writing()
    floor.sell(wanda)  # game 1
    floor.sell(wanda, dollar(games=3))  # games 1 to 3
    floor.sell(wanda, dollar(games=2))  # void
    floor.void(wanda, 3)
    floor.lock()
    floor.sell(wanda, dollar(games=2))  # games 2 and 3
    floor.sell(wanda)  # void
    floor.void(wanda, 5)
    floor.lock()
    floor.lock()
    floor.lock()
    told = [(b["game"], b["tickets"], b["handle_cents"]) for b in bodies(floor, "LOCK")]
    assert told == [(1, 2, 200), (2, 2, 200), (3, 2, 200), (4, 0, 0)]
    for number, count, handle_cents in told:
        row = game(floor, number)
        assert (row.tickets, row.handle_cents) == (count, handle_cents)
    floor.check_books()


@pytest.mark.rule("15.4(d)-pay")
def test_at_its_lock_the_price_of_a_game_moves_from_prepaid_to_write(floor: Floor) -> None:
    wanda = floor.writing()
    floor.sell(wanda, dollar(games=3))
    floor.sell(wanda)
    assert (balance(floor, "prepaid"), balance(floor, "write")) == (-400, 0)
    floor.lock()
    assert postings(floor, "LOCK") == [("prepaid", None, 200), ("write", None, -200)]
    assert (balance(floor, "prepaid"), balance(floor, "write")) == (-200, -200)
    floor.lock()
    floor.lock()
    assert (balance(floor, "prepaid"), balance(floor, "write")) == (0, -400)
    floor.lock()
    assert postings(floor, "LOCK") == []
    floor.check_books()


@pytest.mark.rule("X-lock-seal")
def test_the_lock_stands_in_the_log_behind_every_ticket_and_void_of_its_game(floor: Floor) -> None:
    wanda = floor.writing()
    for _ in range(3):
        floor.sell(wanda)
    floor.void(wanda, 2)
    floor.lock()
    placed = rows(
        floor,
        "SELECT tag, position FROM log_entry LEFT JOIN log_position ON entry = log_entry.id "
        "WHERE tag IN ('TICKET', 'VOID', 'LOCK') ORDER BY position",
    )
    assert [tag for tag, _ in placed] == ["TICKET"] * 3 + ["VOID", "LOCK"]
    assert None not in [position for _, position in placed]


@pytest.mark.rule("X-lock-seal")
def test_a_signed_head_covers_the_lock(floor: Floor) -> None:
    floor.sell(floor.writing())
    floor.lock()
    with floor.office.database.reading() as connection:
        note, head = log.newest_checkpoint(connection), log.head(connection)
    assert note is not None
    assert head is not None
    stated = checkpoint_of(note)
    assert (stated.size, stated.root) == (head.size, head.root)
    assert rows(floor, "SELECT count(*) FROM log_pending") == [(0,)]
    ((place,),) = rows(
        floor,
        "SELECT position FROM log_position JOIN game ON lock_entry = entry WHERE number = 1",
    )
    assert place < stated.size


@pytest.mark.rule("X-lock-seal", "X-audit-log")
def test_a_ticket_carries_the_newest_seal_from_before_it_was_sold(floor: Floor) -> None:
    wanda = floor.writing()
    floor.sell(wanda)
    floor.lock()
    floor.sell(wanda)
    with floor.office.database.reading() as connection:
        first = log.newest_checkpoint(connection)
    floor.lock("F")
    floor.sell(wanda)
    with floor.office.database.reading() as connection:
        second = log.newest_checkpoint(connection)
    assert first is not None
    assert second is not None
    assert [body["previous_seal"] for body in bodies(floor, "TICKET")] == [
        None,
        {"game": "M-1", "seal": short_seal(first)},
        {"game": "F-100", "seal": short_seal(second)},
    ]
    assert re.fullmatch(r"([0-9a-f]{4} ){4}[0-9a-f]{4}", short_seal(first))
    assert short_seal(first) != short_seal(second)
    floor.check_books()


# ---- cards and times -----------------------------------------------------------------------------


@pytest.mark.rule("X-card-version", "8.3")
def test_the_next_game_opens_on_the_card_that_is_in_force_then(floor: Floor) -> None:
    wanda = floor.writing()
    first = floor.sell(wanda, dollar(games=3))["rate_card"]
    second = floor.put_in_force(another_card(), after=timedelta(minutes=31)).hex()
    floor.pass_time(minutes=30)
    assert floor.lock() == 1  # a minute too early for the second card
    assert floor.sell(wanda)["rate_card"] == first
    floor.pass_time(minutes=1)
    assert floor.sell(wanda)["rate_card"] == first  # its game opened before
    floor.lock()
    assert floor.sell(wanda)["rate_card"] == second
    floor.lock()
    cards = [body["cards"] for body in bodies(floor, "LOCK")]
    assert cards == [[first], [first], sorted([first, second])]
    assert [body["card"] for body in bodies(floor, "GAME")[-3:]] == [first, second, second]
    floor.check_books()


@pytest.mark.rule("15.5(d)", "X-lock-server")
def test_from_its_closing_time_on_a_game_is_not_sold_for(floor: Floor) -> None:
    wanda = floor.writing()
    closes_at = floor.moment[0] + timedelta(minutes=5)
    lock_game(floor.office, floor.sam, "M", next_closes_at=closes_at)
    assert game(floor, 2).closes_at == closes_at
    floor.sell(wanda)
    floor.draw()
    with refuses("reason.missing"):  # it would lock itself (15.5(e))
        lock_game(floor.office, floor.sam, "M")
    floor.pass_time(minutes=5)
    with refuses("game.closed"):
        floor.sell(wanda)
    with refuses("game.closed"):
        floor.sell(wanda, replace(dollar(), first_game=2))
    assert floor.sell(wanda, dollar("F"))["number"] == 2
    with refuses("reason.missing"):
        lock_game(floor.office, floor.sam, "M")
    lock_game(floor.office, floor.sam, "M", reason="nobody locks it")
    locked = bodies(floor, "LOCK")[-1]
    assert (locked["closes_at"], locked["reason"]) == (time_of(closes_at), "nobody locks it")
    assert floor.sell(wanda)["first_game"] == 3
    floor.check_books()


def time_of(moment: datetime) -> str:
    return moment.strftime("%Y-%m-%dT%H:%M:%S.") + f"{moment.microsecond // 1000:03d}Z"


@pytest.mark.rule("15.5(d)")
def test_the_moment_of_closing_itself_is_too_late(floor: Floor) -> None:
    wanda = floor.writing()
    closes_at = floor.moment[0] + timedelta(minutes=5)
    lock_game(floor.office, floor.sam, "M", next_closes_at=closes_at)
    clock = floor.office.database
    clock.clock = lambda: closes_at - timedelta(microseconds=1)
    floor.sell(wanda)
    clock.clock = lambda: closes_at
    with refuses("game.closed"):
        floor.sell(wanda)
    with refuses("game.closed"):
        floor.void(wanda, 1)


@pytest.mark.rule("X-ticket-exactly-once")
def test_a_sale_asked_again_after_the_lock_is_answered_as_before_it(floor: Floor) -> None:
    wanda = floor.writing()
    sale = replace(dollar(), first_game=1)
    first = floor.sell(wanda, sale, request="reply-lost")
    floor.lock()
    assert floor.sell(wanda, sale, request="reply-lost") == first
    with refuses("game.locked"):
        floor.sell(wanda, sale)
    floor.check_books()


@pytest.mark.rule("X-ticket-replay", "X-card-version")
def test_a_ticket_of_a_locked_game_is_played_again_for_the_open_one(floor: Floor) -> None:
    wanda = floor.writing(WANDA)
    floor.sell(wanda)
    floor.lock()
    again = floor.sell(wanda, Sale("M", Changes(), CASH, replay_of=1))
    assert (again["number"], again["first_game"]) == (2, 2)
    floor.check_books()
