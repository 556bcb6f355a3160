"""Which events come in by which door: each type of the vocabulary, at each kind of stream, from each who hands lines in."""

import io
import json
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from unittest.mock import patch

import msgspec
import pytest

from desk.keys import SOURCE as KEYS_SOURCE
from desk.keys import KeyBook
from desk.review.desk import SOURCE as DESK_SOURCE
from desk.review.desk import Desk
from desk.review.observations import source_of
from events.errors import EventError, WrongPlace
from events.proofs.keys import new_key
from events.proofs.signed_note import KeyKind
from events.proofs.verify import verify
from events.sqlite.log import SqliteLog
from events.vocabulary import model
from events.vocabulary.codec import decode
from events.vocabulary.envelope import Draft
from events.vocabulary.model import REGISTRY, Event, EventCorrected, Replacement
from events.vocabulary.places import PLACES
from intake.appending import IntakeSummary, append_lines
from intake.lines import AcceptedLine, Refusal, line_of, notice, read_line
from intake.office import append_office_lines
from intake.quarantine import quarantine_cases, redrive
from intake.writer_rights import RESERVED, RESERVED_BEGINNINGS, check_line, owner_of
from rack.cli import main
from replay.run.replayer import MemoryResults, adjudications, replay
from tests.golden.events.make import payload_of
from tests.replay.tables import PAID, PROPERTY, Table

STREAMS = {
    "table": "table/fu-01",
    "meter": "meter/m-1",
    "review": "review/fu-01",
    "property": "property/main",
    "observed": "observed/fu-01",
}
BECAUSE = {"by": "sv-1", "reason": "read from the video"}
RESOLVED = model.FindingResolved(
    amount_cents=None, by="sv-9", disposition="false_alarm", duplicate_of=None, finding_id="a" * 32, reason="forged", signs=None
)
VIEWED = model.RecordViewed(by="sv-9", reason="forged", what="round")
CONFIGURED = model.PropertyConfigured(currency="USD", gaming_day_cutover="06:00", name="Forged", time_zone="UTC")


def draft(payload: Event, number: int = 1, source: str = "device-1", event_id: str = "") -> Draft:
    return Draft(
        event_id=event_id or f"{0xF0000 + number:032x}",
        source=source,
        source_seq=number,
        occurred_at_us=number,
        round_no=None,
        payload=payload,
    )


def correction(
    instead: Event | None, seq: int = 2, event_id: str = "0f" * 16, cls: type[EventCorrected] = EventCorrected
) -> EventCorrected:
    replacement = instead and Replacement(
        payload=msgspec.to_builtins(instead), round_no=1, type=instead.TYPE, version=instead.VERSION
    )
    return cls(by="sv-1", reason="seen", replacement=replacement, supersedes_event_id=event_id, supersedes_seq=seq)


def take_in(log: SqliteLog, *data: bytes) -> IntakeSummary:
    *_, taken = append_lines(log, (read_line(line, f"day.jsonl:{number}") for number, line in enumerate(data, 1)))
    return taken


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "floor.db"


@pytest.fixture
def log(path: Path) -> Iterator[SqliteLog]:
    """A log with a table and one round, the property's day, and a review stream that the desk opened."""
    log = SqliteLog(path, create=True, property_id=PROPERTY)
    table = Table()
    table.play(1, PAID)
    log.append_groups([(table.stream, table.drafts), ("property/main", Table("property/main").drafts)])
    Desk(log, MemoryResults()).viewed("fu-01", 1, what="round", by="sv-1", reason="first look")
    yield log
    log.close()


def stored(log: SqliteLog) -> dict[str, list[str]]:
    return {stream: [decode(record.data).type for record in log.read(stream)] for stream in log.streams()}


# ----------------------------------------------------------------------------------------------------- every type, each door


