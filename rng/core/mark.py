"""The mark: the inspector's RSA signature over the canonical intent, which completes the seed.

RSA-3072 with e = 65537, PKCS #1 v1.5, SHA-256 (RFC 8017, 8.2). For a given key and message there
is exactly one such signature, so the inspector can give it or withhold it, but not choose it.
Ed25519 and ECDSA would not do: their signer can make any number of valid signatures of one message.

Uniqueness needs x -> x^e mod n to be a permutation of all of Z_n, which a dishonest key need not
give: if e divides p - 1 for a prime p of n, a message has e signatures or none; if p^2 divides n,
messages that are 0 mod p^2 have p. The ceremony shows that neither is so (Goldberg, Reyzin, Sagga
and Baldimtsi, "Efficient Noninteractive Certification of RSA Moduli and Beyond", 2019): the key's
owner takes roots, with exponent e * n, of challenges derived from the public key. In the first case
at most one unit in e has such a root, in the second at most one in p; and as n has no factor up to
e, sixteen roots leave a modulus that is not what it must be a chance of at most 2^-256.

Beside that a mark must be a unit itself: `check_mark` refuses one that shares a factor with n.
"""

from functools import cache
from hashlib import sha256, shake_256
from math import gcd

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.padding import PKCS1v15
from cryptography.hazmat.primitives.asymmetric.rsa import (
    RSAPrivateKey,
    RSAPrivateNumbers,
    RSAPublicKey,
)
from cryptography.hazmat.primitives.hashes import SHA256

MODULUS_BITS = 3072
MARK_BYTES = MODULUS_BITS // 8
EXPONENT = 65537
CHALLENGES = 16


class MarkFailed(Exception):  # noqa: N818  what was offered is refused
    """The mark, or the key that is to make it, is not what it has to be."""


def make_mark(private: RSAPrivateKey, intent: bytes) -> str:
    """Return the one mark of a canonical intent, in hexadecimal."""
    return private.sign(intent, PKCS1v15(), SHA256()).hex()


def mark_hash(mark: str) -> str:
    """Return the hash by which the next intent names a mark."""
    return sha256(bytes.fromhex(mark)).hexdigest()


def check_mark(public: RSAPublicKey, intent: bytes, mark: str) -> None:
    """Check that this is the mark of a canonical intent.

    Raises:
        MarkFailed: it is not.
    """
    try:
        public.verify(bytes.fromhex(mark), intent, PKCS1v15(), SHA256())
    except (InvalidSignature, ValueError):
        raise MarkFailed("the mark is not the inspector's signature over the intent") from None
    if gcd(int(mark, 16), public.public_numbers().n) != 1:
        raise MarkFailed("the mark shares a factor with the modulus")


def check_mark_key(public: RSAPublicKey) -> None:
    """Check the form of a mark key: its size, its exponent, no factor up to the exponent.

    Raises:
        MarkFailed: it is not of that form.
    """
    numbers = public.public_numbers()
    if numbers.n.bit_length() != MODULUS_BITS or numbers.e != EXPONENT:
        raise MarkFailed(f"a mark key has {MODULUS_BITS} bits and the exponent {EXPONENT}")
    if _has_small_factor(numbers.n):
        raise MarkFailed("the modulus of the mark key has a small factor")


@cache  # as below: the same key comes along again and again
def _has_small_factor(modulus: int) -> bool:
    return any(modulus % divisor == 0 for divisor in range(2, EXPONENT + 1))


def show_permutation(private: RSAPrivateKey) -> list[str]:
    """Return the roots, with exponent e * n, of the challenges that the public key derives."""
    numbers = private.private_numbers()
    modulus = numbers.public_numbers.n
    roots = (_root(challenge, numbers) for challenge in _challenges(modulus))
    return [root.to_bytes(MARK_BYTES).hex() for root in roots]


def _root(challenge: int, numbers: RSAPrivateNumbers) -> int:
    """Return a root with exponent e * n: one for each prime, put together (RFC 8017, 5.1.2)."""
    exponent = EXPONENT * numbers.public_numbers.n
    at_p, at_q = (
        pow(challenge, pow(exponent, -1, prime - 1), prime) for prime in (numbers.p, numbers.q)
    )
    root = at_q + numbers.q * ((at_p - at_q) * numbers.iqmp % numbers.p)
    # A root that is right for one prime only, by a fault of the machine, would give the key away.
    if any(pow(root, exponent, prime) != challenge % prime for prime in (numbers.p, numbers.q)):
        raise MarkFailed("a root was not worked out rightly")
    return root


def check_permutation(public: RSAPublicKey, roots: list[str]) -> None:
    """Check that a key of the right form defines a permutation.

    Raises:
        MarkFailed: it was not shown.
    """
    check_mark_key(public)
    if not _is_shown(public.public_numbers().n, tuple(roots)):
        raise MarkFailed("the mark key was not shown to be a permutation")


@cache  # the same key is checked whenever a journal, a handover or a ceremony brings it along
def _is_shown(modulus: int, roots: tuple[str, ...]) -> bool:
    challenges = _challenges(modulus)
    if any(gcd(challenge, modulus) != 1 for challenge in challenges):
        return False
    return len(roots) == CHALLENGES and all(
        pow(int(root, 16), EXPONENT * modulus, modulus) == challenge
        for root, challenge in zip(roots, challenges, strict=True)
    )


def _challenges(modulus: int) -> list[int]:
    """Return the challenges: SHAKE256 of the modulus and a counter, 128 bits longer, reduced."""
    start = b"keno/mark-key-challenge/1" + modulus.to_bytes(MARK_BYTES)
    digests = (
        shake_256(start + bytes([count])).digest(MARK_BYTES + 16) for count in range(CHALLENGES)
    )
    return [int.from_bytes(digest) % modulus for digest in digests]
