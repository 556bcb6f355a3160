"""Refused lines come into the record after all: in their place, with a trace, and nothing leaves the quarantine."""

import json
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from events.errors import EventError, LogUnavailable
from events.log.contract import EventLog
from events.proofs.verify import verify
from events.sqlite.log import SqliteLog
from events.vocabulary import codec
from events.vocabulary.model import REGISTRY, EventCorrected, IntakeRefused, WagerPaid
from intake.appending import IntakeSummary, append_lines
from intake.errors import IntakeError
from intake.lines import line_of, read_line
from intake.quarantine import QuarantineCase, find_case, quarantine_cases, redrive
from rack.cli import main
from replay.findings import Adjudication
from replay.run.replayer import MemoryResults, adjudications, replay
from tests.replay.streams import meter
from tests.replay.tables import PAID, PROPERTY, UNPAID, Table

BECAUSE = {"by": "sv-1", "reason": "read from the video"}


def tables() -> list[Table]:
    first = Table("table/fu-01")
    for number, text in enumerate((PAID, UNPAID, PAID), 1):
        first.play(number, text)
    second = Table("table/fu-02")
    second.play(1, UNPAID)
    return [first, second]


def lines(table: Table) -> list[bytes]:
    return [line_of(table.stream, draft) for draft in table.drafts]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "floor.db"


@pytest.fixture
def log(path: Path) -> Iterator[SqliteLog]:
    log = SqliteLog(path, create=True, property_id=PROPERTY)
    yield log
    log.close()


def take_in(log: EventLog, data: list[bytes]) -> IntakeSummary:
    *_, taken = append_lines(log, (read_line(line, f"day.jsonl:{number}") for number, line in enumerate(data, 1)))
    return taken


def broken(line: bytes) -> bytes:
    """A line of which stream, round and number can be read, and not what happened."""
    return line.replace(b'"payload":{', b'"payload":{"smudged":1,', 1)


def judged(log: EventLog, results: MemoryResults | None = None) -> list[Adjudication]:
    results = results or MemoryResults()
    assert replay(log, results).integrity == []
    return adjudications(results)


def conclusions(adjudged: list[Adjudication]) -> list[tuple[object, ...]]:
    return [
        (
            each.stream,
            each.round_no,
            each.verdict,
            each.undetermined,
            each.settlements,
            [(found.code, found.seat, found.wager, found.difference_cents) for found in each.findings],
        )
        for each in sorted(adjudged, key=lambda each: (each.stream, each.round_no))
    ]


def whole(folder: Path) -> list[tuple[object, ...]]:
    """What all rounds come to where nothing was refused."""
    log = SqliteLog(folder / "whole.db", create=True, property_id=PROPERTY)
    try:
        take_in(log, [line for table in tables() for line in lines(table)])
        return conclusions(judged(log))
    finally:
        log.close()


@pytest.mark.slow
def test_every_line_that_was_refused_and_redriven_leads_to_the_verdicts_of_a_day_without_faults(tmp_path: Path) -> None:
    expected = whole(tmp_path)
    first, second = (lines(table) for table in tables())
    for number in range(1, len(first)):  # the first opens the gaming day: without it the stream takes nothing
        log = SqliteLog(tmp_path / f"{number}.db", create=True, property_id=PROPERTY)
        refused = broken(first[number])
        take_in(log, [*first[:number], refused, *first[number + 1 :], *second])
        results = MemoryResults()
        before = judged(log, results)
        assert conclusions(before) != expected, number
        (entry,) = quarantine_cases(log)
        assert entry.refused_seq == number + 1
        redrive(log, entry, **BECAUSE, line=first[number])
        assert conclusions(judged(log, results)) == expected, f"line {number + 1} of {first[number]!r}"
        assert conclusions(judged(log)) == expected, "replayed from the first event on"
        assert verify(log).ok
        assert [each.data for each in log.quarantined()] == [refused], "nothing leaves the quarantine"
        log.close()


