"""API v1: what a work station can ask for. Views translate, and the flow decides."""

from collections.abc import Callable
from dataclasses import asdict

from flask import Blueprint, Response, jsonify, request

from app.clock import time_text
from app.flow import access
from app.flow.approvals import approve_payment
from app.flow.cash_log import cash_log
from app.flow.close_day import close_day, closed_day, so_far
from app.flow.day_review import Review, see_review, sign_review
from app.flow.desk import desk
from app.flow.draw import ask_to_void
from app.flow.drawer import close_drawer, look_at_drawer, mind_drawer, move_cash, open_drawer
from app.flow.lockout import lock_at_station
from app.flow.look_up import look_up, look_up_with_code
from app.flow.lost_ticket import pay_lost, report_lost
from app.flow.open_game import read_game
from app.flow.override import override_close
from app.flow.pay import pay_ticket
from app.flow.permissions import Permission
from app.flow.present import present_ticket
from app.flow.quote import quote_request
from app.flow.refund import refund_ticket
from app.flow.refusals import No, say_no
from app.flow.sell_together import sell_with_others
from app.flow.settle_act import settle_act
from app.flow.speak import hear
from app.flow.tax_paper import file_tax_paper
from app.flow.unclaimed import unclaimed_wins
from app.flow.void import void_ticket
from app.keno.documents import quote_document
from app.keno.drawer import DrawerAct
from app.keno.numbering import read_number
from app.keno.refusals import quoted
from app.store.queries import games
from app.web import forms
from app.web.forms import CENTS_DIGITS
from app.web.routes import ANYONE, STATION, credentials, needs, office, request_id
from app.web.strangers import now_and_then

routes = Blueprint("api", __name__, url_prefix="/api/v1")


@routes.post("/stations/enrol")
@needs(ANYONE)
def enrol_station() -> Response:
    """Enrol a work station with its one-time code."""
    credentials()  # not for a page of somebody else's, if a browser asks
    code, enrolment = forms.read_texts("code", "enrolment")
    with now_and_then():
        return jsonify(station_token=access.enrol_station(office(), code, enrolment))


@routes.post("/sign-in")
@needs(STATION)
def sign_in() -> Response:
    """Sign a person in at this station."""
    name, secret = forms.read_texts("name", "secret")
    station = credentials().station
    with now_and_then(station):
        signed_in = access.begin_work(office(), station, name, secret)
    return jsonify(token=signed_in.token, ended=list(signed_in.ended))


@routes.get("/sign-ins")
@needs(STATION)
def list_sign_ins() -> Response:
    """List where the person is signed in who asks."""
    return jsonify(sign_ins=access.own_sign_ins(office(), credentials()))


@routes.delete("/sign-ins/<which>")
@needs(STATION)
def end_sign_in(which: str) -> Response:
    """End one of one's own sign-ins."""
    access.end_own_sign_in(office(), credentials(), which)
    return jsonify({})


@routes.post("/secret")
@needs(STATION)
def choose_secret() -> Response:
    """Have a person choose a secret of their own at this station."""
    name, secret, new = forms.read_texts("name", "secret", "new_secret")
    station = credentials().station
    with now_and_then(station):
        access.choose_secret(office(), station, name, secret, new)
    return jsonify({})


@routes.post("/sign-out")
@needs(STATION)
def sign_out() -> Response:
    """Sign the person out who is signed in here."""
    access.sign_out(office(), credentials())
    return jsonify({})


@routes.get("/games")
@needs(ANYONE)
def list_games() -> Response:
    """List the newest games of all series."""
    with office().database.reading() as connection:
        found = games.newest_games(connection, 20)
    listed = [
        {
            "series": game.series,
            "game": game.number,
            "state": game.state.value,
            "closes_at": game.closes_at and time_text(game.closes_at),
            "held_why": game.held_why,
            "locked_at": game.locked_at and time_text(game.locked_at),
        }
        for game in found
    ]
    return jsonify(games=listed)


