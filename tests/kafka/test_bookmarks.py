"""A bookmark saves reading, and is never believed against the log."""

from collections import defaultdict
from collections.abc import Callable
from contextlib import closing
from itertools import chain, pairwise
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from events.errors import Fork, LostTail
from events.kafka import survey
from events.kafka.bookmarks import Bookmark, Landmark
from events.kafka.client import TopicReader
from events.kafka.log import KafkaLog, KafkaResults
from events.kafka.partition_writer import RecentReports, WriterBookmark
from events.kafka.results_reader import ResultsBookmark
from events.kafka.survey import MARK_EVERY, Ends, EndsBookmark, Gap, StreamEnd
from events.kafka.transactions import OutgoingRecord
from events.log.contract import Head, Record
from events.log.foreign import NO_FOREIGN_RECORDS
from events.log.hash_chain import link
from events.log.result_chain import check_chains
from events.proofs.verify import verify
from tests.contract.drafts import TABLE, Drafts, fill
from tests.kafka.conftest import Open, Stranger

OTHER = "table/fu-08"


@pytest.fixture
def scanned(monkeypatch: pytest.MonkeyPatch) -> dict[str, list[int]]:
    """The offset of every record that is read, by the last part of its topic's name."""
    offsets: dict[str, list[int]] = defaultdict(list)
    scan = TopicReader.scan

    def counting(self: TopicReader, lane: Any, *place: Any) -> Any:
        for message in scan(self, lane, *place):
            offsets[lane.topic.rpartition(".")[2]].append(message.offset)
            yield message

    monkeypatch.setattr(TopicReader, "scan", counting)
    return offsets


@pytest.fixture
def filled(open_log: Open, log: KafkaLog, drafts: Drafts) -> Drafts:
    """Two streams of 13 events in one partition, surveyed and closed; the drafts count on."""
    fill(log, drafts)
    fill(log, drafts, OTHER)
    log.close()
    reader = open_log(read_only=True)
    assert reader.streams() == [TABLE, OTHER]
    reader.close()
    return drafts


def file_of(tmp_path: Path, kind: str) -> Path:
    (path,) = (tmp_path / "here").glob(f"*.0.{kind}")
    return path


def altered(tmp_path: Path, log_id: str, alter: Callable[[EndsBookmark], EndsBookmark]) -> None:
    """Change what a bookmark says, as somebody would who knows how it is made."""
    bookmark = Bookmark(file_of(tmp_path, "ends"), log_id)
    known = bookmark.load(EndsBookmark)
    assert known is not None
    bookmark.store(alter(known))


def test_who_opens_a_log_reads_on_from_the_bookmark(
    open_log: Open, filled: Drafts, scanned: dict[str, list[int]], tmp_path: Path
) -> None:
    reader = open_log(read_only=True)
    assert {reader.head(TABLE).seq, reader.head(OTHER).seq} == {13}
    assert len(scanned["events"]) == 1, "the landmark alone"
    assert [record.seq for record in reader.read(TABLE, 12)] == [12, 13]
    assert list(chain.from_iterable(reader.tail({TABLE: 13, OTHER: 13}))) == []


def test_who_proves_reads_everything(open_log: Open, filled: Drafts, scanned: dict[str, list[int]]) -> None:
    prover = open_log(read_only=True, check_heads=False, resume=False)
    assert prover.streams() == [TABLE, OTHER]
    assert len(scanned["events"]) == 26


def test_who_verifies_reads_each_event_once(
    open_log: Open, filled: Drafts, scanned: dict[str, list[int]], stranger: Stranger
) -> None:
    stranger.put_raw(b"no stream", b"", [])
    prover = open_log(read_only=True, check_heads=False, resume=False)
    found = verify(prover)
    assert (found.ok, found.events, list(found.heads), found.foreign.count) == (True, 26, [TABLE, OTHER], 1)
    assert scanned["events"] == [], "the walk has read them, and the survey learned from it"


