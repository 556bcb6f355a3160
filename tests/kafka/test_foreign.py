"""Foreign records: whatever a stranger puts into the topics, nothing stops, nothing repeats, and each is named once.

Both sides of the boundary: what claims a place in a stream is evidence, and is still found behind a foreign record.
"""

import json
import signal
from collections.abc import Callable, Iterator
from contextlib import closing
from importlib import import_module
from itertools import chain
from pathlib import Path

import pytest

from events.errors import BrokenSeal, Fork, IntegrityError, SequenceGap
from events.kafka.client import Cluster
from events.kafka.consumer_group import KafkaGroup
from events.kafka.log import KafkaLog, KafkaResults
from events.kafka.partition_reader import Headers, headers_of
from events.kafka.topics import partition_of
from events.kafka.transactions import OutgoingRecord
from events.log.contract import Record
from events.log.foreign import NAMED
from events.log.hash_chain import link
from events.log.result_chain import CHAINED
from events.proofs.verify import verify
from events.vocabulary.model import VideoMarked
from rack.cli import main
from replay.run.engine import engine
from replay.run.partition_member import Shared, follow_group
from replay.run.replayer import MemoryResults, Replay, replay
from tests.contract.drafts import TABLE, Drafts, fill
from tests.kafka.conftest import NO_EVENT_HEADERS, Open, Stranger
from tests.kafka.rubbish import EMPTY, rubbish
from tests.replay.tables import PAID, PROPERTY, UNPAID, MemoryLog, Table, append

OTHER = "table/fu-08"
HERE, THERE = "table/fu-01", "table/fu-04"
"""Two streams that lie in different partitions of two."""
WAIT_LIMIT_S = 90


@pytest.fixture(autouse=True)
def patience() -> Iterator[None]:
    """Ends a test that goes round in circles."""

    def end(signum: int, frame: object) -> None:
        raise AssertionError(f"not at its end after {WAIT_LIMIT_S} s")

    before = signal.signal(signal.SIGALRM, end)
    signal.alarm(WAIT_LIMIT_S)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


KEY = TABLE.encode()
RUBBISH = rubbish(TABLE)


@pytest.fixture
def whole(log: KafkaLog, drafts: Drafts) -> list[Record]:
    fill(log, drafts)
    fill(log, drafts, OTHER)
    return list(log.read(TABLE))


@pytest.mark.sampled(2)
@pytest.mark.parametrize("topic", ["events", "reviews", "findings", "checkpoints", "quarantine"])
def test_it_stops_nothing_and_is_named(
    open_log: Open, log: KafkaLog, whole: list[Record], stranger: Stranger, drafts: Drafts, null_headers: None, topic: str
) -> None:
    kinds = [sent for sent in RUBBISH.values() if sent.topic == topic]
    for sent in kinds:
        stranger.put_raw(sent.key, sent.value, sent.headers, topic)
    log.append(TABLE, 14, [drafts.wager()])
    for sent in kinds:
        stranger.put_raw(sent.key, sent.value, sent.headers, topic)
    for reader in (log, open_log("elsewhere", read_only=True)):
        assert len(list(reader.read(TABLE))) == 14
        assert len(list(chain.from_iterable(reader.tail({})))) == 27
        assert reader.streams() == [TABLE, OTHER]
        report = verify(reader)
        assert (report.ok, report.events, report.foreign.count) == (True, 27, 2 * len(kinds))
        assert {record.topic for record in report.foreign.records} == {f"{log.prefix}.{topic}"}
        assert all(record.reason and record.offset > 0 for record in report.foreign.records[1:])
        assert reader.foreign().count == 2 * len(kinds), "each once, however often it is asked"
    successor = open_log("elsewhere")
    assert successor.append(TABLE, 15, [drafts.wager()]).seqs == (15,)
    assert successor.append("review/fu-07", 1, []).head.seq == 0


@pytest.mark.sampled(4)
@pytest.mark.parametrize("headers", NO_EVENT_HEADERS)
def test_rubbish_with_headers_that_no_event_has(
    log: KafkaLog, whole: list[Record], stranger: Stranger, null_headers: None, headers: Headers
) -> None:
    stranger.put_raw(KEY, b"{}", headers)
    assert list(log.read(TABLE)) == whole
    assert (verify(log).ok, log.foreign().count) == (True, 1)


