"""The operating system's entropy, and the health tests that stand before it (X-rng-entropy).

There is one source and no fallback. Each byte passes the two continuous tests of SP 800-90B,
section 4.4, before it is used; a source that fails once is refused for as long as it lives, and
the process locks out. The tests gate what goes *into* the generator. They never see an outcome,
so none can be discarded because of them.

The cutoffs are set for bytes of 8 bits of entropy, at a false-alarm rate of 2^-40: a byte for the
first test, a window for the second. At 32 bytes a draw and a draw a minute, a healthy house sees a
false alarm once in some 60,000 years. The tests stand on what the operating system gives, which it
has conditioned: they notice a source that is stuck or broken, and say nothing of its noise.
"""

import os
from collections.abc import Callable

Source = Callable[[int], bytes]

REPETITIONS_MAX = 5  # the 6th equal byte in a row fails: (1/256)^5 = 2^-40
WINDOW = 512  # the adaptive proportion test's window for bytes
PROPORTION_MAX = 19  # the 20th occurrence fails: P(Binomial(511, 1/256) >= 19) < 2^-40
STARTUP_BYTES = 1024  # 4.3, item 4: this many are tested, and not used, at each start


class EntropyFailed(Exception):  # noqa: N818  the source's failure, not an error of ours
    """The source is not to be trusted; nothing may be drawn from it."""


def operating_system(count: int) -> bytes:
    """Return bytes from the operating system's generator, waiting until it is seeded."""
    return os.urandom(count)


class HealthyEntropy:
    """A source behind its health tests."""

    def __init__(self, source: Source) -> None:
        """Test the source before its first use (SP 800-90B, 4.3)."""
        self._source = source
        self._failure: str | None = None
        self._last: int | None = None
        self._repetitions = 0
        self._watched: int | None = None
        self._seen = self._occurrences = 0
        self._block = b""
        self.take(STARTUP_BYTES)

    def take(self, count: int) -> bytes:
        """Return tested bytes.

        Raises:
            EntropyFailed: the source failed a test, now or earlier, or gave too little.
        """
        if self._failure is None:
            block = self._source(count)
            self._failure = self._fault(block, count)
            if self._failure is None:
                return block
        raise EntropyFailed(self._failure)

    def _fault(self, block: bytes, count: int) -> str | None:
        if len(block) != count:
            return "the entropy source gave another number of bytes"
        # Beyond the standard: a source that gives the same block twice in a row fails at once.
        if block == self._block:
            return "the entropy source repeated a block"
        self._block = block
        for byte in block:
            if byte == self._last:
                self._repetitions += 1
                if self._repetitions > REPETITIONS_MAX:
                    return "the entropy source failed the repetition count test"
            else:
                self._last, self._repetitions = byte, 1
            if not self._seen:
                self._watched, self._occurrences = byte, 0
            if byte == self._watched:
                self._occurrences += 1
                if self._occurrences > PROPORTION_MAX:
                    return "the entropy source failed the adaptive proportion test"
            self._seen = (self._seen + 1) % WINDOW
        return None
