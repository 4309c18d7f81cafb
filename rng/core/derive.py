"""From the intent and its mark to the twenty numbers: derivation version 1.

A function of two published values, so that anyone can repeat it (X-draw-public). Neither R, which
fixes the intent first, nor I, whose mark is the only one there is, has a choice left here
(X-draw-unpredictable). Changing what it
computes is a new derivation version.
"""

import struct
from collections.abc import Iterator
from hashlib import sha512

from rng.core.canonical import canonical
from rng.core.drbg import HmacDrbg
from rng.core.select import select

DERIVATION = 1
SEED_LABEL = "keno/draw-seed"
WORDS_A_CALL = 32  # each generate call asks for 64 bytes: 32 words, the high byte first
_CALL = struct.Struct(f">{WORDS_A_CALL}H")


def draw_seed(intent_hash: str, mark: str) -> bytes:
    """Return the 64 bytes that decide the draw: SHA-512 of the canonical seed document."""
    return sha512(
        canonical({"intent": intent_hash, "label": SEED_LABEL, "mark": mark, "version": DERIVATION})
    ).digest()


def draw_numbers(intent_hash: str, mark: str) -> tuple[int, ...]:
    """Return the twenty numbers, in the order drawn.

    Args:
        intent_hash: SHA-256 of the canonical intent, in hexadecimal.
        mark: the inspector's signature over the canonical intent, in hexadecimal.
    """
    seed = draw_seed(intent_hash, mark)
    stream = HmacDrbg(entropy=seed[:32], nonce=seed[32:48], personalization=seed[48:])
    numbers = select(_words(stream))
    stream.wipe()
    return numbers


def _words(stream: HmacDrbg) -> Iterator[int]:
    while True:
        yield from _CALL.unpack(stream.generate(_CALL.size))