def test_a_writer_goes_on_from_its_bookmark(
    open_log: Open, filled: Drafts, scanned: dict[str, list[int]], tmp_path: Path
) -> None:
    writer = open_log(check_heads=False)
    assert writer.append(TABLE, 14, [filled.wager()]).seqs == (14,)
    assert writer._shards[writer._lane(TABLE)]._resumed
    assert len(scanned["events"]) <= 3, "the landmark, and the last record of the stream"
    writer.close()
    again = open_log()
    assert again.append(TABLE, 15, [filled.wager()]).seqs == (15,)
    assert again.append(OTHER, 14, [filled.wager()]).seqs == (14,)
    assert verify(again).ok


def test_a_report_that_comes_again_is_known_from_the_bookmark(open_log: Open, log: KafkaLog, drafts: Drafts) -> None:
    log.append(TABLE, 1, [drafts.day("2026-03-13")])
    yesterday, today = drafts.wager(), drafts.wager()
    log.append(TABLE, 2, [yesterday, drafts.day("2026-03-14"), today])
    log.close()
    again = open_log()
    assert again.append(TABLE, 5, [yesterday, today]).seqs == (None, None)
    again.append(TABLE, 5, [drafts.day("2026-03-15")])
    again.close()
    assert open_log().append(TABLE, 6, [today, yesterday]).seqs == (None, 6), "two gaming days are remembered"


def test_an_open_round_stays_open(open_log: Open, log: KafkaLog, drafts: Drafts) -> None:
    log.append(TABLE, 1, [drafts.day(), *drafts.round()[:-1]])
    log.close()
    with pytest.raises(Exception, match="a round is open"):
        open_log().append(TABLE, 7, [drafts.day("2026-03-15")])


@pytest.mark.sampled(3)
@pytest.mark.parametrize("kind", ["ends", "writer"])
@pytest.mark.parametrize("damage", ["cut", "changed", "empty", "other log", "no bookmark"])
def test_a_bookmark_that_is_not_whole_counts_as_none(
    open_log: Open, filled: Drafts, tmp_path: Path, kind: str, damage: str, scanned: dict[str, list[int]]
) -> None:
    path = file_of(tmp_path, kind)
    content = bytearray(path.read_bytes())
    if damage == "changed":
        content[-5] ^= 1
    if damage == "other log":
        known = Bookmark(path, open_log(read_only=True).log_id).load(EndsBookmark if kind == "ends" else WriterBookmark)
        assert known is not None
        Bookmark(path, "f" * 32).store(known)
    else:
        of = {"cut": content[:-1], "changed": content, "empty": b"", "no bookmark": b"rubbish\n" * 20}
        path.write_bytes(of[damage])
    scanned.clear()
    log = open_log()
    assert log.append(TABLE, 14, [filled.wager()]).seqs == (14,)
    assert log.streams() == [TABLE, OTHER]
    assert len(scanned["events"]) >= 26, "everything was read"


def test_a_log_of_other_records_is_read_from_its_beginning(
    open_log: Open, filled: Drafts, tmp_path: Path, scanned: dict[str, list[int]]
) -> None:
    """A cluster that came back without the end of its log, or a log that was restored: the landmark is not there."""
    log_id = open_log(read_only=True).log_id
    altered(tmp_path, log_id, lambda it: msgspec.structs.replace(it, landmark=Landmark(it.landmark.offset, bytes(32))))
    scanned.clear()
    assert open_log(read_only=True).streams() == [TABLE, OTHER]
    assert len(scanned["events"]) >= 26
    altered(tmp_path, log_id, lambda it: msgspec.structs.replace(it, landmark=Landmark(4000, it.landmark.digest)))
    scanned.clear()
    assert open_log(read_only=True).streams() == [TABLE, OTHER]
    assert len(scanned["events"]) >= 26


def hidden(known: EndsBookmark) -> EndsBookmark:
    """Without a stream: as though it did not exist."""
    return msgspec.structs.replace(known, ends={TABLE: known.ends[TABLE]}, marks=[])


