"""A broker that serves other records than were stored: changed, left out, put in, swapped, repeated, cut off."""

import random
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest.mock import patch

from events.errors import IntegrityError
from events.kafka.client import TopicPartition, TopicReader
from events.kafka.log import KafkaLog
from events.kafka.record_batches import ReadMessage
from events.proofs.verify import verify
from tests.faults.child import TIMEOUT_S
from tests.faults.floor import check, groups, tables
from tests.faults.killed import create
from tests.faults.table import demand, fault
from tests.simulation.broker import Broker, plugged_in

ROUNDS = 2

Change = Callable[[list[Any], int, random.Random], int]
"""Changes a stream's messages in place, at an index; returns the number that must be named, or 0 if nothing must."""


def _flip(messages: list[Any], at: int, rng: random.Random) -> int:
    value = bytearray(messages[at].value)
    value[rng.randrange(len(value))] ^= 1 << rng.randrange(8)
    messages[at] = _copy(messages[at], value=bytes(value))
    return at + 1


def _remove(messages: list[Any], at: int, rng: random.Random) -> int:
    del messages[at]
    return at + 1


def _insert(messages: list[Any], at: int, rng: random.Random) -> int:
    messages.insert(at, _copy(messages[at], value=messages[at - 1].value))
    return at + 1


def _swap(messages: list[Any], at: int, rng: random.Random) -> int:
    messages[at], messages[at + 1] = messages[at + 1], messages[at]
    return at + 1


def _fork(messages: list[Any], at: int, rng: random.Random) -> int:
    """A second record for a number, whole in itself but of another content."""
    messages.insert(at + 1, _copy(messages[at], value=messages[at].value.replace(b'"source":', b'"source" :')))
    return at + 1


def _repeat(messages: list[Any], at: int, rng: random.Random) -> int:
    messages.insert(rng.randint(at + 1, len(messages)), messages[at])
    return 0


def _truncate(messages: list[Any], at: int, rng: random.Random) -> int:
    del messages[at:]
    return at + 1


CHANGES: dict[str, Change] = {
    "bit flipped": _flip,
    "removed": _remove,
    "inserted": _insert,
    "swapped": _swap,
    "forked": _fork,
    "repeated": _repeat,
    "truncated": _truncate,
}


def _copy(message: Any, **changed: Any) -> SimpleNamespace:
    stated = {name: getattr(message, name) for name in ("offset", "key", "value", "headers")}
    return SimpleNamespace(**stated | changed)


class Liar:
    """Answers every fetch from the beginning of a partition with what was made of its records."""

    def __init__(self, stream: str, change: Change, at: int, rng: random.Random) -> None:
        self.stream, self.change, self.at, self.rng = stream, change, at, rng
        self.named = -1
        self._made: list[Any] | None = None
        self._real = TopicReader.poll

    def poll(self, reader: TopicReader, wait_s: float, *_most: int) -> Mapping[TopicPartition, Sequence[ReadMessage]]:
        polled = dict(self._real(reader, wait_s))
        for lane, messages in polled.items():
            mine = [message for message in messages if message.key == self.stream.encode()]
            if not mine:
                continue
            if len(mine) < next(table.last for table in tables(ROUNDS) if table.stream == self.stream):
                kept = {each.value for each in self._made} if self._made is not None else {each.value for each in mine}
                polled[lane] = [each for each in messages if each.key != self.stream.encode() or each.value in kept]
                continue  # a look at some of them
            if self._made is None:
                self._made = list(mine)
                self.named = self.change(self._made, self.at, random.Random(self.at))
            others = [message for message in messages if message.key != self.stream.encode()]
            offsets = sorted(message.offset for message in messages)
            served = others + self._made
            more = max(0, len(served) - len(offsets))  # than there are offsets: the first ones share one
            polled[lane] = [_copy(each, offset=offsets[max(0, at - more)]) for at, each in enumerate(served)]
        return polled


@fault(
    "tampering",
    "records as a Kafka broker serves them",
    how="records with a bit flipped, removed, inserted, swapped, forked, repeated, or all after gone; chosen by a seed",
    held="named: stream and number; a repeat is dropped",
    quick=14,
    often=70,
    kafka=True,
)
def served(folder: Path, times: int) -> int:
    return _serve(folder, times, None)


@fault(
    "tampering",
    "every record as a Kafka cluster serves it",
    how="the same, each record in each way, served by the cluster in memory (`tests/simulation`)",
    held="named: stream and number; a repeat is dropped",
    quick=60,
    often=350,
)
def served_in_memory(folder: Path, times: int) -> int:
    cluster = Broker()
    cluster.fetched = (10_000,)  # a whole stream at once, as the liar wants it
    with plugged_in(cluster):
        return _serve(folder, times, "kafka://simulated:9092/served")


def _serve(folder: Path, times: int, address: str | None) -> int:
    address, state = create(folder, address)
    log, done, rng = KafkaLog(address, state_dir=state, timeout_s=TIMEOUT_S), 0, random.Random(3)
    log.append_groups(groups(ROUNDS))
    log.close()
    places = [(table.stream, at, name) for table in tables(ROUNDS) for at in range(1, table.last - 1) for name in CHANGES]
    for stream, at, name in places if times >= len(places) else rng.sample(places, times):
        liar = Liar(stream, CHANGES[name], at, rng)
        with patch.object(TopicReader, "poll", lambda *how, liar=liar: liar.poll(*how)):
            reader = KafkaLog(address, state_dir=state, timeout_s=TIMEOUT_S, read_only=True, check_heads=False)
            try:
                report = verify(reader)
                found = {(each.stream, each.seq) for each in report.breaks}
                demand(liar.named >= 0, "nothing was changed")
                demand(found == ({(stream, liar.named)} if liar.named else set()), f"{stream} {at + 1} {name}: {report.breaks}")
                if not liar.named:
                    check(reader, rounds=ROUNDS)
            except IntegrityError as error:
                demand((error.stream, error.seq) == (stream, liar.named), f"{stream} {at + 1} {name}: {error}")
            finally:
                reader.close()
        done += 1
    return done
