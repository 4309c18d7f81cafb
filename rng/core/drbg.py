"""HMAC_DRBG of NIST SP 800-90A revision 1, section 10.1.2, with SHA-256 at strength 256.

A pure function of its inputs: entropy and nonce are passed in, so that published vectors pin every
byte. Used twice: by the cycling generator, and to stretch the seed of a draw into numbers.

Wiping: the state is overwritten when it is replaced and when the generator is done, but Python and
the hash library make copies that cannot be reached. So wiping shortens how long a secret lies in
memory; it is no promise that none is left.
"""

import hmac

OUTPUT_BYTES = 32  # of SHA-256
ENTROPY_BYTES_MIN = 32  # table 2: security strength
NONCE_BYTES_MIN = 16  # 8.6.7: half the security strength
REQUEST_BYTES_MAX = 2**16  # table 2: 2^19 bits a request
INPUT_BYTES_MAX = 2**16  # table 2 allows 2^35 bits of any input; nothing here needs more than this
RESEED_INTERVAL = 2**48  # table 2: requests between reseeds


class DrbgRefused(Exception):  # noqa: N818  a limit of the standard, not an error of ours
    """The standard does not allow this call."""


class HmacDrbg:
    """One instance: K, V and the count of requests since the last seed."""

    def __init__(self, entropy: bytes, nonce: bytes, personalization: bytes = b"") -> None:
        _check_entropy(entropy)
        if not NONCE_BYTES_MIN <= len(nonce) <= INPUT_BYTES_MAX:
            raise DrbgRefused(f"a nonce has {NONCE_BYTES_MIN} to {INPUT_BYTES_MAX} bytes")
        _check_input(personalization)
        self._key = bytearray(OUTPUT_BYTES)
        self._value = bytearray(b"\x01" * OUTPUT_BYTES)
        self._update(entropy + nonce + personalization)
        self._requests = 1
        self._is_wiped = False

    def reseed(self, entropy: bytes, additional: bytes = b"") -> None:
        """Mix fresh entropy into the state (10.1.2.4)."""
        if self._is_wiped:
            raise DrbgRefused("the generator was wiped")
        _check_entropy(entropy)
        _check_input(additional)
        self._update(entropy + additional)
        self._requests = 1

    def generate(self, count: int, additional: bytes = b"", fresh: bytes | None = None) -> bytes:
        """Return the next bytes (10.1.2.5); with fresh entropy, prediction resistance (9.3.1)."""
        if not 0 <= count <= REQUEST_BYTES_MAX:
            raise DrbgRefused(f"a request has at most {REQUEST_BYTES_MAX} bytes")
        _check_input(additional)
        if fresh is not None:
            self.reseed(fresh, additional)
            additional = b""
        if self._requests > RESEED_INTERVAL:
            raise DrbgRefused("the generator must be reseeded first")
        if additional:
            self._update(additional)
        key, value = self._key, bytes(self._value)
        blocks = []
        for _ in range(-(-count // OUTPUT_BYTES)):
            value = hmac.digest(key, value, "sha256")
            blocks.append(value)
        self._value[:] = value
        self._update(additional)
        self._requests += 1
        return b"".join(blocks)[:count]

    def wipe(self) -> None:
        """Overwrite the state; the instance then refuses everything."""
        self._key[:] = self._value[:] = bytes(OUTPUT_BYTES)
        self._requests = RESEED_INTERVAL + 1
        self._is_wiped = True

    def _update(self, provided: bytes) -> None:
        """HMAC_DRBG_Update (10.1.2.2): in place, so that the old state is overwritten."""
        for step in (b"\x00", b"\x01") if provided else (b"\x00",):
            self._key[:] = key = hmac.digest(self._key, self._value + step + provided, "sha256")
            self._value[:] = hmac.digest(key, self._value, "sha256")


def _check_entropy(entropy: bytes) -> None:
    if not ENTROPY_BYTES_MIN <= len(entropy) <= INPUT_BYTES_MAX:
        raise DrbgRefused(f"entropy has {ENTROPY_BYTES_MIN} to {INPUT_BYTES_MAX} bytes")


def _check_input(given: bytes) -> None:
    if len(given) > INPUT_BYTES_MAX:
        raise DrbgRefused(f"an input has at most {INPUT_BYTES_MAX} bytes")
