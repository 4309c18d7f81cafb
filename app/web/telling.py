"""Entries of the log told in words: when, who, where, and what it was about.

For pages. The body stands beside it whole, and is what counts; a body that was tampered with is
told as one that cannot be read.
"""

import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from app.audit.tags import Tag
from app.flow.see_floor import refusal_words
from app.keno.drawer import cents_of_kind
from app.keno.money import dollars
from app.keno.numbering import printed_number
from app.store.queries.log import EntryRow
from app.web.pages import moment

Body = dict[str, Any]
TIMES = ("time", "sold_at", "voided_at", "locked_at", "opened_at", "at")
PEOPLE = ("writer", "by", "staff", "approver")
PLACES = ("station", "at", "where")
# Under these names a body has a person or a station, wherever in it.
PERSON_NAMES = frozenset(
    {"writer", "staff", "by", "approver", "manager", "supervisor", "verifier", "keeper", "name"}
)
STATION_NAMES = frozenset({"station", "stations", "at", "where", "issued_at"})
UNREADABLE = "Its body cannot be read."
ARCHIVED = "Its body is in an archive."


@dataclass(frozen=True)
class Told:
    """An entry in words."""

    entry: EntryRow
    body: Body | None  # none: it cannot be read
    at: datetime | None
    who: str
    where: str
    words: str

    @property
    def ticket(self) -> int | None:
        """The ticket that it is about."""
        body = self.body or {}
        about = body.get("about")
        found = body.get("ticket") or (about.get("ticket") if isinstance(about, dict) else None)
        if found is None and self.entry.tag in {Tag.TICKET, Tag.APPROVED, Tag.TAX_PAPER}:
            found = body.get("number")
        return found if isinstance(found, int) else None

    @property
    def game(self) -> tuple[str, int] | None:
        """The game that it is about."""
        body = self.body or {}
        series, game = body.get("series"), body.get("game")
        return (series, game) if isinstance(series, str) and isinstance(game, int) else None


def tell(entry: EntryRow) -> Told:
    """Tell an entry in words."""
    body = read_body(entry)
    if entry.is_archived:
        return Told(entry, None, None, "", "", ARCHIVED)
    if body is None:
        return Told(entry, None, None, "", "", UNREADABLE)
    return Told(entry, body, _time(body), _who(body), _where(body), _words(entry.tag, body))


def read_body(entry: EntryRow) -> Body | None:
    """Return a body as the document that it is; none if it is none."""
    try:
        body = json.loads(entry.body)
    except ValueError:
        return None
    return body if isinstance(body, dict) else None


def names_one_of(entry: EntryRow, words: Iterable[str], under: frozenset[str]) -> bool:
    """Whether a body has one of these words as a person, or as a station."""
    wanted = set(words)
    return any(name in under and value in wanted for name, value in _values(read_body(entry)))


def _values(document: object, name: str = "") -> Iterator[tuple[str, str]]:
    """Yield every text of a document with the name that it stands under."""
    if isinstance(document, str):
        yield name, document
    elif isinstance(document, dict):
        for key, value in document.items():
            yield from _values(value, key)
    elif isinstance(document, list):
        for value in document:
            yield from _values(value, name)


def _time(body: Body) -> datetime | None:
    for name in TIMES:
        try:
            return datetime.fromisoformat(str(body.get(name)))
        except ValueError:
            continue
    return None


def _who(body: Body) -> str:
    for name in PEOPLE:
        value = body.get(name)
        if isinstance(value, dict):
            value = value.get("staff") or value.get("role") or ", ".join(map(str, value.values()))
        if value:
            return str(value)
    return ""


def _where(body: Body) -> str:
    by = body.get("by")
    for of in (body, by if isinstance(by, dict) else {}, body.get("facts") or {}):
        for name in PLACES:
            value = of.get(name) if isinstance(of, dict) else None
            if isinstance(value, str) and "T" not in value[10:11]:  # and no time, as of enrolling
                return value
    return ""


# ---- words ---------------------------------------------------------------------------------------


