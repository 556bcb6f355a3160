"""The pit and the count room enter, in their people's names, what happens at tables; a line is corrected by its number."""

from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from secrets import token_hex

import msgspec
import pytest

from analytics.theory.theory import percent_of
from desk.house import table_lines as of_record
from desk.house.counting import CountRoom, Difference
from desk.house.filing import Office
from desk.house.pit import MAY_CHANGE, Pit, amount_cents, chips_cents
from desk.house.table_lines import KINDS, TableRecord, table_record
from desk.review.persons import Person, Persons, ReviewRefused
from events.sqlite.log import SqliteLog
from events.vocabulary import model
from events.vocabulary.codec import decode
from events.vocabulary.envelope import Draft
from events.vocabulary.places import writers_of
from replay.narrative.events import sentence
from replay.run.replayer import MemoryResults, findings, replay
from rulebook.chapters.rulebook import submission_from_words
from tests.replay.tables import START_US

DAY, NEXT, TODAY = "2026-03-01", "2026-03-02", "2026-03-04"
NOW_US = START_US + 3 * 24 * 3_600 * 1_000_000
NIGHT_US = int(datetime(2026, 3, 2, 2, 14, tzinfo=UTC).timestamp()) * 1_000_000
"""14 minutes past two, of the gaming day before."""
PERSONS = Persons(
    [
        Person(id="m.ortiz", name="M", roles=("compliance", "pit")),
        Person(id="s.kane", name="S", roles=("pit", "count")),
        Person(id="c.lee", name="C", roles=("count",)),
        Person(id="d.doe", name="D"),
    ],
    "persons.toml",
)


@pytest.fixture
def log(tmp_path: Path) -> Iterator[SqliteLog]:
    log = SqliteLog(tmp_path / "floor.db", create=True, property_id="bellwether")
    text = submission_from_words(f"pa-688a effective={DAY} min=15.00".split())
    Office(log, PERSONS, START_US).file(["fu-01", "fu-02"], text, percent_of, by="m.ortiz")
    yield log
    log.close()


@pytest.fixture
def pit(log: SqliteLog) -> Pit:
    return Pit(log, PERSONS, lambda: NOW_US)


@pytest.fixture
def room(log: SqliteLog, tmp_path: Path) -> CountRoom:
    return CountRoom(log, PERSONS, lambda: NOW_US, tmp_path / "counts")


def opened(pit: Pit, table: str = "fu-01", day: str = DAY, cents: int | None = 2_000_000) -> None:
    pit.open(table, by="m.ortiz", cents=cents, dealer="d-07", day=day, at="19:00")


def types(log: SqliteLog, table: str = "fu-01") -> list[str]:
    return [decode(record.data).type for record in log.read(f"table/{table}")]


def test_a_day_at_a_table_and_the_next_begins_with_its_closer(log: SqliteLog, pit: Pit) -> None:
    opened(pit)
    pit.tap_in("fu-01", by="s.kane", dealer="d-08", at="20:00")
    pit.fill("fu-01", by="m.ortiz", cents=200_000, slip="f-1", at="9:14pm")
    pit.credit("fu-01", by="m.ortiz", cents=100_000, slip="c-1", at="21:20")
    pit.close("fu-01", by="m.ortiz", cents=2_100_000, verified_by="s.kane", at="02:14")
    opened(pit, day=NEXT, cents=None)
    record = TableRecord(log, "fu-01")
    (opener,) = [event for line, event in record.counting(model.InventoryCounted) if line.gaming_day == NEXT]
    assert opener == model.InventoryCounted(amount_cents=2_100_000, by="m-ortiz", kind="opener", verified_by=None)
    assert record.opened == model.TableOpened(deal_method="automated_shoe", game="face_up_pai_gow", seats=6, shuffler="automated")
    assert (record.dealer, record.dealers()) == ("d-07", ["d-07", "d-08"])
    late = record.lines[[type(line.entered) for line in record.lines].index(model.TableClosed)]
    assert (late.gaming_day, late.at_us) == (DAY, NIGHT_US)
    results = MemoryResults()
    replay(log, results)
    assert findings(results) == []


