"""Writers and replayers that are killed, stopped, or taken over from, in processes of their own."""

import os
import random
import shutil
import time
from contextlib import chdir, closing, redirect_stdout
from functools import cache
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory
from unittest.mock import patch

from desk.review.observed_table import ObservedTable
from desk.review.persons import Person, entry
from events.errors import SecondWriter
from events.kafka.checkpoints import KafkaCheckpoints
from events.kafka.log import KafkaLog, KafkaResults
from events.log import turn as turn_at
from events.log.contract import EventLog
from events.open import open_log, open_results
from events.proofs.checkpoint import Checkpoint, origin_of
from events.proofs.keys import PROPERTY_STREAM, new_key
from events.proofs.signed_note import KeyKind, Note
from events.proofs.statements import CheckpointBatch
from events.proofs.verify import verify
from events.sqlite.log import SqliteLog
from events.sqlite.results import SqliteResults
from rack.cli import main as rack
from rack.commands.judging import verdicts
from tests.contract.drafts import Drafts
from tests.contract.sealed import publish
from tests.faults.child import ADOPT, REFUSED, TIMEOUT_S
from tests.faults.floor import LOG_ID, PROPERTY, Said, acknowledged, check, check_stored, expected, groups, said, tables
from tests.faults.processes import WAIT_LIMIT_S, child
from tests.faults.table import demand, fault
from tests.kafka_broker import new_address
from tests.replay.another_engine import installed
from trial.property_folder import PERSONS

WRITER = ("before-send", "in-transaction", "before-answer", "before-mark", "before-telling")
CHECKPOINTER = (
    "before-memory",
    "before-store",
    "before-send",
    "in-transaction",
    "before-answer",
    "before-signed-mark",
    "before-telling-signed",
)
REPLAYER = ("before-send", "in-transaction", "before-answer")
STORES = ("turn-taken", "before-mark", "before-telling")
"""Where a page is killed while it stores an entry."""
ADOPTS = (
    "results-in-transaction:1", "before-telling:1", "staged:1", "adopting:1", "before-mark:1", "before-results:1",
    "results-stored:1",
)  # fmt: skip
"""Where an adoption on one machine is killed."""
KAFKA_ADOPTS = (
    "in-transaction:3", "before-answer:2", "before-send:3", "before-answer:3", "before-telling:1", "before-mark:1",
    "in-transaction:2", "before-send:2", "before-answer:1", "in-transaction:1", "before-send:1",
)  # fmt: skip
"""Where one on Kafka is, and at which of its transactions."""
ENTRY_EVENTS = 7
"""The events of an entry, with the gaming day on which it is typed."""
STOPS = ("before-mark", "handed-over", "staged", "caught-up")
"""Where a writer on one machine is stopped."""


def create(folder: Path, address: str | None = None) -> tuple[str, Path]:
    """Create a log on Kafka (the tests' broker unless told otherwise); return its address and its writer's folder."""
    address = address or new_address()
    state = folder / "state"
    KafkaLog(address, create=True, property_id=PROPERTY, log_id=LOG_ID, partitions=2, state_dir=state).close()
    return address, state


def reopened(address: str, state: Path, told: int) -> KafkaLog:
    """Open a log after its writer died: what was acknowledged is there; then hand everything in again."""
    log = KafkaLog(address, state_dir=state, timeout_s=TIMEOUT_S)
    for table in tables():
        check_stored(log, table, acknowledged(told)[table.stream])
    for group in groups():
        log.append_groups([group])
    return log


def settled(log: EventLog) -> None:
    check(log)
    log.close()


# ------------------------------------------------------------------------------------------------------ on one machine


@fault(
    "processes",
    "SQLite writer killed",
    how="kill -9 of the process at a random moment after a group, then another writer",
    held="everything acknowledged is there, each event once",
    quick=2,
    often=20,
)
def sqlite_writer(folder: Path, times: int) -> int:
    for turn in range(times):
        place, rng = folder / str(turn), random.Random(turn)
        place.mkdir()
        path = place / "floor.db"
        with child("write", path, place, "--pause", 0.003) as writer:
            writer.until("acknowledged", rng.randint(1, len(groups()) - 2))
            time.sleep(rng.uniform(0, 0.02))
            writer.kill()
            told = writer.said("acknowledged")
        log = SqliteLog(path)
        for table in tables():
            check_stored(log, table, acknowledged(told)[table.stream])
        for group in groups():
            log.append_groups([group])
        settled(log)
        shutil.rmtree(place)
    return times


