"""What a stranger with a producer does to the results of a log on Kafka, and two replayers at once."""

from collections.abc import Callable
from contextlib import closing
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import msgspec

from events.errors import SecondWriter
from events.kafka.client import Cluster
from events.kafka.log import KafkaLog, KafkaResults
from events.kafka.partition_reader import Headers
from events.kafka.results_reader import POSITION, SNAPSHOT, StreamPosition
from events.kafka.topics import REPLAY_PARTITION, parse_address
from events.kafka.transactions import OutgoingRecord
from events.log.contract import Head
from events.log.result_chain import ResultChains
from events.proofs.verify import VerificationReport, verify
from events.proofs.verify_results import StoredState
from replay.run.engine import shared_engine
from replay.run.replayer import Replay
from replay.run.verdict_check import check_verdicts
from tests.faults.child import TIMEOUT_S
from tests.faults.floor import expected, groups, said
from tests.faults.killed import create
from tests.faults.results import ROUNDS, TABLE, must_be_named, replayed
from tests.faults.table import demand, fault
from tests.simulation.broker import Broker, plugged_in


class Topic(NamedTuple):
    """A log on a cluster."""

    address: str
    state: Path

    def log(self) -> KafkaLog:
        return KafkaLog(self.address, state_dir=self.state, timeout_s=TIMEOUT_S)

    def results(self, **options: bool) -> KafkaResults:
        return KafkaResults(self.address, state_dir=self.state, timeout_s=TIMEOUT_S, **options)

    def put(self, topic: str, key: str, value: bytes, headers: Headers, partition: int = 0) -> None:
        bootstrap, prefix = parse_address(self.address)
        message = OutgoingRecord(f"{prefix}.{topic}", partition, key.encode(), value, headers)
        Cluster(bootstrap, timeout_s=TIMEOUT_S).send_plain(message)

    def verify(self, log: KafkaLog) -> VerificationReport:
        with closing(self.results(read_only=True)) as store:
            return verify(log, results=StoredState(store, store.positions(shared_engine()), store.misfits(shared_engine())))

    def judged_again(self, log: KafkaLog) -> list[str]:
        with closing(self.results(read_only=True)) as store:
            return check_verdicts(log, store).failures()


def _forged(site: Topic) -> tuple[str, bytes, Head]:
    """Return a key, an upheld verdict on it, and the head of the stream's results."""
    with closing(site.results(read_only=True)) as store:
        key = f"{TABLE}#1"
        data = dict(store.results("adjudications"))[key]
        return (key, data.replace(b"VARIANCE", b"UPHELD").replace(b'"revision":1', b'"revision":2'), store.chain_heads()[TABLE])


def _claim(site: Topic, key: str, data: bytes, head: Head, *, place: int = 0) -> None:
    chains = ResultChains({TABLE: head})
    made = chains.extend("adjudications", key, data)
    headers = [("kind", b"adjudications"), ("place", b"%d" % (place or made.place)), ("hash", made.hash)]
    site.put("findings", f"adjudications/{key}", data, headers)


KAFKA_ATTACKS = ("stranger", "changed", "gap", "rubbish", "restart", "continued", "position", "snapshot")


def _attack(site: Topic, kind: str) -> None:
    key, data, head = _forged(site)
    if kind == "stranger":
        site.put("findings", f"adjudications/{key}", data, [("kind", b"adjudications")])
    elif kind == "changed":
        _claim(site, key, data, head, place=1)
    elif kind == "gap":
        _claim(site, key, data, head, place=head.seq + 2)
    elif kind == "rubbish":
        _claim(site, key, b"\xff", Head(head.seq, bytes(32)))
    elif kind == "restart":
        site.put("findings", f"restart/{TABLE}", b"{}", [("kind", b"restart")])
    elif kind == "continued":
        _claim(site, key, data, head)
    else:
        with closing(site.results(read_only=True)) as store:
            store.positions(shared_engine())
            stated = store._stored._positions[TABLE]
        if kind == "position":
            value = msgspec.json.encode(StreamPosition(stated.generation, stated.seq + 1, stated.hash, 0, stated.digest))
            site.put("state", f"{POSITION}{TABLE}", value, [], REPLAY_PARTITION)
        else:
            generation = stated.generation.encode()
            site.put("state", f"{SNAPSHOT}{TABLE}", b"\x83", [("generation", generation)], REPLAY_PARTITION)


