"""A correction that corrects nothing is stored, said at once, and found in the round that it names (D851)."""

from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from events.sqlite.log import SqliteLog
from events.vocabulary import model
from intake.appending import LineAppender
from intake.gateway.messages import Answer, IntakeMessage, answers
from intake.lines import AcceptedLine, line_of, read_line
from rack.cli import main
from replay.run.replayer import MemoryResults, adjudications, replay
from tests.replay.tables import PAID, PROPERTY, Table

OTHER = "0f" * 16


@pytest.fixture
def table() -> Table:
    table = Table()
    table.play(1, PAID)
    return table


@pytest.fixture
def log(tmp_path: Path, table: Table) -> Iterator[SqliteLog]:
    """A log whose day ends with round 1."""
    log = SqliteLog(tmp_path / "floor.db", create=True, property_id=PROPERTY)
    log.append_groups([(table.stream, table.drafts)])
    yield log
    log.close()


def corrected(table: Table, seq: int, event_id: str = "") -> bytes:
    """The line of a correction of an event, by another id than its own if one is given."""
    table.correct(seq, None, event_id=event_id)
    return line_of(table.stream, table.drafts[-1])


def paid_at(table: Table) -> int:
    return next(seq for seq, each in enumerate(table.drafts, 1) if isinstance(each.payload, model.WagerPaid))


def test_it_is_said_at_once_and_found_in_its_round(log: SqliteLog, table: Table) -> None:
    seq = paid_at(table)
    line = read_line(corrected(table, seq, OTHER), "day.jsonl:1")
    assert isinstance(line, AcceptedLine)
    appender = LineAppender(log)
    (outcome,) = appender.append([line])
    assert outcome.misfit is not None
    assert outcome.misfit.reason == (
        f"the correction was stored as event {table.last} and corrects nothing: it names event {seq} (wager_paid of round 1) by "
        "an id that is not its own; hand in another one with the number and the id of the event that is wrong"
    )
    assert (appender.summary.appended, appender.summary.misfits) == (1, [outcome.misfit])
    results = MemoryResults()
    replay(log, results)
    (verdict,) = adjudications(results)
    assert (verdict.round_no, verdict.verdict) == (1, "UNDETERMINED")
    assert [found.code for found in verdict.findings] == ["LOG-CORRECTION"]


@pytest.mark.parametrize(
    ("further", "event_id", "says"),
    [(0, "", None), (0, OTHER, "by an id that is not its own"), (1_000, OTHER, "which is not before it")],
)
def test_what_fits_and_what_does_not(log: SqliteLog, table: Table, further: int, event_id: str, says: str | None) -> None:
    stated = table.payload(table.correct(paid_at(table), None, event_id=event_id))
    payload = msgspec.structs.replace(stated, supersedes_seq=stated.supersedes_seq + further)
    draft = msgspec.structs.replace(table.drafts.pop(), payload=payload)
    line = read_line(line_of(table.stream, draft), "a:1")
    (outcome,) = LineAppender(log).append([line])
    assert (outcome.misfit is not None) == (says is not None)
    (answer,) = answers([IntakeMessage(1, [line])], [outcome])
    assert isinstance(answer, Answer)
    assert answer.status == "stored"
    assert says is None or says in (answer.reason or "")


def test_the_command_says_it_and_the_right_one_after_it_leaves_no_doubt(
    tmp_path: Path, log: SqliteLog, table: Table, capsys: pytest.CaptureFixture[str]
) -> None:
    address, seq = f"sqlite:///{tmp_path / 'floor.db'}", paid_at(table)
    wrong, right = tmp_path / "wrong.jsonl", tmp_path / "right.jsonl"
    wrong.write_bytes(corrected(table, seq, OTHER))
    right.write_bytes(corrected(table, seq))
    assert main(["ingest", str(wrong), "--log", address]) == 1
    assert f"corrects nothing: it names event {seq} (wager_paid of round 1)" in capsys.readouterr().err
    assert main(["ingest", str(right), "--log", address]) == 0
    results = MemoryResults()
    replay(log, results)
    (verdict,) = adjudications(results)
    assert verdict.verdict == "VARIANCE"
    assert "LOG-CORRECTION" not in {found.code for found in verdict.findings}


def test_the_right_one_after_one_that_could_not_be_read_leaves_no_doubt(log: SqliteLog, table: Table) -> None:
    seq = paid_at(table)
    table.correct(seq, table.payload(seq), round_no=1)
    right = line_of(table.stream, table.drafts[-1])
    without_round = right.replace(b'"round_no":1,"type":"wager_paid"', b'"type":"wager_paid"')
    assert without_round != right
    results, appender = MemoryResults(), LineAppender(log)
    (outcome,) = appender.append([read_line(without_round.replace(b'"round_no":null', b'"round_no":1'), "a:1")])
    assert outcome.refused is not None
    assert outcome.refused.reason.startswith(f"a correction of event {seq}: ")
    replay(log, results)
    assert adjudications(results)[0].verdict == "UNDETERMINED"
    appender.append([read_line(right, "b:1")])
    replay(log, results)
    assert adjudications(results)[0].verdict == "UPHELD"
