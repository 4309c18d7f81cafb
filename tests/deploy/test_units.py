"""The units of systemd: sound, walled in, and in step with users, folders and settings."""

import re
import shlex
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

import app.cli
import app.house
import rng.cli
from app.flow.keys import Key
from app.settings import DEFAULTS, read_settings
from rng.serve.printer import printer_at
from rng.serve.protocol import Address
from tests.deploy.conftest import Machine
from tests.deploy.installing import rows
from tests.deploy.programs import program
from tests.deploy.units import DEPLOY, SERVICES, environment

pytestmark = pytest.mark.machine
EXPOSURE_MOST = 20  # of a hundred, as systemd counts what a process could do to its machine
SYSTEM_UNITS = Path("/usr/lib/systemd/system")
# What every process has, but for those that say why not.
WALLS = {
    "NoNewPrivileges=yes",
    "CapabilityBoundingSet=",
    "AmbientCapabilities=",
    "PrivateTmp=yes",
    "PrivateDevices=yes",
    "PrivateMounts=yes",
    "PrivateUsers=yes",
    "ProtectSystem=strict",
    "ProtectHome=yes",
    "ProtectClock=yes",
    "ProtectControlGroups=yes",
    "ProtectHostname=yes",
    "ProtectKernelLogs=yes",
    "ProtectKernelModules=yes",
    "ProtectKernelTunables=yes",
    "ProtectProc=invisible",
    "ProcSubset=pid",
    "RestrictNamespaces=yes",
    "RestrictRealtime=yes",
    "RestrictSUIDSGID=yes",
    "RemoveIPC=yes",
    "LockPersonality=yes",
    "MemoryDenyWriteExecute=yes",
    "KeyringMode=private",
    "SystemCallArchitectures=native",
    "SystemCallFilter=@system-service",
    "LimitCORE=0",
    "MemorySwapMax=0",
    "UMask=0077",
}
OPENINGS = {
    "keno-spooler": {"PrivateDevices=yes", "PrivateUsers=yes", "UMask=0077"},  # printers, counts
    # The pages read what these write: reports, and counts.
    "keno-reporter": {"UMask=0077"},
    "keno-web": {"UMask=0077"},
    "keno-caller": {"UMask=0077"},
    "keno-feed": {"UMask=0077"},
}


def settings_of(unit: Path) -> list[tuple[str, str]]:
    lines = [line for line in unit.read_text().splitlines() if re.match(r"[A-Za-z]+=", line)]
    return [(line.split("=", 1)[0], line.split("=", 1)[1]) for line in lines]


def values(unit: Path, name: str) -> list[str]:
    return [value for each, value in settings_of(unit) if each == name]


def files_of(unit: Path) -> list[Path]:
    """The environment files that a unit needs; without one with a dash it does."""
    needed = [file for file in values(unit, "EnvironmentFile") if not file.startswith("-")]
    return [DEPLOY / "etc" / Path(file).name for file in needed]


@pytest.mark.rule("X-recovery")
def test_systemd_finds_nothing_wrong_with_any_unit(machine: Machine) -> None:
    analyze = program("systemd-analyze", "systemd")
    units = machine.root / "usr/lib/systemd/system"
    if not units.exists():  # those that ours lean on
        shutil.copytree(SYSTEM_UNITS, units, symlinks=True)
        for name in ("systemd-cat", "kill"):
            place = machine.root / "usr/bin" / name
            place.parent.mkdir(exist_ok=True)
            place.touch(mode=0o755)
    names = [unit.name.replace("@.", "@x.") for unit in machine.units]
    done = subprocess.run(  # noqa: S603  systemd's own program
        [analyze, "verify", f"--root={machine.root}", "--man=no", *names],
        capture_output=True,
        text=True,
        check=False,
    )
    told = [line for line in (done.stdout + done.stderr).splitlines() if "keno" in line]
    assert told == []


