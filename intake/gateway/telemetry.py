"""The gateway's own log and metrics: a line of JSON for each request, without any reported content."""

import contextlib
from collections import Counter as Tally
from collections.abc import Callable, Sequence
from datetime import UTC, datetime

import msgspec
from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram

from intake.appending import LineOutcome
from intake.gateway.messages import Answer

_SECONDS = (0.01, 0.025, 0.05, 0.075, 0.1, 0.15, 0.25, 0.5, 1, 2.5, 10)
_encoder = msgspec.json.Encoder()


class Telemetry:
    """Counts requests, lines and commits; `log` gets the line of each request."""

    def __init__(self, log: Callable[[str], None] = lambda _: None) -> None:
        self._log = log
        self.registry = CollectorRegistry()
        self._requests = Counter("rack_gateway_requests", "Requests, by status.", ["status"], registry=self.registry)
        self._lines = Counter(
            "rack_gateway_lines", "Lines, by the status they were answered with.", ["status"], registry=self.registry
        )
        self._seconds = Histogram(
            "rack_gateway_request_seconds", "How long a request took that was taken.", registry=self.registry, buckets=_SECONDS
        )
        self._commits = Histogram(
            "rack_gateway_commit_seconds", "How long a commit took.", registry=self.registry, buckets=_SECONDS
        )
        self._waiting_lines = Gauge("rack_gateway_waiting_lines", "Lines that wait for their commit.", registry=self.registry)
        self._waiting_bytes = Gauge("rack_gateway_waiting_bytes", "Their bytes.", registry=self.registry)

    def request(
        self, *, status: int, device: str, peer: str, size: int, seconds: float, answers: Sequence[Answer], reason: str
    ) -> None:
        """Note a request that was answered."""
        self._requests.labels(str(status)).inc()
        tally = self.lines(answers)
        if status == 200:
            self._seconds.observe(seconds)
        line = {
            "at": datetime.now(UTC).isoformat(timespec="milliseconds"),
            "status": status,
            "device": device,
            "peer": peer,
            "bytes": size,
            **tally,
            "ms": round(seconds * 1000, 1),
        }
        with contextlib.suppress(OSError):  # the reader of the log of requests has gone: devices are served all the same
            self._log(_encoder.encode(line | ({"reason": reason} if reason else {})).decode())

    def lines(self, answers: Sequence[Answer]) -> dict[str, int]:
        """Count lines; return how many there are of each status."""
        tally: Tally[str] = Tally(each.status for each in answers)
        for status, count in tally.items():
            self._lines.labels(status).inc(count)
        return dict(tally)

    def outcomes(self, outcomes: Sequence[LineOutcome]) -> None:
        """Count lines that no one waits for an answer to."""
        for outcome in outcomes:
            status = "quarantined" if outcome.refused is not None else "duplicate" if outcome.seq is None else "stored"
            self._lines.labels(status).inc()

    def commit(self, _lines: int, seconds: float) -> None:
        """Note a commit."""
        self._commits.observe(seconds)

    def waiting(self, lines: int, size: int) -> None:
        """Note how many lines wait at present."""
        self._waiting_lines.set(lines)
        self._waiting_bytes.set(size)
