"""The floor as a supervisor sees it: games, stations, drawers, printers, the draw, what is amiss.

It is looked at, and nothing is done by looking.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from pathlib import Path

from app.flow.access import Credentials, who_is_at_work
from app.flow.alarms import Alarm, AlarmId
from app.flow.day import gaming_day
from app.flow.facts import read_facts
from app.flow.held import why_held
from app.flow.office import Office
from app.flow.permissions import Permission
from app.flow.print_status import slips_wait
from app.flow.refusals import No
from app.flow.see_alarms import alarms_by
from app.keno.numbering import printed_number
from app.store.queries import Reading, cards, drawers, floor, games, house, paper, stops
from app.store.queries.drawers import ClosedDrawer, DrawerRow
from app.store.queries.floor import PersonSeen, PrinterSeen, StationSeen, Waiting
from app.store.queries.games import OpenGame
from app.store.queries.paper import Queued
from app.store.queries.people import StaffChangeRow
from app.store.queries.stops import Stopped
from app.store.unit import Unit

SHOWN = 50
RECENT = 12
CLOSED = 10
# What a supervisor is told of when it happened lately.
ALARMING = ["FROZEN", "HELD", "CLOCK", "PROCESS", "PRINTER-MOVED", "REFUSED"]
# Why no game can be drawn. Told by the alarms, so that pages which look do not ask the keyed
# processes themselves: one that hangs would take every thread from those who sell.
_NO_DRAW = AlarmId.GENERATOR_AWAY, AlarmId.INSPECTOR_AWAY


@dataclass(frozen=True)
class SeriesSeen:
    """A series: its open game, how long that is sold, and games that are on their way."""

    code: str
    game: OpenGame | None
    held_why: str | None
    seconds_left: int | None
    on_their_way: list[tuple[int, str]]


@dataclass(frozen=True)
class FloorSeen:
    """All of it."""

    now: datetime
    today: date
    series: list[SeriesSeen]
    stations: list[StationSeen]
    people: list[PersonSeen]
    changes: list[StaffChangeRow]  # people who have to wait before they approve, and by whom
    drawers: list[DrawerRow]
    closed: list[ClosedDrawer]
    printers: list[PrinterSeen]
    prints_on: dict[str, list[str]]  # stations by their printer; until when if it is not theirs
    behind: set[str]  # printers from which nothing comes out, though slips wait for them
    unserved: set[str]  # printers for which no spooler is running
    slips_waiting: str | None  # in words, however short they have waited; None if none does
    papers: list[Queued]
    waiting: list[Waiting]
    days_to_close: list[date]
    refunds: list[tuple[str, int, int]]  # void games, and for how many tickets money goes back
    lately: list[tuple[str, datetime, str]]
    draw_ready: str | None  # why not, if it is not
    alarms: list[Alarm]
    stopped: list[Stopped]  # what is not sold for now
    schedules: dict[str, list[int]]  # of the card in force, with their spot counts


def see_floor(office: Office, credentials: Credentials, folders: Sequence[Path] = ()) -> FloorSeen:
    """Return the floor as it is now.

    Args:
        office: the office.
        credentials: of whoever looks.
        folders: whose disks are watched.

    Refuses: whoever may not see it.
    """
    who_is_at_work(office, credentials, Permission.FLOOR_SEE)
    facts = read_facts(office, folders)
    alarms = alarms_by(office, facts)
    slips = sum(each.slips for each in facts.unprinted)
    with office.database.reading() as connection:
        now = Unit(office.database, connection).now()
        here = office.house
        today = gaming_day(now, here.time_zone, here.day_starts_minutes)
        on_way = floor.games_on_their_way(connection, SHOWN)
        series = [_series(connection, code, now, on_way) for code in house.series_codes(connection)]
        lately = floor.newest_tagged(connection, ALARMING, RECENT)
        first = here.founded_at
        return FloorSeen(
            now=now,
            today=today,
            series=series,
            stations=floor.stations(connection, now),
            people=floor.staff(connection),
            changes=facts.changes,
            drawers=facts.drawers,
            closed=drawers.closed_lately(connection, CLOSED),
            printers=floor.printers(connection),
            prints_on=_prints_on(office),
            behind={each.of for each in alarms if each.id is AlarmId.PAPER_WAITS},
            unserved={each.code for each in facts.printers} - facts.printers_served,
            slips_waiting=slips_wait(slips) if slips else None,
            papers=paper.asked_about(connection, SHOWN),
            waiting=floor.waiting_tickets(connection, SHOWN),
            days_to_close=_days(
                floor.last_closed_day(connection),
                gaming_day(first, here.time_zone, here.day_starts_minutes),
                today,
            ),
            refunds=[each for each in floor.refunds_due(connection, RECENT) if each[2]],
            lately=[_told(each.tag, each.body) for each in lately],
            draw_ready=next((each.what for each in alarms if each.id in _NO_DRAW), None),
            alarms=alarms,
            stopped=stops.stopped(connection),
            schedules=_schedules(office, connection, now),
        )


def _schedules(office: Office, connection: Reading, now: datetime) -> dict[str, list[int]]:
    card = cards.card_in_force(connection, now)
    if card is None:
        return {}
    on_card = office.card(Unit(office.database, connection), card).schedules
    return {name: list(schedule.pays_cents) for name, schedule in on_card.items()}


def _prints_on(office: Office) -> dict[str, list[str]]:
    """Return which stations print on each printer, by the log; as it was read with the facts."""
    found: dict[str, list[str]] = {}
    for station, using in sorted(office.placements.stations.items()):
        until = "" if using.until is None else f" until {office.moment(using.until)}"
        found.setdefault(using.printer, []).append(f"{station}{until}")
    return found


def _series(
    connection: Reading, code: str, now: datetime, on_way: list[tuple[str, int, str]]
) -> SeriesSeen:
    game = games.open_game(connection, code)
    why = None if game is None else why_held(connection, code, game)
    left = None
    if game is not None and game.sells_until is not None:
        left = max(0, int((game.sells_until - now).total_seconds()))
    own = [(number, state) for series, number, state in on_way if series == code]
    return SeriesSeen(code, game, why, left, own)


def _days(closed: date | None, founded: date, today: date) -> list[date]:
    """Return the days that are over and not closed, the oldest first; a month of them at most."""
    first = founded if closed is None else closed + timedelta(days=1)
    return [first + timedelta(days=n) for n in range(min((today - first).days, 31))]


def refusal_words(code: str, facts: dict[str, object]) -> str:
    """Return a refusal that was logged: what was said, and to whom or about what."""
    said = next((each.sentence for each in No if each.code == code), code)
    known = ", ".join(f"{name} {value}" for name, value in facts.items())
    return f"{said.format_map(_Facts(facts))} ({known})"


class _Facts(dict[str, object]):
    """What was noted of a refusal; what was only said is left out."""

    def __missing__(self, name: str) -> str:
        if name == "number" and isinstance(ticket := self.get("ticket"), int):
            return printed_number(ticket)
        return "..."


def _told(tag: str, text: str) -> tuple[str, datetime, str]:
    """Return an entry as one line: its tag, its time and what it says."""
    body = json.loads(text)
    at = datetime.fromisoformat(body["time"])
    if tag == "REFUSED":
        return tag, at, refusal_words(body["code"], body["facts"])
    if tag == "PRINTER-MOVED":
        return tag, at, f"{body['printer']} found at {body['found']}"
    words = body.get("what") or body.get("why") or body.get("reason") or ""
    game = f"{body['series']}-{body['game']} " if "game" in body else ""
    return tag, at, f"{game}{words}".strip()
