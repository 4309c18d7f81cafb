"""Enrolling, signing in and out, choosing a secret, approving, disabling (15.3(a), X-access).

A secret is checked outside of any transaction, because checking it is slow on purpose; what follows
from it is decided inside one, on what the database says then. Whatever is refused here is logged:
somebody may be trying.

A secret that somebody else gave, and so knows, opens nothing: its owner first chooses one of their
own with it. Whoever chooses in their place locks the owner out, who notices; the log tells of it.
"""

import hmac
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from hashlib import sha256

from argon2.exceptions import VerificationError

from app.audit.tags import Tag
from app.clock import time_text
from app.flow.actor import CONSOLE, Actor, actor_as, actor_of
from app.flow.approvers import check_permission, check_together, is_named
from app.flow.office import Office
from app.flow.own_secret import SECRET_MOST, secret_faults
from app.flow.permissions import FOR, WHATEVER_THE_CLOCK_SAYS, Permission
from app.flow.refusals import No, has_code, say_no
from app.flow.tries import LOCKED_FOR, TRIES_MAX, Trying
from app.keno.house_settings import Setting
from app.keno.refusals import Refused, quoted, refusal, refuse_all
from app.logs import known
from app.store.queries import house, people
from app.store.queries.people import Person, Worker
from app.store.records import house as records
from app.store.tables import Role
from app.store.unit import Unit

TOKEN_BYTES = 32
ENROLMENT_BYTES = 10
ID_DIGITS = 16
SHIFT_MAX = timedelta(hours=16)
NOTED_EVERY = timedelta(seconds=20)
GIVEN_FOR = timedelta(hours=24)  # how long a password that another gave can be exchanged
FOUNDED_FOR = timedelta(days=7)  # and one of the plan, or a founded house could lock itself out
# Compared with the secret of a name that nobody has, so that it takes as long as a real one.
_NOBODY = (
    "$argon2id$v=19$m=65536,t=3,p=4$AAAAAAAAAAAAAAAAAAAAAA$"
    "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
)


@dataclass(frozen=True)
class Credentials:
    """The two tokens of a request: the station's and the person's."""

    station: str | None
    token: str | None


@dataclass(frozen=True)
class Approval:
    """A supervisor's own name and secret, given at the writer's station."""

    name: str
    secret: str


def digest(token: str) -> bytes:
    """Return what is stored of a token, from which it cannot be found out."""
    return sha256(token.encode("utf-8", "replace")).digest()


def told_of_token(stored: bytes) -> str:
    """Return what the log tells of a token: enough for the books to know what is stored of it."""
    return sha256(stored).hexdigest()


def told_of_secret(stored: str, *, given: bool) -> dict[str, object]:
    """Return what the log tells of a secret; it cannot be tried out with that, for want of a salt.

    So whoever writes into the database, and not into the log, does not become somebody unseen.
    """
    return {"secret": sha256(stored.encode()).hexdigest(), "given": given}


# ---- stations ------------------------------------------------------------------------------------


def enrol_station(office: Office, code: str, enrolment: str) -> str:
    """Enrol a work station with its one-time code, and return the token that it is known by.

    Refuses: a code that does not fit, or was used.
    """
    token = office.entropy(TOKEN_BYTES).hex()
    with office.unit() as unit:
        station = people.station_coded(unit.connection, code)
        if station is None or station.enrolment is None or station.enrolment != digest(enrolment):
            raise refused(office, unit, say_no(No.WRONG_ENROLMENT), station=quoted(code))
        if station.disabled:
            no = say_no(No.STATION_DISABLED, station=station.code)
            raise refused(office, unit, no, station=station.code)
        if not records.enrol_station(unit, station.id, digest(token)):
            # Somebody else with the same code came first: one of the two is an intruder.
            raise refused(office, unit, say_no(No.WRONG_ENROLMENT), station=station.code)
        body = {"station": station.code, "token": told_of_token(digest(token))}
        office.log(unit, Tag.ENROL, {**body, "at": time_text(unit.now())})
        unit.commit()
    return token


