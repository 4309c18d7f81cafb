"""Chapters about the rate card in force: limits, pays, odds, advantage; the aggregate limit."""

from fractions import Fraction

from app.keno.card_checks import ADVANTAGE_MAX, AGGREGATE_LEAST_CENTS, Figures, all_figures
from app.keno.money import Rounding, decimal, dollars, percent
from app.keno.odds import catch_odds
from app.keno.payment import ROUNDED
from app.keno.rate_card import Schedule
from app.keno.submission import Submission, shared
from app.reports.documents import facts, paragraph, points, section, table
from app.reports.submission.words import Chapter
from printers.words import claim_period


def in_force(submitted: Submission) -> Chapter:
    """Tell the card: its limits, then each schedule with pays, odds and what the house keeps."""
    card = submitted.card
    limits, figures = card.limits, all_figures(card)
    most = max(each.house_advantage for by_spots in figures.values() for each in by_spots.values())
    story = [
        paragraph(
            "Pays are for the wager, the stake included, and in proportion to it. Odds are exact: "
            "the draws that catch so many of the spots, of all draws there are. The house "
            "advantage is that of a wager at the smallest rate, exactly, each pay cut to the "
            f"aggregate limit. On this card it is {percent(most, Rounding.UP)} at most; the rule "
            f"allows {percent(ADVANTAGE_MAX)}."
        ),
        facts(
            [
                ("Card", f"{card.name}, since {submitted.card_since}"),
                ("Smallest ticket", dollars(limits.ticket_min_cents)),
                ("Largest ticket", dollars(limits.ticket_max_cents)),
                ("Spots of a way", f"up to {limits.spots_max}"),
                ("Games of a ticket", f"up to {limits.games_max:,}"),
                ("Time to claim", claim_period(limits.claim_minutes)),
                (
                    "Wins",
                    f"summed exactly, then {ROUNDED[limits.rounding]}, once a ticket and game",
                ),
            ]
        ),
    ]
    for name, schedule in card.schedules.items():
        story += [*section(f"Schedule {name}: wagers"), facts(_terms(schedule))]
        story += [
            *section(f"Schedule {name}: what the house keeps"),
            table(
                ("Spots", "House advantage", "Exactly", "Pays something", "Exactly"),
                [_kept(spots, each) for spots, each in sorted(figures[name].items())],
                (8, 16, 36, 14, 32),
                right=(0, 1, 3),
            ),
            *section(f"Schedule {name}: pays and odds"),
            table(
                ("Spots", "Catch", f"Pays for {dollars(schedule.base_cents)}", "One in", "Exactly"),
                _pays(schedule),
                (10, 10, 22, 26, 36),
                right=(0, 1, 2, 3),
            ),
        ]
    return Chapter("The rate card in force", "19:47-15.2(b), 15.3(d), (e)", story)


def aggregate_limit(submitted: Submission) -> Chapter:
    """Tell how much one game pays, and how winners share it."""
    limits = submitted.card.limits
    title, rule = "The aggregate limit", "19:47-15.3(e), 15.4(c)11"
    if limits.aggregate_cents is None:
        return Chapter(title, rule, [paragraph("There is no limit on what one game pays.")])
    limit, first = dollars(limits.aggregate_cents), dollars(limits.in_full_below_cents)
    in_full = (
        f"Each winner first gets {first} of the win in full, or all of it if it is less; what is "
        "left of the limit is shared in proportion to what the wins have above that. If those "
        "first parts alone came to more than the limit, all wins would be shared in proportion."
        if limits.in_full_below_cents
        else "The limit is shared in proportion to the wins."
    )
    shares = shared(limits)
    rows = [
        (f"{place}", dollars(each.won_cents), dollars(each.cut_cents), dollars(each.paid_cents))
        for place, each in enumerate(shares, start=1)
    ]
    together = (
        "Together",
        dollars(sum(each.won_cents for each in shares)),
        dollars(sum(each.cut_cents for each in shares)),
        dollars(sum(each.paid_cents for each in shares)),
    )
    return Chapter(
        title,
        rule,
        [
            *points(
                f"All wins of one game together are paid up to {limit} (the rule: "
                f"{dollars(AGGREGATE_LEAST_CENTS)} at least). The same amount is the most that "
                "one ticket is paid for one game.",
                f"Each win is cut to the limit. If the wins then come to more than the limit, "
                f"it is shared. {in_full}",
                "Cents that are left over go to the largest remainders, then to the lowest "
                "ticket numbers, so that the sum is exactly the limit and a larger win is "
                "never paid less than a smaller one.",
                "A sheet tells every winner's share before the first of them is paid.",
            ),
            *section("An example, worked out by the system on these limits"),
            table(
                ("Winner", "Won", "Cut to the limit", "Paid"),
                [*rows, together],
                (22, 26, 26, 26),
                (1, 2, 3),
            ),
        ],
    )


def _terms(schedule: Schedule) -> list[tuple[str, str]]:
    terms = [
        ("Smallest rate of a way", dollars(schedule.rate_min_cents)),
        ("Largest rate of a way", dollars(schedule.rate_max_cents)),
        ("In steps of", dollars(schedule.rate_step_cents)),
    ]
    if schedule.ways_min > 1:
        terms.append(("Ways on it, at least", f"{schedule.ways_min:,}"))
    if schedule.ticket_min_cents:
        terms.append(("Price of those ways, at least", dollars(schedule.ticket_min_cents)))
    return terms


def _kept(spots: int, each: Figures) -> tuple[str, ...]:
    return (
        f"{spots}",
        percent(each.house_advantage, Rounding.UP),
        f"{each.house_advantage}",
        f"1 in {_one_in(each.hit)}",
        f"{each.hit}",
    )


def _pays(schedule: Schedule) -> list[tuple[str, ...]]:
    return [
        (f"{spots}", f"{caught}", dollars(cents), _one_in(odds[caught]), f"{odds[caught]}")
        for spots, pays in sorted(schedule.pays_cents.items())
        for odds in [catch_odds(spots)]
        for caught, cents in sorted(pays.items())
    ]


def _one_in(chance: Fraction) -> str:
    return decimal(1 / chance)
