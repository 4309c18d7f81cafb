"""A web process that is frozen holds nothing for long, and whoever waits behind it is told."""

from contextlib import ExitStack

import pytest
from sqlalchemy import text
from sqlalchemy.exc import DBAPIError

from app.store import database as databases
from app.store.away import is_away
from app.store.database import Database
from tests.floor import Floor

pytestmark = pytest.mark.both_engines

LOCK = text("SELECT pg_advisory_xact_lock(7)")
ON_POSTGRESQL = pytest.mark.parametrize("floor", ["postgresql"], indirect=True)


@pytest.mark.rule("X-recovery", "X-lock-server")
@ON_POSTGRESQL
def test_what_a_frozen_process_holds_is_let_go_of(
    floor: Floor, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(databases, "HURRY", ("idle_in_transaction_session_timeout = 5000",))
    url = floor.office.database.url.render_as_string(hide_password=False)
    with ExitStack() as stack:
        frozen = Database(url, hurried=True)
        stack.callback(frozen.close)
        held = stack.enter_context(frozen.writing())
        held.execute(LOCK)
        with floor.office.database.writing() as other:  # waits for it, and gets it
            other.execute(LOCK)
        with pytest.raises(DBAPIError) as caught:
            held.execute(LOCK)
        assert is_away(caught.value)


@pytest.mark.rule("X-recovery")
@ON_POSTGRESQL
def test_who_waits_behind_a_frozen_process_is_told_to_ask_again(
    floor: Floor, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(databases, "HURRY", ("lock_timeout = 300",))
    hurried = Database(floor.office.database.url.render_as_string(False), hurried=True)
    with floor.office.database.writing() as held:
        held.execute(LOCK)
        with hurried.writing() as other, pytest.raises(DBAPIError) as caught:
            other.execute(LOCK)
    assert is_away(caught.value)
    hurried.close()
