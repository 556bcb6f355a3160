"""A replay of a log on Kafka keeps the round table: the rows that are derived from the log afterward."""

from contextlib import closing
from pathlib import Path

import pytest

from events.errors import SecondWriter
from events.kafka.log import KafkaLog, KafkaResults
from rack.cli import main
from replay.run.replayer import Replay, follow, replay
from tests.kafka.conftest import Open
from tests.replay.streams import eventful, meter
from tests.replay.tables import PAID, PROPERTY, UNPAID, Table
from tests.whatif.rows import rows_in
from whatif.kept_table import KeptTable
from whatif.round_table import FAR_BACK, RoundTable, build

STEPS = 3


@pytest.fixture
def log(open_log: Open) -> KafkaLog:
    return open_log(create=True, property_id=PROPERTY, partitions=3)


def tables() -> list[Table]:
    """Streams on several partitions: one that has no rows, a meter, and tables with 20 rounds."""
    made = [eventful(), meter()]
    for number in (2, 3, 4):
        table = Table(f"table/fu-{number:02}")
        for round_no in range(1, 21):
            table.play(round_no, UNPAID if round_no % 3 else PAID)
        made.append(table)
    return made


def append_step(log: KafkaLog, step: int) -> None:
    """Append the nth part of what every table says."""
    for table in tables():
        start, end = table.last * step // STEPS, table.last * (step + 1) // STEPS
        log.append(table.stream, start + 1, table.drafts[start:end])


def assert_as_built(log: KafkaLog, folder: Path) -> None:
    built = build(log, folder.parent / "built")
    made = RoundTable(folder).manifest
    assert rows_in(folder) == rows_in(folder.parent / "built")
    assert (made.heads, made.event_replay, made.rules) == (built.heads, built.event_replay, built.rules)


@pytest.mark.nightly
def test_the_rows_are_those_derived_afterward(log: KafkaLog, address: str, tmp_path: Path) -> None:
    for step in range(STEPS):
        append_step(log, step)
        with closing(KafkaResults(address)) as results:
            replay(log, results, rounds=KeptTable(tmp_path / "kept", log.log_id, log.property_id))
        assert_as_built(log, tmp_path / "kept")
    assert len(rows_in(tmp_path / "kept")) == 60
    assert RoundTable(tmp_path / "kept").manifest.event_replay == {"table/fu-01": FAR_BACK}


@pytest.mark.nightly
def test_a_log_that_is_followed(log: KafkaLog, address: str, tmp_path: Path) -> None:
    append_step(log, 0)
    append_step(log, 1)
    ends = sum(log.head(stream).seq for stream in log.streams())
    with closing(KafkaResults(address)) as results:
        for summary in follow(log, results, rounds=KeptTable(tmp_path / "kept", log.log_id, log.property_id)):
            if summary.events == ends:
                break
        append_step(log, 2)
        replay(log, results, rounds=KeptTable(tmp_path / "kept", log.log_id, log.property_id))
    assert_as_built(log, tmp_path / "kept")


@pytest.mark.nightly
def test_rows_that_are_behind_after_a_kill_are_read_from_the_log(log: KafkaLog, address: str, tmp_path: Path) -> None:
    """The results were committed, the rows were not written."""
    append_step(log, 0)
    with closing(KafkaResults(address)) as results:
        replay(log, results, rounds=KeptTable(tmp_path / "kept", log.log_id, log.property_id))
        append_step(log, 1)
        replay(log, results)
    append_step(log, 2)
    with closing(KafkaResults(address)) as results:
        replay(log, results, rounds=KeptTable(tmp_path / "kept", log.log_id, log.property_id))
    assert_as_built(log, tmp_path / "kept")


@pytest.mark.nightly
def test_a_replayer_that_was_fenced_writes_no_rows(log: KafkaLog, address: str, tmp_path: Path) -> None:
    """What it judged was not committed, so that no row of it may be in the table."""
    append_step(log, 0)
    folder = tmp_path / "kept"
    with closing(KafkaResults(address)) as late, closing(KafkaResults(address, timeout_s=10.0)) as next_:
        zombie = Replay(log, late, rounds=KeptTable(folder, log.log_id, log.property_id))
        replay(log, next_)
        with pytest.raises(SecondWriter):
            for _ in zombie.run():
                pass
    assert not (folder / "manifest.json").exists()


def test_a_table_is_kept_beside_the_replayer_of_the_log(log: KafkaLog, address: str, tmp_path: Path) -> None:
    """With verdicts of its own: no one is fenced."""
    with closing(KafkaResults(address)) as results:
        append_step(log, 0)
        running = Replay(log, results)
        for _ in running.run():
            pass
        words = ["--verdicts", str(tmp_path / "own.verdicts"), "--rounds", str(tmp_path / "kept"), "--quiet"]
        assert main(["replay", "--log", address, *words]) == 1
        append_step(log, 1)
        for _ in running.run():
            pass
    assert main(["replay", "--log", address, *words]) == 1
    assert_as_built(log, tmp_path / "kept")