def renew_enrolment(office: Office, actor: Actor, code: str) -> str:
    """Give a station a new one-time code, for a machine that was replaced; its token ends.

    Refuses: whoever may not; a station that is not there.
    """
    permit(actor.role, Permission.STATION_MANAGE)
    enrolment = office.entropy(ENROLMENT_BYTES).hex()
    with office.unit() as unit:
        station = people.station_coded(unit.connection, code)
        if station is None:
            raise say_no(No.NO_SUCH_STATION, station=quoted(code))
        still_acting(unit, actor, station=station.id)
        body = {"station": station.code, "change": "to be enrolled again", "by": actor.code}
        office.log(unit, Tag.STATION, {**body, "time": time_text(unit.now())})
        records.renew_enrolment(unit, station.id, digest(enrolment))
        unit.commit()
    return enrolment


def is_at_station(office: Office, station_token: str | None) -> bool:
    """Whether a token is that of a work station that may be worked at."""
    return _enabled_station(office, station_token) is not None


def _enabled_station(office: Office, station_token: str | None) -> str | None:
    """Return the code of the work station with a token; none if it may not be worked at."""
    with office.database.reading() as connection:
        station = people.station_with(connection, digest(station_token or ""))
    return None if station is None or station.disabled else station.code


# ---- people --------------------------------------------------------------------------------------


@dataclass(frozen=True)
class SignedIn:
    """A person who signed in: their token, and at which other stations that has ended theirs."""

    token: str
    ended: tuple[str, ...]


def sign_in(office: Office, station_token: str | None, name: str, secret: str) -> str:
    """Sign a program in, by the name of a person, until it signs out or its shift ends.

    Refuses: a station that is not enrolled, a wrong name or secret, someone who is locked or
    disabled, or whose secret was given by somebody else.
    """
    return _signed_in(office, station_token, name, secret, at_keys=False).token


def begin_work(office: Office, station_token: str | None, name: str, secret: str) -> SignedIn:
    """Sign a person in at an enrolled station, who is there themselves.

    It ends when nobody was there for too long (`still_there`). A person has one station at a time:
    what they left at another one ends, and they are told where. A drawer ties them to its station.

    Refuses: as `sign_in`; someone with an open drawer at another station.
    """
    return _signed_in(office, station_token, name, secret, at_keys=True)


def _signed_in(
    office: Office, station_token: str | None, name: str, secret: str, *, at_keys: bool
) -> SignedIn:
    # The station first: what comes from anywhere else costs no hashing.
    at_station = _enabled_station(office, station_token)
    trying = Trying(name, at_station or "")
    fitting = _fitting(office, trying, secret) if at_station else None
    token = office.entropy(TOKEN_BYTES).hex()
    with office.unit() as unit:
        station = _station_here(office, unit, station_token, name)
        person = _let_in(office, unit, trying, fitting)
        # Whoever disables the station ends the sign-ins that are there: this one is, or is late.
        records.hold_stations(unit, (station.id,))
        station = _station_here(office, unit, station_token, name)
        known(staff=person.code)
        now = unit.now()
        actor = actor_as(person, station.code)
        body = {**actor.document(), "token": told_of_token(digest(token))}
        office.log(unit, Tag.SIGN_IN, {**body, "time": time_text(now)})
        idle, ended = None, list[str]()
        if at_keys:
            idle = house.setting(unit.connection, Setting.IDLE_MINUTES)
            ended = _ended_elsewhere(office, unit, person, station)
        records.add_sign_in(unit, digest(token), person.id, station.id, now + SHIFT_MAX, idle)
        trying.give_back(unit)
        unit.commit()
    return SignedIn(token, tuple(ended))


def _ended_elsewhere(
    office: Office, unit: Unit, person: Person, station: people.StationRow
) -> list[str]:
    """End what a person left at other stations, and return where that was.

    Refuses: while a drawer of theirs is open at one of them.
    """
    drawer_at = people.drawer_elsewhere(unit.connection, person.id, station.id)
    if drawer_at is not None:
        raise say_no(No.DRAWER_ELSEWHERE, name=person.name, station=drawer_at)
    signed_in = people.sign_ins(unit.connection, person.id, unit.now())
    left = [each for each in signed_in if each.station != station.code]
    for each in left:
        records.end_sign_in(unit, each.token)
        _note_sign_out(office, unit, person.code, each.station)
    return sorted({each.station for each in left})


