"""The writer's page. It is a page to work at: everything on it goes through the API."""

from flask import Blueprint, Response, g, render_template, request

from app.flow.permissions import Permission
from app.keno.drawer import DENOMINATIONS
from app.reports.quick_card import quick_card
from app.web import writer_keys
from app.web.pages import page
from app.web.routes import office

routes = Blueprint("writer", __name__)


@routes.get("/writer")
@page(Permission.TICKET_SELL)
def writer() -> str:
    """Show the page at which tickets are sold and paid; with ?practice, at which nothing is."""
    return render_template(
        "writer.html",
        practice="practice" in request.args,
        kinds={
            kind.value: sorted(values or (), reverse=True) for kind, values in DENOMINATIONS.items()
        },
        keys=writer_keys,
        who=g.who,
    )


@routes.get("/writer/quick-card.pdf")
@page(Permission.TICKET_SELL)
def quick_card_to_print() -> Response:
    """Every key and how tickets are typed, on one page."""
    return Response(card_of(office().house.name), mimetype="application/pdf")


def card_of(house: str) -> bytes:
    """Return the quick card of a house."""
    keys = {
        "Keys": (*writer_keys.LINE_KEYS, *writer_keys.FUNCTION_KEYS),
        "A ticket at hand (scan it, or F3)": writer_keys.TICKET_KEYS,
        "The drawer (F6)": writer_keys.DRAWER_KEYS,
        "Paper (F8, or when it asks)": writer_keys.PAPER_KEYS,
    }
    return quick_card(
        house,
        (*writer_keys.LINES, writer_keys.TENDER),
        {name: [(each.key, each.does) for each in list_] for name, list_ in keys.items()},
        writer_keys.TROUBLES,
    )
