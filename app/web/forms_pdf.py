"""What patrons take home: the blank request, and the rate card in force, as PDF.

Anyone may ask for them, and drawing one takes as long as several sales: each is drawn once and
given out again.
"""

from fractions import Fraction
from functools import lru_cache

from flask import Blueprint, Response

from app.flow.rate_cards import card_now
from app.keno.card_checks import all_figures
from app.keno.money import Rounding, dollars, percent
from app.keno.odds import catch_odds
from app.keno.rate_card import RateCard, Schedule
from app.web.routes import ANYONE, needs, office
from printers.forms.rate_card import CardForm, Pay, SchedulePays, SpotPays, rate_card_form
from printers.forms.request_form import request_form
from printers.words import claim_period

routes = Blueprint("forms_pdf", __name__)
DIGEST_SHOWN = 12
_blank = lru_cache(maxsize=2)(request_form)
_drawn: dict[tuple[str, str], bytes] = {}  # the card in force, by house and digest


@routes.get("/request-form.pdf")
@needs(ANYONE)
def blank_request() -> Response:
    """The blank keno request (15.4(b))."""
    return Response(_blank(office().house.name), mimetype="application/pdf")


@routes.get("/rate-card.pdf")
@needs(ANYONE)
def card_in_force() -> Response:
    """The rate card that holds now."""
    house = office().house.name
    card, digest = card_now(office())
    pdf = _drawn.get((house, digest))
    if pdf is None:
        pdf = rate_card_form(card_form(house, card, digest[:DIGEST_SHOWN]))
        _drawn.clear()
        _drawn[house, digest] = pdf
    return Response(pdf, mimetype="application/pdf")


def card_form(house: str, card: RateCard, digest: str) -> CardForm:
    """Return a rate card in words."""
    limits = card.limits
    least, most = dollars(limits.ticket_min_cents), dollars(limits.ticket_max_cents)
    period = claim_period(limits.claim_minutes)
    terms = [
        f"A ticket costs from {least} to {most}, for up to {limits.games_max:,} games.",
        f"Wins must be claimed within {period} after the start of the last game.",
    ]
    if limits.aggregate_cents is not None:
        first = dollars(limits.in_full_below_cents)
        after = f" after the first {first} of each" if limits.in_full_below_cents else ""
        terms.append(
            "All wins of one game together are paid up to "
            f"{dollars(limits.aggregate_cents)}. If more is won, they are paid pro rata{after}."
        )
    figures = all_figures(card)
    schedules = [
        SchedulePays(
            name.capitalize(),
            _terms(schedule),
            [
                SpotPays(
                    spots,
                    [
                        Pay(caught, dollars(cents), _odds(catch_odds(spots)[caught]))
                        for caught, cents in sorted(pays.items())
                    ],
                    percent(figures[name][spots].house_advantage, Rounding.UP),
                )
                for spots, pays in sorted(schedule.pays_cents.items())
            ],
        )
        for name, schedule in card.schedules.items()
    ]
    return CardForm(house, card.name, digest, terms, schedules)


def _terms(schedule: Schedule) -> str:
    more = f", {schedule.ways_min} ways or more" if schedule.ways_min > 1 else ""
    return (
        f"Pays for a wager of {dollars(schedule.base_cents)}; wagers from "
        f"{dollars(schedule.rate_min_cents)} to {dollars(schedule.rate_max_cents)}{more}."
    )


def _odds(chance: Fraction) -> str:
    """Return how rarely something comes: one in so many, with two places."""
    hundredths = round(100 / chance)
    return f"1 in {hundredths // 100:,}.{hundredths % 100:02}"
