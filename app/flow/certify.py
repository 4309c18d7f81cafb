"""Certification: a second grader works a settled game out for itself (X-grade-twice).

It reads only opened leaves of the sealed log, checks them against the checkpoint of the game's own
lock statement, takes the numbers from the signed draw as anybody could check it, and keeps its own
book of live tickets. If it agrees ticket by ticket, the game is payable; if not, the game is frozen
with every difference, and all other games go on.

Write order:

1. Its book is moved on to the checkpoint, a few thousand leaves at a time, each step in one
   transaction with the place it has reached. *Crash: it goes on from there. Two who move it at
   once: one of them finds it moved, and reads again.*
2. The game is graded and compared; nothing is written. *Crash: done again.*
3. One transaction: the verdict, its entry, the game certified or frozen. *Crash before: done again.
   Two at once: one of them moves the game.*
4. Its book forgets tickets that play no longer, without keeping a lockout waiting. *Crash before:
   forgotten with the next game.*
"""

from collections.abc import Generator, Iterator
from contextlib import closing
from dataclasses import dataclass, field
from datetime import datetime
from itertools import islice

from app.audit.checkpoints import checkpoint_of
from app.audit.second_book import Book, Ends, NotWhatWasSealed, Sold
from app.audit.second_grader import (
    Broken,
    Card,
    Win,
    limits_of,
    price_of,
    read_card,
    read_draw,
    read_ticket,
    shared,
    win_of,
)
from app.audit.tags import Tag
from app.audit.tiles import Tree
from app.clock import time_text
from app.flow.office import Office
from app.keno.game import GameState
from app.rng_client import KeyedProcesses, NotBelieved
from app.store.queries import Reading, games, log, outcomes
from app.store.queries import settling as queries
from app.store.queries.games import GameRow
from app.store.queries.log import StoredHashes
from app.store.queries.outcomes import SealedLock
from app.store.queries.settling import BookHeadRow, SettlementRow, WonRow
from app.store.records import outcomes as game_records
from app.store.records import settling as records
from app.store.records.together import Row
from app.store.tables import Certification, Verdict
from rng.merkle import ProofFailed, check_consistency
from rng.note import Checkpoint

LEAVES = 5_000  # read at a time
DIFFERENCES_MAX = 100


@dataclass
class Second:
    """What the second grader comes to, added up on the way."""

    tickets: int = 0
    handle_cents: int = 0
    winners: int = 0
    win_cents: int = 0
    cards: dict[str, Card] = field(default_factory=dict)
    used: set[str] = field(default_factory=set)

    def figures(self) -> dict[str, int]:
        """Return what the verdict says of it."""
        return {
            "tickets": self.tickets,
            "handle_cents": self.handle_cents,
            "winners": self.winners,
        }


def certify_game(office: Office, keyed: KeyedProcesses, series: str, number: int) -> None:
    """Grade a settled game a second time; certify it, or freeze it with every difference.

    Raises:
        NotNow: the public keys cannot be read, by which a draw is believed; it waits.
    """
    with office.database.reading() as connection:
        game = games.game(connection, series, number)
        settled = queries.settlement(connection, series, number)
        drawn = outcomes.outcome(connection, series, number)
        request = outcomes.lock_request(connection, series, number)
        lock = outcomes.sealed_lock(connection, series, number)
    if game is None or game.state is not GameState.SETTLED:
        return
    if settled is None or drawn is None or request is None:
        raise LookupError(f"{series}-{number} is settled without settlement, draw or statement")
    second, differences = Second(), []
    try:
        ended = keyed.checked_draw(drawn.document, request["statement"])
        numbers = read_draw(ended.numbers or [])
        _check_lock(lock, request["statement"]["body"]["lock_leaf"])
        checkpoint = checkpoint_of(request["seal"]["note"])
        while True:
            _read_to(office, checkpoint)
            with office.database.reading() as connection:
                head = queries.book_head(connection)
                if head is None or head.size < checkpoint.size:
                    continue  # another game was released meanwhile: the book begins anew
                with closing(_compared(connection, head, game, settled, numbers, second)) as found:
                    differences = list(islice(found, DIFFERENCES_MAX))
            break
    except (NotBelieved, NotWhatWasSealed, Broken) as found:
        differences = [str(found)]
    _keep(office, game, settled, second, differences)


