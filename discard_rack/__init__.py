"""Discard Rack for programs: judge transcripts, read and replay logs, verify them, and query a warehouse (docs/python-api.md).

Everything in `__all__`, with its arguments and fields, keeps the promise of the version number; all other modules may change in
any version. Nothing is computed here: each function calls the one that the command of the same name calls. Money is integer
cents, times are UTC microseconds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, closing
from os import PathLike
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, NamedTuple

from desk.verification.any_log import lost_tails, verify_log
from events.errors import EventError, IntegrityError, LogUnavailable
from events.log.contract import EventLog
from events.open import open_checkpoints, parse_address
from events.open import open_log as open_events
from events.proofs.keys import read_public_key
from events.proofs.signed_note import PublicKey
from events.proofs.verify import Break, VerificationReport
from events.vocabulary.codec import decode
from events.vocabulary.envelope import Envelope
from replay.findings import Adjudication, Finding, Settlement
from replay.installed_games import add_installed_games
from replay.run.adjudicate import Conclusion
from replay.run.replayer import MemoryResults, adjudications, findings
from replay.run.replayer import replay as replay_log
from replay.transcript.transcript import JudgedRound
from replay.transcript.transcript import judge as judge_transcript
from replay.transcript.words import TranscriptError

if TYPE_CHECKING:
    from analytics.warehouse.warehouse import Warehouse

__all__ = [
    "Adjudication",
    "Break",
    "Conclusion",
    "Envelope",
    "EventError",
    "Finding",
    "IntegrityError",
    "JudgedRound",
    "Log",
    "LogUnavailable",
    "PublicKey",
    "ReplayedLog",
    "Settlement",
    "TranscriptError",
    "VerificationReport",
    "__version__",
    "judge",
    "open_log",
    "read_public_key",
    "replay",
    "verify",
    "warehouse",
]

__version__ = "1.0.0rc1"


class Log:
    """A log that is open for reading. Use it in a `with` statement, or call `close`."""

    def __init__(self, address: str, events: EventLog, options: dict[str, Any]) -> None:
        self.address, self.events, self._options = address, events, options

    @property
    def log_id(self) -> str:
        """The log's random id, 32 hexadecimal digits."""
        return self.events.log_id

    @property
    def property_id(self) -> str:
        """The property that the log belongs to."""
        return self.events.property_id

    def streams(self) -> list[str]:
        """Return the names of all streams, sorted: `table/fu-01`, `property/main`."""
        return self.events.streams()

    def read(self, stream: str, first: int = 1, last: int | None = None) -> Iterator[Envelope]:
        """Yield the events of a stream in order, by their sequence numbers from `first` to `last` (included; None: to the end).

        Raises `IntegrityError` at the first changed event, at once if events at the end are missing, and `EventError` at an event
        that this version cannot read.
        """
        self.events.verify_head(stream)
        for record in self.events.read(stream, first, last):
            yield decode(record.data)

    def close(self) -> None:
        """Release the log."""
        self.events.close()

    def __enter__(self) -> Log:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()


class ReplayedLog(NamedTuple):
    """The result of replaying a whole log."""

    adjudications: list[Adjudication]
    """The newest verdict on each round, in the order of the log."""
    findings: list[Finding]
    """The findings in force: of all rounds, and of streams as a whole (a gap, an event that contradicts the table's state)."""
    broken: list[str]
    """The code and the fault of each stream that is not as it was written, a sentence each. Nothing after a fault was judged."""


def judge(text: str, source: str = "transcript", rules: Callable[[str], str] | None = None) -> list[JudgedRound]:
    """Return the verdict on every round of a transcript, in order (`rack judge`).

    `source` is the text's name in errors. `rules` returns the text of a rules submission named in the transcript. Raises
    `TranscriptError`, which names the line and what was expected.
    """
    add_installed_games()
    return judge_transcript(text, source, rules)


def open_log(address: str, **options: Any) -> Log:
    """Open the log at an address for reading: `sqlite:///path/floor.db`, `kafka://host:port/prefix` or `archive:///path`.

    The backend gets the options: `security` is for the client of Kafka (environment variables are not read here). Raises
    `LogUnavailable` if there is no log.
    """
    return Log(address, open_events(address, read_only=True, check_heads=False, **options), options)


def replay(log: Log) -> ReplayedLog:
    """Judge every round of a log by the rules on file, from its first event, and store nothing (`rack replay`).

    A damaged log raises nothing: the damage is in `broken`. Raises `LogUnavailable` if the log cannot be read.
    """
    add_installed_games()
    results = MemoryResults()
    summary = replay_log(log.events, results)
    return ReplayedLog(
        adjudications(results), findings(results), list(dict.fromkeys([*summary.integrity, *lost_tails(log.events)]))
    )


def verify(log: Log, keys: Sequence[PublicKey] = ()) -> VerificationReport:
    """Recompute every hash, root and signature of a log (`rack verify`, without what lies next to the log).

    `keys` are the log's public keys as you received them; without them the keys that the log names are used, which anyone who
    replaced the whole log could have replaced, too. A fault raises nothing: `ok` is false, and `breaks` has each of them. Raises
    `LogUnavailable` if the log cannot be read.
    """
    with ExitStack() as resources:
        store = open_checkpoints(log.address, log_id=log.log_id, read_only=True, **log._options)
        checkpoints = resources.enter_context(closing(store))
        return verify_log(log.events, parse_address(log.address)[0], checkpoints=checkpoints, anchors=keys)


def warehouse(path: str | PathLike[str]) -> AbstractContextManager[Warehouse]:
    """Open a warehouse (a connection of DuckDB) for reading, in a `with` statement.

    `rack warehouse columns` describes its tables. Raises `analytics.warehouse.warehouse.WarehouseError` if none exists or
    another version built it.
    """
    from analytics.warehouse.warehouse import reading

    return reading(Path(path))
