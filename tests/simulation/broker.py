"""A Kafka cluster in memory, under the client's own names: our code runs as it is, down to `events.kafka.client`.

It keeps what the protocol promises of transactions: initializing a transactional id fences the producer before it and ends what
that one left open; readers of committed records stop before the first record that is undecided, and never see an aborted one; the
end of a transaction takes an offset of its own. What may go wrong is what may go wrong between a client and a broker: a
request is lost, its answer is lost, it arrives after the client has given up, or the client's process dies at it; or it is
held, the client repeats it with success, and then it arrives (KIP-890).

Time is simulated too: whoever waits makes it pass.
"""

import contextlib
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from types import SimpleNamespace
from typing import Any, NamedTuple, cast
from unittest.mock import patch

from kafka import ConsumerRebalanceListener, TopicPartition, structs
from kafka import errors as kafka_errors

from events.kafka import client as kafka_client
from events.kafka import partition_writer, patience
from events.kafka import results as kafka_results
from events.kafka.transactions import AskingOnce

REQUEST_LOST, REPLY_LOST, LATE, DIES = "request lost", "reply lost", "request late", "process dies"
WAYS = (REQUEST_LOST, REPLY_LOST, LATE, DIES)
HELD = "request held, repeated with success, then delivered"
HELD_S = 0.01
"""How long after the answer to the repeat a held request arrives at most: some requests later."""
WRITES = ("init", "produce", "end", "plain")
READS = ("fetch", "ends")
TRANSACTION_S = 60.0
"""After so long the broker ends a transaction that no one goes on with."""


class Died(BaseException):
    """The client's process was killed at this moment: nothing of it runs on."""


class Entry:
    """What is at an offset. Markers (the ends of transactions) have no key and no value, and are never delivered."""

    def __init__(self, offset: int, key: bytes | None, value: bytes | None, headers: Sequence[Any], state: str) -> None:
        self.offset, self.key, self.value, self.headers, self.state = offset, key, value, list(headers), state


class Sent(NamedTuple):
    """What a client sends in one transaction: how many records, and those that came."""

    size: int
    entries: list[Entry]


class _Transaction(NamedTuple):
    began_s: float
    entries: list[tuple[TopicPartition, Entry]]


