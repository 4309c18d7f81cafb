"""A house that has sold many tickets: copies of its first one, put in without selling them."""

from collections.abc import Collection

from sqlalchemy import text

from app.store.database import Database

# Each table with its key columns written in terms of n, the number of the copy; the rest is copied.
# The order is that of the references between them.
COPIED = {
    "log_entry": {"id": "1000000 + n", "tag": None, "salt": None, "body": None, "leaf": None},
    "asked": {"station": None, "request": "'copy-' || n", "content": None, "answer": None},
    "ticket": {
        "number": "n",
        "series": None,
        "first_game": None,
        "last_game": None,
        "games": None,
        "type": None,
        "source": None,
        "replay_of": None,
        "play": None,
        "card": None,
        "price_per_game_cents": None,
        "price_cents": None,
        "tendered_cents": None,
        "station": None,
        "staff": None,
        "drawer": None,
        "sold_at": None,
        "code_key": None,
        "request": "'copy-' || n",
        "entry": "1000000 + n",
    },
    "tender": {"ticket": "n", "place": None, "kind": None, "cents": None, "serial": None},
    "posting": {
        "entry": "1000000 + n",
        "place": None,
        "account": None,
        "drawer": None,
        "kind": None,
        "cents": None,
    },
}
FIRST = {
    "log_entry": "id = (SELECT entry FROM ticket WHERE number = 1)",
    "asked": "request = (SELECT request FROM ticket WHERE number = 1)",
    "ticket": "number = 1",
    "tender": "ticket = 1",
    "posting": "entry = (SELECT entry FROM ticket WHERE number = 1)",
}

# How each engine counts from 2 to :last, and how it is told to take the ids that it is given.
_NUMBERS = {
    True: (
        "WITH RECURSIVE copies(n) AS (SELECT 2 UNION ALL SELECT n + 1 FROM copies WHERE n < :last)",
        "",
    ),
    False: (
        "WITH copies AS (SELECT generate_series(2, CAST(:last AS integer)) AS n)",
        " OVERRIDING SYSTEM VALUE",
    ),
}


def presell(database: Database, count: int, without: Collection[str] = ()) -> None:
    """Put so many copies of the first ticket into a house, leaving some tables out."""
    with database.writing() as connection:
        numbers, given = _NUMBERS[database.is_sqlite]
        for table, columns in COPIED.items():
            if table in without:
                continue
            names = ", ".join(columns)
            values = ", ".join(value or f"first.{name}" for name, value in columns.items())
            connection.execute(
                text(  # the names are ours
                    f"INSERT INTO {table} ({names}){given} {numbers} SELECT {values} "  # noqa: S608
                    f"FROM {table} AS first CROSS JOIN copies WHERE {FIRST[table]}"
                ),
                {"last": count + 1},
            )
        connection.execute(
            text("UPDATE counter SET value = :last WHERE name = 'ticket'"), {"last": count + 1}
        )
        if not database.is_sqlite:
            connection.execute(
                text("SELECT setval(pg_get_serial_sequence('log_entry', 'id'), 1000000 + :n)"),
                {"n": count + 1},
            )
        connection.commit()
    with database.writing() as connection:
        connection.execute(text("ANALYZE"))
        connection.commit()
