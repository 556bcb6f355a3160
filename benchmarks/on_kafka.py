"""Benchmarks on Kafka: append, poll with decoding and chain, replay. The broker is our own."""

import secrets
from collections.abc import Iterator
from contextlib import chdir, closing, contextmanager
from pathlib import Path

from benchmarks import peers
from benchmarks.measuring import RACK, REPEATS, STORES, Measured, Timing, best, command, once, side_by_side
from benchmarks.on_sqlite import COMMIT_EVENTS, PROPERTY, Batches, Groups, append, batched, expect
from benchmarks.refresh import append_floor
from events.kafka import partition_writer
from events.kafka.client import Cluster
from events.kafka.development.broker import DevelopmentBroker, free_ports
from events.kafka.topics import partition_of
from events.log.contract import Record
from events.open import open_log, open_results
from events.vocabulary.codec import read
from replay.run.replayer import Summary, replay

PARTITIONS = 4
PROOF_ROUNDS, PROOF_S = 10_000, 20
"""Some 763,000 events."""


@contextmanager
def broker(folder: Path) -> Iterator[str]:
    """Run a broker on free ports of this machine; yield its address."""
    port, controller_port = free_ports(2)
    running = DevelopmentBroker(folder, port, controller_port)
    running.start()
    try:
        yield running.bootstrap
    finally:
        running.stop()


def proofs(folder: Path, rounds: int) -> list[Measured]:
    """Measure `rack verify` and `rack checkpoint` of a floor of all games on a broker of our own."""
    with broker(folder / "kafka") as bootstrap, chdir(folder):
        address = f"kafka://{bootstrap}/proofs"
        events, _ = append_floor(address, rounds)
        log = "--log", address, "--quiet"
        command(*RACK, "keys", "new", "key", "--by", "bench", *log)
        return [
            Measured(
                key=f"{key}-kafka",
                title=f"`rack {key}` from Kafka, {events:,} events",
                unit="runs",
                count=1,
                ours=timing,
                goal=f"under {PROOF_S} s",
                met=timing.wall_s < PROOF_S,
                notes={"peak_mib": mib},
            )
            for key, words in (("verify", ()), ("checkpoint", ("--key", "key")))
            for timing, mib in [command(*RACK, key, *words, *log)]
        ]


