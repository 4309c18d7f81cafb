"""Tax papers: no win that must be reported was paid before its paper was filled in (X-pay-tax)."""

from collections.abc import Iterator

from app.audit.books.approvals import amounts_of
from app.audit.books.money import cash_price
from app.audit.books.patrons import paid_before
from app.audit.books.payments import won_in
from app.audit.books.stored import Stored
from app.audit.faults import Fault
from app.keno.amounts import Amount


def check_papers(stored: Stored) -> Iterator[Fault]:
    """Game by game, all that a patron won less the wagers stands on papers from an amount on."""
    before = paid_before(stored)
    papers = {(each.ticket, each.game): each for each in stored.papers}
    for payout in stored.payouts.values():
        ticket = stored.tickets[payout.ticket]
        due_cents = amounts_of(stored, payout)[Amount.TAX_PAPER]
        patrons = [ticket, *(stored.tickets[each] for each in before.get(payout.entry, []))]
        together = [each for each in patrons if each.series == ticket.series]
        for game in range(ticket.first_game, stored.plays_until(ticket) + 1):
            if not won_in(stored, ticket, game):
                continue
            winning = [each for each in together if won_in(stored, each, game)]
            won = sum(won_in(stored, each, game) for each in winning)
            wagered = sum(cash_price(stored, each, game) for each in winning)
            if won - wagered < due_cents:
                continue
            for each in winning:
                paper = papers.get((each.number, game))
                said = (won_in(stored, each, game), cash_price(stored, each, game))
                late = paper is not None and paper.entry > payout.entry
                if paper is None or late or (paper.win_cents, paper.wager_cents) != said:
                    what = f"game {ticket.series}-{game} of ticket {each.number}"
                    yield Fault("papers", f"{what} was paid without the paper for it")
