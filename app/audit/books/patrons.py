"""Patron contacts: every act in one is kept as it was, and leads to the amount that was told.

A contact that shows a player card counts, from then on, with all contacts of the day with the card.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date

from app.audit.books.house import House
from app.audit.books.looks import Look, Thing
from app.audit.books.money import cash_price
from app.audit.books.stretch import Stretch
from app.audit.faults import Fault
from app.keno.amounts import Amount
from app.store.queries.books.rows import StoredContact, StoredEntry, StoredTicket

CASH = ("currency", "coin")
PASSED = ("in_cents", "out_cents", "cash_in_cents", "cash_out_cents")
DAYS_KEPT = 7  # a contact lasts for a gaming day; more are kept, for clocks that are set back
Contact = tuple[str, str]  # the station, the station's own name for it


def contacts() -> list[Look]:
    """What went in and out by each act of a contact is what the act moved (X-pay-cash-log)."""
    told = Told()
    return [
        Look(Thing.ENTRY, check_is_kept),
        Look(Thing.CONTACT, told.check),
        Look(Thing.END, told.check_cards),
    ]


def check_is_kept(entry: StoredEntry, stretch: Stretch) -> Iterator[Fault]:
    """An act that its entry lays in a contact is there."""
    if "contact" in entry.body and entry.id not in stretch.contacts:
        yield _not_those()


def _not_those() -> Fault:
    return Fault("contacts", "the acts within contacts are not those that the log tells of")


class Told:
    """What patrons were told, act by act; and the tag of each player card in the log."""

    def __init__(self) -> None:
        self._patrons = Patrons()
        self._cards: set[tuple[str | None, str | None]] = set()

    def check(self, act: StoredContact, stretch: Stretch) -> Iterator[Fault]:
        """Hold the next act against its entry and what it moved."""
        entry, body = act.entry, stretch.body(act.entry)
        if "contact" not in body:
            yield _not_those()
            return
        said = (body["contact"]["id"], body["station"], stretch.day_of(entry))
        self._cards.add((act.player_card, body["contact"]["player_card"]))
        if (act.contact, act.station_code, act.gaming_day.isoformat()) != said:
            yield Fault("contacts", f"the contact of entry {entry} is not the one that it says")
        if tuple(getattr(act, name) for name in PASSED) != _passed(stretch, entry):
            yield Fault("contacts", f"what entry {entry} passed over the counter was not noted")
        self._patrons.add(act)
        due_cents = stretch.house.amounts_on(act.gaming_day)[Amount.CURRENCY_REPORT]
        if not self._patrons.is_told(act, body["contact"], due_cents):
            yield Fault("contacts", f"what entry {entry} told the patron is not what it comes to")

    def check_cards(self, _: object, __: House) -> Iterator[Fault]:
        """Each card has one tag of its own, and what has no card has none."""
        cards = self._cards
        counts = {len(cards), len({card for card, _ in cards}), len({tag for _, tag in cards})}
        if len(counts) > 1 or any((card is None) != (tag is None) for card, tag in cards):
            yield Fault("contacts", "the player cards are not those that the log tells of")


@dataclass(frozen=True)
class Paid:
    """A ticket that was paid within a contact: how much, and in which games it won what."""

    ticket: StoredTicket
    cents: int
    won: Mapping[int, tuple[int, int]]  # by game: what it won, and what was wagered in money


@dataclass
class Day:
    """The contacts of a gaming day."""

    cards: dict[Contact, str] = field(default_factory=dict)
    with_card: dict[str, set[Contact]] = field(default_factory=lambda: defaultdict(set))
    sums: dict[Contact, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    paid: dict[Contact, list[Paid]] = field(default_factory=lambda: defaultdict(list))

    def patron_of(self, here: Contact) -> set[Contact]:
        """Return all contacts so far with the patron of a contact."""
        card = self.cards.get(here)
        return {here} if card is None else self.with_card[card]


class Patrons:
    """What went in and out with each patron, as the house knew its patrons then.

    A card can be shown late: from then on all that the contact did belongs to the card's holder.
    """

    def __init__(self) -> None:
        self._days: dict[date, Day] = {}

    def add(self, act: StoredContact) -> None:
        """Add the next act."""
        day, here = self._day(act), _contact(act)
        if act.player_card is not None:
            day.cards[here] = act.player_card
            day.with_card[act.player_card].add(here)
        for name in PASSED:
            day.sums[here][name] += getattr(act, name)

    def pay(self, act: StoredContact, paid: Paid) -> list[Paid]:
        """Add a payment, and return those to the same patron before it."""
        day, here = self._day(act), _contact(act)
        before = [each for contact in day.patron_of(here) for each in day.paid[contact]]
        day.paid[here].append(paid)
        return before

    def is_told(self, act: StoredContact, said: Mapping[str, object], due_cents: int) -> bool:
        """Whether an act told the patron what all acts so far come to."""
        day, here = self._day(act), _contact(act)
        in_all = [day.sums[contact] for contact in day.patron_of(here)]
        cash_in = sum(each["cash_in_cents"] for each in in_all)
        cash_out = sum(each["cash_out_cents"] for each in in_all)
        return (
            said["net_cents"] == day.sums[here]["in_cents"] - day.sums[here]["out_cents"]
            and (said["cash_in_cents"], said["cash_out_cents"]) == (cash_in, cash_out)
            and said["currency_report"] == (max(cash_in, cash_out) >= due_cents)
        )

    def _day(self, act: StoredContact) -> Day:
        if act.gaming_day not in self._days:
            self._days[act.gaming_day] = Day()
            if len(self._days) > DAYS_KEPT:
                del self._days[min(self._days)]
        return self._days.setdefault(act.gaming_day, Day())


class PaidBefore:
    """For each payment within a contact, what was paid to the same patron before it."""

    def __init__(self) -> None:
        self._patrons = Patrons()
        self._before: dict[int, list[Paid]] = {}

    def add(self, act: StoredContact, stretch: Stretch) -> None:
        """Add the next act of a contact."""
        self._patrons.add(act)
        payout = stretch.payout_at.get(act.entry)
        ticket = None if payout is None else stretch.tickets.get(payout.ticket)
        if payout is not None and ticket is not None:
            paid = Paid(ticket, payout.cents, won_by_game(stretch, ticket))
            self._before[act.entry] = self._patrons.pay(act, paid)

    def take(self, entry: int) -> list[Paid]:
        """Return what was paid before a payment."""
        return self._before.pop(entry, [])


def won_by_game(stretch: Stretch, ticket: StoredTicket) -> dict[int, tuple[int, int]]:
    """Return in which games a ticket won what, and what was wagered in money in each of these."""
    won = {game: stretch.won_in(ticket, game) for game in stretch.games_of(ticket)}
    return {game: (c, cash_price(stretch, ticket, game)) for game, c in won.items() if c}


def _contact(act: StoredContact) -> Contact:
    return act.station_code, act.contact


def _passed(stretch: Stretch, entry: int) -> tuple[int, int, int, int]:
    """Return what an act passed in and out, and of it in cash."""
    legs = stretch.legs(entry)
    drawer = [leg for leg in legs if leg.account == "drawer"]
    cash = sum(leg.cents for leg in drawer if leg.kind in CASH)
    if stretch.tag(entry) == "TICKET":  # change for chips, if it is more than was given in cash
        out = max(-cash, 0)
        return sum(leg.cents for leg in drawer) + out, out, max(cash, 0), out
    checks = sum(leg.cents for leg in legs if leg.account == "checks")
    return 0, -sum(leg.cents for leg in drawer) - checks, 0, -cash