@fault(
    "processes",
    "SQLite replayer killed",
    how="kill -9 at a random moment after a commit, three times in a row",
    held="findings the same bytes",
    quick=1,
    often=17,
)
def sqlite_replayer(folder: Path, times: int) -> int:
    for turn in range(times):
        place, rng = folder / str(turn), random.Random(turn)
        place.mkdir()
        path = place / "floor.db"
        log = SqliteLog(path, create=True, property_id=PROPERTY, log_id=LOG_ID)
        log.append_groups(groups())
        for _ in range(3):
            with child("replay", path, place) as replayer:
                replayer.until("judged", rng.randint(1, 2))
                time.sleep(rng.uniform(0, 0.01))
                replayer.kill()
        results = SqliteResults(place / "verdicts")
        check(log, results)
        results.close()
        log.close()
        shutil.rmtree(place)
    return times


@fault(
    "processes",
    "a page killed in the middle of a draft",
    how="kill -9 of the process that stores a typed round, at each step of it; what the browser kept is then stored again",
    held="the entry is there whole or not at all, and once; the table's own stream is as it was",
    quick=len(STORES),
    often=4 * len(STORES),
)
def killed_page(folder: Path, times: int) -> int:
    for turn in range(times):
        place = folder / str(turn)
        place.mkdir()
        path = place / "floor.db"
        log = SqliteLog(path, create=True, property_id=PROPERTY, log_id=LOG_ID)
        log.append_groups(groups())
        before = log.head("table/fu-01")
        log.close()
        with child("enter", f"sqlite://{path}", place, "--die", f"{STORES[turn % len(STORES)]}:1") as page:
            page.until("entering")
            page.process.wait(WAIT_LIMIT_S)
            demand(not page.said("stored"), "the page was to be killed before it said that the entry is stored")
        with closing(SqliteLog(path, read_only=True)) as log:
            stored = log.head("observed/fu-01").seq
        demand(stored in (0, ENTRY_EVENTS), f"{stored} events of an entry are stored")
        with child("enter", f"sqlite://{path}", place) as page:
            page.until("stored")
        with closing(SqliteLog(path)) as log:
            entered = ObservedTable(log, "fu-01")
            demand(len(entered.rounds) == 1, f"the entry is there {len(entered.rounds)} times")
            demand(entered.seq == ENTRY_EVENTS, f"the entry has {entered.seq} events")
            demand(log.head("table/fu-01") == before, "the table's own stream changed")
            demand(verify(log).ok, "the log does not verify")
        shutil.rmtree(place)
    return times


@fault(
    "processes",
    "SQLite writer stopped, a second one comes",
    how="SIGSTOP of the writer inside its turn or between two, another appends, SIGCONT",
    held="within a turn the second is refused, between two it writes; the first goes on, each event once",
    quick=4,
    often=20,
)
def sqlite_zombie(folder: Path, times: int) -> int:
    for turn in range(times):
        place = folder / str(turn)
        place.mkdir()
        path, point = place / "floor.db", STOPS[turn % len(STOPS)]
        with child("write", path, place, "--halt", f"{point}:{3 + turn // len(STOPS)}") as writer:
            writer.until_it_stops()
            try:
                with patch.object(turn_at, "TURN_WAIT_S", 0.2), closing(SqliteLog(path)) as second:
                    for group in groups()[:7]:
                        second.append_groups([group])
                demand(point == "handed-over", f"a second writer was let in, the first one stopped {point}")
            except SecondWriter:
                demand(point != "handed-over", "a second writer was refused between two turns of the first")
            writer.go_on()
            demand(writer.end() == 0, f"the writer did not go on: {writer.told[-1:]}")
        settled(SqliteLog(path))
    return times


