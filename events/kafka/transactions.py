"""Writes to Kafka in transactions: a producer with the right to write learns when it has lost that right.

A new producer fences its predecessor. Its calls raise `WriterFenced` (another writer has taken over) or `CommitUnknown` (the
broker may or may not have committed); after either it is discarded. The client's automatic recoveries (KIP-360) are never relied
on: a writer whose producer id or epoch has changed counts as unsure.
"""

import contextlib
import warnings
from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple, Protocol

with warnings.catch_warnings():  # as in `client.py`, whichever is imported first
    warnings.simplefilter("ignore", DeprecationWarning)
    import kafka
    from kafka import errors as kafka_errors
    from kafka.future import Future
    from kafka.protocol.producer import EndTxnRequest, InitProducerIdRequest, InitProducerIdResponse, TxnOffsetCommitRequest

from events.errors import LogUnavailable
from events.kafka.connections import BoundedClient
from events.kafka.partition_reader import Headers
from events.kafka.patience import Patience

METADATA_S = 0.5
"""The producer's wait for a topic's metadata (`max_block_ms`)."""
HANDED_OVER = 10_000
"""Records sent before the writer waits for the broker: each promised offset takes 1 kB."""
CLOSING_S = 0.3
"""The time in which the threads of a discarded producer must end."""
_FENCED = (kafka_errors.ProducerFencedError, kafka_errors.InvalidProducerEpochError)


class WriterFenced(Exception):
    """Another writer with the same transactional id was initialized; this one can no longer write."""


class MemberEvicted(Exception):
    """This process is not a member of the consumer group's present generation; the group refused the transaction."""


class CommitUnknown(Exception):
    """The broker's answer was unclear: the records may or may not be committed."""


class OutgoingRecord(NamedTuple):
    """A record to write."""

    topic: str
    partition: int
    key: bytes | None
    value: bytes | None
    headers: Headers


class Member(Protocol):
    """A member of a consumer group."""

    def membership(self) -> Any:
        """Return the proof of membership for the broker. Raises `MemberEvicted` if none exists."""


class ConsumerOffsets(NamedTuple):
    """The offsets that a group's member has worked off: for each partition the offset to go on from."""

    member: Member
    offsets: Mapping[Any, int]


class AskingOnce(BoundedClient):
    """A producer's connection that sends the end of a transaction, and offsets in it, only once.

    The producer (3.0.12) repeats such a request with the same epoch if the connection breaks. If the first one was only held up,
    and arrives after the repeat was answered, it ends the next transaction, of which a part may be there (KIP-890). So a broken
    connection is an unclear answer: the producer is thrown away, and its successor's epoch fences what arrives late. A repeated
    record is recognized by its number in the epoch, and an initialization that is repeated before it was answered fences the
    first one.

    Once it has the right to write, the producer asks for another if the broker refuses a record for its epoch, and that fences
    the writer that took over. This request is not sent.
    """

    _initialized = False

    def send(self, node_id: Any, request: Any, **options: Any) -> Any:
        """Send a request. Returns the client's promise of an answer."""
        if isinstance(request, InitProducerIdRequest) and request.transactional_id is not None:
            if self._initialized:
                return Future().success(InitProducerIdResponse(error_code=kafka_errors.ProducerFencedError.errno))
            return super().send(node_id, request, **options).add_callback(self._note_initialized)
        answer = super().send(node_id, request, **options)
        if not isinstance(request, EndTxnRequest | TxnOffsetCommitRequest):
            return answer
        once = Future()

        def fail(error: BaseException) -> None:
            if isinstance(error, kafka_errors.KafkaConnectionError):  # the one error after which the producer repeats it
                error = kafka_errors.KafkaError(f"no answer to the end of a transaction: {error}")
            once.failure(error)

        answer.add_callback(once.success)
        answer.add_errback(fail)
        return once

    def _note_initialized(self, answer: Any) -> None:
        self._initialized = kafka_errors.for_code(answer.error_code) is kafka_errors.NoError


