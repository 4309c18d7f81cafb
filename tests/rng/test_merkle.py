"""Proofs of a log: the published figures, the second opinion of the lab, and every wrong proof."""

import json
from collections.abc import Sequence
from itertools import combinations_with_replacement
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rng.merkle import (
    EMPTY_ROOT,
    ProofFailed,
    check_consistency,
    check_inclusion,
    leaf_hash,
    node_hash,
)
from tests.rng.tree import consistency_proof, inclusion_proof, root

VECTORS = json.loads((Path(__file__).parent / "vectors" / "merkle.json").read_text())
TREE = VECTORS["reference_tree"]
LEAVES = [leaf_hash(bytes([place])) for place in range(41)]
OTHER = leaf_hash(b"another entry")

pytestmark = [pytest.mark.rule("X-audit-log"), pytest.mark.rule("X-draw-public")]


def hashes(texts: Sequence[str]) -> list[bytes]:
    return [bytes.fromhex(text) for text in texts]


REFERENCE_LEAVES = [leaf_hash(entry) for entry in hashes(TREE["entries"])]
REFERENCE_ROOTS = [EMPTY_ROOT, *hashes(TREE["roots"])]


def included(leaf: bytes, index: int, size: int, proof: Sequence[bytes], of_root: bytes) -> bool:
    try:
        check_inclusion(leaf, index, size, proof, of_root)
    except ProofFailed:
        return False
    return True


def consistent(old: int, old_root: bytes, new: int, new_root: bytes, proof: list[bytes]) -> bool:
    try:
        check_consistency(old, old_root, new, new_root, proof)
    except ProofFailed:
        return False
    return True


def flipped(value: bytes, bit: int) -> bytes:
    return bytes(
        byte ^ (1 << bit % 8) if place == bit // 8 else byte for place, byte in enumerate(value)
    )


def damaged(proof: Sequence[bytes]) -> list[list[bytes]]:
    """Every proof with one hash flipped, dropped, added or exchanged with the next."""
    good = list(proof)
    places = range(len(good))
    return [
        *([*good[:place], flipped(good[place], place), *good[place + 1 :]] for place in places),
        *([*good[:place], *good[place + 1 :]] for place in places),
        *([*good[:place], OTHER, *good[place:]] for place in (*places, len(good))),
        *(
            [*good[:place], good[place + 1], good[place], *good[place + 2 :]]
            for place in places[:-1]
        ),
    ]


# ---- published figures ---------------------------------------------------------------------------


def test_the_hashes_are_the_published_ones() -> None:
    published = VECTORS["hashes"]
    assert bytes.fromhex(published["empty_root"]) == EMPTY_ROOT
    for leaf in published["leaves"]:
        assert leaf_hash(bytes.fromhex(leaf["entry"])).hex() == leaf["hash"]
    for node in published["nodes"]:
        left, right = hashes([node["left"], node["right"]])
        assert node_hash(left, right).hex() == node["hash"]


@pytest.mark.parametrize("size", range(9))
def test_the_roots_of_the_reference_tree_are_the_published_ones(size: int) -> None:
    assert root(REFERENCE_LEAVES[:size]) == REFERENCE_ROOTS[size]


@pytest.mark.parametrize("row", TREE["inclusion"])
def test_a_published_inclusion_proof_is_made_and_accepted(row: dict[str, object]) -> None:
    index, size, proof = row["index"], row["size"], row["proof"]
    assert isinstance(index, int)
    assert isinstance(size, int)
    assert isinstance(proof, list)
    assert list(inclusion_proof(REFERENCE_LEAVES[:size], index)) == hashes(proof)
    check_inclusion(REFERENCE_LEAVES[index], index, size, hashes(proof), REFERENCE_ROOTS[size])


