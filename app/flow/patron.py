"""What must be known of a patron: sealed under a key that is not in the database (X-pay-tax).

The log has a salted hash: whoever holds the name and the salt can show that it is the one that was
written down, and nobody can find the name from it.
"""

import hmac
from dataclasses import dataclass
from hashlib import sha256

from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from app.audit.canonical import canonical
from app.flow.office import Office
from app.flow.refusals import No, check_no_code, say_no
from app.keno.numbering import printed_number

TEXT_MAX = 100
NONCE_BYTES, SALT_BYTES = 12, 32


@dataclass(frozen=True)
class Patron:
    """Who a patron is, as their document says."""

    name: str
    document: str  # its kind and number


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


def check_patron(patron: Patron | None, no: No, number: int) -> Patron:
    """Return who a patron is.

    Refuses: nobody, or somebody without name or document.
    """
    if patron is None:
        raise say_no(no, "patron", number=printed_number(number))
    for text in (patron.name, patron.document):
        check_no_code(text, "patron")
        if not text.strip() or len(text) > TEXT_MAX or not text.isprintable():
            raise say_no(no, "patron", number=printed_number(number))
    return patron


def seal_identity(office: Office, patron: Patron) -> Sealed:
    """Seal who a patron is."""
    return seal_patron(office, vars(patron))


def told_apart(office: Office, patron: Patron | None) -> str | None:
    """Return by what two patrons are told apart in what is kept for ever: nobody finds a name."""
    if patron is None:
        return None
    return hmac.digest(office.keys.patron, canonical(vars(patron)), "sha256").hex()


def open_patron(office: Office, data: bytes) -> bytes:
    """Return what was sealed, as canonical JSON."""
    return AESGCM(office.keys.patron).decrypt(data[:NONCE_BYTES], data[NONCE_BYTES:], None)
