"""Paper in API v1: what waits, what came out, copies, and what was on it."""

from io import BytesIO

from flask import Blueprint, Response, jsonify

from app.flow.permissions import Permission
from app.flow.print_wanted import print_wanted
from app.flow.refusals import No, say_no
from app.flow.reprint import papers_at, reprint, say_printed
from app.flow.see_paper import look_at_paper
from app.keno.numbering import read_number
from app.web import forms
from app.web.routes import credentials, needs, office, request_id
from printers.drawing import picture
from printers.paper import ROLLS
from printers.reader import Reader

routes = Blueprint("papers", __name__, url_prefix="/api/v1")
DIGITS = 15


@routes.post("/tickets/<number>/reprint")
@needs(Permission.PAPER_PRINT)
def reprint_ticket(number: str) -> Response:
    """Print a ticket again, under a COPY band."""
    again = forms.read_again(ticket=read_number(number) or 0)
    return jsonify(reprint(office(), credentials(), again, request_id()))


@routes.get("/papers")
@needs(Permission.PAPER_PRINT)
def list_papers() -> Response:
    """List what is not printed yet of this station, or nobody knows whether it is."""
    return jsonify(papers=papers_at(office(), credentials()))


@routes.post("/papers")
@needs(Permission.PAPER_PRINT)
def print_a_paper() -> Response:
    """Have a report, a draw record, an aggregate sheet or a test page printed."""
    return jsonify(print_wanted(office(), credentials(), forms.read_wanted(), request_id()))


@routes.post("/papers/<paper>/printed")
@needs(Permission.PAPER_PRINT)
def paper_printed(paper: str) -> Response:
    """Say whether a paper came out."""
    seen = forms.read_seen(_paper(paper))
    return jsonify(say_printed(office(), credentials(), seen, request_id()))


@routes.post("/papers/<paper>/reprint")
@needs(Permission.PAPER_PRINT)
def reprint_paper(paper: str) -> Response:
    """Print a paper again, under a COPY band."""
    again = forms.read_again(paper=_paper(paper))
    return jsonify(reprint(office(), credentials(), again, request_id()))


@routes.get("/papers/<paper>")
@needs(Permission.PAPER_SEE)
def see_paper(paper: str) -> Response:
    """Say what became of a paper; its picture stands beside it."""
    return jsonify(look_at_paper(office(), credentials(), _paper(paper)).told)


@routes.get("/papers/<paper>/picture")
@needs(Permission.PAPER_SEE)
def picture_of_paper(paper: str) -> Response:
    """Show what was on a paper, with its code masked."""
    look = look_at_paper(office(), credentials(), _paper(paper))
    drawn = BytesIO()
    picture(Reader(masked=True).read(look.data), ROLLS[look.roll]).save(drawn, "PNG")
    return Response(drawn.getvalue(), mimetype="image/png")


def _paper(text: str) -> int:
    if not (text.isascii() and text.isdecimal() and len(text) <= DIGITS):
        raise say_no(No.NO_SUCH_PAPER)
    return int(text)
