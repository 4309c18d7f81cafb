"""Where a printer may be: the list of the machine, whatever the database says."""

import os
import socket
from contextlib import nullcontext
from pathlib import Path

import pytest

from printers.allowed import NOWHERE, Allowed, NotAllowed
from printers.devices import Cups, File, Network, Serial, Unreachable, Usb, device_at
from tests.printing import PRINTING

pytestmark = pytest.mark.rule("X-printer-place")

EVERYWHERE = Allowed.of(["0.0.0.0/0", "::/0"], ["/"])
BOOTH = Allowed.of(
    ["10.0.0.0/24", "fd12::/64"], ["/dev/usb/lp*", "/dev/ttyS0", "/srv/", "cups:booth"]
)


@pytest.mark.parametrize(
    "address",
    [
        "tcp:10.0.0.9",
        "tcp:10.0.0.255:9100",
        "usb:/dev/usb/lp0",
        "usb:/dev/usb/lp12",
        "serial:/dev/ttyS0:9600:xoff",
        "file:/srv/paper/roll.bin",
        "cups:booth",
    ],
)
def test_what_is_listed_is_allowed(address: str) -> None:
    BOOTH.check(address)
    with pytest.raises(NotAllowed):
        NOWHERE.check(address)


@pytest.mark.parametrize(
    "address",
    [
        "tcp:10.0.1.9",
        "tcp:127.0.0.1",
        "tcp:2130706433",  # as some write 127.0.0.1
        "usb:/dev/usb/hiddev0",
        "usb:/dev/usb/lp0/../../sda",
        "usb:/dev/usb/lp/0",
        "serial:/dev/ttyS1",
        "file:/srv",
        "file:/srv/../etc/passwd",
        "file:/dev/ttyS0x",
        "cups:bar",
    ],
)
def test_what_is_not_listed_is_refused(address: str) -> None:
    with pytest.raises(NotAllowed):
        BOOTH.check(address)


@pytest.mark.parametrize(
    "address",
    [
        "tcp:169.254.169.254:80",
        "tcp:169.254.1.1",
        "tcp:100.100.100.200",
        "tcp:0.0.0.0",
        "tcp:224.0.0.1",
        "tcp:255.255.255.255",
        "file:/proc/self/mem",
        "file:/sys/power/state",
        "usb:/dev/mem",
        "usb:/proc",
        "file:/dev/fd/1",  # which leads into /proc
    ],
)
def test_what_no_printer_can_be_is_refused_whatever_is_listed(address: str) -> None:
    with pytest.raises(NotAllowed):
        EVERYWHERE.check(address)


@pytest.mark.parametrize(
    "answers",
    [
        ["169.254.169.254"],
        ["fe80::1"],
        ["fd00:ec2::254"],
        ["ff02::1"],
        ["::ffff:169.254.169.254"],
        ["10.0.0.9", "192.168.0.9"],  # one of them is elsewhere
        [],
    ],
)
def test_a_name_that_leads_elsewhere_is_refused(
    monkeypatch: pytest.MonkeyPatch, answers: list[str]
) -> None:
    resolve(monkeypatch, answers)
    with pytest.raises(NotAllowed):
        (BOOTH if "10.0.0.9" in answers else EVERYWHERE).check("tcp:booth.lan")


def test_the_address_that_was_checked_is_the_one_that_is_connected_to(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A name server that answers the second question otherwise is not asked a second time."""
    asked = resolve(monkeypatch, ["10.0.0.9", "10.0.0.10"], ["169.254.169.254"])
    connected: list[object] = []

    def connect(place: tuple[str, int], _seconds: float) -> socket.socket:
        connected.append(place)
        raise OSError

    monkeypatch.setattr(socket, "create_connection", connect)
    line = device_at("tcp:booth.lan:9101", BOOTH).connected()
    with pytest.raises(Unreachable, match="cannot be reached"), line:
        pass
    assert (asked, connected) == (["booth.lan"], [("10.0.0.9", 9101), ("10.0.0.10", 9101)])


def resolve(monkeypatch: pytest.MonkeyPatch, *answers: list[str]) -> list[str]:
    """A name server that gives these answers, one after the other; what it was asked."""
    asked: list[str] = []

    def answer(host: str, port: int, **_: object) -> list[object]:
        asked.append(host)
        found = answers[min(len(asked), len(answers)) - 1]
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (each, port)) for each in found]

    monkeypatch.setattr(socket, "getaddrinfo", answer)
    return asked


def test_what_is_not_listed_is_not_opened(monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[object] = []
    monkeypatch.setattr(os, "open", lambda path, *_: opened.append(path))
    monkeypatch.setattr(socket, "create_connection", lambda place, *_: opened.append(place))
    for device in (
        Usb(Path("/nowhere/lp0"), allowed=BOOTH),
        File(Path("/nowhere/roll"), allowed=BOOTH),
        Serial("/nowhere/tty", allowed=BOOTH),
        Cups("bar", allowed=BOOTH),
        Network("192.168.0.9", allowed=BOOTH),
        Network("10.0.0.9"),  # nothing is allowed that is not said
    ):
        with pytest.raises(Unreachable, match="not on the list"), device.connected():
            pass
    assert opened == []


def test_usb_is_a_character_device_and_a_link_leads_nowhere_else(tmp_path: Path) -> None:
    plain, link = tmp_path / "plain", tmp_path / "link"
    plain.touch()
    for path in (plain, Path("/dev/null")):
        wanted = (
            nullcontext() if path != plain else pytest.raises(Unreachable, match="not the device")
        )
        with wanted, Usb(path, allowed=PRINTING).connected():
            pass
    link.symlink_to("/etc/hostname")
    inside = Allowed.of([], [f"{tmp_path}/"])
    for device in (Usb(link, allowed=inside), File(link, allowed=inside)):
        with pytest.raises(Unreachable, match="not on the list"), device.connected():
            pass
