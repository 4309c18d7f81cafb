"""Closed days: their figures worked out again; each begins where the last one ended."""

from collections import Counter, defaultdict
from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from app.audit.books.stored import Stored
from app.audit.faults import Fault

WORKED_OUT = (
    "sales_cents", "voids_cents", "refunds_cents", "write_cents", "paid_cents", "expired_cents",
    "prepaid_brought_cents", "payable_brought_cents",
)  # fmt: skip


def check_days(stored: Stored) -> Iterator[Fault]:
    """Every closed day has the figures that its acts and games come to."""
    closes = [(entry, stored.bodies[entry]) for entry in _tagged(stored, "DAY-CLOSE")]
    if not closes:
        return
    flows = _flows(stored)
    all_expired = _tagged(stored, "EXPIRED")
    prepaid = payable = won = before = 0
    for entry, body in closes:
        told = body["figures"]
        found = flows[body["day"]] + Counter()
        expired = [e for e in all_expired if before < e < entry]
        found["expired_cents"] = sum(stored.bodies[each]["cents"] for each in expired)
        found |= Counter(prepaid_brought_cents=prepaid, payable_brought_cents=payable)
        if any(told[name] != found[name] for name in WORKED_OUT):
            yield Fault("days", f"the figures of {body['day']} are not what its acts come to")
        if body["drawers"]["unexplained_cents"]:
            yield Fault("days", f"the drawers of {body['day']} do not hold what its acts moved")
        prepaid += told["sales_cents"] - told["voids_cents"] - told["refunds_cents"]
        prepaid -= told["write_cents"]
        won += told["wins_cents"] + told["adjusted_cents"]
        payable += told["wins_cents"] + told["adjusted_cents"]
        payable -= told["paid_cents"] + told["expired_cents"]
        before = entry
    last = closes[-1][1]
    if won != _owed(stored, last):
        yield Fault("days", f"what was won until {last['day']} is not what its games were won for")


def _tagged(stored: Stored, tag: str) -> list[int]:
    return sorted(entry for entry, each in stored.tags.items() if each == tag)


def _flows(stored: Stored) -> dict[str, Counter[str]]:
    """Return what happened in each gaming day: acts by their time, games by their lock."""
    (founding,) = (stored.bodies[entry] for entry in _tagged(stored, "HOUSE"))
    zone = ZoneInfo(founding["time_zone"])
    starts = timedelta(minutes=founding["day_starts_minutes"])

    def day_of(moment: str) -> str:
        on_the_wall = datetime.fromisoformat(moment).astimezone(zone).replace(tzinfo=None)
        return (on_the_wall - starts).date().isoformat()

    flows: dict[str, Counter[str]] = defaultdict(Counter)
    for entry, tag in stored.tags.items():
        body: dict[str, Any] = stored.bodies[entry]
        if tag == "TICKET":
            flows[day_of(body["sold_at"])]["sales_cents"] += body["price_cents"]
        elif tag == "VOID":
            flows[day_of(body["voided_at"])]["voids_cents"] += body["price_cents"]
        elif tag == "PAID":
            flows[day_of(body["time"])]["paid_cents"] += body["cents"]
        elif tag == "LOCK" and stored.games[body["series"], body["game"]].state != "void":
            flows[body["gaming_day"]]["write_cents"] += body["handle_cents"]
    for refund in stored.refunds:
        flows[day_of(stored.bodies[refund.entry]["time"])]["refunds_cents"] += refund.cents
    return flows


def _owed(stored: Stored, last: dict[str, Any]) -> int:
    """Return what was won in the games until a close: of those it lists as frozen, as it says."""
    frozen = {(each["series"], each["game"]): each["cents"] for each in last["frozen"]}
    total = 0
    for game, entry in stored.locks.items():
        settled = stored.settlements.get(game)
        if stored.bodies[entry]["gaming_day"] <= last["day"]:
            total += frozen.get(game, 0 if settled is None else settled.paid_cents)
    return total
