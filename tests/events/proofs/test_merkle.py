"""Merkle trees against the definitions of RFC 9162, section 2.1, written out here, and published values."""

from collections.abc import Sequence
from hashlib import sha256

import pytest
from hypothesis import given
from hypothesis import strategies as st

from events.log.contract import EventLog
from events.log.hash_chain import genesis, link
from events.proofs.merkle import (
    EMPTY_ROOT,
    BadProof,
    CompactRange,
    Tree,
    leaf_hash,
    node_hash,
    verify_consistency,
    verify_inclusion,
)
from tests.contract.drafts import TABLE, Drafts, fill

# The eight leaves of the Certificate Transparency reference tree, and its published roots for 1 to 8 leaves.
REFERENCE = [
    bytes.fromhex(text)
    for text in ("", "00", "10", "2021", "3031", "40414243", "5051525354555657", "606162636465666768696a6b6c6d6e6f")
]
ROOTS = [
    "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
    "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
    "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
    "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
    "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
    "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef",
    "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
    "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
]


def h(data: bytes) -> bytes:
    return sha256(data).digest()


def split(n: int) -> int:
    """The largest power of two smaller than n."""
    k = 1
    while k * 2 < n:
        k *= 2
    return k


def mth(d: Sequence[bytes]) -> bytes:
    """2.1.1: the Merkle Tree Hash of a list of leaves."""
    if not d:
        return h(b"")
    if len(d) == 1:
        return h(b"\x00" + d[0])
    k = split(len(d))
    return h(b"\x01" + mth(d[:k]) + mth(d[k:]))


def path(m: int, d: Sequence[bytes]) -> list[bytes]:
    """2.1.3.1: the inclusion proof of leaf m."""
    if len(d) == 1:
        return []
    k = split(len(d))
    return [*path(m, d[:k]), mth(d[k:])] if m < k else [*path(m - k, d[k:]), mth(d[:k])]


def subproof(m: int, d: Sequence[bytes], whole: bool) -> list[bytes]:
    """2.1.4.1: the consistency proof from m leaves (SUBPROOF)."""
    if m == len(d):
        return [] if whole else [mth(d)]
    k = split(len(d))
    if m <= k:
        return [*subproof(m, d[:k], whole), mth(d[k:])]
    return [*subproof(m - k, d[k:], False), mth(d[:k])]


def tree_of(leaves: Sequence[bytes]) -> Tree:
    return Tree(map(leaf_hash, leaves))


LEAVES = [b"leaf %d" % n for n in range(70)]


def test_the_empty_tree_and_the_empty_leaf() -> None:
    assert EMPTY_ROOT.hex() == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
    assert Tree().root() == CompactRange().root() == EMPTY_ROOT
    assert leaf_hash(b"").hex() == ROOTS[0]


@pytest.mark.parametrize("size", range(1, 9))
def test_published_roots(size: int) -> None:
    assert mth(REFERENCE[:size]).hex() == ROOTS[size - 1], "the definition as written out above"
    assert tree_of(REFERENCE).root(size).hex() == ROOTS[size - 1]
    assert CompactRange(map(leaf_hash, REFERENCE[:size])).root().hex() == ROOTS[size - 1]


def test_a_leaf_is_no_node() -> None:
    """Without the two prefixes the bytes of a node would be a leaf with the node's hash (a second preimage)."""
    left, right = leaf_hash(b"a"), leaf_hash(b"b")
    assert node_hash(left, right) != leaf_hash(left + right)
    assert node_hash(left, right) == h(b"\x01" + left + right)


def test_every_root_and_proof_of_small_trees_is_that_of_the_definition() -> None:
    """70 leaves: every inclusion proof and every consistency proof, at every size, made from one tree."""
    tree, compact = tree_of(LEAVES), CompactRange()
    for size in range(1, len(LEAVES) + 1):
        leaves = LEAVES[:size]
        compact.append(leaf_hash(leaves[-1]))
        root = mth(leaves)
        assert tree.root(size) == compact.root() == root
        for index in range(size):
            proof = tree.inclusion_proof(index, size)
            assert proof == path(index, leaves)
            verify_inclusion(leaf_hash(leaves[index]), index, size, proof, root)
    for size in (*range(1, 20), 31, 32, 33, 64, 65, 70):
        for first in range(1, size + 1):
            proof = tree.consistency_proof(first, size)
            assert proof == subproof(first, LEAVES[:size], True)
            verify_consistency(first, size, tree.root(first), tree.root(size), proof)


def test_a_compact_range_remembers_few_hashes() -> None:
    compact = CompactRange(map(leaf_hash, (b"%d" % n for n in range(1000))))
    assert len(compact._subtrees) == bin(1000).count("1")


sizes = st.integers(1, 200)


