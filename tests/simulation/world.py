"""One run of the whole pipeline from a seed, and what must hold whatever happened in it.

First the same lines are taken in where nothing goes wrong: that log, and what its replay says, is the model. Then they are
taken in on a machine on which processes die, the power goes and the disk fails; the intake goes on from the last batch
that was acknowledged to it, or from further back. After every death the log must hold what was acknowledged, once, in
order; in the end log and findings must be the model's, to the byte, and damage done to the log must be named.
"""

import contextlib
import random
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec

from events.errors import AppendRefused, IntegrityError, LogUnavailable
from events.kafka.log import KafkaLog
from events.log.appender import report_digest
from events.log.contract import EventLog, Record, ResultStore
from events.log.result_chain import CHAINED
from events.proofs.verify import verify
from events.sqlite.log import SqliteLog
from events.sqlite.results import SqliteResults
from events.vocabulary.codec import decode
from events.vocabulary.envelope import Draft
from intake.appending import append_lines
from intake.lines import AcceptedLine, read_line
from replay.run import replayer
from replay.run.replayer import Replay, replay
from tests.contract.backends import SqliteTamper
from tests.simulation.disk import KINDS as FAULTS
from tests.simulation.disk import Machine
from tests.simulation.floor import deliveries

LOG_ID, PROPERTY = "5e" * 16, "bellwether"
DAY_US = 86_400_000_000
STEPS_MAX = 400
"""A run that has not come to its end by then never will."""

Build = Callable[[], contextlib.AbstractContextManager[None]]

Said = dict[str, dict[str, list[bytes]]]
"""What a replay says: kind → key → the records under it, in their order."""


class Broken(AssertionError):
    """What was promised does not hold."""


class Outcome(msgspec.Struct):
    """What happened in a run: faults by kind, events stored, rounds judged, and which damage was named."""

    faults: dict[str, int]
    events: int
    tampering: str


def run(seed: int, folder: Path, build: Build = contextlib.nullcontext) -> Outcome:
    """Run a seed in an empty folder. Raises `Broken` if a promise does not hold.

    `build` makes what is tried another than the model was made with: a deliberately broken one.
    """
    rng = random.Random(seed)
    lines = deliveries(rng)
    with commits_often(rng):
        model = Model(lines, folder)
        world = World(rng, lines, model, folder)
        with build():
            with world.machine.plugged_in():
                world.live()
            tampering = tamper(rng, folder / "floor.db", model)
    return Outcome(dict(world.faults), sum(map(len, model.stored.values())), tampering)


class Model:
    """The run in which nothing goes wrong: what each stream holds after this many lines, and what its replay says."""

    def __init__(self, lines: list[bytes], folder: Path) -> None:
        log = SqliteLog(folder / "model.db", create=True, property_id=PROPERTY, log_id=LOG_ID)
        self.ends: list[dict[str, int]] = [{}]
        for number, line in enumerate(lines):
            for _ in append_lines(log, [read_line(line, f"line {number}")]):
                pass
            self.ends.append({stream: log.head(stream).seq for stream in log.streams()})
        self.stored = stored(log)
        self.quarantined = {(each.stream, each.data) for each in log.quarantined()}
        results = SqliteResults(folder / "model.verdicts")
        replay(log, results)
        self.said = said(results)
        results.close()
        log.close()
        self._check_lines(lines)

    def _check_lines(self, lines: list[bytes]) -> None:
        """What a line reports is in its stream, once; every other line is in quarantine.

        (A line that was smudged in its id alone reports nothing new.)
        """
        ids = [(stream, draft.event_id) for stream, drafts in self.stored.items() for draft in drafts]
        reports = [(stream, report_digest(draft)) for stream, drafts in self.stored.items() for draft in drafts]
        demand(len(ids) == len(set(ids)) and len(reports) == len(set(reports)), "an event stands twice")
        kept, refused = set(reports), {data for _, data in self.quarantined}
        for line in lines:
            read = read_line(line, "")
            said = isinstance(read, AcceptedLine) and (read.stream, report_digest(read.draft)) in kept
            demand(said or line in refused, f"a line was lost: {line!r}")


