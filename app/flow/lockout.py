"""Lockout: no sale and no void for this game from here on; the next one opens (15.5(d), 15.3(c)).

Write order:

1. One transaction, under the exclusive lock of the series: the game is locked with what was sold
   for it, its price moves from prepaid to write, the LOCK entry stands in the log behind every
   entry of the game, and the next game is open. *Crash before: the game is open as it was. Crash
   after: the game is locked.*
2. The log is sealed (`seal`), so that the sold file can no longer change. *Crash before: whoever
   seals next, seals it too.*
"""

from datetime import datetime

from app.audit.tags import Tag
from app.clock import time_text
from app.flow.access import permit
from app.flow.actor import Actor
from app.flow.office import Office
from app.flow.open_game import Opening, check_is_open, open_game
from app.flow.permissions import Permission
from app.flow.refusals import No, say_no
from app.flow.seal import seal_log
from app.store.queries import games, house
from app.store.records import games as records
from app.store.records.money import Leg, posting_rows
from app.store.records.together import add_rows
from app.store.tables import Account


def lock_game(
    office: Office,
    actor: Actor,
    series: str,
    number: int | None = None,
    next_closes_at: datetime | None = None,
) -> int:
    """Lock the open game of a series, open the next, and seal the log; return what was locked.

    Whoever names the game that is meant locks that one or none, however often it is asked for.

    Refuses: whoever may not; a series that is not there, or has no open game, or another one open.
    """
    permit(actor.role, Permission.GAME_RUN)
    with office.unit() as unit:
        if house.first_game(unit.connection, series) is None:
            raise say_no(No.NO_SUCH_SERIES, series=series)
        unit.lock_series(series)
        game = games.open_game(unit.connection, series)
        if game is None:
            raise say_no(No.NO_OPEN_GAME, series=series)
        check_is_open(series, number, game.number)
        now = unit.now()
        sold = games.sold_file(unit.connection, series, game.number)
        body = {
            "house": office.house.name,
            "series": series,
            "game": game.number,
            "tickets": sold.tickets,
            "handle_cents": sold.handle_cents,
            "cards": [card.hex() for card in sold.card_hashes],
            "closes_at": game.closes_at and time_text(game.closes_at),
            "locked_at": time_text(now),
            "by": actor.document(),
        }
        entry = office.log(unit, Tag.LOCK, body)
        records.lock_game(unit, series, game.number, sold.tickets, sold.handle_cents, now, entry.id)
        written = [
            Leg(Account.PREPAID, sold.handle_cents),
            Leg(Account.WRITE, -sold.handle_cents),
        ]
        add_rows(unit, entry.id, posting_rows(written))
        following = Opening(series, game.number + 1, next_closes_at, actor.document())
        open_game(office, unit, following)
        unit.commit()
    seal_log(office)
    return game.number