def _words(tag: str, body: Body) -> str:
    telling = TELLING.get(tag)
    try:
        return telling(body) if telling else _plain(body)
    except (AttributeError, LookupError, TypeError, ValueError):
        return UNREADABLE


def _plain(body: Body) -> str:
    left_out = {"label", "version", "house", *TIMES, *PEOPLE, *PLACES, "request_id"}
    told = [f"{name} {_short(value)}" for name, value in body.items() if name not in left_out]
    return ", ".join(told).replace("_", " ")[:200]


def _short(value: object) -> str:
    text = value if isinstance(value, str) else json.dumps(value)
    return text if len(text) <= 40 else f"{text[:37]}..."


def _number(body: Body) -> str:
    return printed_number(int(body["ticket"] if "ticket" in body else body["number"]))


def _game(body: Body) -> str:
    return f"{body['series']}-{body['game']}"


def _many(count: int, thing: str) -> str:
    return f"{count:,} {thing}{'' if count == 1 else 's'}"


def _card(body: Body) -> str:
    return f"Rate card {body['card'][:16]}"


def _opened(body: Body) -> str:
    bank = sum(cents_of_kind(each) for each in body["counted"].values())
    return f"Bank of {dollars(bank)}, counted with {body['verifier']}"


def _closed(body: Body) -> str:
    over = body["over_short_cents"]
    counted = dollars(body["counted_cents"])
    difference = f"{'over' if over > 0 else 'short'} {dollars(abs(over))}" if over else "even"
    return f"{counted} counted with {body['verifier']}, {difference}"


def _sold(body: Body) -> str:
    games = "one game" if body["games"] == 1 else f"{body['games']} games from"
    return (
        f"Ticket {_number(body)}: {body['conditioning']}, {games} {body['series']}-"
        f"{body['first_game']}, {dollars(body['price_cents'])}"
    )


SHOWN = {
    "digits": ", with a part of its code",
    "identity": ", without its code",
    "claim": ", as a lost ticket",
}


def _paid(body: Body) -> str:
    approved = [body[name] for name in ("approver", "manager") if body[name]]
    by = f", approved by {' and '.join(approved)}" if approved else ""
    how = SHOWN.get(body.get("shown", {}).get("how"), "")
    return f"Ticket {_number(body)}: {dollars(body['cents'])} paid, {body['paid_by']}{how}{by}"


def _cancelled(body: Body) -> str:
    back = dollars(sum(part["cents"] for part in body["back"]))
    first = body.get("first_cancelled")
    what = "" if first is None else f" from game {body['series']}-{first} on"
    return f"Ticket {_number(body)}{what}: {back} back, {body['reason'] or 'a void game'}"


def _reprinted(body: Body) -> str:
    return f"Copy {body['copy']} of the {body['slip']} of #{body['paper']}: {body['reason']}"


def _locked(body: Body) -> str:
    sold = f"{_many(body['tickets'], 'ticket')}, {dollars(body['handle_cents'])}"
    why = f", {body['reason']}" if "reason" in body else ""
    return f"Game {_game(body)} locked: {sold}{why}"


def _changed(body: Body) -> str:
    name = body["staff"] if "staff" in body else body["station"]
    by_two = f", by {body['by']} and {body['second']}" if "second" in body else ""
    return f"{name}: {body['change']}{by_two}"


def _signed(body: Body) -> str:
    return f"{body['staff']} at {body['at']}"


def _report(body: Body) -> str:
    done = next((act for act in ("stopped", "fetched") if body.get(act)), None)
    return f"Report {body['report']}" + (
        f", {body['from']} to {body['to']}" if done is None else f" {done}"
    )


