"""The pages and the API: requests in, one call of the flow, answers out.

routes      how a route says what it is for; a test walks them all
problems    refusals and faults as HTTP, in one table (RFC 9457)
forms       the JSON forms of what stations ask for
api         API v1
papers      API v1: paper that waits, copies, and what was on it
openapi     its description, for programs
log         the public log: checkpoint, tiles, entries
results     results with their proofs, and the feed for whoever cannot listen
public      what anyone may read: the front page, keys, health
forms_pdf   what patrons take home: the blank request, and the rate card
"""

from flask import Flask

from app.flow.office import Office
from app.keno.documents import DOCUMENT_MAX
from app.web import api, forms_pdf, log, openapi, papers, problems, public, results


def create_app(office: Office) -> Flask:
    """Return the application of one house."""
    app = Flask(__name__)
    app.config["MAX_CONTENT_LENGTH"] = DOCUMENT_MAX
    app.extensions["office"] = office
    problems.install(app)
    parts = (api, papers, openapi, log, public, results, forms_pdf)
    for part in (each.routes for each in parts):
        app.register_blueprint(part)
    app.after_request(public.harden)
    return app
