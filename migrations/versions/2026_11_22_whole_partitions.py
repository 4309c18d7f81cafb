"""Partitions have the rights of their table, and a slim copy of one misses nothing.

PostgreSQL only. `keno_make_room` gives a new partition the rights of the table that it belongs to,
whatever the defaults of the database are, so that backups under the role of the house go on.
Partitions that are there already get them now.

An archive makes a slim copy of a partition beside it and puts it in its place later. What is added
to the old one meanwhile is added to the copy as well (`keno_add_to_both`). The running house has
no way into the schema of the copies; the function has, and adds only what was added to a table of
its own owner, on which nobody else can have it called (X-retention).

Revision: 2026_11_22_whole_partitions
"""

from alembic import op

revision = "2026_11_22_whole_partitions"
down_revision = "2026_11_22_where_printed"
branch_labels = None
depends_on = None

# As the partitions were made: by which number, and how many of them a partition has.
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
SAME_RIGHTS = """
CREATE FUNCTION keno_same_rights(part regclass, whole regclass) RETURNS void LANGUAGE plpgsql
SET search_path = public, pg_temp AS $$
DECLARE
    given record;
BEGIN
    FOR given IN SELECT right_of.* FROM pg_class, aclexplode(relacl) AS right_of
        WHERE pg_class.oid = whole LOOP
        EXECUTE format('GRANT %s ON %s TO %s', given.privilege_type, part,
            CASE given.grantee WHEN 0 THEN 'PUBLIC'
            ELSE quote_ident(pg_get_userbyid(given.grantee)) END);
    END LOOP;
END $$"""
TO_THOSE_THAT_ARE_THERE = """
SELECT keno_same_rights(inhrelid, inhparent) FROM pg_inherits
JOIN pg_class ON pg_class.oid = inhrelid
WHERE relkind = 'r' AND relispartition AND relnamespace = current_schema()::regnamespace"""
ADD_TO_BOTH = """
CREATE FUNCTION keno_add_to_both() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF (SELECT relowner = current_user::regrole FROM pg_class WHERE oid = TG_RELID)
        AND to_regclass(format('keno_new.%I', TG_TABLE_NAME)) IS NOT NULL THEN
        EXECUTE format('INSERT INTO keno_new.%I SELECT ($1).*', TG_TABLE_NAME) USING NEW;
    END IF;
    RETURN NULL;
END $$"""


def upgrade() -> None:
    """Go forward."""
    if op.get_context().dialect.name == "postgresql":
        op.execute(SAME_RIGHTS)
        op.execute(TO_THOSE_THAT_ARE_THERE)
        op.execute(ADD_TO_BOTH)
        op.execute(_make_room("PERFORM keno_same_rights(part::regclass, parted.name::regclass);"))


def downgrade() -> None:
    """Go back: nothing is lost by it."""
    if op.get_context().dialect.name == "postgresql":
        op.execute(_make_room(""))
        op.execute("DROP FUNCTION keno_add_to_both() CASCADE")
        op.execute("DROP FUNCTION keno_same_rights(regclass, regclass)")


def _make_room(rights: str) -> str:
    """Return the function that makes the next partition of every table, ahead of time."""
    tables = ", ".join(
        f"('{table}', '{key}', {size})" for table, (key, size) in PARTITIONED.items()
    )
    return f"""
CREATE OR REPLACE FUNCTION keno_make_room() RETURNS integer LANGUAGE plpgsql SECURITY DEFINER
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
        {rights}
        EXECUTE format('ALTER TABLE %I ATTACH PARTITION %I FOR VALUES FROM (%s) TO (%s)',
            parted.name, part, starts, starts + parted.size);
        made := made + 1;
    END LOOP;
    RETURN made;
END $$"""  # noqa: S608  our own
