"""Chapters about money out, about changes of these rules, and about records."""

from collections.abc import Mapping
from datetime import timedelta

from app.keno.amounts import CUSTOM, RULE, Amount, Dated, amounts_on
from app.keno.house_settings import Setting
from app.keno.money import dollars
from app.keno.retention import PERIODS, RecordKind
from app.keno.submission import Submission
from app.reports.documents import paragraph, points, section, table
from app.reports.submission.words import Chapter, counted, lasting, who_may

# What each amount is for, in words.
AMOUNTS: Mapping[Amount, str] = {
    Amount.APPROVAL: "Winnings of one ticket from which a supervisor authorizes the payout",
    Amount.SECOND_TIER: "Winnings from which a manager outside keno approves it as well",
    Amount.ADDED_UP: "Winnings of each ticket from which those of one patron are added up for this",
    Amount.TAX_PAPER: "Wins of one game, net of the wagers, from which a tax paper is filled in",
    Amount.CURRENCY_REPORT: "Cash of one patron in a gaming day from which it is flagged",
    Amount.CONFIRM: "Price from which a writer confirms a sale",
    Amount.CONFIRM_LARGE: "Price from which a writer types it again",
}

# What each kind of record is, in words.
RECORDS: Mapping[RecordKind, str] = {
    RecordKind.TICKETS: "Tickets, voids, refunds, payments, approvals, expired wins",
    RecordKind.DRAWERS: "Drawers: openings, counts, fills, bleeds, moves",
    RecordKind.TAX_PAPERS: "Tax papers",
    RecordKind.PAPER: "Papers: what was printed, what became of it, copies",
    RecordKind.ACCESS: "Sign-ins, enrolments, refusals, reports that were asked for",
    RecordKind.RUNNING: "Holds, jumps of the clock, callers, what boards were told",
}
FOR_EVER = (
    "Leaves of the log, games, locks, winning numbers, draw records, wins, rate cards, closes of "
    "days, people, settings"
)


def payouts(submitted: Submission) -> Chapter:
    """Tell how winning tickets are paid, and what must be there first."""
    now = amounts_on(submitted.day, submitted.house_amounts)
    rule = amounts_on(submitted.day)
    rule_says = {dated.name for dated in RULE}
    rows = [
        (
            AMOUNTS[name],
            dollars(rule[name]) if name in rule_says else "",
            dollars(now[name]),
        )
        for name in Amount
    ]
    dated = [_dated(each, "rule") for each in RULE] + [
        _dated(each, "house") for each in (*CUSTOM, *submitted.house_amounts)
    ]
    return Chapter(
        "Payouts, approvals, tax and currency",
        "19:47-15.6(a), (b)",
        [
            *points(
                "A ticket is paid once, by what is printed on it, at any booth, when every "
                "game of it is drawn and certified; before that it is not yet decided, and "
                "nobody is told that it lost.",
                "The amount comes from the system and is explained game by game. It is paid in "
                "cash from the drawer, or by casino check. Paid tickets stay with the drawer "
                "until the shift ends.",
                f"Approved by {who_may(submitted, 'approval:give')}; from the second amount on "
                f"by {who_may(submitted, 'approval:give-large')} as well. Whoever approves is "
                "never the writer, and sees both gradings. An approval is of one ticket and "
                "one amount, and is recorded.",
                "For tax the wins of one patron in one game are taken together, net of what "
                "was paid for them; a wager paid by coupon counts as nothing. What counts is "
                "the day of the payment.",
                "Refunds count neither toward an approval nor toward tax.",
            ),
            *section(f"Amounts in force on {submitted.day.isoformat()}"),
            table(("What", "Rule", "In force"), rows, (60, 20, 20), right=(1, 2)),
            *section("Every amount, from which day on"),
            paragraph(
                "Where rule and house have both set an amount the lower one holds: a house is "
                "stricter than the rule, never looser."
            ),
            table(("What", "From", "Amount", "Set by"), dated, (52, 18, 18, 12), right=(2,)),
        ],
    )


def changes(submitted: Submission) -> Chapter:
    """Tell how these rules are changed, and what else the house has settled."""
    settings = submitted.settings
    hold, idle = settings[Setting.HOLD_SECONDS], settings[Setting.IDLE_MINUTES]
    settled = [
        (
            "Copies of a paper that a writer prints without a supervisor",
            f"{settings[Setting.COPIES_ALONE]}",
        ),
        ("An open game that cannot be drawn is sold for", lasting(timedelta(seconds=hold))),
        ("A page signs out whoever presses no key for", lasting(timedelta(minutes=idle))),
    ]
    return Chapter(
        "Changes of these rules",
        "19:47-8.3, 15.3(d), (e)",
        [
            *points(
                "A rate card is checked against the rule when it is brought, and refused if it "
                "breaks it. A supervisor and a manager outside keno accept it, two people.",
                f"It is published {lasting(submitted.card_notice)} at least before it holds, "
                "and never holds in the middle of a game. A ticket stays on the card that it "
                "was sold under, for all its games.",
                "Amounts and settings are changed by a supervisor and a manager outside keno "
                "together; an amount from the next day on at the earliest.",
            ),
            *section("Settled by the house"),
            table(("What", "Now"), settled, (70, 30)),
        ],
    )


def kept_records(submitted: Submission) -> Chapter:
    """Tell which records are kept, and for how long."""
    rows = [
        (words, counted(submitted.retention[kind], "day"), counted(PERIODS[kind].least, "day"))
        for kind, words in RECORDS.items()
    ]
    rows.append((FOR_EVER, "for ever", "for ever"))
    return Chapter(
        "Records",
        "19:47-15.5(h)",
        [
            *points(
                "Every act stands in a log that only grows, with who did it, where, when and "
                "why. Its entries are leaves of a Merkle tree whose head the inspector's "
                "process countersigns; whoever has the head can prove that nothing before it "
                "was changed.",
                "Winning numbers are kept by the system, and apart from it in the journals of "
                "both keyed processes and on the generator's own paper.",
                f"The records are open to {who_may(submitted, 'records:see')}.",
            ),
            *section("What is kept, and for how long"),
            paragraph(
                "When a period is over the detail may go into an archive, which stays verifiable "
                "against the log; of days that are closed only, and never while a ticket of theirs "
                "can still be paid. Periods are settled by a supervisor and a manager outside keno "
                "together, never below the rule."
            ),
            table(("Records", "Kept at hand", "At the least"), rows, (56, 22, 22), right=(1, 2)),
        ],
    )


def _dated(dated: Dated, by: str) -> tuple[str, str, str, str]:
    since = "ever" if dated.from_day.year == 1 else dated.from_day.isoformat()
    return AMOUNTS[dated.name], since, dollars(dated.cents), by
