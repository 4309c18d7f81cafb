"""How often one may guess: a bucket of tries that fills up again (X-ticket-validation).

It lives in one process and forgets when that ends; a code has 23 secret digits, so what it keeps
away is not luck but load, and whoever would count our tickets through. Tries at stations are
counted in the database (`access`).
"""

from collections import OrderedDict
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from ipaddress import IPv6Address, ip_address
from threading import Lock

NETWORK_BITS = 64  # of an IPv6 address: what one household, or one guesser, has to itself


def network_of(address: str | None) -> str:
    """Return the address, or of a long one the network, in which there are more than enough."""
    try:
        read = ip_address(address or "")
    except ValueError:
        return ""
    if isinstance(read, IPv6Address) and read.ipv4_mapped is None:
        return str(int(read) >> (128 - NETWORK_BITS))
    return str(read)


@dataclass
class Throttle:
    """Wrong tries by address: so many at once, then one for each time that passes.

    Args:
        tries: how many wrong tries an address has at once.
        one_in: how long it takes until it has one more.
        most: how many addresses are remembered; beyond, the one that was quiet longest is not.
    """

    tries: int
    one_in: timedelta
    most: int = 10_000
    # When an address will have all of its tries again: all that must be remembered of it.
    _full_at: "OrderedDict[str, datetime]" = field(default_factory=OrderedDict)
    _turn: Lock = field(default_factory=Lock)

    def take(self, address: str | None, now: datetime) -> bool:
        """Take one try from an address, before it is made; return whether it had one.

        It is taken first, so that of many tries at the same moment none is for nothing.
        """
        whose = network_of(address)
        with self._turn:
            missing = self._missing(whose, now)
            if missing > self.one_in * (self.tries - 1):
                self._full_at[whose] = now + missing
                return False
            self._full_at[whose] = now + missing + self.one_in
            self._full_at.move_to_end(whose)
            while len(self._full_at) > self.most:
                self._full_at.popitem(last=False)
            return True

    def give_back(self, address: str | None, now: datetime) -> None:
        """Give back a try that was taken: it was not a wrong one."""
        whose = network_of(address)
        with self._turn:
            left = self._missing(whose, now) - self.one_in
            if left > timedelta(0):
                self._full_at[whose] = now + left
            else:
                self._full_at.pop(whose, None)

    def _missing(self, whose: str, now: datetime) -> timedelta:
        """Return how long it takes until an address has all of its tries again.

        It is never longer than all of them take: if the clock was set back, nobody waits for that.
        """
        missing = self._full_at.get(whose, now) - now
        return min(max(missing, timedelta(0)), self.one_in * self.tries)

    def __len__(self) -> int:
        return len(self._full_at)
