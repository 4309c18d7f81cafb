"""API v1 for whoever runs the house: rate cards, frozen games, people, stations, printers."""

from flask import Blueprint, Response, jsonify

from app.clock import time_text
from app.flow import access, emergency, staffing
from app.flow.access import Approval, approver
from app.flow.actor import Actor, actor_as
from app.flow.open_game import read_game
from app.flow.permissions import Permission
from app.flow.printers import set_printer, use_other_printer
from app.flow.rate_cards import accept_card, bring_card, enter_promotion, put_in_force
from app.flow.refusals import No, say_no
from app.flow.release import release_game
from app.flow.see_cards import look_at
from app.flow.stop_sales import resume_sale, stop_sale
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
        changes=[change.words for change in seen.changes],
        difference=seen.difference,
    )


@routes.post("/cards")
@needs(Permission.CARD_BRING)
def bring() -> tuple[Response, int]:
    """Bring a new version of the rate card."""
    actor = _acting(Permission.CARD_BRING)
    (file,) = forms.read_texts("file")
    return jsonify(card=bring_card(office(), actor, file.encode()).hex()), 201


@routes.post("/cards/promotion")
@needs(Permission.CARD_PROMOTION_ENTER)
def promote() -> tuple[Response, int]:
    """Enter a promotion below the floor, with the second of the two who have the letter."""
    actor = _acting(Permission.CARD_PROMOTION_ENTER)
    file, given = forms.read_promotion()
    second = approver(office(), given, actor.place, Permission.CARD_PROMOTION_JOIN)
    digest = enter_promotion(office(), actor, actor_as(second, actor.place), file.encode())
    return jsonify(card=digest.hex()), 201


@routes.post("/cards/<card>/accept")
@needs(Permission.CARD_ACCEPT)
def accept(card: str) -> Response:
    """Accept a version, as a supervisor or as a manager outside keno."""
    actor = _acting(Permission.CARD_ACCEPT)
    typed = forms.read_typed_changes()
    accept_card(office(), actor, forms.read_hash(card), typed)
    return jsonify(card=card)


@routes.post("/cards/<card>/force")
@needs(Permission.CARD_BRING)
def force(card: str) -> Response:
    """Publish a version, and from when it holds; one that was in force, with a manager."""
    actor = _acting(Permission.CARD_BRING)
    since, given = forms.read_since_with_manager()
    since = put_in_force(office(), actor, forms.read_hash(card), since, _manager(actor, given))
    return jsonify(card=card, effective_at=time_text(since))


# ---- stopped sales -------------------------------------------------------------------------------


@routes.post("/sales/stop")
@needs(Permission.SALE_STOP)
def stop() -> Response:
    """Stop the sale of a series, a schedule or a spot count of one."""
    actor = _acting(Permission.SALE_STOP)
    thing, reason, _ = forms.read_stop()
    stop_sale(office(), actor, thing, reason)
    return jsonify(stopped=thing.words)


@routes.post("/sales/resume")
@needs(Permission.SALE_STOP)
def resume() -> Response:
    """Sell again what was stopped, with a manager outside keno."""
    actor = _acting(Permission.SALE_STOP)
    thing, reason, given = forms.read_stop()
    manager = _manager(actor, given)
    if manager is None:
        raise say_no(No.TWO_SIDES)
    resume_sale(office(), actor, manager, thing, reason)
    return jsonify(resumed=thing.words)


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
    """Add one of the staff, with one of another side."""
    actor = _acting(Permission.STAFF_MANAGE)
    (code, name, role, secret), given = forms.read_two("code", "name", "role", "secret")
    staffing.add_person(office(), actor, _second(actor, given), code, name, role, secret)
    return jsonify(name=name), 201


@routes.post("/staff/enable")
@needs(Permission.STAFF_MANAGE)
def enable_person() -> Response:
    """Let somebody who was disabled work again, with one of another side."""
    actor = _acting(Permission.STAFF_MANAGE)
    (name,), given = forms.read_two("name")
    staffing.enable_person(office(), actor, _second(actor, given), name)
    return jsonify(name=name)


@routes.post("/staff/secret")
@needs(Permission.STAFF_MANAGE)
def give_secret() -> Response:
    """Give somebody a new secret, with one of another side."""
    actor = _acting(Permission.STAFF_MANAGE)
    (name, secret), given = forms.read_two("name", "secret")
    staffing.give_secret(office(), actor, _second(actor, given), name, secret)
    return jsonify(name=name)


@routes.post("/staff/standby")
@needs(Permission.STAFF_MANAGE)
def set_standby() -> Response:
    """Put a person on the standby list, or take them off it, with one of another side."""
    actor = _acting(Permission.STAFF_MANAGE)
    (name, listed), given = forms.read_two("name", "listed")
    emergency.set_standby(office(), actor, _second(actor, given), name, listed=listed == "yes")
    return jsonify(name=name)


@routes.post("/staff/emergency")
@needs(Permission.EMERGENCY_NAME)
def name_approver() -> Response:
    """Have a person from the standby list approve for 12 hours, with one who watches."""
    actor = _acting(Permission.EMERGENCY_NAME)
    (name,), given = forms.read_two("name")
    second = _second(actor, given, Permission.EMERGENCY_CONFIRM)
    emergency.name_approver(office(), actor, second, name)
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


def _manager(actor: Actor, given: Approval | None) -> Actor | None:
    """Return the manager outside keno who agrees to something, if one is named."""
    if given is None:
        return None
    return actor_as(approver(office(), given, actor.place, Permission.AMOUNT_SET), actor.place)


def _second(
    actor: Actor, given: Approval | None, what: Permission = Permission.STAFF_CONFIRM
) -> Actor | None:
    """Return who confirms what is done with a person; None if nobody is given."""
    if given is None:
        return None
    person = approver(office(), given, actor.place, what)
    return actor_as(person, actor.place)


# ---- printers ------------------------------------------------------------------------------------


@routes.post("/printers")
@needs(Permission.PRINTER_MANAGE)
def set_a_printer() -> Response:
    """Add a printer, have it elsewhere or have stations print on it, with a supervisor."""
    actor = _acting(Permission.PRINTER_MANAGE)
    plan, given = forms.read_printer()
    supervisor = None
    if given is not None:
        person = approver(office(), given, actor.place, Permission.PRINTER_MIND)
        supervisor = actor_as(person, actor.place)
    roll = set_printer(office(), actor, plan, supervisor)
    return jsonify(printer=plan.code, address=plan.address, roll=roll)


@routes.post("/printers/use")
@needs(Permission.PRINTER_MIND)
def use_a_printer() -> Response:
    """Have a station print on another printer of its location until the gaming day ends."""
    actor = _acting(Permission.PRINTER_MIND)
    station, printer = forms.read_texts("station", "printer")
    until = use_other_printer(office(), actor, station, printer)
    return jsonify(station=station, printer=printer, until=until and time_text(until))


def _acting(permission: Permission) -> Actor:
    return access.acting(office(), credentials(), permission)
