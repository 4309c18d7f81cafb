"""Sales written out: their texts and rows, put together from what many of them have in common.

The flow makes all of it anew for each sale, which would be most of what a year takes. Of each form
of ticket the first sale, and then one of many, is made by the flow as well, and the two are
compared to the last byte: a sale that the flow would leave behind otherwise stops the year.
"""

import json
from collections.abc import Iterator
from datetime import datetime, timedelta
from hashlib import sha256
from typing import NamedTuple

from app.audit.canonical import canonical
from app.audit.checkpoints import short_seal
from app.audit.entries import make_entry
from app.audit.tags import Tag
from app.flow.contact import InContact
from app.flow.sell import Sale, Selling, asking_to_sell
from app.keno.numbering import printed_number
from app.keno.tender import Tender, TenderKind
from app.store.queries.games import OpenGame
from app.store.queries.people import Worker
from app.store.queries.tickets import TicketRow
from app.store.tables import Account, Asked, GameState, Posting, PrintJob, QueuedPaper, Slip, Source
from app.store.tables import Tender as TenderTable
from app.store.tables import Ticket as TicketTable
from bench.year.log import YearLog
from bench.year.rows import Rows
from bench.year.wishes import Form, Wish
from bench.year.writing import Row, Shape

NO_CONTACT = InContact()
COMPARED_EVERY = 500  # sales, besides the first of each form
_ASKED = ("station", "request", "content", "answer")
_TICKET = (
    "number", "series", "first_game", "last_game", "games", "type", "source", "replay_of", "play",
    "card", "price_per_game_cents", "price_cents", "tendered_cents", "station", "staff", "drawer",
    "sold_at", "code_key", "request", "prints_expiry", "entry",
)  # fmt: skip
_TENDER = ("ticket", "place", "kind", "cents", "serial")
_POSTING = ("place", "account", "cents", "drawer", "kind", "entry")
_JOB = ("station", "slip", "payload", "entry")
_SOURCES = {source: source.value for source in Source}
_KINDS = {kind: kind.value for kind in TenderKind}
_DRAWER, _PREPAID = Account.DRAWER.value, Account.PREPAID.value
_CURRENCY, _SLIP = TenderKind.CURRENCY.value, Slip.TICKET.value


class Sold(NamedTuple):
    """A ticket that was just sold, and the entry that tells of it."""

    ticket: TicketRow
    entry: int
    body: str