def _on_kafka(folder: Path, times: int, address: Callable[[int], str | None]) -> int:
    half = len(groups(ROUNDS)) // 2
    for turn in range(times):
        site, kind = Topic(*create(folder / str(turn), address(turn))), KAFKA_ATTACKS[turn % len(KAFKA_ATTACKS)]
        with closing(site.log()) as log:
            log.append_groups(groups(ROUNDS)[:half])
            with closing(site.results()) as results:
                replayed(log, results)
            _attack(site, kind)
            if kind == "continued":
                demand(any(TABLE in line for line in site.judged_again(log)), f"{kind}: judging again names nothing")
            elif kind == "stranger":
                demand(site.verify(log).foreign.count == 1, f"{kind}: not counted as foreign")
            else:
                must_be_named(site.verify(log), TABLE, kind)
            log.append_groups(groups(ROUNDS)[half:])
            with closing(site.results()) as results:
                told = replayed(log, results, again=kind == "continued").judged_again
                demand(bool(told) != (kind == "stranger"), f"{kind}: said was {told}")
                for name, records in expected(ROUNDS).items():
                    demand(said(results)[name] == records, f"{kind}: {name} differ from those of the run without faults")
            demand(not site.judged_again(log), f"{kind}: judged again, they differ still")
            demand(site.verify(log).ok, f"{kind}: still called broken")
    return times


ON_KAFKA = (
    "a verdict without a place, with a place taken or too far, with rubbish, with the chain continued; a forged restart; a "
    "position raised, a snapshot replaced"
)
KAFKA_HELD = "without a place foreign; else named, thrown away and judged again: the same bytes"


@fault("results", "forged results on Kafka", how=ON_KAFKA, held=KAFKA_HELD, quick=2, often=16, kafka=True)
def on_a_broker(folder: Path, times: int) -> int:
    return _on_kafka(folder, times, lambda turn: None)


@fault(
    "results",
    "forged results on a Kafka cluster in memory",
    how="the same, on the simulated cluster",
    held=KAFKA_HELD,
    quick=8,
    often=40,
)
def in_memory(folder: Path, times: int) -> int:
    with plugged_in(Broker()):
        return _on_kafka(folder, times, lambda turn: f"kafka://simulated:9092/results-{turn}")


def _two(folder: Path, times: int, address: Callable[[int], str | None]) -> int:
    cut = [0, len(groups(ROUNDS)) // 3, 2 * len(groups(ROUNDS)) // 3, len(groups(ROUNDS))]
    for turn in range(times):
        site = Topic(*create(folder / str(turn), address(turn)))
        with closing(site.log()) as log, closing(site.results()) as one, closing(site.results()) as other:
            first, late = None, Replay(log, other)  # which has asked if to go on, before the first stores anything
            for start, end in pairwise(cut):
                log.append_groups(groups(ROUNDS)[start:end])
                first = first or Replay(log, one)
                for _ in first.run():
                    pass
            try:
                for _ in late.run():
                    pass
                demand(False, "the second replayer was let in")
            except SecondWriter as refused:
                demand("another replayer" in str(refused), f"said was {refused}")
            demand(said(one) == expected(ROUNDS), "other results than those of the run without faults")
            demand(not site.judged_again(log), "judged again, they differ")
    return times


TWO = "both ask where to go on; the first stores its results, then the second comes with its own"
TWO_HELD = "the second is refused with a sentence, and the first goes on; every revision is stored once"


@fault("results", "a second replayer on Kafka", how=TWO, held=TWO_HELD, quick=1, often=5, kafka=True)
def two_on_a_broker(folder: Path, times: int) -> int:
    return _two(folder, times, lambda turn: None)


@fault(
    "results",
    "a second replayer on a Kafka cluster in memory",
    how="the same, on the simulated cluster",
    held=TWO_HELD,
    quick=1,
    often=10,
)
def two_in_memory(folder: Path, times: int) -> int:
    with plugged_in(Broker()):
        return _two(folder, times, lambda turn: f"kafka://simulated:9092/two-{turn}")
