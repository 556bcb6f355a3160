"""Transcripts as the lines of devices that had recorded the same: what tests hand in at a table."""

from datetime import UTC, datetime
from pathlib import Path

import msgspec

from events.vocabulary import model
from events.vocabulary.envelope import Draft
from intake.lines import line_of
from replay.transcript.clock import UTC_CLOCK, Clock
from replay.transcript.transcript import Script, drafts, parse


def as_lines(transcript: Path, clock: Clock = UTC_CLOCK) -> Path:
    """Write a transcript's rounds as JSON Lines of devices next to it; the same text gives the same lines."""
    lines = [
        line_of(f"table/{script.table}", draft)
        for script in parse(transcript.read_text(), transcript.name, clock=clock)
        for draft in [_opening(script), *map(_of_device, drafts(script))]
    ]
    path = transcript.with_suffix(".jsonl")
    path.write_bytes(b"\n".join(lines) + b"\n")
    return path


def _of_device(draft: Draft) -> Draft:
    return msgspec.structs.replace(draft, source=draft.source.replace("transcript-", "table-"))


def _opening(script: Script) -> Draft:
    day = datetime.fromisoformat(script.gaming_day).replace(tzinfo=UTC)
    return Draft(
        event_id=f"{int(script.gaming_day.replace('-', '')):032d}",
        source=f"day-{script.gaming_day}",
        source_seq=1,
        occurred_at_us=int(day.timestamp()) * 1_000_000,
        round_no=None,
        payload=model.GamingDayOpened(gaming_day=script.gaming_day),
    )
