"""The log and the draws for those who watch: entries with proofs, draws with their verification."""

import json

from flask import Blueprint, abort, render_template, request

from app.audit.draw_check import fault_of
from app.audit.draw_statistics import statistics_of
from app.flow.permissions import Permission
from app.flow.seal import published_head
from app.flow.see_keys import CheckedDraw, look_at_witness, prover_of, public_keys
from app.store.queries import draws, house, records
from app.web import log_pages
from app.web.pages import page
from app.web.plots import frequency_plot
from app.web.routes import office
from app.web.telling import read_body, tell

routes = Blueprint("regulator_log", __name__, url_prefix="/regulator")
DRAWS = 20  # on a page
TESTED = 10_000  # the last so many games of a series are tested
DIGITS = 15


@routes.get("/log")
@page(Permission.RECORDS_SEE)
def log() -> str:
    """Show the newest head, what the inspector cosigned, and the entries."""
    shown = published_head(office())
    with office().database.reading() as connection:
        head = prover_of(office(), connection, shown).head
        return render_template(
            "regulator/log.html",
            head=head,
            signed_at=records.head_signed_at(connection, head.size),
            witnessed=look_at_witness(office(), connection, shown),
            listed=log_pages.newest(connection),
        )


@routes.get("/log/<number>")
@page(Permission.RECORDS_SEE)
def entry(number: str) -> str:
    """Show one entry with its whole body, its leaf and its proof."""
    shown = published_head(office())
    with office().database.reading() as connection:
        found = records.entry(connection, _whole(number))
        if found is None:
            abort(404)
        prover = prover_of(office(), connection, shown)
        proof = prover.prove(found)
    body = read_body(found)
    return render_template(
        "regulator/entry.html",
        proof=proof,
        head=prover.head,
        told=tell(found),
        body=found.body if body is None else json.dumps(body, indent=2, ensure_ascii=False),
    )


@routes.get("/draws")
@page(Permission.RECORDS_SEE)
def all_draws() -> str:
    """Show the newest draws of a series, each checked again, and what the tests say of all."""
    keys, before = public_keys(office()), _whole(request.args.get("before", ""))
    with office().database.reading() as connection:
        codes = house.series_codes(connection)
        series = request.args.get("series", "")
        series = series if series in codes else codes[0]
        found = draws.newest_draws(connection, DRAWS, series, before or None)
        tested = statistics_of(draws.numbers_drawn(connection, series, TESTED))
    return render_template(
        "regulator/draws.html",
        series=series,
        all_series=codes,
        draws=[CheckedDraw(draw, fault_of(draw, keys)) for draw in found],
        before=found[-1].game if len(found) == DRAWS else None,
        tested=tested,
        most=TESTED,
        plot=frequency_plot(tested.frequencies) if tested.report.draws else None,
    )


def _whole(text: str) -> int:
    return int(text) if text.isascii() and text.isdecimal() and len(text) <= DIGITS else 0
