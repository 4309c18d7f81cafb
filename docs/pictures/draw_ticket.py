"""Draws ticket.svg, the picture in the README: a combination ticket graded against a draw.

Every figure in it is worked out by the product from docs/examples/grading.json, and a test
compares the picture with the file. Draw it anew with: .venv/bin/python docs/pictures/draw_ticket.py
"""

import json
from pathlib import Path

from app.keno.card_file import read_card
from app.keno.conditioning import conditioning_of
from app.keno.documents import read_grading
from app.keno.grading import GameGrade, grade
from app.keno.letters import letter
from app.keno.money import dollars
from app.keno.pricing import quote
from app.keno.ticket import Ticket

HERE = Path(__file__).parent
PICTURE = HERE / "ticket.svg"
GRADING = HERE.parent / "examples" / "grading.json"
CARD = HERE.parents[1] / "app" / "rate_cards" / "house-card-1.toml"

CELL, LEFT, TOP, GAP = 38, 28, 64, 14
COLOURS = ("#cfe3f7", "#fbe0b8", "#d6efd0")
INK, FAINT, BALL = "#1c2733", "#c9d1d9", "#c0392b"


def picture() -> str:
    """Return the drawing."""
    card = read_card(CARD.read_bytes())
    request, draws = read_grading(json.loads(GRADING.read_text()))
    ticket = quote(request, card)
    game = grade(ticket, draws, card)[0]
    parts = [
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 980 405" font-family="sans-serif">',
        '<rect width="980" height="405" rx="10" fill="#ffffff" stroke="#d0d7de"/>',
        _text(LEFT, 40, "The ticket and the draw", size=19, weight="bold"),
        *(_cell(number, request.groups, draws[0]) for number in range(1, 81)),
        *_reckoning(ticket, game),
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


def _cell(number: int, groups: tuple[tuple[int, ...], ...], draw: tuple[int, ...]) -> str:
    row, column = divmod(number - 1, 10)
    x, y = LEFT + column * CELL, TOP + row * CELL + (GAP if row >= 4 else 0)
    fill = next((COLOURS[place] for place, group in enumerate(groups) if number in group), "none")
    square = (
        f'<rect x="{x}" y="{y}" width="{CELL}" height="{CELL}" fill="{fill}" stroke="{FAINT}"/>'
    )
    ball = (
        f'<circle cx="{x + 19}" cy="{y + 19}" r="15" fill="none" stroke="{BALL}" stroke-width="2"/>'
    )
    name = _text(x + 19, y + 24, str(number), anchor="middle", size=14)
    return square + (ball if number in draw else "") + name


def _reckoning(ticket: Ticket, game: GameGrade) -> list[str]:
    x = 446
    parts = [_text(x, 40, "What it plays, catches and wins", size=19, weight="bold")]
    for place, colour in enumerate(COLOURS):
        left = x + place * 110
        parts.append(f'<rect x="{left}" y="64" width="20" height="20" fill="{colour}"/>')
        parts.append(_text(left + 28, 79, f"group {letter(place)}"))
    parts.append(
        f'<circle cx="{x + 342}" cy="74" r="10" fill="none" stroke="{BALL}" stroke-width="2"/>'
    )
    parts.append(_text(x + 360, 79, "drawn"))
    parts.append(_text(x, 126, f"{ticket.type.capitalize()} ticket, conditioned"))
    parts.append(_text(x, 154, conditioning_of(ticket.lines), size=20, weight="bold"))
    heads = (
        ("ways / spots", x, "start"),
        ("rate", x + 160, "end"),
        ("caught by each way", x + 200, "start"),
    )
    parts += [_text(left, 200, head, anchor=side, ink="#57606a") for head, left, side in heads]
    parts.append(_text(x + 500, 200, "win", anchor="end", ink="#57606a"))
    for place, line in enumerate(game.lines):
        y = 230 + place * 30
        caught = ", ".join(str(c) for c, ways in line.catches.items() for _ in range(ways))
        parts.append(_text(x, y, f"{line.line.ways} / {line.line.spots}"))
        parts.append(_text(x + 160, y, dollars(line.line.rate_cents), anchor="end"))
        parts.append(_text(x + 200, y, caught))
        parts.append(_text(x + 500, y, dollars(int(line.win)), anchor="end"))
    parts.append(f'<line x1="{x}" y1="312" x2="{x + 500}" y2="312" stroke="{FAINT}"/>')
    parts.append(_text(x, 340, f"{ticket.ways} ways for {dollars(ticket.price_per_game_cents)}"))
    won = f"wins {dollars(game.win_cents)}"
    parts.append(_text(x + 500, 340, won, anchor="end", size=20, weight="bold"))
    return parts


def _text(  # noqa: PLR0913  the attributes of a text
    x: int,
    y: int,
    text: str,
    *,
    anchor: str = "start",
    size: int = 15,
    weight: str = "normal",
    ink: str = INK,
) -> str:
    return (
        f'<text x="{x}" y="{y}" font-size="{size}" font-weight="{weight}" fill="{ink}" '
        f'text-anchor="{anchor}">{text}</text>'
    )


if __name__ == "__main__":
    PICTURE.write_text(picture())
