"""What was settled for the house, made again: cards, people, stations, printers, amounts, days."""

from collections.abc import Mapping
from datetime import date

from app.flow.access import ENROLMENT_BYTES, digest
from app.flow.rebuild.context import Act, Body, NotRebuilt, Rebuilding, moment, taken
from app.store.queries import house as queries
from app.store.queries import keeping as keeping_queries
from app.store.queries import paper
from app.store.records import house, keeping, rebuilding
from app.store.records import paper as paper_records
from app.store.records.together import add_rows
from app.store.tables import (
    BooksRun,
    Card,
    CardAcceptance,
    CardTerm,
    DayClose,
    HoldEnd,
    HouseAmount,
    HouseSetting,
    LogOrigin,
    ReportChoice,
    Resumption,
    Retention,
    Role,
    SaleStop,
    StaffChange,
)

NOT_IN_LOG = "Their secret is not in the log: an administrator gives them a new one."
ONE_BEFORE = (
    "Their secret is not in the log: they choose another with the one that they had before."
)
NAMELESS = (
    "Their name and secret are not in the log: they are here under their code, disabled; an "
    "administrator gives them a new secret."
)
NEW_ENROLMENT = "Its enrolment is not in the log: an administrator has it enrolled again."


def card(here: Rebuilding, entry: int, body: Body) -> str | None:
    """A version of the rate card was brought."""
    values = {
        "hash": bytes.fromhex(body["card"]),
        "name": body["name"],
        "file": body["file"],
        "staff": here.actor(body["by"]),
        "second": body["second"]["staff"] if "second" in body else None,
        "brought_at": moment(body["time"]),
    }
    add_rows(here.unit, entry, [(Card, values)])
    return None


def accepted(here: Rebuilding, entry: int, body: Body) -> str | None:
    """One of the two accepted a card."""
    values = {
        "card": here.card(body["card"]),
        "consent": body["as"],
        "against": here.card(body["against"]) if body.get("against") else None,
        "staff": here.actor(body["by"]),
        "accepted_at": moment(body["time"]),
    }
    add_rows(here.unit, entry, [(CardAcceptance, values)])
    return None


def in_force(here: Rebuilding, entry: int, body: Body) -> str | None:
    """A card was put into force."""
    values = {
        "card": here.card(body["card"]),
        "published_at": moment(body["time"]),
        "effective_at": moment(body["effective_at"]),
        "staff": here.actor(body["by"]),
        "manager": here.person(body["manager"]) if "manager" in body else None,
    }
    add_rows(here.unit, entry, [(CardTerm, values)])
    return None


def stopped(here: Rebuilding, entry: int, body: Body) -> str | None:
    """A sale was stopped."""
    values = {**_of_sale(body), "stopped": True, "staff": here.actor(body["by"])}
    add_rows(here.unit, entry, [(SaleStop, values)])
    return None


def resumed(here: Rebuilding, entry: int, body: Body) -> str | None:
    """What was stopped is sold again."""
    values = {**_of_sale(body), "stopped": False, **_two_people(here, body)}
    add_rows(here.unit, entry, [(SaleStop, values)])
    return None


def _of_sale(body: Body) -> Body:
    return {**taken(body, "series schedule spots reason"), "at": moment(body["time"])}


def amount(here: Rebuilding, entry: int, body: Body) -> str | None:
    """An amount was set."""
    values = {
        "name": body["name"],
        "from_day": date.fromisoformat(body["from_day"]),
        "cents": body["after_cents"],
        **_two_people(here, body),
    }
    add_rows(here.unit, entry, [(HouseAmount, values)])
    return None


def setting(here: Rebuilding, entry: int, body: Body) -> str | None:
    """A number was settled."""
    values = {"name": body["name"], "value": body["after"], **_two_people(here, body)}
    add_rows(here.unit, entry, [(HouseSetting, values)])
    return None


def retention(here: Rebuilding, entry: int, body: Body) -> str | None:
    """It was settled how long records are kept."""
    values = {"kind": body["kind"], "days": body["after"], **_two_people(here, body)}
    add_rows(here.unit, entry, [(Retention, values)])
    return None


def _two_people(here: Rebuilding, body: Body) -> Body:
    return {"staff": here.person(body["supervisor"]), "manager": here.person(body["manager"])}


def day(here: Rebuilding, entry: int, body: Body) -> str | None:
    """A gaming day was closed."""
    values = {
        "day": date.fromisoformat(body["day"]),
        "staff": here.actor(body["by"]),
        "ends_at": moment(body["ends_at"]),
        "closed_at": moment(body["time"]),
        **taken(body, "figures drawers frozen unclaimed"),
    }
    add_rows(here.unit, entry, [(DayClose, values)])
    return None


def books(here: Rebuilding, entry: int, body: Body) -> str | None:
    """The books were worked out."""
    values = {
        "size": body["log"]["size"],
        "root": bytes.fromhex(body["log"]["root"]),
        "began_at": moment(body["time"]),
        **taken(body, "gaming_day faults"),
    }
    add_rows(here.unit, entry, [(BooksRun, values)])
    return None


def report_chosen(here: Rebuilding, entry: int, body: Body) -> str | None:
    """It was chosen whether a report is made at the close of each day."""
    values = taken(body, "report format") | {"chosen": body["after"]}
    add_rows(here.unit, entry, [(ReportChoice, {**values, "staff": here.actor(body["by"])})])
    return None


def person(here: Rebuilding, entry: int, body: Body) -> str | None:
    """Somebody came, was disabled, came back, got a new secret, or chose an own one."""
    told = _person(here, body)
    if "kind" in body:
        values = {
            "staff": here.person(body["staff"]),
            "change": body["kind"],
            "first": here.person(body["by"]),
            "second": here.person(body["second"]),
            "changed_at": moment(body["time"]),
            "until": moment(body["until"]),
        }
        add_rows(here.unit, entry, [(StaffChange, values)])
    return told


