"""The JSON forms of requests, draws, quotes and grades, read and written in one place.

Whoever speaks to programs outside uses these forms. Whatever is not of the form is refused with
all its faults; nothing is converted, and a name that stands twice is not guessed at.
Exact ratios are written as "numerator/denominator", because a JSON number could not hold them.
"""

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from fractions import Fraction

from app.keno.card_checks import Figures
from app.keno.conditioning import LINES_MAX, SETS_MAX, Line, conditioning_of
from app.keno.conditioning_text import SET_NAME, read_set
from app.keno.fields import Fields
from app.keno.grading import GameGrade, LineGrade
from app.keno.letters import set_name
from app.keno.money import LARGEST
from app.keno.refusals import Code, Refusal, Refused, quoted, refusal, refuse_all
from app.keno.request import REGULAR, Request, WrittenLine
from app.keno.spots import NUMBERS
from app.keno.ticket import Ticket

# A ticket in a thousand games with all its draws is a tenth of this.
DOCUMENT_MAX = 1024 * 1024
# The wins of one game: some hundreds of thousands.
WINS_MAX = 4 * 1024 * 1024
# Eighty groups, each with its letters, a plus and two spaces.
_SET_NAME_MAX = 5 * NUMBERS


def read_json(document: bytes, limit: int = DOCUMENT_MAX) -> object:
    """Return what a JSON document says; refuse what is not JSON, or is too long or too deep."""
    if len(document) > limit:
        raise Refused([refusal(Code.TOO_LONG, limit=limit)])
    try:
        value = json.loads(
            document.decode("utf-8-sig"),
            object_pairs_hook=_each_name_once,
            parse_constant=_not_a_number,
        )
    except UnicodeDecodeError:
        raise Refused([refusal(Code.NOT_UTF8)]) from None
    except (ValueError, RecursionError) as trouble:
        raise Refused([refusal(Code.NOT_JSON, reason=quoted(str(trouble)))]) from None
    if b"\\u" in document and not _is_text(value):  # only an escape can hide what is no text
        raise Refused([refusal(Code.NOT_TEXT)])
    return value


def read_request(document: object) -> Request:
    """Return the request that a document describes."""
    faults: list[Refusal] = []
    request = request_from(Fields(document, "", faults), faults)
    refuse_all(faults)
    return request


def read_grading(document: object) -> tuple[Request, tuple[tuple[int, ...], ...]]:
    """Return the request and the draws of a document to be graded."""
    faults: list[Refusal] = []
    fields = Fields(document, "", faults)
    request = request_from(fields.inner("request"), faults)
    draws = fields.lists_of_wholes("draws")
    fields.no_more()
    refuse_all(faults)
    return request, draws


def read_wins(document: object) -> tuple[tuple[int, ...], int, int]:
    """Return the wins, the limit and the part paid in full of a document to be prorated."""
    faults: list[Refusal] = []
    fields = Fields(document, "", faults)
    wins_cents = fields.amounts("wins_cents")
    limit_cents = fields.whole("limit_cents")
    in_full_below_cents = fields.whole("in_full_below_cents", default=0)
    fields.no_more()
    refuse_all(faults)
    return wins_cents, limit_cents, in_full_below_cents


def refusals_document(refusals: Sequence[Refusal]) -> list[dict[str, str]]:
    """Return refusals as they are reported, with the place where that is known."""
    return [
        {"code": each.code, "message": each.message} | ({"place": each.place} if each.place else {})
        for each in refusals
    ]


def odds_document(spots: int, odds: Mapping[int, Fraction]) -> dict[str, object]:
    """Return the odds of each catch."""
    return {"spots": spots, "catches": {str(caught): ratio(odds[caught]) for caught in odds}}


def figures_document(figures: Mapping[str, Mapping[int, Figures]]) -> dict[str, object]:
    """Return the figures of each schedule and number of spots."""
    return {
        name: {
            str(spots): {
                "return": ratio(figure.pays_back),
                "house_advantage": ratio(figure.house_advantage),
                "hit": ratio(figure.hit),
            }
            for spots, figure in by_spots.items()
        }
        for name, by_spots in figures.items()
    }


def request_document(request: Request) -> dict[str, object]:
    """Return a request whose conditioning is text; read again it is the same."""
    document: dict[str, object] = {"conditioning": request.conditioning, "games": request.games}
    if request.quick_pick is None or request.groups:
        document["groups"] = [list(group) for group in request.groups]
    for name in ("quick_pick", "price_cents"):
        if (value := getattr(request, name)) is not None:
            document[name] = value
    return document


