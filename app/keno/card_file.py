"""The rate card as a TOML file: read whole, every fault reported at once.

A card that is read without a fault is *well formed*: its fields are there and mean something.
Whether it may be put into force is for `card_checks` to say. So that the owner of a card with a
mistyped field still hears what the law holds against the rest of it, a faulty limit is replaced by
a value that no check objects to, and a schedule with a faulty value is left out.
"""

import re
import tomllib
from collections.abc import Mapping
from types import MappingProxyType

from app.keno.conditioning_text import SCHEDULE_NAME
from app.keno.fields import Fields
from app.keno.money import LARGEST, Rounding, dollars
from app.keno.odds import possible_catches
from app.keno.rate_card import CLAIM_MOST_MINUTES, Approval, Departure, Limits, RateCard, Schedule
from app.keno.refusals import Code, Refusal, Refused, quoted, refusal, refuse_all
from app.keno.request import REGULAR
from app.keno.spots import NUMBERS

FILE_MAX = 128 * 1024
SCHEDULES_MAX = 50
REFERENCE_MAX = 100
# A key has five parts at most. Python's TOML reader takes quadratic time and memory over long ones.
_DOTS_MAX = 50

_SCHEDULE_NAME_MAX = 40
_COUNT = re.compile(r"0|[1-9][0-9]?")


def read_card(file: bytes) -> RateCard:
    """Return the card of a well-formed file; refuse any other."""
    card, faults = read_card_and_faults(file)
    refuse_all(faults)
    return card


def read_card_and_faults(file: bytes) -> tuple[RateCard, tuple[Refusal, ...]]:
    """Return what could be read of the card, and every fault of the file.

    Refuses: what is not TOML, and a file that has as many faults as are ever reported.
    """
    faults: list[Refusal] = []
    document = Fields(_read_toml(file), "", faults)
    name = document.text("name")
    approval = _read_approval(document)
    limits = _read_limits(document.inner("limits"), faults)
    schedules = _read_schedules(document.inner("schedules"), faults)
    document.no_more()
    return RateCard(name, limits, schedules, approval), tuple(faults)


def _read_approval(document: Fields) -> Approval | None:
    if not document.has("approval"):
        return None
    fields = document.inner("approval")
    approval = Approval(
        fields.words("reference", REFERENCE_MAX), fields.date("date"), fields.digest("digest")
    )
    fields.no_more()
    return approval


def _read_toml(file: bytes) -> Mapping[str, object]:
    if len(file) > FILE_MAX:
        raise Refused([refusal(Code.TOO_LONG, limit=FILE_MAX)])
    if any(
        line.count(b".") > _DOTS_MAX and not line.lstrip().startswith(b"#")
        for line in file.splitlines()
    ):
        raise Refused([refusal(Code.NOT_TOML, reason=f"a line has more than {_DOTS_MAX} dots")])
    try:
        return tomllib.loads(file.decode("utf-8-sig"))
    except UnicodeDecodeError:
        raise Refused([refusal(Code.NOT_UTF8)]) from None
    except (ValueError, RecursionError) as trouble:  # ValueError: also a number beyond all limits
        raise Refused([refusal(Code.NOT_TOML, reason=quoted(str(trouble)))]) from None


def _read_limits(fields: Fields, faults: list[Refusal]) -> Limits:
    limits = Limits(
        spots_max=fields.whole("spots_max", 1, NUMBERS, if_faulty=NUMBERS),
        games_max=fields.whole("games_max", 1),
        ticket_min_cents=fields.whole("ticket_min_cents", 1),
        ticket_max_cents=fields.whole("ticket_max_cents", 1, if_faulty=LARGEST),
        aggregate_cents=fields.maybe_whole("aggregate_cents", 1),
        in_full_below_cents=fields.whole("in_full_below_cents", default=0),
        claim_minutes=fields.whole("claim_minutes", 1, if_faulty=CLAIM_MOST_MINUTES),
        rounding=Rounding(fields.choice("rounding", Rounding, default=Rounding.UP)),
    )
    fields.no_more()
    _check_range("limits", limits.ticket_min_cents, limits.ticket_max_cents, faults)
    return limits