@routes.post("/quote")
@needs(Permission.TICKET_QUOTE)
def quote() -> Response:
    """Price a request on the card that is in force."""
    return jsonify(quote_document(quote_request(office(), credentials(), forms.read_quote())))


@routes.post("/spoken")
@needs(Permission.TICKET_QUOTE)
def spoken() -> Response:
    """Say what a line as a writer types it means, what it costs, and what is wrong with it."""
    line, tender = forms.read_spoken()
    return jsonify(hear(office(), credentials(), line, tender))


@routes.post("/acts/settle")
@needs(Permission.DRAWER_KEEP)
def settle() -> Response:
    """Say what became of an act whose answer was lost; if nothing did, it never will be done."""
    forms.read_texts()
    return jsonify(settle_act(office(), credentials(), request_id()))


@routes.get("/desk")
@needs(Permission.TICKET_SELL)
def show_desk() -> Response:
    """Say what a writer sees before anything is done: games, drawer, paper."""
    return jsonify(desk(office(), credentials()))


@routes.post("/tickets")
@needs(Permission.TICKET_SELL)
def sell() -> tuple[Response, int]:
    """Sell a ticket; its validation code is on the paper only."""
    return jsonify(sell_with_others(office(), credentials(), forms.read_sale(), request_id())), 201


@routes.get("/tickets/<number>")
@needs(Permission.TICKET_LOOK_UP)
def show_ticket(number: str) -> Response:
    """Say what a ticket is and how it stands."""
    return jsonify(look_up(office(), credentials(), _number(number)))


@routes.post("/tickets/<number>/look-up")
@needs(Permission.TICKET_LOOK_UP)
def show_ticket_in_hand(number: str) -> Response:
    """Say what a ticket is that somebody has in hand, and how it stands."""
    (code,) = forms.read_texts("code")
    return jsonify(look_up_with_code(office(), credentials(), _number(number), code))


@routes.post("/tickets/<number>/void")
@needs(Permission.TICKET_VOID)
def void(number: str) -> Response:
    """Take a ticket back before its game is locked."""
    voiding = forms.read_voiding(_number(number))
    return jsonify(void_ticket(office(), credentials(), voiding, request_id()))


@routes.post("/tickets/<number>/refund")
@needs(Permission.TICKET_REFUND)
def refund(number: str) -> Response:
    """Give back the price of a ticket's games that are not played."""
    refunding = forms.read_refunding(_number(number))
    return jsonify(refund_ticket(office(), credentials(), refunding, request_id()))


@routes.post("/games/<series>/<number>/lock")
@needs(Permission.GAME_LOCK)
def lock(series: str, number: str) -> Response:
    """Lock the open game by hand: a supervisor, or a writer with a supervisor's approval."""
    approval, reason = forms.read_locking()
    game = read_game(series, number)
    locked = lock_at_station(office(), credentials(), series, game, approval, reason)
    return jsonify(locked=f"{series}-{locked}", opened=f"{series}-{locked + 1}")


@routes.post("/games/<series>/<number>/close")
@needs(Permission.GAME_RUN)
def close(series: str, number: str) -> Response:
    """Override when the open game closes; no time means not before it is said again."""
    closes_at, reason = forms.read_closing()
    actor = access.acting(office(), credentials(), Permission.GAME_RUN)
    override_close(office(), actor, series, read_game(series, number), closes_at, reason)
    return jsonify(game=f"{series}-{number}", closes_at=closes_at and time_text(closes_at))


@routes.post("/games/<series>/<number>/void")
@needs(Permission.GAME_RUN)
def void_game(series: str, number: str) -> Response:
    """Ask for a locked game to be voided, because it cannot be drawn."""
    (reason,) = forms.read_texts("reason")
    actor = access.acting(office(), credentials(), Permission.GAME_RUN)
    ask_to_void(office(), actor, series, read_game(series, number), reason)
    return jsonify(game=f"{series}-{number}")


