"""Prices, counted again from what a ticket plays (15.4(a), X-card-version)."""

from collections.abc import Iterator, Mapping
from typing import Any

from app.audit.books.looks import Look, Thing
from app.audit.books.stretch import Stretch
from app.audit.faults import Fault
from app.keno.letters import group_named
from app.keno.ways import count_ways
from app.store.queries.books.rows import StoredTicket


def prices() -> list[Look]:
    """A ticket costs what its plays cost on the card that it was sold on (15.4(a))."""
    return [Look(Thing.TICKET, check_price)]


def check_price(ticket: StoredTicket, stretch: Stretch) -> Iterator[Fault]:
    """Count the ways of a ticket again, and hold its price against its card."""
    house = stretch.house
    a_game = sum(
        _ways(line, ticket.play["groups"]) * line["rate_cents"] for line in ticket.play["lines"]
    )
    if ticket.price_per_game_cents != a_game or ticket.price_cents != a_game * ticket.games:
        yield Fault("prices", f"ticket {ticket.number} does not cost what its plays cost")
    limits = house.cards[ticket.card].limits
    if not limits.ticket_min_cents <= ticket.price_cents <= limits.ticket_max_cents:
        yield Fault("prices", f"ticket {ticket.number} is outside the limits of its card")
    game = house.games.get((ticket.series, ticket.first_game))
    if game is not None and game.card != ticket.card:
        yield Fault("prices", f"ticket {ticket.number} is not on the card of its first game")


def _ways(line: Mapping[str, Any], groups: list[list[int]]) -> int:
    """Return how many ways a line plays, counted again."""
    sizes = [len(group) for group in groups]
    if "sets" not in line:
        return count_ways(sizes, line["spots"]).get(line["spots"], 0)
    spots = [sum(sizes[group_named(letter)] for letter in name.split("+")) for name in line["sets"]]
    return spots.count(line["spots"])
