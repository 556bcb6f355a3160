"""The office files rules at tables in a person's name; a second person signs; what changes is said with what it returns."""

from collections.abc import Iterator, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

import msgspec
import pytest

from analytics.theory.theory import percent_of
from desk.house.filing import Office, planned, read_filed_rules
from desk.house.table_lines import TableRecord
from desk.review.persons import Person, Persons, ReviewRefused
from events.errors import EventError
from events.log.contract import NOTHING_EXPECTED, AppendResult
from events.sqlite.log import SqliteLog
from events.vocabulary import model
from events.vocabulary.codec import decode
from events.vocabulary.envelope import Draft
from intake.filings import FilingCheck
from intake.lines import AcceptedLine, Refusal
from replay.transcript.transcript import rules_filed
from rulebook.chapters.editions import amendment_from_words
from rulebook.chapters.rulebook import parse_submission, submission_from_words
from tests.contract.drafts import Drafts

AT_US = 1_772_400_000_000_000
PERSONS = Persons(
    [
        Person(id="m.ortiz", name="M", roles=("compliance",)),
        Person(id="s.kane", name="S", roles=("compliance", "pit"), accounts=("kane@x",)),
        Person(id="p.pit", name="P", roles=("pit",)),
        Person(id="a-name-that-is-rather-long", name="L", roles=("compliance",)),
    ],
    "persons.toml",
)


def rules(words: str = "ace_high_bonus=1", day: str = "2026-11-29", least: str = "15.00") -> str:
    return submission_from_words(f"pa-688a effective={day} min={least} max=1000.00 {words}".split())


@pytest.fixture
def log(tmp_path: Path) -> Iterator[SqliteLog]:
    log = SqliteLog(tmp_path / "floor.db", create=True, property_id="bellwether")
    yield log
    log.close()


@pytest.fixture
def office(log: SqliteLog) -> Office:
    return Office(log, PERSONS, AT_US)


def stored(log: SqliteLog, table: str = "fu-01") -> list[tuple[str, str, int]]:
    return [
        (event.type, event.source, event.source_seq) for event in (decode(record.data) for record in log.read(f"table/{table}"))
    ]


def test_a_filing_names_who_filed_and_who_signed(log: SqliteLog, office: Office) -> None:
    office.file(["fu-01", "fu-02"], rules(), percent_of, by="m.ortiz")
    assert office.sign(["fu-01"], by=" Kane@X ") == {"fu-01": 2}
    office.file(["fu-01"], rules(day="2026-12-28"), percent_of, by="m.ortiz", signed_by="s.kane")
    assert stored(log) == [
        ("gaming_day_opened", "filing-m-ortiz", 1),
        ("rules_filed", "filing-m-ortiz", 2),
        ("filing_signed", "filing-s-kane", 1),
        ("rules_filed", "filing-m-ortiz", 3),
        ("filing_signed", "filing-s-kane", 2),
    ]
    *_, last = (decode(record.data).payload for record in log.read("table/fu-01"))
    assert last == model.FilingSigned(by="s-kane", signs=4)
    assert len(stored(log, "fu-02")) == 2


class Overtaken(SqliteLog):
    """A log as on Kafka: another writer may come between what was read and what is appended."""

    others = Drafts()

    def append_groups(self, groups: Any, expected: Mapping[str, int] = NOTHING_EXPECTED) -> list[AppendResult]:
        super().append_groups([("table/fu-02", [self.others.wager()])])
        return super().append_groups(groups, expected)


def test_who_comes_between_stops_a_filing_at_all_tables(tmp_path: Path, log: SqliteLog, office: Office) -> None:
    office.file(["fu-01", "fu-02"], rules(), percent_of, by="m.ortiz")
    before = stored(log)
    log.close()
    with closing(Overtaken(log.path)) as overtaken:
        office = Office(overtaken, PERSONS, AT_US)
        for act in (
            lambda: office.sign(["fu-01", "fu-02"], by="s.kane"),
            lambda: office.file(["fu-01", "fu-02"], rules(day="2026-12-28"), percent_of, by="m.ortiz"),
        ):
            with pytest.raises(ReviewRefused, match="another writer came between: table/fu-02: the next event is"):
                act()
        assert stored(overtaken) == before


@pytest.mark.parametrize(
    ("by", "signed_by", "why"),
    [
        ("nobody", None, "'nobody' is not registered"),
        ("p.pit", None, "p.pit has pit in persons.toml, and this takes compliance"),
        ("m.ortiz", "p.pit", "p.pit has pit"),
        ("m.ortiz", "M.ORTIZ", "the second signature must be another person's"),
        ("a-name-that-is-rather-long", None, "have room for an id of 25 characters"),
    ],
)
def test_who_may_file_and_sign(log: SqliteLog, office: Office, by: str, signed_by: str | None, why: str) -> None:
    with pytest.raises(ReviewRefused, match=why):
        office.file(["fu-01"], rules(), percent_of, by=by, signed_by=signed_by)
    assert log.streams() == []