def test_the_other_tables_go_on(log: SqliteLog, tmp_path: Path) -> None:
    first, second = (lines(table) for table in tables())
    take_in(log, [first[0], broken(first[1]), *first[2:], *second])
    others = [each for each in conclusions(judged(log)) if each[0] == "table/fu-02"]
    assert others == [each for each in whole(tmp_path) if each[0] == "table/fu-02"]


def refused_payment(log: EventLog) -> tuple[QuarantineCase, bytes]:
    first = lines(tables()[0])
    number = next(n for n, draft in enumerate(tables()[0].drafts) if isinstance(draft.payload, WagerPaid))
    take_in(log, [*first[:number], broken(first[number]), *first[number + 1 :]])
    return quarantine_cases(log)[0], first[number]


def test_the_trace_of_a_redrive(log: SqliteLog) -> None:
    entry, line = refused_payment(log)
    assert entry.entry.at_us > 0
    appended = redrive(log, entry, **BECAUSE, line=line)
    event = codec.decode(list(log.read(appended.stream))[-1].data)
    reported = tables()[0].drafts[entry.refused_seq - 1]
    assert (event.event_id, event.source, event.source_seq) == (reported.event_id, reported.source, reported.source_seq)
    correction = event.payload
    assert isinstance(correction, EventCorrected)
    assert (correction.by, correction.supersedes_seq, correction.supersedes_event_id) == (
        "sv-1",
        entry.refused_seq,
        entry.refused_id,
    )
    assert entry.entry.sha256 in correction.reason
    assert "read from the video" in correction.reason
    refusal = codec.decode(list(log.read(appended.stream))[entry.refused_seq - 1].data).payload
    assert isinstance(refusal, IntakeRefused), "the refusal stands where it stood"
    (after,) = quarantine_cases(log)
    assert (after.entry, after.redriven_seq) == (entry.entry, appended.head.seq)


def test_a_redriven_line_cannot_come_in_again(log: SqliteLog) -> None:
    entry, line = refused_payment(log)
    redrive(log, entry, **BECAUSE, line=line)
    with pytest.raises(IntakeError, match="was redriven already, as table/fu-01 event"):
        redrive(log, quarantine_cases(log)[0], **BECAUSE, line=line)
    before, end = conclusions(judged(log)), log.head("table/fu-01")
    for again in (entry.entry.data, line):  # the device sends it once more, as before or rightly spelled
        taken = take_in(log, [again])
        assert (taken.appended, taken.duplicates) == (0, 1)
    assert len(log.quarantined()) == 1
    assert (log.head("table/fu-01"), conclusions(judged(log))) == (end, before)


