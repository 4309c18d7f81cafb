"""The supervisor's pages: the floor at a glance, approvals, rate cards, people, days.

They show; whatever is done from them goes through the API.
"""

from fractions import Fraction

from flask import Blueprint, current_app, render_template, request

from app.flow.approvals import look_at_claim
from app.flow.day_review import see_review
from app.flow.drawer import look_at_drawer
from app.flow.permissions import Permission
from app.flow.refusals import No, say_no
from app.flow.see_cards import Advantage, see_stops, see_version, see_versions
from app.flow.see_floor import CLOSED, FloorSeen, see_floor
from app.flow.unclaimed import unclaimed_wins
from app.keno.drawer import DENOMINATIONS
from app.keno.numbering import read_number
from app.keno.refusals import quoted
from app.store.queries import house
from app.store.queries.drawers import closed_lately, drawers_in_use
from app.web.forms import CENTS_DIGITS, read_day
from app.web.pages import page
from app.web.routes import credentials, office
from app.web.runbooks import read_runbooks

routes = Blueprint("supervisor", __name__, url_prefix="/supervisor")


@routes.get("")
@page(Permission.FLOOR_SEE)
def floor() -> str:
    """Show the floor at a glance."""
    return render_template("supervisor/floor.html", **_floor())


@routes.get("/now")
@page(Permission.FLOOR_SEE)
def floor_now() -> str:
    """Show what changes by itself on the floor, for the page to put in."""
    return render_template("supervisor/now.html", **_floor())


@routes.get("/acts")
@page(Permission.FLOOR_SEE)
def floor_acts() -> str:
    """Show what can be done on the floor now, for the page to put in."""
    return render_template("supervisor/acts.html", **_floor())


@routes.get("/runbooks")
@page(Permission.FLOOR_SEE)
def runbooks() -> str:
    """Show what is done about each alarm."""
    return render_template("supervisor/runbooks.html", runbooks=read_runbooks())


@routes.get("/approvals/<number>")
@page(Permission.APPROVE_PAYMENT)
def approval(number: str) -> str:
    """Show a payment that waits for an approval, with both gradings side by side."""
    ticket = read_number(number)
    if ticket is None:
        raise say_no(No.UNKNOWN_TICKET, number=quoted(number))
    claim = look_at_claim(office(), credentials(), ticket)
    return render_template("supervisor/approval.html", claim=claim, number=ticket)


@routes.get("/drawers")
@page(Permission.DRAWER_SEE)
def drawers() -> str:
    """Show the drawers in use and those that were closed last."""
    with office().database.reading() as connection:
        seen = {"drawers": drawers_in_use(connection), "closed": closed_lately(connection, CLOSED)}
    return render_template("supervisor/drawers.html", seen=seen)


@routes.get("/drawers/<drawer>")
@page(Permission.DRAWER_SEE)
def drawer(drawer: str) -> str:
    """Show a drawer: to be closed or moved; once it is closed, what it came to and why."""
    number = read_number(drawer) or 0
    seen = look_at_drawer(office(), credentials(), number, Permission.DRAWER_SEE)
    return render_template("supervisor/drawer.html", seen=seen, kinds=_kinds())


@routes.get("/days/<day>")
@page(Permission.FLOOR_SEE)
def day_review(day: str) -> str:
    """Show what a manager looks at before a gaming day is closed, and signs."""
    review = see_review(office(), credentials(), read_day(day))
    return render_template("supervisor/day.html", review=review)


@routes.get("/cards")
@page(Permission.FLOOR_SEE)
def cards() -> str:
    """Show the versions of the rate card, and where a new one is brought."""
    versions = see_versions(office(), credentials())
    return render_template("supervisor/cards.html", versions=versions, stopped=see_stops(office()))


@routes.get("/cards/<card>")
@page(Permission.FLOOR_SEE)
def card(card: str) -> str:
    """Show a version: what is wrong with it, what the house keeps, what it would change."""
    seen, file = see_version(office(), credentials(), card)
    bars = [_bar(each, seen.most) for each in seen.advantages]
    return render_template("supervisor/card.html", seen=seen, file=file, bars=bars, hash=card)


@routes.get("/unclaimed")
@page(Permission.UNCLAIMED_SEE)
def unclaimed() -> str:
    """Show the wins that nobody has come for, and where a lost ticket is reported."""
    after = request.args.get("after", "")
    behind = int(after) if after.isdecimal() and len(after) < CENTS_DIGITS else 0
    wins, more_after = unclaimed_wins(office(), credentials(), after=behind)
    return render_template("supervisor/unclaimed.html", wins=wins, more_after=more_after)


@routes.get("/people")
@page(Permission.FLOOR_SEE)
def people() -> str:
    """Show people, stations and printers."""
    with office().database.reading() as connection:
        locations = house.locations(connection)
    seen = _seen()
    return render_template("supervisor/people.html", seen=seen, locations=locations)


def _floor() -> dict[str, object]:
    return {"seen": _seen()}


def _kinds() -> dict[str, list[int]]:
    """Return what is counted in a drawer: kinds of tender, with their denominations."""
    return {kind.value: sorted(values or (), reverse=True) for kind, values in _DENOMINATIONS}


def _seen() -> FloorSeen:
    return see_floor(office(), credentials(), [current_app.extensions["reports"]])


_DENOMINATIONS = list(DENOMINATIONS.items())


def _bar(advantage: Advantage, most: Fraction) -> dict[str, object]:
    """Return a bar of the plot: how long it is of a thousand, which stand for half of a wager."""
    width = int(2000 * max(advantage.now, Fraction(0)))
    return {"of": advantage, "width": min(width, 1000), "high": advantage.now > most}
