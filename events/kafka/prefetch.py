"""Long reads on Kafka: a second process reads ahead while the caller works on the records.

Decoding records in Python takes about as long as checking them. So the calling process starts to read, and a second process takes
over as soon as it is ready. If the second one is lost or finds anything wrong, the first reads on from there and meets the error
itself.
"""

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
    """Yield the messages between these offsets (see `Reader.until`), with a second process if they are many."""
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
    helper: "_Helper", reader: TopicReader, left: Offsets, ends: Offsets
) -> Iterator[tuple[TopicPartition, Sequence[ReadMessage]]]:
    """Yield the reader's messages until the helper is ready, then the helper's; the caller updates `left`."""
    for found in reader.until(ends):
        yield found
        if helper.ready():
            yield from helper.read(left, ends)
            return


def _helper(cluster: Cluster) -> "_Helper | None":
    """Return a reading process, or None if it cannot be started: then read without one."""
    if multiprocessing.current_process().daemon:  # which may start none
        return None
    try:
        return _Helper(cluster)
    except (OSError, TypeError, pickle.PicklingError):  # no process to be had, or settings that cannot be sent to it
        return None


class _Helper:
    """A reading process: starts at once, gets its offsets when ready, ends with the process that started it."""

    def __init__(self, cluster: Cluster) -> None:
        self._patience = cluster.patience
        context = multiprocessing.get_context("spawn")
        self._connection, far = context.Pipe()
        self._process = context.Process(target=_read_ahead, args=(far, cluster), daemon=True)
        self._process.start()
        far.close()

    def ready(self) -> bool:
        """Whether the process is ready for its offsets (or has ended)."""
        return self._connection.poll()

    def read(self, offsets: Offsets, ends: Offsets) -> Iterator[tuple[TopicPartition, list[ReadMessage]]]:
        """Yield the process's messages until it ends or is silent for long."""
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
    """Read the requested offsets and pass the messages on, an error too: the caller reads on from the last message."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    expected = contextlib.suppress(LogUnavailable, IntegrityError, EOFError, OSError)
    with expected, contextlib.closing(cluster.reader()) as reader:
        connection.send_bytes(b"ready")
        offsets, ends = connection.recv()
        reader.assign(offsets)
        for (topic, partition), messages in reader.until(ends):
            connection.send_bytes(_encode((topic, partition, messages)))