@pytest.mark.rule("X-access")
def test_every_process_is_walled_in(machine: Machine) -> None:
    analyze = program("systemd-analyze", "systemd")
    options = ["--offline=yes", f"--root={machine.root}", "--no-pager"]
    for name in (*(unit.name for unit in SERVICES), "failed-keno@x.service"):
        done = subprocess.run(  # noqa: S603  systemd's own program
            [analyze, "security", *options, f"--threshold={EXPOSURE_MOST}", name],
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stdout.splitlines()[-1:]


@pytest.mark.rule("X-access")
@pytest.mark.parametrize("unit", SERVICES, ids=lambda unit: unit.stem)
def test_a_process_has_every_wall_but_those_that_it_says_why_not(unit: Path) -> None:
    said = {f"{name}={value}" for name, value in settings_of(unit)}
    assert WALLS - said == OPENINGS.get(unit.stem, set())
    assert values(unit, "MemoryMax")
    # What systemd starts again never counts as failed, and tells of it by itself.
    if "oneshot" in values(unit, "Type"):
        assert values(unit, "OnFailure") == ["failed-keno@%n.service"]
    else:
        assert values(unit, "ExecStopPost") == ["-/opt/keno/current/deploy/tell-failure %n"]


@pytest.mark.rule("X-access", "X-recovery")
@pytest.mark.parametrize("unit", SERVICES, ids=lambda unit: unit.stem)
def test_a_unit_is_in_step_with_users_folders_and_settings(unit: Path) -> None:
    users = {row[1] for row in rows(DEPLOY / "sysusers.d/keno.conf")}
    folders = {row[1] for row in rows(DEPLOY / "tmpfiles.d/keno.conf")}
    (user,) = values(unit, "User")
    once = "oneshot" in values(unit, "Type")
    assert user == ("keno" if once else unit.stem)
    assert user in users
    assert set(values(unit, "ReadWritePaths")) <= folders
    given = {name for file in files_of(unit) for name in environment(file)}
    text = unit.read_text()
    assert set(re.findall(r"\$\{([A-Z_]+)\}", text)) <= given
    if not once:
        assert values(unit, "Restart") == ["always"]
        assert "time-sync.target" in text  # X-clock
    given_twice = re.findall(r"give-keys \S+ (.*)$", text, re.MULTILINE)
    assert len(set(given_twice)) <= 1  # at the start and at a reload the same
    for given_keys in given_twice:
        for which in given_keys.split():
            assert {which, str(Path(which).parent)} & folders


def own_environment(unit: Path) -> list[str]:
    """What stands in a unit itself of the environment of what it starts."""
    return [word for value in values(unit, "Environment") for word in shlex.split(value)]


@pytest.mark.rule("X-access")
def test_every_folder_with_certificates_is_looked_at_by_one_command() -> None:
    """Of several, those behind one that tells of an end would never be started."""
    unit = DEPLOY / "systemd/keno-certificates.service"
    ((_, *words),) = commands(unit)
    looked_at = set(words[2:])
    folders = {row[1] for row in rows(DEPLOY / "tmpfiles.d/keno.conf")}
    others = {"/etc/keno", "/etc/keno/owner"}  # what is brought for a moment is no machine's own
    assert looked_at == {
        *(folder for folder in folders - others if folder.startswith("/etc/keno")),
        "/etc/keno/authorities.pem",
    }
    # A machine that has others says so in a file of its own, which counts more.
    assert values(unit, "EnvironmentFile") == ["-/etc/keno/certificates.env"]


def commands(unit: Path) -> Iterator[list[str]]:
    """What a unit starts of ours, with its settings filled in."""
    given = dict(word.split("=", 1) for word in own_environment(unit))
    for file in files_of(unit):
        given |= environment(file)
    for name, value in settings_of(unit):
        if name.startswith("Exec") and "/deploy/run " in value:
            filled = re.sub(r"\$\{?([A-Z_]+)\}?", lambda found: given[found[1]], value)
            yield filled.split()[1:]


FILES_OF = {
    Key.VALIDATION: "validation-*.key",
    Key.LOG: "log.key",
    Key.OFFICE: "office.key",
    Key.PATRON: "patron.key",
}
GIVEN = {
    "keno-feed": app.house.FEED,
    "keno-caller": app.house.CALLER,
    "keno-spooler": app.house.SPOOLER,
    "keno-reporter": app.house.REPORTER,
}


@pytest.mark.rule("X-access")
@pytest.mark.parametrize("name", GIVEN)
def test_a_process_is_given_the_keys_that_it_needs_and_no_other(name: str) -> None:
    text = (DEPLOY / "systemd" / f"{name}.service").read_text()
    (given, _) = re.findall(r"give-keys \S+ (.*)$", text, re.MULTILINE)
    files = {Path(which).name for which in given.split() if which.startswith("/etc/keno/keys")}
    needed = {FILES_OF[key] for key in GIVEN[name].keys}
    wanted = needed | {"database.pem", "database.key"}
    assert files == wanted | ({"tls.*"} if GIVEN[name].keyed else set())


BY_SCRIPT = {"keno-backup"}  # what it starts is a script of its own


@pytest.mark.parametrize("unit", SERVICES, ids=lambda unit: unit.stem)
def test_what_a_unit_starts_is_a_command_that_there_is(unit: Path) -> None:
    started = list(commands(unit))
    assert bool(started) == (unit.stem not in BY_SCRIPT)
    for program_, *arguments in started:
        if program_ == "granian":
            assert arguments[-1] == "wsgi:app"
        elif program_ == "keno":
            app.cli._parser().parse_args(arguments)  # noqa: SLF001  which ends the run if not
        else:
            asked = rng.cli._parser(program_.removeprefix("keno-")).parse_args(arguments)  # noqa: SLF001
            assert Address.read(asked.listen).port
            if program_ == "keno-rng":
                assert Address.read(asked.inspector).port
                printer_at(asked.printer)


@pytest.mark.rule("X-access")
def test_the_settings_that_are_installed_can_be_read() -> None:
    given = environment(DEPLOY / "etc/house.env")
    ours = {name: value for name, value in given.items() if name in DEFAULTS}
    settings = read_settings(ours)
    assert settings.rng.startswith("tls:")
    assert settings.proxies
    assert given.keys() - ours.keys() == {"PGSSLROOTCERT"}
    for file, name in (
        ("backup.env", "CHECK_DATABASE"),
        ("owner.env.example", "KENO_ARCHIVE_DATABASE"),
    ):
        read_settings({"KENO_DATABASE": environment(DEPLOY / "etc" / file)[name]})


def test_every_timer_has_its_service() -> None:
    timers = list((DEPLOY / "systemd").glob("*.timer"))
    assert {timer.stem for timer in timers} == {"keno-backup", "keno-certificates", "keno-verify"}
    for timer in timers:
        assert timer.with_suffix(".service") in SERVICES
        assert values(timer, "Persistent") == ["yes"]  # also if the machine was off
