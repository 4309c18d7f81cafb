"""Acts have numbers of their own; on PostgreSQL what grows stands in partitions.

Every act has a row in `act`, which its entry in the log and its facts refer to, and which stays when
the entry goes into an archive. On PostgreSQL the tables that grow with every ticket are partitioned
by numbers that only grow, and so by time: what is older than a few weeks is in partitions that no
sale touches, and an archive takes whole ones. `keno_make_room` makes the next ones ahead of time. It
belongs to whoever owns the tables, so that the running house can have room made and nothing else.
The partition `..._rest` takes what found no room, so that no sale ever fails for want of it.

Revision: 2026_11_20_partitions
"""

from collections.abc import Iterator
from contextlib import contextmanager

import sqlalchemy as sa
from alembic import op

from app.store.columns import RowId

revision = "2026_11_20_partitions"
down_revision = "2026_11_19_watched"
branch_labels = None
depends_on = None

# Facts: the database itself refuses to change or delete them.
APPEND_ONLY = ("act",)
# By which number a table is partitioned, and how many of them a partition has: about a month of a
# house that sells ten million tickets a year.
PARTITIONED = {
    "log_entry": ("id", 4_000_000),
    "ticket": ("number", 1_000_000),
    "tender": ("ticket", 1_000_000),
    "posting": ("entry", 4_000_000),
    "win": ("attempt", 15_000),
    "printed_paper": ("entry", 4_000_000),
    "paper_event": ("id", 4_000_000),
    "feed_event": ("id", 100_000),
}
LIKE = "INCLUDING DEFAULTS INCLUDING CONSTRAINTS"
COUNTED = ("paper_event", "feed_event")  # whose numbers the database gives
# Whose conditions are written out: read from the database and written again they would not be the same.
STANDING = (
    "HOUSE", "STATION", "STAFF", "CARD", "CARD-ACCEPTED", "CARD-IN-FORCE", "SERIES", "AMOUNT",
    "SETTING", "PRINTER", "DAY-CLOSE",
)  # fmt: skip
SOME_TAGS = {"ix_log_entry_standing": STANDING, "ix_log_entry_watched": ("BACKUP", "CLOCK", "KEYS")}
COMPLETE = (
    "CREATE TRIGGER log_entry_complete BEFORE INSERT ON log_entry "
    "FOR EACH ROW EXECUTE FUNCTION keno_complete()"
)