def test_one_signature_more_by_another_person_and_no_third(office: Office) -> None:
    office.file(["fu-01"], rules(), percent_of, by="m.ortiz")
    with pytest.raises(ReviewRefused, match="another person's"):
        office.sign(["fu-01"], by="m.ortiz")
    office.sign(["fu-01"], by="s.kane")
    for table in ("fu-01", "fu-09"):
        with pytest.raises(ReviewRefused, match="no filing of the office waits"):
            office.sign([table], by="s.kane")


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (rules(least="20.00"), "takes effect on 2026-11-29, and the table, on gaming day 2026-11-29, has other rules in force"),
        (rules(least="20.00", day="2026-11-28"), "expected a later gaming day"),
        (submission_from_words(["pa-686a", "effective=2026-12-01"]), "the rules are of over_under, and the table is open for"),
    ],
)
def test_what_cannot_be_filed_is_filed_at_no_table(log: SqliteLog, office: Office, text: str, why: str) -> None:
    office.file(["fu-02"], rules(), percent_of, by="m.ortiz")
    opened = model.TableOpened(deal_method="hand", game="face_up_pai_gow", seats=6, shuffler="none")
    log.append("table/fu-02", 3, [_draft(opened)])
    with pytest.raises(EventError, match=why):
        office.file(["fu-01", "fu-02"], text, percent_of, by="m.ortiz")
    assert log.streams() == ["table/fu-02"]
    with pytest.raises(ReviewRefused, match="these rules are filed already"):
        office.file(["fu-02"], rules(), percent_of, by="s.kane")


def _draft(payload: model.Event) -> Any:
    return Draft(event_id="0" * 32, source="x", source_seq=1, occurred_at_us=1, round_no=None, payload=payload)


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        (
            rules(),
            rules("ace_high_bonus=2", least="25.00"),
            "Base wager min 15.00 → 25.00; Ace High Bonus paytable 1 → 2, returns 96.41 % → 95.21 %",
        ),
        (rules(), rules("house_way=stones"), "Ace High Bonus is offered no more"),
        (rules(""), rules("max_payout=50000.00"), "max payout none → 50000.00"),
        (rules(), rules(), "the same rules"),
        (None, rules(""), "Base wager 15.00 to 1000.00, returns 98.12 %"),
    ],
)
def test_what_changes_is_said_with_returns(log: SqliteLog, office: Office, before: str | None, after: str, said: str) -> None:
    if before is not None:
        office.file(["fu-01"], before, percent_of, by="m.ortiz")
    filing = planned(TableRecord(log, "fu-01"), parse_submission(after), percent_of)
    assert filing.says == f"fu-01 rules from 2026-11-29: {said}"


def test_a_text_that_is_no_submission_is_named_by_its_key() -> None:
    with pytest.raises(EventError, match="chapter"):
        read_filed_rules('chapter = "pa-000"\n')


def test_the_office_takes_over_rules_that_a_device_filed(log: SqliteLog, office: Office) -> None:
    """A filing by a device is named, and the office may file the same text in its place."""
    text = rules()
    opened = model.GamingDayOpened(gaming_day="2026-11-29")
    log.append("table/fu-01", 1, [_draft(opened)])
    device = msgspec.structs.replace(_draft(rules_filed(parse_submission(text), text)), event_id="1" * 32, source_seq=2)
    log.append("table/fu-01", 2, [device])
    assert [each.by_office for each in TableRecord(log, "fu-01").filed] == [False]
    (filing,) = office.file(["fu-01"], text, percent_of, by="m.ortiz", signed_by="s.kane")
    assert filing.says.endswith("the same rules, filed by the office instead of a device")
    made = TableRecord(log, "fu-01").filed
    assert [(each.by_office, each.signed_by) for each in made] == [(False, ()), (True, ("s-kane",))]
    with pytest.raises(ReviewRefused, match="filed already"):
        office.file(["fu-01"], text, percent_of, by="m.ortiz")


# ------------------------------------------------------------------------------------------- amendments of a chapter


RAISED = amendment_from_words(["pa-688a", "2", "2026-12-01", "line=ace_high_bonus/1/both_ace_high/25:1"])


