"""What the predecessor of a writer left undecided in its partitions, although the broker says that all of it is settled.

See `TransactionalWriter.abort_leftovers` for how this comes about. Nothing of it was acknowledged: an append is, after readers
of committed records see it.
"""

from __future__ import annotations

import contextlib
from collections.abc import Sequence

from events.kafka.client import Cluster, TopicPartition, TopicReader
from events.kafka.transactions import TransactionalWriter

LEFTOVER_S = 1.0
"""How long what a predecessor left may stay undecided after a writer was initialized, before it is aborted."""


def decide_leftovers(
    cluster: Cluster,
    reader: TopicReader,
    writer: TransactionalWriter | None,
    lanes: Sequence[TopicPartition],
    wait_s: float,
) -> None:
    """Wait until everything is decided that lies in these partitions now, and abort what this writer's predecessor left open.

    What others have open is waited for, up to `wait_s`. Raises `LogUnavailable`, `WriterFenced` or `CommitUnknown`.
    """
    with contextlib.closing(cluster.reader(undecided=True)) as undecided:
        ends = undecided.ends(lanes)
    for lane, end in ends.items():
        if end and not reader.shows(lane, end - 1, LEFTOVER_S):
            if writer is not None:
                writer.abort_leftovers(lane)
            reader.await_visible(lane, end - 1, wait_s)
