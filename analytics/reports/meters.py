"""The progressive and Must-Hit-By statement: each meter's readings, its movements, and what does not reconcile.

Invariant: opening + contributions + restored + set − paid = closing for each meter (`desk.report.meter_movements`); an
unexplained rest is shown with its event, and nothing is rounded.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

import polars as pl

from analytics.reports.round_documents import accepted_wagers, slips
from analytics.reports.sources import Sources, table_of
from analytics.warehouse.loading import schema_of
from desk.report.content import Report, ReportingRule, ReportTable
from desk.report.meter_movements import Movement, movements
from desk.review.stored_events import names_of
from replay.narrative.findings import finding_title

NAME, TITLE = "meters", "Progressive and Must-Hit-By statement"
RULES: Final = (
    ReportingRule(
        cite="58 Pa. Code § 605a.7", role="answers", asks="progressive meters: readings, reconciliation and explained resets"
    ),
    ReportingRule(
        cite="N.J.A.C. 13:69D-1.52", role="answers", asks="reconciliation of progressive meters with what was wagered and paid"
    ),
    ReportingRule(cite="COMAR 36.05.03.24", role="helps", asks="progressive table games: amounts displayed and their changes"),
)
PAID_BY_METER: Final = ("progressive", "mystery")
"""Wagers whose slips come from a meter."""

Moves = Mapping[str, Sequence[Movement]]
"""Meter → its movements of the period, in order."""


def meters(sources: Sources) -> Report:
    """Return the report: statement, reserves, every hit with its slip, every setting, and the differences."""
    every = {name: list(_all(sources, name)) for name in names_of(sources.desk.log, "meter")}
    first, last = str(sources.first), str(sources.last)
    moves = {name: [m for m in of if first <= m.gaming_day <= last] for name, of in every.items()}
    opening = {name: _opening([m for m in of if m.gaming_day < first]) for name, of in every.items()}
    tables = [
        _statement(sources, moves, opening),
        _reserves(moves, opening),
        _hits(sources, moves),
        _settings(moves),
        _differences(sources, moves),
    ]
    limits = [
        "A slip is documented at the table and the meter is the controller's: they meet here and in no other place.",
        "Wagers accepted are counted by the gaming day of the round, wagers metered by that of the meter: a round dealt while "
        "the day changes can stand in one period at the table and in the next at the meter.",
    ]
    concerns = sorted({*(name for name, of in moves.items() if of), *sources.tables()})
    return sources.report(NAME, TITLE, rules=RULES, tables=tables, limits=limits, concerns=concerns)


def newest_movement_us(sources: Sources) -> int:
    """Return the time of the period's last meter movement, or 0. Raises an `IntegrityError` if a stream is broken."""
    first, last = str(sources.first), str(sources.last)
    moved = (m for name in names_of(sources.desk.log, "meter") for m in _all(sources, name) if first <= m.gaming_day <= last)
    return max((m.at_us for m in moved), default=0)


def _all(sources: Sources, meter: str) -> Iterator[Movement]:
    return movements(sources.desk.log.read(f"meter/{meter}"))


def _opening(before: Sequence[Movement]) -> tuple[int, int]:
    """Return the reading and the reserve before the period; 0 if the meter was not in service."""
    return (before[-1].after, before[-1].reserve_after) if before else (0, 0)


def _statement(sources: Sources, moves: Moves, opening: Mapping[str, tuple[int, int]]) -> ReportTable:
    accepted = dict(accepted_wagers(sources).iter_rows())
    rows: list[dict[str, Any]] = []
    marked: list[int] = []
    for name, of in moves.items():
        row = {
            "meter": name,
            "opening_centicents": opening[name][0],
            "contributions_centicents": sum(m.contributed for m in of),
            "restored_centicents": sum(m.restored for m in of),
            "set_centicents": sum(m.set for m in of),
            "paid_centicents": sum(m.paid for m in of),
            "closing_centicents": of[-1].after if of else opening[name][0],
            "unexplained_centicents": sum(m.unexplained for m in of),
            "metered_cents": sum(m.wager_cents for m in of),
            "accepted_cents": accepted.get(name),
        }
        if any(m.unexplained for m in of) or row["accepted_cents"] not in (None, row["metered_cents"]):
            marked.append(len(rows))
        rows.append(row)
    return table_of(
        "statement",
        "Statement by meter",
        pl.DataFrame(rows, schema=_SCHEMAS["statement"]),
        note="Opening + contributions + restored + set − paid + not explained = closing.",
        empty="The record has no meter.",
        marked=tuple(marked),
    )


def _reserves(moves: Moves, opening: Mapping[str, tuple[int, int]]) -> ReportTable:
    """Return the reserves of meters that keep one, with changes other than contributions shown separately."""
    rows = []
    for name, of in moves.items():
        closing = of[-1].reserve_after if of else opening[name][1]
        if closing or opening[name][1] or any(m.reserve_contributed for m in of):
            rows.append(
                {
                    "meter": name,
                    "opening_centicents": opening[name][1],
                    "contributions_centicents": sum(m.reserve_contributed for m in of),
                    "other_centicents": sum(m.reserve_unexplained for m in of),
                    "closing_centicents": closing,
                }
            )
    return table_of("reserves", "Reserves", pl.DataFrame(rows, schema=_SCHEMAS["reserves"]), empty="No meter keeps a reserve.")


