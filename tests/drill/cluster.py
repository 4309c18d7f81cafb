"""The databases: two PostgreSQL servers under Patroni, three members of etcd, as in `deploy/`."""

import shutil
import signal
import subprocess
import time
from collections.abc import Callable, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from http import HTTPStatus
from http.client import HTTPException, HTTPSConnection
from ipaddress import ip_address
from pathlib import Path
from ssl import create_default_context
from string import Template

from cryptography import x509
from cryptography.hazmat.primitives.asymmetric.ec import SECP256R1, EllipticCurvePrivateKey
from cryptography.hazmat.primitives.asymmetric.ec import generate_private_key as new_key
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

from tests.drill.machines import Machine, Network, Program

DEPLOY = Path(__file__).parents[2] / "deploy"
ACCOUNT = "postgres"
DOMAIN = "keno.example"
OWNER, ROLE = "keno_owner", "keno_house"  # of deploy/postgresql/roles.sql
START_SECONDS = 90
WHOLE = ("/primary", "/synchronous")


@dataclass
class Node:
    """A database server, and what runs on its machine."""

    machine: Machine
    folder: Path
    etcd: Program
    patroni: Program

    def start(self) -> None:
        """Start what is not running of it."""
        for program in (self.etcd, self.patroni):
            if not program.is_running:
                program.start()

    def postmaster(self) -> int:
        """Return the first process of its server."""
        return int((self.folder / "data" / "postmaster.pid").read_text().split()[0])


@dataclass
class Cluster:
    """All of it."""

    network: Network
    folder: Path
    nodes: dict[str, Node] = field(default_factory=dict)
    witness: Program | None = None

    def make(self) -> None:
        """Bring up etcd and both servers, and make the database of the house."""
        addresses = {"db1": "10.91.0.11", "db2": "10.91.0.12", "witness": "10.91.0.13"}
        machines = [self.network.add(name, address) for name, address in addresses.items()]
        authority = Authority()
        given = {
            "DB1": addresses["db1"],
            "DB2": addresses["db2"],
            "WITNESS": addresses["witness"],
            "HOUSE_NETWORK": "10.91.0.0/24",
            "DOMAIN": DOMAIN,
            "WATCHDOG": '"off"',
        }
        for machine in machines:
            self._set_up(machine, authority, given)
        for role in (OWNER, ROLE):
            (self.folder / role).mkdir()
            authority.issue(role, [], self.folder / role)
        for program in self.members:
            program.start()
        self.nodes["db1"].patroni.start()
        _wait(lambda: self._says(self.nodes["db1"], "/primary"), "no primary came up")
        self._make_database()
        self.nodes["db2"].patroni.start()
        self.wait_until_whole()

    def _set_up(self, machine: Machine, authority: "Authority", given: dict[str, str]) -> None:
        home = self.folder / machine.name
        for part in ("", "certificates", "etcd", "data", "sockets"):
            (home / part).mkdir(mode=0o700)
        places = {
            "NODE": machine.name,
            "ADDRESS": machine.address,
            "ETCD_DATA": str(home / "etcd"),
            "CERTIFICATES": str(home / "certificates"),
            "PGDATA": str(home / "data"),
            "PGPASS": str(home / "pgpass"),
            "SOCKETS": str(home / "sockets"),
        }
        names = [x509.DNSName(machine.name), x509.IPAddress(ip_address(machine.address))]
        authority.issue(f"{machine.name}.{DOMAIN}", names, home / "certificates")
        etcd = filled("etcd.env", given | places)
        settings = dict(
            line.split("=", 1) for line in etcd.splitlines() if line and not line.startswith("#")
        )
        member = Program("etcd", machine, ["etcd"], home, settings, ACCOUNT)
        if machine.name == "witness":
            self.witness = member
        else:
            (home / "patroni.yml").write_text(filled("patroni.yml", given | places))
            command = ["patroni", str(home / "patroni.yml")]
            patroni = Program("patroni", machine, command, home, {}, ACCOUNT)
            self.nodes[machine.name] = Node(machine, home, member, patroni)
        for path in (home, *home.rglob("*")):
            shutil.chown(path, ACCOUNT, ACCOUNT)

    @property
    def members(self) -> list[Program]:
        """The members of etcd."""
        assert self.witness is not None
        return [*(node.etcd for node in self.nodes.values()), self.witness]

    def _make_database(self) -> None:
        """Make the house's roles and database, as the operators' page says."""
        sockets = str(self.nodes["db1"].folder / "sockets")
        words = ["setpriv", "--reuid", ACCOUNT, "--regid", ACCOUNT, "--clear-groups", "psql"]
        words += ["--no-psqlrc", "--quiet", "--set", "ON_ERROR_STOP=1", "-h", sockets]
        roles = (DEPLOY / "postgresql" / "roles.sql").read_text()
        subprocess.run(words, input=roles, text=True, check=True, cwd="/")  # noqa: S603  psql

    def address(self, role: str) -> str:
        """Return the address of the database, as whoever works as a role is told it."""
        hosts = ",".join(node.machine.address for node in self.nodes.values())
        where = f"host={hosts}&port=5432,5432&target_session_attrs=read-write"
        files = self.folder / role
        shown = f"sslcert={files / 'server.pem'}&sslkey={files / 'server.key'}"
        sure = f"sslmode=verify-full&sslrootcert={files / 'authorities.pem'}"
        return f"postgresql+psycopg://{role}@/keno?{where}&{sure}&{shown}"

    @property
    def url(self) -> str:
        """The address of the database, as the processes of the house are told it."""
        return self.address(ROLE)

    def primary(self) -> Node:
        """Return the server that is written to now.

        Raises:
            LookupError: there is none.
        """
        for node in self.nodes.values():
            if self._says(node, "/primary"):
                return node
        raise LookupError("no server can be written to")

    def standby(self) -> Node:
        """Return the other one."""
        primary = self.primary()
        return next(node for node in self.nodes.values() if node is not primary)

    def _says(self, node: Node, what: str) -> bool:
        """Ask Patroni how its server stands: it says yes with 200."""
        files = node.folder / "certificates"
        trust = create_default_context(cafile=str(files / "authorities.pem"))
        trust.load_cert_chain(files / "server.pem", files / "server.key")
        line = HTTPSConnection(node.machine.address, 8008, timeout=3, context=trust)
        with closing(line), suppress(OSError, HTTPException):
            line.request("GET", what)
            return line.getresponse().status == HTTPStatus.OK
        return False

    def is_whole(self) -> bool:
        """Whether there is a primary, with a standby that has everything it answers for."""
        return all(any(self._says(node, what) for node in self.nodes.values()) for what in WHOLE)

    def wait_until_whole(self) -> None:
        """Wait for that."""
        _wait(self.is_whole, "the standby did not catch up")

    def freeze(self, node: Node) -> None:
        """Freeze everything on a server's machine."""
        node.machine.signal(signal.SIGSTOP)

    def thaw(self, node: Node) -> None:
        """Let it go on."""
        node.machine.signal(signal.SIGCONT)


