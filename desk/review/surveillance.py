"""The surveillance room's log: people's entries, handed over from shift to shift and accepted by another person.

It is in `review/surveillance`. Only the desk writes it, one event for each entry; nothing in it is changed or removed (9 NYCRR
5314.3, K.A.R. 112-106-6).
"""

from collections.abc import Sequence
from typing import Any

from desk.review.desk import Desk, Entry, ReviewRefused
from desk.review.hand_over import HandOverLine, hand_over_lines, summary
from desk.review.incident_desk import incident_cases
from desk.review.state import SURVEILLANCE, HandOver, SurveillanceEntry, TableReview
from desk.review.stored_events import names_of
from events.vocabulary import model
from replay.transcript.clock import UnreadableTime, clock_of

__all__ = ["SURVEILLANCE", "HandOver", "HandOverLine", "SurveillanceEntry", "hand_over_lines"]


def log(desk: Desk) -> TableReview:
    """Return the present log: `surveillance` (entries), `hand_overs`, `waiting`. Raises an `IntegrityError`."""
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
    """Enter an observation or action; `happened_us` is its time (UTC microseconds; None: now).

    Raises `ReviewRefused` if there is no such table or no such registered person, or if the time has not come.
    """
    if happened_us is not None:
        desk.must_be_past(happened_us)
    if table is not None:
        desk.must_know(table)
    return desk.write(
        SURVEILLANCE,
        None,
        model.SurveillanceNoted,
        by=desk.person(by).id,
        camera=camera,
        happened_us=desk.now_us() if happened_us is None else happened_us,
        note=note,
        persons=persons,
        table=table,
    )


def time_of(desk: Desk, text: str, day: str) -> int:
    """Return the time (UTC microseconds) of a property clock on a gaming day. Raises `ReviewRefused`."""
    try:
        found, _ = clock_of(desk.memory.configured(desk.log)).read(text, day, None)
    except UnreadableTime as error:
        raise ReviewRefused(str(error)) from error
    return int(found.timestamp()) * 1_000_000


def sign_over(desk: Desk, *, shift: str, note: str, by: str) -> Entry:
    """Hand over the log at the end of a shift, with the numbers of open incidents and disputes."""
    incidents, disputes = open_work(desk)
    about: dict[str, Any] = {"disputes": disputes, "incidents": incidents, "note": note, "shift": shift}
    return desk.write(SURVEILLANCE, None, model.ShiftSignedOver, by=desk.person(by).id, **about)


def accept(desk: Desk, *, note: str, by: str, ticked: Sequence[HandOverLine] | None = None) -> Entry:
    """Accept the handed-over log, with the number of ticked lines (None: no list was shown).

    Raises `ReviewRefused` if no hand-over is waiting, or the same person made it.
    """
    waiting = log(desk).waiting
    if waiting is None:
        raise ReviewRefused("no shift that was handed over waits to be accepted")
    if ticked is not None:
        note = f"{note} (ticked: {summary(ticked)})"
    second = desk.second_person(by, waiting.signed.by).id
    return desk.write(SURVEILLANCE, None, model.ShiftAccepted, by=second, note=note, signs=waiting.entry.seq)


def open_work(desk: Desk) -> tuple[int, int]:
    """Return the numbers of open incidents and disputes. Raises an `IntegrityError` if a review is broken."""
    incidents = sum(each.state != "resolved" for each in incident_cases(desk.cases()))
    reviews = (desk.review(name) for name in names_of(desk.log, "review"))
    disputes = sum(each.outcome is None for review in reviews for each in review.disputes.values())
    return incidents, disputes
