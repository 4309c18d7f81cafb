"""What a ticket is paid, why, and what must be there before it is: worked out, nothing written.

The amount comes from what was certified (X-pay-system). It is explained game by game; whoever must
approve it sees the second grader's result beside the first's; and what has to be reported is worked
out by the amounts of the day (X-pay-tax).
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from zoneinfo import ZoneInfo

from app.audit.second_grader import Broken, Card, read_card, read_draw, read_ticket, win_of
from app.flow.office import Office
from app.flow.plays import ticket_of
from app.flow.refusals import No, say_no
from app.flow.standing import Standing, standing_of
from app.keno.amounts import Amount, amounts_on
from app.keno.game import GameState
from app.keno.grading import grade_game
from app.keno.money import dollars
from app.keno.numbering import printed_number
from app.keno.payment import (
    DuePaper,
    GameWin,
    Shown,
    due_papers,
    explained,
    shown_takes_manager,
)
from app.keno.rate_card import RateCard
from app.keno.refund import Back, refund_of
from app.keno.refusals import Refused
from app.keno.spots import mask_of
from app.keno.standing import Stands
from app.keno.tender import Tender
from app.store.queries import cards, paper, payments
from app.store.queries import tickets as queries
from app.store.queries.standing import PlayedGame
from app.store.queries.tickets import TicketRow
from app.store.unit import Unit


@dataclass(frozen=True)
class Gradings:
    """What the two graders found for one game, before any sharing of its limit."""

    game: int
    first_cents: int
    second_cents: int | None  # none: it could not be read

    def document(self) -> dict[str, int | None]:
        """Return it as it is shown and kept."""
        return vars(self)


@dataclass(frozen=True)
class Claim:
    """What a ticket is paid now, and what for."""

    ticket: TicketRow
    standing: Standing
    wins: Sequence[GameWin]
    amounts: Mapping[Amount, int]
    before_cents: int  # what was paid to the same patron within this contact
    due_papers: Sequence[DuePaper]  # what must be reported, and is not filled in yet
    void_games: Sequence[int]  # whose price goes back along with the win
    back: Back
    is_reprinted: bool  # there is more than one paper of it
    is_copied_late: bool = False  # one of them was made when it could be known that it won
    shown: Shown = Shown.CODE

    def facts(self) -> dict[str, object]:
        """Return what is paid and what goes back: two facts on one document."""
        return {
            "number": self.ticket.number,
            "win_cents": self.cents,
            "refund_cents": self.back.cash_cents,
            "void_games": list(self.void_games),
            "pay_cents": self.cents + self.back.cash_cents,
        }

    @property
    def cents(self) -> int:
        """What it won, after all cuts."""
        return self.standing.win_cents

    @property
    def needs_supervisor(self) -> bool:
        """Whether a supervisor approves: it is so much (15.6(b)), or there is a copy of it.

        Or somebody else says that they lost it, or its code cannot be read.
        """
        if self.is_reprinted or self.standing.lost or self.shown is not Shown.CODE:
            return True
        return self.approved_cents >= self.amounts[Amount.APPROVAL]

    @property
    def needs_manager(self) -> bool:
        """Whether a manager outside keno approves too: so much, or held (X-pay-second-tier)."""
        if self.standing.is_held or self.is_copied_late or self.shown_takes_manager:
            return True
        return self.approved_cents >= self.amounts[Amount.SECOND_TIER]

    @property
    def shown_takes_manager(self) -> bool:
        """Whether a manager outside keno approves because of what was shown."""
        approval_cents = self.amounts[Amount.APPROVAL]
        return shown_takes_manager(self.shown, self.approved_cents, approval_cents)

    @property
    def approved_cents(self) -> int:
        """What an approval is about: the win, and those of the same patron that count with it."""
        counts = self.cents >= self.amounts[Amount.ADDED_UP]
        return self.cents + (self.before_cents if counts else 0)


def claim_of(  # noqa: PLR0913, PLR0917  of which ticket, for whom, when and for what shown
    office: Office,
    unit: Unit,
    ticket: TicketRow,
    in_contact: Sequence[int],
    now: datetime,
    shown: Shown = Shown.CODE,
) -> Claim:
    """Return what a ticket is paid now.

    Args:
        office: the office.
        unit: where everything is read.
        ticket: the ticket.
        in_contact: the tickets that were paid to the same patron before, within this contact.
        now: the time, whose day decides about the amounts.
        shown: what was shown for it.
    """
    day = now.astimezone(ZoneInfo(office.house.time_zone)).date()
    amounts = amounts_on(day, payments.house_amounts(unit.connection))
    standing = standing_of(office, unit, ticket, now)
    tender = queries.tender_of(unit.connection, ticket.number)
    wins = _wins(ticket, standing, tender)
    others: list[GameWin] = []
    before_cents = 0
    for number in in_contact:
        other = queries.ticket(unit.connection, number)
        if other is not None and number != ticket.number:
            paid_with = queries.tender_of(unit.connection, number)
            others += _wins(other, standing_of(office, unit, other, now), paid_with)
            paid = payments.payout(unit.connection, number)
            if paid is not None and paid.cents >= amounts[Amount.ADDED_UP]:
                before_cents += paid.cents
    played = {(win.series, win.game) for win in wins}
    reported = payments.reported(unit.connection, {ticket.number, *in_contact})
    papers = [
        due
        for due in due_papers([*wins, *others], amounts[Amount.TAX_PAPER], reported)
        if (due.series, due.game) in played
    ]
    void_games = [
        game.number
        for game in standing.games
        if game.state is GameState.VOID and not game.refunded_cents
    ]
    places = [game - ticket.first_game for game in void_games]
    back = refund_of(tender, ticket.price_per_game_cents, places)
    is_reprinted = paper.ticket_was_reprinted(unit.connection, ticket.number)
    is_late = is_reprinted and paper.was_copied_behind_its_draw(unit.connection, ticket.number)
    return Claim(
        ticket,
        standing,
        wins,
        amounts,
        before_cents,
        papers,
        void_games,
        back,
        is_reprinted,
        is_late,
        shown,
    )


def ticket_numbered(unit: Unit, number: int) -> TicketRow:
    """Return a ticket by its number.

    Refuses: one that is not there.
    """
    found = queries.ticket(unit.connection, number)
    if found is None:
        raise say_no(No.UNKNOWN_TICKET, number=number)
    return found


def check_payable(office: Office, claim: Claim) -> None:
    """Refuse a ticket that is not paid, each for its own reason (X-pay-refusals)."""
    no = why_not_payable(office, claim)
    if no is not None:
        raise no


def explanation(card: RateCard, claim: Claim) -> list[dict[str, object]]:
    """Return how the amount comes about on its card, game by game, as a writer reads it out."""
    ticket = claim.ticket
    play = ticket_of(ticket.type, ticket.play, ticket.games)
    told: list[dict[str, object]] = []
    for game in _certified(claim.standing):
        grade = grade_game(play, mask_of(game.numbers or []), card)
        told.append(
            {
                "game": f"{ticket.series}-{game.number}",
                "numbers": game.numbers,
                "win_cents": game.win_cents,
                "explanation": list(explained(grade, card, game.win_cents)),
            }
        )
    return told


def gradings(unit: Unit, claim: Claim) -> list[Gradings]:
    """Return both gradings of a ticket side by side: the second is done again from the log."""
    ticket = claim.ticket
    found = []
    try:
        second = _second_card(unit, ticket.card)
        played = read_ticket(json.loads(payments.ticket_body(unit.connection, ticket.number)))
    except Broken:
        return [Gradings(each.number, each.won_cents, None) for each in _certified(claim.standing)]
    for game in _certified(claim.standing):
        win = win_of(played, second, read_draw(game.numbers or []))
        found.append(Gradings(game.number, game.won_cents, win.cents))
    return found


def _second_card(unit: Unit, card: int) -> Card:
    """Return a card as the second grader reads it, once for each file that it is read from."""
    row = cards.card_with(unit.connection, card)
    return _read_once(row.hash, row.file)


@lru_cache(maxsize=16)
def _read_once(digest: bytes, file: str) -> Card:
    return read_card({"card": digest.hex(), "file": file})


def _certified(standing: Standing) -> list[PlayedGame]:
    return [game for game in standing.games if game.state is GameState.CERTIFIED]


def _wins(ticket: TicketRow, standing: Standing, tender: Sequence[Tender]) -> list[GameWin]:
    """Return what a ticket won in each game, and what of the game's price was paid in money."""
    price = ticket.price_per_game_cents
    return [
        GameWin(
            ticket.number,
            ticket.series,
            game.number,
            game.win_cents,
            refund_of(tender, price, [game.number - ticket.first_game]).cash_cents,
        )
        for game in _certified(standing)
        if game.win_cents
    ]


