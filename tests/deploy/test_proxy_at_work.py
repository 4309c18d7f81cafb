"""The proxy as it is installed, before granian: whom it holds off, and from what."""

import re
import socket
import threading
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing, contextmanager, suppress
from dataclasses import dataclass, field
from http.client import HTTPConnection, HTTPException
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from flask import Flask

from app.web.reports import routes
from tests.deploy.haproxy import FILE
from tests.deploy.proxy_at_work import START_SECONDS, asked, running_proxy
from tests.floor import Floor
from tests.waiting import until
from tests.web.server import serving

pytestmark = pytest.mark.machine

THREADS = 2


def in_the_open(text: str) -> str:
    """A configuration that speaks to web processes without TLS."""
    return re.sub(r" ssl verify required .*| verifyhost .*", "", text)


def slow(port: int, head: str) -> socket.socket:
    """Begin a request whose body never comes."""
    line = socket.create_connection(("127.0.0.1", port), timeout=START_SECONDS)
    line.sendall(f"POST /check HTTP/1.1\r\nHost: localhost\r\n{head}\r\n\r\n".encode())
    return line


def drip(lines: list[socket.socket], piece: bytes) -> None:
    for line in lines:
        with suppress(OSError):
            line.sendall(piece)


@pytest.mark.rule("X-access")
def test_a_body_that_drips_holds_up_no_thread(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'keno.db'}"
    Floor.opened(url, tmp_path, real_clock=True).close()
    form = "Content-Type: application/x-www-form-urlencoded"
    with serving(url, tmp_path / "keys", threads=THREADS) as server:
        # Without the proxy they hold up everybody: that is what it is there for.
        straight = [slow(server.port, f"{form}\r\nContent-Length: 60000") for _ in range(THREADS)]
        end = time.monotonic() + START_SECONDS
        while asked(server.port, seconds=4) != 0:  # until both are being read
            assert time.monotonic() < end, "they hold up nobody"
        for line in straight:
            line.close()
        with running_proxy(in_the_open(FILE.read_text()), server.port, tmp_path) as port:
            many = [slow(port, f"{form}\r\nContent-Length: 60000") for _ in range(THREADS * 4)]
            for _ in range(4):
                drip(many, b"number=1&")
                assert asked(port) == 200
                assert asked(port, "POST", body=b"number=1&code=1") == 404
            # Whoever is still not done is told so, and let go.
            assert {status(line) for line in many} == {408}
            assert refused(port, form) == [411, 413, 400]
            assert asked(port, "POST", body=b"number=1&code=1&rest=" + b"x" * 90_000) == 404


def status(line: socket.socket) -> int:
    """What an unfinished request is answered."""
    with line:
        return int(line.recv(4096).split()[1])


@pytest.mark.rule("X-access")
def test_how_processes_are_doing_is_told_to_nobody_outside_however_it_is_written(
    tmp_path: Path,
) -> None:
    url = f"sqlite:///{tmp_path / 'keno.db'}"
    Floor.opened(url, tmp_path, real_clock=True).close()
    with (
        serving(url, tmp_path / "keys", threads=THREADS) as server,
        running_proxy(in_the_open(FILE.read_text()), server.port, tmp_path) as port,
    ):
        for path in ("/readyz", "/%72eadyz", "/%72%65%61%64%79%7A", "/healthz", "/health%7A"):
            assert asked(server.port, path=path) == 200
            assert asked(port, path=path) == 404
        for path in ("/metrics", "/%6Detrics", "/metrics?x=1"):
            assert asked(port, path=path) == 404