def _person(here: Rebuilding, body: Body) -> str | None:
    change = body["change"]
    if body.get("kind") in ("standby", "off-standby", "emergency"):
        return None
    if change == "added":
        # Or nothing that they sold and paid could be made again.
        nobody_knows = here.office.hasher.hash(here.office.entropy(ENROLMENT_BYTES).hex())
        code, role = body["staff"], Role(body["role"])
        who = house.add_staff(here.unit, code, code, role, nobody_knows, given=True)
        rebuilding.disable_staff_at(here.unit, who, moment(body["time"]))
        return NAMELESS
    who = here.person(body["staff"])
    if change in ("given a new secret", "chose an own secret"):
        house.end_all_sign_ins(here.unit, who)
        if change == "chose an own secret" and rebuilding.administers(here.unit, who):
            # Or nobody might be left who gives new ones: nothing is done with it but choosing.
            rebuilding.take_for_given(here.unit, who)
            return ONE_BEFORE
        # The old one is not good any more, whoever knows it.
        nobody_knows = here.office.hasher.hash(here.office.entropy(ENROLMENT_BYTES).hex())
        is_given = change == "given a new secret"
        house.change_secret(here.unit, who, nobody_knows, given=is_given)
        return NOT_IN_LOG
    at = moment(body["time"]) if change == "disabled" else None
    rebuilding.disable_staff_at(here.unit, who, at)
    house.end_all_sign_ins(here.unit, who)
    return None


def station(here: Rebuilding, entry: int, body: Body) -> str | None:  # noqa: ARG001  one form for all
    """A station came, was disabled, came back, or was to be enrolled again."""
    change, code = body["change"], body["station"]
    unknown = digest(here.office.entropy(ENROLMENT_BYTES).hex())
    if change == "added":
        if body["location"] not in queries.locations(here.unit.connection):
            raise NotRebuilt("Its location is not here.")
        house.add_station(here.unit, code, body["location"], unknown)
        return NEW_ENROLMENT
    which = here.station(code)
    if change == "to be enrolled again":
        house.renew_enrolment(here.unit, which, unknown)
        return NEW_ENROLMENT
    if change == "enabled":
        house.enable_station(here.unit, which, unknown)
        return NEW_ENROLMENT
    rebuilding.disable_station_at(here.unit, which, moment(body["time"]))
    house.end_sign_ins_at(here.unit, which)
    return None


def enrolled(here: Rebuilding, entry: int, body: Body) -> str | None:  # noqa: ARG001  one form for all
    """A station enrolled: its code is used up, and its token nobody knows."""
    unknown = digest(here.office.entropy(ENROLMENT_BYTES).hex())
    house.renew_enrolment(here.unit, here.station(body["station"]), unknown)
    return NEW_ENROLMENT


def printer(here: Rebuilding, entry: int, body: Body) -> str | None:
    """A printer was added or moved, or stations print on it."""
    known = {each.code: each.id for each in paper.printers(here.unit.connection)}
    which = known.get(body["printer"])
    if which is None:
        plan = (body["printer"], body["address"], body["roll"])
        which = paper_records.add_printer(here.unit, entry, *plan)
    else:
        paper_records.change_printer(here.unit, entry, which, body["address"], body["roll"])
    for code in body["stations"]:
        paper_records.use_printer(here.unit, entry, here.station(code), which)
    return None


def went_on(here: Rebuilding, entry: int, body: Body) -> str | None:
    """The house was restored before, and went on: what it left out and held."""
    last, left_out = body["last_number"], body["numbers_left_out"]
    add_rows(here.unit, entry, [(Resumption, {"last_number": last, "left_out": left_out})])
    rebuilding.pass_number(here.unit, "ticket", last + left_out)
    # In the order of the log: the drawers that were opened before have their numbers by now.
    rebuilding.skip_numbers(here.unit, "drawer", body["drawers_left_out"])
    return None


def renamed(here: Rebuilding, entry: int, body: Body) -> str | None:
    """The log got another name."""
    before = queries.house(here.unit.connection)
    if before is None:
        raise NotRebuilt("There is no house here.")
    row = {"origin": before.log_origin, "size": body["size_here"]}
    add_rows(here.unit, entry, [(LogOrigin, row)])
    keeping.rename_log(here.unit, body["new_origin"])
    return went_on(here, entry, body)


def hold_ended(here: Rebuilding, entry: int, body: Body) -> str | None:
    """Tickets that were held were so no longer."""
    values = {
        "reason": body["reason"],
        "ended_at": moment(body["time"]),
        **_two_people(here, body),
    }
    holds = keeping_queries.holds(here.unit.connection)
    add_rows(here.unit, entry, [(HoldEnd, {"resumption": each, **values}) for each in holds])
    return None


HOUSE: Mapping[str, Act] = {
    "CARD": card,
    "CARD-ACCEPTED": accepted,
    "CARD-IN-FORCE": in_force,
    "SALE-STOPPED": stopped,
    "SALE-RESUMED": resumed,
    "AMOUNT": amount,
    "SETTING": setting,
    "RETENTION": retention,
    "DAY-CLOSE": day,
    "REPORT-CHOICE": report_chosen,
    "BOOKS": books,
    "STAFF": person,
    "STATION": station,
    "ENROL": enrolled,
    "PRINTER": printer,
    "RESTORED": went_on,
    "REFILLED": went_on,
    "NEW-ORIGIN": renamed,
    "HOLD-ENDED": hold_ended,
}
