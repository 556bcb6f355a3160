"""A desk's memory of findings and reviews between two reads, so that only new ones are read.

Invariant: it is kept in memory only. It is continued only if log and results still hold the last record read, by its chain hash;
otherwise it is read again from the beginning. One thread at a time.
"""

from collections.abc import Iterable

from desk.review.state import TableReview
from events.log.contract import EventLog, Head, ResultStore
from events.vocabulary.codec import decode
from events.vocabulary.model import PropertyConfigured
from replay.findings import Finding, read_result

Findings = dict[str, tuple[Finding, bool]]
"""Id → the finding as last stored, and whether it was withdrawn since."""

NOTHING = Head(0, b"")


class DeskMemory:
    """The findings ever made, in the order first found, and the reviews of tables."""

    def __init__(self) -> None:
        self._findings: Findings = {}
        self._ends: dict[str, Head] | None = None
        self._reviews: dict[str, tuple[TableReview, bytes]] = {}
        self._configured: dict[str, tuple[PropertyConfigured | None, Head]] = {}

    def findings(self, results: ResultStore) -> Findings:
        """Return every finding, after reading the results added since the last call."""
        ends = results.chain_heads()
        if self._ends is None or not ends or not self._goes_on(results, ends):
            self._findings = {}
            _take(self._findings, results.results("findings"))
        else:
            for stream in sorted(ends):
                place = self._ends[stream].seq if stream in self._ends else 0
                if ends[stream].seq > place:
                    new = results.stored(stream, place)
                    _take(self._findings, ((each.key, each.data) for each in new if each.kind == "findings"))
        self._ends = ends
        return self._findings

    def _goes_on(self, results: ResultStore, ends: dict[str, Head]) -> bool:
        """Whether the results still begin with those read."""
        for stream, head in (self._ends or {}).items():
            if ends.get(stream) != head:
                stored = next(iter(results.stored(stream, head.seq - 1)), None) if head.seq else None
                if stored is None or Head(stored.place, stored.hash) != head:
                    return False
        return True

    def review(self, log: EventLog, table: str) -> TableReview:
        """Return a table's review, after reading the events added since the last call. Raises an `IntegrityError`."""
        stream = f"review/{table}"
        review, last = self._reviews.pop(table, (TableReview(stream), b""))
        if review.seq:
            same = [record.hash for record in log.read(stream, review.seq, review.seq)] == [last]
            review, last = (review, last) if same else (TableReview(stream), b"")
        new = list(log.read(stream, review.seq + 1))
        if new:
            review, last = review.copy(), new[-1].hash
        for record in new:
            review.add(record)
        self._reviews[table] = review, last
        return review

    def configured(self, log: EventLog) -> PropertyConfigured | None:
        """Return the property's last configuration, after reading the newly added events. Raises an `IntegrityError`."""
        found = None
        for stream in (name for name in log.streams() if name.startswith("property/")):
            configured, last = self._configured.get(stream, (None, NOTHING))
            if last.seq and [record.hash for record in log.read(stream, last.seq, last.seq)] != [last.hash]:
                configured, last = None, NOTHING
            for record in log.read(stream, last.seq + 1):
                payload = decode(record.data).payload
                configured = payload if isinstance(payload, PropertyConfigured) else configured
                last = Head(record.seq, record.hash)
            self._configured[stream] = configured, last
            found = configured or found
        return found


def _take(findings: Findings, records: Iterable[tuple[str, bytes]]) -> None:
    """Add stored findings, in order."""
    for key, data in records:
        if not is_withdrawal(key, data):
            finding = read_result("findings", key, data, Finding)
            if not finding.stream.startswith("observed/"):  # what is wrong there is said where it was observed (D903)
                findings[key] = finding, False
        elif key in findings:
            findings[key] = findings[key][0], True


def is_withdrawal(key: str, data: bytes) -> bool:
    """Whether a stored finding withdraws another."""
    return b'"withdrawn":true' in data and "code" not in read_result("findings", key, data, dict)
