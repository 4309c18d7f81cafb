"""Facts against the entries of the log that tell of them."""

from collections.abc import Iterator

from app.audit.books.stored import Stored, said
from app.audit.faults import Fault

# The entries each of which tells of a row that must be there.
OF_FACTS = {
    "LOCK", "OVERRIDE", "DRAW", "VOID-GAME", "WINS", "CERTIFIED", "FROZEN", "RELEASED", "CANCEL",
    "REFUND", "PAID", "PRESENTED", "TAX-PAPER", "APPROVED", "DRAWER-OPEN",
    "DRAWER-CLOSE", "DRAWER-MOVE", "AMOUNT", "EXPIRED", "DAY-CLOSE",
}  # fmt: skip


def check_entries(stored: Stored) -> Iterator[Fault]:
    """Every ticket and void has its entry, which says the same; every entry has its row."""
    told = {entry for entry, tag in stored.tags.items() if tag == "TICKET"}
    if told != {ticket.entry for ticket in stored.tickets.values()}:
        yield Fault("entries", "the TICKET entries are not those of the tickets")
    voids = {entry for entry, tag in stored.tags.items() if tag == "VOID"}
    if voids != {void.entry for void in stored.voids.values()}:
        yield Fault("entries", "the VOID entries are not those of the voids")
    for number, ticket in stored.tickets.items():
        body = stored.bodies.get(ticket.entry, {})
        row = {
            "number": number,
            "series": ticket.series,
            "first_game": ticket.first_game,
            "games": ticket.games,
            "groups": ticket.play["groups"],
            "lines": ticket.play["lines"],
            "card": stored.card_hashes[ticket.card].hex(),
            "price_per_game_cents": ticket.price_per_game_cents,
            "price_cents": ticket.price_cents,
            "station": ticket.station_code,
            "writer": ticket.writer_code,
            "sold_at": said(ticket.sold_at),
            "expires_at": ticket.prints_expiry and said(ticket.prints_expiry),
            "tender": [
                {"kind": part.kind, "cents": part.cents}
                | ({} if part.serial is None else {"serial": part.serial})
                for part in stored.tender.get(number, [])
            ],
        }
        if {name: body.get(name) for name in row} != row:
            yield Fault("entries", f"ticket {number} is not what its entry says")
    for number, void in stored.voids.items():
        body = stored.bodies.get(void.entry, {})
        row = {
            "ticket": number,
            "station": void.station_code,
            "writer": void.writer_code,
            "approver": void.approver_code,
            "with_code": void.with_code,
            "reason": void.reason,
            "voided_at": said(void.voided_at),
        }
        if {name: body.get(name) for name in row} != row:
            yield Fault("entries", f"the void of {number} is not what its entry says")


def check_facts(stored: Stored) -> Iterator[Fault]:
    """Whatever happened to games and tickets has its entry, which says the same, and none else."""
    known = {(fact.entry, fact.tags[0]) for fact in stored.facts}
    for entry, tag in stored.tags.items():
        if tag in OF_FACTS and (entry, tag) not in known:
            yield Fault("facts", f"entry {entry} tells of what is not there ({tag})")
    for fact in stored.facts:
        body = stored.bodies.get(fact.entry, {})
        if stored.tags.get(fact.entry) not in fact.tags:
            yield Fault("facts", f"{fact.what} has another's entry")
        elif {name: body.get(name) for name in fact.said} != fact.said:
            yield Fault("facts", f"{fact.what} is not what its entry says")
