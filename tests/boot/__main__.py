"""`make boot`: the page for installing is followed on a machine with systemd, all of it on one.

Everything up to the last process is typed as it stands there, and the units are started by systemd
as the first process of a machine, in their walls. Then every process is killed, what the timers
start is run and made to fail, and the power is cut. It ends with a table, and with 1 if anything is
not as the page says.

What it cannot show, because the kernel is not the machine's own: that the clock is waited for, that
limits of memory hold, and that printers are found which are plugged in.
"""

import re
import shutil
import subprocess
import sys
import time
import tomllib
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from tempfile import mkdtemp

from tests.boot.machine import CannotBoot, Failed, Machine, check_programs
from tests.doc_blocks import ROOT, blocks

NAMES = {
    "keno.example": "10.0.0.2",
    "web1.keno.example": "10.0.0.11",
    "db1.keno.example": "10.0.0.21",
    "rng.keno.example": "10.0.0.31",
    "inspector.keno.example": "10.0.0.32",
}
HOUSE = ("keno-web", "keno-feed", "keno-caller", "keno-spooler", "keno-reporter")
KEYED = ("keno-rng", "keno-inspector")
TIMED = ("keno-backup", "keno-verify", "keno-certificates")
INTERVAL_SECONDS = 30
BACK_SECONDS = 120.0
PASSPHRASE = "the authority is put away"  # noqa: S105  a machine's that is thrown away
UNTIL = "deploy/install --beside"  # the first line on bringing it up to date
# Lines that a rehearsal on one machine has no use for: other machines, packages that are there, a
# clock that it cannot set, and which certificates are whose: here they are those of the house.
LEFT_OUT = re.compile(
    r"apt-get |.*\b(db2|web2|witness)\.|systemctl enable chrony-wait|echo .CERTIFICATES="
)
# What an operator writes into the settings, and into the file of the proxy.
SETTINGS = r"""
sed -i 's/host=db1.keno.example,db2.keno.example&port=5432,5432/host=db1.keno.example\&port=5432/' \
    /etc/keno/*.env /media/out/owner.env
sed -i "s/^KENO_PROXIES=.*/KENO_PROXIES='10.0.0.11'/" /etc/keno/house.env
sed -i "s,^PRINTER=.*,PRINTER='file:/var/lib/keno-rng/paper.txt'," /etc/keno/rng.env
"""
FEW_BROWSERS = "sed -i 's/maxconn 20000/maxconn 400/' /etc/haproxy/haproxy.cfg"
LOOK = """/opt/keno/current/.venv/bin/python - <<'end'
import json, ssl, urllib.request
trusted = ssl.create_default_context(cafile="/etc/keno/authorities.pem")
url = "https://keno.example/results.json"
games = json.load(urllib.request.urlopen(url, context=trusted, timeout=5))["games"]
print(sum(game["state"] == "certified" for game in games))
end"""


def main() -> int:
    """Make the machine, follow the page, and break what it has."""
    folder = Path(mkdtemp(prefix="keno-boot-"))
    machine = Machine(folder, NAMES)
    try:
        check_programs()
        say("Debian 12 is installed in a folder ...")
        page = [block.text for block in blocks() if block.page == "installing.md"]
        machine.make(set(packages(page)))
        bring_product(machine.root)
        machine.boot()
        follow(machine, page)
        break_everything(machine)
    except CannotBoot as remedy:
        say(str(remedy))
        return 2
    except (Failed, TimeoutError) as fault:
        say(str(fault), f"Its logs are in {folder}.")
        keep_journal(machine)
        return 1
    finally:
        machine.remove()
    shutil.rmtree(folder)
    say("All is as the page says.")
    return 0


def packages(page: list[str]) -> Iterator[str]:
    """Return the packages that the page has installed."""
    for names in re.findall(r"^apt-get install --yes (.*)$", "\n".join(page), re.MULTILINE):
        yield from names.split()


def bring_product(root: Path) -> None:
    """Bring the product to the machine, and wheels, as it has no network."""
    ignored = shutil.ignore_patterns(".venv", ".git", "__pycache__", ".*_cache", "*.egg-info")
    shutil.copytree(ROOT, root / "srv/keno", ignore=ignored, symlinks=True)
    wheels = ["--only-binary", ":all:", "-r", str(ROOT / "requirements.txt")]
    wanted = ["download", "-qq", "--require-hashes", *wheels, "-d", str(root / "media/wheels")]
    done = subprocess.run([sys.executable, "-m", "pip", *wanted], check=False)  # noqa: S603  pip
    if done.returncode != 0:
        raise CannotBoot("The wheels of requirements.txt could not be fetched.")


