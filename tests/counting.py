"""A log or results that count what is read of them: by this the cost of an answer is held to what is new."""

from collections.abc import Iterator
from typing import Any

from events.log.contract import ChainedResult, Record


class Counting:
    """Passes everything on, and counts events, results and their bytes. All results of a kind are read only if `whole`."""

    def __init__(self, inner: Any, *, whole: bool = False) -> None:
        self._inner, self._whole = inner, whole
        self.events_read = self.results_read = self.bytes_read = 0

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)

    def read(self, *place: Any) -> Iterator[Record]:
        """Count the events of a stream."""
        for record in self._inner.read(*place):
            self.events_read, self.bytes_read = self.events_read + 1, self.bytes_read + len(record.data)
            yield record

    def tail(self, *place: Any, **options: Any) -> Iterator[list[Record]]:
        """Count the events of all streams."""
        for batch in self._inner.tail(*place, **options):
            self.events_read += len(batch)
            self.bytes_read += sum(len(record.data) for record in batch)
            yield batch

    def stored(self, *place: Any) -> Iterator[ChainedResult]:
        """Count the results of a stream."""
        for result in self._inner.stored(*place):
            self.results_read, self.bytes_read = self.results_read + 1, self.bytes_read + len(result.data)
            yield result

    def results(self, kind: str) -> Iterator[tuple[str, bytes]]:
        """Count the results of a kind."""
        assert self._whole, f"all {kind} are read"
        for key, data in self._inner.results(kind):
            self.results_read, self.bytes_read = self.results_read + 1, self.bytes_read + len(data)
            yield key, data

    def latest(self, kind: str, key: str) -> bytes | None:
        """Count a result that is looked up."""
        data: bytes | None = self._inner.latest(kind, key)
        self.results_read, self.bytes_read = self.results_read + 1, self.bytes_read + len(data or b"")
        return data