def _check_lock(lock: SealedLock | None, leaf: str) -> None:
    """Check that a game was drawn for the lock that it has.

    In a restored house it may be locked again, with what is left of what was sold for it.

    Raises:
        NotWhatWasSealed: it was not.
    """
    if lock is None or lock.leaf.hex() != leaf:
        raise NotWhatWasSealed("the lock is not the one that this game was drawn for")


# ---- its book ------------------------------------------------------------------------------------


def _read_to(office: Office, checkpoint: Checkpoint) -> None:
    """Move the second grader's book on to a checkpoint, and check that it is the same log.

    Raises:
        NotWhatWasSealed: it is not.
    """
    while True:
        with office.database.reading() as connection:
            head = queries.book_head(connection)
            size = head.size if head else 0
            until = min(size + LEAVES, checkpoint.size)
            leaves = log.leaves_between(connection, size, until) if size < until else []
        if not leaves:
            break
        book = _book(head)
        changes = [book.take(each.tag, each.salt, each.body, each.leaf) for each in leaves]
        _keep_book(office, book, head, changes)
    book = _book(head)
    if book.size == checkpoint.size and book.root() == checkpoint.root:
        return
    if book.size <= checkpoint.size:
        raise NotWhatWasSealed("the log is not the one that was sealed for this game")
    with office.database.reading() as connection:
        proof = Tree(StoredHashes(connection)).consistency(checkpoint.size, book.size)
    try:
        check_consistency(checkpoint.size, checkpoint.root, book.size, book.root(), proof)
    except ProofFailed:
        raise NotWhatWasSealed("the log has changed since it was sealed for this game") from None


def _book(head: BookHeadRow | None) -> Book:
    if head is None:
        return Book()
    return Book(head.size, list(head.frontier), head.locks, head.faults, head.cards)


def _keep_book(
    office: Office, book: Book, head: BookHeadRow | None, changes: list[Sold | Ends | None]
) -> None:
    with office.unit() as unit:
        if not records.keep_book_head(unit, vars(book), None if head is None else head.size):
            return
        sold = [change for change in changes if isinstance(change, Sold)]
        records.add_live(unit, [vars(ticket) for ticket in sold])
        for change in changes:
            if isinstance(change, Ends):
                records.end_live(unit, change.number, change.last_game)
        unit.commit()


# ---- comparing -----------------------------------------------------------------------------------


def _compared(  # noqa: PLR0913, PLR0917  what is compared with what
    connection: Reading,
    head: BookHeadRow,
    game: GameRow,
    settled: SettlementRow,
    drawn: frozenset[int],
    second: Second,
) -> Generator[str, None, None]:
    """Yield every difference between the two gradings, in words."""
    yield from head.faults.get(f"{game.series}-{game.number}", [])
    second.cards = {digest: read_card(body) for digest, body in head.cards.items()}
    wins = _wins(connection, game, drawn, second)
    cut = settled.limit_cents is not None and settled.win_cents > settled.limit_cents
    with closing(wins), closing(queries.wins_of(connection, settled.attempt)) as first_wins:
        yield from _each(wins, first_wins, cut=cut)
    limit_cents, in_full_cents = limits_of(second.cards[digest] for digest in second.used)
    first = (settled.tickets, settled.handle_cents, settled.winners, settled.win_cents)
    ours = (second.tickets, second.handle_cents, second.winners, second.win_cents)
    if first != ours:
        yield f"tickets, handle, winners and wins are {ours}, and not {first}"
    if (game.tickets, game.handle_cents) != ours[:2]:
        yield f"the lock says {game.tickets} tickets for {game.handle_cents} cents"
    if (limit_cents, in_full_cents) != (settled.limit_cents, settled.in_full_below_cents):
        yield f"the limits are {(limit_cents, in_full_cents)}"
    bites = limit_cents is not None and second.win_cents > limit_cents
    if bites != cut:
        yield "the two do not agree on whether the aggregate limit bites"
    elif bites:
        again = Second(cards=second.cards)
        won = dict(_wins(connection, game, drawn, again))
        paid = shared(won, limit_cents, in_full_cents)
        for row in queries.wins_of(connection, settled.attempt):
            if paid.get(row.ticket) != row.paid_cents:
                yield f"ticket {row.ticket} is paid {paid.get(row.ticket)}, not {row.paid_cents}"


