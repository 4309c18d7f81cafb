"""A machine that is lost for good: the lines of `failover.md`, typed to real members of etcd.

And who may speak to them at all: they say which database server may be written to.

Three members on addresses of the loopback, with certificates of their own; each machine is a
folder. What the page has systemd do is done here. That Patroni then copies the database by itself
is its own affair: it does so on every machine that comes with an empty folder, as in the drill.
"""

import os
import re
import shutil
import socket
import ssl
import subprocess
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import mkdtemp

import pytest

from app.certificates import Use, Wanted, issue, make_authority
from app.clock import system_clock
from tests.deploy.conftest import PRODUCT
from tests.deploy.failover_page import ADDRESSES, PASSPHRASE, block_of
from tests.deploy.programs import program
from tests.drill.cluster import filled
from tests.postgres import account, running_as, server_programs

pytestmark = pytest.mark.machine

START_SECONDS = 60.0
LOST = "A machine is lost for good"
# Where members have seen each other for less than five seconds, a line is typed again.
MACHINE = """
set -e
etcdctl() {
    local tries=0
    until command etcdctl "$@" 2> "$SAID"; do
        cat "$SAID" >&2
        grep --quiet 'unhealthy cluster' "$SAID" && [ $((tries += 1)) -lt 20 ] || return 1
        sleep 1
    done
}
"""


