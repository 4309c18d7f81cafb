"""The house's own authority: what it issues, what others make of it, how it is exchanged."""

import json
import ssl
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from app import certificates
from app.certificates import (
    NotIssued,
    Use,
    Wanted,
    ending_soon,
    issue,
    look_at,
    make_authority,
    read_wanted,
    retire_authorities,
)
from app.cli import main
from tests.house_commands import Typed

NOW = datetime.now(UTC)
PASSPHRASE = "the authority is put away"  # noqa: S105  a test's own
DATABASE = Wanted("db1.keno.example", ("10.0.0.5",), (Use.SERVER,))
HOUSE = Wanted("keno_house", (), (Use.CLIENT,))


@pytest.fixture
def authority(tmp_path: Path) -> Path:
    make_authority(tmp_path / "authority", "Test authority", PASSPHRASE, NOW)
    return tmp_path / "authority"


def server(place: Path, authority: Path) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(place, place.with_suffix(".key"))
    context.verify_mode = ssl.CERT_REQUIRED
    context.load_verify_locations(authority / "authorities.pem")
    return context


def client(place: Path, authority: Path) -> ssl.SSLContext:
    context = ssl.create_default_context(cafile=authority / "authorities.pem")
    context.load_cert_chain(place, place.with_suffix(".key"))
    return context


def meet(one: ssl.SSLContext, other: ssl.SSLContext, name: str) -> str:
    """Have two sides meet, in memory; return who the server is told that it talks to."""
    first, second = ssl.MemoryBIO(), ssl.MemoryBIO()
    listening = one.wrap_bio(first, second, server_side=True)
    calling = other.wrap_bio(second, first, server_hostname=name)
    waiting = [calling, listening]
    while waiting:
        each = waiting.pop(0)
        try:
            each.do_handshake()
        except ssl.SSLWantReadError:
            waiting.append(each)
    shown = listening.getpeercert() or {}
    return str(dict(part[0] for part in shown["subject"])["commonName"])  # type: ignore[misc]


@pytest.mark.rule("X-access")
def test_both_sides_are_known_by_name_and_a_wrong_one_is_not(
    authority: Path, tmp_path: Path
) -> None:
    database = issue(authority, PASSPHRASE, DATABASE, tmp_path, NOW)
    house = issue(authority, PASSPHRASE, HOUSE, tmp_path, NOW)
    sides = server(database, authority), client(house, authority)
    assert meet(*sides, "db1.keno.example") == "keno_house"
    assert meet(*sides, "10.0.0.5") == "keno_house"
    for name in ("db2.keno.example", "10.0.0.6"):
        with pytest.raises(ssl.SSLCertVerificationError):
            meet(*sides, name)
    with pytest.raises(ssl.SSLError):  # what is for calling is not for listening
        meet(server(house, authority), client(house, authority), "keno_house")
    make_authority(tmp_path / "stranger", "Stranger", PASSPHRASE, NOW)
    other = issue(tmp_path / "stranger", PASSPHRASE, HOUSE, tmp_path / "out", NOW)
    with pytest.raises(ssl.SSLError):
        meet(server(database, authority), client(other, authority), "db1.keno.example")


@pytest.mark.rule("X-access")
def test_keys_are_their_owners_alone_and_the_authoritys_is_under_its_passphrase(
    authority: Path, tmp_path: Path
) -> None:
    database = issue(authority, PASSPHRASE, DATABASE, tmp_path, NOW)
    for key in (authority / "authority-1.key", database.with_suffix(".key")):
        assert key.stat().st_mode & 0o777 == 0o600
    assert "ENCRYPTED" in (authority / "authority-1.key").read_text()
    with pytest.raises(NotIssued, match="cannot be opened"):
        issue(authority, "another passphrase", DATABASE, tmp_path, NOW)
    with pytest.raises(NotIssued, match="at least 12"):
        make_authority(tmp_path / "weak", "Weak", "short", NOW)


@pytest.mark.parametrize(
    ("wanted", "words"),
    [
        (Wanted("../db1", (), (Use.SERVER,)), "no name of a machine"),
        (Wanted("db1", ("*.example",), (Use.SERVER,)), "no name of a machine"),
        (Wanted("db1", (), ()), "say what it is for"),
    ],
)
def test_what_cannot_be_said_is_not_issued(
    authority: Path, tmp_path: Path, wanted: Wanted, words: str
) -> None:
    with pytest.raises(NotIssued, match=words):
        issue(authority, PASSPHRASE, wanted, tmp_path, NOW)
    with pytest.raises(NotIssued, match="has no authority"):
        issue(tmp_path / "nowhere", PASSPHRASE, DATABASE, tmp_path, NOW)


