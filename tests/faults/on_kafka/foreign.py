"""What a stranger with a producer puts next to a log's own records, and what an administrator makes of its topics."""

from collections.abc import Callable, Iterable
from contextlib import closing
from hashlib import sha256
from importlib import import_module
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from events.errors import LogUnavailable
from events.kafka.checkpoints import KafkaCheckpoints
from events.kafka.client import Cluster
from events.kafka.log import KafkaLog, KafkaResults
from events.kafka.partition_reader import Headers, headers_of
from events.kafka.topic_settings import EVIDENCE
from events.kafka.topics import parse_address
from events.kafka.transactions import OutgoingRecord
from events.log.contract import Head, QuarantineEntry
from events.log.hash_chain import link
from events.proofs.verify import verify
from replay.run.replayer import MemoryResults, Replay
from tests.faults.child import TIMEOUT_S
from tests.faults.floor import LOG_ID, check, groups, tables
from tests.faults.killed import create
from tests.faults.table import Lost, demand, fault
from tests.kafka.rubbish import EMPTY, Sent, rubbish
from tests.simulation.broker import Broker, plugged_in

MOST_TURNS = 500
"""Batches after which a replay that is still not at its end goes round in circles."""
REFUSED = b"smudged"


class Site(NamedTuple):
    """A log on a cluster: its address and its writer's folder."""

    address: str
    state: Path

    def log(self, **options: bool) -> KafkaLog:
        return KafkaLog(self.address, state_dir=self.state, timeout_s=TIMEOUT_S, **options)

    def results(self) -> KafkaResults:
        return KafkaResults(self.address, state_dir=self.state, timeout_s=TIMEOUT_S)

    def put(self, sent: Sent, partition: int = 0) -> None:
        """Send a record past the log."""
        bootstrap, prefix = parse_address(self.address)
        message = OutgoingRecord(f"{prefix}.{sent.topic}", partition, sent.key, sent.value, sent.headers)
        Cluster(bootstrap, timeout_s=TIMEOUT_S).send_plain(message)


def kinds() -> list[tuple[str, Callable[[KafkaLog], tuple[Sent, int]]]]:
    """Return every kind of foreign record: its name, and what makes it of a log (and for which partition)."""
    stream = tables()[0].stream

    def as_it_is(sent: Sent) -> Callable[[KafkaLog], tuple[Sent, int]]:
        return lambda log: (sent, 0)

    def copied(topic: str, partition: int) -> Callable[[KafkaLog], tuple[Sent, int]]:
        def make(log: KafkaLog) -> tuple[Sent, int]:
            record = next(log.read(stream))
            return Sent(topic, stream.encode(), record.data, headers_of(record)), partition

        return make

    made = [(name, as_it_is(sent)) for name, sent in rubbish(stream).items() if sent.headers != EMPTY]
    made += [("record copied to another partition", copied("events", 1)), ("record copied to the reviews", copied("reviews", 0))]
    return made


def _foreign(folder: Path, times: int, address: Callable[[int], str | None]) -> int:
    done = 0
    for turn, (name, make) in enumerate(islice(kinds(), times)):
        site = Site(*create(folder / str(turn), address(turn)))
        with closing(site.log()) as log, closing(site.results()) as results:
            _disturb(site, log, results, name, make)
        done += 1
    return done


