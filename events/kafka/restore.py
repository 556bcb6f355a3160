"""A log on Kafka that accepts records of another copy of itself (see `events.restore`)."""

from collections import defaultdict
from collections.abc import Mapping, Sequence

from events.kafka.client import TopicPartition
from events.kafka.log import KafkaLog
from events.kafka.partition_writer import StagedAppend
from events.log.contract import Head, QuarantineEntry, Record


class KafkaRestore(KafkaLog):
    """See `events.restore.RestoreTarget`."""

    def expect(self, heads: Mapping[str, Head]) -> None:
        """Record durably in this machine's high-water files how far the streams will reach."""
        by_lane: defaultdict[TopicPartition, dict[str, Head]] = defaultdict(dict)
        for stream, head in heads.items():
            by_lane[self._lane(stream)][stream] = head
        for lane, ends in by_lane.items():
            self._shard(lane)  # the right to write, before its file
            self._high_waters[lane].record(ends)

    def adopt(self, records: Sequence[Record]) -> None:
        """Store unchanged records, a transaction per partition. Raises `BrokenSeal` if one does not continue its stream."""
        with self._lock:
            self._check_writable()
            staged: dict[TopicPartition, StagedAppend] = {}
            for record in records:
                lane = self._lane(record.stream)
                if lane not in staged:
                    staged[lane] = StagedAppend()
                    self._shard(lane).claim()
                self._shards[lane].adopt(staged[lane], record)
            self._send(staged)

    def adopt_refused(self, entry: QuarantineEntry) -> None:
        """Store refused bytes with the time of their intake in the other copy."""
        self._keep([entry], entry.at_us)