@pytest.mark.parametrize("row", TREE["consistency"])
def test_a_published_consistency_proof_is_made_and_accepted(row: dict[str, object]) -> None:
    old, new, proof = row["old_size"], row["new_size"], row["proof"]
    assert isinstance(old, int)
    assert isinstance(new, int)
    assert isinstance(proof, list)
    assert list(consistency_proof(REFERENCE_LEAVES[:new], old)) == hashes(proof)
    check_consistency(old, REFERENCE_ROOTS[old], new, REFERENCE_ROOTS[new], hashes(proof))


def test_a_published_entry_of_a_log_of_millions_is_accepted() -> None:
    log = VECTORS["large_log"]
    leaf, of_root = hashes([log["leaf"], log["root"]])
    proof = hashes(log["proof"])
    check_inclusion(leaf, log["index"], log["size"], proof, of_root)
    assert not any(
        included(leaf, log["index"], log["size"], wrong, of_root) for wrong in damaged(proof)
    )


# ---- every small log -----------------------------------------------------------------------------


def test_every_entry_of_every_small_log_is_found_in_its_place_and_in_no_other() -> None:
    for size in range(1, 41):
        leaves = LEAVES[:size]
        of_root = root(leaves)
        accepted = [
            [
                place
                for place in range(-1, size + 1)
                if included(leaf, place, size, inclusion_proof(leaves, index), of_root)
            ]
            for index, leaf in enumerate(leaves)
        ]
        assert accepted == [[index] for index in range(size)]


def test_every_small_log_is_the_beginning_of_every_larger_one() -> None:
    roots = [root(LEAVES[:size]) for size in range(41)]
    for old, new in combinations_with_replacement(range(41), 2):
        check_consistency(old, roots[old], new, roots[new], consistency_proof(LEAVES[:new], old))


def test_a_damaged_proof_is_refused_in_every_small_log() -> None:
    roots = [root(LEAVES[:size]) for size in range(18)]
    assert len(damaged(inclusion_proof(LEAVES[:17], 0))) > 17
    for new in range(1, 18):
        leaves = LEAVES[:new]
        for index, leaf in enumerate(leaves):
            for wrong in damaged(inclusion_proof(leaves, index)):
                assert not included(leaf, index, new, wrong, roots[new])
        for old in range(new + 1):
            for wrong in damaged(consistency_proof(leaves, old)):
                assert not consistent(old, roots[old], new, roots[new], wrong)


def way_up(index: int, size: int) -> list[str]:
    """The turns from a leaf to the root, by the recursion of RFC 6962, section 2.1.1."""
    if size == 1:
        return []
    half = 1 << ((size - 1).bit_length() - 1)
    if index < half:
        return [*way_up(index, half), "right"]
    return [*way_up(index - half, size - half), "left"]


def way_up_from_both(old: int, new: int, *, whole: bool = True) -> list[str]:
    """What a consistency proof is made of, by the recursion of RFC 6962, section 2.1.2."""
    if old == new:
        return [] if whole else ["start"]
    half = 1 << ((new - 1).bit_length() - 1)
    if old <= half:
        return [*way_up_from_both(old, half, whole=whole), "right"]
    return [*way_up_from_both(old - half, new - half, whole=False), "left"]


def test_a_wrong_index_or_size_is_refused_unless_the_way_to_the_root_is_the_same() -> None:
    """Where it is the same no hash could tell: this is why sizes come from a checkpoint."""
    places = [(index, size) for size in range(1, 14) for index in range(size)]
    assert len(places) == 91
    for index, size in places:
        leaf, of_root = LEAVES[index], root(LEAVES[:size])
        proof = inclusion_proof(LEAVES[:size], index)
        for other in places:
            same_way = way_up(*other) == way_up(index, size)
            assert included(leaf, *other, proof, of_root) == same_way


def test_wrong_sizes_are_refused_unless_the_way_to_the_roots_is_the_same() -> None:
    pairs = [(old, new) for new in range(2, 14) for old in range(1, new)]
    assert len(pairs) == 78
    for old, new in pairs:
        roots = root(LEAVES[:old]), root(LEAVES[:new])
        proof = list(consistency_proof(LEAVES[:new], old))
        for other_old, other_new in pairs:
            same_way = way_up_from_both(other_old, other_new) == way_up_from_both(old, new)
            assert consistent(other_old, roots[0], other_new, roots[1], proof) == same_way