def own_sign_ins(office: Office, credentials: Credentials) -> list[dict[str, object]]:
    """Return where the person is signed in who asks: they may have left a page somewhere.

    Refuses: as `working`.
    """
    with office.database.reading() as connection:
        unit = Unit(office.database, connection)
        who = working(unit, credentials)
        return [
            {
                "id": _id_of(each.token),
                "station": each.station,
                "since": time_text(each.since),
                "here": each.token == who.token,
            }
            for each in people.sign_ins(connection, who.staff, unit.now())
        ]


def end_own_sign_in(office: Office, credentials: Credentials, which: str) -> None:
    """End one of a person's own sign-ins, wherever it is.

    Refuses: as `working`; one that is not theirs, or has ended.
    """
    with office.unit() as unit:
        who = working(unit, credentials)
        for each in people.sign_ins(unit.connection, who.staff, unit.now()):
            if _id_of(each.token) == which:
                records.end_sign_in(unit, each.token)
                _note_sign_out(office, unit, who.code, each.station)
                unit.commit()
                return
    raise say_no(No.NO_SUCH_SIGN_IN)


def _id_of(token: bytes) -> str:
    """Return what a sign-in is called, which opens nothing."""
    return told_of_token(token)[:ID_DIGITS]


def _note_sign_out(office: Office, unit: Unit, code: str, station: str) -> None:
    body = {"staff": code, "at": station, "time": time_text(unit.now())}
    office.log(unit, Tag.SIGN_OUT, body)


def choose_secret(
    office: Office, station_token: str | None, name: str, secret: str, new: str
) -> None:
    """Have a person choose a secret of their own at an enrolled station; they sign in with it then.

    There is one commit. *Crash before: the old secret is theirs. Behind it: the new one is, and
    whoever asks again is told that the old one is wrong.*

    Refuses: as `sign_in`, but not a secret that was given; a new one that is too short or the same.
    """
    at_station = _enabled_station(office, station_token)
    trying = Trying(name, at_station or "")
    choice = _choice(office, trying, secret, new) if at_station else _NO_CHOICE
    with office.unit() as unit:
        _station_here(office, unit, station_token, name)
        _make_own(office, unit, trying, choice)


def choose_at_console(office: Office, name: str, secret: str, new: str) -> None:
    """Have a person choose a secret of their own at the console.

    Refuses: as `choose_secret`, of the person.
    """
    trying = Trying(name, CONSOLE)
    choice = _choice(office, trying, secret, new)
    with office.unit() as unit:
        _make_own(office, unit, trying, choice)


def still_there(office: Office, credentials: Credentials) -> None:
    """Note that somebody is at the keys; written down now and then, not each time."""
    with office.database.reading() as connection:
        unit = Unit(office.database, connection)
        who = working(unit, credentials)
        if who.seen_at is None or unit.now(who.read_at) - who.seen_at < NOTED_EVERY:
            return
    with office.unit() as unit:
        records.note_seen(unit, who.token)
        unit.commit()


def sign_out(office: Office, credentials: Credentials) -> None:
    """Sign a person out."""
    with office.unit() as unit:
        who = working(unit, credentials)
        _note_sign_out(office, unit, who.code, who.station_code)
        records.end_sign_in(unit, digest(credentials.token or ""))
        unit.commit()


def at_console(office: Office, name: str, secret: str, permission: Permission) -> Actor:
    """Return a person who gives their secret at the console, for one act.

    Refuses: a wrong name or secret, someone who is locked or disabled, or whose secret was given by
    somebody else; an act that is not theirs.
    """
    trying = Trying(name, CONSOLE)
    fitting = _fitting(office, trying, secret)
    with office.unit() as unit:
        person = _let_in(office, unit, trying, fitting, permission)
        unit.commit()
    return actor_as(person, CONSOLE)


