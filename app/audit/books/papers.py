"""Tax papers: no win that must be reported was paid before its paper was filled in (X-pay-tax)."""

from collections.abc import Iterator

from app.audit.books.approvals import amounts_of
from app.audit.books.looks import Look, Thing
from app.audit.books.patrons import Paid, PaidBefore, won_by_game
from app.audit.books.stretch import Stretch
from app.audit.faults import Fault
from app.keno.amounts import Amount
from app.store.queries.books.rows import StoredPayout


def papers() -> list[Look]:
    """Game by game, all that a patron won less the wagers stands on papers from an amount on."""
    paid = Papers()
    return [Look(Thing.CONTACT, paid.before.add), Look(Thing.PAYOUT, paid.check)]


class Papers:
    """Payments, each with those to the same patron before it."""

    def __init__(self) -> None:
        self.before = PaidBefore()

    def check(self, payout: StoredPayout, stretch: Stretch) -> Iterator[Fault]:
        """What was won in each game of a ticket that was paid stands on papers, if it must."""
        before = self.before.take(payout.entry)
        ticket = stretch.tickets.get(payout.ticket)
        if ticket is None:
            return
        due_cents = amounts_of(stretch.house, payout)[Amount.TAX_PAPER]
        own = Paid(ticket, payout.cents, won_by_game(stretch, ticket))
        together = [own, *(each for each in before if each.ticket.series == ticket.series)]
        for game in own.won:
            winning = [each for each in together if game in each.won]
            won = sum(each.won[game][0] for each in winning)
            wagered = sum(each.won[game][1] for each in winning)
            if won - wagered >= due_cents:
                yield from _check_game(stretch, payout, game, winning)


def _check_game(
    stretch: Stretch, payout: StoredPayout, game: int, winning: list[Paid]
) -> Iterator[Fault]:
    papers = stretch.house.papers_of([each.ticket.number for each in winning])
    for each in winning:
        paper = papers.get((each.ticket.number, game))
        late = paper is not None and paper.entry > payout.entry
        if paper is None or late or (paper.win_cents, paper.wager_cents) != each.won[game]:
            what = f"game {each.ticket.series}-{game} of ticket {each.ticket.number}"
            yield Fault("papers", f"{what} was paid without the paper for it")
