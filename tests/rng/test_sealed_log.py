"""The seal of a sold file: the right log, the right signatures, the right entry."""

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from rng.core.signing import public_text
from rng.merkle import leaf_hash
from rng.note import Checkpoint, Note, cosign, sign_note, write_checkpoint, write_note
from rng.sealed_log import NotCosigned, cosigned_checkpoint, inspector_name

LOG, INSPECTOR = Ed25519PrivateKey.generate(), Ed25519PrivateKey.generate()
ORIGIN = "practice.example/keno"


def note(origin: str, *, log_signs: bool = True, inspector_signs: bool = True) -> str:
    """A checkpoint that claims to be of a log, under the names of ours."""
    text = write_checkpoint(Checkpoint(origin, 1, leaf_hash(b"entry")))
    signatures = []
    if log_signs:
        signatures.append(sign_note(text, ORIGIN, LOG))
    if inspector_signs:
        signatures.append(cosign(text, inspector_name(ORIGIN), INSPECTOR, 1))
    return write_note(Note(text, tuple(signatures)))


def read(text: str) -> Checkpoint:
    log, inspector = public_text(LOG.public_key()), public_text(INSPECTOR.public_key())
    return cosigned_checkpoint(text, ORIGIN, log, inspector)


@pytest.mark.rule("X-lock-seal")
def test_a_checkpoint_that_both_signed_is_taken() -> None:
    assert read(note(ORIGIN)).size == 1


@pytest.mark.rule("X-lock-seal")
@pytest.mark.parametrize(
    ("text", "fault"),
    [
        (note("other.example/log"), "another log"),
        (note(ORIGIN, log_signs=False), "not signed"),
        (note(ORIGIN, inspector_signs=False), "not signed"),
        ("nonsense\n", "."),
    ],
)
def test_one_of_another_log_or_without_a_signature_is_not(text: str, fault: str) -> None:
    with pytest.raises(NotCosigned, match=fault):
        read(text)
