"""What holds in the house: rate cards with their odds, who can do what, what was changed."""

from collections.abc import Mapping
from typing import Any

from app.keno.card_checks import all_figures
from app.keno.card_file import read_card
from app.keno.money import dollars
from app.keno.odds import catch_odds
from app.reports.content import Column, Content, Kind, Row, Section
from app.reports.figures.columns import PLACE, TIME, WHAT, WHO
from app.reports.told import Act, Told

CHANGES = (
    "AMOUNT", "SETTING", "SERIES", "PRINTER", "CARD", "CARD-ACCEPTED", "CARD-IN-FORCE", "RETENTION",
    "REPORT-CHOICE", "HOLD-ENDED", "SALE-STOPPED", "SALE-RESUMED",
)  # fmt: skip


def rate_cards(told: Told) -> Content:
    """Every version of the rate card, with odds, return and house advantage (X-card-odds)."""
    versions: list[Row] = []
    limits: list[Row] = []
    rates: list[Row] = []
    wagers: list[Row] = []
    catches: list[Row] = []
    accepted: dict[str, list[str]] = {}
    since: dict[str, list[str]] = {}
    for act in told.standing("CARD-ACCEPTED", "CARD-IN-FORCE"):
        body = act.body
        if act.tag == "CARD-ACCEPTED":
            accepted.setdefault(body["card"], []).append(f"{body['by']['staff']} ({body['as']})")
        else:
            since.setdefault(body["card"], []).append(body["effective_at"])
    for act in told.standing("CARD"):
        body = act.body
        card, digest = read_card(body["file"].encode()), body["card"]
        versions.append(
            (
                digest,
                card.name,
                act.at,
                body["by"]["staff"],
                ", ".join(accepted.get(digest, [])),
                ", ".join(since.get(digest, [])),
                card.limits.aggregate_cents,
                card.limits.claim_minutes,
            )
        )
        bounds = card.limits
        limits.append(
            (
                digest,
                bounds.spots_max,
                bounds.games_max,
                bounds.ticket_min_cents,
                bounds.ticket_max_cents,
                bounds.in_full_below_cents,
                bounds.rounding.value,
            )
        )
        rates += [
            (digest, name, each.base_cents, each.rate_min_cents, each.rate_max_cents,
             each.rate_step_cents, each.ways_min, each.ticket_min_cents)
            for name, each in card.schedules.items()
        ]  # fmt: skip
        for schedule, by_spots in all_figures(card).items():
            for spots, figures in by_spots.items():
                exact = figures.pays_back, figures.house_advantage, figures.hit
                wagers.append((digest, schedule, spots, *exact))
                pays = card.schedules[schedule].pays_for(spots)
                catches += [
                    (digest, schedule, spots, caught, pays.get(caught, 0), odds)
                    for caught, odds in catch_odds(spots).items()
                ]
    card_column = Column("card", "Card", Kind.HASH)
    wager = Column("schedule", "Schedule"), Column("spots", "Spots", Kind.WHOLE)
    return Content(
        (
            Section(
                "versions",
                "Versions",
                (
                    card_column,
                    Column("name", "Name"),
                    Column("brought_at", "Brought", Kind.MOMENT),
                    Column("brought_by", "By"),
                    Column("accepted_by", "Accepted by"),
                    Column("in_force_since", "In force since"),
                    Column("aggregate_cents", "Aggregate limit", Kind.CENTS),
                    Column("claim_minutes", "Minutes to claim", Kind.WHOLE),
                ),
                versions,
            ),
            Section(
                "limits",
                "Limits",
                (
                    card_column,
                    Column("spots_max", "Most spots", Kind.WHOLE),
                    Column("games_max", "Most games", Kind.WHOLE),
                    Column("ticket_min_cents", "Smallest ticket", Kind.CENTS),
                    Column("ticket_max_cents", "Largest ticket", Kind.CENTS),
                    Column("in_full_below_cents", "In full below", Kind.CENTS),
                    Column("rounding", "Rounding"),
                ),
                limits,
            ),
            Section(
                "rates",
                "Smallest and largest wagers",
                (
                    card_column,
                    Column("schedule", "Schedule"),
                    Column("base_cents", "Base", Kind.CENTS),
                    Column("rate_min_cents", "Smallest rate", Kind.CENTS),
                    Column("rate_max_cents", "Largest rate", Kind.CENTS),
                    Column("rate_step_cents", "Step", Kind.CENTS),
                    Column("ways_min", "Least ways", Kind.WHOLE),
                    Column("schedule_min_cents", "Least price", Kind.CENTS),
                ),
                rates,
                remark="A rate is the price of one way in one game. Pays are listed for the base, "
                "and are in proportion to the rate.",
            ),
            Section(
                "wagers",
                "Return and house advantage",
                (
                    card_column,
                    *wager,
                    Column("return", "Return", Kind.RATIO),
                    Column("house_advantage", "House advantage", Kind.RATIO),
                    Column("hit", "Wins at all", Kind.CHANCE),
                ),
                wagers,
            ),
            Section(
                "catches",
                "Odds of every catch",
                (
                    card_column,
                    *wager,
                    Column("caught", "Caught", Kind.WHOLE),
                    Column("pays_cents", "Pays for the base", Kind.CENTS),
                    Column("odds", "Chance", Kind.CHANCE),
                ),
                catches,
            ),
        )
    )


