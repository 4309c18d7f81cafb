"""The records of the house for whoever watches it: tickets, games and days, with their proofs.

Read only. A name or a taxpayer number is nowhere in what is read here: the log has hashes of them.
"""

from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

from app.audit.draw_check import fault_of
from app.audit.entry_proofs import Proof
from app.audit.ticket_check import told_otherwise
from app.flow.access import Credentials, at_work
from app.flow.day import day_bounds, gaming_day
from app.flow.note_look_up import is_unclaimed, note_look_up
from app.flow.office import Office
from app.flow.permissions import Permission
from app.flow.refusals import No, say_no
from app.flow.seal import published_head
from app.flow.see_keys import CheckedDraw, prover_of, public_keys
from app.flow.standing import Standing, standing_of
from app.keno.game import GameState
from app.keno.tender import Tender
from app.store.queries import (
    cards,
    days,
    draws,
    games,
    life,
    outcomes,
    payments,
    records,
    tickets,
)
from app.store.queries.games import GameRow
from app.store.queries.life import PaperRow, SettlementRow
from app.store.queries.tickets import TicketRow
from app.store.tables import PaperState
from app.store.unit import Unit

SAID_LATER = 20_000  # entries behind a paper among which people may have said what became of it
ASKED_ABOUT = (PaperState.UNKNOWN.value, PaperState.ASIDE.value)


@dataclass(frozen=True)
class TicketLife:
    """A ticket from its sale on: what was sold, every entry about it, its papers, how it stands."""

    ticket: TicketRow
    tender: list[Tender]
    standing: Standing
    proofs: list[Proof]
    papers: list[PaperRow]
    head_size: int
    told_otherwise: list[str]  # what of it the log tells otherwise than it is stored


@dataclass(frozen=True)
class GameLife:
    """A game from its opening on."""

    game: GameRow
    card_hash: bytes
    events: list[tuple[str, Any, datetime]]
    settlements: list[SettlementRow]
    proofs: list[Proof]
    drawn: CheckedDraw | None
    statement: Any | None
    head_size: int


@dataclass(frozen=True)
class DayLook:
    """A gaming day: when it was, its games, and its figures if it is closed."""

    begins: datetime
    ends: datetime
    games: list[tuple[str, int, GameState]]
    figures: Any | None
    frozen: Any | None


def ticket_life(office: Office, credentials: Credentials, number: int) -> TicketLife:
    """Return the whole life of a ticket; who looks at a win that is not paid is recorded.

    Refuses: whoever may not see records; a ticket that is not there.
    """
    life_ = _ticket_life(office, number)
    if is_unclaimed(life_.standing):
        with office.unit() as unit:
            who = at_work(credentials, Permission.RECORDS_SEE)(unit)
            note_look_up(office, unit, who, number, number, 1)
    return life_


def _ticket_life(office: Office, number: int) -> TicketLife:
    shown = published_head(office)
    with office.database.reading() as connection:
        ticket = tickets.ticket(connection, number)
        if ticket is None:
            raise say_no(No.UNKNOWN_TICKET, number=number)
        unit = Unit(office.database, connection)
        entries = life.ticket_entries(connection, number)
        papers = life.papers_of(connection, entries)
        told = records.entries_numbered(connection, entries)
        for paper in papers:
            if any(event.state in ASKED_ABOUT for event in paper.events):
                told += records.entries_of_paper(connection, paper.entry, SAID_LATER)
        prover = prover_of(office, connection, shown)
        return TicketLife(
            ticket,
            tickets.tender_of(connection, number),
            standing_of(office, unit, ticket, unit.now()),
            [prover.prove(each) for each in sorted(set(told), key=lambda entry: entry.id)],
            papers,
            prover.head.size,
            told_otherwise(ticket, payments.ticket_body(connection, number)),
        )


def game_life(office: Office, series: str, number: int) -> GameLife:
    """Return the whole life of a game, but for its tickets.

    Refuses: a game that was not opened yet.
    """
    keys, shown = public_keys(office), published_head(office)
    with office.database.reading() as connection:
        game = games.game(connection, series, number)
        if game is None:
            raise say_no(No.NO_SUCH_GAME, game=f"{series}-{number}")
        drawn = draws.draw(connection, series, number)
        entries = life.game_entries(connection, series, number)
        prover = prover_of(office, connection, shown)
        return GameLife(
            game,
            cards.card_with(connection, game.card).hash,
            life.game_events(connection, series, number),
            life.settlements(connection, series, number),
            [prover.prove(each) for each in records.entries_numbered(connection, entries)],
            None if drawn is None else CheckedDraw(drawn, fault_of(drawn, keys)),
            outcomes.lock_request(connection, series, number),
            prover.head.size,
        )


def look_at_day(office: Office, day: date) -> DayLook:
    """Return a gaming day; its figures once it is closed."""
    house = office.house
    with office.database.reading() as connection:
        closed = days.closed_day(connection, day)
        return DayLook(
            *day_bounds(day, house.time_zone, house.day_starts_minutes),
            records.games_of_day(connection, day.isoformat()),
            closed and closed[0],
            closed and closed[2],
        )


def today(office: Office) -> date:
    """Return the gaming day that it is."""
    house = office.house
    return gaming_day(office.now(), house.time_zone, house.day_starts_minutes)
