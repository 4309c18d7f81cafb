"""The page for installing (`installing.md`), followed from beginning to end in a folder.

Everything of ours runs as it stands there. What needs the machine itself (packages, systemd's own
process, PostgreSQL's and HAProxy's) is written down instead, and looked at afterwards.
"""

import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path

import pytest
from sqlalchemy import make_url

import app.cli
import rng.cli
from rng.serve.tls import Peers, make_tls
from tests.deploy.conftest import PRODUCT, Machine
from tests.deploy.installing import rows
from tests.deploy.page import MACHINE
from tests.deploy.units import DEPLOY, SERVICES, environment
from tests.doc_blocks import blocks
from tests.house_commands import Typed

pytestmark = pytest.mark.machine

PAGE = "installing.md"
PASSPHRASE = "the authority is put away"  # noqa: S105  a test's own
OTHERS = {
    "postgresql",
    "haproxy",
    "systemd-journald",
    "chrony",
    "chrony-wait",
    "etcd",
    "patroni",
    "postgresql@15-trial",
    "keno*",
}  # units that are not ours, and a pattern


def placed(line: str, machine: Machine) -> str:
    """Return a line of the page as it is run in a folder."""
    line = re.sub(r"(?<![\w.])/(etc|var|opt|media)/", rf"{machine.root}/\1/", line)
    if line.startswith("deploy/install"):
        return f"{line} --root {machine.root} --environment {sys.prefix}"
    if line.startswith("deploy/switch"):
        return f"deploy/switch {machine.version} {machine.root}"
    return line


def commands_of(block: str) -> Iterator[str]:
    """Yield the lines of a block; what stands behind one of ours is the machine's."""
    for line in block.splitlines():
        yield from line.split(" && ") if is_ours(line) else [line]


