"""The page on failures (`failover.md`): what it has typed to set up the servers, in folders.

Each machine is a folder. Files are put there and filled in as it says; what needs the machine
itself is written down instead. What comes out is what the drill runs, but for its places.
"""

import os
import re
import shlex
import subprocess
from contextlib import closing
from pathlib import Path
from string import Template

import pytest

import app.cli
from app.certificates import Use, Wanted, issue, make_authority
from app.clock import system_clock
from tests.deploy.conftest import PRODUCT
from tests.deploy.failover_page import ADDRESSES, PASSPHRASE, block_of, page
from tests.deploy.page import MACHINE
from tests.deploy.programs import program
from tests.drill.cluster import filled
from tests.postgres import mortal_server

pytestmark = pytest.mark.machine
DEPLOY = PRODUCT / "deploy"
OTHERS = """
pg_dropcluster() { asked pg_dropcluster "$@"; }
pg_renamecluster() { asked pg_renamecluster "$@"; mkdir "$ROOT/etc/postgresql/15/before"; }
etcdctl() { asked etcdctl "$@"; }
keno() { asked keno "$@"; }
modprobe() { asked modprobe "$@"; }
udevadm() { asked udevadm "$@"; }
"""


def follow(text: str, root: Path) -> None:
    """Type a block on a machine, which is a folder."""
    lines = re.sub(r"(?<![\w.=/])/(etc|var|opt|media)/", rf"{root}/\1/", text)
    lines = lines.replace("deploy/clear-server", "asked deploy/clear-server")
    for folder in ("etc/default", "etc/patroni", "etc/keno", "etc/modules-load.d"):
        (root / folder).mkdir(parents=True, exist_ok=True)
    for folder in (
        "etc/udev/rules.d",
        "var/lib/etcd/default",
        "etc/postgresql/15",
        "etc/keno/owner",
    ):
        (root / folder).mkdir(parents=True, exist_ok=True)
    done = subprocess.run(  # noqa: S603  the page's own lines
        ["/bin/bash", "-c", f"ROOT={root}\n{MACHINE}{OTHERS}{lines}"],
        cwd=PRODUCT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, (lines, done.stdout, done.stderr)


def values_of(node: str, template: str) -> dict[str, str]:
    """The values that the lines on a machine give to a template."""
    text = block_of(node)
    (line,) = [line for line in text.splitlines() if f"< deploy/{template} " in line]
    given = " ".join(re.findall(r"^export (.*)$", text, re.MULTILINE))
    return dict(re.findall(r"([A-Z0-9_]+)=(\S+)", f"{given} {line}"))


@pytest.mark.rule("X-recovery")
@pytest.mark.parametrize("node", ADDRESSES)
@pytest.mark.parametrize("template", ["etcd.env", "patroni.yml"])
def test_every_place_of_a_template_is_given_a_value(node: str, template: str) -> None:
    if (node, template) == ("witness", "patroni.yml"):
        return  # which has no server
    names = set(Template((DEPLOY / template).read_text()).get_identifiers())
    values = values_of(node, template)
    assert names <= values.keys(), names - values.keys()
    assert values["NODE"] == node
    assert values["ADDRESS"] == ADDRESSES[node]
    assert {values[name.upper()] for name in ADDRESSES} == set(ADDRESSES.values())


@pytest.mark.rule("X-recovery", "X-access")
def test_the_page_is_followed(tmp_path: Path) -> None:
    program("envsubst", "gettext-base")
    make_authority(tmp_path, "Test authority", PASSPHRASE, system_clock())
    issued = re.findall(
        r"^keno certificates issue (db\d|witness)\.keno\.example --also (\S+) (.*?) --out",
        (PRODUCT / "docs/installing.md").read_text(),
        re.MULTILINE,
    )
    assert {(node, address) for node, address, _ in issued} == set(ADDRESSES.items())
    for node, address, uses in issued:
        assert uses == "--for server --for client"
        root = tmp_path / node
        wanted = Wanted(f"{node}.keno.example", (address,), (Use.SERVER, Use.CLIENT))
        issue(tmp_path, PASSPHRASE, wanted, root / "media/out", system_clock())
        trusted = (tmp_path / "authorities.pem").read_bytes()
        (root / "media/out/authorities.pem").write_bytes(trusted)
        follow(block_of(node), root)
        check_machine(node, root)
    for name in ("owner.env", "keno_owner.pem", "keno_owner.key"):
        (tmp_path / "db1/media/out" / name).touch()
    for text in page():
        if "NODE=" not in text:
            follow(text, tmp_path / "db1")
            read_commands(text)
    asked = (tmp_path / "db1/asked").read_text().splitlines()
    assert "systemctl enable --now patroni" in asked
    check_going_over(asked)


def read_commands(text: str) -> None:
    """Have our own parser read the commands of ours; it ends the run if one is not right."""
    for line in text.splitlines():
        if line.startswith("keno "):
            app.cli._parser().parse_args(shlex.split(line)[1:])  # noqa: SLF001


def check_going_over(asked: list[str]) -> None:
    """See that the old server is stopped when there is a backup, and removed last of all."""
    left = iter(asked)
    for step in (
        "systemctl stop keno-web ",
        "keno backup --out ",
        "systemctl disable --now postgresql",
        "keno restore ",
        "keno log missing",
        "keno books",
        "pg_renamecluster 15 main before",
        "systemctl enable --now patroni",
        "systemctl start keno-web ",
        "keno log end-hold ",
        "pg_dropcluster 15 before",
    ):
        assert any(line.startswith(step) for line in left), step


@pytest.mark.rule("X-recovery")
def test_no_server_with_a_house_in_it_is_removed(tmp_path: Path) -> None:
    """Debian's first server is; with a server of PostgreSQL's own, which is asked for real."""
    (tmp_path / "15/main").mkdir(parents=True)
    removed = tmp_path / "removed"
    with mortal_server() as server:
        asked = f"exec psql --host={server.folder} --username=keno"
        scripts = {
            "runuser": f'shift 5\n{asked} "$@"',  # which user, psql, and Debian's name of a server
            "pg_dropcluster": f'echo "$@" > {removed}',
        }
        for name, text in scripts.items():
            (tmp_path / name).write_text(f"#!/bin/sh\n{text}\n")
            (tmp_path / name).chmod(0o755)
        path = f"{tmp_path}{os.pathsep}{os.environ['PATH']}"

        def cleared(servers: Path = tmp_path) -> "subprocess.CompletedProcess[str]":
            return subprocess.run(  # noqa: S603  our own script
                [str(DEPLOY / "clear-server")],
                env=os.environ | {"PATH": path, "SERVERS": str(servers)},
                capture_output=True,
                text=True,
                check=False,
            )

        for name in ("keno", "keno_before"):
            with closing(server.connect()) as connection:
                connection.execute(f"CREATE DATABASE {name}")
                assert cleared().returncode == 1
                assert "a house is in 15/main" in cleared().stderr
                connection.execute(f"DROP DATABASE {name}")
        server.stop()
        done = cleared()
        assert (done.returncode, "does not say what is in it" in done.stderr) == (1, True)
        assert not removed.exists()
        server.start()
        assert cleared().returncode == 0
        assert removed.read_text() == "--stop 15 main\n"
        removed.unlink()
        assert cleared(tmp_path / "none").returncode == 0  # it is gone already
        assert not removed.exists()


def goes_on_trying(drop_in: Path) -> bool:
    """Whether a unit waits for the address that it binds to, and is started until it is there."""
    text = drop_in.read_text()
    targets = [line for line in text.splitlines() if line.startswith(("After=", "Wants="))]
    wanted = {"Restart=on-failure", "RestartSec=2", "StartLimitIntervalSec=0"}
    online = all("network-online.target" in line for line in targets)
    return len(targets) == 2 and online and wanted <= set(text.splitlines())


def check_machine(node: str, root: Path) -> None:
    """Look at what a machine has now."""
    values = values_of(node, "etcd.env")
    assert (root / "etc/default/etcd").read_text() == filled("etcd.env", values)
    has_server = node != "witness"
    if has_server:
        values = values_of(node, "patroni.yml")
        assert (root / "etc/patroni/config.yml").read_text() == filled("patroni.yml", values)
        patroni = root / "etc/systemd/system/patroni.service.d/keno.conf"
        assert "After=time-sync.target" in patroni.read_text()  # X-clock
        assert goes_on_trying(patroni)
    assert goes_on_trying(root / "etc/systemd/system/etcd.service.d/keno.conf")
    folders = ["etc/etcd/keno", *(["etc/postgresql/keno"] if has_server else [])]
    for folder in folders:
        assert {
            path.name: oct(path.stat().st_mode & 0o777) for path in (root / folder).iterdir()
        } == {
            "authorities.pem": "0o644",
            "server.pem": "0o644",
            "server.key": "0o600",
        }
    named = (root / "etc/keno/certificates.env").read_text()
    assert named.count("/etc/") == len(folders)
    # What Debian has started by itself is gone before its own comes.
    assert not (root / "var/lib/etcd/default").exists()
    asked = (root / "asked").read_text().splitlines()
    assert "etcd" in next(line for line in asked if line.startswith("systemctl disable --now"))
    assert ("deploy/clear-server" in asked) is has_server
    assert not any(line.startswith("pg_dropcluster") for line in asked)
    assert "systemctl daemon-reload" in asked
    assert asked[-1] == "systemctl enable --now etcd"