@pytest.mark.parametrize("writer", ["device", "office", "pit", "count"])
@pytest.mark.parametrize("kind", STREAMS)
def test_a_line_passes_where_its_writer_may_write_it_and_nowhere_else(kind: str, writer: str) -> None:
    for cls in REGISTRY.values():
        payload = correction(None, cls=cls) if issubclass(cls, EventCorrected) else payload_of(cls, empty=False)
        data = line_of(STREAMS[kind], draft(payload))
        read = read_line(data, "day.jsonl:7", writer)
        if writer in PLACES[cls.TYPE].get(kind, ()):
            assert read == AcceptedLine("day.jsonl:7", data, STREAMS[kind], draft(payload))
            continue
        assert isinstance(read, Refusal), cls
        assert (read.where, read.stream, read.data) == ("day.jsonl:7", STREAMS[kind], data)
        assert cls.TYPE in read.reason
        assert STREAMS[kind] in read.reason


@pytest.mark.parametrize("kind", ["table", "meter"])
def test_a_correction_puts_only_in_the_place_of_an_event_what_its_writer_could_report(kind: str) -> None:
    for cls in REGISTRY.values():
        if issubclass(cls, EventCorrected):
            continue  # no correction can be replaced by a correction: tests/events/vocabulary/test_model.py
        read = read_line(line_of(STREAMS[kind], draft(correction(payload_of(cls, empty=False)))), "day.jsonl:7")
        assert isinstance(read, AcceptedLine) == ("device" in PLACES[cls.TYPE].get(kind, ())), cls
        assert isinstance(read, AcceptedLine) or cls.TYPE in read.reason


@pytest.mark.parametrize(
    ("stream", "payload", "writer", "sentence"),
    [
        (
            "review/fu-01",
            RESOLVED,
            "device",
            "finding_resolved in review/fu-01 is written by the desk, not by devices; sign it in a person's name with "
            "`rack review` or `rack observe`, or on the pages",
        ),
        (
            "observed/fu-01",
            model.Surrendered(seat=1),
            "device",
            "surrendered in observed/fu-01 is written by the desk, not by devices; sign it in a person's name with "
            "`rack review` or `rack observe`, or on the pages",
        ),
        (
            "property/main",
            model.KeyRetired(by="x", public_key="a+00000000+" + "A" * 44, reason="x"),
            "office",
            "key_retired in property/main is written by `rack keys`, not by the office; publish and retire keys with `rack keys`",
        ),
        (
            "property/main",
            CONFIGURED,
            "device",
            "property_configured in property/main is written by the office, not by devices; let the office hand it in with "
            "`rack ingest --office`",
        ),
        (
            "property/main",
            model.GamingDayOpened(gaming_day="2026-03-01"),
            "device",
            "gaming_day_opened in property/main is written by the office, not by devices; let the office hand it in with "
            "`rack ingest --office`",
        ),
        (
            "property/main",
            model.Surrendered(seat=1),
            "device",
            "surrendered may not stand in property/main: expected a table's stream (table/<id>) or a stream of observed "
            "rounds (observed/<table>)",
        ),
        (
            "table/fu-01",
            model.Surrendered(seat=1),
            "office",
            "surrendered in table/fu-01 is written by devices, not by the office; hand it in with `rack ingest`, "
            "without --office",
        ),
        (
            "table/fu-01",
            model.IntakeRefused(reason="x", sha256="0" * 64, size=1),
            "device",
            "intake_refused in table/fu-01 is written by intake itself, not by devices; leave it out: whatever is refused gets "
            "its notice here",
        ),
        (
            "table/fu-01",
            correction(model.IntakeRefused(reason="x", sha256="0" * 64, size=1)),
            "device",
            "intake_refused in the place of table/fu-01 event 2 is written by intake itself, not by devices; leave it out: "
            "whatever is refused gets its notice here",
        ),
        (
            "table/fu-01",
            correction(VIEWED),
            "device",
            "event_corrected in table/fu-01 would put record_viewed in the place of event 2: expected an event of this stream; "
            "record_viewed belongs in a review stream (review/<table>)",
        ),
    ],
)
def test_the_sentence_names_the_event_who_writes_it_and_what_to_do(
    stream: str, payload: Event, writer: str, sentence: str
) -> None:
    with pytest.raises(WrongPlace) as refused:
        check_line(writer, stream, draft(payload))
    assert str(refused.value) == sentence


