"""What `rack ingest` takes and what it refuses."""

import io
import json
import tracemalloc
from collections.abc import Iterator
from contextlib import closing
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from events.errors import EventError
from events.log.contract import UNKNOWN_STREAM
from events.sqlite.log import SqliteLog
from events.vocabulary.codec import decode
from events.vocabulary.envelope import Draft
from events.vocabulary.model import Event, GamingDayOpened, IntakeRefused, NoMoreBets, RoundClosed, RoundOpened, TotalAnnounced
from intake.appending import BATCH_BYTES, IntakeSummary, append_lines
from intake.lines import KEPT_BYTES, AcceptedLine, Refusal, line_of, notice, parse_line, read_line, read_lines
from rack.cli import main
from tests.contract.drafts import TABLE as FU_07
from tests.contract.drafts import Drafts

TABLE = "table/fu-01"


def draft(number: int, payload: Event, round_no: int | None = 1, source: str = "fu-01-dealer") -> Draft:
    return Draft(
        event_id=f"{number:032x}",
        source=source,
        source_seq=number,
        occurred_at_us=1_000_000 * number,
        round_no=round_no,
        payload=payload,
    )


DAY = draft(1, GamingDayOpened(gaming_day="2026-03-01"), round_no=None)
TOTAL = draft(3, TotalAnnounced(total=9))
ROUND = [
    DAY,
    draft(2, RoundOpened(deck="d1", observed=["start"])),
    TOTAL,
    draft(4, NoMoreBets(announced_by="dealer")),
    draft(5, RoundClosed(by="d-7")),
]


@pytest.fixture
def log(tmp_path: Path) -> Iterator[SqliteLog]:
    log = SqliteLog(tmp_path / "floor.db", create=True, property_id="bellwether")
    yield log
    log.close()


def lines(*drafts: Draft) -> list[bytes]:
    return [line_of(TABLE, each) for each in drafts]


def taken(log: SqliteLog, data: list[bytes]) -> IntakeSummary:
    *_, last = append_lines(log, (read_line(line, f"day.jsonl:{number}") for number, line in enumerate(data, 1)))
    return last


def stored(log: SqliteLog) -> list[tuple[str, int | None]]:
    return [(event.type, event.round_no) for event in (decode(record.data) for record in log.read(TABLE))]


def test_a_line_reads_back_as_the_draft_it_was_made_from() -> None:
    assert [parse_line(line) for line in lines(*ROUND)] == [(TABLE, each) for each in ROUND]


@pytest.mark.parametrize(
    "spelling",
    [
        lambda fields: json.dumps(fields),
        lambda fields: json.dumps(fields, indent=1).replace("\n", " "),
        lambda fields: json.dumps(dict(reversed(fields.items()))),
        lambda fields: json.dumps(fields | {"payload": fields["payload"]}).replace('"total": 9', '"total" : 9'),
        lambda fields: json.dumps(fields, separators=(",", ":"), sort_keys=True).replace('"total":9', '"total": 9'),
        lambda fields: "  " + json.dumps(fields),
    ],
)
def test_a_device_may_write_its_json_as_it_likes(spelling) -> None:
    fields = json.loads(line_of(TABLE, TOTAL))
    assert parse_line(spelling(fields).encode()) == (TABLE, TOTAL)


GOOD = line_of(TABLE, TOTAL).decode()


@pytest.mark.parametrize(
    ("line", "said", "stream"),
    [
        ("", "expected an event as one JSON object", None),
        ("{", "expected an event as one JSON object", None),
        ("[]", "expected an event as one JSON object", None),
        (GOOD[:-20], "expected an event as one JSON object", TABLE),
        (GOOD + " x", "expected an event as one JSON object", TABLE),
        (GOOD.replace("total_announced", "total_invented"), "unknown event 'total_invented' version 1", TABLE),
        (GOOD.replace('"version":1', '"version":2'), "unknown event 'total_announced' version 2", TABLE),
        (GOOD.replace('"version":1', '"version":1,"x":1'), "unknown field `x`", TABLE),
        (GOOD.replace('"total":9', '"total":9,"x":1'), "unknown field `x`", TABLE),
        (GOOD.replace('"total":9', '"total":9,"total":8'), "the field 'total' stands twice", TABLE),
        (GOOD.replace('"round_no":1', '"round_no":1,"round_no":2'), "the field 'round_no' stands twice", TABLE),
        (GOOD.replace('"total":9', '"total":9.0'), "total_announced v1", TABLE),
        (GOOD.replace('"total":9', '"total":"9"'), "total_announced v1", TABLE),
        (GOOD.replace('"total":9', '"total":NaN'), "expected an event as one JSON object", TABLE),
        (GOOD.replace('"total":9', '"total":1' + "0" * 30), "total_announced v1", TABLE),
        (GOOD.replace('"total":9', '"total":100'), "<= 99", TABLE),
        (GOOD.replace('"source":"fu-01-dealer"', '"source":"A B"'), "$.source", TABLE),
        (GOOD.replace(TABLE, "table/FU"), "$.stream", None),
        (GOOD.replace(TABLE, "cage/1"), "$.stream", None),
        (GOOD.replace('"source_seq":3', '"source_seq":0'), "$.source_seq", TABLE),
        ('{"stream":"table/fu-01"}', "missing required field", TABLE),
        ("[" * 100_000, "expected an event as one JSON object", None),
        ("x" * 600_000, "the line has 600000 bytes", None),
    ],
)
def test_what_is_refused_and_why(line: str, said: str, stream: str | None) -> None:
    with pytest.raises(EventError):
        parse_line(line.encode())
    refusal = read_line(line.encode(), "day.jsonl:7")
    assert isinstance(refusal, Refusal)
    assert said in refusal.reason
    assert (refusal.stream, refusal.where, refusal.data) == (stream, "day.jsonl:7", line.encode())


