"""What a ticket plays, as it is stored, and how an old ticket becomes a request again."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from app.keno.conditioning import Line
from app.keno.conditioning_text import read_set
from app.keno.letters import set_name
from app.keno.request import Request, WrittenLine
from app.keno.spots import NUMBERS, mask_of
from app.keno.ticket import Ticket, TicketType


@dataclass(frozen=True)
class Changes:
    """What is changed when an old ticket is played again; nothing, most of the time."""

    groups: tuple[tuple[int, ...], ...] | None = None
    conditioning: str | tuple[WrittenLine, ...] | None = None
    games: int | None = None
    price_cents: int | None = None


def play_document(ticket: Ticket) -> dict[str, Any]:
    """Return groups and lines of a ticket, explicit: all that it plays, and nothing to guess."""
    return {
        "groups": [numbers_of(mask) for mask in ticket.groups],
        "lines": [
            {
                "spots": line.spots,
                "ways": line.ways,
                "rate_cents": line.rate_cents,
                "schedule": line.schedule,
            }
            | ({"sets": [set_name(groups) for groups in line.sets]} if line.sets else {})
            for line in ticket.lines
        ],
    }


def ticket_of(kind: str, play: Mapping[str, Any], games: int) -> Ticket:
    """Return a ticket as it was sold, for grading; it was checked when it was sold."""
    lines = tuple(
        Line(
            line["spots"],
            line["ways"],
            line["rate_cents"],
            line["schedule"],
            tuple(read_set(name) for name in line.get("sets", ())),
        )
        for line in play["lines"]
    )
    groups = tuple(mask_of(group) for group in play["groups"])
    return Ticket(TicketType(kind), groups, lines, games, quick_pick=False)


def request_of(play: Mapping[str, Any], games: int) -> Request:
    """Return the request that an old ticket amounts to; a quick-pick's numbers are its own now."""
    return Request(
        groups=tuple(tuple(group) for group in play["groups"]),
        conditioning=tuple(
            WrittenLine(
                line["rate_cents"],
                line["schedule"],
                line["ways"],
                line["spots"],
                tuple(read_set(name) for name in line.get("sets", ())),
            )
            for line in play["lines"]
        ),
        games=games,
    )


def changed(request: Request, changes: Changes) -> Request:
    """Return a request with some of it changed."""
    return replace(
        request,
        groups=request.groups if changes.groups is None else changes.groups,
        conditioning=(
            request.conditioning if changes.conditioning is None else changes.conditioning
        ),
        games=request.games if changes.games is None else changes.games,
        price_cents=changes.price_cents,
    )


def numbers_of(mask: int) -> list[int]:
    """Return the numbers of a set, rising."""
    return [number for number in range(1, NUMBERS + 1) if mask >> (number - 1) & 1]


def request_content(request: Request | Changes) -> dict[str, Any]:
    """Return a request as it is compared with another under the same request id."""
    conditioning = request.conditioning
    if isinstance(conditioning, tuple):
        written: object = [
            [line.rate_cents, line.schedule, line.ways, line.spots, [list(s) for s in line.sets]]
            for line in conditioning
        ]
    else:
        written = conditioning
    return {
        "groups": request.groups and [list(group) for group in request.groups],
        "conditioning": written,
        "games": request.games,
        "price_cents": request.price_cents,
        "quick_pick": request.quick_pick if isinstance(request, Request) else None,
    }