# -------------------------------------------------------------------------------------------------- what a refused line leaves


@pytest.mark.parametrize(
    ("stream", "payload"),
    [
        ("review/fu-01", RESOLVED),
        ("review/fu-01", VIEWED),
        ("review/fu-01", model.Surrendered(seat=1)),
        ("review/fu-77", VIEWED),
        ("observed/fu-01", model.Surrendered(seat=1)),
        ("observed/fu-01", payload_of(model.RoundObserved, empty=False)),
        ("property/main", CONFIGURED),
        ("property/main", payload_of(model.KeyPublished, empty=False)),
        ("property/main", model.Surrendered(seat=1)),
    ],
)
def test_a_forged_line_stays_in_quarantine_and_touches_no_stream(log: SqliteLog, stream: str, payload: Event) -> None:
    before, data = stored(log), line_of(stream, draft(payload))
    taken = take_in(log, data)
    assert (taken.lines, taken.appended, [refused.stream for refused in taken.refused]) == (1, 0, [stream])
    assert stored(log) == before
    (entry,) = quarantine_cases(log)
    assert (entry.entry.data, entry.stream, entry.refused_seq) == (data, stream, None)
    assert payload.TYPE in entry.entry.reason
    results = MemoryResults()
    replay(log, results)
    assert [each.verdict for each in adjudications(results)] == ["UPHELD"]


@pytest.mark.parametrize("line", [b'{"stream":"review/fu-01",', b'{"stream":"property/main","x":1}'])
def test_rubbish_for_another_stream_leaves_no_notice_there(log: SqliteLog, line: bytes) -> None:
    before = stored(log)
    assert len(take_in(log, line).refused) == 1
    assert stored(log) == before
    assert [entry.data for entry in log.quarantined()] == [line]


def test_the_stream_of_a_refusal_is_the_one_that_was_read_however_it_is_spelled() -> None:
    data = line_of("review/fu-01", draft(VIEWED)).replace(b"review/fu-01", b"review\\/fu-01")
    read = read_line(data, "day.jsonl:1")
    assert isinstance(read, Refusal)
    assert read.stream == "review/fu-01"


def test_a_forged_line_at_a_table_leaves_its_notice_there(log: SqliteLog) -> None:
    taken = take_in(log, line_of("table/fu-01", draft(VIEWED)))
    assert (taken.appended, len(taken.refused)) == (1, 1)
    assert stored(log)["table/fu-01"][-1] == "intake_refused"


def test_the_rest_of_a_batch_goes_in(log: SqliteLog) -> None:
    data = [line_of("table/fu-01", draft(model.ShiftChanged(shift="night"), number)) for number in (1, 2)]
    taken = take_in(log, data[0], line_of("review/fu-01", draft(RESOLVED)), data[1])
    assert (taken.lines, taken.appended) == (3, 2)
    assert [refused.where for refused in taken.refused] == ["day.jsonl:2"]


# ---------------------------------------------------------------------------------------------------------- reserved sources


@pytest.mark.parametrize("source", [*RESERVED, *(f"{beginning}0f0f" for beginning in RESERVED_BEGINNINGS)])
@pytest.mark.parametrize("writer", ["device", "office"])
def test_no_line_claims_the_source_of_a_writer_within(source: str, writer: str) -> None:
    stream, payload = ("table/fu-01", model.Surrendered(seat=1)) if writer == "device" else ("property/main", CONFIGURED)
    check_line(writer, stream, draft(payload, source=f"x-{source}"[:32]))
    with pytest.raises(WrongPlace, match=f"names the source {source}, which is that of .*: expected a name of the device's"):
        check_line(writer, stream, draft(payload, source=source))


