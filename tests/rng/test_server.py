"""Listening: strangers, garbage, slowness and crowds stop nothing and lock nothing."""

import asyncio
import json
import logging
import socket
import ssl
import struct
import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path
from time import monotonic, sleep
from typing import cast

import pytest

from rng.core.canonical import canonical
from rng.lab import rehearsal as rehearsing
from rng.lab.practice import PracticeOffice
from rng.serve.commands import CONTROL_SOCKET
from rng.serve.places import credentials
from rng.serve.protocol import (
    FRAME_BYTES_MAX,
    Address,
    Client,
    Unreachable,
    read_reply,
    to_frame,
)
from rng.serve.refusals import Refused
from rng.serve.server import Listener, Noise, Server
from rng.serve.tls import Credentials, Peers, accept, change, make_tls, renew

GARBAGE = [
    b"",
    b"\x00",
    b"GET / HTTP/1.1\r\n\r\n",
    b"\xff\xff\xff\xff",
    struct.pack(">I", FRAME_BYTES_MAX + 1),
    struct.pack(">I", 5) + b"{",
    struct.pack(">I", 4) + b"null",
    struct.pack(">I", 2) + b"[]",
    struct.pack(">I", 0),
    struct.pack(">I", 9) + b'{"act":1.',
    struct.pack(">I", 3) + b"NaN",
    struct.pack(">I", 60_000) + b"[" * 60_000,
    struct.pack(">I", 8) + b"\xff" * 8,
]


@pytest.fixture(scope="module")
def office(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PracticeOffice]:
    with rehearsing.rehearsal(tmp_path_factory.mktemp("house")) as office:
        yield office


@pytest.fixture
def sockets(office: PracticeOffice) -> dict[str, Path]:
    root = office.folder.parent
    return {role: root / role / "service.sock" for role in ("rng", "inspector")}


@pytest.mark.rule("X-recovery")
@pytest.mark.parametrize("role", ["rng", "inspector"])
def test_peers_that_hang_up_before_they_are_answered_end_no_process(
    office: PracticeOffice, sockets: dict[str, Path], role: str
) -> None:
    for _ in range(50):
        with socket.socket(socket.AF_UNIX) as peer:
            peer.connect(str(sockets[role]))
            peer.sendall(to_frame({"act": "status"}) * 3)
    assert office.draw("M")["record"]["body"]["numbers"]


@pytest.mark.rule("X-recovery")
@pytest.mark.parametrize("role", ["rng", "inspector"])
@pytest.mark.parametrize("garbage", GARBAGE, ids=[repr(garbage[:12]) for garbage in GARBAGE])
def test_garbage_is_dropped_and_the_next_draw_goes_on(
    office: PracticeOffice, sockets: dict[str, Path], role: str, garbage: bytes
) -> None:
    with socket.socket(socket.AF_UNIX) as peer:
        peer.connect(str(sockets[role]))
        peer.settimeout(60)
        peer.sendall(garbage)
        peer.shutdown(socket.SHUT_WR)
        assert peer.recv(100) == b""
    office.draw("M")


@pytest.mark.parametrize(
    ("request_", "code"),
    [
        ({}, "request.no_such_act"),
        ({"act": None}, "request.no_such_act"),
        ({"act": ["draw"]}, "request.no_such_act"),
        ({"act": "unlock", "holder": "x", "passphrase": "y"}, "request.no_such_act"),
        ({"act": "draw"}, "request.malformed"),
        ({"act": "draw", "statement": {}, "seal": {}}, "request.malformed"),
        ({"act": "draw", "statement": {"body": {}, "signatures": []}}, "request.malformed"),
        ({"act": "void", "statement": 5}, "request.malformed"),
        ({"act": "record", "series": "M", "game": "1"}, "request.malformed"),
        ({"act": "record", "series": "M", "game": 0}, "request.malformed"),
        ({"act": "record", "series": "m", "game": 1}, "request.malformed"),
        ({"act": "record", "series": "Z", "game": 1}, "series.unknown"),
        ({"act": "record", "series": "M", "game": True}, "request.malformed"),
    ],
)
def test_a_request_that_is_not_in_order_gets_a_clear_refusal(
    sockets: dict[str, Path], request_: dict[str, object], code: str
) -> None:
    with socket.socket(socket.AF_UNIX) as peer:
        peer.connect(str(sockets["rng"]))
        peer.sendall(to_frame(request_))
        (length,) = struct.unpack(">I", peer.recv(4))
        with pytest.raises(Refused) as refused:
            read_reply(peer.recv(length))
    assert refused.value.code == code


