"""What people of the house write, on every log: the office files, the pit and the count room enter, a device comes too late."""

from pathlib import Path

from analytics.theory.theory import percent_of
from desk.house.counting import CountRoom
from desk.house.filing import Office, read_filed_rules
from desk.house.pit import Pit
from desk.house.table_lines import TableRecord
from desk.review.persons import Person, Persons
from events.log.contract import EventLog
from events.vocabulary import model
from events.vocabulary.codec import decode
from intake.appending import append_lines
from intake.lines import line_of, read_line
from rulebook.chapters.rulebook import submission_from_words
from tests.contract.drafts import Drafts

DAY = "2026-03-01"
NOW_US = 1_772_800_000_000_000
PERSONS = Persons(
    [
        Person(id="m.ortiz", name="M", roles=("compliance", "pit", "count")),
        Person(id="s.kane", name="S", roles=("compliance", "pit", "count")),
    ],
    "persons.toml",
)


def test_a_day_of_the_house(log: EventLog, drafts: Drafts, tmp_path: Path) -> None:
    text = submission_from_words(f"pa-688a effective={DAY} min=15.00".split())
    Office(log, PERSONS, NOW_US).file(["fu-01", "fu-02"], text, percent_of, by="m.ortiz", signed_by="s.kane")
    pit = Pit(log, PERSONS, lambda: NOW_US)
    for table in ("fu-01", "fu-02"):
        pit.open(table, by="m.ortiz", cents=2_000_000, day=DAY, at="19:00")
    (fill,) = pit.fill("fu-01", by="s.kane", cents=100, slip="f-1", at="20:00")
    pit.correct("fu-01", fill.seq, by="m.ortiz", reason="slip", amount_cents=200)
    pit.close("fu-01", by="m.ortiz", cents=1_900_000, at="02:14")
    room = CountRoom(log, PERSONS, lambda: NOW_US, tmp_path / "counts")
    room.enter(DAY, {"fu-01": 100, "fu-02": 200}, by="m.ortiz")
    assert room.enter_second(DAY, {"fu-01": 100, "fu-02": 200}, by="s.kane") == []

    record = TableRecord(log, "fu-01")
    counted = [event for _, event in record.counting(model.FillReceived, model.DropCounted)]
    assert counted == [
        model.FillReceived(amount_cents=200, by="s-kane", slip="f-1"),
        model.DropCounted(amount_cents=100, box="fu-01", by="m-ortiz", gaming_day=DAY),
    ]
    assert record.closer_cents == 1_900_000

    filed = model.RulesFiled(effective_gaming_day="2026-04-01", sha256="0" * 64, submission="x", toml=text)
    head = log.head("table/fu-02")
    *_, taken = append_lines(log, [read_line(line_of("table/fu-02", drafts(filed)), "line")], None, read_filed_rules)
    assert "only the office files rules here" in taken.refused[0].reason
    (notice,) = log.read("table/fu-02", head.seq + 1)
    assert decode(notice.data).type == "intake_refused"
