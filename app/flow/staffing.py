"""People and stations that come, come back, or get a new secret (X-access, X-approver-new).

An administrator's acts: whoever manages people and stations neither sells nor pays nor draws. And
a secret that they give out, and so know, is good for choosing another one only (`choose_secret`).

For people there are two, of two sides: an administrator, and a supervisor or a manager. What the
person has to wait for then: `app.flow.approvers`. To disable a person takes one, at once.

Write order: there is one commit in each act. *Crash before: nothing is changed.*
"""

import re
import unicodedata
from datetime import timedelta

from app.audit.tags import Tag
from app.clock import time_text
from app.flow.access import (
    ENROLMENT_BYTES,
    check_length,
    digest,
    permit,
    still_acting,
    told_of_secret,
)
from app.flow.actor import Actor
from app.flow.approvers import WAITS, check_waits
from app.flow.office import Office
from app.flow.permissions import Permission
from app.flow.refusals import No, check_no_code, say_no
from app.keno.refusals import quoted
from app.store.queries import house, people
from app.store.queries.people import Person
from app.store.records import house as records
from app.store.tables import Change, Role, StaffChange
from app.store.unit import Unit

NAME_MOST = 100
RETURNS_AFTER = timedelta(days=90)  # disabled for longer than that, a person is new again
_LOOK_ALIKE = str.maketrans("I1|0", "lllo")
_CODE = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,39}")


def add_person(  # noqa: PLR0913, PLR0917  who adds, and all that a person is known by
    office: Office,
    actor: Actor,
    second: Actor | None,
    code: str,
    name: str,
    role: str,
    secret: str,
) -> None:
    """Add one of the staff, with a secret to choose one of their own by.

    Refuses: as `check_two`; a code that cannot be printed, or is used; a name that is used; a role
    that is none; a secret that is too short.
    """
    permit(actor.role, Permission.STAFF_MANAGE)
    _check_plain(code)
    check_no_code(name, "name")
    if not is_name(name) or role not in list(Role):
        raise say_no(No.BAD_PERSON)
    hashed = _hashed(office, secret)
    with office.unit() as unit:
        two = check_two(unit, actor, second)
        taken = {each for known in people.names(unit.connection) for each in as_seen(known)}
        if as_seen(name) & taken or people.is_coded(unit.connection, code):
            raise say_no(No.KNOWN_ALREADY, name=quoted(name), known=quoted(code))
        staff = records.add_staff(unit, code, name, Role(role), hashed, given=True)
        what = {"change": "added", "name": name, "role": role}
        told = told_of_secret(hashed, given=True)
        note_change(office, unit, two, (staff, code), Change.ADDED, {**what, **told})
        unit.commit()


def is_name(name: str) -> bool:
    """Whether a name can be told from others by looking at it: in Latin letters, nothing hidden.

    A second supervisor who looks like the first would approve in their name.
    """
    if not 0 < len(name) <= NAME_MOST or not name.isprintable() or name != name.strip():
        return False
    letters = [sign for sign in name if sign.isalpha()]
    others = (sign for sign in name if not sign.isalpha())
    return bool(letters) and all(map(_is_plain, letters)) and all(map(str.isascii, others))


def _is_plain(letter: str) -> bool:
    """Whether a letter is one of a to z, with or without an accent, or Latin in another known way.

    There are letters that are called Latin and look like one of these, such as U+0251.
    """
    first = unicodedata.normalize("NFKD", letter)[0]
    return letter < "\u0100" or (letter < "\u0250" and first.isascii())


def as_seen(name: str) -> set[str]:
    """Return a name as it is compared: as it looks, whatever it is made of, large or small.

    An I looks like an l, and an O like a zero.
    """
    marked = unicodedata.normalize("NFKD", name)
    plain = " ".join("".join(sign for sign in marked if not unicodedata.combining(sign)).split())
    return {plain.casefold(), plain.translate(_LOOK_ALIKE).casefold()}


def enable_person(office: Office, actor: Actor, second: Actor | None, name: str) -> None:
    """Let somebody who was disabled work again; after 90 days they count as new.

    Refuses: as `check_two`; nobody of that name.
    """
    permit(actor.role, Permission.STAFF_MANAGE)
    with office.unit() as unit:
        person = people.person_named(unit.connection, name)
        if person is None:
            raise say_no(No.NO_SUCH_STAFF, name=quoted(name))
        two = check_two(unit, actor, second, person)
        held = people.person_named(unit.connection, name) or person
        long_ago = unit.now() - RETURNS_AFTER
        is_new = held.disabled_at is not None and held.disabled_at < long_ago
        change = Change.RETURNED if is_new else Change.ENABLED
        records.enable_staff(unit, person.id)
        note_change(office, unit, two, (person.id, person.code), change, {"change": "enabled"})
        unit.commit()


