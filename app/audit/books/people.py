"""Who works here and where, and on which terms the house was founded, against the log (X-access).

Whoever has the database in their hands could make a writer a supervisor, let somebody work who was
sent away, or become somebody, by a secret or a token of their own: the rows of people, stations,
sign-ins, series and of the house itself can be changed, because they do change. What they came to
is told by the log; of secrets and tokens it has digests of what is stored, since entries have them.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from typing import Any

from app.audit.books.house import House
from app.audit.books.looks import Look, Thing
from app.audit.books.stretch import Stretch
from app.audit.faults import Fault
from app.store.queries.books import standing
from app.store.queries.books.rows import StoredEntry

TERMS = ("name", "jurisdiction", "time_zone", "day_starts_minutes", "demonstration")
PLANNED = ("interval_seconds", "opens_minutes", "closes_minutes")
SECRET_IS_SET = ("added", "given a new secret", "chose an own secret")
TO_BE_ENROLLED = ("added", "enabled", "to be enrolled again")
UNKNOWN = object()  # what an entry from before does not tell
NEVER = datetime.min.replace(tzinfo=UTC)
A_DAY = timedelta(days=1)  # longer than anybody stays signed in
AT_FIRST = {"interval_seconds": None, "opens_minutes": 0, "closes_minutes": 1440}


def people() -> list[Look]:
    """People, stations, series and the house are what the log says they came to."""
    told = Told()
    return [
        Look(Thing.ENTRY, told.note),
        Look(Thing.END, told.check_people),
        Look(Thing.END, told.check_secrets),
        Look(Thing.END, told.check_stations),
        Look(Thing.END, told.check_tokens),
        Look(Thing.END, told.check_signed_in),
        Look(Thing.END, told.check_house),
        Look(Thing.END, told.check_series),
    ]


@dataclass(frozen=True)
class _SignIn:
    """Somebody who signed in: when, and who at which station."""

    at: datetime
    who: tuple[str, str]


class Told:
    """What the entries say of people, stations, series and the house, in their order."""

    def __init__(self) -> None:
        self._people: dict[str, dict[str, Any]] = {}
        self._stations: dict[str, dict[str, Any]] = {}
        self._plans: dict[str, dict[str, Any]] = {}
        self._terms: dict[str, Any] | None = None
        self._rebuilt = False  # then whoever came since the backup is here, and disabled
        # Of the last day, by what is told of the token; where nothing is, by the entry.
        self._sign_ins: dict[str | int, _SignIn] = {}

    def note(self, entry: StoredEntry, _: Stretch) -> Iterator[Fault]:
        """Note what an entry says; a house is founded once."""
        body = entry.body
        self._note_access(entry)
        founded = entry.tag == "STAFF" and body.get("by") == "founding"
        # Who is founded waits for nothing, so nobody is founded behind the others.
        if founded and body["time"] != (self._terms or {}).get("time"):
            yield Fault("people", f"{body['staff']} was not founded with the house")
        if entry.tag == "SERIES":
            self._plans[body["series"]] = body["after"]
        elif entry.tag == "NEW-ORIGIN" and self._terms is not None:
            self._terms["log_origin"] = body["new_origin"]
        elif entry.tag == "HOUSE":
            if self._terms is not None:
                yield Fault("people", f"entry {entry.id} founds the house a second time")
            self._terms = dict(body)

    def _note_access(self, entry: StoredEntry) -> None:
        body = entry.body
        if entry.tag == "STAFF":
            _change(self._people, body["staff"], body)
        elif entry.tag == "STATION":
            _change(self._stations, body["station"], body)
        elif entry.tag == "ENROL" and body["station"] in self._stations:
            self._stations[body["station"]]["token"] = body.get("token", UNKNOWN)
        elif entry.tag == "SIGN-IN":
            self._note_sign_in(entry)
        elif entry.tag == "REFILLED":
            self._rebuilt = True
            for told in (*self._people.values(), *self._stations.values()):
                # Secrets and tokens were not in what came back, and there are others now.
                told.update(dict.fromkeys(("name", "secret", "given", "token"), UNKNOWN))

    def check_people(self, _: object, house: House) -> Iterator[Fault]:
        """Everybody was added, has the role of then, and is disabled if the log says so."""
        rows = standing.people(house.connection)
        for each in rows:
            code, told = each.code, self._people.get(each.code)
            if told is None:
                yield Fault("people", f"{code} was never added")
            elif told["role"] != each.role:
                yield Fault("people", f"{code} is {each.role}, and was added as {told['role']}")
            elif not self._agrees(told, each.is_disabled):
                yield Fault("people", f"whether {code} is disabled is not what the log says")
        for code in sorted(self._people.keys() - {each.code for each in rows}):
            yield Fault("people", f"{code} was added, and is not there")

    def check_secrets(self, _: object, house: House) -> Iterator[Fault]:
        """Everybody has the name and the secret that the log tells of, given or their own."""
        for each in standing.people(house.connection):
            told = self._people.get(each.code, {})
            if told.get("name", UNKNOWN) not in (UNKNOWN, each.name):
                yield Fault("people", f"{each.code} has another name than they were added with")
            digest = sha256(each.secret.encode()).hexdigest()
            if told.get("secret", UNKNOWN) not in (UNKNOWN, digest):
                yield Fault("people", f"{each.code} has a secret of which the log does not tell")
            elif told.get("given", UNKNOWN) not in (UNKNOWN, each.is_given):
                yield Fault(
                    "people",
                    f"whether the secret of {each.code} was given is not what the log says",
                )

    def check_stations(self, _: object, house: House) -> Iterator[Fault]:
        """Every station was added where it is, and is disabled if the log says so."""
        rows = standing.stations(house.connection)
        for each in rows:
            code, told = each.code, self._stations.get(each.code)
            if told is None:
                yield Fault("people", f"station {code} was never added")
            elif told["location"] != each.location:
                yield Fault("people", f"station {code} is not where it was added")
            elif not self._agrees(told, each.is_disabled):
                yield Fault(
                    "people", f"whether station {code} is disabled is not what the log says"
                )
        for code in sorted(self._stations.keys() - {each.code for each in rows}):
            yield Fault("people", f"station {code} was added, and is not there")

    def check_tokens(self, _: object, house: House) -> Iterator[Fault]:
        """Every station is known by the token with which it enrolled last, or by none."""
        for each in standing.stations(house.connection):
            told = self._stations.get(each.code, {})
            digest = None if each.token is None else sha256(each.token).hexdigest()
            if told.get("token", UNKNOWN) not in (UNKNOWN, digest):
                yield Fault("people", f"station {each.code} did not enrol as the log says")

    def check_signed_in(self, _: object, house: House) -> Iterator[Fault]:
        """Whoever is signed in has signed in, as themselves and where they are."""
        since = max((each.at for each in self._sign_ins.values()), default=NEVER)
        untold = {each.who for token, each in self._sign_ins.items() if isinstance(token, int)}
        for row in standing.signed_in(house.connection, since):
            who = (row.staff, row.station)
            told = self._sign_ins.get(sha256(row.token).hexdigest())
            if who not in untold if told is None else told.who != who:
                yield Fault("people", f"{row.staff} is at {row.station}, and did not sign in there")

    def _note_sign_in(self, entry: StoredEntry) -> None:
        body = entry.body
        told = _SignIn(datetime.fromisoformat(body["time"]), (body["staff"], body["at"]))
        self._sign_ins[body.get("token", entry.id)] = told
        while next(iter(self._sign_ins.values())).at < told.at - A_DAY:
            del self._sign_ins[next(iter(self._sign_ins))]

    def _agrees(self, told: dict[str, Any], is_disabled: bool) -> bool:
        return told["disabled"] == is_disabled or (self._rebuilt and is_disabled)

    def check_house(self, _: object, house: House) -> Iterator[Fault]:
        """The house is the one that was founded."""
        row, told = standing.house_row(house.connection), self._terms or {}
        names = (*TERMS, "log_origin")
        if [row.get(name) for name in names] != [told.get(name) for name in names]:
            yield Fault("people", "the house is not the one that was founded")

    def check_series(self, _: object, house: House) -> Iterator[Fault]:
        """Every series begins where it was founded to, and has the times that were set last."""
        first = dict((self._terms or {}).get("series", []))
        for row in standing.series(house.connection):
            code = row["code"]
            told = {"first_game": first.get(code)} | self._plans.get(code, AT_FIRST)
            if any(row[name] != told[name] for name in ("first_game", *PLANNED)):
                yield Fault("people", f"series {code} is not as the log says")
        if {row["code"] for row in standing.series(house.connection)} != set(first):
            yield Fault("people", "the series are not those that were founded")


def _change(known: dict[str, dict[str, Any]], code: str, body: dict[str, Any]) -> None:
    change = body["change"]
    if change == "added":
        known[code] = {**body, "disabled": False}
    if code not in known:
        return
    if change in ("disabled", "enabled"):
        known[code]["disabled"] = change == "disabled"
    if "staff" in body and change in SECRET_IS_SET:
        known[code] |= {name: body.get(name, UNKNOWN) for name in ("secret", "given")}
    if "station" in body and change in TO_BE_ENROLLED:
        known[code]["token"] = None
