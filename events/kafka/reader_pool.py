"""Readers that are used again: making one costs a connection to each broker, and most readings are short."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator
from typing import Final

from events.kafka.client import Cluster, TopicReader

MOST_IDLE: Final = 2
"""Readers that are kept open while no one reads."""


class ReaderPool:
    """The readers of one log or of its results, each for one reading at a time. Safe between threads."""

    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster
        self._lock = threading.Lock()
        self._idle: list[TopicReader] = []
        self._closed = False

    @contextlib.contextmanager
    def reader(self) -> Iterator[TopicReader]:
        """Lend a reader, with nothing assigned that counts."""
        with self._lock:
            reader = self._idle.pop() if self._idle else None
        reader = reader or self._cluster.reader()
        try:
            yield reader
        finally:
            with self._lock:
                keep = not self._closed and len(self._idle) < MOST_IDLE
                if keep:
                    self._idle.append(reader)
            if not keep:
                reader.close()

    def close(self) -> None:
        """Release the connections of the readers that are not lent; the others follow when they come back."""
        with self._lock:
            self._closed = True
            idle, self._idle = self._idle, []
        for reader in idle:
            reader.close()