class Broker:
    """The cluster: topics, transactional ids, a clock, and which request goes wrong next."""

    def __init__(self, seed: int = 0) -> None:
        self.rng = random.Random(seed)
        self.partitions: dict[str, int] = {}
        self.settings: dict[str, dict[str, str]] = {}
        self.lanes: dict[TopicPartition, list[Entry]] = {}
        self.epochs: dict[str, int] = {}
        self.now_s = 1_000.0
        self.happened: list[str] = []
        self.fetched = (1, 7, 500)
        """How many records one fetch may bring."""
        self._open: dict[str, _Transaction] = {}
        self._forgotten: dict[str, _Transaction] = {}
        self.forgets = ""
        """The id of which the next transaction is called complete, and its partitions never hear of it."""
        self._late: list[tuple[float, Callable[[], Any]]] = []
        self._plan: tuple[tuple[str, ...], str, int] | None = None
        self._chance = random.Random(seed)
        self.held: dict[str, float] = {}
        """Kind of request → the share of its requests that are held."""
        self._held: list[tuple[float, Callable[[], Any]]] = []
        self._batches: dict[object, list[int]] = {}
        self._sent: list[Sent] = []

    # ------------------------------------------------------------------------------------------------------------- faults

    def plan(self, how: str, kinds: Sequence[str], nth: int) -> None:
        """Let something happen to the n-th request from now on that is of one of these kinds."""
        self._plan = tuple(kinds), how, nth

    def calm(self) -> None:
        """Nothing more goes wrong; what was held arrives."""
        self._plan, self.held = None, {}
        self._deliver(self._held, self.now_s + HELD_S)

    def ask(self, kind: str, do: Callable[[], Any], repeats: bool = True) -> Any:
        """Carry out a request of a client, or let it go wrong as it was planned. `repeats`: whether the client repeats it."""
        self.pass_time(0.001)
        how = self._fate(kind)
        if how == DIES:
            raise Died
        if how in (REPLY_LOST, ""):
            answer = do()
            if not how:
                if repeats and self._chance.random() < self.held.get(kind, 0.0):
                    self._held.append((self.now_s + self._chance.uniform(0, HELD_S), do))
                    self.happened.append(HELD)
                return answer
        elif how == LATE:
            self._late.append((self.now_s + self.rng.uniform(0, 10.0), do))
        self.pass_time(2.0)  # the client waits in vain
        raise kafka_errors.KafkaTimeoutError(f"no answer to {kind}")

    def _fate(self, kind: str) -> str:
        if self._plan is None or kind not in self._plan[0]:
            return ""
        kinds, how, left = self._plan
        self._plan = (kinds, how, left - 1) if left > 1 else None
        if left > 1:
            return ""
        self.happened.append(how)
        return how

    # -------------------------------------------------------------------------------------------------------------- clock

    def pass_time(self, seconds: float) -> None:
        """Let time pass: late requests arrive, abandoned transactions end."""
        self.now_s += seconds
        self._deliver(self._late, self.now_s)
        self._deliver(self._held, self.now_s)
        for name, transaction in list(self._open.items()):
            if self.now_s - transaction.began_s > TRANSACTION_S:
                self.epochs[name] += 1
                self._end(name, "aborted")

    def _deliver(self, waiting: list[tuple[float, Callable[[], Any]]], until_s: float) -> None:
        for due in [each for each in waiting if each[0] <= until_s]:
            waiting.remove(due)
            with contextlib.suppress(kafka_errors.KafkaError):  # no one waits for the answer
                due[1]()

    def holds(self) -> bool:
        """Whether a request that was repeated is still under way."""
        return bool(self._held)

    def torn(self) -> list[Sent]:
        """Return the transactions of which a part is committed, and a part is not."""
        counts = [(sent, sum(entry.state == "committed" for entry in sent.entries)) for sent in self._sent]
        return [sent for sent, count in counts if count not in (0, sent.size)]

    def sends(self, size: int) -> Sent:
        """Note that a client begins to send the records of a transaction."""
        self._sent.append(Sent(size, []))
        return self._sent[-1]

    def monotonic(self) -> float:
        """The clock of the clients; that they look at it makes a little of it pass."""
        self.now_s += 0.0001
        return self.now_s

    # ----------------------------------------------------------------------------------------------------------- requests

    def initialize(self, name: str) -> int:
        self._end(name, "aborted")
        self.epochs[name] = self.epochs.get(name, -1) + 1
        return self.epochs[name]

    def produce(
        self,
        name: str | None,
        epoch: int,
        messages: Sequence[tuple[TopicPartition, Any, Any, Any]],
        batch: object,
        sent: Sent | None = None,
    ) -> list[int]:
        """Store a batch; one that comes again is recognized by its number in the epoch, and not stored again."""
        if name is not None:
            self._check_epoch(name, epoch)
        if batch in self._batches:
            return self._batches[batch]
        if sent is not None and sent.entries and name not in self._open:  # the partition is in no transaction
            raise kafka_errors.InvalidTxnStateError(name)
        offsets = self._batches[batch] = []
        for lane, key, value, headers in messages:
            kept = self.lanes[lane]
            entry = Entry(len(kept), key, value, headers, "open" if name is not None else "committed")
            kept.append(entry)
            offsets.append(entry.offset)
            if name is not None:
                self._open.setdefault(name, _Transaction(self.now_s, [])).entries.append((lane, entry))
            if sent is not None:
                sent.entries.append(entry)
        return offsets

    def end(self, name: str, epoch: int) -> None:
        self._check_epoch(name, epoch)
        if name == self.forgets:  # the next that ends there decides both
            self.forgets, self._forgotten[name] = "", self._open.pop(name)
            raise kafka_errors.KafkaTimeoutError("no answer to end")
        self._end(name, "committed")

    def abort(self, name: str, epoch: int) -> None:
        self._check_epoch(name, epoch)
        self._end(name, "aborted")

    def _end(self, name: str, state: str) -> None:
        transaction = self._open.pop(name, None)
        if transaction is None:
            return
        lanes, forgotten = {lane for lane, _ in transaction.entries}, self._forgotten.get(name)
        for lane, entry in (*transaction.entries, *(forgotten.entries if forgotten is not None else ())):
            if lane in lanes:
                entry.state = state
        for lane in dict.fromkeys(lane for lane, _ in transaction.entries):
            self.lanes[lane].append(Entry(len(self.lanes[lane]), None, None, [], "marker"))

    def _check_epoch(self, name: str, epoch: int) -> None:
        if self.epochs[name] != epoch:
            raise kafka_errors.ProducerFencedError(name)

    def decided(self, lane: TopicPartition) -> int:
        """The offset after the last one that is decided."""
        kept = self.lanes[lane]
        return next((entry.offset for entry in kept if entry.state == "open"), len(kept))


