"""A cluster of three nodes of which one or two are killed, paused, emptied, filled up or moved while it is written and read.

Every record has three copies, two of them before it is acknowledged. When everything is over, the raw records are counted
(`three_nodes/history.py`), the results are those of a run in which nothing happened, and all nodes hold the same bytes.
"""

import contextlib
import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from unittest.mock import patch

from events.errors import LogUnavailable
from events.kafka.checkpoints import KafkaCheckpoints
from events.kafka.client import TopicReader
from events.kafka.log import KafkaLog, KafkaResults
from events.log.clock import utc_now_us
from events.proofs.checkpoint import origin_of
from events.proofs.checkpointer import Checkpointer
from events.proofs.keys import new_key
from events.proofs.signed_note import KeyKind
from events.proofs.signing_memory import SigningMemory
from events.proofs.verify import verify
from events.proofs.witness import Witness, WitnessFolder
from tests.contract.drafts import Drafts
from tests.contract.sealed import publish
from tests.faults.floor import LOG_ID, PROPERTY, groups
from tests.faults.processes import Child
from tests.faults.table import Tally, Unavailable, demand, fault
from tests.faults.three_nodes.nodes import Nodes
from tests.faults.three_nodes.trial import ROUNDS, TIMEOUT_S, Trial
from tests.kafka_broker import cluster_or_problem

Happen = Callable[[Trial, int], None]
ORIGIN = origin_of(LOG_ID, PROPERTY)
HELD = "writers wait or go on by themselves; each event once; findings the same bytes; all nodes hold the same bytes"
PAUSE_S = 12.0
ANSWERED_S, DEFAULT_S = 5.0, 30.0
"""How long a call may take while a node does not answer, though a cluster that is only slow has more time."""
GRACE_S, SILENCE_S = 1.0, 8.0
"""After so long no more answers are under way; for so long no one may get one."""


@contextlib.contextmanager
def trial(folder: Path, **log: int) -> Iterator[Trial]:
    """A log on the cluster of this process, all of whose nodes run. Raises `Unavailable` if there can be none."""
    found, problem = cluster_or_problem()
    if found is None:
        raise Unavailable(problem)
    nodes = Nodes(found)
    nodes.heal()
    tried = Trial(nodes, folder, **log)
    try:
        yield tried
    finally:
        tried.close()


def row(name: str, *, how: str, held: str = HELD, quick: int = 0, often: int = 10) -> Callable[[Happen], Happen]:
    """Put what happens to a log on the cluster into the table."""

    def listed(happen: Happen) -> Happen:
        @fault("cluster", name, how=how, held=held, quick=quick, often=often, kafka=True)
        def run(folder: Path, times: int) -> Tally:
            total = Tally()
            for turn in range(times):
                with trial(folder / str(turn)) as tried:
                    happen(tried, turn)
                    tally = tried.tally()
                demand(tally.sound, f"turn {turn}: {tally}")
                total = total.plus(tally)
            return total

        return happen

    return listed


# ------------------------------------------------------------------------------------------------------------ one node


@row(
    "leader killed during an append",
    how="kill -9 of the node that leads the writer's partition, or decides about its transactions, at any moment or when "
    "it has all records of a transaction; a start when another leads",
    quick=1,
)
def leader_killed(tried: Trial, turn: int) -> None:
    at_once, group = turn % 2 == 0, 2 + turn
    partition = tried.partition_of_group(group)
    options = ("--pause", 0.1) if at_once else ("--halt", f"in-transaction:{group + 1}")
    with tried.writing(*options) as writer:
        writer.until("acknowledged", group) if at_once else writer.until("reached")
        coordinator = tried.nodes.coordinator(f"{tried.prefix}.{partition}")
        leader = tried.leader("events", partition)
        victim = coordinator if turn % 4 == 3 else leader
        tried.nodes.kill(victim)
        if not at_once:
            writer.go_on()
        tried.leader("events", partition, other_than=victim)
        tried.nodes.start(victim)
        tried.written(writer)


