"""Selling where many wait: those who wait share a transaction, its locks and its commit.

Whoever comes alone is sold to alone (`sell`), as if this were not here. A party is sold to in one
transaction: everything is looked up and held for all of them at once, in the order of locks; the
numbers are taken in one go, in the order in which they stood in line; every ticket has its own
entry, rows and answer, exactly as if it had been sold alone.

None can fail another, nor keep it waiting: whoever cannot be sold to just like that - a refusal, an
answer given before, a coupon, chips, a player card, a drawer or a patron that somebody else holds -
is left out before anything is written, and served alone right after. If the party fails as a whole,
nothing was sold, and each is served alone. (For a request that somebody settles in this very moment
it waits until that is committed, as a sale alone would: nothing of it can be seen before.)

Write order: there is one commit. *Crash before: nothing was sold, and no number was used. Crash
after: all are sold, and each station that asks again is told so.*
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial

from sqlalchemy.exc import DBAPIError

from app.audit.tags import Tag
from app.flow.access import Credentials, at_work, several_at_work
from app.flow.asking import Answer, Asking, found_after_all
from app.flow.contact import (
    Before,
    InContact,
    check_contact,
    lock_of,
    report_from_cents,
    within,
)
from app.flow.day import gaming_day
from app.flow.office import Office
from app.flow.open_game import check_is_open
from app.flow.permissions import Permission
from app.flow.sell import (
    Sale,
    Selling,
    asking_to_sell,
    passed_in_sale,
    request_to_sell,
    sell_ticket,
)
from app.flow.stop_sales import check_none_stopped
from app.keno.drawer import CASH
from app.keno.pricing import quote
from app.keno.refusals import Refused, refuse_all
from app.keno.tender import check_tender
from app.logs import Voice, known
from app.store.queries import contacts, games, stops
from app.store.queries import tickets as queries
from app.store.queries.contacts import ContactSums, Patron
from app.store.queries.games import OpenGame
from app.store.queries.people import Worker
from app.store.records import tickets as records
from app.store.records.money import hold_drawers
from app.store.records.together import CameSecond
from app.store.unit import CommitUnknown, Unit

log = Voice("keno.selling")

NOTHING = ContactSums(0, 0, 0, 0)


class NotTogether(Exception):  # noqa: N818  not a fault: each is served alone
    """What was looked up for the party did not hold until its numbers were taken."""


@dataclass(frozen=True)
class Customer:
    """One who waits: who sells to them, and what."""

    credentials: Credentials
    asked: Asking
    sale: Sale
    # Who sells to them and where, as whoever serves the party finds out: for the lines of the one
    # who waits.
    about: dict[str, str] = field(default_factory=dict, compare=False)


@dataclass(frozen=True)
class _Served:
    """One of a party with whom nothing is special: what decides the sale, and its patron."""

    customer: Customer
    selling: Selling
    patron: Patron | None


def sell_with_others(
    office: Office, credentials: Credentials, sale: Sale, request: str | None
) -> Answer:
    """Sell a ticket, together with others who wait for theirs; return what `sell_ticket` does.

    Refuses: as `sell_ticket`.
    """
    asked = asking_to_sell(sale, request)
    alone = partial(sell_ticket, office, credentials, sale, request)
    if not _is_plain(sale):
        return alone()

    def serve(party: Sequence[Customer]) -> Sequence[Answer | None]:
        return [alone()] if len(party) == 1 else sell_to_party(office, party)

    customer = Customer(credentials, asked, sale)
    try:
        answer: Answer | None = office.selling.wait(sale.series, customer, serve)
    except CommitUnknown:
        # Looked for once, as for a sale alone; else the station asks again.
        answer = found_after_all(office, asked, at_work(credentials, Permission.TICKET_SELL))
        if answer is None:
            raise
    known(**customer.about)
    return alone() if answer is None else answer


def _is_plain(sale: Sale) -> bool:
    """Whether a sale needs neither a coupon nor change on chips, nor counts towards a card."""
    cash = all(part.kind in CASH and part.serial is None for part in sale.tender)
    return cash and (sale.contact is None or sale.contact.player_card is None)


def sell_to_party(office: Office, party: Sequence[Customer]) -> list[Answer | None]:
    """Sell to a party, all of one series, in one transaction.

    Returns the answers, in the order of the party; none for whoever is to be served alone.

    Raises:
        CommitUnknown: nobody knows whether they were sold.
    """
    try:
        try:
            got = _sell_to_party(office, party)
        except CameSecond:  # one of them was answered meanwhile, and is found to be so now
            got = _sell_to_party(office, party)
    except CommitUnknown:
        raise
    except (NotTogether, CameSecond):
        return [None] * len(party)
    except Exception:
        # Whatever it was, nothing is sold: each is served alone, and only whose fault it was fails.
        log.exception("sale.one_by_one", sales=len(party))
        return [None] * len(party)
    return [got.get(id(customer)) for customer in party]


def _sell_to_party(office: Office, party: Sequence[Customer]) -> dict[int, Answer]:
    """Sell to a party; return the answers by whom of it they are for.

    Raises:
        CameSecond: what one of them asked for was answered since it was looked up.
    """
    with office.unit() as unit:
        served = _looked_up(office, unit, party)
        answers = _sold(office, unit, served) if served else []
        if answers:
            unit.commit()
    return {id(each.customer): answer for each, answer in zip(served, answers, strict=True)}


def _looked_up(office: Office, unit: Unit, party: Sequence[Customer]) -> list[_Served]:
    """Return those with whom nothing is special; what decides their sales is held."""
    at_counter = _at_counter(unit, party)
    series = party[0].sale.series
    unit.share_series(series)
    on_sale: dict[str, OpenGame | None] = {
        place: games.open_game_at(unit.connection, place, series)
        for place in {who.location for _, who in at_counter}
    }
    held = hold_drawers(unit, (who for _, who in at_counter))
    stopped = stops.stopped(unit.connection)
    served = []
    for customer, who in at_counter:
        game = on_sale[who.location]
        if game is None or who.drawer not in held:
            continue
        try:
            decided = _decided(office, unit, customer, who, game)
            check_none_stopped(stopped, series, decided.selling.ticket.lines)
            served.append(decided)
        except Refused:
            continue
        except DBAPIError:
            raise  # the transaction of all of them has failed
        except Exception:
            log.exception("sale.left_out")  # what fails here fails again, for this one alone
    return served


def _at_counter(unit: Unit, party: Sequence[Customer]) -> list[tuple[Customer, Worker]]:
    """Return who is at work with a drawer, and asks for something that was not answered yet.

    Of two with the same request, or the same contact, the later one is served alone.
    """
    several = several_at_work(unit, [each.credentials for each in party], Permission.TICKET_SELL)
    found: list[tuple[Customer, Worker]] = []
    seen: set[tuple[str, int, str]] = set()
    for customer, who in zip(party, several, strict=True):
        if who is None or who.drawer is None:
            continue
        customer.about.update(station=who.station_code, staff=who.code)
        contact = customer.sale.contact
        names = {("request", who.station, customer.asked.request)}
        if contact is not None:
            names.add(("contact", who.station, contact.id))
        if not names & seen:
            found.append((customer, who))
        seen |= names
    asked = [(who.station, customer.asked.request) for customer, who in found]
    before = queries.answered_any(unit.connection, asked)
    return [
        (customer, who)
        for customer, who in found
        if (who.station, customer.asked.request) not in before
    ]


def _decided(
    office: Office, unit: Unit, customer: Customer, who: Worker, game: OpenGame
) -> _Served:
    """Return a sale with all that decides it.

    Refuses: as `sell_ticket`.
    """
    sale = customer.sale
    check_contact(sale.contact)
    check_is_open(sale.series, sale.first_game, game.number)
    request, source = request_to_sell(unit, sale)
    card = office.card(unit, game.card)
    ticket = quote(request, card)
    # 15.4(d)-pay: all games are paid for now, before the first of them.
    refuse_all(check_tender(sale.tender, ticket.price_cents))
    terms = office.house.name, office.keys.newest, card.limits.claim_minutes
    selling = Selling(*terms, customer.asked, sale, who, game, ticket, source)
    patron = None
    if sale.contact is not None:
        house = office.house
        day = gaming_day(unit.now(who.read_at), house.time_zone, house.day_starts_minutes)
        patron = Patron(day, who.station, sale.contact.id, None)
    return _Served(customer, selling, patron)


def _sold(office: Office, unit: Unit, served: list[_Served]) -> list[Answer]:
    """Give the tickets their numbers, and add what each sale leaves behind.

    Raises:
        NotTogether: the game closed, or the day ended, while the numbers were waited for.
    """
    before = _before(unit, served)
    served[:] = [each for each in served if each.patron is None or each.patron in before]
    if not served:
        return []
    facts = [each.selling.facts() for each in served]
    first, sold_at = records.next_numbers(unit, len(served))
    house = office.house
    today = gaming_day(sold_at, house.time_zone, house.day_starts_minutes)
    acts = []
    for number, (each, its) in enumerate(zip(served, facts, strict=True), start=first):
        selling, contact = each.selling, InContact()
        until = selling.game.sells_until
        if until is not None and sold_at >= until:
            raise NotTogether
        if each.patron is not None and selling.sale.contact is not None:
            if each.patron.day != today:
                raise NotTogether
            passed = passed_in_sale(selling.sale.tender, its["price_cents"])
            told = selling.sale.contact, each.patron, number, passed, before[each.patron]
            contact = within(office, *told)
        acts.append(selling.done(its, number, sold_at, contact))
    office.log_several(unit, Tag.TICKET, [(done.body, done.rows) for done in acts])
    return [done.answer for done in acts]


def _before(unit: Unit, served: Sequence[_Served]) -> dict[Patron, Before]:
    """Hold the patrons; return what passed with each of them before, unless they showed a card.

    A patron with whom somebody else does something now is left out: nobody waits for them.
    """
    names = {
        each.patron: lock_of(each.selling.who, each.selling.sale.contact)
        for each in served
        if each.patron is not None and each.selling.sale.contact is not None
    }
    free = unit.lock_free_patrons(names.values())
    patrons = [patron for patron, name in names.items() if name in free]
    if not patrons:
        return {}
    days = {patron.day for patron in patrons}
    if len(days) > 1:
        raise NotTogether
    (day,) = days
    named = [(patron.station, patron.contact) for patron in patrons]
    sums = contacts.sums_of_contacts(unit.connection, day, named)
    report_from = report_from_cents(unit, day)
    before = {}
    for patron in patrons:
        card, passed = sums.get((patron.station, patron.contact), (None, NOTHING))
        if card is None:
            before[patron] = Before(passed, passed, report_from)
    return before