@pytest.mark.parametrize("bad", [b"\xff\xfe{", b'{"stream":"\xff"}', GOOD.replace("fu-01-dealer", "\\ud800").encode()])
def test_text_that_is_none_is_refused(bad: bytes) -> None:
    assert isinstance(read_line(bad, "x:1"), Refusal)


def test_the_rest_goes_in_and_a_notice_takes_the_place_of_what_was_refused(log: SqliteLog) -> None:
    data = lines(*ROUND)
    data[2] = data[2].replace(b'"total":9', b'"total":900')
    account = taken(log, data)
    assert (account.lines, account.appended, account.duplicates) == (5, 5, 0)
    assert [(refused.where, refused.stream) for refused in account.refused] == [("day.jsonl:3", TABLE)]
    assert stored(log) == [
        ("gaming_day_opened", None),
        ("round_opened", 1),
        ("intake_refused", 1),
        ("no_more_bets", 1),
        ("round_closed", 1),
    ]
    (held,) = log.quarantined()
    assert (held.stream, held.data, held.sha256) == (TABLE, data[2], sha256(data[2]).hexdigest())
    refusal = decode(list(log.read(TABLE))[2].data).payload
    assert isinstance(refusal, IntakeRefused)
    assert (refusal.sha256, refusal.size) == (held.sha256, len(data[2]))


def test_the_same_file_twice_changes_nothing(log: SqliteLog) -> None:
    data = lines(*ROUND)
    data[2:3] = [data[2][:-30], b"no json at all"]
    taken(log, data)
    before, quarantined = log.head(TABLE), log.quarantined()
    again = taken(log, data)
    assert (again.appended, again.duplicates, len(again.refused)) == (0, 5, 2)
    assert (log.head(TABLE), log.quarantined()) == (before, quarantined)


def test_a_line_whose_stream_nobody_can_read_is_only_quarantined(log: SqliteLog) -> None:
    account = taken(log, [*lines(DAY), b"garbage"])
    assert (account.lines, account.appended) == (2, 1)
    assert [(held.stream, held.data) for held in log.quarantined()] == [(UNKNOWN_STREAM, b"garbage")]


def test_refused_lines_are_stored_in_one_commit(log: SqliteLog, monkeypatch: pytest.MonkeyPatch) -> None:
    kept, quarantine = list[int](), log.quarantine
    monkeypatch.setattr(log, "quarantine", lambda *entries: (kept.append(len(entries)), quarantine(*entries)))
    account = taken(log, [*lines(DAY), *(b"garbage %d" % number for number in range(300))])
    assert len(account.refused) == 300
    assert kept == [300]


def test_what_the_log_itself_refuses_is_found_and_refused_alone(log: SqliteLog) -> None:
    """A gaming day inside a round is well-formed, and may not be there."""
    inside = draft(9, GamingDayOpened(gaming_day="2026-03-02"), round_no=None, source="clock")
    account = taken(log, lines(*ROUND[:3], inside, *ROUND[3:]))
    assert (account.lines, account.appended) == (6, 6)
    assert [refused.where for refused in account.refused] == ["day.jsonl:4"]
    assert "a round is open" in account.refused[0].reason
    assert [type_ for type_, _ in stored(log)][3] == "intake_refused"


def test_a_stream_that_was_never_opened_keeps_nothing_and_quarantine_everything(log: SqliteLog) -> None:
    account = taken(log, lines(TOTAL))
    assert (account.lines, account.appended, len(account.refused)) == (1, 0, 1)
    assert log.streams() == []
    assert "gaming_day_opened" in log.quarantined()[0].reason


