"""What the drill needs of the machine, found out before anything is started."""

import os
import pwd
import shutil
from pathlib import Path

PROGRAMS = {
    "patroni": "patroni",
    "etcd": "etcd-server",
    "haproxy": "haproxy",
    "ip": "iproute2",
    "setpriv": "util-linux",
}
# What Patroni needs and does not ask for: to speak TLS, and to speak to etcd at all.
LIBRARIES = {"idna": "python3-idna", "etcd": "python3-etcd"}
DEBIAN = Path("/usr/lib/python3/dist-packages")
POSTGRES = Path("/usr/lib/postgresql/15/bin/postgres")


class CannotDrill(Exception):  # noqa: N818  the text is the remedy
    """The drill cannot be held here."""


def check_packages() -> None:
    """Check that everything is here.

    Raises:
        CannotDrill: with what to type.
    """
    if os.geteuid() != 0:
        raise CannotDrill("The drill makes network namespaces: run it as root.")
    missing = {package for program, package in PROGRAMS.items() if shutil.which(program) is None}
    if not POSTGRES.exists():
        missing.add("postgresql-15")
    missing |= {each for name, each in LIBRARIES.items() if not (DEBIAN / name).exists()}
    if missing:
        wanted = " ".join(sorted(missing))
        raise CannotDrill(f"On Debian 12 type: apt-get install --no-install-recommends {wanted}")
    try:
        pwd.getpwnam("postgres")
    except KeyError:
        raise CannotDrill("There is no user postgres; Debian's postgresql-15 makes it.") from None
