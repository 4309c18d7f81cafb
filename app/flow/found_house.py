"""Founding a house: its series, locations, stations and first staff, in one transaction."""

from dataclasses import dataclass

from app.audit.tags import Tag
from app.clock import time_text
from app.flow.access import ENROLMENT_BYTES, digest, told_of_secret
from app.flow.office import Office
from app.flow.refusals import No, say_no
from app.keno.refusals import quoted
from app.store.records import house as records
from app.store.records import log
from app.store.tables import LocationKind, Role
from rng.merkle import EMPTY_ROOT


@dataclass(frozen=True)
class SeriesPlan:
    """A series to come."""

    code: str
    name: str
    first_game: int = 1


@dataclass(frozen=True)
class LocationPlan:
    """A booth or satellite to come, with its stations."""

    code: str
    kind: LocationKind
    name: str
    series: tuple[str, ...]
    stations: tuple[str, ...]


@dataclass(frozen=True)
class StaffPlan:
    """One of the first staff."""

    code: str
    name: str
    role: Role
    secret: str


@dataclass(frozen=True)
class HousePlan:
    """A house to come."""

    name: str
    jurisdiction: str
    log_origin: str
    series: tuple[SeriesPlan, ...]
    locations: tuple[LocationPlan, ...]
    staff: tuple[StaffPlan, ...]
    time_zone: str = "America/New_York"
    day_starts_minutes: int = 6 * 60
    demonstration: bool = False
    secrets_given: bool = False  # whoever wrote the plan knows them: each chooses an own one first


def found_house(office: Office, plan: HousePlan) -> dict[str, str]:
    """Found a house, and return the enrolment code of each station, which is shown this once.

    Refuses: a name or code that goes on paper and cannot be printed.
    """
    _check_printable(plan)
    secrets = {person.code: office.hasher.hash(person.secret) for person in plan.staff}
    enrolments: dict[str, str] = {}
    with office.unit() as unit:
        log.start_log(unit, EMPTY_ROOT)
        terms = {
            "name": plan.name,
            "jurisdiction": plan.jurisdiction,
            "log_origin": plan.log_origin,
            "time_zone": plan.time_zone,
            "day_starts_minutes": plan.day_starts_minutes,
            "demonstration": plan.demonstration,
        }
        records.add_house(unit, dict(terms))
        now = time_text(unit.now())
        office.log(
            unit,
            Tag.HOUSE,
            {
                **terms,
                "time": now,
                "series": [[each.code, each.first_game] for each in plan.series],
            },
        )
        for series in plan.series:
            records.add_series(unit, series.code, series.name, series.first_game)
        for place in plan.locations:
            records.add_location(unit, place.code, place.kind, place.name, list(place.series))
            for station in place.stations:
                enrolments[station] = office.entropy(ENROLMENT_BYTES).hex()
                records.add_station(unit, station, place.code, digest(enrolments[station]))
                body = {"station": station, "change": "added", "location": place.code}
                office.log(unit, Tag.STATION, {**body, "by": "founding", "time": now})
        for person in plan.staff:
            who = (person.code, person.name, person.role, secrets[person.code])
            records.add_staff(unit, *who, given=plan.secrets_given)
            body = {"staff": person.code, "change": "added", "name": person.name}
            told = told_of_secret(secrets[person.code], given=plan.secrets_given)
            said = {**body, "role": person.role.value, **told, "by": "founding", "time": now}
            office.log(unit, Tag.STAFF, said)
        unit.commit()
    return enrolments


def _check_printable(plan: HousePlan) -> None:
    """Check that all that goes on paper has plain letters, or no ticket could be printed."""
    codes = [*(series.code for series in plan.series), *(person.code for person in plan.staff)]
    codes += [station for place in plan.locations for station in place.stations]
    for text in (plan.name, *codes):
        if not (text.strip() and text.isascii() and text.isprintable()):
            raise say_no(No.NOT_PLAIN, text=quoted(text))
