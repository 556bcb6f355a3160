"""Opens logs, results and checkpoints by address, with what the environment says about a Kafka cluster."""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any

from events.log import CheckpointStore, EventLog, ResultStore
from events.open import open_checkpoints, open_log, open_results, parse_address
from rack import settings

if TYPE_CHECKING:
    from replay.review import Desk


def log_at(address: str, **options: Any) -> EventLog:
    """Open a log; options are those of `events.open.open_log`."""
    backend = parse_address(address)[0]
    if backend == "kafka" and options.get("create"):
        options |= settings.kafka_topics()
    return open_log(address, **_security(backend), **options)


def results_at(address: str, **options: Any) -> ResultStore:
    """Open the results beside a log; options are those of `events.open.open_results`."""
    return open_results(address, **_security(parse_address(address)[0]), **options)


def checkpoints_at(address: str, **options: Any) -> CheckpointStore:
    """Open the checkpoints of a log; options are those of `events.open.open_checkpoints`."""
    return open_checkpoints(address, **_security(parse_address(address)[0]), **options)


def options_of(address: str) -> dict[str, Any]:
    """Return what the environment says about how the log at an address is reached."""
    return _security(parse_address(address)[0])


def _security(backend: str) -> dict[str, Any]:
    security = settings.kafka_security() if backend == "kafka" else {}
    return {"security": security} if security else {}


def desk(address: str, *, read_only: bool = False) -> AbstractContextManager[Desk]:
    """Open the desk where a log's findings are reviewed."""
    from replay.review import desk_at

    return desk_at(address, read_only=read_only, **_security(parse_address(address)[0]))