class Adopting:
    """A log whose verdicts are an earlier engine's, in a folder with the shadow of another one and the persons who adopt it."""

    def __init__(self, folder: Path, address: str) -> None:
        self.folder, self.address = folder, address
        register = "\n".join(entry(Person(id=name, name=name, roles=("compliance",))) for name in ("m.ortiz", "s.kane"))
        (folder / PERSONS).touch(0o600)
        (folder / PERSONS).write_text(register)
        with installed("old"):
            self.rack("replay", "--quiet")
        with installed():
            self.rack("replay", "--quiet")
            self.rack("replay", "--shadow", "next", "--quiet")
        self.before = self.said()

    def rack(self, *words: str, wait_s: float = 0.0) -> int:
        """Run a command in the folder; a replayer at work is waited for so long."""
        at_work = patch.object(verdicts, "AT_WORK_S", wait_s)
        with chdir(self.folder), redirect_stdout(StringIO()), patch.dict(os.environ, RACK_PERSONS=PERSONS), at_work:
            return rack([*words, "--log", self.address])

    def said(self) -> Said:
        """Return all results."""
        with chdir(self.folder), closing(open_results(self.address, read_only=True)) as results:
            return said(results)

    def adoptions(self) -> int:
        """Return how many events adopt verdicts."""
        with chdir(self.folder), closing(open_log(self.address, read_only=True)) as log:
            if PROPERTY_STREAM not in log.streams():
                return 0
            return sum(b'"type":"verdicts_adopted"' in record.data for record in log.read(PROPERTY_STREAM))

    def end(self) -> None:
        """Adopt it, again if it was adopted and is not in force: then all of it is in force, and in the log once."""
        with installed():
            self.rack(*ADOPT)
            demand(self.said() == adopted(), "the results are not those of an adoption without a fault")
            demand(self.adoptions() == 1, f"the adoption is in the log {self.adoptions()} times")
            demand(self.rack("verify", "--verdicts", "--quiet") == 0, "the log or its verdicts do not verify")


def adopting_on_sqlite(folder: Path) -> Adopting:
    """Return such a log on this machine."""
    folder.mkdir()
    with closing(SqliteLog(folder / "floor.db", create=True, property_id=PROPERTY, log_id=LOG_ID)) as log:
        log.append_groups(groups())
    return Adopting(folder, f"sqlite://{folder}/floor.db")


@cache
def adopted() -> Said:
    """Return the results of an adoption that nothing disturbs."""
    with TemporaryDirectory() as folder:
        made = adopting_on_sqlite(Path(folder) / "adopted")
        with installed():
            made.rack(*ADOPT)
        return made.said()


def adopt_killed(place: Adopting, point: str) -> None:
    """Kill an adoption at a point, then adopt again."""
    with child("adopt", place.address, place.folder, "--die", point, environment={"RACK_PERSONS": PERSONS}) as other:
        demand(other.end() == -9, f"the adoption did not die {point}")
    demand(place.adoptions() <= 1, "the adoption is in the log twice")
    demand(place.said() in (place.before, adopted()), f"a part of an adoption is in force after {point}")
    place.end()


@fault(
    "processes",
    "an adoption of verdicts killed, SQLite",
    how="kill -9 of `rack verdicts adopt` before and after its event, and before, in and after the transaction of the results",
    held="the event is there once or not at all, the results are all in force or none; adopted again, all are, each once",
    quick=3,
    often=2 * len(ADOPTS),
)
def adopt_on_sqlite(folder: Path, times: int) -> int:
    for turn in range(times):
        adopt_killed(adopting_on_sqlite(folder / str(turn)), ADOPTS[turn % len(ADOPTS)])
        shutil.rmtree(folder / str(turn))
    return times


# ------------------------------------------------------------------------------------------------------------ on Kafka