def test_the_sources_of_all_writers_within_are_reserved(log: SqliteLog) -> None:
    assert {KEYS_SOURCE, DESK_SOURCE} == set(RESERVED)
    made = notice("table/fu-01", Refusal("a:1", b"x", "table/fu-01", "x"))
    assert owner_of(made.source) == "intake"
    assert owner_of(source_of("s.kane")) == "desk"


def test_a_publication_works_whatever_was_claimed_in_its_name(log: SqliteLog, tmp_path: Path) -> None:
    """Somebody knows the next number and (from the program) how ids are made, and hands everything in first."""
    signer = new_key(tmp_path / "key", KeyBook(log).origin, KeyKind.LOG)
    published = model.KeyPublished(by="sv-1", public_key=str(signer.public_key), vouch=None)
    for number in range(1, 4):
        for stream in ("property/main", "table/fu-01", "review/fu-01"):
            data = line_of(stream, draft(published, number, source=KEYS_SOURCE))
            assert isinstance(read_line(data, "x:1"), Refusal)
            take_in(log, data)
        with pytest.raises(EventError):
            append_office_lines(log, io.BytesIO(line_of("property/main", draft(CONFIGURED, number, KEYS_SOURCE))), "office.jsonl")
    seq = KeyBook(log).publish(signer.public_key, "sv-1")
    assert decode(list(log.read("property/main"))[seq - 1].data).payload == published
    assert KeyBook(log).in_force() == [signer.public_key]


def test_the_id_of_a_publication_cannot_be_known_before(log: SqliteLog, tmp_path: Path) -> None:
    book = KeyBook(log)
    with patch("desk.keys.time.time_ns", side_effect=[1_000, 2_000]):
        first, second = (book._draft(CONFIGURED, 1) for _ in range(2))
    assert first.event_id != second.event_id


def test_a_notice_stands_though_somebody_took_its_id_first(log: SqliteLog) -> None:
    bad = line_of("table/fu-01", draft(model.Surrendered(seat=1), 7)).replace(b'"seat":1', b'"seat":9')
    coming = notice("table/fu-01", Refusal("", bad, "table/fu-01", "x"))
    squatter = draft(model.ShiftChanged(shift="night"), 3, event_id=coming.event_id)
    assert take_in(log, line_of("table/fu-01", squatter)).appended == 1
    taken = take_in(log, bad)
    assert (taken.lines, taken.appended, len(taken.refused)) == (1, 1, 1)
    last = decode(list(log.read("table/fu-01"))[-1].data)
    assert (last.type, last.source) == ("intake_refused", coming.source)
    end = log.head("table/fu-01")
    assert (take_in(log, bad).appended, log.head("table/fu-01")) == (0, end)


# --------------------------------------------------------------------------------------------------------- corrections, redrive


def refused_event(log: SqliteLog) -> tuple[int, str]:
    """Have a line of the table refused; return number and id of its notice."""
    bad = line_of("table/fu-01", draft(model.Surrendered(seat=1), 5)).replace(b'"seat":1', b'"seat":9')
    take_in(log, bad)
    (entry,) = quarantine_cases(log)
    assert entry.refused_seq is not None
    return entry.refused_seq, entry.refused_id


def test_a_device_takes_no_notice_back(log: SqliteLog) -> None:
    seq, event_id = refused_event(log)
    for number, instead in enumerate((None, model.Surrendered(seat=1)), 1):
        taken = take_in(log, line_of("table/fu-01", draft(correction(instead, seq, event_id), number)))
        assert "the notice of a refused line: expected a correction of what a device reported" in taken.refused[0].reason
    assert "event_corrected" not in stored(log)["table/fu-01"]


