"""The rules that are filed at a table: what is checked of a device's filing, until the office files (D803).

A filing decides how the next rounds are judged, and any device of the table may report one. So its text must be a rules
submission that is accepted, its digest and gaming day must be those of the text, its game the table's, and it must not
replace rules in the middle of a gaming day. Corrections that put a filing in the place of another are checked like it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from hashlib import sha256
from typing import NamedTuple

import msgspec

from events.errors import EventError
from events.log.contract import EventLog
from events.vocabulary.codec import decode
from events.vocabulary.model import Event, EventCorrected, GamingDayOpened, RulesFiled, TableClosed, TableOpened
from intake.lines import AcceptedLine, Refusal

_MARKS = tuple(
    f'"type":"{event.TYPE}"'.encode()
    for event in (EventCorrected, GamingDayOpened, RulesFiled, TableClosed, TableOpened)
)


class Submission(NamedTuple):
    """What a rules submission says of itself."""

    game: str
    effective_gaming_day: str


ReadRules = Callable[[str], Submission]
"""Reads the text of a rules submission. Raises `EventError` saying what is wrong with it."""


class TableFilings:
    """What a table's stream says of its rules, game and gaming day, as far as it was read."""

    def __init__(self) -> None:
        self.seq = 0
        self.game: str | None = None
        """The game that the table is open for; None if it is closed or not known."""
        self.gaming_day = ""
        self.event_ids: set[str] = set()
        self._filings: dict[int, RulesFiled | None] = {}
        self._superseded: dict[int, int] = {}
        """Number of a correction → of the filing that it is about."""

    def read_on(self, log: EventLog, stream: str) -> None:
        """Read what came into the stream since. Raises an `IntegrityError` if it is broken."""
        end = log.head(stream).seq
        if end <= self.seq:
            return
        for record in log.read(stream, self.seq + 1, end):
            self.seq = record.seq
            if any(mark in record.data for mark in _MARKS):
                try:
                    event = decode(record.data)
                except EventError:  # of a version that this program does not know
                    continue
                self.apply(event.seq, event.event_id, event.payload)

    def apply(self, seq: int, event_id: str, payload: Event) -> None:
        """Take an event in."""
        match payload:
            case GamingDayOpened():
                self.gaming_day = payload.gaming_day
            case TableOpened():
                self.game = payload.game
            case TableClosed():
                self.game = None
            case RulesFiled():
                self._filings[seq] = payload
                self.event_ids.add(event_id)
            case EventCorrected():
                filing = self._superseded.get(payload.supersedes_seq, payload.supersedes_seq)
                filed = filing_in(payload)
                if filed is not None or filing in self._filings:
                    self._superseded[seq] = filing
                    self._filings[filing] = filed
                    self.event_ids.add(event_id)

    def in_force(self, gaming_day: str) -> RulesFiled | None:
        """Return the rules in force on a gaming day: the last filed whose day has come."""
        filings = [
            each for _, each in sorted(self._filings.items()) if each and each.effective_gaming_day <= gaming_day
        ]
        return filings[-1] if filings else None


def filing_in(payload: Event) -> RulesFiled | None:
    """Return the filing that an event reports, also in the place of another event; None for other events."""
    if isinstance(payload, EventCorrected):
        replacement = payload.replacement
        if replacement is None or replacement.type != RulesFiled.TYPE:
            return None
        try:
            return msgspec.convert(replacement.payload, RulesFiled)
        except msgspec.ValidationError:  # of an older version, or no filing
            return None
    return payload if isinstance(payload, RulesFiled) else None


class FilingCheck:
    """Refuses filings of devices that cannot count. Asked within a turn of the log."""

    def __init__(self, log: EventLog, read_rules: ReadRules) -> None:
        self._log, self._read_rules = log, read_rules
        self._tables: dict[str, TableFilings] = {}

    def screened(self, batch: Sequence[AcceptedLine | Refusal]) -> list[AcceptedLine | Refusal]:
        """Return a batch in which refusals take the place of filings that cannot count."""
        streams = {line.stream for line in batch if isinstance(line, AcceptedLine) and filing_in(line.draft.payload)}
        if not streams:
            return list(batch)
        for stream in streams:
            self._tables.setdefault(stream, TableFilings()).read_on(self._log, stream)
        screened: list[AcceptedLine | Refusal] = []
        before: dict[str, list[AcceptedLine]] = {stream: [] for stream in streams}
        for line in batch:
            kept: AcceptedLine | Refusal = line
            if isinstance(line, AcceptedLine) and line.stream in streams:
                try:
                    self._check(line, before[line.stream])
                    before[line.stream].append(line)
                except EventError as error:
                    kept = Refusal(line.where, line.data, line.stream, str(error), line.origin)
            screened.append(kept)
        return screened

    def _check(self, line: AcceptedLine, before: Sequence[AcceptedLine]) -> None:
        filed = filing_in(line.draft.payload)
        if filed is None:
            return
        table = self._tables[line.stream]
        if line.draft.event_id in table.event_ids:
            return  # handed in again: the log drops it
        game, day, in_force = table.game, table.gaming_day, table.in_force
        for each in before:  # in this batch, and so not in the log yet
            payload = each.draft.payload
            game = (
                payload.game if isinstance(payload, TableOpened) else None if isinstance(payload, TableClosed) else game
            )
            day = payload.gaming_day if isinstance(payload, GamingDayOpened) else day
        check_submission(filed, self._read_rules, game)
        now = in_force(day)
        for each in before:
            earlier = filing_in(each.draft.payload)
            now = earlier if earlier is not None and earlier.effective_gaming_day <= day else now
        is_new = isinstance(line.draft.payload, RulesFiled) and now is not None and now.sha256 != filed.sha256
        if is_new and filed.effective_gaming_day <= day:
            raise EventError(
                f"rules_filed: takes effect on {filed.effective_gaming_day}, and the table, on gaming day {day}, has other rules "
                "in force; expected a later gaming day, or a correction of the filing in force (event_corrected)"
            )


def check_submission(filed: RulesFiled, read_rules: ReadRules, game: str | None) -> None:
    """Raise `EventError` if a filing's text, digest, gaming day or game cannot be. `game`: the table's, if it is known."""
    digest = sha256(filed.toml.encode()).hexdigest()
    if digest != filed.sha256:
        raise EventError(f"rules_filed: sha256 is {filed.sha256[:16]}…, and that of the text is {digest[:16]}…")
    submission = read_rules(filed.toml)
    if submission.effective_gaming_day != filed.effective_gaming_day:
        raise EventError(
            f"rules_filed: effective_gaming_day is {filed.effective_gaming_day}, and the text says "
            f"{submission.effective_gaming_day}"
        )
    if game is not None and submission.game != game:
        raise EventError(f"rules_filed: the rules are of {submission.game}, and the table is open for {game}")
