"""The Rules of the Games Submission on paper: what a house submits to its regulator.

Every figure comes from the submission's values or from the rules' own code; none is typed into the
text (15.3(d), 15.3(e), 15.6(c)).

words    what a chapter is; times, roles and lists in words
games    the house, its games, how they close, the draw, games that go wrong
tickets  the tickets on offer, how they are sold, taken back and claimed
card     the rate card in force: limits, pays, odds, advantage; the aggregate limit
money    payouts and what they need, changes, records
"""

from reportlab.platypus import Flowable, PageBreak

from app.keno.submission import Submission
from app.reports.documents import (
    SMALL,
    Frontispiece,
    chapter,
    contents,
    document,
    facts,
    front_page,
    paragraph,
)
from app.reports.submission import card, games, money, tickets

TITLE = "Rules of the Games Submission"
CHAPTERS = (
    games.the_house,
    tickets.kinds,
    tickets.selling,
    card.in_force,
    card.aggregate_limit,
    tickets.claiming,
    tickets.taking_back,
    games.closing,
    games.drawing,
    games.going_wrong,
    money.payouts,
    money.changes,
    money.kept_records,
)


def submission_pdf(submitted: Submission, software: str) -> bytes:
    """Return the submission as pages; the same bytes for the same rules."""
    front = Frontispiece(submitted.house, TITLE, software)
    story: list[Flowable] = [
        *front_page(front, f"Keno, as it is offered on {submitted.day.isoformat()}"),
        _summary(submitted, software),
        contents(),
        PageBreak(),
    ]
    for number, make in enumerate(CHAPTERS, start=1):
        made = make(submitted)
        story += chapter(f"{number}. {made.title}")
        story += [paragraph(f"N.J.A.C. {made.rule}", SMALL), *made.story]
    return document(front, story)


def _summary(submitted: Submission, software: str) -> Flowable:
    told = [
        ("House", submitted.house),
        ("Jurisdiction", submitted.jurisdiction),
        ("Rate card in force", f"{submitted.card.name}, since {submitted.card_since}"),
        ("Hash of the card", submitted.card_hash),
        ("Software", software),
    ]
    if submitted.is_demonstration:
        told.append(("Standing", "A demonstration house. Nothing here is real money."))
    return facts(told)
