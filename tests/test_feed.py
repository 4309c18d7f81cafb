"""The live feed: what happens to the games, told to whoever listens, and again to who was away."""

import asyncio
import json
import ssl
import threading
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path

import pytest

from app.certificates import Use, Wanted, issue, make_authority
from app.cli import main
from app.cli.answers import BadUsage
from app.cli.house import with_certificate
from app.feed import BEHIND_MOST, Feed, exchange_certificate
from app.flow.draw import end_game
from app.store.queries.running import events_after
from app.store.records.outcomes import event_row
from app.store.records.running import add_event
from tests.floor import Floor
from tests.ports import free_port

Told = tuple[str, str, dict[str, object]]  # id, kind, facts
SECONDS = 60


@asynccontextmanager
async def serving(floor: Floor, tls: ssl.SSLContext | None = None) -> AsyncIterator[int]:
    """Run a feed on a port of its own."""
    stop, port = asyncio.Event(), free_port()
    running = asyncio.create_task(Feed(floor.office).serve("127.0.0.1", port, stop, tls))
    while True:
        try:
            _, writer = await asyncio.open_connection("127.0.0.1", port)
        except OSError:
            await asyncio.sleep(0.02)
        else:
            writer.close()
            break
    try:
        yield port
    finally:
        stop.set()
        await running


