"""The key ceremony: keys, public keys apart, and the journal with its genesis.

Each role holds its own part, on its own machine, with the public folder carried between them:

1. `keygen` makes the role's keys, under the passphrases of its holders, and adds the public halves
   to the public folder. It never overwrites anything.
2. When the public folder holds every key of the house, `keygen` checks them and creates the
   journal. Its genesis names house, jurisdiction, keys and the first game of each series.

`serve` never creates a journal: a generator without one has never drawn, or has lost it, and the
difference is for people to judge. A lost journal or key takes a handover of the other role.
"""

import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypedDict

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPublicKey, generate_private_key
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    PublicFormat,
    load_der_public_key,
    load_pem_public_key,
)

from rng.core.canonical import canonical
from rng.core.mark import EXPONENT, MODULUS_BITS, MarkFailed, check_permutation, show_permutation
from rng.core.records import (
    GameNumber,
    Genesis,
    Handover,
    House,
    Name,
    OpenGame,
    Role,
    Sealed,
    SeriesCode,
)
from rng.core.shapes import WrongShape, shaped
from rng.core.signing import (
    BadSignature,
    check_signatures,
    document_hash,
    key_id,
    public_text,
    rsa_key,
    seal,
)
from rng.serve.acts import PENDING
from rng.serve.clock import time_text
from rng.serve.journal import MARKER_SUFFIX, create_journal, sync_folder, write_new
from rng.serve.keyed import JOURNAL, KEYS, Surroundings
from rng.serve.keystore import SCRYPT_COST, DamagedKeys, Keystore, OpenKeys, PrivateKey
from rng.serve.tls import PEERS, PUBLIC_SUFFIX, Peers, accept, make_tls

TERMS = "terms.json"
ROOTS = "mark.roots.json"
HOUSE_KEYS = ("office", "log", "rng", "inspector", "mark")
HOLDERS_MIN = 2


class CeremonyFailed(Exception):  # noqa: N818  a refusal, with what to do about it
    """The ceremony cannot go on; the text says why."""


class Terms(TypedDict):
    """What the house brings to the ceremony."""

    label: Literal["keno/terms"]
    version: Literal[1]
    jurisdiction: Name
    house: Name
    log_origin: Name
    series: dict[SeriesCode, GameNumber]


@dataclass(frozen=True)
class Part:
    """One role's part in the ceremony: its own folder, and the public one."""

    role: Role
    folder: Path
    public: Path

    @property
    def keystore(self) -> Keystore:
        """Return the role's key file."""
        return Keystore(self.folder / KEYS)

    @property
    def has_keys(self) -> bool:
        """Whether the keys were made already."""
        return self.keystore.path.exists()

    @property
    def has_journal(self) -> bool:
        """Whether the journal was made already."""
        return (self.folder / JOURNAL).exists()


def make_keys(part: Part, passphrases: dict[str, str], cost: int = SCRYPT_COST) -> None:
    """Make the keys of a role, and put their public halves into the public folder.

    Raises:
        CeremonyFailed: there are too few holders.
        FileExistsError: something of it is there already.
        WeakPassphrase: a passphrase is too short, or shared.
    """
    if len(passphrases) < HOLDERS_MIN:
        raise CeremonyFailed(f"a key has at least {HOLDERS_MIN} named holders")
    part.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    part.public.mkdir(parents=True, exist_ok=True)
    # Before anything is made: keys whose public halves nobody has would be of no use.
    if not os.access(part.public, os.W_OK):
        raise CeremonyFailed(f"{part.public} cannot be written to by this user; nothing was made")
    signing = Ed25519PrivateKey.generate()
    keys: dict[str, PrivateKey] = {"signing": signing}
    exports = {f"{part.role}.pem": public_pem(public_text(signing.public_key()))}
    if part.role == "inspector":
        mark = generate_private_key(EXPONENT, MODULUS_BITS)
        keys["mark"] = mark
        exports["mark.pem"] = public_pem(public_text(mark.public_key()))
        exports[ROOTS] = canonical(show_permutation(mark))
    part.keystore.create(part.role, OpenKeys(keys), passphrases, cost)
    exports[f"{part.role}{PUBLIC_SUFFIX}"] = make_tls(part.folder, part.role)
    for name, data in exports.items():
        write_new(part.public / name, data)
        (part.public / name).chmod(0o644)


def missing_keys(public: Path) -> list[str]:
    """Return what the public folder still lacks before a journal can be made."""
    wanted = [TERMS, ROOTS, *(f"{role}.pem" for role in HOUSE_KEYS)]
    return [name for name in wanted if not (public / name).exists()]


