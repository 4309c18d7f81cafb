"""Hashes, key ids and Ed25519 signatures of documents."""

from collections.abc import Iterable
from functools import cache
from hashlib import sha256
from typing import TypeVar

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPublicKey
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    PublicFormat,
    load_der_public_key,
)

from rng.core.canonical import canonical
from rng.core.records import Sealed, Signature

B = TypeVar("B")


class BadSignature(Exception):  # noqa: N818  what was offered is refused
    """A signature that has to be there is missing or wrong."""


def document_hash(body: object) -> str:
    """Return the hash by which other documents name this body."""
    return sha256(canonical(body)).hexdigest()


def public_text(public: Ed25519PublicKey | RSAPublicKey) -> str:
    """Return a public key in DER, in hexadecimal, as documents carry it."""
    return public.public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo).hex()


@cache
def key_id(public: str) -> str:
    """Return the id of a public key: SHA-256 of its DER form.

    There are five keys in a house, and one more at each rotation; each is looked at in every draw.
    """
    return sha256(bytes.fromhex(public)).hexdigest()


def ed25519_key(public: str) -> Ed25519PublicKey:
    """Return the Ed25519 key of a document.

    Raises:
        BadSignature: it is another kind of key, or none.
    """
    key = _load(public)
    if not isinstance(key, Ed25519PublicKey):
        raise BadSignature("the key is not an Ed25519 key")
    return key


def rsa_key(public: str) -> RSAPublicKey:
    """Return the RSA key of a document.

    Raises:
        BadSignature: it is another kind of key, or none.
    """
    key = _load(public)
    if not isinstance(key, RSAPublicKey):
        raise BadSignature("the key is not an RSA key")
    return key


def sign(body: object, private: Ed25519PrivateKey) -> Signature:
    """Return a signature over a canonical body."""
    return {
        "key": key_id(public_text(private.public_key())),
        "signature": private.sign(canonical(body)).hex(),
    }


def seal(body: B, *signers: Ed25519PrivateKey) -> Sealed[B]:
    """Return a body with the signatures of its signers."""
    return {"body": body, "signatures": [sign(body, signer) for signer in signers]}


def check_signatures(sealed: Sealed[B], publics: Iterable[str]) -> str:
    """Check that a body is signed by each of these keys, in this order, and no other.

    Returns:
        The hash of the body.

    Raises:
        BadSignature: it does not.
    """
    wanted = list(publics)
    signatures = sealed["signatures"]
    if [signature["key"] for signature in signatures] != [key_id(public) for public in wanted]:
        raise BadSignature("the signatures are not those of the keys that have to sign")
    message = canonical(sealed["body"])
    for signature, public in zip(signatures, wanted, strict=True):
        try:
            ed25519_key(public).verify(bytes.fromhex(signature["signature"]), message)
        except InvalidSignature:
            raise BadSignature("a signature does not fit its document") from None
    return sha256(message).hexdigest()


@cache
def _load(public: str) -> object:
    """Return a key; as with their ids, there are few."""
    try:
        return load_der_public_key(bytes.fromhex(public))
    except ValueError:
        raise BadSignature("this is no public key") from None
