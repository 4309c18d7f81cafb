"""Paper in API v1: what waits, what came out, copies, and what was on it."""

from base64 import b64encode
from io import BytesIO

from flask import Blueprint, Response, jsonify, request

from app.flow.permissions import Permission
from app.flow.practise import practise
from app.flow.print_wanted import print_wanted
from app.flow.refusals import No, say_no
from app.flow.reprint import papers_at, reprint, say_printed
from app.flow.see_paper import look_at_paper, ticket_as_printed
from app.keno.numbering import read_number
from app.web import forms
from app.web.routes import credentials, needs, office, request_id
from printers.drawing import picture
from printers.paper import ROLLS, WIDE
from printers.press import Press
from printers.reader import Reader

routes = Blueprint("papers", __name__, url_prefix="/api/v1")
DIGITS = 15


@routes.post("/tickets/<number>/reprint")
@needs(Permission.PAPER_PRINT)
def reprint_ticket(number: str) -> Response:
    """Print a ticket again, under a COPY band."""
    again = forms.read_again(ticket=read_number(number) or 0)
    return jsonify(reprint(office(), credentials(), again, request_id()))


@routes.get("/tickets/<number>/picture")
@needs(Permission.TICKET_LOOK_UP)
def picture_of_ticket(number: str) -> Response:
    """Show a ticket as it stands on paper, with its code masked, printed yet or not."""
    slip, roll = ticket_as_printed(office(), credentials(), read_number(number) or 0)
    return _drawn(Press().make(slip, roll), roll)


@routes.post("/practice")
@needs(Permission.TICKET_PRACTISE)
def practice() -> Response:
    """Say what selling a ticket would have come to; nothing is sold (X-practice)."""
    answer, slip = practise(office(), credentials(), *forms.read_practice())
    drawn = _drawn(Press().make(slip, WIDE.name), WIDE.name)
    return jsonify(answer | {"picture": b64encode(drawn.data).decode()})


@routes.get("/papers")
@needs(Permission.PAPER_PRINT)
def list_papers() -> Response:
    """List what is not printed yet of this station, or nobody knows whether it is."""
    return jsonify(papers_at(office(), credentials()))


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
    """Show what was on a paper, or on a copy of it under its band, with its code masked."""
    look = look_at_paper(office(), credentials(), _paper(paper))
    copy = _paper(request.args.get("copy", "0"))
    kept = look.on_paper(copy, request.args.get("roll"))
    band = Press().band(copy, kept.roll) if copy else b""
    return _drawn(band + kept.data, kept.roll)


def _drawn(data: bytes, roll: str) -> Response:
    """Return bytes without a code as the picture of their paper."""
    drawn = BytesIO()
    picture(Reader(masked=True).read(data), ROLLS[roll]).save(drawn, "PNG")
    return Response(drawn.getvalue(), mimetype="image/png")


def _paper(text: str) -> int:
    if not (text.isascii() and text.isdecimal() and len(text) <= DIGITS):
        raise say_no(No.NO_SUCH_PAPER)
    return int(text)