def test_a_notice_is_a_function_of_the_refused_bytes() -> None:
    refusal = Refusal("a:1", GOOD[:-5].encode(), TABLE, "because \u2026 " + "x" * 1000)
    first = notice(TABLE, refusal)
    assert first == notice(TABLE, Refusal("b:9", refusal.data, TABLE, refusal.reason))
    assert (first.round_no, first.occurred_at_us) == (1, TOTAL.occurred_at_us)
    other = notice(TABLE, Refusal("a:1", GOOD[:-6].encode(), TABLE, refusal.reason))
    assert (other.event_id, other.source) != (first.event_id, first.source)
    assert isinstance(first.payload, IntakeRefused)
    assert len(first.payload.reason) <= 400


@pytest.mark.parametrize(
    ("stated", "kept"),
    [(0, 0), (1, 1), (1_773_500_000_000_000, 1_773_500_000_000_000), (2**53 - 1, 2**53 - 1), (2**53, 0), (10**17, 0)],
)
def test_a_notice_takes_over_a_time_and_a_round_that_can_be_meant(stated: int, kept: int) -> None:
    """Microseconds of this century have sixteen digits."""
    data = f'{{"occurred_at_us":{stated},"round_no":{stated},"stream":"{TABLE}"'.encode()
    made = notice(TABLE, Refusal("a:1", data, TABLE, "torn"))
    assert (made.occurred_at_us, made.round_no or 0) == (kept, kept)


def test_a_report_keeps_its_bytes() -> None:
    report = read_line(GOOD.encode(), "a:1")
    assert report == AcceptedLine("a:1", GOOD.encode(), TABLE, TOTAL)


# -------------------------------------------------------------------------------------------------------- endless input


class Endless(io.RawIOBase):
    """A file of this many bytes of which none is a line's end, made as they are read."""

    def __init__(self, left: int) -> None:
        self.left = left

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        count = min(len(buffer), self.left)
        self.left -= count
        buffer[:count] = b"x" * count
        return count


@pytest.mark.slow
def test_of_an_endless_line_no_more_is_held_than_is_kept() -> None:
    length = 64 * KEPT_BYTES
    tracemalloc.start()
    (refusal,) = read_lines(io.BufferedReader(Endless(length)), "day.jsonl")
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert most < 8 * KEPT_BYTES
    assert isinstance(refusal, Refusal)
    assert refusal.data == b"x" * KEPT_BYTES
    assert f"the line has {length} bytes" in refusal.reason
    assert sha256(b"x" * length).hexdigest() in refusal.reason


@pytest.mark.parametrize("over", [-1, 0, 1, KEPT_BYTES])
def test_a_line_after_an_overlong_one_has_its_number_and_is_read(log: SqliteLog, over: int) -> None:
    long = b'{"stream":"table/fu-01",' + b"x" * (KEPT_BYTES + over - 24)
    assert len(long) == KEPT_BYTES + over
    file = io.BytesIO(b"\n".join([lines(DAY)[0], long, b"", *lines(*ROUND[1:])]))
    first, refusal, *rest = read_lines(file, "day.jsonl")
    assert isinstance(refusal, Refusal)
    assert (refusal.where, refusal.stream, refusal.data) == ("day.jsonl:2", TABLE, long[:KEPT_BYTES])
    assert [each.where for each in rest] == ["day.jsonl:4", "day.jsonl:5", "day.jsonl:6", "day.jsonl:7"]
    *_, account = append_lines(log, [first, refusal, *rest])
    assert (account.appended, len(account.refused)) == (6, 1)
    assert [entry.data for entry in log.quarantined()] == [long[:KEPT_BYTES]]


@pytest.mark.slow
def test_long_lines_are_taken_a_few_at_a_time(log: SqliteLog) -> None:
    held = 0

    def reports() -> Iterator[Refusal]:
        nonlocal held
        for number in range(40):
            held += KEPT_BYTES
            yield Refusal(f"day.jsonl:{number}", b"%d" % number + b"x" * KEPT_BYTES, None, "is no event")

    handed = [held for _ in append_lines(log, reports())]
    assert handed[0] <= BATCH_BYTES
    assert len(log.quarantined()) == 40


@pytest.mark.parametrize("indent", [None, 2])
@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
@pytest.mark.parametrize("whole", [False, True], ids=["one after another", "array"])
def test_a_file_of_json_texts_is_read_as_tools_write_it(tmp_path: Path, indent: int | None, mark: bytes, whole: bool) -> None:
    drafts = Drafts()
    reports = [json.loads(line_of(FU_07, each)) for each in (drafts.day(), drafts.wager(), drafts.wager())]
    text = json.dumps(reports, indent=indent) if whole else "\n".join(json.dumps(each, indent=indent) for each in reports)
    file = tmp_path / "day.json"
    file.write_bytes(mark + text.encode())
    assert main(["ingest", str(file), "--log", f"sqlite:{tmp_path}/floor.db", "--property", "p"]) == 0
    with closing(SqliteLog(tmp_path / "floor.db", read_only=True)) as log:
        assert log.head(FU_07).seq == 3
