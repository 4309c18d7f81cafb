"""Selling a ticket: one transaction, under the shared lock of its series (15.4(c), 15.3(b)).

In it: the request id, the game and its card re-read under the lock, the price worked out again, the
tender, the ticket's number; then, together, the log entry, the ticket, its tender, the money, the
slip. The number comes last of all that can make another sale wait: everyone stands in that queue.

Write order: there is one commit. *Crash before: nothing was sold, and no number was used. Crash
after: the ticket is sold, and the station that asks again is told so.* The validation code leaves
the server in the print job only (X-ticket-validation).

Where many wait, several share one transaction (`sell_together`).
"""

from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from functools import partial
from typing import Any

from app.audit.checkpoints import short_seal
from app.audit.tags import Tag
from app.clock import time_text
from app.entropy import quick_pick
from app.flow.access import Credentials, at_work
from app.flow.asking import Answer, Asking, Done, answer_once, asking, kept
from app.flow.cash import is_in_drawer, too_little
from app.flow.contact import (
    Contact,
    InContact,
    Passed,
    check_contact,
    in_known_contact,
    know_patron,
)
from app.flow.day import gaming_day
from app.flow.office import Office
from app.flow.open_game import check_is_open
from app.flow.permissions import Permission
from app.flow.plays import Changes, changed, play_document, request_content, request_of
from app.flow.refusals import No, check_no_code, say_no
from app.flow.stop_sales import check_sold
from app.keno.conditioning import conditioning_of
from app.keno.drawer import CASH
from app.keno.numbering import printed_number
from app.keno.pricing import quote
from app.keno.refusals import Refused, quoted, refuse_all
from app.keno.request import Request
from app.keno.tender import Tender, TenderKind, check_tender, tendered_cents
from app.keno.ticket import Ticket
from app.store.queries import games, house
from app.store.queries import tickets as queries
from app.store.queries.games import OpenGame
from app.store.queries.people import Worker
from app.store.records import tickets as records
from app.store.records.money import Leg, hold_drawer, posting_rows
from app.store.records.paper import paper_rows
from app.store.records.together import Row
from app.store.tables import Account, Slip, Source
from app.store.tables import Ticket as TicketTable
from app.store.unit import Unit


@dataclass(frozen=True)
class Sale:
    """What a writer asks to have sold.

    A request, or the number of a ticket to play again with the changes that go with it.
    """

    series: str
    request: Request | Changes
    tender: tuple[Tender, ...]
    first_game: int | None = None
    replay_of: int | None = None
    contact: Contact | None = None


def sell_ticket(
    office: Office, credentials: Credentials, sale: Sale, request: str | None
) -> Answer:
    """Sell a ticket; return its number, games, price and change.

    Refuses: whoever is not at work with an open drawer; a game that is not open; every fault of the
    request; what a supervisor has stopped; a tender that does not cover the price.
    """
    asked = asking_to_sell(sale, request)
    worker = at_work(credentials, Permission.TICKET_SELL)
    check_contact(sale.contact)
    return answer_once(office, asked, worker, partial(_sell, office, asked, sale))


def asking_to_sell(sale: Sale, request: str | None) -> Asking:
    """Return what is asked for with a sale.

    Refuses: as `asking`; a coupon that is a ticket's code.
    """
    for part in sale.tender:
        check_no_code(part.serial, "tender")
    content: dict[str, object] = {
        "series": sale.series,
        "first_game": sale.first_game,
        "replay_of": sale.replay_of,
        "request": request_content(sale.request),
        "tender": [_tender_document(part) for part in sale.tender],
    }
    if sale.contact is not None:
        content["contact"] = vars(sale.contact)
    return asking(request, "sell", content)