# ------------------------------------------------------------------------------------- evidence is still found behind it


def fork(stranger: Stranger, whole: list[Record]) -> None:
    other = whole[4].data.replace(b"table-07", b"table-99")
    stranger.put(TABLE, 5, other, link(whole[3].hash, other))


def gap(stranger: Stranger, whole: list[Record]) -> None:
    data = whole[12].data.replace(b'"seq":13,', b'"seq":15,')
    stranger.put(TABLE, 15, data, link(whole[12].hash, data))


def seal(stranger: Stranger, whole: list[Record]) -> None:
    data = bytearray(whole[12].data.replace(b'"seq":13,', b'"seq":14,'))
    data[20] ^= 1
    stranger.put(TABLE, 14, bytes(data), link(whole[12].hash, whole[12].data))


def rubbish_that_claims_a_number(stranger: Stranger, whole: list[Record]) -> None:
    stranger.put(TABLE, 14, b"\x00garbage", bytes(32))


def rubbish_that_claims_a_number_again(stranger: Stranger, whole: list[Record]) -> None:
    stranger.put(TABLE, 5, b"\x00garbage", whole[4].hash)


def event_without_headers(stranger: Stranger, whole: list[Record]) -> None:
    stranger.put_raw(KEY, whole[12].data.replace(b'"seq":13,', b'"seq":14,'), [])


EVIDENCE: list[tuple[Callable[[Stranger, list[Record]], None], type[IntegrityError], int]] = [
    (fork, Fork, 5),
    (gap, SequenceGap, 14),
    (seal, BrokenSeal, 14),
    (rubbish_that_claims_a_number, BrokenSeal, 14),
    (rubbish_that_claims_a_number_again, Fork, 5),
    (event_without_headers, BrokenSeal, 14),
]


@pytest.mark.sampled(4)
@pytest.mark.parametrize(("tamper", "expected", "seq"), EVIDENCE)
@pytest.mark.parametrize("name", ["null key", "tombstone", "rubbish"])
def test_evidence_of_tampering_is_found_behind_a_foreign_record(
    log: KafkaLog,
    whole: list[Record],
    stranger: Stranger,
    name: str,
    tamper: Callable[[Stranger, list[Record]], None],
    expected: type[IntegrityError],
    seq: int,
) -> None:
    sent = RUBBISH[name]
    stranger.put_raw(sent.key, sent.value, sent.headers)
    tamper(stranger, whole)
    stranger.put_raw(sent.key, sent.value, sent.headers)
    with pytest.raises(expected):
        list(log.read(TABLE))
    report = verify(log)
    assert [(found.stream, found.seq) for found in report.breaks] == [(TABLE, seq)]
    assert report.foreign.count == 2
    summary = replay(log, MemoryResults())
    assert [line.split()[:1] for line in summary.integrity] == [[report.breaks[0].code]], "said once, and it ends"


def test_a_tombstone_in_place_of_a_record_leaves_a_gap(
    log: KafkaLog, whole: list[Record], stranger: Stranger, drafts: Drafts
) -> None:
    """Whoever empties a record takes its number away with it."""
    data = whole[12].data.replace(b'"seq":13,', b'"seq":15,')
    stranger.put_raw(KEY, None, [("seq", b"14"), ("hash", bytes(32))])
    stranger.put(TABLE, 15, data, link(whole[12].hash, data))
    assert [(found.stream, found.seq, found.code) for found in verify(log).breaks] == [(TABLE, 14, "LOG-GAP")]


# ------------------------------------------------------------------------------------------------------- copied elsewhere


@pytest.fixture
def wide(open_log: Open) -> KafkaLog:
    assert (partition_of(HERE, 2), partition_of(THERE, 2)) == (0, 1)
    log = open_log(create=True, property_id=PROPERTY, partitions=2)
    append(log, *tables())
    return log


def tables() -> list[Table]:
    made = [Table(HERE), Table(THERE)]
    for number in range(1, 4):
        made[0].play(number, UNPAID if number == 2 else PAID)
        made[1].play(number, PAID)
    return made