def understated(known: EndsBookmark) -> EndsBookmark:
    """With an end that lies before the real one."""
    return msgspec.structs.replace(known, ends=known.ends | {OTHER: StreamEnd(5, bytes(32), 20, bytes(32), 20)})


def too_late(known: EndsBookmark) -> EndsBookmark:
    """With a mark that says nothing of either stream came before it."""
    return msgspec.structs.replace(known, marks=[(20, {})])


@pytest.mark.parametrize("alter", [hidden, understated, too_late])
def test_a_bookmark_that_lies_hides_nothing_and_accuses_nobody(
    open_log: Open, filled: Drafts, tmp_path: Path, alter: Callable[[EndsBookmark], EndsBookmark]
) -> None:
    plain = open_log(read_only=True, resume=False)
    everything: list[Record] = list(chain.from_iterable(plain.tail({})))
    altered(tmp_path, plain.log_id, alter)
    reader = open_log(read_only=True)  # compares with what was acknowledged
    assert list(chain.from_iterable(reader.tail({}))) == everything
    assert list(reader.read(OTHER)) == [record for record in everything if record.stream == OTHER]
    assert reader.head(OTHER) == Head(13, everything[-1].hash)
    assert reader.streams() == [TABLE, OTHER]
    assert verify(open_log(read_only=True, check_heads=False, resume=False)).ok


@pytest.mark.sampled(2)
@pytest.mark.parametrize("field", ["hash", "seq", "day", "offset"])
def test_a_writer_does_not_continue_what_its_bookmark_made_up(open_log: Open, filled: Drafts, tmp_path: Path, field: str) -> None:
    bookmark = Bookmark(file_of(tmp_path, "writer"), open_log(read_only=True).log_id)
    known = bookmark.load(WriterBookmark)
    assert known is not None
    stream, replace = known.streams[TABLE], msgspec.structs.replace
    head = stream.state.head
    lie = {
        "hash": replace(stream, state=replace(stream.state, head=Head(head.seq, bytes(32)))),
        "seq": replace(stream, state=replace(stream.state, head=Head(head.seq - 1, head.hash))),
        "day": replace(stream, state=replace(stream.state, gaming_day="2030-01-01")),
        "offset": replace(stream, offset=3),
    }
    bookmark.store(replace(known, streams=known.streams | {TABLE: lie[field]}))
    log = open_log()
    assert log.append(TABLE, 14, [filled.wager()]).seqs == (14,)
    assert verify(log).ok
    assert [record.seq for record in log.read(TABLE, 13)] == [13, 14]


def test_what_follows_a_bookmark_that_lies_is_not_called_broken(open_log: Open, filled: Drafts, tmp_path: Path) -> None:
    path = file_of(tmp_path, "writer")
    log = open_log()
    bookmark = Bookmark(path, log.log_id)
    known = bookmark.load(WriterBookmark)
    assert known is not None
    assert log.append(TABLE, 14, [filled.wager()]).seqs == (14,)
    log.close()
    stream, replace = known.streams[TABLE], msgspec.structs.replace
    lie = replace(stream, state=replace(stream.state, head=Head(13, bytes(32))))
    bookmark.store(replace(known, streams=known.streams | {TABLE: lie}))
    again = open_log()
    assert again.append(TABLE, 15, [filled.wager()]).seqs == (15,)
    assert verify(again).ok


@pytest.mark.parametrize("seq", [5, 13])
def test_a_fork_behind_the_bookmark_is_found(
    open_log: Open, filled: Drafts, stranger: Stranger, seq: int, tmp_path: Path
) -> None:
    whole = list(open_log(read_only=True).read(TABLE))
    other = whole[seq - 1].data.replace(b"table-07", b"table-99")
    stranger.put(TABLE, seq, other, link(whole[seq - 2].hash, other))
    with pytest.raises(Fork):
        list(chain.from_iterable(open_log(read_only=True).tail({})))
    log = open_log()
    with pytest.raises(Fork):
        log.append(TABLE, 14, [filled.wager()])
    assert log.append(OTHER, 14, [filled.wager()]).seqs == (14,)
    log.close()
    with pytest.raises(Fork):
        open_log().append(TABLE, 14, [filled.wager()])


