"""What all pages have in common: who looks at them, how things are written, where they lead.

A page is read only. Whatever is done from it goes through the API, as from any other station.
"""

from collections.abc import Callable
from datetime import datetime
from functools import wraps
from urllib.parse import quote

from flask import Flask, g, redirect, request
from werkzeug.wrappers import Response as AnyResponse

from app.flow.access import who_is_at_work
from app.flow.permissions import FOR, Permission
from app.flow.refusals import No
from app.keno.money import dollars, percent
from app.keno.numbering import printed_number
from app.keno.refusals import Refused
from app.moments import hour_words, moment_words
from app.store.queries.people import Worker
from app.web.routes import credentials, needs, office, page_credentials, page_token
from app.web.runbooks import marked

Page = Callable[..., str | AnyResponse]
START = {
    "writer": "/writer",
    "supervisor": "/supervisor",
    "keno-manager": "/supervisor",
    "outside-manager": "/supervisor",
    "administrator": "/supervisor",
    "inspector": "/inspector",
    "regulator": "/regulator",
    "surveillance": "/supervisor",
    "cage": "/supervisor/drawers",
    "compliance": "/regulator",
}
# The pages that somebody can go to, for their role.
PLACES: tuple[tuple[str, str, Permission], ...] = (
    ("/writer", "Writer", Permission.TICKET_SELL),
    ("/supervisor", "Supervisor", Permission.FLOOR_SEE),
    ("/inspector", "Inspector", Permission.KEYS_SEE),
    ("/regulator", "Regulator", Permission.RECORDS_SEE),
)
NOT_HERE = (No.NOT_ENROLLED.code, No.NOT_SIGNED_IN.code, No.STAFF_DISABLED.code)


def page(permission: Permission) -> Callable[[Page], Page]:
    """Say whose page a view is; whoever is not signed in is sent to do so first."""

    def mark(view: Page) -> Page:
        @needs(permission)
        @wraps(view)
        def guarded(*given: object, **named: object) -> str | AnyResponse:
            try:
                g.who = who_looks(permission)
            except Refused as no:
                if no.refusals[0].code in NOT_HERE:
                    # With what stands behind it: whoever practises goes on practising.
                    wanted = quote(request.full_path.removesuffix("?"))
                    return redirect(f"/?next={wanted}")
                raise
            return view(*given, **named)

        return guarded

    return mark


def who_looks(permission: Permission) -> Worker:
    """Return who is at work at this browser.

    Refuses: whoever is not, or may not see this.
    """
    return who_is_at_work(office(), credentials(), permission)


def install(app: Flask, feed: str) -> None:
    """Give templates what every page shows, and how things are written here."""
    app.jinja_env.filters |= {
        "money": dollars,
        "percentage": percent,
        "moment": moment,
        "hour": _hour,
        "ticket": printed_number,
        "marked": marked,
    }
    app.jinja_env.trim_blocks = app.jinja_env.lstrip_blocks = True

    @app.context_processor
    def shown() -> dict[str, object]:
        who: Worker | None = g.get("who")
        token = page_credentials().token
        places = [(path, name) for path, name, of in PLACES if who and who.role in FOR[of]]
        return {
            "house": office().house,
            "who": who,
            # Nobody is shown what they cannot do.
            "may": lambda act: who is not None and who.role in FOR[Permission(act)],
            "places": places if len(places) > 1 else [],
            "page_token": page_token(token) if who and token else "",
            "feed": feed,
        }


def moment(at: datetime | str | None) -> str:
    """Return a moment as people of the house write it; nothing if there is none.

    Documents have their moments as text.
    """
    if at is None:
        return ""
    read = datetime.fromisoformat(at) if isinstance(at, str) else at
    return moment_words(read, office().house.time_zone)


def _hour(at: datetime | None) -> str:
    return "" if at is None else hour_words(at, office().house.time_zone)