@fault(
    "processes",
    "Kafka producer killed",
    how="kill -9 before the send, in the transaction, before the answer, before the mark, before telling, at the n-th group",
    held="everything acknowledged is there, each event once",
    quick=3,
    often=40,
    kafka=True,
)
def kafka_producer(folder: Path, times: int) -> int:
    for turn in range(times):
        address, state = create(folder / str(turn))
        point, nth = WRITER[turn % len(WRITER)], 3 + (turn // len(WRITER)) % 8
        with child("write", address, state, "--die", f"{point}:{nth}") as writer:
            status = writer.end()
            demand(status == -9, f"the writer did not die {point} for the {nth}th time: {status}, {writer.told[-1:]}")
            told = writer.said("acknowledged")
        settled(reopened(address, state, told))
    return times


@fault(
    "processes",
    "Kafka replayer killed",
    how="kill -9 before the send, in the transaction, or before the answer, or at a random moment while events come in",
    held="findings the same bytes",
    quick=2,
    often=50,
    kafka=True,
)
def kafka_replayer(folder: Path, times: int) -> int:
    for turn in range(times):
        address, state = create(folder / str(turn))
        log = KafkaLog(address, state_dir=state, timeout_s=TIMEOUT_S)
        judged = len(groups()) * (turn % 4) // 4
        if judged:  # it has judged before, and takes the positions up
            log.append_groups(groups()[:judged])
            with child("replay", address, state) as replayer:
                demand(replayer.end() == 0, f"the replayer failed: {replayer.told[-1:]}")
        if turn % 5 == 4:  # at a random moment, while events come in
            with child("replay", address, state, "--follow") as replayer:
                for number, group in enumerate(groups()):
                    log.append_groups([group])
                    if number == judged + 1:
                        replayer.until("judged", 1)
                time.sleep(random.Random(turn).uniform(0, 0.3))
                replayer.kill()
        else:
            log.append_groups(groups())
            point = REPLAYER[turn % len(REPLAYER)]
            with child("replay", address, state, "--die", f"{point}:1") as replayer:
                status = replayer.end()
                demand(status == -9, f"the replayer did not die {point}: {status}, {replayer.told[-1:]}")
        results = KafkaResults(address, timeout_s=TIMEOUT_S, resume=False)
        check(log, results)
        results.close()
        log.close()
    return times


@fault(
    "processes",
    "Kafka checkpointer killed",
    how="kill -9 before it notes what it signs, before the send, in the transaction, before the answer, before the mark, before "
    "telling, at the n-th checkpoint; another one comes",
    held="every checkpoint that was told is there; no number of statements is signed twice with another root; verified",
    quick=2,
    often=40,
    kafka=True,
)
def kafka_checkpointer(folder: Path, times: int) -> int:
    for turn in range(times):
        address, state = create(folder / str(turn))
        key = folder / str(turn) / "key"
        key.parent.mkdir(parents=True, exist_ok=True)
        signer = new_key(key, origin_of(LOG_ID, PROPERTY), KeyKind.LOG)
        log = KafkaLog(address, state_dir=state, timeout_s=TIMEOUT_S)
        publish(log, Drafts(), signer)
        log.append_groups(groups())
        point, nth = CHECKPOINTER[turn % len(CHECKPOINTER)], 1 + turn // len(CHECKPOINTER) % 4
        with child("sign", address, state, "--key", key, "--die", f"{point}:{nth}") as first:
            status = first.end()
            demand(status == -9, f"the checkpointer did not die {point} for the {nth}th time: {status}, {first.told[-1:]}")
        with child("sign", address, state, "--key", key, "--times", 2) as second:
            demand(second.end() == 0, f"the next checkpointer did not sign: {second.told[-1:]}")
        checkpoints = KafkaCheckpoints(address, log_id=LOG_ID, read_only=True, state_dir=state, timeout_s=TIMEOUT_S)
        stored = _signed(checkpoints)
        for line in first.told + second.told:
            _, size, root = line.split()
            demand(stored.get(int(size)) == root, f"the checkpoint over {size} statements is gone, or another: {line}")
        report = verify(log, checkpoints=checkpoints, anchors=[signer.public_key])
        demand(report.ok, f"a sound log is called broken: {report.breaks}")
        checkpoints.close()
        log.close()
    return times


def _signed(store: KafkaCheckpoints) -> dict[int, str]:
    """Return the root of each stored checkpoint by its number of statements, as its signed text has it."""
    found: dict[int, str] = {}
    for batch in store.batches():
        checkpoint = Checkpoint.parse(Note.decode(CheckpointBatch.decode(batch).note).text)
        demand(checkpoint.size not in found, f"two checkpoints over {checkpoint.size} statements are stored")
        found[checkpoint.size] = checkpoint.root.hex()
    return found


@fault(
    "processes",
    "zombie writer",
    how="SIGSTOP of a Kafka writer, another one on another machine takes over, SIGCONT",
    held="the zombie is told that it was succeeded and stores nothing more; each event once",
    quick=1,
    often=3,
    kafka=True,
)
def zombie_writer(folder: Path, times: int) -> int:
    for turn in range(times):
        address, state = create(folder / str(turn))
        with child("write", address, state, "--pause", 0.05) as zombie:
            zombie.until("acknowledged", 2 + turn % 6)
            zombie.stop()
            told = zombie.said("acknowledged")
            successor = reopened(address, folder / f"{turn}-elsewhere", told)
            zombie.go_on()
            demand(zombie.end() == REFUSED, f"the zombie was not refused: {zombie.told[-1:]}")
        settled(successor)
    return times


@fault(
    "processes",
    "zombie replayer",
    how="SIGSTOP of a replayer that follows, another one judges everything, SIGCONT",
    held="the zombie is told that it was succeeded; findings the same bytes",
    quick=1,
    often=3,
    kafka=True,
)
def zombie_replayer(folder: Path, times: int) -> int:
    half = len(groups()) // 2
    for turn in range(times):
        address, state = create(folder / str(turn))
        log = KafkaLog(address, state_dir=state, timeout_s=TIMEOUT_S)
        log.append_groups(groups()[:half])
        with child("replay", address, state, "--follow") as zombie:
            zombie.until("judged", 1 + turn % 3)
            zombie.stop()
            log.append_groups(groups()[half:])
            results = KafkaResults(address, timeout_s=TIMEOUT_S, resume=False)
            check(log, results)
            zombie.go_on()
            demand(zombie.end() == REFUSED, f"the zombie was not refused: {zombie.told[-1:]}")
        check(log, results)
        results.close()
        log.close()
    return times


@fault(
    "processes",
    "an adoption of verdicts killed, Kafka",
    how="kill -9 of `rack verdicts adopt` before the send, in the transaction and before the answer of each of its three "
    "transactions (the right to write, the event, the results), and before and after the event's mark",
    held="the event is there once or not at all, the results are all in force or none; adopted again, all are, each once",
    quick=2,
    often=2 * len(KAFKA_ADOPTS),
    kafka=True,
)
def adopt_on_kafka(folder: Path, times: int) -> int:
    for turn in range(times):
        address, state = create(folder / str(turn))
        with closing(KafkaLog(address, state_dir=state, timeout_s=TIMEOUT_S)) as log:
            log.append_groups(groups())
        adopt_killed(Adopting(folder / str(turn), address), KAFKA_ADOPTS[turn % len(KAFKA_ADOPTS)])
    return times


@fault(
    "processes",
    "group member killed",
    how="kill -9 of the member that has all partitions, before the send, in the "
    "transaction, or before the answer; another one comes",
    held="it takes the partitions over; findings the same bytes",
    quick=0,
    often=40,
    kafka=True,
)
def group_member(folder: Path, times: int) -> int:
    for turn in range(times):
        address, state = create(folder / str(turn))
        log = KafkaLog(address, state_dir=state, timeout_s=TIMEOUT_S)
        half = len(groups()) // 2
        log.append_groups(groups()[:half])
        with child("member", address, state, "--die", f"{REPLAYER[turn % len(REPLAYER)]}:1") as first:
            demand(first.end() == -9, f"the member did not die: {first.told[-1:]}")
        with child("member", address, state) as second:
            log.append_groups(groups()[half:])
            deadline = time.monotonic() + WAIT_LIMIT_S
            results = KafkaResults(address, timeout_s=TIMEOUT_S, read_only=True, resume=False)
            while said(results) != expected() and time.monotonic() < deadline:
                time.sleep(0.5)
            second.kill()
        demand(said(results) == expected(), f"findings differ from those of the run without faults: {second.told[-1:]}")
        results.close()
        check(log)
        log.close()
    return times