class Listener:
    """A board that listens."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader, self._writer = reader, writer
        self.head = ""

    @classmethod
    async def at(
        cls, port: int, request: str = "GET /events HTTP/1.1", seen: str | None = None
    ) -> "Listener":
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        lines = [request, "Host: here", *([f"Last-Event-ID: {seen}"] if seen else [])]
        writer.write(("\r\n".join(lines) + "\r\n\r\n").encode())
        listener = cls(reader, writer)
        listener.head = (await reader.readuntil(b"\r\n\r\n")).decode()
        return listener

    async def until(self, kind: str) -> list[Told]:
        """Listen until something of a kind is told; return all but how the seconds pass."""
        told: list[Told] = []
        async with asyncio.timeout(SECONDS):
            while not told or told[-1][1] != kind:
                block = (await self._reader.readuntil(b"\n\n")).decode()
                fields = dict(line.split(": ", 1) for line in block.strip().split("\n"))
                if "event" in fields and (fields["event"] != "left" or kind == "left"):
                    facts = json.loads(fields["data"])
                    told.append((fields.get("id", ""), fields["event"], facts))
        return told

    async def rest(self) -> bytes:
        return await self._reader.read()

    def close(self) -> None:
        self._writer.close()


def run(floor: Floor, story: Callable[[int], Awaitable[None]]) -> None:
    async def whole() -> None:
        async with serving(floor) as port:
            await story(port)

    asyncio.run(whole())


def play(floor: Floor) -> None:
    number = floor.lock()
    assert floor.office.keyed is not None
    end_game(floor.office, floor.office.keyed, "M", number)
    floor.grade(number)


@pytest.mark.rule("15.5(f)", "15.5(g)")
def test_a_board_is_told_of_a_game_from_lock_to_certification_number_by_number(
    floor: Floor,
) -> None:
    async def story(port: int) -> None:
        board = await Listener.at(port)
        assert "text/event-stream" in board.head
        await asyncio.to_thread(play, floor)
        told = await board.until("certified")
        kinds = [kind for _, kind, _ in told]
        assert kinds == ["locked", "opened", *["number"] * 20, "drawn", "settled", "certified"]
        numbers = [facts["number"] for _, kind, facts in told if kind == "number"]
        drawn = next(facts for _, kind, facts in told if kind == "drawn")
        assert (numbers, drawn["game"]) == (drawn["numbers"], 1)
        board.close()

    run(floor, story)


@pytest.mark.rule("15.5(g)", "X-recovery")
def test_whoever_was_away_gets_what_it_missed_and_nothing_twice(floor: Floor) -> None:
    async def story(port: int) -> None:
        board = await Listener.at(port)
        await asyncio.to_thread(play, floor)
        told = await board.until("certified")
        board.close()
        for seen in range(len(told) - 1):
            again = await Listener.at(port, seen=told[seen][0])
            assert await again.until("certified") == told[seen + 1 :]
            again.close()
        first = told[0][0]
        late = await Listener.at(port, f"GET /events?after={first} HTTP/1.1")
        assert await late.until("certified") == told[1:]
        late.close()

    run(floor, story)


@pytest.mark.rule("15.5(c)")
def test_the_seconds_that_are_left_are_told_every_second(floor: Floor) -> None:
    async def story(port: int) -> None:
        board = await Listener.at(port)
        told = await board.until("left")
        assert told[-1][2]["seconds"] is None  # the floor's games are locked by hand
        board.close()

    run(floor, story)


@pytest.mark.parametrize(
    ("request_line", "status"),
    [
        ("POST /events HTTP/1.1", "405"),
        ("GET /elsewhere HTTP/1.1", "404"),
        ("nonsense", "405"),
    ],
)
def test_what_is_not_a_request_for_the_feed_is_refused(
    floor: Floor, request_line: str, status: str
) -> None:
    async def story(port: int) -> None:
        asked = await Listener.at(port, request_line)
        assert asked.head.startswith(f"HTTP/1.1 {status} ")
        assert json.loads(await asked.rest())["status"] == int(status)
        asked.close()

    run(floor, story)


@pytest.mark.rule("X-recovery")
def test_a_feed_without_the_database_says_that_another_is_to_be_asked(
    floor: Floor, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.feed.NOT_LOOKED_SECONDS", 1.0)
    is_away = False
    looks = Feed._new_texts  # noqa: SLF001  what it does all the time

    def look(feed: Feed) -> list[tuple[str, str]]:
        if is_away:
            raise OSError("the database is away")
        return looks(feed)

    monkeypatch.setattr(Feed, "_new_texts", look)

    async def told(port: int, status: int) -> None:
        async with asyncio.timeout(SECONDS):
            while True:
                asked = await Listener.at(port, "GET /ready HTTP/1.1")
                said = json.loads(await asked.rest())["status"]
                asked.close()
                assert asked.head.startswith(f"HTTP/1.1 {said} ")
                if said == status:
                    return
                await asyncio.sleep(0.05)

    async def story(port: int) -> None:
        nonlocal is_away
        for without, status in ((False, 200), (True, 503), (False, 200)):
            is_away = without
            await told(port, status)

    run(floor, story)


def test_ids_that_are_none_are_taken_for_the_beginning(floor: Floor) -> None:
    async def story(port: int) -> None:
        for nonsense in ("x", "1.x", "-1", "9" * 30):
            board = await Listener.at(port, seen=nonsense)
            assert board.head.startswith("HTTP/1.1 200")
            board.close()
        await asyncio.to_thread(play, floor)
        again = await Listener.at(port, seen="x")
        assert [kind for _, kind, _ in await again.until("locked")] == [
            "opened",
            "opened",
            "locked",
        ]
        again.close()

    run(floor, story)


def test_of_two_who_tell_at_once_the_second_waits_so_that_no_event_is_passed_over(
    floor: Floor,
) -> None:
    """Ids are given when an event is written; a reader that saw a later one never looks back."""
    written = threading.Event()

    def tell_of_satellite() -> None:
        with floor.office.unit() as unit:
            add_event(unit, event_row(unit, "second", "S", 1, {}, unit.now()))
            written.set()
            unit.commit()

    other = threading.Thread(target=tell_of_satellite)
    with floor.office.unit() as unit:
        add_event(unit, event_row(unit, "first", "M", 1, {}, unit.now()))
        other.start()
        assert not written.wait(0.3)
        unit.commit()
    other.join()
    with floor.office.database.reading() as connection:
        told = events_after(connection, 0)
    assert [event.kind for event in told[-2:]] == ["first", "second"]


def happen(floor: Floor, times: int) -> None:
    with floor.office.unit() as unit:
        for place in range(times):
            add_event(unit, event_row(unit, "closes", "M", 1, {"place": place}, unit.now()))
        unit.commit()


def test_whoever_missed_more_than_a_thousand_events_gets_all_of_them(floor: Floor) -> None:
    async def story(port: int) -> None:
        board = await Listener.at(port)
        await asyncio.to_thread(happen, floor, 1)
        ((seen, _, _),) = await board.until("closes")
        board.close()
        await asyncio.to_thread(happen, floor, 1500)
        told: list[Told] = []
        while len(told) < 1500:
            again = await Listener.at(port, seen=seen)
            with suppress(asyncio.IncompleteReadError):  # let go: it comes again
                while len(told) < 1500:
                    told += await again.until("closes")
                    seen = told[-1][0]
            again.close()
        assert [facts["place"] for _, _, facts in told] == list(range(1500))

    run(floor, story)


def test_many_who_catch_up_hold_up_nobody_else(
    floor: Floor, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Or whoever asks for all that ever was, again and again, would stop every board."""
    go_on = threading.Event()

    def never(_: Feed, __: str) -> list[object]:
        assert go_on.wait(SECONDS)
        return []

    monkeypatch.setattr(Feed, "_missed", never)

    async def story(port: int) -> None:
        board = await Listener.at(port)
        many = [await Listener.at(port, seen="1") for _ in range(40)]
        happen(floor, 1)  # here: the threads that others use are taken
        assert len(await board.until("closes")) == 1
        go_on.set()
        for each in (board, *many):
            each.close()

    run(floor, story)


