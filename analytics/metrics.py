"""Metrics of a log for a monitoring system: how far it reaches, is judged and signed, and what waits for people.

Invariant: it only reads, and reports what cannot be read by `rack_log_readable 0`, never by good-looking numbers. The names are
in `docs/operator-guide.md`, the alerts in `deploy/prometheus/alerts.yml`.
"""

import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, closing
from pathlib import Path

from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from analytics.integrity import StreamStatus, streams
from desk.alarms.outbox import STATES, Outbox
from desk.review.desk import REFUSALS, Desk
from desk.review.desk_memory import DeskMemory
from desk.review.incident_desk import incident_cases
from events.errors import IntegrityError
from events.log.contract import CheckpointStore
from events.log.foreign import ForeignReport, StoreFault
from events.proofs.statements import CheckpointBatch, Ledger

FRESH_S = 5.0
"""Readings younger than this are reused: a scrape never costs the log more than that."""

PER_STREAM: tuple[tuple[str, str, Callable[[StreamStatus], float | None]], ...] = (
    ("rack_events", "Events in a stream.", lambda each: each.events),
    ("rack_unjudged_events", "Events that the engine of this version has not judged yet.", lambda each: each.lag),
    (
        "rack_last_event_timestamp_seconds",
        "When the last event of a stream was recorded.",
        lambda each: None if each.recorded_at_us is None else each.recorded_at_us / 1e6,
    ),
    (
        "rack_stream_broken",
        "1 where a stream does not end as was acknowledged on this machine.",
        lambda each: float(bool(each.trouble)),
    ),
)


class LogMetrics(Collector):
    """Reads a log on request, at most once in `FRESH_S`, safe between threads; `desk` and `checkpoints` open their sources."""

    def __init__(
        self, desk: Callable[[], AbstractContextManager[Desk]], checkpoints: Callable[[str], CheckpointStore], outbox: Path | None
    ) -> None:
        self._desk, self._checkpoints, self._outbox = desk, checkpoints, outbox
        self._lock = threading.Lock()
        self._ledger: Ledger | None = None
        self._first_seen = (0, 0.0)
        """The last checkpoint's number of statements, and when these metrics first saw it (monotonic clock)."""
        self._memory = DeskMemory()
        self._said: list[Metric] = []
        self._read_at = float("-inf")

    def collect(self) -> Iterator[Metric]:
        """Yield the metrics for Prometheus' client."""
        with self._lock:
            if time.monotonic() - self._read_at >= FRESH_S:
                self._said = list(self._read())
                self._read_at = time.monotonic()
            yield from self._said

    def _read(self) -> Iterator[Metric]:
        began = time.perf_counter()
        found: list[Metric] = []
        try:
            with self._desk() as at:
                at.memory = self._memory
                ends = streams(at)
                found = [*of_streams(ends), *of_incidents(at), *self._of_checkpoints(at), *self._of_clock(ends)]
                found += [*of_foreign(at.log.foreign()), *of_store(at.log.store_faults()), *of_alarms(self._outbox)]
            readable = 1
        except REFUSALS:
            found, readable = [], 0
        yield GaugeMetricFamily("rack_log_readable", "1 where the log could be read just now.", value=readable)
        took = time.perf_counter() - began
        yield GaugeMetricFamily("rack_read_seconds", "How long reading the log for these numbers took.", value=took)
        yield from found

    def _of_checkpoints(self, at: Desk) -> Iterator[Metric]:
        """Yield how far the log is signed. Signatures are not checked here: `rack verify` does."""
        sound = 1
        with closing(self._checkpoints(at.log.log_id)) as store:
            try:
                for data in store.batches(self._ledger.size if self._ledger else 0):
                    batch = CheckpointBatch.decode(data)
                    if self._ledger is None:
                        self._ledger = Ledger(batch.note.split(b"\n", 1)[0].decode())
                    self._ledger.add(batch)
            except (IntegrityError, ValueError):
                self._ledger, sound = None, 0
        yield GaugeMetricFamily("rack_checkpoints_sound", "0 where the checkpoints contradict themselves.", value=sound)
        if self._ledger is None or self._ledger.time is None:
            return
        last = self._ledger.time
        yield GaugeMetricFamily(
            "rack_checkpoint_timestamp_seconds", "When the last checkpoint was signed.", value=last.at_us / 1e6
        )
        if self._ledger.size != self._first_seen[0]:
            self._first_seen = self._ledger.size, time.monotonic()
        yield GaugeMetricFamily(
            "rack_checkpoint_age_seconds",
            "How long ago the last checkpoint was signed; if it bears a time of the future, how long it has been seen here.",
            value=self._age(last.at_us / 1e6, time.time()),
        )
        yield GaugeMetricFamily("rack_checkpoint_events", "Events that the last checkpoint covers.", value=last.events)
        if last.within_s is not None:
            yield GaugeMetricFamily(
                "rack_checkpoint_within_seconds", "Within how long the next was promised.", value=last.within_s
            )
            yield GaugeMetricFamily(
                "rack_checkpoint_due_timestamp_seconds",
                "When the next checkpoint was promised at the latest.",
                value=last.at_us / 1e6 + last.within_s,
            )

    def _age(self, signed_s: float, now_s: float) -> float:
        """Return the age of the last checkpoint; one from the future ages from when it was first seen."""
        seen_s = time.monotonic() - self._first_seen[1]
        return seen_s if signed_s > now_s else now_s - signed_s

    def _of_clock(self, ends: list[StreamStatus]) -> Iterator[Metric]:
        """Yield how far the newest event or checkpoint is ahead of this machine's clock."""
        times = [each.recorded_at_us for each in ends if each.recorded_at_us is not None]
        times += [self._ledger.time.at_us] if self._ledger is not None and self._ledger.time is not None else []
        yield GaugeMetricFamily(
            "rack_clock_ahead_seconds",
            "How far the newest event or checkpoint lies ahead of this machine's clock; 0 where it does not.",
            value=max(0.0, max(times, default=0) / 1e6 - time.time()),
        )


