"""The books: the whole state worked out again from stored facts (X-audit-books).

A second opinion: it shares no code with the stages that wrote the facts. It reads every row and
every log body, and each check is a small function that yields what is wrong; all of them always
run. `keno books` prints the outcome, tests run it after each step, a house every night.
"""

from collections.abc import Callable, Iterator, Mapping

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from app.audit.books.approvals import check_approvals
from app.audit.books.days import check_days
from app.audit.books.drawers import check_drawers
from app.audit.books.entries import check_entries, check_facts
from app.audit.books.locks import check_locks, check_sold_files
from app.audit.books.money import check_money
from app.audit.books.numbers import check_numbers
from app.audit.books.outcomes import check_locked_in_order, check_outcomes
from app.audit.books.papers import check_papers
from app.audit.books.patrons import check_contacts
from app.audit.books.payments import check_payments
from app.audit.books.prices import check_prices
from app.audit.books.stored import Stored, read_stored
from app.audit.books.tender import check_tender
from app.audit.books.wins import check_wins
from app.audit.faults import Fault
from app.audit.log_check import check_log
from app.store.queries import Reading

CHECKS: dict[str, Callable[[Stored], Iterator[Fault]]] = {
    "numbers": check_numbers,
    "prices": check_prices,
    "locks": check_locks,
    "sold files": check_sold_files,
    "tender": check_tender,
    "money": check_money,
    "entries": check_entries,
    "facts": check_facts,
    "outcomes": check_outcomes,
    "draws in turn": check_locked_in_order,
    "wins": check_wins,
    "payments": check_payments,
    "approvals": check_approvals,
    "papers": check_papers,
    "contacts": check_contacts,
    "drawers": check_drawers,
    "days": check_days,
}


def check_books(
    connection: Reading,
    origin: str,
    log_key: Ed25519PublicKey,
    draw_keys: Mapping[str, str],
) -> dict[str, list[Fault]]:
    """Run every check; return the faults of each, none where all is well.

    Args:
        connection: where everything is read, at one moment.
        origin: the name of the log.
        log_key: by which its heads are signed.
        draw_keys: the public keys of the draw, by role.
    """
    stored = read_stored(connection, draw_keys)
    found = {name: list(check(stored)) for name, check in CHECKS.items()}
    found["log"] = list(check_log(connection, origin, log_key))
    return found
