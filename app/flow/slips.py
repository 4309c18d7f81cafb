"""What the paper of an act says: from the act's entry of the log, which has all of it.

So a paper can be made again at any time, and says what was logged.
"""

import json
from collections.abc import Callable, Iterable, Mapping
from contextlib import closing
from datetime import date, datetime
from itertools import islice
from typing import Any
from zoneinfo import ZoneInfo

from app.audit.checkpoints import short_seal
from app.flow.codes import DIGITS, UNREAD
from app.flow.office import Office
from app.flow.plays import numbers_of
from app.keno.conditioning import conditioning_of
from app.keno.letters import letter
from app.keno.money import Rounding, percent
from app.keno.numbering import printed_number
from app.keno.payment import Shown
from app.keno.rate_card import Limits, RateCard
from app.keno.ticket import Ticket, TicketType
from app.store.queries import Reading, cards, drawers, games, outcomes, settling, shifts
from app.store.queries.paper import Job
from app.store.queries.people import Worker
from app.store.tables import Slip
from app.store.unit import Unit
from printers import slips
from printers.slips import Done, Group, Limit, Part, Seal, Wager

SHARES_ON_A_SHEET = 200  # some two feet of paper
CARD_DIGITS = 12  # of the hash of a rate card, on paper
KINDS = {"currency": "Currency", "coin": "Coin", "chips": "Chips", "tokens": "Tokens"}
KINDS |= {"coupon": "Coupon"}


