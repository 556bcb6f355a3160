"""A shadow: this engine's verdicts on rounds whose verdicts in force are an earlier engine's, kept separately.

The idea: judging again gives revisions of the verdicts in force. A shadow stores them separately instead of putting them in
force, each with the digest of the verdict that it would supersede. One event in the property's stream adopts a shadow by its
digest; the replayer puts those revisions in force with its next commit, all or none, but leaves out each whose predecessor is no
longer in force.
"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from functools import partial
from hashlib import sha256
from typing import NamedTuple

import msgspec

from events.errors import EventError, LogUnavailable
from events.log.contract import ChainedResult, EventLog, Head, ResultStore
from events.log.relaxed_gc import relaxed_gc
from events.log.result_chain import check_chains
from events.proofs.keys import PROPERTY_STREAM
from events.vocabulary.codec import decode
from events.vocabulary.model import VerdictsAdopted
from replay.findings import Adjudication, read_result, to_bytes
from replay.run.comparison import held_to, of_stream
from replay.run.engine import engine
from replay.run.held import HeldVerdicts, KeepsStored, code_of
from replay.run.in_force import current_findings
from replay.run.positions import ReplaySource, stored_state
from replay.run.refold import refold
from replay.run.stream_worker import LatestResult, Result, StreamWorker, encode_json, withdrawal

ShadowOpener = Callable[[str], ResultStore]
"""Opens a shadow by its name, for reading. Raises `LogUnavailable` if none exists."""

Progress = Callable[[int, int], None]
"""Called with the events read and the rounds judged so far."""

_ADOPTED = f'"type":"{VerdictsAdopted.TYPE}"'.encode()


class ShadowSummary(msgspec.Struct, kw_only=True):
    """The result of judging a shadow: the number of streams judged now and before, events read and rounds judged; the total
    number of rounds in the shadow with a different verdict; and a sentence for each broken stream.
    """

    streams: int = 0
    before: int = 0
    events: int = 0
    rounds: int = 0
    changed: int = 0
    integrity: list[str] = []


def held_streams(results: ResultStore) -> dict[str, int]:
    """Return stream → the last event judged by another engine."""
    found, reached = stored_state(results), results.reached()
    ends = {stream: held_to(found, results, reached, stream) for stream in sorted(results.chain_heads())}
    return {stream: end for stream, end in ends.items() if end}


def judge_beside(log: EventLog, results: ResultStore, shadow: ResultStore, progress: Progress | None = None) -> ShadowSummary:
    """Judge another engine's rounds into a shadow, one stream at a time; streams already judged as far are skipped."""
    summary, done, reached = ShadowSummary(), shadow.positions(shadow_engine()), results.reached()
    broken, altered = results.broken_chains(), check_chains(shadow).broken
    with relaxed_gc():
        for stream, to in held_streams(results).items():
            if stream in broken:
                summary.integrity.append(f"{broken[stream].code} {broken[stream]}")
            elif done.get(stream, Head(0, b"")).seq >= to and stream not in altered:
                summary.before += 1
            else:
                _judge_stream(log, results, shadow, stream, max(to, reached.get(stream, 0)), summary)
            if progress is not None:
                progress(summary.events, summary.rounds)
    summary.changed = sum(1 for each in shadow.stored() if each.kind == "adjudications")
    return summary


def _judge_stream(
    log: EventLog, results: ResultStore, shadow: ResultStore, stream: str, end: int, summary: ShadowSummary
) -> None:
    def made(name: str, latest: LatestResult) -> StreamWorker:
        worker = StreamWorker(name, latest)
        worker.elsewhere = log.read
        return worker

    def in_force() -> set[str]:
        found = ((each.key, each.data) for each in of_stream(results, stream) if each.kind == "findings")
        return {finding.id for finding in current_findings(found)}

    keeper = KeepsStored(own=True, others=False)
    read = partial(log.read, stream)
    refolded = refold(stream, read, end, results.latest, in_force, None, made, keeper=lambda seq: keeper)
    if refolded.broken is not None:
        summary.integrity.append(f"{refolded.broken.code} {refolded.broken}")
        return
    worker = refolded.worker
    records = [(kind, key, data) for kind, key, data in refolded.results if results.latest(kind, key) != data]
    shadow.commit(shadow_engine(), {stream: Head(worker.seq, worker.chain)}, {}, records, [stream])
    summary.streams, summary.events = summary.streams + 1, summary.events + worker.seq
    summary.rounds += worker.rounds


def shadow_engine() -> str:
    """Return the engine name under which a shadow stores its progress."""
    return f"shadow+{code_of(engine())}"