def _sell(office: Office, asked: Asking, sale: Sale, unit: Unit, who: Worker) -> Answer:
    if who.drawer is None:
        raise say_no(No.NO_DRAWER)
    game = _game_to_sell(unit, who, sale)
    # Change on chips and tokens comes out of the drawer, and must be in it.
    changes = any(part.kind not in (*CASH, TenderKind.COUPON) for part in sale.tender)
    if not hold_drawer(unit, who, alone=changes):
        raise say_no(No.NO_DRAWER)
    request, source = request_to_sell(unit, sale)
    card = office.card(unit, game.card)
    ticket = quote(request, card)
    check_sold(unit, sale.series, ticket.lines)
    # 15.4(d)-pay: all games are paid for now, before the first of them.
    refuse_all(check_tender(sale.tender, ticket.price_cents))
    passed = passed_in_sale(sale.tender, ticket.price_cents)
    if not is_in_drawer(unit, who, passed.cash_out_cents):
        raise too_little(office, unit, who, No.NOT_ENOUGH_CASH)
    claim_minutes = card.limits.claim_minutes
    terms = office.house.name, office.keys.newest, claim_minutes
    selling = Selling(*terms, asked, sale, who, game, ticket, source)
    facts = selling.facts()
    # All that has to be waited for or read comes before the counter: behind it, everybody waits.
    known = know_patron(office, unit, who, sale.contact, unit.now()) if sale.contact else None
    coupons = records.serials_of(sale.tender)
    unit.lock_coupons(coupons)
    number, sold_at = records.next_number(unit)
    # Judged by the time that is printed, behind everything that this sale had to wait for.
    if game.sells_until is not None and sold_at >= game.sells_until:
        raise say_no(No.GAME_CLOSED, game=f"{sale.series}-{game.number}")
    if known is not None and known.patron.day != _day_of(office, sold_at):  # it began just now
        known = know_patron(office, unit, who, sale.contact, sold_at)
    contact = in_known_contact(office, known, number, passed)
    done = selling.done(facts, number, sold_at, contact)
    office.log_with(unit, Tag.TICKET, done.body, done.rows)
    for serial in coupons:
        if not records.spend_coupon(unit, serial, number):
            raise say_no(No.COUPON_SPENT, serial=quoted(serial))
    return done.answer


def _day_of(office: Office, moment: datetime) -> date:
    return gaming_day(moment, office.house.time_zone, office.house.day_starts_minutes)


@dataclass(frozen=True)
class Selling:
    """A sale with all that decides it; what it leaves behind follows from that alone."""

    house: str
    code_key: int
    claim_minutes: int
    asked: Asking
    sale: Sale
    who: Worker
    game: OpenGame
    ticket: Ticket
    source: Source

    def facts(self) -> dict[str, Any]:
        """Return what the entry of the ticket says, but for its number and its times."""
        sale, game, ticket = self.sale, self.game, self.ticket
        return {
            "house": self.house,
            "series": sale.series,
            "first_game": game.number,
            "games": ticket.games,
            "type": ticket.type.value,
            **play_document(ticket),
            "conditioning": conditioning_of(ticket.lines),
            "card": game.card_hash.hex(),
            "price_per_game_cents": ticket.price_per_game_cents,
            "price_cents": ticket.price_cents,
            "source": self.source.value,
            "replay_of": sale.replay_of,
            "station": self.who.station_code,
            "writer": self.who.code,
            "request_id": self.asked.request,
            "code_key": self.code_key,
            "tender": [_tender_document(part) for part in sale.tender],
            "change_cents": tendered_cents(sale.tender) - ticket.price_cents,
            "previous_seal": game.seal
            and {"game": game.sealed_game, "seal": short_seal(game.seal)},
        }

    def done(
        self, facts: dict[str, Any], number: int, sold_at: datetime, contact: InContact
    ) -> Done:
        """Return what the sale leaves behind, once the ticket has its number and its time."""
        sale, game, ticket, who = self.sale, self.game, self.ticket, self.who
        last_game = game.number + ticket.games - 1
        expires_at = _expected_expiry(game, ticket, self.claim_minutes, sold_at)
        change_cents = facts["change_cents"]
        answer = {
            "number": number,
            "printed_number": printed_number(number),
            "series": sale.series,
            "first_game": game.number,
            "last_game": last_game,
            "price_cents": facts["price_cents"],
            "change_cents": change_cents,
            "rate_card": game.card_hash.hex(),
            "numbers": facts["groups"],
            "conditioning": facts["conditioning"],
            "expires_at": time_text(expires_at),
            **contact.told,
        }
        row = {
            "number": number,
            "series": sale.series,
            "first_game": game.number,
            "last_game": last_game,
            "games": ticket.games,
            "type": ticket.type.value,
            "source": self.source.value,
            "replay_of": sale.replay_of,
            "play": {"groups": facts["groups"], "lines": facts["lines"]},
            "card": game.card,
            "price_per_game_cents": facts["price_per_game_cents"],
            "price_cents": facts["price_cents"],
            "tendered_cents": tendered_cents(sale.tender),
            "station": who.station,
            "staff": who.staff,
            "drawer": who.drawer,
            "sold_at": sold_at,
            "code_key": self.code_key,
            "request": self.asked.request,
            "prints_expiry": expires_at,
        }
        rows: list[Row] = [
            kept(who, self.asked, answer),
            (TicketTable, row),
            *records.tender_rows(number, sale.tender),
            *posting_rows(
                legs_of_sale(who.drawer, sale.tender, facts["price_cents"], change_cents)
            ),
            *paper_rows(who.station, Slip.TICKET, {"ticket": number}),
            *contact.rows,
        ]
        times = {"sold_at": time_text(sold_at), "expires_at": time_text(expires_at)}
        return Done(answer, {"number": number, **times, **facts, **contact.said}, rows)


