"""A printer's address and a station's printer change only with an entry of the log that says so.

Revision: 2026_11_30_logged_printers
"""

import json

import sqlalchemy as sa
from alembic import op

from app.store.columns import RowId
from app.store.schema import Unfit

revision = "2026_11_30_logged_printers"
down_revision = "2026_11_30_cards_and_stops"
branch_labels = None
depends_on = None

TABLES = ("printer", "station_printer")
SLIPS = (
    "ticket", "void", "refund", "aggregate", "payout", "movement", "count", "shift", "draw", "test",
)  # fmt: skip
MORE_SLIPS = (*SLIPS, "printer")
LINK = "CONSTRAINT fk_{0}_entry FOREIGN KEY(entry) REFERENCES act (id)"
REFUSAL = "a printer is where the log says"

# What the entry of a row says of it; `new` and `old` are the row.
SAYS_SQLITE = {
    "printer": (
        "EXISTS (SELECT 1 FROM log_entry WHERE id = NEW.entry AND tag = 'PRINTER' "
        "AND json_extract(body, '$.printer') = NEW.code "
        "AND json_extract(body, '$.address') = NEW.address "
        "AND json_extract(body, '$.roll') = NEW.roll)"
    ),
    "station_printer": (
        "EXISTS (SELECT 1 FROM log_entry WHERE id = NEW.entry AND tag = 'PRINTER' "
        "AND json_extract(body, '$.printer') = (SELECT code FROM printer WHERE id = NEW.printer) "
        "AND (SELECT code FROM station WHERE id = NEW.station) IN "
        "(SELECT value FROM json_each(log_entry.body, '$.stations')))"
    ),
}
SAYS_POSTGRESQL = {
    "printer": (
        "EXISTS (SELECT 1 FROM public.log_entry WHERE id = NEW.entry AND tag = 'PRINTER' "
        "AND body::jsonb ->> 'printer' = NEW.code AND body::jsonb ->> 'address' = NEW.address "
        "AND body::jsonb ->> 'roll' = NEW.roll)"
    ),
    "station_printer": (
        "EXISTS (SELECT 1 FROM public.log_entry, public.printer, public.station "
        "WHERE log_entry.id = NEW.entry AND tag = 'PRINTER' AND printer.id = NEW.printer "
        "AND station.id = NEW.station AND body::jsonb ->> 'printer' = printer.code "
        "AND body::jsonb -> 'stations' ? station.code)"
    ),
}
# A row is what it was, told of by a later entry. And a later one is not replaced by an earlier.
SAME = {
    "printer": "NEW.id = OLD.id AND NEW.code = OLD.code",
    "station_printer": "NEW.station = OLD.station",
}
KEY = {"printer": "code", "station_printer": "station"}


def upgrade() -> None:
    """Go forward, unless a row is not what the log says: which of the two is right, a person finds out."""
    newest = _newest()
    _check_logged(newest)
    for table in TABLES:
        op.add_column(table, sa.Column("entry", RowId, nullable=True))
        _fill(table, newest)
        _refer(table)
    with op.batch_alter_table("queued_paper") as batch:
        batch.add_column(sa.Column("bound", RowId, nullable=True))
        batch.create_foreign_key(op.f("fk_queued_paper_bound"), "printer", ["bound"], ["id"])
    _check_again(SLIPS, MORE_SLIPS)
    if _is_postgresql():
        _guard_postgresql()
    else:
        for table in TABLES:
            _guard_sqlite(table)


def downgrade() -> None:
    """Go back: the log still says where printers are; slips that tell of it must be gone."""
    if op.get_bind().execute(sa.text("SELECT 1 FROM print_job WHERE slip = 'printer'")).first():
        raise RuntimeError("rows of print_job stand nowhere else; the schema is not taken back")
    for table in TABLES:
        if _is_postgresql():
            op.execute(f"DROP TRIGGER {table}_logged ON {table}")
            op.execute(f"DROP TRIGGER {table}_stays ON {table}")
            op.execute(f"DROP FUNCTION keno_{table}_logged()")
        else:
            for act in ("insert", "update", "delete"):
                op.execute(f"DROP TRIGGER {table}_logged_{act}")
    _check_again(MORE_SLIPS, SLIPS)
    with op.batch_alter_table("queued_paper") as batch:
        batch.drop_constraint(op.f("fk_queued_paper_bound"), type_="foreignkey")
        batch.drop_column("bound")
    for table in TABLES:
        if _is_postgresql():
            op.drop_constraint(op.f(f"fk_{table}_entry"), table, type_="foreignkey")
        else:
            _rewrite(table, f"{LINK.format(table)}, CONSTRAINT pk_", "CONSTRAINT pk_")
        op.drop_column(table, "entry")


def _refer(table: str) -> None:
    """Have every row name an act."""
    if _is_postgresql():
        op.alter_column(table, "entry", existing_type=RowId, nullable=False)
        op.create_foreign_key(op.f(f"fk_{table}_entry"), table, "act", ["entry"], ["id"])
        return
    _rewrite(table, "entry INTEGER", "entry INTEGER NOT NULL")
    _rewrite(table, "CONSTRAINT pk_", f"{LINK.format(table)}, CONSTRAINT pk_")


