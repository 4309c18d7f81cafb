"""What every stage needs of its surroundings: the database, the keys, entropy."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import cached_property
from threading import Lock

from argon2 import PasswordHasher

from app.audit.entries import SALT_BYTES, Entry, make_entry
from app.audit.tags import Tag
from app.entropy import Entropy, system_entropy
from app.flow.keys import Keys
from app.flow.placements import Placements
from app.flow.refusals import No, say_no
from app.flow.turns import Turns
from app.keno.card_file import read_card
from app.keno.rate_card import RateCard
from app.moments import moment_words
from app.rng_client import KeyedProcesses, NotNow
from app.store.database import Database
from app.store.queries import cards, house
from app.store.queries.house import HouseRow
from app.store.records import log
from app.store.records.together import Row, add_several, add_together
from app.store.unit import Unit, unit_of
from printers.allowed import NOWHERE, Allowed

# Wrong names and secrets at one station: more than people mistype, and few enough for the log.
STATION_TRIES, ONE_TRY_IN = 30, timedelta(seconds=20)


@dataclass(frozen=True)
class Logged:
    """An entry that was just added: its id, and the leaf that commits to its body."""

    id: int
    leaf: bytes


class NotFounded(Exception):  # noqa: N818  the operator's to do
    """The house was not founded yet."""


@dataclass
class Office:
    """The back office of one house."""

    database: Database
    keys: Keys
    keyed: KeyedProcesses | None = None
    entropy: Entropy = system_entropy
    hasher: PasswordHasher = field(default_factory=PasswordHasher)
    selling: Turns = field(default_factory=Turns)
    allowed: Allowed = NOWHERE  # where printers may be, by the settings of this machine
    placements: Placements = field(default_factory=Placements)
    # Alarms whose beginning nobody records, and since when this process knows of them.
    noticed: dict[tuple[str, str], datetime] = field(default_factory=dict)
    # The newest signed head that was made sure of, and who makes sure of the next.
    sure_head: str | None = None
    making_sure: Lock = field(default_factory=Lock)
    _cards: dict[int, RateCard] = field(default_factory=dict)

    @contextmanager
    def unit(self) -> Iterator[Unit]:
        """Begin a unit of work; leaving without commit undoes it."""
        with unit_of(self.database) as unit:
            yield unit

    def now(self) -> datetime:
        """Return the time by the one clock of the house."""
        with self.database.reading() as connection:
            return Unit(self.database, connection).now()

    def moment(self, at: datetime) -> str:
        """Return a moment as it is said here, by the clock on the wall."""
        return moment_words(at, self.house.time_zone)

    @cached_property
    def house(self) -> HouseRow:
        """The house, which never changes once it is founded."""
        found = self.find_house()
        if found is None:
            raise NotFounded
        return found

    def read_house_again(self) -> None:
        """Forget what was read of the house: its log goes on under another name."""
        self.__dict__.pop("house", None)

    def close(self) -> None:
        """Close every connection."""
        if self.keyed is not None:
            self.keyed.close()
        self.database.close()

    def check_ready(self) -> None:
        """Check that games can be drawn: both keyed processes are there and ready.

        Refuses: if they are not.
        """
        if self.keyed is None:
            why = "this process was not told where the keyed processes are."
            raise say_no(No.NOT_READY, why=why)
        try:
            self.keyed.check_ready()
        except NotNow as trouble:
            raise say_no(No.NOT_READY, why=str(trouble)) from None

    def find_house(self) -> HouseRow | None:
        """Return the house, if it was founded."""
        with self.database.reading() as connection:
            return house.house(connection)

    def card(self, unit: Unit, card: int) -> RateCard:
        """Return a version of the rate card; versions never change, so each is read once."""
        if card not in self._cards:
            self._cards[card] = read_card(cards.card_with(unit.connection, card).file.encode())
        return self._cards[card]

    def log(self, unit: Unit, tag: Tag, body: Mapping[str, object]) -> Logged:
        """Add an entry to the log, in the transaction of the act that it tells of.

        Refuses: acts in a restored house whose log is not complete (X-recovery).
        """
        entry = make_entry(tag, _marked(unit, body), self.entropy(SALT_BYTES))
        try:
            return Logged(log.add_entry(unit, _stored(entry)), entry.leaf)
        except log.LogIncomplete:
            raise say_no(No.ENTRIES_MISSING) from None

    def log_with(
        self, unit: Unit, tag: Tag, body: Mapping[str, object], rows: Sequence[Row]
    ) -> Logged:
        """Add an entry together with the rows of its act, in as few round trips as can be.

        Refuses: as `log`.
        """
        entry = make_entry(tag, _marked(unit, body), self.entropy(SALT_BYTES))
        try:
            return Logged(add_together(unit, _stored(entry), rows), entry.leaf)
        except log.LogIncomplete:
            raise say_no(No.ENTRIES_MISSING) from None

    def log_several(
        self, unit: Unit, tag: Tag, acts: Sequence[tuple[Mapping[str, object], Sequence[Row]]]
    ) -> None:
        """Add the entries of several acts of one kind, each with its rows.

        Refuses: as `log`.
        """
        made = [(make_entry(tag, body, self.entropy(SALT_BYTES)), rows) for body, rows in acts]
        try:
            add_several(unit, [(_stored(entry), rows) for entry, rows in made])
        except log.LogIncomplete:
            raise say_no(No.ENTRIES_MISSING) from None


def _marked(unit: Unit, body: Mapping[str, object]) -> Mapping[str, object]:
    """Return what an entry says, and by whom it was approved in an emergency, if it was."""
    return {**body, "emergency": sorted(unit.in_emergency)} if unit.in_emergency else body


def _stored(entry: Entry) -> dict[str, object]:
    """Return an entry as its row."""
    return {"tag": entry.tag.value, "salt": entry.salt, "body": entry.body, "leaf": entry.leaf}
