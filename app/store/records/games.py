"""Rate cards and games."""

from datetime import datetime

from sqlalchemy import insert, update

from app.store.tables import Card, CardAcceptance, CardTerm, Game, GameState
from app.store.unit import Unit


def add_card(unit: Unit, values: dict[str, object]) -> None:
    """Keep a version of the rate card."""
    unit.connection.execute(insert(Card), {**values, "brought_at": unit.now()})


def accept_card(unit: Unit, values: dict[str, object]) -> None:
    """Note that one of the two accepted a card."""
    unit.connection.execute(insert(CardAcceptance), {**values, "accepted_at": unit.now()})


def add_term(unit: Unit, values: dict[str, object]) -> None:
    """Put a card into force from a time on."""
    unit.connection.execute(insert(CardTerm), values)


def add_game(
    unit: Unit, series: str, number: int, card: int, closes_at: datetime | None, now: datetime
) -> None:
    """Open a game."""
    values = {"series": series, "number": number, "state": GameState.OPEN.value, "card": card}
    unit.connection.execute(insert(Game), {**values, "opened_at": now, "closes_at": closes_at})


def set_close(unit: Unit, series: str, number: int, closes_at: datetime | None) -> None:
    """Have an open game close at another time."""
    unit.connection.execute(
        update(Game)
        .where(Game.series == series, Game.number == number, Game.state == GameState.OPEN.value)
        .values(closes_at=closes_at)
    )


def set_hold(unit: Unit, series: str, number: int, why: str | None, until: datetime | None) -> None:
    """Hold an open game, and say why and how long it is still sold; or let it go on."""
    unit.connection.execute(
        update(Game)
        .where(Game.series == series, Game.number == number, Game.state == GameState.OPEN.value)
        .values(held_why=why, held_until=until)
    )


def lock_game(
    unit: Unit,
    series: str,
    number: int,
    tickets: int,
    handle_cents: int,
    now: datetime,
    day: str,
    entry: int,
) -> None:
    """Lock a game, with what was sold for it and the entry that says so."""
    unit.connection.execute(
        update(Game)
        .where(Game.series == series, Game.number == number)
        .values(
            state=GameState.LOCKED.value,
            locked_at=now,
            gaming_day=day,
            held_why=None,
            held_until=None,
            tickets=tickets,
            handle_cents=handle_cents,
            lock_entry=entry,
        )
    )