def test_a_fill_or_credit_may_name_a_second_person_who_is_another(log: SqliteLog, pit: Pit) -> None:
    opened(pit)
    pit.fill("fu-01", by="m.ortiz", cents=200_000, slip="f-1", verified_by="s.kane", at="21:00")
    pit.credit("fu-01", by="m.ortiz", cents=100_000, slip="c-1", at="21:20")
    with pytest.raises(ReviewRefused, match="another person"):
        pit.credit("fu-01", by="m.ortiz", cents=100_000, slip="c-2", verified_by=" M.Ortiz", at="21:30")
    with pytest.raises(ReviewRefused, match="slip f-1 is line"):
        pit.fill("fu-01", by="m.ortiz", cents=200_000, slip="f-1", at="21:40")
    fill, credit = TableRecord(log, "fu-01").lines[-2:]
    said = model.FillReceived2(amount_cents=200_000, by="m-ortiz", slip="f-1", verified_by="s-kane")
    assert (fill.entered, type(credit.entered)) == (said, model.CreditSent)
    assert sentence(said).endswith(", verified by S-KANE")
    corrected = pit.correct("fu-01", fill.seq, by="s.kane", reason="typed wrong", amount_cents=250_000)
    assert corrected.counts == msgspec.structs.replace(said, amount_cents=250_000)
    results = MemoryResults()
    replay(log, results)
    assert findings(results) == []


def test_second_initials_are_another_registered_persons_and_of_what_counts(log: SqliteLog, pit: Pit) -> None:
    """Entered without a second person, an amount waits; a correction has it wait again, also for one who was named."""
    opened(pit)
    (fill,) = pit.fill("fu-01", by="m.ortiz", cents=200_000, slip="f-1", at="21:00")
    (named,) = pit.credit("fu-01", by="m.ortiz", cents=100_000, slip="c-1", verified_by="s.kane", at="21:20")
    (opener,) = [line for line, _ in TableRecord(log, "fu-01").counting(model.InventoryCounted)]
    assert [line.seq for line in TableRecord(log, "fu-01").awaiting] == [fill.seq, opener.seq]
    before = types(log)
    for act, why in (
        (lambda: pit.initial("fu-01", fill.seq, by=" M.Ortiz"), "m.ortiz entered or corrected line"),
        (lambda: pit.initial("fu-01", fill.seq, by="nobody"), "'nobody' is not registered"),
        (lambda: pit.initial("fu-01", named.seq, by="c.lee"), "waits for no initials"),
        (lambda: pit.initial("fu-01", opener.seq + 2, by="c.lee"), "waits for no initials"),
        (lambda: pit.initial("fu-01", fill.seq, by="c.lee", counts=named.counts), "was corrected meanwhile"),
        (
            lambda: pit.correct("fu-01", opener.seq, by="m.ortiz", reason="x", verified_by="m.ortiz"),
            "the initials must be another person's",
        ),
        (lambda: pit.correct("fu-01", opener.seq, by="m.ortiz", reason="x", verified_by="x"), "'x' is not registered"),
    ):
        with pytest.raises(ReviewRefused, match=why):
            act()
    assert types(log) == before
    initialed = pit.initial("fu-01", fill.seq, by="d.doe", counts=fill.counts)
    said = model.FillReceived2(amount_cents=200_000, by="m-ortiz", slip="f-1", verified_by="d-doe")
    assert (initialed.initials, initialed.shown, initialed.counts) == ("d-doe", said, fill.entered)
    with pytest.raises(ReviewRefused, match="waits for no initials"):
        pit.initial("fu-01", fill.seq, by="s.kane")
    for seq in (fill.seq, named.seq):
        pit.correct("fu-01", seq, by="s.kane", reason="the slip says 250", amount_cents=250_000)
    for seq, by in ((fill.seq, "s.kane"), (named.seq, "s.kane"), (named.seq, "m.ortiz")):
        with pytest.raises(ReviewRefused, match="entered or corrected"):
            pit.initial("fu-01", seq, by=by)
    assert TableRecord(log, "fu-01").awaiting[0].initials is None
    again = pit.initial("fu-01", named.seq, by="c.lee")
    assert again.shown == model.CreditSent2(amount_cents=250_000, by="m-ortiz", slip="c-1", verified_by="c-lee")
    results = MemoryResults()
    replay(log, results)
    assert findings(results) == []


