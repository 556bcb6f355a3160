"""One try: a log of its own on the cluster, a writer in a process of its own, and the count when everything is over."""

import contextlib
import secrets
import time
from collections.abc import Iterator
from pathlib import Path

from events.errors import IntegrityError, LogUnavailable
from events.kafka import acls
from events.kafka.client import Cluster, TopicPartition
from events.kafka.development.cluster import ADMINISTRATOR
from events.kafka.log import KafkaLog, KafkaResults
from events.kafka.topics import partition_of
from events.proofs.verify import verify
from events.vocabulary.codec import decode
from tests.faults.floor import LOG_ID, PROPERTY, check, groups
from tests.faults.processes import Child, child
from tests.faults.table import Tally, demand
from tests.faults.three_nodes.history import Handed, Place, weigh
from tests.faults.three_nodes.nodes import Nodes

ROUNDS = 8
PARTITIONS = 2
TIMEOUT_S = 10.0
TRIAL_TIMEOUT_S = 240.0
"""How long a writer tries again before it gives up."""
COPIED = ("events", "findings", "checkpoints")
"""Topics of which every node must hold the same bytes in the end."""


class Trial:
    """A log with its users. `copies` and `fewest` other than 3 and 2 make a log that can lose what it acknowledged."""

    def __init__(self, nodes: Nodes, folder: Path, copies: int = 3, fewest: int = 2) -> None:
        self.nodes, self.folder, self.state = nodes, folder, folder / "state"
        self.prefix = f"t-{secrets.token_hex(6)}"
        self.address = f"kafka://{nodes.cluster.bootstrap}/{self.prefix}"
        self.acknowledged = 0
        """How many groups."""
        folder.mkdir(parents=True, exist_ok=True)
        administrator = nodes.cluster.security(ADMINISTRATOR)
        KafkaLog(
            self.address,
            create=True,
            property_id=PROPERTY,
            log_id=LOG_ID,
            partitions=PARTITIONS,
            replication=copies,
            min_insync=fewest,
            state_dir=folder / "administrator",
            timeout_s=TIMEOUT_S,
            security=administrator,
        ).close()
        users = [f"{role}=User:{role}" for role in acls.ROLES]
        acls.create(nodes.cluster.bootstrap, administrator, acls.rules_of(self.prefix, users, PARTITIONS))

    # ------------------------------------------------------------------------------------------------------- its workers

    @contextlib.contextmanager
    def writing(self, *options: object) -> Iterator[Child]:
        """A writer in a process of its own, under the user for intake, which hands in impostors too."""
        patience = ("--impostors", "--rounds", ROUNDS, "--patience", TRIAL_TIMEOUT_S)
        environment = self.nodes.cluster.environment("intake")
        with child("write", self.address, self.state, *patience, *options, environment=environment) as writer:
            yield writer
            self.acknowledged = max(self.acknowledged, writer.said("acknowledged"))

    def written(self, writer: Child) -> None:
        """Wait until a writer has handed everything in."""
        status = writer.end()
        demand(status == 0, f"the writer did not come to its end: {status}, {writer.told[-2:]}")
        demand(writer.said("acknowledged") == len(groups(ROUNDS)), "the writer left something out")

    def write_all(self, last: int | None = None) -> None:
        """Hand everything in, or this many groups, while nothing happens."""
        handed_in = groups(ROUNDS)[:last]
        with self.log("intake") as log:
            log.append_groups(handed_in)
        self.acknowledged = len(handed_in)

    @contextlib.contextmanager
    def replaying(self, *options: object) -> Iterator[Child]:
        environment = self.nodes.cluster.environment("replayer")
        with child("replay", self.address, self.state, *options, environment=environment) as replayer:
            yield replayer

    @contextlib.contextmanager
    def log(self, user: str, *, read_only: bool = False, timeout_s: float = TIMEOUT_S) -> Iterator[KafkaLog]:
        security = self.nodes.cluster.security(user)
        options = {"state_dir": self.state, "timeout_s": timeout_s, "security": security, "read_only": read_only}
        with contextlib.closing(KafkaLog(self.address, **options)) as log:
            yield log

    # ----------------------------------------------------------------------------------------------------------- places

    def partition_of_group(self, number: int) -> int:
        """Return the partition to which a group goes."""
        return partition_of(groups(ROUNDS)[number][0], PARTITIONS)

    def leader(self, name: str = "events", partition: int = 0, other_than: int | None = None) -> int:
        return self.nodes.leader(f"{self.prefix}.{name}", partition, other_than)

    # ------------------------------------------------------------------------------------------------------------ the end

    def tally(self) -> Tally:
        """Bring everything back, count, and hold what is stored and judged against a run in which nothing happened."""
        self.nodes.heal()
        counted = weigh(_handed_in(), self.acknowledged, self._stored())._replace(tried=1)
        if not counted.sound:
            return counted._replace(unnoticed=int(self._seems_sound()))
        with self.log("auditor", read_only=True) as log:
            security = self.nodes.cluster.security("replayer")
            options = {"timeout_s": TIMEOUT_S, "security": security, "resume": False}
            with contextlib.closing(KafkaResults(self.address, **options)) as results:
                check(log, results, ROUNDS)
        self._compare_copies()
        return counted

    def close(self) -> None:
        self.nodes.heal()
        self.nodes.delete(self.prefix)

    def _stored(self) -> list[Place]:
        """Return every committed record of the events topic, repeats too, without asking the log's own reader."""
        reader = Cluster(
            self.nodes.cluster.bootstrap, timeout_s=TIMEOUT_S, security=self.nodes.cluster.security("auditor")
        ).reader()
        places = []
        with contextlib.closing(reader):
            for number in range(PARTITIONS):
                for message in reader.scan(TopicPartition(f"{self.prefix}.events", number), 0):
                    stream = (message.key or b"").decode()
                    if stream.startswith("table/"):
                        places.append((stream, decode(message.value or b"").event_id))
        return places

    def _seems_sound(self) -> bool:
        """Whether the program itself says nothing of the damage, to whoever shares the writer's high-water marks."""
        try:
            with self.log("intake") as log:
                return verify(log).ok
        except (IntegrityError, LogUnavailable):
            return False

    def _compare_copies(self) -> None:
        """Every node that is to hold a partition holds the same bytes, some moments after the last of them were written."""
        for name in COPIED:
            for number in range(PARTITIONS if name == "events" else 1):
                topic, deadline = f"{self.prefix}.{name}", time.monotonic() + TIMEOUT_S
                replicas = self.nodes.partition(topic, number).replicas
                while True:
                    copies = self.nodes.copies(topic, number)
                    alike = len({copies.get(node) for node in replicas}) == 1
                    if alike or time.monotonic() > deadline:
                        break
                    time.sleep(0.2)
                sizes = {node: len(copy) for node, copy in copies.items()}
                demand(alike, f"the nodes hold different bytes of {topic} partition {number}: {sizes}")


def _handed_in() -> list[Handed]:
    return [Handed(stream, tuple(draft.event_id for draft in drafts)) for stream, drafts in groups(ROUNDS)]
