"""Is my ticket a winner? A patron types or scans a ticket, and is told how it stands."""

from datetime import timedelta

from flask import Blueprint, current_app, render_template, request
from flask.blueprints import BlueprintSetupState

from app.flow.check import check_ticket
from app.flow.codes import DIGITS
from app.flow.throttle import Throttle
from app.keno.numbering import read_number
from app.keno.refusals import Refused
from app.web.noting import note_refusal
from app.web.problems import status_of
from app.web.results import WORDS
from app.web.routes import ANYONE, needs, office

routes = Blueprint("check", __name__)

NUMBER_DIGITS = 11  # of a scan, before the code
# Wrong tries of one address: beyond these it is told to wait. A right code is answered all the
# same: behind one address there may be everybody in the house, of whom one plays with the page.
# Nothing is won by trying on: a code has 23 secret digits, and any number has the same answer.
TRIES, ONE_IN = 10, timedelta(seconds=20)
# Wrong tries that are looked at, for the sake of the database: only a program has so many.
LOOKS, ONE_LOOK_IN = 600, timedelta(milliseconds=100)
TOO_MANY = "There were too many wrong tries from here. Wait a minute, then try again."
TYPED_MAX = 100


@routes.record
def _begin(state: BlueprintSetupState) -> None:
    """Give an application throttles of its own."""
    state.app.extensions["guesses"] = Throttle(TRIES, ONE_IN)
    state.app.extensions["looks"] = Throttle(LOOKS, ONE_LOOK_IN)


@routes.get("/check")
@needs(ANYONE)
def check_page() -> str:
    """Show where a ticket is typed or scanned."""
    return render_template("check.html")


@routes.post("/check")
@needs(ANYONE)
def check() -> str | tuple[str, int]:
    """Say how a ticket stands, to whoever has its code.

    It is sent as a form and never as an address, because addresses are written down on the way.
    """
    guesses: Throttle = current_app.extensions["guesses"]
    looks: Throttle = current_app.extensions["looks"]
    at, address = office().now(), request.remote_addr
    if not looks.take(address, at):
        return _too_many()
    number, code = typed(request.form.get("number", ""), request.form.get("code", ""))
    try:
        ticket = check_ticket(office(), number, code)
    except Refused as no:
        note_refusal(no.refusals[0].code)
        if not guesses.take(address, at):
            return _too_many()
        return render_template("check.html", refusal=no.refusals[0].message), status_of(no)
    looks.give_back(address, at)
    return render_template("check.html", ticket=ticket, words=WORDS)


def _too_many() -> tuple[str, int]:
    return render_template("check.html", refusal=TOO_MANY), 429


def typed(number: str, code: str) -> tuple[int, str]:
    """Return the number and the code: in two fields, or as one scan in the first."""
    first, code = number[:TYPED_MAX].strip(), code[:TYPED_MAX]
    scan = "".join(first.split())
    if scan.isascii() and scan.isdecimal() and len(scan) == NUMBER_DIGITS + DIGITS:
        first, code = scan[:NUMBER_DIGITS].lstrip("0"), scan[NUMBER_DIGITS:]
    return read_number(first) or 0, code
