"""Room is made by what is counted, not by what a table has, and never while sales wait for long.

PostgreSQL only. A table that is not written for every act, such as papers in a house that prints
late, would jump over its next partition, and what follows would find none: the newest number is
that of the acts, the tickets or the gradings by which a table is divided. The partition in which
that number is itself is made as well, if it is missing.

If rows have found no partition after all, a new one can only be attached once the server knows that
none of them belongs into it; by itself it would read all of them, while sales wait. So that is
said by a check first, and shown while everybody goes on: a step in each transaction
(X-recovery). Until it is attached, nothing can be added in its range, which is why that must be
far off; without a caller, who does all steps in a row, no game goes on that long.

Revision: 2026_11_25_room_in_time
"""

from alembic import op

revision = "2026_11_25_room_in_time"
down_revision = "2026_11_24_own_secrets"
branch_labels = None
depends_on = None

# By which number each is divided, how many of them a partition has, and where they are counted.
PARTITIONED = {
    "log_entry": ("id", 4_000_000, "act", "id"),
    "ticket": ("number", 1_000_000, "ticket", "number"),
    "tender": ("ticket", 1_000_000, "ticket", "number"),
    "posting": ("entry", 4_000_000, "act", "id"),
    "win": ("attempt", 15_000, "attempt", "id"),
    "printed_paper": ("entry", 4_000_000, "act", "id"),
    "paper_event": ("id", 4_000_000, "paper_event", "id"),
    "feed_event": ("id", 100_000, "feed_event", "id"),
}
_TABLES = ", ".join(
    f"('{table}', '{key}', {size}, '{where}', '{counted}')"
    for table, (key, size, where, counted) in PARTITIONED.items()
)
MAKE_ROOM = f"""
CREATE OR REPLACE FUNCTION keno_make_room() RETURNS integer LANGUAGE plpgsql SECURITY DEFINER
SET search_path = public, pg_temp SET lock_timeout = '300ms' AS $$
DECLARE
    parted record; newest bigint; first bigint; starts bigint; part text; made integer := 0;
BEGIN
    FOR parted IN SELECT * FROM (VALUES {_TABLES}) AS known (name, key, size, at, counted) LOOP
        EXECUTE format('SELECT COALESCE(max(%I), 0) FROM %I', parted.counted, parted.at)
            INTO newest;
        first := newest / parted.size * parted.size;
        FOREACH starts IN ARRAY ARRAY[first, first + parted.size] LOOP
            part := parted.name || '_' || starts / parted.size;
            -- By its numbers, not by its name: the first may be as large as several.
            CONTINUE WHEN EXISTS (SELECT 1 FROM pg_inherits
                JOIN pg_class ON pg_class.oid = inhrelid,
                LATERAL (SELECT pg_get_expr(relpartbound, pg_class.oid) AS said) AS bounds
                WHERE inhparent = parted.name::regclass AND said <> 'DEFAULT'
                AND COALESCE(substring(said FROM 'FROM \\(''?(\\d+)')::bigint, 0) <= starts
                AND substring(said FROM 'TO \\(''?(\\d+)')::bigint > starts);
            CONTINUE WHEN NOT keno_rest_is_apart(
                parted.name || '_rest', parted.key, starts, starts + parted.size, newest);
            EXECUTE format('CREATE TABLE %I (LIKE %I INCLUDING DEFAULTS INCLUDING CONSTRAINTS '
                'INCLUDING INDEXES)', part, parted.name);
            EXECUTE format('CREATE TRIGGER %I BEFORE UPDATE OR DELETE OR TRUNCATE ON %I '
                'FOR EACH STATEMENT EXECUTE FUNCTION keno_refuse()',
                parted.name || '_only_added', part);
            IF parted.name = 'ticket' THEN
                EXECUTE format('CREATE UNIQUE INDEX %I ON %I (entry)', 'uq_' || part, part);
            END IF;
            PERFORM keno_same_rights(part::regclass, parted.name::regclass);
            EXECUTE format('ALTER TABLE %I ATTACH PARTITION %I FOR VALUES FROM (%s) TO (%s)',
                parted.name, part, starts, starts + parted.size);
            EXECUTE format('ALTER TABLE %I DROP CONSTRAINT IF EXISTS %I',
                parted.name || '_rest', 'keno_apart_' || starts);
            made := made + 1;
        END LOOP;
    END LOOP;
    RETURN made;
END $$"""  # noqa: S608  our own
# Says whether a partition can be attached at once, as nothing of it is in the rest, and the server
# knows that without looking; else it does the next step towards it, which makes nobody wait.
IS_APART = """
CREATE FUNCTION keno_rest_is_apart(
    rest text, key text, starts bigint, ends bigint, newest bigint
) RETURNS boolean LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
DECLARE
    found boolean; valid boolean; apart text := 'keno_apart_' || starts;
BEGIN
    EXECUTE format('SELECT EXISTS (SELECT 1 FROM %I)', rest) INTO found;
    IF NOT found THEN
        RETURN true;
    END IF;
    EXECUTE format('SELECT EXISTS (SELECT 1 FROM %I WHERE %I >= %s AND %I < %s)',
        rest, key, starts, key, ends) INTO found;
    IF found THEN
        RETURN false;
    END IF;
    SELECT convalidated INTO valid FROM pg_constraint
        WHERE conname = apart AND conrelid = rest::regclass;
    IF valid THEN
        RETURN true;
    ELSIF valid IS NULL THEN
        -- What comes into this range before it is attached would be refused, so it must be far off.
        IF starts - newest > (ends - starts) / 20 THEN
            EXECUTE format('ALTER TABLE %I ADD CONSTRAINT %I CHECK (%I < %s OR %I >= %s) NOT VALID',
                rest, apart, key, starts, key, ends);
        END IF;
    ELSE
        EXECUTE format('ALTER TABLE %I VALIDATE CONSTRAINT %I', rest, apart);
    END IF;
    RETURN false;
END $$"""

DROP_APART = """
DO $$ DECLARE each record; BEGIN
    FOR each IN SELECT conrelid::regclass AS rest, conname FROM pg_constraint
        WHERE conname LIKE 'keno\\_apart\\_%' LOOP
        EXECUTE format('ALTER TABLE %s DROP CONSTRAINT %I', each.rest, each.conname);
    END LOOP;
END $$"""


def upgrade() -> None:
    """Go forward."""
    if op.get_context().dialect.name == "postgresql":
        op.execute(IS_APART)
        op.execute(MAKE_ROOM)


def downgrade() -> None:
    """Go back: to what made room by the rows of each table."""
    if op.get_context().dialect.name == "postgresql":
        op.execute(_before())
        op.execute(DROP_APART)
        op.execute("DROP FUNCTION keno_rest_is_apart(text, text, bigint, bigint, bigint)")


def _before() -> str:
    tables = ", ".join(
        f"('{table}', '{key}', {size})" for table, (key, size, *_) in PARTITIONED.items()
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
        PERFORM keno_same_rights(part::regclass, parted.name::regclass);
        EXECUTE format('ALTER TABLE %I ATTACH PARTITION %I FOR VALUES FROM (%s) TO (%s)',
            parted.name, part, starts, starts + parted.size);
        made := made + 1;
    END LOOP;
    RETURN made;
END $$"""  # noqa: S608  our own
