"""Check the results next to a log: their chains, what checkpoints state of them, and the positions of the replay.

What this shows: results are as they were stored, up to the last place that a signed checkpoint states. A chain that was rewritten
from a later place on, with every later hash, is not revealed here; judging again reveals it (`rack verify --verdicts`).
"""

from collections.abc import Collection, Mapping, Sequence

import msgspec

from events.errors import LogUnavailable, PositionBroken, ResultBroken
from events.log.contract import ChainedResult, Head, ResultStore
from events.log.result_chain import JUDGE_AGAIN, ResultChains
from events.proofs.statements import ResultsStatement
from events.vocabulary.envelope import StreamName

RESULTS = "results"
"""The name of the results next to a log if no stream can be named."""
POSITION_REMEDY = "`rack replay` judges the stream again"


class StoredState(msgspec.Struct, frozen=True):
    """A store of results (None: none exists) with the positions of the present engine, and why others do not fit a digest.

    `damage` says why a store that is there cannot be read.
    """

    store: ResultStore | None
    positions: Mapping[str, Head] = {}
    misfits: Mapping[str, str] = {}
    damage: str = ""


class ResultsCheck(msgspec.Struct, frozen=True, kw_only=True):
    """The result of the check: the number of results, the number without a place (older than the chains), and the streams.

    `stated` is how many of them signed checkpoints state, `unread` how many were not read again. `heads` are the ends of the
    chains that are sound.
    """

    results: int = 0
    unchained: int = 0
    streams: int = 0
    stated: int = 0
    unread: int = 0
    heads: dict[str, Head] = {}
    faults: tuple[ResultBroken | PositionBroken, ...] = ()

    @property
    def counts(self) -> dict[str, int]:
        """The counts, as JSON values."""
        return {name: getattr(self, name) for name in ("results", "unchained", "streams", "stated", "unread")}


def check_results(
    state: StoredState, stated: Mapping[str, Sequence[Head]], since: Mapping[str, int] | None = None
) -> ResultsCheck:
    """Walk the chains of all results; `stated`: stream → the heads that checkpoints state of its results, in order.

    With `since` (stream → how many were sound before), a stream is read only past the last of these that a checkpoint states.
    """
    damage = state.damage
    if not damage:
        try:
            return _walk(state.store, stated, since)
        except LogUnavailable as error:
            damage = str(error)
    return ResultsCheck(faults=(ResultBroken(RESULTS, 0, "result_unreadable", damage),))


def _walk(store: ResultStore | None, stated: Mapping[str, Sequence[Head]], since: Mapping[str, int] | None) -> ResultsCheck:
    walk = _ResultsWalk(stated)
    before = store.chain_heads() if store is not None else {}
    if store is None or since is None:
        for result in store.stored() if store is not None else ():
            walk.take(result)
    else:
        for stream in sorted(before.keys() | since.keys()):
            place = walk.begin(store, stream, since.get(stream, 0))
            for result in store.stored(stream, place):
                walk.take(result)
        walk.faults |= store.broken_chains()  # what is missing among those that are not read, or of a stream without an end
    after = store.chain_heads() if store is not None else {}
    chains = walk.chains
    if before or chains.has_places:  # else they are of a time before there were chains
        chains.end(before, after)
    walk.end(is_empty=store is None)
    faults: dict[str, ResultBroken] = walk.faults | chains.broken
    return ResultsCheck(
        results=walk.results,
        unchained=chains.unchained,
        streams=len(chains.heads.keys() | chains.broken.keys()),
        stated=sum(walk.confirmed.values()),
        unread=walk.unread,
        heads={stream: head for stream, head in chains.heads.items() if stream not in faults},
        faults=tuple(fault for _, fault in sorted(faults.items())),
    )


