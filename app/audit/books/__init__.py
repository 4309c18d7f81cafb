"""The books: the whole state worked out again from stored facts (X-audit-books).

A second opinion: it shares no code with the stages that wrote the facts. It goes through the log
from its beginning to its end, stretch by stretch, each with every row that belongs to it; then
through all games from the newest back, each with its outcome, its wins and the tickets that play
it. So a year takes no more memory than a day. Each check is a list of small functions that are
shown one thing after the other and yield what is wrong with it; all of them always run.

`keno books` prints the outcome, tests run it after each step, a house every night.
"""

import gc
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from app.audit.archives import NO_ARCHIVES, Archives, Shelf
from app.audit.books.approvals import approvals
from app.audit.books.cards import cards
from app.audit.books.copies import copies
from app.audit.books.days import days
from app.audit.books.drawers import drawers
from app.audit.books.entries import entries, facts
from app.audit.books.house import House, read_house
from app.audit.books.locks import locks, sold_files
from app.audit.books.looks import Look, Thing
from app.audit.books.money import money
from app.audit.books.numbers import numbers
from app.audit.books.outcomes import draws_in_turn, outcomes
from app.audit.books.papers import papers
from app.audit.books.patrons import contacts
from app.audit.books.payments import payments
from app.audit.books.people import people
from app.audit.books.placed import placed
from app.audit.books.played import read_games
from app.audit.books.prices import prices
from app.audit.books.shown import shown
from app.audit.books.stretch import read_stretches
from app.audit.books.tender import tender
from app.audit.books.wins import wins
from app.audit.faults import Finding
from app.audit.log_check import check_log
from app.store.queries import Reading
from app.store.queries.books import standing
from app.store.queries.books.span import go_by_indexes, newest_entry

CHECKS: dict[str, Callable[[], list[Look]]] = {
    "numbers": numbers,
    "cards": cards,
    "prices": prices,
    "locks": locks,
    "sold files": sold_files,
    "tender": tender,
    "money": money,
    "entries": entries,
    "facts": facts,
    "outcomes": outcomes,
    "draws in turn": draws_in_turn,
    "wins": wins,
    "payments": payments,
    "shown": shown,
    "approvals": approvals,
    "people": people,
    "placed": placed,
    "papers": papers,
    "copies": copies,
    "contacts": contacts,
    "drawers": drawers,
    "days": days,
}
Progress = Callable[[str, int, int], None]  # what is read, how far, and how far it goes


@dataclass(frozen=True)
class Sizes:
    """How much is read at once."""

    entries: int = 2_000
    games: int = 40
    tickets: int = 2_000  # with which a run of games ends


AT_ONCE = Sizes()


def check_books(  # noqa: PLR0913  what is read, by which keys, how, and who watches
    connection: Reading,
    origin: str,
    log_key: Ed25519PublicKey,
    draw_keys: Mapping[str, str],
    archives: Shelf = NO_ARCHIVES,
    *,
    sizes: Sizes = AT_ONCE,
    progress: Progress = lambda *_: None,
) -> dict[str, Finding]:
    """Run every check; return what each has found.

    What went into an archive is checked from its file, which must be at hand; without it the log
    can be checked, and nothing that needs what the old entries say.

    Args:
        connection: where everything is read, at one moment.
        origin: the name of the log.
        log_key: by which its heads are signed.
        draw_keys: the public keys of the draw, by role.
        archives: the archives that are at hand; what cannot be read of them is a fault.
        sizes: how much is read at once.
        progress: is told now and then how far it is.
    """
    go_by_indexes(connection)
    at_hand, desk = Archives(archives.files), Desk()
    at_hand.begin(connection)
    house = read_house(connection, draw_keys, at_hand)
    with _uncollected():
        for things, belongs_to in _read(house, sizes, progress):
            if at_hand.faults:
                break
            for thing, each in things.items():
                desk.look(thing, each, belongs_to)
            gc.collect(0)
    found = {"archives": at_hand.faults}
    if not at_hand.faults:
        desk.look(Thing.END, [None], house)
        found |= desk.findings()
    at_hand.faults.add(archives.faults)  # what is not needed keeps nobody from looking at the rest
    found["log"] = of_log = Finding()  # all of it, whichever archives are here
    signed = origin, log_key
    of_log.add(
        check_log(
            connection,
            *signed,
            sizes.entries,
            progress,
            of_log.count,
            draw_keys=draw_keys,
        )
    )
    return found


@contextmanager
def _uncollected() -> Iterator[None]:
    """Have nobody look for garbage meanwhile: a stretch would be looked through over and over.

    That was a quarter of all the time. Whoever reads stretches looks for it behind each.
    """
    collected = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collected:
            gc.enable()


def _read(
    house: House, sizes: Sizes, progress: Progress
) -> Iterator[tuple[Mapping[Thing, Iterable[Any]], Any]]:
    """Yield everything there is to look at, and what it belongs to."""
    newest, read = newest_entry(house.connection), 0
    for stretch in read_stretches(house, sizes.entries):
        yield stretch.things, stretch
        progress("entries", max(stretch.entries, default=newest), newest)
    for several in standing.ticket_numbers(house.connection):
        yield {Thing.NUMBER: several}, house
    games = standing.games_in_all(house.connection)
    for played in read_games(house, sizes.games, sizes.tickets):
        yield {Thing.GAME: played}, house
        read += len(played)
        progress("games", read, games)


class Desk:
    """Where all checks sit side by side, and are shown one thing after the other."""

    def __init__(self) -> None:
        self.seen: Counter[Thing] = Counter()
        self._checks = {
            name: [(look, Finding()) for look in check()] for name, check in CHECKS.items()
        }
        self._looks: dict[Thing, list[tuple[Look, Finding]]] = defaultdict(list)
        for looks in self._checks.values():
            for look, finding in looks:
                self._looks[look.at].append((look, finding))

    def look(self, thing: Thing, several: Iterable[Any], belongs_to: object) -> None:
        """Show things of a kind to everyone who looks at them."""
        several = list(several)
        self.seen[thing] += len(several)
        for look, finding in self._looks[thing]:
            for each in several:
                finding.add(look.judge(each, belongs_to))

    def findings(self) -> dict[str, Finding]:
        """Return what each check has found, in the order of its looks."""
        found = {}
        for name, looks in self._checks.items():
            found[name] = Finding()
            for thing in {look.at for look, _ in looks} - {Thing.END}:
                found[name].looked_at += self.seen[thing]
            for _, finding in looks:
                found[name].merge(finding)
        return found
