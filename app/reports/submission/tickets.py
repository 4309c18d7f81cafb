"""Chapters about tickets: the kinds on offer, how they are sold, taken back and claimed."""

from app.keno.conditioning import conditioning_of
from app.keno.letters import letter
from app.keno.money import dollars
from app.keno.rate_card import CLAIM_LEAST_MINUTES, CLAIM_MOST_MINUTES
from app.keno.spots import NUMBERS
from app.keno.submission import Example, Submission, claims, examples
from app.keno.tender import TenderKind
from app.reports.documents import paragraph, points, section, table
from app.reports.submission.words import Chapter, counted, lasting, listed, who_may
from printers.words import claim_period

PRINTED = (
    "the date and time of issuance", "the work station", "the numbers, group by group",
    "the number of games", "the first and the last game", "the conditioning",
    "the rate of each wager", "the number of ways", "the total price", "the writer's code",
    "the aggregate limit and how it is shared", "that the ticket must be presented to collect",
    "the time to claim",
)  # fmt: skip


def kinds(submitted: Submission) -> Chapter:
    """Tell every kind of ticket, with an example that this card sells."""
    limits = submitted.card.limits
    rows = [_row(example) for example in examples(submitted.card)]
    return Chapter(
        "Tickets on offer",
        "19:47-15.1, 15.2",
        [
            paragraph(
                f"Keno is played with the numbers 1 to {NUMBERS}. A way has up to "
                f"{counted(limits.spots_max, 'spot')}; a ticket plays up to "
                f"{counted(limits.games_max, 'game')} in a row, at one rate for all of them. The "
                "kind of a ticket follows from its groups and its conditioning. Each example was "
                "conditioned and priced by the system, on the rate card in force."
            ),
            table(
                ("Kind", "Rule", "Groups", "Conditioning", "Ways", "Games", "Price"),
                rows,
                (20, 14, 21, 22, 8, 9, 11),
                right=(4, 5, 6),
            ),
        ],
    )


def selling(submitted: Submission) -> Chapter:
    """Tell how a ticket is sold."""
    return Chapter(
        "How a ticket is sold",
        "19:47-15.3(b), 15.4(a) to (c)",
        [
            *points(
                "A sale rests on a written request, on a quick-pick, or on an earlier ticket, "
                "winning or losing, that is played again. There are no verbal wagers.",
                f"Tender is {listed([kind.value for kind in TenderKind], 'or')}, recorded by "
                "kind. Change is cash, and never given on a coupon.",
                "The system works out the ways and the price again, and refuses a request "
                "whose price differs, with the reason.",
                "A ticket gets the next number of one sequence without gaps, when its full "
                "price is paid and not before.",
                f"Sold by {who_may(submitted, 'ticket:sell')}, at an enrolled work station, "
                "with a drawer of their own.",
            ),
            *section("Printed on every ticket"),
            *points(*(f"{text[:1].upper()}{text[1:]}" for text in PRINTED)),
        ],
    )


def claiming(submitted: Submission) -> Chapter:
    """Tell until when a win is paid."""
    limits = submitted.card.limits
    least, most = claim_period(CLAIM_LEAST_MINUTES), claim_period(CLAIM_MOST_MINUTES)
    rows = [
        (
            f"{each.locked:%Y-%m-%d %H:%M}",
            lasting(each.frozen) if each.frozen else "never",
            f"{each.until:%Y-%m-%d %H:%M}",
        )
        for each in claims(limits, submitted.day)
    ]
    return Chapter(
        "Time to claim",
        "19:47-15.6(c)",
        [
            paragraph(
                f"A win must be claimed within {claim_period(limits.claim_minutes)} after the "
                f"start of the last game of the ticket (the rule: {least} at least, {most} at "
                "most). The start of a game is its lock. While a game of the ticket is frozen "
                "the time does not run. The ticket prints the time that is expected; the later "
                "of the printed and the actual one holds. A ticket that was presented in time "
                "stays payable while an approval, a tax paper or a frozen game is waited for."
            ),
            table(("Last game starts", "Frozen meanwhile", "Paid until"), rows, (34, 32, 34)),
        ],
    )


def taking_back(submitted: Submission) -> Chapter:
    """Tell how tickets are voided, and games refunded."""
    return Chapter(
        "Voids, refunds, cancelling",
        "19:47-15.3(c), 15.4(d), (e)",
        [
            *points(
                "Void: a ticket is voided only before the start of its first game, and only "
                "whole. What was paid goes back in kind, a coupon can be used again, a slip is "
                "printed, and the ticket stands on the day's list of the station that issued "
                "it.",
                "Cancelling: the games of a multi-race ticket that are not locked yet can be "
                "refunded, with a printed slip. Nothing is paid on a multi-race ticket before "
                "its last game is over, unless the rest is cancelled.",
                "Void games: the price of a game that was voided goes back, with a slip.",
                "In a refund of some games a coupon counts as spent on the earliest ones, and "
                "is not given back in money.",
                "Each of these takes the validation code that only the paper has. Without it, "
                "with a copy, or for a void at another station than the one that issued the "
                f"ticket, {who_may(submitted, 'approval:give')} approves, with a reason.",
            ),
        ],
    )


def _row(example: Example) -> tuple[str, ...]:
    request, ticket = example.request, example.ticket
    if request is None or ticket is None:
        return (
            example.kind,
            example.rule,
            "No plain example can be sold on this card.",
            "",
            "",
            "",
            "",
        )
    groups = [
        f"{letter(place)}: {_numbers(group)}" for place, group in enumerate(request.groups)
    ] or [f"{counted(request.sizes[0], 'spot')}, picked by the computer"]
    return (
        example.kind,
        example.rule,
        "; ".join(groups),
        conditioning_of(ticket.lines),
        f"{ticket.ways:,}",
        f"{ticket.games:,}",
        dollars(ticket.price_cents),
    )


def _numbers(group: tuple[int, ...]) -> str:
    return f"{group[0]} to {group[-1]}" if len(group) > 1 else f"{group[0]}, a king"
