"""Transcripts for a log: each round goes in as one group of its table's stream, or not at all.

A round of a transcript stands for itself: it brings its gaming day and the rules it was written under. The drafts are a
function of the text, so handing the same transcript in again changes nothing. A transcript with a line that cannot be read
is refused whole, for the rounds that follow depend on what a line meant.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import UTC, datetime

from events.errors import EventError
from events.log.contract import UNKNOWN_STREAM, EventLog, QuarantineEntry
from events.vocabulary.envelope import Draft
from events.vocabulary.model import GamingDayOpened
from intake.appending import IntakeSummary, RefusedLine, count
from intake.doors import check_writer
from intake.lines import Refusal
from replay.transcript.transcript import Script, drafts, parse
from replay.transcript.words import TranscriptError


def append_transcript(log: EventLog, text: str, source: str, load: Callable[[str], str]) -> Iterator[IntakeSummary]:
    """Append the rounds of a transcript; yield the running account after each."""
    taken = IntakeSummary(lines=len(text.splitlines()))
    try:
        scripts = parse(text, source, load)
    except TranscriptError as error:
        _refuse(log, taken, Refusal(f"{source}:{error.line}", text.encode(), None, error.message))
        scripts = []
    for script in scripts:
        stream = f"table/{script.table}"
        reports = [_opening(script), *drafts(script)]
        try:
            for draft in reports:
                check_writer("device", stream, draft.payload)
            count(log.append_groups([(stream, reports)]), taken)
        except EventError as error:
            _refuse(log, taken, Refusal(f"{source}:{script.line}", text.encode(), stream, str(error)))
        yield taken
    yield taken


def _refuse(log: EventLog, taken: IntakeSummary, refusal: Refusal) -> None:
    log.quarantine(QuarantineEntry(refusal.stream or UNKNOWN_STREAM, refusal.sha256, refusal.reason, refusal.data))
    taken.refused.append(RefusedLine.of(refusal))


def _opening(script: Script) -> Draft:
    """Return the event that opens the transcript's gaming day; for all its rounds of that day the same."""
    day = datetime.fromisoformat(script.gaming_day).replace(tzinfo=UTC)
    source = f"transcript-{script.gaming_day}"
    return Draft(
        event_id=f"{int(script.gaming_day.replace('-', '')):032d}",
        source=source,
        source_seq=1,
        occurred_at_us=int(day.timestamp()) * 1_000_000,
        round_no=None,
        payload=GamingDayOpened(gaming_day=script.gaming_day),
    )