def test_a_record_copied_to_another_partition(wide: KafkaLog, stranger: Stranger) -> None:
    records = list(wide.read(HERE))
    for record in (records[0], records[7], records[-1]):
        stranger.put_raw(HERE.encode(), record.data, headers_of(record), partition=1)
        stranger.put_raw(HERE.encode(), record.data, headers_of(record), topic="reviews")
    report, summary = verify(wide), replay(wide, MemoryResults())
    assert (report.ok, summary.integrity, report.foreign.count, summary.foreign.count) == (True, [], 6, 6)
    assert {each.reason for each in report.foreign.records} == {f"its stream belongs in {wide.prefix}.events partition 0"}
    assert sorted(wide.streams()) == [HERE, THERE]


# ------------------------------------------------------------------------------------------------------------- the replayer


@pytest.fixture
def open_results(wide: KafkaLog) -> Iterator[Callable[[], KafkaResults]]:
    opened: list[KafkaResults] = []

    def open_() -> KafkaResults:
        opened.append(KafkaResults(wide.address))
        return opened[-1]

    yield open_
    for results in opened:
        results.close()


def put_rubbish(stranger: Stranger, times: int = 1) -> int:
    """Put every kind of rubbish into both topics of streams; return how many records that is."""
    kinds = [sent for sent in RUBBISH.values() if sent.topic in ("events", "reviews") and sent.headers != EMPTY]
    for _ in range(times):
        for sent in kinds:
            stranger.put_raw(sent.key, sent.value, sent.headers, sent.topic)
    return len(kinds) * times


def undisturbed() -> dict[str, list[tuple[str, bytes]]]:
    results = MemoryResults()
    replay(MemoryLog(tables()), results)
    return {kind: sorted(results.results(kind)) for kind in CHAINED}


def test_a_replay_ends_and_says_what_an_undisturbed_one_says(
    open_log: Open, wide: KafkaLog, stranger: Stranger, open_results: Callable[[], KafkaResults]
) -> None:
    sent = put_rubbish(stranger)
    stranger.put_raw(b"x", b"x", [], "findings")
    results = open_results()
    summary = replay(wide, results)
    assert (summary.integrity, summary.foreign.count) == ([], sent + 1)
    assert {kind: sorted(results.results(kind)) for kind in CHAINED} == undisturbed()
    assert summary.foreign.records[0].line().startswith(f"{wide.prefix}.")


def test_what_lies_before_the_position_is_not_told_again(
    open_log: Open, wide: KafkaLog, stranger: Stranger, open_results: Callable[[], KafkaResults]
) -> None:
    stranger.put_raw(None, b"x", [])
    stranger.put_raw(b"x", b"x", [], "findings")
    later = Table(HERE)
    for number in range(1, 5):
        later.play(number, UNPAID if number == 2 else PAID)
    known = wide.head(HERE).seq
    wide.append(HERE, known + 1, later.drafts[known:])
    assert replay(wide, open_results()).foreign.count == 2
    again = open_log("elsewhere", read_only=True)
    summary = replay(again, open_results())
    assert (summary.events, summary.foreign.count) == (0, 0)
    stranger.put_raw(None, b"new", [])
    summary = replay(open_log("third", read_only=True), open_results())
    assert [(each.topic, each.partition) for each in summary.foreign.records] == [(f"{wide.prefix}.events", 0)]


@pytest.mark.nightly
def test_who_follows_is_told_each_once(wide: KafkaLog, stranger: Stranger, open_results: Callable[[], KafkaResults]) -> None:
    run = Replay(wide, open_results())
    following = run.run(wait_s=0.1)
    counts = [next(following).foreign.count for _ in range(3)]
    sent = put_rubbish(stranger)
    counts += [next(following).foreign.count for _ in range(40)]
    assert (counts[0], counts[-1], sorted(counts)) == (0, sent, counts)
    assert run.summary.integrity == []
    following.close()


def test_a_broken_stream_is_told_once_and_the_others_go_on(
    wide: KafkaLog, stranger: Stranger, open_results: Callable[[], KafkaResults]
) -> None:
    """The tail begins again behind a break; what was passed over before it is not counted twice."""
    sent = put_rubbish(stranger)
    head = wide.head(HERE).seq
    stranger.put_raw(HERE.encode(), b"x", [("seq", b"%d" % (head + 1)), ("hash", bytes(32))])
    sent += put_rubbish(stranger)
    summary = replay(wide, open_results())
    assert (len(summary.integrity), summary.foreign.count) == (1, sent)
    assert summary.integrity[0].startswith("LOG-SEAL")


