"""Wins, in batches that count only once a settlement names their attempt."""

from collections.abc import Sequence

from sqlalchemy import delete, insert, update

from app.store.records.tickets import insert_or_find
from app.store.tables import Attempt, BookHead, LiveTicket, Share, Win
from app.store.unit import Unit


def begin_attempt(unit: Unit, series: str, game: int) -> int:
    """Begin a grading, and return its id."""
    values = {"series": series, "game": game, "begun_at": unit.now()}
    attempt: int = unit.connection.execute(
        insert(Attempt).values(values).returning(Attempt.id)
    ).scalar_one()
    return attempt


def add_wins(unit: Unit, attempt: int, wins: Sequence[tuple[int, int, int]]) -> None:
    """Keep a batch of wins: ticket, uncut and cut."""
    rows = [
        {"attempt": attempt, "ticket": ticket, "uncut_cents": uncut, "cents": cents}
        for ticket, uncut, cents in wins
    ]
    if rows:
        unit.connection.execute(insert(Win), rows)


def add_shares(unit: Unit, attempt: int, shares: Sequence[tuple[int, int]]) -> None:
    """Keep what winners are paid where the aggregate limit bites."""
    rows = [{"attempt": attempt, "ticket": ticket, "cents": cents} for ticket, cents in shares]
    unit.connection.execute(insert(Share), rows)


# ---- the second grader's book --------------------------------------------------------------------


def keep_book_head(unit: Unit, values: dict[str, object], old_size: int | None) -> bool:
    """Move the second grader's book on from a size, and say whether it was still there."""
    if old_size is None:
        begun = insert_or_find(unit, BookHead).values({"id": 1, **values})
        done = unit.connection.execute(begun.on_conflict_do_nothing().returning(BookHead.id))
        return done.first() is not None
    moved = unit.connection.execute(
        update(BookHead).where(BookHead.size == old_size).values(values)
    )
    return moved.rowcount == 1


def add_live(unit: Unit, rows: Sequence[dict[str, object]]) -> None:
    """Enter tickets in the second grader's book."""
    if rows:
        unit.connection.execute(insert(LiveTicket), list(rows))


def end_live(unit: Unit, number: int, last_game: int) -> None:
    """Have a ticket of the second grader's book play only up to a game."""
    unit.connection.execute(
        update(LiveTicket).where(LiveTicket.number == number).values(last_game=last_game)
    )


def forget_played(unit: Unit, series: str, before: int) -> None:
    """Take tickets out of the second grader's book whose games are all over."""
    unit.connection.execute(
        delete(LiveTicket).where(LiveTicket.series == series, LiveTicket.last_game < before)
    )


def drop_book(unit: Unit) -> None:
    """Have the second grader make its book anew, from the first leaf on."""
    # Its head first, as whoever keeps the book. Twice: another who drops it at the same time is
    # waited for by the first, and what they began with instead is seen by the second.
    unit.connection.execute(delete(BookHead))
    unit.connection.execute(delete(BookHead))
    unit.connection.execute(delete(LiveTicket))
