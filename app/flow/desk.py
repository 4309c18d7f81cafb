"""What a writer's desk shows: the open games and how long they are sold, the drawer, the paper.

The seconds are counted by the clock of the house; a page counts on from there (15.5(c)).
"""

from datetime import datetime

from app.clock import time_text
from app.flow.access import Credentials, at_work
from app.flow.asking import Answer
from app.flow.held import is_held
from app.flow.office import Office
from app.flow.permissions import Permission
from app.flow.print_status import MAY_BE_ON_PAPER, Mark, PrinterStatus, mark_of
from app.flow.reprint import paper_here, papers_answer
from app.flow.stop_sales import stopped_words
from app.keno.numbering import printed_number
from app.store.queries import Reading, drawers, games, house, paper, stops, tickets
from app.store.queries.games import OpenGame
from app.store.queries.paper import Newest
from app.store.queries.people import Worker
from app.store.unit import Unit

JUST_SOLD = 8


def desk(office: Office, credentials: Credentials) -> Answer:
    """Return what a writer sees before anything is done.

    Refuses: whoever is not at work.
    """
    with office.database.reading() as connection:
        unit = Unit(office.database, connection)
        who = at_work(credentials, Permission.TICKET_SELL)(unit)
        now = unit.now(who.read_at)
        here = paper_here(unit, who)
        return {
            "now": time_text(now),
            "station": who.station_code,
            "writer": who.code,
            "games": [
                _game(connection, who, series, now)
                for series in house.series_at(connection, who.location)
            ],
            "stopped": stopped_words(stops.stopped(connection)),
            "drawer": who.drawer,
            "suspended": [
                {"drawer": each.id, "station": each.station_code}
                for each in drawers.drawers_in_use(connection, who.staff)
                if each.id != who.drawer
            ],
            "sold": _sold(connection, who, here.printer),
            **papers_answer(here),
        }


def _game(connection: Reading, who: Worker, series: str, now: datetime) -> Answer:
    game = games.open_game(connection, series)
    if game is None:
        return {"series": series, "game": None, "just_sold": []}
    sold = tickets.newest_at(connection, who.station, series, game.number, JUST_SOLD)
    return {
        "series": series,
        "game": game.number,
        "seconds_left": _seconds_left(game, now),
        "held": is_held(connection, series, game),
        "held_why": game.held_why,
        "just_sold": [
            {
                "number": each.number,
                "printed_number": printed_number(each.number),
                "price_cents": each.price_cents,
                "sold_at": time_text(each.sold_at),
                "void": each.voided_at is not None,
            }
            for each in sold
        ],
    }


def _sold(connection: Reading, who: Worker, printer: PrinterStatus) -> list[Answer]:
    """Return the newest tickets of a station, each with the mark of its slip."""
    sold = tickets.newest_at_station(connection, who.station, JUST_SOLD)
    newest = paper.newest_of(connection, [each.entry for each in sold])
    return [
        {
            "number": each.number,
            "printed_number": printed_number(each.number),
            "series": each.series,
            "first_game": each.first_game,
            "last_game": each.last_game,
            "price_cents": each.price_cents,
            "sold_at": time_text(each.sold_at),
            "void": each.voided_at is not None,
            "printing": _printing(newest.get(each.entry), printer),
        }
        for each in sold
    ]


def _printing(newest: Newest | None, printer: PrinterStatus) -> Answer | None:
    """Return how far the slip of a ticket is; none if nothing is noted of it."""
    if newest is None:
        return None
    mark, label = mark_of(newest, printer)
    why = MAY_BE_ON_PAPER if mark is Mark.STOPPED else newest.why
    return {"mark": mark.value, "label": label, "copy": newest.copy, "why": why}


def _seconds_left(game: OpenGame, now: datetime) -> int | None:
    """Return how long a game is still sold; none if that is not settled."""
    if game.sells_until is None:
        return None
    return max(0, int((game.sells_until - now).total_seconds()))
