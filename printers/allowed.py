"""Where a printer may be: networks and devices that root lists here (X-printer-place).

The database names where a slip goes, and a slip carries the code of a ticket. So the address in the
database is checked against a list that the database cannot change, when a printer is set and again
each time that its device is opened.

A name is resolved once: the address that was checked is the one that is connected to, so that a
name server cannot answer the second question otherwise (DNS rebinding).
"""

import os
import socket
from collections.abc import Sequence
from dataclasses import dataclass
from ipaddress import IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network

# Refused whatever the list says: no printer is there, and services that trust the caller are.
NEVER_NETWORKS = tuple(
    ip_network(network)
    for network in (
        "0.0.0.0/8",
        "100.100.100.200/32",  # metadata services of clouds; 169.254.169.254 is one more
        "168.63.129.16/32",
        "169.254.0.0/16",  # link-local
        "224.0.0.0/4",  # multicast
        "240.0.0.0/4",
        "::/128",
        "fd00:ec2::254/128",
        "fe80::/10",
        "ff00::/8",
    )
)
NEVER_PATHS = ("/proc", "/sys", "/dev/fd", "/dev/mem", "/dev/kmem", "/dev/port")
CUPS = "cups:"


class NotAllowed(Exception):  # noqa: N818  the list of this machine does not have it
    """The address is not on the list of this machine."""


@dataclass(frozen=True)
class Allowed:
    """The networks and devices of this machine's list.

    A device is a path; one that ends in / is a folder with all that is in it, one that ends in *
    begins so. A queue of CUPS is listed as cups:NAME.
    """

    networks: tuple[IPv4Network | IPv6Network, ...] = ()
    devices: tuple[str, ...] = ()

    @classmethod
    def of(cls, networks: Sequence[str], devices: Sequence[str]) -> "Allowed":
        """Return the list that the settings give."""
        return cls(tuple(map(ip_network, networks)), tuple(devices))

    def check(self, address: str) -> None:
        """Check the address of a printer, as it is kept in the database.

        Raises:
            NotAllowed: it is not on the list.
            OSError: its name is not known on this machine.
            UnicodeError: its name cannot be one.
        """
        kind, _, rest = address.partition(":")
        if kind == "tcp":
            host, _, port = rest.partition(":")
            self.hosts(host, int(port or 0))
        elif kind == "cups":
            self.queue(rest)
        else:
            self.real_path(rest.partition(":")[0] if kind == "serial" else rest)

    def hosts(self, host: str, port: int) -> list[str]:
        """Return the addresses that a name has now; every one of them is on the list.

        Raises:
            NotAllowed: one of them is not.
            OSError: the name is not known on this machine.
            UnicodeError: the name cannot be one.
        """
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
        addresses = list(dict.fromkeys(str(place[0]) for *_, place in found))
        if not addresses or not all(map(self._has, addresses)):
            raise NotAllowed
        return addresses

    def _has(self, text: str) -> bool:
        address = ip_address(text)
        if isinstance(address, IPv6Address) and address.ipv4_mapped is not None:
            address = address.ipv4_mapped
        if any(address in network for network in NEVER_NETWORKS):
            return False
        return any(address in network for network in self.networks)

    def real_path(self, path: str) -> str:
        """Return the path that a path leads to, without links; both are on the list.

        Raises:
            NotAllowed: one of them is not.
        """
        real = os.path.realpath(path)
        if not (self._lists(os.path.normpath(path)) and self._lists(real)):
            raise NotAllowed
        return real

    def _lists(self, path: str) -> bool:
        if any(path == never or path.startswith(f"{never}/") for never in NEVER_PATHS):
            return False
        return any(_is_listed(path, entry) for entry in self.devices)

    def queue(self, name: str) -> None:
        """Check a queue of CUPS.

        Raises:
            NotAllowed: it is not on the list.
        """
        if CUPS + name not in self.devices:
            raise NotAllowed


NOWHERE = Allowed()


def _is_listed(path: str, entry: str) -> bool:
    if entry.endswith("/"):
        return path.startswith(entry)
    if entry.endswith("*"):
        return path.startswith(entry[:-1]) and "/" not in path[len(entry) - 1 :]
    return path == entry
