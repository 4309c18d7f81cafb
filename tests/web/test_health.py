"""Whether a process is there and can work, and the figures for those who watch the house."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from flask import Flask
from sqlalchemy import text

from app.counts import LISTENERS, Counts, read_counts
from app.entropy import system_entropy
from app.flow.alarms import AlarmId
from app.flow.keys import make_keys, read_keys
from app.flow.refusals import No
from app.metrics import Figure, Kind, Sample, metrics_text, seconds
from app.store import schema
from app.web import create_app
from app.web.health import Watched
from app.web.noting import NAMES
from tests.floor import SAM, Floor
from tests.looking import write
from tests.prometheus import number, read_metrics
from tests.web.api import COUNT, SALE, Station
from tests.web.sign_in import Browser

ELSEWHERE = {"REMOTE_ADDR": "203.0.113.7"}


@pytest.fixture
def app(floor: Floor) -> Flask:
    return create_app(floor.office)


def asked(app: Flask, path: str, **how: Any) -> tuple[int, dict[str, Any]]:  # noqa: ANN401
    answer = app.test_client().get(path, **how)
    return answer.status_code, answer.get_json(force=True)


# ---- there, and ready ----------------------------------------------------------------------------


def test_a_process_is_there_whatever_the_database_does(app: Flask, floor: Floor) -> None:
    assert asked(app, "/healthz") == (200, {"status": "ok"})
    floor.office.database.close()
    floor.office.database.engine.dispose()
    if floor.office.database.is_sqlite:
        Path(floor.office.database.url.database or "").unlink()
    assert asked(app, "/healthz") == (200, {"status": "ok"})


def test_it_says_what_it_works_with_only_to_those_who_watch_it(app: Flask, floor: Floor) -> None:
    status, told = asked(app, "/readyz")
    assert (status, told["status"]) == (200, "ready")
    assert told["revision"] == schema.newest_revision()
    assert told["unsealed"] == told["uncosigned"] > 0
    assert ("warning" in told) == floor.office.database.is_sqlite
    assert asked(app, "/readyz", environ_base=ELSEWHERE) == (200, {"status": "ready"})


def test_being_asked_again_and_again_leaves_nothing_behind(app: Flask, floor: Floor) -> None:
    asked(app, "/readyz")
    kept = floor.office.database.engine._compiled_cache  # noqa: SLF001  there is no other way
    assert kept is not None
    before = len(kept)
    for _ in range(3):
        asked(app, "/readyz")
    assert len(kept) == before


def test_it_is_not_ready_on_another_revision(app: Flask, floor: Floor) -> None:
    write(floor, "UPDATE alembic_version SET version_num = 'older'")
    status, told = asked(app, "/readyz")
    assert (status, told["code"]) == (503, "database.other_revision")
    assert "older" in told["title"]
    status, told = asked(app, "/readyz", environ_base=ELSEWHERE)
    assert (status, told["code"]) == (503, "database.other_revision")
    assert "older" not in told["title"]


def test_it_is_not_ready_while_the_database_takes_no_writes(
    app: Flask, floor: Floor, monkeypatch: pytest.MonkeyPatch
) -> None:
    database = floor.office.database
    if database.is_sqlite:
        # As on a disk that was mounted for reading; a file's mode does not keep root from writing.
        file = f"file:{database.url.database}?mode=ro&uri=true"
        monkeypatch.setattr(
            floor.office, "database", type(database)(f"sqlite:///{file}", database.clock)
        )
        monkeypatch.setattr("app.store.database.set_up_sqlite", lambda *_: None)
    else:
        name = database.url.database
        with database.engine.connect() as connection:
            connection.execution_options(isolation_level="AUTOCOMMIT")
            read_only = f"ALTER DATABASE {name} SET default_transaction_read_only = on"
            connection.execute(text(read_only))
        database.engine.dispose()
    status, told = asked(app, "/readyz")
    assert (status, told["code"]) == (503, "database.read_only")
    floor.office.database.close()


def test_it_is_not_ready_with_the_keys_of_another_house(
    app: Flask, floor: Floor, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    floor.lock()
    floor.draw()
    assert asked(app, "/readyz")[0] == 200
    make_keys(tmp_path / "keys", system_entropy)
    monkeypatch.setattr(floor.office, "keys", read_keys(tmp_path / "keys"))
    assert asked(app, "/readyz")[1]["code"] == "keys.other"


def test_it_is_not_ready_without_a_database(app: Flask, floor: Floor) -> None:
    database = floor.office.database
    if database.is_sqlite:
        path = Path(database.url.database or "")
        database.close()
        path.rename(path.with_name("away"))
        path.mkdir()
    else:
        with database.engine.connect() as connection:
            connection.execution_options(isolation_level="AUTOCOMMIT")
            others = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
            others += "WHERE datname = current_database() AND pid <> pg_backend_pid()"
            connection.execute(text(f"ALTER DATABASE {database.url.database} CONNECTION LIMIT 0"))
            connection.execute(text(others))
        database.engine.dispose()
        allow_nobody(floor)
    status, told = asked(app, "/readyz")
    assert (status, told["code"]) == (503, "database.away")


def allow_nobody(floor: Floor) -> None:
    """Superusers come in in spite of a limit: the tests' user is one, so its name is taken away."""
    url = floor.office.database.url.set(username="nobody_here")
    floor.office.database.engine.dispose()
    floor.office.database.__init__(  # type: ignore[misc]
        url.render_as_string(hide_password=False), floor.office.database.clock
    )


