"""A long read on Kafka, by a process of its own that polls ahead while what it has brought is worked on.

Records are decoded in Python, which takes about as long as to check them afterward. So the process that
wants them begins to read by itself, a second one takes over as soon as it is ready, and the first ends the reading: if
the second one is lost or finds anything wrong, the first reads on from there, and meets whatever it is itself.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import pickle
import signal
from collections.abc import Iterator, Mapping, Sequence
from multiprocessing.connection import Connection
from typing import Final

import msgspec

from events.errors import IntegrityError, LogUnavailable
from events.kafka.client import Cluster, TopicPartition, TopicReader
from events.kafka.record_batches import ReadMessage

PREFETCH_FROM: Final = 60_000
"""Records that one process reads in the time in which another one starts."""

Offsets = Mapping[TopicPartition, int]


_encode = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.Decoder(tuple[str, int, list[ReadMessage]]).decode


def to_the_ends(
    cluster: Cluster, reader: TopicReader, offsets: Offsets, ends: Offsets, worth: int = PREFETCH_FROM
) -> Iterator[tuple[TopicPartition, Sequence[ReadMessage]]]:
    """Yield what lies between these offsets (see `Reader.until`), if it is much with the help of a second process."""
    left = dict(offsets)
    reader.assign(left)
    helper = _helper(cluster) if sum(ends[lane] - offset for lane, offset in left.items()) >= worth else None
    if helper is not None:
        with contextlib.closing(helper):
            for lane, messages in _handed_over(helper, reader, left, ends):
                yield lane, messages
                left[lane] = messages[-1].offset + 1
        reader.assign(left)
    yield from reader.until(ends)


def _handed_over(
    helper: _Helper, reader: TopicReader, left: Offsets, ends: Offsets
) -> Iterator[tuple[TopicPartition, Sequence[ReadMessage]]]:
    """Yield what the reader reads until the helper is ready, then what that one reads; `left` is kept by who takes it."""
    for found in reader.until(ends):
        yield found
        if helper.ready():
            yield from helper.read(left, ends)
            return


def _helper(cluster: Cluster) -> _Helper | None:
    """Return a process that reads, or None if none can be had: then it is read as it is where little is to be read."""
    if multiprocessing.current_process().daemon:  # which may start none
        return None
    try:
        return _Helper(cluster)
    except (OSError, TypeError, pickle.PicklingError):  # no process to be had, or settings that cannot be sent to it
        return None


class _Helper:
    """A process that reads.

    It is started at once, told what to read when it is ready, and ends with the process that started it.
    """

    def __init__(self, cluster: Cluster) -> None:
        self._patience = cluster.patience
        context = multiprocessing.get_context("spawn")
        self._connection, far = context.Pipe()
        self._process = context.Process(target=_read_ahead, args=(far, cluster), daemon=True)
        self._process.start()
        far.close()

    def ready(self) -> bool:
        """Whether the process waits for what to read (or has ended)."""
        return self._connection.poll()

    def read(self, offsets: Offsets, ends: Offsets) -> Iterator[tuple[TopicPartition, list[ReadMessage]]]:
        """Yield what the process reads, until it ends, or says nothing for long."""
        with contextlib.suppress(EOFError, OSError, LogUnavailable):
            self._connection.recv_bytes()  # that it is ready
            self._connection.send((offsets, ends))
            while True:
                self._patience.wait(self._connection.poll)
                topic, partition, messages = _decode(self._connection.recv_bytes())
                yield TopicPartition(topic, partition), messages

    def close(self) -> None:
        """End the process."""
        self._connection.close()
        self._process.kill()  # it may have been stopped; it holds nothing
        self._process.join()
        self._process.close()


def _read_ahead(connection: Connection, cluster: Cluster) -> None:
    """Read what is asked for and pass it on. An error is passed on too: the caller reads on from where this ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    expected = contextlib.suppress(LogUnavailable, IntegrityError, EOFError, OSError)
    with expected, contextlib.closing(cluster.reader()) as reader:
        connection.send_bytes(b"ready")
        offsets, ends = connection.recv()
        reader.assign(offsets)
        for (topic, partition), messages in reader.until(ends):
            connection.send_bytes(_encode((topic, partition, messages)))
