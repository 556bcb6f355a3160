"""Transcripts for a log: each round goes in as one group of its table's stream, or not at all.

A round is read by the rules that its table has filed, and a `rules` line that states others refuses it; only at a table that
has filed none a `rules` line files. Times are those of the property. The drafts are a function of the text, so handing the
same transcript in again changes nothing. A transcript with a line that cannot be read is refused whole, for the rounds that
follow depend on what a line meant.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from hashlib import sha256

from desk.house.filing import read_filed_rules
from desk.recorded_round import property_configured
from events.errors import EventError
from events.log.contract import UNKNOWN_STREAM, EventLog, QuarantineEntry
from events.vocabulary.envelope import Draft
from events.vocabulary.model import GamingDayOpened, RulesFiled
from intake.appending import IntakeSummary, RefusedLine, count
from intake.doors import check_writer
from intake.filings import OfficeRule, TableFilings, check_of_device, check_submission
from intake.lines import Refusal
from replay.transcript.clock import clock_of
from replay.transcript.transcript import Script, drafts, parse
from replay.transcript.words import TranscriptError


def append_transcript(log: EventLog, text: str, source: str, load: Callable[[str], str]) -> Iterator[IntakeSummary]:
    """Append the rounds of a transcript; yield the running account after each."""
    taken = IntakeSummary(lines=len(text.splitlines()))
    tables: dict[str, TableFilings] = {}

    def filed(table: str, gaming_day: str) -> str | None:
        """Return the rules that a table has in force on a gaming day."""
        filings = tables.setdefault(table, TableFilings())
        filings.read_on(log, f"table/{table}")
        rules = filings.in_force(gaming_day)
        return None if rules is None else rules.toml

    try:
        scripts = parse(text, source, load, filed=filed, clock=clock_of(property_configured(log)))
    except TranscriptError as error:
        _refuse(log, taken, Refusal(f"{source}:{error.line}", text.encode(), None, error.message))
        scripts = []
    for script in scripts:
        stream = f"table/{script.table}"
        reports = [_opening(script), *drafts(script)]
        try:
            in_force = filed(script.table, script.gaming_day)
            if in_force is None and not any(isinstance(each.payload, RulesFiled) for each in script.events):
                reports.insert(1, _filing(script))  # the line that states the rules is at another table
            for draft in reports:
                check_writer("device", stream, draft.payload)
                if isinstance(draft.payload, RulesFiled):
                    check_of_device(stream, draft.payload, tables[script.table], OfficeRule().holds(log))
                    check_submission(draft.payload, read_filed_rules, tables[script.table].game)
            _check_rules(script, in_force)
            count(log.append_groups([(stream, reports)]), taken)
        except EventError as error:
            _refuse(log, taken, Refusal(f"{source}:{script.line}", text.encode(), stream, str(error)))
        yield taken
    yield taken


def _check_rules(script: Script, in_force: str | None) -> None:
    """Raise `EventError` if a round was transcribed by other rules than its table has filed."""
    if in_force is not None and in_force != script.rules.toml:
        digest = sha256(in_force.encode()).hexdigest()
        raise EventError(
            f"round {script.round_no}: the `rules` line states rules of SHA-256 {script.rules.sha256[:16]}…, and table "
            f"{script.table} has filed others, {digest[:16]}…; leave the line out, and the round is judged by what is filed"
        )


def _filing(script: Script) -> Draft:
    """Return the filing of the rules of a transcript at a table that has none; for all its rounds there the same."""
    identity = sha256(f"rack/transcript-rules/v1/{script.table}/{script.rules.sha256}".encode()).hexdigest()
    return Draft(
        event_id=identity[:32],
        source=f"transcript-{identity[32:44]}",
        source_seq=1,
        occurred_at_us=script.events[0].at_us,
        round_no=None,
        payload=script.rules,
    )


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
