"""Rules are the office's to file (D920): a device files none if the office does, and takes back nothing that a person said."""

from io import BytesIO

import msgspec
import pytest

from desk.house.filing import read_filed_rules
from events.errors import EventError
from events.sqlite.log import SqliteLog
from events.vocabulary import model
from events.vocabulary.codec import decode
from events.vocabulary.envelope import Draft
from events.vocabulary.model import Event
from intake.appending import IntakeSummary, append_lines
from intake.lines import line_of, read_line
from intake.office import append_office_lines
from intake.quarantine import quarantine_cases, redrive
from tests.replay.tables import DAY, filed

STREAM = "table/fu-01"
OFFICE_ALONE = model.PropertyApplied(by="m-ortiz", only_office_files=True, sha256="0" * 64)
DEVICES_TOO = model.PropertyApplied(by="m-ortiz", only_office_files=False, sha256="0" * 64)
OPENED = model.GamingDayOpened(gaming_day=DAY)
DENIED = "only the office files rules here"


def draft(payload: Event, number: int, source: str = "device-1") -> Draft:
    return Draft(
        event_id=f"{0xF0000 + number:032x}",
        source=source,
        source_seq=number,
        occurred_at_us=number,
        round_no=None,
        payload=payload,
    )


def office(log: SqliteLog, stream: str, *payloads: Event, source: str = "office") -> None:
    """The office writes, in the log itself."""
    first = log.head(stream).seq + 1
    log.append(stream, first, [draft(each, first + at + 900, source) for at, each in enumerate(payloads)])


def hand_in(log: SqliteLog, *payloads: Event) -> IntakeSummary:
    """A device hands lines in, as `rack ingest` and the gateway take them."""
    first = log.head(STREAM).seq + 1
    lines = [line_of(STREAM, draft(each, first + at)) for at, each in enumerate(payloads)]
    *_, taken = append_lines(log, (read_line(line, "day.jsonl:1") for line in lines), None, read_filed_rules)
    return taken


def correction(log: SqliteLog, seq: int, instead: Event | None) -> model.EventCorrected:
    (record,) = log.read(STREAM, seq, seq)
    replacement = instead and model.Replacement(
        payload=msgspec.to_builtins(instead), round_no=None, type=instead.TYPE, version=instead.VERSION
    )
    return model.EventCorrected(
        by="sv-1", reason="typed", replacement=replacement, supersedes_event_id=decode(record.data).event_id, supersedes_seq=seq
    )


@pytest.mark.parametrize(("said", "refused"), [((), False), ((OFFICE_ALONE,), True), ((OFFICE_ALONE, DEVICES_TOO), False)])
def test_a_device_files_where_the_property_lets_it(log: SqliteLog, said: tuple[Event, ...], refused: bool) -> None:
    office(log, "property/main", OPENED, *said)
    taken = hand_in(log, OPENED, filed())
    assert [each.reason.startswith(f"rules_filed in {STREAM}: {DENIED}") for each in taken.refused] == [True] * refused


def test_nor_at_a_table_where_the_office_filed_once(log: SqliteLog) -> None:
    office(log, STREAM, OPENED, filed(), source="filing-m-ortiz")
    (refusal,) = hand_in(log, filed()).refused
    assert DENIED in refusal.reason
    assert "rack rules file" in refusal.reason


@pytest.mark.parametrize("words", ["pa-688a", "pa-688a ace_high_bonus=2"])
def test_no_way_round_by_correction_quarantine_or_transcript(log: SqliteLog, words: str) -> None:
    assert hand_in(log, OPENED, filed()).refused == []
    office(log, "property/main", OPENED, OFFICE_ALONE)
    assert DENIED in hand_in(log, correction(log, 2, filed(words))).refused[0].reason
    hand_in(log, filed(words))
    with pytest.raises(EventError, match=DENIED):
        redrive(log, quarantine_cases(log)[-1], by="sv-1", reason="typed", read_rules=read_filed_rules)
    assert log.streams() == ["property/main", STREAM]


@pytest.mark.parametrize(
    ("source", "payload", "owner"),
    [
        ("filing-m-ortiz", filed(), "the office"),
        ("pit-m-ortiz", model.FillReceived(amount_cents=100, by="m-ortiz", slip="f-1"), "the pit"),
        ("count-m-ortiz", model.DropCounted(amount_cents=1, box="b-1", by="m-ortiz", gaming_day=DAY), "the count room"),
    ],
)
def test_a_device_takes_back_nothing_that_a_person_entered(log: SqliteLog, source: str, payload: Event, owner: str) -> None:
    office(log, STREAM, OPENED, payload, source=source)
    for instead in (None, model.ShiftChanged(shift="night")):
        (refusal,) = hand_in(log, correction(log, 2, instead)).refused
        assert f"supersedes event 2, which is of {owner}" in refusal.reason


def test_a_file_of_the_office_holds_no_filing(log: SqliteLog) -> None:
    """Rules are filed with a person's name: `rack ingest --office` takes the property's events alone."""
    data = b"".join(line_of(STREAM, draft(each, at)) + b"\n" for at, each in enumerate((OPENED, filed()), 1))
    with pytest.raises(EventError, match=r"gaming_day_opened in table/fu-01: expected the property's events .*rack rules file"):
        append_office_lines(log, BytesIO(data), "office.jsonl")
    assert log.streams() == []
