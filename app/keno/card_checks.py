"""What the law, and we, ask of a rate card before it may be put into force.

Each check is a small function that yields its faults; `CHECKS` lists them all. Within a schedule
proportional pays (15.3(e)) need no check, because it states its pays for one base wager and every
rate is paid in proportion to it. Nor does "equal to any maximum for an individual wager": the card
has one figure that serves as both.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction

from app.keno.money import Rounding, dollars, percent, rounded_cents
from app.keno.odds import DRAWS, draws_catching
from app.keno.rate_card import (
    CLAIM_LEAST_MINUTES,
    CLAIM_MOST_MINUTES,
    Limits,
    RateCard,
    Schedule,
)
from app.keno.refusals import Code, Refusal, refusal
from app.keno.request import REGULAR

ADVANTAGE_MAX = Fraction(30, 100)
AGGREGATE_LEAST_CENTS = 100_000_00
# The most that rounding adds to a win, in cents.
ROUNDING_ADDS = {
    Rounding.UP: Fraction(1),
    Rounding.HALF_UP: Fraction(1, 2),
    Rounding.DOWN: Fraction(0),
}
RATES_JUDGED = 1_000  # of one wager, one by one: a card is judged in seconds, whatever it says


@dataclass(frozen=True)
class Figures:
    """What a wager at the schedule's minimum rate is worth, exactly (X-card-odds)."""

    pays_back: Fraction
    hit: Fraction

    @property
    def house_advantage(self) -> Fraction:
        """What the house keeps of each wager on average (15.1-advantage)."""
        return 1 - self.pays_back


def figures(schedule: Schedule, spots: int, limits: Limits) -> Figures:
    """Return the figures of one wager: unrounded, each pay cut to the aggregate limit."""
    rate_cents, base_cents = schedule.rate_min_cents, schedule.base_cents
    pays = schedule.pays_for(spots)
    back = hits = 0  # summed over all draws: what they pay, times the base, and how many pay
    for caught, draws in draws_catching(spots).items():
        win = pays.get(caught, 0) * rate_cents
        if limits.aggregate_cents is not None:
            win = min(win, limits.aggregate_cents * base_cents)
        back += draws * win
        hits += draws if win else 0
    return Figures(Fraction(back, DRAWS * base_cents * rate_cents), Fraction(hits, DRAWS))


@dataclass(frozen=True)
class Least:
    """What the house keeps of a wager at the rate that leaves it least."""

    rate_cents: int
    advantage: Fraction


def least_advantage(schedule: Schedule, spots: int, limits: Limits) -> Least:
    """Return the least that is left of a wager at any rate on offer, if that is 0 or less.

    If something is left at every rate, the result is above 0 and may be of another rate.

    A win counts as it is paid: a ticket of one way is rounded by itself. On a ticket of many ways
    their wins are added up before they are rounded; a loss that rounding down hides on each way
    shows in their sum, so what is left unrounded must be above 0 as well.

    Few rates decide it, exactly:
    - Unrounded, the smallest rate leaves least: the aggregate limit cuts larger wins first.
    - Rounding adds a cent at most to a win. A rate that leaves more than that is safe, and so is
      every larger one.
    - After `base / gcd(base, step)` rates the fractions of a cent repeat, and the wins are larger
      by whole cents. Of rates that are rounded up alike, the smallest leaves least.

    If `RATES_JUDGED` rates do not decide it, the rest count as if rounding added all that it can.
    """
    figure = figures(schedule, spots, limits)
    unrounded = figure.house_advantage
    least = Least(schedule.rate_min_cents, unrounded)
    added = figure.hit * ROUNDING_ADDS[limits.rounding]
    rates = range(schedule.rate_min_cents, schedule.rate_max_cents + 1, schedule.rate_step_cents)
    # A rate that is rounded half up may lose what a smaller one gains, once the limit cuts a win.
    if limits.rounding is Rounding.UP or limits.aggregate_cents is None:
        rates = rates[: Fraction(schedule.rate_step_cents, schedule.base_cents).denominator]
    for rate_cents in rates[:RATES_JUDGED]:
        if unrounded * rate_cents > added:
            return least
        paid = 1 - _pays_back(schedule, spots, limits, rate_cents)
        least = min(least, Least(rate_cents, paid), key=_advantage)
    for rate_cents in rates[RATES_JUDGED : RATES_JUDGED + 1]:
        undecided = Least(rate_cents, unrounded - added * Fraction(1, rate_cents))
        least = min(least, undecided, key=_advantage)
    return least


def _advantage(least: Least) -> Fraction:
    return least.advantage


def _pays_back(schedule: Schedule, spots: int, limits: Limits, rate_cents: int) -> Fraction:
    """Return what a ticket of one such way gets back of its price, as it is paid."""
    back = 0
    for caught, draws in draws_catching(spots).items():
        win = rounded_cents(schedule.win(spots, {caught: 1}, rate_cents), limits.rounding)
        back += draws * limits.cut_cents(win)
    return Fraction(back, DRAWS * rate_cents)


def all_figures(card: RateCard) -> Mapping[str, Mapping[int, Figures]]:
    """Return the figures of every schedule and number of spots on offer."""
    return {
        name: {spots: figures(schedule, spots, card.limits) for spots in schedule.pays_cents}
        for name, schedule in card.schedules.items()
    }


def check_card(card: RateCard) -> tuple[Refusal, ...]:
    """Return everything for which the card may not be put into force."""
    return tuple(fault for check in CHECKS for fault in check(card))


