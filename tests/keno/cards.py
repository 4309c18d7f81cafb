"""The test card, as it is and with changes."""

from dataclasses import replace
from pathlib import Path

from app.keno.card_file import read_card
from app.keno.money import LARGEST
from app.keno.rate_card import RateCard

FILE = Path(__file__).parent / "card.toml"
CARD = read_card(FILE.read_bytes())


def with_limits(card: RateCard = CARD, **limits: object) -> RateCard:
    """Return the card with other limits."""
    return replace(card, limits=replace(card.limits, **limits))  # type: ignore[arg-type]  # by name


def with_schedule(name: str, card: RateCard = CARD, **fields: object) -> RateCard:
    """Return the card with one of its schedules changed."""
    schedule = replace(card.schedules[name], **fields)  # type: ignore[arg-type]  # by name
    return replace(card, schedules={**card.schedules, name: schedule})


# Sells anything; its special rate pays what the regular one does, but in sevenths of a cent.
ROOMY = with_schedule(
    "twobits",
    with_limits(ticket_min_cents=1, ticket_max_cents=LARGEST, spots_max=80, games_max=1000),
    base_cents=700,
    rate_min_cents=1,
    rate_max_cents=10_000,
    rate_step_cents=1,
    ways_min=1,
    ticket_min_cents=0,
    pays_cents=CARD.schedules["regular"].pays_cents,
)
