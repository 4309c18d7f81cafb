"""The laboratory's two collectors, on the production code path (X-rng-lab).

Final outcomes: the secret comes from the production generator, reseeded at each draw, and the
numbers from the production derivation; only the mark is a stand-in, 384 random bytes, because there
is no inspector. Raw bits: what the generator gives, before anything is made of it. What is
collected carries a label of its own, which no process and no verifier accepts.
"""

import os
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

from rng.core.derive import draw_numbers
from rng.core.drbg import REQUEST_BYTES_MAX
from rng.core.entropy import operating_system
from rng.core.generator import CyclingGenerator
from rng.core.mark import MARK_BYTES
from rng.core.signing import document_hash

LABEL = "keno/sample"
DRAWS_A_PART = 5_000


def sample_draws(count: int) -> Iterator[str]:
    """Yield so many draws as text, one a line, 20 numbers in the order drawn.

    Large samples are made by as many processes as there are processors, each with a generator of
    its own, instantiated as every generator is; the parts come in order.
    """
    parts = [DRAWS_A_PART] * (count // DRAWS_A_PART)
    if rest := count % DRAWS_A_PART:
        parts.append(rest)
    if len(parts) <= 1:
        yield from map(sample_part, parts)
        return
    with ProcessPoolExecutor(os.cpu_count(), get_context("spawn")) as workers:
        yield from workers.map(sample_part, parts)


def sample_part(count: int) -> str:
    """Return so many draws as text, from one generator."""
    generator = _generator()
    lines = []
    for _ in range(count):
        secret = generator.secret()
        intent = document_hash(
            {
                "instance": secret.instance,
                "label": LABEL,
                "r": secret.value.hex(),
                "requests": secret.requests,
                "version": 1,
            }
        )
        numbers = draw_numbers(intent, operating_system(MARK_BYTES).hex())
        lines.append(" ".join(map(str, numbers)))
    generator.wipe()
    return "".join(f"{line}\n" for line in lines)


def sample_raw(count: int) -> Iterator[bytes]:
    """Yield so many bytes of the generator's output, in parts."""
    generator = _generator()
    while count:
        part = generator.raw(min(count, REQUEST_BYTES_MAX))
        yield part
        count -= len(part)
    generator.wipe()


def _generator() -> CyclingGenerator:
    return CyclingGenerator(operating_system, LABEL, "laboratory", LABEL)
