"""The place of a simulated property: its folder, its log, and the names of the files next to it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import AbstractContextManager, closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

if TYPE_CHECKING:
    from events.log.contract import CheckpointStore, EventLog, ResultStore

WAREHOUSE = "warehouse.duckdb"
"""The warehouse's name in the folder."""
DEMO_KEY = "demo.key"
"""The key that signs the checkpoint, in the folder; `demo.key.pub` is what an auditor is given."""
PERSONS = "persons.toml"
"""The register of persons, next to a log on SQLite and in the folder of a demo."""
REPORT = "demo.json"
"""The file in which a demo describes itself."""
DEMO_DATABASE = "floor.db"
DEMO_OWN_LOG = f"sqlite:{DEMO_DATABASE}"
"""How a demo's report names the log next to it."""
PROPERTY = "bellwether"


class TrialRefused(Exception):
    """A simulated property cannot be made there or with these games; the message says what was expected and what to do."""


class ReportUnreadable(Exception):
    """The report of a demo cannot be read; the message says which file, and what to do."""


@dataclass(frozen=True)
class TrialPlace:
    """The folder and the log. `options` say how to reach its store, `topics` how to make a new log's topics on Kafka."""

    out: Path
    log: str
    options: Mapping[str, Any] = field(default_factory=dict)
    topics: Mapping[str, Any] = field(default_factory=dict)

    def new_log(self) -> AbstractContextManager[EventLog]:
        """Create the log, or open an empty one. Raises `TrialRefused` if it holds events."""
        from events.open import open_log

        log = open_log(self.log, create=True, property_id=PROPERTY, **self.options, **self.topics)
        if log.streams():
            log.close()
            raise TrialRefused(f"{self.log}: the log already holds events; name another log")
        return closing(log)

    def open_log(self) -> AbstractContextManager[EventLog]:
        """Open the log to read it."""
        from events.open import open_log

        return closing(open_log(self.log, read_only=True, **self.options))

    def results(self) -> AbstractContextManager[ResultStore]:
        """Open the results next to the log."""
        from events.open import open_results

        return closing(open_results(self.log, **self.options))

    def checkpoints(self, log_id: str) -> AbstractContextManager[CheckpointStore]:
        """Open the checkpoints of the log."""
        from events.open import open_checkpoints

        return closing(open_checkpoints(self.log, log_id=log_id, **self.options))


def demo_log(folder: Path) -> str | None:
    """Return the address of the log of the demo in a folder; None if there was none.

    This is the log in the folder, even if the folder was moved or copied. Raises `ReportUnreadable` if the demo's report cannot
    be read.
    """
    file = folder / REPORT
    try:
        report = json.loads(file.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return None
    except (ValueError, RecursionError) as error:
        raise ReportUnreadable(
            f"{file} is not the report of a demo ({error}); remove it and name the log with --log, or run `rack demo` again"
        ) from error
    log = report.get("log") if isinstance(report, dict) else None
    if log is None and report == {}:  # a demo that is under way, or was broken off
        return None
    if not isinstance(log, str):
        raise ReportUnreadable(
            f"{file} is not the report of a demo (it names no log); remove it and name the log with --log, "
            "or run `rack demo` again"
        )
    own = folder / DEMO_DATABASE
    if log == DEMO_OWN_LOG or (own.is_file() and log.startswith("sqlite:") and log.endswith("/" + DEMO_DATABASE)):
        return f"sqlite://{quote(own.resolve().as_posix())}"
    return log