def committed_offset(log: KafkaLog, cluster: Cluster) -> int:
    """Return to where the group has worked the first partition off."""
    kafka = import_module("kafka")
    consumer = kafka.KafkaConsumer(bootstrap_servers=cluster.bootstrap, group_id=f"{log.prefix}.floor")
    with closing(consumer):
        offset: int = consumer.committed(kafka.TopicPartition(f"{log.prefix}.events", 0))
        return offset


@pytest.mark.nightly
def test_a_member_of_a_group_goes_on(wide: KafkaLog, stranger: Stranger, cluster: Cluster, tmp_path: Path) -> None:
    sent = put_rubbish(stranger)
    with closing(KafkaGroup(wide.address, "floor", engine(), session_s=6.0, state_dir=tmp_path)) as group:
        running = follow_group(group)
        shared = Shared()
        for shared in running:
            if shared.foreign.count >= sent and shared.rounds >= 6:
                break
        stranger.put_raw(None, b"behind", [])
        for shared in running:
            if shared.foreign.count > sent:
                break
        running.close()
    behind = max(each.offset for each in wide.foreign().records if each.partition == 0 and each.topic.endswith("events"))
    assert committed_offset(wide, cluster) == behind + 1, "the group's offsets go on beyond it"
    assert (shared.integrity, shared.foreign.count) == ([], sent + 1)
    with closing(KafkaResults(wide.address, read_only=True)) as results:
        assert {kind: sorted(results.results(kind)) for kind in CHAINED} == undisturbed()


def test_many_are_counted_and_the_first_named(log: KafkaLog, whole: list[Record], cluster: Cluster) -> None:
    writer = cluster.writer(f"{log.prefix}.stranger")
    writer.transact([OutgoingRecord(f"{log.prefix}.events", 0, None, b"x", []) for _ in range(500)])
    log._cluster.reader().await_visible(log._lanes[0], writer.offsets[-1])
    writer.close()
    report = log.foreign()
    assert (report.count, len(report.records)) == (500, NAMED)
    assert [record.offset for record in report.records] == sorted({record.offset for record in report.records})


# --------------------------------------------------------------------------------------------------- on the command line


@pytest.mark.nightly
def test_commands_name_them_once(
    wide: KafkaLog, stranger: Stranger, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    sent = put_rubbish(stranger, 2)
    append_more(wide)
    assert main(["verify", "--log", wide.address, "--json"]) == 0
    said = capsys.readouterr()
    found = json.loads(said.out)["foreign"]
    assert (found["count"], len(found["records"])) == (sent, NAMED)
    assert sorted(found["records"][0]) == ["key", "offset", "partition", "reason", "topic"]
    assert said.err.count("foreign record, skipped: ") == NAMED
    assert f"{sent - NAMED} more foreign records skipped" in said.err
    assert main(["verify", "--log", wide.address]) == 0
    assert capsys.readouterr().out.rstrip().endswith("verified")
    assert main(["replay", "--log", wide.address, "--json"]) == 1
    said = capsys.readouterr()
    assert (json.loads(said.out)["foreign"]["count"], said.err.count("foreign record, skipped: ")) == (sent, NAMED)
    assert main(["replay", "--log", wide.address, "--json"]) == 1
    said = capsys.readouterr()
    assert (json.loads(said.out)["foreign"]["count"], said.err) == (0, "")
    assert main(["metrics", "--log", wide.address, "--once", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["rack_foreign_records_total"] == sent


def append_more(log: KafkaLog) -> None:
    """Append a round to each stream, and a review, so that every partition ends with a record of the log."""
    for stream in (HERE, THERE):
        table, known = Table(stream), log.head(stream).seq
        for number in range(1, 5):
            table.play(number, UNPAID if number == 2 and stream == HERE else PAID)
        log.append(stream, known + 1, table.drafts[known:])
    video = VideoMarked(by="ana", camera="cam-1", ends_us=2, finding_id=None, reason="kept", starts_us=1)
    drafts = Drafts()
    log.append("review/fu-01", 1, [drafts.day(), drafts(video)])