@pytest.mark.rule("X-recovery")
def test_a_defect_of_ours_is_answered_as_one_and_the_process_goes_on(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """What went wrong is for the log, and not for the peer."""

    def dispatch(_: str, request: Mapping[str, object]) -> Mapping[str, object]:
        if request["act"] == "fail":
            raise TypeError("an inner matter")
        return {"well": True}

    listener = Listener(Address(path=str(tmp_path / "a.socket")), dispatch)
    server = Server([listener], after=lambda: None, idle=lambda: None)

    def ask(act: str) -> Mapping[str, object] | Refused:
        client = Client(listener.address)
        try:
            return client.call(act)
        except Refused as refusal:
            return refusal
        finally:
            client.close()

    async def serve() -> list[Mapping[str, object] | Refused]:
        listening = await server._listen(listener)  # noqa: SLF001  without its signals
        answers = [await asyncio.to_thread(ask, act) for act in ("fail", "status")]
        listening.close()
        return answers

    refused, answered = asyncio.run(serve())
    assert isinstance(refused, Refused)
    assert refused.code == "process.fault"
    assert "inner matter" not in refused.message
    assert answered == {"well": True}
    assert caplog.messages == ["request.failed"]


@pytest.mark.rule("X-recovery")
def test_a_slow_peer_holds_nobody_up_and_is_dropped(
    office: PracticeOffice, sockets: dict[str, Path]
) -> None:
    with socket.socket(socket.AF_UNIX) as slow:
        slow.connect(str(sockets["rng"]))
        slow.sendall(b"\x00\x00")
        office.draw("M")
        slow.settimeout(20)
        assert slow.recv(1) == b""
    office.draw("M")


@pytest.mark.rule("X-recovery")
def test_a_crowd_is_turned_away_and_the_peers_that_were_there_go_on(
    office: PracticeOffice, sockets: dict[str, Path]
) -> None:
    crowd = []
    for _ in range(100):
        peer = socket.socket(socket.AF_UNIX)
        peer.connect(str(sockets["rng"]))
        crowd.append(peer)
    first = office.draw("M")["record"]["body"]["game"]
    for peer in crowd:
        peer.close()
    assert office.draw("M")["record"]["body"]["game"] == first + 1


def test_many_requests_in_one_packet_are_answered_one_by_one(sockets: dict[str, Path]) -> None:
    with socket.socket(socket.AF_UNIX) as peer:
        peer.connect(str(sockets["rng"]))
        peer.sendall(to_frame({"act": "nothing"}) * 20)
        reader = peer.makefile("rb")
        for _ in range(20):
            (length,) = struct.unpack(">I", reader.read(4))
            assert json.loads(reader.read(length))["refused"]["code"] == "request.no_such_act"
        reader.close()


@pytest.mark.rule("X-draw-once")
def test_two_clients_at_once_get_the_same_draw(
    office: PracticeOffice, sockets: dict[str, Path]
) -> None:
    wanted = office.locked("M")
    clients = [Client(Address(path=str(sockets["rng"]))) for _ in range(2)]
    frame = {"act": "draw", **wanted}
    for client in clients:
        client.post("draw", frame)
    answers = [read_reply(client._receive()) for client in clients]  # noqa: SLF001
    for client in clients:
        client._owed = 0  # noqa: SLF001
        client.close()
    assert answers[0] == answers[1]
    assert office.draw("M") == answers[0]["drawn"]


def test_a_log_of_strangers_cannot_be_flooded(caplog: pytest.LogCaptureFixture) -> None:
    noise = Noise(lines_a_minute=3)
    with caplog.at_level(logging.WARNING):
        for number in range(1000):
            noise.say(f"line {number}")
        assert len(caplog.messages) == 3
        noise._since -= 60  # noqa: SLF001  a minute passes
        noise.say("later")
    assert caplog.messages[3:] == ["peers.dropped", "peer.dropped"]
    assert [record.facts for record in caplog.records[3:]] == [{"further": 997}, {"why": "later"}]  # type: ignore[attr-defined]


def test_a_process_that_ends_has_nothing_to_say_of_peers_that_are_there(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    rehearsing.found(tmp_path)
    process = rehearsing.start(tmp_path, "inspector", "", [])
    rehearsing.unlock(tmp_path, "inspector")
    peer = rehearsing.client(tmp_path / "inspector" / CONTROL_SOCKET)
    peer.call("status")
    process.terminate()
    process.communicate(timeout=90)
    peer.close()
    assert "dropped" not in capfd.readouterr().err


def test_a_process_that_is_not_there_is_told_in_words(tmp_path: Path) -> None:
    with pytest.raises(Unreachable, match=r"^it is not running$"):
        Client(Address(path=str(tmp_path / "no.socket"))).call("status")


def test_an_answer_that_is_not_in_order_counts_as_none() -> None:
    for data in (b"", b"{}", b"[]", b'{"refused":{}}', b'{"answer":5}', b"x", canonical("x")):
        with pytest.raises(Unreachable):
            read_reply(data)
    with pytest.raises(ValueError, match="too long"):
        to_frame({"x": "y" * FRAME_BYTES_MAX})


@pytest.mark.parametrize(
    "text", ["", "unix:", "tls:", "tls:host", "tcp:host:1", "tls::1", "tls:h:x"]
)
def test_what_is_no_address_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="no address"):
        Address.read(text)


def test_addresses_are_read() -> None:
    assert Address.read("unix:a/b:c") == Address(path="a/b:c")
    assert Address.read("tls:[::1]:8000") == Address(host="::1", port=8000)
    with pytest.raises(ValueError, match="certificates"):
        Client(Address(host="localhost", port=1))


# ---- between machines ----------------------------------------------------------------------------


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return cast("int", probe.getsockname()[1])


@pytest.fixture(scope="module")
def remote(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Path, dict[str, int]]]:
    """Both processes over TLS, each on a port of its own."""
    root = tmp_path_factory.mktemp("remote")
    rehearsing.found(root)
    ports = {"inspector": free_port(), "rng": free_port()}
    processes: list[subprocess.Popen[str]] = []
    for role in ("inspector", "rng"):
        listen = ["--listen", f"tls:127.0.0.1:{ports[role]}"]
        inspector = f"tls:127.0.0.1:{ports['inspector']}"
        process = rehearsing.start(root, role, inspector, listen)
        processes.append(process)
        rehearsing.unlock(root, "rng" if role == "rng" else "inspector")
    yield root, ports
    for process in processes:
        process.terminate()
        process.communicate(timeout=90)