class Intake:
    """The lines, how many of them were acknowledged (`taken`), the clocks, and what must hold of the log and its verdicts."""

    def __init__(self, rng: random.Random, lines: list[bytes], model: Model) -> None:
        self.rng, self.lines, self.model = rng, lines, model
        self.taken = 0
        self.now_us = 1_773_500_000_000_000
        self.faults = Counter[str]()

    def clock(self) -> int:
        """A clock that runs back, or days ahead."""
        self.now_us += self.rng.choice((1, 1_000, 1_000_000, -5_000_000, 3 * DAY_US, -3 * DAY_US))
        return self.now_us

    def next_lines(self) -> tuple[int, int]:
        """From where to where lines are handed in next: from a little before the last acknowledgment at times."""
        start = max(0, self.taken - self.rng.choice((0, 0, 3)))
        return start, min(len(self.lines), self.taken + self.rng.randint(1, 9))

    def some_batches(self) -> int | None:
        """After how many batches a replay ends; None: when all is judged."""
        return self.rng.choice((None, None, self.rng.randint(1, 4)))

    def judge(self, log: EventLog, results: ResultStore, end: int | None) -> None:
        """Judge what is new, or this many batches of it."""
        replaying = Replay(log, results)
        for number, _ in enumerate(replaying.run()):
            if number == end:
                return
        demand(replaying.summary.integrity == [], f"a sound log is called broken: {replaying.summary.integrity}")

    def must_hold_what_was_acknowledged(self, log: EventLog) -> None:
        """Nothing that was acknowledged is lost, nothing is twice, nothing is in another order."""
        for stream, drafts in stored(log).items():
            expected = self.model.stored.get(stream, [])
            demand(drafts == expected[: len(drafts)], f"{stream} holds other events than were taken in")
        for stream, end in self.model.ends[self.taken].items():
            demand(log.head(stream).seq >= end, f"{stream} ends at {log.head(stream).seq}, acknowledged were {end}")

    def must_hold_everything(self, log: SqliteLog | KafkaLog) -> None:
        """In the end log and quarantine are the model's."""
        demand(stored(log) == self.model.stored, "the log holds other events than were taken in")
        report = verify(log)
        demand(report.ok, f"a sound log is called broken: {report.breaks}")
        held = {(each.stream, each.data) for each in log.quarantined()}
        demand(held == self.model.quarantined, "quarantine holds other bytes than were refused")

    def must_have_said_the_same(self, results: ResultStore) -> None:
        """In the end what was ever said is what the model's replay says."""
        found = said(results)
        for kind in CHAINED:
            demand(found[kind] == self.model.said[kind], f"{kind} differ from those of the run without faults")


