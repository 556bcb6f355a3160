"""Decides transactions that a writer's predecessor left open although the broker calls them complete.

`TransactionalWriter.abort_leftovers` says how this happens. None of it was acknowledged: an append is acknowledged after readers
of committed records see it.
"""

import contextlib
from collections.abc import Sequence

from events.kafka.client import Cluster, TopicPartition, TopicReader
from events.kafka.transactions import TransactionalWriter

LEFTOVER_S = 1.0
"""The time after a writer's initialization in which its predecessor's transaction may stay undecided before it is aborted."""


def decide_leftovers(
    cluster: Cluster, reader: TopicReader, writer: TransactionalWriter | None, lanes: Sequence[TopicPartition], wait_s: float
) -> None:
    """Wait until every record in these partitions is decided; abort those that this writer's predecessor left open.

    Open transactions of others are waited for, up to `wait_s`. Raises `LogUnavailable`, `WriterFenced` or `CommitUnknown`.
    """
    with contextlib.closing(cluster.reader(undecided=True)) as undecided:
        ends = undecided.ends(lanes)
    for lane, end in ends.items():
        if end and not reader.shows(lane, end - 1, LEFTOVER_S):
            if writer is not None:
                writer.abort_leftovers(lane)
            reader.await_visible(lane, end - 1, wait_s)
