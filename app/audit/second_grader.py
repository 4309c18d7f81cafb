"""The second grader: every ticket of a drawn game graded again, from the log alone (X-grade-twice).

Certification calls it and compares ticket by ticket with what settlement found; a game is payable
only when the two agree. So it was written from the documents, separately and differently, and it
imports nothing of the rules, the stages or the tables. It reads bodies of CARD and TICKET entries,
and guesses nothing: a body that does not hold together is `Broken`.

A way is the set of numbers it plays. A ticket of few groups has its ways listed and each looked at;
the ways of a larger one are counted by kinds of groups, with binomials. Everything is exact.

What is not looked at here, because no price and no win depends on it, is for the books: type,
tender, the card's limits on selling.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from hashlib import sha256
from itertools import islice, product
from math import comb
from operator import mul
from string import ascii_uppercase
from tomllib import loads
from typing import Any

BOARD = frozenset(range(1, 81))
DRAWN = 20
LARGEST = 2**53 - 1  # canonical JSON has no larger whole number
# So many groups have 63 subsets at most; listing them is quick, and plain to see.
GROUPS_LISTED = 6
BYTE_ORDER_MARK = "\ufeff"  # which some editors put before the text, and which says nothing
ROUNDING = ("up", "down", "half-up")
CARD_FIELDS = frozenset({"name", "approval", "limits", "schedules"})
LIMIT_FIELDS = frozenset({
    "spots_max", "games_max", "ticket_min_cents", "ticket_max_cents", "aggregate_cents",
    "in_full_below_cents", "claim_minutes", "rounding",
})  # fmt: skip
SCHEDULE_FIELDS = frozenset({
    "base_cents", "rate_min_cents", "rate_max_cents", "rate_step_cents", "ways_min",
    "ticket_min_cents", "departs_from_proportion", "pays",
})  # fmt: skip
LINE_FIELDS = frozenset({"spots", "ways", "rate_cents", "schedule", "sets"})
# The letters of the groups: A to Z, then AA, AB and on; no ticket has more than 80 groups.
LETTERS = {
    "".join(letters): place
    for place, letters in enumerate(
        islice(
            (name for length in (1, 2) for name in product(ascii_uppercase, repeat=length)),
            len(BOARD),
        )
    )
}


class Broken(Exception):  # noqa: N818  a finding
    """A body that cannot be read or does not hold together; says what in one line."""


@dataclass(frozen=True)
class Pays:
    """What a way of some spots pays for the base wager; the place in the row is the catch."""

    base_cents: int
    row: tuple[int, ...]


@dataclass(frozen=True)
class Card:
    """A rate card, as far as grading needs it."""

    digest: str
    pays: Mapping[tuple[str, int], Pays]
    rounding: str
    aggregate_cents: int | None
    in_full_below_cents: int


@dataclass(frozen=True)
class Bet:
    """One line of a ticket. The ways are the numbers of each, or None: too many to list."""

    spots: int
    stated_ways: int
    rate_cents: int
    schedule: str
    ways: tuple[frozenset[int], ...] | None


@dataclass(frozen=True)
class Played:
    """A ticket, as far as grading needs it."""

    number: int
    series: str
    first_game: int
    last_game: int
    card: str
    price_per_game_cents: int
    groups: tuple[frozenset[int], ...]
    bets: tuple[Bet, ...]


@dataclass(frozen=True)
class Win:
    """What a ticket wins in one game, before the game's limit is shared.

    Exact is before rounding and uncut; the cents are rounded once and cut to the card's limit.
    Where that took something off, the uncut cents are what was rounded.
    """

    exact: Fraction
    cents: int
    uncut_cents: int | None = None


# ---- reading the log ---------------------------------------------------------------------------


def read_card(body: Mapping[str, Any]) -> Card:
    """Read the body of a CARD entry: the card that its file says, if the hash is the file's.

    Raises:
        Broken: the file is not the one that was hashed, or not a card that can be graded by.
    """
    digest, file = _hash(body, "card"), _text(body, "file")
    try:
        if sha256(file.encode()).hexdigest() != digest:
            raise Broken("the file of the card does not have the card's hash")
        content = loads(file.removeprefix(BYTE_ORDER_MARK))
    except (ValueError, RecursionError):
        raise Broken("the file of the card is not TOML") from None
    _known(content, CARD_FIELDS, "the card")
    limits = _table(content, "limits")
    _known(limits, LIMIT_FIELDS, "limits")
    schedules = _table(content, "schedules")
    rounding = limits.get("rounding", "up")
    if rounding not in ROUNDING:
        raise Broken("rounding is neither up nor down nor half-up")
    return Card(
        digest=digest,
        pays={
            (name, spots): pays
            for name in schedules
            for spots, pays in _read_schedule(name, _table(schedules, name))
        },
        rounding=rounding,
        aggregate_cents=(
            _whole(limits, "aggregate_cents", 1) if "aggregate_cents" in limits else None
        ),
        in_full_below_cents=_whole({"in_full_below_cents": 0, **limits}, "in_full_below_cents", 0),
    )


def _read_schedule(name: str, schedule: Mapping[str, Any]) -> Iterator[tuple[int, Pays]]:
    """Yield spots and pays of each wager that a schedule offers."""
    _known(schedule, SCHEDULE_FIELDS, f"schedule {name!r}")
    base_cents = _whole(schedule, "base_cents", 1)
    pays = _table(schedule, "pays")
    for written in pays:
        spots = _count(written, 1, len(BOARD))
        row = [0] * (DRAWN + 1)
        catches = _table(pays, written)
        for caught in catches:
            # Of more than sixty spots some are always drawn.
            fewest = max(0, spots + DRAWN - len(BOARD))
            row[_count(caught, fewest, min(spots, DRAWN))] = _whole(catches, caught, 0)
        if any(row):  # what can never win is not on offer
            yield spots, Pays(base_cents, tuple(row))


def read_ticket(body: Mapping[str, Any]) -> Played:
    """Read the body of a TICKET entry; what it says of itself must hold together.

    The ways that a line states are counted when the ticket is priced or graded.

    Raises:
        Broken: something is missing or not what it must be, or the price is not that of the lines.
    """
    number = _whole(body, "number", 1)
    try:
        return _read_ticket(number, body)
    except Broken as fault:
        raise Broken(f"ticket {number}: {fault}") from None


def _read_ticket(number: int, body: Mapping[str, Any]) -> Played:
    first_game, games = _whole(body, "first_game", 1), _whole(body, "games", 1)
    price_per_game_cents = _whole(body, "price_per_game_cents", 1)
    groups = _read_groups(_list(body, "groups"))
    bets = tuple(_read_line(line, groups) for line in _list(body, "lines"))
    _check_played_once(bets)
    if sum(bet.stated_ways * bet.rate_cents for bet in bets) != price_per_game_cents:
        raise Broken("the price of a game is not that of its lines")
    if _whole(body, "price_cents", 1) != price_per_game_cents * games:
        raise Broken("the price is not that of its games")
    return Played(
        number=number,
        series=_text(body, "series"),
        first_game=first_game,
        last_game=first_game + games - 1,
        card=_hash(body, "card"),
        price_per_game_cents=price_per_game_cents,
        groups=groups,
        bets=bets,
    )


def _read_groups(written: list[Any]) -> tuple[frozenset[int], ...]:
    """Return the groups, which have no number in common and none outside the board (15.2(a))."""
    groups = []
    for numbers in written:
        if not isinstance(numbers, list) or not numbers:
            raise Broken("a group has no numbers")
        groups.append(_on_board(numbers))
    if len(frozenset[int]().union(*groups)) != sum(len(group) for group in groups):
        raise Broken("two groups have a number in common")
    return tuple(groups)


def _read_line(line: object, groups: tuple[frozenset[int], ...]) -> Bet:
    if not isinstance(line, dict):
        raise Broken("a line is not a table")
    _known(line, LINE_FIELDS, "a line")
    spots = _whole(line, "spots", 1, len(BOARD))
    if "sets" in line:
        ways = tuple(_read_set(name, spots, groups) for name in _list(line, "sets"))
    elif len(groups) <= GROUPS_LISTED:
        ways = tuple(_ways_of(spots, groups))
    else:
        ways = None
    return Bet(
        spots=spots,
        stated_ways=_whole(line, "ways", 1),
        rate_cents=_whole(line, "rate_cents", 1),
        schedule=_text(line, "schedule"),
        ways=ways,
    )


def _read_set(written: object, spots: int, groups: tuple[frozenset[int], ...]) -> frozenset[int]:
    """Return the numbers of a way that is listed by its letters, such as A+C."""
    letters = written.split("+") if isinstance(written, str) else []
    places = {LETTERS.get(letter, len(groups)) for letter in letters}
    if not letters or len(places) < len(letters) or max(places) >= len(groups):
        raise Broken(f"{written!r} is not a set of its groups")
    way = frozenset[int]().union(*(groups[place] for place in places))
    if len(way) != spots:
        raise Broken(f"{written!r} does not have {spots} spots")
    return way


def _ways_of(spots: int, groups: tuple[frozenset[int], ...]) -> Iterator[frozenset[int]]:
    """Yield the numbers of every subset of the groups that has so many spots."""
    rising = sorted(groups, key=len)
    unfinished = [(0, frozenset[int]())]
    while unfinished:
        start, numbers = unfinished.pop()
        left = spots - len(numbers)
        if not left:
            yield numbers
        for place in range(start, len(rising)):
            if len(rising[place]) > left:
                break  # no group behind it is smaller
            unfinished.append((place + 1, numbers | rising[place]))


def _check_played_once(bets: tuple[Bet, ...]) -> None:
    """No way is played twice, neither by its letters nor among all the ways of its spots."""
    listed = [way for bet in bets for way in bet.ways or ()]
    counted = [bet.spots for bet in bets if bet.ways is None]
    beside = {bet.spots for bet in bets if bet.ways is not None}
    if (
        len(set(listed)) < len(listed)
        or len(set(counted)) < len(counted)
        or not beside.isdisjoint(counted)
    ):
        raise Broken("a way is played twice")


# ---- price and win of one ticket ---------------------------------------------------------------


def price_of(ticket: Played, card: Card) -> int:
    """Return the price of one game in cents, with the ways counted again (15.4(a)).

    Raises:
        Broken: it is not the ticket's card or price, or a line is not what the card offers.
    """
    price_cents = 0
    for bet, ways in _ways_by_catch(ticket, frozenset()):
        _pays(ticket, card, bet)
        price_cents += sum(ways) * bet.rate_cents
    if price_cents != ticket.price_per_game_cents:
        raise Broken(f"ticket {ticket.number}: the price of a game is not that of its lines")
    return price_cents


def read_draw(numbers: Sequence[int]) -> frozenset[int]:
    """Return the numbers of a draw as a set.

    Raises:
        Broken: they are not twenty of the board.
    """
    if len(numbers) != DRAWN:
        raise Broken("the numbers drawn are not twenty")
    return _on_board(numbers)


def win_of(ticket: Played, card: Card, drawn: frozenset[int]) -> Win:
    """Return what a ticket wins with the numbers drawn, on the card it was sold on (15.3(c)).

    Raises:
        Broken: it is not the ticket's card, a line is not what the card offers or does not have
            the ways it states.
    """
    exact = Fraction(0)
    for bet, ways in _ways_by_catch(ticket, drawn):
        pays = _pays(ticket, card, bet)
        won = sum(map(mul, ways, pays.row))
        exact += Fraction(won * bet.rate_cents, pays.base_cents)
    cents = _rounded(exact, card.rounding)
    limit_cents = card.aggregate_cents
    if limit_cents is None or cents <= limit_cents:
        return Win(exact, cents)
    return Win(exact, limit_cents, uncut_cents=cents)


def _pays(ticket: Played, card: Card, bet: Bet) -> Pays:
    """Return what the card pays on a line (X-card-version)."""
    if ticket.card != card.digest:
        raise Broken(f"ticket {ticket.number}: it was sold on another card")
    pays = card.pays.get((bet.schedule, bet.spots))
    if pays is None:
        raise Broken(
            f"ticket {ticket.number}: the card has no {bet.spots}-spot ways on {bet.schedule!r}"
        )
    return pays


def _ways_by_catch(ticket: Played, drawn: frozenset[int]) -> Iterator[tuple[Bet, list[int]]]:
    """Yield each line and how many of its ways catch nothing, one, two and so on of the draw."""
    counted = _counted(ticket, drawn)
    for bet in ticket.bets:
        if bet.ways is None:
            ways = counted[bet.spots]
        else:
            ways = [0] * (DRAWN + 1)
            for way in bet.ways:
                ways[len(way & drawn)] += 1
        if sum(ways) != bet.stated_ways:
            raise Broken(
                f"ticket {ticket.number}: it states {bet.stated_ways} ways of {bet.spots} spots,"
                f" and there are {sum(ways)}"
            )
        yield bet, ways


def _counted(ticket: Played, drawn: frozenset[int]) -> dict[int, list[int]]:
    """Return, by spots and by catch, how many ways there are where they are too many to list.

    Groups of one size of which equally many numbers were drawn are alike, and n of m alike ones
    can be taken in (m over n) ways. So 80 kings are twenty that were drawn and sixty that were
    not, and of their ways of ten spots (20 over 3) times (60 over 7) catch three.
    """
    wanted = {bet.spots for bet in ticket.bets if bet.ways is None}
    if not wanted:
        return {}
    most = max(wanted)
    counted = {spots: [0] * (DRAWN + 1) for spots in wanted}
    ways_of = {(0, 0): 1}  # by spots and catch, of the kinds of groups looked at so far
    for (size, caught), alike in Counter((len(g), len(g & drawn)) for g in ticket.groups).items():
        taken = [
            (n * size, n * caught, comb(alike, n)) for n in range(min(alike, most // size) + 1)
        ]
        before, ways_of = ways_of, defaultdict(int)
        for (spots, catch), ways in before.items():
            for more_spots, more_caught, choices in taken:
                if spots + more_spots <= most:
                    ways_of[spots + more_spots, catch + more_caught] += ways * choices
    for (spots, catch), ways in ways_of.items():
        if spots in counted:
            counted[spots][catch] = ways
    return counted


def _rounded(exact: Fraction, rule: str) -> int:
    """Return whole cents, once for the ticket and the game, as the card says."""
    whole, rest = divmod(exact.numerator, exact.denominator)
    up = {"up": rest > 0, "down": False, "half-up": 2 * rest >= exact.denominator}
    return whole + up[rule]


# ---- what the game pays ------------------------------------------------------------------------


def limits_of(cards: Iterable[Card]) -> tuple[int | None, int]:
    """Return limit and in-full threshold of a game: the largest on any card played in it.

    A card without a limit promises its tickets that there is none, and so there is none.
    """
    played = list(cards)
    limits = [card.aggregate_cents for card in played if card.aggregate_cents is not None]
    limited = limits and len(limits) == len(played)
    threshold_cents = max((card.in_full_below_cents for card in played), default=0)
    return max(limits) if limited else None, threshold_cents


def shared(
    wins: Mapping[int, Win], limit_cents: int | None, in_full_below_cents: int
) -> dict[int, int]:
    """Return what each ticket is paid in cents, so that the game pays no more than its limit.

    The sum is exactly the limit where it bites (X-aggregate-sheet). Equal claims have equal shares,
    but for the odd cents; so shares are worked out for each amount claimed, not for each ticket.
    """
    if limit_cents is None:
        return {number: win.cents for number, win in wins.items()}
    claims = {number: min(win.cents, limit_cents) for number, win in wins.items()}
    claimed = Counter(claims.values())
    if _sum(claimed) <= limit_cents:
        return claims
    paid, remainders = _shares(claimed, limit_cents, in_full_below_cents)
    odd_cents = limit_cents - sum(paid[claim] * times for claim, times in claimed.items())
    by_remainder = sorted(claims, key=lambda number: (-remainders[claims[number]], number))
    odd = Counter(claims[number] for number in by_remainder[:odd_cents])
    more = _more(wins, claims, odd)
    return {number: paid[claim] + (number in more) for number, claim in claims.items()}


def _shares(
    claimed: Counter[int], limit_cents: int, in_full_below_cents: int
) -> tuple[dict[int, int], dict[int, int]]:
    """Return, for each amount claimed, the whole cents of its share and what remains of a cent.

    The first part of each win is paid in full, unless these parts alone are more than the limit;
    what is left of the limit is shared in proportion to what is left of the wins.
    """
    in_full = {claim: min(claim, in_full_below_cents) for claim in claimed}
    if sum(in_full[claim] * times for claim, times in claimed.items()) > limit_cents:
        in_full = dict.fromkeys(claimed, 0)
    in_full_cents = sum(in_full[claim] * times for claim, times in claimed.items())
    left_of_limit, left_of_wins = limit_cents - in_full_cents, _sum(claimed) - in_full_cents
    paid, remainders = {}, {}
    for claim, first in in_full.items():
        share, remainders[claim] = divmod((claim - first) * left_of_limit, left_of_wins)
        paid[claim] = first + share
    return paid, remainders


def _more(wins: Mapping[int, Win], claims: Mapping[int, int], odd: Counter[int]) -> set[int]:
    """Return who gets an odd cent, when it is settled how many of them go to each amount claimed.

    The lowest ticket numbers, but before them whoever won more and was cut down to the same claim:
    a larger win is never paid less than a smaller one.
    """
    more, left = set(), odd.copy()
    for number in sorted(claims, key=lambda number: (-_uncut(wins[number]), number)):
        if left[claims[number]]:
            left[claims[number]] -= 1
            more.add(number)
    return more


def _uncut(win: Win) -> int:
    return win.cents if win.uncut_cents is None else win.uncut_cents


def _sum(claimed: Counter[int]) -> int:
    return sum(claim * times for claim, times in claimed.items())


# ---- parts of a body ---------------------------------------------------------------------------


def _on_board(numbers: Sequence[int]) -> frozenset[int]:
    """Return numbers as a set; each is one of the board, and stands there once (15.2(a))."""
    found = frozenset(number for number in numbers if type(number) is int)
    if len(found) < len(numbers) or not found <= BOARD:
        raise Broken("numbers are not 1 to 80, each once")
    return found


def _whole(table: Mapping[str, Any], name: str, least: int, most: int = LARGEST) -> int:
    value = table.get(name)
    if type(value) is not int or not least <= value <= most:
        raise Broken(f"{name} is not a whole number from {least} to {most}")
    return value


def _text(table: Mapping[str, Any], name: str) -> str:
    value = table.get(name)
    if not isinstance(value, str) or not value:
        raise Broken(f"{name} is not a text")
    return value


def _hash(table: Mapping[str, Any], name: str) -> str:
    value = _text(table, name)
    if len(value) != 64 or not set(value) <= set("0123456789abcdef"):
        raise Broken(f"{name} is not a hash")
    return value


def _list(table: Mapping[str, Any], name: str) -> list[Any]:
    value = table.get(name)
    if not isinstance(value, list) or not value:
        raise Broken(f"{name} is not a list of something")
    return value


def _table(table: Mapping[str, Any], name: str) -> dict[str, Any]:
    value = table.get(name)
    if not isinstance(value, dict):
        raise Broken(f"{name!r} is not a table")
    return value


def _known(table: Mapping[str, Any], names: frozenset[str], where: str) -> None:
    """A field that is not known might mean something that is not counted here."""
    unknown = set(table) - names
    if unknown:
        raise Broken(f"{where} has a field {min(unknown)!r} that is not known")


def _count(written: str, least: int, most: int) -> int:
    """Read a name that is a number, as the tables of pays have them."""
    if not (written.isascii() and written.isdigit() and len(written) <= 2):
        raise Broken(f"{written!r} is not a number of spots or catches")
    count = int(written)
    if str(count) != written or not least <= count <= most:
        raise Broken(f"{written!r} is not a number from {least} to {most}")
    return count
