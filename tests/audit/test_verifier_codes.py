"""Every fault code of the verifier has a plant that brings it about.

The tables of plants are compared with the codes in the verifier's source, so a new code without a
plant fails here, in whichever process the plants themselves are run.
"""

from collections.abc import Callable
from hashlib import sha256
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric.padding import PKCS1v15
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPublicNumbers, generate_private_key
from cryptography.hazmat.primitives.hashes import SHA256

from app.audit import verifier
from rng.core.canonical import canonical
from tests.audit.exporting import ExportedHouse, Forgery, codes
from tests.audit.fault_codes import codes_in_source
from tests.audit.plants_broken import BROKEN, der
from tests.audit.plants_log import RESIGNED, paid_exactly
from tests.audit.plants_signed import (
    DRAWS,
    SIGNED,
    another_mark,
    other_twenty,
    renamed_log,
)
from tests.rng.forger import Forger
from tests.rng.forger import Game as ForgedGame

TABLES = (SIGNED, RESIGNED, BROKEN)


# ---- the list of codes ---------------------------------------------------------------------------


@pytest.mark.rule("X-audit-log")
def test_every_fault_code_has_a_plant() -> None:
    planted = {code for table in TABLES for _, code in table.values()}
    assert planted == codes_in_source()


# ---- what no signature covers --------------------------------------------------------------------


@pytest.mark.rule("X-audit-log")
@pytest.mark.parametrize("what", BROKEN)
def test_a_broken_bundle_or_key_is_found(
    exported: ExportedHouse, tmp_path: Path, what: str
) -> None:
    plant, code = BROKEN[what]
    assert code in codes(plant(exported, tmp_path))


# ---- the draw, by the holder of the generator's key ----------------------------------------------


@pytest.mark.rule("X-draw-public", "15.5(a)-dual-key")
@pytest.mark.parametrize(
    ("change", "code"), [(another_mark, "draw.mark"), (other_twenty, "draw.numbers")]
)
def test_a_draw_that_only_the_generator_signed_again_has_one_fault(
    exported: ExportedHouse,
    tmp_path: Path,
    change: Callable[[Forgery], dict[str, Any]],
    code: str,
) -> None:
    """All signatures of the draw fit, so nothing but this check can find it."""
    forgery = Forgery.of(exported)
    line = change(forgery)
    forgery.sign()
    report = forgery.verified(tmp_path / "forged.zip")
    where = f"{DRAWS}, {line['series']}-{line['game']}"
    assert [fault.code for fault in report.faults if fault.where == where] == [code]


PREFIX = bytes.fromhex("3031300d060960864801650304020105000420")  # of a SHA-256 (RFC 8017, 9.2)
PADDED = b"\x00\x01" + b"\xff" * 330 + b"\x00" + PREFIX  # 384 bytes, with the hash behind it


def check_draw(forger: Forger, game: ForgedGame, mark_key: bytes | None = None) -> verifier.Ended:
    """Check a draw, with another mark key than that of the house if one is given."""
    named = {role: bytes.fromhex(key) for role, key in forger.publics.items()}
    keys = verifier.Keys(named | ({} if mark_key is None else {"mark": mark_key}))
    about, origins = forger.house, {forger.house["log_origin"]: verifier.LARGEST}
    draws = verifier.Draws(keys, about["house"], about["jurisdiction"], origins)
    return draws.check("M", 1, game.parts("statement", "seal", "intent", "record"))


@pytest.mark.rule("X-draw-unpredictable", "X-draw-public")
def test_a_mark_that_shares_a_factor_with_its_key_is_found() -> None:
    """The owner of such a key looks for an intent whose padded hash has that factor."""
    factor = 65_539  # the next prime above the factors that a mark key is searched for
    modulus = 0
    while modulus.bit_length() != 3072:
        rest = generate_private_key(65537, 3056).private_numbers()
        modulus = factor * rest.public_numbers.n
    public = RSAPublicNumbers(65537, modulus).public_key()
    forger = Forger("rng")
    assert check_draw(forger, forger.recorded(forger.intend())).numbers  # an honest one is sound
    game = Forger("rng").lock(mark_key=sha256(der(public)).hexdigest())
    intent = forger.intend(game).intent["body"]
    template = canonical({**intent, "r": "r"})
    for number in count():
        secret = f"{number:064x}"
        said = template.replace(b'"r":"r"', f'"r":"{secret}"'.encode())
        padded = int.from_bytes(PADDED + sha256(said).digest())
        if padded % factor == 0:
            break
    intent["r"] = secret
    root = pow(padded, rest.d, rest.public_numbers.n)
    mark = factor * (root * pow(factor, -1, rest.public_numbers.n) % rest.public_numbers.n)
    public.verify(mark.to_bytes(384), canonical(intent), PKCS1v15(), SHA256())
    game.intent, game.mark = forger.sealed(intent, "rng"), mark.to_bytes(384).hex()
    with pytest.raises(verifier.Wrong, match="shares a factor") as found:
        check_draw(forger, forger.recorded(game), der(public))
    assert found.value.code == "draw.mark"


# ---- boundaries ----------------------------------------------------------------------------------


@pytest.mark.rule("15.6(b)")
@pytest.mark.parametrize(
    ("cents", "approver"), [(149_999, None), (150_000, "SAM"), (999_999, "SAM")]
)
def test_a_cent_less_needs_no_approval_and_the_amount_itself_no_manager(
    exported: ExportedHouse, tmp_path: Path, cents: int, approver: str | None
) -> None:
    forgery = Forgery.of(exported)
    paid_exactly(cents, approver=approver)(forgery)
    forgery.sign_log()
    found = codes(forgery.verified(tmp_path / "forged.zip"))
    assert "payment.amount" in found  # the plant is there
    assert "approval.missing" not in found


@pytest.mark.rule("X-audit-log")
def test_the_act_of_both_keys_that_plants_change_is_sound_itself(
    exported: ExportedHouse, tmp_path: Path
) -> None:
    forgery = Forgery.of(exported)
    renamed_log()(forgery)
    forgery.sign()
    # The log was founded under the name that it has now, and not under the one given up.
    assert codes(forgery.verified(tmp_path / "forged.zip")) == {"house.other"}
