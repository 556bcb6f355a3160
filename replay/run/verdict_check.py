"""Judges a whole log again from its first event, and compares every stored result: a rewritten chain shows, too.

Each stream is judged up to its replay position. Nothing is stored.
"""

from collections.abc import Callable

import msgspec

from events.errors import LogUnavailable
from events.log.contract import EventLog, ResultStore
from replay.run.comparison import ResultDifference, StreamLog, compare
from replay.run.engine import current_engines, engine
from replay.run.held import HeldVerdicts, held_in
from replay.run.memory_results import fresh_results
from replay.run.positions import stored_state
from replay.run.replayer import Replay

Progress = Callable[[str, int], None]
"""Called with the stream and the number of results compared so far."""

REPLAY_FIRST = "replay the log, then verify again"


class VerdictCheck(msgspec.Struct, kw_only=True):
    """What was found: how many results were compared and how many differ, the first difference of each stream, the streams
    that an earlier engine judged in part (there conclusions were compared, not bytes), how many of its verdicts were `held` and
    left out, and those that were not judged again:
    stream → why.
    """

    compared: int = 0
    differing: int = 0
    differences: list[ResultDifference] = []
    by_conclusion: list[str] = []
    held: int = 0
    unjudged: dict[str, str] = {}

    def failures(self) -> list[str]:
        """Return the faults, a sentence for each stream."""
        lines = [f"judged again, {each.line()}" for each in self.differences]
        return lines + [f"{stream}: the results were not compared: {why}" for stream, why in self.unjudged.items()]


def check_verdicts(log: EventLog, results: ResultStore, progress: Progress | None = None) -> VerdictCheck:
    """Judge again and compare. Raises `LogUnavailable` if another engine judged what is stored."""
    state, heads = stored_state(results), results.chain_heads()
    positions = state.positions
    if state.outdated:
        games = f"another engine judged the game of {', '.join(sorted(state.outdated))}"
        raise LogUnavailable(f"{games} than this program has: {REPLAY_FIRST}")
    if not positions and not state.misfits:
        raise LogUnavailable(f"the stored results are of another version than this engine ({engine()}): {REPLAY_FIRST}")
    found = VerdictCheck()
    for stream in sorted({*log.streams(), *heads}):
        if stream in positions:
            _check_stream(log, results, stream, positions[stream].seq, found, held_in(state.snapshots.get(stream)))
        elif stream in heads:
            found.unjudged[stream] = f"no sound position says how far they reach; {REPLAY_FIRST}"
        if progress is not None:
            progress(stream, found.compared)
    return found


def _check_stream(log: EventLog, results: ResultStore, stream: str, end: int, found: VerdictCheck, held: HeldVerdicts) -> None:
    with fresh_results() as fresh:
        run = Replay(StreamLog(log, stream), fresh, as_of={stream: end})
        for _ in run.run():
            pass
        if run.summary.integrity:
            found.unjudged[stream] = run.summary.integrity[0]
            return
        comparison = compare(stream, results, fresh, current_engines(), held)
    found.compared += comparison.compared
    found.held += comparison.held
    found.differing += comparison.differences + len(comparison.missing)
    if comparison.mixed:
        found.by_conclusion.append(stream)
    if comparison.first is not None:
        found.differences.append(comparison.first)
    elif comparison.missing:
        kind, key, _ = comparison.missing[0]
        what = "judging again leads to this result; it is not stored"
        found.differences.append(ResultDifference(stream=stream, place=0, kind=kind, key=key, what=what))
