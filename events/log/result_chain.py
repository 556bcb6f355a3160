"""The chain of the results of a stream, and the digests of positions: what shows that results were altered. Pure.

The results of a stream (adjudications, findings, ledger) are numbered from 1 in the order in which they were stored; the number
is a result's place. `h₀ = SHA-256("rack/results/v1\\0" ‖ stream)`, `hₙ = SHA-256("rack/result/v1\\0" ‖ hₙ₋₁ ‖ length of the kind
‖ kind ‖ length of the key ‖ key ‖ bytes)`, lengths as four bytes, the highest first. Nothing here is secret: a chain that was
rewritten as a whole is revealed only by a signed checkpoint that states its head, or by judging again.
"""

from collections.abc import Mapping
from hashlib import sha256
from typing import Final, NamedTuple

import msgspec

from events.errors import ResultBroken
from events.log.contract import UNKNOWN_STREAM, ChainedResult, Head, ResultStore

CHAINED: Final = ("adjudications", "findings", "ledger")
"""The kinds of results."""

JUDGE_AGAIN: Final = "nothing later in these results can be trusted; `rack replay --again` judges the stream again"


class ResultPosition(NamedTuple):
    """How far an engine replayed a stream: the log's head there, and the fold's snapshot (None: none is kept)."""

    head: Head
    snapshot: bytes | None


class _Origin(msgspec.Struct):
    stream: str = UNKNOWN_STREAM


_origin = msgspec.json.Decoder(_Origin)


def stream_of(key: str, data: bytes) -> str:
    """Return the stream that a result is about: as its key says (`stream#number`), or else its bytes.

    >>> stream_of("table/fu-01#7", b""), stream_of("5e5e", b'{"stream":"meter/mhb-1"}'), stream_of("5e5e", b"?")
    ('table/fu-01', 'meter/mhb-1', 'unknown')
    """
    stream, sign, _ = key.rpartition("#")
    if sign:
        return stream
    try:
        return _origin.decode(data).stream
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return UNKNOWN_STREAM


def first_hash(stream: str) -> bytes:
    """Return the chain hash before a stream's first result."""
    return sha256(b"rack/results/v1\0" + stream.encode()).digest()


def next_hash(before: bytes, kind: str, key: str, data: bytes) -> bytes:
    """Return the chain hash after a result, from the one before it."""
    hasher = sha256(b"rack/result/v1\0" + before)
    for name in (kind.encode(), key.encode()):
        hasher.update(len(name).to_bytes(4) + name)
    hasher.update(data)
    return hasher.digest()


def position_digest(engine: str, stream: str, position: ResultPosition) -> bytes:
    """Return the digest that is kept with a position: over the engine, the log's head there, and the snapshot."""
    head, snapshot = position
    image = b"\0" * 32 if snapshot is None else sha256(snapshot).digest()
    hasher = sha256(b"rack/position/v1\0")
    for name in (engine.encode(), stream.encode()):
        hasher.update(len(name).to_bytes(4) + name)
    hasher.update(head.seq.to_bytes(8) + head.hash + image)
    return hasher.digest()