def test_a_log_in_which_anything_was_changed_is_no_continuation() -> None:
    for old, new in combinations_with_replacement(range(1, 14), 2):
        for place in range(old):
            changed = [*LEAVES[:place], OTHER, *LEAVES[place + 1 : new]]
            proof = list(consistency_proof(changed, old))
            assert not consistent(old, root(LEAVES[:old]), new, root(changed), proof)


# ---- refusals, with their reasons ----------------------------------------------------------------

ROOTS = [root(LEAVES[:size]) for size in range(9)]
PATH = inclusion_proof(LEAVES[:7], 4)
STEPS = consistency_proof(LEAVES[:7], 3)


@pytest.mark.parametrize(
    ("case", "reason"),
    [
        ((LEAVES[4], 7, 7, PATH, ROOTS[7]), "no entry 7 in a log of 7"),
        ((LEAVES[4], -1, 7, PATH, ROOTS[7]), "no entry -1 in a log of 7"),
        ((LEAVES[0], 0, 0, (), EMPTY_ROOT), "no entry 0 in a log of 0"),
        ((LEAVES[0], 0, -1, (), EMPTY_ROOT), "no entry 0 in a log of -1"),
        ((LEAVES[4][:31], 4, 7, PATH, ROOTS[7]), "a hash has 32 bytes"),
        ((LEAVES[4], 4, 7, PATH, ROOTS[7] + b"\0"), "a hash has 32 bytes"),
        ((LEAVES[4], 4, 7, (*PATH[:2], b""), ROOTS[7]), "a hash has 32 bytes"),
        ((LEAVES[4], 4, 7, PATH[:2], ROOTS[7]), "the proof has 2 hashes, where 3 are needed"),
        ((LEAVES[4], 4, 7, (*PATH, OTHER), ROOTS[7]), "the proof has 4 hashes, where 3 are needed"),
        ((LEAVES[0], 0, 1, (OTHER,), LEAVES[0]), "the proof has 1 hashes, where 0 are needed"),
        ((LEAVES[5], 4, 7, PATH, ROOTS[7]), "the entry does not lead to the root"),
        ((LEAVES[4], 4, 7, PATH, ROOTS[8]), "the entry does not lead to the root"),
        ((LEAVES[4], 5, 7, PATH, ROOTS[7]), "the entry does not lead to the root"),
    ],
)
def test_a_wrong_inclusion_proof_is_refused_with_its_reason(
    case: tuple[bytes, int, int, tuple[bytes, ...], bytes], reason: str
) -> None:
    with pytest.raises(ProofFailed) as failed:
        check_inclusion(*case)
    assert str(failed.value).endswith(reason)


