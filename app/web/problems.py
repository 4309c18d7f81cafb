"""Refusals and faults as HTTP: one table, and RFC 9457 problem documents.

A refusal keeps its code and its sentence. A database that is away is a 503, and whoever asks again
in the same way is told what became of it. A defect of ours becomes a plain 500 without a word of
its insides; the log of the process has the rest.
"""

import json

from flask import Flask, Response, render_template, request
from werkzeug.exceptions import HTTPException

from app.flow.office import NotFounded
from app.flow.refusals import No
from app.keno.documents import refusals_document
from app.keno.refusals import Code, Refused, refusal
from app.logs import Voice
from app.store.away import is_away
from app.web.noting import AWAY, FAULT, note_refusal

log = Voice("keno.web")

# Whatever is not here is a request that was understood and cannot be done: 422.
STATUS: dict[str, int] = {
    Code.TOO_LONG.code: 413,
    Code.NOT_UTF8.code: 400,
    Code.NOT_JSON.code: 400,
    Code.NOT_TEXT.code: 400,
    Code.FIELD_TWICE.code: 400,
    No.OTHER_HOST.code: 421,
    No.NOT_ENROLLED.code: 401,
    No.WRONG_ENROLMENT.code: 401,
    No.TOO_MANY_TRIES.code: 429,
    No.NOT_SIGNED_IN.code: 401,
    No.WRONG_SECRET.code: 401,
    No.STAFF_LOCKED.code: 401,
    No.SECRET_GIVEN.code: 403,
    No.STATION_DISABLED.code: 403,
    No.STAFF_DISABLED.code: 403,
    No.NOT_PERMITTED.code: 403,
    No.NOT_OF_OURS.code: 403,
    No.APPROVAL_NEEDED.code: 403,
    No.APPROVER_SAME.code: 403,
    No.APPROVER_NEW.code: 403,
    No.APPROVER_RE_KEYED.code: 403,
    No.SECOND_NEEDED.code: 403,
    No.NOT_ON_STANDBY.code: 409,
    No.EMERGENCY_TWO.code: 403,
    No.EMERGENCY_LARGE.code: 403,
    No.SECRET_EXPIRED.code: 403,
    No.WRONG_CODE.code: 403,
    No.NO_REQUEST_ID.code: 400,
    No.BAD_REQUEST_ID.code: 400,
    No.NO_SUCH_STAFF.code: 404,
    No.NO_SUCH_LOCATION.code: 404,
    No.KNOWN_ALREADY.code: 409,
    No.ONESELF.code: 409,
    No.NO_SUCH_STATION.code: 404,
    No.UNKNOWN_TICKET.code: 404,
    No.KEY_NOT_HERE.code: 409,
    No.NO_SUCH_TICKET.code: 404,
    No.NO_SUCH_DRAWER.code: 404,
    No.NO_SUCH_SERIES.code: 404,
    No.CLOCK_BACK.code: 409,
    No.NOTHING_TO_SAY.code: 409,
    No.NO_SUCH_PAPER.code: 404,
    No.NO_SUCH_REPORT.code: 404,
    No.NO_SUCH_JOB.code: 404,
    No.NOT_YOURS.code: 403,
    No.LOG_CHANGED.code: 409,
    No.NO_PRINTER.code: 409,
    No.STILL_WAITS.code: 409,
    No.OTHER_CONTENT.code: 409,
    No.OTHER_PERSON.code: 409,
    No.NO_SUCH_SIGN_IN.code: 404,
    No.DRAWER_ELSEWHERE.code: 409,
    No.OTHER_CARD.code: 409,
    No.NO_DRAWER.code: 409,
    No.DRAWER_OPEN.code: 409,
    No.NO_OPEN_GAME.code: 409,
    No.GAME_LOCKED.code: 409,
    No.GAME_TO_COME.code: 409,
    No.GAME_CLOSED.code: 409,
    No.ALREADY_VOID.code: 409,
    No.TOO_LATE.code: 409,
    No.COUPON_SPENT.code: 409,
    No.NO_CARD.code: 409,
    No.NO_SUCH_GAME.code: 404,
    No.GAME_BEFORE_UNDRAWN.code: 409,
    No.NOT_TO_VOID.code: 409,
    No.NOT_FROZEN.code: 409,
    No.NOT_READY.code: 409,
    No.TIME_PASSED.code: 409,
    No.DAY_NOT_OVER.code: 409,
    No.DAY_CLOSED.code: 409,
    No.DAY_NOT_CLOSED.code: 404,
    No.DAY_NOT_NEXT.code: 409,
    No.DAY_GAMES.code: 409,
    No.DAY_DRAWERS.code: 409,
    No.TICKET_UNDECIDED.code: 409,
    No.STILL_PLAYING.code: 409,
    No.TICKET_FROZEN.code: 409,
    No.TICKET_EXPIRED.code: 409,
    No.TICKET_REFUNDED.code: 409,
    No.REFUND_INSTEAD.code: 409,
    No.NO_WIN.code: 409,
    No.ALREADY_PAID.code: 409,
    No.GRADINGS_DIFFER.code: 409,
    No.CODE_TRIES.code: 429,
    No.CODE_NEEDED.code: 403,
    No.LOOKED_UP.code: 403,
    No.UNREAD_TOO_EARLY.code: 409,
    No.LOST_CLAIMED.code: 403,
    No.ACCOUNTING_NEEDED.code: 403,
    No.NO_CLAIM.code: 409,
    No.REFUND_FIRST.code: 409,
    No.CLAIM_TOO_EARLY.code: 409,
    No.MANAGER_NEEDED.code: 403,
    No.SUPERVISOR_NEEDED.code: 403,
    No.VERIFIER_NEEDED.code: 403,
    No.NOTHING_TO_APPROVE.code: 409,
    No.TAX_PAPER_NEEDED.code: 409,
    No.NO_TAX_PAPER.code: 409,
    No.NOT_ENOUGH_CASH.code: 409,
    No.CHECK_USED.code: 409,
    No.NOT_IN_DRAWER.code: 409,
    No.DRAWER_STATE.code: 409,
    No.TIME_FAR.code: 422,
    No.VOID_INSTEAD.code: 409,
    No.NOTHING_TO_REFUND.code: 409,
    No.ENTRIES_MISSING.code: 409,
}
UNDERSTOOD = 422
PROGRAMS = ("/api/", "/log/", "/static/")
UNKNOWN = "It is not known whether this was done; ask again in the same way."