class Authority:
    """The house's own authority, which gives each machine a certificate."""

    def __init__(self) -> None:
        self._key = new_key(SECP256R1())
        name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "Drill House")])
        self.certificate = _certificate(name, self._key, name, self._key, [], is_authority=True)

    def issue(self, who: str, names: Sequence[x509.GeneralName], folder: Path) -> None:
        """Give a machine or a role its certificate and key."""
        key = new_key(SECP256R1())
        name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, who)])
        issued = _certificate(name, key, self.certificate.subject, self._key, names)
        private = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
        (folder / "authorities.pem").write_bytes(self.certificate.public_bytes(Encoding.PEM))
        (folder / "server.pem").write_bytes(issued.public_bytes(Encoding.PEM))
        (folder / "server.key").touch(mode=0o600)
        (folder / "server.key").write_bytes(private)


def _certificate(
    name: x509.Name,
    key: EllipticCurvePrivateKey,
    issuer: x509.Name,
    issuer_key: EllipticCurvePrivateKey,
    names: Sequence[x509.GeneralName],
    *,
    is_authority: bool = False,
) -> x509.Certificate:
    now = datetime.now(UTC)
    builder = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(issuer)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(hours=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(x509.BasicConstraints(ca=is_authority, path_length=None), critical=True)
    )
    if names:
        builder = builder.add_extension(x509.SubjectAlternativeName(names), critical=False)
    return builder.sign(issuer_key, SHA256())


def filled(template: str, values: dict[str, str]) -> str:
    """Return a file of `deploy/` with its places filled in; one without a value is a fault."""
    return Template((DEPLOY / template).read_text()).substitute(values)


def _wait(happened: Callable[[], bool], otherwise: str) -> None:
    end = time.monotonic() + START_SECONDS
    while True:
        if happened():
            return
        if time.monotonic() > end:
            raise RuntimeError(otherwise)
        time.sleep(0.2)
