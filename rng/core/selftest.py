"""Known answers for everything that decides a number (X-rng-drbg).

Run at each start, on demand, and before the first draw. One wrong answer locks the process out.
The generator's figures are NIST's (CAVP, HMAC_DRBG with SHA-256), the signature's are those of
RFC 8032; the draw's come from a second implementation, which the tests keep.
"""

from collections.abc import Callable

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from rng.core.derive import draw_numbers
from rng.core.drbg import HmacDrbg
from rng.core.entropy import EntropyFailed, HealthyEntropy, Source
from rng.core.select import below


class SelfTestFailed(Exception):  # noqa: N818  a finding, which locks the process out
    """A known answer was not given."""


def self_test() -> tuple[str, ...]:
    """Try every known answer and return their names.

    Raises:
        SelfTestFailed: one of them was not given; the text names it.
    """
    for name, is_given in KNOWN_ANSWERS.items():
        if not is_given():
            raise SelfTestFailed(f"the known answer of {name} was not given")
    return tuple(KNOWN_ANSWERS)


_PLAIN = {
    "entropy": "ca851911349384bffe89de1cbdc46e6831e44d34a4fb935ee285dd14b71a7488",
    "nonce": "659ba96c601dc69fc902940805ec0ca8",
}
_PLAIN_ANSWER = (
    "e528e9abf2dece54d47c7e75e5fe302149f817ea9fb4bee6f4199697d04d5b89d54fbb978a15b5c4"
    "43c9ec21036d2460b6f73ebad0dc2aba6e624abf07745bc107694bb7547bb0995f70de25d6b29e2d"
    "3011bb19d27676c07162c8b5ccde0668961df86803482cb37ed6d5c0bb8d50cf1f50d476aa0458bd"
    "aba806f48be9dcb8"
)
_RESEEDED = {
    "entropy": "633d32e3005f78114723b3ea5ac121ba74aa00c52d939667e30c3351b38549f7",
    "nonce": "37afff504a2d8ac168c68e24d0fe66f6",
    "personalization": "9f1699c99d60b085bc61cb110ef8ab590d82a970021c3c6a5d48021c45de4956",
    "reseed": "3e3347c547f17f4d0b9f46405a54eedd7e980d06a215ec15e89316ab743b7547",
}
_RESEEDED_ANSWER = (
    "6e38e82962d707ce9a6ac383a738a748f975eb785611fad5e3f5a4fe44d7b59a98137a2bcdc35f9e"
    "e9a1e21bb17df1665cd1397625a177247e2e329a660140636141560610a368bfd499c2e25be318aa"
    "4da9e7a352d115db8282ed8d79ecf9cd820360d3d2d1a58a93e040f5554887ce6c9858bc2bb10224"
    "9980a858498abcda"
)
# RFC 8032, 7.1, TEST 1: the empty message.
_ED25519_PUBLIC = "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a"
_ED25519_SIGNATURE = (
    "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bac"
    "c61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b"
)
_DRAW_INTENT = "11" * 32
_DRAW_MARK = "5a" * 384
_DRAW_ANSWER = (45, 65, 75, 68, 9, 71, 21, 47, 37, 52, 66, 46, 14, 4, 6, 80, 59, 60, 50, 57)


def _generator_plain() -> bool:
    drbg = HmacDrbg(bytes.fromhex(_PLAIN["entropy"]), bytes.fromhex(_PLAIN["nonce"]))
    drbg.generate(128)  # CAVP compares the second call
    return drbg.generate(128).hex() == _PLAIN_ANSWER


def _generator_reseeded() -> bool:
    given = {name: bytes.fromhex(figures) for name, figures in _RESEEDED.items()}
    drbg = HmacDrbg(given["entropy"], given["nonce"], given["personalization"])
    drbg.reseed(given["reseed"])
    drbg.generate(128)
    return drbg.generate(128).hex() == _RESEEDED_ANSWER


def _health_tests() -> bool:
    """A source that is stuck, and one that leans to a byte, are both refused."""
    return all(_refused(source) for source in (_stuck, _leaning))


def _stuck(count: int) -> bytes:
    return b"\xaa" * count


def _leaning(count: int) -> bytes:
    return bytes(0 if place % 16 == 0 else place % 251 for place in range(count))


def _refused(source: Source) -> bool:
    try:
        HealthyEntropy(source)
    except EntropyFailed:
        return True
    return False


def _rejection() -> bool:
    """The first word above the largest multiple of 80 is passed over, the one below is taken."""
    return below(80, iter([65520, 65535, 65519])) == 79


def _signature() -> bool:
    public = Ed25519PublicKey.from_public_bytes(bytes.fromhex(_ED25519_PUBLIC))
    try:
        public.verify(bytes.fromhex(_ED25519_SIGNATURE), b"")
    except InvalidSignature:
        return False
    try:
        public.verify(bytes.fromhex(_ED25519_SIGNATURE), b"another message")
    except InvalidSignature:
        return True
    return False


def _draw() -> bool:
    return draw_numbers(_DRAW_INTENT, _DRAW_MARK) == _DRAW_ANSWER


KNOWN_ANSWERS: dict[str, Callable[[], bool]] = {
    "the generator": _generator_plain,
    "the generator with a reseed": _generator_reseeded,
    "the health tests": _health_tests,
    "the rejection of words": _rejection,
    "the signature": _signature,
    "the draw": _draw,
}
