"""What every log promises to a writer."""

from hashlib import sha256

import msgspec
import pytest

from events.errors import AppendRefused, EventError, SecondWriter, WrongPlace, WrongSequence
from events.log.contract import EventLog, Head
from events.proofs.verify import verify
from events.vocabulary import codec
from events.vocabulary.envelope import Draft, Envelope
from events.vocabulary.model import (
    BuyIn,
    Event,
    EventCorrected,
    GamingDayOpened,
    MeterReset,
    ObservationClosed,
    PropertyConfigured,
    RecordViewed,
    Replacement,
    RoundClosed,
    RoundOpened,
    Surrendered,
    TableClosed,
)
from tests.contract.backends import PROPERTY, Backend
from tests.contract.drafts import DAY, TABLE, Drafts, fill
from tests.contract.operator import ON_SQLITE


def stored(log: EventLog, stream: str = TABLE) -> list[Envelope]:
    return [codec.decode(record.data) for record in log.read(stream)]


def test_what_was_appended_is_read_back(log: EventLog, drafts: Drafts) -> None:
    given = [drafts.day(), *drafts.round()]
    appended = log.append(TABLE, 1, given)
    assert appended.stream == TABLE
    assert appended.seqs == tuple(range(1, 8))
    assert appended.head == log.head(TABLE)
    assert [envelope.draft() for envelope in stored(log)] == given
    first = stored(log)[0]
    assert (first.log_id, first.property_id, first.stream, first.seq) == (log.log_id, PROPERTY, TABLE, 1)
    assert (first.type, first.version, first.gaming_day) == ("gaming_day_opened", 1, DAY)


def test_the_chain_is_the_one_the_design_states(log: EventLog, drafts: Drafts) -> None:
    fill(log, drafts)
    expected = sha256(b"rack/genesis/v1\0" + f"{log.log_id}{PROPERTY}/{TABLE}".encode()).digest()
    for record in log.read(TABLE):
        expected = sha256(b"rack/chain/v1\0" + expected + record.data).digest()
        assert record.hash == expected
    assert log.head(TABLE).hash == expected


def test_an_empty_stream_ends_at_genesis(log: EventLog) -> None:
    expected = sha256(b"rack/genesis/v1\0" + f"{log.log_id}{PROPERTY}/{TABLE}".encode()).digest()
    assert log.head(TABLE) == Head(0, expected)
    assert list(log.read(TABLE)) == []
    assert log.streams() == []


@pytest.mark.parametrize("expected_seq", [1, 7, 9])
def test_another_next_number_is_refused(log: EventLog, drafts: Drafts, expected_seq: int) -> None:
    fill(log, drafts, rounds=1)
    with pytest.raises(WrongSequence, match=f"the next event is 8, the writer expected {expected_seq}") as refused:
        log.append(TABLE, expected_seq, [drafts.wager()])
    assert (refused.value.stream, refused.value.expected, refused.value.actual) == (TABLE, expected_seq, 8)
    assert log.head(TABLE).seq == 7


@pytest.mark.kafka
@pytest.mark.parametrize("make_log", ["kafka"], indirect=True)
def test_a_second_writer_is_refused(make_log: Backend, log: EventLog, drafts: Drafts) -> None:
    fill(log, drafts, rounds=1)
    with pytest.raises(SecondWriter):
        make_log.open_second()
    log.append(TABLE, 8, drafts.round())
    assert log.head(TABLE).seq == 13


@ON_SQLITE
def test_two_writers_take_turns(make_log: Backend, log: EventLog, drafts: Drafts) -> None:
    fill(log, drafts, rounds=1)
    second = make_log.open_second()
    first, other = drafts.round(), [drafts.wager()]
    assert second.append(TABLE, 8, first).head.seq == 13
    with pytest.raises(WrongSequence, match="the next event is 14, the writer expected 8"):
        log.append(TABLE, 8, other)
    assert log.append_groups([(TABLE, [*first, *other])])[0].seqs == (*[None] * 6, 14)
    assert second.append(TABLE, 15, drafts.round()).head == log.head(TABLE)
    second.close()


def test_the_right_to_write_passes_on_when_it_is_given_up(make_log: Backend, log: EventLog, drafts: Drafts) -> None:
    fill(log, drafts, rounds=1)
    again = make_log.reopen()
    assert again.append(TABLE, 8, [drafts.wager()]).seqs == (8,)
    assert (again.log_id, again.property_id) == (log.log_id, PROPERTY)