@pytest.mark.parametrize(
    ("act", "why"),
    [
        (lambda pit: pit.fill("fu-01", by="m.ortiz", cents=1, slip="f-1"), "fu-01 is closed; open it first"),
        (lambda pit: pit.open("fu-01", by="m.ortiz", day=DAY), "never closed, so its opener is not known"),
        (lambda pit: pit.open("fu-09", by="m.ortiz", cents=1), "the log has no table 'fu-09': expected one of fu-01, fu-02"),
        (lambda pit: pit.open("fu-01", by="m.ortiz", cents=1, day="2026-02-28"), "is on gaming day 2026-03-01 already"),
        (lambda pit: pit.open("fu-01", by="c.lee", cents=1, day=DAY), "c.lee has count in persons.toml, and this takes pit"),
        (lambda pit: pit.open("fu-01", by="d.doe", cents=1, day=DAY), "d.doe has no role"),
        (lambda pit: pit.open("fu-01", by="m.ortiz", verified_by="M.ORTIZ", cents=1, day=DAY), "another person's"),
        (lambda pit: pit.open("fu-01", by="m.ortiz", verified_by="x", cents=1, day=DAY), "'x' is not registered"),
        (lambda pit: pit.open("fu-01", by="m.ortiz", cents=1, day=DAY, at="25:00"), "--at 25:00"),
        (lambda pit: pit.open("fu-01", by="m.ortiz", cents=1, day="2026-03-09", at="12:00"), "2026-03-09 has not begun"),
        (
            lambda pit: pit.open("fu-01", by="m.ortiz", cents=1, day=DAY, at="2026-03-01T05:59"),
            "is before gaming day 2026-03-01 began",
        ),
        (
            lambda pit: pit.open("fu-01", by="m.ortiz", cents=1, day=TODAY, at="23:59"),
            "2026-03-04 23:59 UTC has not come: by this machine's clock it is 2026-03-04 ",
        ),
        (lambda pit: pit.open("fu-01", by="m.ortiz", cents=1, day=DAY), "it is 2026-03-04 now: say when it happened"),
        (lambda pit: pit.open("fu-01", by="m.ortiz", cents=1, day=DAY, at="19:00", dealer="Mrs X"), "nothing was written"),
    ],
)
def test_what_does_not_fit_is_refused_and_writes_nothing(
    log: SqliteLog, pit: Pit, act: Callable[[Pit], object], why: str
) -> None:
    before = types(log)
    with pytest.raises(ReviewRefused, match=why):
        act(pit)
    assert types(log) == before


def test_an_open_table_refuses_what_cannot_be(log: SqliteLog, pit: Pit) -> None:
    opened(pit)
    pit.fill("fu-01", by="m.ortiz", cents=1, slip="f-1", at="20:00")
    before = types(log)
    for act, why in (
        (lambda: opened(pit), "is open already"),
        (lambda: pit.tap_in("fu-01", by="m.ortiz", dealer="d-07"), "deals at fu-01 already"),
        (lambda: pit.fill("fu-01", by="s.kane", cents=1, slip="f-1"), "slip f-1 is line 6 already"),
        (lambda: pit.device_out("fu-01", by="m.ortiz", device="hopper", fault="jam"), "hopper"),
        (
            lambda: pit.correct("fu-01", 6, by="m.ortiz", reason="x", dealer="d-01"),
            "has no dealer to correct: expected amount, slip",
        ),
        (lambda: pit.correct("fu-01", 2, by="m.ortiz", reason="x"), "fu-01 has no line 2"),
        (lambda: pit.correct("fu-01", 6, by="m.ortiz", reason="x", amount_cents=1), "says that already"),
    ):
        with pytest.raises(ReviewRefused, match=why):
            act()
    assert types(log) == before


