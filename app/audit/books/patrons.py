"""Patron contacts: every act in one is kept as it was, and leads to the amount that was told.

A contact that shows a player card counts, from then on, with all contacts of the day with the card.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from datetime import datetime

from app.audit.books.stored import Stored
from app.audit.faults import Fault
from app.keno.amounts import Amount, amounts_on
from app.store.queries.books import StoredContact

CASH = ("currency", "coin")
Contact = tuple[str, str, str]  # the gaming day, the station, the station's own name for it


def check_contacts(stored: Stored) -> Iterator[Fault]:
    """What went in and out by each act of a contact is what the act moved (X-pay-cash-log)."""
    told = {entry for entry, body in stored.bodies.items() if "contact" in body}
    if told != set(stored.contacts):
        yield Fault("contacts", "the acts within contacts are not those that the log tells of")
    patrons, cards = Patrons(stored), set[tuple[str | None, str | None]]()
    for entry in sorted(told & set(stored.contacts)):
        act, body = stored.contacts[entry], stored.bodies[entry]
        at = datetime.fromisoformat(stored.time_of(entry))
        said = (body["contact"]["id"], body["station"], stored.day_of(at))
        cards.add((act.player_card, body["contact"]["player_card"]))
        if (act.contact, act.station_code, act.gaming_day.isoformat()) != said:
            yield Fault("contacts", f"the contact of entry {entry} is not the one that it says")
        passed = (act.in_cents, act.out_cents, act.cash_in_cents, act.cash_out_cents)
        if passed != _passed(stored, entry):
            yield Fault("contacts", f"what entry {entry} passed over the counter was not noted")
        patrons.add(act)
        if not patrons.is_told(act, body["contact"]):
            yield Fault("contacts", f"what entry {entry} told the patron is not what it comes to")
    # Each card has one tag of its own, and what has no card has none.
    counts = {len(cards), len({card for card, _ in cards}), len({tag for _, tag in cards})}
    if len(counts) > 1 or any((card is None) != (tag is None) for card, tag in cards):
        yield Fault("contacts", "the player cards are not those that the log tells of")


class Patrons:
    """What went in and out with each patron, as the house knew its patrons then.

    A card can be shown late: from then on all that the contact did belongs to the card's holder.
    """

    def __init__(self, stored: Stored) -> None:
        self._amounts = stored.amounts
        self._cards: dict[Contact, str] = {}
        self._with_card: dict[tuple[str, str], set[Contact]] = defaultdict(set)
        self._acts: dict[Contact, list[StoredContact]] = defaultdict(list)

    def add(self, act: StoredContact) -> None:
        """Add the next act."""
        here = _contact(act)
        if act.player_card is not None:
            self._cards[here] = act.player_card
            self._with_card[here[0], act.player_card].add(here)
        self._acts[here].append(act)

    def acts_with(self, act: StoredContact) -> list[StoredContact]:
        """Return all acts so far with the patron of an act."""
        here = _contact(act)
        card = self._cards.get(here)
        contacts = {here} if card is None else self._with_card[here[0], card]
        return [each for contact in contacts for each in self._acts[contact]]

    def is_told(self, act: StoredContact, said: Mapping[str, object]) -> bool:
        """Whether an act told the patron what all acts so far come to."""
        here = self._acts[_contact(act)]
        in_all = self.acts_with(act)
        cash_in = sum(each.cash_in_cents for each in in_all)
        cash_out = sum(each.cash_out_cents for each in in_all)
        due = amounts_on(act.gaming_day, self._amounts)[Amount.CURRENCY_REPORT]
        return (
            said["net_cents"] == sum(each.in_cents - each.out_cents for each in here)
            and (said["cash_in_cents"], said["cash_out_cents"]) == (cash_in, cash_out)
            and said["currency_report"] == (max(cash_in, cash_out) >= due)
        )


def paid_before(stored: Stored) -> dict[int, list[int]]:
    """Return, for each payment within a contact, what was paid to the same patron before it.

    By entry, in tickets.
    """
    patrons = Patrons(stored)
    paid = {payout.entry: payout.ticket for payout in stored.payouts.values()}
    before = {}
    for entry, act in sorted(stored.contacts.items()):
        patrons.add(act)
        if entry in paid:
            same = (each.entry for each in patrons.acts_with(act))
            before[entry] = [paid[each] for each in same if each in paid and each != entry]
    return before


def _contact(act: StoredContact) -> Contact:
    return act.gaming_day.isoformat(), act.station_code, act.contact


def _passed(stored: Stored, entry: int) -> tuple[int, int, int, int]:
    """Return what an act passed in and out, and of it in cash."""
    legs = stored.postings.get(entry, [])
    drawer = [leg for leg in legs if leg.account == "drawer"]
    cash = sum(leg.cents for leg in drawer if leg.kind in CASH)
    if stored.tags[entry] == "TICKET":  # change for chips, if it is more than was given in cash
        out = max(-cash, 0)
        return sum(leg.cents for leg in drawer) + out, out, max(cash, 0), out
    checks = sum(leg.cents for leg in legs if leg.account == "checks")
    return 0, -sum(leg.cents for leg in drawer) - checks, 0, -cash
