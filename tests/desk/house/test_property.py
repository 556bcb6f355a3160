"""A property from a file: begun from six answers, read with the line of every fault, applied once and not twice."""

import configparser
import shlex
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from analytics.theory.theory import games_listed, percent_of
from desk.alarms.settings import read_settings
from desk.house.health import look
from desk.house.new_property import begin, kinds
from desk.house.plan import apply, make_plan
from desk.house.property_file import line_of, read_property
from desk.review.cameras import read_cameras
from desk.review.persons import Person, ReviewRefused, register
from desk.review.persons import read as read_persons
from events.sqlite.log import SqliteLog
from events.vocabulary import model
from events.vocabulary.codec import decode
from rack.cli import build_parser
from rulebook.chapters.rulebook import Rulebook

ANSWERS = {
    "name": "Bellwether Casino",
    "zone": "America/New_York",
    "cutover": "06:00",
    "currency": "USD",
    "first_day": "2026-11-26",
    "tables": "2 face_up_pai_gow, 1 dj_wild",
}
NOW_US = 1_795_000_000_000_000
MAIL = """
[mail]
host = "mail.bellwether.example"
from = "rack@bellwether.example"
[[route]]
to = ["shift@bellwether.example"]
severity = "high"
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    begin(tmp_path / "house", ANSWERS)
    return tmp_path / "house"


def change(folder: Path, old: str, new: str, file: str = "property.toml") -> None:
    path = folder / file
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new, 1))


@contextmanager
def opened(folder: Path) -> Iterator[SqliteLog]:
    made = read_property(folder)
    new = not made.log_file.exists()
    with closing(SqliteLog(made.log_file, create=new, property_id=made.form.property.id if new else None)) as log:
        yield log


def applied(folder: Path, by: str = "person-1") -> tuple[int, list[str]]:
    """Apply; return how many events were appended, and the lines of the plan that are no `=` and no `!`."""
    made = read_property(folder)
    with opened(folder) as log:
        before = {stream: log.head(stream).seq for stream in log.streams()}
        plan = apply(made, log, percent_of, by=by, now_us=NOW_US)
        after = sum(log.head(stream).seq for stream in log.streams())
    for each in plan.files:
        each.write()
    assert after - sum(before.values()) == plan.events
    return plan.events, [line for line in plan.lines if line[0] not in "=!"]


def events(folder: Path, stream: str) -> list[tuple[str, str, int]]:
    with opened(folder) as log:
        found = [decode(record.data) for record in log.read(stream)]
    return [(event.type, event.source, event.source_seq) for event in found]


# --------------------------------------------------------------------------------------------------------------- from nothing


def test_six_answers_make_a_property_that_can_be_applied_as_it_is(folder: Path) -> None:
    assert len((folder / "property.toml").read_text().splitlines()) <= 45
    count, _ = applied(folder)
    assert count == 3 + 3 * 2
    assert events(folder, "property/main") == [
        ("gaming_day_opened", "office", 1),
        ("property_configured", "office", 2),
        ("property_applied", "office", 3),
    ]
    assert events(folder, "table/dw-01") == [("gaming_day_opened", "filing-person-1", 1), ("rules_filed", "filing-person-1", 2)]


@pytest.mark.parametrize("game", games_listed())
def test_a_filing_of_each_game_is_accepted(tmp_path: Path, game: str) -> None:
    begin(tmp_path, ANSWERS | {"tables": f"1 {game}"})
    made = read_property(tmp_path)
    assert [book.game for book in made.rules.values()] == [game]
    assert make_plan(made, None, percent_of).events == 5


@pytest.mark.parametrize(
    ("answer", "value", "why"),
    [
        ("tables", "three face_up_pai_gow", "expected a number and a game"),
        ("tables", "1 blackjack", "games are"),
        ("tables", "1 dj_wild, 2 dj_wild", "is given twice"),
        ("tables", "", "expected a number and a game"),
        ("zone", "America/York", "property.toml:6: property.time_zone: 'America/York': expected a zone"),
        ("cutover", "6:00", "property.cutover: expected a time such as 06:00"),
        ("currency", "dollars", "property.currency: expected a currency of three capital letters"),
        ("currency", "JPY", "property.currency: JPY has no hundredths, in which all money is counted"),
        ("first_day", "tomorrow", "expected a day, as in 2026-11-29"),
    ],
)
def test_an_answer_that_cannot_be_leaves_nothing_behind(tmp_path: Path, answer: str, value: str, why: str) -> None:
    with pytest.raises(ReviewRefused, match=why):
        begin(tmp_path, ANSWERS | {answer: value})
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []


def test_what_stands_there_is_never_written_over(folder: Path) -> None:
    before = (folder / "property.toml").read_text()
    with pytest.raises(ReviewRefused, match="exists already"):
        begin(folder, ANSWERS)
    assert (folder / "property.toml").read_text() == before


def test_prefixes_of_tables_are_told_apart() -> None:
    assert [each.prefix for each in kinds("1 fortune_asia, 1 face_up_pai_gow")] == ["fa", "fu"]


# ------------------------------------------------------------------------------------------------------------------- faults


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        ('id = "fu-01"', 'id = "FU 01"', ":12: table[0].id: expected an id of a to z"),
        ('id = "fu-02"', 'id = "fu-01"', ":15: table[1].id: 'fu-01' is listed twice"),
        ('rules = "rules/dj_wild.toml"', 'rulez = "x"', ":19: table[2].rulez: no such field `rulez`"),
        ('rules = "rules/dj_wild.toml"', "", ":17: table[2].rules: missing"),
        ('rules = "rules/dj_wild.toml"', 'rules = "x.toml"', ":19: table[2].rules: "),
        ('currency = "USD"', "currency = 5", ":8: property.currency: Expected `str`"),
        ("first_day = 2026-11-26", "first_day = 2027-01-01", "before the property's first day 2027-01-01"),
        ('id = "person-2"', 'id = "person_1"', "are one name but for punctuation"),
        ('"pit", "count"', '"pitt", "count"', "'pitt' is no role: expected one of"),
        ("sees = [", 'sees = ["zz-9", ', "camera[0].sees: there is no table 'zz-9'"),
        ("[key] ", "[keys] ", ": keys: no such field `keys`"),
        ("[property]", "[property", "expected TOML: "),
        ("[key] ", '[[route]]\nto = ["a@b.c"]\n[key] ', "a route needs [mail]"),
    ],
)
def test_a_fault_is_named_with_file_line_key_and_what_was_expected(folder: Path, old: str, new: str, why: str) -> None:
    change(folder, old, new)
    with pytest.raises(ReviewRefused) as refused:
        read_property(folder)
    assert str(refused.value).startswith(f"{folder / 'property.toml'}:")
    assert why in str(refused.value)


def test_the_line_of_a_place_is_its_keys_line_or_its_tables() -> None:
    text = 'form = "x"\n[property]\nid = "a"\n[[table]]\nid = "t"\n[[table]]\nid = "u"\n'
    assert [line_of(text, each) for each in (".form", ".property.id", ".table[0].id", ".table[1].id", ".table[1].x", ".y")] == [
        1, 3, 5, 7, 6, 1,
    ]  # fmt: skip


# ----------------------------------------------------------------------------------------------------------- plan and apply


def test_a_plan_touches_nothing(folder: Path) -> None:
    before = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    plan = make_plan(read_property(folder), None, percent_of)
    assert plan.events == 9
    assert {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()} == before


def test_the_returns_of_a_filing_are_counted_once_however_many_tables_have_it(tmp_path: Path) -> None:
    begin(tmp_path, ANSWERS | {"tables": "300 dj_wild"})
    counted: list[str] = []

    def returns(book: Rulebook) -> Mapping[str, float]:
        counted.append(book.digest)
        return percent_of(book)

    assert len(make_plan(read_property(tmp_path), None, returns).steps) > 300
    assert len(counted) == 1


def test_a_second_apply_appends_nothing(folder: Path) -> None:
    applied(folder)
    assert applied(folder, by="person-2") == (0, [])
    assert make_plan(read_property(folder), None, percent_of).events == 9


def test_a_change_is_said_with_returns_and_made_once(folder: Path) -> None:
    applied(folder)
    for old, new in (("2026-11-26", "2026-12-28"), ('min = "15.00"', 'min = "25.00"')):
        change(folder, old, new, "rules/face_up_pai_gow.toml")
    path = folder / "rules/face_up_pai_gow.toml"
    path.write_text(path.read_text() + '\n[wagers.ace_high_bonus]\npaytable = "2"\nmin = "5.00"\nmax = "100.00"\n')
    said = "rules from 2026-12-28: Base wager min 15.00 → 25.00; Ace High Bonus paytable 2, 5.00 to 100.00, returns 95.21 %"
    assert applied(folder) == (2, [f"~ fu-01 {said}", f"~ fu-02 {said}"])
    assert applied(folder) == (0, [])


def test_ids_are_of_the_content_and_a_word_taken_back_can_be_given_again(folder: Path, tmp_path: Path) -> None:
    for name in ("Bellwether Casino", "Other", "Bellwether Casino"):
        change(folder, "name = ", f'name = "{name}" # ')
        applied(folder)
    other = tmp_path / "again"
    begin(other, ANSWERS)
    applied(other)
    with opened(folder) as log, opened(other) as second:
        ids = [decode(record.data).event_id for record in log.read("property/main")]
        assert len(set(ids)) == len(ids) == 7
        assert [decode(record.data).event_id for record in second.read("property/main")][:2] == ids[:2]


def test_a_table_that_is_left_out_or_closed_keeps_all_it_has(folder: Path) -> None:
    applied(folder)
    change(folder, '[[table]]\nid = "fu-02"\nrules = "rules/face_up_pai_gow.toml"\n', "")
    change(folder, '"fu-02", ', "")
    change(folder, 'rules = "rules/dj_wild.toml"', 'rules = "rules/dj_wild.toml"\nclosed = 2027-01-31')
    with opened(folder) as log:
        lines = make_plan(read_property(folder), log, percent_of).lines
    assert "! table/fu-02 is in the log and not in property.toml: nothing is removed" in lines
    assert "= dw-01 closed from 2027-01-31: nothing more is filed" in lines
    assert applied(folder)[0] == 1  # property_applied
    assert len(events(folder, "table/fu-02")) == 2


def test_who_applies_is_a_person_of_the_file_with_the_role(folder: Path) -> None:
    change(folder, 'roles = ["administrator", "compliance", "pit"', 'roles = ["pit"')
    made = read_property(folder)
    with opened(folder) as log:
        for by, why in (("person-1", "this takes administrator or compliance"), ("nobody", "is not registered")):
            with pytest.raises(ReviewRefused, match=why):
                apply(made, log, percent_of, by=by, now_us=NOW_US)
        assert log.streams() == []


def test_the_log_of_another_property_is_left_alone(folder: Path) -> None:
    SqliteLog(folder / "floor.db", create=True, property_id="elsewhere").close()
    with opened(folder) as log, pytest.raises(ReviewRefused, match="the log of property 'elsewhere'"):
        apply(read_property(folder), log, percent_of, by="person-1", now_us=NOW_US)


@pytest.mark.parametrize(("filing", "alone"), [("office", True), ("devices", False)])
def test_a_new_property_lets_only_its_office_file_unless_it_says_otherwise(folder: Path, filing: str, alone: bool) -> None:
    if filing != "office":
        change(folder, "first_day", f'filing = "{filing}"\nfirst_day')
    applied(folder)
    with opened(folder) as log:
        *_, last = (decode(record.data).payload for record in log.read("property/main"))
    assert isinstance(last, model.PropertyApplied)
    assert (last.by, last.only_office_files) == ("person-1", alone)


# ------------------------------------------------------------------------------------------------------------ running files


def test_running_files_are_what_the_parts_read(folder: Path) -> None:
    change(folder, "[key] ", f"{MAIL}\n[key] ")
    change(folder, 'rules = "rules/dj_wild.toml"', 'rules = "rules/dj_wild.toml"\npit = "main"')
    applied(folder)
    assert [person.id for person in read_persons(folder / "persons.toml").all] == ["person-1", "person-2"]
    assert [camera.id for camera in read_cameras(folder / "cameras.toml").seeing("fu-02")] == ["cam-1"]
    settings = read_settings(folder / "alarms.toml")
    assert [(route.to, route.severity) for route in settings.route] == [("route-1", "high")]
    assert settings.receiver["route-1"].mail_to == ["shift@bellwether.example"]
    from analytics.reports.filing import read_filing

    assert read_filing(folder / "reports.toml").pits[0].pit_of("dw-01") == "main"


def test_units_run_commands_that_there_are(folder: Path) -> None:
    change(folder, "[key] ", f"{MAIL}\n[key] ")
    applied(folder)
    commands = set()
    for path in sorted((folder / "units").glob("*.service")):
        parser = configparser.RawConfigParser(strict=True)
        parser.read_string(path.read_text())
        program, *words = shlex.split(parser["Service"]["ExecStart"])
        assert program == "/opt/rack/bin/rack"
        commands.add(vars(build_parser().parse_args(words))["command"])
    assert commands == {"replay", "dashboard", "metrics", "checkpoint", "alerts", "witness", "archive"}
    assert f"RACK_LOG=sqlite://{folder.resolve()}/floor.db" in (folder / "units" / "rack.env").read_text()


def test_what_people_wrote_is_kept(folder: Path) -> None:
    (folder / "cameras.toml").write_text('form = "discard-rack cameras 1"\n')
    register(folder / "persons.toml", Person(id="z.ito", name="Zoe Ito"))
    applied(folder)
    assert (folder / "cameras.toml").read_text() == 'form = "discard-rack cameras 1"\n'
    assert [person.id for person in read_persons(folder / "persons.toml").all] == ["person-1", "person-2", "z.ito"]
    change(folder, 'id = "person-2"', 'id = "person-2"\nclosed = 2026-12-31')
    applied(folder)
    assert {each.id: each.roles for each in read_persons(folder / "persons.toml").all}["person-2"] == ()


# ------------------------------------------------------------------------------------------------------------------ doctor


def states(folder: Path) -> dict[str, bool]:
    return {part.name: part.ok for part in look(folder, NOW_US)}


def test_the_doctor_names_each_part_and_what_to_do(folder: Path) -> None:
    assert states(folder) == {"property": False}
    applied(folder)
    parts = {part.name: part for part in look(folder, NOW_US)}
    assert list(parts) == ["log", "property", "filings", "sign-in", "key", "checkpoint", "witness", "mail", "archive"]
    assert [name for name, part in parts.items() if part.ok] == ["log", "property"]
    assert parts["key"].command.startswith("rack keys new")
    assert all(part.says[0].isupper() or part.says[0].isdigit() for part in parts.values())
    change(folder, "cutover", "# cutover\ncutover")
    assert states(folder)["property"] is False
    change(folder, "[property]", "[property")
    assert states(folder) == {"property": False}
