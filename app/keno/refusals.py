"""Every reason for which the rules of keno say no: one closed list.

A refusal has a stable code (`subject.reason`), a sentence that a writer can read out to the
patron, and the place in the document where the trouble is. Codes never change their meaning;
sentences may be bettered. Anything else that goes wrong is a defect and stops the program.

The order of the list is the order of precedence. Requests and rate cards report every fault at
once, in that order (15.4(a)), up to a hundred: a document with more is broken or hostile, and is
not answered at its own length. An act, such as grading against a draw, reports only the first.
"""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from enum import Enum

REPORTED_MAX = 100

_QUOTED_MAX = 60


class Coded(Enum):
    """A closed list of reasons: each member is a code and its sentence, in order of precedence."""

    def __init__(self, code: str, sentence: str) -> None:
        self.code = code
        self.sentence = sentence
        self.precedence = len(type(self).__members__)


class Code(Coded):
    """Every reason for which the rules of keno say no."""

    # The document itself.
    TOO_LONG = "document.too_long", "The document is longer than {limit} bytes."
    NOT_UTF8 = "document.not_utf8", "The document is not text in UTF-8."
    NOT_JSON = "document.not_json", "The document is not JSON: {reason}."
    NOT_TEXT = "document.not_text", "The document holds a character that is no text."
    NOT_TOML = "document.not_toml", "The rate card is not TOML: {reason}."
    FIELD_TWICE = "document.field_twice", "The field {field} stands twice in one object."
    FIELD_MISSING = "document.field_missing", "The field {field} is missing."
    FIELD_UNKNOWN = "document.field_unknown", "There is no field {field} here."
    WRONG_TYPE = "document.wrong_type", "The field {field} must be {wanted}."
    OUT_OF_RANGE = "document.out_of_range", "The field {field} must be from {low} to {high}."
    NOT_A_CHOICE = "document.not_a_choice", "The field {field} must be one of: {choices}."

    # The numbers marked.
    NO_NUMBERS = "group.none", "No number is marked."
    TOO_MANY_GROUPS = "group.too_many", "There are {count} groups; a ticket has at most 80."
    EMPTY_GROUP = "group.empty", "Group {group} has no numbers."
    OFF_THE_TICKET = (
        "group.off_the_ticket",
        "Group {group} has {numbers}; keno is played with the numbers 1 to 80.",
    )
    NUMBER_TWICE = "group.number_twice", "Group {group} has {numbers} more than once."
    OVERLAP = "group.overlap", "Groups {group} and {other} share {numbers}; groups are disjoint."
    QUICK_PICK_ALONE = (
        "quick_pick.not_alone",
        "A quick-pick of {spots} has no other marks than the {spots} that the computer picks.",
    )

    # The conditioning as written.
    NO_CONDITIONING = "conditioning.none", "The request has no conditioning."
    CONDITIONING_TOO_LONG = (
        "conditioning.too_long",
        "The conditioning is longer than {limit} characters.",
    )
    TOO_MANY_LINES = "conditioning.too_many_lines", "A ticket has at most {limit} lines."
    UNREADABLE = (
        "conditioning.unreadable",
        '"{text}" is not understood; write ways/spots @ rate, such as 3/4 1/8 @ 1.00.',
    )
    BAD_RATE = (
        "conditioning.bad_rate",
        '"{text}" is not a rate; write dollars and cents, such as @ 0.50.',
    )
    RATE_WITHOUT_LINE = (
        "conditioning.rate_without_line",
        'Say what is played before the rate "{text}": ways and spots, such as 2/4.',
    )
    LINE_WITHOUT_RATE = (
        "conditioning.line_without_rate",
        '"{text}" has no rate; end it with @ and an amount.',
    )

    # The lines against the groups.
    LINE_INCOMPLETE = "line.incomplete", "Line {line} must say its ways and spots, or list sets."
    NOT_A_SET = "line.not_a_set", '"{text}" is not a set; write letters joined by +, such as A+B.'
    UNKNOWN_GROUP = "line.unknown_group", "{set} names group {group}; there is none on the ticket."
    GROUP_TWICE = "line.group_twice", "{set} names group {group} twice."
    TOO_MANY_SETS = "line.too_many_sets", "The lines list more than {limit} sets."
    SPOTS_DIFFER = "line.spots_differ", "The number of spots of {set} is {counted}, not {written}."
    SETS_DIFFER = "line.sets_differ", "The number of sets listed is {counted}, not {written}."
    NO_WAY = "line.no_way", "No groups come to {spots} spots together."
    WAYS_DIFFER = "line.ways_differ", "The number of {spots}-spot ways is {counted}, not {written}."
    SET_TWICE = "line.set_twice", "{set} is played twice."
    SPOTS_TWICE = "line.spots_twice", "The ways of {spots} spots are played twice."
    NOT_PLAYED = "group.not_played", "No line plays group {group}."

    # The kind of ticket.
    SPLIT_ONE_RATE = (
        "split.one_rate",
        "The groups of this split ticket are all of {spots} spots, so they take one rate.",
    )

    # The lines against the rate card.
    UNKNOWN_SCHEDULE = "rate.unknown_schedule", 'The rate card has no rate named "{schedule}".'
    RATE_NEEDS_SCHEDULE = (
        "rate.needs_schedule",
        "{rate} is below the regular minimum of {least}; a special rate must be named.",
    )
    RATE_TOO_LOW = "rate.too_low", "{rate} is below the minimum of {least} on {schedule}."
    RATE_TOO_HIGH = "rate.too_high", "{rate} is above the maximum of {most} on {schedule}."
    RATE_OFF_STEP = (
        "rate.off_step",
        "{rate} is not offered on {schedule}; it goes from {least} in steps of {step}.",
    )
    TOO_MANY_SPOTS = (
        "way.too_many_spots",
        "The largest number of spots of a way is {most}, not {spots}.",
    )
    NOT_OFFERED = "way.not_offered", "{spots}-spot ways are not offered on {schedule}."
    NEVER_WINS = "way.never_wins", "{spots}-spot ways can never win on {schedule}."
    TOO_FEW_WAYS = (
        "schedule.too_few_ways",
        "{schedule} takes at least {least} ways; this ticket plays {ways} on it.",
    )
    SCHEDULE_TICKET_TOO_LOW = (
        "schedule.price_too_low",
        "{schedule} takes at least {least} a ticket; this ticket plays {price} on it.",
    )
    WRONG_GAMES = (
        "games.out_of_range",
        "The number of games goes from 1 to {most}; it is not {games}.",
    )

    # The price.
    TOO_LARGE = "ticket.too_large", "The ticket is too large: its {what} could pass {limit}."
    PRICE_TOO_LOW = "ticket.price_too_low", "The ticket costs {price}; the minimum is {least}."
    PRICE_TOO_HIGH = "ticket.price_too_high", "The ticket costs {price}; the maximum is {most}."
    PRICE_DIFFERS = (
        "ticket.price_differs",
        "The request says {written}, but the ticket costs {price} ({a_game} a game x {games}).",
    )

    # What it is paid with.
    TENDER_UNREADABLE = (
        "tender.unreadable",
        '"{text}" is no money; write 20, chips5, coin2.50, tokens3 or coupon:SERIAL=5.',
    )
    TENDER_TOO_LITTLE = (
        "tender.too_little",
        "The ticket costs {price}; {tendered} was tendered, {missing} is missing.",
    )
    COUPON_TOO_LARGE = (
        "tender.coupon_too_large",
        "Coupons give no change: {coupons} in coupons is more than the {price} the ticket costs.",
    )
    COUPON_TWICE = "tender.coupon_twice", "Coupon {serial} was tendered twice."
    SERIAL_MISSING = (
        "tender.serial_missing",
        "A coupon needs its serial number: 1 to 40 letters and digits.",
    )
    SERIAL_UNKNOWN_KIND = "tender.serial_not_coupon", "Only a coupon has a serial number."

    # Grading and odds.
    NOT_PICKED = "draw.not_picked", "The quick-pick has no numbers yet, so it cannot be graded."
    NO_DRAW = "draw.none", "There is no draw to grade against."
    TOO_MANY_DRAWS = "draw.too_many", "There are more draws ({draws}) than games ({games})."
    NOT_TWENTY = "draw.not_twenty", "Draw {draw}: 20 numbers are drawn, not {count}."
    DRAW_OFF_BOARD = "draw.off_the_board", "Draw {draw} has {numbers}; the board has 1 to 80."
    DRAW_TWICE = "draw.number_twice", "Draw {draw} has {numbers} more than once."
    NO_SUCH_SPOTS = (
        "odds.no_such_spots",
        "The number of spots of a way goes from 1 to 80; it is not {spots}.",
    )

    # The rate card, first as a document, then before the law.
    TOO_MANY_SCHEDULES = "card.too_many_schedules", "The card has more than {limit} schedules."
    NO_REGULAR = "card.no_regular", "The card has no schedule named regular."
    SCHEDULE_NAME = (
        "card.schedule_name",
        "{name} cannot name a schedule; use 3 to 40 of a-z, 0-9 and -, a letter first.",
    )
    NOT_A_COUNT = "card.not_a_count", "{key} stands where a number from {low} to {high} belongs."
    RANGE_REVERSED = "card.range_reversed", "The minimum {low} is above the maximum {high}."
    SPOTS_ABOVE_MAX = (
        "card.spots_above_max",
        "{schedule} offers {spots}-spot ways; the card's largest number of spots is {most}.",
    )
    PAYS_NOTHING = (
        "card.pays_nothing",
        "{schedule}: {catch} caught on {spots}-spot ways pays nothing; list winning catches only.",
    )
    NO_WINNING_CATCH = "card.no_winning_catch", "{schedule}: {spots}-spot ways can never win."
    NOTHING_OFFERED = "card.nothing_offered", "{schedule} pays no number of spots."
    NOTHING_SOLD = (
        "card.nothing_sold",
        "{schedule}: its smallest ticket costs {least}, above the card's maximum of {most}.",
    )
    ADVANTAGE_TOO_HIGH = (
        "card.advantage_too_high",
        "{schedule}: {spots}-spot ways at {rate} leave the house {advantage}; the law allows 30%.",
    )
    ADVANTAGE_TOO_LOW = (
        "card.advantage_too_low",
        "{schedule}: {spots}-spot ways at {rate} leave the house {advantage}; it must be above 0%.",
    )
    NOT_PROPORTIONAL = (
        "card.not_proportional",
        "{schedule}: {spots}-spot ways do not pay in proportion to the regular rate.",
    )
    AGGREGATE_TOO_LOW = (
        "card.aggregate_too_low",
        "The aggregate limit is {limit}; the law asks for at least {least}.",
    )
    IN_FULL_ABOVE_LIMIT = (
        "card.in_full_above_limit",
        "The part paid in full, {part}, is above the aggregate limit of {limit}.",
    )
    CLAIM_TOO_SHORT = (
        "card.claim_too_short",
        "The claim period is {minutes} minutes; the law asks for at least {least}.",
    )
    CLAIM_TOO_LONG = (
        "card.claim_too_long",
        "The claim period is {minutes} minutes; the law allows a year, {most}.",
    )