def test_a_reader_may_not_write(make_log: Backend, log: EventLog, drafts: Drafts) -> None:
    fill(log, drafts, rounds=1)
    with pytest.raises(AppendRefused, match="reading only"):
        make_log.open_reader().append(TABLE, 8, [drafts.wager()])


@pytest.mark.parametrize("reopened", [False, True])
def test_a_repeat_with_the_same_content_is_dropped(make_log: Backend, log: EventLog, drafts: Drafts, reopened: bool) -> None:
    log.append(TABLE, 1, [drafts.day(), drafts.wager(source_seq=50, occurred_at_us=1)])
    log = make_log.reopen() if reopened else log
    appended = log.append(TABLE, 3, [drafts.wager(source_seq=50, occurred_at_us=1), drafts.wager(), drafts.wager()])
    assert appended.seqs == (None, 3, 4)
    assert log.append(TABLE, 5, [drafts.wager(source_seq=50, occurred_at_us=1)]).head == appended.head


@pytest.mark.parametrize("reopened", [False, True])
def test_a_repeat_with_other_content_is_kept(make_log: Backend, log: EventLog, drafts: Drafts, reopened: bool) -> None:
    log.append(TABLE, 1, [drafts.day(), drafts.wager(source_seq=50, amount_cents=100, occurred_at_us=1)])
    log = make_log.reopen() if reopened else log
    changed = {"source_seq": 50, "amount_cents": 200, "occurred_at_us": 1}
    assert log.append(TABLE, 3, [drafts.wager(**changed), drafts.wager(**changed)]).seqs == (3, None)
    assert [envelope.source_seq for envelope in stored(log)[1:]] == [50, 50]


def test_repeats_are_known_within_a_group_by_source_and_stream(log: EventLog, drafts: Drafts) -> None:
    said = {"source_seq": 50, "occurred_at_us": 1}
    group = [drafts.day(), drafts.wager(**said), drafts.wager(**said), drafts.wager(**said, source="shoe-1")]
    assert log.append(TABLE, 1, group).seqs == (1, 2, None, 3)
    assert log.append("table/fu-08", 1, [drafts.day(), drafts.wager(**said)]).seqs == (1, 2)


def test_an_event_id_stands_once_in_a_stream(make_log: Backend, log: EventLog, drafts: Drafts) -> None:
    log.append(TABLE, 1, [drafts.day(), drafts.wager(event_id="ab" * 16)])
    for _ in range(2):
        with pytest.raises(EventError, match="event id"):
            log.append(TABLE, 3, [drafts.wager(), drafts.wager(event_id="ab" * 16)])
        assert log.head(TABLE).seq == 2
        log = make_log.reopen()


def test_a_group_is_stored_whole_or_not_at_all(make_log: Backend, log: EventLog, drafts: Drafts) -> None:
    fill(log, drafts, rounds=1)
    before = log.head(TABLE)
    good = drafts.wager()
    with pytest.raises(EventError):
        log.append(TABLE, 8, [good, drafts.day("2026-03-13")])
    with pytest.raises(EventError):
        log.append_groups([(TABLE, [good]), ("table/new", [drafts.wager()])])
    assert log.head(TABLE) == before
    assert log.streams() == [TABLE]
    assert log.append(TABLE, 8, [good]).seqs == (8,), "a refused group leaves no trace: not even of a repeat"
    assert make_log.open_reader().head(TABLE).seq == 8


def test_groups_of_several_streams_go_in_one_commit(log: EventLog, drafts: Drafts) -> None:
    groups: list[tuple[str, list[Draft]]] = [
        ("table/b", [drafts.day(), drafts.wager()]),
        ("table/a", [drafts.day()]),
        ("table/b", [drafts.wager()]),
    ]
    appended = log.append_groups(iter(groups))
    assert [(one.stream, one.seqs) for one in appended] == [("table/b", (1, 2)), ("table/a", (1,)), ("table/b", (3,))]
    assert log.acknowledged() == {stream: log.head(stream) for stream in ("table/a", "table/b")}
    assert log.append_groups([]) == []


def test_groups_of_several_streams_go_where_they_are_expected_or_nowhere(log: EventLog, drafts: Drafts) -> None:
    log.append("table/a", 1, [drafts.day()])
    groups = [("table/b", [drafts.day()]), ("table/a", [drafts.wager()])]
    for expected in ({"table/a": 1}, {"table/a": 3}, {"table/a": 2, "table/b": 2}):
        with pytest.raises(WrongSequence, match="the next event is"):
            log.append_groups(groups, expected)
        assert [log.head(stream).seq for stream in ("table/a", "table/b")] == [1, 0]
    assert [each.seqs for each in log.append_groups(groups, {"table/a": 2, "table/b": 1})] == [(1,), (2,)]