def approver(
    office: Office,
    approval: Approval,
    where: str,
    what: Permission = Permission.APPROVE,
    asked_by: str = "",
) -> Person:
    """Return who approves, by their own name and secret (15.5(d), 15.6(b)).

    Args:
        office: the office.
        approval: the name and the secret.
        where: the code of the station.
        what: what they approve.
        asked_by: the code of the person who asks for it, whose tries these are.

    Refuses: a wrong name or secret, someone who is locked or disabled, or whose secret was given by
    somebody else, or who may not approve.
    """
    trying = Trying(approval.name, where, asked_by)
    fitting = _fitting(office, trying, approval.secret)
    with office.unit() as unit:
        person = _let_in(office, unit, trying, fitting, what)
        trying.give_back(unit)
        unit.commit()
    return person


def working(unit: Unit, credentials: Credentials) -> Worker:
    """Return who is signed in where.

    Refuses: a station that is not enrolled, nobody, or somebody or a station that is disabled.
    """
    station_token = digest(credentials.station or "")
    found = people.worker(unit.connection, station_token, digest(credentials.token or ""))
    if found is None:
        station = people.station_with(unit.connection, station_token)
        if station is not None:
            known(station=station.code)
        raise say_no(No.NOT_ENROLLED if station is None else No.NOT_SIGNED_IN)
    known(station=found.station_code, staff=found.code)
    return _checked(unit, found)


def _checked(unit: Unit, found: Worker) -> Worker:
    if found.station_disabled:
        raise say_no(No.STATION_DISABLED, station=found.station_code)
    if found.staff_disabled:
        raise say_no(No.STAFF_DISABLED, name=found.name)
    now = unit.now(found.read_at)
    if found.ended or found.until <= now or _is_idle(found, now):
        raise say_no(No.NOT_SIGNED_IN)
    return found


def _is_idle(who: Worker, now: datetime) -> bool:
    """Whether nobody was at the keys for too long."""
    if who.idle_minutes is None or who.seen_at is None:
        return False
    return now - who.seen_at > timedelta(minutes=who.idle_minutes)


def who_is_signed_in(office: Office, credentials: Credentials) -> Worker:
    """Return who is signed in where, whatever they may do.

    Refuses: as `working`.
    """
    with office.database.reading() as connection:
        return working(Unit(office.database, connection), credentials)


def who_is_at_work(office: Office, credentials: Credentials, permission: Permission) -> Worker:
    """Return who is at work, and may do this.

    Refuses: as `working`; what is not theirs to do.
    """
    with office.database.reading() as connection:
        return at_work(credentials, permission)(Unit(office.database, connection))


def acting(office: Office, credentials: Credentials, permission: Permission) -> Actor:
    """Return who is at work, as who acts; the act itself asks again, with `still_acting`.

    Refuses: as `working`; an act that is not theirs.
    """
    return actor_of(who_is_at_work(office, credentials, permission))


def still_acting(
    unit: Unit,
    *actors: Actor,
    person: int | None = None,
    station: int | None = None,
    what: Permission | None = None,
) -> None:
    """Hold whoever acts as they are until the act is done, and look again (X-access-disable).

    They were asked who they are in a transaction before: by now they may be disabled or signed
    out, or their station may be, and an administrator who is out must not let themselves in again.
    People are held before stations, and each in the order of their ids, so that no two acts wait
    for each other.

    Args:
        unit: the unit of work of the act, with the series and the days locked that it needs.
        actors: everybody whose act it is.
        person: whom the act changes.
        station: which station the act changes.
        what: as what they approve or decide, if they do.

    Refuses: somebody who is disabled or signed out by now, or whose station is disabled; who has to
    wait before they approve or decide it.
    """
    workers = [actor.worker for actor in actors if actor.worker is not None]
    changed = () if person is None else (person,)
    staff = {actor.staff for actor in actors}
    enabled = records.hold_people(unit, {*staff, *changed}, alone=bool(changed))
    changed = () if station is None else (station,)
    stations = {who.station for who in workers}
    records.hold_stations(unit, {*stations, *changed}, alone=bool(changed))
    records.hold_sign_ins(unit, [who.token for who in workers])
    for actor in actors:
        if actor.staff not in enabled:
            raise say_no(No.STAFF_DISABLED, name=actor.worker.name if actor.worker else actor.code)
    for who in workers:
        found = people.worker(unit.connection, who.station_token, who.token)
        if found is None:  # the station has another token by now
            raise say_no(No.NOT_ENROLLED)
        _checked(unit, found)
    named = {actor.staff: actor.worker.name if actor.worker else actor.code for actor in actors}
    check_together(unit, named.items(), what)