def _metadata() -> SimpleNamespace:
    """What our code uses of a client's knowledge of the cluster: here no one has to look for the partitions' leaders."""
    return SimpleNamespace(config={}, _refresh_loop_future=None)


class Consumer:
    """What our code uses of `kafka.KafkaConsumer`."""

    def __init__(self, broker: Broker, **settings: Any) -> None:
        self._broker, self._cluster, self._fetcher = broker, _metadata(), SimpleNamespace()
        self._committed_only = settings["isolation_level"] == "read_committed"
        self._positions: dict[TopicPartition, int] = {}

    def partitions_for_topic(self, topic: str) -> set[int] | None:
        return set(range(self._broker.partitions[topic])) if topic in self._broker.partitions else None

    def assign(self, lanes: Sequence[TopicPartition]) -> None:
        self._positions = dict.fromkeys(lanes, 0)

    def seek(self, lane: TopicPartition, offset: int) -> None:
        self._positions[lane] = offset

    def position(self, lane: TopicPartition, timeout_ms: int) -> int:
        return self._positions[lane]

    def end_offsets(self, lanes: Sequence[TopicPartition], timeout_ms: int) -> dict[TopicPartition, int]:
        found: dict[TopicPartition, int] = self._broker.ask("ends", lambda: {lane: self._end(lane) for lane in lanes})
        return found

    def poll(self, timeout_ms: int, max_records: int) -> dict[TopicPartition, list[Entry]]:
        found, positions = self._broker.ask("fetch", lambda: self._fetch(max_records))
        self._positions = positions  # the client's own: an answer that is lost moves nothing
        if not found:
            self._broker.pass_time(timeout_ms / 1000)
        return cast(dict[TopicPartition, list[Entry]], found)

    def close(self, autocommit: bool, timeout_ms: int | None = None) -> None:
        self._positions = {}

    def _end(self, lane: TopicPartition) -> int:
        return self._broker.decided(lane) if self._committed_only else len(self._broker.lanes[lane])

    def _fetch(self, most: int) -> tuple[dict[TopicPartition, list[Entry]], dict[TopicPartition, int]]:
        found, positions = {}, dict(self._positions)
        for lane, start in self._positions.items():
            end = min(self._end(lane), start + min(most, self._broker.rng.choice(self._broker.fetched)))
            wanted = ("committed",) if self._committed_only else ("committed", "aborted", "open")
            records = [entry for entry in self._broker.lanes[lane][start:end] if entry.state in wanted]
            positions[lane] = max(start, end)
            if records:
                found[lane] = records
        return found, positions


