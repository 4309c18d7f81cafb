"""Lines between machines: who is accepted, how certificates are exchanged, what is checked first.

None of it needs a process; `test_server` has both over TLS, and an exchange while they run.
"""

import os
import ssl
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from rng.cli import main
from rng.serve import tls
from rng.serve.places import Asked, BadPlaces, read_places
from rng.serve.tls import (
    Credentials,
    Following,
    NotChanged,
    NotPrivate,
    Peers,
    accept,
    change,
    check_private,
    ending_soon,
    fingerprint,
    forget,
    make_tls,
    publish,
    renew,
    shown,
)

NOW = datetime(2026, 11, 17, 12, tzinfo=UTC)


@pytest.fixture
def public(tmp_path: Path) -> Path:
    folder = tmp_path / "public"
    folder.mkdir()
    return folder


def side(root: Path, name: str, public: Path) -> Path:
    """A side of the line, as the ceremony leaves it."""
    folder = root / name
    (folder / "peers").mkdir(parents=True, mode=0o700)
    publish(public, name, make_tls(folder, name))
    return folder


def peers_of(folder: Path) -> Peers:
    return Peers(folder / "peers")


def handshake(server: Credentials, client: Credentials) -> tuple[bytes | None, bytes | None]:
    """Have two sides meet, in memory; return the certificate that each was shown."""
    return meet(server.context(server=True), client.context(server=False))


def meet(one: ssl.SSLContext, other: ssl.SSLContext) -> tuple[bytes | None, bytes | None]:
    first, second = ssl.MemoryBIO(), ssl.MemoryBIO()
    listening = one.wrap_bio(first, second, server_side=True)
    calling = other.wrap_bio(second, first)
    waiting = [calling, listening]
    while waiting:
        each = waiting.pop(0)
        try:
            each.do_handshake()
        except ssl.SSLWantReadError:
            waiting.append(each)
    return listening.getpeercert(binary_form=True), calling.getpeercert(binary_form=True)


def speaks(folder: Path) -> Credentials:
    return Credentials(folder / "tls.pem", folder / "tls.key", peers_of(folder))


@pytest.fixture
def both(tmp_path: Path, public: Path) -> tuple[Path, Path]:
    """The generator and the inspector, each with what the other has handed over."""
    sides = side(tmp_path, "rng", public), side(tmp_path, "inspector", public)
    for folder in sides:
        accept(peers_of(folder), public, folder.name)
    return sides


@pytest.mark.rule("15.5(a)-dual-key", "X-access")
def test_each_side_knows_the_other_by_what_was_handed_over(both: tuple[Path, Path]) -> None:
    rng, inspector = both
    of_rng, of_inspector = handshake(speaks(inspector), speaks(rng))
    assert peers_of(inspector).name_of(of_rng) == "rng"
    assert peers_of(rng).name_of(of_inspector) == "inspector"
    assert peers_of(rng).name_of(of_rng) is None  # nobody is his own peer
    assert Peers(inspector / "peers", ("office",)).name_of(of_rng) is None  # and no other's


@pytest.mark.rule("X-access")
def test_a_certificate_that_was_not_handed_over_is_turned_away(
    both: tuple[Path, Path], tmp_path: Path
) -> None:
    _, inspector = both
    stranger = tmp_path / "stranger"
    (stranger / "peers").mkdir(parents=True)
    make_tls(stranger, "rng")
    (stranger / "peers" / "inspector.pem").write_bytes((inspector / "tls.pem").read_bytes())
    with pytest.raises(ssl.SSLError):
        handshake(speaks(inspector), speaks(stranger))


@pytest.mark.rule("X-access")
def test_nothing_older_than_the_newest_tls_is_spoken(both: tuple[Path, Path]) -> None:
    rng, inspector = both
    for folder in both:
        for server in (True, False):
            context = speaks(folder).context(server=server)
            assert context.minimum_version is ssl.TLSVersion.TLSv1_3
            assert context.verify_mode is ssl.CERT_REQUIRED
    old = speaks(rng).context(server=False)
    old.minimum_version = ssl.TLSVersion.TLSv1_2
    old.maximum_version = ssl.TLSVersion.TLSv1_2
    with pytest.raises(ssl.SSLError):
        meet(speaks(inspector).context(server=True), old)


