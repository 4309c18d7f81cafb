"""Request ids: the station makes one for each act, and an act is done once for it, for ever.

The same id and content again: the same answer, and nothing is done. The same id and other content:
refused. So a lost reply, a double click or a reload can always be asked again
(X-ticket-exactly-once). The answer belongs to the person who asked, also when they have signed in
again: another person at the station is refused.
"""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from app.flow.access import still_at_work
from app.flow.office import Office
from app.flow.refusals import No, say_no
from app.keno.refusals import Refused
from app.store.queries import tickets as queries
from app.store.queries.people import Worker
from app.store.records import tickets as records
from app.store.records.together import CameSecond, Row
from app.store.unit import CommitUnknown, Unit

_REQUEST_ID = re.compile(r"[A-Za-z0-9._-]{8,40}")


Answer = dict[str, Any]
"""What an act is answered, as it is kept and as it goes out."""


@dataclass(frozen=True)
class Done:
    """What an act leaves behind: its answer, the body of its entry in the log, and its rows."""

    answer: Answer
    body: Mapping[str, object]
    rows: Sequence[Row]


@dataclass(frozen=True)
class Asking:
    """What a station asks for: its id for it, and the digest of what it asks."""

    request: str
    content: bytes


def asking(request: str | None, act: str, content: object) -> Asking:
    """Return what is asked.

    Refuses: an act without a request id, or with one that is none.
    """
    if request is None:
        raise say_no(No.NO_REQUEST_ID)
    if not _REQUEST_ID.fullmatch(request):
        raise say_no(No.BAD_REQUEST_ID)
    # Not canonical form: what is asked may still hold anything that JSON can.
    said = json.dumps({"act": act, "content": content}, sort_keys=True)
    return Asking(request, sha256(said.encode()).digest())


TRIES = 5  # whoever came first is seen at the second; more would be a fault of ours, not a wait


def answer_once(
    office: Office,
    asked: Asking,
    worker: Callable[[Unit], Worker],
    act: Callable[[Unit, Worker], Answer],
) -> Answer:
    """Do an act in one transaction, or return what it was answered when it was asked before.

    The act adds the row that keeps its answer (`kept`), and is committed here, if whoever asked is
    still at work by then. If another transaction with the same id commits first, that one's answer
    is returned, also if this one is refused.
    """
    for left in reversed(range(TRIES)):
        try:
            with office.unit() as unit:
                who = worker(unit)
                before = _answered(unit, who, asked)
                if before is not None:
                    unit.make_sure()
                    return before
                answer = act(unit, who)
                still_at_work(unit, who)
                unit.commit()
                return answer
        except CameSecond:
            if not left:
                raise
        except CommitUnknown:
            # Looked for once, on a new connection; else the station is told that nobody knows, and
            # asks again.
            done = found_after_all(office, asked, worker)
            if done is None:
                raise
            return done
        except Refused:
            # What was answered after this one looked may be the very reason of the refusal: the
            # ticket is void because this void was done, the game locked behind this sale.
            meanwhile = answered_before(office, asked, worker)
            if meanwhile is None:
                raise
            return meanwhile
    raise AssertionError  # the last try returns or raises


def answered_before(
    office: Office, asked: Asking, worker: Callable[[Unit], Worker]
) -> Answer | None:
    """Return what was answered under a request id, if anything was.

    Refuses: whoever is not at work; the id of another person; the same id with other content.
    """
    with office.database.reading() as connection:
        unit = Unit(office.database, connection)
        answer = _answered(unit, worker(unit), asked)
        if answer is not None:
            unit.make_sure()
    return answer


def found_after_all(
    office: Office, asked: Asking, worker: Callable[[Unit], Worker]
) -> Answer | None:
    """Return what was answered by a commit of which nobody knows; none if that stays so.

    Whoever may not ask any more - signed out, or disabled, since then - is not refused for it: a
    refusal says that nothing was done, and it may have been.
    """
    try:
        return answered_before(office, asked, worker)
    except Refused:
        return None


def who_asks(office: Office, worker: Callable[[Unit], Worker]) -> Worker:
    """Return who is at work, and where.

    Refuses: whoever is not at work.
    """
    with office.database.reading() as connection:
        return worker(Unit(office.database, connection))


def _answered(unit: Unit, who: Worker, asked: Asking) -> Answer | None:
    before = queries.answered(unit.connection, who.station, asked.request)
    if before is None:
        return None
    if before.staff not in (None, who.staff):
        raise say_no(No.OTHER_PERSON)
    if before.content != asked.content:
        raise say_no(No.OTHER_CONTENT)
    return dict(before.answer)


def kept(who: Worker, asked: Asking, answer: Answer) -> Row:
    """Return the row that keeps what an act is answered, under its request id."""
    return records.asked_row(who.station, who.staff, asked.request, asked.content, answer)
