"""Input from a file or a pipe: events of devices, messages of a profile, or the office's own events."""

import os
import stat
import sys
from codecs import BOM_UTF8
from collections.abc import Iterator
from contextlib import ExitStack
from functools import partial
from io import UnsupportedOperation
from pathlib import Path
from typing import BinaryIO

from events.log.contract import EventLog
from intake.appending import IntakeSummary, append_lines
from intake.filings import ReadRules
from intake.lines import read_arriving, whole_texts
from intake.office import append_office_lines
from intake.patrons import Keyring, with_tokens
from intake.piped_lines import ArrivingLines, Pace
from intake.profiles.profile import Profile

STDIN = "-"
"""The name of standard input as a file."""
LOOK_BYTES = 64 * 1024


def append_office_file(log: EventLog, name: str) -> Iterator[IntakeSummary]:
    """Append the office's events, all or none."""
    with ExitStack() as resources:
        yield append_office_lines(log, *_opened(name, resources))


def append_file(
    log: EventLog, name: str, read_rules: ReadRules, *, patrons: Path | None, profile: Path | None
) -> Iterator[IntakeSummary]:
    """Append what devices report, a batch at a time; `patrons` is a keyring, `profile` that of the device."""
    with ExitStack() as resources:
        keyring = resources.enter_context(Keyring(patrons)) if patrons is not None else None
        file, shown = _opened(name, resources)
        pace = Pace() if _is_pipe(file) else None
        source = file if pace is None else ArrivingLines(file.fileno(), pace)
        tokens = partial(with_tokens, keyring=keyring)
        lines = read_arriving(source, shown, tokens) if profile is None else Profile(profile).lines_of(source, shown, tokens)
        yield from append_lines(log, lines, pace, read_rules)


def is_transcript(path: Path) -> bool:
    """Return whether the first line that is not blank is not JSON."""
    with path.open("rb") as file:
        while line := file.readline(LOOK_BYTES):
            line = line.removeprefix(BOM_UTF8).strip()
            if line:
                return not line.startswith((b"{", b"["))
    return False


def _opened(name: str, resources: ExitStack) -> tuple[BinaryIO, str]:
    """Return what to read, each JSON text of a file on its line, and what to call it."""
    if name == STDIN:
        return sys.stdin.buffer, "stdin"
    return whole_texts(resources.enter_context(Path(name).open("rb"))), name


def _is_pipe(file: BinaryIO) -> bool:
    """Whether lines may come in slowly: from a pipe, a socket or a terminal."""
    try:
        kind = os.fstat(file.fileno()).st_mode
    except UnsupportedOperation:  # not a file of the system
        return False
    return not stat.S_ISREG(kind)