def test_nor_does_one_that_comes_with_the_refused_line_itself(log: SqliteLog) -> None:
    bad = line_of("table/fu-01", draft(model.Surrendered(seat=1), 5)).replace(b'"seat":1', b'"seat":9')
    seq, event_id = (log.head("table/fu-01").seq + 1, notice("table/fu-01", Refusal("", bad, "table/fu-01", "x")).event_id)
    undone = line_of("table/fu-01", draft(correction(None, seq, event_id)))
    taken = take_in(log, bad, undone)
    assert [refused.where for refused in taken.refused] == ["day.jsonl:1", "day.jsonl:2"]
    assert stored(log)["table/fu-01"][-2:] == ["intake_refused", "intake_refused"]


def test_a_correction_of_what_a_device_reported_goes_in(log: SqliteLog) -> None:
    refused_event(log)
    (second,) = log.read("table/fu-01", 2, 2)
    right = correction(None, 2, decode(second.data).event_id)
    assert take_in(log, line_of("table/fu-01", draft(right))).refused == []


@pytest.mark.parametrize(
    ("stream", "payload", "source"),
    [
        ("review/fu-01", RESOLVED, "device-1"),
        ("property/main", CONFIGURED, "device-1"),
        ("property/main", model.Surrendered(seat=1), "device-1"),
        ("table/fu-01", VIEWED, "device-1"),
        ("table/fu-01", correction(VIEWED), "device-1"),
        ("table/fu-01", model.IntakeRefused(reason="x", sha256="0" * 64, size=1), "device-1"),
        ("table/fu-01", model.Surrendered(seat=1), KEYS_SOURCE),
    ],
)
def test_redriving_is_no_way_round(log: SqliteLog, stream: str, payload: Event, source: str) -> None:
    forged = line_of(stream, draft(payload, source=source))
    take_in(log, forged, b"nobody can read this")
    before = stored(log)
    as_it_came_in, unreadable = quarantine_cases(log)
    for entry, line in ((as_it_came_in, None), (as_it_came_in, forged), (unreadable, forged)):
        with pytest.raises(EventError, match=payload.TYPE):
            redrive(log, entry, **BECAUSE, line=line)
    assert stored(log) == before


def test_redriving_takes_no_notice_back_either(log: SqliteLog) -> None:
    seq, event_id = refused_event(log)
    undone = line_of("table/fu-01", draft(correction(None, seq, event_id)))
    take_in(log, undone)
    before = stored(log)
    for line in (None, undone):
        with pytest.raises(EventError, match="the notice of a refused line"):
            redrive(log, quarantine_cases(log)[-1], **BECAUSE, line=line)
    assert stored(log) == before


# ------------------------------------------------------------------------------------------------------- what is stored already


def test_a_log_that_holds_such_events_already_is_read_verified_and_judged(path: Path) -> None:
    table = Table()
    table.play(1, PAID)
    with patch("events.log.appender.check_place"), closing(SqliteLog(path, create=True, property_id=PROPERTY)) as log:
        log.append_groups([(table.stream, table.drafts)])
        day = draft(model.GamingDayOpened(gaming_day="2026-03-01"), 1)
        log.append_groups([("property/main", [day, draft(model.Surrendered(seat=1), 2), draft(VIEWED, 3)])])
        log.append_groups([(table.stream, [draft(RESOLVED, 4)])])
    with closing(SqliteLog(path)) as log:
        assert verify(log).ok
        assert stored(log)["property/main"] == ["gaming_day_opened", "surrendered", "record_viewed"]
        results = MemoryResults()
        assert replay(log, results).integrity == []
        assert len(adjudications(results)) == 1
        with pytest.raises(WrongPlace):
            log.append("property/main", 4, [draft(model.Surrendered(seat=1), 9)])
        assert log.append("property/main", 4, [draft(CONFIGURED, 10)]).seqs == (4,)


# ------------------------------------------------------------------------------------------------------------------ commands


def run(*arguments: str | Path) -> int:
    return main([str(argument) for argument in arguments])


