"""Benchmarks of the log on one machine: append, chain, replay, restart."""

from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

from benchmarks import peers
from benchmarks.measuring import REPEATS, STORES, Measured, Timing, best, once, side_by_side
from events.log.contract import EventLog
from events.open import open_log, open_results
from events.proofs.verify import verify
from events.sqlite import log as sqlite_log
from events.vocabulary.envelope import Draft
from replay.run.replayer import Summary, replay

Groups = Sequence[tuple[str, list[Draft]]]
Batches = list[list[tuple[str, list[Draft]]]]
PROPERTY = "bench"
COMMIT_EVENTS = 4_000
"""Events that a gateway's batch makes durable together (as `rack demo` does)."""


def address(path: Path) -> str:
    """Return the address of a log in a file."""
    return f"sqlite://{path}"


def batched(groups: Groups, size: int) -> Batches:
    """Combine groups until a batch holds this many events; with 1, each group is a batch."""
    batches: Batches = [[]]
    for group in groups:
        if sum(len(drafts) for _, drafts in batches[-1]) >= size:
            batches.append([])
        batches[-1].append(group)
    return [batch for batch in batches if batch]


def append(log: EventLog, batches: Batches) -> None:
    """Append the batches, each in one commit."""
    for batch in batches:
        log.append_groups(batch)


def written(path: Path, groups: Groups) -> Path:
    """Write groups into a new log in a file, and return it."""
    with closing(open_log(address(path), create=True, property_id=PROPERTY)) as log:
        append(log, batched(groups, COMMIT_EVENTS))
    return path


def _fresh_append(path: Path, batches: Batches, **options: Any) -> Timing:
    with closing(open_log(address(path), create=True, property_id=PROPERTY, **options)) as log:
        return once(append, log, batches)[0]


def appending(folder: Path, groups: Groups, size: int, key: str, title: str) -> tuple[Measured, Path]:
    """Measure appending in commits of this many events; return also the last log made."""
    batches = batched(groups, size)
    sizes = [sum(len(drafts) for _, drafts in batch) for batch in batches]
    mine, theirs, bytes_of_rows = [], [], 0
    path = folder / f"{key}-0.db"
    for number in range(REPEATS):
        path = folder / f"{key}-{number}.db"
        mine.append(_fresh_append(path, batches))
        rows = peers.stored(path)
        bare = folder / f"{key}-{number}-bare.db"
        theirs.append(once(peers.sqlite_append, bare, rows, sizes)[0])
        bytes_of_rows = bare.stat().st_size
        bare.unlink()
    measured = Measured(
        key=key,
        title=title,
        unit="events",
        count=sum(sizes),
        ours=best(mine),
        peer_name="apsw alone: same schema without packs, settings and fsyncs, rows encoded and hashed beforehand",
        peer=best(theirs),
        notes={
            "commits": len(sizes),
            "commits_per_s": round(len(sizes) / best(mine).wall_s),
            "bytes_an_event": round(path.stat().st_size / sum(sizes)),
            "bytes_an_event_in_rows": round(bytes_of_rows / sum(sizes)),
        },
    )
    return measured, path


def storing(folder: Path, groups: Groups, size: int, key: str, title: str) -> Measured:
    """Measure appending without encoding, in commits of this many events."""
    batches = batched(groups, size)
    sizes = [sum(len(drafts) for _, drafts in batch) for batch in batches]
    same: dict[str, Any] = {"log_id": peers.LOG_ID, "clock": peers.clock}
    beforehand = peers.Encoded(sqlite_log)
    first = folder / f"{key}-first.db"
    with beforehand.keep():
        _fresh_append(first, batches, **same)
    rows = peers.stored(first)
    mine, theirs = [], []
    for number in range(STORES):
        path, bare = folder / f"{key}-{number}.db", folder / f"{key}-{number}-bare.db"
        with beforehand.hand_out():
            mine.append(_fresh_append(path, batches, **same))
        theirs.append(once(peers.sqlite_append, bare, rows, sizes)[0])
        if peers.stored(path).events != rows.events:
            raise RuntimeError(f"{path} does not hold the events that were encoded beforehand")
        path.unlink()
        bare.unlink()
    return Measured(
        key=key,
        title=title,
        unit="events",
        count=sum(sizes),
        ours=best(mine),
        peer_name="apsw alone: same schema without packs, settings and fsyncs, the same rows",
        peer=best(theirs),
        goal="80 % of the bare peer",
        met=best(theirs).wall_s / best(mine).wall_s >= 0.8,
        notes={"commits": len(sizes)},
    )