@contextmanager
def web_process(name: str, version: str = "HTTP/1.0") -> Iterator[int]:
    """Somebody who answers everything with their name."""

    class Answering(BaseHTTPRequestHandler):
        protocol_version = version
        wbufsize = -1  # an answer goes out at once, as a whole

        def do_GET(self) -> None:  # as it must be called
            self.send_response(200)
            self.send_header("Content-Length", str(len(name)))
            self.end_headers()
            self.wfile.write(name.encode())

        def log_message(self, *_words: object) -> None:
            """Say nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Answering) as server:
        running = threading.Thread(target=server.serve_forever)
        running.start()
        try:
            yield server.server_port
        finally:
            server.shutdown()
            running.join()


def answered_by(port: int, path: str) -> str:
    with closing(HTTPConnection("127.0.0.1", port, timeout=START_SECONDS)) as line:
        line.request("GET", path)
        return line.getresponse().read().decode()


def is_answered_by(port: int, path: str, name: str) -> bool:
    """Whether a machine answers; not if the request was on its way when another one was lost."""
    try:
        return answered_by(port, path) == name
    except HTTPException:
        return False


@pytest.mark.rule("X-recovery")
def test_reports_are_fetched_where_they_were_made_as_long_as_that_machine_is_there(
    tmp_path: Path,
) -> None:
    pages = Flask("pages")
    pages.register_blueprint(routes)
    (rule,) = [str(each) for each in pages.url_map.iter_rules() if each.endpoint == "reports.file"]
    with ExitStack() as running:
        first = ExitStack()
        web1 = first.enter_context(web_process("web1"))
        web2 = running.enter_context(web_process("web2"))
        config = in_the_open(FILE.read_text())
        port = running.enter_context(running_proxy(config, web1, tmp_path, web2))
        with first:
            file = rule.replace("<job>", "0199f1a4")
            assert {answered_by(port, file) for _ in range(20)} == {"web1"}
            until(
                lambda: {answered_by(port, "/check") for _ in range(20)} == {"web1", "web2"},
                "only one is asked",
                START_SECONDS,
            )
        until(lambda: is_answered_by(port, file, "web2"), "nobody took over", START_SECONDS)


@dataclass(frozen=True)
class Asking:
    """Somebody who asks many times over one line."""

    port: int
    path: str
    headers: Mapping[str, str] = field(default_factory=dict)
    count: int = 1

    def answers(self) -> Counter[int]:
        """How often each status was answered."""
        found: Counter[int] = Counter()
        with closing(HTTPConnection("127.0.0.1", self.port, timeout=START_SECONDS)) as line:
            for _ in range(self.count):
                line.request("GET", self.path, headers=dict(self.headers))
                answer = line.getresponse()
                answer.read()
                found[answer.status] += 1
                if answer.status == 429:
                    assert answer.getheader("Retry-After") == "10"
        return found


PROGRAM, PAGE = (
    {"X-Station": "token"},
    {"Cookie": "__Host-keno_person=x; __Host-keno_station=token"},
)


def crowd(*asking: Asking) -> Counter[int]:
    """What several are answered who ask at once."""
    with ThreadPoolExecutor(len(asking)) as pool:
        return sum(pool.map(Asking.answers, asking), Counter())


@pytest.mark.rule("X-access")
def test_a_flood_from_one_address_is_turned_away_and_a_station_there_sells_on(
    tmp_path: Path,
) -> None:
    with (
        web_process("web1", "HTTP/1.1") as web,
        running_proxy(in_the_open(FILE.read_text()), web, tmp_path) as port,
    ):
        # Stations ask as often as they have to: they are not counted.
        many = [Asking(port, "/api/v1/desk", shown, 1_200) for shown in (PROGRAM, PAGE)]
        assert crowd(*many) == {200: 2_400}
        # Boards and patrons behind one address are far from it.
        assert crowd(*[Asking(port, "/results", count=100)] * 4) == {200: 400}
        end = time.monotonic() + START_SECONDS
        while not crowd(*[Asking(port, "/results", count=800)] * 4)[429]:
            assert time.monotonic() < end, "nobody was turned away"
        for path in ("/check", "/%63heck", "/log/checkpoint", "/events", "/results.json?x=1"):
            # Whoever only says that they are a station is counted all the same.
            assert crowd(Asking(port, path), Asking(port, path, PAGE)) == {429: 2}, path
        assert crowd(Asking(port, "/"), Asking(port, "/api/v1/games")) == {429: 2}
        # And who sells from there notices nothing.
        for shown in (PROGRAM, PAGE):
            assert crowd(Asking(port, "/api/v1/tickets", shown, 50)) == {200: 50}
            assert crowd(Asking(port, "/writer", shown)) == {200: 1}
        # It passes by itself.
        while crowd(Asking(port, "/results")) != {200: 1}:
            assert time.monotonic() < end + START_SECONDS, "it does not pass"
            time.sleep(0.5)


@pytest.mark.rule("X-access")
def test_a_station_that_is_made_up_opens_no_way_round_the_bound(tmp_path: Path) -> None:
    """With a lower bound than there is: so many requests take long."""
    text = FILE.read_text().replace("sc_http_req_rate(2) gt 10000", "sc_http_req_rate(2) gt 300")
    with (
        web_process("web1", "HTTP/1.1") as web,
        running_proxy(in_the_open(text), web, tmp_path) as port,
    ):
        for made_up in (PROGRAM, PAGE):
            end = time.monotonic() + START_SECONDS
            while not crowd(Asking(port, "/api/v1/games", made_up, 400))[429]:
                assert time.monotonic() < end, "nobody was turned away"
        assert crowd(Asking(port, "/results")) == {200: 1}


@pytest.mark.rule("X-access")
def test_no_header_goes_through_under_another_name(tmp_path: Path) -> None:
    seen: list[list[str]] = []

    class Telling(BaseHTTPRequestHandler):
        def do_GET(self) -> None:  # as it must be called
            seen.append([name.lower() for name in self.headers])
            self.send_response(200)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_words: object) -> None:
            """Say nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Telling) as server:
        running = threading.Thread(target=server.serve_forever)
        running.start()
        try:
            config = in_the_open(FILE.read_text())
            with running_proxy(config, server.server_port, tmp_path) as port:
                written = {"X_Forwarded_For": "6.6.6.6", "X_Station": "x", "X-Kept": "x"}
                assert crowd(Asking(port, "/results", written)) == {200: 1}
        finally:
            server.shutdown()
            running.join()
    assert "x-kept" in seen[-1]
    assert not [name for names in seen for name in names if "_" in name]