def test_what_lies_between_own_records_and_was_not_read_leaves_no_bookmark(
    open_log: Open, filled: Drafts, stranger: Stranger
) -> None:
    """A fork that a stranger wrote while we wrote: we have not read it, and whoever comes after us does."""
    whole = list(open_log(read_only=True).read(TABLE))
    log = open_log()
    assert log.append(TABLE, 14, [filled.wager()]).seqs == (14,)
    other = whole[4].data.replace(b"table-07", b"table-99")
    stranger.put(TABLE, 5, other, link(whole[3].hash, other))
    assert log.append(TABLE, 15, [filled.wager()]).seqs == (15,)
    log.close()
    with pytest.raises(Fork):
        open_log().append(TABLE, 16, [filled.wager()])


def test_a_lost_tail_is_not_hidden_by_a_bookmark(open_log: Open, filled: Drafts, tmp_path: Path) -> None:
    """The bookmark says an end that the log does not have; what was acknowledged is compared with what is there."""
    log = open_log()
    lane = log._lane(TABLE)
    log._high_waters[lane].record({TABLE: Head(15, bytes(32))})
    altered(tmp_path, log.log_id, lambda it: msgspec.structs.replace(it, ends=it.ends | {TABLE: StreamEnd(15, b"", 2, b"", 2)}))
    log.close()
    with pytest.raises(LostTail):
        open_log()


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    "lie", [{"last": 3}, {"offset": 3}, {"offset": 20}, {"before": bytes(32)}, {"offset": 3, "last": 3}], ids=str
)
@pytest.mark.parametrize("first", [1, 13])
def test_a_bookmark_that_lies_about_where_a_stream_ends_hides_nothing(
    open_log: Open, filled: Drafts, tmp_path: Path, lie: dict[str, Any], first: int
) -> None:
    whole = list(open_log(read_only=True, resume=False).read(TABLE))

    def lying(known: EndsBookmark) -> EndsBookmark:
        return msgspec.structs.replace(known, ends=known.ends | {TABLE: known.ends[TABLE]._replace(**lie)})

    altered(tmp_path, open_log(read_only=True).log_id, lying)
    assert list(open_log(read_only=True).read(TABLE, first)) == whole[first - 1 :]


def test_a_bookmark_that_leaves_out_records_hides_nothing(open_log: Open, filled: Drafts, tmp_path: Path) -> None:
    whole = list(open_log(read_only=True, resume=False).read(TABLE))
    lie = {TABLE: [Gap(3, 9)]}
    altered(tmp_path, open_log(read_only=True).log_id, lambda it: msgspec.structs.replace(it, gaps=it.gaps | lie))
    assert list(open_log(read_only=True).read(TABLE)) == whole


def test_foreign_records_are_counted_once_and_not_forgotten(open_log: Open, filled: Drafts, stranger: Stranger) -> None:
    stranger.put_raw(b"no stream", b"x", [])
    first = open_log(read_only=True)
    assert first.foreign().count == 1
    first.close()
    assert open_log(read_only=True).foreign() == first.foreign()
    stranger.put_raw(None, b"x", [])
    assert open_log(read_only=True).foreign().count == 2
    assert open_log(read_only=True).foreign().count == 2


