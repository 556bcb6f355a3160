"""A view of the queue, from the query in addresses: its filters, and its next incident."""

from collections.abc import Mapping
from datetime import date
from typing import Any
from urllib.parse import parse_qsl, urlencode

from analytics.errors import queue
from analytics.errors.queue import QueueFilters
from dashboards.incidents.views import KEPT
from dashboards.parts import source
from dashboards.parts.desk import Reviews

TO_DO = "to_do"
FURTHEST = 2_000
"""The number of queue rows searched for the next incident."""


def filters_of(query: Mapping[str, str | None], said: Reviews | None) -> QueueFilters:
    """Return the filters of a query; without a log (`said` is None) there are no states. An invalid day is ignored."""
    only, without = (None, ()) if said is None else _by_state(query.get("state") or TO_DO, said)
    day = query.get("day")
    return QueueFilters(
        table=query.get("table"),
        code=query.get("code"),
        gaming_day=_day(day) if day else None,
        severity=query.get("severity"),
        dealer=query.get("dealer"),
        words=tuple((query.get("words") or "").split()),
        only=only,
        without=without,
    )


def packed(query: Mapping[str, str]) -> str | None:
    """Return the view as one value for an address; None for the whole queue.

    >>> packed({"severity": "high", "finding": "ab"}), packed({"finding": "ab"})
    ('severity=high', None)
    """
    return urlencode({key: query[key] for key in KEPT if query.get(key)}) or None


def unpacked(value: str) -> dict[str, str]:
    """Return the view of a value made by `packed`, without parts that belong to no view."""
    return {key: words for key, words in parse_qsl(value) if key in KEPT}


def next_in_queue(incident_id: str, view: Mapping[str, str], said: Reviews | None) -> dict[str, Any] | None:
    """Return the incident after this one in a view (the first if this one has left the view), or None."""
    rows = source.ask(lambda db: queue.incidents_queue(db, filters_of(view, said), limit=FURTHEST)).to_dicts()
    place = next((i for i, row in enumerate(rows) if row["incident_id"] == incident_id), -1)
    rest = [row for row in rows[place + 1 :] if row["round_no"] is not None]
    return rest[0] if rest else None


def _day(words: str) -> date | None:
    try:
        return date.fromisoformat(words)
    except ValueError:
        return None


def _by_state(state: str, said: Reviews) -> tuple[tuple[str, ...] | None, tuple[str, ...]]:
    """Return the ids that a state includes (None: any) and excludes."""
    if state == "all":
        return None, ()
    if state == TO_DO:
        return None, said.ids(lambda review: review.state == "resolved")
    if state == "open":
        return None, said.ids(lambda review: review.state != "open")
    if state.startswith("with "):
        return said.ids(lambda review: review.assigned_to == state[5:] and not review.settled), ()
    return said.ids(lambda review: review.state == state), ()