def _hits(sources: Sources, moves: Moves) -> ReportTable:
    """Return every winner of a meter next to the slip of the table's round.

    A progressive winner without a slip is marked, and one whose slip is for less than the meter paid. A Must-Hit-By bonus may by
    filing be paid from the table inventory (`mystery_paid_by`), and then needs none.
    """
    documents = slips(sources).filter(pl.col("wager").is_in(PAID_BY_METER))
    by_seat: dict[tuple[str, int, int], list[dict[str, Any]]] = {}
    for slip in documents.iter_rows(named=True):
        by_seat.setdefault((slip["table_id"], slip["round_no"], slip["seat"]), []).append(slip)
    rows: list[dict[str, Any]] = []
    marked: list[int] = []
    for name, of in moves.items():
        for m in of:
            if m.kind in ("progressive_hit", "must_hit_by_hit"):
                found = by_seat.get((m.table, m.round_no or 0, m.seat or 0), [])
                rows.append(_hit(name, m, found))
                if (rows[-1]["beside_cents"] or 0) < 0 or (m.kind == "progressive_hit" and not found):
                    marked.append(len(rows) - 1)
    return table_of("hits", "Hits and slips", pl.DataFrame(rows, schema=_SCHEMAS["hits"]), marked=tuple(marked))


def _hit(name: str, m: Movement, found: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    slip_cents = sum(each["slip_cents"] for each in found) if found else None
    return {
        "meter": name,
        "gaming_day": m.gaming_day,
        "at_us": m.at_us,
        "table_id": m.table,
        "round_no": m.round_no,
        "seat": m.seat,
        "share_percent": (m.share_bp or 0) / 100,
        "before_centicents": m.before,
        "paid_centicents": m.paid,
        "after_centicents": m.after,
        "slip": ", ".join(each["slip"] for each in found) or None,
        "slip_cents": slip_cents,
        "beside_cents": None if slip_cents is None else slip_cents - m.paid // 100,
        "validated_by": next((each["validated_by"] for each in found), None),
    }


def _settings(moves: Moves) -> ReportTable:
    """Return every time a meter was put into service, armed, or set by the controller."""
    rows = [
        {
            "meter": name,
            "gaming_day": m.gaming_day,
            "at_us": m.at_us,
            "before_centicents": m.before,
            "after_centicents": m.after,
            "reason": m.reason,
        }
        for name, of in moves.items()
        for m in of
        if m.reason
    ]
    return table_of("settings", "Put into service, armed and set", pl.DataFrame(rows, schema=_SCHEMAS["settings"]))


def _differences(sources: Sources, moves: Moves) -> ReportTable:
    """Return the events that do not add up, and the replay's findings on the meters' streams."""
    found: dict[tuple[str, int], list[str]] = {}
    for stream, code, evidence in sources.rows(
        "SELECT stream, code, evidence FROM stg_findings WHERE stream LIKE 'meter/%' ORDER BY finding_id"
    ).iter_rows():
        for seq in evidence:
            found.setdefault((stream.partition("/")[2], seq), []).append(finding_title(code))
    rows = [
        {
            "meter": name,
            "gaming_day": m.gaming_day,
            "event_no": m.seq,
            "expected_centicents": m.after - m.unexplained,
            "after_centicents": m.after,
            "unexplained_centicents": m.unexplained,
            "finding": ", ".join(found.get((name, m.seq), [])) or None,
        }
        for name, of in moves.items()
        for m in of
        if m.unexplained or (name, m.seq) in found
    ]
    return table_of(
        "differences",
        "What does not reconcile",
        pl.DataFrame(rows, schema=_SCHEMAS["differences"]),
        empty="Every event of every meter adds up.",
        marked=tuple(range(len(rows))),
    )


_SCHEMAS: Final = {
    "statement": schema_of(
        "meter VARCHAR, opening_centicents BIGINT, contributions_centicents BIGINT, restored_centicents BIGINT, "
        "set_centicents BIGINT, paid_centicents BIGINT, closing_centicents BIGINT, unexplained_centicents BIGINT, "
        "metered_cents BIGINT, accepted_cents BIGINT"
    ),
    "reserves": schema_of(
        "meter VARCHAR, opening_centicents BIGINT, contributions_centicents BIGINT, other_centicents BIGINT, "
        "closing_centicents BIGINT"
    ),
    "hits": schema_of(
        "meter VARCHAR, gaming_day VARCHAR, at_us BIGINT, table_id VARCHAR, round_no BIGINT, seat BIGINT, share_percent DOUBLE, "
        "before_centicents BIGINT, paid_centicents BIGINT, after_centicents BIGINT, slip VARCHAR, slip_cents BIGINT, "
        "beside_cents BIGINT, validated_by VARCHAR"
    ),
    "settings": schema_of(
        "meter VARCHAR, gaming_day VARCHAR, at_us BIGINT, before_centicents BIGINT, after_centicents BIGINT, reason VARCHAR"
    ),
    "differences": schema_of(
        "meter VARCHAR, gaming_day VARCHAR, event_no BIGINT, expected_centicents BIGINT, after_centicents BIGINT, "
        "unexplained_centicents BIGINT, finding VARCHAR"
    ),
}
"""Table → its columns in order."""