def sheets_of(winners: int) -> int:
    """Return on how many sheets the winners of a game are listed."""
    return -(-winners // SHARES_ON_A_SHEET)


def slip_of(office: Office, unit: Unit, job: Job) -> slips.Slip:
    """Return the slip of an act."""
    return MAKERS[job.slip](Making(office, unit, job))


class Making:
    """A slip that is being made."""

    def __init__(self, office: Office, unit: Unit, job: Job) -> None:
        self.office = office
        self.unit = unit
        self.payload: Mapping[str, Any] = job.payload
        self.body: Mapping[str, Any] = json.loads(job.body)
        self._zone = ZoneInfo(office.house.time_zone)

    @property
    def connection(self) -> Reading:
        """Where anything else is read."""
        return self.unit.connection

    @property
    def house(self) -> str:
        """The name of the house."""
        return self.office.house.name

    def at(self, moment: str | datetime) -> datetime:
        """Return a moment in the time zone of the house."""
        read = datetime.fromisoformat(moment) if isinstance(moment, str) else moment
        return read.astimezone(self._zone)

    def done(self, when: str = "time") -> Done:
        """Return by whom it was done."""
        body = self.body
        return Done(
            self.house,
            self.at(body[when]),
            body["station"],
            body["writer"],
            body.get("approver"),
            body.get("reason"),
        )


def _ticket(making: Making) -> slips.TicketSlip:
    body = making.body
    card = _card(making, body["card"])
    series, first, games_ = body["series"], body["first_game"], body["games"]
    seal, replay_of = body["previous_seal"], body["replay_of"]
    is_king = body["type"] == TicketType.KING.value
    limits = card.limits
    return slips.TicketSlip(
        house=making.house,
        number=printed_number(body["number"]),
        sold_at=making.at(body["sold_at"]),
        station=body["station"],
        groups=[
            Group(letter(place), numbers, is_king=is_king and len(numbers) == 1)
            for place, numbers in enumerate(body["groups"])
        ],
        games=games_,
        first_game=f"{series}-{first}",
        last_game=f"{series}-{first + games_ - 1}",
        conditioning=body["conditioning"],
        wagers=[
            Wager(line["ways"], line["spots"], line["rate_cents"], line["schedule"])
            for line in body["lines"]
        ],
        price_cents=body["price_cents"],
        writer=body["writer"],
        limit=_limit(limits),
        expires_at=making.at(body["expires_at"]),
        claim_minutes=limits.claim_minutes,
        quick_pick=body["source"] == "quick-pick",
        rate_card=body["card"][:CARD_DIGITS],
        previous_seal=seal and Seal(f"{series}-{seal['game']}", seal["seal"]),
        replay_of=None if replay_of is None else printed_number(replay_of),
    )


def practice_slip(  # noqa: PLR0913, PLR0917  all that a ticket shows
    office: Office, who: Worker, ticket: Ticket, card: RateCard, now: datetime, until: datetime
) -> slips.TicketSlip:
    """Return a ticket that is none, as it would have looked (X-practice)."""
    zone = ZoneInfo(office.house.time_zone)
    limits = card.limits
    is_king = ticket.type is TicketType.KING
    return slips.TicketSlip(
        house=office.house.name,
        number="PRACTICE",
        sold_at=now.astimezone(zone),
        station=who.station_code,
        groups=[
            Group(letter(place), numbers_of(mask), is_king=is_king and mask.bit_count() == 1)
            for place, mask in enumerate(ticket.groups)
        ],
        games=ticket.games,
        first_game="none",
        last_game="none",
        conditioning=conditioning_of(ticket.lines),
        wagers=[
            Wager(line.ways, line.spots, line.rate_cents, line.schedule) for line in ticket.lines
        ],
        price_cents=ticket.price_cents,
        writer=who.code,
        limit=_limit(limits),
        expires_at=until.astimezone(zone),
        claim_minutes=limits.claim_minutes,
        quick_pick=ticket.quick_pick,
        rate_card="none",
        previous_seal=None,
        is_practice=True,
    )


def _limit(limits: Limits) -> Limit | None:
    if limits.aggregate_cents is None:
        return None
    return Limit(limits.aggregate_cents, limits.in_full_below_cents)


def _void(making: Making) -> slips.VoidSlip:
    body = making.body
    return slips.VoidSlip(
        making.done("voided_at"),
        printed_number(body["ticket"]),
        body["issued_at"],
        _kinds(body["back"]),
    )


def _refund(making: Making) -> slips.RefundSlip:
    body = making.body
    series, first = body["series"], body["first_cancelled"]
    return slips.RefundSlip(
        making.done(),
        printed_number(body["ticket"]),
        None if first is None else f"from {series}-{first} on",
        [f"{series}-{game}" for game in body["void_games"]],
        _kinds(body["back"]),
        body["coupon_cents"] if not body["coupons_back"] else 0,
    )


def _payout(making: Making) -> slips.PayoutSlip:
    body = making.body
    paid_by = "cash" if body["paid_by"] == "cash" else f"casino check {body['check_number']}"
    return slips.PayoutSlip(
        done=making.done(),
        number=printed_number(body["ticket"]),
        wins=[Part(f"Game {body['series']}-{win['game']}", win["cents"]) for win in body["wins"]],
        refund_cents=sum(part["cents"] for part in body["back"]),
        paid_by=paid_by,
        manager=body["manager"],
        with_code=body["with_code"],
        signature=making.payload["signature"],
        places=_places(body.get("shown", {})),
    )


def _places(shown: Mapping[str, str]) -> str | None:
    """Return where digits of a code could be read, of a ticket that goes into an envelope."""
    how = shown.get("how")
    return UNREAD * DIGITS if how == Shown.IDENTITY.value else shown.get("places")


def _movement(making: Making) -> slips.MovementSlip:
    body = making.body
    parts = [Part(KINDS[kind], cents) for kind, cents in body["amounts"].items()]
    return slips.MovementSlip(making.done(), body["drawer"], body["act"] == "fill", parts)


def _count(making: Making) -> slips.CountSlip:
    body, payload = making.body, making.payload
    missing = body.get("tickets")
    if missing is not None:
        paid = drawers.paid_tickets(making.connection, payload["drawer"])
        missing = sorted(set(paid) - set(missing))
    return slips.CountSlip(
        done=making.done(),
        drawer=payload["drawer"],
        keeper=body.get("keeper", body["writer"]),
        verifier=body["verifier"],
        parts=list(_counted(body["counted"])),
        expected_cents=body.get("expected_cents"),
        tickets_missing=[printed_number(number) for number in missing or ()],
    )


def _shift(making: Making) -> slips.ShiftReport:
    drawer = drawers.drawer(making.connection, making.payload["drawer"])
    if drawer is None:
        raise LookupError("a report of a drawer that is not there")
    figures = shifts.shift_of(making.connection, drawer.id)
    if figures is None:
        raise LookupError("a report of a drawer that is open")
    told = {
        "Sales": figures.sales_cents,
        "Voids": -figures.voids_cents,
        "Refunds": -figures.refunds_cents,
        "Paid": -figures.paid_cents,
        "WIN": figures.win_cents,
        "Opening bank": figures.opening_cents,
        "Fills": figures.filled_cents,
        "Bleeds": -figures.bled_cents,
        "Counted": figures.counted_cents,
        "Over or short": figures.over_short_cents,
    }
    hold = figures.hold
    return slips.ShiftReport(
        making.done(),
        drawer.id,
        making.at(drawer.opened_at),
        [Part(name, cents) for name, cents in told.items()],
        None if hold is None else percent(hold, Rounding.HALF_UP),
    )


def _draw(making: Making) -> slips.DrawRecord:
    series, number = making.payload["series"], making.payload["game"]
    outcome = outcomes.outcome(making.connection, series, number)
    game = games.game(making.connection, series, number)
    if outcome is None or outcome.numbers is None or game is None or game.gaming_day is None:
        raise LookupError("a record of a game that was not drawn")
    return slips.DrawRecord(
        house=making.house,
        game=f"{series}-{number}",
        day=date.fromisoformat(game.gaming_day),
        drawn_at=making.at(outcome.ended_at),
        numbers=outcome.numbers,
        record=outcome.record.hex(),
        seal=short_seal(outcome.document["seal"]["note"]),
    )


def _aggregate(making: Making) -> slips.AggregateSheet:
    series, number = making.payload["series"], making.payload["game"]
    settled = settling.settlement(making.connection, series, number)
    if settled is None or settled.limit_cents is None:
        raise LookupError("a sheet of a game without a limit")
    part, parts = making.payload["part"], sheets_of(settled.winners)
    with closing(settling.wins_of(making.connection, settled.attempt)) as winners:
        first = (part - 1) * SHARES_ON_A_SHEET
        shares = [
            slips.Shared(printed_number(win.ticket), win.cents, win.paid_cents)
            for win in islice(winners, first, first + SHARES_ON_A_SHEET)
        ]
    limit = Limit(settled.limit_cents, settled.in_full_below_cents)
    return slips.AggregateSheet(
        making.house,
        f"{series}-{number}",
        making.at(making.body["time"]),
        limit,
        settled.win_cents,
        settled.paid_cents,
        shares,
        part,
        parts,
    )


def _test(making: Making) -> slips.TestPage:
    return slips.TestPage(making.house, making.payload["printer"], making.at(making.body["time"]))


def _printer(making: Making) -> slips.PrinterChange:
    about = making.payload
    return slips.PrinterChange(
        house=making.house,
        at=making.at(making.body["time"]),
        station=about["station"],
        before=about["before"],
        after=about["after"],
        by=about["by"],
        until=about["until"] and making.at(about["until"]),
    )


MAKERS: dict[Slip, Callable[[Making], slips.Slip]] = {
    Slip.TICKET: _ticket,
    Slip.VOID: _void,
    Slip.REFUND: _refund,
    Slip.PAYOUT: _payout,
    Slip.MOVEMENT: _movement,
    Slip.COUNT: _count,
    Slip.SHIFT: _shift,
    Slip.DRAW: _draw,
    Slip.AGGREGATE: _aggregate,
    Slip.TEST: _test,
    Slip.PRINTER: _printer,
}


def _card(making: Making, card_hash: str) -> RateCard:
    card = cards.card_hashed(making.connection, bytes.fromhex(card_hash))
    if card is None:
        raise LookupError("a ticket on a card that is not there")
    return making.office.card(making.unit, card.id)


def _kinds(back: Iterable[Mapping[str, Any]]) -> list[Part]:
    return [Part(KINDS[part["kind"]], part["cents"]) for part in back]


def _counted(counted: Mapping[str, Any]) -> Iterable[Part]:
    """Yield what was counted: by denomination where it was, else by kind."""
    for kind, pieces in counted.items():
        if isinstance(pieces, Mapping):
            for value, number in pieces.items():
                cents = int(value)
                name = f"{KINDS[kind]} {number:,} x ${cents // 100}.{cents % 100:02}"
                yield Part(name, cents * number)
        else:
            yield Part(KINDS[kind], pieces)