def test_a_stream_is_read_once_however_many_redriven_lines_come_in_again(log: SqliteLog, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file that was redriven line by line and is handed in again costs one reading of its stream, not one for each line."""
    data = lines(tables()[0])
    spoilt = [line for line in data if b'"wager_placed"' in line]
    assert len(spoilt) > 3
    take_in(log, [broken(line) if line in spoilt else line for line in data])
    for entry in quarantine_cases(log):
        redrive(log, entry, **BECAUSE, line=entry.entry.data.replace(b'"smudged":1,', b""))
    readings = []
    monkeypatch.setattr(SqliteLog, "read", lambda *of, read=SqliteLog.read: (readings.append(of), read(*of))[1])
    taken = take_in(log, data)
    assert (taken.appended, taken.duplicates, taken.refused) == (0, len(data), [])
    assert len(readings) == 1


def test_another_event_under_the_id_of_a_redriven_one_is_refused(log: SqliteLog) -> None:
    entry, line = refused_payment(log)
    redrive(log, entry, **BECAUSE, line=line)
    taken = take_in(log, [line.replace(b'"winnings_cents":2500', b'"winnings_cents":2600')])
    assert "already taken by another event" in taken.refused[0].reason
    with pytest.raises(EventError, match="already taken by another event"):
        redrive(log, quarantine_cases(log)[1], **BECAUSE)


def test_what_new_software_reads(log: SqliteLog, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A device speaks a version that this one does not know yet; after the upgrade it is redriven as it came in."""
    expected = [each for each in whole(tmp_path) if each[0] == "table/fu-01"]
    data, known = lines(tables()[0]), dict(REGISTRY)
    with monkeypatch.context() as patch:
        patch.delitem(REGISTRY, ("wager_paid", 1))
        patch.setattr(codec, "_payload_decoders", {})
        take_in(log, data)
        entries = quarantine_cases(log)
        assert {each.entry.reason.split(":")[0] for each in entries} == {"unknown event 'wager_paid' version 1"}
        with pytest.raises(EventError, match="unknown event 'wager_paid'"):
            redrive(log, entries[0], **BECAUSE)
    REGISTRY.clear()
    REGISTRY.update(known)  # in the order of the vocabulary again
    assert all("UNDETERMINED" in each for each in conclusions(judged(log)) if each[1] != 2)
    for each in quarantine_cases(log):
        redrive(log, each, **BECAUSE)
    assert conclusions(judged(log)) == expected


def test_a_gaming_day_and_a_correction_are_redriven_as_themselves(log: SqliteLog) -> None:
    table = Table()
    table.play(1, UNPAID)
    table.correct(table.last - 1, None)
    tomorrow = msgspec.structs.replace(Table(day="2026-03-02").drafts[0], event_id="ab" * 16, source_seq=3)
    data = [*lines(table)[:-1], broken(lines(table)[-1]), broken(line_of(table.stream, tomorrow))]
    take_in(log, data)
    for entry, line in zip(quarantine_cases(log), [lines(table)[-1], line_of(table.stream, tomorrow)], strict=True):
        redrive(log, entry, **BECAUSE, line=line)
    types = [codec.decode(record.data).type for record in log.read(table.stream)]
    assert types[-4:] == ["event_corrected", "event_corrected", "gaming_day_opened", "event_corrected"]
    assert codec.decode(list(log.read(table.stream))[-1].data).gaming_day == "2026-03-02"
    assert all(each.redriven_seq for each in quarantine_cases(log))
    assert judged(log)[0].undetermined == ()


def test_bytes_whose_stream_nobody_could_read_come_in_where_they_belong(log: SqliteLog) -> None:
    table = Table()
    table.play(1, PAID)
    data = lines(table)
    lost = data[-2]
    take_in(log, [*data[:-2], lost[::-1], data[-1]])
    (entry,) = quarantine_cases(log)
    assert (entry.stream, entry.refused_seq) == ("unknown", None)
    redrive(log, entry, **BECAUSE, line=lost)
    (after,) = quarantine_cases(log)
    assert (after.stream, after.refused_seq, after.redriven_seq) == (table.stream, table.last, table.last + 1)


def test_a_meter_is_judged_with_what_was_redriven(log: SqliteLog) -> None:
    data = lines(meter())
    take_in(log, [*data[:-1], broken(data[-1])])
    redrive(log, quarantine_cases(log)[0], **BECAUSE, line=data[-1])
    assert judged(log) == []


def test_what_cannot_be_redriven(log: SqliteLog) -> None:
    entry, line = refused_payment(log)
    with pytest.raises(EventError, match="was refused for table/fu-01, and the line that was handed in is for table/fu-2"):
        redrive(log, entry, **BECAUSE, line=line.replace(b"table/fu-01", b"table/fu-2"))
    with pytest.raises(EventError, match="smudged"):
        redrive(log, entry, **BECAUSE)
    for wrong in ({"by": "J. Smith", "reason": "x"}, {"by": "sv-1", "reason": "x" * 400}):
        with pytest.raises(EventError, match="EventCorrected"):
            redrive(log, entry, **wrong, line=line)
    assert quarantine_cases(log)[0].redriven_seq is None


def test_an_entry_is_found_by_the_beginning_of_its_digest(log: SqliteLog) -> None:
    take_in(log, [*lines(tables()[0]), *(str(number).encode() for number in range(40))])
    entries = quarantine_cases(log)
    assert find_case(entries, entries[7].entry.sha256[:12].upper()) == entries[7]
    firsts = [each.entry.sha256[0] for each in entries]
    for digest in ("", "zz", max(firsts, key=firsts.count)):
        with pytest.raises(IntakeError, match="rack quarantine list"):
            find_case(entries, digest)


# ----------------------------------------------------------------------------------------------------- the command line


def run(*arguments: str | Path) -> int:
    return main([str(argument) for argument in arguments])


def test_list_show_redrive(log: SqliteLog, path: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    entry, line = refused_payment(log)
    digest = entry.entry.sha256
    log.close()
    at = ("--log", f"sqlite://{path}")
    assert run("quarantine", "list", *at) == 0
    shown = capsys.readouterr().out
    assert digest[:16] in shown
    assert f"refused as event {entry.refused_seq}" in shown
    assert run("quarantine", "show", digest[:8], *at, "--out", tmp_path / "bytes") == 0
    assert '"smudged":1' in capsys.readouterr().out
    assert (tmp_path / "bytes").read_bytes() == entry.entry.data
    assert run("quarantine", "show", digest[:8], *at, "--out", tmp_path / "bytes") == 3, "no file is overwritten"
    redriving = ("quarantine", "redrive", *at, "--by", "sv-1", "--reason", "video")
    assert run(*redriving) == 1
    assert "still refused" in capsys.readouterr().err
    (tmp_path / "line").write_bytes(line + b"\n")
    assert run("quarantine", "redrive", digest, *redriving[2:], "--line", tmp_path / "line", "--json") == 0
    (done,) = json.loads(capsys.readouterr().out)["redriven"]
    assert run("quarantine", "list", *at, "--json") == 0
    (listed,) = json.loads(capsys.readouterr().out)
    assert (listed["sha256"], listed["redriven_seq"]) == (digest, done["seq"])
    assert listed["refused_at"].endswith("Z")
    assert run(*redriving) == 0, "nothing is left to redrive"


@pytest.mark.parametrize(
    "arguments",
    [("redrive",), ("redrive", "--by", "sv-1"), ("show", "ffff"), ("redrive", "--by", "a", "--reason", "b", "--line", "x")],
)
def test_what_is_wrong_with_a_command(log: SqliteLog, path: Path, arguments: tuple[str, ...]) -> None:
    log.close()
    assert run("quarantine", *arguments, "--log", f"sqlite://{path}") == 2


@pytest.mark.parametrize("arguments", [("show",), ("list", "ab"), ("show", "ab", "cd")])
def test_an_action_takes_the_entries_that_it_is_about(path: Path, arguments: tuple[str, ...]) -> None:
    with pytest.raises(SystemExit, match="2"):
        run("quarantine", *arguments, "--log", f"sqlite://{path}")


def test_hostile_bytes_do_not_reach_the_terminal(log: SqliteLog, path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data = b'\x1b]0;title\x07\xff{"stream":'
    take_in(log, [data])
    digest = quarantine_cases(log)[0].entry.sha256
    log.close()
    assert run("quarantine", "show", digest, "--log", f"sqlite://{path}") == 0
    out = capsys.readouterr().out
    assert "\x1b" not in out
    assert "\\xff" in out


def test_a_damaged_log_still_shows_its_quarantine(log: SqliteLog, path: Path) -> None:
    refused_payment(log)
    log.close()
    from tests.contract.backends import SqliteTamper

    SqliteTamper(path).remove("table/fu-01", 3)
    assert run("quarantine", "list", "--log", f"sqlite://{path}") == 0
    with pytest.raises(LogUnavailable):
        log.quarantined()