def test_streams_are_listed_in_order(log: EventLog, drafts: Drafts) -> None:
    names = ["table/z", "meter/m-1", "property/main", "review/z", "observed/z", "table/a"]
    log.append_groups([(name, [drafts.day()]) for name in names])
    assert log.streams() == sorted(names)


@pytest.mark.parametrize("name", ["table", "table/", "table/UPPER", "shoe/1", "table/a/b", "table/a\n", ""])
def test_a_stream_has_a_proper_name(log: EventLog, drafts: Drafts, name: str) -> None:
    with pytest.raises(EventError):
        log.append(name, 1, [drafts.day()])


# ------------------------------------------------------------------------------------------------------- the appender's


class Watch:
    """A clock that a test sets, in microseconds."""

    now_us = 0

    def __call__(self) -> int:
        return self.now_us


def test_recorded_time_never_decreases(make_log: Backend, drafts: Drafts) -> None:
    watch = Watch()
    log = make_log.create(clock=watch)

    def append_at(now_us: int, draft: Draft, stream: str = TABLE) -> None:
        watch.now_us = now_us
        log.append(stream, log.head(stream).seq + 1, [draft])

    append_at(500, drafts.day())
    append_at(400, drafts.wager())
    append_at(450, drafts.day(), "table/other")
    log = make_log.reopen(clock=watch)
    append_at(300, drafts.wager())
    append_at(600, drafts.wager())
    assert [envelope.recorded_at_us for envelope in stored(log)] == [500, 500, 500, 600]
    assert [envelope.recorded_at_us for envelope in stored(log, "table/other")] == [450]


CONFIGURED = PropertyConfigured(name="Bellwether", time_zone="America/New_York", gaming_day_cutover="06:00", currency="USD")
RESET = MeterReset(paid_centicents=0, reserve_centicents=0, round_no=1, seat=1, share_bp=0, table="a", value_centicents=0)
VIEWED = RecordViewed(by="sv-1", reason="audit", what="table")
CLOSED = ObservationClosed(by="m.ortiz", observation="o-1", reason="done", unreadable=0)
OF_EACH_KIND = {
    "table/a": BuyIn(amount_cents=100, form="cash", patron="p-1", seat=1),
    "property/main": CONFIGURED,
    "meter/m": RESET,
    "review/a": VIEWED,
    "observed/a": CLOSED,
}


@pytest.mark.parametrize(("stream", "said"), OF_EACH_KIND.items(), ids=list(OF_EACH_KIND))
def test_a_stream_begins_with_its_gaming_day(log: EventLog, drafts: Drafts, stream: str, said: Event) -> None:
    with pytest.raises(EventError, match=f"first event of a stream must be gaming_day_opened, not {said.TYPE}"):
        log.append(stream, 1, [drafts(said)])
    assert log.append(stream, 1, [drafts.day(), drafts(said)]).seqs == (1, 2)


@pytest.mark.sampled(4, of="kafka")
@pytest.mark.parametrize("stream", OF_EACH_KIND)
@pytest.mark.parametrize("home", OF_EACH_KIND)
def test_an_event_stands_only_in_a_stream_of_its_kind(log: EventLog, drafts: Drafts, stream: str, home: str) -> None:
    """Nothing of the group is stored if one of it may not be there; a group that may follows under the same number."""
    said = OF_EACH_KIND[home]
    log.append(stream, 1, [drafts.day()])
    if stream == home:
        assert log.append(stream, 2, [drafts(said)]).seqs == (2,)
        return
    with pytest.raises(WrongPlace, match=f"{said.TYPE} may not stand in {stream}: expected .*stream"):
        log.append(stream, 2, [drafts(OF_EACH_KIND[stream]), drafts(said)])
    assert log.head(stream).seq == 1
    assert log.append(stream, 2, [drafts(OF_EACH_KIND[stream])]).seqs == (2,)