@given(st.data(), sizes)
def test_a_changed_leaf_proof_root_or_place_is_refused(data: st.DataObject, size: int) -> None:
    index = data.draw(st.integers(0, size - 1))
    tree = tree_of([b"%d" % n for n in range(size)])
    leaf, proof, root = leaf_hash(b"%d" % index), tree.inclusion_proof(index), tree.root()
    verify_inclusion(leaf, index, size, proof, root)
    parts = [leaf, root, *proof]
    which, place = data.draw(st.integers(0, len(parts) - 1)), data.draw(st.integers(0, 31))
    changed = bytearray(parts[which])
    changed[place] ^= data.draw(st.integers(1, 255))
    parts[which] = bytes(changed)
    with pytest.raises(BadProof):
        verify_inclusion(parts[0], index, size, parts[2:], parts[1])
    other = data.draw(st.integers(0, size - 1).filter(lambda n: n != index)) if size > 1 else size
    with pytest.raises(BadProof):
        verify_inclusion(leaf, other, size, proof, root)
    for wrong in (proof[:-1], [*proof, root]):
        if wrong != proof:
            with pytest.raises(BadProof):
                verify_inclusion(leaf, index, size, wrong, root)


@given(st.data(), sizes)
def test_a_changed_consistency_proof_is_refused(data: st.DataObject, size: int) -> None:
    first = data.draw(st.integers(1, size))
    tree = tree_of([b"%d" % n for n in range(size)])
    proof, old, new = tree.consistency_proof(first), tree.root(first), tree.root()
    verify_consistency(first, size, old, new, proof)
    parts = [old, new, *proof]
    which, place = data.draw(st.integers(0, len(parts) - 1)), data.draw(st.integers(0, 31))
    changed = bytearray(parts[which])
    changed[place] ^= data.draw(st.integers(1, 255))
    parts[which] = bytes(changed)
    with pytest.raises(BadProof):
        verify_consistency(first, size, parts[0], parts[1], parts[2:])
    for wrong in (proof[:-1], [*proof, new]):
        if wrong != proof:
            with pytest.raises(BadProof):
                verify_consistency(first, size, old, new, wrong)


@given(st.data(), st.integers(2, 100))
def test_a_rewritten_history_is_never_consistent(data: st.DataObject, size: int) -> None:
    """No honest proof of the rewritten tree fits the root that was given out before."""
    first = data.draw(st.integers(1, size))
    edited = data.draw(st.integers(0, first - 1))
    leaves = [b"%d" % n for n in range(size)]
    before = tree_of(leaves).root(first)
    leaves[edited] = b"edited"
    after = tree_of(leaves)
    with pytest.raises(BadProof):
        verify_consistency(first, size, before, after.root(), after.consistency_proof(first))


@pytest.mark.parametrize(("index", "size"), [(0, 0), (-1, 5), (5, 5), (6, 5), (0, -1)])
def test_a_leaf_outside_of_the_tree_is_refused(index: int, size: int) -> None:
    with pytest.raises(BadProof):
        Tree(map(leaf_hash, LEAVES[:5])).inclusion_proof(index, size)
    with pytest.raises(BadProof, match="there is no leaf"):
        verify_inclusion(leaf_hash(b"a"), index, size, [], leaf_hash(b"a"))


@pytest.mark.parametrize(("first", "size"), [(0, 5), (-1, 5), (6, 5), (3, 71)])
def test_sizes_that_cannot_be_are_refused(first: int, size: int) -> None:
    with pytest.raises(BadProof):
        tree_of(LEAVES[:5]).consistency_proof(first, size)
    with pytest.raises(BadProof):
        verify_consistency(first, size, EMPTY_ROOT, EMPTY_ROOT, [])


def test_two_roots_of_one_size_are_refused() -> None:
    one, other = mth(LEAVES[:5]), mth(LEAVES[1:6])
    verify_consistency(5, 5, one, one, [])
    with pytest.raises(BadProof, match="different roots"):
        verify_consistency(5, 5, one, other, [])
    with pytest.raises(BadProof, match="must be empty"):
        verify_consistency(5, 5, one, one, [one])


@pytest.mark.parametrize("length", [0, 31, 33])
def test_what_is_no_hash_is_refused(length: int) -> None:
    tree = tree_of(LEAVES[:3])
    with pytest.raises(BadProof, match="expected 32"):
        verify_inclusion(tree.leaf(0), 0, 3, [tree.leaf(1), b"x" * length], tree.root())
    with pytest.raises(BadProof, match="expected 32"):
        verify_consistency(2, 3, tree.root(2)[:length] + b"x" * (length - 32), tree.root(3), [tree.leaf(2)])


def test_chain_and_tree_agree_on_every_event(log: EventLog, drafts: Drafts) -> None:
    """Each record's bytes make both the next link of the chain and the next leaf; each is where the other says."""
    fill(log, drafts, rounds=5)
    previous, compact, tree, seen = genesis(log.log_id, log.property_id, TABLE), CompactRange(), Tree(), list[bytes]()
    for record in log.read(TABLE):
        previous = link(previous, record.data)
        compact.append(leaf_hash(record.data))
        tree.append(leaf_hash(record.data))
        seen.append(record.data)
        assert (record.hash, record.seq) == (previous, compact.size)
        assert compact.root() == tree.root() == mth(seen)
    for record in log.read(TABLE):
        proof = tree.inclusion_proof(record.seq - 1)
        verify_inclusion(leaf_hash(record.data), record.seq - 1, tree.size, proof, compact.root())
