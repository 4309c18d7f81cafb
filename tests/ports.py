"""Ports for servers of the tests' own, none of which anybody else is given meanwhile.

Shares of the tests run beside each other, and a server binds its port some time after it was
chosen, or again after it was killed. So a port is below those that the system gives to whoever
connects, and whoever chose it has it for as long as their process lives.
"""

import socket
from contextlib import ExitStack, suppress
from random import Random

PORTS = range(10_000, 32_000)


def free_port() -> int:
    """Return a port of this machine that nobody listens at."""
    return free_ports(1)


def free_ports(count: int) -> int:
    """Return the first of so many ports of this machine in a row, at none of which anybody listens.

    Raises:
        LookupError: there are none.
    """
    places = PORTS[: len(PORTS) - count : count]
    for first in Random().sample(places, len(places)):  # noqa: S311  not for secrets
        with suppress(OSError), ExitStack() as taken:
            names = [taken.enter_context(socket.socket(socket.AF_UNIX)) for _ in range(count)]
            for port, name in enumerate(names, start=first):
                name.bind(f"\0keno-test-port-{port}")  # in no folder: it goes with its process
                taken.enter_context(socket.create_server(("127.0.0.1", port)))
            for name in names:
                name.detach()
            return first
    raise LookupError("there are no ports left")