def shadow_digest(shadow: ResultStore) -> str:
    """Return the SHA-256 of a shadow's content: of the ends of its chains."""
    heads = [[stream, head.seq, head.hash.hex()] for stream, head in sorted(shadow.chain_heads().items())]
    return sha256(b"rack/shadow/v1\0" + encode_json([code_of(engine()), heads])).hexdigest()


class VerdictChange(NamedTuple):
    """A verdict in force and the shadow's; the result is as stored in the shadow."""

    before: Adjudication
    after: Adjudication


def changes(shadow: ResultStore, latest: LatestResult, stream: str) -> Iterator[VerdictChange | ChainedResult]:
    """Yield the changes from adopting a shadow in a stream: verdicts next to those in force, a meter's findings, ledger entries.

    A verdict that was meanwhile revised by this engine remains.
    """
    of_meter = stream.startswith("meter/")
    for each in of_stream(shadow, stream):
        before = latest(each.kind, each.key)
        if each.kind == "adjudications":
            after = read_result(each.kind, each.key, each.data, Adjudication)
            if before is not None and sha256(before).hexdigest() == after.supersedes:
                yield VerdictChange(read_result(each.kind, each.key, before, Adjudication), after)
        elif (of_meter or each.kind == "ledger") and before != each.data:
            yield each


class Adopted(NamedTuple):
    """An adoption to put in force: the number of the event, the streams, and the obstacles, a sentence each.

    `results` yields a stream's results one by one, so that memory does not grow with the number of rounds; it can be called
    repeatedly.
    """

    seq: int
    streams: list[str]
    notes: list[str]
    results: Callable[[str], Iterator[Result]] = lambda stream: iter(())


class Adoptions:
    """The adoptions in the property's stream; `open_shadow` opens the shadow that they name."""

    def __init__(self, open_shadow: ShadowOpener) -> None:
        self._open_shadow = open_shadow

    @contextmanager
    def take(self, log: ReplaySource, held: Mapping[str, HeldVerdicts], latest: LatestResult) -> Iterator[Adopted]:
        """Yield the last adoption's results, which replace held ones; nothing if it was of another engine."""
        last = last_adoption(log)
        if last is None or code_of(last[1].engine) != code_of(engine()):
            yield Adopted(0, [], [])
            return
        seq, event = last
        about = f"property/main event {seq} adopts the shadow {event.shadow}"
        again = f"`rack replay --shadow {event.shadow}` judges it again"
        try:
            shadow = self._open_shadow(event.shadow)
        except LogUnavailable:
            yield Adopted(seq, [], [f"{about}, which is not here; {again}"])
            return
        with closing(shadow):
            if check_chains(shadow).broken:
                yield Adopted(seq, [], [f"{about}, which was altered; {again}"])
            elif shadow_digest(shadow) != event.sha256:
                yield Adopted(seq, [], [f"{about}, whose results are others now; {again}, then adopt it again"])
            else:
                reach = shadow.positions(shadow_engine())
                covered = [name for name, each in held.items() if name in reach and reach[name].seq >= each.to]
                left = [name for name in held if name not in covered]
                notes = [f"{name}: {about}, which does not reach so far; {again}" for name in left]
                yield Adopted(seq, covered, notes, lambda name: _adopted(shadow, latest, name, seq))


def _adopted(shadow: ResultStore, latest: LatestResult, stream: str, seq: int) -> Iterator[Result]:
    """Yield the results that a shadow puts in force, each with the number of the event that adopts it."""
    for each in changes(shadow, latest, stream):
        if isinstance(each, VerdictChange):
            after = msgspec.structs.replace(each.after, adopted=seq)
            yield "adjudications", f"{stream}#{after.round_no}", to_bytes(after)
            yield from (("findings", finding.id, to_bytes(finding)) for finding in after.findings)
            yield from (withdrawal(id_, stream, after.round_no) for id_ in after.withdrawn)
        elif each.kind == "findings":
            yield each.kind, each.key, encode_json(msgspec.json.decode(each.data) | {"adopted": seq})
        else:
            yield each.kind, each.key, each.data


def last_adoption(log: ReplaySource) -> tuple[int, VerdictsAdopted] | None:
    """Return the last adoption event with its number; None if there is no readable one."""
    last = None
    if PROPERTY_STREAM not in log.streams():
        return None
    try:
        for record in log.read(PROPERTY_STREAM):
            if _ADOPTED in record.data:
                payload = decode(record.data).payload
                last = (record.seq, payload) if isinstance(payload, VerdictsAdopted) else last
    except EventError:
        return last
    return last