def _disturb(site: Site, log: KafkaLog, results: KafkaResults, name: str, make: Callable[[KafkaLog], tuple[Sent, int]]) -> None:
    """Send a record before, between and behind the log's own, and let everybody who reads come past it."""
    half = len(groups()) // 2
    log.append_groups(groups()[:half])
    log.quarantine(QuarantineEntry(tables()[0].stream, sha256(REFUSED).hexdigest(), "no event", REFUSED))
    sent, partition = make(log)
    with closing(KafkaCheckpoints(site.address, log_id=LOG_ID, state_dir=site.state, timeout_s=TIMEOUT_S)) as signed:
        signed.append(0, b"batch 3", Head(3, bytes(32)))
        site.put(sent, partition)
        _replayed(log, results, name)
        log.append_groups(groups()[half:])
        signed.append(3, b"batch 4", Head(4, bytes(32)))
        site.put(sent, partition)
        demand(list(signed.batches()) == [b"batch 3", b"batch 4"], f"{name}: other checkpoints than were stored")
    _replayed(log, results, name)
    check(log, results)
    found = verify(log).foreign
    demand(found.count == 2, f"{name}: sent twice, counted {found.count} times")
    topics = {record.topic.rpartition(".")[2] for record in found.records}
    demand(topics == {sent.topic}, f"{name}: named in {topics}")
    demand([entry.data for entry in log.quarantined()] == [REFUSED], f"{name}: other refused bytes than were kept")
    with closing(Site(site.address, site.state / "elsewhere").log()) as successor:  # whoever takes over comes past them too
        demand(successor.append_groups([groups()[-1]])[0].seqs[-1] is None, f"{name}: a repeat was stored")


def _replayed(log: KafkaLog, results: KafkaResults, name: str) -> None:
    run = Replay(log, results)
    for turn, _ in enumerate(run.run()):
        demand(turn < MOST_TURNS, f"{name}: the replay does not come to its end")
    demand(run.summary.integrity == [], f"{name}: a sound log is called broken: {run.summary.integrity}")


HELD = "skipped and named with topic, partition and offset; everything else as without it"


@fault(
    "tampering",
    "foreign records on Kafka",
    how="no key, unknown key, tombstone, rubbish under a key of the log, a copy in "
    "another partition: each kind in each topic, before and behind records of the log",
    held=HELD,
    quick=3,
    often=100,
    kafka=True,
)
def on_a_broker(folder: Path, times: int) -> int:
    return _foreign(folder, times, lambda turn: None)


@fault(
    "tampering",
    "foreign records on a Kafka cluster in memory",
    how="the same, on the simulated cluster",
    held=HELD,
    quick=100,
    often=100,
)
def in_memory(folder: Path, times: int) -> int:
    with plugged_in(Broker()):
        return _foreign(folder, times, lambda turn: f"kafka://simulated:9092/foreign-{turn}")


# ----------------------------------------------------------------------------------------- evidence behind foreign records


def _forgeries(log: KafkaLog) -> Iterable[tuple[str, int, bytes | None, Headers]]:
    """Yield what claims a number of a stream and is not its record: name, number named, value and headers."""
    stream = tables()[0].stream
    records = list(log.read(stream))
    other, end = records[4].data.replace(b'"source":"', b'"source":"x'), len(records)
    following = records[-1].data.replace(b'"seq":%d,' % end, b'"seq":%d,' % (end + 1))
    beyond = records[-1].data.replace(b'"seq":%d,' % end, b'"seq":%d,' % (end + 2))

    def sealed(seq: int, hash_: bytes) -> Headers:
        return [("seq", b"%d" % seq), ("hash", hash_)]

    yield "fork", 5, other, sealed(5, link(records[3].hash, other))
    yield "gap", end + 1, beyond, sealed(end + 2, link(records[-1].hash, beyond))
    yield "broken seal", end + 1, following, sealed(end + 1, bytes(32))
    yield "event without its headers", end + 1, following, []
    yield "rubbish that claims a number", end + 1, b"\0", sealed(end + 1, bytes(32))
    yield "rubbish that claims a number again", 5, b"\0", sealed(5, records[4].hash)


def _behind(folder: Path, times: int, address: Callable[[int], str | None]) -> int:
    done, stream = 0, tables()[0].stream
    strangers = [sent for sent in rubbish(stream).values() if sent.topic == "events" and sent.headers != EMPTY]
    for turn in range(min(times, 6 * len(strangers))):
        site = Site(*create(folder / str(turn), address(turn)))
        with closing(site.log()) as log:
            log.append_groups(groups())
            name, seq, value, headers = list(_forgeries(log))[turn % 6]
            site.put(strangers[turn % len(strangers)])
            site.put(Sent("events", stream.encode(), value, headers))
            site.put(strangers[turn % len(strangers)])
            report = verify(log)
            found = {(each.stream, each.seq) for each in report.breaks}
            demand(found == {(stream, seq)}, f"{name}: reported was {report.breaks}")
            demand(report.foreign.count == 2, f"{name}: {report.foreign.count} foreign records of 2")
            run = Replay(log, MemoryResults())
            for step, _ in enumerate(run.run()):
                demand(step < MOST_TURNS, f"{name}: the replay does not come to its end")
            demand(len(run.summary.integrity) == 1, f"{name}: a replay says {run.summary.integrity}")
        done += 1
    return done


