"""Several PostgreSQL servers, on machines of their own: spoken to over TLS, the one that writes."""

import re
import shutil
import subprocess
import tomllib
from collections.abc import Iterator
from contextlib import ExitStack, closing
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from tempfile import mkdtemp

import pytest
from sqlalchemy import text

from app.certificates import Use, Wanted, issue, make_authority
from app.cli.house import read_plan
from app.entropy import system_entropy
from app.flow.found_house import found_house
from app.flow.keys import Keys, make_keys, read_keys
from app.flow.office import Office
from app.settings import read_settings
from app.store import schema
from app.store.copies import CannotCopy, copy_out, scratch_database
from app.store.database import Database
from app.store.schema import Away
from tests.house_commands import PLAN
from tests.ports import free_port
from tests.postgres import Server, account, server_programs

PASSPHRASE = "the authority of a test"  # noqa: S105  a test's own
INSTALLED = Path(__file__).parents[2] / "deploy" / "postgresql"


@dataclass
class Pair:
    """Two servers with a certificate each, and what a house has of them."""

    first: Server
    second: Server
    keys: Path

    def url(self, role: str = "keno_house", **changed: str) -> str:
        said = {
            "host": "localhost,localhost",
            "port": f"{self.first.port},{self.second.port}",
            "target_session_attrs": "read-write",
            "sslmode": "verify-full",
            "sslrootcert": str(self.keys / "authorities.pem"),
            "sslcert": str(self.keys / f"{role}.pem"),
            "sslkey": str(self.keys / f"{role}.key"),
        } | changed
        query = "&".join(f"{name}={value}" for name, value in said.items() if value)
        url = f"postgresql+psycopg://{role}@/keno?{query}"
        return read_settings({"KENO_DATABASE": url}).database  # which accepts it


def installed_settings() -> dict[str, str]:
    """The settings that the installation gives a server."""
    lines = re.findall(
        r"^(\w+) = '?([^'\n]*)'?$", (INSTALLED / "keno.conf").read_text(), re.MULTILINE
    )
    assert len(lines) > 10
    return dict(lines)


def installed_hba() -> str:
    """Whom the installation lets in, from this machine; and the test itself, by the socket."""
    text = (INSTALLED / "pg_hba.conf").read_text()
    assert "host " not in text  # which would be in the open too
    return f"local all keno trust\n{text.replace('10.0.0.0/24', '127.0.0.1/32')}"


def make_roles(server: Server) -> None:
    """Make the database and the roles of a house, as the page for installing says."""
    before, after = (INSTALLED / "roles.sql").read_text().split("\\connect keno\n")
    for script, name in ((before, "postgres"), (after, "keno")):
        with closing(server.connect(name)) as console:
            console.execute("SET default_transaction_read_only = off")
            for statement in script.split(";\n"):
                if statement.strip():
                    console.execute(statement.encode())


@pytest.fixture(scope="module")
def pair() -> Iterator[Pair]:
    """Two servers: nothing can be written on the first one, as on a standby."""
    root, now = Path(mkdtemp(prefix="keno-pair-")), datetime.now(UTC)
    root.chmod(0o755)
    make_authority(root / "authority", "Test authority", PASSPHRASE, now)
    make_authority(root / "stranger", "Stranger", PASSPHRASE, now)
    of_server = Wanted("localhost", (), (Use.SERVER,))
    for name in ("keno_house", "keno_owner", "keno_check"):
        of_house = Wanted(name, (), (Use.CLIENT,))
        issue(root / "authority", PASSPHRASE, of_house, root / "keys", now)
    shutil.copy(root / "authority" / "authorities.pem", root / "keys")
    shutil.copy(root / "stranger" / "authorities.pem", root / "keys" / "stranger.pem")
    servers: list[Server] = []
    with ExitStack() as stack:
        stack.callback(shutil.rmtree, root, ignore_errors=True)
        for name in ("first", "second"):
            folder = root / name
            folder.mkdir()
            user = account(folder)
            server = Server(server_programs(), folder, user, free_port())
            if servers:
                copied = ["cp", "-a", str(servers[0].folder / "data"), str(folder)]
                subprocess.run(copied, check=True)  # noqa: S603  of one that was just made
            else:
                server.make()
            certificate = issue(root / "authority", PASSPHRASE, of_server, folder / "tls", now)
            shutil.copy(root / "keys" / "authorities.pem", folder / "tls")
            if user is not None:
                for path in (folder / "tls", *(folder / "tls").iterdir()):
                    shutil.chown(path, user)
            (folder / "data" / "pg_hba.conf").write_text(installed_hba())
            server.further = installed_settings() | {
                "listen_addresses": "localhost",
                "max_connections": "50",
                "ssl_cert_file": str(certificate),
                "ssl_key_file": str(certificate.with_suffix(".key")),
                "ssl_ca_file": str(folder / "tls" / "authorities.pem"),
                "default_transaction_read_only": "on" if name == "first" else "off",
            }
            servers.append(server)
        for server in servers:
            server.start()
            stack.callback(server.stop)
            make_roles(server)
        yield Pair(servers[0], servers[1], root / "keys")