def read_house(public: Path) -> House:
    """Return the house that a public folder describes, checked.

    Raises:
        CeremonyFailed: something in it is missing or not as it must be.
    """
    if missing := missing_keys(public):
        raise CeremonyFailed(f"the public folder has no {', '.join(missing)}")
    try:
        terms = shaped(Terms, json.loads((public / TERMS).read_bytes()))
        keys = {role: read_public(public / f"{role}.pem") for role in HOUSE_KEYS}
        house = {
            **terms,
            "label": "keno/house",
            "keys": keys,
            "mark_key_roots": json.loads((public / ROOTS).read_bytes()),
        }
        checked = shaped(House, house)
        check_permutation(rsa_key(keys["mark"]), checked["mark_key_roots"])
    except (WrongShape, ValueError, BadSignature, MarkFailed) as fault:
        raise CeremonyFailed(f"the public folder is not in order: {fault}") from None
    return checked


def make_journal(
    part: Part,
    holder: str,
    passphrase: str,
    handover: object = None,
    surroundings: Surroundings | None = None,
) -> str:
    """Create the journal of a role with its genesis, and return the hash of the house.

    Raises:
        CeremonyFailed: something does not fit.
        WrongPassphrase: the holder's passphrase does not open the keys.
    """
    if part.has_journal:
        raise CeremonyFailed("there is a journal already; nothing is ever put in its place")
    for name in (PENDING, JOURNAL + MARKER_SUFFIX):
        if (part.folder / name).exists():
            raise CeremonyFailed(f"{name} belongs to a journal before; move it aside with that")
    house = read_house(part.public)
    given = _checked_handover(part, house, handover) if handover is not None else None
    try:
        keys = part.keystore.open(holder, passphrase)
    except DamagedKeys as fault:
        raise CeremonyFailed(str(fault)) from None
    if public_text(keys.signing.public_key()) != house["keys"][part.role]:
        raise CeremonyFailed(f"{part.role}.pem in the public folder is of another key")
    surroundings = surroundings or Surroundings()
    now = time_text(surroundings.clock())
    genesis = shaped(
        Genesis,
        {
            "label": "keno/genesis",
            "version": 1,
            "house": given["body"]["house"] if given else house,
            "role": part.role,
            "epoch": given["body"]["epoch"] if given else 1,
            "holders": part.keystore.holders,
            "software": surroundings.software(),
            "handover": given,
            "created_at": now,
        },
    )
    peers = part.folder / PEERS
    peers.mkdir(mode=0o700, exist_ok=True)
    accept(Peers(peers), part.public, part.role)
    sync_folder(part.folder)
    create_journal(part.folder / JOURNAL, seal(genesis, keys.signing), now)
    return document_hash(genesis["house"])


def _checked_handover(part: Part, house: House, document: object) -> Sealed[Handover]:
    """Return the handover that a new journal starts from, signed by the other role."""
    try:
        handover = shaped(Sealed[Handover], document)
        giver: Role = "inspector" if part.role == "rng" else "rng"
        check_signatures(handover, [house["keys"][giver]])
        for game in handover["body"]["open_games"]:
            _check_open_game(game, house, part.public)
    except (WrongShape, BadSignature) as fault:
        raise CeremonyFailed(f"the handover is not in order: {fault}") from None
    body = handover["body"]
    if body["role"] != part.role or body["house"]["keys"] != house["keys"]:
        raise CeremonyFailed("the handover is for other keys than those in the public folder")
    return handover


def _check_open_game(game: OpenGame, house: House, public: Path) -> None:
    """Check who made an open game: the inspector, making up an intent, could choose its numbers.

    The generator's key may have been lost since; its public half then stands in the public folder
    under a number.

    Raises:
        BadSignature: it is not the back office's and the generator's.
    """
    check_signatures(game["statement"], [house["keys"]["office"]])
    named = game["statement"]["body"]["rng_key"]
    old = [path for path in public.glob("rng-*.pem") if not path.name.endswith(PUBLIC_SUFFIX)]
    generators = [read_public(path) for path in (public / "rng.pem", *old)]
    maker = next((key for key in generators if key_id(key) == named), None)
    if maker is None:
        raise BadSignature("the public folder lacks the key of the generator that began a game")
    check_signatures(game["intent"], [maker])


# ---- key files -----------------------------------------------------------------------------------


def public_pem(public: str) -> bytes:
    """Return a public key of a document as `openssl` reads it."""
    key = load_der_public_key(bytes.fromhex(public))
    return key.public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)


def read_public(path: Path) -> str:
    """Return the public key of a PEM file, as documents carry it.

    Raises:
        ValueError: it is not such a key.
    """
    public = load_pem_public_key(path.read_bytes())
    if not isinstance(public, Ed25519PublicKey | RSAPublicKey):
        raise ValueError(f"{path.name} is neither an Ed25519 nor an RSA key")  # noqa: TRY004
    return public_text(public)
