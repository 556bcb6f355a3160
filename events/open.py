"""Open the log at an address: `sqlite:///path/file.db`, `kafka://host:port/prefix` or `archive:///path/folder`.

A backend is imported only when an address names it. `sqlite://` and `archive://` are followed by an absolute path;
`sqlite:path/file.db` is relative to the working folder.
"""

import re
from importlib import import_module
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from events.errors import LogUnavailable
from events.log.contract import CheckpointStore, EventLog, ResultStore

ON_THIS_MACHINE = ("sqlite", "archive")
"""Backends whose address is a path."""

VERDICTS = ".verdicts"
"""Results of a log on one machine are kept next to it, under the log's name and this."""
SHADOW_NAME = re.compile(r"[a-z0-9-]{1,32}(?<!-wal)(?<!-shm)(?<!-journal)")
CHECKPOINTS = ".checkpoints"
"""Its checkpoints, likewise."""
VERIFIED = ".verified"
"""The notice of its last full verification, likewise (see `desk.verification.last_verification`)."""


def open_log(address: str, **options: Any) -> EventLog:
    """Open the log at an address.

    The backend gets the options and refuses unknown ones. All backends know `property_id`, `create`, `read_only` and
    `check_heads`; writable ones also `clock` and `log_id`. Raises `LogUnavailable` if there is no log, and the backend's errors.
    """
    scheme, rest = parse_address(address)
    if scheme == "sqlite":
        from events.sqlite.log import SqliteLog

        return SqliteLog(rest, **options)
    if scheme == "archive":
        from events.archive.read import ArchiveLog

        return ArchiveLog(rest, **options)
    log: EventLog = import_module("events.kafka.log").KafkaLog(address, **options)
    return log


def open_results(address: str, **options: Any) -> ResultStore:
    """Open the results that belong to the log at an address (option: `read_only`)."""
    scheme, rest = parse_address(address)
    if scheme in ON_THIS_MACHINE:
        from events.sqlite.results import SqliteResults

        return SqliteResults(rest + VERDICTS, **options)
    results: ResultStore = import_module("events.kafka.log").KafkaResults(address, **options)
    return results


def open_shadow(address: str, name: str, **options: Any) -> ResultStore:
    """Open a shadow of a log's results on this machine (option: `read_only`). Raises `LogUnavailable` if none exists."""
    from events.sqlite.results import SqliteResults

    if not SHADOW_NAME.fullmatch(name):
        raise LogUnavailable(f"{name!r} is no name of a shadow; expected 1 to 32 small letters, digits and dashes")
    path = Path(f"{_shadow_path(address)}{name}")
    path.parent.mkdir(exist_ok=True)
    if options.get("read_only") and not path.is_file():
        raise LogUnavailable(f"there is no shadow at {path}; run `rack replay --shadow {name}`")
    return SqliteResults(path, **options)


def shadow_names(address: str) -> list[str]:
    """Return the names of a log's shadows on this machine."""
    beginning = _shadow_path(address)
    found = (path.name.removeprefix(beginning.name) for path in beginning.parent.glob(f"{beginning.name}*"))
    return sorted(name for name in found if SHADOW_NAME.fullmatch(name))


def _shadow_path(address: str) -> Path:
    """Return the common beginning of the paths of a log's shadows."""
    scheme, rest = parse_address(address)
    if scheme == "kafka":
        rest = str(import_module("events.kafka.bookmarks").STATE_DIR / rest.partition("/")[2])
    return Path(f"{rest}.shadow-")


def stored_results(address: str, **options: Any) -> ResultStore | None:
    """Open a log's results for reading; None if no event was ever judged. The backend gets the options."""
    scheme, path = parse_address(address)
    if scheme in ON_THIS_MACHINE and not Path(path + VERDICTS).is_file():
        return None
    return open_results(address, read_only=True, **options)


def open_checkpoints(address: str, **options: Any) -> CheckpointStore:
    """Open the checkpoints of the log at an address (options: `log_id`, which must be the log's, and `read_only`).

    With `if_free`, the right to add checkpoints is taken only if it is free. Raises `SecondWriter` if another process has it,
    `OwnerUnknown` if that cannot be known.
    """
    scheme, rest = parse_address(address)
    if scheme == "sqlite":
        from events.sqlite.checkpoints import SqliteCheckpoints

        return SqliteCheckpoints(rest + CHECKPOINTS, **options)
    if scheme == "archive":
        from events.archive.checkpoints import ArchiveCheckpoints

        return ArchiveCheckpoints(rest, **options)
    store: CheckpointStore = import_module("events.kafka.checkpoints").KafkaCheckpoints(address, **options)
    return store


def parse_address(address: str) -> tuple[str, str]:
    """Return an address's backend and its path or server. Raises `LogUnavailable` if the address has none.

    >>> parse_address("sqlite:///var/lib/rack/floor.db"), parse_address("sqlite:demo/floor.db")
    (('sqlite', '/var/lib/rack/floor.db'), ('sqlite', 'demo/floor.db'))
    >>> parse_address("kafka://broker:9092/bellwether")
    ('kafka', 'broker:9092/bellwether')
    """
    parts = urlsplit(address)
    if parts.scheme in ON_THIS_MACHINE and not parts.netloc and parts.path not in ("", "/"):
        return parts.scheme, unquote(parts.path).rstrip("/")
    if parts.scheme == "kafka" and parts.netloc and parts.path.strip("/"):
        return "kafka", f"{parts.netloc}/{parts.path.strip('/')}"
    raise LogUnavailable(
        f"{address!r} is no address of a log: sqlite:///path/file.db, kafka://host:port/prefix or archive:///path/folder"
    )