# ---- who can do what -----------------------------------------------------------------------------


def who_can(told: Told) -> Content:
    """Everybody who works here, and what each role may do, at the end of the period (X-access)."""
    people: dict[str, dict[str, Any]] = {}
    for act in told.standing("STAFF"):
        person = people.setdefault(act.body["staff"], {"disabled": False})
        person["since"] = person.get("since", act.at)
        person["changed"], person["by"] = act.at, _by(act.body)
        person["role"] = act.body.get("role") or person.get("role")
        if act.body.get("change") in ("disabled", "enabled"):
            person["disabled"] = act.body["change"] == "disabled"
    stations: dict[str, dict[str, Any]] = {}
    for act in told.standing("STATION"):
        station = stations.setdefault(act.body["station"], {"disabled": False})
        station["location"] = act.body.get("location") or station.get("location")
        station["changed"], station["by"] = act.at, _by(act.body)
        if act.body.get("change") in ("disabled", "enabled"):
            station["disabled"] = act.body["change"] == "disabled"
    disabled = Column("disabled", "Disabled", Kind.YES_NO)
    changed = Column("changed_at", "Last change", Kind.MOMENT)
    return Content(
        (
            Section(
                "staff",
                "Staff",
                (
                    Column("staff", "Code"),
                    Column("role", "Role"),
                    disabled,
                    Column("since", "Since", Kind.MOMENT),
                    changed,
                    Column("by", "By"),
                ),
                [
                    (
                        code,
                        each["role"],
                        each["disabled"],
                        each["since"],
                        each["changed"],
                        each["by"],
                    )
                    for code, each in sorted(people.items())
                ],
            ),
            Section(
                "stations",
                "Work stations",
                (
                    Column("station", "Code"),
                    Column("location", "Location"),
                    disabled,
                    changed,
                    Column("by", "By"),
                ),
                [
                    (code, each["location"], each["disabled"], each["changed"], each["by"])
                    for code, each in sorted(stations.items())
                ],
            ),
            Section(
                "acts",
                "What each role may do",
                (Column("act", "Act"), Column("roles", "Roles")),
                [(act, ", ".join(roles)) for act, roles in sorted(told.may.items())],
            ),
        )
    )


def _by(body: Mapping[str, Any]) -> str:
    by = body.get("by", "")
    return by["staff"] if isinstance(by, Mapping) else str(by)


