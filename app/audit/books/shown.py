"""What was shown for payments: of each other thing than the whole code its own rule was kept."""

from collections.abc import Iterator
from datetime import timedelta
from typing import Any

from app.audit.books.house import said as time_said
from app.audit.books.looks import Look, Thing
from app.audit.books.payments import claim_period_ends
from app.audit.books.stretch import Stretch
from app.audit.faults import Fault
from app.store.queries.books import lives
from app.store.queries.books.rows import StoredPayout

CODE, DIGITS, IDENTITY, CLAIM = "code", "digits", "identity", "claim"
PLACES, READ_LEAST = 25, 8
HOUR, WEEK = timedelta(hours=1), timedelta(days=7)


def shown() -> list[Look]:
    """Each payment says what was shown for it, and that was enough (X-pay-without-code)."""
    return [Look(Thing.PAYOUT, check_shown)]


def check_shown(payout: StoredPayout, stretch: Stretch) -> Iterator[Fault]:
    """A payment says what was shown as it is kept, and what that takes was there."""
    number, body = payout.ticket, stretch.body(payout.entry)
    said = body.get("shown") or {"how": CODE}
    how = said.get("how")
    if how != stretch.shown.get(number, CODE) or (how == CODE) != (body.get("with_code") is True):
        yield _fault(number, "does not say what was shown for it")
    if how == DIGITS:
        yield from _check_digits(said, number)
    elif how == IDENTITY:
        yield from _check_identity(said, payout, stretch)
    elif how == CLAIM:
        yield from _check_claim(said, payout, stretch)


def _check_digits(said: dict[str, Any], number: int) -> Iterator[Fault]:
    places = str(said.get("places"))
    read = places.count("X")
    if (len(places), read + places.count("?"), read) != (PLACES, PLACES, said.get("digits")):
        yield _fault(number, "says otherwise where its code could be read")
    if read < READ_LEAST:
        yield _fault(number, "was of a code of which too little could be read")


def _check_identity(
    said: dict[str, Any], payout: StoredPayout, stretch: Stretch
) -> Iterator[Fault]:
    number, house = payout.ticket, stretch.house
    if not said.get("identity"):
        yield _fault(number, "was to nobody who is known")
    ticket = stretch.tickets[number]
    last = house.games.get((ticket.series, stretch.plays_until(ticket)))
    if last is None or last.locked_at is None or payout.paid_at < last.locked_at + HOUR:
        yield _fault(number, "came before an hour had passed")
    writer = stretch.body(payout.entry).get("writer")
    if writer in lives.looked_up_by(house.connection, number, payout.entry):
        yield _fault(number, "was made by who had looked it up")


def _check_claim(said: dict[str, Any], payout: StoredPayout, stretch: Stretch) -> Iterator[Fault]:
    number = payout.ticket
    losses = stretch.lost.get(number, ())
    loss = next((each for each in losses if time_said(each.claimed_at) == said.get("claim")), None)
    if loss is None or payout.paid_at < loss.claimed_at + WEEK:
        yield _fault(number, "was of no loss that was reported a week before")
        return
    if payout.drawer is not None or payout.paid_by != "check":
        yield _fault(number, "was at a window, and there was no paper")
    ticket = stretch.tickets[number]
    ends = claim_period_ends(stretch, ticket, payout.paid_at)
    if not said.get("procedure") and payout.paid_at < ends:
        yield _fault(number, "came before its claim period had ended")


def _fault(number: int, what: str) -> Fault:
    return Fault("shown", f"the payment of ticket {number} {what}")
