"""Releasing a frozen game: it is graded again, twice, under supervision; its numbers never change.

A supervisor and a manager approve, two people. What the second grader keeps is made anew from the
log, so that nothing of the old grading is left in it (`app.flow.book_anew`).

Write order: there is one commit. *Crash before: the game is frozen. Crash after: it is drawn again
as far as grading is concerned, and the caller goes on with it.*
"""

from sqlalchemy import Connection

from app.audit.tags import Tag
from app.clock import time_text
from app.flow.access import permit, still_acting
from app.flow.actor import Actor
from app.flow.book_anew import begin_book_anew, beginning
from app.flow.office import Office
from app.flow.permissions import Permission
from app.flow.refusals import No, check_reason, say_no
from app.keno.game import GameState
from app.software import software_hash
from app.store.queries import games
from app.store.queries import settling as queries
from app.store.queries.settling import SettlementRow
from app.store.records import outcomes as records
from app.store.tables import Release


def release_game(  # noqa: PLR0913, PLR0917  who releases what, and why
    office: Office, supervisor: Actor, manager: Actor, series: str, number: int, reason: str
) -> None:
    """Have a frozen game graded again.

    Refuses: whoever may not; the same person twice; a game that is not frozen; no reason.
    """
    permit(supervisor.role, Permission.GAME_RUN)
    permit(manager.role, Permission.GAME_RELEASE)
    if supervisor.staff == manager.staff:
        raise say_no(No.APPROVER_SAME)
    check_reason(reason)
    book = None
    with office.database.reading() as connection:
        if _of_frozen(connection, series, number):
            book = beginning(connection)  # read before: a lockout does not wait for it
    with office.unit() as unit:
        unit.share_series(series)  # a day that is being closed tells of one state of the game
        still_acting(unit, supervisor, manager, what=Permission.GAME_RELEASE)
        settled = _of_frozen(unit.connection, series, number)
        if settled is None:
            raise say_no(No.NOT_FROZEN, game=f"{series}-{number}")
        begin_book_anew(unit, book)
        now = unit.now()
        body = {
            "house": office.house.name,
            "series": series,
            "game": number,
            "run": settled.run,
            "reason": reason,
            "supervisor": supervisor.document(),
            "manager": manager.document(),
            "software": software_hash(),
            "time": time_text(now),
        }
        release = {
            "attempt": settled.attempt,
            "supervisor": supervisor.staff,
            "manager": manager.staff,
            "reason": reason,
            "released_at": now,
        }
        try:
            records.move_game(unit, series, number, GameState.FROZEN, GameState.DRAWN)
        except records.GameMoved:  # somebody else has just released it
            raise say_no(No.NOT_FROZEN, game=f"{series}-{number}") from None
        told = records.event_row(unit, "released", series, number, {}, now)
        office.log_with(unit, Tag.RELEASED, body, [(Release, release), told])
        unit.commit()


def _of_frozen(connection: Connection, series: str, number: int) -> SettlementRow | None:
    """Return the settlement of a game that is frozen; none, if it is not."""
    game = games.game(connection, series, number)
    if game is None or game.state is not GameState.FROZEN:
        return None
    return queries.settlement(connection, series, number)