class Kafka:
    """The logs made by the append benchmark, which the others read."""

    def __init__(self, bootstrap: str, folder: Path, groups: Groups, rounds: int) -> None:
        self.bootstrap, self.folder, self.groups, self.rounds = bootstrap, folder, groups, rounds
        self.events = sum(len(drafts) for _, drafts in groups)
        self.addresses: list[str] = []

    def appending(self) -> Measured:
        """Measure appending; each repeat uses a log of its own."""
        batches = batched(self.groups, COMMIT_EVENTS)
        sizes = [sum(len(drafts) for _, drafts in batch) for batch in batches]
        mine, theirs = [], []
        for _ in range(REPEATS):
            name = f"bench-{secrets.token_hex(4)}"
            address = f"kafka://{self.bootstrap}/{name}"
            log = open_log(address, create=True, property_id=PROPERTY, state_dir=self.folder, partitions=PARTITIONS)
            try:
                mine.append(once(append, log, batches)[0])
                records = [record for batch in log.tail({}) for record in batch]
            finally:
                log.close()
            self.addresses.append(address)
            theirs.append(self._bare(f"{name}-bare", list(peers.grouped(records, sizes))))
        return Measured(
            key="append-kafka",
            title=f"Append to Kafka, {COMMIT_EVENTS:,} events a transaction",
            unit="events",
            count=self.events,
            ours=best(mine),
            peer_name="kafka-python alone: same settings, transactions and fsyncs, records encoded beforehand",
            peer=best(theirs),
        )

    def storing(self) -> Measured:
        """Measure appending without encoding; each repeat uses a log of its own."""
        batches = batched(self.groups, COMMIT_EVENTS)
        sizes = [sum(len(drafts) for _, drafts in batch) for batch in batches]
        beforehand = peers.Encoded(partition_writer)
        with beforehand.keep():
            _, records, _ = self._append_beforehand(batches)
        mine, theirs = [], []
        for _ in range(STORES):
            with beforehand.hand_out():
                timing, stored, name = self._append_beforehand(batches)
            if stored != records:
                raise RuntimeError(f"{name} does not hold the events that were encoded beforehand")
            mine.append(timing)
            theirs.append(self._bare(f"{name}-bare", list(peers.grouped(records, sizes))))
        return Measured(
            key="store-kafka",
            title=f"Append to Kafka, encoded beforehand, {COMMIT_EVENTS:,} events a transaction",
            unit="events",
            count=self.events,
            ours=best(mine),
            peer_name="kafka-python alone: same settings, transactions and fsyncs, the same records",
            peer=best(theirs),
            goal="80 % of the bare peer",
            met=best(theirs).wall_s / best(mine).wall_s >= 0.8,
        )

    def _append_beforehand(self, batches: Batches) -> tuple[Timing, list[Record], str]:
        name = f"bench-{secrets.token_hex(4)}"
        log = open_log(
            f"kafka://{self.bootstrap}/{name}",
            create=True,
            property_id=PROPERTY,
            state_dir=self.folder,
            partitions=PARTITIONS,
            log_id=peers.LOG_ID,
            clock=peers.clock,
        )
        try:
            timing = once(append, log, batches)[0]
            return timing, [record for batch in log.tail({}) for record in batch], name
        finally:
            log.close()

    def _bare(self, topic: str, groups: list[list[Record]]) -> Timing:
        Cluster(self.bootstrap).create_topics({topic: (PARTITIONS, {})}, 1)
        partition = {stream: partition_of(stream, PARTITIONS) for stream, _ in self.groups}
        return once(lambda: peers.kafka_append(self.bootstrap, topic, groups, partition, self.folder))[0]

    def polling(self) -> Measured:
        """Measure the log's own reading, decoding included, next to a bare poll loop over the same topic."""
        address = self.addresses[0]
        topic = f"{address.rsplit('/', 1)[1]}.events"

        def ours() -> None:
            log = open_log(address, read_only=True, state_dir=self.folder, check_heads=False)
            count = 0
            for batch in log.tail({}):
                for record in batch:
                    read(record.data)
                count += len(batch)
            log.close()
            if count != self.events:
                raise RuntimeError(f"{count} of {self.events} events came")

        mine, bare = side_by_side(ours, lambda: peers.kafka_poll(self.bootstrap, topic, self.events))
        return Measured(
            key="poll-kafka",
            title="Poll, decode and check the chain from Kafka",
            unit="events",
            count=self.events,
            ours=mine,
            peer_name="a bare kafka-python poll loop over the same topic",
            peer=bare,
            goal="60 % of the bare loop",
            met=bare.wall_s / mine.wall_s >= 0.6,
        )

    def replaying(self, from_sqlite: Measured) -> Measured:
        """Measure single-round replay with the verdicts stored on Kafka; each repeat uses a fresh log."""
        timings = []
        for address in self.addresses:
            timing, summary = once(self._replay, address)
            expect(summary, self.rounds)
            timings.append(timing)
        ours = best(timings)
        return Measured(
            key="replay-kafka",
            title="Single-round replay from Kafka, verdicts stored there",
            unit="rounds",
            count=self.rounds,
            ours=ours,
            peer_name="the same from SQLite",
            peer=from_sqlite.ours,
            goal="half the rate from SQLite",
            met=from_sqlite.ours.wall_s / ours.wall_s >= 0.5,
            notes={"events_per_s": round(self.events / ours.wall_s), "processes": 2},
        )

    def _replay(self, address: str) -> Summary:
        opened = open_log(address, read_only=True, state_dir=self.folder, check_heads=False)
        with closing(opened) as log, closing(open_results(address)) as results:
            summary = replay(log, results)
            for stream in log.acknowledged():
                log.verify_head(stream)  # as `rack replay` does: at the end, by what was read
            return summary
