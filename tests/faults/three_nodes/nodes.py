"""What can happen to the nodes of a cluster, and what the cluster says of itself meanwhile."""

import contextlib
import os
import queue
import shutil
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import kafka
from kafka.admin import ConfigResource, ConfigResourceType
from kafka.errors import KafkaError

from events.kafka.development.cluster import ADMINISTRATOR, SIZE, ClusterNode, DevelopmentCluster
from tests.faults.table import Lost, Unavailable

NODES_TIMEOUT_S = 90.0
ANSWER_S = 4.0
Answer = TypeVar("Answer")


class PartitionState(NamedTuple):
    """A partition as the controllers have it; no leader: -1."""

    leader: int
    replicas: list[int]
    in_sync: list[int]


class Nodes:
    """The nodes of a running cluster, by number."""

    def __init__(self, cluster: DevelopmentCluster) -> None:
        self.cluster = cluster
        self._by_number = {node.number: node for node in cluster.nodes}
        self._silent: set[int] = set()
        """Killed or paused."""

    # ------------------------------------------------------------------------------------------------------ what happens

    def kill(self, *numbers: int) -> None:
        """End nodes at once, all at the same moment."""
        for number in numbers:
            os.kill(self._process(number), signal.SIGKILL)
        for number in numbers:
            self._by_number[number].stop()  # takes the exit status
            self._silent.add(number)

    def pause(self, number: int) -> None:
        os.kill(self._process(number), signal.SIGSTOP)
        self._silent.add(number)

    def resume(self, number: int) -> None:
        os.kill(self._process(number), signal.SIGCONT)
        self._silent.discard(number)

    def start(self, *numbers: int) -> None:
        """Start nodes and wait until they serve; they need each other where only one is left."""
        nodes = [self._by_number[number] for number in numbers]
        for node in nodes:
            node.prepare()
        for node in nodes:
            node.launch()
        for node in nodes:
            node.wait_ready()
            self._silent.discard(node.number)

    def restart(self, number: int) -> None:
        """Let a node hand over what it leads, end, and come back."""
        self._silent.add(number)
        self._by_number[number].stop()
        self.start(number)

    def empty(self, number: int) -> None:
        """Put an empty disk into a node that does not run."""
        shutil.rmtree(self._by_number[number].data)

    @contextlib.contextmanager
    def small_disk(self, number: int, megabytes: int) -> Iterator[Path]:
        """Give a node a file system of its own, for as long as it is needed; yields if it is mounted.

        Raises `Unavailable` if this user may not mount one.
        """
        data = self._by_number[number].data
        aside = data.with_name("data-aside")
        self._by_number[number].stop()
        data.rename(aside)
        data.mkdir()
        mounted = False
        try:
            mount = ["mount", "-t", "tmpfs", "-o", f"size={megabytes}m", "tmpfs", str(data)]
            done = subprocess.run(mount, capture_output=True, text=True, check=False)
            if done.returncode:
                raise Unavailable(f"this user may not mount a small file system: {done.stderr.strip()}")
            mounted = True
            subprocess.run(["cp", "-a", "--sparse=always", f"{aside}/.", str(data)], check=True)
            self.start(number)
            yield data
        finally:
            self._by_number[number].stop()
            if mounted:
                shutil.rmtree(aside)
                subprocess.run(["cp", "-a", "--sparse=always", f"{data}/.", str(aside)], check=True)
                subprocess.run(["umount", str(data)], check=True)
            data.rmdir()
            aside.rename(data)
            self.start(number)

    def move(self, replicas: Mapping[tuple[str, int], Sequence[int]]) -> None:
        """Give partitions other nodes, and wait until these have everything and the others nothing."""
        moves = {kafka.TopicPartition(*place): list(nodes) for place, nodes in replicas.items()}
        with self.admin() as admin:
            refused = {place: error for place, error in admin.alter_partition_reassignments(moves).items() if error}
        if refused:
            raise Lost(f"partitions could not be moved: {refused}")

        def moved(admin: Any) -> bool:
            return not admin.list_partition_reassignments()

        self._until(moved, "partitions were still being moved")

    def prefer(self, topic: str) -> None:
        """Let the first node of each partition of a topic lead it."""
        self.await_in_sync()
        with self.admin() as admin:
            admin.elect_leaders(0, [topic])

    def configure(self, topics: Sequence[str], settings: Mapping[str, str]) -> None:
        with self.admin() as admin:
            admin.alter_configs([ConfigResource(ConfigResourceType.TOPIC, topic, dict(settings)) for topic in topics])

    def delete(self, prefix: str) -> None:
        """Delete the topics of a log."""
        with self.admin() as admin:
            admin.delete_topics([topic for topic in admin.list_topics() if topic.startswith(f"{prefix}.")])

    def heal(self) -> None:
        """Bring every node back, and wait until every partition has a leader and all of its copies."""
        for number, node in self._by_number.items():
            if number in self._silent and node.pid() is not None:
                self.resume(number)
        gone = [number for number, node in self._by_number.items() if node.pid() is None]
        if gone:
            self.start(*gone)
        self.await_in_sync()

    # --------------------------------------------------------------------------------------------- what the cluster says

    @contextlib.contextmanager
    def admin(self) -> Iterator[Any]:
        """The administrator's client, at the nodes that answer."""
        answering = [node.bootstrap for node in self.cluster.nodes if node.number not in self._silent]
        security = self.cluster.security(ADMINISTRATOR)
        client = kafka.KafkaAdminClient(bootstrap_servers=answering, request_timeout_ms=5000, **security)
        try:
            yield client
        finally:
            client.close()

    def partition(self, topic: str, number: int) -> PartitionState:
        return self._partitions([topic])[topic, number]

    def leader(self, topic: str, number: int, other_than: int | None = None) -> int:
        """Return the node that leads a partition, waiting for one (for another one than was named)."""

        def leads(admin: Any) -> int | None:
            state = _states(admin.describe_topics([topic])).get((topic, number))
            return None if state is None or state.leader in (-1, other_than) else state.leader

        return self._until(leads, f"{topic} partition {number} had no leader")

    def await_in_sync(self) -> None:
        """Wait until every partition has a leader and three copies that are alike, or as many as it is to have."""

        def in_sync(admin: Any) -> bool:
            states = _states(admin.describe_topics())
            return all(state.leader != -1 and set(state.in_sync) == set(state.replicas) for state in states.values())

        self._until(in_sync, "partitions lacked copies")

    def coordinator(self, transactional_id: str) -> int:
        """Return the node that decides about a writer's transactions: the leader of the partition that its hash names."""
        partitions = self._partitions(["__transaction_state"])
        return partitions["__transaction_state", _java_hash(transactional_id) % len(partitions)].leader

    def copies(self, topic: str, number: int) -> dict[int, bytes]:
        """Return the bytes that each node has of a partition, over all segments."""
        found = {}
        for node in self.cluster.nodes:
            segments = sorted((node.data / f"{topic}-{number}").glob("*.log"))
            if segments:
                found[node.number] = b"".join(segment.read_bytes() for segment in segments)
        return found

    def others(self, number: int) -> list[int]:
        return [each for each in range(1, SIZE + 1) if each != number]

    def node(self, number: int) -> ClusterNode:
        return self._by_number[number]

    def _partitions(self, topics: list[str]) -> dict[tuple[str, int], PartitionState]:
        return self._until(lambda admin: _states(admin.describe_topics(topics)), f"{topics} were not described")

    def _process(self, number: int) -> int:
        pid = self._by_number[number].pid()
        assert pid is not None, f"node {number} does not run"
        return pid

    def _ask(self, question: Callable[[Any], Answer]) -> Answer:
        """Ask once. The client waits for a node that is paused for as long as it is: then it is left waiting."""
        answers: queue.SimpleQueue[Answer | Exception] = queue.SimpleQueue()

        def ask() -> None:
            try:
                with self.admin() as admin:
                    answers.put(question(admin))
            except (KafkaError, OSError) as error:
                answers.put(error)

        threading.Thread(target=ask, daemon=True).start()
        try:
            answer = answers.get(timeout=ANSWER_S)
        except queue.Empty as error:
            raise TimeoutError(f"no answer within {ANSWER_S} s") from error
        if isinstance(answer, Exception):
            raise answer
        return answer

    def _until(self, question: Callable[[Any], Answer | None], complaint: str) -> Answer:
        """Ask the cluster until the answer is a true one, and return it. Raises `Lost` where it never is."""
        deadline, problem = time.monotonic() + NODES_TIMEOUT_S, ""
        while time.monotonic() < deadline:
            try:
                if answer := self._ask(question):
                    return answer
            except (KafkaError, OSError) as error:
                problem = f": {type(error).__name__}: {error}"
            time.sleep(0.1)
        raise Lost(f"{complaint} after {NODES_TIMEOUT_S:.0f} s{problem}")


def _states(topics: Sequence[Mapping[str, Any]]) -> dict[tuple[str, int], PartitionState]:
    return {
        (topic["name"], each["partition_index"]): PartitionState(
            each["leader_id"] if not each["error_code"] else -1, each["replica_nodes"], each["isr_nodes"]
        )
        for topic in topics
        for each in topic["partitions"]
    }


def _java_hash(text: str) -> int:
    """Java's hash of a string without its sign, by which Kafka chooses the partition of a transactional id."""
    value = 0
    for character in text:
        value = (31 * value + ord(character)) & 0xFFFFFFFF
    return value & 0x7FFFFFFF