FORGED = "a fork, a gap, a broken seal, an event without its headers, rubbish that claims a number, among foreign records"
NAMED = "named by walk and replay: stream and number"


@fault("tampering", "forgeries among foreign records on Kafka", how=FORGED, held=NAMED, quick=6, often=60, kafka=True)
def behind_on_a_broker(folder: Path, times: int) -> int:
    return _behind(folder, times, lambda turn: None)


@fault(
    "tampering",
    "forgeries among foreign records in memory",
    how="the same, on the simulated cluster",
    held=NAMED,
    quick=12,
    often=60,
)
def behind_in_memory(folder: Path, times: int) -> int:
    with plugged_in(Broker()):
        return _behind(folder, times, lambda turn: f"kafka://simulated:9092/behind-{turn}")


# ------------------------------------------------------------------------------------------------------ settings of topics


LOSSY = [
    *(
        (topic, setting, value)
        for topic in EVIDENCE
        for setting, value in (("cleanup.policy", "compact"), ("retention.ms", "604800000"), ("retention.bytes", "1000000"))
    ),
    ("state", "cleanup.policy", "delete"),
]

Alter = Callable[[str, str, str], None]
"""Changes a topic's setting: topic, setting, value."""


def _settings(folder: Path, times: int, address: Callable[[int], str | None], altering: Callable[[str], Alter]) -> int:
    done = 0
    for turn, (topic, setting, value) in enumerate(islice(LOSSY, times)):
        site = Site(*create(folder / str(turn), address(turn)))
        bootstrap, prefix = parse_address(site.address)
        altering(bootstrap)(f"{prefix}.{topic}", setting, value)
        for opening in (site.log, site.results):
            try:
                opening().close()
            except LogUnavailable as error:
                demand(f"{prefix}.{topic}: {setting} is {value}" in str(error), f"said was {error}")
                continue
            raise Lost(f"{topic} with {setting}={value} was opened for writing")
        with closing(site.log(read_only=True)) as reader:
            demand(len(reader.store_faults()) == 1, f"a reader is told {reader.store_faults()}")
        done += 1
    return done


REFUSED_SETTING = "writers refuse with topic, setting and the command that mends it; readers say so"


@fault(
    "broker",
    "topics that lose evidence",
    how="compaction, retention by time and by size, set on each topic of a log",
    held=REFUSED_SETTING,
    quick=2,
    often=20,
    kafka=True,
)
def settings_on_a_broker(folder: Path, times: int) -> int:
    def altering(bootstrap: str) -> Alter:
        api = import_module("kafka.admin")

        def alter(topic: str, setting: str, value: str) -> None:
            with closing(import_module("kafka").KafkaAdminClient(bootstrap_servers=bootstrap)) as admin:
                admin.alter_configs([api.ConfigResource(api.ConfigResourceType.TOPIC, topic, {setting: value})])

        return alter

    return _settings(folder, times, lambda turn: None, altering)


@fault(
    "broker",
    "topics that lose evidence, in memory",
    how="the same, on the simulated cluster",
    held=REFUSED_SETTING,
    quick=20,
    often=20,
)
def settings_in_memory(folder: Path, times: int) -> int:
    cluster = Broker()

    def altering(bootstrap: str) -> Alter:
        return lambda topic, setting, value: cluster.settings[topic].update({setting: value})

    with plugged_in(cluster):
        return _settings(folder, times, lambda turn: f"kafka://simulated:9092/settings-{turn}", altering)
