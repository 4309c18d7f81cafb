"""The health tests: where their cutoffs come from, what they refuse, and that they stay refused."""

from collections.abc import Callable
from fractions import Fraction
from itertools import count
from math import comb

import pytest

from rng.core.entropy import (
    PROPORTION_MAX,
    REPETITIONS_MAX,
    STARTUP_BYTES,
    WINDOW,
    EntropyFailed,
    HealthyEntropy,
    operating_system,
)
from rng.core.generator import CyclingGenerator

FALSE_ALARM = Fraction(1, 2**40)


def of(data: bytes) -> Callable[[int], bytes]:
    """A source that gives this data and then ends."""
    rest = bytearray(data)

    def source(wanted: int) -> bytes:
        part = bytes(rest[:wanted])
        del rest[:wanted]
        return part

    return source


# Every byte value in turn: no test has anything against it.
CALM = bytes(range(256)) * 8


@pytest.mark.rule("X-rng-entropy")
def test_the_repetition_cutoff_is_a_false_alarm_of_two_to_the_minus_forty() -> None:
    assert Fraction(1, 256) ** REPETITIONS_MAX == FALSE_ALARM


@pytest.mark.rule("X-rng-entropy")
def test_the_proportion_cutoff_is_the_smallest_with_that_false_alarm() -> None:
    def tail(least: int) -> Fraction:
        others = WINDOW - 1
        chances = (comb(others, k) * 255 ** (others - k) for k in range(least, others + 1))
        return Fraction(sum(chances), 256**others)

    assert tail(PROPORTION_MAX) <= FALSE_ALARM < tail(PROPORTION_MAX - 1)


def test_a_healthy_source_is_let_through_byte_for_byte() -> None:
    entropy = HealthyEntropy(of(CALM))
    assert entropy.take(32) == CALM[STARTUP_BYTES : STARTUP_BYTES + 32]


@pytest.mark.rule("X-rng-entropy")
@pytest.mark.parametrize("length", [REPETITIONS_MAX, REPETITIONS_MAX + 1])
def test_six_equal_bytes_in_a_row_fail_and_five_do_not(length: int) -> None:
    run = bytes([7]) * length
    entropy = HealthyEntropy(of(CALM[:STARTUP_BYTES] + b"\x01" + run + CALM))
    if length == REPETITIONS_MAX:
        entropy.take(1 + length)
    else:
        with pytest.raises(EntropyFailed, match="repetition count"):
            entropy.take(1 + length)


@pytest.mark.parametrize("split", range(1, REPETITIONS_MAX + 1))
def test_a_run_is_seen_across_two_takes(split: int) -> None:
    run = bytes([7]) * (REPETITIONS_MAX + 1)
    entropy = HealthyEntropy(of(CALM[:STARTUP_BYTES] + b"\x01" + run))
    entropy.take(1 + split)
    with pytest.raises(EntropyFailed, match="repetition count"):
        entropy.take(len(run) - split)


@pytest.mark.rule("X-rng-entropy")
@pytest.mark.parametrize("times", [PROPORTION_MAX, PROPORTION_MAX + 1])
def test_the_twentieth_of_one_byte_in_a_window_fails(times: int) -> None:
    window = bytearray(1 + place % 250 for place in range(WINDOW))
    for occurrence in range(times):
        window[occurrence * 20] = 0  # the first byte of the window is the one that is watched
    start = CALM[: STARTUP_BYTES - STARTUP_BYTES % WINDOW]
    entropy = HealthyEntropy(of(start + bytes(window) + CALM))
    if times == PROPORTION_MAX:
        entropy.take(WINDOW)
    else:
        with pytest.raises(EntropyFailed, match="adaptive proportion"):
            entropy.take(WINDOW)


def test_a_window_begins_anew_after_512_bytes() -> None:
    watched = bytearray(1 + place % 250 for place in range(2 * WINDOW))
    for occurrence in range(PROPORTION_MAX):
        watched[occurrence * 20] = watched[WINDOW + occurrence * 20] = 0
    entropy = HealthyEntropy(of(CALM[:STARTUP_BYTES] + bytes(watched)))
    assert entropy.take(2 * WINDOW) == bytes(watched)


@pytest.mark.rule("X-rng-entropy")
@pytest.mark.parametrize(
    ("source", "fault"),
    [
        (bytes, "repetition count"),
        (lambda wanted: bytes(wanted - 1), "another number"),
        (lambda wanted: (b"\x00\x01" * wanted)[:wanted], "adaptive proportion"),
        (of(CALM[:STARTUP_BYTES]), "another number"),
    ],
)
def test_a_bad_source_starts_no_generator(source: Callable[[int], bytes], fault: str) -> None:
    with pytest.raises(EntropyFailed, match=fault):
        CyclingGenerator(source, "house", "device", "software")


def test_a_block_that_comes_twice_fails() -> None:
    block = CALM[:32]
    entropy = HealthyEntropy(of(CALM[:STARTUP_BYTES] + block + block))
    entropy.take(32)
    with pytest.raises(EntropyFailed, match="repeated a block"):
        entropy.take(32)


@pytest.mark.rule("X-rng-entropy")
def test_a_source_that_failed_once_is_not_asked_again() -> None:
    asked = count()

    def source(wanted: int) -> bytes:
        return CALM[:wanted] if next(asked) == 0 else bytes(wanted)

    entropy = HealthyEntropy(source)
    for _ in range(3):
        with pytest.raises(EntropyFailed, match="repetition count"):
            entropy.take(32)
    assert next(asked) == 2


def test_the_operating_system_gives_what_is_asked_for() -> None:
    assert len(operating_system(48)) == 48
    assert operating_system(32) != operating_system(32)


@pytest.mark.rule("X-rng-cycling")
def test_two_generators_never_share_a_stream_and_cycling_moves_on() -> None:
    one, other = (CyclingGenerator(operating_system, "h", "d", "s") for _ in range(2))
    assert one.instance != other.instance
    assert one.secret().value != other.secret().value
    one.cycle()
    secret = one.secret()
    assert (secret.requests, secret.reseeds) == (3, 2)
    assert len(one.raw(100)) == 100
    one.wipe()


@pytest.mark.rule("X-rng-cycling")
def test_each_secret_takes_fresh_entropy_and_each_cycle_changes_the_next() -> None:
    """With the same bytes from the system, a cycle between two draws gives another secret."""
    stream = bytes(operating_system(4096))
    still, moved = (CyclingGenerator(of(stream), "h", "d", "s") for _ in range(2))
    assert still.secret() == moved.secret()
    moved.cycle()
    assert still.secret().value != moved.secret().value
    assert CyclingGenerator(of(stream), "h", "d", "s").secret().value != (
        CyclingGenerator(of(stream), "h", "d", "other software").secret().value
    )
