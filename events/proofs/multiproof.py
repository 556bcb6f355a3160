"""Proofs for many leaves of one Merkle tree at once: these leaves and the hashes next to them give the root. Pure.

The tree is that of RFC 9162 (see `merkle.py`). The proof holds, from left to
right, the root of every subtree without any of the leaves. If the leaves are together, it is far shorter than an inclusion proof
for each.
"""

from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence

from events.proofs.merkle import EMPTY_ROOT, BadProof, CompactRange, lower_power, node_hash


def outside_hashes(leaves: Sequence[bytes], wanted: Sequence[int]) -> list[bytes]:
    """Return the proof for the leaves with these numbers (from 0, ascending) of the tree over these leaf hashes.

    >>> from events.proofs.merkle import leaf_hash
    >>> leaves = [leaf_hash(bytes([n])) for n in range(5)]
    >>> len(outside_hashes(leaves, [2])), len(outside_hashes(leaves, [0, 1, 2, 3])), len(outside_hashes(leaves, []))
    (3, 1, 1)
    """
    found: list[bytes] = []

    def walk(begin: int, end: int) -> None:
        at = bisect_left(wanted, begin)
        if at == len(wanted) or wanted[at] >= end:
            found.append(CompactRange(leaves[begin:end]).root())
        elif end - begin > 1:
            middle = begin + lower_power(end - begin)
            walk(begin, middle)
            walk(middle, end)

    if leaves:
        walk(0, len(leaves))
    return found


def root_of(size: int, leaves: Mapping[int, bytes], outside: Sequence[bytes]) -> bytes:
    """Compute the root of a tree of `size` leaves from a proof and the leaves that it covers, numbered from 0.

    Raises `BadProof` if a leaf is not in the tree, or the proof has too few or too many hashes.
    """
    numbers = sorted(leaves)
    if numbers and not 0 <= numbers[0] <= numbers[-1] < size:
        raise BadProof(f"there is no leaf {numbers[-1] if numbers[0] >= 0 else numbers[0]} in a tree of {size} leaves")
    if any(len(each) != 32 for each in (*leaves.values(), *outside)):
        raise BadProof("a proof hash is not 32 bytes long")
    rest = iter(outside)
    root = _root(0, size, numbers, leaves, rest) if size else EMPTY_ROOT
    left = sum(1 for _ in rest)
    if left:
        raise BadProof(f"the proof has {left} hashes too many for {len(numbers)} leaves of {size}")
    return root


def _root(begin: int, end: int, numbers: Sequence[int], leaves: Mapping[int, bytes], rest: Iterator[bytes]) -> bytes:
    at = bisect_left(numbers, begin)
    if at == len(numbers) or numbers[at] >= end:
        found = next(rest, None)
        if found is None:
            raise BadProof(f"the proof has too few hashes for {len(numbers)} leaves")
        return found
    if end - begin == 1:
        return leaves[begin]
    middle = begin + lower_power(end - begin)
    left = _root(begin, middle, numbers, leaves, rest)
    return node_hash(left, _root(middle, end, numbers, leaves, rest))