@routes.post("/staff/disable")
@needs(Permission.STAFF_MANAGE)
def disable_staff() -> Response:
    """Disable a person, at once."""
    (name,) = forms.read_texts("name")
    access.disable_staff(office(), credentials(), name)
    return jsonify(name=name)


@routes.post("/stations/disable")
@needs(Permission.STATION_MANAGE)
def disable_station() -> Response:
    """Disable a work station, at once."""
    (code,) = forms.read_texts("code")
    access.disable_station(office(), credentials(), code)
    return jsonify(code=code)


@routes.post("/stations/renew")
@needs(Permission.STATION_MANAGE)
def renew_enrolment() -> Response:
    """Give a station a new one-time code; its token ends."""
    (code,) = forms.read_texts("code")
    actor = access.acting(office(), credentials(), Permission.STATION_MANAGE)
    return jsonify(code=code, enrolment=access.renew_enrolment(office(), actor, code))


@routes.post("/tickets/<number>/present")
@needs(Permission.TICKET_PAY)
def present(number: str) -> Response:
    """Say what a ticket is paid, why, and what must be there before it is."""
    code, contact = forms.read_presenting()
    return jsonify(present_ticket(office(), credentials(), _number(number), code, contact))


@routes.post("/tickets/<number>/pay")
@needs(Permission.TICKET_PAY)
def pay(number: str) -> Response:
    """Pay a winning ticket."""
    paying = forms.read_paying(_number(number))
    return jsonify(pay_ticket(office(), credentials(), paying, request_id()))


@routes.post("/tickets/<number>/lost")
@needs(Permission.LOST_TICKET_NOTE)
def lost(number: str) -> tuple[Response, int]:
    """Note that somebody lost a ticket."""
    loss = forms.read_loss(_number(number))
    return jsonify(report_lost(office(), credentials(), loss, request_id())), 201


@routes.post("/tickets/<number>/pay-lost")
@needs(Permission.LOST_TICKET_PAY)
def pay_lost_ticket(number: str) -> Response:
    """Pay a lost ticket by check."""
    paying = forms.read_lost_payment(_number(number))
    return jsonify(pay_lost(office(), credentials(), paying, request_id()))


@routes.post("/tickets/<number>/approve")
@needs(Permission.APPROVE_PAYMENT)
def approve(number: str) -> Response:
    """Approve the payment of a ticket, from one's own page."""
    copies = forms.read_copies()
    return jsonify(approve_payment(office(), credentials(), _number(number), request_id(), copies))


@routes.post("/tickets/<number>/tax-paper")
@needs(Permission.TICKET_PAY)
def tax_paper(number: str) -> Response:
    """Note that the paper for a win that must be reported is filled in."""
    paper = forms.read_paper(_number(number))
    return jsonify(file_tax_paper(office(), credentials(), paper, request_id()))


@routes.get("/unclaimed")
@needs(Permission.UNCLAIMED_SEE)
def unclaimed() -> Response:
    """List the wins that nobody has come for, of `at_least` cents, behind the number `after`."""
    at_least, after = (
        int(given) if given.isdecimal() and len(given) < CENTS_DIGITS else default
        for given, default in (
            (request.args.get("at_least", ""), 1),
            (request.args.get("after", ""), 0),
        )
    )
    wins, more_after = unclaimed_wins(office(), credentials(), at_least, after)
    return jsonify(wins=wins, more_after=more_after)


@routes.post("/days/<day>/close")
@needs(Permission.DAY_CLOSE)
def close_gaming_day(day: str) -> Response:
    """Close a gaming day."""
    forms.read_texts()
    actor = access.acting(office(), credentials(), Permission.DAY_CLOSE)
    which = forms.read_day(day)
    return jsonify(close_day(office(), actor, which) | so_far(office(), which))