@pytest.mark.rule("X-access")
def test_one_address_does_not_hold_every_place_at_the_feed(tmp_path: Path) -> None:
    """With fewer places than there are: so many lines are more than a test's machine may open."""
    places = 40
    text = in_the_open(FILE.read_text()).replace(
        "sc_conn_cur(1) gt 1000", f"sc_conn_cur(1) gt {places}"
    )
    held = threading.Event()

    class Holding(BaseHTTPRequestHandler):
        def do_GET(self) -> None:  # as it must be called
            if self.path == "/events":
                held.wait(START_SECONDS)
            self.send_response(200)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_words: object) -> None:
            """Say nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Holding) as server:
        running = threading.Thread(target=server.serve_forever)
        running.start()
        try:
            feed = text.replace("10.0.0.11:8001", f"127.0.0.1:{server.server_port}")
            with running_proxy(feed, server.server_port, tmp_path) as port, ExitStack() as lines:
                for _ in range(places):
                    line = lines.enter_context(socket.create_connection(("127.0.0.1", port)))
                    line.sendall(b"GET /events HTTP/1.1\r\nHost: localhost\r\n\r\n")
                end = time.monotonic() + START_SECONDS
                while asked(port, path="/events", seconds=1) != 429:  # they are being answered
                    assert time.monotonic() < end, "there is no end of places"
                # A station there sells on meanwhile.
                assert crowd(Asking(port, "/api/v1/tickets", PROGRAM)) == {200: 1}
                held.set()
                while asked(port, path="/events") != 200:
                    assert time.monotonic() < end, "a place that was left is not given again"
        finally:
            held.set()
            server.shutdown()
            running.join()


def refused(port: int, form: str) -> list[int]:
    """What is told to those whose body could not be waited for as a whole."""
    heads = (
        f"{form}\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0",
        f"{form}\r\nContent-Length: 100000",
        f"{form}\r\nContent-Length: 60000\r\nX-Long: {'x' * 17_000}",
    )
    return [status(slow(port, head)) for head in heads]
