"""The house's money: what is owed, what drawers came to, what days, months and years held."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from datetime import date, timedelta
from fractions import Fraction

from app.keno.day import DayFigures, added
from app.keno.drawer import cents_of_kind
from app.keno.numbering import printed_number
from app.reports.content import Column, Content, Kind, Line, Plot, Row, Section
from app.reports.figures.again import again_section, graded_again
from app.reports.figures.columns import (
    DAY,
    STATION,
    TICKET,
    TIME,
    WHAT,
    WRITER,
    cents,
    whole,
)
from app.reports.told import Act, Told

BASE_DAYS = 365  # the base level is what the house held in so many days before
DRIFT = Fraction(3, 100)
PLOTTED = 60  # days
_SHIFT = (
    "drawer", "station", "writer", "opening_cents", "filled_cents", "bled_cents", "sales_cents",
    "voids_cents", "refunds_cents", "paid_cents", "counted_cents", "over_short_cents", "win_cents",
)  # fmt: skip
AGES = ((7, "up to 7 days"), (30, "8 to 30 days"), (90, "31 to 90 days"), (366, "91 days and more"))


def figures_of(close: Act) -> DayFigures:
    """Return the figures of a day as it was closed."""
    return DayFigures(**close.body["figures"])


# ---- what is owed --------------------------------------------------------------------------------


def unclaimed(told: Told) -> Content:
    """Wins that nobody has come for yet, by age, what has expired, and how the sum moved."""
    closes = told.closes()
    rolled: list[Row] = []
    for close in closes:
        day = figures_of(close)
        rolled.append(
            (
                close.body["day"],
                day.payable_brought_cents,
                day.wins_cents,
                day.adjusted_cents,
                day.paid_cents,
                day.expired_cents,
                day.payable_carried_cents,
            )
        )
    return Content(
        (
            Section(
                "liability",
                "Wins payable, day by day",
                (
                    DAY,
                    Column("brought_cents", "Brought", Kind.CENTS),
                    cents("wins_cents", "Won"),
                    cents("adjusted_cents", "Adjusted"),
                    cents("paid_cents", "Paid"),
                    cents("expired_cents", "Expired"),
                    Column("carried_cents", "Carried", Kind.CENTS),
                ),
                rolled,
                remark="A day that is not closed yet is not listed.",
            ),
            _ages(closes),
            Section(
                "expired",
                "Expired",
                (TICKET, Column("expired_at", "Expired", Kind.MOMENT), cents("cents", "Win")),
                [
                    (printed_number(act.body["ticket"]), act.at, act.body["cents"])
                    for act in expired_in(told)
                ],
            ),
        )
    )


def expired_in(told: Told) -> Iterable[Act]:
    """Yield the wins that were posted as expired with the closes of the period's days.

    They are dated back to when they expired; which close they belong to their place tells.
    """
    before = [
        act.position
        for act in told.standing("DAY-CLOSE")
        if act.body["day"] < told.period.first.isoformat()
    ]
    after = before[-1] if before else -1
    return (act for act in told.acts("EXPIRED") if act.position > after)


def _ages(closes: list[Act]) -> Section:
    """Return what is owed at the end of the last day that is closed, by the age of the wins."""
    columns = (
        Column("age", "Age of the win"),
        whole("days", "Gaming days"),
        cents("cents", "Unclaimed"),
    )
    if not closes:
        return Section("ages", "Unclaimed by age", columns, [])
    last = date.fromisoformat(closes[-1].body["day"])
    sums: Counter[str] = Counter()
    days: Counter[str] = Counter()
    for day, owed in closes[-1].body.get("unclaimed", {}).items():
        old = (last - date.fromisoformat(day)).days
        age = next(name for most, name in AGES if old <= most or most == AGES[-1][0])
        sums[age] += owed
        days[age] += 1
    rows: list[Row] = [(name, days[name], sums[name]) for _, name in AGES]
    return Section(
        "ages", "Unclaimed by age", columns, rows, remark=f"At the close of {last.isoformat()}."
    )


# ---- drawers and shifts --------------------------------------------------------------------------


def drawers(told: Told) -> Content:
    """Every drawer: what it opened with, what moved, and what was over or short (X-drawer)."""
    shifts: list[Row] = [
        (close.body["day"], *(each[name] for name in _SHIFT), *_in_all(each))
        for close in told.closes()
        for each in close.body["drawers"]["shifts"]
    ]
    shift_columns = (
        DAY,
        Column("drawer", "Drawer", Kind.WHOLE),
        STATION,
        WRITER,
        cents("opening_cents", "Opened with"),
        cents("filled_cents", "Filled"),
        cents("bled_cents", "Bled"),
        cents("sales_cents", "Sales"),
        cents("voids_cents", "Voids"),
        cents("refunds_cents", "Refunds"),
        cents("paid_cents", "Paid"),
        cents("counted_cents", "Counted"),
        cents("over_short_cents", "Over or short"),
        cents("win_cents", "Shift win"),
        cents("not_cash_cents", "Checks less coupons"),
        cents("expected_cents", "Expected"),
    )
    move_columns = (
        TIME,
        WHAT,
        Column("drawer", "Drawer", Kind.WHOLE),
        STATION,
        WRITER,
        Column("cents", "Amount", Kind.CENTS),  # counts and movements add up to nothing
        Column("second", "Second person"),
        Column("words", "Words"),
    )
    moves = [_drawer_row(act) for act in told.within("DRAWER-OPEN", "DRAWER-MOVE", "DRAWER-CLOSE")]
    return Content(
        (
            Section(
                "shifts",
                "Shifts",
                shift_columns,
                shifts,
                remark="Of days that are closed. A shift's win is what it took in less what it "
                "paid. Expected: opened with, filled, sales and checks, less bled, voids, refunds, "
                "paid and coupons; over or short is what was counted beside it.",
            ),
            Section("moves", "Openings, movements and counts", move_columns, moves),
        )
    )


def _in_all(shift: Mapping[str, int]) -> tuple[int, int]:
    """Return what of a shift went by without cash, and what its drawer was to hold at the end."""
    expected = shift["counted_cents"] - shift["over_short_cents"]
    came = shift["opening_cents"] + shift["filled_cents"] + shift["sales_cents"]
    went = sum(shift[f"{name}_cents"] for name in ("bled", "voids", "refunds", "paid"))
    return expected - (came - went), expected


def _drawer_row(act: Act) -> Row:
    body = act.body
    what = {"DRAWER-OPEN": "opened", "DRAWER-CLOSE": "counted and closed"}.get(act.tag)
    counted = body.get("counted")
    amount = body.get("cents") if counted is None else sum(map(cents_of_kind, counted.values()))
    return (
        act.at,
        what or body["act"],
        body.get("drawer"),
        body["station"],
        body["writer"],
        amount,
        body.get("verifier") or body.get("approver"),
        body.get("words") or body.get("reason"),
    )


# ---- what was held -------------------------------------------------------------------------------


def win_and_hold(told: Told) -> Content:
    """Write, win and hold of days, months and years against the base level (X-audit-books)."""
    closed = {
        date.fromisoformat(act.body["day"]): figures_of(act) for act in told.standing("DAY-CLOSE")
    }
    days = {day: each for day, each in closed.items() if told.period.has_day(day.isoformat())}
    base = base_level(told.period.first, closed)

    def before(first: str) -> Fraction | None:
        return base_level(date.fromisoformat(first), closed)

    months: dict[str, list[DayFigures]] = {}
    years: dict[str, list[DayFigures]] = {}
    for day, each in closed.items():
        if day <= told.period.last:
            months.setdefault(f"{day:%Y-%m}", []).append(each)
            years.setdefault(f"{day:%Y}", []).append(each)
    touched = {f"{day:%Y-%m}" for day in days} | {f"{day:%Y}" for day in days}
    sections = [
        _held(
            "days", "Days", {day.isoformat(): each for day, each in days.items()}, lambda _: base
        ),
        # A month or year is held against what was before it, never against days of its own.
        _held(
            "months", "Months so far", _added(months, touched), lambda name: before(f"{name}-01")
        ),
        _held(
            "years", "Years so far", _added(years, touched), lambda name: before(f"{name}-01-01")
        ),
        again_section(
            graded_again(told),
            "What was won stands above on the day on which it was graded again, the day that is "
            "named here being that of the game.",
        ),
    ]
    if base is None:
        said = "There is no base level yet: no day was closed before this period."
    else:
        said = (
            f"Base level: the hold of up to {BASE_DAYS} closed days before this period; of a month "
            "or year, before that month or year."
        )
    return Content(
        tuple(sections),
        plots=(_hold_plot(told, closed, base),),
        remarks=(said, "Marked: a hold that is more than 3 points away from the base level."),
    )


def base_level(first: date, closed: dict[date, DayFigures]) -> Fraction | None:
    """Return what the house held in the year before a day; none if no day of it was closed."""
    since = first - timedelta(days=BASE_DAYS)
    before = [each for day, each in closed.items() if since <= day < first]
    return added(before).hold if before else None


def _added(groups: dict[str, list[DayFigures]], touched: set[str]) -> dict[str, DayFigures]:
    return {name: added(days) for name, days in groups.items() if name in touched}


def _held(
    name: str,
    title: str,
    figures: dict[str, DayFigures],
    base_of: Callable[[str], Fraction | None],
) -> Section:
    columns = (
        Column("period", title.split(maxsplit=1)[0].removesuffix("s")),
        cents("sales_cents", "Sales"),
        cents("voids_cents", "Voids"),
        cents("refunds_cents", "Refunds"),
        cents("write_cents", "Write"),
        cents("wins_cents", "Won"),
        cents("win_cents", "House win"),
        Column("hold", "Hold", Kind.RATIO),
        Column("base", "Base level", Kind.RATIO),
        Column("drift", "Off by", Kind.RATIO),
        Column("marked", "Marked", Kind.YES_NO),
    )
    rows: list[Row] = []
    for period in sorted(figures):
        each, base = figures[period], base_of(period)
        drift = None if each.hold is None or base is None else each.hold - base
        rows.append(
            (
                period,
                each.sales_cents,
                each.voids_cents,
                each.refunds_cents,
                each.write_cents,
                each.wins_cents + each.adjusted_cents,
                each.win_cents,
                each.hold,
                base,
                drift,
                drift is not None and abs(drift) > DRIFT,
            )
        )
    return Section(name, title, columns, rows)


def _hold_plot(told: Told, closed: dict[date, DayFigures], base: Fraction | None) -> Plot:
    shown = [day for day in sorted(closed) if day <= told.period.last][-PLOTTED:]
    values = tuple(closed[day].hold for day in shown)
    return Plot(
        "Hold over time",
        tuple(f"{day:%b} {day.day}" for day in shown),
        (Line("hold", values),),
        unit="%",
        band=None if base is None else (base - DRIFT, base + DRIFT),
        marked=tuple(
            place
            for place, hold in enumerate(values)
            if base is not None and hold is not None and abs(hold - base) > DRIFT
        ),
    )


# ---- writers -------------------------------------------------------------------------------------


def writers(told: Told) -> Content:
    """What each writer sold, voided, refunded and paid, and what is left of it."""
    names = ("tickets", "sales", "voids", "refunds", "paid")
    sums: dict[str, Counter[str]] = {name: Counter() for name in names}
    for act in told.within("TICKET", "VOID", "REFUND", "CANCEL", "PAID"):
        body, writer = act.body, act.body["writer"]
        if act.tag == "TICKET":
            sums["tickets"][writer] += 1
            sums["sales"][writer] += body["price_cents"]
        elif act.tag == "VOID":
            sums["voids"][writer] += body["price_cents"]
        else:
            sums["refunds"][writer] += (
                sum(part["cents"] for part in body["back"]) + body["coupon_cents"]
            )
        if act.tag == "PAID":
            sums["paid"][writer] += body["cents"]
    everyone = sorted(set().union(*sums.values()))
    rows: list[Row] = []
    for writer in everyone:
        taken = sums["sales"][writer] - sums["voids"][writer] - sums["refunds"][writer]
        win = taken - sums["paid"][writer]
        rows.append(
            (
                writer,
                *(sums[name][writer] for name in names),
                win,
                Fraction(win, taken) if taken else None,
            )
        )
    columns = (
        WRITER,
        whole("tickets", "Tickets"),
        cents("sales_cents", "Sales"),
        cents("voids_cents", "Voids"),
        cents("refunds_cents", "Refunds"),
        cents("paid_cents", "Paid"),
        cents("win_cents", "Win"),
        Column("hold", "Of what was kept", Kind.RATIO),
    )
    remark = "Acts count for whoever did them, whoever sold the ticket."
    return Content((Section("writers", "Writers", columns, rows, remark),))
