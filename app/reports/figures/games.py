"""Games: winning numbers, what was written and won, who changed a close, limits that were cut."""

from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from fractions import Fraction
from typing import Any

from app.keno.numbering import printed_number
from app.reports.content import Column, Content, Kind, Row, Section
from app.reports.figures.again import again_section, graded_again
from app.reports.figures.columns import (
    GAME,
    PLACE,
    REASON,
    TICKET,
    TIME,
    WHAT,
    WHO,
    cents,
    whole,
)
from app.reports.told import Act, Told

Key = tuple[str, int]


@dataclass
class Played:
    """A game that was locked in the period."""

    lock: Act
    types: Counter[str] = field(default_factory=Counter)
    sold: int = 0  # tickets that begin with it, and are not void
    voids: int = 0
    voided_cents: int = 0
    numbers: tuple[int, ...] = ()
    drawn: Act | None = None
    settled: Act | None = None
    paid_cents: int = 0
    state: str = "locked"

    @property
    def wins(self) -> Mapping[str, Any]:
        """What it was settled for; nothing as long as it is not."""
        return {} if self.settled is None else self.settled.body


def played_games(told: Told) -> dict[Key, Played]:
    """Return the games of the period: those that were locked in it, in the order of their locks."""
    found: dict[Key, Played] = {}
    begun: dict[Key, dict[int, str]] = defaultdict(dict)  # types of tickets of games still open
    voided: dict[Key, list[int]] = defaultdict(list)
    for act in told.acts("TICKET", "VOID", "LOCK"):
        body = act.body
        key = (body["series"], body["game" if act.tag == "LOCK" else "first_game"])
        if act.tag == "TICKET":
            begun[key][body["number"]] = body["type"]
        elif act.tag == "VOID":
            voided[key].append(body["price_cents"])
            begun[key].pop(body["ticket"], None)
        else:
            types, back = Counter(begun.pop(key, {}).values()), voided.pop(key, [])
            if told.period.has_day(body["gaming_day"]):
                found[key] = Played(act, types, types.total(), len(back), sum(back))
    _outcomes(told, found)
    for act in told.acts("PAID"):
        for win in act.body["wins"]:
            if (act.body["series"], win["game"]) in found:
                found[act.body["series"], win["game"]].paid_cents += win["cents"]
    return found


def locked_games(told: Told) -> dict[Key, Played]:
    """Return the games of the period from what is never archived: tickets need not be there."""
    locks = [act for act in told.acts("LOCK") if told.period.has_day(act.body["gaming_day"])]
    found = {(act.body["series"], act.body["game"]): Played(act) for act in locks}
    _outcomes(told, found)
    return found


def _outcomes(told: Told, found: dict[Key, Played]) -> None:
    states = {"DRAW": "drawn", "WINS": "settled", "CERTIFIED": "certified", "FROZEN": "frozen"}
    for act in told.acts("DRAW", "VOID-GAME", "WINS", "CERTIFIED", "FROZEN"):
        body = act.body
        game = found.get((body["series"], body["game"]))
        if game is None:
            continue
        game.state = states.get(act.tag, "void")
        if act.tag in ("DRAW", "VOID-GAME"):
            game.drawn, game.numbers = act, tuple(body.get("numbers", ()))
        if act.tag == "WINS":
            game.settled = act


def winning_numbers(told: Told) -> Content:
    """The register of winning numbers (15.5(h))."""
    columns = (
        GAME,
        Column("locked_at", "Locked", Kind.MOMENT),
        Column("drawn_at", "Drawn", Kind.MOMENT),
        Column("state", "State"),
        Column("numbers", "Winning numbers", Kind.NUMBERS),
        Column("in_order", "As they were drawn", Kind.NUMBERS),
        Column("seal", "Seal"),
        Column("record", "Record", Kind.HASH),
    )
    rows: list[Row] = []
    for (series, number), game in locked_games(told).items():
        body: Mapping[str, Any] = game.drawn.body if game.drawn else {}
        rows.append(
            (
                f"{series}-{number}",
                game.lock.at,
                game.drawn.at if game.drawn else None,
                game.state,
                tuple(sorted(game.numbers)),
                game.numbers,
                body.get("seal"),
                body.get("record"),
            )
        )
    return Content((Section("games", "Winning numbers", columns, rows),))