def test_a_board_that_takes_nothing_is_let_go_so_that_it_comes_again(floor: Floor) -> None:
    async def story() -> None:
        feed = Feed(floor.office)
        told = feed._told("")  # noqa: SLF001  a board that stalls
        await anext(told)
        waiting = asyncio.ensure_future(anext(told))
        await asyncio.sleep(0)
        (listener,) = feed._listeners  # noqa: SLF001
        for number in range(1, BEHIND_MOST + 10):
            if listener in feed._listeners:  # noqa: SLF001
                feed._tell(listener, (str(number), f"event {number}"))  # noqa: SLF001
        assert feed._listeners == set()  # noqa: SLF001
        assert await waiting == "event 1"
        async with asyncio.timeout(SECONDS):
            rest = [text async for text in told]
        assert rest == [f"event {number}" for number in range(2, BEHIND_MOST + 1)]

    asyncio.run(story())


@pytest.mark.rule("X-access")
def test_whoever_asks_from_another_machine_is_told_over_tls(floor: Floor, tmp_path: Path) -> None:
    now, passphrase = datetime.now(UTC), "the authority of a test"
    make_authority(tmp_path, "Test authority", passphrase, now)
    wanted = Wanted("web1.keno.example", (), (Use.SERVER,))
    place = issue(tmp_path, passphrase, wanted, tmp_path, now)
    proxy = ssl.create_default_context(cafile=tmp_path / "authorities.pem")

    async def story() -> None:
        async with serving(floor, with_certificate(place)) as port:
            reader, writer = await asyncio.open_connection(
                "127.0.0.1", port, ssl=proxy, server_hostname=wanted.name
            )
            writer.write(b"GET /events HTTP/1.1\r\n\r\n")
            assert b"200 OK" in await reader.readuntil(b"\r\n")
            assert writer.get_extra_info("ssl_object").version() == "TLSv1.3"
            writer.close()

    async def renewed() -> None:
        context = with_certificate(place)
        async with serving(floor, context) as port:
            shown = []
            for _ in range(3):
                _, writer = await asyncio.open_connection(
                    "127.0.0.1", port, ssl=proxy, server_hostname=wanted.name
                )
                shown.append(writer.get_extra_info("ssl_object").getpeercert()["serialNumber"])
                writer.close()
                issue(tmp_path, passphrase, wanted, tmp_path, now)
                exchange_certificate(context, place)  # as at SIGHUP
                if len(shown) == 2:
                    place.with_suffix(".key").write_text("half of a key")
                    exchange_certificate(context, place)  # goes on with what it has
            assert shown[0] != shown[1]
            assert len(shown) == 3

    asyncio.run(story())
    asyncio.run(renewed())
    with pytest.raises(BadUsage, match="cannot be used"):
        with_certificate(tmp_path / "nothing.pem")


@pytest.mark.rule("X-access")
@pytest.mark.parametrize("name", ["certificate", "authorities"])
def test_a_file_that_was_left_out_of_the_settings_is_not_taken_for_none_wanted(
    name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    files = {"certificate": "feed.pem", "authorities": "authorities.pem"} | {name: ""}
    options = [word for each, file in files.items() for word in (f"--{each}", file)]
    assert main(["feed", *options]) == 2
    assert f"--{name} is empty" in capsys.readouterr().err


@pytest.mark.rule("X-access")
def test_whoever_shows_no_certificate_of_the_house_is_told_nothing(
    floor: Floor, tmp_path: Path
) -> None:
    now, passphrase = datetime.now(UTC), "the authority of a test"
    others = tmp_path / "others"
    for folder in (tmp_path, others):
        folder.mkdir(exist_ok=True)
        make_authority(folder, "Test authority", passphrase, now)
    wanted = Wanted("web1.keno.example", (), (Use.SERVER,))
    place = issue(tmp_path, passphrase, wanted, tmp_path, now)
    ours, theirs = (
        issue(folder, passphrase, Wanted("proxy", (), (Use.CLIENT,)), folder, now)
        for folder in (tmp_path, others)
    )

    async def asked(port: int, shown: Path | None) -> bytes:
        proxy = ssl.create_default_context(cafile=tmp_path / "authorities.pem")
        if shown is not None:
            proxy.load_cert_chain(shown, shown.with_suffix(".key"))
        reader, writer = await asyncio.open_connection(
            "127.0.0.1", port, ssl=proxy, server_hostname=wanted.name
        )
        try:
            writer.write(b"GET /events HTTP/1.1\r\n\r\n")
            return await reader.read(12)
        except (OSError, ssl.SSLError):
            return b""
        finally:
            writer.close()

    async def story() -> None:
        context = with_certificate(place, tmp_path / "authorities.pem")
        async with serving(floor, context) as port:
            assert await asked(port, ours) == b"HTTP/1.1 200"
            for shown in (None, theirs, place):  # a server's certificate is not for asking
                assert await asked(port, shown) == b""
            exchange_certificate(context, place, others / "authorities.pem")  # as at SIGHUP
            assert await asked(port, theirs) == b"HTTP/1.1 200"

    asyncio.run(story())
    with pytest.raises(BadUsage, match="cannot be used"):
        with_certificate(place, tmp_path / "nothing.pem")
