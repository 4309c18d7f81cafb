"""What must be known of a patron: sealed under a key that is not in the database (X-pay-tax).

The log has a salted hash: whoever holds the name and the salt can show that it is the one that was
written down, and nobody can find the name from it.
"""

from dataclasses import dataclass
from hashlib import sha256

from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from app.audit.canonical import canonical
from app.flow.office import Office

NONCE_BYTES, SALT_BYTES = 12, 32


@dataclass(frozen=True)
class Sealed:
    """Facts about a patron: encrypted for the database, and hashed with their salt for the log."""

    data: bytes
    digest: bytes


def seal_patron(office: Office, facts: dict[str, str]) -> Sealed:
    """Seal facts about a patron."""
    said = {"label": "keno/patron", "salt": office.entropy(SALT_BYTES).hex(), **facts}
    text, nonce = canonical(said), office.entropy(NONCE_BYTES)
    data = nonce + AESGCM(office.keys.patron).encrypt(nonce, text, None)
    return Sealed(data, sha256(text).digest())


def open_patron(office: Office, data: bytes) -> bytes:
    """Return what was sealed, as canonical JSON."""
    return AESGCM(office.keys.patron).decrypt(data[:NONCE_BYTES], data[NONCE_BYTES:], None)