@dataclass
class Members:
    """The three of them, and the folders that are their machines."""

    folder: Path
    running: "dict[str, subprocess.Popen[bytes]]" = field(default_factory=dict)

    @property
    def network(self) -> str:
        """Addresses that nobody else here has: another process has another number."""
        return f"127.{64 + os.getpid() // 250 % 64}.{1 + os.getpid() % 250}."

    def placed(self, text: str, node: str) -> str:
        """A text of the page, with this machine's addresses and places."""
        text = text.replace("10.0.0.", self.network)
        return re.sub(r"(?<![\w.])/(etc|var)/", rf"{self.folder / node}/\1/", text)

    def make(self, node: str) -> None:
        """Make a machine as its block on the page does: certificates and the file of etcd."""
        machine = self.folder / node
        certificates = machine / "etc/etcd/keno"
        certificates.mkdir(parents=True)
        (machine / "etc/default").mkdir()
        (machine / "var/lib/etcd").mkdir(parents=True)
        address = self.placed(ADDRESSES[node], node)
        # From wherever it asks, on a loopback it comes from the first address of it.
        wanted = Wanted(f"{node}.keno.example", (address, "127.0.0.1"), (Use.SERVER, Use.CLIENT))
        made = issue(self.folder, PASSPHRASE, wanted, certificates, system_clock())
        made.rename(certificates / "server.pem")
        made.with_suffix(".key").rename(certificates / "server.key")
        shutil.copy(self.folder / "authorities.pem", certificates)
        given = " ".join(re.findall(r"^export (.*)$", block_of(node), re.MULTILINE))
        values = dict(re.findall(r"([A-Z0-9_]+)=(\S+)", self.placed(f" {given}", node)))
        values["CERTIFICATES"] = str(certificates)
        (machine / "etc/default/etcd").write_text(filled("etcd.env", values))

    def start(self, node: str) -> None:
        """Start a member as its unit does, with what stands in the file."""
        machine = self.folder / node
        lines = (machine / "etc/default/etcd").read_text().splitlines()
        settings = dict(line.split("=", 1) for line in lines if line and line[0] != "#")
        with (machine / "log").open("wb") as log:
            self.running[node] = subprocess.Popen(  # noqa: S603  etcd's own program
                [program("etcd", "etcd-server")],
                env={"PATH": os.environ["PATH"], **settings},
                stdout=log,
                stderr=subprocess.STDOUT,
            )

    def lose(self, node: str) -> None:
        """Lose a machine with all that it has."""
        self.stop(node)
        shutil.rmtree(self.folder / node)

    def stop(self, node: str) -> None:
        running = self.running.pop(node)
        running.kill()
        running.wait()

    def said(self, node: str) -> str:
        return (self.folder / node / "log").read_text()

    def type(self, text: str, node: str) -> str:
        """Type lines on a machine; what they ask of systemd is done as they come to it."""
        told = ""
        for part in re.split(r"^(systemctl .*etcd)$", text, flags=re.MULTILINE):
            if part.startswith("systemctl "):
                if node in self.running:
                    self.stop(node)
                if "stop" not in part:
                    self.start(node)
                    self.wait_until_it_says_so(node)
            elif part.strip():
                told += self.run(part, node)
        return told

    def run(self, lines: str, node: str) -> str:
        done = subprocess.run(  # noqa: S603  the page's own lines
            ["/bin/bash", "-c", MACHINE + self.placed(lines, node)],
            env=os.environ | {"SAID": str(self.folder / "said")},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, (lines, done.stdout, done.stderr, self.said(node))
        return done.stdout

    def wait_until_it_says_so(self, node: str) -> None:
        """Wait as `systemctl start` does, until a member can be asked."""
        end = time.monotonic() + START_SECONDS
        while " is healthy" not in self.asked("endpoint health", node):
            assert self.running[node].poll() is None, self.said(node)
            assert time.monotonic() < end, self.said(node)
            time.sleep(0.2)

    def wait_for(self, *nodes: str, at: str) -> None:
        """Wait until just these are members, and each is there."""
        end = time.monotonic() + START_SECONDS
        while True:
            lines = self.asked("member list", at).splitlines()
            found = [line.split(", ")[2] for line in lines if ", started, " in line]
            if sorted(found) == sorted(nodes) and len(lines) == len(nodes):
                healthy = self.asked("endpoint health --cluster", at)
                if healthy.count(" is healthy") == len(nodes):
                    return
            assert time.monotonic() < end, (lines, [self.said(node)[-400:] for node in nodes])
            time.sleep(0.2)

    def asked(self, words: str, at: str) -> str:
        """Ask a member, in the page's own way."""
        exported = [line for line in lines_of(0).splitlines() if line.startswith("export ")]
        here = self.placed(f"https://{ADDRESSES[at]}:2379", at)
        given = "\n".join([*exported, f"export ETCDCTL_ENDPOINTS={here}"])
        return self.run(f"{given}\ncommand etcdctl {words} 2>&1 || true", at)


def lines_of(place: int) -> str:
    """A block of the section, by its place there."""
    page = (PRODUCT / "docs/failover.md").read_text()
    section = page.partition(f"\n## {LOST}\n")[2].partition("\n## ")[0]
    found: list[str] = re.findall(r"^```sh\n(.*?)^```$", section, re.DOTALL | re.MULTILINE)
    assert len(found) == 4
    return found[place]


@pytest.fixture
def members(tmp_path: Path) -> Iterator[Members]:
    """Three members that see each other; the first came later, as where a house had one server."""
    program("etcdctl", "etcd-client")
    make_authority(tmp_path, "Test authority", PASSPHRASE, system_clock())
    members = Members(tmp_path)
    first, *others = ADDRESSES
    try:
        for node in ADDRESSES:
            members.make(node)
        for node in others:
            members.start(node)
        members.wait_until_it_says_so("db2")
        members.start(first)
        members.wait_for(*ADDRESSES, at="db1")
        yield members
    finally:
        for node in list(members.running):
            members.stop(node)


@pytest.mark.rule("X-recovery")
def test_another_machine_takes_the_place_of_one_that_is_lost(members: Members) -> None:
    members.lose("db2")
    # Under the old name an empty one is not let in: that is what the lines are for.
    members.make("db2")
    members.start("db2")
    assert members.running["db2"].wait(START_SECONDS) != 0
    assert "has already been bootstrapped" in members.said("db2")
    members.wait_until_it_says_so("db1")  # the lost one may have led them
    members.type(lines_of(0), "db1")
    members.type(lines_of(1), "db2")
    members.wait_for(*ADDRESSES, at="db2")
    # It stays as it is written, also when it is started again.
    members.type("systemctl restart etcd", "db2")
    members.wait_for(*ADDRESSES, at="db1")


@pytest.mark.rule("X-recovery")
def test_the_last_member_goes_on_alone_and_the_others_are_put_in_again(members: Members) -> None:
    members.lose("db2")
    members.lose("witness")
    assert " is healthy" not in members.asked("endpoint health", "db1")
    members.type(lines_of(3), "db1")
    members.wait_for("db1", at="db1")
    there = ["db1"]
    for node in ("db2", "witness"):
        members.make(node)
        put_in = re.sub(r"\bdb2\b", node, lines_of(0)).replace("10.0.0.22", ADDRESSES[node])
        put_in = re.sub(r"(ENDPOINTS)=\S+", rf"\1=https://{ADDRESSES['db1']}:2379", put_in)
        lines = [line for line in put_in.splitlines() if "member remove" not in line]
        told = members.type("\n".join(lines), "db1")
        # The line that it prints takes the place of the one that is there.
        (printed,) = re.findall(r'^ETCD_INITIAL_CLUSTER="(.*)"$', told, re.MULTILINE)
        file = members.folder / node / "etc/default/etcd"
        named = re.sub(
            r"^(ETCD_INITIAL_CLUSTER)=.*", rf"\1={printed}", file.read_text(), flags=re.MULTILINE
        )
        file.write_text(named)
        members.type(lines_of(1), node)
        there.append(node)
        members.wait_for(*there, at="db1")


@pytest.mark.rule("X-access")
def test_whoever_shows_no_certificate_of_the_house_is_turned_away_by_etcd(
    members: Members, tmp_path: Path
) -> None:
    """At both ports: where members speak to each other, and where Patroni asks."""
    stranger = another_authority(tmp_path)
    ours = tmp_path / "db2/etc/etcd/keno/server.pem"
    for node, address in ADDRESSES.items():
        for port in (2379, 2380):
            line = (members.placed(address, node), port)
            assert answered(line, tmp_path, ours, "/version").startswith("HTTP/1."), line
            for shown in (None, stranger):
                assert answered(line, tmp_path, shown, "/version") == "", line


@pytest.mark.rule("X-access")
def test_patroni_answers_nobody_without_a_certificate(members: Members, tmp_path: Path) -> None:
    """Nor whoever shows one of another authority; with one of the house it says how it stands."""
    stranger = another_authority(tmp_path)
    ours = tmp_path / "db1/etc/etcd/keno/server.pem"
    with patroni_on(members, "db1") as address:
        line = (address, 8008)
        end = time.monotonic() + START_SECONDS
        while not answered(line, tmp_path, ours, "/primary").startswith("HTTP/1.0 200"):
            assert time.monotonic() < end, "Patroni made no server"
            time.sleep(0.2)
        for path in ("/primary", "/patroni", "/config"):
            for shown in (None, stranger):
                assert answered(line, tmp_path, shown, path) == "", path


@contextmanager
def patroni_on(members: Members, node: str) -> Iterator[str]:
    """Run Patroni on a machine, by the file that is shipped; it makes a server. Gives its address.

    In a folder of the server's own account, which may not look into those of the tests.
    """
    command = program("patroni", "patroni", "python3-idna")
    programs = server_programs()
    home = Path(mkdtemp(prefix="keno-patroni-"))
    who = account(home)
    given = " ".join(re.findall(r"^export (.*)$", block_of(node), re.MULTILINE))
    values = dict(re.findall(r"([A-Z0-9_]+)=(\S+)", members.placed(f" {given}", node)))
    places = {"CERTIFICATES": "certificates", "PGDATA": "data", "PGPASS": "pgpass", "SOCKETS": "."}
    values |= {name: str(home / place) for name, place in places.items()}
    network = f"{values['ADDRESS']}/32"
    values |= {"HOUSE_NETWORK": network, "DOMAIN": "keno.example", "WATCHDOG": '"off"'}
    file = filled("patroni.yml", values).replace("/usr/lib/postgresql/15/bin", str(programs))
    try:
        shutil.copytree(members.folder / node / "etc/etcd/keno", home / "certificates")
        (home / "patroni.yml").write_text(file)
        for path in home.rglob("*"):
            shutil.chown(path, who or os.geteuid())
        with (home / "log").open("wb") as log:
            running = subprocess.Popen(  # noqa: S603  Patroni's own program
                [command, str(home / "patroni.yml")],
                stdout=log,
                stderr=subprocess.STDOUT,
                **running_as(who),
            )
        try:
            yield values["ADDRESS"]
        finally:
            running.terminate()  # which stops its server first
            running.wait(START_SECONDS)
    finally:
        shutil.rmtree(home, ignore_errors=True)


def another_authority(folder: Path) -> Path:
    """Make another authority, and return a certificate of it."""
    elsewhere = folder / "elsewhere"
    make_authority(elsewhere, "Another authority", PASSPHRASE, system_clock())
    wanted = Wanted("stranger", (), (Use.CLIENT,))
    return issue(elsewhere, PASSPHRASE, wanted, elsewhere, system_clock())


def answered(line: tuple[str, int], authority: Path, shown: Path | None, path: str) -> str:
    """What is answered to somebody who shows this certificate, or none; nothing, if nothing is."""
    context = ssl.create_default_context(cafile=authority / "authorities.pem")
    if shown is not None:
        context.load_cert_chain(shown, shown.with_suffix(".key"))
    try:
        plain = socket.create_connection(line, timeout=START_SECONDS)
    except ConnectionRefusedError:
        return ""  # it is not there yet
    with closing(plain):
        try:
            with context.wrap_socket(plain, server_hostname=line[0]) as secured:
                secured.sendall(f"GET {path} HTTP/1.0\r\n\r\n".encode())
                return secured.recv(100).decode()
        except (ssl.SSLError, ConnectionError) as refused:
            assert "CERTIFICATE_VERIFY_FAILED" not in str(refused), "it is they who turn away"
            return ""