def still_at_work(unit: Unit, who: Worker) -> None:
    """Hold whoever works as they are until their act is done, and look again (X-access-disable).

    Called behind all that the act waits for, and not before: whoever disables them would wait as
    long. What is written until then is undone by the refusal. Who is held with their drawer, as in
    every sale, is not asked once more.

    Refuses: as `still_acting`.
    """
    if who.token not in unit.kept_at_work:
        still_acting(unit, actor_of(who))


def at_work(credentials: Credentials, permission: Permission) -> Callable[[Unit], Worker]:
    """Return what finds out who is at work, and that they may do this."""

    def find(unit: Unit) -> Worker:
        return _permitted(unit, working(unit, credentials), permission)

    return find


def several_at_work(
    unit: Unit, several: Sequence[Credentials], permission: Permission
) -> list[Worker | None]:
    """Return who is at work with each of several credentials, and may do this; none if not."""
    found = people.workers(unit.connection, {digest(each.token or "") for each in several})
    at_work: list[Worker | None] = []
    for each in several:
        who = found.get(digest(each.token or ""))
        if who is None or who.station_token != digest(each.station or ""):
            at_work.append(None)
            continue
        try:
            at_work.append(_permitted(unit, _checked(unit, who), permission))
        except Refused:
            at_work.append(None)
    return at_work


def _permitted(unit: Unit, who: Worker, permission: Permission) -> Worker:
    permit(who.role, permission)
    set_back = who.closed_until is not None and unit.now(who.read_at) < who.closed_until
    if set_back and permission not in WHATEVER_THE_CLOCK_SAYS:
        raise say_no(No.CLOCK_BACK)  # else an act could be dated into a day that is closed
    check_permission(unit, who.staff, who.name, permission)
    return who


# ---- disabling (X-access-disable) ----------------------------------------------------------------


def disable_staff(office: Office, credentials: Credentials, name: str) -> None:
    """Disable a person, at once; whoever is signed in as them is signed out for good.

    Refuses: whoever may not; a person who is not there; oneself, so that somebody is left who can
    enable people again.
    """
    with office.unit() as unit:
        who = at_work(credentials, Permission.STAFF_MANAGE)(unit)
        person = people.person_named(unit.connection, name)
        if person is None:
            raise say_no(No.NO_SUCH_STAFF, name=quoted(name))
        if person.id == who.staff:
            raise say_no(No.ONESELF)
        # Of two who disable each other at the same moment, the second is told that they are out.
        still_acting(unit, actor_of(who), person=person.id)
        records.disable_staff(unit, person.id)
        records.end_all_sign_ins(unit, person.id)  # or a stolen token would be good once more
        # Behind whoever this person is approving something for: theirs stands before it in the log.
        body = {"staff": person.code, "change": "disabled", "by": who.code}
        office.log(unit, Tag.STAFF, {**body, "time": time_text(unit.now())})
        unit.commit()


def disable_station(office: Office, credentials: Credentials, code: str) -> None:
    """Disable a work station, at once; whoever is signed in there is signed out for good."""
    with office.unit() as unit:
        who = at_work(credentials, Permission.STATION_MANAGE)(unit)
        station = people.station_coded(unit.connection, code)
        if station is None:
            raise say_no(No.NO_SUCH_STATION, station=quoted(code))
        still_acting(unit, actor_of(who), station=station.id)
        records.disable_station(unit, station.id)
        records.end_sign_ins_at(unit, station.id)
        # Behind whatever is being done at it: that stands before it in the log.
        body = {"station": station.code, "change": "disabled", "by": who.code}
        office.log(unit, Tag.STATION, {**body, "time": time_text(unit.now())})
        unit.commit()


# ---- secrets -------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Choice:
    """What is found out of two secrets before the transaction, because that is slow."""

    fitting: str | None  # what is stored of the old one, if that was right
    hashed: str  # what is to be stored of the new one
    fault: Refused | None


_NO_CHOICE = _Choice(None, "", None)


