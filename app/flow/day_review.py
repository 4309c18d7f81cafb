"""What a manager looks at before a gaming day is closed, and signs (X-alarm-day).

Unusual voids, wrong tries at stations, look-ups of unclaimed wins and copies. A day on which there
was nothing of the kind is closed without it. Those who are named in the list do not sign it.

Write order: there is one commit. *Crash before: the list is not signed. Crash after: it is.*
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from datetime import date, datetime

from app.audit.tags import Tag
from app.clock import time_text
from app.flow.access import Credentials, at_work, permit, still_acting
from app.flow.actor import Actor
from app.flow.day import day_bounds
from app.flow.entry_time import body_of, time_in
from app.flow.office import Office
from app.flow.permissions import Permission
from app.flow.refusals import No, say_no
from app.keno.house_settings import Setting
from app.store.queries import Reading, house, reviewing, watching
from app.store.unit import Unit

VOIDS_LEAST = 3  # of one writer on a day; fewer say nothing
TRIES_LEAST = 5  # at one station, of one kind
REVIEWS_MOST = 400
WRONG_TRIES = {
    No.WRONG_ENROLMENT.code: "wrong enrolment codes",
    No.WRONG_SECRET.code: "wrong names or passwords",
    No.STAFF_LOCKED.code: "tries of people who were locked out",
    No.TOO_MANY_TRIES.code: "tries after too many wrong ones",
    No.WRONG_CODE.code: "wrong validation codes",
}


@dataclass(frozen=True)
class Item:
    """One line of the list: of which kind, whom or which station it is about, and what happened."""

    kind: str
    of: str
    what: str


@dataclass(frozen=True)
class Review:
    """The list of a day, and who has signed it as it is now, if anyone has."""

    day: date
    items: list[Item]
    signed_by: str | None

    @property
    def is_due(self) -> bool:
        """Whether it must be signed before the day is closed."""
        return bool(self.items) and self.signed_by is None


def review_of(office: Office, connection: Reading, day: date) -> Review:
    """Return the list of a day."""
    begins, ends = day_bounds(day, office.house.time_zone, office.house.day_starts_minutes)
    items = [
        *_voids(connection, begins, ends),
        *_tries(connection, begins, ends),
        *_look_ups(connection, begins, ends),
        *_copies(connection, begins, ends),
    ]
    listed = [asdict(each) for each in items]
    for each in watching.newest_of(connection, Tag.DAY_REVIEW, REVIEWS_MOST):
        body = body_of(each.body)
        if body.get("day") == day.isoformat() and body.get("items") == listed:
            by = body.get("by")
            return Review(day, items, str(by["staff"]) if isinstance(by, dict) else "")
    return Review(day, items, None)


def see_review(office: Office, credentials: Credentials, day: date) -> Review:
    """Return the list of a day to someone who may see the floor.

    Refuses: a role that may not.
    """
    with office.database.reading() as connection:
        at_work(credentials, Permission.FLOOR_SEE)(Unit(office.database, connection))
        return review_of(office, connection, day)


def sign_review(office: Office, actor: Actor, day: date) -> Review:
    """Sign the list of a day that is over; signing it again changes nothing.

    Refuses: a role that may not; a day that is not over; someone whom the list names.
    """
    permit(actor.role, Permission.DAY_REVIEW)
    with office.unit() as unit:
        still_acting(unit, actor, what=Permission.DAY_REVIEW)
        now = unit.now()
        _, ends = day_bounds(day, office.house.time_zone, office.house.day_starts_minutes)
        if now < ends:
            raise say_no(No.DAY_NOT_OVER, day=day.isoformat())
        review = review_of(office, unit.connection, day)
        if not review.is_due:
            return review
        if any(each.of == actor.code for each in review.items):
            raise say_no(No.REVIEW_OF_OWN)
        body = {
            "day": day.isoformat(),
            "items": [asdict(each) for each in review.items],
            "by": actor.document(),
            "time": time_text(now),
        }
        office.log(unit, Tag.DAY_REVIEW, body)
        unit.commit()
        return Review(day, review.items, actor.code)


def _voids(connection: Reading, begins: datetime, ends: datetime) -> Iterator[Item]:
    most = house.setting(connection, Setting.VOID_PERCENT)
    for writer, sold, voided in reviewing.sold_and_void(connection, begins, ends):
        if voided >= VOIDS_LEAST and voided * 100 > sold * most:
            yield Item("voids", writer, f"{writer} voided {voided:,} tickets and sold {sold:,}.")


def _tries(connection: Reading, begins: datetime, ends: datetime) -> Iterator[Item]:
    counted: Counter[tuple[str, str]] = Counter()
    for each in reviewing.entries_since(connection, [Tag.REFUSED], begins):
        body, at = body_of(each.body), time_in(each.body)
        facts, code = body.get("facts"), str(body.get("code"))
        if at is None or not begins <= at < ends or code not in WRONG_TRIES:
            continue
        known = facts if isinstance(facts, dict) else {}
        place = known.get("station") or known.get("where") or "no station"
        counted[str(place), code] += 1
    for (place, code), many in sorted(counted.items()):
        if many >= TRIES_LEAST:
            yield Item("tries", place, f"At {place}: {many:,} {WRONG_TRIES[code]}.")


def _look_ups(connection: Reading, begins: datetime, ends: datetime) -> Iterator[Item]:
    for person, station, many in reviewing.look_ups_of(connection, begins, ends):
        wins = "an unclaimed win" if many == 1 else f"unclaimed wins {many:,} times"
        yield Item("look-ups", person, f"{person} looked up {wins} at {station}.")


def _copies(connection: Reading, begins: datetime, ends: datetime) -> Iterator[Item]:
    for person, station, many in reviewing.copies_of(connection, begins, ends):
        copies = "a copy" if many == 1 else f"{many:,} copies"
        yield Item("copies", person, f"{person} had {copies} printed at {station}.")
