"""Closed days: their figures worked out again; each begins where the last one ended."""

from collections import Counter, defaultdict
from collections.abc import Iterator
from datetime import datetime

from app.audit.books.shifts import drawers_by_day
from app.audit.books.stored import Stored
from app.audit.faults import Fault

WORKED_OUT = (
    "sales_cents", "voids_cents", "refunds_cents", "write_cents", "wins_cents", "adjusted_cents",
    "paid_cents", "expired_cents", "prepaid_brought_cents", "payable_brought_cents",
)  # fmt: skip


def check_days(stored: Stored) -> Iterator[Fault]:
    """Every closed day has the figures that its acts and games come to."""
    closes = [stored.bodies[entry] for entry in stored.tagged("DAY-CLOSE")]
    if not closes:
        return
    flows, drawers, later = _flows(stored), drawers_by_day(stored), _later(stored)
    prepaid = payable = 0
    for body, found_later in zip(closes, later, strict=True):
        day, told = body["day"], body["figures"]
        found = {**flows[day], **found_later}
        found |= {"prepaid_brought_cents": prepaid, "payable_brought_cents": payable}
        if any(told[name] != found.get(name, 0) for name in WORKED_OUT):
            yield Fault("days", f"the figures of {day} are not what its acts come to")
        if day in drawers and body["drawers"] != drawers[day]:
            yield Fault("days", f"the drawers of {day} are not what its shifts come to")
        if body["drawers"]["unexplained_cents"]:
            yield Fault("days", f"the drawers of {day} do not hold what its acts moved")
        prepaid += told["sales_cents"] - told["voids_cents"] - told["refunds_cents"]
        prepaid -= told["write_cents"]
        payable += told["wins_cents"] + told["adjusted_cents"]
        payable -= told["paid_cents"] + told["expired_cents"]


def _flows(stored: Stored) -> dict[str, Counter[str]]:
    """Return what happened in each gaming day: acts by their time, games by their lock."""
    flows: dict[str, Counter[str]] = defaultdict(Counter)
    amount = {
        "TICKET": ("sales_cents", "price_cents"),
        "VOID": ("voids_cents", "price_cents"),
        "PAID": ("paid_cents", "cents"),
    }
    for entry in stored.tagged(*amount):
        name, cents = amount[stored.tags[entry]]
        flows[_day(stored, entry)][name] += stored.bodies[entry][cents]
    for entry in stored.tagged("LOCK"):
        body = stored.bodies[entry]
        if stored.games[body["series"], body["game"]].state != "void":
            flows[body["gaming_day"]]["write_cents"] += body["handle_cents"]
    for refund in stored.refunds:
        flows[_day(stored, refund.entry)]["refunds_cents"] += refund.cents
    return flows


def _later(stored: Stored) -> Iterator[dict[str, int]]:
    """Yield for each close what is counted by it and not by the time: wins, and what expired.

    A game graded anew after its day was closed adjusts the day in which that happens.
    """
    by_game: Counter[tuple[str, int]] = Counter()
    told = expired = 0
    for entry in stored.tagged("WINS", "EXPIRED", "DAY-CLOSE"):
        body = stored.bodies[entry]
        if stored.tags[entry] == "WINS":
            by_game[body["series"], body["game"]] = body["paid_cents"]
        elif stored.tags[entry] == "EXPIRED":
            expired += body["cents"]
        else:
            owed: Counter[str] = Counter()
            for game, cents in by_game.items():
                owed[stored.bodies[stored.locks[game]]["gaming_day"]] += cents
            until = sum(cents for day, cents in owed.items() if day <= body["day"])
            wins = owed[body["day"]]
            adjusted = until - told - wins
            yield {"wins_cents": wins, "adjusted_cents": adjusted, "expired_cents": expired}
            told, expired = until, 0


def _day(stored: Stored, entry: int) -> str:
    return stored.day_of(datetime.fromisoformat(stored.time_of(entry)))