@pytest.mark.parametrize(
    ("stream", "instead", "stands"),
    [
        ("table/a", Surrendered(seat=1), True),
        ("table/a", None, True),
        ("table/a", VIEWED, False),
        ("table/a", CONFIGURED, False),
        ("meter/m", RESET, True),
        ("meter/m", Surrendered(seat=1), False),
        ("observed/a", Surrendered(seat=1), True),
        ("observed/a", RoundOpened(deck="d-1", observed=[]), False),
        ("table/a", CLOSED, False),
    ],
)
def test_a_correction_puts_nothing_into_a_stream_that_may_not_stand_there(
    log: EventLog, drafts: Drafts, stream: str, instead: Event | None, stands: bool
) -> None:
    opened = drafts.day()
    log.append(stream, 1, [opened])
    replacement = instead and Replacement(
        payload=msgspec.to_builtins(instead), round_no=None, type=instead.TYPE, version=instead.VERSION
    )
    corrected = drafts(
        EventCorrected(by="sv-1", reason="video", replacement=replacement, supersedes_event_id=opened.event_id, supersedes_seq=1)
    )
    if stands:
        assert log.append(stream, 2, [corrected]).seqs == (2,)
        return
    with pytest.raises(WrongPlace, match=f"would put {instead and instead.TYPE} in the place of event 1"):
        log.append(stream, 2, [corrected])
    assert log.head(stream).seq == 1


def test_the_gaming_day_changes_only_by_its_event(log: EventLog, drafts: Drafts) -> None:
    log.append(TABLE, 1, [drafts.day("2026-03-14"), drafts.wager(), drafts.day("2026-03-15"), drafts.wager()])
    days = ["2026-03-14", "2026-03-14", "2026-03-15", "2026-03-15"]
    assert [envelope.gaming_day for envelope in stored(log)] == days


@pytest.mark.parametrize("reopened", [False, True])
def test_the_gaming_day_never_goes_back(make_log: Backend, log: EventLog, drafts: Drafts, reopened: bool) -> None:
    log.append(TABLE, 1, [drafts.day("2026-03-14"), drafts.wager()])
    log = make_log.reopen() if reopened else log
    with pytest.raises(EventError, match="step back"):
        log.append(TABLE, 3, [drafts.day("2026-03-13")])
    assert log.append(TABLE, 3, [drafts.day("2026-03-14")]).seqs == (3,)


@pytest.mark.parametrize("reopened", [False, True])
def test_the_gaming_day_stays_within_a_round(make_log: Backend, log: EventLog, drafts: Drafts, reopened: bool) -> None:
    opened = drafts(RoundOpened(deck="d-1", observed=[]), round_no=8)
    many = [drafts(Surrendered(seat=1), round_no=8) for _ in range(70)]
    log.append(TABLE, 1, [drafts.day(), *drafts.round(), opened, *many])
    log = make_log.reopen() if reopened else log
    with pytest.raises(EventError, match="a round is open; append round_closed before"):
        log.append(TABLE, 79, [drafts.day("2026-03-15")])
    log.append(TABLE, 79, [drafts(RoundClosed(by="d-2"), round_no=8)])
    log = make_log.reopen() if reopened else log
    assert log.append(TABLE, 80, [drafts.day("2026-03-15")]).seqs == (80,)


@pytest.mark.parametrize("reopened", [False, True])
def test_an_opening_that_comes_after_the_close_of_its_round_does_not_keep_the_next_day_out(
    make_log: Backend, log: EventLog, drafts: Drafts, reopened: bool
) -> None:
    opened, *rest = drafts.round()
    log.append(TABLE, 1, [drafts.day("2026-03-14"), *rest, opened])
    log = make_log.reopen() if reopened else log
    log.append(TABLE, log.head(TABLE).seq + 1, [drafts.day("2026-03-15"), drafts.wager()])
    assert [envelope.gaming_day for envelope in stored(log)][-3:] == ["2026-03-14", "2026-03-15", "2026-03-15"]
    assert verify(log).ok


@pytest.mark.parametrize("reopened", [False, True])
def test_a_table_that_is_closed_has_no_open_round(make_log: Backend, log: EventLog, drafts: Drafts, reopened: bool) -> None:
    opened = drafts(RoundOpened(deck="d-1", observed=[]), round_no=8)
    log.append(TABLE, 1, [drafts.day("2026-03-14"), *drafts.round(), opened, drafts(TableClosed(by="d-2"))])
    log = make_log.reopen() if reopened else log
    log.append(TABLE, log.head(TABLE).seq + 1, [drafts.day("2026-03-15")])
    assert verify(log).ok


def test_a_gaming_day_is_a_day_of_the_calendar(log: EventLog, drafts: Drafts) -> None:
    with pytest.raises(EventError, match="2026-02-30"):
        log.append(TABLE, 1, [drafts(GamingDayOpened(gaming_day="2026-02-30"))])
