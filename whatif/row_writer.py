"""Reads a stream only for its rows (`stream_rows`): folded as by a replay, without judging. Events in, rows out; no I/O."""

from replay.fold.round import Round
from replay.run.stream_worker import Result, StreamWorker, rules_in_force
from whatif.stream_rows import StreamRows


class RowWriter(StreamWorker):
    """A stream worker that turns rounds into rows (if there is a `taker`) and judges none.

    `snapshot`: the state to resume from, `seq` the number of its event.
    """

    def __init__(self, rows: StreamRows | None, stream: str, snapshot: bytes | None = None, seq: int = 0) -> None:
        super().__init__(stream, lambda kind, key: None, snapshot)
        self.taker, self.seq = rows, seq

    def judge(self, round_: Round) -> list[Result]:
        """Write a round as a row."""
        self.judged_to = max(self.judged_to, round_.round_no)
        if self.taker is not None:
            self.taker.take(round_, rules_in_force(round_), self.seq)
        return []
