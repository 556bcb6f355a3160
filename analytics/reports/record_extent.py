"""The extent of the record behind the reports of a period: one date for all of them, and the days on record.

Invariant: no clock is read here, and no date is later than the newest entry of the record.
"""

from collections.abc import Iterable, Mapping
from datetime import date
from typing import Final

from analytics.hold.figure_detail import not_judged
from analytics.reports.meters import newest_movement_us
from analytics.reports.sources import Sources
from analytics.warehouse.floor_data import gaming_days
from desk.report.single_events import CountingEvent, counting_event
from desk.review.desk import TableReview
from replay.narrative.names import day_words, plural

COUNTING: Final = """
WITH counted AS (
    SELECT stream, seq FROM stg_ledger WHERE gaming_day BETWEEN $first AND $last
    UNION ALL
    SELECT stream, last_seq AS seq FROM fct_rounds WHERE gaming_day BETWEEN $first AND $last
),

days AS (SELECT stream, min(seq) AS first, max(seq) AS last FROM counted GROUP BY stream),

corrections AS (
    SELECT stream, seq, (payload ->> '$.supersedes_seq')::BIGINT AS corrected, payload ->> '$.replacement.type' AS type
    FROM stg_table_events WHERE type = 'event_corrected'
)

SELECT stream, seq FROM (
    SELECT stream, last AS seq FROM days
    UNION
    SELECT c.stream, c.seq FROM corrections AS c INNER JOIN days AS d USING (stream)
    WHERE c.corrected <= d.last AND (c.corrected >= d.first OR c.type = 'rules_filed')
)
ORDER BY stream, seq
"""
"""The newest event of each table that counts in a period, and every correction of an event among those that count there."""


def as_of_us(sources: Sources, reviews: Mapping[str, TableReview]) -> int:
    """Return the newest time of a period's record (UTC microseconds): of its rounds, counts, corrections, meters, and people's
    entries.

    Every report of the period has this time, so that reports filed together have the same date (D712). Views and exports of the
    record change no report and do not date one.
    """
    counting = (event.occurred_us for event in counting_events(sources))
    return max(sources.newest_us(), newest_movement_us(sources), *counting, *map(_newest_entry_us, reviews.values()), 0)


def counting_events(sources: Sources) -> list[CountingEvent]:
    """Return the newest event of each table that counts in the period, and every correction there."""
    events = (counting_event(sources.desk.log, stream, seq) for stream, seq in sources.rows(COUNTING).iter_rows())
    return [event for event in events if event is not None]


def _newest_entry_us(review: TableReview) -> int:
    kept = (review.findings, review.disputes, review.cases, review.investigations)
    entries = [entry for part in kept for each in part.values() for entry in each.history]
    entries += [each.entry for each in review.surveillance]
    entries += [entry for each in review.hand_overs for entry in (each.entry, each.accepted) if entry is not None]
    return max((entry.at_us for entry in entries), default=0)


def on_record(sources: Sources) -> str:
    """Return the gaming days of the period on record, and the part without wagers, in words."""
    days = _days_on_record(sources)
    asked = (sources.last - sources.first).days + 1
    if not days:
        return f"nothing of the {plural(asked, 'gaming day')}"
    ends = day_words(days[0]) if len(days) == 1 else f"{day_words(days[0])} to {day_words(days[-1])}"
    without = sources.without_wagers()
    return f"{len(days):,} of {plural(asked, 'gaming day')}: {ends}" + (f". {without}" if without else "")


def warning(sources: Sources, reviews: Mapping[str, TableReview]) -> str:
    """Return a warning if the period is empty or not over, or has duplicate counts or rounds without a verdict; empty otherwise.

    A gaming day is over once the record has a later one, of the tables or of the surveillance log; an export on a later day does
    not count.
    """
    newest = max([*gaming_days(sources.db)[:1], *_days_of_surveillance(reviews.values())])
    parts = []
    if not _days_on_record(sources):
        parts.append("The record has no round and no count of this period: every figure of play is missing, and none is 0.")
    if newest <= sources.last:
        parts.append(f"The period is not over on record: the newest gaming day is {day_words(newest)}, and more of it can come.")
    days = sources.table_days()
    if repeats := days["repeated_drops"] + days["repeated_slips"]:
        parts.append(
            f"{plural(repeats, 'count repeats', 'counts repeat')} another of the same box or slip, gaming day and amount: each "
            "of them counts in drop, win and hold %."
        )
    if words := not_judged(sources.db, sources.period):
        parts.append(f"{words}.")
    return " ".join(parts)


def _days_of_surveillance(reviews: Iterable[TableReview]) -> list[date]:
    days: set[str] = set()
    for review in reviews:
        days |= {each.gaming_day for each in review.surveillance} | {each.gaming_day for each in review.hand_overs}
    return [date.fromisoformat(day) for day in days]


def _days_on_record(sources: Sources) -> list[date]:
    rows = sources.rows(
        "SELECT DISTINCT gaming_day FROM fct_table_days WHERE gaming_day BETWEEN $first AND $last ORDER BY gaming_day"
    )
    days: list[date] = rows["gaming_day"].to_list()
    return days
