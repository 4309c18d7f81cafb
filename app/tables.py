"""The answers of the `keno` command for people: tables and bars, in plain text."""

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction

from app.keno.card_checks import Figures
from app.keno.conditioning import Line, conditioning_of
from app.keno.grading import GameGrade
from app.keno.letters import set_name
from app.keno.money import decimal, dollars, percent
from app.keno.rate_card import RateCard
from app.keno.refusals import Refusal, quoted
from app.keno.ticket import Ticket

_BAR_WIDTH = 40


def odds_text(spots: int, odds: Mapping[int, Fraction]) -> str:
    """Return the chance of each catch, as a figure and as a bar."""
    most_likely = max(odds.values())
    rows = [
        (
            str(caught),
            percent(chance, places=6),
            "1 in " + decimal(1 / chance, places=2),
            "#" * round(chance * Fraction(_BAR_WIDTH) / most_likely),
        )
        for caught, chance in odds.items()
    ]
    title = "1 spot" if spots == 1 else f"{spots} spots"
    return f"{title}, 20 of 80 drawn\n\n" + table(("catch", "chance", "", ""), rows, ">>><")


def card_text(
    card: RateCard, figures: Mapping[str, Mapping[int, Figures]], faults: Sequence[Refusal]
) -> str:
    """Return what each wager on the card is worth, and everything that is wrong with the card."""
    parts = [f"Rate card: {quoted(card.name)}"] if card.name else []
    for name, by_spots in figures.items():
        rows = [
            (
                str(spots),
                percent(figure.pays_back),
                percent(figure.house_advantage),
                percent(figure.hit, places=4),
                dollars(max(card.schedules[name].pays_for(spots).values(), default=0)),
                "<- more than it takes" if figure.house_advantage < 0 else "",
            )
            for spots, figure in by_spots.items()
        ]
        least, base = card.schedules[name].rate_min_cents, card.schedules[name].base_cents
        heads = ("spots", "returns", "house keeps", "wins", f"top pay for {dollars(base)}", "")
        parts.append(f"{name}, from {dollars(least)} a way\n\n" + table(heads, rows, ">>>>><"))
    if faults:
        parts.append("This card may not be put into force.\n" + refusals_text(faults))
    else:
        parts.append("No faults: this card may be put into force.")
    return "\n\n".join(parts)


def quote_text(ticket: Ticket) -> str:
    """Return a priced ticket."""
    heads = ("spots", "ways", "rate", "schedule", "price", "")
    rows = [
        (
            str(line.spots),
            f"{line.ways:,}",
            dollars(line.rate_cents),
            line.schedule,
            dollars(line.price_cents),
            _sets(line),
        )
        for line in ticket.lines
    ]
    return (
        f"{_title(ticket)}: {conditioning_of(ticket.lines)}\n\n"
        + table(heads, rows, ">>><><")
        + f"\n\n{_counted(ticket.ways, 'way')}, {dollars(ticket.price_per_game_cents)} a game, "
        + f"{_counted(ticket.games, 'game')}: {dollars(ticket.price_cents)}"
    )


def grade_text(ticket: Ticket, games: Sequence[GameGrade]) -> str:
    """Return a graded ticket, game by game."""
    parts = [f"{_title(ticket)}: {conditioning_of(ticket.lines)}"]
    heads = ("spots", "ways", "catches", "win")
    for number, game in enumerate(games, start=1):
        rows = [
            (
                str(grade.line.spots),
                f"{grade.line.ways:,}",
                ", ".join(f"{ways:,} caught {caught}" for caught, ways in grade.catches.items()),
                _exact(grade.win),
            )
            for grade in game.lines
        ]
        parts.append(
            f"Game {number} of {ticket.games}\n\n"
            + table(heads, rows, ">><>")
            + f"\n\n{_won(game)}"
        )
    parts.append(f"Won in all: {dollars(sum(game.win_cents for game in games))}")
    return "\n\n".join(parts)


def prorate_text(wins_cents: Sequence[int], paid_cents: Sequence[int]) -> str:
    """Return what each win is paid."""
    rows = [
        (str(place), dollars(win), dollars(paid))
        for place, (win, paid) in enumerate(zip(wins_cents, paid_cents, strict=True), start=1)
    ]
    total = ("", dollars(sum(wins_cents)), dollars(sum(paid_cents)))
    return table(("winner", "win", "paid"), [*rows, total], ">>>")


def refusals_text(refusals: Iterable[Refusal]) -> str:
    """Return each refusal on a line: where, what, and its code."""
    return "\n".join(
        (f"{refusal.place}: " if refusal.place else "") + f"{refusal.message} [{refusal.code}]"
        for refusal in refusals
    )


def table(heads: Sequence[str], rows: Sequence[Sequence[str]], sides: str) -> str:
    """Return aligned columns; `sides` has < or > for each."""
    widths = [max(len(cell) for cell in column) for column in zip(heads, *rows, strict=True)]
    return "\n".join(
        "  ".join(
            f"{cell:{side}{width}}" for cell, side, width in zip(row, sides, widths, strict=True)
        ).rstrip()
        for row in (heads, *rows)
    )


def _title(ticket: Ticket) -> str:
    title = f"{ticket.type.capitalize()} ticket"
    return f"{title}, quick-pick" if ticket.quick_pick else title


def _sets(line: Line) -> str:
    return " ".join(set_name(groups) for groups in line.sets)


def _counted(number: int, what: str) -> str:
    return f"{number:,} {what}" if number == 1 else f"{number:,} {what}s"


def _won(game: GameGrade) -> str:
    won = f"Won {dollars(game.win_cents)}"
    if game.win == game.win_cents:
        return won
    return f"{won} ({_exact(game.win)}, {'cut to the limit' if game.capped else 'rounded'})"


def _exact(cents: Fraction) -> str:
    whole, rest = divmod(cents.numerator, cents.denominator)
    return dollars(whole) + (f" and {rest}/{cents.denominator} cent" if rest else "")
