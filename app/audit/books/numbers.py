"""Numbers without a gap (X-ticket-gapless)."""

from collections.abc import Iterator

from app.audit.books.stored import Stored
from app.audit.faults import Fault


def check_numbers(stored: Stored) -> Iterator[Fault]:
    """Ticket and game numbers have no gap and no repeat (X-ticket-gapless)."""
    if list(stored.tickets) != list(range(1, stored.last_number + 1)):
        yield Fault("numbers", f"the tickets are not 1 to {stored.last_number}, each once")
    for series, first in stored.first_games.items():
        numbers = sorted(number for code, number in stored.games if code == series)
        if numbers != list(range(first, first + len(numbers))):
            yield Fault(
                "numbers", f"the games of series {series} are not {first} and on, each once"
            )
