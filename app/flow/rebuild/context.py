"""What all acts that are made again look up: people, stations, drawers, tickets, times."""

import hmac
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from hashlib import sha256
from typing import Any

from app.flow.contact import Passed
from app.flow.day import gaming_day
from app.flow.office import Office
from app.keno.tender import Tender, TenderKind
from app.rng_client import Ended
from app.store.queries import cards, drawers, people
from app.store.queries import tickets as ticket_queries
from app.store.queries.drawers import DrawerRow
from app.store.queries.tickets import TicketRow
from app.store.records import rebuilding
from app.store.records.tickets import asked_row
from app.store.records.together import Row
from app.store.tables import ContactAct, PrintJob, Slip
from app.store.unit import Unit

# What stands in the place of what a station asked: nothing that is asked has this digest.
UNKNOWN_CONTENT = sha256(b"keno/restored").digest()

Body = dict[str, Any]


class NotRebuilt(Exception):  # noqa: N818  a finding, in words for staff
    """An act cannot be made again; the text says why."""


@dataclass
class Rebuilding:
    """Where acts are made again, within one unit of work."""

    office: Office
    unit: Unit
    # What became of games, from the inspector's journal: each with what it was asked with.
    ended: Mapping[tuple[str, int], tuple[Ended, Any]]
    _cards: dict[str, str] = field(default_factory=dict)

    def person(self, code: str) -> int:
        """Return one of the staff by their code."""
        found = rebuilding.staff_coded(self.unit, code)
        if found is None:
            raise NotRebuilt(f"{code} is not among the staff here.")
        return found

    def somebody(self, code: str | None) -> int | None:
        """Return one of the staff, where there was one."""
        return None if code is None else self.person(code)

    def actor(self, by: Mapping[str, Any]) -> int:
        """Return who acted, as entries name them."""
        return self.person(by["staff"])

    def station(self, code: str) -> int:
        """Return a station by its code."""
        found = people.station_coded(self.unit.connection, code)
        if found is None:
            raise NotRebuilt(f"There is no station {code} here.")
        return found.id

    def card(self, digest: str) -> int:
        """Return a version of the rate card by its hash."""
        found = cards.card_hashed(self.unit.connection, bytes.fromhex(digest))
        if found is None:
            raise NotRebuilt(f"There is no card {digest} here.")
        return found.id

    def ticket(self, number: int) -> TicketRow:
        """Return a ticket."""
        found = ticket_queries.ticket(self.unit.connection, number)
        if found is None:
            raise NotRebuilt(f"There is no ticket {number} here.")
        return found

    def drawer_of(self, writer: str) -> int:
        """Return the drawer that a writer has in use; everybody has one at most."""
        found = drawers.drawers_in_use(self.unit.connection, self.person(writer))
        if not found:
            raise NotRebuilt(f"{writer} has no drawer open here.")
        return found[0].id

    def drawer(self, number: int) -> DrawerRow:
        """Return a drawer by its number."""
        found = drawers.drawer(self.unit.connection, number)
        if found is None:
            raise NotRebuilt(f"There is no drawer {number} here.")
        return found

    def asked(self, body: Body, answer: Body) -> Row:
        """Return the row that keeps the answer; what was asked nobody knows."""
        station, staff = self.station(body["station"]), self.person(body["writer"])
        return asked_row(station, staff, body["request_id"], UNKNOWN_CONTENT, answer)

    def job(self, body: Body, slip: Slip, payload: Body) -> Row:
        """Return a paper's job; it was printed before the house was lost, and is not queued."""
        station = self.station(body["station"])
        return PrintJob, {"station": station, "slip": slip.value, "payload": payload}

    def in_contact(
        self, body: Body, ticket: int, passed: Passed, at: datetime
    ) -> tuple[list[Row], str | None]:
        """Return the row of an act within a contact, and what of it is lost."""
        told = body.get("contact")
        if told is None:
            return [], None
        card = self._player_card(told["player_card"])
        house = self.office.house
        values = {
            "station": self.station(body["station"]),
            "contact": told["id"],
            "player_card": card,
            "gaming_day": gaming_day(at, house.time_zone, house.day_starts_minutes),
            "ticket": ticket,
            **vars(passed),
        }
        lost = told["player_card"] is not None and card is None
        return [(ContactAct, values)], "The player card is not known here." if lost else None

    def _player_card(self, tag: str | None) -> str | None:
        if tag is None:
            return None
        for card in rebuilding.player_cards(self.unit):
            said = f"player-card/{card}".encode()
            self._cards[hmac.digest(self.office.keys.patron, said, "sha256").hex()] = card
        return self._cards.get(tag)


Act = Callable[[Rebuilding, int, Body], str | None]
"""Makes the rows of an act again, from the body of its entry; returns what of it is lost."""


def moment(text: str) -> datetime:
    """Return a time as bodies write it."""
    return datetime.fromisoformat(text)


def perhaps(text: str | None) -> datetime | None:
    """Return a time, where there is one."""
    return None if text is None else moment(text)


def told_of(body: Body) -> Body:
    """Return what a patron was told of a contact, as the answer had it."""
    told = body.get("contact")
    if told is None:
        return {}
    return {"contact": {name: value for name, value in told.items() if name != "player_card"}}


def tender_of(parts: list[Body]) -> tuple[Tender, ...]:
    """Return tender as bodies write it."""
    return tuple(
        Tender(TenderKind(part["kind"]), part["cents"], part.get("serial")) for part in parts
    )


def taken(body: Body, names: str) -> Body:
    """Return the fields of a body that are columns as they are."""
    return {name: body[name] for name in names.split()}