@dataclass(frozen=True)
class Refusal:
    """One reason for saying no."""

    code: str
    message: str
    place: str
    precedence: int


class Refused(Exception):  # noqa: N818  a refusal is an answer, not an error
    """What was asked is refused, for one reason or several."""

    def __init__(self, refusals: Iterable[Refusal]) -> None:
        self.refusals = in_order(refusals)
        super().__init__("; ".join(refusal.message for refusal in self.refusals))


def refusal(code: Coded, place: str = "", **facts: object) -> Refusal:
    """Fill in the sentence of a code with the facts of the case."""
    return Refusal(code.code, code.sentence.format(**facts), place, code.precedence)


def in_order(refusals: Iterable[Refusal]) -> tuple[Refusal, ...]:
    """Return refusals by precedence, those of one code as they were found; a hundred at most."""
    found = sorted(refusals, key=lambda refusal: refusal.precedence)
    return tuple(found[:REPORTED_MAX])


@contextmanager
def placed_within(place: str) -> Iterator[None]:
    """Let the places of whatever is refused here begin with the place of the whole."""
    try:
        yield
    except Refused as refused:
        raise Refused(
            replace(each, place=f"{place}.{each.place}" if each.place else place)
            for each in refused.refusals
        ) from None


def refuse_first(refusals: Iterable[Refusal]) -> None:
    """Refuse an act for the first reason by precedence, if there is one."""
    found = in_order(refusals)
    if found:
        raise Refused(found[:1])


def refuse_all(refusals: Iterable[Refusal]) -> None:
    """Refuse a document for every reason, if there is one."""
    found = in_order(refusals)
    if found:
        raise Refused(found)


def quoted(text: str) -> str:
    """Return somebody's text so that it can stand in a sentence: short, one line, printable."""
    short = text if len(text) <= _QUOTED_MAX else text[:_QUOTED_MAX] + "..."
    return short.encode("unicode_escape").decode("ascii")


def listed(numbers: Iterable[int]) -> str:
    """Return numbers so that they can stand in a sentence; the first few of many."""
    few = sorted(set(numbers))
    tail = ", ..." if len(few) > 5 else ""
    return ", ".join(quoted(str(number)) for number in few[:5]) + tail