def _read_schedules(fields: Fields, faults: list[Refusal]) -> Mapping[str, Schedule]:
    schedules: dict[str, Schedule] = {}
    names = fields.take_names()
    if REGULAR not in names:
        faults.append(refusal(Code.NO_REGULAR, "schedules"))
    if len(names) > SCHEDULES_MAX:
        faults.append(refusal(Code.TOO_MANY_SCHEDULES, "schedules", limit=SCHEDULES_MAX))
    for name in names[:SCHEDULES_MAX]:
        if not SCHEDULE_NAME.fullmatch(name) or len(name) > _SCHEDULE_NAME_MAX:
            faults.append(refusal(Code.SCHEDULE_NAME, "schedules", name=quoted(name)))
            continue
        faults_before = len(faults)
        schedule_fields = fields.inner(name)
        schedule = _read_schedule(name, schedule_fields, faults)
        if len(faults) == faults_before:
            schedules[name] = schedule
        schedule_fields.no_more()  # last: an unknown field makes no value of the schedule wrong
    return MappingProxyType(schedules)


def _read_schedule(name: str, fields: Fields, faults: list[Refusal]) -> Schedule:
    schedule = Schedule(
        name=name,
        base_cents=fields.whole("base_cents", 1),
        rate_min_cents=fields.whole("rate_min_cents", 1),
        rate_max_cents=fields.whole("rate_max_cents", 1, if_faulty=LARGEST),
        rate_step_cents=fields.whole("rate_step_cents", 1),
        ways_min=fields.whole("ways_min", 1, default=1),
        ticket_min_cents=fields.whole("ticket_min_cents", default=0),
        pays_cents=_read_pays(fields.inner("pays"), f"schedules.{name}.pays", faults),
        departs_from_proportion=_read_departure(name, fields),
    )
    _check_range(f"schedules.{name}", schedule.rate_min_cents, schedule.rate_max_cents, faults)
    return schedule


def _read_departure(name: str, fields: Fields) -> Departure | None:
    """Return why a special rate may depart from the regular one; the regular one has no such."""
    if name == REGULAR or not fields.has("departs_from_proportion"):
        return None
    inner = fields.inner("departs_from_proportion")
    departure = Departure(inner.words("approval", REFERENCE_MAX), inner.date("date"))
    inner.no_more()
    return departure


def _read_pays(
    fields: Fields, place: str, faults: list[Refusal]
) -> Mapping[int, Mapping[int, int]]:
    pays: dict[int, Mapping[int, int]] = {}
    for key, spots in _read_counts(fields, range(1, NUMBERS + 1), place, faults):
        catches = fields.inner(key)
        pays[spots] = MappingProxyType(
            {
                caught: catches.whole(catch)
                for catch, caught in _read_counts(
                    catches, possible_catches(spots), f"{place}.{key}", faults
                )
            }
        )
    return MappingProxyType(dict(sorted(pays.items())))


def _read_counts(
    fields: Fields, possible: range, place: str, faults: list[Refusal]
) -> list[tuple[str, int]]:
    """Return the names of the fields with the numbers they stand for, rising."""
    counts = []
    for name in fields.take_names():
        if _COUNT.fullmatch(name) and int(name) in possible:
            counts.append((name, int(name)))
        else:
            low, high = possible[0], possible[-1]
            faults.append(refusal(Code.NOT_A_COUNT, place, key=quoted(name), low=low, high=high))
    return sorted(counts, key=lambda count: count[1])


def _check_range(place: str, low_cents: int, high_cents: int, faults: list[Refusal]) -> None:
    if low_cents > high_cents:
        faults.append(
            refusal(Code.RANGE_REVERSED, place, low=dollars(low_cents), high=dollars(high_cents))
        )