def install(app: Flask) -> None:
    """Have an application answer every refusal and fault as a problem document."""
    app.register_error_handler(Refused, _refused)
    app.register_error_handler(HTTPException, _http)
    app.register_error_handler(NotFounded, _not_founded)
    app.register_error_handler(Exception, _fault)
    app.before_request(refuse_nul)


def refuse_nul() -> None:
    """Refuse what no text has and no database takes, in the address of a page or in its form.

    The API says for itself what is not there.

    Refuses: an address or a form with a NUL.
    """
    if request.path.startswith("/api/"):
        return
    said = [request.path, *request.args.values(), *request.form.values()]
    if any("\0" in text for text in said):
        raise Refused([refusal(Code.NOT_TEXT)])


def status_of(refused: Refused) -> int:
    """Return the status of a refusal, which is that of its first reason."""
    return STATUS.get(refused.refusals[0].code, UNDERSTOOD)


def problem(status: int, code: str, title: str, **more: object) -> Response:
    """Return a problem document."""
    body = {"title": title, "status": status, "code": code, **more}
    return Response(json.dumps(body), status, content_type="application/problem+json")


def _wants_page() -> bool:
    """Whether a person looks at this, and not a program."""
    by_program = request.path.startswith(PROGRAMS) or request.path.endswith((".json", ".pdf"))
    return not by_program and "text/html" in request.headers.get("Accept", "")


def _refused(refused: Refused) -> Response:
    first = refused.refusals[0]
    note_refusal(first.code)
    if _wants_page():
        return Response(render_template("error.html", message=first.message), status_of(refused))
    answer = problem(
        status_of(refused),
        first.code,
        first.message,
        refusals=refusals_document(refused.refusals),
    )
    if answer.status_code == 401:
        answer.headers["WWW-Authenticate"] = "Bearer"
    return answer


def _http(error: HTTPException) -> Response:
    if _wants_page():
        message = "There is no such page." if error.code == 404 else error.name
        return Response(render_template("error.html", message=message), error.code)
    code = (error.name or "error").lower().replace(" ", "_")
    answer = problem(error.code or 500, f"http.{code}", error.name)
    for name, value in error.get_headers():
        if name == "Allow":
            answer.headers[name] = value
    return answer


def _not_founded(_: NotFounded) -> Response:
    return problem(503, "house.not_founded", "The house was not founded yet.")


def _away(error: Exception) -> Response:
    note_refusal(AWAY)
    log.warning("database.away", why=type(error).__name__)
    if _wants_page() and request.method == "GET":
        message = "The database does not answer now. Try again in a moment."
        return Response(render_template("error.html", message=message), 503)
    said = "The database does not answer."
    answer = problem(503, AWAY, said if request.method == "GET" else f"{said} {UNKNOWN}")
    answer.headers["Retry-After"] = "1"
    return answer


def _fault(error: Exception) -> Response:
    if is_away(error):
        return _away(error)
    note_refusal(FAULT)
    log.error("request.failed", exc_info=error)
    if _wants_page() and request.method == "GET":
        message = "This page cannot be shown now; the fault is noted."
        return Response(render_template("error.html", message=message), 500)
    seen = "This cannot be shown now; the fault is noted."
    return problem(500, FAULT, seen if request.method == "GET" else UNKNOWN)
