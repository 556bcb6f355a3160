"""The log of the surveillance room: entries that people make, signed over from shift to shift and accepted by another person.

It is in `review/surveillance` and is written by the desk alone, one event for each entry; nothing in it is changed or removed
(9 NYCRR 5314.3, K.A.R. 112-106-6).
"""

from __future__ import annotations

from collections.abc import Sequence

from desk.review.desk import Desk, Entry, ReviewRefused, review_event
from desk.review.hand_over import HandOverLine, hand_over_lines, summary
from desk.review.incident_desk import incident_cases
from desk.review.state import SURVEILLANCE, HandOver, SurveillanceEntry, TableReview
from events.vocabulary import model

__all__ = [
    "SURVEILLANCE",
    "HandOver",
    "HandOverLine",
    "SurveillanceEntry",
    "accept",
    "hand_over_lines",
    "log",
    "make_entry",
    "open_work",
    "sign_over",
]


def log(desk: Desk) -> TableReview:
    """Return the log as it is: `surveillance` (entries), `hand_overs`, `waiting`. Raises an `IntegrityError`."""
    return desk.review(SURVEILLANCE)


def make_entry(
    desk: Desk,
    *,
    note: str,
    by: str,
    happened_us: int | None = None,
    table: str | None = None,
    camera: str | None = None,
    persons: str | None = None,
) -> Entry:
    """Enter what was seen or done; `happened_us` is when (UTC microseconds; None: now).

    Raises `ReviewRefused` if there is no such table, or no one is registered so.
    """
    if table is not None:
        desk.must_know(table)
    entry = review_event(
        model.SurveillanceNoted,
        by=desk.person(by).id,
        camera=camera,
        happened_us=desk.now_us() if happened_us is None else happened_us,
        note=note,
        persons=persons,
        table=table,
    )
    return _written(desk, entry)


def sign_over(desk: Desk, *, shift: str, note: str, by: str) -> Entry:
    """Sign the log over at the end of a shift, with the number of incidents and disputes that are open now."""
    incidents, disputes = open_work(desk)
    signed = review_event(
        model.ShiftSignedOver, by=desk.person(by).id, disputes=disputes, incidents=incidents, note=note, shift=shift
    )
    return _written(desk, signed)


def accept(desk: Desk, *, note: str, by: str, ticked: Sequence[HandOverLine] | None = None) -> Entry:
    """Accept the log that was handed over, with how many lines of the list were ticked (None: no list was shown).

    Raises `ReviewRefused` if none waits, or the same person handed it over.
    """
    waiting = log(desk).waiting
    if waiting is None:
        raise ReviewRefused("no shift that was handed over waits to be accepted")
    if ticked is not None:
        note = f"{note} (ticked: {summary(ticked)})"
    accepted = review_event(
        model.ShiftAccepted, by=desk.second_person(by, waiting.signed.by).id, note=note, signs=waiting.entry.seq
    )
    return _written(desk, accepted)


def open_work(desk: Desk) -> tuple[int, int]:
    """Return how many incidents and how many disputes are open. Raises an `IntegrityError` if a review is broken."""
    incidents = sum(each.state != "resolved" for each in incident_cases(desk.cases()))
    reviews = (desk.review(name.partition("/")[2]) for name in desk.log.streams() if name.startswith("review/"))
    disputes = sum(each.outcome is None for review in reviews for each in review.disputes.values())
    return incidents, disputes


def _written(desk: Desk, payload: model.Event) -> Entry:
    (entry,) = desk.write_together(SURVEILLANCE, None, [payload])
    return entry
