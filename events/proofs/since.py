"""The start of a verification that reads only what came after an earlier one.

Invariant: a signed checkpoint, not the note of the earlier verification, must cover the events that are not read again, and show
where they end. A stream begins after the last event for which a checkpoint states root and chain hash. The kept subtrees must
give that root, and the event there must have that hash. If anything does not fit, the stream is read from its first event, which
finds the fault.
"""

from collections.abc import Mapping
from typing import Annotated

import msgspec
from msgspec import Meta

from events.proofs.history import StatedHeads, StreamHeads
from events.proofs.merkle import CompactRange

Hash = Annotated[str, Meta(pattern=r"\A[0-9a-f]{64}\Z")]
Number = Annotated[int, Meta(ge=0, le=2**53 - 1)]

LEAD = 200
"""Events read before the first one checked, to know whether a round is open."""


class StreamStart(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The events of a stream that its last checkpoint confirmed: their number, and the full subtrees, the largest first (hex)."""

    size: Annotated[int, Meta(ge=1, le=2**53 - 1)]
    subtrees: tuple[Hash, ...]

    def heads(self, stream: str, stated: StatedHeads, chain: bytes) -> StreamHeads | None:
        """Return the stream's tree from there on, if checkpoints state its root and chain hash; else None."""
        try:
            tree = CompactRange.of(self.size, [bytes.fromhex(each) for each in self.subtrees])
        except ValueError:
            return None
        place = stated.place_of(self.size)
        if place is None or not stated.says(place, tree.root(), chain):
            return None
        return StreamHeads(stream, stated, tree, place)


class VerifiedStart(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The start for the next verification, from one that passed: when (UTC microseconds) and by whom everything was last
    read, the verified end of each stream, and the number of sound results of each.
    """

    at_us: Number
    by: Annotated[str, Meta(max_length=200)]
    streams: Mapping[str, StreamStart]
    results: Mapping[str, Number]


def start_of(heads: StreamHeads) -> StreamStart | None:
    """Return where a stream was confirmed by all that checkpoints state about it; None if they state nothing."""
    tree = heads.borne_out
    return None if tree is None else StreamStart(tree.size, tuple(each.hex() for each in tree.subtrees))
