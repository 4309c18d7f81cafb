"""Rows that are read a part at a time, from a server that may go meanwhile."""

import gc

import pytest
from sqlalchemy import Connection, text
from sqlalchemy.exc import DBAPIError

from app.store.database import Database
from tests.floor import Floor
from tests.looking import rows


@pytest.mark.rule("X-recovery")
@pytest.mark.parametrize("floor", ["postgresql"], indirect=True)
@pytest.mark.parametrize("begun", [False, True], ids=["before the first row", "between two rows"])
def test_a_stream_whose_connection_is_lost_leaves_nothing_open(floor: Floor, begun: bool) -> None:
    """What is left open is told as a warning when it is collected, and a warning is an error."""
    database = Database(floor.office.database.url.render_as_string(hide_password=False))
    numbers = text("SELECT generate_series(1, 100000)").execution_options(yield_per=10)

    def read(connection: Connection) -> None:
        server = connection.execute(text("SELECT pg_backend_pid()")).scalar_one()
        if not begun:
            rows(floor, "SELECT pg_terminate_backend(:server)", server=server)
        with connection.execute(numbers) as found:
            assert found.fetchone() == (1,)
            rows(floor, "SELECT pg_terminate_backend(:server)", server=server)
            list(found)

    with database.reading() as connection, pytest.raises(DBAPIError, match="terminat"):
        read(connection)
    database.close()
    gc.collect()