@routes.post("/days/<day>/review")
@needs(Permission.DAY_REVIEW)
def sign_a_review(day: str) -> Response:
    """Sign the list of what a manager looks at before a gaming day is closed."""
    actor = access.acting(office(), credentials(), Permission.DAY_REVIEW)
    forms.read_texts()
    return jsonify(_review(sign_review(office(), actor, forms.read_day(day))))


@routes.get("/days/<day>/review")
@needs(Permission.FLOOR_SEE)
def look_at_review(day: str) -> Response:
    """Look at the list of a gaming day, and at who has signed it."""
    return jsonify(_review(see_review(office(), credentials(), forms.read_day(day))))


def _review(review: Review) -> dict[str, object]:
    items = [asdict(each) for each in review.items]
    return {"day": review.day.isoformat(), "items": items, "signed_by": review.signed_by}


@routes.get("/days/<day>")
@needs(Permission.CASH_LOG)
def look_at_day(day: str) -> Response:
    """Look at a gaming day that was closed."""
    return jsonify(closed_day(office(), credentials(), forms.read_day(day)))


@routes.get("/days/<day>/cash")
@needs(Permission.CASH_LOG)
def list_cash(day: str) -> Response:
    """List the cash that patrons brought and took in a gaming day."""
    which = forms.read_day(day)
    patrons = cash_log(office(), credentials(), which)
    return jsonify(day=which.isoformat(), patrons=patrons)


@routes.post("/drawers")
@needs(Permission.DRAWER_KEEP)
def open_a_drawer() -> tuple[Response, int]:
    """Open a drawer with a bank that two have counted."""
    count, verifier = forms.read_opening()
    return jsonify(open_drawer(office(), credentials(), count, request_id(), verifier)), 201


@routes.get("/drawers/<drawer>")
@needs(Permission.DRAWER_KEEP)
def show_drawer(drawer: str) -> Response:
    """Show a drawer; what it came to only once it is closed."""
    return jsonify(look_at_drawer(office(), credentials(), _drawer(drawer)))


@routes.post("/drawers/<drawer>/close")
@needs(Permission.DRAWER_KEEP)
def close_a_drawer(drawer: str) -> Response:
    """Close a drawer with a blind count of two."""
    closing, verifier = forms.read_drawer_closing(_drawer(drawer))
    return jsonify(close_drawer(office(), credentials(), closing, request_id(), verifier))


def _moving(act: DrawerAct) -> Callable[[str], Response]:
    @needs(Permission.DRAWER_KEEP)
    def move(drawer: str) -> Response:
        """Fill a drawer from the bank, or bleed it."""
        amounts, approval = forms.read_movement()
        what = (_drawer(drawer), act, amounts, approval)
        return jsonify(move_cash(office(), credentials(), *what, request_id()))

    return move


def _minding(act: DrawerAct) -> Callable[[str], Response]:
    @needs(Permission.DRAWER_KEEP)
    def mind(drawer: str) -> Response:
        """Suspend a drawer, resume it, move it elsewhere, or explain what was over or short."""
        minding = forms.read_minding(_drawer(drawer), act)
        return jsonify(mind_drawer(office(), credentials(), minding, request_id()))

    return mind


for _act, _view in (
    (DrawerAct.FILL, _moving),
    (DrawerAct.BLEED, _moving),
    (DrawerAct.SUSPEND, _minding),
    (DrawerAct.RESUME, _minding),
    (DrawerAct.MOVE, _minding),
    (DrawerAct.EXPLAIN, _minding),
):
    _rule = f"/drawers/<drawer>/{_act.value}"
    routes.add_url_rule(_rule, f"{_act.value}_drawer", _view(_act), methods=["POST"])


def _drawer(text: str) -> int:
    if (number := read_number(text)) is None:
        raise say_no(No.NO_SUCH_DRAWER)
    return number


def _number(text: str) -> int:
    """Return a ticket's number, typed with its check digit or without."""
    number = read_number(text)
    if number is None:
        raise say_no(No.UNKNOWN_TICKET, number=quoted(text))
    return number