@pytest.mark.rule("X-recovery")
def test_a_certificate_is_exchanged_and_the_line_holds_at_every_step(
    both: tuple[Path, Path], public: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng, inspector = both
    listening = Following(speaks(inspector))

    def holds() -> bytes | None:
        listening.follow()
        of_rng, _ = meet(listening.context, speaks(rng).context(server=False))
        assert peers_of(inspector).name_of(of_rng) == "rng"
        return of_rng

    before = holds()
    renew(rng, "rng", public)
    assert holds() == before
    assert accept(peers_of(inspector), public, "inspector") == [inspector / "peers" / "rng-2.pem"]
    assert accept(peers_of(inspector), public, "inspector") == []  # nothing is taken twice
    assert holds() == before
    change(rng)
    after = holds()
    assert after != before
    monkeypatch.setattr(tls, "_made", made_in_the_order_of_their_numbers)
    assert forget(peers_of(inspector), "rng") == [inspector / "peers" / "rng.pem"]
    assert holds() == after
    assert peers_of(inspector).name_of(before) is None


def made_in_the_order_of_their_numbers(path: Path) -> datetime:
    """They were made within one second, which is as fine as a certificate says it."""
    return NOW + timedelta(days=len(path.name))


def test_the_newest_is_the_one_that_stays(both: tuple[Path, Path], public: Path) -> None:
    _, inspector = both
    later = datetime.now(UTC) + timedelta(days=400)
    newer = make_tls(public, "x", ("x.pem", "x.key"), lambda: later)
    place = inspector / "peers" / "rng-2.pem"
    place.write_bytes(newer)
    assert forget(peers_of(inspector), "rng") == [inspector / "peers" / "rng.pem"]
    with pytest.raises(NotChanged, match="no other"):
        forget(peers_of(inspector), "rng")
    assert peers_of(inspector).files() == {place: "rng"}


@pytest.mark.rule("X-recovery")
def test_a_change_that_was_cut_off_in_the_middle_is_finished_when_it_is_asked_for_again(
    both: tuple[Path, Path], public: Path
) -> None:
    rng, inspector = both
    with pytest.raises(NotChanged, match="make one first"):
        change(rng)
    renew(rng, "rng", public)
    with pytest.raises(NotChanged, match="already"):
        renew(rng, "rng", public)
    accept(peers_of(inspector), public, "inspector")
    (rng / "tls-next.key").replace(rng / "tls.key")  # and then the power went
    with pytest.raises(ssl.SSLError):
        speaks(rng).context(server=False)  # key and certificate do not fit
    change(rng)
    of_rng, _ = handshake(speaks(inspector), speaks(rng))
    assert peers_of(inspector).name_of(of_rng) == "rng"


@pytest.mark.rule("X-recovery")
def test_a_process_that_listens_goes_on_with_what_it_has_while_files_are_not_in_order(
    both: tuple[Path, Path], caplog: pytest.LogCaptureFixture
) -> None:
    rng, inspector = both
    listening = Following(speaks(inspector))
    kept = (inspector / "tls.key").read_bytes()
    (inspector / "tls.key").unlink()
    (inspector / "peers" / "office.pem").write_text("not a certificate")
    listening.follow()
    assert caplog.messages == ["certificates.not_used"]
    of_rng, _ = meet(listening.context, speaks(rng).context(server=False))
    assert peers_of(inspector).name_of(of_rng) == "rng"
    (inspector / "tls.key").write_bytes(kept)
    (inspector / "tls.key").chmod(0o600)
    (inspector / "peers" / "office.pem").unlink()
    listening.follow()
    assert meet(listening.context, speaks(rng).context(server=False))[0] == of_rng


def test_certificates_are_shown_with_their_prints_and_told_when_they_end_soon(
    both: tuple[Path, Path],
) -> None:
    _, inspector = both
    (held,) = shown(peers_of(inspector).files())
    assert held.name == "rng"
    assert held.fingerprint == fingerprint((both[0] / "tls.pem").read_bytes())
    assert len(held.fingerprint.split(":")) == 32
    now = datetime.now(UTC)
    assert ending_soon([held], now) == []
    assert ending_soon([held], now + timedelta(days=3600)) == [held]


def test_the_commands_exchange_a_certificate(
    both: tuple[Path, Path], public: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rng, inspector = (str(folder) for folder in both)
    folder = ["--public", str(public)]
    assert main("rng", ["certificates", "renew", "--dir", rng, *folder]) == 0
    assert main("rng", ["certificates", "renew", "--dir", rng, *folder]) == 2
    assert main("inspector", ["certificates", "accept", "--dir", inspector, *folder]) == 0
    assert main("inspector", ["certificates", "accept", "--dir", inspector, *folder]) == 0
    assert main("rng", ["certificates", "change", "--dir", rng]) == 0
    assert main("rng", ["certificates", "change", "--dir", rng]) == 2
    assert main("inspector", ["certificates", "forget", "rng", "--dir", inspector]) == 0
    assert main("inspector", ["certificates", "forget", "rng", "--dir", inspector]) == 2
    capsys.readouterr()
    assert main("inspector", ["certificates", "show", "--dir", inspector]) == 0
    assert "3649 days" in capsys.readouterr().out


# ---- what a process is started with --------------------------------------------------------------


@pytest.mark.rule("X-access")
@pytest.mark.parametrize("mode", [0o640, 0o604, 0o660, 0o602])
def test_a_secret_that_others_may_read_or_change_is_refused(tmp_path: Path, mode: int) -> None:
    secret = tmp_path / "keys.json"
    secret.write_text("{}")
    secret.chmod(0o600)
    check_private(secret)
    secret.chmod(mode)
    with pytest.raises(NotPrivate, match="chmod 600"):
        check_private(secret)


@pytest.mark.rule("X-access")
def test_a_secret_of_another_user_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    secret = tmp_path / "keys.json"
    secret.touch(mode=0o600)
    monkeypatch.setattr(os, "geteuid", lambda: secret.stat().st_uid + 1)
    with pytest.raises(NotPrivate, match="another user"):
        check_private(secret)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with what the ceremony makes, as far as a start looks at it."""
    place = tmp_path / "rng"
    place.mkdir(mode=0o700)
    for name in ("journal.jsonl", "keys.json"):
        (place / name).touch(mode=0o600)
    return place


def asked(folder: Path, role: str = "rng", **given: str) -> Asked:
    printer = "file:paper.txt" if role == "rng" else ""
    inspector = "unix:i.sock" if role == "rng" else ""
    said = {"listen": "", "inspector": inspector, "printer": printer} | given
    return Asked(role, folder, None, said["listen"], said["inspector"], said["printer"])


def test_what_is_in_order_is_read(folder: Path) -> None:
    places = read_places(asked(folder))
    assert places.socket == folder / "service.sock"
    assert places.listen is None
    assert places.inspector is not None
    assert places.inspector.path == "i.sock"
    assert read_places(asked(folder, "inspector")).printer is None


@pytest.mark.rule("X-access")
def test_everything_that_is_wrong_is_told_at_once(folder: Path) -> None:
    (folder / "keys.json").chmod(0o644)
    (folder / "journal.jsonl").unlink()
    folder.chmod(0o770)
    with pytest.raises(BadPlaces) as bad:
        read_places(asked(folder, listen="tls:here", inspector="tls:there:7", printer="paper"))
    told = str(bad.value)
    for words in (
        "journal.jsonl is missing; only the key ceremony",
        "keys.json can be read by others",
        "can be changed by others; chmod 700",
        "--listen: 'tls:here' is no address",
        "--printer: 'paper' names no printer",
        "tls.pem is missing",
        "tls.key is missing",
        "no certificate of inspector",
    ):
        assert words in told
    folder.chmod(0o700)


@pytest.mark.parametrize(
    ("role", "given", "words"),
    [
        ("rng", {"inspector": "", "printer": ""}, "--inspector is missing; --printer is missing"),
        ("rng", {"listen": "unix:here"}, "named with --socket"),
        ("inspector", {"listen": "tls:h:1"}, "no certificate of office"),
        ("inspector", {"listen": "tls:h:1"}, "no certificate of rng"),
    ],
)
def test_an_address_that_cannot_be_used_is_told(
    folder: Path, role: str, given: dict[str, str], words: str
) -> None:
    with pytest.raises(BadPlaces, match=words):
        read_places(asked(folder, role, **given))


@pytest.mark.rule("X-access")
def test_a_folder_of_another_user_is_refused(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: folder.stat().st_uid + 1)
    with pytest.raises(BadPlaces, match=f"{folder} belongs to another user"):
        read_places(asked(folder))