def _wins(
    connection: Reading, game: GameRow, drawn: frozenset[int], second: Second
) -> Generator[tuple[int, Win], None, None]:
    with closing(queries.live_tickets(connection, game.series, game.number)) as tickets:
        for live in tickets:
            ticket = read_ticket(live.body_document)
            card = second.cards.get(ticket.card)
            if card is None:
                raise Broken(f"ticket {live.number} is on a card that is not in the log")
            second.used.add(ticket.card)
            second.tickets += 1
            second.handle_cents += price_of(ticket, card)
            win = win_of(ticket, card, drawn)
            if win.cents:
                second.winners += 1
                second.win_cents += win.cents
                yield live.number, win


def _each(ours: Iterator[tuple[int, Win]], first: Iterator[WonRow], *, cut: bool) -> Iterator[str]:
    """Compare winner by winner; both come in the order of their ticket numbers."""
    stored = next(first, None)
    for number, win in ours:
        while stored is not None and stored.ticket < number:
            yield f"ticket {stored.ticket} won nothing, not {stored.cents}"
            stored = next(first, None)
        if stored is None or stored.ticket > number:
            yield f"ticket {number} won {win.cents}, not nothing"
            continue
        if stored.cents != win.cents:
            yield f"ticket {number} won {win.cents}, not {stored.cents}"
        uncut_cents = win.cents if win.uncut_cents is None else win.uncut_cents
        if stored.uncut_cents != uncut_cents:
            yield f"ticket {number} won {uncut_cents} before any limit, not {stored.uncut_cents}"
        if not cut and stored.paid_cents != win.cents:
            yield f"ticket {number} is paid {win.cents}, not {stored.paid_cents}"
        stored = next(first, None)
    while stored is not None:
        yield f"ticket {stored.ticket} won nothing, not {stored.cents}"
        stored = next(first, None)


# ---- the verdict ---------------------------------------------------------------------------------


def _keep(
    office: Office, game: GameRow, settled: SettlementRow, second: Second, differences: list[str]
) -> None:
    verdict = Verdict.FROZEN if differences else Verdict.CERTIFIED
    after = GameState.FROZEN if differences else GameState.CERTIFIED
    try:
        with office.unit() as unit:
            unit.share_series(game.series)  # as for the settlement
            now = unit.now()
            which = game.series, game.number, settled.run
            body = verdict_body(office.house.name, *which, second, differences, now)
            row = verdict_row(settled.attempt, verdict, second, differences, now)
            states = GameState.SETTLED, after
            game_records.move_game(unit, game.series, game.number, *states)
            told = game_records.event_row(unit, after.value, game.series, game.number, {}, now)
            tag = Tag.FROZEN if differences else Tag.CERTIFIED
            office.log_with(unit, tag, body, [row, told])
            unit.commit()
    except game_records.GameMoved:
        return
    with office.unit() as unit:
        oldest = games.oldest_undecided(unit.connection, game.series)
        records.forget_played(unit, game.series, oldest)
        unit.commit()


def verdict_body(  # noqa: PLR0913, PLR0917  what was found of which game, and when
    house_name: str,
    series: str,
    number: int,
    run: int,
    second: Second,
    differences: list[str],
    now: datetime,
) -> dict[str, object]:
    """Return what the entry of a verdict says."""
    return {
        "house": house_name,
        "series": series,
        "game": number,
        "run": run,
        **second.figures(),
        "differences": differences,
        "time": time_text(now),
    }


def verdict_row(
    attempt: int, verdict: Verdict, second: Second, differences: list[str], now: datetime
) -> Row:
    """Return the row that keeps a verdict."""
    values = {
        "attempt": attempt,
        "verdict": verdict.value,
        **second.figures(),
        "differences": differences,
        "certified_at": now,
    }
    return Certification, values
