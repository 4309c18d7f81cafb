"""The page on failures (`failover.md`): what it has typed to set up the servers, in folders.

Each machine is a folder. Files are put there and filled in as it says; what needs the machine
itself is written down instead. What comes out is what the drill runs, but for its places.
"""

import re
import subprocess
from pathlib import Path
from string import Template

import pytest

from app.certificates import Use, Wanted, issue, make_authority
from app.clock import system_clock
from tests.deploy.conftest import PRODUCT
from tests.deploy.programs import program
from tests.deploy.test_page import MACHINE
from tests.doc_blocks import blocks
from tests.drill.cluster import filled

PAGE = "failover.md"
DEPLOY = PRODUCT / "deploy"
ADDRESSES = {"db1": "10.0.0.21", "db2": "10.0.0.22", "witness": "10.0.0.23"}
PASSPHRASE = "the authority is put away"  # noqa: S105  a test's own
OTHERS = """
pg_dropcluster() { asked pg_dropcluster "$@"; }
modprobe() { asked modprobe "$@"; }
udevadm() { asked udevadm "$@"; }
"""


def page() -> list[str]:
    return [block.text for block in blocks() if block.page == PAGE and block.kind == "sh"]


def block_of(node: str) -> str:
    """What is typed on a machine to set it up."""
    (text,) = [text for text in page() if f"NODE={node} " in text]
    return text


def follow(text: str, root: Path) -> None:
    """Type a block on a machine, which is a folder."""
    lines = re.sub(r"(?<![\w.=/])/(etc|var|opt|media)/", rf"{root}/\1/", text)
    for folder in ("etc/default", "etc/patroni", "etc/keno", "etc/modules-load.d"):
        (root / folder).mkdir(parents=True, exist_ok=True)
    for folder in ("etc/udev/rules.d", "var/lib/etcd/default", "etc/postgresql"):
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
    for text in page():
        if "NODE=" not in text:
            follow(text, tmp_path / "db1")
    asked = (tmp_path / "db1/asked").read_text().splitlines()
    assert asked[-2] == "systemctl enable --now patroni"


def check_machine(node: str, root: Path) -> None:
    """Look at what a machine has now."""
    values = values_of(node, "etcd.env")
    assert (root / "etc/default/etcd").read_text() == filled("etcd.env", values)
    has_server = node != "witness"
    if has_server:
        values = values_of(node, "patroni.yml")
        assert (root / "etc/patroni/config.yml").read_text() == filled("patroni.yml", values)
        clock = root / "etc/systemd/system/patroni.service.d/keno.conf"
        assert "time-sync.target" in clock.read_text()  # X-clock
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
    assert ("pg_dropcluster --stop 15 main" in asked) is has_server
    assert asked[-1] == "systemctl enable --now etcd"
