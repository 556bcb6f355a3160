"""The hand-over from one surveillance shift to the next: a list that the next person ticks line by line."""

from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import date

import msgspec

from desk.review.cases import by_deadline, cases_of
from desk.review.desk import Desk, Entry
from desk.review.incident_desk import IncidentCase, incident_cases
from desk.review.observed_table import ObservedTable
from desk.review.state import SURVEILLANCE, TableReview
from desk.review.stored_events import names_of
from replay.narrative.names import day_words, plain, plural, table_name

CHANGES = {
    "finding_assigned": "assigned",
    "finding_noted": "noted",
    "alarm_acknowledged": "acknowledged",
    "finding_resolved": "resolved or signed",
    "finding_reopened": "reopened",
}
"""The kind of an entry about a finding → the action in words."""

STATUSES = {"failed": "out of order", "covered": "out of order, covered or with a sign"}
"""Status of a device → in words; any other is not known for certain."""


class HandOverLine(msgspec.Struct, frozen=True, kw_only=True):
    """One line: its subject (`kind`), in words with its number, and the page that shows it."""

    kind: str
    words: str
    page: str
    table: str | None = None


def hand_over_lines(desk: Desk) -> list[HandOverLine]:
    """Return the open work of each table, waiting signatures, failed devices, and changes in the shift.

    Raises an `IntegrityError` if a review is broken.
    """
    reviews = {name: desk.review(name) for name in names_of(desk.log, "review")}
    lines = _of_incidents(incident_cases(desk.cases()))
    lines += _of_cases(reviews, desk.today())
    for table in names_of(desk.log, "observed"):
        unfinished = sum(each.closed is None for each in ObservedTable(desk.log, table).observations.values())
        lines += _line("observations", table, unfinished, "unfinished observation", "observations")
    return lines + _devices(desk) + _changes(reviews)


def _devices(desk: Desk) -> list[HandOverLine]:
    """Return the devices out of order or with a fault, as of each table's last replay."""
    from replay.run.engine import shared_engine  # and with it all that judges: only where a shift is handed over
    from replay.run.stream_worker import StreamWorker

    lines: list[HandOverLine] = []
    for stream, snapshot in sorted(desk.results.snapshots(shared_engine()).items()):
        fold = StreamWorker(stream, desk.results.latest, snapshot).table if stream.startswith("table/") else None
        if fold is None:
            continue
        table = stream.partition("/")[2]
        known = dict.fromkeys(fold.state.alarms, "signaled a fault")
        known |= {name: STATUSES.get(status, "perhaps out of order") for name, status in fold.state.devices.items()}
        for device, state in sorted(known.items()):
            words = f"{table_name(table)}: {plain(device)} {state}"
            lines.append(HandOverLine(kind="devices", words=words, page="health", table=table))
    return lines


def summary(lines: Iterable[HandOverLine]) -> str:
    """Return the number of lines of each kind in words, as the acceptance records it."""
    counts = Counter(each.kind for each in lines)
    return ", ".join(f"{kind} {number}" for kind, number in counts.items()) or "nothing open"


def _of_incidents(found: Sequence[IncidentCase]) -> list[HandOverLine]:
    lines: list[HandOverLine] = []
    for table in sorted({each.table for each in found}):
        here = [each for each in found if each.table == table]
        waiting = [each for each in here if each.state == "awaiting_signature"]
        to_do = [each for each in here if each.state not in ("awaiting_signature", "resolved")]
        unseen = [each for each in to_do if not any(review.history for review in each.reviews)]
        lines += _line("incidents", table, len(to_do), "open incident", "queue")
        lines += _line("alarms", table, len(unseen), "unacknowledged incident", "queue")
        lines += _line("signatures", table, len(waiting), "awaited signature", "queue")
    return lines


def _of_cases(reviews: dict[str, TableReview], today: str) -> list[HandOverLine]:
    found = by_deadline([each for table, review in reviews.items() for each in cases_of(table, review)])
    lines: list[HandOverLine] = []
    for each in found:
        case = each.case
        if case.decision is None:
            late = "overdue since" if case.due < today else "due"
            words = f"Case {each.name}: {case.state}, {late} {day_words(date.fromisoformat(case.due))}" + (
                f", {case.owner}" if case.owner else ""
            )
            lines.append(HandOverLine(kind="cases", words=words, page="cases", table=each.table))
    for table, review in reviews.items():
        without = [each for name, each in review.disputes.items() if review.case_of(name) is None]
        waiting = sum(each.pending is not None for each in without)
        undecided = sum(each.outcome is None for each in without) - waiting
        lines += _line("signatures", table, waiting, "awaited signature", "dispute")
        lines += _line("disputes", table, undecided, "open dispute", "dispute")
    return lines


def _changes(reviews: dict[str, TableReview]) -> list[HandOverLine]:
    """Return the work since the shift began: since the hand-over before the waiting one."""
    hand_overs = reviews[SURVEILLANCE].hand_overs if SURVEILLANCE in reviews else []
    done = hand_overs[:-1] if hand_overs and hand_overs[-1].accepted is None else hand_overs
    since_us = done[-1].entry.at_us if done else 0
    lines: list[HandOverLine] = []
    for table, review in reviews.items():
        entries: list[Entry] = [entry for each in review.findings.values() for entry in each.history]
        counts = Counter(CHANGES[each.what] for each in entries if each.at_us > since_us and each.what in CHANGES)
        if counts:
            words = ", ".join(f"{number} {what}" for what, number in counts.items())
            lines.append(HandOverLine(kind="changes", words=f"{table_name(table)}: {words}", page="queue", table=table))
    return lines


def _line(kind: str, table: str, number: int, noun: str, page: str) -> list[HandOverLine]:
    if not number:
        return []
    return [HandOverLine(kind=kind, words=f"{table_name(table)}: {plural(number, noun)}", page=page, table=table)]
