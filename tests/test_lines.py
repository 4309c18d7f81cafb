"""The back office's lines to the keyed processes over TLS, and what it starts with."""

import os
import socket
import struct
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path

import pytest

from app.cli import main
from app.entropy import system_entropy
from app.flow.keys import KeysMissing, make_keys, read_keys
from app.house import open_office, read_scrape, start_faults
from app.rng_client import line_to, make_certificate, publish_certificate
from app.settings import Settings, read_settings
from rng.serve.protocol import Unreachable, to_frame
from rng.serve.tls import Credentials, Peers, accept, make_tls, publish


@pytest.fixture
def keys(tmp_path: Path) -> Path:
    """The office's keys, whose certificate is in the public folder, with those of both others."""
    folder, public = tmp_path / "keys", tmp_path / "public"
    public.mkdir()
    make_keys(folder, system_entropy)
    make_certificate(folder)
    publish_certificate(folder, public)
    for name in ("rng", "inspector"):
        place = tmp_path / name
        (place / "peers").mkdir(parents=True)
        publish(public, name, make_tls(place, name))
    for name in ("rng", "inspector"):
        accept(Peers(tmp_path / name / "peers"), public, name)
    return folder


@contextmanager
def listening(folder: Path) -> Iterator[str]:
    """Somebody with the certificate of a folder, who answers whoever is let in; their address."""
    side = Credentials(folder / "tls.pem", folder / "tls.key", Peers(folder / "peers"))
    context = side.context(server=True)

    def answer() -> None:
        with suppress(OSError):
            while True:
                peer, _ = listener.accept()
                with suppress(OSError), peer, context.wrap_socket(peer, server_side=True) as line:
                    (length,) = struct.unpack(">I", line.recv(4))
                    line.recv(length)
                    who = side.peers.name_of(line.getpeercert(binary_form=True))
                    line.sendall(to_frame({"answer": {"you": who}}))

    with socket.create_server(("127.0.0.1", 0)) as listener:
        thread = threading.Thread(target=answer)
        thread.start()
        yield f"tls:127.0.0.1:{listener.getsockname()[1]}"
        listener.shutdown(socket.SHUT_RDWR)
    thread.join()


@pytest.mark.rule("15.5(a)-dual-key", "X-access")
def test_the_office_reaches_whom_it_means_and_nobody_in_their_place(
    keys: Path, tmp_path: Path
) -> None:
    public = tmp_path / "public"
    with listening(tmp_path / "rng") as address:
        with closing(line_to(address, keys, public, "rng")) as line:
            assert line.call("status") == {"you": "office"}
        with (
            closing(line_to(address, keys, public, "inspector")) as line,
            pytest.raises(Unreachable, match="verify failed"),
        ):
            line.call("status")


@pytest.mark.rule("X-access")
def test_what_is_wrong_with_keys_and_certificates_is_told_at_once(
    keys: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    environment = {
        "KENO_DATABASE": f"sqlite:///{tmp_path / 'keno.db'}",
        "KENO_KEYS": str(keys),
        "KENO_PUBLIC": str(tmp_path / "public"),
        "KENO_RNG": "tls:rng.keno.example:7001",
    }
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    settings = read_settings(environment)
    assert start_faults(settings) == []
    assert main(["settings"]) == 0
    assert "tls:rng.keno.example:7001" in capsys.readouterr().out
    (keys / "log.key").chmod(0o640)
    (keys / "patron.key").unlink()
    (keys / "tls.key").chmod(0o644)
    monkeypatch.setenv("KENO_LOG", "loud")  # and whatever else is wrong does not hide it
    monkeypatch.setenv("KENO_SCRAPE", str(tmp_path / "scrape.token"))
    assert main(["settings"]) == 2
    told = capsys.readouterr().err
    for words in (
        "log.key can be read by others",
        "patron.key: No such file",
        "tls.key can be",
        "KENO_LOG must be json or words",
        "scrape.token: No such file",
    ):
        assert words in told
    with pytest.raises(KeysMissing):
        open_office(settings)


@pytest.mark.rule("X-access")
def test_what_programs_show_that_ask_for_figures_is_a_secret(tmp_path: Path) -> None:
    token = tmp_path / "scrape.token"
    settings = read_settings({"KENO_SCRAPE": str(token)})
    for text, mode, words in (
        (None, 0, "No such file"),
        ("a secret", 0o644, "can be read by others"),
        (" \n", 0o600, "is empty"),
    ):
        if text is not None:
            token.write_text(text)
            token.chmod(mode)
        with pytest.raises(KeysMissing, match=words):
            read_scrape(settings)
    token.write_text("a secret\n")
    assert read_scrape(settings) == "a secret"
    assert read_scrape(read_settings({})) is None


@pytest.mark.rule("X-access")
def test_keys_of_another_user_are_not_used(keys: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    owner = keys.stat().st_uid
    monkeypatch.setattr(os, "geteuid", lambda: owner + 1)
    with pytest.raises(KeysMissing) as missing:
        read_keys(keys)
    assert str(missing.value).count("belongs to another user") == 4


def test_a_certificate_that_cannot_be_read_is_named(keys: Path, tmp_path: Path) -> None:
    (tmp_path / "public/rng-2.tls.pem").mkdir()
    with pytest.raises(OSError, match=r"public/rng-2\.tls\.pem"):
        line_to("tls:rng.keno.example:7001", keys, tmp_path / "public", "rng")


def test_a_public_folder_that_is_not_there_is_told(tmp_path: Path) -> None:
    settings = Settings(
        "sqlite:///x", tmp_path, tmp_path / "public", "unix:a", "tls:b:1", "", tmp_path
    )
    told = "; ".join(start_faults(settings))
    for words in ("no validation key", "the line to inspector", "public is no folder"):
        assert words in told