# ---- what was changed ----------------------------------------------------------------------------


def settings(told: Told) -> Content:
    """What the house has set otherwise, with before and after (X-audit-log, 8.3)."""
    columns = (
        TIME,
        WHAT,
        Column("before", "Before"),
        Column("after", "After"),
        WHO,
        PLACE,
    )
    earlier = _earlier(told)
    rows = [_change_row(act, earlier.get(act.position)) for act in told.within(*CHANGES)]
    return Content((Section("changes", "Changes", columns, rows),))


def _earlier(told: Told) -> dict[int, Mapping[str, Any]]:
    """Return what was said before of a printer, and which card was in force before, by place.

    These acts say what is now, and not what was.
    """
    newest: dict[str, Mapping[str, Any]] = {}
    found: dict[int, Mapping[str, Any]] = {}
    for act in told.standing("PRINTER", "CARD-IN-FORCE"):
        about = act.body.get("printer", "")
        if about in newest:
            found[act.position] = newest[about]
        newest[about] = act.body
    return found


def _change_row(act: Act, earlier: Mapping[str, Any] | None) -> Row:
    body = act.body
    by = body.get("by")
    if isinstance(by, Mapping):
        people = [by["staff"], body.get("supervisor")]
        who = ", ".join(each for each in people if each is not None)
        place = by["at"]
    else:
        who, place = f"{body['supervisor']}, {body['manager']}", body["at"]
    what, before, after = _change(act.tag, body)
    if earlier is not None:
        before = _printer(earlier) if act.tag == "PRINTER" else f"card {earlier['card'][:16]}"
    return act.at, what, before, after, who, place


def _change(tag: str, body: Mapping[str, Any]) -> tuple[str, str, str]:
    """Return what was changed, what it was and what it is."""
    match tag:
        case "AMOUNT":
            what = f"amount {body['name']} from {body['from_day']}"
            before, after = dollars(body["before_cents"]), dollars(body["after_cents"])
        case "SETTING":
            what, before, after = f"setting {body['name']}", body["before"], body["after"]
        case "RETENTION":
            what = f"days for which {body['kind']} is kept"
            before, after = body["before"], body["after"]
        case "SERIES":
            what = f"series {body['series']}"
            before, after = _facts(body["before"]), _facts(body["after"])
        case "PRINTER":
            what, before, after = f"printer {body['printer']}", "", _printer(body)
        case "REPORT-CHOICE":
            what = f"report {body['report']} as {body['format']} at the close of each day"
            before, after = ("made" if body[name] else "not made" for name in ("before", "after"))
        case "SALE-STOPPED" | "SALE-RESUMED":
            named = (body["series"], body["schedule"], body["spots"])
            what = "sale of " + " ".join(str(each) for each in named if each is not None)
            before, after = ("sold", "stopped") if tag == "SALE-STOPPED" else ("stopped", "sold")
            after = f"{after}: {body['reason']}"
        case "HOLD-ENDED":
            what, before = f"hold of tickets up to {body['last_number']}", "held"
            after = f"not held: {body['reason']}"
        case _:
            what, before, after = f"rate card {body['card'][:16]}", "", _of_card(tag, body)
    return what, _words(before), _words(after)


def _printer(body: Mapping[str, Any]) -> str:
    until = f" until {body['until']}" if body.get("until") else ""
    return f"{body['address']}, {body['roll']}, {' '.join(body['stations'])}{until}"


def _of_card(tag: str, body: Mapping[str, Any]) -> str:
    return {
        "CARD": "brought",
        "CARD-ACCEPTED": f"accepted as {body.get('as')}",
        "CARD-IN-FORCE": f"in force from {body.get('effective_at')}",
    }[tag]


def _words(value: object) -> str:
    return "" if value is None else str(value)


def _facts(facts: Mapping[str, object]) -> str:
    return ", ".join(f"{name} {value}" for name, value in sorted(facts.items()))
