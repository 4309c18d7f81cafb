"""The notice a minute before a game closes, for every booth and board (15.5(c))."""

from app.clock import time_text
from app.flow.office import Office
from app.store.queries import games, running
from app.store.records.outcomes import event_row
from app.store.records.running import add_event

KIND = "notice"


def give_notice(office: Office, series: str, number: int) -> None:
    """Tell once that a game closes in a minute; if it was postponed since, once more."""
    with office.unit() as unit:
        game = games.open_game(unit.connection, series)
        if game is None or game.number != number or game.closes_at is None:
            return
        facts = {"closes_at": time_text(game.closes_at)}
        if running.was_told(unit.connection, KIND, series, number, facts):
            return
        add_event(unit, event_row(unit, KIND, series, number, facts, unit.now(game.read_at)))
        unit.commit()