# ---- figures -------------------------------------------------------------------------------------


def test_the_figures_are_of_the_format_and_true(app: Flask, floor: Floor) -> None:
    station = Station(app.test_client(), floor)
    station.sign_in()
    station.post("drawers", COUNT)
    for _ in range(3):
        station.post("tickets", SALE)
    station.post("tickets/1/void", {"code": floor.code(1), "reason": "changed mind"})
    station.post("tickets/1/void", {"code": floor.code(1), "reason": "changed mind"})
    station.post("tickets/2/pay", {"code": floor.code(2)})
    floor.printer_at("B1")
    floor.pass_time(minutes=16)
    answer = app.test_client().get("/metrics")
    assert answer.content_type == "text/plain; version=0.0.4; charset=utf-8"
    told = read_metrics(answer.text)
    assert number(told, "keno_tickets_total") == 3
    assert number(told, "keno_day_sales_cents") == 300
    assert number(told, "keno_day_voids") == 1
    assert number(told, "keno_act_seconds", "_count", act="sale") == 3
    assert number(told, "keno_act_seconds", "_count", act="void") == 1
    assert number(told, "keno_act_seconds", "_count", act="pay") == 0
    assert number(told, "keno_refusals_total", code=No.ALREADY_VOID.code) == 1
    assert number(told, "keno_refusals_total", code=No.TICKET_UNDECIDED.code) == 1
    assert number(told, "keno_papers_waiting", printer="P-B1") == 5
    assert number(told, "keno_keyed_state", process="rng", state="ready") == 1
    assert number(told, "keno_log_unsealed") > 0
    assert number(told, "keno_log_unsealed_age_seconds") >= 16 * 60
    assert number(told, "keno_alarms", alarm="seal-lag") == 1
    assert number(told, "keno_alarms", alarm="caller-gone") == 0
    assert len(told["keno_alarms"]) == len(AlarmId)
    assert number(told, "keno_database_bytes") > 100_000
    assert number(told, "keno_processes", process="web") == 1
    assert ("keno_replication_absent" in told) != floor.office.database.is_sqlite


def test_what_stands_in_a_label_is_quoted() -> None:
    labels = {"printer": 'a "b" \\ c\nd'}
    figure = Figure("keno_x", Kind.GAUGE, "Two\nlines \\.", [Sample(1, labels)])
    told = read_metrics(metrics_text([figure, Figure("keno_y", Kind.GAUGE, "None.", [])]))
    assert list(told) == ["keno_x"]
    assert list(told["keno_x"]) == [("", frozenset({("printer", 'a \\"b\\" \\\\ c\\nd')}))]
    assert seconds(12_034_567) == "12.034567"


def test_figures_are_for_this_machine_or_for_a_token(floor: Floor) -> None:
    app = create_app(floor.office)
    nothing = {"title": "Not Found", "status": 404, "code": "http.not_found"}
    assert app.test_client().get("/metrics").status_code == 200
    assert asked(app, "/metrics", environ_base=ELSEWHERE) == (404, nothing)
    for name in ("X-Forwarded-For", "Forwarded", "X-Real-IP", "Via"):  # a proxy on this machine
        assert asked(app, "/metrics", headers={name: "127.0.0.1"}) == (404, nothing)
    odd = {"REMOTE_ADDR": "somewhere"}
    assert asked(app, "/metrics", environ_base=odd) == (404, nothing)
    watched = Watched(Counts("web", NAMES), token="a token of ours")  # noqa: S106
    app = create_app(floor.office, watched=watched)
    bearer = {"Authorization": "Bearer a token of ours"}
    how: dict[str, Any] = {"environ_base": ELSEWHERE, "headers": bearer}
    assert app.test_client().get("/metrics", **how).status_code == 200
    assert asked(app, "/metrics") == (404, nothing)
    assert asked(app, "/metrics", headers={"Authorization": "Bearer \u00e4"}) == (404, nothing)