def quote_document(ticket: Ticket) -> dict[str, object]:
    """Return a priced ticket."""
    return {
        "type": ticket.type.value,
        "multi_race": ticket.multi_race,
        "quick_pick": ticket.quick_pick,
        "ways": ticket.ways,
        "lines": [_line_document(line) for line in ticket.lines],
        "price_per_game_cents": ticket.price_per_game_cents,
        "games": ticket.games,
        "price_cents": ticket.price_cents,
        "conditioning": conditioning_of(ticket.lines),
    }


def grade_document(ticket: Ticket, games: Sequence[GameGrade]) -> dict[str, object]:
    """Return a graded ticket."""
    return {
        "price_per_game_cents": ticket.price_per_game_cents,
        "games": [_game_document(game) for game in games],
        "win_cents": sum(game.win_cents for game in games),
    }


def ratio(exact: Fraction) -> str:
    """Return an exact ratio as text."""
    return f"{exact.numerator}/{exact.denominator}"


def request_from(fields: Fields, faults: list[Refusal]) -> Request:
    """Return the request that an object describes; its faults go to the list."""
    request = Request(
        groups=groups_from(fields),
        conditioning=conditioning_from(fields, faults),
        games=fields.whole("games", -LARGEST, default=1),  # pricing says what is wrong with -1
        price_cents=fields.maybe_whole("price_cents"),
        quick_pick=fields.maybe_whole("quick_pick", 1, NUMBERS),
    )
    fields.no_more()
    return request


def groups_from(fields: Fields) -> tuple[tuple[int, ...], ...]:
    """Return the groups of an object, kings last, in the order of their letters."""
    groups = fields.lists_of_wholes("groups")
    return groups + tuple((king,) for king in fields.wholes("kings"))


def conditioning_from(fields: Fields, faults: list[Refusal]) -> str | tuple[WrittenLine, ...]:
    """Return the conditioning of an object: as text, or line by line."""
    conditioning = fields.text_or_items("conditioning")
    if isinstance(conditioning, str):
        return conditioning
    return tuple(
        # One line too many is enough for pricing to refuse them all.
        _line(line, f"{fields.place_of('conditioning')}[{place}]", faults)
        for place, line in enumerate(conditioning[: LINES_MAX + 1])
    )


def _line(document: object, place: str, faults: list[Refusal]) -> WrittenLine:
    fields = Fields(document, place, faults)
    line = WrittenLine(
        rate_cents=fields.whole("rate_cents"),
        schedule=fields.text("schedule", default=REGULAR),
        ways=fields.maybe_whole("ways"),
        spots=fields.maybe_whole("spots"),
        sets=tuple(
            _set(name, f"{place}.sets[{number}]", faults)
            for number, name in enumerate(fields.items("sets")[: SETS_MAX + 1])
        ),
    )
    fields.no_more()
    return line


def _set(name: object, place: str, faults: list[Refusal]) -> tuple[int, ...]:
    if isinstance(name, str) and len(name) <= _SET_NAME_MAX and SET_NAME.fullmatch(name):
        return read_set(name)
    text = quoted(name) if isinstance(name, str) else "What stands here"
    faults.append(refusal(Code.NOT_A_SET, place, text=text))
    return ()


def _line_document(line: Line) -> dict[str, object]:
    return {
        "spots": line.spots,
        "ways": line.ways,
        "rate_cents": line.rate_cents,
        "schedule": line.schedule,
        "price_cents": line.price_cents,
    } | ({"sets": [set_name(groups) for groups in line.sets]} if line.sets else {})


def _game_document(game: GameGrade) -> dict[str, object]:
    return {
        "lines": [_line_grade_document(line) for line in game.lines],
        "win_cents_exact": ratio(game.win),
        "win_cents": game.win_cents,
    } | ({"capped": True} if game.capped else {})


def _line_grade_document(grade: LineGrade) -> dict[str, object]:
    return {
        "spots": grade.line.spots,
        "ways": grade.line.ways,
        "catches": {str(caught): ways for caught, ways in grade.catches.items()},
        "win_cents_exact": ratio(grade.win),
    }


def _each_name_once(pairs: list[tuple[str, object]]) -> dict[str, object]:
    table = dict(pairs)
    if len(table) < len(pairs):
        names = Counter(name for name, _ in pairs)
        twice = max(names, key=lambda name: names[name])
        raise Refused([refusal(Code.FIELD_TWICE, field=quoted(twice))])
    return table


def _is_text(value: object) -> bool:
    """Whether every text in a value can be stored anywhere: no NUL, no half of a surrogate pair."""
    waiting = [value]
    while waiting:
        part = waiting.pop()
        if isinstance(part, dict):
            waiting += [*part, *part.values()]
        elif isinstance(part, list):
            waiting += part
        elif isinstance(part, str) and any(
            sign == "\0" or "\ud800" <= sign <= "\udfff" for sign in part
        ):
            return False
    return True


def _not_a_number(constant: str) -> object:
    raise ValueError(f"{constant} is not a number")
