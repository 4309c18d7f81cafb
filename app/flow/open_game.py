"""Opening a game: from here on it is sold for, on the card that holds now."""

from dataclasses import dataclass
from datetime import datetime

from app.audit.tags import Tag
from app.clock import time_text
from app.flow.access import permit, still_acting
from app.flow.actor import Actor
from app.flow.lease import Held
from app.flow.office import Office
from app.flow.permissions import Permission
from app.flow.refusals import No, say_no
from app.keno.refusals import quoted
from app.store.queries import cards, games, house
from app.store.records import games as records
from app.store.records.outcomes import event_row
from app.store.unit import Unit

NUMBER_DIGITS = 15
AUTOMATIC: dict[str, object] = {"staff": None, "role": "caller", "at": "caller"}


@dataclass(frozen=True)
class Opening:
    """A game to be opened: which, when it is to close, and who opens it."""

    series: str
    number: int
    closes_at: datetime | None
    by: dict[str, object]


def open_first_game(
    office: Office, actor: Actor, series: str, closes_at: datetime | None = None
) -> int:
    """Open the first game of a series, or the next one if none is open; return its number.

    Refuses: whoever may not; a series that is not there, a game that is open already, a house
    without a card; while a keyed process is not ready.
    """
    permit(actor.role, Permission.GAME_RUN)
    office.check_ready()
    with office.unit() as unit:
        if house.first_game(unit.connection, series) is None:
            raise say_no(No.NO_SUCH_SERIES, series=series)
        unit.lock_series(series)
        still_acting(unit, actor)
        is_open = games.open_game(unit.connection, series)
        if is_open is not None:
            raise say_no(No.GAME_OPEN, game=f"{series}-{is_open.number}")
        number = _next_number(unit, series)
        open_game(office, unit, Opening(series, number, closes_at, actor.document()))
        unit.commit()
    return number


def open_on_time(office: Office, lease: Held, series: str, closes_at: datetime | None) -> None:
    """Open the next game of a series that has none open, for the caller.

    Refuses: as `open_first_game`.

    Raises:
        LeaseLost: another caller has taken over.
    """
    office.check_ready()
    with office.unit() as unit:
        unit.lock_series(series)
        lease.check(unit)
        if games.open_game(unit.connection, series) is not None:
            return
        number = _next_number(unit, series)
        open_game(office, unit, Opening(series, number, closes_at, AUTOMATIC))
        unit.commit()


def _next_number(unit: Unit, series: str) -> int:
    first = house.first_game(unit.connection, series)
    if first is None:
        raise say_no(No.NO_SUCH_SERIES, series=series)
    last = games.last_game(unit.connection, series)
    return first if last is None else last.number + 1


def read_game(series: str, text: str) -> int:
    """Return the number of a game that was named as text.

    Refuses: what is no number of a game.
    """
    if not series.isprintable():  # nor can a database be asked for what is not
        raise say_no(No.NO_SUCH_SERIES, series=quoted(series))
    if not text.isdecimal() or len(text) > NUMBER_DIGITS or not int(text):
        raise say_no(No.NO_SUCH_GAME, game=quoted(f"{series}-{text}"))
    return int(text)


def check_is_open(series: str, meant: int | None, is_open: int) -> None:
    """Check that the open game of a series is the one that is meant, if one is named.

    Refuses: a game that is locked, or that is still to come.
    """
    name, open_name = f"{series}-{meant}", f"{series}-{is_open}"
    if meant is not None and meant < is_open:
        raise say_no(No.GAME_LOCKED, game=name, next=open_name)
    if meant is not None and meant > is_open:
        raise say_no(No.GAME_TO_COME, game=name, open=open_name)


def open_game(office: Office, unit: Unit, opening: Opening) -> None:
    """Open a game within a unit of work whose caller has the series locked.

    Refuses: if no card is in force.
    """
    now = unit.now()
    card = cards.card_in_force(unit.connection, now)
    if card is None:
        raise say_no(No.NO_CARD)
    closes_at = opening.closes_at
    records.add_game(unit, opening.series, opening.number, card, closes_at, now)
    card_hash = cards.card_with(unit.connection, card).hash
    body = game_body(office.house.name, opening, card_hash, now)
    facts = {"closes_at": body["closes_at"]}
    told = event_row(unit, "opened", opening.series, opening.number, facts, now)
    office.log_with(unit, Tag.GAME, body, [told])


def game_body(
    house_name: str, opening: Opening, card_hash: bytes, now: datetime
) -> dict[str, object]:
    """Return what the GAME entry of a game that opens says."""
    return {
        "house": house_name,
        "series": opening.series,
        "game": opening.number,
        "card": card_hash.hex(),
        "opened_at": time_text(now),
        "closes_at": opening.closes_at and time_text(opening.closes_at),
        "by": opening.by,
    }
