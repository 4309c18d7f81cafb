"""A game with very many live tickets: copies of a mix that was sold, with bodies of their own.

Unlike `presold`, every copy is a whole ticket in the log as well, because the second grader reads
nothing else: its number, its salt, its leaf.
"""

import json
from collections.abc import Iterator, Sequence
from itertools import islice
from random import Random
from typing import Any

import psycopg
from sqlalchemy import text

from app.audit.canonical import canonical
from app.audit.entries import leaf_document
from app.entropy import system_entropy
from app.flow.sell import Sale
from app.keno.request import Request
from app.keno.tender import Tender, TenderKind
from rng.merkle import leaf_hash
from tests.floor import Floor

CHUNK = 10_000
BILLS = (Tender(TenderKind.CURRENCY, 1_000_000),)
# Of a hundred tickets: 90 straight, 8 way and combination, 2 king; every other one multi-race.
TABLES = {
    "act": ("id", "tag"),
    "log_entry": ("id", "tag", "salt", "body", "leaf"),
    "log_pending": ("entry",),
    "asked": ("station", "request", "content", "answer"),
    "ticket": (
        "number", "series", "first_game", "last_game", "games", "type", "source", "replay_of",
        "play", "card", "price_per_game_cents", "price_cents", "tendered_cents", "station",
        "staff", "drawer", "sold_at", "code_key", "request", "entry",
    ),
}  # fmt: skip


def sell_mix(house: Floor) -> None:
    """Sell a hundred tickets of a realistic mix for the open game of series M."""
    wanda, chance = house.writing(), Random(20)  # noqa: S311  the same mix in each run
    for place in range(100):
        games = 2 if place % 2 else 1
        numbers = chance.sample(range(1, 81), 12)
        if place < 90:
            spots = chance.choice([4, 5, 6, 8, 10])
            asked = Request((tuple(numbers[:spots]),), f"1/{spots} @ 1.00", games)
        elif place < 94:
            pairs = tuple(tuple(numbers[at : at + 2]) for at in range(0, 8, 2))
            asked = Request(pairs, "6/4 @ 1.00", games)
        elif place < 98:
            groups = (tuple(numbers[:4]), tuple(numbers[4:8]), tuple(numbers[8:12]))
            asked = Request(groups, "3/4 3/8 @ 1.00, 1/12 @ 1.00", games)
        else:
            groups = (tuple(numbers[:4]), tuple(numbers[4:8]), (numbers[8],))
            asked = Request(groups, "2/4 2/5 1/8 @ 1.00", games)
        house.sell(wanda, Sale("M", asked, BILLS))


def fill(house: Floor, count: int) -> None:
    """Copy the mix until so many tickets were sold."""
    database = house.office.database
    with database.writing() as connection:
        rows = connection.execute(
            text(
                "SELECT ticket.*, log_entry.body AS entry_body, asked.content, asked.answer "
                "FROM ticket JOIN log_entry ON log_entry.id = ticket.entry JOIN asked ON "
                "asked.station = ticket.station AND asked.request = ticket.request "
                "ORDER BY number"
            )
        )
        mix = [dict(row._mapping) for row in rows]  # noqa: SLF001  a row's own way to be read
        last = connection.execute(text("SELECT max(id) FROM log_entry")).scalar_one()
    copies = _copies(mix, len(mix), count, last)
    while chunk := list(islice(copies, CHUNK)):
        for table, names in TABLES.items():
            put_rows(house, table, names, [copy[table] for copy in chunk])
    with database.writing() as connection:
        connection.execute(
            text("UPDATE counter SET value = :count WHERE name = 'ticket'"), {"count": count}
        )
        if not database.is_sqlite:
            connection.execute(
                text("SELECT setval(pg_get_serial_sequence('act', 'id'), :last)"),
                {"last": last + count},
            )
        connection.commit()


def _copies(
    mix: Sequence[dict[str, Any]], sold: int, count: int, last: int
) -> Iterator[dict[str, tuple[Any, ...]]]:
    bodies = [json.loads(ticket["entry_body"]) for ticket in mix]
    for number in range(sold + 1, count + 1):
        place = number % len(mix)
        request, entry = f"copy-{number}", last + number
        body = canonical({**bodies[place], "number": number, "request_id": request})
        salt = system_entropy(32)
        leaf = leaf_hash(leaf_document("TICKET", salt, body))
        ticket = {**mix[place], "number": number, "request": request, "entry": entry}
        yield {
            "act": (entry, "TICKET"),
            "log_entry": (entry, "TICKET", salt, body.decode(), leaf),
            "log_pending": (entry,),
            "asked": (ticket["station"], request, ticket["content"], ticket["answer"]),
            "ticket": tuple(ticket[name] for name in TABLES["ticket"]),
        }


def put_rows(
    house: Floor, table: str, names: Sequence[str], rows: Sequence[tuple[Any, ...]]
) -> None:
    """Put rows into a table as quickly as the engine takes them."""
    database = house.office.database
    listed = ", ".join(names)
    if database.is_sqlite:
        marks = ", ".join("?" * len(names))
        with database.writing() as connection:
            connection.exec_driver_sql(
                f"INSERT INTO {table} ({listed}) VALUES ({marks})",  # noqa: S608  our own names
                list(rows),
            )
            connection.commit()
        return
    plain = database.url.render_as_string(hide_password=False).replace("+psycopg", "")
    with (
        psycopg.connect(plain) as connection_,
        connection_.cursor() as cursor,
        cursor.copy(f"COPY {table} ({listed}) FROM STDIN".encode()) as copy,
    ):
        for row in rows:
            copy.write_row(row)
