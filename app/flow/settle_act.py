"""An act that a station asked for and got no answer to: it was done, or it never will be.

A page that lost an answer must not ask again when the patron has gone, or when somebody else sits
there now. So it asks what became of the act; if nothing did, its request id is used up, and a
request that is still on its way finds it so (X-ticket-exactly-once, X-no-offline). What it was
answered is for the person who asked for it: another one is told only that it was done.

Write order: there is one commit. *Crash before: it is not settled, and is asked again.*
"""

from hashlib import sha256

from app.flow.access import Credentials, at_work, still_at_work
from app.flow.asking import TRIES, Answer, asking
from app.flow.office import Office
from app.flow.permissions import Permission
from app.store.queries import tickets as queries
from app.store.records import tickets as records
from app.store.records.together import CameSecond, add_rows

_NEVER = sha256(b"an act that is never to be done").digest()


def settle_act(office: Office, credentials: Credentials, request: str | None) -> Answer:
    """Return what an act was answered, or see to it that it is never done.

    Refuses: whoever is not at work; what is no request id.
    """
    asked = asking(request, "settle", None)
    for left in reversed(range(TRIES)):
        try:
            with office.unit() as unit:
                who = at_work(credentials, Permission.DRAWER_KEEP)(unit)
                before = queries.answered(unit.connection, who.station, asked.request)
                if before is not None:
                    unit.make_sure()
                    done = before.content != _NEVER
                    is_theirs = done and before.staff in (None, who.staff)
                    return {"done": done, "answer": before.answer if is_theirs else None}
                row = records.asked_row(who.station, None, asked.request, _NEVER, {"never": True})
                add_rows(unit, 0, [row])  # which has no entry: nothing was done
                still_at_work(unit, who)
                unit.commit()
                return {"done": False, "answer": None}
        except CameSecond:  # the act itself came first
            if not left:
                raise
    raise AssertionError  # the last try returns or raises
