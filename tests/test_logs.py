"""What processes say: one form, and no secret in it, whatever was typed and whatever failed."""

import ast
import inspect
import io
import json
import logging
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date
from pathlib import Path
from typing import Any

import granian.server.common
import pytest
from sqlalchemy import text

from app import logs
from app.caller import Caller
from app.cli.console import typed_settings
from app.flow.report import Asked
from app.flow.report_jobs import ask_report
from app.logs import JSON, WORDS, WORKER_DIED, Lines, Voice, lines_of_web
from app.reporter import Reporter
from app.reports.catalogue import Format
from app.web import create_app
from app.web.routes import PERSON_COOKIE, STATION_COOKIE
from tests.floor import RITA, SAM, WALT, WANDA, Floor, secret_of
from tests.looking import rows
from tests.spooling import spooling
from tests.story.paying import winning
from tests.waiting import until
from tests.web.api import COUNT, SALE, Station
from tests.web.sign_in import HTML, Browser

ROOT = Path(__file__).parent.parent


@contextmanager
def listening(form: str = JSON) -> Iterator[io.StringIO]:
    """Everything that this process says from now on, as it would stand on standard error."""
    heard = io.StringIO()
    handler = logging.StreamHandler(heard)
    handler.setFormatter(Lines("web", form))
    root, ours = logging.getLogger(), logging.getLogger("keno")
    root.addHandler(handler)
    ours.setLevel(logging.INFO)
    try:
        yield heard
    finally:
        root.removeHandler(handler)
        ours.setLevel(logging.NOTSET)
        logs.begin()


def said(heard: io.StringIO) -> list[dict[str, Any]]:
    return [json.loads(line) for line in heard.getvalue().splitlines()]


# ---- the form ------------------------------------------------------------------------------------


def test_a_line_has_its_fields_and_an_exception_is_told_without_its_words() -> None:
    log = Voice("keno.test")
    with listening() as heard:
        logs.begin(request="request-1")
        logs.known(station="B1", staff="WANDA")
        log.warning("printer.trouble", printer="P-B1", why="It is out of paper.")
        try:
            int("the secret of Wanda")
        except ValueError:
            log.exception("paper.failed", paper=7)
        logging.getLogger("somebody").error("a library: %s", "words")
    warned, failed, library = said(heard)
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", warned.pop("time"))
    assert warned.pop("pid") > 1
    assert warned == {
        "process": "web",
        "level": "warning",
        "event": "printer.trouble",
        "request": "request-1",
        "station": "B1",
        "staff": "WANDA",
        "printer": "P-B1",
        "why": "It is out of paper.",
    }
    assert (failed["event"], failed["level"], failed["paper"]) == ("paper.failed", "error", 7)
    assert failed["fault"] == ["ValueError"]
    assert failed["where"][0].startswith("tests/test_logs.py:")
    assert "secret" not in json.dumps(failed)
    assert (library["event"], library["library"]) == ("library.said", "somebody")
    assert library["said"] == "a library: words"


def test_causes_are_told_by_their_kinds() -> None:
    def fails() -> None:
        try:
            raise FileNotFoundError(2, "No such file or directory", "/the/secret")
        except OSError as trouble:
            raise RuntimeError("the secret") from trouble

    with pytest.raises(RuntimeError) as fault:
        fails()
    told = logs.fault_facts(fault.value)
    assert told["fault"] == ["RuntimeError", "FileNotFoundError: No such file or directory"]
    assert "secret" not in json.dumps(told)


def test_people_read_words() -> None:
    with listening(WORDS) as heard:
        Voice("keno.test").warning("printer.trouble", printer="P-B1", why="It is\nout of paper.")
    line = heard.getvalue()
    assert re.fullmatch(
        r'\d\d:\d\d:\d\d web       warning  printer.trouble printer=P-B1 why="It is\\nout of '
        r'paper\."\n',
        line,
    )


def test_the_web_server_speaks_as_we_do(monkeypatch: pytest.MonkeyPatch) -> None:
    config = json.loads((ROOT / "app" / "web" / "granian.json").read_text())
    assert config["formatters"]["lines"]["()"] == f"app.logs.{lines_of_web.__name__}"
    record = logging.LogRecord("_granian", logging.INFO, "", 0, "Started", None, None)
    assert json.loads(lines_of_web().format(record))["said"] == "Started"
    monkeypatch.setenv("KENO_LOG", WORDS)
    assert "library.said" in lines_of_web().format(record)
    monkeypatch.setenv("KENO_LOG", "loud")
    with pytest.raises(Exception, match="KENO_LOG must be json or words"):
        typed_settings()


