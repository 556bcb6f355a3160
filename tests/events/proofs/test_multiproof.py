"""Sparse proofs: some leaves and the hashes next to them give the root of RFC 9162, and nothing else does."""

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from events.proofs.merkle import EMPTY_ROOT, BadProof, Tree, leaf_hash
from events.proofs.multiproof import outside_hashes, root_of

SOME = st.integers(0, 40).flatmap(
    lambda size: st.tuples(st.just(size), st.sets(st.integers(0, max(size - 1, 0)), max_size=size).map(sorted))
)


def leaves_of(size: int) -> list[bytes]:
    return [leaf_hash(bytes([number])) for number in range(size)]


@given(SOME)
def test_the_leaves_and_the_proof_give_the_root_of_the_tree(some: tuple[int, list[int]]) -> None:
    size, wanted = some
    leaves = leaves_of(size)
    wanted = wanted if size else []
    proof = outside_hashes(leaves, wanted)
    assert root_of(size, {number: leaves[number] for number in wanted}, proof) == Tree(leaves).root()
    if len(wanted) == 1:
        assert sorted(proof) == sorted(Tree(leaves).inclusion_proof(wanted[0]))
    if len(wanted) == size:
        assert proof == []


@given(SOME.filter(lambda some: some[0] > 1 and bool(some[1])), st.data())
def test_any_other_leaf_place_or_hash_gives_another_root(some: tuple[int, list[int]], data: st.DataObject) -> None:
    size, wanted = some
    leaves = leaves_of(size)
    proof, given_ = outside_hashes(leaves, wanted), {number: leaves[number] for number in wanted}
    root = Tree(leaves).root()
    changed = data.draw(st.sampled_from(wanted))
    assert root_of(size, {**given_, changed: leaf_hash(b"other")}, proof) != root
    if proof:
        at = data.draw(st.integers(0, len(proof) - 1))
        assert root_of(size, given_, [*proof[:at], leaf_hash(b"other"), *proof[at + 1 :]]) != root
        with pytest.raises(BadProof, match="too few"):
            root_of(size, given_, proof[:-1])
    with pytest.raises(BadProof, match="1 hashes too many"):
        root_of(size, given_, [*proof, root])
    elsewhere = next((number for number in range(size) if number not in given_), None)
    if elsewhere is not None:
        moved = {elsewhere if number == changed else number: leaf for number, leaf in given_.items()}
        with contextlib.suppress(BadProof):
            assert root_of(size, moved, proof) != root


def test_the_edges() -> None:
    leaves = leaves_of(3)
    assert root_of(0, {}, []) == EMPTY_ROOT
    assert outside_hashes([], []) == []
    assert root_of(3, {}, [Tree(leaves).root()]) == Tree(leaves).root()
    for number in (-1, 3):
        with pytest.raises(BadProof, match=f"no leaf {number} in a tree of 3"):
            root_of(3, {number: leaves[0]}, [])
    with pytest.raises(BadProof, match="not 32 bytes"):
        root_of(3, {0: leaves[0]}, [leaves[1], b"short"])
