"""Patron contacts: every act in one is kept as it was, and leads to the amount that was told.

A contact that shows a player card counts, from then on, with all contacts of the day with the card.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator
from datetime import datetime

from app.audit.books.money import paid_with
from app.audit.books.stored import Stored
from app.audit.faults import Fault
from app.store.queries.books import StoredContact

CASH = ("currency", "coin")
Contact = tuple[str, str, str]  # the gaming day, the station, the station's own name for it


def check_contacts(stored: Stored) -> Iterator[Fault]:
    """What went in and out by each act of a contact is what the act moved (X-pay-cash-log)."""
    told = {entry for entry, body in stored.bodies.items() if "contact" in body}
    if told != set(stored.contacts):
        yield Fault("contacts", "the acts within contacts are not those that the log tells of")
    net: Counter[Contact] = Counter()
    for entry in sorted(told & set(stored.contacts)):
        act, body = stored.contacts[entry], stored.bodies[entry]
        at = datetime.fromisoformat(stored.time_of(entry))
        said = (body["contact"]["id"], body["station"], stored.day_of(at))
        if (act.contact, act.station_code, act.gaming_day.isoformat()) != said:
            yield Fault("contacts", f"the contact of entry {entry} is not the one that it says")
        net[_contact(act)] += act.in_cents - act.out_cents
        if body["contact"]["net_cents"] != net[_contact(act)]:
            yield Fault("contacts", f"what entry {entry} told the patron is not what it comes to")
        passed = (act.in_cents, act.out_cents, act.cash_in_cents, act.cash_out_cents)
        if passed != _passed(stored, entry):
            yield Fault("contacts", f"what entry {entry} passed over the counter was not noted")


def paid_before(stored: Stored) -> dict[int, list[int]]:
    """Return, for each payment within a contact, what was paid to the same patron before it.

    By entry, in tickets: as the house knew its patrons then, for a card can be shown late.
    """
    card_of: dict[Contact, str] = {}
    with_card: dict[tuple[str, str], set[Contact]] = defaultdict(set)
    paid: dict[Contact, list[int]] = defaultdict(list)
    before = {}
    by_entry = {payout.entry: payout.ticket for payout in stored.payouts.values()}
    for entry, act in sorted(stored.contacts.items()):
        here = _contact(act)
        if act.player_card is not None:
            card_of[here] = act.player_card
            with_card[here[0], act.player_card].add(here)
        if entry in by_entry:
            card = card_of.get(here)
            same = {here} if card is None else with_card[here[0], card]
            before[entry] = [ticket for each in same for ticket in paid[each]]
            paid[here].append(by_entry[entry])
    return before


def _contact(act: StoredContact) -> Contact:
    return act.gaming_day.isoformat(), act.station_code, act.contact


def _passed(stored: Stored, entry: int) -> tuple[int, int, int, int]:
    """Return what an act passed in and out, and of it in cash: change counts as never given."""
    legs = stored.postings.get(entry, [])
    if stored.tags[entry] in ("TICKET", "VOID"):
        body = stored.bodies[entry]
        number = body["number" if stored.tags[entry] == "TICKET" else "ticket"]
        kinds = paid_with(stored, stored.tickets[number])
        money = sum(cents for kind, cents in kinds.items() if kind != "coupons")
        cash = sum(kinds[kind] for kind in CASH)
        return (money, 0, cash, 0) if stored.tags[entry] == "TICKET" else (0, money, 0, cash)
    cash = sum(-leg.cents for leg in legs if leg.account == "drawer" and leg.kind in CASH)
    checks = sum(-leg.cents for leg in legs if leg.account == "checks")
    return 0, cash + checks, 0, cash