class Producer:
    """What our code uses of `kafka.KafkaProducer`: its own calls, and the steps of a commit inside it."""

    def __init__(self, broker: Broker, **settings: Any) -> None:
        self._broker, self._metadata = broker, _metadata()
        self._name: str | None = settings.get("transactional_id")
        self._epoch = -1
        self._repeats_the_end = settings.get("kafka_client") is not AskingOnce
        self._waiting: list[tuple[tuple[TopicPartition, Any, Any, Any], SimpleNamespace]] = []
        self._sender = SimpleNamespace(wakeup=lambda: None, force_close=self._waiting.clear)
        self._transaction_manager = self
        self.last_error: BaseException | None = None

    @property
    def producer_id_and_epoch(self) -> SimpleNamespace:
        return SimpleNamespace(producer_id=self._name, epoch=self._epoch)

    def initialize_transactions(self) -> SimpleNamespace:
        assert self._name is not None
        name = self._name
        self._epoch = self._broker.ask("init", lambda: self._broker.initialize(name))
        return SimpleNamespace(wait=lambda timeout_ms: True)

    def begin_transaction(self) -> None:
        """Nothing is sent."""

    def send(self, topic: str, value: Any, key: Any, headers: Any, partition: int) -> SimpleNamespace:
        future = SimpleNamespace(error=None, value=None)
        future.succeeded = lambda: future.value is not None
        future.exception = lambda: future.error
        future.get = lambda timeout: self._get(future)
        self._waiting.append(((TopicPartition(topic, partition), key, value, headers), future))
        return future

    def flush(self, timeout: float) -> None:
        sent, self._waiting[:] = list(self._waiting), []
        if self._name is None:
            self._send_plain(sent)
            return
        part = self._broker.sends(len(sent))
        half = len(sent) // 2 if self._broker.holds() else 0  # in two batches, between which it may arrive
        try:
            offsets = [offset for each in (sent[:half], sent[half:]) if each for offset in self._produce(each, part)]
        except kafka_errors.KafkaError as error:
            self.last_error = error
            for _, future in sent:
                future.error = error
            return
        for (_, future), offset in zip(sent, offsets, strict=True):
            future.value = SimpleNamespace(offset=offset)

    def _produce(self, sent: Sequence[tuple[Any, Any]], part: Sent) -> list[int]:
        name, epoch, messages, batch = self._name, self._epoch, [message for message, _ in sent], object()
        stored: list[int] = self._broker.ask("produce", lambda: self._broker.produce(name, epoch, messages, batch, part))
        return stored

    def begin_commit(self) -> SimpleNamespace:
        name, epoch = self._name, self._epoch
        assert name is not None

        def wait(timeout_ms: int) -> bool:
            self._broker.ask("end", lambda: self._broker.end(name, epoch), self._repeats_the_end)
            return True

        return SimpleNamespace(wait=wait)

    def begin_abort(self) -> SimpleNamespace:
        name, epoch = self._name, self._epoch
        assert name is not None
        self._broker.ask("end", lambda: self._broker.abort(name, epoch), self._repeats_the_end)
        return SimpleNamespace(wait=lambda timeout_ms: True)

    def _send_plain(self, sent: Sequence[tuple[Any, SimpleNamespace]]) -> None:
        for message, future in sent:
            try:
                self._broker.ask("plain", partial(self._broker.produce, None, 0, [message], object()))
            except kafka_errors.KafkaError as error:
                future.error = error
                return

    def _get(self, future: SimpleNamespace) -> None:
        if future.error is not None:
            raise future.error

    def close(self, timeout: float | None = None) -> None:
        self._waiting.clear()


class Admin:
    """What our code uses of `kafka.KafkaAdminClient`."""

    def __init__(self, broker: Broker, **settings: Any) -> None:
        self._broker = broker

    def list_topics(self) -> list[str]:
        return list(self._broker.partitions)

    def create_topics(self, topics: Sequence[Any]) -> None:
        for topic in topics:
            self._broker.partitions[topic.name] = topic.num_partitions
            self._broker.settings[topic.name] = dict(topic.topic_configs)
            for number in range(topic.num_partitions):
                self._broker.lanes[TopicPartition(topic.name, number)] = []

    def describe_topics(self, names: Sequence[str]) -> list[dict[str, Any]]:
        made = self._broker.partitions
        one = {"replica_nodes": [1]}
        return [{"name": name, "error_code": 0 if name in made else 3, "partitions": [one] * made.get(name, 0)} for name in names]

    def describe_configs(self, resources: Sequence[Any], config_filter: str) -> dict[str, Any]:
        names = [resource.name for resource in resources]
        return {"topic": {name: {key: {"value": value} for key, value in self._broker.settings[name].items()} for name in names}}

    def wait_for_topics(self, names: Sequence[str]) -> None:
        """They are there at once."""

    def close(self) -> None:
        """Nothing is held."""


@contextlib.contextmanager
def plugged_in(broker: Broker) -> Iterator[None]:
    """Within this context every Kafka client that our code makes is a client of this cluster, and time is its time."""
    clients: Mapping[str, Any] = {
        "KafkaConsumer": lambda **settings: Consumer(broker, **settings),
        "KafkaProducer": lambda **settings: Producer(broker, **settings),
        "KafkaAdminClient": lambda **settings: Admin(broker, **settings),
    }
    library = SimpleNamespace(
        **clients, TopicPartition=TopicPartition, structs=structs, ConsumerRebalanceListener=ConsumerRebalanceListener
    )
    clock = SimpleNamespace(monotonic=broker.monotonic, sleep=broker.pass_time)
    tokens = SimpleNamespace(token_hex=lambda size: broker.rng.randbytes(size).hex())
    with contextlib.ExitStack() as stack:
        for module, name, other in (
            (kafka_client, "kafka", library),
            (kafka_client, "time", clock),
            (partition_writer, "time", clock),
            (partition_writer, "secrets", tokens),
            (kafka_results, "secrets", tokens),
            (patience, "time", clock),
            (patience.Patience, "greet", lambda self: {}),
            (kafka_client.Cluster, "_made", lambda self, kind, settings: kind(**settings)),
        ):
            stack.enter_context(patch.object(module, name, other))
        yield