def tls_client(root: Path, port: int, folder: str = "office", peer: str = "rng") -> Client:
    peers = Peers(root / "public", (peer,), ".tls.pem")
    place = root / folder
    identity = Credentials(place / "tls.pem", place / "tls.key", peers)
    return Client(Address(host="127.0.0.1", port=port), identity, seconds=60)


@pytest.mark.rule("15.5(a)-dual-key")
def test_both_draw_over_mutually_authenticated_tls(remote: tuple[Path, dict[str, int]]) -> None:
    root, ports = remote
    rng = tls_client(root, ports["rng"])
    inspector = tls_client(root, ports["inspector"], peer="inspector")
    office = PracticeOffice(root / "office", root / "public", rng, inspector)
    assert office.draw("M")["record"]["body"]["game"] == 1
    assert office.draw("M")["record"]["body"]["game"] == 2
    with pytest.raises(Refused) as refused:  # the office is not the generator
        inspector.call("mark", {})
    assert refused.value.code == "request.wrong_peer"
    for client in (rng, inspector):
        client.close()
    office.close()


def test_a_stranger_with_a_certificate_of_his_own_is_turned_away(
    remote: tuple[Path, dict[str, int]],
) -> None:
    root, ports = remote
    stranger = root / "stranger"
    stranger.mkdir(exist_ok=True)
    if not (stranger / "tls.pem").exists():
        make_tls(stranger, "office")
    assert set(ports) == {"rng", "inspector"}
    for role, port in ports.items():
        client = tls_client(root, port, "stranger", role)
        with pytest.raises(Unreachable):
            client.call("status")
        with pytest.raises(Unreachable):
            tls_client(root, port, "office", "office").call("status")  # the wrong server