class ResultChains:
    """The chains of all streams, extended as results are stored or read again."""

    def __init__(self, heads: dict[str, Head] | None = None) -> None:
        self.heads: dict[str, Head] = {} if heads is None else dict(heads)
        """Stream → place and chain hash of the last result that fits."""
        self.broken: dict[str, ResultBroken] = {}
        """Stream → the first result that does not fit; nothing of the stream is taken after it."""
        self.unchained = 0
        """The number of results stored before chains existed: they have no place, and the chain begins after them."""
        self._with_places: set[str] = set()

    def head(self, stream: str) -> Head:
        """Return the place and hash of the last result of a stream; place 0 if none exists."""
        return self.heads.get(stream) or Head(0, first_hash(stream))

    @property
    def has_places(self) -> bool:
        """Whether any result has a place."""
        return bool(self._with_places)

    def needs_place(self, stream: str) -> bool:
        """Whether a result of a stream must have a place: one before it had."""
        return stream in self._with_places

    def extend(self, kind: str, key: str, data: bytes) -> ChainedResult:
        """Give a new result its place."""
        stream = stream_of(key, data)
        before = self.head(stream)
        head = Head(before.seq + 1, next_hash(before.hash, kind, key, data))
        self.heads[stream] = head
        return ChainedResult(stream, head.seq, kind, key, data, head.hash)

    def go_on(self, stream: str, head: Head) -> None:
        """Continue the chain of a stream after a result with a known place and hash."""
        self.heads[stream] = head
        self._with_places.add(stream)

    def restart(self, stream: str) -> None:
        """Begin the chain of a stream again, without its earlier results."""
        self.heads.pop(stream, None)
        self.broken.pop(stream, None)

    def take(self, stored: ChainedResult) -> bool:
        """Check that a stored result continues its stream's chain; return whether it does. The first that does not is kept."""
        stream = stored.stream
        if stream in self.broken:
            return False
        if not stored.place and not self.needs_place(stream):
            self.extend(stored.kind, stored.key, stored.data)
            self.unchained += 1
            return True
        self._with_places.add(stream)
        fault = self._fault(stored)
        if fault is not None:
            self.broken[stream] = fault
            return False
        self.heads[stream] = Head(stored.place, stored.hash)
        return True

    def _fault(self, stored: ChainedResult) -> ResultBroken | None:
        stream, before = stored.stream, self.head(stored.stream)
        place = before.seq + 1
        if stored.place > place:
            gone = f"place {place} is" if stored.place == place + 1 else f"places {place} to {stored.place - 1} are"
            return ResultBroken(stream, place, "result_missing", f"{gone} missing; {JUDGE_AGAIN}")
        what = f"{stored.kind} {stored.key}"
        if stored.place < place:
            message = f"{what} has place {stored.place}, where place {place} belongs; {JUDGE_AGAIN}"
            return ResultBroken(stream, place, "result_changed", message)
        if next_hash(before.hash, stored.kind, stored.key, stored.data) != stored.hash:
            message = f"{what} is not what was stored: its bytes do not give the chain hash; {JUDGE_AGAIN}"
            return ResultBroken(stream, place, "result_changed", message)
        if stream_of(stored.key, stored.data) != stream:
            message = f"{what} stands among the results of another stream; {JUDGE_AGAIN}"
            return ResultBroken(stream, place, "result_changed", message)
        return None

    def end(self, before: Mapping[str, Head], after: Mapping[str, Head]) -> None:
        """Compare with the heads that the store keeps apart from the results, as read before and after the walk.

        An end that was cut off shows. A replayer may have stored further results in between.
        """
        for stream in sorted(self.heads.keys() | before.keys()):
            head = self.head(stream)
            first, last = before.get(stream, Head(0, b"")), after.get(stream, Head(0, b""))
            if stream in self.broken:
                continue
            if head.seq < first.seq:
                message = f"the results end at place {head.seq}, {first.seq} were stored; {JUDGE_AGAIN}"
                self.broken[stream] = ResultBroken(stream, head.seq + 1, "result_missing", message)
            elif head.seq > last.seq or any(head.seq == each.seq and head.hash != each.hash for each in (first, last)):
                message = f"the results have another head than the store keeps for them; {JUDGE_AGAIN}"
                self.broken[stream] = ResultBroken(stream, head.seq, "result_changed", message)


def check_chains(results: ResultStore) -> ResultChains:
    """Walk all results of a store, and compare with what it keeps apart from them."""
    before, chains = results.chain_heads(), ResultChains()
    for result in results.stored():
        chains.take(result)
    if before or chains.has_places:  # else they are of a time before there were chains
        chains.end(before, results.chain_heads())
    return chains