def why_not_payable(office: Office, claim: Claim) -> Refused | None:
    """Return why a ticket is not paid, if it is not."""
    ticket, standing = claim.ticket, claim.standing
    number = printed_number(ticket.number)
    at = standing.expires_at and office.moment(standing.expires_at)
    frozen = [
        f"{ticket.series}-{each.number}"
        for each in standing.games
        if each.state is GameState.FROZEN
    ]
    last = f"{ticket.series}-{standing.last_game}"
    voided = ticket.voided_at and office.moment(ticket.voided_at)
    paid = standing.paid
    by = {} if paid is None else {"station": paid.station_code, "writer": paid.writer_code}
    paid_at = paid and office.moment(paid.paid_at)
    reasons = {
        Stands.VOID: say_no(No.ALREADY_VOID, number=number, at=voided),
        Stands.OPEN: say_no(No.TICKET_UNDECIDED, number=number),
        # 15.4(d)-pay: nothing is paid while games of it are still to come.
        Stands.IN_PLAY: say_no(No.STILL_PLAYING, number=number, game=last),
        Stands.NOT_DECIDED: say_no(No.TICKET_UNDECIDED, number=number),
        Stands.FROZEN: say_no(No.TICKET_FROZEN, number=number, game=", ".join(frozen)),
        Stands.EXPIRED: say_no(No.TICKET_EXPIRED, number=number, at=at),
        Stands.REFUND: say_no(No.REFUND_INSTEAD, number=number),
        Stands.REFUNDED: say_no(No.TICKET_REFUNDED, number=number),
        Stands.NO_WIN: say_no(No.NO_WIN, number=number),
    }
    if paid is not None:
        return say_no(No.ALREADY_PAID, number=number, at=paid_at, **by)
    return reasons.get(standing.stands)


def due_words(due: DuePaper) -> str:
    """Return what must be reported in words."""
    return f"{due.series}-{due.game}: {dollars(due.net_cents)} net"
