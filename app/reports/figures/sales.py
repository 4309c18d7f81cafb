"""Sales and voids: every ticket, by station, type and tender, and how close to the lock."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from datetime import timedelta
from fractions import Fraction
from typing import Any

from app.keno.house_settings import BOUNDS, Setting
from app.keno.numbering import printed_number
from app.reports.content import Column, Content, Kind, Line, Plot, Row, Section
from app.reports.figures.columns import (
    APPROVER,
    DAY,
    REASON,
    SERIES,
    STATION,
    TICKET,
    TIME,
    WITH_CODE,
    WRITER,
    cents,
    whole,
)
from app.reports.told import Act, Told

MINUTES = 10  # before the lock, in the plot
_SUMMARY = (
    whole("tickets", "Tickets"),
    cents("sales_cents", "Sales"),
    whole("voids", "Voids"),
    cents("voids_cents", "Voided"),
    cents("net_cents", "Net"),
)


def sales_detail(told: Told) -> Content:
    """Every ticket that was sold, as it was sold."""
    columns = (
        TICKET,
        TIME,
        STATION,
        WRITER,
        SERIES,
        Column("first_game", "First game", Kind.WHOLE),
        Column("last_game", "Last", Kind.WHOLE),
        Column("type", "Type"),
        Column("source", "Made from"),
        Column("conditioning", "Conditioning"),
        Column("ways", "Ways", Kind.WHOLE),
        cents("price_cents", "Price"),
        Column("tender", "Tender"),
    )
    rows = [_sold_row(act) for act in told.within("TICKET")]
    return Content((Section("tickets", "Tickets sold", columns, rows),))


def _sold_row(act: Act) -> Row:
    body = act.body
    return (
        printed_number(body["number"]),
        act.at,
        body["station"],
        body["writer"],
        body["series"],
        body["first_game"],
        body["first_game"] + body["games"] - 1,
        body["type"],
        source_words(body["source"]),
        body["conditioning"],
        sum(line["ways"] for line in body["lines"]),
        body["price_cents"],
        ", ".join(sorted({part["kind"] for part in body["tender"]})),
    )


def source_words(source: object) -> str:
    """Return what a ticket was made from: a request, a quick-pick, or an earlier ticket."""
    return source if isinstance(source, str) else "replay"


# ---- summary -------------------------------------------------------------------------------------


def sales_summary(told: Told) -> Content:
    """What was sold, by station, by series, by type and by kind of tender."""
    tickets: dict[str, Counter[str]] = {name: Counter() for name in ("station", "series", "type")}
    sold: dict[str, Counter[str]] = {name: Counter() for name in tickets}
    voids: Counter[str] = Counter()
    voided: Counter[str] = Counter()
    tender: Counter[str] = Counter()
    games: Counter[str] = Counter()
    minutes: Counter[int] = Counter()  # before the lock of the first game
    locked = {(act.body["series"], act.body["game"]): act.at for act in told.acts("LOCK")}
    for act in told.within("TICKET", "VOID"):
        body = act.body
        if act.tag == "VOID":
            voids[body["issued_at"]] += 1
            voided[body["issued_at"]] += body["price_cents"]
            continue
        kind = {**body, "type": _type(body)}
        for name, counted in tickets.items():
            counted[kind[name]] += 1
            sold[name][kind[name]] += body["price_cents"]
        for part in body["tender"]:
            tender[part["kind"]] += part["cents"]
        tender["change in cash"] -= body["change_cents"]
        games[body["series"]] += body["games"]
        lock = locked.get((body["series"], body["first_game"]))
        if lock is not None:
            minutes[min((lock - act.at) // timedelta(minutes=1), MINUTES)] += 1
    places = sorted(tickets["station"].keys() | voids.keys())
    by_station: list[Row] = [
        (
            place,
            tickets["station"][place],
            sold["station"][place],
            voids[place],
            voided[place],
            sold["station"][place] - voided[place],
        )
        for place in places
    ]
    count, money = whole("tickets", "Tickets"), cents("sales_cents", "Sales")
    return Content(
        (
            Section("stations", "By station", (STATION, *_SUMMARY), by_station),
            Section(
                "series",
                "By series",
                (SERIES, count, whole("games", "Games played for"), money),
                [
                    (code, tickets["series"][code], games[code], sold["series"][code])
                    for code in sorted(tickets["series"])
                ],
            ),
            Section(
                "types",
                "By type of ticket",
                (Column("type", "Type"), count, money),
                [
                    (code, tickets["type"][code], sold["type"][code])
                    for code in sorted(sold["type"])
                ],
            ),
            Section(
                "tender",
                "By tender",
                (Column("kind", "Kind"), cents("cents", "Taken in")),
                [(kind, tender[kind]) for kind in sorted(tender) if tender[kind]],
                remark="Change is given in cash.",
            ),
            _by_minute(minutes),
        ),
        plots=(_minute_plot(minutes),),
    )


def _type(body: Mapping[str, Any]) -> str:
    flags = ["multi-race"] if body["games"] > 1 else []
    flags += ["quick-pick"] if source_words(body["source"]) == "quick-pick" else []
    return " ".join([body["type"], *flags])


def _by_minute(found: Counter[int]) -> Section:
    columns = (Column("minute", "Before the lock"), whole("tickets", "Tickets"))
    rows: list[Row] = [(_minute(minute), found[minute]) for minute in range(MINUTES + 1)]
    return Section("minutes", "By minute before the lock", columns, rows)


def _minute_plot(found: Counter[int]) -> Plot:
    places = range(MINUTES, -1, -1)  # the lock is on the right, as time goes
    values = tuple(Fraction(found[minute]) for minute in places)
    return Plot(
        "Tickets by minute before the lock",
        tuple(str(minute) if minute < MINUTES else f"{MINUTES}+" for minute in places),
        (Line("tickets", values),),
        bars=True,
    )


def _minute(minute: int) -> str:
    return f"{minute} to {minute + 1} min" if minute < MINUTES else f"{MINUTES} min and more"


# ---- voids ---------------------------------------------------------------------------------------


def voids(told: Told) -> Content:
    """Every void under the station that issued the ticket, day by day (15.4(e)-list)."""
    columns = (
        Column("issued_at", "Issued at"),
        DAY,
        TICKET,
        TIME,
        Column("station", "Voided at"),
        WRITER,
        cents("price_cents", "Price"),
        REASON,
        WITH_CODE,
        APPROVER,
    )
    rows = sorted(
        (_void_row(told, act) for act in told.within("VOID")),
        key=lambda row: (str(row[0]), str(row[1]), str(row[2])),
    )
    found: Counter[str] = Counter()
    money: Counter[str] = Counter()
    for row in rows:
        found[str(row[0])] += 1
        money[str(row[0])] += int(str(row[6]))
    summary: list[Row] = [(place, found[place], money[place]) for place in stations(told)]
    return Content(
        (
            Section("voids", "Voided tickets", columns, rows),
            Section(
                "stations",
                "By issuing station",
                (STATION, whole("voids", "Voids"), cents("voids_cents", "Voided")),
                summary,
                remark="Every station is listed, also one that issued no ticket that was voided.",
            ),
        )
    )


def _void_row(told: Told, act: Act) -> Row:
    body = act.body
    return (
        body["issued_at"],
        day_of(told, act),
        printed_number(body["ticket"]),
        act.at,
        body["station"],
        body["writer"],
        body["price_cents"],
        body["reason"],
        body["with_code"],
        body["approver"],
    )


def void_rates(told: Told) -> Content:
    """How many of the tickets that each writer and station sold were voided (X-void-slip)."""
    most = Fraction(_void_percent(told), 100)
    sold: dict[str, Counter[str]] = defaultdict(Counter)
    void: dict[str, Counter[str]] = defaultdict(Counter)
    for act in told.within("TICKET", "VOID"):
        counted = void if act.tag == "VOID" else sold
        counted["writers"][act.body["writer"]] += 1
        counted["stations"][act.body["issued_at" if act.tag == "VOID" else "station"]] += 1
    sections = tuple(
        Section(name, title, _rate_columns(title), _rates(sold[name], void[name], most), remark)
        for name, title, remark in (
            ("writers", "By writer", "A void counts for the writer who did it."),
            ("stations", "By station", "A void counts for the station that issued the ticket."),
        )
    )
    return Content(sections, remarks=(f"Marked: a void rate above {_void_percent(told)} %.",))


def _rate_columns(title: str) -> tuple[Column, ...]:
    return (
        Column("name", title.removeprefix("By ").capitalize()),
        whole("sold", "Sold"),
        whole("voids", "Voids"),
        Column("rate", "Void rate", Kind.RATIO),
        Column("marked", "Marked", Kind.YES_NO),
    )


def _rates(sold: Counter[str], void: Counter[str], most: Fraction) -> list[Row]:
    rows: list[Row] = []
    for name in sorted(sold.keys() | void.keys()):
        rate = Fraction(void[name], sold[name]) if sold[name] else None
        marked = rate is None or rate > most
        rows.append((name, sold[name], void[name], rate, marked))
    return rows


def _void_percent(told: Told) -> int:
    """Return the void rate above which a line is marked, as the house settled it last."""
    name = Setting.VOID_PERCENT
    settled = [act.body["after"] for act in told.standing("SETTING") if act.body["name"] == name]
    return int(settled[-1]) if settled else BOUNDS[name].at_first


# ---- shared --------------------------------------------------------------------------------------


def day_of(told: Told, act: Act) -> str:
    """Return the gaming day of an act of the period."""
    return told.day_of(act.at).isoformat()


def stations(told: Told) -> Iterator[str]:
    """Yield every station that the house has had, in order."""
    yield from sorted({act.body["station"] for act in told.standing("STATION")})