def test_a_line_is_corrected_again_and_struck_and_what_was_entered_stays(log: SqliteLog, pit: Pit) -> None:
    opened(pit)
    (line,) = pit.fill("fu-01", by="m.ortiz", cents=100, slip="f-1", at="20:00")
    once = pit.correct("fu-01", line.seq, by="s.kane", reason="slip says 200", amount_cents=200)
    assert once.counts == model.FillReceived(amount_cents=200, by="m-ortiz", slip="f-1")
    again = pit.correct("fu-01", line.seq, by="m.ortiz", reason="slip is 2", slip="f-2")
    assert again.counts == model.FillReceived(amount_cents=200, by="m-ortiz", slip="f-2")
    struck = pit.correct("fu-01", line.seq, by="m.ortiz", reason="another table")
    assert (struck.entered, struck.counts) == (line.entered, None)
    assert [each.by for each in struck.amendments] == ["s-kane", "m-ortiz", "m-ortiz"]
    with pytest.raises(ReviewRefused, match="was struck already"):
        pit.correct("fu-01", line.seq, by="m.ortiz", reason="again")


def test_what_came_after_the_end_of_the_day_has_its_date(log: SqliteLog, pit: Pit) -> None:
    opened(pit)
    with pytest.raises(ReviewRefused, match="say when it happened"):
        pit.close("fu-01", by="m.ortiz", cents=1)
    *_, closed = pit.close("fu-01", by="m.ortiz", cents=1, at="2026-03-02T06:10")
    assert (closed.gaming_day, closed.at_us - NIGHT_US) == (DAY, (3 * 3_600 + 56 * 60) * 1_000_000)
    *_, today = pit.open("fu-01", by="m.ortiz")
    assert (today.gaming_day, today.at_us) == (TODAY, NOW_US)


def test_people_correct_only_what_people_of_their_place_entered(log: SqliteLog, pit: Pit, room: CountRoom) -> None:
    opened(pit)
    with pytest.raises(ReviewRefused, match="correct only what the count entered"):
        room.correct("fu-01", 3, by="c.lee", reason="x")


def test_every_line_that_the_pit_or_the_count_enters_is_one_that_it_may_write() -> None:
    for cls in MAY_CHANGE:
        assert cls in KINDS
        assert {"pit", "count"} & writers_of("table/a", cls.TYPE)


@pytest.mark.parametrize(("text", "cents"), [("25x20,100x5", 100_000), ("0.50x3", 150), ("5x0", 0), ("25x20, 5x1", 50_500)])
def test_chips_are_value_times_number(text: str, cents: int) -> None:
    assert chips_cents(text) == cents


@pytest.mark.parametrize("text", ["", "25", "25x", "x20", "25x20,25x1", "-5x1", "25x1.5", "25×20"])
def test_what_is_no_count_of_chips_is_refused(text: str) -> None:
    with pytest.raises(ReviewRefused):
        chips_cents(text)


@pytest.mark.parametrize("text", ["", "-1", "1,00.00", "1.5", "12345,678", "1e3", "$5"])
def test_what_is_no_amount_is_refused(text: str) -> None:
    with pytest.raises(ReviewRefused):
        amount_cents(text)


# ------------------------------------------------------------------------------------------------------------- the count room


def drops(log: SqliteLog, table: str = "fu-01") -> list[tuple[str, int, str]]:
    record = TableRecord(log, table)
    return [
        (line.source, event.amount_cents, event.gaming_day)
        for line, event in record.counting(model.DropCounted)
        if isinstance(event, model.DropCounted)
    ]


def test_boxes_are_written_once_two_people_agree(log: SqliteLog, pit: Pit, room: CountRoom) -> None:
    opened(pit)
    opened(pit, "fu-02")
    assert room.boxes(DAY) == ["fu-01", "fu-02"]
    room.enter(DAY, {"fu-01": 100, "fu-02": 200}, by="c.lee")
    assert drops(log) == []
    with pytest.raises(ReviewRefused, match="the second must be another person's"):
        room.enter_second(DAY, {"fu-01": 100, "fu-02": 200}, by="c.lee")
    assert room.enter_second(DAY, {"fu-01": 100, "fu-02": 200}, by="s.kane") == []
    assert (drops(log), drops(log, "fu-02")) == ([("count-c-lee", 100, DAY)], [("count-c-lee", 200, DAY)])
    assert room.boxes(DAY) == []
    for act in (room.enter, room.enter_second):
        with pytest.raises(ReviewRefused, match=r"counted already, as line|no first entry"):
            act(DAY, {"fu-01": 100}, by="s.kane")