def upgrade() -> None:
    """Go forward."""
    op.create_table(
        "act",
        sa.Column("id", RowId, sa.Identity(always=True), nullable=False),
        sa.Column("tag", sa.String(40), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_act")),
    )
    if not _is_postgresql():
        op.execute("INSERT INTO act (id, tag) SELECT id, tag FROM log_entry")
        _guard("act")
        _refer_in_sqlite("log_entry", "act")
        return
    op.execute("INSERT INTO act (id, tag) OVERRIDING SYSTEM VALUE SELECT id, tag FROM log_entry")
    _count_on("act")
    _guard("act")
    op.execute("ALTER TABLE log_entry ALTER COLUMN id DROP IDENTITY")
    with _referring_anew("log_entry", "act"):
        op.execute(
            "ALTER TABLE log_entry ADD CONSTRAINT fk_log_entry_id FOREIGN KEY (id) REFERENCES act (id)"
        )
    op.execute("DROP TRIGGER log_entry_complete ON log_entry")
    for table, (key, size) in PARTITIONED.items():
        with _referring_anew(table, table):
            _partition(table, key, size)
    op.execute(COMPLETE)
    op.execute(_make_room())
    op.execute("SELECT keno_make_room()")


def downgrade() -> None:
    """Go back: nothing is lost by it."""
    if not _is_postgresql():
        _refer_in_sqlite("act", "log_entry")
        op.drop_table("act")
        return
    op.execute("DROP FUNCTION keno_make_room()")
    op.execute("DROP TRIGGER log_entry_complete ON log_entry")
    for table in reversed(PARTITIONED):
        with _referring_anew(table, table):
            _unite(table)
    op.execute("ALTER TABLE log_entry DROP CONSTRAINT fk_log_entry_id")
    op.execute("ALTER TABLE log_entry ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY")
    _count_on("log_entry")
    with _referring_anew("act", "log_entry"):
        op.drop_table("act")
    op.execute(COMPLETE)


# ---- PostgreSQL ----------------------------------------------------------------------------------


def _partition(table: str, key: str, size: int) -> None:
    """Make a table the first partition of a new one of its name; nothing is copied."""
    first = f"{table}_0"
    if table == "ticket":
        # Unique over all partitions is only what they are partitioned by; each is by itself.
        op.execute("ALTER TABLE ticket DROP CONSTRAINT uq_ticket_entry")
        op.execute("CREATE UNIQUE INDEX uq_ticket ON ticket (entry)")
    if table in COUNTED:
        op.execute(f"ALTER TABLE {table} ALTER COLUMN id DROP IDENTITY")
    keys, refers, indexes = _constraints(table, "p"), _constraints(table, "f"), _indexes(table)
    op.execute(f"ALTER TABLE {table} RENAME TO {first}")
    for name, _ in (*keys, *indexes):
        op.execute(f"ALTER INDEX {name} RENAME TO {name}_0")
    for name, _ in refers:
        op.execute(f"ALTER TABLE {first} DROP CONSTRAINT {name}")  # it gets those of the new one
    op.execute(f"CREATE TABLE {table} (LIKE {first} {LIKE}) PARTITION BY RANGE ({key})")
    _give(table, keys + refers, [(name, made) for name, made in indexes if name != "uq_ticket"])
    newest = op.get_bind().execute(sa.text(f"SELECT max({key}) FROM {first}")).scalar_one() or 0  # noqa: S608  our own
    ends = (newest // size + 1) * size
    op.execute(
        f"ALTER TABLE {table} ATTACH PARTITION {first} FOR VALUES FROM (MINVALUE) TO ({ends})"
    )
    op.execute(f"CREATE TABLE {table}_rest PARTITION OF {table} DEFAULT")
    if table == "ticket":
        op.execute("CREATE UNIQUE INDEX uq_ticket_rest ON ticket_rest (entry)")
    if table in COUNTED:
        _count_on(table)
    # That of the first partition is there already: it was the table's.
    _guard(table)
    _guard(f"{table}_rest", table)


def _give(table: str, constraints: list[tuple[str, str]], indexes: list[tuple[str, str]]) -> None:
    """Give a table what another of its name had."""
    for name, definition in constraints:
        op.execute(f"ALTER TABLE {table} ADD CONSTRAINT {name} {definition}")
    for name, definition in indexes:
        if name in SOME_TAGS:
            tags = ", ".join(f"'{tag}'" for tag in SOME_TAGS[name])
            op.execute(f"CREATE INDEX {name} ON {table} (tag, id) WHERE tag IN ({tags})")
        else:
            op.execute(definition.replace(" ON ONLY ", " ON "))
    if table in COUNTED:
        op.execute(f"ALTER TABLE {table} ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY")


def _make_room() -> str:
    """Return the function that makes the next partition of every table, ahead of time.

    It waits for nobody longer than a sale may wait, and gives up: whoever asks, asks again.
    """
    tables = ", ".join(
        f"('{table}', '{key}', {size})" for table, (key, size) in PARTITIONED.items()
    )
    return f"""
CREATE FUNCTION keno_make_room() RETURNS integer LANGUAGE plpgsql SECURITY DEFINER
SET search_path = public, pg_temp SET lock_timeout = '300ms' AS $$
DECLARE
    parted record; newest bigint; starts bigint; part text; crowded boolean; made integer := 0;
BEGIN
    FOR parted IN SELECT * FROM (VALUES {tables}) AS known (name, key, size) LOOP
        EXECUTE format('SELECT COALESCE(max(%I), 0) FROM %I', parted.key, parted.name) INTO newest;
        starts := (newest / parted.size + 1) * parted.size;
        part := parted.name || '_' || starts / parted.size;
        EXECUTE format('SELECT EXISTS (SELECT 1 FROM %I WHERE %I >= %s)',
            parted.name || '_rest', parted.key, starts) INTO crowded;
        CONTINUE WHEN crowded OR to_regclass(part) IS NOT NULL;
        EXECUTE format('CREATE TABLE %I (LIKE %I INCLUDING DEFAULTS INCLUDING CONSTRAINTS '
            'INCLUDING INDEXES)', part, parted.name);
        EXECUTE format('CREATE TRIGGER %I BEFORE UPDATE OR DELETE OR TRUNCATE ON %I '
            'FOR EACH STATEMENT EXECUTE FUNCTION keno_refuse()', parted.name || '_only_added', part);
        IF parted.name = 'ticket' THEN
            EXECUTE format('CREATE UNIQUE INDEX %I ON %I (entry)', 'uq_' || part, part);
        END IF;
        EXECUTE format('ALTER TABLE %I ATTACH PARTITION %I FOR VALUES FROM (%s) TO (%s)',
            parted.name, part, starts, starts + parted.size);
        made := made + 1;
    END LOOP;
    RETURN made;
END $$"""  # noqa: S608  our own


def _unite(table: str) -> None:
    """Make one table of a partitioned one again."""
    whole = f"{table}_whole"
    keys, refers, indexes = _constraints(table, "p"), _constraints(table, "f"), _indexes(table)
    op.execute(f"CREATE TABLE {whole} (LIKE {table} {LIKE})")
    op.execute(f"INSERT INTO {whole} SELECT * FROM {table}")  # noqa: S608  our own
    op.execute(f"DROP TABLE {table}")
    op.execute(f"ALTER TABLE {whole} RENAME TO {table}")
    _give(table, keys + refers, indexes)
    if table == "ticket":
        op.execute("ALTER TABLE ticket ADD CONSTRAINT uq_ticket_entry UNIQUE (entry)")
    if table in COUNTED:
        _count_on(table)
    _guard(table)


def _constraints(table: str, kind: str) -> list[tuple[str, str]]:
    """Return name and definition of the constraints of a table, of a kind."""
    found = sa.text(
        "SELECT conname, pg_get_constraintdef(oid) FROM pg_constraint "
        "WHERE conrelid = CAST(:name AS regclass) AND contype = :kind AND conparentid = 0 "
        "ORDER BY conname"
    )
    rows = op.get_bind().execute(found, {"name": table, "kind": kind})
    return [(name, definition) for name, definition in rows]


def _indexes(table: str) -> list[tuple[str, str]]:
    """Return name and definition of the indexes of a table that are not those of its keys."""
    found = sa.text(
        "SELECT relname, pg_get_indexdef(indexrelid) FROM pg_index "
        "JOIN pg_class ON pg_class.oid = indexrelid "
        "WHERE indrelid = CAST(:name AS regclass) AND NOT indisprimary ORDER BY relname"
    )
    rows = op.get_bind().execute(found, {"name": table})
    return [(name, definition) for name, definition in rows]


@contextmanager
def _referring_anew(old: str, new: str) -> Iterator[None]:
    """Have everything that refers to a table refer to another from now on."""
    found = sa.text(
        "SELECT conrelid::regclass::text, conname, pg_get_constraintdef(oid) FROM pg_constraint "
        "WHERE confrelid = CAST(:old AS regclass) AND contype = 'f' AND conparentid = 0 "
        "AND conrelid <> CAST(:own AS regclass) ORDER BY 1, 2"
    )
    # What a table says of itself goes with it.
    rows = op.get_bind().execute(found, {"old": old, "own": old}).all()
    for table, name, _ in rows:
        op.execute(f"ALTER TABLE {table} DROP CONSTRAINT {name}")
    yield
    for table, name, definition in rows:
        refers = definition.replace(f"REFERENCES {old}(", f"REFERENCES {new}(")
        op.execute(f"ALTER TABLE {table} ADD CONSTRAINT {name} {refers}")


def _count_on(table: str) -> None:
    """Have the database count on behind the newest number of a table."""
    newest = f"COALESCE((SELECT max(id) FROM {table}), 0)"  # noqa: S608  our own
    sequence = f"pg_get_serial_sequence('{table}', 'id')"
    op.execute(f"SELECT setval({sequence}, GREATEST({newest}, 1), {newest} > 0)")


# ---- SQLite --------------------------------------------------------------------------------------


def _refer_in_sqlite(old: str, new: str) -> None:
    """Have every table refer to another in place of one, where the rows stay as they are.

    In the way that SQLite's manual describes for changes of constraints alone; to make every table
    anew would copy the whole house.
    """
    link, key = (
        "CONSTRAINT fk_log_entry_id FOREIGN KEY(id) REFERENCES act (id)",
        "CONSTRAINT pk_log_entry",
    )
    (version,) = op.get_bind().execute(sa.text("PRAGMA schema_version")).one()
    op.execute("PRAGMA writable_schema = ON")
    if new == "log_entry":
        _rewrite(f"{link}, {key}", key, "name = 'log_entry'")
    _rewrite(f"REFERENCES {old} (id)", f"REFERENCES {new} (id)", "true")
    if new == "act":
        _rewrite(key, f"{link}, {key}", "name = 'log_entry'")
    op.execute(f"PRAGMA schema_version = {version + 1}")
    op.execute("PRAGMA writable_schema = RESET")


def _rewrite(old: str, new: str, which: str) -> None:
    changed = (
        f"UPDATE sqlite_master SET sql = replace(sql, :old, :new) WHERE type = 'table' AND {which}"  # noqa: S608
    )
    op.get_bind().execute(sa.text(changed), {"old": old, "new": new})


# ---- both ----------------------------------------------------------------------------------------


# Each migration has these for itself: what it does must not change with what a later one needs.
def _guard(table: str, named: str | None = None) -> None:
    """Have the database refuse every change of a table but adding."""
    if _is_postgresql():
        op.execute(
            f"CREATE TRIGGER {named or table}_only_added BEFORE UPDATE OR DELETE OR TRUNCATE "
            f"ON {table} FOR EACH STATEMENT EXECUTE FUNCTION keno_refuse()"
        )
        return
    for act in ("UPDATE", "DELETE"):
        op.execute(
            f"CREATE TRIGGER {table}_no_{act.lower()} BEFORE {act} ON {table} BEGIN "
            f"SELECT RAISE(ABORT, 'facts are only ever added: {table}'); END"
        )


def _is_postgresql() -> bool:
    return op.get_context().dialect.name == "postgresql"