@pytest.fixture
def house(log: SqliteLog, office: Office) -> SqliteLog:
    """A property with two tables, of which one has observed rounds."""
    configured = model.PropertyConfigured(
        currency="USD", gaming_day_cutover="06:00", name="Bellwether", time_zone="America/New_York"
    )
    day = model.GamingDayOpened(gaming_day="2026-11-29")
    drafts = [
        Draft(event_id=f"{n}" * 32, source="office", source_seq=n, occurred_at_us=AT_US, round_no=None, payload=each)
        for n, each in enumerate((day, configured), 1)
    ]
    log.append("property/main", 1, drafts)
    office.file(["fu-01", "fu-02"], rules(), percent_of, by="m.ortiz")
    return log


def editions(log: SqliteLog, stream: str) -> list[int]:
    payloads = [decode(record.data).payload for record in log.read(stream)]
    return [each.edition for each in payloads if isinstance(each, model.ChapterPublished)]


def test_an_amendment_is_at_every_table_and_at_those_that_come_later(house: SqliteLog, office: Office) -> None:
    made = office.publish(RAISED, by="m.ortiz", signed_by="s.kane")
    assert (made.tables, made.judged_again, made.misfits) == (("fu-01", "fu-02"), (), {})
    office.file(["fu-03"], rules(), percent_of, by="m.ortiz")
    assert [editions(house, f"table/fu-0{n}") for n in (1, 2, 3)] == [[2], [2], [2]]
    assert editions(house, "property/main") == [2]


MUST_HIT_BY = amendment_from_words(["pa-645c", "2", "2027-02-01", "strike=mystery/A-1"])


@pytest.mark.parametrize(
    ("text", "persons", "why"),
    [
        (RAISED, ("m.ortiz", "m.ortiz"), "the second signature must be another person's"),
        (RAISED, ("m.ortiz", "p.pit"), "compliance"),
        (RAISED.replace("edition = 2", "edition = 3"), ("m.ortiz", "s.kane"), "expected the next number"),
        (RAISED.replace('"688a"', '"999a"'), ("m.ortiz", "s.kane"), "there is no such chapter"),
        (RAISED.replace('"25:1"', '"20:1"'), ("m.ortiz", "s.kane"), "changes nothing"),
        (RAISED.replace('"both_ace_high"', '"both"'), ("m.ortiz", "s.kane"), "no such line"),
        (MUST_HIT_BY, ("m.ortiz", "s.kane"), "the stream of a meter has no amendments"),
    ],
)
def test_what_cannot_be_published_writes_nothing(
    house: SqliteLog, office: Office, text: str, persons: tuple[str, str], why: str
) -> None:
    with pytest.raises((ReviewRefused, ValueError), match=why):
        office.publish(text, by=persons[0], signed_by=persons[1])
    assert editions(house, "property/main") == editions(house, "table/fu-01") == []


def test_an_edition_comes_once_and_not_before_the_one_before_it(house: SqliteLog, office: Office) -> None:
    office.publish(RAISED, by="m.ortiz", signed_by="s.kane")
    with pytest.raises(ReviewRefused, match="the last known is 2; expected the next number"):
        office.publish(RAISED, by="m.ortiz", signed_by="s.kane")
    third = RAISED.replace("edition = 2", "edition = 3").replace("25:1", "30:1")
    with pytest.raises(ReviewRefused, match="expected no earlier day"):
        office.publish(third.replace("2026-12-01", "2026-11-30"), by="m.ortiz", signed_by="s.kane")
    office.publish(third, by="m.ortiz", signed_by="s.kane")
    assert editions(house, "table/fu-01") == [2, 3]


def test_rules_that_do_not_fit_are_named_with_their_table(house: SqliteLog, office: Office) -> None:
    struck = amendment_from_words(["pa-688a", "2", "2026-12-01", "strike=ace_high_bonus/1"])
    made = office.publish(struck, by="m.ortiz", signed_by="s.kane")
    assert set(made.misfits) == {"fu-01", "fu-02"}
    assert "wagers.ace_high_bonus.paytable: '1' is not one" in made.misfits["fu-01"]


def test_a_device_files_no_rules_at_a_table_without_the_amendment(house: SqliteLog, office: Office) -> None:
    office.publish(RAISED, by="m.ortiz", signed_by="s.kane")
    text = rules()
    filed = rules_filed(parse_submission(text), text)
    draft = Draft(event_id="c" * 32, source="terminal-9", source_seq=1, occurred_at_us=AT_US, round_no=None, payload=filed)
    line = AcceptedLine("day.jsonl:1", b"", "table/fu-09", draft)
    (refused,) = FilingCheck(house, read_filed_rules).screened([line])
    assert isinstance(refused, Refusal)
    assert "the property published edition 2 of pa-688a, which this table does not have" in refused.reason
