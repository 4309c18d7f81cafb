"""API v1 for whoever runs the house: rate cards, frozen games, people, stations."""

from flask import Blueprint, Response, jsonify

from app.clock import time_text
from app.flow import access, staffing
from app.flow.access import approver
from app.flow.actor import Actor, actor_as
from app.flow.open_game import read_game
from app.flow.permissions import Permission
from app.flow.rate_cards import accept_card, bring_card, put_in_force
from app.flow.release import release_game
from app.flow.see_cards import look_at
from app.keno.documents import ratio, refusals_document
from app.web import forms
from app.web.routes import credentials, needs, office

routes = Blueprint("management", __name__, url_prefix="/api/v1")


# ---- rate cards ----------------------------------------------------------------------------------


@routes.post("/cards/check")
@needs(Permission.CARD_BRING)
def check_a_card() -> Response:
    """Say what is wrong with a card, and what the house keeps of each wager; nothing is kept."""
    _acting(Permission.CARD_BRING)
    (file,) = forms.read_texts("file")
    seen = look_at(office(), file.encode())
    return jsonify(
        name=seen.name,
        faults=refusals_document(seen.faults),
        advantages=[
            {
                "schedule": each.schedule,
                "spots": each.spots,
                "house_advantage": ratio(each.now),
                "before": each.before and ratio(each.before),
            }
            for each in seen.advantages
        ],
        difference=seen.difference,
    )


@routes.post("/cards")
@needs(Permission.CARD_BRING)
def bring() -> tuple[Response, int]:
    """Bring a new version of the rate card."""
    actor = _acting(Permission.CARD_BRING)
    (file,) = forms.read_texts("file")
    return jsonify(card=bring_card(office(), actor, file.encode()).hex()), 201


@routes.post("/cards/<card>/accept")
@needs(Permission.CARD_ACCEPT)
def accept(card: str) -> Response:
    """Accept a version, as a supervisor or as a manager outside keno."""
    actor = _acting(Permission.CARD_ACCEPT)
    forms.read_texts()
    accept_card(office(), actor, forms.read_hash(card))
    return jsonify(card=card)


@routes.post("/cards/<card>/force")
@needs(Permission.CARD_BRING)
def force(card: str) -> Response:
    """Publish a version, and from when it holds."""
    actor = _acting(Permission.CARD_BRING)
    since = put_in_force(office(), actor, forms.read_hash(card), forms.read_since())
    return jsonify(card=card, effective_at=time_text(since))


# ---- games ---------------------------------------------------------------------------------------


@routes.post("/games/<series>/<number>/release")
@needs(Permission.GAME_RUN)
def release(series: str, number: str) -> Response:
    """Have a frozen game graded again, with a manager."""
    actor = _acting(Permission.GAME_RUN)
    reason, given = forms.read_release()
    person = approver(office(), given, actor.place, Permission.GAME_RELEASE, actor.code)
    manager = actor_as(person, actor.place)
    release_game(office(), actor, manager, series, read_game(series, number), reason)
    return jsonify(game=f"{series}-{number}")


# ---- people and stations -------------------------------------------------------------------------


@routes.post("/staff")
@needs(Permission.STAFF_MANAGE)
def add_person() -> tuple[Response, int]:
    """Add one of the staff."""
    actor = _acting(Permission.STAFF_MANAGE)
    code, name, role, secret = forms.read_texts("code", "name", "role", "secret")
    staffing.add_person(office(), actor, code, name, role, secret)
    return jsonify(name=name), 201


@routes.post("/staff/enable")
@needs(Permission.STAFF_MANAGE)
def enable_person() -> Response:
    """Let somebody who was disabled work again."""
    actor = _acting(Permission.STAFF_MANAGE)
    (name,) = forms.read_texts("name")
    staffing.enable_person(office(), actor, name)
    return jsonify(name=name)


@routes.post("/staff/secret")
@needs(Permission.STAFF_MANAGE)
def give_secret() -> Response:
    """Give somebody a new secret."""
    actor = _acting(Permission.STAFF_MANAGE)
    name, secret = forms.read_texts("name", "secret")
    staffing.give_secret(office(), actor, name, secret)
    return jsonify(name=name)


@routes.post("/stations")
@needs(Permission.STATION_MANAGE)
def add_station() -> tuple[Response, int]:
    """Add a work station; its one-time code is told this once."""
    actor = _acting(Permission.STATION_MANAGE)
    code, location = forms.read_texts("code", "location")
    return jsonify(code=code, enrolment=staffing.add_station(office(), actor, code, location)), 201


@routes.post("/stations/enable")
@needs(Permission.STATION_MANAGE)
def enable_station() -> Response:
    """Let a station that was disabled enrol and work again; its one-time code is told this once."""
    actor = _acting(Permission.STATION_MANAGE)
    (code,) = forms.read_texts("code")
    return jsonify(code=code, enrolment=staffing.enable_station(office(), actor, code))


def _acting(permission: Permission) -> Actor:
    return access.acting(office(), credentials(), permission)
