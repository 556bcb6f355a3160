"""Foreign records: records in the store of a log that are no part of it. Skipped, counted, and named once. Pure.

Only a store into which others can write has any: a topic on Kafka accepts anything from a producer with the right to write. Which
record is foreign is decided in `events.kafka.foreign_records` alone; this file names and counts them.
"""

from typing import Final

import msgspec

NAMED: Final = 20
"""Foreign records that are named one by one; of further ones the number is told."""


class ForeignRecord(msgspec.Struct, frozen=True):
    """One foreign record: its place, its key (cut, as text; None if it has none), and why it is not part of the log."""

    topic: str
    partition: int
    offset: int
    key: str | None
    reason: str

    def line(self) -> str:
        """Return the record in one line."""
        key = "no key" if self.key is None else f"key {self.key!r}"
        return f"{self.topic} partition {self.partition} offset {self.offset} ({key}): {self.reason}"


class ForeignReport(msgspec.Struct, frozen=True):
    """How many foreign records there are, and the first of them by name, at most `NAMED`."""

    count: int = 0
    records: tuple[ForeignRecord, ...] = ()

    def with_others(self, others: "ForeignReport") -> "ForeignReport":
        """Return this report with the foreign records of another place."""
        return ForeignReport(self.count + others.count, (self.records + others.records)[:NAMED])


def foreign_lines(report: ForeignReport, said: int = 0) -> list[str]:
    """Return lines about foreign records not yet reported: the first of them by name, how many more, and what to do."""
    if report.count <= said:
        return []
    named = [f"foreign record, skipped: {record.line()}" for record in report.records[said:]]
    more = report.count - max(said, len(report.records))
    if more:
        named.append(f"{more:,} {'more foreign records' if named else 'foreign records'} skipped")
    return [*named, "foreign records are not part of the log and do not change it; find out who can write to its topics"]


NO_FOREIGN_RECORDS: Final = ForeignReport()


class ForeignTally:
    """Counts foreign records, each once even if its partition is read again. Its memory does not grow with their number.

    `before` counts earlier records.
    """

    def __init__(self, before: ForeignReport = NO_FOREIGN_RECORDS) -> None:
        self._count = before.count
        self._records = list(before.records)
        self._counted_to: dict[tuple[str, int], int] = {}

    def add(self, record: ForeignRecord) -> None:
        """Count a record; a repeated one only once. Records of one partition must come in the order of their offsets."""
        place = record.topic, record.partition
        if record.offset < self._counted_to.get(place, 0):
            return
        self._counted_to[place] = record.offset + 1
        self._count += 1
        if len(self._records) < NAMED:
            self._records.append(record)

    def beside(self) -> "ForeignTally":
        """Return an empty tally that leaves out what was counted here."""
        empty = ForeignTally()
        empty._counted_to = dict(self._counted_to)
        return empty

    def merge(self, others: "ForeignTally") -> None:
        """Count what a tally next to this one has counted."""
        self._count += others._count
        self._records = (self._records + others._records)[:NAMED]
        self._counted_to |= others._counted_to

    def report(self) -> ForeignReport:
        """Return what has been counted so far."""
        return ForeignReport(self._count, tuple(self._records))


class StoreFault(msgspec.Struct, frozen=True):
    """A setting of the store that can lose evidence: its value, the expected value, and the command to correct it.

    `refused`: nothing is written while the setting is wrong; otherwise it is only reported.
    """

    topic: str
    setting: str
    value: str
    expected: str
    remedy: str
    refused: bool

    def line(self) -> str:
        """Return the fault in one line."""
        return f"{self.topic}: {self.setting} is {self.value}, expected {self.expected}; {self.remedy}"


class OwnStore:
    """The answers of a store that can only hold its own records, a file (see `EventLog`, `ResultStore`)."""

    @property
    def group(self) -> str:
        """Return that no group judges."""
        return ""

    def foreign(self) -> ForeignReport:
        """Return that there are no foreign records."""
        return NO_FOREIGN_RECORDS

    def passed_over(self) -> ForeignReport:
        """Return that no foreign records were passed over."""
        return NO_FOREIGN_RECORDS

    def store_faults(self) -> list[StoreFault]:
        """Return that no setting loses evidence."""
        return []