DAY = draft(model.GamingDayOpened(gaming_day="2026-03-01"), 1, "office")
SAID = draft(CONFIGURED, 2, "office")


def written(folder: Path, *lines: bytes) -> Path:
    file = folder / "office.jsonl"
    file.write_bytes(b"".join(line + b"\n" for line in lines))
    return file


def test_the_office_hands_in_its_own_and_again_changes_nothing(tmp_path: Path, capsys) -> None:
    address = f"sqlite://{tmp_path}/new.db"
    file = written(tmp_path, line_of("property/main", DAY), line_of("property/main", SAID))
    assert run("ingest", file, "--office", "--log", address, "--property", "bellwether") == 0
    assert "2 events appended" in capsys.readouterr().out
    assert run("ingest", file, "--office", "--log", address, "--json") == 0
    assert json.loads(capsys.readouterr().out) == {"lines": 2, "appended": 0, "duplicates": 2, "refused": []}


@pytest.mark.parametrize(
    ("bad", "sentence"),
    [
        (line_of("table/fu-01", draft(model.Surrendered(seat=1))), "surrendered in table/fu-01 is written by devices"),
        (line_of("property/main", draft(payload_of(model.KeyPublished, empty=False))), "is written by `rack keys`"),
        (line_of("review/fu-01", draft(VIEWED)), "record_viewed in review/fu-01 is written by the desk"),
        (b"garbage", "expected an event as one JSON object"),
    ],
)
def test_the_offices_file_goes_in_whole_or_not_at_all(tmp_path: Path, bad: bytes, sentence: str, capsys) -> None:
    address = f"sqlite://{tmp_path}/new.db"
    file = written(tmp_path, line_of("property/main", DAY), bad, line_of("property/main", SAID))
    assert run("ingest", file, "--office", "--log", address, "--property", "bellwether") == 2
    said = capsys.readouterr().err
    assert f"{file}:2: " in said
    assert sentence in said
    assert "nothing of" in said
    with closing(SqliteLog(tmp_path / "new.db", read_only=True)) as log:
        assert (log.streams(), log.quarantined()) == ([], [])


def test_a_file_that_the_log_refuses_goes_in_not_at_all(tmp_path: Path, capsys) -> None:
    file = written(tmp_path, line_of("property/main", SAID))
    assert run("ingest", file, "--office", "--log", f"sqlite://{tmp_path}/new.db", "--property", "bellwether") == 2
    assert "the first event of a stream must be gaming_day_opened" in capsys.readouterr().err


@pytest.mark.parametrize("more", [(), ("--patrons", "keyring")])
def test_the_offices_door_is_for_lines_without_patrons(tmp_path: Path, more: tuple[str, ...], capsys) -> None:
    file = written(tmp_path, b"rules pa-688a" if not more else line_of("property/main", DAY))
    given = ("--log", f"sqlite://{tmp_path}/new.db", "--property", "bellwether", *more)
    assert run("ingest", file, "--office", *given) == 2
    assert "--office takes JSON Lines of property events" in capsys.readouterr().err


def test_a_forged_line_is_named_and_the_exit_code_says_so(log: SqliteLog, path: Path, tmp_path: Path, capsys) -> None:
    log.close()
    file = written(tmp_path, line_of("review/fu-01", draft(RESOLVED)), line_of("property/main", DAY))
    assert run("ingest", file, "--log", f"sqlite://{path}") == 1
    said = capsys.readouterr().err
    assert f"{file}:1: review/fu-01: finding_resolved in review/fu-01 is written by the desk, not by devices; sign it" in said
    assert f"{file}:2: property/main: gaming_day_opened in property/main is written by the office, not by devices" in said
    assert run("quarantine", "list", "--log", f"sqlite://{path}") == 0
    assert capsys.readouterr().out.count("no event vouches for it") == 2
    assert run("quarantine", "redrive", "--log", f"sqlite://{path}", "--by", "sv-1", "--reason", "again") == 1
    assert "still refused" in capsys.readouterr().err
