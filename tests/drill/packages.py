"""What the drill needs of the machine, there before anything is started."""

import os
import pwd
import shutil
from pathlib import Path

from tests.debian import install_missing

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


def have_packages() -> None:
    """See to it that everything is here; what is missing is installed, if that can be done.

    Raises:
        CannotDrill: with what to type.
    """
    if os.geteuid() != 0:
        raise CannotDrill("The drill makes network namespaces: run it as root.")
    if (remedy := install_missing(missing_packages)) is not None:
        raise CannotDrill(remedy)
    try:
        pwd.getpwnam("postgres")
    except KeyError:
        raise CannotDrill("There is no user postgres; Debian's postgresql-15 makes it.") from None


def missing_packages() -> list[str]:
    """Return which of Debian's packages are not here."""
    missing = {package for program, package in PROGRAMS.items() if shutil.which(program) is None}
    if not POSTGRES.exists():
        missing.add("postgresql-15")
    missing |= {each for name, each in LIBRARIES.items() if not (DEBIAN / name).exists()}
    return sorted(missing)