def give_secret(office: Office, actor: Actor, second: Actor | None, name: str, secret: str) -> None:
    """Give somebody a secret to choose their own by; whoever is signed in as them is signed out.

    Refuses: as `check_two`; nobody of that name; a secret that is too short.
    """
    permit(actor.role, Permission.STAFF_MANAGE)
    hashed = _hashed(office, secret)
    with office.unit() as unit:
        person = people.person_named(unit.connection, name)
        if person is None:
            raise say_no(No.NO_SUCH_STAFF, name=quoted(name))
        two = check_two(unit, actor, second, person)
        records.change_secret(unit, person.id, hashed, given=True)
        records.end_all_sign_ins(unit, person.id)
        what = {"change": "given a new secret", **told_of_secret(hashed, given=True)}
        note_change(office, unit, two, (person.id, person.code), Change.RE_KEYED, what)
        unit.commit()


def check_two(
    unit: Unit, actor: Actor, second: Actor | None, person: Person | None = None
) -> tuple[Actor, Actor]:
    """Hold an administrator and one of another side, who do something with a person together.

    Refuses: an administrator alone, or with one of the same side; the person themselves; either of
    the two who is new, or has a password from another for less than 24 hours.
    """
    if second is None:
        raise say_no(No.SECOND_NEEDED)
    permit(second.role, Permission.STAFF_CONFIRM)
    whom = None if person is None else person.id
    still_acting(unit, actor, second, person=whom)
    check_waits(unit, actor.staff, actor.code, Permission.STAFF_MANAGE)
    if actor.staff == whom:
        raise say_no(No.ONESELF)
    if second.staff in (actor.staff, whom):
        raise say_no(No.SECOND_NEEDED)
    check_waits(unit, second.staff, second.code, Permission.STAFF_CONFIRM)
    return actor, second


def note_change(  # noqa: PLR0913, PLR0917  who did what with whom
    office: Office,
    unit: Unit,
    two: tuple[Actor, Actor],
    person: tuple[int, str],
    change: Change,
    what: dict[str, object],
    lasts: timedelta = WAITS,
) -> None:
    """Have in log and facts what two people did with a person, and how long it counts."""
    (actor, second), (staff, code), now = two, person, unit.now()
    until = now + lasts
    row = {
        "staff": staff,
        "change": change.value,
        "first": actor.staff,
        "second": second.staff,
        "changed_at": now,
        "until": until,
    }
    body = {
        "staff": code,
        **what,
        "kind": change.value,
        "by": actor.code,
        "second": second.code,
        "until": time_text(until),
        "time": time_text(now),
    }
    office.log_with(unit, Tag.STAFF, body, [(StaffChange, row)])


def add_station(office: Office, actor: Actor, code: str, location: str) -> str:
    """Add a work station, and return its one-time enrolment code, which is shown this once.

    Refuses: whoever may not; a code that cannot be printed, or is used; a location that is none.
    """
    permit(actor.role, Permission.STATION_MANAGE)
    _check_plain(code)
    enrolment = office.entropy(ENROLMENT_BYTES).hex()
    with office.unit() as unit:
        still_acting(unit, actor)
        if people.station_coded(unit.connection, code) is not None:
            raise say_no(No.KNOWN_ALREADY, name=quoted(code), known=quoted(code))
        if location not in house.locations(unit.connection):
            raise say_no(No.NO_SUCH_LOCATION, location=quoted(location))
        records.add_station(unit, code, location, digest(enrolment))
        _note_station(office, unit, actor, code, {"change": "added", "location": location})
        unit.commit()
    return enrolment


def enable_station(office: Office, actor: Actor, code: str) -> str:
    """Let a station that was disabled work again, and return its one-time enrolment code.

    It may have been disabled because its token was stolen, which is good for nothing any more.

    Refuses: whoever may not; a station that is none, or is not disabled: somebody may sell there.
    """
    permit(actor.role, Permission.STATION_MANAGE)
    enrolment = office.entropy(ENROLMENT_BYTES).hex()
    with office.unit() as unit:
        station = people.station_coded(unit.connection, code)
        if station is None:
            raise say_no(No.NO_SUCH_STATION, station=quoted(code))
        still_acting(unit, actor, station=station.id)
        held = people.station_coded(unit.connection, code)
        if held is None or not held.disabled:
            raise say_no(No.STATION_ENABLED, station=station.code)
        records.enable_station(unit, station.id, digest(enrolment))
        _note_station(office, unit, actor, station.code, {"change": "enabled"})
        unit.commit()
    return enrolment


def _check_plain(code: str) -> None:
    """Check a code that goes on paper, and into addresses."""
    check_no_code(code, "code")
    if not _CODE.fullmatch(code):
        raise say_no(No.NOT_PLAIN, text=quoted(code))


def _hashed(office: Office, secret: str) -> str:
    check_length(secret)
    return office.hasher.hash(secret)


def _note_station(
    office: Office, unit: Unit, actor: Actor, code: str, what: dict[str, object]
) -> None:
    body = {"station": code, **what, "by": actor.code, "time": time_text(unit.now())}
    office.log(unit, Tag.STATION, body)