def check_length(secret: str) -> None:
    """Refuse a secret that is too short or too long, or that others would try first."""
    refuse_all(secret_faults(secret))


def _choice(office: Office, trying: Trying, secret: str, new: str) -> _Choice:
    fitting = _fitting(office, trying, secret)
    if fitting is None:
        return _NO_CHOICE
    person, known = _known_of(office, trying)
    faults = list(secret_faults(new, known))
    # Comparing with those before is slow: what is refused anyway is not compared.
    if _is_same(new, secret) or (not faults and _was_theirs(office, person, new)):
        faults.append(refusal(No.SECRET_SAME))
    if faults:
        return _Choice(fitting, "", Refused(faults))
    return _Choice(fitting, office.hasher.hash(new), None)


def _known_of(office: Office, trying: Trying) -> tuple[Person | None, list[str]]:
    """Return somebody whose secret was right, and the names that others would try with them."""
    with office.database.reading() as connection:
        person = people.person_named(connection, trying.name)
    known = [trying.name, trying.where, office.house.name]
    return person, known if person is None else [*known, person.code, person.role]


def _was_theirs(office: Office, person: Person | None, new: str) -> bool:
    """Whether somebody had a secret among their last ones."""
    for stored in () if person is None else person.past_secrets:
        with suppress(VerificationError):
            return office.hasher.verify(stored, new)
    return False


def _is_same(one: str, other: str) -> bool:
    return hmac.compare_digest(one.encode("utf-8", "replace"), other.encode("utf-8", "replace"))


def _make_own(office: Office, unit: Unit, trying: Trying, choice: _Choice) -> None:
    """Let a person in to choose a secret, and have it be theirs; sign-ins with the old one end."""
    person = _let_in(office, unit, trying, choice.fitting, choosing=True)
    known(staff=person.code)
    if choice.fault is not None:
        raise refused(office, unit, choice.fault, name=person.name, where=trying.where)
    records.change_secret(unit, person.id, choice.hashed, given=False)
    records.end_all_sign_ins(unit, person.id)
    what = {"change": "chose an own secret", **told_of_secret(choice.hashed, given=False)}
    body = {"staff": person.code, **what, "by": person.code}
    office.log(unit, Tag.STAFF, {**body, "time": time_text(unit.now())})
    trying.give_back(unit)
    unit.commit()


def _fitting(office: Office, trying: Trying, secret: str) -> str | None:
    """Return what is stored of a person's secret, if this is it; none if it is wrong.

    Slow on purpose, and as slow for a name of nobody's. So a station has so many tries that let
    nobody in, for all names together and whichever process serves it, and what is locked there is
    not compared: else somebody at one could keep this machine busy, and fill the log.

    Refuses: too many wrong tries at one station, or to approve what one person asks for there.
    """
    trying.take(office)
    with office.database.reading() as connection:
        unit = Unit(office.database, connection)
        person = people.person_named(connection, trying.name)
        if _locked_until(unit, trying, person) is not None:
            return None  # which they are told, whatever the secret is
    stored = person.secret if person else _NOBODY
    # Too long for anybody's: wrong, and as slow as any other one.
    try:
        office.hasher.verify(stored, secret if len(secret) <= SECRET_MOST else "")
    except VerificationError:
        return None
    return stored


def _station_here(
    office: Office, unit: Unit, station_token: str | None, name: str
) -> people.StationRow:
    """Return the station at which somebody gives their name and secret.

    Refuses: one that is not enrolled, or is disabled.
    """
    station = people.station_with(unit.connection, digest(station_token or ""))
    if station is None:
        raise refused(office, unit, say_no(No.NOT_ENROLLED), name=_tried(name))
    if station.disabled:
        no = say_no(No.STATION_DISABLED, station=station.code)
        raise refused(office, unit, no, name=_tried(name), station=station.code)
    known(station=station.code)
    return station