def test_a_folder_that_cannot_be_made_costs_time_alone(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    bookmark = Bookmark(tmp_path / "file" / "log.0.ends", "f" * 32)
    bookmark.store(EndsBookmark(1, Landmark(0, bytes(32)), {}, [], MARK_EVERY, 0, {}, NO_FOREIGN_RECORDS))
    assert bookmark.load(EndsBookmark) is None
    bookmark.forget()


def test_foreign_records_beside_the_streams_are_counted_once(
    judged: KafkaLog, open_log: Open, scanned: dict[str, list[int]]
) -> None:
    """A result without a place is foreign if results have places, which a bookmark must still know."""
    topic = f"{judged.prefix}.findings"
    first = open_log(read_only=True)
    assert first.foreign().count == 0
    first.close()
    judged._cluster.send_plain(OutgoingRecord(topic, 0, b"findings/a1", STORED[0][2], [("kind", b"findings")]))
    for _ in range(2):
        scanned.clear()
        reader = open_log(read_only=True)
        assert reader.foreign().count == 1
        reader.close()
    assert len(scanned["findings"]) == 1, "the landmark alone"


def test_marks_are_thinned_and_still_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """However long a partition: at most `MOST_MARKS` offsets, and a start never lies behind what is wanted."""
    every, most = 50, 64
    monkeypatch.setattr(survey, "MARK_EVERY", every)
    monkeypatch.setattr(survey, "MOST_MARKS", most)
    ends, count = Ends(), every * (4 * most + 30)
    for number in range(count):
        ends.take(number, b"table/fu-07", [("seq", b"%d" % (number + 1)), ("hash", bytes(32))])
    known = ends.bookmark(Landmark(count - 1, bytes(32)), NO_FOREIGN_RECORDS)
    assert most // 2 <= len(known.marks) <= most
    again = Ends(msgspec.msgpack.decode(msgspec.msgpack.encode(known), type=EndsBookmark))
    for after in (0, 1, every, count // 2, count - 2, count - 1, count):
        offset, heads = again.start({TABLE: after})
        assert offset <= after
        assert heads.get(TABLE, Head(0, b"")).seq == offset
        assert after - offset <= 8 * every


@given(st.lists(st.sampled_from(["table/a", "table/b", "property/main"])), st.integers(0, 30))
def test_long_stretches_without_a_stream_are_left_out_and_nothing_else(streams: list[str], first: int) -> None:
    ends = Ends()
    for offset, stream in enumerate(streams):
        ends.take(offset, stream.encode(), [("seq", b"%d" % (offset + 1)), ("hash", bytes(32))])
    for stream in set(streams):
        wanted = [offset for offset, each in enumerate(streams) if each == stream and offset >= first]
        read = [offset for stretch in ends.stretches(stream, first) for offset in range(*stretch)]
        assert [offset for offset in read if streams[offset] == stream] == wanted
        for before, behind in pairwise(wanted):
            assert behind - before <= survey.LONG_GAP or not {*read} & {*range(before + 1, behind)}


def test_two_gaming_days_of_reports_are_kept_whole() -> None:
    kept = RecentReports()
    for day, number in (("2026-03-13", 1), ("2026-03-14", 2), ("2026-03-14", 3)):
        kept.add(day, bytes([number]) * 32, bytes([number]) * 16)
    again = msgspec.msgpack.decode(msgspec.msgpack.encode(kept), type=RecentReports)
    assert again == kept
    again.add("2026-03-15", b"\4" * 32, b"\4" * 16)
    assert again.before == kept.seen


# ---------------------------------------------------------------------------------------------------------- of results

ENGINE = "5e" * 32
STORED = [("findings", name, b'{"stream":"%s"}' % stream) for name, stream in (("a", b"table/x"), ("b", b"table/y"))]


@pytest.fixture
def judged(log: KafkaLog) -> KafkaLog:
    """A log beside which two results of each of two streams are stored, and a bookmark of them."""
    with closing(KafkaResults(log.address)) as results:
        for number in (1, 2):
            records = [(kind, f"{key}{number}", data) for kind, key, data in STORED]
            heads = {stream: Head(number, bytes([number]) * 32) for stream in ("table/x", "table/y")}
            results.commit(ENGINE, heads, {}, records)
    with closing(KafkaResults(log.address, read_only=True)) as reader:
        reader.chain_heads()
    return log


def results_of(log: KafkaLog, **options: bool) -> KafkaResults:
    return KafkaResults(log.address, **options)


def everything_of(results: KafkaResults) -> list[object]:
    """What a store of results says, each way that it can be asked."""
    return [
        list(results.results("findings")),
        list(results.stored()),
        [list(results.stored(stream, 1)) for stream in ("table/x", "table/y")],
        results.chain_heads(),
        results.broken_chains(),
        [results.latest("findings", key) for key in ("a1", "a2", "b1", "b2", "c1")],
        results.positions(ENGINE),
        results.passed_over(),
    ]


def test_who_opens_results_reads_on_from_the_bookmark(judged: KafkaLog, scanned: dict[str, list[int]]) -> None:
    with closing(results_of(judged, read_only=True, resume=False)) as whole:
        expected = everything_of(whole)
    scanned.clear()
    with closing(results_of(judged, read_only=True)) as results:
        assert len(scanned["findings"]) == 1, "the landmark alone"
        assert results.chain_heads() == expected[3]
        assert len(scanned["findings"]) == 1
        assert everything_of(results) == expected


def test_a_replayer_goes_on_from_the_bookmark_of_results(judged: KafkaLog) -> None:
    with closing(results_of(judged)) as results:
        results.commit(ENGINE, {}, {}, [*STORED, ("findings", "a1", STORED[0][2])])
        assert [each.key for each in results.stored("table/x")] == ["a1", "a2", "a"]
    with closing(results_of(judged, resume=False)) as whole, closing(results_of(judged)) as resumed:
        assert check_chains(whole).broken == {}
        assert everything_of(resumed) == everything_of(whole)


def swapped(known: ResultsBookmark) -> ResultsBookmark:
    """The last records of two streams, exchanged."""
    return msgspec.structs.replace(known, latest=dict(zip(known.latest, reversed(known.latest.values()), strict=True)))


def elsewhere(known: ResultsBookmark) -> ResultsBookmark:
    """Results at the offsets of others."""
    offsets = {stream: packed[8:] + packed[:8] for stream, packed in known.offsets.items()}
    packed = {stream: each[:16] + each[56:64] + each[24:56] + each[16:24] + each[64:] for stream, each in known.latest.items()}
    return msgspec.structs.replace(known, offsets=offsets, latest=packed)


def without_a_stream(known: ResultsBookmark) -> ResultsBookmark:
    """As though nothing were stored of a stream."""
    kept = [{"table/x": each["table/x"]} for each in (known.heads, known.offsets, known.latest)]
    return msgspec.structs.replace(known, heads=kept[0], offsets=kept[1], latest=kept[2])


def with_another_end(known: ResultsBookmark) -> ResultsBookmark:
    """With chains that end otherwise."""
    return msgspec.structs.replace(known, heads={stream: Head(2, bytes(32)) for stream in known.heads})


@pytest.mark.sampled(3)
@pytest.mark.parametrize("alter", [swapped, elsewhere, without_a_stream])
def test_a_bookmark_of_results_that_lies_is_not_believed(
    judged: KafkaLog, tmp_path: Path, alter: Callable[[ResultsBookmark], ResultsBookmark]
) -> None:
    with closing(results_of(judged, read_only=True, resume=False)) as whole:
        expected = everything_of(whole)
    (path,) = (tmp_path / "here").glob("*.findings.ends")
    bookmark = Bookmark(path, judged.log_id)
    known = bookmark.load(ResultsBookmark)
    assert known is not None
    bookmark.store(alter(known))
    with closing(results_of(judged, read_only=True)) as results:
        assert results.broken_chains() == {}
        assert [results.latest("findings", key) for key in ("a1", "a2", "b1", "b2", "c1")] == expected[5]
        assert [list(results.stored(stream, 1)) for stream in ("table/x", "table/y")] == expected[2]
        assert everything_of(results) == expected


def test_new_results_behind_a_bookmark_that_lies_are_not_called_broken(judged: KafkaLog, tmp_path: Path) -> None:
    (path,) = (tmp_path / "here").glob("*.findings.ends")
    bookmark = Bookmark(path, judged.log_id)
    known = bookmark.load(ResultsBookmark)
    assert known is not None
    with closing(results_of(judged, resume=False)) as results:
        results.commit(ENGINE, {}, {}, STORED)
        expected = everything_of(results)
    bookmark.store(with_another_end(known))
    with closing(results_of(judged, read_only=True)) as results:
        assert everything_of(results) == expected