@pytest.mark.rule("X-recovery")
@pytest.mark.parametrize("form", [JSON, WORDS])
def test_a_web_worker_that_died_is_told_to_whoever_watches_the_machine(
    monkeypatch: pytest.MonkeyPatch, form: str
) -> None:
    monkeypatch.setenv("KENO_LOG", form)
    monkeypatch.delenv("JOURNAL_STREAM", raising=False)
    watcher = inspect.getsource(granian.server.common.AbstractWorker._watcher)  # noqa: SLF001
    assert f"logger.error(f'{WORKER_DIED}{{" in watcher  # the words are theirs

    both = [
        logging.LogRecord("_granian", logging.ERROR, "", 0, words, None, None)
        for words in (f"{WORKER_DIED}2", "Something else")
    ]
    died, other = (lines_of_web().format(record) for record in both)
    assert ('"level": "critical"' if form == JSON else " critical ") in died
    assert "worker-2" in died
    assert "critical" not in other
    monkeypatch.setenv("JOURNAL_STREAM", "8:1")
    assert [lines_of_web().format(record) for record in both] == [f"<2>{died}", other]


def test_a_process_that_ends_by_a_fault_says_so_in_its_form(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    for name in ("handlers", "level"):
        monkeypatch.setattr(logging.getLogger(), name, getattr(logging.getLogger(), name))
    monkeypatch.setattr(logging.getLogger(), "handlers", [])
    monkeypatch.setattr("sys.excepthook", None)
    monkeypatch.setattr("threading.excepthook", None)
    levels: list[str] = []
    logs.speak_as("caller", JSON, levels.append)

    def fail() -> None:
        raise ValueError("the secret of Wanda")

    thread = threading.Thread(target=fail)
    thread.start()
    thread.join()
    logging.getLogger("keno").setLevel(logging.NOTSET)
    (line,) = (json.loads(each) for each in capfd.readouterr().err.splitlines())
    assert (line["process"], line["event"], line["fault"]) == (
        "caller",
        "process.failed",
        ["ValueError"],
    )
    assert levels == ["error"]


def test_every_event_stands_on_the_page_and_none_beside() -> None:
    found = {"library.said"}
    for path in (ROOT / "app").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if (
                isinstance(node, ast.Call)
                and isinstance(node.func, ast.Attribute)
                and isinstance(node.func.value, ast.Name)
                and node.func.value.id in ("log", "voice")
                and node.func.attr in ("info", "warning", "error", "exception")
                and node.args
            ):
                found |= {
                    each.value
                    for each in ast.walk(node.args[0])
                    if isinstance(each, ast.Constant) and isinstance(each.value, str)
                }
    page = (ROOT / "docs" / "running.md").read_text()
    (table,) = re.findall(r"^\| Event \|.*?\n\n", page, re.DOTALL | re.MULTILINE)
    first = [row.split("|")[1] for row in table.splitlines()[2:] if row]
    assert sorted(re.findall(r"`([a-z_.]+)`", " ".join(first))) == sorted(found)


# ---- no secret -----------------------------------------------------------------------------------

CARD, TAXPAYER, PATRON = "P-7788-9911", "987-65-4321", "Pat Patron-Planted"
WRONG = "a secret that is nearly right"
ASIDE = "SELECT 1 FROM queued_paper WHERE state = 'aside'"


@pytest.mark.rule("X-ticket-validation", "X-access")
def test_no_secret_is_in_any_line(
    floor: Floor, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every secret goes through the flow, also where it does not belong, and where things fail."""
    secrets: dict[str, str] = {"wrong secret": WRONG, "card": CARD, "number": TAXPAYER}
    secrets |= {"patron": PATRON, "enrolment": floor.enrolments["B2"]}
    secrets |= {f"secret of {name}": secret_of(name) for name in (WANDA, SAM)}
    app = create_app(floor.office)
    wanda = winning(floor, monkeypatch, 208_000)
    with listening() as heard:
        at_work(app, floor, secrets)
        paid_to_a_patron(app, floor, wanda, secrets)
        at_a_page(app, floor, secrets)
        faults_of_ours(app, floor, secrets, monkeypatch)
        other_processes(floor, tmp_path, monkeypatch)
    lines = said(heard)
    for name, secret in secrets.items():
        assert len(secret) >= 5
        assert secret not in heard.getvalue(), name
    assert {"request.done", "request.refused", "request.failed", "printer.trouble"} <= {
        line["event"] for line in lines
    }
    assert {"paper.not_made", "caller.turn_failed", "report.not_made"} <= {
        line["event"] for line in lines
    }
    voided = next(line for line in lines if line.get("route", "").endswith("/void"))
    assert (voided["station"], voided["staff"], voided["number"]) == ("B2", "WALT", "2")
    assert voided["code"] == "ticket.wrong_code"
    assert re.fullmatch(r"request-\d+", voided["request"])


def at_work(app: Any, floor: Floor, secrets: dict[str, str]) -> None:  # noqa: ANN401
    """A station enrols, somebody signs in, sells, and voids with a wrong code and the right one."""
    station = Station(app.test_client(), floor, "B2")
    secrets["station token"] = station.headers["X-Station"]
    assert station.post("sign-in", {"name": WANDA, "secret": WRONG}).status == 401
    assert station.post("sign-in", {"name": WRONG, "secret": WRONG}).status == 401
    station.sign_in(WALT)
    secrets["token"] = station.headers["Authorization"].removeprefix("Bearer ")
    assert station.post("drawers", COUNT).status == 201
    contact = {"id": "contact-1", "player_card": CARD}
    sold = station.post("tickets", {**SALE, "contact": contact})
    assert (sold.status, sold.json["number"]) == (201, 2)
    secrets["code"] = floor.code(2)
    wrong = secrets["wrong code"] = floor.code(1)
    assert station.post("tickets/2/void", {"code": wrong, "reason": "x"}).status == 403
    for where in (f"tickets/{wrong}", f"tickets/2{wrong}", f"drawers/{wrong}"):
        assert station.get(where).status == 404
    assert station.post(f"tickets/{wrong}/void", {"code": wrong, "reason": wrong}).status == 404
    voided = station.post("tickets/2/void", {"code": secrets["code"], "reason": "changed mind"})
    assert voided.status == 200
    assert station.post("tickets", SALE).status == 201  # which is printed


def paid_to_a_patron(
    app: Any,  # noqa: ANN401
    floor: Floor,
    wanda: Any,  # noqa: ANN401
    secrets: dict[str, str],
) -> None:
    """A win with a tax paper, approved at the station, paid by check."""
    client = app.test_client()

    def post(path: str, body: dict[str, object]) -> int:
        headers = {"X-Station": wanda.station, "Authorization": f"Bearer {wanda.token}"}
        headers["Idempotency-Key"] = floor.request_id()
        answer = client.post(f"/api/v1/tickets/1/{path}", json=body, headers=headers)
        return int(answer.status_code)

    code = {"code": floor.code(1)}
    paper = {"game": 1, "name": PATRON, "taxpayer_number": TAXPAYER, **code}
    assert post("tax-paper", paper) == 200
    nearly = {"name": SAM, "secret": WRONG}
    check = {"number": "1001", "payee": PATRON}
    assert post("pay", {**code, "approval": nearly, "check": check}) == 401
    approval = {"name": SAM, "secret": secret_of(SAM)}
    assert post("pay", {**code, "approval": approval, "check": check}) == 200
    secrets["token of Wanda"] = wanda.token


def at_a_page(app: Any, floor: Floor, secrets: dict[str, str]) -> None:  # noqa: ANN401
    """A browser with its cookies; a patron who types a code; somebody who types it anywhere."""
    browser = Browser(app, floor, "S1")
    browser.client.post("/sign-in", data={"name": SAM, "secret": WRONG})
    browser.sign_in(SAM)
    for name in (STATION_COOKIE, PERSON_COOKIE):
        cookie = browser.client.get_cookie(name)
        assert cookie is not None
        secrets[name] = cookie.value
    secrets["page token"] = browser.token
    code = secrets["code"]
    for path in (f"/check?code={code}", f"/nowhere/{code}", f"/regulator/find?for={code}"):
        browser.client.get(path, headers=HTML)
    browser.client.post("/check", data={"number": "2", "code": code}, headers=HTML)


def faults_of_ours(
    app: Any,  # noqa: ANN401
    floor: Floor,
    secrets: dict[str, str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Exceptions quote what was typed, and databases what was to be written."""

    def fails(*_: object) -> None:
        raise ValueError(f"no number: {secrets['code']} {TAXPAYER} {WRONG}")

    def fails_in_the_database(*_: object) -> None:
        with floor.office.database.reading() as connection:
            connection.execute(text("SELECT :code FROM nowhere"), {"code": secrets["code"]})

    for fault in (fails, fails_in_the_database):
        with monkeypatch.context() as patched:
            patched.setattr("app.web.api.games.newest_games", fault)
            assert app.test_client().get("/api/v1/games").status_code == 500


def other_processes(floor: Floor, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Spooler, caller and reporter, at work and failing with a code in hand."""
    code = floor.code(2)

    def fails(*_: object, **__: object) -> None:
        raise ValueError(code)

    floor.printer_at("B2", "tcp:127.0.0.1:1")
    with spooling(floor):
        until(lambda: bool(rows(floor, "SELECT 1 FROM printer_condition")))
    floor.printer_at("B2", f"file:{folder / 'roll'}")
    with monkeypatch.context() as patched:
        patched.setattr("printers.press.Press.with_code", fails)
        with spooling(floor):
            until(lambda: bool(rows(floor, ASIDE)))
    stop = threading.Event()
    with monkeypatch.context() as patched:
        patched.setattr("app.caller.running.all_series", fails)
        patched.setattr(stop, "wait", lambda _seconds: stop.set())
        Caller(floor.office, floor.two_keys, "first").run(stop)
    asked = Asked("voids", date(2026, 11, 16), date(2026, 11, 16), Format.CSV)
    ask_report(floor.office, floor.signed_in(RITA), asked, floor.request_id())
    with monkeypatch.context() as patched:
        patched.setattr("app.reporter.make_report", fails)
        assert Reporter(floor.office, folder).look(threading.Event())
