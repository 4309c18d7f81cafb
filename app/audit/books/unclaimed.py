"""What is unclaimed at the close of each day, by the gaming day of the games that won it."""

from bisect import bisect_right
from collections import Counter, defaultdict
from typing import Any

from app.store.queries.books.rows import StoredEntry


class Unclaimed:
    """What was won in the games of each day, less what was paid of it and what has expired.

    Games are locked in their order, so that the first game of each day tells the day of any.
    """

    def __init__(self) -> None:
        self._firsts: dict[str, list[tuple[int, str]]] = defaultdict(list)
        self._settled: dict[tuple[str, int], int] = {}  # of games that may be graded again
        self._owed: Counter[str] = Counter()
        self._paid: dict[str, Counter[str]] = defaultdict(Counter)  # by the day of the payment

    def add(self, entry: StoredEntry, day: str | None) -> None:
        """Add an entry: what was won, paid, or expired; `day` is that of the act."""
        body = entry.body
        if entry.tag == "LOCK":
            self._lock(body)
        elif entry.tag == "WINS":
            which = body["series"], body["game"]
            self._owed[self._day_of(*which)] += body["paid_cents"] - self._settled.get(which, 0)
            self._settled[which] = body["paid_cents"]
        elif entry.tag == "CERTIFIED":
            self._settled.pop((body["series"], body["game"]), None)
        elif entry.tag == "PAID" and day is not None:
            self._paid[day].update(self._won(body))
        elif entry.tag == "EXPIRED":
            self._owed.subtract(self._won(body))

    def close(self, day: str) -> dict[str, int]:
        """Return what is unclaimed at the close of a day, by the day of the game."""
        self._owed.subtract(self._paid.pop(day, Counter()))
        for each in [each for each, cents in self._owed.items() if not cents]:
            del self._owed[each]
        return {each: cents for each, cents in sorted(self._owed.items()) if each <= day}

    def _lock(self, body: dict[str, Any]) -> None:
        firsts, day = self._firsts[body["series"]], body.get("gaming_day", "")
        if not firsts or firsts[-1][1] != day:
            firsts.append((body["game"], day))

    def _day_of(self, series: str, game: int) -> str:
        firsts = self._firsts[series]
        place = bisect_right(firsts, game, key=lambda first: first[0])
        return firsts[place - 1][1] if place else ""

    def _won(self, body: dict[str, Any]) -> Counter[str]:
        """Return the wins of a ticket by the day of their games."""
        won: Counter[str] = Counter()
        for win in body.get("wins", []):
            won[self._day_of(body["series"], win["game"])] += win["cents"]
        return won
