"""Merkle trees as in RFC 6962 and RFC 9162, section 2.1: roots, proofs, and the checks of proofs. Pure.

A leaf is hashed as SHA-256(0x00 ‖ bytes), a node as SHA-256(0x01 ‖ left ‖ right). A tree of n leaves is the tree of the
largest power of two below n, joined with the tree of the rest. `CompactRange` grows a root in O(log n) memory;
`Tree` keeps every full node, so that proofs for any size that it had are quick. Hashes are 32 bytes everywhere.
"""

from collections.abc import Iterable, Sequence
from hashlib import sha256

EMPTY_ROOT = sha256().digest()
"""The root of a tree without leaves: the hash of nothing."""


class BadProof(ValueError):
    """A proof does not prove what it claims."""


def leaf_hash(data: bytes) -> bytes:
    """Return the hash of a leaf from its bytes."""
    return sha256(b"\0" + data).digest()


def node_hash(left: bytes | bytearray, right: bytes | bytearray) -> bytes:
    """Return the hash of the node over two subtrees."""
    return sha256(b"\1" + left + right).digest()


class CompactRange:
    """A growing tree that remembers only its full subtrees, at most one of each height."""

    def __init__(self, leaf_hashes: Iterable[bytes] = ()) -> None:
        self.size = 0
        self._subtrees: list[bytes] = []
        """The full subtrees from left to right: one for each bit that is set in `size`, the largest first."""
        for each in leaf_hashes:
            self.append(each)

    @classmethod
    def of(cls, size: int, subtrees: Sequence[bytes]) -> "CompactRange":
        """Return the tree of this many leaves with these full subtrees. Raises `ValueError` if there must be others."""
        if size < 0 or len(subtrees) != size.bit_count() or any(len(each) != 32 for each in subtrees):
            raise ValueError(f"{size} leaves have {size.bit_count()} full subtrees of 32 bytes")
        tree = cls()
        tree.size, tree._subtrees = size, list(subtrees)
        return tree

    @property
    def subtrees(self) -> tuple[bytes, ...]:
        """The hashes of the full subtrees, from left to right."""
        return tuple(self._subtrees)

    def append(self, leaf: bytes) -> None:
        """Add the hash of the next leaf."""
        self._subtrees.append(leaf)
        self.size += 1
        full = self.size
        while not full & 1:
            right = self._subtrees.pop()
            self._subtrees[-1] = node_hash(self._subtrees[-1], right)
            full >>= 1

    def root(self) -> bytes:
        """Return the root over all leaves so far."""
        if not self._subtrees:
            return EMPTY_ROOT
        result = self._subtrees[-1]
        for left in reversed(self._subtrees[:-1]):
            result = node_hash(left, result)
        return result


class Tree:
    """A growing tree that keeps every full node: roots and proofs for its present size and for every earlier one."""

    def __init__(self, leaf_hashes: Iterable[bytes] = ()) -> None:
        self._levels = [bytearray()]
        """`_levels[k]` holds, 32 bytes each, the full subtrees of 2**k leaves from left to right."""
        for each in leaf_hashes:
            self.append(each)

    @property
    def size(self) -> int:
        """The number of leaves."""
        return len(self._levels[0]) // 32

    def leaf(self, index: int) -> bytes:
        """Return the hash of a leaf, counted from 0."""
        return self._node(0, index)

    def append(self, leaf: bytes) -> None:
        """Add the hash of the next leaf."""
        if len(leaf) != 32:
            raise ValueError(f"the hash of a leaf has {len(leaf)} bytes; expected 32")
        self._levels[0] += leaf
        level, full = 0, self.size
        while not full & 1:
            nodes = self._levels[level]
            if len(self._levels) == level + 1:
                self._levels.append(bytearray())
            self._levels[level + 1] += node_hash(nodes[-64:-32], nodes[-32:])
            level, full = level + 1, full >> 1

    def root(self, size: int | None = None) -> bytes:
        """Return the root over the first `size` leaves (all, unless given). Raises `BadProof` if there are fewer."""
        size = self._checked(size)
        return self._subtree(0, size) if size else EMPTY_ROOT

    def inclusion_proof(self, index: int, size: int | None = None) -> list[bytes]:
        """Return what shows that leaf `index` (from 0) is in the tree of `size` leaves (RFC 9162, 2.1.3.1)."""
        size = self._checked(size)
        if not 0 <= index < size:
            raise BadProof(f"there is no leaf {index} in a tree of {size} leaves")
        begin, end, path = 0, size, list[bytes]()
        while end - begin > 1:
            middle = begin + lower_power(end - begin)
            if index < middle:
                path.append(self._subtree(middle, end))
                end = middle
            else:
                path.append(self._subtree(begin, middle))
                begin = middle
        return path[::-1]

    def consistency_proof(self, first: int, size: int | None = None) -> list[bytes]:
        """Return what shows that the tree of `size` leaves only adds to that of `first` leaves (RFC 9162, 2.1.4.1).

        `first` is from 1 on; the proof from a size to itself is empty.
        """
        size = self._checked(size)
        if not 0 < first <= size:
            raise BadProof(f"no tree of {first} leaves can be shown to be the beginning of one of {size}")
        begin, end, path = 0, size, list[bytes]()
        while first != end:
            middle = begin + lower_power(end - begin)
            if first <= middle:
                path.append(self._subtree(middle, end))
                end = middle
            else:
                path.append(self._subtree(begin, middle))
                begin = middle
        if begin:  # otherwise the tree of `first` leaves is itself a subtree, and the checker has its root
            path.append(self._subtree(begin, end))
        return path[::-1]

    def _node(self, level: int, number: int) -> bytes:
        return bytes(self._levels[level][32 * number : 32 * number + 32])

    def _checked(self, size: int | None) -> int:
        if size is None:
            return self.size
        if not 0 <= size <= self.size:
            raise BadProof(f"the tree has {self.size} leaves, not {size}")
        return size

    def _subtree(self, begin: int, end: int) -> bytes:
        """Return the root over leaves `begin` to `end`, where `begin` is a multiple of every subtree's size below it."""
        size = end - begin
        if size & (size - 1) == 0:
            level = size.bit_length() - 1
            return self._node(level, begin >> level)
        middle = begin + lower_power(size)
        return node_hash(self._subtree(begin, middle), self._subtree(middle, end))