def _let_in(  # noqa: PLR0913  who, with what, where and for what
    office: Office,
    unit: Unit,
    trying: Trying,
    fitting: str | None,
    permission: Permission | None = None,
    *,
    choosing: bool = False,
) -> Person:
    """Return a person whose secret was right; count one that was wrong.

    With a secret that somebody else gave they are let in for choosing one of their own only.
    """
    facts = {"name": _tried(trying.name), "where": trying.where}
    # Held, so that tries made at the same time are counted one after the other.
    person = people.person_named(unit.connection, trying.name, held=True)
    locked_until = _locked_until(unit, trying, person)
    # It may have been changed since it was compared: whoever has the old one is not let in.
    is_right = person is not None and fitting is not None and _is_same(fitting, person.secret)
    if locked_until is None and not is_right:
        locked_until = _count_wrong(unit, trying, person)
    if locked_until is not None:
        at = office.moment(locked_until)
        raise refused(office, unit, say_no(No.STAFF_LOCKED, name=facts["name"], until=at), **facts)
    if person is None or not is_right:
        raise refused(office, unit, say_no(No.WRONG_SECRET), **facts)
    try:
        _check_person(office, unit, person, permission, choosing=choosing)
    except Refused as no:
        raise refused(office, unit, no, **facts) from None
    if trying.where != CONSOLE:
        trying.forget_wrong(unit)
    elif person.failed_tries or person.locked_until is not None:
        records.note_tries(unit, person.id, 0, None)
    return person


def _check_person(
    office: Office, unit: Unit, person: Person, permission: Permission | None, *, choosing: bool
) -> None:
    """Check that a person whose secret was right may do what they are let in for."""
    if person.disabled:
        raise say_no(No.STAFF_DISABLED, name=person.name)
    if person.secret_given and not choosing:
        raise say_no(No.SECRET_GIVEN, name=person.name)
    if permission is not None:
        _check_role(unit, person, permission)
        check_permission(unit, person.id, person.name, permission)
    if choosing and person.secret_given and unit.now() >= _exchanged_until(office, unit, person):
        raise say_no(No.SECRET_EXPIRED, name=person.name)


def _check_role(unit: Unit, person: Person, permission: Permission) -> None:
    """Check that an act is for somebody's role, or that they are named to approve it."""
    if person.role in FOR[permission]:
        return
    if permission is not Permission.APPROVE or not is_named(unit, person.id):
        raise say_no(No.NOT_PERMITTED, role=person.role)


def _exchanged_until(office: Office, unit: Unit, person: Person) -> datetime:
    """Return until when a password that another gave can be exchanged for one's own."""
    given_at = people.password_given_at(unit.connection, person.id)
    if given_at is None:
        return office.house.founded_at + FOUNDED_FOR
    return given_at + GIVEN_FOR


def _locked_until(unit: Unit, trying: Trying, person: Person | None) -> datetime | None:
    """Return until when a name is locked where it is tried; none if it is not.

    Counted by place: whoever tries at one station keeps nobody from working at another, nor a
    supervisor from the console. At the console names are counted that somebody has.
    """
    if trying.where != CONSOLE:
        return trying.locked_until(unit)
    until = None if person is None else person.locked_until
    return until if until is not None and unit.now() < until else None


def _count_wrong(unit: Unit, trying: Trying, person: Person | None) -> datetime | None:
    """Count a wrong secret; return until when its name was locked by another one meanwhile."""
    if trying.where != CONSOLE:
        return trying.count_wrong(unit)
    if person is not None:
        locked = person.failed_tries + 1 >= TRIES_MAX
        until = unit.now() + LOCKED_FOR if locked else None
        records.note_tries(unit, person.id, 0 if locked else person.failed_tries + 1, until)
    return None


def _tried(name: str) -> str:
    """Return a name that somebody tried, for the log; never a ticket that was scanned there."""
    return "a ticket's code" if has_code(name) else quoted(name)


def refused(office: Office, unit: Unit, no: Refused, **facts: object) -> Refused:
    """Log a refusal that matters, commit that, and return it to be raised."""
    body = {"code": no.refusals[0].code, "time": time_text(unit.now()), "facts": facts}
    office.log(unit, Tag.REFUSED, body)
    unit.commit()
    return no


def permit(role: Role, permission: Permission) -> None:
    """Refuse an act to a role that it is not for.

    Every stage asks this for its own act, whatever its caller asked for: the right to one act at
    the console is not the right to another.
    """
    if role not in FOR[permission]:
        raise say_no(No.NOT_PERMITTED, role=role)
