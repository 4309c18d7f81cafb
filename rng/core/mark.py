"""The mark: the inspector's RSA signature over the canonical intent, which completes the seed.

RSA-3072 with e = 65537, PKCS #1 v1.5, SHA-256 (RFC 8017, 8.2). For a given key and message there
is exactly one such signature, so the inspector can give it or withhold it, but not choose it.
Ed25519 and ECDSA would not do: their signer can make any number of valid signatures of one message.

Uniqueness needs x -> x^e mod n to be a permutation, which a dishonest key need not be. The
ceremony shows that it is: the key's owner takes e-th roots of challenges derived from the public
key. As e is prime, a map that is no permutation hits at most one unit in e, so that sixteen roots
leave a cheat a chance below 2^-256.
"""

from hashlib import sha256, shake_256

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.padding import PKCS1v15
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey, RSAPublicKey
from cryptography.hazmat.primitives.hashes import SHA256

MODULUS_BITS = 3072
MARK_BYTES = MODULUS_BITS // 8
EXPONENT = 65537
CHALLENGES = 16
_SMALL_PRIMES_BELOW = 2000


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


def check_mark_key(public: RSAPublicKey) -> None:
    """Check the form of a mark key: its size, its exponent, no small factor.

    Raises:
        MarkFailed: it is not of that form.
    """
    numbers = public.public_numbers()
    if numbers.n.bit_length() != MODULUS_BITS or numbers.e != EXPONENT:
        raise MarkFailed(f"a mark key has {MODULUS_BITS} bits and the exponent {EXPONENT}")
    if any(numbers.n % divisor == 0 for divisor in range(2, _SMALL_PRIMES_BELOW)):
        raise MarkFailed("the modulus of the mark key has a small factor")


def show_permutation(private: RSAPrivateKey) -> list[str]:
    """Return the e-th roots of the challenges that the public key derives."""
    numbers = private.private_numbers()
    modulus = numbers.public_numbers.n
    roots = (pow(challenge, numbers.d, modulus) for challenge in _challenges(modulus))
    return [root.to_bytes(MARK_BYTES).hex() for root in roots]


def check_permutation(public: RSAPublicKey, roots: list[str]) -> None:
    """Check that a key of the right form defines a permutation.

    Raises:
        MarkFailed: it was not shown.
    """
    check_mark_key(public)
    modulus = public.public_numbers().n
    shown = [pow(int(root, 16), EXPONENT, modulus) for root in roots]
    if shown != _challenges(modulus):
        raise MarkFailed("the mark key was not shown to be a permutation")


def _challenges(modulus: int) -> list[int]:
    """Return the challenges: SHAKE256 of the modulus and a counter, 128 bits longer, reduced."""
    start = b"keno/mark-key-challenge/1" + modulus.to_bytes(MARK_BYTES)
    digests = (
        shake_256(start + bytes([count])).digest(MARK_BYTES + 16) for count in range(CHALLENGES)
    )
    return [int.from_bytes(digest) % modulus for digest in digests]