@pytest.mark.rule("X-recovery")
def test_an_authority_is_exchanged_and_everything_holds_at_every_step(
    authority: Path, tmp_path: Path
) -> None:
    issued = [issue(authority, PASSPHRASE, each, tmp_path, NOW) for each in (DATABASE, HOUSE)]

    def holds() -> None:
        database, house = issued
        assert meet(server(database, authority), client(house, authority), DATABASE.name)

    make_authority(authority, "Test authority", "another long passphrase", NOW)
    holds()  # old certificates, both authorities
    for place in issued:
        issue(authority, "another long passphrase", read_wanted(place), tmp_path, NOW)
        holds()  # the first renewed, the second not
    assert retire_authorities(authority) == ["authority-1.pem"]
    holds()
    with pytest.raises(NotIssued, match="no older"):
        retire_authorities(authority)


def test_a_renewed_certificate_says_the_same(authority: Path, tmp_path: Path) -> None:
    both = Wanted("web1.keno.example", ("web1", "10.0.0.11"), (Use.SERVER, Use.CLIENT))
    place = issue(authority, PASSPHRASE, both, tmp_path, NOW)
    assert read_wanted(place) == both
    with pytest.raises(NotIssued):
        read_wanted(authority / "authority-1.key")


def test_what_ends_soon_is_told(authority: Path, tmp_path: Path) -> None:
    issue(authority, PASSPHRASE, DATABASE, tmp_path / "out", NOW)
    (tmp_path / "out" / "office.pem").write_text("-----BEGIN PUBLIC KEY-----\n")  # has no end
    held = look_at([tmp_path / "out", authority / "authorities.pem"])
    assert [each.name for each in held] == ["db1.keno.example", "Test authority 1"]
    assert ending_soon(held, NOW) == []
    (ending,) = ending_soon(held, NOW + timedelta(days=certificates.DAYS - 10))
    assert ending.name == "db1.keno.example"
    with pytest.raises(NotIssued):
        look_at([tmp_path / "nothing.pem"])


def keno(*arguments: str) -> int:
    return main(["certificates", *arguments, "--json"])


@pytest.mark.rule("X-access")
def test_the_commands(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    authority, out = ["--dir", str(tmp_path / "authority")], tmp_path / "out"
    monkeypatch.setattr("sys.stdin", Typed([PASSPHRASE] * 5 + ["wrong"] * 2))
    assert keno("issue", "db1", "--for", "server", "--out", str(out), *authority) == 2
    assert keno("authority", *authority) == 0
    assert keno("issue", "db1", "--for", "server", "--out", str(out), *authority) == 0
    first = (out / "db1.pem").read_bytes()
    assert keno("renew", str(out / "db1.pem"), *authority) == 0
    assert (out / "db1.pem").read_bytes() != first
    assert keno("authority", "--retire", *authority) == 2
    assert keno("authority", *authority) == 0
    assert keno("authority", "--retire", *authority) == 0
    assert keno("renew", str(out / "db1.pem"), *authority) == 2  # not the passphrase
    assert keno("renew", str(out / "nothing.pem"), *authority) == 2
    assert keno("authority", *authority) == 2  # too short
    capsys.readouterr()
    assert keno("show", str(out)) == 0
    (shown,) = json.loads(capsys.readouterr().out)["certificates"]
    assert shown["names"] == ["db1"]
    assert keno("show", "--days", "400", str(out)) == 1
    assert keno("show", str(tmp_path / "nothing")) == 2


def test_a_file_that_cannot_be_written_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.stdin", Typed(["the authority is put away"]))
    folder = tmp_path / "file" / "authority"
    folder.parent.touch()
    assert main(["certificates", "authority", "--dir", str(folder), "--name", "House"]) == 2
    assert capsys.readouterr().err == f"keno: {folder}: Not a directory\n"


@pytest.mark.rule("X-recovery")
def test_the_offices_own_certificate_is_made_and_exchanged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    keys, public = tmp_path / "keys", tmp_path / "public"
    public.mkdir()
    monkeypatch.setenv("KENO_KEYS", str(keys))
    monkeypatch.setenv("KENO_PUBLIC", str(public))
    assert main(["house", "keys"]) == 0
    first = (keys / "tls.pem").read_bytes()
    assert keno("office", "change") == 2  # there is no next one
    assert keno("office", "renew") == 0
    assert keno("office", "renew") == 2  # it is not shown yet
    assert (keys / "tls.pem").read_bytes() == first
    assert keno("office", "change") == 0
    assert (keys / "tls.pem").read_bytes() == (public / "office.tls.pem").read_bytes() != first
    for name in ("tls.pem", "tls.key"):
        (keys / name).unlink()
    capsys.readouterr()
    assert keno("office", "renew") == 0  # of a house that had none
    assert (public / "office-2.tls.pem").read_bytes() == (keys / "tls.pem").read_bytes()
