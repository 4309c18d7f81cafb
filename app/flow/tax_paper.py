"""The paper for a win that must be reported: a ticket is paid when it is filled in (X-pay-tax).

Who it is for is sealed under a key that is not in the database; the log has a salted hash of it.

Write order: there is one commit. *Crash before: it is not filled in. Crash after: it is.*
"""

import hmac
from dataclasses import dataclass
from functools import partial

from app.audit.canonical import canonical
from app.audit.tags import Tag
from app.clock import time_text
from app.flow.access import Approval, Credentials, at_work
from app.flow.asking import Answer, Asking, asking, kept
from app.flow.authority import Approved, answer_approved, check_authority
from app.flow.claim import check_payable, claim_of, ticket_numbered
from app.flow.codes import part_of_code
from app.flow.contact import Contact, check_contact, paid_before
from app.flow.office import Office
from app.flow.patron import seal_patron
from app.flow.permissions import Permission
from app.flow.refusals import No, say_no
from app.keno.amounts import Amount
from app.keno.numbering import printed_number
from app.store.queries.people import Worker
from app.store.records import payments as records
from app.store.records.together import Row
from app.store.tables import ReportedWin, TaxPaper
from app.store.unit import Unit

TEXT_MAX = 100


@dataclass(frozen=True)
class Paper:
    """What was filled in: for which game of which ticket, and who the patron is."""

    number: int
    game: int
    name: str
    taxpayer_number: str
    contact: Contact | None = None
    code: str | None = None  # from the paper of the ticket, or a supervisor approves
    approval: Approval | None = None


def file_tax_paper(
    office: Office, credentials: Credentials, paper: Paper, request: str | None
) -> Answer:
    """Note that the paper for a win is filled in; return its worksheet.

    Refuses: whoever is not at work; a wrong code, or none without a supervisor; a ticket that is
    not paid; a game for which none is due; a paper without name or number.
    """
    who_it_is = canonical({"name": paper.name, "number": paper.taxpayer_number})
    said = {
        "number": paper.number,
        "game": paper.game,
        "contact": paper.contact and vars(paper.contact),
        # Kept for ever, so that nobody can find the name from it.
        "patron": hmac.digest(office.keys.patron, who_it_is, "sha256").hex(),
    }
    asked = asking(request, "tax-paper", said)
    worker = at_work(credentials, Permission.TICKET_PAY)
    check_contact(paper.contact)
    for text in (paper.name, paper.taxpayer_number):
        if not text.strip() or len(text) > TEXT_MAX or not text.isprintable():
            raise say_no(No.TAX_PAPER_INCOMPLETE)
    approvals = {Permission.APPROVE: paper.approval}
    act = partial(_file, office, asked, paper)
    return answer_approved(office, asked, worker, approvals, act)


def _file(  # noqa: PLR0913, PLR0917  what is filled in, by whom, and in which transaction
    office: Office, asked: Asking, paper: Paper, approved: Approved, unit: Unit, who: Worker
) -> Answer:
    records.hold_ticket(unit, paper.number)
    ticket = ticket_numbered(unit, paper.number)
    supervisor = approved.get(Permission.APPROVE)
    check_authority(office, unit, who, ticket, paper.code, supervisor, in_part=True)
    now = unit.now()
    before = paid_before(office, unit, who, paper.contact, now)
    claim = claim_of(office, unit, ticket, before, now)
    check_payable(office, claim)
    due = next((win for win in claim.due_papers if win.game == paper.game), None)
    if due is None:
        number, game = printed_number(paper.number), f"{ticket.series}-{paper.game}"
        raise say_no(No.NO_TAX_PAPER, number=number, game=game)
    sealed = seal_patron(office, {"name": paper.name, "number": paper.taxpayer_number})
    answer: Answer = {
        "number": paper.number,
        "game": paper.game,
        "win_cents": due.win_cents,
        "wager_cents": due.wager_cents,
        "net_cents": due.net_cents,
        "due_at_cents": claim.amounts[Amount.TAX_PAPER],
    }
    row: Row = (
        TaxPaper,
        {
            "ticket": paper.number,
            "game": paper.game,
            "win_cents": due.win_cents,
            "wager_cents": due.wager_cents,
            "due_at_cents": answer["due_at_cents"],
            "sealed": sealed.data,
            "salted": sealed.digest,
            "station": who.station,
            "staff": who.staff,
            "done_at": now,
        },
    )
    wins = [
        {"ticket": win.ticket, "win_cents": win.win_cents, "wager_cents": win.wager_cents}
        for win in sorted(due.wins, key=lambda win: win.ticket)
    ]
    body = {
        **answer,
        "series": ticket.series,
        "wins": wins,
        "approver": supervisor and supervisor.code,
        "with_code": paper.code is not None and part_of_code(paper.code) is None,
        "patron": sealed.digest.hex(),
        "station": who.station_code,
        "writer": who.code,
        "time": time_text(now),
    }
    reported: list[Row] = [(ReportedWin, {**win, "game": paper.game}) for win in wins]
    office.log_with(unit, Tag.TAX_PAPER, body, [kept(who, asked, answer), row, *reported])
    return answer