def of_streams(found: list[StreamStatus]) -> Iterator[Metric]:
    """Yield the metrics of each stream."""
    for name, words, value in PER_STREAM:
        family = GaugeMetricFamily(name, words, labels=["stream"])
        for each in found:
            number = value(each)
            if number is not None:
                family.add_metric([each.name], number)
        yield family


def of_foreign(report: ForeignReport) -> Iterator[Metric]:
    """Yield the number of foreign records in the log's topics."""
    yield CounterMetricFamily(
        "rack_foreign_records", "Records in the log's topics that are no part of it and were skipped.", value=report.count
    )


def of_store(faults: list[StoreFault]) -> Iterator[Metric]:
    """Yield the store settings that can lose evidence; `refused`: nothing is written while a setting is so."""
    family = GaugeMetricFamily(
        "rack_store_fault",
        "1 where a topic's setting can lose evidence.",
        labels=["topic", "setting", "value", "expected", "refused"],
    )
    for fault in faults:
        family.add_metric([fault.topic, fault.setting, fault.value, fault.expected, "yes" if fault.refused else "no"], 1)
    yield family
    yield GaugeMetricFamily("rack_store_faults", "Settings of the store by which evidence can be lost.", value=len(faults))


def of_alarms(file: Path | None) -> Iterator[Metric]:
    """Yield the numbers of alarm messages by state, from the log's outbox; nothing without one."""
    if file is None or not file.is_file():
        return
    family = GaugeMetricFamily("rack_alarm_messages", "Messages about alarms, by state.", labels=["state"])
    with Outbox(file, read_only=True) as outbox:
        counts = outbox.counts()
    for state in STATES:
        family.add_metric([state], counts.get(state, 0))
    yield family


def of_incidents(at: Desk) -> Iterator[Metric]:
    """Yield the work that waits: unresolved incidents and refused lines."""
    waiting = GaugeMetricFamily("rack_incidents_waiting", "Incidents that are not resolved.", labels=["severity", "state"])
    counts = Counter((case.incident.severity, case.state) for case in incident_cases(at.cases()) if case.state != "resolved")
    for (severity, state), number in sorted(counts.items()):
        waiting.add_metric([severity, state], number)
    yield waiting
    refused = len(at.log.quarantined())
    yield GaugeMetricFamily("rack_quarantined", "What was refused at intake, ever.", value=refused)
