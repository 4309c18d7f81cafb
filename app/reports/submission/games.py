"""Chapters about games: the house and its series, how games close, are drawn, and go wrong."""

from datetime import timedelta

from app.keno.game import OVER, GameAct, GameState, next_state
from app.keno.house_settings import Setting
from app.keno.odds import DRAWS
from app.keno.spots import DRAWN, NUMBERS
from app.keno.submission import SeriesRules, Submission
from app.reports.documents import facts, paragraph, points, section, table
from app.reports.submission.words import Chapter, clock, lasting, listed, who_may


def the_house(submitted: Submission) -> Chapter:
    """Tell the house, its series of games and where tickets are sold."""
    series = [
        (each.code, each.name, _rhythm(each), _hours(each), f"{each.code}-{each.first_game}")
        for each in submitted.series
    ]
    locations = [
        (each.name, each.kind, listed(each.series), ", ".join(each.stations))
        for each in submitted.locations
    ]
    begins = f"at {clock(submitted.day_starts_minutes)}, by the clock of {submitted.time_zone}"
    return Chapter(
        "The house and its games",
        "19:47-15.3(a), 15.5(b)",
        [
            paragraph(
                f"The gaming day begins {begins}. A game belongs to the day on which it starts, "
                "which is when it is locked. The games of a series are numbered without a gap, "
                "and a game's number always carries the code of its series."
            ),
            *section("Series"),
            table(
                ("Code", "Name", "Games close", "Hours", "First game"),
                series,
                (12, 24, 26, 24, 14),
            ),
            *section("Locations"),
            paragraph("Wagers are made only at work stations that are enrolled at a location."),
            table(("Location", "Kind", "Series", "Work stations"), locations, (34, 16, 16, 34)),
        ],
    )


def closing(submitted: Submission) -> Chapter:
    """Tell how a game is closed: notice, lockout, override."""
    hold = lasting(timedelta(seconds=submitted.settings[Setting.HOLD_SECONDS]))
    return Chapter(
        "Notice, lockout, override",
        "19:47-15.5(c), (d), (e)",
        [
            *points(
                f"Notice: {lasting(submitted.notice)} before a game closes every booth and "
                "board says so; the time that is left stands on each of them all along.",
                "Lockout: in one transaction of the database the game is locked, the next one "
                "opens, and what was sold is counted and sealed. From then on no station can "
                "sell or void for it, whatever it shows. A locked game never opens again.",
                "Where a series has an interval its games are locked by themselves. By hand a "
                f"game is locked by {who_may(submitted, 'game:run')}, or by a writer with "
                "the recorded approval of one of them.",
                f"Override: only {who_may(submitted, 'game:run')} may have an open game close "
                f"earlier, later (by {lasting(submitted.override_most)} at most) or not before "
                "it is said again. Who did so, when and why stands in the log, with both "
                "times.",
                "Hold: while a keyed process is not ready no game is locked. The open game is "
                f"held, everybody sees why, and it is sold for {hold}. Once both are ready it "
                f"closes, with {lasting(submitted.notice)}'s notice at least.",
            ),
        ],
    )


def drawing(submitted: Submission) -> Chapter:
    """Tell how the numbers are drawn, with both keys."""
    keys = [(name, key) for name, key in submitted.keys.items()]
    return Chapter(
        "The draw, with both keys",
        "19:47-15.5(a), (d), (f), (g)",
        [
            *points(
                "Two processes draw, each with keys, a journal and a machine of its own. A keno "
                "supervisor's key unlocks the generator, the Commission inspector's key unlocks "
                "the inspector's process. Without both nothing is drawn.",
                "Seal. The list of everything that was sold is closed, and the inspector's process "
                "countersigns it before any number exists.",
                "Intent. The generator takes fresh random bytes from its own source, checks its "
                "health, its software and its printer, and signs and keeps what it is about to "
                "do.",
                "Mark. The inspector's process checks all of that and signs the intent, once for "
                "each game and never again. Its signature has no choice in it.",
                f"Numbers. Intent and mark together determine {DRAWN} of {NUMBERS} numbers, each "
                f"of the {DRAWS:,} outcomes being equally likely. Neither side alone can know or "
                "choose them.",
                "Record. The generator signs the numbers, keeps them, and prints them on its own "
                "printer. Asked again it gives the same record, for ever.",
                "The board calls the numbers one by one, and shows them with the number of the "
                "game. Anyone can check a draw afterwards from the published record and public "
                "keys.",
            ),
            *(
                [*section("Public keys (SHA-256)"), facts(keys)]
                if keys
                else [paragraph("The key ceremony has not been held yet: there are no keys.")]
            ),
        ],
    )


def going_wrong(submitted: Submission) -> Chapter:
    """Tell what can be done with a game in each state, and about void and frozen games."""
    rows = [
        (state.value, act.value, to.value)
        for state in GameState
        for act in GameAct
        if (to := next_state(state, act)) is not None
    ]
    over = listed(sorted(state.value for state in OVER), "or")
    return Chapter(
        "Void games and frozen games",
        "19:47-15.5(d); irregularities: not in our text of the rule",
        [
            *points(
                "Void: a locked game that cannot be drawn is voided only if the inspector's "
                "process has not marked it, and says so in a signed statement. Then it never "
                "will be, and every wager on it goes back. A game that was marked has an "
                "outcome and is completed from either journal.",
                "Graded twice: every ticket is graded by two separately written programs. A "
                "game is payable when both agree ticket by ticket.",
                "Frozen: if they do not, that game alone is frozen, with every difference in "
                f"the log. {_capital(who_may(submitted, 'game:run'))}, and "
                f"{who_may(submitted, 'game:release')}, two people, have it graded again. "
                "Its numbers never change. Meanwhile the time to claim does not run.",
            ),
            *section("What can be done with a game, and what it is then"),
            paragraph(
                f"Everything that is not listed is refused. A game is over when it is {over}."
            ),
            table(("A game that is", "Act", "Is then"), rows, (30, 40, 30)),
        ],
    )


def _rhythm(series: SeriesRules) -> str:
    if series.interval_seconds is None:
        return "by hand"
    return f"every {lasting(timedelta(seconds=series.interval_seconds))}"


def _hours(series: SeriesRules) -> str:
    if series.closes_minutes - series.opens_minutes >= 1_440:
        return "day and night"
    return f"{clock(series.opens_minutes)} to {clock(series.closes_minutes)}"


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
