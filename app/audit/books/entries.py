"""Facts against the entries of the log that tell of them."""

from collections.abc import Iterator, Mapping

from app.audit.books.house import said
from app.audit.books.looks import Look, Thing
from app.audit.books.stretch import Stretch
from app.audit.faults import Fault
from app.store.queries.books.facts import Fact
from app.store.queries.books.rows import StoredEntry, StoredTicket, StoredVoid

# The entries each of which tells of a row that must be there.
OF_FACTS = {
    "CARD", "CARD-ACCEPTED", "CARD-IN-FORCE", "SALE-STOPPED", "SALE-RESUMED",
    "LOCK", "OVERRIDE", "DRAW", "VOID-GAME", "WINS", "CERTIFIED", "FROZEN", "RELEASED", "CANCEL",
    "REFUND", "PAID", "PRESENTED", "LOOK-UP", "LOST-TICKET", "TAX-PAPER", "APPROVED", "DRAWER-OPEN",
    "DRAWER-CLOSE", "DRAWER-MOVE", "AMOUNT", "SETTING", "EXPIRED", "DAY-CLOSE", "REPRINT",
    "BOOKS", "RESTORED", "REFILLED", "NEW-ORIGIN", "HOLD-ENDED",
}  # fmt: skip
# What is done with people by two.
BY_TWO = (
    "added", "enabled", "given a new secret", "put on standby", "taken off standby",
    "named emergency approver",
)  # fmt: skip


def entries() -> list[Look]:
    """Every ticket and void has its entry, which says the same; every entry has its row."""
    return [
        Look(Thing.ENTRY, check_has_row),
        Look(Thing.TICKET, check_ticket),
        Look(Thing.VOID, check_void),
    ]


def check_has_row(entry: StoredEntry, stretch: Stretch) -> Iterator[Fault]:
    """An entry of a ticket or a void has its row."""
    if entry.tag == "TICKET" and entry.id not in stretch.sold_at:
        yield Fault("entries", "the TICKET entries are not those of the tickets")
    if entry.tag == "VOID" and entry.id not in stretch.void_at:
        yield Fault("entries", "the VOID entries are not those of the voids")


def check_ticket(ticket: StoredTicket, stretch: Stretch) -> Iterator[Fault]:
    """A ticket's entry says what its row says."""
    if stretch.tag(ticket.entry) != "TICKET":
        yield Fault("entries", "the TICKET entries are not those of the tickets")
    row = {
        "number": ticket.number,
        "series": ticket.series,
        "first_game": ticket.first_game,
        "games": ticket.games,
        "groups": ticket.play["groups"],
        "lines": ticket.play["lines"],
        "card": stretch.house.card_hashes[ticket.card].hex(),
        "price_per_game_cents": ticket.price_per_game_cents,
        "price_cents": ticket.price_cents,
        "station": ticket.station_code,
        "writer": ticket.writer_code,
        "sold_at": said(ticket.sold_at),
        "expires_at": ticket.prints_expiry and said(ticket.prints_expiry),
        "tender": [
            {"kind": part.kind, "cents": part.cents}
            | ({} if part.serial is None else {"serial": part.serial})
            for part in stretch.tender.get(ticket.number, ())
        ],
    }
    if not _says(stretch, ticket.entry, row):
        yield Fault("entries", f"ticket {ticket.number} is not what its entry says")


def check_void(void: StoredVoid, stretch: Stretch) -> Iterator[Fault]:
    """A void's entry says what its row says."""
    if stretch.tag(void.entry) != "VOID":
        yield Fault("entries", "the VOID entries are not those of the voids")
    row = {
        "ticket": void.ticket,
        "station": void.station_code,
        "writer": void.writer_code,
        "approver": void.approver_code,
        "with_code": void.with_code,
        "reason": void.reason,
        "voided_at": said(void.voided_at),
    }
    if not _says(stretch, void.entry, row):
        yield Fault("entries", f"the void of {void.ticket} is not what its entry says")


def facts() -> list[Look]:
    """Whatever happened to games and tickets has its entry, which says the same, and none else."""
    return [Look(Thing.ENTRY, check_tells_of_a_fact), Look(Thing.FACT, check_fact)]


def check_tells_of_a_fact(entry: StoredEntry, stretch: Stretch) -> Iterator[Fault]:
    """An entry that tells of a fact has it."""
    has_fact = entry.tag in OF_FACTS or (entry.tag == "STAFF" and takes_two(entry.body))
    if has_fact and (entry.id, entry.tag) not in stretch.known_facts:
        yield Fault("facts", f"entry {entry.id} tells of what is not there ({entry.tag})")


def takes_two(body: Mapping[str, object]) -> bool:
    """Whether an entry is of what an administrator does with a person, and not alone."""
    return body.get("change") in BY_TWO and body.get("by") != "founding"


def check_fact(fact: Fact, stretch: Stretch) -> Iterator[Fault]:
    """A fact has an entry of its kind, which says the same."""
    if stretch.tag(fact.entry) not in fact.tags:
        yield Fault("facts", f"{fact.what} has another's entry")
    elif not _says(stretch, fact.entry, fact.said) or not _names(stretch, fact):
        yield Fault("facts", f"{fact.what} is not what its entry says")


def _names(stretch: Stretch, fact: Fact) -> bool:
    body = stretch.body(fact.entry)
    return all(body.get(name, {}).get("staff") == by for name, by in fact.by.items())


def _says(stretch: Stretch, entry: int, row: dict[str, object]) -> bool:
    body = stretch.body(entry)
    return {name: body.get(name) for name in row} == row
