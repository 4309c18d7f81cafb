"""Documents of the house for those who watch it: how every duty is kept, the rules of its games.

Read only, like everything of `regulator`.
"""

from flask import Blueprint, Response, render_template, request

from app.flow.permissions import Permission
from app.flow.see_submission import see_submission
from app.reports.compliance import Duty, compliance_matrix, counts_of, test_words
from app.reports.compliance_pdf import compliance_pdf
from app.reports.submission import submission_pdf
from app.software import software_hash
from app.web.pages import page
from app.web.routes import office

routes = Blueprint("regulator_documents", __name__, url_prefix="/regulator")
PDF = "application/pdf"


@routes.get("/compliance")
@page(Permission.RECORDS_SEE)
def compliance() -> str:
    """Show every duty with what keeps and shows it, or those that somebody looks for."""
    sought = request.args.get("duty", "").strip()
    matrix = compliance_matrix()
    return render_template(
        "regulator/compliance.html",
        counts=counts_of(matrix),
        duties=[duty for duty in matrix if _has(duty, sought.casefold())],
        sought=sought,
        test_words=test_words,
        software=software_hash(),
    )


@routes.get("/compliance.pdf")
@page(Permission.RECORDS_SEE)
def compliance_on_paper() -> Response:
    """The compliance matrix as PDF."""
    made = compliance_pdf(office().house.name, software_hash(), compliance_matrix())
    return Response(made, mimetype=PDF)


@routes.get("/submission.pdf")
@page(Permission.RECORDS_SEE)
def submission_on_paper() -> Response:
    """The Rules of the Games Submission, as it is now."""
    return Response(submission_pdf(see_submission(office()), software_hash()), mimetype=PDF)


def _has(duty: Duty, sought: str) -> bool:
    """Whether a duty has some words in it, or in what there is to show for it."""
    reports = [f"{report.id} {report.title}" for report in duty.reports]
    texts = (duty.id, duty.text, duty.not_held or "", *duty.modules, *duty.tests, *reports)
    return any(sought in text.casefold() for text in texts)