@pytest.mark.rule("X-access")
def test_nobody_without_business_here_sees_alarms_or_runbooks(app: Flask, floor: Floor) -> None:
    floor.pass_time(hours=30)
    client = app.test_client()
    for path in (
        "/",
        "/results",
        "/board/M",
        "/check",
        "/results.json",
        "/feed.json",
        "/keys.json",
    ):
        page = client.get(path, environ_base=ELSEWHERE).text
        assert not [each for each in AlarmId if each.value in page], path
        assert "backup" not in page.lower()
    assert client.get("/supervisor/runbooks").location == "/?next=/supervisor/runbooks"


def test_the_supervisor_sees_each_alarm_with_its_beginning_next_step_and_runbook(
    app: Flask, floor: Floor
) -> None:
    floor.pass_time(hours=30)
    sam = Browser(app, floor)
    sam.sign_in(SAM)
    page = " ".join(sam.client.get("/supervisor/now").text.split())
    assert "There is no backup that was restored on trial." in page
    assert "Since Nov 16, 2026, 12:00:00 PM." in page
    assert "An operator starts <code>keno-backup</code> on the machine that makes them;" in page
    assert "they run <code>keno backup</code>, then" in page
    assert 'href="/supervisor/runbooks#backup-old"' in page
    runbooks = sam.client.get("/supervisor/runbooks").text
    for alarm in AlarmId:
        assert f'id="{alarm.value}"' in runbooks
    assert "keno backup --out /var/backups/keno/by-hand.backup" in runbooks
    assert "```" not in runbooks


# ---- counts --------------------------------------------------------------------------------------


def test_counts_of_a_process_are_seen_by_others_and_taken_over_by_the_next(tmp_path: Path) -> None:
    first, second = (Counts("web", ("a", "b"), tmp_path) for _ in range(2))
    first.add("a", 3)
    second.add("b")
    second.add("nothing of ours")
    assert [(each.process, each.runs, dict(each.counts)) for each in read_counts(tmp_path)] == [
        ("web", True, {"a": 3, "b": 0}),
        ("web", True, {"a": 0, "b": 1}),
    ]
    first.close()
    assert [each.runs for each in read_counts(tmp_path)] == [False, True]
    third = Counts("web", ("c", "a"), tmp_path)  # of newer software
    third.add("a")
    third.put("c", 7)
    counted = [dict(each.counts) for each in read_counts(tmp_path)]
    assert counted == [{"c": 7, "a": 4}, {"a": 0, "b": 1}]
    (tmp_path / "odd-1.counts").write_bytes(b"odd")
    assert len(read_counts(tmp_path)) == 2
    second.close()
    third.close()


def test_a_process_that_is_killed_is_seen_to_have_gone(tmp_path: Path) -> None:
    script = "import sys, time; from pathlib import Path; from app.counts import Counts; "
    script += "c = Counts('feed', ('listeners',), Path(sys.argv[1])); c.put('listeners', 2); "
    script += "print('there', flush=True); time.sleep(60)"
    root = Path(__file__).parents[2]
    with subprocess.Popen(  # noqa: S603  our own
        [sys.executable, "-c", script, str(tmp_path)],
        stdout=subprocess.PIPE,
        env=os.environ | {"PYTHONPATH": str(root)},
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"there\n"
        (running,) = read_counts(tmp_path)
        process.kill()
    (gone,) = read_counts(tmp_path)
    assert (running.runs, gone.runs) == (True, False)
    assert running.counts == gone.counts == {LISTENERS: 2}


@pytest.mark.rule("X-access")
@pytest.mark.parametrize("path", ["/metrics", "/", "/results", "/api/v1/games", "/healthz"])
def test_nothing_is_answered_under_a_name_that_is_not_the_houses(floor: Floor, path: str) -> None:
    """A page elsewhere whose name was made to lead here reads nothing by its visitor's browser."""
    app = create_app(floor.office, names=("Keno.example",))
    named = {"evil.example": 421, "evil.example:8000": 421, "localhost.evil.example": 421, "": 421}
    named |= {"keno.example": 200, "KENO.example:443": 200, "127.0.0.1:8000": 200, "[::1]:80": 200}
    named |= {"keno.example.": 421, "10.0.0.2": 421, "[fe80::1]": 421}
    for host, status in named.items():
        answer = app.test_client().get(path, headers={"Host": host})
        assert answer.status_code == status, host
        assert (answer.get_json(silent=True) or {}).get("code") != "host.unknown" or status == 421
    said = app.test_client().get(path, headers={"Host": "evil.example"}).get_json()
    assert said["code"] == "host.unknown"