TELLING: dict[str, Callable[[Body], str]] = {
    Tag.TICKET: _sold,
    Tag.VOID: lambda body: (
        f"Ticket {_number(body)}, {dollars(body['price_cents'])} back: {body['reason']}"
    ),
    Tag.CANCEL: _cancelled,
    Tag.REFUND: _cancelled,
    Tag.LOOK_UP: lambda body: (
        f"Looked up without a code: {_many(body['wins'], 'unclaimed win')} of tickets "
        f"{printed_number(body['first'])} to {printed_number(body['last'])}"
    ),
    Tag.LOST_TICKET: lambda body: (
        f"Ticket {_number(body)} reported lost: {body['bought']}; {body['surveillance']}"
    ),
    Tag.PRESENTED: lambda body: f"Ticket {_number(body)} brought, not paid yet: {body['why']}",
    Tag.APPROVED: lambda body: (
        f"Ticket {_number(body)}: {dollars(body['cents'])} approved as {body['tier']}"
    ),
    Tag.TAX_PAPER: lambda body: (
        f"Ticket {_number(body)}: tax paper for game {body['game']}, "
        f"{dollars(body['win_cents'])} won"
    ),
    Tag.PAID: _paid,
    Tag.EXPIRED: lambda body: f"Ticket {_number(body)}: {dollars(body['cents'])} expired",
    Tag.REPRINT: _reprinted,
    Tag.RETRIED: _reprinted,
    Tag.ON_PAPER: lambda body: (
        f"Copy {body['copy']} of #{body['paper']} "
        f"{'came out' if body['printed'] else 'did not come out'}"
    ),
    Tag.GAME: lambda body: f"Game {_game(body)} opened",
    Tag.LOCK: _locked,
    Tag.DRAW: lambda body: f"Game {_game(body)}: {' '.join(map(str, body['numbers']))}",
    Tag.VOID_ASKED: lambda body: f"Game {_game(body)} is to be void: {body['reason']}",
    Tag.VOID_GAME: lambda body: f"Game {_game(body)} is void: {body['reason']}",
    Tag.WINS: lambda body: (
        f"Game {_game(body)}: {_many(body['winners'], 'winner')}, {dollars(body['paid_cents'])}"
    ),
    Tag.CERTIFIED: lambda body: f"Game {_game(body)}: both gradings agree",
    Tag.FROZEN: lambda body: f"Game {_game(body)} frozen: {body['differences'][0]}",
    Tag.RELEASED: lambda body: f"Game {_game(body)} is graded again: {body['reason']}",
    Tag.OVERRIDE: lambda body: f"Game {_game(body)}: other closing time, {body['reason']}",
    Tag.HELD: lambda body: f"Game {_game(body)}: {body['why'] or 'goes on'}",
    Tag.CARD: lambda body: f"{_card(body)}, {body['name']}, was brought",
    Tag.CARD_ACCEPTED: lambda body: f"{_card(body)} accepted as {body['as']}",
    Tag.CARD_IN_FORCE: lambda body: (
        f"{_card(body)} is in force from {moment(body['effective_at'])} on"
    ),
    Tag.DRAWER_OPEN: _opened,
    Tag.DRAWER_CLOSE: _closed,
    Tag.SIGN_IN: _signed,
    Tag.SIGN_OUT: _signed,
    Tag.STAFF: _changed,
    Tag.STATION: _changed,
    Tag.ENROL: lambda body: f"{body['station']} enrolled",
    Tag.REFUSED: lambda body: f"{body['code']}: {refusal_words(body['code'], body['facts'])}",
    Tag.DAY_CLOSE: lambda body: f"Day {body['day']} closed",
    Tag.REPORT: _report,
    Tag.REPORT_CHOICE: lambda body: (
        f"Report {body['report']} as {body['format']} at each close: "
        f"{'yes' if body['after'] else 'no'}"
    ),
    Tag.KEYS: lambda body: ", ".join(
        f"{role} {said['condition']}" for role, said in sorted(body["processes"].items())
    ),
    Tag.EXPORT: lambda body: f"Bundle of {body['from']} to {body['to']} given out",
    Tag.SOFTWARE: lambda body: (
        f"Software {body['software'][:16]} on {body['gaming_day']}"
        + (f", not the {body['started_with'][:16]} that runs" if "started_with" in body else "")
    ),
    Tag.BOOKS: lambda body: f"The books were worked out: {_many(body['faults'], 'fault')}",
}