# ---- the page ------------------------------------------------------------------------------------


def follow(machine: Machine, page: list[str]) -> None:
    """Type what the page says, from the software to the proxy."""
    say("The page is followed ...")
    for line in lines_of(page):
        if "/media/out/owner.env /etc" in line:
            machine.run(SETTINGS)
        elif line.startswith("install --directory --owner=keno-rng"):
            found(machine)
        elif line == "systemctl restart haproxy":
            machine.run(FEW_BROWSERS)
        machine.run(line, f"{PASSPHRASE}\n")
        if line == "systemctl enable --now keno-rng":
            unlock(machine, *KEYED)
            open_games(machine)


def lines_of(page: list[str]) -> Iterator[str]:
    """Return the lines that are typed; one that sets the path holds for its block."""
    for text in page:
        if text.startswith(UNTIL):
            return
        exported = ""
        for line in text.splitlines():
            if line.startswith("export "):
                exported = f"{line}; "
            elif not LEFT_OUT.match(line):
                installed = "deploy/install --wheels /media/wheels"
                yield exported + (installed if line == "deploy/install" else line)


def found(machine: Machine) -> None:
    """Found the house of the page for running one, and hold the ceremony."""
    running = (ROOT / "docs/running.md").read_text()
    plan = re.findall(r"```toml\n(.*?)```", running, re.DOTALL)[0]
    (machine.root / "srv/plan.toml").write_text(plan)
    machine.run("keno house found /srv/plan.toml && cp app/rate_cards/house-card-1.toml /srv/card")
    for person in tomllib.loads(plan)["staff"]:
        chosen = f"{person['secret']}\n{secret(person['name'].split()[0])}"
        machine.run(f"keno house secret --as '{person['name']}'", chosen)
    machine.run("keno card bring /srv/card --as 'Sam Super'", secret("Sam"))
    for name in ("Sam Super", "Max Manager"):
        accept = f"keno card accept $(sha256sum /srv/card | cut -c 1-64) --as '{name}'"
        machine.run(accept, secret(name.split()[0]))
    machine.run(
        "keno card force $(sha256sum /srv/card | cut -c 1-64) --as 'Sam Super'", secret("Sam")
    )
    machine.run("keno house terms && cp -r /etc/keno/public /media/public")
    for role, holders in (("rng", "Sam Sue"), ("inspector", "Ida Ivan"), ("rng", "Sam")):
        place, user = f"/var/lib/keno-{role}", f"keno-{role}"
        machine.run(f"install --directory --owner={user} --mode=0755 {place}/public")
        machine.run(f"install --owner={user} --mode=0644 /media/public/* {place}/public/")
        named = " ".join(f"--holder {name}" for name in holders.split())
        typed = "".join(passphrase(name) for name in holders.split())
        machine.run(f"{user} keygen --dir {place} --public {place}/public {named}", typed)
        machine.run(f"install --mode=0644 {place}/public/* /media/public/")
    machine.run("install --owner=keno --mode=0644 /media/public/* /etc/keno/public/")


def unlock(machine: Machine, *units: str) -> None:
    """Have a holder of each key unlock."""
    for unit in units:
        holder = {"keno-rng": "Sam", "keno-inspector": "Ida"}[unit]
        command = f"{unit} unlock --dir /var/lib/{unit} --holder {holder}"
        machine.run(f"timeout 60 sh -c 'until [ -S /run/{unit}/service.sock ]; do sleep 0.2; done'")
        machine.run(command, passphrase(holder))


def open_games(machine: Machine) -> None:
    """Have games every half a minute."""
    machine.run(f"keno game every M {INTERVAL_SECONDS} --as 'Sam Super'", secret("Sam"))
    machine.run("keno game open M --as 'Sam Super'", secret("Sam"))


def secret(name: str) -> str:
    """Return the secret that somebody of the plan has chosen, as it is typed."""
    return f"a secret of {name}'s own\n"


def passphrase(name: str) -> str:
    """Return the passphrase of a holder, as it is typed."""
    return f"the passphrase of {name}\n"


# ---- what can happen to it -----------------------------------------------------------------------


