"""The reach of the record and of judging: ends of streams, high-water marks, lag, quarantine, devices.

Invariant: it reads ends and marks, which is quick. `rack verify` reads everything and finds out whether the record between them
is intact. `desk/verification` reads a witness's state and the notice of the last full verification.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import msgspec

from desk.review.desk import REFUSALS, Desk
from replay.run.engine import engine
from replay.run.positions import Resumption, resumption

if TYPE_CHECKING:
    import polars as pl

    from analytics.warehouse.warehouse import Warehouse

CLOCKS_DIFFER_US = 60_000_000
JUDGED = ("table", "meter")
"""Kinds of streams that a replay reads."""


class StreamStatus(msgspec.Struct, frozen=True, kw_only=True):
    """One stream: its last event, its acknowledged end on this machine, and how far this engine has judged it.

    `recorded_at_us` is the appender's time of the last event (UTC microseconds). `judged` and `lag` are None for streams without
    judged events; a position that does not fit the log is ignored. `trouble` describes a fault of the stream's end or position,
    and is empty if all is well.
    """

    name: str
    events: int
    acknowledged: int | None
    recorded_at_us: int | None
    judged: int | None
    lag: int | None
    trouble: str


class QuarantinedMessage(msgspec.Struct, frozen=True, kw_only=True):
    """Refused bytes in quarantine: their stream, SHA-256, reason, time and number of bytes."""

    stream: str
    sha256: str
    reason: str
    at_us: int
    size: int


class _Recorded(msgspec.Struct):
    recorded_at_us: int


_recorded = msgspec.json.Decoder(_Recorded)


def streams(desk: Desk) -> list[StreamStatus]:
    """Return every stream of the log or of the high-water mark, by name."""
    marks = desk.log.acknowledged()
    replayed = resumption(desk.log, desk.results)
    return [
        _stream(desk, name, marks[name].seq if name in marks else None, replayed)
        for name in sorted({*desk.log.streams(), *marks})
    ]


def _stream(desk: Desk, name: str, acknowledged: int | None, replayed: Resumption) -> StreamStatus:
    trouble, recorded_at_us = "", None
    try:
        desk.log.verify_head(name)
    except REFUSALS as error:
        trouble = str(error)
    events = desk.log.head(name).seq
    try:
        for record in desk.log.read(name, events, events) if events else ():
            recorded_at_us = _recorded.decode(record.data).recorded_at_us
    except (*REFUSALS, msgspec.MsgspecError) as error:
        trouble = trouble or str(error)
    judged = None
    if name.partition("/")[0] in JUDGED:
        judged = replayed.positions[name].seq if name in replayed.positions else 0
        trouble = trouble or replayed.misfits.get(name, "")
    return StreamStatus(
        name=name,
        events=events,
        acknowledged=acknowledged,
        recorded_at_us=recorded_at_us,
        judged=judged,
        lag=None if judged is None else max(0, events - judged),
        trouble=trouble,
    )


def clock_ahead_s(found: Sequence[StreamStatus], now_us: int) -> float:
    """Return by how many seconds the newest event is ahead of this machine's clock; 0 within the tolerance."""
    newest = max((each.recorded_at_us for each in found if each.recorded_at_us), default=0)
    return max(0, newest - now_us) / 1e6 if newest - now_us > CLOCKS_DIFFER_US else 0.0


def quarantine(desk: Desk) -> list[QuarantinedMessage]:
    """Return the lines refused at intake, newest first."""
    return [
        QuarantinedMessage(stream=each.stream, sha256=each.sha256, reason=each.reason, at_us=each.at_us, size=len(each.data))
        for each in reversed(desk.log.quarantined())
    ]


def about_the_log(db: Warehouse) -> pl.DataFrame:
    """Return the findings about the record itself (`LOG-…`), a row for each code and table: the number, and the newest."""
    frame: pl.DataFrame = db.sql(
        """
        SELECT code, table_id, severity, count(*) AS findings, max(closed_at_us) AS newest_at_us
        FROM fct_findings WHERE starts_with(code, 'LOG-') GROUP BY code, table_id, severity
        ORDER BY CASE severity WHEN 'high' THEN 0 WHEN 'medium' THEN 1 ELSE 2 END, code, table_id
        """
    ).pl()
    return frame


def devices(db: Warehouse) -> pl.DataFrame:
    """Return the devices that reported, a row for each stream and source: events, its last one and its table's, failures."""
    frame: pl.DataFrame = db.sql(
        """
        SELECT stream, table_id, source, events, last_at_us,
            max(last_at_us) OVER (PARTITION BY stream) AS table_last_at_us, failures, restored
        FROM mart_devices ORDER BY table_id, source
        """
    ).pl()
    return frame


def engine_name() -> str:
    """Return version and digest of this engine."""
    return engine()


def log_identity(desk: Desk) -> dict[str, Any]:
    """Return the ids of the log and of the property."""
    return {"log_id": desk.log.log_id, "property_id": desk.log.property_id}