class _ResultsWalk:
    """The chains, compared with the statements of checkpoints in order."""

    def __init__(self, stated: Mapping[str, Sequence[Head]]) -> None:
        self.chains, self.results = ResultChains(), 0
        self.faults: dict[str, ResultBroken] = {}
        self.confirmed: dict[str, int] = {}
        self.unread = 0
        self._stated = {stream: {head.seq: head.hash for head in heads} for stream, heads in stated.items()}
        self._last = {stream: max(heads, default=0) for stream, heads in self._stated.items()}

    def begin(self, store: ResultStore, stream: str, sound: int) -> int:
        """Return the place after which a stream is to be read: the last sound one that a checkpoint states.

        If the result there is not the stated one, it is read from the first on.
        """
        places = [place for place in self._stated.get(stream, ()) if 0 < place <= sound]
        if not places:
            return 0
        head = Head(max(places), self._stated[stream][max(places)])
        result = next(iter(store.stored(stream, head.seq - 1)), None)
        if result is None or Head(result.place, result.hash) != head:
            return 0
        self.chains.go_on(stream, head)
        self.confirmed[stream] = head.seq
        self.unread += head.seq
        self.results += head.seq
        return head.seq

    def take(self, result: ChainedResult) -> None:
        self.results += 1
        if not self.chains.take(result) or result.stream not in self._stated:
            return
        head = self.chains.head(result.stream)
        expected = self._stated[result.stream].get(head.seq)
        if expected is None or result.stream in self.faults:
            return
        if expected != head.hash:
            first = self.confirmed.get(result.stream, 0) + 1
            message = f"results {first} to {head.seq} are not those of which a signed checkpoint states the head; {JUDGE_AGAIN}"
            self.faults[result.stream] = ResultBroken(result.stream, first, "results_replaced", message)
        else:
            self.confirmed[result.stream] = head.seq

    def end(self, *, is_empty: bool) -> None:
        for stream, last in self._last.items():
            place = self.chains.head(stream).seq
            if place < last and stream not in self.faults and stream not in self.chains.broken:
                gone = "there are no results" if is_empty else f"the results end at place {place}"
                message = f"{gone}, but a signed checkpoint states {last}; {JUDGE_AGAIN}"
                self.faults[stream] = ResultBroken(stream, place + 1, "result_missing", message)


def position_faults(
    state: StoredState, at_positions: Mapping[str, bytes], ends: Mapping[str, Head], broken: Collection[str]
) -> list[PositionBroken]:
    """Compare positions with the verified log: the chain hash at each position, and the end of each stream.

    Skip the streams in `broken`, since their events at the position are unknown.
    """
    faults = [PositionBroken(stream, 0, f"{why}; {POSITION_REMEDY}") for stream, why in sorted(state.misfits.items())]
    for stream, position in sorted(state.positions.items()):
        end = ends.get(stream)
        if stream in broken or end is None or (position.seq in (0, end.seq) and position.hash in (b"", end.hash)):
            continue
        if position.seq > end.seq:
            message = f"the stored position ({position.seq}) is past the end of the stream ({end.seq}); {POSITION_REMEDY}"
        elif at_positions.get(stream) != position.hash:
            message = f"the stored position ({position.seq}) has another chain hash than the log; {POSITION_REMEDY}"
        else:
            continue
        faults.append(PositionBroken(stream, position.seq, message))
    return faults


def statements_of(
    store: ResultStore, stated: Mapping[str, Sequence[Head]], *, anew: bool
) -> tuple[list[ResultsStatement], tuple[ResultBroken | PositionBroken, ...]]:
    """Return a checkpoint's statements about results, and the faults that prevent more of them.

    It states only results in a sound chain that continues the earlier statement. With `anew`, it also states sound chains
    that contradict an earlier statement, marked as a new beginning, for an auditor who has judged the log again and compared.
    """
    check = check_results(StoredState(store), stated)
    statements = [
        ResultsStatement(anew=False, chain=head.hash.hex(), size=head.seq, stream=stream)
        for stream, head in sorted(check.heads.items())
        if _is_stream(stream) and head.seq > max((each.seq for each in stated.get(stream, ())), default=0)
    ]
    if not anew:
        return statements, check.faults
    alone = check_results(StoredState(store), {})
    unsound = {fault.stream for fault in alone.faults}
    for stream in sorted({fault.stream for fault in check.faults} & stated.keys() - unsound):
        head = alone.heads.get(stream) or ResultChains().head(stream)
        statements.append(ResultsStatement(anew=True, chain=head.hash.hex(), size=head.seq, stream=stream))
    return statements, alone.faults


def _is_stream(name: str) -> bool:
    try:
        msgspec.convert(name, StreamName)
    except msgspec.ValidationError:
        return False
    return True