def break_everything(machine: Machine) -> None:
    """Look at every unit, kill each, fail what the timers start, and cut the power."""
    units = "find /etc/systemd/system -maxdepth 1 -type f -name '*keno*'"
    machine.run(f"systemd-analyze verify $({units})")
    certified = wait_until_well(machine, 0)
    say("A game was opened, locked, drawn and certified by units of systemd.", "")
    say(f"{'Unit':20}{'memory (MB)':>12}{'killed, back after (s)':>24}")
    for unit in (*HOUSE, *KEYED):
        memory = machine.memory_mb(unit)
        say(f"{unit:20}{memory:12}{kill(machine, unit):24.1f}")
    kill_worker(machine)
    unlock(machine, *KEYED)
    for unit in TIMED:
        machine.run(f"systemctl start {unit}")
    fail_backup(machine)
    wait_until_well(machine, certified)
    machine.cut_power()
    say(f"The power was cut; all was started {machine.boot():.1f} s after it came back.")
    unlock(machine, *KEYED)
    wait_until_well(machine, certified + 1)
    machine.run("keno books && keno log verify")


def kill(machine: Machine, unit: str) -> float:
    """Kill a process; return after how many seconds systemd has it again, having told of it."""
    before, told = machine.shown(unit, "MainPID"), len(machine.lines_of_failure())
    began = time.monotonic()
    machine.run(f"kill -9 {before}")
    wait_for(
        f"{unit} to be there again",
        lambda: (
            machine.shown(unit, "ActiveState") == "active"
            and machine.shown(unit, "MainPID") not in {before, "0"}
        ),
    )
    back = time.monotonic() - began
    lines = machine.lines_of_failure()[told:]
    if not any(f"{unit}.service has failed (signal)" in line for line in lines):
        raise Failed(f"{unit} was killed, and the journal tells nobody: {lines}")
    return back


def kill_worker(machine: Machine) -> None:
    """Kill a worker of the web process, which starts another itself, and see that it is told."""
    first = machine.shown("keno-web", "MainPID")
    told = "journalctl --boot --unit=keno-web --priority=crit --output=cat"
    lines = len(machine.run(told).splitlines())
    machine.run(f"kill -9 $(pgrep --newest --parent {first})")
    wait_for(
        "the death of a worker to be told", lambda: len(machine.run(told).splitlines()) > lines
    )
    if machine.shown("keno-web", "MainPID") != first:
        raise Failed("of a worker that died the whole web process ended")


def fail_backup(machine: Machine) -> None:
    """Have a backup fail, and see that it is told."""
    told = len(machine.lines_of_failure())
    machine.run("systemctl stop postgresql@15-trial")
    if succeeds(machine, "systemctl start keno-backup"):
        raise Failed("a backup that could not be tried did not fail")
    wait_for("the failure to be told", lambda: len(machine.lines_of_failure()) > told)
    machine.run("systemctl start postgresql@15-trial")
    machine.run("systemctl start keno-backup")


def wait_until_well(machine: Machine, certified: int) -> int:
    """Wait until all units are there, nothing is amiss, and more games were certified."""
    for unit in (*HOUSE, *KEYED, "postgresql@15-main", "postgresql@15-trial", "haproxy"):
        wait_for(unit, partial(succeeds, machine, f"systemctl is-active {unit}"))
    wait_for("all alarms to end", lambda: succeeds(machine, "keno alarms"))
    wait_for("a game to be certified", lambda: games_certified(machine) > certified)
    return games_certified(machine)


def games_certified(machine: Machine) -> int:
    """Return how many games a browser sees that were drawn and certified."""
    try:
        return int(machine.run(LOOK))
    except Failed:
        return -1


def succeeds(machine: Machine, line: str) -> bool:
    """Whether a line ends well."""
    try:
        machine.run(line)
    except Failed:
        return False
    return True


def wait_for(what: str, is_so: Callable[[], bool]) -> None:
    """Wait for something, and not for ever."""
    end = time.monotonic() + BACK_SECONDS
    while not is_so():
        if time.monotonic() > end:
            raise TimeoutError(f"{what}: waited {BACK_SECONDS:.0f} s in vain")
        time.sleep(0.2)


def keep_journal(machine: Machine) -> None:
    """Keep what the machine said, for whoever looks into it."""
    if (said := machine.root / "var/log/journal").exists():
        shutil.copytree(said, machine.folder / "journal")


def say(*lines: str) -> None:
    """Say something on the screen."""
    sys.stdout.write("".join(f"{line}\n" for line in lines))
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