def chain(path: Path, events: int) -> list[Measured]:
    """Measure reading with the chain checked, and the whole of `rack verify`."""
    rows = peers.by_row(path)
    with closing(open_log(address(path), read_only=True)) as log:
        ours, bare = side_by_side(lambda: [len(batch) for batch in log.tail({})], lambda: peers.sqlite_select_and_hash(rows))
        whole, select = side_by_side(lambda: verify(log), lambda: peers.sqlite_select(rows))
    rate = events / ours.wall_s
    return [
        Measured(
            key="chain-sqlite",
            title="Chain verification from SQLite",
            unit="events",
            count=events,
            ours=ours,
            peer_name="apsw SELECT of the same events, a row each, and a hashlib loop, nothing compared",
            peer=bare,
            goal="100,000 events/s",
            met=rate >= 100_000,
        ),
        Measured(
            key="verify-sqlite",
            title="`rack verify`: chain, numbering, canonical bytes, envelopes, days",
            unit="events",
            count=events,
            ours=whole,
            peer_name="apsw SELECT of the same events, a row each",
            peer=select,
        ),
    ]


def clear_results(path: Path) -> None:
    """Remove the results next to a log."""
    for file in path.parent.glob(path.name + ".verdicts*"):
        file.unlink()


def replay_once(path: Path) -> Summary:
    """Replay a log into its results, as `rack replay` does."""
    with closing(open_log(address(path), read_only=True)) as log, closing(open_results(address(path))) as results:
        return replay(log, results)


def replaying(path: Path, rounds: int, events: int) -> Measured:
    """Measure single-round replay, verdicts stored."""
    mine, theirs, rows = [], [], peers.by_row(path)
    for _ in range(REPEATS):
        clear_results(path)
        timing, summary = once(lambda: replay_once(path))
        expect(summary, rounds)
        mine.append(timing)
        theirs.append(once(lambda: peers.sqlite_select_and_decode(rows))[0])
    ours = best(mine)
    return Measured(
        key="replay-sqlite",
        title="Single-round replay from SQLite, verdicts stored",
        unit="rounds",
        count=rounds,
        ours=ours,
        peer_name="apsw SELECT of the same events, a row each, and unchecked JSON parsing, nothing judged",
        peer=best(theirs),
        goal="1,000 rounds/s on one core",
        met=rounds / ours.wall_s >= 1_000,
        notes={"events_per_round": round(events / rounds, 1), "events_per_s": round(events / ours.wall_s)},
    )


def restarting(path: Path, rounds: int, later: Groups) -> Measured:
    """Measure resuming a replay from its snapshot after one more round, next to replaying everything."""
    mine, theirs = [], []
    for number, group in enumerate(later, 1):
        log = open_log(address(path))
        log.append_groups([group])
        log.close()
        timing, summary = once(lambda: replay_once(path))
        expect(summary, 1)
        mine.append(timing)
        clear_results(path)
        timing, summary = once(lambda: replay_once(path))
        expect(summary, rounds + number)
        theirs.append(timing)
    ours = best(mine)
    return Measured(
        key="restart-sqlite",
        title="Restart from the snapshot, one new round",
        unit="restarts",
        count=1,
        ours=ours,
        peer_name="replay from the beginning",
        peer=best(theirs),
        goal="under 2 s",
        met=ours.wall_s < 2.0,
        notes={"rounds_before": rounds},
    )


def expect(summary: Summary, rounds: int) -> None:
    """Check that the timed work was done: all rounds judged, all upheld."""
    if summary.rounds != rounds or summary.findings or set(summary.verdicts) != {"UPHELD"} or summary.integrity:
        raise RuntimeError(f"{rounds} upheld rounds were expected: {summary}")
