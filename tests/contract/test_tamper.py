"""What was done to a stored log is found, with the stream and the number."""

from itertools import chain

import pytest

from events.errors import BrokenSeal, IntegrityError, LostTail, MisplacedEvent, SequenceGap
from events.log.contract import EventLog, Record
from events.proofs.verify import Break, verify
from tests.contract.backends import Backend, Tamper
from tests.contract.drafts import TABLE, Drafts, fill

OTHER = "table/fu-08"


@pytest.fixture
def damaged(make_log: Backend, log: EventLog, drafts: Drafts) -> EventLog:
    """A log of two streams of 13 events that takes damage while it is read."""
    fill(log, drafts)
    fill(log, drafts, OTHER)
    return make_log.open_reader(check_heads=False)


def the_break(log: EventLog) -> Break:
    """Return the one break that a walk finds; the other stream is sound."""
    report = verify(log)
    assert not report.ok
    assert report.first_break == report.breaks[0]
    assert len(report.breaks) == 1
    assert report.heads[OTHER].seq == 13
    return report.breaks[0]


def up_to_the_error(log: EventLog, expected: type[IntegrityError]) -> tuple[list[Record], IntegrityError]:
    records: list[Record] = []
    with pytest.raises(expected) as found:
        records.extend(log.read(TABLE))
    return records, found.value


def test_an_untouched_log_is_sound(damaged: EventLog) -> None:
    seen: list[tuple[str, int]] = []
    report = verify(damaged, progress=lambda stream, events: seen.append((stream, events)))
    assert report.ok
    assert (report.first_break, report.breaks, report.events, report.streams) == (None, (), 26, 2)
    assert report.heads == {stream: damaged.head(stream) for stream in (TABLE, OTHER)}
    assert (report.log_id, report.property_id) == (damaged.log_id, damaged.property_id)
    assert seen == [(TABLE, 26 if damaged.is_interleaved else 13), (OTHER, 26)]


@pytest.mark.sampled(3)
@pytest.mark.slow
def test_every_byte_of_an_event_counts(damaged: EventLog, tamper: Tamper) -> None:
    original = tamper.data(TABLE, 5)
    for place in range(len(original)):
        edited = bytearray(original)
        edited[place] ^= 0x01
        tamper.replace(TABLE, 5, bytes(edited))
        found = the_break(damaged)
        assert (found.stream, found.seq) == (TABLE, 5), place
        assert found.kind in ("changed", "moved"), "an edited number looks like another event"
    tamper.replace(TABLE, 5, original)
    assert verify(damaged).ok


@pytest.mark.parametrize("edit", [b"", b"null", b"\xff\xfe", b"[" * 2000])
def test_an_event_replaced_by_something_else(damaged: EventLog, tamper: Tamper, edit: bytes) -> None:
    tamper.replace(TABLE, 5, edit)
    assert (the_break(damaged).seq, the_break(damaged).kind) == (5, "changed")


def test_a_changed_event_ends_the_read(damaged: EventLog, tamper: Tamper) -> None:
    whole = list(damaged.read(TABLE))
    tamper.replace(TABLE, 5, tamper.data(TABLE, 5).replace(b"2500", b"2600"))
    records, error = up_to_the_error(damaged, BrokenSeal)
    assert records == whole[:4]
    assert (error.stream, error.seq, error.code) == (TABLE, 5, "LOG-SEAL")
    records = []
    with pytest.raises(BrokenSeal):
        records.extend(chain.from_iterable(damaged.tail({OTHER: 13})))
    assert records == whole[:4]
    assert list(chain.from_iterable(damaged.tail({TABLE: 2**53 - 1}))) == list(damaged.read(OTHER))
    assert list(damaged.read(TABLE, 6)) == whole[5:], "past the break the chain holds with the hash that is stored"


@pytest.mark.parametrize("seq", [1, 5, 12])
def test_a_removed_event_leaves_a_gap(damaged: EventLog, tamper: Tamper, seq: int) -> None:
    tamper.remove(TABLE, seq)
    found = the_break(damaged)
    assert (found.stream, found.seq, found.kind, found.code) == (TABLE, seq, "removed", "LOG-GAP")
    records, error = up_to_the_error(damaged, SequenceGap)
    assert ([record.seq for record in records], error.seq) == (list(range(1, seq)), seq)
    for after in (0, seq):
        with pytest.raises(SequenceGap):
            list(damaged.tail({TABLE: after, OTHER: 13}))
    with pytest.raises(SequenceGap):
        list(damaged.read(TABLE, seq + 1))
    with pytest.raises(SequenceGap):
        list(damaged.read(TABLE, 1, seq))


def test_two_swapped_events_are_named(damaged: EventLog, tamper: Tamper) -> None:
    tamper.swap(TABLE, 5, 9)
    found = the_break(damaged)
    assert (found.stream, found.seq, found.kind) == (TABLE, 5, "swapped")
    _, error = up_to_the_error(damaged, MisplacedEvent)
    assert isinstance(error, MisplacedEvent)
    assert (error.seq, error.holds, error.holds_stream, error.swapped) == (5, 9, TABLE, True)


def test_an_event_put_in_place_of_another_is_named(damaged: EventLog, tamper: Tamper) -> None:
    tamper.replace(TABLE, 5, tamper.data(OTHER, 5))
    found = the_break(damaged)
    assert (found.seq, found.kind) == (5, "moved")
    assert "the bytes stored here are table/fu-08 event 5" in found.message


@pytest.mark.parametrize("last", [12, 7, 0])
def test_a_cut_tail_shows_against_the_high_water_mark(make_log: Backend, damaged: EventLog, tamper: Tamper, last: int) -> None:
    tamper.cut(TABLE, last)
    found = the_break(damaged)
    assert (found.stream, found.seq, found.kind, found.code) == (TABLE, last + 1, "tail_cut", "LOG-GAP")
    with pytest.raises(LostTail, match="13 events were acknowledged"):
        damaged.verify_head(TABLE)
    damaged.verify_head(OTHER)
    with pytest.raises(LostTail):
        make_log.reopen()
    with pytest.raises(LostTail):
        make_log.open_reader()


def test_a_log_with_a_cut_tail_takes_events_of_its_sound_streams_only(
    make_log: Backend, damaged: EventLog, tamper: Tamper, drafts: Drafts
) -> None:
    tamper.cut(TABLE, 7)
    log = make_log.reopen(check_heads=False)
    with pytest.raises(LostTail):
        log.append(TABLE, 8, [drafts.wager()])
    assert log.append(OTHER, 14, [drafts.wager()]).seqs == (14,)


def test_a_chain_made_anew_differs_from_what_was_acknowledged(make_log: Backend, damaged: EventLog, tamper: Tamper) -> None:
    tamper.replace(TABLE, 5, tamper.data(TABLE, 5).replace(b"2500", b"2600"))
    tamper.rechain(TABLE, 5)
    found = the_break(damaged)
    assert (found.stream, found.seq, found.kind) == (TABLE, 13, "changed")
    with pytest.raises(BrokenSeal, match="acknowledged"):
        make_log.reopen()


def test_breaks_of_several_streams_are_all_told(damaged: EventLog, tamper: Tamper) -> None:
    tamper.remove(TABLE, 3)
    tamper.cut(OTHER, 4)
    report = verify(damaged)
    assert [(found.stream, found.seq, found.kind) for found in report.breaks] == [(TABLE, 3, "removed"), (OTHER, 5, "tail_cut")]
    assert {stream: head.seq for stream, head in report.heads.items()} == {TABLE: 2, OTHER: 4}