class Sales:
    """Sales of the year, as they are written."""

    def __init__(
        self, log: YearLog, rows: Rows, house_name: str, code_key: int, claim_minutes: int
    ) -> None:
        """Prepare to write.

        Args:
            log: where the entries go.
            rows: where the rest goes.
            house_name: the house.
            code_key: the key of its codes.
            claim_minutes: how long a win can be claimed.
        """
        self._log, self._rows = log, rows
        self._terms = house_name, code_key, claim_minutes
        self._house_text, self._code_key = canonical(house_name).decode(), code_key
        self._parts: dict[str, _Parts] = {}
        self._compared: set[Form] = set()
        self._asked = rows.of(Asked, _ASKED)
        self._tickets = rows.of(TicketTable, _TICKET)
        self._tender = rows.of(TenderTable, _TENDER)
        self._postings = rows.of(Posting, _POSTING)
        self._jobs = rows.of(PrintJob, _JOB)

    def write(  # noqa: PLR0913, PLR0917  all that a sale is
        self,
        number: int,
        who: Worker,
        game: OpenGame,
        series: str,
        wish: Wish,
        cents: int,
        at: datetime,
    ) -> Sold:
        """Write a sale: its entry, and all of its rows."""
        parts = self._parts.get(series)
        if parts is None or parts.game is not game:
            parts = self._parts[series] = _Parts(game, self._terms[2])
        form = wish.form
        price_cents, change_cents = form.price_cents, cents - form.price_cents
        request, kind, source = f"sale-{number:09d}", _KINDS[wish.kind], _SOURCES[wish.source]
        first_game, last_game = game.number, game.number + form.games - 1
        sold_at, (expires_at, expiry) = to_millisecond(at), parts.expiry(form.games)
        listed = str(wish.groups)
        groups = listed.replace(" ", "")
        again = "null" if wish.replay_of is None else wish.replay_of
        body = (
            f'{{"card":"{parts.card}","change_cents":{change_cents},"code_key":{self._code_key},'
            f'"conditioning":{form.conditioning_text},"expires_at":"{expiry}Z",'
            f'"first_game":{first_game},"games":{form.games},"groups":{groups},'
            f'"house":{self._house_text},"label":"keno/ticket","lines":{form.lines_text},'
            f'"number":{number},"previous_seal":{parts.previous_seal},"price_cents":{price_cents},'
            f'"price_per_game_cents":{form.price_per_game_cents},"replay_of":{again},'
            f'"request_id":"{request}","series":"{series}","sold_at":"{sold_at}Z",'
            f'"source":"{source}","station":"{who.station_code}",'
            f'"tender":[{{"cents":{cents},"kind":"{kind}"}}],"type":"{form.type}","version":1,'
            f'"writer":"{who.code}"}}'
        )
        entry, leaf = self._log.add_text(Tag.TICKET, body)
        answer = (
            f'{{"change_cents":{change_cents},"conditioning":{form.conditioning_text},'
            f'"expires_at":"{expiry}Z","first_game":{first_game},"last_game":{last_game},'
            f'"number":{number},"numbers":{groups},"price_cents":{price_cents},'
            f'"printed_number":"{printed_number(number)}","rate_card":"{parts.card}",'
            f'"series":"{series}"}}'
        )
        content = (
            f'{{"act": "sell", "content": {{"first_game": null, "replay_of": {again}, '
            f'"request": {_request_text(wish, listed)}, "series": "{series}", '
            f'"tender": [{{"cents": {cents}, "kind": "{kind}"}}]}}}}'
        )
        self._asked.append((who.station, request, sha256(content.encode()).digest(), answer))
        play = f'{{"groups":{groups},"lines":{form.lines_text}}}'
        row = (
            number, series, first_game, last_game, form.games, form.type, source, wish.replay_of,
            play, game.card, form.price_per_game_cents, price_cents, cents, who.station, who.staff,
            who.drawer, f"{sold_at}000Z", self._code_key, request, f"{expiry}000Z", entry,
        )  # fmt: skip
        self._tickets.append(row)
        self._tender.append((number, 0, kind, cents, None))
        self._postings.append((0, _DRAWER, cents, who.drawer, kind, entry))
        if change_cents:
            self._postings.append((1, _DRAWER, -change_cents, who.drawer, _CURRENCY, entry))
        place = 2 if change_cents else 1
        self._postings.append((place, _PREPAID, -price_cents, None, None, entry))
        self._jobs.append((who.station, _SLIP, f'{{"ticket":{number}}}', entry))
        self._log.note_printed(entry, f"{sold_at}000Z")
        ticket = TicketRow(
            number=number,
            series=series,
            first_game=first_game,
            last_game=last_game,
            games=form.games,
            type=form.type,
            source=source,
            replay_of=wish.replay_of,
            play={"groups": wish.groups, "lines": form.lines},
            card=game.card,
            card_hash=game.card_hash,
            price_per_game_cents=form.price_per_game_cents,
            price_cents=price_cents,
            tendered_cents=cents,
            station=who.station,
            station_code=who.station_code,
            writer_code=who.code,
            sold_at=at,
            prints_expiry=expires_at,
            code_key=self._code_key,
            leaf=leaf,
            first_game_state=GameState.OPEN,
            voided_at=None,
        )
        sold = Sold(ticket, entry, body)
        if form not in self._compared or not number % COMPARED_EVERY:
            self._compare(sold, wish, who, game)
        return sold

    # ---- as the flow does it ---------------------------------------------------------------------

    def _compare(self, sold: Sold, wish: Wish, who: Worker, game: OpenGame) -> None:
        """Have the flow make the same sale, and see that it leaves the same behind."""
        self._compared.add(wish.form)
        ticket = sold.ticket
        tender = (Tender(wish.kind, ticket.tendered_cents),)
        sale = Sale(ticket.series, wish.request, tender, None, wish.replay_of)
        asked = asking_to_sell(sale, f"sale-{ticket.number:09d}")
        selling = Selling(*self._terms, asked, sale, who, game, wish.ticket, wish.source)
        done = selling.done(selling.facts(), ticket.number, ticket.sold_at, NO_CONTACT)
        if make_entry(Tag.TICKET, done.body, b"").body != sold.body:
            raise AssertionError(f"the flow sells ticket {ticket.number} otherwise")
        theirs = [
            self._rows.as_written(table, values, sold.entry)
            for table, values in done.rows
            if table is not QueuedPaper
        ]
        if sorted(theirs, key=str) != sorted(self._ours(sold), key=str):
            raise AssertionError(f"the flow writes ticket {ticket.number} otherwise")

    def _ours(self, sold: Sold) -> Iterator[tuple[Shape, Row]]:
        """Yield the rows of the newest sale."""
        for table, columns in (
            (Asked, _ASKED),
            (TicketTable, _TICKET),
            (TenderTable, _TENDER),
            (PrintJob, _JOB),
        ):
            yield (table.__tablename__, columns), self._rows.of(table, columns)[-1]
        for row in self._postings[-3:]:
            if row[-1] == sold.entry:
                yield (Posting.__tablename__, _POSTING), row


class _Parts:
    """What an open game contributes to the texts of its tickets."""

    def __init__(self, game: OpenGame, claim_minutes: int) -> None:
        if game.closes_at is None:
            raise LookupError("every game of the year closes at some time")
        self.game = game
        self.card = game.card_hash.hex()
        sealed = game.seal and {"game": game.sealed_game, "seal": short_seal(game.seal)}
        self.previous_seal = json.dumps(sealed, separators=(",", ":"))
        self._first = game.closes_at + timedelta(minutes=claim_minutes)
        self._apart = timedelta(seconds=game.interval_seconds or 0)
        self._expiries: dict[int, tuple[datetime, str]] = {}

    def expiry(self, games: int) -> tuple[datetime, str]:
        """Return until when a ticket of so many games can be claimed; as a value and as text."""
        found = self._expiries.get(games)
        if found is None:
            expires_at = self._first + (games - 1) * self._apart
            found = self._expiries[games] = expires_at, to_millisecond(expires_at)
        return found


def to_millisecond(moment: datetime) -> str:
    """Return a moment in UTC to the millisecond, without its zone."""
    return moment.isoformat(timespec="milliseconds")[:-6]


def _request_text(wish: Wish, groups: str) -> str:
    """Return what is asked for, as it goes into the digest of what a station asks."""
    if wish.source is Source.TICKET:
        nothing = '"conditioning": null, "games": null, "groups": null'
        return f'{{{nothing}, "price_cents": null, "quick_pick": null}}'
    form, picked = wish.form, "null"
    if wish.source is Source.QUICK_PICK:
        groups, picked = "[]", str(form.sizes[0])
    return (
        f'{{"conditioning": "{form.line}", "games": {form.games}, "groups": {groups}, '
        f'"price_cents": null, "quick_pick": {picked}}}'
    )
