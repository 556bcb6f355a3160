"""The office's input (`rack ingest --office`): the property's events, the whole file or nothing of it.

A person has the file at hand and can correct it, so that nothing of it goes to quarantine and no notice represents it.
"""

from itertools import groupby
from typing import BinaryIO

from events.errors import EventError
from events.log.contract import EventLog
from events.vocabulary.card_numbers import hidden_numbers
from events.vocabulary.envelope import Draft
from intake.appending import IntakeSummary, count
from intake.errors import IntakeError
from intake.filings import PROPERTY
from intake.lines import Refusal, read_lines

LEAST_DIGITS = 3
"""Digits that make a card number of a text; with fewer, the text of a rules submission may speak of cards."""


def append_office_lines(log: EventLog, file: BinaryIO, name: str) -> IntakeSummary:
    """Append the office's lines in one commit; return the account.

    Raises `EventError` naming the first line that may not go in, and why; then nothing was appended.
    """
    handed: list[tuple[str, Draft]] = []
    for line in read_lines(file, name, _checked, writer="office"):
        if isinstance(line, Refusal):
            raise EventError(f"{line.where}: {line.reason}; nothing of {name} was appended")
        if line.stream != PROPERTY:
            raise EventError(
                f"{line.where}: {line.draft.payload.TYPE} in {line.stream}: expected the property's events ({PROPERTY}); rules "
                f"are filed with `rack rules file`; nothing of {name} was appended"
            )
        handed.append((line.stream, line.draft))
    groups = [(stream, [draft for _, draft in run]) for stream, run in groupby(handed, key=lambda pair: pair[0])]
    taken = IntakeSummary(lines=len(handed))
    try:
        count(log.append_groups(groups) if groups else [], taken)
    except EventError as error:
        raise EventError(f"{name}: {error}; nothing of it was appended") from error
    return taken


def _checked(data: bytes) -> bytes:
    """Return a line; raises `IntakeError` if it has a card number, since the office must not report about patrons."""
    hidden = hidden_numbers(data)
    if _digits(data) - _digits(hidden) >= LEAST_DIGITS:
        raise IntakeError("a card number is in the line, and property events name no patron; take it out")
    return data


def _digits(data: bytes) -> int:
    return sum(map(str.isdigit, data.decode("utf-8", "replace")))