class World(Intake):
    """The machine on which it happens."""

    def __init__(self, rng: random.Random, lines: list[bytes], model: Model, folder: Path) -> None:
        super().__init__(rng, lines, model)
        self.machine = Machine(folder, rng)
        self.path = folder / "floor.db"
        self.log: SqliteLog | None = None

    def live(self) -> None:
        """Take in all lines and judge them, against every odds."""
        for step in range(STEPS_MAX):
            if self.taken == len(self.lines):
                break
            name = "writer" if self.log is None or self.rng.random() < 0.8 else "replayer"
            calm = step > STEPS_MAX // 2 or self.rng.random() < 0.6
            process = self.machine.processes[name]
            process.plan(None if calm else self.rng.choice(FAULTS), self.rng.randint(1, 14))
            with self.machine.as_(name):
                (self._take_some if name == "writer" else self._replay)()
            process.plan(None, 0)
            self._bury()
        demand(self.taken == len(self.lines), "the intake never came to its end")
        with self.machine.as_("replayer"):
            self._replay()
        self._check_end()

    def _take_some(self) -> None:
        """Hand in the next lines."""
        try:
            if self.log is None:
                self.log = SqliteLog(self.path, create=True, property_id=PROPERTY, log_id=LOG_ID, clock=self.clock)
                self._check_acknowledged(self.log)
            start, end = self.next_lines()
            for _ in append_lines(self.log, (read_line(line, "") for line in self.lines[start:end])):
                pass
            self.taken = end
        except AppendRefused:
            pass  # nothing was stored: hand it in again
        except (LogUnavailable, OSError):
            self._close()

    def _replay(self) -> None:
        """Judge what is new, or die over it."""
        end = self.some_batches()
        with contextlib.ExitStack() as stack:
            try:
                log = SqliteLog(self.path, read_only=True)
                stack.callback(_quietly, log.close)
                results = SqliteResults(self.path.with_name("floor.verdicts"))
                stack.callback(_quietly, results.close)
                self.judge(log, results, end)
            except (LogUnavailable, AppendRefused, OSError):
                pass  # it died, or could not keep what it found: the next replay goes on from the last commit

    def _bury(self) -> None:
        """After a death: what is left of the machine's memory is gone, and after a power loss what was not synced."""
        processes = self.machine.processes.values()
        happened = [fault for process in processes for fault in process.happened]
        self.faults.update(happened)
        if "power" in happened:
            for process in processes:
                process.dead = True
        if self.machine.processes["writer"].dead:
            with self.machine.as_("writer"):
                self._close()
        if "power" in happened:
            self.machine.disk.lose_power()
        for process in processes:
            process.dead, process.happened = False, []

    def _close(self) -> None:
        if self.log is not None:
            _quietly(self.log.close)
            self.log = None

    # ---------------------------------------------------------------------------------------------------------- promises

    def _check_acknowledged(self, log: SqliteLog) -> None:
        self.must_hold_what_was_acknowledged(log)
        for stream, end in self.model.ends[self.taken].items():
            mark = log.acknowledged().get(stream)
            demand(mark is not None and mark.seq >= end, f"{stream} is marked to {mark}, acknowledged were {end}")

    def _check_end(self) -> None:
        with self.machine.as_("writer"):
            self.log = self.log or SqliteLog(self.path)
            self.must_hold_everything(self.log)
            self._close()
        with self.machine.as_("replayer"):
            results = SqliteResults(self.path.with_name("floor.verdicts"), read_only=True)
            try:
                self.must_have_said_the_same(results)
            finally:
                _quietly(results.close)  # SQLite itself overlooks that a reader cannot tidy up; apsw tells of it


def tamper(rng: random.Random, path: Path, model: Model) -> str:
    """Do one damage behind the log's back; it must be named, with stream and number."""
    stream = rng.choice([each for each, drafts in model.stored.items() if len(drafts) > 4])
    length, how = len(model.stored[stream]), rng.choice(("change", "remove", "swap", "cut"))
    seq = rng.randint(1, length - 1)
    with _read_only(path) as log:
        records = list(log.read(stream))
    hand = SqliteTamper(path)
    if how == "change":
        data = bytearray(records[seq - 1].data)
        data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
        hand.replace(stream, seq, bytes(data))
    elif how == "remove":
        hand.remove(stream, seq)
    elif how == "swap":
        hand.swap(stream, seq, seq + 1)
    else:
        hand.cut(stream, seq)
    with _read_only(path) as log:
        report = verify(log)
    found = [(each.stream, each.seq) for each in report.breaks]
    demand(found == [(stream, seq + (how == "cut"))], f"{how} of {stream} event {seq} was reported as {found}")
    return how


@contextlib.contextmanager
def _read_only(path: Path) -> Iterator[EventLog]:
    log = SqliteLog(path, read_only=True, check_heads=False)
    try:
        yield log
    finally:
        log.close()


def stored(log: EventLog) -> dict[str, list[Draft]]:
    """Return what each stream holds, as the devices reported it."""
    return {stream: [_draft(record) for record in log.read(stream)] for stream in log.streams()}


def _draft(record: Record) -> Draft:
    return decode(record.data).draft()


def said(results: ResultStore) -> Said:
    """Return all that was ever said, in its order under each key."""
    found: Said = {kind: {} for kind in CHAINED}
    for kind in CHAINED:
        for key, data in results.results(kind):
            found[kind].setdefault(key, []).append(data)
    return found


@contextlib.contextmanager
def commits_often(rng: random.Random) -> Iterator[None]:
    """A replayer that commits every few events."""
    before, replayer.COMMIT_EVERY = replayer.COMMIT_EVERY, rng.randint(3, 40)
    try:
        yield
    finally:
        replayer.COMMIT_EVERY = before


def _quietly(close: object) -> None:
    with contextlib.suppress(LogUnavailable, OSError, IntegrityError):
        close()


def demand(holds: bool, what: str) -> None:
    """Raise `Broken` unless it holds."""
    if not holds:
        raise Broken(what)