@pytest.mark.parametrize(
    ("case", "reason"),
    [
        ((7, ROOTS[7], 3, ROOTS[3], STEPS), "a log of 7 is not the beginning of a log of 3"),
        ((-1, EMPTY_ROOT, 3, ROOTS[3], ()), "a log of -1 is not the beginning of a log of 3"),
        ((3, ROOTS[3][:31], 7, ROOTS[7], STEPS), "a hash has 32 bytes"),
        ((3, ROOTS[3], 7, ROOTS[7] + b"\0", STEPS), "a hash has 32 bytes"),
        ((3, ROOTS[3], 7, ROOTS[7], (*STEPS[:3], b"short")), "a hash has 32 bytes"),
        ((0, EMPTY_ROOT, 3, b"short", ()), "a hash has 32 bytes"),
        ((0, EMPTY_ROOT, 3, ROOTS[3], (OTHER,)), "the proof has 1 hashes, where 0 are needed"),
        ((0, ROOTS[1], 3, ROOTS[3], ()), "a log without entries has another root"),
        ((0, ROOTS[1], 0, ROOTS[1], ()), "a log without entries has another root"),
        ((0, EMPTY_ROOT, 0, ROOTS[1], ()), "two logs of one size have different roots"),
        ((3, ROOTS[3], 3, ROOTS[3], (OTHER,)), "the proof has 1 hashes, where 0 are needed"),
        ((3, ROOTS[3], 3, ROOTS[4], ()), "two logs of one size have different roots"),
        ((3, ROOTS[3], 7, ROOTS[7], ()), "the proof has 0 hashes, where 4 are needed"),
        ((3, ROOTS[3], 7, ROOTS[7], STEPS[:3]), "the proof has 3 hashes, where 4 are needed"),
        ((4, ROOTS[4], 7, ROOTS[7], ()), "the proof has 0 hashes, where 1 are needed"),
        ((3, ROOTS[4], 7, ROOTS[7], STEPS), "the proof does not lead to the old root"),
        ((3, ROOTS[3], 7, ROOTS[8], STEPS), "the proof does not lead to the new root"),
        ((4, ROOTS[3], 7, ROOTS[7], STEPS[3:]), "the proof does not lead to the new root"),
    ],
)
def test_a_wrong_consistency_proof_is_refused_with_its_reason(
    case: tuple[int, bytes, int, bytes, tuple[bytes, ...]], reason: str
) -> None:
    with pytest.raises(ProofFailed) as failed:
        check_consistency(*case)
    assert str(failed.value) == reason


def test_the_lab_makes_no_proof_of_what_is_not_there() -> None:
    for index in (-1, 7):
        with pytest.raises(ValueError, match=f"no entry {index} in a log of 7"):
            inclusion_proof(LEAVES[:7], index)
    for old in (-1, 8):
        with pytest.raises(ValueError, match=f"a log of {old} is not the beginning"):
            consistency_proof(LEAVES[:7], old)


# ---- any log -------------------------------------------------------------------------------------

logs = st.lists(st.binary(max_size=9), min_size=1, max_size=300, unique=True)


@given(logs, st.data())
def test_any_entry_is_proved_and_nothing_but_that_entry(
    entries: list[bytes], data: st.DataObject
) -> None:
    leaves = [leaf_hash(entry) for entry in entries]
    of_root, size = root(leaves), len(leaves)
    index = data.draw(st.integers(0, size - 1))
    proof = inclusion_proof(leaves, index)
    check_inclusion(leaves[index], index, size, proof, of_root)

    bit = data.draw(st.integers(0, 255))
    other = data.draw(st.integers(0, size))
    assert other == index or not included(leaves[index], other, size, proof, of_root)
    assert not included(flipped(leaves[index], bit), index, size, proof, of_root)
    assert not included(leaves[index], index, size, proof, flipped(of_root, bit))
    if proof:
        place = data.draw(st.integers(0, len(proof) - 1))
        wrong = [*proof[:place], flipped(proof[place], bit), *proof[place + 1 :]]
        assert not included(leaves[index], index, size, wrong, of_root)
    assert not any(included(leaves[index], index, size, wrong, of_root) for wrong in damaged(proof))


@given(logs, st.data())
def test_any_beginning_is_proved_and_nothing_but_that_beginning(
    entries: list[bytes], data: st.DataObject
) -> None:
    leaves = [leaf_hash(entry) for entry in entries]
    new_root, new = root(leaves), len(leaves)
    old = data.draw(st.integers(1, new))
    old_root, proof = root(leaves[:old]), list(consistency_proof(leaves, old))
    check_consistency(old, old_root, new, new_root, proof)

    bit = data.draw(st.integers(0, 255))
    assert not consistent(old, flipped(old_root, bit), new, new_root, proof)
    assert not consistent(old, old_root, new, flipped(new_root, bit), proof)
    if proof:
        place = data.draw(st.integers(0, len(proof) - 1))
        wrong = [*proof[:place], flipped(proof[place], bit), *proof[place + 1 :]]
        assert not consistent(old, old_root, new, new_root, wrong)
    assert not any(consistent(old, old_root, new, new_root, wrong) for wrong in damaged(proof))
