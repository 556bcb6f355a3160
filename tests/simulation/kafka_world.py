"""One run of the pipeline on Kafka from a seed: writers on two machines and a replayer, whose requests and answers get lost.

The model is that of `world.py`: the same lines where nothing goes wrong. Here they are taken in through a simulated cluster
(`broker.py`), by either of two machines, each of which may be succeeded by the other at any moment and hear of it late. In the
end log, quarantine and findings must be the model's to the byte, and damage done to what the broker holds must be named.
"""

import contextlib
import random
from collections.abc import Callable, Iterator
from pathlib import Path
from unittest.mock import patch

from events.errors import AppendRefused, LogUnavailable, SecondWriter
from events.kafka import partition_writer, results_reader, survey
from events.kafka.client import TopicPartition
from events.kafka.log import KafkaLog, KafkaResults
from events.proofs.verify import verify
from intake.appending import append_lines
from intake.lines import read_line
from tests.simulation.broker import READS, WAYS, WRITES, Broker, Died, Entry, plugged_in
from tests.simulation.floor import deliveries
from tests.simulation.world import LOG_ID, PROPERTY, STEPS_MAX, Broken, Build, Intake, Model, Outcome, commits_often, demand

ADDRESS = "kafka://simulated:9092/floor"
MACHINES = ("north", "south")
HELD_SHARES = {"init": 0.05, "produce": 0.05, "end": 0.5}
DAMAGE = ("change", "remove", "swap", "fork", "repeat", "cut")


def run(seed: int, folder: Path, build: Build = contextlib.nullcontext) -> Outcome:
    """Run a seed in an empty folder. Raises `Broken` if a promise does not hold; `build` as in `world.run`."""
    rng = random.Random(seed)
    lines = deliveries(rng)
    with commits_often(rng):
        model = Model(lines, folder)
        world = KafkaWorld(rng, lines, model, folder)
        with plugged_in(world.broker), _bookmarks_often(seed), build():
            world.live()
            tampering = world.tamper()
    return Outcome(dict(world.faults), sum(map(len, model.stored.values())), tampering)


@contextlib.contextmanager
def _bookmarks_often(seed: int) -> Iterator[None]:
    """Bookmarks that are left after a few records, or hardly ever."""
    worth = (1, 20, 5000)[seed % 3]
    with (
        patch.object(survey, "WORTH_A_BOOKMARK", worth),
        patch.object(results_reader, "WORTH_A_BOOKMARK", worth),
        patch.object(partition_writer, "WORTH_A_BOOKMARK", worth),
        patch.object(partition_writer, "BOOKMARK_EVERY", worth),
    ):
        yield


