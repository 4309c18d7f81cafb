"""HMAC_DRBG against NIST's published figures, its limits, and its end."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rng.core import drbg
from rng.core.drbg import DrbgRefused, HmacDrbg
from tests.rng.second_opinion import PlainDrbg

VECTORS = json.loads((Path(__file__).parent / "vectors" / "hmac_drbg_sha256.json").read_text())
CASES = [
    pytest.param(case, id=f"{kind} {number}")
    for kind in ("no_reseed", "reseed", "prediction_resistance")
    for number, case in enumerate(VECTORS[kind])
]


@pytest.mark.rule("X-rng-drbg")
@pytest.mark.parametrize("case", CASES)
def test_the_generator_gives_the_figures_that_nist_published(case: dict[str, str]) -> None:
    def given_bytes(name: str) -> bytes:
        return bytes.fromhex(case[name])

    generator = HmacDrbg(
        given_bytes("entropy"), given_bytes("nonce"), given_bytes("personalization")
    )
    if "reseed" in case:
        generator.reseed(given_bytes("reseed"), given_bytes("reseed_additional"))
    returned = b""
    for call in (0, 1):  # the figures are those of the second call
        fresh = bytes.fromhex(case["entropy_pr"][call]) if "entropy_pr" in case else None
        returned = generator.generate(128, bytes.fromhex(case["additional"][call]), fresh)
    assert returned.hex() == case["returned"]


def test_there_are_twenty_eight_figures_of_all_three_kinds() -> None:
    assert len(CASES) == 28


@given(st.binary(min_size=64, max_size=64), st.lists(st.integers(0, 200), max_size=5))
def test_a_second_implementation_agrees(seed: bytes, counts: list[int]) -> None:
    generator, plain = HmacDrbg(seed[:32], seed[32:48], seed[48:]), PlainDrbg(seed)
    assert [generator.generate(count) for count in counts] == [
        plain.generate(count) for count in counts
    ]


@pytest.mark.parametrize(
    ("entropy", "nonce", "personalization"),
    [
        (bytes(31), bytes(16), b""),
        (bytes(32), bytes(15), b""),
        (bytes(2**16 + 1), bytes(16), b""),
        (bytes(32), bytes(2**16 + 1), b""),
        (bytes(32), bytes(16), bytes(2**16 + 1)),
    ],
)
def test_too_little_entropy_or_nonce_and_too_long_inputs_are_refused(
    entropy: bytes, nonce: bytes, personalization: bytes
) -> None:
    with pytest.raises(DrbgRefused):
        HmacDrbg(entropy, nonce, personalization)


def test_each_call_keeps_to_the_limits_of_the_standard() -> None:
    generator = HmacDrbg(bytes(32), bytes(16))
    assert len(generator.generate(2**16)) == 2**16
    assert generator.generate(0) == b""
    for count in (-1, 2**16 + 1):
        with pytest.raises(DrbgRefused):
            generator.generate(count)
    with pytest.raises(DrbgRefused):
        generator.generate(1, bytes(2**16 + 1))
    with pytest.raises(DrbgRefused):
        generator.reseed(bytes(31))
    with pytest.raises(DrbgRefused):
        generator.reseed(bytes(32), bytes(2**16 + 1))


def test_after_the_reseed_interval_nothing_comes_without_a_reseed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(drbg, "RESEED_INTERVAL", 3)
    generator = HmacDrbg(bytes(32), bytes(16))
    for _ in range(3):
        generator.generate(8)
    with pytest.raises(DrbgRefused):
        generator.generate(8)
    generator.reseed(bytes(32))
    assert len(generator.generate(8)) == 8


def test_a_wiped_generator_gives_nothing_and_holds_nothing() -> None:
    generator = HmacDrbg(b"\x07" * 32, bytes(16))
    generator.wipe()
    with pytest.raises(DrbgRefused):
        generator.generate(1)
    with pytest.raises(DrbgRefused, match="wiped"):
        generator.reseed(bytes(32))
    with pytest.raises(DrbgRefused, match="wiped"):
        generator.generate(1, fresh=bytes(32))
    assert not any(generator._key) and not any(generator._value)  # noqa: SLF001, PT018
