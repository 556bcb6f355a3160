"""Event replay of single rows of the round table: a round's events, folded from the state in its row.

Invariant: it judges nothing itself. A row has the first and last event of its round; the worker of `replay.run.stream_worker`
folds these events and gives, byte for byte, the results of replaying the whole stream. It reads the log.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from events.log.contract import EventLog, Record
from events.log.runs import runs_of
from replay.run.stream_worker import Result, Snapshot, StreamWorker, encode
from rulebook.chapters.rulebook import Rulebook
from whatif.row_schema import REST
from whatif.stream_rows import with_texts


class RowReplayer:
    """Replays single rows of a round table from the log; `rules`: the rules of a what-if, None for those on file."""

    def __init__(self, log: EventLog, texts: Mapping[str, str], rules: Rulebook | None = None) -> None:
        self._log, self._texts, self._rules = log, texts, rules

    def replay(self, row: Mapping[str, Any]) -> list[Result]:
        """Return the results of a row's round, and of the rounds replayed with it.

        Raises `IntegrityError` if the log is broken, `RuntimeError` if it is not the table's log.
        """
        rest = with_texts(row[REST], self._texts)
        stored: dict[tuple[str, str], bytes] = {}
        results: list[Result] = []

        def store(result: Result) -> None:
            results.append(result)
            stored[result[:2]] = result[2]

        snapshot = encode(Snapshot(table=rest, meter=None, since=[]))
        worker = StreamWorker(row["stream"], lambda kind, key: stored.get((kind, key)), snapshot, self._rules)
        worker.seq = row["rest_seq"]
        for run in runs_of(self._read(row)):
            worker.take_run(run, store)
            if worker.needs_refold:
                raise RuntimeError(
                    f"{row['stream']} round {row['round_no']}: event {worker.seq} reaches further back than its row of the "
                    "round table says; make the table again with `rack rounds`"
                )
        for result in worker.take_in():
            store(result)
        return [result for result in results if result[0] != "ledger"]

    def _read(self, row: Mapping[str, Any]) -> Iterator[Record]:
        return self._log.read(row["stream"], row["rest_seq"] + 1, row["until_seq"])