def verify_inclusion(leaf: bytes, index: int, size: int, proof: Sequence[bytes], root: bytes) -> None:
    """Raise `BadProof` unless the proof shows that the leaf of this hash is number `index` (from 0) of the tree.

    `size` and `root` are those of the whole tree (RFC 9162, 2.1.3.2).
    """
    if not 0 <= index < size:
        raise BadProof(f"there is no leaf {index} in a tree of {size} leaves")
    _check_hashes(leaf, root, *proof)
    place, last, computed = index, size - 1, leaf
    for each in proof:
        if last == 0:
            raise BadProof(f"the proof has more hashes ({len(proof)}) than a tree of {size} leaves has levels")
        if place & 1 or place == last:
            computed = node_hash(each, computed)
            while not place & 1 and place:
                place, last = place >> 1, last >> 1
        else:
            computed = node_hash(computed, each)
        place, last = place >> 1, last >> 1
    if last:
        raise BadProof(f"the proof has too few hashes ({len(proof)}) for leaf {index} of {size}")
    if computed != root:
        raise BadProof(f"the proof for leaf {index} of {size} leads to another root")


def verify_consistency(first: int, second: int, first_root: bytes, second_root: bytes, proof: Sequence[bytes]) -> None:
    """Raise `BadProof` unless the proof shows that the tree of `second` leaves only adds to that of `first` leaves.

    Sizes are from 1 on (RFC 9162, 2.1.4.2): an empty tree is the beginning of every tree, and needs no proof.
    """
    if not 0 < first <= second:
        raise BadProof(f"no tree of {first} leaves can be shown to be the beginning of one of {second}")
    _check_hashes(first_root, second_root, *proof)
    if first == second:
        if proof:
            raise BadProof(f"both trees have {first} leaves: the proof must be empty")
        if first_root != second_root:
            raise BadProof(f"two trees of {first} leaves have different roots")
        return
    path = [first_root, *proof] if first & (first - 1) == 0 else list(proof)
    if not path:
        raise BadProof(f"the proof from {first} to {second} leaves is empty")
    place, last = first - 1, second - 1
    while place & 1:
        place, last = place >> 1, last >> 1
    old = new = path[0]
    for each in path[1:]:
        if last == 0:
            raise BadProof(f"the proof has more hashes ({len(proof)}) than a tree of {second} leaves has levels")
        if place & 1 or place == last:
            old, new = node_hash(each, old), node_hash(each, new)
            while not place & 1 and place:
                place, last = place >> 1, last >> 1
        else:
            new = node_hash(new, each)
        place, last = place >> 1, last >> 1
    if last:
        raise BadProof(f"the proof has too few hashes ({len(proof)}) from {first} to {second} leaves")
    if old != first_root:
        raise BadProof(f"the proof leads to another root of the tree of {first} leaves")
    if new != second_root:
        raise BadProof(f"the proof leads to another root of the tree of {second} leaves")


def lower_power(size: int) -> int:
    """Return the largest power of two below a size from 2 on."""
    return 1 << (size - 1).bit_length() - 1


def _check_hashes(*hashes: bytes) -> None:
    for each in hashes:
        if len(each) != 32:
            raise BadProof(f"a hash has {len(each)} bytes; expected 32")