def _expected_expiry(
    game: OpenGame, ticket: Ticket, claim_minutes: int, sold_at: datetime
) -> datetime:
    """Return until when the ticket can be claimed, as far as the schedule says (15.6(c))."""
    interval = timedelta(seconds=game.interval_seconds or 0)
    last_lock = (game.closes_at or sold_at) + (ticket.games - 1) * interval
    return last_lock + timedelta(minutes=claim_minutes)


def passed_in_sale(tender: tuple[Tender, ...], price_cents: int) -> Passed:
    """Return what passes over the counter: change in cash for chips is cash that goes out.

    Coupons are not money. Change goes back and forth where it is of what was given in cash.
    """
    money = [part for part in tender if part.kind is not TenderKind.COUPON]
    cash_cents = tendered_cents([part for part in money if part.kind in CASH])
    change_cents = tendered_cents(tender) - price_cents
    out_cents = max(change_cents - cash_cents, 0)
    return Passed(
        in_cents=tendered_cents(money) - change_cents + out_cents,
        out_cents=out_cents,
        cash_in_cents=max(cash_cents - change_cents, 0),
        cash_out_cents=out_cents,
    )


def _game_to_sell(unit: Unit, who: Worker, sale: Sale) -> OpenGame:
    """Return the open game of the series, which stays open until this transaction ends."""
    unit.share_series(sale.series)
    game = games.open_game_at(unit.connection, who.location, sale.series)
    if game is None:
        raise _no_game(unit, who, sale.series)
    check_is_open(sale.series, sale.first_game, game.number)
    return game


def _no_game(unit: Unit, who: Worker, series: str) -> Refused:
    """Return why there is nothing to sell for a series here."""
    if house.first_game(unit.connection, series) is None:
        return say_no(No.NO_SUCH_SERIES, series=quoted(series))
    if not house.sells(unit.connection, who.location, series):
        return say_no(No.NOT_SOLD_HERE, series=series)
    return say_no(No.NO_OPEN_GAME, series=series)


def request_to_sell(unit: Unit, sale: Sale) -> tuple[Request, Source]:
    """Return the request that is sold, with the numbers of a quick-pick, and what it rests on."""
    if isinstance(sale.request, Request):
        spots = sale.request.quick_pick
        if spots is None or sale.request.groups:
            return sale.request, Source.REQUEST
        return replace(sale.request, groups=(quick_pick(spots),)), Source.QUICK_PICK
    # X-ticket-replay: any ticket serves, winning or losing, with what the patron changes in it.
    old = queries.ticket(unit.connection, sale.replay_of or 0)
    if old is None:
        raise say_no(No.UNKNOWN_TICKET, number=sale.replay_of)
    return changed(request_of(old.play, old.games), sale.request), Source.TICKET


def legs_of_sale(
    drawer: int | None, tender: tuple[Tender, ...], price_cents: int, change_cents: int
) -> list[Leg]:
    """Return what a sale moves: tender into the drawer, change out of it, the price owed."""
    legs = [
        Leg(Account.COUPONS, part.cents)
        if part.kind is TenderKind.COUPON
        else Leg(Account.DRAWER, part.cents, drawer, part.kind)
        for part in tender
    ]
    change = Leg(Account.DRAWER, -change_cents, drawer, TenderKind.CURRENCY)
    return [*legs, change, Leg(Account.PREPAID, -price_cents)]


def _tender_document(part: Tender) -> dict[str, object]:
    document: dict[str, object] = {"kind": part.kind.value, "cents": part.cents}
    return document if part.serial is None else {**document, "serial": part.serial}
