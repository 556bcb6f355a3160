"""Opens logs, results and checkpoints by address, with the environment's settings for a Kafka cluster."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from events.log.contract import CheckpointStore, EventLog, ResultStore
from events.open import open_checkpoints, open_log, open_results, parse_address
from rack import settings
from rack.errors import UsageError

if TYPE_CHECKING:
    from desk.review.desk import Desk
    from desk.review.persons import Persons
    from events.kafka.consumer_group import KafkaGroup
    from rack.output import Output


def log_at(address: str, *, for_proof: bool = False, **options: Any) -> EventLog:
    """Open a log with the options of `events.open.open_log`; `for_proof`: all of it is read, without bookmarks."""
    known = options_of(address, create=bool(options.get("create")), for_proof=for_proof)
    return open_log(address, **known, **options)


def results_at(address: str, file: Path | None = None, **options: Any) -> ResultStore:
    """Open the results next to a log, or in a file; options are those of `events.open.open_results`."""
    if file is not None:
        from events.sqlite.results import SqliteResults

        return SqliteResults(file, **options)
    return open_results(address, **options_of(address), **options)


def shadow_at(address: str, name: str, **options: Any) -> ResultStore:
    """Open a shadow of a log's results. Raises `UsageError` for an invalid name."""
    from events.open import SHADOW_NAME, open_shadow

    if not SHADOW_NAME.fullmatch(name):
        raise UsageError(f"{name!r} cannot name a shadow; expected 1 to 32 small letters, digits and dashes")
    return open_shadow(address, name, **options)


def checkpoints_at(address: str, **options: Any) -> CheckpointStore:
    """Open the checkpoints of a log; options are those of `events.open.open_checkpoints`."""
    return open_checkpoints(address, **options_of(address), **options)


@contextmanager
def opened_for_proof(address: str) -> Iterator[tuple[EventLog, CheckpointStore]]:
    """Open a log and its checkpoints to prove something by them: all of it is read, and nothing is written."""
    with (
        closing(log_at(address, for_proof=True, read_only=True, check_heads=False)) as log,
        closing(checkpoints_at(address, log_id=log.log_id, read_only=True)) as store,
    ):
        yield log, store


def desk(address: str, *, read_only: bool = False, needs_results: bool = True) -> AbstractContextManager[Desk]:
    """Open the desk of a log's findings with its register of people; `needs_results` false: also before a replay."""
    from desk.review import persons
    from desk.review.desk import desk_at

    file = None if read_only else settings.persons_file(address)
    return desk_at(
        address,
        read_only=read_only,
        needs_results=needs_results,
        persons=None if file is None else persons.read(file),
        **options_of(address),
    )


def now_us() -> int:
    """Return the time of this machine (UTC microseconds)."""
    return time.time_ns() // 1_000


def house_log(flag: str | None, *, read_only: bool = False) -> AbstractContextManager[EventLog]:
    """Open the log of a house for its people; `flag` is the value of `--log`."""
    from desk.house.table_lines import house_at

    address = settings.log_address(flag)
    return house_at(address, read_only=read_only, **options_of(address))


def register_of(flag: str | None) -> Persons:
    """Read a log's register of people. Raises `ReviewRefused`, and `UsageError` if none is named."""
    from desk.review import persons

    return persons.read(register_file(flag))


def register_file(flag: str | None) -> Path:
    """Return the file of a log's register of people. Raises `UsageError` if none is named."""
    file = settings.persons_file(settings.log_address(flag))
    if file is None:
        raise UsageError("RACK_PERSONS names the register of persons of a log on Kafka; set it to a file")
    return file


def group_at(address: str, name: str, engine: str) -> KafkaGroup:
    """Join the group of replayers of a log on Kafka."""
    from events.kafka.consumer_group import KafkaGroup

    options: dict[str, Any] = {**settings.kafka_group(), **options_of(address)}
    return KafkaGroup(address, name, engine, **options)


def options_of(address: str, *, create: bool = False, for_proof: bool = False) -> dict[str, Any]:
    """Return the environment's options for a backend (`for_proof` as of `log_at`): sign-in, and how to make topics."""
    if parse_address(address)[0] != "kafka":
        return {}
    security = settings.kafka_security()
    options = (settings.kafka_topics() if create else {}) | ({"security": security} if security else {})
    return options | ({"resume": False} if for_proof else {})


def report_store_faults(log: EventLog, output: Output) -> None:
    """Report on stderr store settings that can lose evidence."""
    for fault in log.store_faults():
        output.problem(f"evidence can be lost: {fault.line()}")


def report_clock(log: EventLog, output: Output) -> None:
    """Report on stderr that the log has events from the future."""
    from events.log.clock import ahead_lines, streams_ahead

    now = now_us()
    for line in ahead_lines(streams_ahead(log, now), now):
        output.problem(line)
