"""Closed days: their figures worked out again; each begins where the last one ended."""

from collections import Counter, defaultdict
from collections.abc import Iterator
from hashlib import sha256

from app.audit.books.looks import Look, Thing
from app.audit.books.shifts import Shifts
from app.audit.books.stretch import Stretch
from app.audit.books.unclaimed import Unclaimed
from app.audit.bundle import ALWAYS_CARRIED
from app.audit.faults import Fault
from app.store.queries.books.rows import StoredEntry
from app.store.queries.stretches import standing_leaves

WORKED_OUT = (
    "sales_cents", "voids_cents", "refunds_cents", "write_cents", "wins_cents", "adjusted_cents",
    "paid_cents", "expired_cents", "prepaid_brought_cents", "payable_brought_cents",
)  # fmt: skip
AMOUNTS = {
    "TICKET": ("sales_cents", "price_cents"),
    "VOID": ("voids_cents", "price_cents"),
    "PAID": ("paid_cents", "cents"),
}


def days() -> list[Look]:
    """Every closed day has the figures that its acts and games come to."""
    figures = Days()
    return [Look(Thing.ENTRY, figures.check), Look(Thing.ENTRY, check_standing)]


def check_standing(entry: StoredEntry, stretch: Stretch) -> Iterator[Fault]:
    """A close says which entries stand until it is said otherwise; it was not told at first."""
    if entry.tag != "DAY-CLOSE" or "standing" not in entry.body:
        return
    told = entry.body["standing"]
    leaves = standing_leaves(stretch.house.connection, told["size"], ALWAYS_CARRIED)
    if (told["entries"], told["digest"]) != (len(leaves), sha256(b"".join(leaves)).hexdigest()):
        day = entry.body["day"]
        yield Fault("days", f"which entries stand is not what the close of {day} says")


class Days:
    """The figures of the days that are not closed yet: acts by their time, games by their lock.

    Nothing is dated before the end of a closed day any more, so a day is held against its close
    there and then, and forgotten.
    """

    def __init__(self) -> None:
        self._flows: dict[str, Counter[str]] = defaultdict(Counter)
        self._shifts = Shifts()
        self._wins = Wins()
        self._unclaimed = Unclaimed()
        self._expired = self._prepaid = self._payable = 0
        self._closed = ""  # the last day that was closed

    def check(self, entry: StoredEntry, stretch: Stretch) -> Iterator[Fault]:
        """Add what was done; or hold the close of a day against all that was."""
        for day, name, cents in _flows(entry, stretch):
            self._flows[day][name] += cents
            if day <= self._closed:
                yield _other_figures(day)
        for day in self._shifts.add(entry, stretch):
            yield _other_drawers(day)
        self._wins.add(entry)
        paid = stretch.day_of(entry.id) if entry.tag == "PAID" else None
        self._unclaimed.add(entry, paid)
        if entry.tag == "EXPIRED":
            self._expired += entry.body["cents"]
        if entry.tag == "DAY-CLOSE":
            yield from self._close(entry, stretch)

    def _close(self, entry: StoredEntry, stretch: Stretch) -> Iterator[Fault]:
        body, day, told = entry.body, entry.body["day"], entry.body["figures"]
        found = {
            **self._flows.pop(day, {}),
            **self._wins.close(day),
            "expired_cents": self._expired,
            "prepaid_brought_cents": self._prepaid,
            "payable_brought_cents": self._payable,
        }
        if any(told[name] != found.get(name, 0) for name in WORKED_OUT):
            yield _other_figures(day)
        if body["drawers"] != self._shifts.of_day(day, stretch.house):
            yield _other_drawers(day)
        unclaimed = self._unclaimed.close(day)
        if body.get("unclaimed", unclaimed) != unclaimed:  # it was not told at first
            yield Fault("days", f"what is unclaimed on {day} is not what was won and not paid")
        if body["drawers"]["unexplained_cents"]:
            yield Fault("days", f"the drawers of {day} do not hold what its acts moved")
        self._expired, self._closed = 0, max(self._closed, day)
        self._shifts.close(day)
        self._prepaid += told["sales_cents"] - told["voids_cents"] - told["refunds_cents"]
        self._prepaid -= told["write_cents"]
        self._payable += told["wins_cents"] + told["adjusted_cents"]
        self._payable -= told["paid_cents"] + told["expired_cents"]


def _other_figures(day: str) -> Fault:
    return Fault("days", f"the figures of {day} are not what its acts come to")


def _other_drawers(day: str) -> Fault:
    return Fault("days", f"the drawers of {day} are not what its shifts come to")


def _flows(entry: StoredEntry, stretch: Stretch) -> Iterator[tuple[str, str, int]]:
    """Yield what an entry adds to the figures of a day: which day, which figure, how much."""
    if entry.tag in AMOUNTS and (day := stretch.day_of(entry.id)) is not None:
        name, cents = AMOUNTS[entry.tag]
        yield day, name, entry.body[cents]
    for refund in stretch.refunds_at.get(entry.id, ()):
        if (day := stretch.day_of(entry.id)) is not None:
            yield day, "refunds_cents", refund.cents
    if entry.tag == "LOCK" and "gaming_day" in entry.body:
        which = entry.body["series"], entry.body["game"]
        if stretch.house.state_of(which) != "void":
            yield entry.body["gaming_day"], "write_cents", entry.body["handle_cents"]


class Wins:
    """What was won in the games of each day, as far as it was known at each close.

    A game graded anew after its day was closed adjusts the day in which that happens.
    """

    def __init__(self) -> None:
        self._owed: Counter[str] = Counter()  # by the day of a game's lock
        # Games that are locked and not decided: their day, and what was won in each so far.
        self._undecided: dict[tuple[str, int], tuple[str, int]] = {}
        self._before_cents = 0  # what was won in all days that are closed
        self._told_cents = 0  # and what their closes told of it

    def add(self, entry: StoredEntry) -> None:
        """Add what happened to a game."""
        body = entry.body
        which = body.get("series", ""), body.get("game", 0)
        if entry.tag == "LOCK":
            self._undecided[which] = body.get("gaming_day", ""), 0
        elif entry.tag == "WINS":
            day, so_far = self._undecided.get(which, ("", 0))
            self._owed[day] += body["paid_cents"] - so_far
            self._undecided[which] = day, body["paid_cents"]
        elif entry.tag in ("CERTIFIED", "VOID-GAME"):
            self._undecided.pop(which, None)

    def close(self, day: str) -> dict[str, int]:
        """Return what the close of a day must tell of wins."""
        wins = self._owed[day]
        for each in [each for each in self._owed if each <= day]:
            self._before_cents += self._owed.pop(each)
        adjusted = self._before_cents - self._told_cents - wins
        self._told_cents = self._before_cents
        return {"wins_cents": wins, "adjusted_cents": adjusted}