class KafkaWorld(Intake):
    """Two machines, a replayer and a cluster."""

    def __init__(self, rng: random.Random, lines: list[bytes], model: Model, folder: Path) -> None:
        super().__init__(rng, lines, model)
        self.folder = folder
        self.broker = Broker(rng.randrange(2**32))
        self._logs: dict[str, KafkaLog] = {}
        self._here = "north"
        self._step = 0
        self._wrote: dict[TopicPartition, tuple[KafkaLog, int]] = {}  # who stored something in a partition last, and when
        self._since: dict[
            TopicPartition, dict[object, int]
        ] = {}  # when a producer was first seen to have the right to a partition

    def live(self) -> None:
        """Take in all lines and judge them, against every odds."""
        KafkaLog(ADDRESS, create=True, property_id=PROPERTY, log_id=LOG_ID, partitions=2, state_dir=self.folder / "north").close()
        for step in range(STEPS_MAX):
            if self.taken == len(self.lines):
                break
            self._step = step
            calm = step > STEPS_MAX // 2 or self.rng.random() < 0.5
            if self.rng.random() < 0.75:
                if self.rng.random() < 0.1:
                    self._here = self.rng.choice(MACHINES)
                machine = self._here if self.rng.random() < 0.9 else self.rng.choice(MACHINES)
                self._befall(calm, lambda machine=machine: self._take_some(machine), lambda machine=machine: self._close(machine))
            else:
                self._befall(calm, self._replay, lambda: None)
        demand(self.taken == len(self.lines), "the intake never came to its end")
        self._replay()
        self._check_end()

    def _befall(self, calm: bool, do: Callable[[], None], bury: Callable[[], None]) -> None:
        """Do something while perhaps one request goes wrong; a process that died leaves nothing behind but its files."""
        if not calm:
            self.broker.plan(self.rng.choice(WAYS), self.rng.choice((WRITES, WRITES, READS)), self.rng.randint(1, 8))
            self.broker.held = HELD_SHARES
        try:
            do()
        except Died:
            bury()
        self.broker.calm()
        self.faults.update(self.broker.happened)
        self.broker.happened.clear()

    def _take_some(self, machine: str) -> None:
        """Hand in the next lines."""
        start, end = self.next_lines()
        try:
            log = self._open(machine)
        except LogUnavailable:
            return
        before, rights = self._ends(), self._rights(log)
        try:
            for _ in append_lines(log, (read_line(line, "") for line in self.lines[start:end])):
                pass
            self.taken = end
        except SecondWriter:
            self._close(machine)  # it was succeeded: it starts again
        except AppendRefused:
            pass  # nothing was stored: hand it in again
        except LogUnavailable:
            if self.rng.random() < 0.3:
                self._close(machine)
        finally:
            self._check_rights(machine, log, before, rights)

    def _rights(self, log: KafkaLog) -> dict[TopicPartition, object]:
        """With which producer a log writes to each partition, and since which step."""
        for lane, shard in log._shards.items():
            if self._since.get(lane, {}).get(shard._writer) is None:
                self._since.setdefault(lane, {})[shard._writer] = self._step
        return {lane: shard._writer for lane, shard in log._shards.items()}

    def _check_rights(
        self, machine: str, log: KafkaLog, before: dict[TopicPartition, int], rights: dict[TopicPartition, object]
    ) -> None:
        """A writer that was succeeded stores nothing more under the right that it had."""
        now = self._rights(log)
        for lane, size in self._ends().items():
            if lane not in now or size == before[lane]:
                continue
            other, step = self._wrote.get(lane, (log, 0))
            right = now[lane]
            if right is not None and right is rights.get(lane) and other is not log:
                demand(step <= self._since[lane][right], f"{machine} was succeeded at {lane} and wrote on")
            self._wrote[lane] = log, self._step

    def _replay(self) -> None:
        """Judge what is new, or fail to."""
        end = self.some_batches()
        with contextlib.ExitStack() as stack:
            try:
                log = self._opened("replayer", read_only=True)
                stack.callback(log.close)
                results = KafkaResults(ADDRESS, timeout_s=5.0, state_dir=self.folder / "replayer")
                stack.callback(results.close)
                self.judge(log, results, end)
            except (LogUnavailable, AppendRefused):
                pass  # the next replay goes on from the last commit

    def _open(self, machine: str) -> KafkaLog:
        if machine not in self._logs:
            self._logs[machine] = self._opened(machine)
            self.must_hold_what_was_acknowledged(self._logs[machine])
        return self._logs[machine]

    def _opened(self, machine: str, **options: bool) -> KafkaLog:
        return KafkaLog(ADDRESS, state_dir=self.folder / machine, timeout_s=5.0, clock=self.clock, **options)

    def _close(self, machine: str) -> None:
        log = self._logs.pop(machine, None)
        if log is not None:
            log.close()

    def _ends(self) -> dict[TopicPartition, int]:
        kept = self.broker.lanes.items()
        return {TopicPartition(*lane): sum(entry.state == "committed" for entry in entries) for lane, entries in kept}

    # ---------------------------------------------------------------------------------------------------------- promises

    def _check_end(self) -> None:
        torn = self.broker.torn()
        demand(not torn, f"a part of a transaction was committed: {torn}")
        for machine in MACHINES:
            self._close(machine)
        log = self._opened("north")
        for line in self._last_lines():  # who acknowledged them may have died before it marked them: a repeat is marked
            for _ in append_lines(log, [read_line(line, "")]):
                pass
        for stream, drafts in self.model.stored.items():
            mark = log.acknowledged().get(stream)
            demand(mark is not None and mark.seq == len(drafts), f"{stream} is marked to {mark}")
        self.must_hold_everything(log)
        log.close()
        with contextlib.closing(KafkaResults(ADDRESS, read_only=True, resume=False)) as results:
            self.must_have_said_the_same(results)

    def _last_lines(self) -> list[bytes]:
        """The line that led to the last event of each stream."""
        last: dict[str, bytes] = {}
        for line, before, after in zip(self.lines, self.model.ends, self.model.ends[1:], strict=False):
            last |= {stream: line for stream, end in after.items() if end > before.get(stream, 0)}
        return list(last.values())

    def tamper(self) -> str:
        """Do one damage to what the broker holds; it must be named, with stream and number."""
        stream = self.rng.choice([each for each, drafts in self.model.stored.items() if len(drafts) > 4])
        how, seq = self.rng.choice(DAMAGE), self.rng.randint(1, len(self.model.stored[stream]) - 1)
        entries, mine = self._records(stream)
        entry = mine[seq - 1]
        if how == "change":
            data = bytearray(entry.value or b"")
            data[self.rng.randrange(len(data))] ^= 1 << self.rng.randrange(8)
            entry.value = bytes(data)
        elif how in ("remove", "cut"):
            for each in mine[seq - 1 : seq] if how == "remove" else mine[seq:]:
                each.state = "aborted"
        elif how == "swap":
            other = mine[seq]
            entry.value, other.value = other.value, entry.value
            entry.headers, other.headers = other.headers, entry.headers
        else:
            value = entry.value or b""
            again = value if how == "repeat" else value.replace(b'"source":', b'"source" :')
            entries.append(Entry(len(entries), entry.key, again, entry.headers, entry.state))
        with contextlib.closing(self._opened("north", read_only=True, check_heads=False, resume=False)) as log:
            found = [(each.stream, each.seq) for each in verify(log).breaks]
        named = [] if how == "repeat" else [(stream, seq + (how == "cut"))]
        demand(found == named, f"{how} of {stream} event {seq} was reported as {found}")
        return how

    def _records(self, stream: str) -> tuple[list[Entry], list[Entry]]:
        """The partition of a stream, and the first record of each of the stream's numbers."""
        for entries in self.broker.lanes.values():
            first: dict[bytes, Entry] = {}
            for entry in entries:
                if entry.key == stream.encode() and entry.state == "committed" and entry.headers[:1]:
                    first.setdefault(entry.headers[0][1], entry)
            if first:
                count = len(self.model.stored[stream])
                demand(all(b"%d" % seq in first for seq in range(1, count + 1)), f"{stream} was never committed whole")
                return entries, [first[b"%d" % seq] for seq in range(1, len(first) + 1)]
        raise Broken(f"the broker holds nothing of {stream}")
