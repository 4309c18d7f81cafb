"""The installation: what is put where, for whom, and that nothing of people's is overwritten."""

import os
import pwd
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from app.software import manifest, software_hash
from tests.deploy.conftest import PRODUCT, Machine
from tests.deploy.installing import rows
from tests.deploy.programs import program

pytestmark = pytest.mark.machine

DEPLOY = PRODUCT / "deploy"
SCRIPTS = (
    "install",
    "tell-system",
    "switch",
    "run",
    "give-keys",
    "back-up",
    "keno-console",
    "tell-failure",
    "clear-server",
)


def run(*command: str, **environment: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(  # noqa: S603  our own scripts
        command, capture_output=True, text=True, check=False, env=os.environ | environment
    )


@pytest.mark.rule("X-software-seal")
def test_the_software_is_there_whole_and_only_root_can_change_it(machine: Machine) -> None:
    place = machine.root / "opt/keno" / machine.version
    assert machine.version.split("-")[1] == software_hash()[:12]
    assert manifest(place) == manifest()
    for path in place.rglob("*"):
        if not path.is_symlink() and ".venv" not in path.parts:
            assert not path.stat().st_mode & 0o022, path
    assert not list(place.rglob("__pycache__"))


@pytest.mark.rule("X-access")
def test_every_process_is_a_user_of_its_own_and_secrets_are_its_own(machine: Machine) -> None:
    if os.geteuid() != 0:  # only root makes users and gives files away, and it says so
        assert "are left to root" in machine.install_here()
        return
    people = {
        line.split(":")[0]: line.split(":")
        for line in (machine.root / "etc/passwd").read_text().splitlines()
    }
    wanted = {row[1] for row in rows(DEPLOY / "sysusers.d/keno.conf") if row[0] == "u"}
    assert wanted <= set(people)
    for name in wanted:
        assert people[name][-1] == "/usr/sbin/nologin"
    for _, path, mode, user, *_ in rows(DEPLOY / "tmpfiles.d/keno.conf"):
        status = (machine.root / path.lstrip("/")).stat()
        assert oct(status.st_mode & 0o7777) == oct(int(mode, 8)), path
        assert status.st_uid == (0 if user == "root" else int(people[user][2])), path


@pytest.mark.rule("X-retention", "15.5(h)")
def test_nightly_books_and_bundles_can_read_the_archives_of_the_settings() -> None:
    settings = (DEPLOY / "etc/house.env").read_text()
    (folder,) = re.findall(r"^KENO_ARCHIVES='(.*)'$", settings, re.MULTILINE)
    (found,) = [row for row in rows(DEPLOY / "tmpfiles.d/keno.conf") if row[1] == folder]
    mode, group = int(found[2], 8), found[4]
    assert (mode & 0o050, mode & 0o2000) == (0o050, 0o2000)  # the files in it are of its group
    members = {row[1] for row in rows(DEPLOY / "sysusers.d/keno.conf") if row[::2] == ["m", group]}
    assert members == {"keno", "keno-caller", "keno-reporter"}


@pytest.mark.rule("X-recovery")
def test_installing_again_keeps_what_people_have_written(machine: Machine) -> None:
    settings = machine.root / "etc/keno/house.env"
    ours = settings.read_text()
    settings.write_text("KENO_FEED='/events'\n")
    newer = settings.with_name("house.env.new")
    told = machine.install_here()
    assert "is there already" in told
    assert settings.read_text() == "KENO_FEED='/events'\n"
    assert not newer.exists()  # its example is the one that was there before
    before = (machine.root / "opt/keno/current").readlink()
    (machine.root / "opt/keno/current").unlink()
    told = machine.install_here()
    assert (machine.root / "opt/keno/current").readlink() == before
    assert settings.read_text() == "KENO_FEED='/events'\n"
    assert newer.read_text() == ours
    assert f"{newer} is the example of this version" in told
    newer.unlink()
    settings.write_text(ours)


def copy_of_product(folder: Path) -> Path:
    for part in ("app", "deploy", "docs", "migrations", "printers", "rng"):
        ignored = shutil.ignore_patterns("__pycache__")
        shutil.copytree(PRODUCT / part, folder / part, ignore=ignored)
    for part in ("README.md", "pyproject.toml", "requirements.txt", "setup.cfg", "wsgi.py"):
        shutil.copy(PRODUCT / part, folder)
    return folder


@pytest.mark.rule("X-recovery", "X-software-seal")
def test_another_version_is_put_beside_it_and_switched_back(
    machine: Machine, tmp_path: Path
) -> None:
    changed = copy_of_product(tmp_path)
    (changed / "wsgi.py").write_text('"""Another one."""\n')
    unit = machine.root / "etc/systemd/system/keno-web.service"
    ours = unit.read_text()
    (changed / "deploy/systemd/keno-web.service").write_text(ours + "# another one\n")
    (changed / "deploy/systemd/keno-more.service").write_text("[Service]\nExecStart=true\n")
    before = machine.version
    into = ("--root", str(machine.root), "--environment", os.path.realpath(".venv"))
    done = run(str(changed / "deploy/install"), *into)
    assert done.returncode == 0, done.stderr
    assert f"deploy/switch {before}" in done.stdout
    after = machine.version
    assert after != before
    place = machine.root / "opt/keno"
    assert (place / "current/wsgi.py").read_text() == '"""Another one."""\n'
    assert unit.read_text() == ours + "# another one\n"
    more, own = (unit.with_name(f"keno-{name}.service") for name in ("more", "own"))
    own.write_text("[Service]\n")  # somebody has written it here
    wanted = unit.with_name("keno.target.wants") / more.name
    wanted.parent.mkdir()
    wanted.symlink_to(more)
    switch = (str(DEPLOY / "switch"), before, str(machine.root))
    switched = run(*switch)
    assert switched.returncode == 0
    assert machine.version == before
    assert unit.read_text() == ours
    assert "keno-more.service" in switched.stdout
    assert not more.exists()
    assert not wanted.is_symlink()
    assert own.exists()
    own.unlink()
    assert "usage" in run(str(DEPLOY / "switch")).stderr
    for wrong in ("9.9.9", "current", ".", "../keno"):
        assert run(str(DEPLOY / "switch"), wrong, str(machine.root)).returncode == 2
    assert machine.version == before
    shutil.rmtree(place / after)


@pytest.mark.rule("X-recovery", "X-software-seal")
def test_a_version_that_is_put_beside_changes_nothing_until_it_is_switched_to(
    machine: Machine, tmp_path: Path
) -> None:
    """Until its tables are there: a process that dies meanwhile comes back as it was."""
    changed = copy_of_product(tmp_path)
    (changed / "wsgi.py").write_text('"""Another one."""\n')
    unit = machine.root / "etc/systemd/system/keno-web.service"
    ours, before = unit.read_text(), machine.version
    newer = changed / "deploy/systemd/keno-web.service"
    newer.write_text(ours + "# another one\n")
    into = ("--root", str(machine.root), "--environment", os.path.realpath(".venv"))
    done = run(str(changed / "deploy/install"), "--beside", *into)
    assert done.returncode == 0, done.stderr
    assert (machine.version, unit.read_text()) == (before, ours)
    (after,) = re.findall(r"deploy/switch (\S+)", done.stdout)
    place = machine.root / "opt/keno"
    assert (place / after / ".whole").exists()
    assert run(str(changed / "deploy/switch"), after, str(machine.root)).returncode == 0
    assert (machine.version, unit.read_text()) == (after, newer.read_text())
    assert run(str(DEPLOY / "switch"), before, str(machine.root)).returncode == 0
    shutil.rmtree(place / after)


@pytest.mark.rule("X-software-seal")
@pytest.mark.parametrize("file", ["requirements.txt", "deploy/run", "docs/running.md"])
def test_whatever_is_installed_has_a_name_of_its_own_when_it_changes(
    machine: Machine, tmp_path: Path, file: str
) -> None:
    """Also where the software that is approved stays the same, as with a mended requirement."""
    changed = copy_of_product(tmp_path)
    with (changed / file).open("a") as other:
        other.write("# mended\n")
    before = machine.version
    into = ("--root", str(machine.root), "--environment", os.path.realpath(".venv"))
    assert run(str(changed / "deploy/install"), *into).returncode == 0
    after = machine.version
    assert (after != before, after.rsplit("-", 1)[0]) == (True, before.rsplit("-", 1)[0])
    place = machine.root / "opt/keno"
    assert (place / "current" / file).read_text().endswith("# mended\n")
    assert run(str(DEPLOY / "switch"), before, str(machine.root)).returncode == 0
    shutil.rmtree(place / after)


@pytest.mark.rule("X-recovery")
def test_an_installation_that_was_interrupted_is_done_anew(machine: Machine) -> None:
    place = machine.root / "opt/keno" / machine.version
    (place / ".whole").unlink()
    (place / "wsgi.py").unlink()
    assert "is there already" not in machine.install_here()
    assert (place / "wsgi.py").exists()
    assert "is there already" in machine.install_here()


@pytest.mark.rule("X-recovery")
@pytest.mark.parametrize(
    ("result", "told"),
    [("success", ""), ("exit-code", "keno-web.service has failed (exit-code)")],
)
def test_a_process_that_ends_as_it_should_not_is_told_of(
    tmp_path: Path, result: str, told: str
) -> None:
    journal = tmp_path / "journal"
    (tmp_path / "systemd-cat").write_text(f'#!/bin/sh\n(echo "$@"; cat) > {journal}\n')
    (tmp_path / "systemd-cat").chmod(0o755)
    path = f"{tmp_path}:{os.environ['PATH']}"
    command = (str(DEPLOY / "tell-failure"), "keno-web.service")
    assert run(*command, PATH=path, SERVICE_RESULT=result).returncode == 0
    assert journal.exists() == bool(told)
    if told:
        assert "--priority=crit" in journal.read_text()
        assert told in journal.read_text()


@pytest.mark.rule("X-recovery")
@pytest.mark.parametrize(
    ("unit", "result", "database", "recorded"),
    [
        (
            "keno-spooler.service",
            "signal",
            "postgresql:///keno",
            "keno process-ended spooler signal",
        ),
        ("keno-spooler.service", "success", "postgresql:///keno", ""),
        ("keno-rng.service", "signal", "", ""),  # which has no database
    ],
)
def test_a_process_that_ends_as_it_should_not_is_recorded_in_the_log(
    tmp_path: Path, unit: str, result: str, database: str, recorded: str
) -> None:
    typed = tmp_path / "typed"
    shutil.copy(DEPLOY / "tell-failure", tmp_path / "tell-failure")
    for name, does in (("systemd-cat", "cat >/dev/null"), ("run", f'echo "$@" > {typed}; exit 1')):
        (tmp_path / name).write_text(f"#!/bin/sh\n{does}\n")
        (tmp_path / name).chmod(0o755)
    path = f"{tmp_path}:{os.environ['PATH']}"
    command = (str(tmp_path / "tell-failure"), unit)
    # Also where it cannot be recorded: that must not keep the process from being started again.
    done = run(*command, PATH=path, SERVICE_RESULT=result, KENO_DATABASE=database)
    assert done.returncode == 0
    assert (typed.read_text().strip() if typed.exists() else "") == recorded


@pytest.mark.rule("X-software-seal")
def test_a_copy_that_was_changed_is_not_switched_to(machine: Machine) -> None:
    file = machine.root / "opt/keno" / machine.version / "wsgi.py"
    ours = file.read_text()
    file.write_text("changed")
    done = machine.install("--root", str(machine.root), "--environment", ".venv")
    file.write_text(ours)
    assert done.returncode == 1
    assert "is not what it was" in done.stderr


def test_what_cannot_be_done_is_said(machine: Machine) -> None:
    done = machine.install("--nonsense")
    assert done.returncode == 2
    assert "usage: deploy/install" in done.stderr
    for script in SCRIPTS:
        assert (DEPLOY / script).stat().st_mode & 0o111
        assert run("sh", "-n", str(DEPLOY / script)).returncode == 0


@pytest.mark.parametrize("script", SCRIPTS)
def test_shellcheck_finds_nothing_wrong_with_a_script(script: str) -> None:
    text = (DEPLOY / script).read_text()
    # Words behind it, and Debian's reads nothing of the whole file.
    assert not re.search(r"# shellcheck disable=\S+ +\S", text)
    reader = program("shellcheck", "shellcheck")
    done = run(reader, "--severity=warning", str(DEPLOY / script))
    assert done.returncode == 0, done.stdout


@pytest.mark.rule("X-access")
def test_a_process_gets_its_own_copy_of_the_keys(tmp_path: Path) -> None:
    keys, further = tmp_path / "keys", tmp_path / "web"
    names = ("log.key", "office.key", "validation-1.key", "validation-2.key")
    for folder, name in (*((keys, name) for name in names), (further, "web.key")):
        folder.mkdir(exist_ok=True)
        (folder / name).write_text(f"the first {name}")
    me = pwd.getpwuid(os.geteuid()).pw_name
    give = str(DEPLOY / "give-keys")
    # Before, it was given all of them.
    assert run(give, me, str(keys), str(further), RUN=str(tmp_path)).returncode == 0
    assert len(list((tmp_path / me / "keys").iterdir())) == 5
    wanted = [str(keys / name) for name in ("log.key", "validation-*.key", "none.key")]
    command = (give, me, *wanted, str(further), str(tmp_path / "empty"))
    assert run(*command, RUN=str(tmp_path)).returncode == 0
    (keys / "log.key").write_text("the second")
    assert run(*command, RUN=str(tmp_path)).returncode == 0
    place = tmp_path / me / "keys"
    assert place.stat().st_mode & 0o777 == 0o700
    assert {path.name: path.read_text() for path in place.iterdir()} == {
        "log.key": "the second",
        "validation-1.key": "the first validation-1.key",
        "validation-2.key": "the first validation-2.key",
        "web.key": "the first web.key",
    }
    assert {path.stat().st_mode & 0o777 for path in place.iterdir()} == {0o400}


KENO = """#!/bin/sh
echo "$@" >> {folder}/asked
case "$1 $2" in
    'backup --out') echo a house > "$3" ;;
    'backup check') grep -q 'a house' "$3" && exit {check} ;;
esac
"""


@pytest.mark.rule("X-recovery")
@pytest.mark.parametrize("check", [0, 1, 3, 5])
def test_old_backups_go_when_the_new_one_was_restored_and_not_before(
    tmp_path: Path, check: int
) -> None:
    keno = tmp_path / "keno"
    keno.write_text(KENO.format(folder=tmp_path, check=check))
    keno.chmod(0o755)
    place = tmp_path / "backups"
    place.mkdir()
    names = ("house-1.backup", "house-1.backup.faulty", "notes.txt", "house-2.backup")
    old, faulty, other, young = (place / name for name in names)
    left = place / "keno-check-interrupted"  # a folder with a whole house in it
    left.mkdir()
    for path, days in ((old, 20), (faulty, 20), (other, 20), (young, 3), (left, 1)):
        path.touch()
        when = path.stat().st_mtime - days * 86_400
        os.utime(path, (when, when))
    done = run(str(DEPLOY / "back-up"), str(place), "14", KENO=str(keno))
    assert done.returncode == bool(check), done.stderr
    assert not left.exists()
    is_untried = check == 5  # the one that is there of it, good or not, stays as it was
    (new,) = set(place.iterdir()) - {old, other, young, *([faulty] if is_untried else [])}
    assert new.name.endswith(".faulty" if check in (1, 3) else ".backup")
    assert old.exists() is bool(check)
    assert other.exists()
    assert young.exists()
    assert faulty.exists() is is_untried
    _, trial = (tmp_path / "asked").read_text().splitlines()
    assert trial.endswith(" --record")
    assert run(str(DEPLOY / "back-up"), str(place), "all", KENO=str(keno)).returncode == 2


def write_script(place: Path, text: str, machine: Machine) -> None:
    """Write a script whose places are in a folder."""
    text = text.replace("/opt/keno/current/deploy/run", str(place.parent / "run"))
    text = re.sub(r"(?<![\w/])/(opt|etc)/keno", rf"{machine.root}/\1/keno", text)
    place.write_text(text if text.startswith("#!") else f"#!/bin/sh\n{text}\n")
    place.chmod(0o755)


@pytest.mark.rule("X-access")
def test_people_call_each_program_as_its_own_user_with_the_settings_of_the_machine(
    machine: Machine, tmp_path: Path
) -> None:
    """With places of the machine in a folder, and somebody else in the place of each user."""
    for name, text in {
        "id": 'echo "$ME"',
        "runuser": 'echo "as $2" >> asked; ME=$2; export ME; shift 3; exec "$@"',
        "keno": (DEPLOY / "keno-console").read_text(),
        "keno-rng": (DEPLOY / "keno-console").read_text(),
        "run": (DEPLOY / "run").read_text(),
    }.items():
        write_script(tmp_path / name, text, machine)
    shutil.copy(PRODUCT / "app/rate_cards/house-card-1.toml", tmp_path / "card.toml")
    path = f"{tmp_path}{os.pathsep}{os.environ['PATH']}"
    kept = {name: text for name, text in os.environ.items() if not name.startswith("KENO_")}

    def called(*words: str) -> "subprocess.CompletedProcess[str]":
        return subprocess.run(  # noqa: S603  our own scripts
            [str(tmp_path / words[0]), *words[1:]],
            cwd=tmp_path,
            env=kept | {"PATH": path, "ME": "root", "PYTHONPATH": str(PRODUCT)},
            capture_output=True,
            text=True,
            check=False,
        )

    assert called("keno", "rate-card", "check", "card.toml").returncode == 0
    # The settings are those of the machine, whose keys nobody has made yet.
    faults = called("keno", "settings")
    assert faults.returncode == 2
    assert f"{machine.root}/etc/keno/keys has no validation key" in faults.stderr
    assert "passed: the draw" in called("keno-rng", "selftest").stdout
    # What people start here themselves leaves no counts where another user's are.
    write_script(tmp_path / "run", "env", machine)
    given = called("keno", "caller").stdout.splitlines()
    assert "KENO_FEED=/events" in given
    assert not [line for line in given if line.startswith("KENO_METRICS=")]
    asked = (tmp_path / "asked").read_text().splitlines()
    assert asked == ["as keno", "as keno", "as keno-rng", "as keno"]
