"""Replayers that share a log, as processes that come, are killed, and sleep through their own replacement.

What they store together is what one replayer stores alone: the same records, each once.
"""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from events.kafka.client import Cluster, TopicPartition
from events.kafka.log import KafkaLog, KafkaResults
from events.log.result_chain import CHAINED
from events.sqlite.log import SqliteLog
from events.sqlite.results import SqliteResults
from replay.run.replayer import replay
from tests.kafka.conftest import Open
from tests.replay.streams import eventful, meter
from tests.replay.tables import PAID, PROPERTY, UNPAID, Table

ROOT = Path(__file__).parents[2]
PARTITIONS, STEPS = 4, 6
MEMBER = "import sys; from rack.cli import main; sys.exit(main(sys.argv[1:]))"
WAIT_LIMIT_S = 120.0


def tables() -> list[Table]:
    """Streams on all partitions: an eventful one, a meter, and tables that play on and are corrected."""
    made = [eventful(), meter()]
    for number in range(2, 9):
        table = Table(f"table/fu-{number:02}")
        for round_no in range(1, 7):
            said = table.play(round_no, UNPAID if (round_no + number) % 3 else PAID)
            if round_no == number:
                table.correct(said["wager_taken"], None)
        made.append(table)
    return made


def append_step(log: KafkaLog | SqliteLog, step: int) -> None:
    """Append the nth part of what every table says."""
    for table in tables():
        start, end = table.last * step // STEPS, table.last * (step + 1) // STEPS
        log.append(table.stream, start + 1, table.drafts[start:end])


class Members:
    """Processes that run `rack replay --follow --group floor`."""

    def __init__(self, address: str, folder: Path) -> None:
        self.address, self.folder = address, folder
        self.started: list[subprocess.Popen[str]] = []

    def start(self) -> subprocess.Popen[str]:
        number = len(self.started)
        command = [sys.executable, "-c", MEMBER, "replay", "--log", self.address, "--follow", "--group", "floor"]
        with (self.folder / f"member-{number}.log").open("w") as said:
            process = subprocess.Popen(
                command,
                cwd=self.folder,
                stderr=said,
                stdout=said,
                text=True,
                env=os.environ | {"PYTHONPATH": str(ROOT), "RACK_KAFKA_SESSION_S": "6", "RACK_DEBUG": "1"},
            )
        self.started.append(process)
        return process

    def said(self) -> str:
        return "\n".join(f"{each.name}: {each.read_text()}" for each in sorted(self.folder.glob("member-*.log")))

    def end(self) -> None:
        for process in self.started:
            if process.poll() is None:
                process.send_signal(signal.SIGCONT)
                process.kill()
            process.wait()


@pytest.fixture
def members(address: str, tmp_path: Path) -> Iterator[Members]:
    started = Members(address, tmp_path)
    yield started
    started.end()


@pytest.fixture
def log(open_log: Open) -> KafkaLog:
    return open_log(create=True, property_id=PROPERTY, partitions=PARTITIONS)


@pytest.fixture
def caught_up(log: KafkaLog, cluster: Cluster, members: Members) -> Callable[[], None]:
    """Waits until everything that is in the log has been replayed and committed."""
    lane = TopicPartition(f"{log.prefix}.state", 1)

    def wait() -> None:
        ends = {stream: log.head(stream).seq for stream in log.streams()}
        until, found = time.monotonic() + WAIT_LIMIT_S, dict[str, int]()
        while time.monotonic() < until:
            reader = cluster.reader()
            for message in reader.scan(lane, 0):
                key = (message.key or b"").decode()
                if key.startswith("replay/position/"):
                    found[key.removeprefix("replay/position/")] = json.loads(message.value or b"")["seq"]
            reader.close()
            if found == ends:
                return
            time.sleep(0.3)
        raise AssertionError(f"{found} of {ends}\n{members.said()}")

    return wait


def alone(folder: Path) -> dict[str, list[tuple[str, bytes]]]:
    """What a single replayer stores of the same events, each kind sorted."""
    log = SqliteLog(folder / "alone.db", property_id=PROPERTY, create=True)
    results = SqliteResults(folder / "alone.verdicts")
    for step in range(STEPS):
        append_step(log, step)
    replay(log, results)
    stored = {kind: sorted(results.results(kind)) for kind in CHAINED}
    results.close()
    log.close()
    return stored


@pytest.mark.nightly
def test_members_come_and_are_killed(
    log: KafkaLog, members: Members, caught_up: Callable[[], None], cluster: Cluster, tmp_path: Path
) -> None:
    append_step(log, 0)
    first, second = members.start(), members.start()
    caught_up()
    append_step(log, 1)
    first.kill()  # kill -9, at work or not
    third = members.start()
    append_step(log, 2)
    caught_up()
    second.send_signal(signal.SIGSTOP)  # sleeps, and is replaced
    append_step(log, 3)
    caught_up()
    third.kill()
    second.send_signal(signal.SIGCONT)  # wakes up with partitions that were another's meanwhile, which is gone
    fourth = members.start()
    append_step(log, 4)
    caught_up()
    fourth.send_signal(signal.SIGTERM)  # leaves in order
    append_step(log, 5)
    caught_up()
    second.send_signal(signal.SIGINT)
    assert (second.wait(60), fourth.wait(60)) == (1, 1), members.said()
    assert "the other members continue from here" in members.said()

    results = KafkaResults(log.address, read_only=True)
    together = {kind: sorted(results.results(kind)) for kind in CHAINED}
    results.close()
    single = alone(tmp_path)
    assert single["findings"]
    assert together == single
    reader = cluster.reader()
    stored = sorted((message.key, message.value) for message in reader.scan(TopicPartition(f"{log.prefix}.findings", 0), 0))
    reader.close()
    assert stored == sorted((f"{kind}/{key}".encode(), data) for kind in CHAINED for key, data in single[kind]), "each once"