def game_recap(told: Told) -> Content:
    """What was written, won and paid in each game (X-audit-books)."""
    columns = (
        GAME,
        Column("locked_at", "Locked", Kind.MOMENT),
        Column("state", "State"),
        whole("tickets", "Tickets"),
        whole("begun", "Begun"),
        whole("voids", "Voids"),
        cents("voided_cents", "Voided"),
        cents("write_cents", "Write"),
        whole("winners", "Winners"),
        cents("won_cents", "Won"),
        cents("payable_cents", "Payable"),
        cents("paid_cents", "Paid"),
        cents("win_cents", "House win"),
        Column("hold", "Hold", Kind.RATIO),
    )
    found = played_games(told)
    rows: list[Row] = []
    types: Counter[str] = Counter()
    for (series, number), game in found.items():
        lock, wins = game.lock.body, game.wins
        write = 0 if game.state == "void" else lock["handle_cents"]
        payable = wins.get("paid_cents", 0)
        types.update(game.types)
        rows.append(
            (
                f"{series}-{number}",
                game.lock.at,
                game.state,
                lock["tickets"],
                game.sold,
                game.voids,
                game.voided_cents,
                write,
                wins.get("winners", 0),
                wins.get("win_cents", 0),
                payable,
                game.paid_cents,
                write - payable,
                Fraction(write - payable, write) if write else None,
            )
        )
    by_type: list[Row] = [(name, types[name]) for name in sorted(types)]
    earlier = [each for each in graded_again(told) if each.key not in found]
    return Content(
        (
            Section(
                "games",
                "Games",
                columns,
                rows,
                remark="Tickets: all that play the game. Begun: those whose first game it is. "
                "Payable is what was won after the aggregate limit; paid is what was paid of it "
                "by the end of this stretch of the log.",
            ),
            again_section(
                earlier,
                "Games of earlier days, which were closed before: their rows above are in the "
                "reports of those days, and this is what has changed since.",
            ),
            Section(
                "types",
                "Tickets begun, by type",
                (Column("type", "Type"), whole("tickets", "Tickets")),
                by_type,
            ),
        )
    )


# ---- what was done to a game by hand -------------------------------------------------------------


def overrides(told: Told) -> Content:
    """Who changed when a game closes, held or voided it, and why (15.5(e))."""
    columns = (
        TIME,
        GAME,
        WHAT,
        WHO,
        PLACE,
        Column("before", "Closed before", Kind.MOMENT),
        Column("after", "Closes now", Kind.MOMENT),
        REASON,
    )
    tags = ("OVERRIDE", "LOCK", "HELD", "VOID-ASKED", "VOID-GAME", "FROZEN", "RELEASED")
    rows = [row for act in told.within(*tags) if (row := _override_row(act)) is not None]
    return Content((Section("overrides", "Games changed by hand", columns, rows),))


def _override_row(act: Act) -> Row | None:
    body = act.body
    game = f"{body['series']}-{body['game']}"
    by = body.get("by") or body.get("supervisor")
    who, place = (by["staff"], by["at"]) if isinstance(by, Mapping) and "staff" in by else ("", "")
    if act.tag == "LOCK" and not who:
        return None  # by the clock, as it should be
    what = {
        "OVERRIDE": "close changed",
        "LOCK": "locked by hand",
        "HELD": "held" if body.get("why") else "let go",
        "VOID-ASKED": "void asked for",
        "VOID-GAME": "void",
        "FROZEN": "frozen",
        "RELEASED": "released",
    }[act.tag]
    if act.tag == "RELEASED":
        who = f"{who}, {body['manager']['staff']}"
    if act.tag == "LOCK" and isinstance(by, Mapping) and by.get("approver"):
        who = f"{who}, {by['approver']}"  # a writer locks only with a supervisor (15.5(d))
    reason = body.get("reason") or body.get("why") or ""
    return (
        act.at, game, what, who, place,
        _moment(body.get("closed_before")), _moment(body.get("closes_now")), reason,
    )  # fmt: skip


def _moment(text: object) -> datetime | None:
    return datetime.fromisoformat(text) if isinstance(text, str) else None


# ---- the aggregate limit -------------------------------------------------------------------------


def aggregate_sheets(told: Told) -> Content:
    """Games whose wins came to more than the limit, and how it was shared (X-aggregate-sheet)."""
    games: list[Row] = []
    winners: list[Row] = []
    found = played_games(told)
    settled = [(game.settled, False) for game in found.values() if game.settled is not None]
    settled += [(each.now, True) for each in graded_again(told) if each.key not in found]
    for act, is_again in settled:
        wins = act.body
        if wins["paid_cents"] == wins["win_cents"]:
            continue
        name = f"{wins['series']}-{wins['game']}"
        told_of = ("winners", "win_cents", "limit_cents", "in_full_below_cents", "paid_cents")
        games.append((name, *(wins[each] for each in told_of), is_again))
        winners += [
            (name, printed_number(ticket), won, paid, won - paid)
            for ticket, won, paid in told.sheets(act)
        ]
    return Content(
        (
            Section(
                "games",
                "Games whose wins were cut",
                (
                    GAME,
                    whole("winners", "Winners"),
                    cents("won_cents", "Won"),
                    Column("limit_cents", "Limit", Kind.CENTS),
                    Column("in_full_below_cents", "In full below", Kind.CENTS),
                    cents("paid_cents", "Paid in all"),
                    Column("again", "Graded again", Kind.YES_NO),
                ),
                games,
                remark="Graded again: a game of an earlier day, whose sheet of that day this one "
                "takes the place of.",
            ),
            Section(
                "winners",
                "Winners",
                (
                    GAME,
                    TICKET,
                    cents("won_cents", "Won"),
                    cents("paid_cents", "Paid"),
                    cents("cut_cents", "Cut"),
                ),
                winners,
            ),
        )
    )
