"""The cycling generator: it gives each draw its 32 secret bytes, *r*.

It is instantiated afresh at each start and its state is never stored, so neither a restart nor a
copied disk nor a machine cloned while it was off repeats a stream (X-rng-cycling). It keeps cycling
between games, and is reseeded from the operating system at each draw, so that a state once seen
says nothing about later draws. It takes no input from any statement: *r* is the same whatever was
sold (X-draw-independent).
"""

from typing import NamedTuple

from rng.core.canonical import canonical
from rng.core.drbg import HmacDrbg
from rng.core.entropy import HealthyEntropy, Source

SECRET_BYTES = 32
_ENTROPY_BYTES = 32
_NONCE_BYTES = 16
_INSTANCE_BYTES = 16


class Secret(NamedTuple):
    """What one draw gets, and where in which stream it was taken."""

    value: bytes
    instance: str
    requests: int
    reseeds: int


class CyclingGenerator:
    """An HMAC_DRBG over healthy entropy that never stands still."""

    def __init__(self, source: Source, house: str, device: str, software: str) -> None:
        """Instantiate with entropy, nonce, and who and what is drawing.

        Raises:
            EntropyFailed: the source failed its start-up test.
        """
        self._entropy = HealthyEntropy(source)
        self.instance = self._entropy.take(_INSTANCE_BYTES).hex()
        personalization = {
            "device": device,
            "house": house,
            "instance": self.instance,
            "label": "keno/generator",
            "software": software,
            "version": 1,
        }
        self._drbg = HmacDrbg(
            self._entropy.take(_ENTROPY_BYTES),
            self._entropy.take(_NONCE_BYTES),
            canonical(personalization),
        )
        self.requests = self.reseeds = 0

    def cycle(self) -> None:
        """Move on by one request and forget it: what the generator does between games."""
        self._drbg.generate(SECRET_BYTES)
        self.requests += 1

    def secret(self) -> Secret:
        """Reseed and return the 32 bytes of one draw.

        Raises:
            EntropyFailed: the source failed a health test; no draw may start.
        """
        self._drbg.reseed(self._entropy.take(_ENTROPY_BYTES))
        self.reseeds += 1
        value = self._drbg.generate(SECRET_BYTES)
        self.requests += 1
        return Secret(value, self.instance, self.requests, self.reseeds)

    def raw(self, count: int) -> bytes:
        """Return generator output for the laboratory (X-rng-lab); no draw uses it."""
        self._drbg.reseed(self._entropy.take(_ENTROPY_BYTES))
        self.reseeds += 1
        self.requests += 1
        return self._drbg.generate(count)

    def wipe(self) -> None:
        """Overwrite the state as far as Python allows."""
        self._drbg.wipe()