def asked(database: Database, question: str) -> object:
    with database.reading() as connection:
        return connection.execute(text(question)).scalar_one()


@pytest.mark.rule("X-access")
@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"sslrootcert": "stranger"}, "certificate verify failed"),
        ({"host": "127.0.0.1,127.0.0.1"}, "does not match host name"),
        ({"sslcert": "", "sslkey": ""}, "requires a valid client certificate"),
        ({"sslmode": "disable"}, "no pg_hba.conf entry|SSL off"),
    ],
)
def test_whoever_cannot_be_sure_of_the_other_side_does_not_speak_to_it(
    pair: Pair, changed: dict[str, str], words: str
) -> None:
    if "sslrootcert" in changed:
        changed = {"sslrootcert": str(pair.keys / "stranger.pem")}
    with closing(Database(pair.url(**changed))) as database, pytest.raises(Away, match=words):
        asked(database, "SELECT 1")


@pytest.mark.rule("X-access")
def test_the_house_works_under_a_role_that_lifts_no_guard(pair: Pair, tmp_path: Path) -> None:
    with closing(Database(pair.url("keno_owner"))) as owned:
        schema.upgrade(owned)
    with closing(Database(pair.url())) as database:
        office = Office(database, found_keys(tmp_path))
        found_house(office, read_plan(tomllib.loads(PLAN)))
        assert office.find_house() is not None
        with database.reading() as connection:  # backups are made under it as well
            copy_out(connection, tmp_path / "dump", lambda _: None)
        with pytest.raises(CannotCopy), scratch_database(database, tmp_path):
            pass
        for act in ("DROP TABLE ticket", "ALTER TABLE ticket DISABLE TRIGGER ALL"):
            with database.writing() as connection, pytest.raises(Away, match="must be owner"):
                connection.execute(text(act))


@pytest.mark.rule("X-access", "X-recovery")
def test_backups_are_tried_under_a_role_that_cannot_change_the_house(
    pair: Pair, tmp_path: Path
) -> None:
    with closing(Database(pair.url("keno_check"))) as database:
        assert schema.revision_of(database) == schema.newest_revision()
        with scratch_database(database, tmp_path) as url, closing(Database(url)) as scratch:
            schema.upgrade(scratch)
        with database.writing() as connection, pytest.raises(Away, match="permission denied"):
            connection.execute(text("INSERT INTO alembic_version VALUES ('x')"))


def found_keys(folder: Path) -> Keys:
    make_keys(folder / "keys", system_entropy)
    return read_keys(folder / "keys")


@pytest.mark.rule("X-recovery")
def test_the_server_that_can_be_written_to_is_used_also_when_it_is_another_one(
    pair: Pair, tmp_path: Path
) -> None:
    with closing(Database(pair.url())) as database:
        assert asked(database, "SHOW port") == str(pair.second.port)
        # The server lets go of us too, if our machine goes in the middle of a message.
        assert asked(database, "SHOW tcp_user_timeout") == "10000"
        of_us = "FROM pg_stat_ssl WHERE pid = pg_backend_pid()"
        assert asked(database, f"SELECT version {of_us}") == "TLSv1.3"
        with database.reading() as connection:  # PostgreSQL's own programs find it as well
            copy_out(connection, tmp_path / "dump", lambda _: None)
        assert (tmp_path / "dump").stat().st_size
        pair.second.stop()
        with closing(pair.first.connect()) as console:  # the first one takes over
            console.execute("SET default_transaction_read_only = off")
            console.execute("ALTER DATABASE keno SET default_transaction_read_only = off")
        with pytest.raises(Away):  # whoever was in the middle of something is told
            asked(database, "SHOW port")
        assert asked(database, "SHOW port") == str(pair.first.port)
