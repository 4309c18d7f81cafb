"""How large the year is, who works in it, and when its games close."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

from app.demo import CARD, DEMONSTRATION
from app.flow.found_house import HousePlan, LocationPlan, SeriesPlan, StaffPlan
from app.store.tables import LocationKind, Role

ZONE = "America/New_York"
MAIN, FAST = "M", "F"
FIRST_GAMES = {MAIN: 1, FAST: 100_001}
# The floor is open from ten to midnight, in two shifts.
OPENS, CHANGES, CLOSES = time(10), time(17), time(0)
OPEN_MINUTES = 14 * 60
OPENS_MINUTES = 10 * 60
APART = timedelta(seconds=2)  # between two closes, of whichever series
BREAK = timedelta(seconds=60)  # between the shifts
CLAIM_DAYS = 10  # short, so that wins expire within a month
STATIONS = {"B1": (MAIN, FAST), "B2": (MAIN, FAST), "B3": (MAIN, FAST), "S1": (FAST,)}
# Who writes at which station, in the first shift and in the second.
WRITERS = {"B1": ("Wanda", "Walt"), "B2": ("Will", "Wendy"), "B3": ("Wes", "Willa")}
WRITERS["S1"] = ("Wyatt", "Winnie")
SAM, SUE, MAX, ADA = "Sam", "Sue", "Max", "Ada"
OTHERS = {
    SAM: Role.SUPERVISOR,
    SUE: Role.KENO_MANAGER,
    MAX: Role.OUTSIDE_MANAGER,
    ADA: Role.ADMINISTRATOR,
    "Ida": Role.INSPECTOR,
    "Rita": Role.REGULATOR,
}


@dataclass(frozen=True)
class YearPlan:
    """How much happens.

    As it stands, a tenth of a year: 36 days as full as those of the year, rather than 365 thin
    ones. So what a day costs can be measured as it is, and what grows with all that was before
    shows as growth.
    """

    tickets: int = 1_000_000
    games: int = 15_000
    days: int = 36
    seed: int = 1
    first_day: date = date(2025, 1, 1)  # in the past, so that the house can go on by any clock

    def __post_init__(self) -> None:
        if self.days < 1 or self.games < 4 * self.days or self.tickets < self.games:
            raise ValueError("a day has four games at least, and a game a ticket on average")

    def day(self, place: int) -> date:
        """Return one of the days, the first being 0."""
        return self.first_day + timedelta(days=place)

    def games_on(self, place: int) -> int:
        """Return how many games close on a day: all days together, all of them."""
        return (place + 1) * self.games // self.days - place * self.games // self.days

    def interval_seconds(self, series: str) -> int:
        """Return the interval of a series: two of three games are the main one's."""
        a_day = max(1, self.games // self.days // 3)
        return OPEN_MINUTES * 60 // (2 * a_day if series == MAIN else a_day)


MONTH = YearPlan(tickets=1_500, games=150, days=30)  # for tests


@dataclass
class Close:
    """A game of a series is to close, and in which shift."""

    at: datetime
    series: str
    shift: int


def closes_on(plan: YearPlan, place: int) -> list[Close]:
    """Return the closes of a day in their order, well apart from each other."""
    games = plan.games_on(place)
    fast = games // 3
    day = plan.day(place)
    opens, changes = at_wall(day, OPENS), at_wall(day, CHANGES)
    length = timedelta(minutes=OPEN_MINUTES)
    closes = sorted(
        [
            *((opens + length * (n + 1) / (games - fast), MAIN) for n in range(games - fast)),
            # Shifted, or every one of them would close together with one of the others.
            *((opens + length * (3 * n + 1) / (3 * fast), FAST) for n in range(fast)),
        ]
    )
    return [
        Close(at + BREAK if at > changes else at, series, int(at > changes))
        for at, series in _apart(closes)
    ]


def _apart(closes: list[tuple[datetime, str]]) -> Iterator[tuple[datetime, str]]:
    last = datetime.min.replace(tzinfo=UTC)
    for at, series in closes:
        last = max(at.replace(microsecond=0), last + APART)
        yield last, series


def at_wall(day: date, clock: time) -> datetime:
    """Return when the clock on the wall says so, on a day; midnight is the one that ends it."""
    after = timedelta(days=1) if clock == CLOSES else timedelta()
    return datetime.combine(day + after, clock, ZoneInfo(ZONE)).astimezone(UTC)


def secret_of(name: str) -> str:
    """The secret of somebody in a demonstration, which is none."""
    return f"{name} works in a demonstration"


def house_plan() -> HousePlan:
    """Return the house, which says in every entry and on every paper that it is none."""
    booth = tuple(station for station, sold in STATIONS.items() if MAIN in sold)
    bar = tuple(station for station in STATIONS if station not in booth)
    writers = [(name, Role.WRITER) for pair in WRITERS.values() for name in pair]
    return HousePlan(
        name=f"{DEMONSTRATION} of a simulated year",
        jurisdiction=DEMONSTRATION,
        log_origin="demonstration.example/simulated-year",
        series=(
            SeriesPlan(MAIN, "main", FIRST_GAMES[MAIN]),
            SeriesPlan(FAST, "fast", FIRST_GAMES[FAST]),
        ),
        locations=(
            LocationPlan("booth", LocationKind.BOOTH, "Main booth", (MAIN, FAST), booth),
            LocationPlan("bar", LocationKind.SATELLITE, "Bar", (FAST,), bar),
        ),
        staff=tuple(
            StaffPlan(name.upper(), name, role, secret_of(name))
            for name, role in [*writers, *OTHERS.items()]
        ),
        time_zone=ZONE,
        demonstration=True,
    )


def rate_card() -> bytes:
    """Return the demonstration's rate card, on which wins expire sooner."""
    claim = f"claim_minutes = {CLAIM_DAYS * 24 * 60}".encode()
    card = CARD.read_bytes().replace(b"claim_minutes = 525_600", claim)
    return card.replace(b'name = "House card 1"', b'name = "Demonstration card"')