def keno(line: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Run a command of ours, in this process; whoever is asked for the passphrase types it."""
    name, *words = shlex.split(line)
    if words[0] == "backup":
        return  # there is no house yet; `keeping.md` has a test of its own
    monkeypatch.setattr("sys.stdin", Typed([PASSPHRASE]))
    called = app.cli.main(words) if name == "keno" else rng.cli.main(name[5:], words)
    assert called == 0, line


def run_on_machine(lines: list[str]) -> None:
    assert Path("/bin/bash").exists(), "this test needs bash; on Debian: apt-get install bash"
    done = subprocess.run(  # noqa: S603  the page's own lines
        ["/bin/bash", "-c", MACHINE + "\n".join(lines)],
        cwd=PRODUCT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, (lines, done.stdout, done.stderr)


def is_ours(line: str) -> bool:
    return line.startswith(("keno ", "keno-rng ", "keno-inspector "))


def handed_over(machine: Machine, name: str) -> None:
    """Leave what the ceremony leaves of a keyed process, as far as its certificates go."""
    folder = machine.root / "var/lib" / f"keno-{name}"
    (folder / "peers").mkdir(parents=True, exist_ok=True)
    made = make_tls(folder, name)
    for public in ("etc/keno/public", "media/public"):
        (machine.root / public / f"{name}.tls.pem").write_bytes(made)


def hold_ceremony(root: Path) -> None:
    """Bring the office's certificate to the others, as the ceremony does, which has its page."""
    certificate = (root / "etc/keno/keys/tls.pem").read_bytes()
    (root / "etc/keno/public/office.tls.pem").write_bytes(certificate)
    for name in ("rng", "inspector"):
        (root / "var/lib" / f"keno-{name}" / "peers/office.pem").write_bytes(certificate)


@pytest.fixture
def prepared(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Machine:
    """A machine of its own, all of whose folders are ours: nobody else is there."""
    machine = Machine(tmp_path)
    machine.install_here()
    root = machine.root
    others = ("etc/postgresql/15/main/conf.d", "etc/etcd/keno")
    for folder in ("media/public", *others, "etc/keno/public"):
        (root / folder).mkdir(parents=True, exist_ok=True)
    for folder in ("keys", "web", "feed", "owner", "backup"):
        (root / "etc/keno" / folder).mkdir(mode=0o700, parents=True, exist_ok=True)
    for name in ("rng", "inspector"):
        handed_over(machine, name)
    for name, value in {
        "ROOT": str(root),
        "KENO_DATABASE": f"sqlite:///{tmp_path / 'keno.db'}",
        "KENO_KEYS": str(root / "etc/keno/keys"),
        "KENO_PUBLIC": str(root / "etc/keno/public"),
        "KENO_RNG": "tls:rng.keno.example:7001",
        "KENO_INSPECTOR": "tls:inspector.keno.example:7002",
        "KENO_PROXIES": "10.0.0.2",
        "KENO_HOSTS": "keno.example",
    }.items():
        monkeypatch.setenv(name, value)
    return machine


@pytest.mark.rule("X-access", "X-recovery", "X-software-seal")
def test_the_page_is_followed(prepared: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    root = prepared.root
    page = [block.text for block in blocks() if block.page == PAGE and block.kind == "sh"]
    lines = [placed(line, prepared) for block in page for line in commands_of(block)]
    for ours, several in groupby(lines, is_ours):
        if not ours:
            run_on_machine(list(several))
            continue
        for line in several:
            keno(line, monkeypatch)
            if line == "keno house keys":
                hold_ceremony(root)
    for name in ("rng", "inspector"):
        accepted = Peers(root / "var/lib" / f"keno-{name}" / "peers", ("office",))
        (newest,) = accepted.files()
        assert newest.read_bytes() == (root / "etc/keno/keys/tls.pem").read_bytes()
    for path in ("keys/database.key", "web/web.key", "feed/feed.key"):
        assert (root / "etc/keno" / path).stat().st_mode & 0o777 == 0o600
    assert not list((root / "etc/keno/owner").iterdir())
    check_what_was_asked((root / "asked").read_text())


def section(title: str) -> list[str]:
    """The lines that a section of the page has typed, in their order."""
    text = (PRODUCT / "docs" / PAGE).read_text()
    _, _, part = text.partition(f"\n### {title}\n")
    part = re.split(r"^##", part, maxsplit=1, flags=re.MULTILINE)[0]
    found = re.findall(r"^```sh\n(.*?)^```$", part, re.DOTALL | re.MULTILINE)
    return [line for block in found for line in block.splitlines()]


@pytest.mark.rule("X-access", "X-recovery")
def test_a_new_authority_is_read_everywhere_before_anybody_shows_a_certificate_of_it() -> None:
    lines = section("A new authority")
    made, retired = (
        next(place for place, line in enumerate(lines) if word in line)
        for word in ("--name", "--retire")
    )
    assert made == 0
    assert not any(" renew " in line for line in lines)  # they are renewed as before, in between
    for words in (
        "systemctl reload keno-web keno-feed",
        "systemctl reload postgresql",
        "systemctl reload patroni",
        "systemctl restart etcd",
        "systemctl restart patroni",
        "systemctl reload haproxy",
    ):
        assert any(words in line for line in lines[made:retired]), words
    # Every folder to which the page has brought it before.
    page = (PRODUCT / "docs" / PAGE).read_text()
    folders = set(re.findall(r"/media/out/authorities.pem (/\S+)/authorities.pem", page))
    folders |= {"/etc/etcd/keno"}
    for folder in folders:
        brought = f"/media/out/authorities.pem {folder}/authorities.pem"
        assert any(brought in line for line in lines[made:retired]), folder
    assert "systemctl restart keno-web keno-feed" in lines[retired:]  # the feed keeps a retired one


@pytest.mark.rule("X-access", "X-recovery")
def test_both_web_machines_show_the_new_certificate_of_the_office_before_the_old_is_forgotten() -> (
    None
):
    lines = section("The keyed processes and the office")
    steps = (
        "keno certificates office renew",
        "/etc/keno/public/* /media/public/",
        "keno-rng certificates accept",
        "keno-inspector certificates accept",
        "keno certificates office change",
        "systemctl reload keno-web keno-caller",
        "/etc/keno/keys/tls.* /media/keys/",
        "/media/keys/tls.* /etc/keno/keys/",
        "systemctl reload keno-web keno-caller",
        "keno-rng certificates forget office",
        "keno-inspector certificates forget office",
    )
    left = iter(lines)
    for step in steps:
        assert any(step in line for line in left), step


def tables_of(words: str) -> list[str]:
    """The rows of the table of a page behind some words."""
    _, _, part = (PRODUCT / "docs" / PAGE).read_text().partition(words)
    return re.findall(r"^\|.*$", part.strip().split("\n\n")[0], re.MULTILINE)[2:]


@pytest.mark.rule("X-access")
def test_every_port_that_something_listens_on_is_in_the_table() -> None:
    told = {
        port
        for row in tables_of("These ports are open, between these machines and no others:")
        for port in re.findall(r"\b\d{2,5}\b", row.split("|")[3])
    }
    deploy = PRODUCT / "deploy"
    files = (*deploy.glob("etc/*"), *deploy.glob("*.env"), *deploy.glob("*.yml"))
    read = "".join(file.read_text() for file in files)
    used = set(re.findall(r"(?:tls:[\w.]+|escpos:[\w.]+|ADDRESS}):(\d+)", read))
    used |= set(re.findall(r"_PORT='(\d+)'", read)) | set(re.findall(r"[&?]port=(\d+),", read))
    used |= set(re.findall(r"bind :(\d+)", (deploy / "haproxy/haproxy.cfg").read_text()))
    assert {"443", "8000", "8001", "5432", "7001", "7002", "2379", "8008"} <= used
    assert told == used | {"123"}  # chrony's


@pytest.mark.rule("X-access")
def test_every_machine_with_a_certificate_is_found_by_its_name() -> None:
    page = (PRODUCT / "docs" / PAGE).read_text()
    named = dict(re.findall(r"^echo '(\S+) (\S+)' >> /etc/hosts$", page, re.MULTILINE))
    of_machine = r"^keno certificates issue (\S+\.example)(?: --also (\S+))?"
    issued = re.findall(of_machine, page, re.MULTILINE)
    assert {name for name, _ in issued} <= set(named.values())
    for name, address in issued:
        assert not address or named[address] == name


@pytest.mark.rule("X-recovery")
def test_what_it_takes_to_go_back_is_told_before_anything_is_changed() -> None:
    page = [block.text for block in blocks() if block.page == PAGE and block.kind == "sh"]
    (block,) = [text for text in page if "keno backup --out" in text]
    assert block.splitlines()[:2] == ["readlink /opt/keno/current", "keno database show"]


@pytest.mark.rule("X-recovery")
def test_nothing_is_started_again_on_tables_that_were_not_changed() -> None:
    page = [block.text for block in blocks() if block.page == PAGE and block.kind == "sh"]
    (block,) = [text for text in page if "keno backup --out" in text]
    lines = block.splitlines()
    (upgrade,) = [line for line in lines if "keno database upgrade" in line]
    assert upgrade.startswith("keno database upgrade && systemctl restart ")
    before = lines.index("systemctl stop keno-backup.timer keno-verify.timer")
    after = lines.index("systemctl start keno-backup.timer keno-verify.timer")
    # Until then a process that dies comes back as what it was.
    (switched,) = [line for line in lines if line.startswith("deploy/switch ")]
    assert before < lines.index(switched) == lines.index(upgrade) - 1 < after
    assert [text for text in page if "deploy/install --beside" in text]


def check_what_was_asked(asked: str) -> None:
    """Look at what only a real machine does: its units are there, its files are where it looks."""
    ours = {unit.stem for unit in SERVICES} | {f"{unit.stem}.timer" for unit in SERVICES}
    named = set()
    for line in re.findall(r"^systemctl (.*)$", asked, re.MULTILINE):
        _, *words = [word for word in line.split() if not word.startswith("--")]
        named |= set(words)
    assert named <= ours | OTHERS | {"keno.target"}
    for unit in SERVICES:
        timed = unit.with_suffix(".timer").exists()
        assert (f"{unit.stem}.timer" if timed else unit.stem) in named
    roles = (
        r"runuser --user postgres -- psql --file=\S*/opt/keno/current/deploy/postgresql/roles.sql"
    )
    assert re.search(roles, asked)
    assert (PRODUCT / "deploy/postgresql/roles.sql").exists()
    assert "haproxy -c -f" in asked
    # Backups are tried in a server of their own, where the settings look for it.
    (made,) = re.findall(r"pg_createcluster --port=(\d+) .* 15 trial$", asked, re.MULTILINE)
    (role,) = re.findall(r"createuser --cluster=15/trial --createdb (\w+)$", asked, re.MULTILINE)
    trial = make_url(environment(DEPLOY / "etc/backup.env")["CHECK_DATABASE"])
    assert (trial.username, trial.query["port"]) == (role, made)
    assert rows(DEPLOY / "postgresql/trial_hba.conf")[-1] == ["local", "all", role, "peer"]
    # Without it, `time-sync.target` of the units is reached before the clock is right (X-clock).
    assert "systemctl enable chrony-wait" in asked