class TransactionalWriter:
    """An initialized transactional producer: `write`, `prepare`, `commit`, in that order. Not safe between threads."""

    def __init__(self, producer: Any, patience: Patience) -> None:
        self._producer, self._patience = producer, patience
        # Several of the producer's calls wait for ever; their steps are taken here with a limit to the waiting.
        self._manager = producer._transaction_manager
        self._sender = producer._sender
        self._sent: list[Any] = []
        self.offsets: list[int] = []
        """The offsets of the records of the last prepared transaction, in order."""
        self._consumed: ConsumerOffsets | None = None
        self._ending: Any = None
        try:
            self._guarded(lambda: self._await(self._manager.initialize_transactions()))
        except CommitUnknown as error:
            self.discard()
            raise unavailable(error, f"Kafka gave no right to write: {error}; is the cluster complete?") from error
        except WriterFenced:
            self.discard()
            raise
        self._identity = self._current_identity()

    def write(self, messages: Iterable[OutgoingRecord]) -> None:
        """Begin a transaction and give these records to the background sender. Raises `WriterFenced` or `CommitUnknown`."""
        self._guarded(lambda: self._write(messages))

    def prepare(self, consumed: ConsumerOffsets | None = None) -> None:
        """Wait until the broker holds every record of the transaction, then ask it to commit."""
        self._consumed = consumed
        self._guarded(self._prepare)

    def transact(self, messages: Iterable[OutgoingRecord], consumed: ConsumerOffsets | None = None) -> None:
        """Write, prepare and commit these records. Raises `WriterFenced` or `CommitUnknown`.

        With `consumed`, the offsets that a member of a group has worked off are part of the transaction, which the broker takes
        only from a member of the group's present generation: else it is aborted, and `MemberEvicted` raised.
        """
        self.write(messages)
        self.prepare(consumed)
        self.commit()

    def commit(self) -> None:
        """Wait until the transaction is committed. Raises `WriterFenced` or `CommitUnknown`."""
        self._guarded(self._commit)

    def abort_leftovers(self, lane: tuple[str, int]) -> None:
        """Abort records that an earlier transaction of this id left open in a partition. Raises `WriterFenced` or
        `CommitUnknown`.

        A coordinator that starts before it knows the partition's leader takes the partition for deleted: it calls a transaction
        complete of which the partition never hears the end (Kafka 4.4). What lies there would be committed together with this
        writer's next transaction, long after it was found not to be there.
        """
        self._guarded(lambda: self._abort_leftovers(lane))

    def close(self) -> None:
        """Close the connections; the right to write stays with the transactional id until another takes it."""
        self.discard()

    def discard(self) -> None:
        """Discard the producer without sending the waiting records."""
        discard(self._producer)

    def _write(self, messages: Iterable[OutgoingRecord]) -> None:
        self._check_identity()
        self._producer.begin_transaction()
        self._sent, self.offsets = [], []
        for message in messages:
            self._sent.append(hand_over(self._producer, message, self._patience))
            if len(self._sent) == HANDED_OVER:
                self._flush()

    def _flush(self) -> None:
        """Wait until the broker has every record given to the sender."""
        flush_all(self._producer, self._patience)
        for future in self._sent:
            if not future.succeeded():
                if isinstance(future.exception, _FENCED):
                    raise future.exception
                raise kafka_errors.KafkaError(f"a record was not stored: {future.exception!r}")
        self.offsets += [future.value.offset for future in self._sent]
        self._sent.clear()

    def _prepare(self) -> None:
        self._flush()
        if self._consumed is not None:
            self._consume(self._consumed)
        self._check_identity()
        self._ending = self._manager.begin_commit()
        self._sender.wakeup()

    def _abort_leftovers(self, lane: tuple[str, int]) -> None:
        self._write([OutgoingRecord(*lane, b"aborted", b"", [])])  # no one ever reads it; a compacted topic wants a key
        self._flush()
        self._await(self._manager.begin_abort())
        self._check_identity()

    def _consume(self, consumed: ConsumerOffsets) -> None:
        offsets = {
            kafka.TopicPartition(*lane): kafka.structs.OffsetAndMetadata(offset, "", -1)
            for lane, offset in consumed.offsets.items()
        }
        try:
            self._await(self._manager.send_offsets_to_transaction(offsets, consumed.member.membership()))
        except (MemberEvicted, kafka_errors.CommitFailedError) as error:
            self._await(self._manager.begin_abort())
            raise MemberEvicted(str(error)) from error

    def _commit(self) -> None:
        self._await(self._ending)
        self._check_identity()

    def _await(self, result: Any) -> None:
        """Wait for the background sender's result."""
        self._sender.wakeup()
        self._patience.wait(lambda seconds: result.wait(timeout_ms=int(seconds * 1000)))

    def _current_identity(self) -> tuple[int, int]:
        current = self._manager.producer_id_and_epoch
        return current.producer_id, current.epoch

    def _check_identity(self) -> None:
        if self._current_identity() != self._identity:
            raise kafka_errors.KafkaError("the client changed its producer id or epoch by itself")

    def _guarded(self, step: Callable[[], None]) -> None:
        try:
            step()
        except LogUnavailable as error:
            raise CommitUnknown(str(error)) from error
        except (kafka_errors.KafkaError, OSError) as error:
            if isinstance(error, _FENCED) or isinstance(self._manager.last_error, _FENCED):
                raise WriterFenced(str(error)) from error
            raise CommitUnknown(f"{type(error).__name__}: {error}") from error


def unavailable(error: CommitUnknown, otherwise: str) -> LogUnavailable:
    """Return an error that names the silent broker, if that is why an answer is unclear."""
    return error.__cause__ if isinstance(error.__cause__, LogUnavailable) else LogUnavailable(otherwise)


def hand_over(producer: Any, message: OutgoingRecord, patience: Patience) -> Any:
    """Give a record to the background sender; return its promise of an offset."""
    promises: list[Any] = []

    def handed_over(_: float) -> bool:
        with contextlib.suppress(kafka_errors.KafkaTimeoutError):  # its topic is not known yet: nothing was handed over
            topic, partition, key, value, headers = message
            promises.append(producer.send(topic, value, key, headers, partition))
        return bool(promises)

    patience.wait(handed_over)
    return promises[0]


def flush_all(producer: Any, patience: Patience) -> None:
    """Wait until every record given to the sender is stored, or never will be."""

    def flushed(seconds: float) -> bool:
        try:
            producer.flush(seconds)
        except kafka_errors.KafkaTimeoutError:
            return False
        return True

    patience.wait(flushed)


def discard(producer: Any) -> None:
    """Discard a producer without sending the waiting records."""
    producer._sender.force_close()
    with contextlib.suppress(kafka_errors.KafkaError):
        producer.close(timeout=CLOSING_S)