@row(
    "leader killed during a replay's commit",
    how="the replayer halts when the broker has all records of its transaction; kill -9 of the node that leads the "
    "findings, its positions, or decides about the transaction",
    held="the replay ends and names the cause, or goes on; the next one completes it; findings the same bytes",
)
def replay_commit(tried: Trial, turn: int) -> None:
    if turn % 2:  # it has judged before, and takes the positions up
        tried.write_all(len(groups(ROUNDS)) // 2)
        _complete_the_replay(tried)
    tried.write_all()
    victims = (
        lambda: tried.leader("findings"),
        lambda: tried.leader("state", 1),
        lambda: tried.nodes.coordinator(f"{tried.prefix}.replay"),
    )
    with tried.replaying("--halt", "in-transaction:1") as replayer:
        demand(replayer.until("reached") == 1, f"the replayer did not come to its commit: {replayer.told[-1:]}")
        victim = victims[turn % 3]()
        tried.nodes.kill(victim)
        replayer.go_on()
        status = replayer.end()
        demand(status in (0, 1), f"the replayer ended with {status}: {replayer.told[-1:]}")
    tried.leader("findings", 0, other_than=victim)
    if turn % 2:
        tried.nodes.start(victim)
    _complete_the_replay(tried)


def _complete_the_replay(tried: Trial) -> None:
    deadline = time.monotonic() + 60.0
    while True:
        with tried.replaying() as replayer:
            if replayer.end() == 0:
                return
        demand(time.monotonic() < deadline, f"no replay came to its end: {replayer.told[-1:]}")


@row(
    "leader killed during a witness's reading",
    how="kill -9 of the node that leads a partition of the events, or the checkpoints, at each of the witness's readings of it "
    "in turn",
    held="the witness cosigns nothing it has not read, calls no sound log broken, and cosigns the checkpoint in the end",
)
def witness_reading(tried: Trial, turn: int) -> None:
    signer = new_key(tried.folder / "key", ORIGIN, KeyKind.LOG)
    cosigner = new_key(tried.folder / "witness-key", "witness.example", KeyKind.WITNESS)
    with tried.log("intake") as log:
        publish(log, Drafts(), signer)
    tried.write_all()
    folder = WitnessFolder(tried.folder / "witness", cosigner.public_key)
    name, partition = (("events", 0), ("events", 1), ("checkpoints", 0))[turn % 3]
    with tried.log("auditor", read_only=True) as log, _checkpoints(tried, "sealer") as store:
        checkpointer = Checkpointer(log, store, signer, SigningMemory(tried.folder / "key", LOG_ID), clock=utc_now_us)
        checkpointer.read()
        checkpoint = checkpointer.sign()
    topic, victim = f"{tried.prefix}.{name}", tried.leader(name, partition)
    deadline, reads, killed = time.monotonic() + 60.0, 0, False

    def look(cosigned: WitnessFolder) -> None:
        with tried.log("auditor", read_only=True) as log, _checkpoints(tried, "auditor") as store:
            Witness(log, store, cosigner, cosigned, anchors=[signer.public_key], clock=utc_now_us).look()

    def count_read() -> None:
        nonlocal reads
        reads += 1

    def kill_once() -> None:
        nonlocal killed
        if not killed:
            killed = True
            tried.nodes.kill(victim)

    with _when_read(topic, 1, count_read):
        look(WitnessFolder(tried.folder / "undisturbed", cosigner.public_key))
    with _when_read(topic, 1 + turn // 3 % reads, kill_once):
        while folder.last() is None:
            try:
                look(folder)
            except LogUnavailable as error:
                demand(time.monotonic() < deadline, f"the witness never came to its end: {error}")
    demand(killed, "the leader was not killed while the witness read")
    last = folder.last()
    demand(last is not None and last.checkpoint == checkpoint, "the witness cosigned another checkpoint")
    demand(folder.refused() == [], "the witness refused a sound checkpoint")
    tried.nodes.heal()
    with tried.log("auditor", read_only=True) as log, _checkpoints(tried, "auditor") as store:
        report = verify(log, checkpoints=store, anchors=[signer.public_key], marks=folder.marks(ORIGIN))
        demand(report.ok, f"a sound log is called broken: {report.breaks}")


@contextlib.contextmanager
def _checkpoints(tried: Trial, user: str, timeout_s: float = TIMEOUT_S) -> Iterator[KafkaCheckpoints]:
    security, read_only = tried.nodes.cluster.security(user), user == "auditor"
    options = {"state_dir": tried.state, "timeout_s": timeout_s, "security": security, "read_only": read_only}
    with contextlib.closing(KafkaCheckpoints(tried.address, log_id=LOG_ID, **options)) as store:
        yield store


@contextlib.contextmanager
def _when_read(topic: str, times: int, action: Callable[[], None]) -> Iterator[None]:
    """Do something each time a topic is read, from the n-th time on, before its records are handed out."""
    real, left = TopicReader.assign, times

    def assign(self: TopicReader, offsets: Any) -> None:
        nonlocal left
        real(self, offsets)
        if any(lane.topic == topic for lane in offsets):
            left -= 1
            if left <= 0:
                action()

    with patch.object(TopicReader, "assign", assign):
        yield


@row(
    "paused leader comes back as a stale one",
    how="SIGSTOP of the node that leads the writer's partition for 12 s, until another leads; SIGCONT, and a reader that knows "
    "this node's address alone",
    held="the writer goes on, at the latest when the node is back; the reader never takes the old end for the log's; each "
    "event once; findings the same bytes; all nodes hold the same bytes",
)
def stale_leader(tried: Trial, turn: int) -> None:
    partition, group = turn % 2, 2 + turn
    with tried.writing("--pause", 0.3) as writer:
        writer.until("acknowledged", group)
        stale = tried.leader("events", partition)
        tried.nodes.pause(stale)
        began = time.monotonic()
        tried.leader("events", partition, other_than=stale)
        time.sleep(max(0.0, began + PAUSE_S - time.monotonic()))
        tried.nodes.resume(stale)
        _read_at(tried, stale)
        tried.written(writer)


def _read_at(tried: Trial, node: int) -> None:
    """Open the log at one node, with the writer's marks: what they acknowledge must be there, however stale the node was."""
    address = f"kafka://{tried.nodes.node(node).bootstrap}/{tried.prefix}"
    security, deadline = tried.nodes.cluster.security("auditor"), time.monotonic() + 30.0
    while True:
        try:
            options = {"state_dir": tried.state, "timeout_s": TIMEOUT_S, "security": security}
            KafkaLog(address, read_only=True, **options).close()
            return
        except LogUnavailable as error:
            demand(time.monotonic() < deadline, f"the node that came back cannot be read: {error}")


@row(
    "every call while a node hangs or is gone",
    how="SIGSTOP or kill -9 of the node that leads the writer's partition, decides about its transactions, leads the state or "
    "the findings, or none of these; then appends at a log that was open, and a log opened, verified, replayed and "
    "checkpointed, until all is stored",
    held=f"each call is answered within {ANSWERED_S:.0f} s, or refused with the node's address; each event once; findings the "
    "same bytes; all nodes hold the same bytes",
    quick=2,
)
def every_call(tried: Trial, turn: int) -> None:
    nodes, handed_in = tried.nodes, groups(ROUNDS)
    tried.write_all(4)
    with tried.log("intake", timeout_s=DEFAULT_S) as log:
        log.append_groups(handed_in[:5])
        leaders = [tried.leader("events", number) for number in range(2)]
        victims = (
            lambda: leaders[0],
            lambda: nodes.coordinator(f"{tried.prefix}.1"),
            lambda: next(node for node in (3, 2, 1) if node not in leaders),
            lambda: tried.leader("state", 0),
            lambda: tried.leader("findings"),
        )
        victim = victims[turn // 2 % len(victims)]()
        (nodes.kill if turn % 2 else nodes.pause)(victim)
        stored, deadline = False, time.monotonic() + 60.0
        while not stored:
            demand(time.monotonic() < deadline, f"node {victim} was gone, and no other took over in a minute")
            stored = _answered(nodes, victim, "append", lambda: log.append_groups(handed_in))
            for name, call in _calls(tried).items():
                _answered(nodes, victim, name, call)
    tried.acknowledged = len(handed_in)


def _calls(tried: Trial) -> dict[str, Callable[[], object]]:
    """What is done with a log besides appending to it, each by a process that has only begun."""
    security = {"timeout_s": DEFAULT_S, "security": tried.nodes.cluster.security("replayer"), "state_dir": tried.folder / "fresh"}

    def verify_log() -> None:
        with tried.log("auditor", read_only=True, timeout_s=DEFAULT_S) as log:
            demand(verify(log).ok, "a sound log is called broken")

    def keep_results() -> None:
        with contextlib.closing(KafkaResults(tried.address, **security)) as results:
            results.reset()

    def checkpoint() -> None:
        with _checkpoints(tried, "sealer", timeout_s=DEFAULT_S):
            pass

    return {"verify": verify_log, "replay": keep_results, "checkpoint": checkpoint}


def _answered(nodes: Nodes, victim: int, name: str, call: Callable[[], object]) -> bool:
    """Return whether a call did what it is for; it must have been answered in time, a refusal with the node's address."""
    began, refusal = time.monotonic(), ""
    try:
        call()
    except LogUnavailable as error:
        refusal = str(error)
    took = time.monotonic() - began
    demand(took <= ANSWERED_S, f"{name}: no answer for {took:.1f} s; {refusal}")
    demand(not refusal or f"the broker at {nodes.node(victim).bootstrap} " in refusal, f"{name}: {refusal}")
    return not refusal


@row(
    "a node that missed events comes back when the leader is gone",
    how="kill -9 of a follower, events go on, kill -9 of the leader, a start of the follower alone; then of the leader",
)
def follower_behind(tried: Trial, turn: int) -> None:
    with tried.writing("--pause", 0.2) as writer:
        writer.until("acknowledged", 2 + turn % 6)
        lag_behind(tried, lambda: writer.until("acknowledged", writer.said("acknowledged") + 6))
        tried.nodes.heal()
        tried.written(writer)


def lag_behind(tried: Trial, more: Callable[[], object]) -> None:
    """Kill a follower, let more be acknowledged, kill the leader, and bring the follower back."""
    state = tried.nodes.partition(f"{tried.prefix}.events", 0)
    follower = next(node for node in state.replicas[::-1] if node != state.leader)
    tried.nodes.kill(follower)
    more()
    leader = tried.leader()
    tried.nodes.kill(leader)
    tried.nodes.start(follower)
    tried.leader(other_than=leader)


@row(
    "leader killed, and its disk lost",
    how="kill -9 of the node that leads the writer's partition, its data removed, a start with an empty disk",
)
def disk_lost(tried: Trial, turn: int) -> None:
    partition = turn % 2
    with tried.writing("--pause", 0.2) as writer:
        writer.until("acknowledged", 4 + turn)
        replace_disk(tried, tried.leader("events", partition))
        tried.written(writer)


def replace_disk(tried: Trial, node: int) -> None:
    tried.nodes.kill(node)
    tried.nodes.empty(node)
    tried.nodes.start(node)


@row(
    "disk full on one node",
    how="the node that leads the writer's partition gets a file system of 96 MB, filled to the last byte while it is written; "
    "after 8 s it is emptied again",
    held="that node stops serving or ends, the others go on; each event once; findings the same bytes; all nodes hold the "
    "same bytes",
)
def disk_full(tried: Trial, turn: int) -> None:
    node = tried.leader("events", turn % 2)
    with tried.nodes.small_disk(node, 96) as mounted:
        replicas = [node, *tried.nodes.others(node)]
        tried.nodes.move({(f"{tried.prefix}.events", number): replicas for number in range(2)})
        tried.nodes.prefer(f"{tried.prefix}.events")
        with tried.writing("--pause", 0.3) as writer:
            writer.until("acknowledged", 2 + turn)
            filler = mounted / "filler"
            _fill(filler)
            time.sleep(SILENCE_S)
            filler.unlink()
            if tried.nodes.node(node).pid() is None:
                tried.nodes.start(node)
            tried.written(writer)
        tried.nodes.heal()


def _fill(path: Path) -> None:
    """Write until nothing more goes onto the disk."""
    with path.open("wb") as file, contextlib.suppress(OSError):
        while True:
            os.write(file.fileno(), bytes(4096))


# ------------------------------------------------------------------------------------------------------------- the others


@row(
    "two of three killed",
    how="kill -9 of two nodes under a writer at work, by turns with and without the leader, every other time the third too; "
    "8 s later a start of the two, then of the third",
    held="nothing is acknowledged meanwhile; the writer goes on by itself; each event once; findings the same bytes; all nodes "
    "hold the same bytes",
)
def two_killed(tried: Trial, turn: int) -> None:
    with tried.writing("--pause", 0.1) as writer:
        writer.until("acknowledged", 2 + turn)
        leader = tried.leader("events", turn % 2)
        others = tried.nodes.others(leader)
        victims = others if turn % 4 < 2 else [leader, others[turn % 2]]
        tried.nodes.kill(*victims)
        _silence(writer)
        third = next(node for node in (1, 2, 3) if node not in victims)
        if turn % 2:
            tried.nodes.kill(third)
        tried.nodes.start(*victims)
        if turn % 2:
            tried.nodes.start(third)
        tried.written(writer)


def _silence(writer: Child) -> None:
    """Nothing is acknowledged for some seconds."""
    writer.listen(GRACE_S)
    before = writer.said("acknowledged")
    writer.listen(SILENCE_S)
    demand(writer.said("acknowledged") == before, "a group was acknowledged while only one node of three was there")
    demand(before < len(groups(ROUNDS)), "the writer was done before two nodes were killed")


@row(
    "partition moved under load",
    how="both partitions of the events and the findings are given to nodes 2 and 3, 3 and 1, 1 and 2, then to all, by Kafka's "
    "reassignment, under a writer and a replayer at work",
)
def moved(tried: Trial, turn: int) -> None:
    places = [(f"{tried.prefix}.events", 0), (f"{tried.prefix}.events", 1), (f"{tried.prefix}.findings", 0)]
    steps = [[2, 3], [3, 1], [1, 2]]
    with tried.writing("--pause", 0.15) as writer, tried.replaying("--follow") as replayer:
        writer.until("acknowledged", 1 + turn)
        for step in [*steps[turn % 3 :], *steps[: turn % 3], [1, 2, 3]]:
            tried.nodes.move(dict.fromkeys(places, step))
        tried.written(writer)
        replayer.kill()


@row("rolling restart", how="each node in turn is stopped in order (SIGTERM) and started, under a writer and a replayer at work")
def rolling_restart(tried: Trial, turn: int) -> None:
    order = [(turn + step) % 3 + 1 for step in range(3)]
    with tried.writing("--pause", 0.5) as writer, tried.replaying("--follow") as replayer:
        writer.until("acknowledged", 2)
        for node in order:
            tried.nodes.restart(node)
            tried.nodes.await_in_sync()
        tried.written(writer)
        replayer.kill()
