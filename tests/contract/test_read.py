"""What every log promises to a reader."""

from hashlib import sha256
from itertools import chain, islice

import pytest
from msgspec.structs import replace

from events.errors import AppendRefused, EventError
from events.log.contract import EventLog, QuarantineEntry, Record
from tests.contract.archive_backend import READERS
from tests.contract.backends import BACKENDS, Backend
from tests.contract.conftest import params
from tests.contract.drafts import TABLE, Drafts, fill

OTHER = "table/fu-08"

pytestmark = pytest.mark.parametrize("make_log", params({**BACKENDS, **READERS}), indirect=True)


def numbers(records: list[Record], stream: str = TABLE) -> list[int]:
    return [record.seq for record in records if record.stream == stream]


@pytest.mark.sampled(4, of="kafka")
@pytest.mark.parametrize(
    ("from_seq", "to_seq", "expected"),
    [
        (1, None, range(1, 14)),
        (1, 1, [1]),
        (1, 13, range(1, 14)),
        (1, 99, range(1, 14)),
        (5, None, range(5, 14)),
        (5, 7, [5, 6, 7]),
        (13, None, [13]),
        (14, None, []),
        (99, None, []),
        (7, 6, []),
        (1, 0, []),
    ],
)
def test_read_from_a_number_to_a_number(
    log: EventLog, drafts: Drafts, from_seq: int, to_seq: int | None, expected: list[int]
) -> None:
    fill(log, drafts)
    whole = {record.seq: record for record in log.read(TABLE)}
    assert list(log.read(TABLE, from_seq, to_seq)) == [whole[seq] for seq in expected]


def test_a_long_stream_is_read_whole(log: EventLog, drafts: Drafts) -> None:
    log.append(TABLE, 1, [drafts.day(), *(drafts.wager() for _ in range(9000))])
    assert numbers(list(log.read(TABLE))) == list(range(1, 9002))
    assert numbers(list(chain.from_iterable(log.tail({})))) == list(range(1, 9002))


def test_a_reader_sees_what_the_writer_appends(make_log: Backend, log: EventLog, drafts: Drafts) -> None:
    fill(log, drafts, rounds=1)
    reader = make_log.open_reader()
    assert (reader.log_id, reader.property_id) == (log.log_id, log.property_id)
    assert reader.head(TABLE) == log.head(TABLE)
    log.append(TABLE, 8, drafts.round())
    assert numbers(list(reader.read(TABLE))) == list(range(1, 14))
    assert reader.streams() == [TABLE]
    assert reader.acknowledged() == {TABLE: log.head(TABLE)}
    reader.verify_head(TABLE)


def test_tail_goes_through_all_streams_each_in_order(log: EventLog, drafts: Drafts) -> None:
    fill(log, drafts, rounds=1)
    fill(log, drafts, OTHER, rounds=2)
    log.append(TABLE, 8, drafts.round())
    records = list(chain.from_iterable(log.tail({})))
    for stream in (TABLE, OTHER):
        assert [record for record in records if record.stream == stream] == list(log.read(stream))


@pytest.mark.parametrize("after", [{TABLE: 7, OTHER: 5}, {TABLE: 13}, {OTHER: 13}, {TABLE: 13, OTHER: 13}, {"table/x": 4}])
def test_tail_begins_after_what_was_seen(log: EventLog, drafts: Drafts, after: dict[str, int]) -> None:
    fill(log, drafts)
    fill(log, drafts, OTHER)
    records = list(chain.from_iterable(log.tail(after)))
    for stream in (TABLE, OTHER):
        assert numbers(records, stream) == list(range(after.get(stream, 0) + 1, 14))


def test_tail_leaves_a_stream_out_that_was_seen_beyond_its_end(log: EventLog, drafts: Drafts) -> None:
    fill(log, drafts)
    fill(log, drafts, OTHER)
    records = list(chain.from_iterable(log.tail({TABLE: 2**53 - 1})))
    assert (numbers(records), numbers(records, OTHER)) == ([], list(range(1, 14)))


def test_tail_waits_for_what_comes(make_log: Backend, log: EventLog, drafts: Drafts) -> None:
    fill(log, drafts, rounds=1)
    batches = make_log.open_reader().tail({TABLE: 7}, wait_s=0.05)
    assert next(batches) == []
    log.append(TABLE, 8, drafts.round())
    log.append(OTHER, 1, [drafts.day()])
    records: list[Record] = []
    for batch in islice(batches, 200):  # ten seconds at most
        records.extend(batch)
        if len(records) == 7:
            break
    assert (numbers(records), numbers(records, OTHER)) == (list(range(8, 14)), [1])


def test_tail_of_an_empty_log(log: EventLog) -> None:
    assert list(chain.from_iterable(log.tail({}))) == []
    assert next(log.tail({}, wait_s=0)) == []


def refused(data: bytes, stream: str = TABLE) -> QuarantineEntry:
    return QuarantineEntry(stream, sha256(data).hexdigest(), "not an event", data)


def test_quarantine_keeps_refused_bytes_once(make_log: Backend, log: EventLog, drafts: Drafts) -> None:
    entries = [refused(b"\xff\x00 garbage"), refused(b""), refused(b"", OTHER)]
    for entry in [*entries, entries[0]]:
        log.quarantine(entry)
    kept = log.quarantined()
    assert [replace(entry, at_us=0) for entry in kept] == entries
    assert 0 < kept[0].at_us <= kept[-1].at_us
    entries = kept
    assert make_log.reopen().quarantined() == entries
    reader = make_log.open_reader()
    assert reader.quarantined() == entries
    with pytest.raises(AppendRefused):
        reader.quarantine(refused(b"more"))


def test_quarantine_keeps_many_at_once_or_none(log: EventLog) -> None:
    entries = [refused(b"%d" % number) for number in range(50)]
    log.quarantine(*entries, entries[0])
    assert [replace(entry, at_us=0) for entry in log.quarantined()] == entries
    with pytest.raises(EventError, match="SHA-256"):
        log.quarantine(refused(b"sound"), QuarantineEntry(TABLE, "00" * 32, "not an event", b"x"))
    assert len(log.quarantined()) == 50


def test_quarantine_is_named_by_its_bytes(log: EventLog) -> None:
    with pytest.raises(EventError, match="SHA-256"):
        log.quarantine(QuarantineEntry(TABLE, "00" * 32, "not an event", b"x"))