def _rewrite(table: str, old: str, new: str) -> None:
    """Change the constraints of a table of SQLite's, in the way that its manual describes.

    To make a table anew that others refer to, its rows would have to be gone for a moment.
    """
    bind = op.get_bind()
    (version,) = bind.execute(sa.text("PRAGMA schema_version")).one()
    op.execute("PRAGMA writable_schema = ON")
    changed = (
        "UPDATE sqlite_master SET sql = replace(sql, :old, :new) "
        "WHERE type = 'table' AND name = :table"
    )
    bind.execute(sa.text(changed), {"old": old, "new": new, "table": table})
    op.execute(f"PRAGMA schema_version = {version + 1}")
    op.execute("PRAGMA writable_schema = RESET")


# ---- what the log says ---------------------------------------------------------------------------

Newest = dict[str, dict[str, tuple[int, dict[str, str]]]]


def _newest() -> Newest:
    """Return the newest entry of each printer and of each station, with what it says."""
    found: Newest = {"printer": {}, "station_printer": {}}
    told = "SELECT id, body FROM log_entry WHERE tag = 'PRINTER' AND body <> '' ORDER BY id"
    for entry, text in op.get_bind().execute(sa.text(told)):
        body = json.loads(text)
        found["printer"][body["printer"]] = entry, body
        for station in body["stations"]:
            found["station_printer"][station] = entry, body
    return found


def _check_logged(newest: Newest) -> None:
    rows = op.get_bind().execute(sa.text("SELECT code, address, roll FROM printer ORDER BY code"))
    strayed = [
        f"printer {code}"
        for code, address, roll in rows
        if _said(newest["printer"].get(code), "address", "roll") != [address, roll]
    ]
    rows = op.get_bind().execute(
        sa.text(
            "SELECT station.code, printer.code FROM station_printer "
            "JOIN station ON station.id = station_printer.station "
            "JOIN printer ON printer.id = station_printer.printer ORDER BY station.code"
        )
    )
    strayed += [
        f"the printer of station {station}"
        for station, printer in rows
        if _said(newest["station_printer"].get(station), "printer") != [printer]
    ]
    if strayed:
        raise Unfit(
            f"{', '.join(strayed)}: not as the log says; find out who changed it, then set it "
            "again (keno printer set, of the older version)"
        )


def _said(found: tuple[int, dict[str, str]] | None, *names: str) -> list[str]:
    return [] if found is None else [found[1][name] for name in names]


def _fill(table: str, newest: Newest) -> None:
    key = "code" if table == "printer" else "station"
    which = ":key" if table == "printer" else "(SELECT id FROM station WHERE code = :key)"
    changed = sa.text(f"UPDATE {table} SET entry = :entry WHERE {key} = {which}")  # noqa: S608  our own
    for code, (entry, _) in newest[table].items():
        op.get_bind().execute(changed, {"entry": entry, "key": code})


# ---- guards --------------------------------------------------------------------------------------


def _guard_sqlite(table: str) -> None:
    later = f"NOT EXISTS (SELECT 1 FROM {table} WHERE {KEY[table]} = NEW.{KEY[table]} AND entry >= NEW.entry)"  # noqa: S608  our own
    refuse = f"SELECT RAISE(ABORT, '{REFUSAL}: {table}')"
    for act, right in (
        ("INSERT", f"{later} AND {SAYS_SQLITE[table]}"),
        ("UPDATE", f"NEW.entry > OLD.entry AND {SAME[table]} AND {SAYS_SQLITE[table]}"),
    ):
        op.execute(
            f"CREATE TRIGGER {table}_logged_{act.lower()} BEFORE {act} ON {table} "
            f"WHEN ({right}) IS NOT 1 BEGIN {refuse}; END"
        )
    op.execute(
        f"CREATE TRIGGER {table}_logged_delete BEFORE DELETE ON {table} BEGIN "
        f"SELECT RAISE(ABORT, 'facts are only ever added: {table}'); END"
    )


def _guard_postgresql() -> None:
    """Guard both tables, with names that no table of the caller's own can stand in for."""
    for table in TABLES:
        refuse = f"RAISE EXCEPTION '{REFUSAL}: {table}';"
        op.execute(
            f"CREATE FUNCTION keno_{table}_logged() RETURNS trigger LANGUAGE plpgsql "
            "SET search_path = pg_catalog, pg_temp AS $$ BEGIN "
            f"IF TG_OP = 'UPDATE' THEN IF (NEW.entry > OLD.entry AND {SAME[table]}) "
            f"IS NOT TRUE THEN {refuse} END IF; END IF; "
            f"IF ({SAYS_POSTGRESQL[table]}) IS NOT TRUE THEN {refuse} END IF; "
            "RETURN NEW; END $$"
        )
        op.execute(
            f"CREATE TRIGGER {table}_logged BEFORE INSERT OR UPDATE ON {table} "
            f"FOR EACH ROW EXECUTE FUNCTION keno_{table}_logged()"
        )
        op.execute(
            f"CREATE TRIGGER {table}_stays BEFORE DELETE OR TRUNCATE ON {table} "
            "FOR EACH STATEMENT EXECUTE FUNCTION keno_refuse()"
        )


def _check_again(before: tuple[str, ...], after: tuple[str, ...]) -> None:
    """Exchange the check of what a slip can be."""
    old, new = (f"slip IN ({', '.join(map(repr, slips))})" for slips in (before, after))
    if not _is_postgresql():
        _rewrite("print_job", old, new)
        return
    op.drop_constraint(op.f("ck_print_job_slip"), "print_job", type_="check")
    op.create_check_constraint(op.f("ck_print_job_slip"), "print_job", new)


def _is_postgresql() -> bool:
    return op.get_context().dialect.name == "postgresql"