def check_spots_max(card: RateCard) -> Iterator[Refusal]:
    """15.2(b): the card states the largest number of spots, and offers no more."""
    most = card.limits.spots_max
    for schedule in card.schedules.values():
        for spots in schedule.pays_cents:
            if spots > most:
                yield refusal(
                    Code.SPOTS_ABOVE_MAX,
                    _place(schedule, spots),
                    schedule=schedule.name,
                    spots=spots,
                    most=most,
                )


def check_winnable(card: RateCard) -> Iterator[Refusal]:
    """X-card-winnable: whatever is offered can win, and what is listed wins, after rounding too."""
    for schedule in card.schedules.values():
        if not schedule.pays_cents:
            place = f"schedules.{schedule.name}.pays"
            yield refusal(Code.NOTHING_OFFERED, place, schedule=schedule.name)
        for spots, pays in schedule.pays_cents.items():
            facts = {"schedule": schedule.name, "spots": spots}
            losing = [
                caught for caught in pays if not _least_win_cents(card, schedule, spots, caught)
            ]
            if len(losing) == len(pays):
                yield refusal(Code.NO_WINNING_CATCH, _place(schedule, spots), **facts)
                continue
            for caught in losing:
                place = f"{_place(schedule, spots)}.{caught}"
                yield refusal(Code.PAYS_NOTHING, place, catch=caught, **facts)


def check_wagers(card: RateCard) -> Iterator[Refusal]:
    """15.3(d): the smallest ticket on each schedule is within the card's maximum."""
    most = card.limits.ticket_max_cents
    for schedule in card.schedules.values():
        least = max(schedule.rate_min_cents * schedule.ways_min, schedule.ticket_min_cents)
        if least > most:
            yield refusal(
                Code.NOTHING_SOLD,
                f"schedules.{schedule.name}",
                schedule=schedule.name,
                least=dollars(least),
                most=dollars(most),
            )


def check_advantage(card: RateCard) -> Iterator[Refusal]:
    """15.3(e): at most 30 percent for the minimum wager, whatever the maximum payoff."""
    for name, by_spots in all_figures(card).items():
        schedule = card.schedules[name]
        for spots, figure in by_spots.items():
            if figure.house_advantage > ADVANTAGE_MAX:
                yield refusal(
                    Code.ADVANTAGE_TOO_HIGH,
                    _place(schedule, spots),
                    schedule=name,
                    spots=spots,
                    rate=dollars(schedule.rate_min_cents),
                    advantage=percent(figure.house_advantage, Rounding.UP),
                )


def check_floor(card: RateCard) -> Iterator[Refusal]:
    """X-card-floor: of every wager at every rate something is left to the house, as it is paid.

    A promotion that the regulator's letter allows may leave less.
    """
    if card.approval is not None:
        return
    for schedule in card.schedules.values():
        for spots in schedule.pays_cents:
            least = least_advantage(schedule, spots, card.limits)
            if least.advantage <= 0:
                yield refusal(
                    Code.ADVANTAGE_TOO_LOW,
                    _place(schedule, spots),
                    schedule=schedule.name,
                    spots=spots,
                    rate=dollars(least.rate_cents),
                    advantage=percent(least.advantage, Rounding.UP),
                )


def check_proportion(card: RateCard) -> Iterator[Refusal]:
    """15.3(e): a special rate pays in proportion to the regular one, or names its approval."""
    regular = card.schedules.get(REGULAR)
    if regular is None:
        return
    for schedule in card.schedules.values():
        if schedule.departs_from_proportion is not None:
            continue
        for spots, pays in schedule.pays_cents.items():
            usual = regular.pays_for(spots)
            if any(
                pays.get(caught, 0) * regular.base_cents
                != usual.get(caught, 0) * schedule.base_cents
                for caught in {*pays, *usual}
            ):
                facts = {"schedule": schedule.name, "spots": spots}
                yield refusal(Code.NOT_PROPORTIONAL, _place(schedule, spots), **facts)


def check_aggregate(card: RateCard) -> Iterator[Refusal]:
    """15.3(e): the aggregate limit, if there is one, is at least $100,000 a game.

    Ours: no more of a win is paid before the sharing than there is to be shared.
    """
    limit, part = card.limits.aggregate_cents, card.limits.in_full_below_cents
    if limit is None:
        return
    if limit < AGGREGATE_LEAST_CENTS:
        yield refusal(
            Code.AGGREGATE_TOO_LOW,
            "limits.aggregate_cents",
            limit=dollars(limit),
            least=dollars(AGGREGATE_LEAST_CENTS),
        )
    if part > limit:
        yield refusal(
            Code.IN_FULL_ABOVE_LIMIT,
            "limits.in_full_below_cents",
            part=dollars(part),
            limit=dollars(limit),
        )


def check_claim_period(card: RateCard) -> Iterator[Refusal]:
    """15.6(c): tickets stay valid for at least five minutes and at most a year."""
    minutes, place = card.limits.claim_minutes, "limits.claim_minutes"
    if minutes < CLAIM_LEAST_MINUTES:
        yield refusal(Code.CLAIM_TOO_SHORT, place, minutes=minutes, least=CLAIM_LEAST_MINUTES)
    if minutes > CLAIM_MOST_MINUTES:
        yield refusal(Code.CLAIM_TOO_LONG, place, minutes=minutes, most=CLAIM_MOST_MINUTES)


CHECKS = (
    check_spots_max,
    check_winnable,
    check_wagers,
    check_advantage,
    check_floor,
    check_proportion,
    check_aggregate,
    check_claim_period,
)


def _least_win_cents(card: RateCard, schedule: Schedule, spots: int, caught: int) -> int:
    win = schedule.win(spots, {caught: 1}, schedule.rate_min_cents)
    return rounded_cents(win, card.limits.rounding)


def _place(schedule: Schedule, spots: int) -> str:
    return f"schedules.{schedule.name}.pays.{spots}"