def test_neither_plain_text_nor_old_tls_is_spoken(remote: tuple[Path, dict[str, int]]) -> None:
    _, ports = remote
    with socket.create_connection(("127.0.0.1", ports["rng"]), 60) as plain:
        plain.sendall(to_frame({"act": "status"}))
        plain.settimeout(60)
        assert b"answer" not in plain.recv(1000)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    context.maximum_version = ssl.TLSVersion.TLSv1_2
    with (
        socket.create_connection(("127.0.0.1", ports["rng"]), 60) as plain,
        pytest.raises(ssl.SSLError),
    ):
        context.wrap_socket(plain)


def test_a_peer_that_only_connects_holds_nobody_up(remote: tuple[Path, dict[str, int]]) -> None:
    root, ports = remote
    idle = [socket.create_connection(("127.0.0.1", ports["rng"])) for _ in range(80)]
    client = tls_client(root, ports["rng"])
    assert client.call("status")["role"] == "rng"
    client.close()
    for peer in idle:
        peer.close()


def test_the_certificates_of_the_ceremony_are_the_ones_that_count(
    remote: tuple[Path, dict[str, int]],
) -> None:
    root, _ = remote
    assert set(credentials(root / "inspector").peers.files().values()) == {"office", "rng"}
    assert credentials(root / "rng").peers.name_of(b"nobody's") is None


@pytest.mark.rule("X-recovery")
def test_a_certificate_is_exchanged_while_both_run(remote: tuple[Path, dict[str, int]]) -> None:
    root, ports = remote
    old = ssl.PEM_cert_to_DER_cert((root / "rng" / "tls.pem").read_text())
    renew(root / "rng", "rng", root / "public")
    accept(Peers(root / "inspector" / "peers"), root / "public", "inspector")
    change(root / "rng")
    until = monotonic() + 90
    while shown_by(root, ports["rng"]) == old:
        assert monotonic() < until
        sleep(0.1)


def shown_by(root: Path, port: int) -> bytes | None:
    """The certificate that a process shows to the office."""
    client = tls_client(root, port)
    assert client.call("status")["role"] == "rng"
    line = cast("ssl.SSLSocket", client._connection)  # noqa: SLF001
    certificate = line.getpeercert(binary_form=True)
    client.close()
    return certificate


def test_a_process_that_is_killed_and_started_again_listens_at_the_same_place(
    tmp_path: Path,
) -> None:
    rehearsing.found(tmp_path)
    for _ in range(2):
        process = rehearsing.start(tmp_path, "inspector", "", [])
        rehearsing.unlock(tmp_path, "inspector")
        assert process.poll() is None
        process.kill()
        process.communicate(timeout=90)
