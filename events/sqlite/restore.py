"""A log in SQLite that takes the records of another copy of itself (see `events.restore`)."""

from collections.abc import Mapping, Sequence

from events.log.appender import check_continues
from events.log.contract import Head, QuarantineEntry, Record
from events.sqlite.log import SqliteLog
from events.sqlite.packs import store
from events.sqlite.repeats import enter_restored


class SqliteRestore(SqliteLog):
    """See `events.restore.RestoreTarget`."""

    def expect(self, heads: Mapping[str, Head]) -> None:
        """Note durably how far the streams will reach."""
        with self.turn():
            if heads:
                self._high_water.record(heads)

    def adopt(self, records: Sequence[Record]) -> None:
        """Store records as they are, in one transaction. Raises `BrokenSeal` if one does not continue its stream."""
        ends: dict[str, Head] = {}
        with self.turn():
            for record in records:
                stream = record.stream
                check_continues(ends.get(stream) or self.head(stream), record)
                ends[stream] = Head(record.seq, record.hash)
            with self._database.transaction() as connection:
                enter_restored(connection, records)
                store(connection, records, packing=self._events.has_packs)

    def adopt_refused(self, entry: QuarantineEntry) -> None:
        """Keep refused bytes with the time at which the other copy took them in."""
        self._keep([entry], entry.at_us)
