"""A copy of the house in the trial server: the block of `keeping.md`, typed for real.

The house is one on PostgreSQL, and the copy stands in another server; folders are folders of the
test, and whoever types is user `keno` already.
"""

import os
import subprocess
from pathlib import Path

import psycopg
import pytest
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from app.flow.backup import back_up
from rng.core.signing import ed25519_key, rsa_key
from tests.deploy.conftest import PRODUCT
from tests.doc_blocks import blocks
from tests.floor import Floor
from tests.lending import address, new_database
from tests.postgres import ROOT, Server, mortal_server, server_programs

pytestmark = pytest.mark.machine

FILE = "/var/backups/keno/house-2026-12-01T061700Z.backup"
VERSION = "0.1.0-0123456789ab-012345"


def typed() -> list[str]:
    """The lines of the page."""
    (block,) = [
        block.text for block in blocks() if block.page == "keeping.md" and "on-a-copy" in block.text
    ]
    return block.splitlines()


@pytest.mark.rule("X-recovery")
def test_a_backup_is_restored_upgraded_and_looked_through_beside_the_house(
    postgres: str, tmp_path: Path
) -> None:
    floor = Floor.opened(address(postgres, new_database(postgres)), tmp_path)
    floor.sell(floor.writing())
    floor.play()
    backup = tmp_path / "house.backup"
    back_up(floor.office, backup)
    publish(floor, tmp_path / "public")
    floor.close()
    for version in ("current", VERSION):
        (tmp_path / "opt" / version / ".venv").mkdir(parents=True)
        (tmp_path / "opt" / version / ".venv/bin").symlink_to(ROOT / ".venv/bin")
    programs = tmp_path / "programs"
    programs.mkdir()
    for name, text in {"id": "echo keno", "runuser": 'shift 3\nexec "$@" --username=keno'}.items():
        (programs / name).write_text(f"#!/bin/sh\n{text}\n")
        (programs / name).chmod(0o755)
    with mortal_server() as server:
        without_a_superuser_keno(server)
        script = (PRODUCT / "deploy/on-a-copy").read_text()
        placed = tmp_path / "on-a-copy"
        placed.write_text(here(script, tmp_path, server))
        placed.chmod(0o755)
        path = f"{programs}{os.pathsep}{server_programs()}{os.pathsep}{os.environ['PATH']}"
        for line in typed():
            words = here(line, tmp_path, server).replace("deploy/on-a-copy", str(placed))
            done = subprocess.run(  # noqa: S603  the page's own lines
                ["/bin/sh", "-c", words.replace(FILE, str(backup))],
                env=os.environ | {"PATH": path},
                capture_output=True,
                text=True,
                check=False,
            )
            assert done.returncode == 0, (line, done.stdout, done.stderr)
            if " restore " in line:
                assert "What is missing is not known yet" in done.stdout  # nobody was asked
            if line.endswith(" books"):
                assert "No faults." in done.stdout
        with server.connect("postgres") as connection:
            left = connection.execute("SELECT datname FROM pg_database").fetchall()
        assert ("copy",) not in left


def publish(floor: Floor, folder: Path) -> None:
    """Put the public keys of both keyed processes where the house has them."""
    folder.mkdir()
    for name, text in floor.two_keys.public_keys().items():
        key = rsa_key(text) if name == "mark" else ed25519_key(text)
        pem = key.public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
        (folder / f"{name}.pem").write_bytes(pem)


def without_a_superuser_keno(server: Server) -> None:
    """Have `keno` be what it is in a trial server: a role that makes databases, and no more."""
    with server.connect() as connection:
        connection.execute("CREATE ROLE other SUPERUSER LOGIN")
    other = server.url.replace("+psycopg", "").replace("keno@", "other@")
    with psycopg.connect(other, autocommit=True) as connection:
        connection.execute("ALTER ROLE keno RENAME TO first")
        connection.execute("CREATE ROLE keno LOGIN CREATEDB")


def here(text: str, folder: Path, server: Server) -> str:
    """A text with the places of this test."""
    for there, place in {
        "/run/postgresql": str(server.folder),
        "5433": str(server.port),
        "/opt/keno/": f"{folder}/opt/",
        "/etc/keno/keys": f"{folder}/keys",
        "/etc/keno/public": f"{folder}/public",
    }.items():
        text = text.replace(there, place)
    return text
