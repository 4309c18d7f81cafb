"""A request on a rate card: the ticket it makes with its price, or every fault at once (15.4(a)).

A check runs whenever what it rests on is sound: the rates are judged even if a number is off the
ticket, the numbers even if the conditioning is unreadable, and the ways as soon as the sizes of the
groups are known. Only where a line is at fault there is no ticket yet whose price could be judged.
"""

from collections.abc import Iterator, Sequence
from fractions import Fraction

from app.keno.conditioning import LINES_MAX, Line, condition
from app.keno.conditioning_text import parse
from app.keno.money import LARGEST, Rounding, dollars, rounded_cents
from app.keno.rate_card import Limits, RateCard, Schedule
from app.keno.refusals import Code, Refusal, Refused, quoted, refusal, refuse_all
from app.keno.request import REGULAR, Request, WrittenLine, check_numbers
from app.keno.spots import NUMBERS, mask_of
from app.keno.ticket import Ticket, check_type, type_of
from app.keno.ways import most_catching


def quote(request: Request, card: RateCard) -> Ticket:
    """Return the ticket that the request makes on this card.

    Refuses: everything in `refusals` from the numbers marked to the price, all faults at once.
    """
    written, text_faults = _written_lines(request)
    number_faults = tuple(check_numbers(request))
    faults = [*text_faults, *number_faults]
    faults += [*check_rates(written, card), *check_games(request, card)]
    if text_faults or not _sizes_are_known(request):
        raise Refused(faults)
    lines, line_faults = condition(request.sizes, written)
    if number_faults or line_faults:
        raise Refused([*faults, *line_faults])
    ticket = Ticket(
        type=type_of(request.sizes, lines),
        groups=tuple(mask_of(group) for group in request.groups),
        lines=lines,
        games=request.games,
        quick_pick=request.quick_pick is not None,
    )
    played = [
        (line, card.schedules[line.schedule]) for line in lines if line.schedule in card.schedules
    ]
    faults += [*check_type(ticket.type, request.sizes, lines), *check_ways(played, card.limits)]
    if ticket.games >= 1:
        faults += [
            *check_schedules(played, ticket.games),
            *check_size(ticket, played, sum(request.sizes), card.limits),
            *check_price(ticket, request.price_cents, card.limits),
        ]
    refuse_all(faults)
    return ticket


def check_rates(written: Sequence[WrittenLine], card: RateCard) -> Iterator[Refusal]:
    """Each rate is one that the card offers (15.3(d)); a special rate is named, never guessed."""
    for rate_cents, name in dict.fromkeys((line.rate_cents, line.schedule) for line in written):
        schedule = card.schedules.get(name)
        if schedule is None:
            yield refusal(Code.UNKNOWN_SCHEDULE, "conditioning", schedule=quoted(name))
            continue
        facts = {
            "rate": dollars(rate_cents),
            "schedule": name,
            "least": dollars(schedule.rate_min_cents),
            "most": dollars(schedule.rate_max_cents),
            "step": dollars(schedule.rate_step_cents),
        }
        if rate_cents < schedule.rate_min_cents:
            code = Code.RATE_NEEDS_SCHEDULE if name == REGULAR else Code.RATE_TOO_LOW
            yield refusal(code, "conditioning", **facts)
        elif rate_cents > schedule.rate_max_cents:
            yield refusal(Code.RATE_TOO_HIGH, "conditioning", **facts)
        elif (rate_cents - schedule.rate_min_cents) % schedule.rate_step_cents:
            yield refusal(Code.RATE_OFF_STEP, "conditioning", **facts)


def check_games(request: Request, card: RateCard) -> Iterator[Refusal]:
    """The ticket plays at least one game and no more than the card allows."""
    most = card.limits.games_max
    if not 1 <= request.games <= most:
        yield refusal(Code.WRONG_GAMES, "games", games=request.games, most=most)


def check_ways(played: Sequence[tuple[Line, Schedule]], limits: Limits) -> Iterator[Refusal]:
    """No way is too large (15.2(b)); each is offered, and can win (X-card-winnable)."""
    for line, schedule in played:
        facts = {"spots": line.spots, "most": limits.spots_max, "schedule": schedule.name}
        if line.spots > limits.spots_max:
            yield refusal(Code.TOO_MANY_SPOTS, "conditioning", **facts)
        elif line.spots not in schedule.pays_cents:
            yield refusal(Code.NOT_OFFERED, "conditioning", **facts)
        elif not any(schedule.pays_for(line.spots).values()):
            yield refusal(Code.NEVER_WINS, "conditioning", **facts)


