"""How deliberately broken builds are made and named, and the defects that both backends can have."""

import contextlib
from collections.abc import Callable, Iterator, Mapping
from typing import Any
from unittest.mock import patch

from events.kafka.log import KafkaLog, KafkaResults
from events.log.high_water import HighWater
from events.sqlite.log import SqliteLog
from events.sqlite.results import SqliteResults
from replay.run.stream_worker import StreamWorker
from tests.simulation.world import Build

Builds = dict[str, tuple[Build, int]]
"""Name of a defect → the context that has it, and the seed from which on to look (a rare one is found by few)."""
Defect = Callable[[], Iterator[None]]


def registering(builds: Builds) -> Callable[..., Any]:
    """Return what registers a defect under its name: `@build`, `@build(seed=41)`, or `build(defect, name="...")`."""

    def build(defect: Defect | None = None, *, name: str = "", seed: int = 0) -> Any:
        def made(defect: Defect) -> Defect:
            builds[name or defect.__name__] = contextlib.contextmanager(defect), seed
            return defect

        return made if defect is None else made(defect)

    return build


def marking_nothing() -> Iterator[None]:
    """What was acknowledged is marked nowhere."""
    with patch.object(HighWater, "record", lambda self, heads: None):
        yield


def keeping_no_refused_bytes(log: type[SqliteLog | KafkaLog]) -> Iterator[None]:
    """What is refused at intake is thrown away."""
    with patch.object(log, "quarantine", lambda self, *entries: None):
        yield


def committing_the_position_first(results: type[SqliteResults | KafkaResults]) -> Iterator[None]:
    """A replayer that dies between the two has judged nothing of what it has passed."""
    real: Any = results.commit

    def commit(self: Any, engine: str, positions: Mapping[str, int], snapshots: Any, records: Any) -> None:
        real(self, engine, positions, snapshots, [])
        real(self, engine, {}, {}, records)

    with patch.object(results, "commit", commit):
        yield


def keeping_no_open_rounds(results: type[SqliteResults | KafkaResults]) -> Iterator[None]:
    """Positions are kept without the fold's snapshots, so that an open round begins in its middle."""
    real: Any = results.snapshots

    def snapshots(self: Any, engine: str) -> dict[str, bytes]:
        return {stream: StreamWorker(stream, self.latest).snapshot() for stream in real(self, engine)}

    with patch.object(results, "snapshots", snapshots):
        yield
