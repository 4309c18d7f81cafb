"""The tree in tiles: against a tree that others wrote, the definition, and the draw's checkers."""

from collections.abc import Sequence
from functools import cache
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pymerkle import InmemoryTree  # type: ignore[import-untyped]

from app.audit.tiles import HEIGHT, TILE, Tree, folded, full_tiles
from rng.merkle import (
    EMPTY_ROOT,
    ProofFailed,
    check_consistency,
    check_inclusion,
    leaf_hash,
    node_hash,
)
from tests.rng.tree import consistency_proof, inclusion_proof, root

pytestmark = pytest.mark.rule("X-audit-log")

LARGEST = TILE * TILE + TILE + 1


def chance(seed: int) -> Random:
    return Random(seed)  # noqa: S311  the same sizes and places in every run


# Where a tile of the first or second level is about to be full, is full, and is left behind.
BORDERS = (0, 1, 2, 3, 255, 256, 257, 511, 512, 513, 65_535, 65_536, 65_537, LARGEST)
RANDOM = tuple(chance(256).sample(range(4, LARGEST), 12))
SIZES = tuple(sorted({*BORDERS, *RANDOM}))


class Rows:
    """The hashes of each level in memory, filled as sealing fills the tables: batch by batch."""

    def __init__(self) -> None:
        self.levels: list[list[bytes]] = [[]]

    def run(self, level: int, start: int, count: int) -> list[bytes]:
        found = self.levels[level][start : start + count] if level < len(self.levels) else []
        assert len(found) == count, "a hash was asked for that is not there"
        return found

    def grow(self, leaves: Sequence[bytes]) -> None:
        fresh = list(full_tiles(self, len(self.levels[0]), leaves))
        self.levels[0] += leaves
        for level, place, found in fresh:
            if level == len(self.levels):
                self.levels.append([])
            assert place == len(self.levels[level]), "a tile was left out"
            self.levels[level].append(found)


def entry(place: int) -> bytes:
    return b"entry %d" % place


@cache
def leaves() -> list[bytes]:
    return [leaf_hash(entry(place)) for place in range(LARGEST)]


@cache
def others() -> InmemoryTree:
    """The tree that others wrote; its "security" is the two prefixes of RFC 6962."""
    tree = InmemoryTree(algorithm="sha256", disable_security=False)
    tree.append_entries([entry(place) for place in range(LARGEST)])
    return tree


@cache
def ours() -> Tree:
    rows = Rows()
    batches, start = chance(1), 0
    while start < LARGEST:
        end = start + batches.choice((1, 2, 7, 255, 256, 257, 1000, 20_000))
        rows.grow(leaves()[start : min(end, LARGEST)])
        start = end
    return Tree(rows)


def places(size: int) -> list[int]:
    """Places in a log at both of its ends, at the borders of tiles, and some at random."""
    wanted = {0, size - 1, size // 2, *(border + off for border in BORDERS for off in (-1, 0))}
    wanted |= set(chance(size).sample(range(size), min(size, 5)))
    return sorted(place for place in wanted if 0 <= place < size)


@pytest.mark.parametrize("size", SIZES)
def test_the_root_of_any_size_is_that_of_the_other_tree(size: int) -> None:
    assert ours().root(size) == others().get_root(size)


def test_a_log_without_entries_has_the_root_of_nothing() -> None:
    assert Tree(Rows()).root(0) == EMPTY_ROOT


@pytest.mark.parametrize("size", SIZES[1:])
def test_the_path_of_a_leaf_is_that_of_the_other_tree_and_leads_to_its_root(size: int) -> None:
    chosen = places(size)
    assert {chosen[0], chosen[-1]} == {0, size - 1}
    for place in chosen:
        path = ours().inclusion(place, size)
        check_inclusion(leaves()[place], place, size, path, others().get_root(size))
        # The other tree counts from one, and puts the leaf itself before its path.
        assert [leaves()[place], *path] == others().prove_inclusion(place + 1, size).path


@pytest.mark.parametrize("size", SIZES[1:])
def test_a_log_is_proven_to_have_grown_from_each_smaller_one(size: int) -> None:
    new_root = others().get_root(size)
    old_sizes = [old for old in SIZES if old <= size]
    assert old_sizes[-1] == size
    for old_size in old_sizes:
        proof = ours().consistency(old_size, size)
        check_consistency(old_size, others().get_root(old_size), size, new_root, proof)


def test_proofs_are_those_of_the_definition_for_every_pair_around_a_full_tile() -> None:
    for size in (1, 2, 3, 255, 256, 257, 258, 513):
        some = leaves()[:size]
        assert ours().root(size) == root(some)
        for place in range(size):
            assert tuple(ours().inclusion(place, size)) == inclusion_proof(some, place)
        for old_size in (*range(0, size, 16), *range(max(0, size - 3), size + 1)):
            assert tuple(ours().consistency(old_size, size)) == consistency_proof(some, old_size)


def test_a_proof_for_another_leaf_place_or_size_is_refused() -> None:
    """The checkers would be worth nothing if they took whatever these proofs say."""
    size, place = 65_537, 256
    path, of_root = ours().inclusion(place, size), ours().root(size)
    for leaf, index, wrong_size in (
        (leaves()[place + 1], place, size),
        (leaves()[place], place + 1, size),
        (leaves()[place], place, size - 1),
    ):
        with pytest.raises(ProofFailed):
            check_inclusion(leaf, index, wrong_size, path, of_root)
    grown = ours().consistency(257, size)
    with pytest.raises(ProofFailed):
        check_consistency(256, ours().root(256), size, of_root, grown)


@given(st.lists(st.one_of(st.integers(0, 600), st.sampled_from((255, 256, 257))), max_size=12))
def test_in_whatever_batches_a_log_grows_its_tiles_are_the_same(batches: list[int]) -> None:
    rows, at_once, size = Rows(), Rows(), 0
    for batch in batches:
        rows.grow(leaves()[size : size + batch])
        size += batch
        assert Tree(rows).root(size) == others().get_root(size)
    at_once.grow(leaves()[:size])
    assert rows.levels == at_once.levels
    assert [len(level) for level in rows.levels[1:]] == [
        size >> HEIGHT * level for level in range(1, len(rows.levels))
    ]


@given(st.integers(0, LARGEST - 1), st.integers(1, LARGEST), st.integers(1, LARGEST))
def test_any_leaf_and_any_two_sizes_are_proven(place: int, one: int, other: int) -> None:
    old_size, size = sorted((one, other))
    place %= size
    new_root = others().get_root(size)
    check_inclusion(leaves()[place], place, size, ours().inclusion(place, size), new_root)
    proof = ours().consistency(old_size, size)
    check_consistency(old_size, others().get_root(old_size), size, new_root, proof)


def test_the_stored_hashes_of_a_level_are_the_roots_of_full_tiles() -> None:
    rows = Rows()
    rows.grow(leaves())
    assert [len(level) for level in rows.levels] == [LARGEST, TILE + 1, 1]
    assert rows.levels[1][3] == root(leaves()[3 * TILE : 4 * TILE])
    assert rows.levels[2][0] == others().get_root(TILE * TILE)


def test_a_row_is_folded_pair_by_pair() -> None:
    a, b, c, d = leaves()[:4]
    assert folded([a]) == a
    assert folded([a, b, c, d]) == node_hash(node_hash(a, b), node_hash(c, d))
