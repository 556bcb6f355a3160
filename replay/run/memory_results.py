"""Temporary results for questions that change nothing (a verdict as of an earlier time, what-if rules, one round): in memory,
or in a file that is deleted afterward.
"""

import tempfile
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path

from events.errors import ResultBroken
from events.log.contract import NO_ADVICE, ChainedResult, Head, ResultStore
from events.log.foreign import OwnStore
from events.log.result_chain import ResultChains
from replay.run.tally import Result


class MemoryResults(OwnStore):
    """A `ResultStore` for questions that change nothing: `--as-of`, what-if rules."""

    def __init__(self) -> None:
        self._records: list[ChainedResult] = []
        self._latest: dict[tuple[str, str], bytes] = {}
        self._positions: dict[str, Head] = {}
        self._snapshots: dict[str, bytes] = {}
        self._chains = ResultChains()
        self._advice: dict[str, bytes] = {}

    def positions(self, engine: str) -> dict[str, Head]:
        """Return stream → the log's head up to which it was replayed."""
        return dict(self._positions)

    def snapshots(self, engine: str) -> dict[str, bytes]:
        """Return stream → snapshot."""
        return dict(self._snapshots)

    def misfits(self, engine: str) -> dict[str, str]:
        """Return nothing: no one else can alter what is in memory."""
        return {}

    def reached(self) -> dict[str, int]:
        """Return stream → the last event that was replayed."""
        return {stream: head.seq for stream, head in self._positions.items()}

    def commit(
        self,
        engine: str,
        positions: Mapping[str, Head],
        snapshots: Mapping[str, bytes],
        records: Iterable[Result],
        anew: Collection[str] = (),
        advice: Mapping[str, bytes] = NO_ADVICE,
    ) -> None:
        """Keep results; identical repeats are dropped."""
        self._advice.update(advice)
        for stream in anew:
            self._chains.restart(stream)
            gone = [each for each in self._records if each.stream == stream]
            self._records = [each for each in self._records if each.stream != stream]
            for each in gone:
                self._latest.pop((each.kind, each.key), None)
        self._positions.update(positions)
        self._snapshots.update(snapshots)
        for kind, key, data in records:
            if self._latest.get((kind, key)) != data:
                self._latest[kind, key] = data
                self._records.append(self._chains.extend(kind, key, data))

    def advice(self) -> dict[str, bytes]:
        """Return stream → the advice kept last."""
        return {stream: data for stream, data in self._advice.items() if data}

    def results(self, kind: str) -> Iterator[tuple[str, bytes]]:
        """Yield `(key, bytes)` of a kind in the order committed."""
        for each in self._records:
            if each.kind == kind:
                yield each.key, each.data

    def latest(self, kind: str, key: str) -> bytes | None:
        """Return the last record of a kind under a key."""
        return self._latest.get((kind, key))

    def stored(self, stream: str | None = None, after: int = 0) -> Iterator[ChainedResult]:
        """Yield every record (of one stream, past a place) in the order committed."""
        return (each for each in self._records if stream in (None, each.stream) and each.place > after)

    def chain_heads(self) -> dict[str, Head]:
        """Return stream → place and hash of the last record."""
        return dict(self._chains.heads)

    def broken_chains(self) -> dict[str, ResultBroken]:
        """Return nothing: no one else can alter what is in memory."""
        return {}

    def unchained(self) -> int:
        """Return 0: every record has its place."""
        return 0

    def reset(self) -> None:
        """Forget positions and snapshots."""
        self._positions, self._snapshots = {}, {}

    def close(self) -> None:
        """Nothing to release."""


@contextmanager
def fresh_results() -> Iterator[ResultStore]:
    """Yield an empty store of results in a temporary file."""
    from events.sqlite.results import SqliteResults  # a packet is checked if there is no SQLite

    with ExitStack() as resources:
        folder = resources.enter_context(tempfile.TemporaryDirectory(prefix="rack-again-"))
        yield resources.enter_context(closing(SqliteResults(Path(folder) / "fresh.verdicts")))
