"""The records of the house for those who watch it: one search box, and a page for each thing.

Read only (X-audit-log). The log, and the draws with their statistics: `regulator_log`.
"""

from flask import Blueprint, Response, jsonify, redirect, render_template, request
from werkzeug.wrappers import Response as AnyResponse

from app.flow.permissions import Permission
from app.flow.refusals import No, say_no
from app.flow.see_records import game_life, look_at_day, ticket_life, today
from app.keno.letters import letter
from app.keno.numbering import read_number
from app.keno.refusals import quoted
from app.store.queries import games, records
from app.web import log_pages
from app.web.finding import Found, find, looked_for, nothing, read_day
from app.web.pages import page
from app.web.routes import credentials, office
from app.web.telling import tell

routes = Blueprint("regulator", __name__, url_prefix="/regulator")
GAMES = 12
DIGITS = 15


@routes.get("")
@page(Permission.RECORDS_SEE)
def front() -> str:
    """Show the search box, and what there is to look at."""
    return _front()


@routes.get("/find")
@page(Permission.RECORDS_SEE)
def find_record() -> str | AnyResponse:
    """Go to what somebody typed."""
    text = looked_for(request.args.get("q", ""))
    with office().database.reading() as connection:
        found = find(connection, text)
    if len(found) == 1:
        return redirect(found[0].path)
    if found:
        return _front(text, found)
    return Response(_front(text), 404)


@routes.get("/tickets/<number>")
@page(Permission.RECORDS_SEE)
def ticket(number: str) -> str:
    """Show the whole life of a ticket."""
    life = ticket_life(office(), credentials(), read_number(number) or 0)
    told = [(proof, tell(proof.entry)) for proof in life.proofs]
    groups = [(letter(place), group) for place, group in enumerate(life.ticket.play["groups"])]
    return render_template("regulator/ticket.html", life=life, told=told, groups=groups)


@routes.get("/games/<series>/<number>")
@page(Permission.RECORDS_SEE)
def game(series: str, number: str) -> str:
    """Show the whole life of a game."""
    life = game_life(office(), series, _whole(number))
    told = [(proof, tell(proof.entry)) for proof in life.proofs]
    return render_template("regulator/game.html", life=life, told=told)


@routes.get("/games/<series>/<number>/record.json")
@page(Permission.RECORDS_SEE)
def record(series: str, number: str) -> Response:
    """Return the signed record of a game, for a program that checks it."""
    life = game_life(office(), series, _whole(number))
    if life.drawn is None:
        raise say_no(No.NO_SUCH_GAME, game=f"{series}-{number}")
    return jsonify(life.drawn.draw.document)


@routes.get("/people/<code>")
@page(Permission.RECORDS_SEE)
def person(code: str) -> str:
    """Show what a person did."""
    with office().database.reading() as connection:
        who = next((each for each in records.people(connection) if each.code == code), None)
        if who is None:
            raise say_no(No.NO_SUCH_STAFF, name=quoted(code))
        listed = log_pages.of_person(connection, who.code, who.name)
    return render_template(
        "regulator/person.html", person=who, listed=listed, window=log_pages.WINDOW
    )


@routes.get("/stations/<code>")
@page(Permission.RECORDS_SEE)
def station(code: str) -> str:
    """Show what happened at a station."""
    with office().database.reading() as connection:
        where = next((each for each in records.stations(connection) if each.code == code), None)
        if where is None:
            raise say_no(No.NO_SUCH_STATION, station=quoted(code))
        listed = log_pages.of_station(connection, where.code)
    return render_template(
        "regulator/station.html", station=where, listed=listed, window=log_pages.WINDOW
    )


@routes.get("/days/<day>")
@page(Permission.RECORDS_SEE)
def day(day: str) -> str | AnyResponse:
    """Show a gaming day."""
    known = read_day(day)
    if known is None:
        return Response(_front(day), 404)
    look = look_at_day(office(), known)
    with office().database.reading() as connection:
        listed = log_pages.of_day(office(), connection, day)
    return render_template("regulator/day.html", day=known, look=look, listed=listed)


def _front(text: str = "", found: list[Found] | None = None) -> str:
    with office().database.reading() as connection:
        return render_template(
            "regulator/front.html",
            text=text,
            found=found or [],
            refusal=nothing(text) if text and not found else None,
            today=today(office()),
            games=games.newest_games(connection, GAMES),
            people=records.people(connection),
            stations=records.stations(connection),
        )


def _whole(text: str) -> int:
    return int(text) if text.isascii() and text.isdecimal() and len(text) <= DIGITS else 0