def check_schedules(played: Sequence[tuple[Line, Schedule]], games: int) -> Iterator[Refusal]:
    """What a special rate asks of the ways on it: their number and their price."""
    for schedule in {schedule.name: schedule for _, schedule in played}.values():
        on_it = [line for line, on in played if on is schedule]
        ways = sum(line.ways for line in on_it)
        price_cents = sum(line.price_cents for line in on_it) * games
        if ways < schedule.ways_min:
            facts = {"schedule": schedule.name, "least": schedule.ways_min, "ways": ways}
            yield refusal(Code.TOO_FEW_WAYS, "conditioning", **facts)
        if price_cents < schedule.ticket_min_cents:
            yield refusal(
                Code.SCHEDULE_TICKET_TOO_LOW,
                "conditioning",
                schedule=schedule.name,
                least=dollars(schedule.ticket_min_cents),
                price=dollars(price_cents),
            )


def check_size(
    ticket: Ticket, played: Sequence[tuple[Line, Schedule]], marked: int, limits: Limits
) -> Iterator[Refusal]:
    """Ways, price and whatever the ticket could win stay within the integers we store."""
    sizes = {"ways": ticket.ways, "price in cents": ticket.price_cents}
    # The aggregate limit bounds the win too; only without a useful one is there more to work out.
    if limits.aggregate_cents is None or limits.aggregate_cents * ticket.games > LARGEST:
        win = sum(_most_win(line, schedule, marked) for line, schedule in played)
        win_cents = limits.cut_cents(rounded_cents(Fraction(win), Rounding.UP))
        sizes["win in cents"] = win_cents * ticket.games
    for what, size in sizes.items():
        if size > LARGEST:
            yield refusal(Code.TOO_LARGE, "", what=what, limit=LARGEST)
            return


def check_price(ticket: Ticket, written_cents: int | None, limits: Limits) -> Iterator[Refusal]:
    """The total is within the card's limits (15.3(d)) and is what the patron wrote (15.4(a))."""
    price_cents = ticket.price_cents
    price = dollars(price_cents)
    if price_cents < limits.ticket_min_cents:
        yield refusal(Code.PRICE_TOO_LOW, "", price=price, least=dollars(limits.ticket_min_cents))
    if price_cents > limits.ticket_max_cents:
        yield refusal(Code.PRICE_TOO_HIGH, "", price=price, most=dollars(limits.ticket_max_cents))
    if written_cents is not None and written_cents != price_cents:
        yield refusal(
            Code.PRICE_DIFFERS,
            "price_cents",
            written=dollars(written_cents),
            price=price,
            a_game=dollars(ticket.price_per_game_cents),
            games=ticket.games,
        )


def _written_lines(request: Request) -> tuple[tuple[WrittenLine, ...], tuple[Refusal, ...]]:
    if isinstance(request.conditioning, str):
        lines, faults = parse(request.conditioning)
    else:
        lines, faults = request.conditioning, ()
    if not lines and not faults:
        faults = (refusal(Code.NO_CONDITIONING, "conditioning"),)
    if len(lines) > LINES_MAX:
        too_many = refusal(Code.TOO_MANY_LINES, "conditioning", limit=LINES_MAX)
        lines, faults = (), (*faults, too_many)
    return lines, faults


def _sizes_are_known(request: Request) -> bool:
    """Whether it is clear how many spots each group has, right or wrong as its numbers may be."""
    sizes = request.sizes
    clear = all(group and len(set(group)) == len(group) for group in request.groups)
    return clear and 1 <= len(sizes) <= NUMBERS and request.quick_pick in (None, *sizes)


def _most_win(line: Line, schedule: Schedule, marked: int) -> Fraction:
    """Bound what a line could win, whichever of the marked numbers a draw may hit.

    It may be more than any draw can bring about: each catch is bounded by itself.
    """
    top_cents = max(schedule.pays_for(line.spots).values(), default=0) * line.ways
    return min(
        Fraction(top_cents * line.rate_cents, schedule.base_cents),
        max(
            schedule.win(line.spots, most, line.rate_cents)
            for most in most_catching(marked, line.spots, line.ways)
        ),
    )
