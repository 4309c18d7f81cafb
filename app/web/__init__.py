"""The pages and the API: requests in, one call of the flow, answers out.

routes      how a route says what it is for; a test walks them all
problems    refusals and faults as HTTP, in one table (RFC 9457)
forms       the JSON forms of what stations ask for
api         API v1
papers      API v1: paper that waits, copies, and what was on it
openapi     its description, for programs
log         the public log: checkpoint, tiles, entries
results     results with their proofs, and the feed for whoever cannot listen
public      what anyone may read: the public keys
noting      what is noted of every request: a line for each act, and counts
health      how this process and the house are doing, for programs that watch (`figures`)
pages       what all pages have in common: who looks, how things are written
sign_in     where everybody begins
writer      the writer's page (`writer_keys`: its keys)
supervisor  the supervisor's pages (`runbooks`: what is done about each alarm)
management  API v1: rate cards, frozen games, people, stations, printers
board       the numbers on a screen, as they are drawn
check       is my ticket a winner? (not for guessing)
hosts       by which names the house is known
strangers   how often somebody may try who is at no work station
inspector   the page of those who hold and watch the two keys
reports     which there are, those that were asked for, and their files
regulator   the records of the house: one search box, a page for each thing; beside it
            regulator_log, and regulator_documents with what the house hands over
forms_pdf   what patrons take home: the blank request, and the rate card
"""

from pathlib import Path

from flask import Flask

from app.counts import Counts
from app.flow.office import Office
from app.keno.documents import DOCUMENT_MAX
from app.software import software_hash
from app.web import (
    api,
    board,
    check,
    forms_pdf,
    health,
    hosts,
    inspector,
    log,
    management,
    noting,
    openapi,
    pages,
    papers,
    problems,
    public,
    regulator,
    regulator_documents,
    regulator_log,
    reports,
    results,
    sign_in,
    strangers,
    supervisor,
    writer,
)
from app.web.health import Watched


def create_app(
    office: Office,
    feed: str = "",
    archive: Path = Path("var/reports"),
    watched: Watched | None = None,
    names: tuple[str, ...] = (),
) -> Flask:
    """Return the application of one house.

    Args:
        office: its back office.
        feed: where browsers listen to the live feed; empty: they ask now and then.
        archive: the folder in which the reporter leaves reports.
        watched: what it counts, and who is told of it; none: whoever asks on this machine.
        names: under which it is known, besides on its own machine.
    """
    software_hash()  # of what is there now: that is what runs, whenever it is asked for
    app = Flask(__name__)
    # Addresses are right or wrong: a redirect would lead to whatever host the request has named.
    app.url_map.merge_slashes = False
    app.config["MAX_CONTENT_LENGTH"] = DOCUMENT_MAX
    app.extensions["office"] = office
    app.extensions["reports"] = archive
    app.extensions["policy"] = public.policy(feed)
    strangers.install(app)
    watched = watched or Watched(Counts("web", noting.NAMES))
    noting.install(app, watched.counts)
    health.install(app, watched)
    hosts.install(app, names)
    problems.install(app)
    pages.install(app, feed)
    programs = (api, papers, management, openapi, log, public, health, results, forms_pdf)
    people = (sign_in, writer, supervisor, board, check)
    watchers = (inspector, regulator, regulator_log, regulator_documents, reports)
    for part in (each.routes for each in programs + people + watchers):
        app.register_blueprint(part)
    app.after_request(public.harden)
    return app