def test_what_differs_is_shown_and_nothing_is_written_until_it_is_settled(log: SqliteLog, pit: Pit, room: CountRoom) -> None:
    opened(pit)
    opened(pit, "fu-02")
    room.enter(DAY, {"fu-01": 100}, by="c.lee")
    differing = room.enter_second(DAY, {"fu-01": 150, "fu-02": 200}, by="s.kane")
    assert differing == [Difference(table="fu-01", first=100, again=150), Difference(table="fu-02", first=None, again=200)]
    assert drops(log) == []
    with pytest.raises(ReviewRefused, match="what differs on 2026-03-01 is fu-01, fu-02"):
        room.settle(DAY, {"fu-01": 150}, by="c.lee", reason="recounted")
    room.settle(DAY, {"fu-01": 150, "fu-02": 200}, by="c.lee", reason="recounted")
    assert (drops(log), drops(log, "fu-02")) == ([("count-c-lee", 150, DAY)], [("count-s-kane", 200, DAY)])
    (line,) = [line for line, _ in TableRecord(log, "fu-01").counting(model.DropCounted)]
    assert (line.entered, [each.reason for each in line.amendments]) == (
        model.DropCounted(amount_cents=100, box="fu-01", by="c-lee", gaming_day=DAY),
        ["recounted"],
    )


@pytest.mark.parametrize(
    ("day", "grid", "by", "why"),
    [
        (DAY, {"fu-02": 1}, "c.lee", "fu-02 was not open on gaming day"),
        (DAY, {"fu-09": 1}, "c.lee", "has no table 'fu-09'"),
        (DAY, {}, "c.lee", "no box is named"),
        (DAY, {"fu-01": 1}, "m.ortiz", "this takes count"),
        ("../../x", {"fu-01": 1}, "c.lee", "was not open on gaming day|expected a gaming day"),
    ],
)
def test_what_is_no_count_is_refused(pit: Pit, room: CountRoom, day: str, grid: dict[str, int], by: str, why: str) -> None:
    opened(pit)
    with pytest.raises(ReviewRefused, match=why):
        room.enter(day, grid, by=by)


def test_a_table_is_read_on_and_not_again_and_what_devices_report_is_not_decoded(
    log: SqliteLog, pit: Pit, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened(pit)
    decoded: list[int] = []
    monkeypatch.setattr(of_record, "decode", lambda data: decoded.append(len(data)) or decode(data))

    def number(source: str) -> int:
        return sum(decode(each.data).source == source for each in log.read("table/fu-01")) + 1

    def device(payload: model.Event) -> None:
        draft = Draft(
            event_id=token_hex(16), source="dev-1", source_seq=number("dev-1"), occurred_at_us=NOW_US, round_no=None,
            payload=payload,
        )  # fmt: skip
        log.append("table/fu-01", log.head("table/fu-01").seq + 1, [draft])

    def same() -> TableRecord:
        now, whole = table_record(log, "fu-01"), TableRecord(log, "fu-01")
        assert (now.last, now.gaming_day, now.numbers, now.ids) == (whole.last, whole.gaming_day, whole.numbers, whole.ids)
        assert (now.lines, now.filed, vars(now.filings)) == (whole.lines, whole.filed, vars(whole.filings))
        return now

    table_record(log, "fu-01")
    for _ in range(20):
        device(model.PatronLeft(patron="p-1", seat=1))
    decoded.clear()
    assert table_record(log, "fu-01").last == log.head("table/fu-01").seq
    assert len(decoded) == 1  # the last, for its gaming day
    fill = pit.fill("fu-01", by="m.ortiz", cents=200_000, slip="f-1", at="9:14pm")[0]
    same()
    pit.correct("fu-01", fill.seq, by="s.kane", reason="typed wrong", amount_cents=250_000)
    device(model.DealerTappedIn(dealer="d-09"))
    changed = same()
    assert changed.dealer == "d-09"
    changed.lines.clear()  # what one caller does with it, another does not see
    changed.numbers["pit-m-ortiz"] = 99
    same()


def test_a_table_whose_stream_ends_otherwise_is_read_from_its_beginning(tmp_path: Path, log: SqliteLog, pit: Pit) -> None:
    opened(pit)
    known = table_record(log, "fu-01")
    known._end = b"{}"
    assert not known.read_on(log)
    known = table_record(log, "fu-01")
    known.last += 1
    assert not known.read_on(log)
