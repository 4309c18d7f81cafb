"""The ticket: what the patron holds, and must present to collect (15.4(c))."""

from collections.abc import Iterator

from printers.layout.common import moment
from printers.paper import (
    BLANK,
    NARROW,
    CodeBars,
    CodeDigits,
    CodeQr,
    Element,
    Line,
    Roll,
    Span,
    between,
    dollars,
    line,
    rule,
    title,
    wrapped,
)
from printers.slips import TicketSlip
from printers.words import claim_period

NUMBERS, IN_A_ROW = 80, 10


def ticket(slip: TicketSlip, roll: Roll) -> Iterator[Element]:
    """Yield a ticket."""
    yield from title(roll, slip.house)
    yield line("KENO TICKET", centred=True, bold=True)
    if slip.is_practice:
        yield from title(roll, "NOT A TICKET")
    yield from title(roll, slip.number)  # X-ticket-names
    # Number and code stand at the head and at the foot, so that one tear does not take both.
    if not slip.is_practice:
        yield CodeDigits()
    yield rule(roll)
    yield from wrapped(roll, moment(slip.sold_at), bold=True)  # 15.4(c)1
    # 15.4(c)2, 15.4(c)10
    yield from between(roll, f"Station {slip.station}", f"Writer {slip.writer}")
    games = "1 game" if slip.games == 1 else f"{slip.games:,} games"  # 15.4(c)4
    yield from between(roll, f"First game {slip.first_game}", games, bold=True)  # 15.4(c)5
    yield from between(roll, f"Last game  {slip.last_game}", "", bold=True)
    if slip.quick_pick:
        yield line("QUICK PICK", bold=True)
    if slip.replay_of is not None:
        yield from wrapped(roll, f"Replay of {slip.replay_of}")
    yield rule(roll)
    yield from _numbers(slip, roll)  # 15.4(c)3
    yield rule(roll)
    yield from _wagers(slip, roll)  # 15.4(c)6, 15.4(c)7, 15.4(c)8, 15.4(c)9
    yield rule(roll)
    yield from _terms(slip, roll)  # 15.4(c)11, 15.4(c)12, 15.4(c)13
    if slip.is_practice:
        yield from title(roll, "NO VALUE")
        return
    yield BLANK
    # X-ticket-barcode: on either roll there is something that a scanner reads.
    if roll is not NARROW:  # bars of two dots would not fit on it
        yield CodeBars()
    yield CodeQr()
    yield line(f"Ticket {slip.number}", bold=True, centred=True)
    yield CodeDigits()


def _numbers(slip: TicketSlip, roll: Roll) -> Iterator[Line]:
    """Yield the numbers by group, and on wide paper their picture."""
    for group in slip.groups:
        name = f"{'KING ' if group.is_king else ''}{group.letter}:"
        numbers = " ".join(str(number) for number in sorted(group.numbers))
        yield from wrapped(roll, f"{name} {numbers}", bold=True, indent=len(name) + 1)
    if roll is NARROW:
        return
    yield BLANK
    marked = {number for group in slip.groups for number in group.numbers}
    kings = {number for group in slip.groups if group.is_king for number in group.numbers}
    for first in range(1, NUMBERS + 1, IN_A_ROW):
        spans: list[Span] = []
        for number in range(first, first + IN_A_ROW):
            text = f"{number:>2}*" if number in kings else f"{number:>2} "
            spans += (Span(text, inverse=number in marked), Span(" "))
        yield Line(tuple(spans), centred=True)


def _wagers(slip: TicketSlip, roll: Roll) -> Iterator[Line]:
    """Yield what is played on the numbers: conditioning, ways, rates and price."""
    yield from wrapped(roll, f"Conditioning {slip.conditioning}", indent=2)
    for wager in slip.wagers:
        ways = "1 way" if wager.ways == 1 else f"{wager.ways:,} ways"
        spots = "1 spot" if wager.spots == 1 else f"{wager.spots} spots"
        schedule = "" if wager.schedule == "regular" else f" {wager.schedule}"
        left = f"{ways} of {spots} at {dollars(wager.rate_cents)}{schedule}"
        yield from between(roll, left, dollars(wager.price_cents))
    each = sum(wager.price_cents for wager in slip.wagers)
    yield from between(roll, "Price of a game", dollars(each))
    yield from between(roll, "TOTAL PRICE", dollars(slip.price_cents), bold=True)


def _terms(slip: TicketSlip, roll: Roll) -> Iterator[Line]:
    """Yield under which terms it is paid."""
    if slip.limit is None:
        yield from wrapped(roll, "There is no limit on all wins of one game together.")
    else:
        limit, in_full = slip.limit.aggregate_cents, slip.limit.in_full_below_cents
        first = f" after the first {dollars(in_full)} of each" if in_full else ""
        yield from wrapped(
            roll,
            f"All wins of one game together are paid up to {dollars(limit)}. If more is won, they "
            f"are paid pro rata{first}.",
        )
    yield from wrapped(roll, "THIS TICKET MUST BE PRESENTED TO COLLECT.", bold=True)
    period = claim_period(slip.claim_minutes)
    yield from wrapped(
        roll,
        f"Wins must be claimed within {period} after the start of the last game: "
        f"until {moment(slip.expires_at)} or later.",
    )
    yield from between(roll, f"Rate card {slip.rate_card}", "")
    if slip.previous_seal is not None:
        yield from wrapped(roll, f"Seal of {slip.previous_seal.game} {slip.previous_seal.text}")
