"""What the tests need beside Python, shown before the first of them runs.

    python -m tests.needs            # for `make test`
    python -m tests.needs machine    # for `make machine`: as root, with programs of the system

Whatever is missing is installed where that is possible: Debian's packages as root, the wheel of
PostgreSQL and Playwright's own browser as any user. What is missing even then is named with its
remedy, and no test is begun.
"""

import os
import shutil
import sys
from collections.abc import Callable, Mapping
from functools import partial

from tests.browser.chromium import chromium
from tests.deploy.programs import program
from tests.postgres import server_programs

Find = Callable[[], object]

DAILY: Mapping[str, Find] = {
    "PostgreSQL": server_programs,
    "Chromium": chromium,
    **{name: partial(program, name, name) for name in ("bash", "curl", "git", "openssl")},
}
# Each program of the system that a test with the mark `machine` runs, with Debian's packages of it.
PROGRAMS: Mapping[str, tuple[str, ...]] = {
    "envsubst": ("gettext-base",),
    "etcd": ("etcd-server",),
    "etcdctl": ("etcd-client",),
    "haproxy": ("haproxy",),
    "patroni": ("patroni", "python3-idna"),
    "shellcheck": ("shellcheck",),
    "systemd-analyze": ("systemd",),
    "systemd-sysusers": ("systemd",),
    "systemd-tmpfiles": ("systemd",),
}
MACHINE: Mapping[str, Find] = {
    "PostgreSQL": server_programs,
    **{name: partial(program, name, *packages) for name, packages in PROGRAMS.items()},
}


def main(arguments: list[str]) -> int:
    """Show where each program is; 1 if one is missing and cannot be installed."""
    is_machine = arguments == ["machine"]
    if is_machine and (remedy := machine_remedy()) is not None:
        sys.stderr.write(f"{remedy}\n")
        return 1
    faults = missing(MACHINE if is_machine else DAILY)
    for fault in faults:
        sys.stderr.write(f"{fault}\n")
    return 1 if faults else 0


def machine_remedy() -> str | None:
    """Return why `make machine` cannot run here, and what to do; None if it can."""
    if os.geteuid() != 0:
        return (
            "`make machine` needs root: it makes users and starts servers. Type: sudo make machine"
        )
    if shutil.which("apt-get") is None:
        return "`make machine` needs Debian or Ubuntu, whose packages it installs."
    return None


def missing(needs: Mapping[str, Find]) -> list[str]:
    """Find or install each program, say where it is, and return the remedies of the others."""
    faults = []
    for name, find in needs.items():
        try:
            print(f"{name:<17} {find()}", flush=True)  # noqa: T201  the user reads this
        except RuntimeError as fault:
            faults.append(str(fault))
    return faults


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
