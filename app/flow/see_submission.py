"""The rules of the games as they are in force: gathered from the database and from the rules.

Read only. Whoever submits them, or reads what was submitted, sees figures of this database and of
this code, and none that somebody typed (15.3(d), 15.3(e), 15.6(c)).
"""

from hashlib import sha256

from app.flow import override
from app.flow.change_notice import change_notice
from app.flow.day import gaming_day
from app.flow.office import Office
from app.flow.permissions import FOR
from app.flow.refusals import No, say_no
from app.flow.see_keys import public_keys
from app.keno.house_settings import Setting
from app.keno.retention import RecordKind
from app.keno.submission import LocationRules, SeriesRules, Submission
from app.store.queries import Reading, cards, house, keeping, payments, records, running
from app.store.unit import Unit


def see_submission(office: Office) -> Submission:
    """Return what this house submits, as it is now.

    Refuses: while no rate card holds.
    """
    with office.database.reading() as connection:
        unit = Unit(office.database, connection)
        now, told = unit.now(), office.house
        card = cards.card_in_force(connection, now)
        if card is None:
            raise say_no(No.NO_CARD)
        since = max(
            term.effective_at
            for term in cards.terms(connection)
            if term.card == card and term.effective_at <= now
        )
        return Submission(
            house=told.name,
            jurisdiction=told.jurisdiction,
            is_demonstration=told.demonstration,
            time_zone=told.time_zone,
            day_starts_minutes=told.day_starts_minutes,
            day=gaming_day(now, told.time_zone, told.day_starts_minutes),
            series=_series(connection),
            locations=_locations(connection),
            card=office.card(unit, card),
            card_hash=cards.card_with(connection, card).hash.hex(),
            card_since=office.moment(since),
            house_amounts=tuple(payments.house_amounts(connection)),
            settings={each: house.setting(connection, each) for each in Setting},
            who_may={
                act.value: tuple(sorted(role.value.replace("-", " ") for role in roles))
                for act, roles in FOR.items()
            },
            notice=override.NOTICE,
            card_notice=change_notice(office, unit),
            override_most=override.AHEAD_MOST,
            keys={
                name: sha256(bytes.fromhex(key)).hexdigest()
                for name, key in sorted(public_keys(office).items())
            },
            retention={kind: keeping.retention(connection, kind) for kind in RecordKind},
        )


def _series(connection: Reading) -> tuple[SeriesRules, ...]:
    names = house.series_names(connection)
    return tuple(
        SeriesRules(
            each.code,
            names[each.code],
            each.first_game,
            each.interval_seconds,
            each.opens_minutes,
            each.closes_minutes,
        )
        for each in running.all_series(connection)
    )


def _locations(connection: Reading) -> tuple[LocationRules, ...]:
    stations = records.stations(connection)
    return tuple(
        LocationRules(
            each.code,
            each.name,
            each.kind,
            tuple(house.series_at(connection, each.code)),
            tuple(station.code for station in stations if station.location == each.code),
        )
        for each in house.location_rows(connection)
    )
