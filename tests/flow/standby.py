"""Helpers of `test_standby` that other tests use too."""

import psycopg

from tests.waiting import until

IS_READ = "SELECT 1 WHERE current_setting('synchronous_standby_names') = %s"

PATIENCE = 60.0


def expect_standby(keeper: psycopg.Connection[tuple[int]], names: str) -> None:
    """Have every commit wait for a standby; none does if no name is given."""
    keeper.execute(f"ALTER SYSTEM SET synchronous_standby_names = '{names}'".encode())
    keeper.execute("SELECT pg_reload_conf()")
    until(
        lambda: keeper.execute(IS_READ, (names,)).fetchone() is not None,
        "the server did not read it",
    )
