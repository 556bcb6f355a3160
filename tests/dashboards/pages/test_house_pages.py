"""The pages of a house without sensors: filing, signing, counting, setup. Every input of a person is counted."""

import re
from collections.abc import Iterator
from datetime import date
from html import unescape
from pathlib import Path

import pytest

from dashboards.parts import pit_entry as of_house
from dashboards.run import CASES_VARIABLE, LOG_VARIABLE, PERSONS_VARIABLE, WAREHOUSE_VARIABLE
from desk.house.table_lines import configured
from events.vocabulary import model
from tests.dashboards import houses
from tests.dashboards.houses import EVERYTHING, House
from tests.dashboards.running import log_in, start

DAY = "2026-03-02"
LATER = "2031-12-28"
TABLES = ("dw-01", "fu-01", "fu-02", "fu-03", "ou-01")
PEOPLE = {"m.ortiz": EVERYTHING, "s.kane": EVERYTHING, "c.lee": '["count"]', "p.diaz": '["pit"]'}


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> House:
    """A house in which nothing happens: tests that write make one of their own."""
    return make(tmp_path_factory.mktemp("pages"))


def make(folder: Path) -> House:
    return houses.make(folder, "3 face_up_pai_gow, 1 dj_wild, 1 over_under", PEOPLE, first_day=DAY)


@pytest.fixture
def house(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[House]:
    at = make(tmp_path)
    serve(at, monkeypatch)
    yield at
    of_house._tables.clear()


def serve(at: House, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(LOG_VARIABLE, at.log)
    monkeypatch.setenv(PERSONS_VARIABLE, str(at.folder / "persons.toml"))
    monkeypatch.setenv(CASES_VARIABLE, str(at.folder))
    monkeypatch.setenv(WAREHOUSE_VARIABLE, str(at.folder / "warehouse.duckdb"))
    of_house._tables.clear()


class Person:
    """Somebody at a page: each thing pressed, chosen or typed is counted."""

    def __init__(self, page: str, person: str, *roles: str) -> None:
        log_in(f"{person}@bellwether.example", *roles)
        self.page, self.inputs = start(page), 0

    @property
    def says(self) -> str:
        parts = [each.value for each in (*self.page.markdown, *self.page.get("html"), *self.page.get("caption")) if each.value]
        return unescape(re.sub(r"<[^>]+>", " ", " ".join(map(str, parts))))

    def types(self, key: str, words: str) -> None:
        self.page.text_input(key=key).input(words)
        self._done()

    def fills(self, key: str, words: str) -> None:
        """Type into a field of a form that a button sends."""
        self.page.text_input(key=key).input(words)
        self.inputs += 1

    def chooses(self, key: str, what: str) -> None:
        self.page.selectbox(key=key).select(what)
        self._done()

    def marks(self, key: str, *what: str) -> None:
        self.page.get("button_group")
        group = next(each for each in self.page.get("button_group") if each.key == key)
        group.set_value(list(what))
        self.inputs += len(what) - 1
        self._done()

    def presses(self, label: str) -> None:
        next(each for each in self.page.button if each.label == label).click()
        self._done()

    def _done(self) -> None:
        self.inputs += 1
        self.page.run()
        assert [error.value for error in self.page.exception] == []


@pytest.mark.slow
def test_limits_and_a_paytable_are_filed_at_three_tables_and_signed_with_few_inputs(house: House) -> None:
    ortiz = Person("filing", "m.ortiz", "compliance")
    ortiz.marks("filing-tables", "fu-01", "fu-02", "fu-03")
    at = "filing-fu-01-fu-02-fu-03"
    ortiz.types(f"{at}-effective_gaming_day", LATER)
    ortiz.types(f"{at}-wagers.base.min", "25")
    ortiz.chooses(f"{at}-wagers.ace_high_bonus.paytable", "2")
    ortiz.types(f"{at}-wagers.ace_high_bonus.min", "$5.00")
    assert "§ 688a.12(b)" in "".join(each.label for each in ortiz.page.selectbox).replace("\\", "")
    assert "min 15.00 → 25.00; Ace High Bonus paytable 2, 5.00 to 1000.00, returns 95.21 %" in ortiz.says
    ortiz.presses("File at 3 tables")
    assert ortiz.inputs <= 10  # two minutes, at ten seconds each
    for table in ("fu-01", "fu-02", "fu-03"):
        filed = house.record(table).filed[-1]
        assert (filed.effective_gaming_day, filed.source, filed.signed_by) == (LATER, "filing-m-ortiz", ())
    assert 'min = "5.00"' in (house.folder / "rules/face_up_pai_gow.toml").read_text()
    house.rack("plan", str(house.folder), code=0)  # the property's own files say the same

    own = Person("filing", "m.ortiz", "compliance")
    assert not [each for each in own.page.button if each.label.startswith("Sign")]
    kane = Person("filing", "s.kane", "compliance")
    assert "FU-01, FU-02 and FU-03: face-up-pai-gow from Sun 28 Dec 2031, filed by m-ortiz" in kane.says
    kane.presses("Sign 3 filings")
    assert house.record("fu-02").filed[-1].signed_by == ("s-kane",)


def test_one_of_several_tables_gets_a_file_of_rules_of_its_own(house: House) -> None:
    ortiz = Person("filing", "m.ortiz", "compliance")
    ortiz.marks("filing-tables", "fu-02")
    ortiz.types("filing-fu-02-effective_gaming_day", LATER)
    ortiz.types("filing-fu-02-wagers.base.max", "2,500.00")
    ortiz.presses("File at 1 table")
    assert house.record("fu-02").filed[-1].effective_gaming_day == LATER
    assert house.record("fu-01").filed[-1].effective_gaming_day == DAY
    text = (house.folder / "property.toml").read_text()
    assert text.count('rules = "rules/face_up_pai_gow.toml"') == 2
    assert f'rules = "rules/face_up_pai_gow-{LATER}-' in text
    setup = Person("setup", "m.ortiz", "administrator")
    setup.presses("Apply 1 event and 0 files")  # only that the file is another
    house.rack("plan", str(house.folder), code=0)


@pytest.mark.parametrize(
    ("key", "words", "why"),
    [
        ("wagers.base.min", "2000", "base, min: 2000.00 is above the maximum 1000.00 (58 Pa. Code § 688a.7(d))"),
        ("wagers.base.min", "abc", "base, min"),
        ("wagers.base.min", "", "base, min"),
        ("max_payout", "100.00", "§ 688a.12(e)"),
        ("effective_gaming_day", "28.12.2031", "effective gaming day"),
        ("effective_gaming_day", "2019-01-01", "before the chapter took effect"),
        ("table.decks", "99", "decks"),
    ],
)
def test_what_is_not_allowed_is_said_as_it_is_typed_with_its_section(
    made: House, monkeypatch: pytest.MonkeyPatch, key: str, words: str, why: str
) -> None:
    serve(made, monkeypatch)
    ortiz = Person("filing", "m.ortiz", "compliance")
    ortiz.marks("filing-tables", "fu-01")
    ortiz.types(f"filing-fu-01-{key}", words)
    assert "Not accepted yet" in ortiz.says
    assert why in ortiz.says
    assert not [each for each in ortiz.page.button if each.label.startswith("File")]


def test_tables_of_two_games_are_not_filed_at_once(made: House, monkeypatch: pytest.MonkeyPatch) -> None:
    serve(made, monkeypatch)
    ortiz = Person("filing", "m.ortiz", "compliance")
    ortiz.marks("filing-tables", "fu-01", "dw-01")
    assert "One game at a time" in ortiz.says


def test_who_may_not_file_sees_why_and_writes_nothing(house: House) -> None:
    before = house.record("fu-01").last
    ortiz = Person("filing", "m.ortiz", "compliance")
    ortiz.marks("filing-tables", "fu-01")
    ortiz.types("filing-fu-01-wagers.base.min", "25")
    log_in("p.diaz@bellwether.example", "pit")  # another signs in before the button is pressed
    ortiz.presses("File at 1 table")
    assert "may not file rules" in ortiz.says or "Not saved" in ortiz.says
    assert house.record("fu-01").last == before


def opened(house: House) -> None:
    for table in TABLES:
        house.rack(
            "pit", "open", table, "--by", "p.diaz", "--day", DAY, "--at", "19:00", "--amount", "20,000.00", "--log", house.log
        )


def test_second_initials_are_put_under_the_second_persons_own_sign_in(house: House) -> None:
    house.rack("pit", "open", "fu-01", "--by", "p.diaz", "--amount", "20,000.00", "--log", house.log)
    diaz = Person("pit", "p.diaz", "pit")
    assert "1 of your entries" in diaz.says
    assert not [each for each in diaz.page.button if each.label.startswith("Initial")]
    kane = Person("pit", "s.kane", "pit")
    (line,) = house.record("fu-01").awaiting
    house.rack(
        "pit", "correct", "fu-01", str(line.seq), "--by", "p.diaz", "--amount", "21,000.00", "--reason", "x",
        "--log", house.log,
    )  # fmt: skip
    kane.presses(f"Initial FU-01 {line.seq}")  # what s.kane saw no longer counts
    assert "was corrected meanwhile" in kane.says
    assert house.record("fu-01").line(line.seq).initials is None
    kane.presses(f"Initial FU-01 {line.seq}")
    assert kane.inputs == 2
    assert house.record("fu-01").line(line.seq).initials == "s-kane"
    assert "Awaiting" not in kane.says
    assert "verified by S Kane" in kane.says


def count(person: str, day: str = DAY) -> Person:
    at = Person("count", person, "count")
    assert at.page.date_input(key="count-day").value.isoformat() == day
    return at


@pytest.mark.parametrize(
    ("before", "now", "counted", "begins"),
    [
        (["fu-01"], ["fu-01"], [], 1),  # the tables are open again
        (["fu-01"], [], [("fu-01", 100)], 1),
        ([], ["fu-01"], [], 2),
        ([], [], [("fu-01", 100)], 2),
        ([], [], [], 1),  # the new day has begun, and no table is open
    ],
)
def test_the_count_begins_with_the_day_that_has_boxes_to_count(
    before: list[str], now: list[str], counted: list[tuple[str, int]], begins: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    days = {"2026-03-01": of_house.Counts(before, [], None), "2026-03-02": of_house.Counts(now, counted, None)}
    monkeypatch.setattr(of_house, "counts_of", days.get)
    assert of_house.day_to_count(date(2026, 3, 2)) == date(2026, 3, begins)


@pytest.mark.slow
def test_boxes_are_counted_by_two_people_and_a_difference_is_shown_before_anything_is_written(house: House) -> None:
    opened(house)
    lee = count("c.lee")
    for table in TABLES:
        lee.fills(f"enter-{DAY}-{table}", "100x41")
    lee.presses("Enter")
    assert lee.inputs == len(TABLES) + 1
    assert "Waits for the second entry" in lee.says
    ortiz = count("m.ortiz")
    assert "4,100" not in ortiz.says + str([each.value for each in ortiz.page.text_input])
    for table in TABLES:
        ortiz.fills(f"again-{DAY}-{table}", "3,950.00" if table == "fu-02" else "4,100.00")
    ortiz.presses("Compare and enter")
    assert "1 box differs" in ortiz.says
    assert not list(house.record("fu-01").counting(model.DropCounted))
    ortiz.fills(f"settle-{DAY}-fu-02", "3,950.00")
    ortiz.presses("Settle")
    assert "say why" in ortiz.says
    ortiz.fills(f"settle-{DAY}-fu-02", "3,950.00")
    ortiz.fills(f"settle-{DAY}-reason", "counted a third time")
    ortiz.presses("Settle")
    ((line, drop),) = house.record("fu-02").counting(model.DropCounted)
    assert isinstance(drop, model.DropCounted)
    assert drop.amount_cents == 395_000
    assert [each.reason for each in line.amendments] == ["counted a third time"]
    assert len(list(house.record("ou-01").counting(model.DropCounted))) == 1
    assert "Counted" in count("c.lee").says


def test_an_amount_that_is_none_and_a_box_left_out_are_said_and_kept_out(house: House) -> None:
    opened(house)
    lee = count("c.lee")
    lee.fills(f"enter-{DAY}-fu-01", "a lot")
    lee.presses("Enter")
    assert "FU-01: 'a lot' is no amount" in lee.says
    lee.fills(f"enter-{DAY}-fu-01", "100")
    lee.presses("Enter")
    kane = count("s.kane")
    kane.fills(f"again-{DAY}-fu-02", "100")
    kane.presses("Compare and enter")
    assert "2 boxes differ" in kane.says
    assert "left out" in kane.says


def test_setup_shows_each_part_and_applies_only_what_it_showed(house: House) -> None:
    setup = Person("setup", "s.kane", "administrator")
    assert "There is nothing to apply" in setup.says
    assert "Not set up yet: m.ortiz, s.kane, c.lee, p.diaz" in setup.says
    file = house.folder / "property.toml"
    file.write_text(file.read_text().replace('name = "Bellwether"', 'name = "Bellwether Casino"'))
    setup = Person("setup", "s.kane", "administrator")
    assert "name Bellwether → Bellwether Casino" in setup.says
    file.write_text(file.read_text().replace("Bellwether Casino", "Bellwether Club"))
    label = next(each.label for each in setup.page.button if each.label.startswith("Apply"))
    setup.presses(label)
    assert "the plan has changed since it was shown" in setup.says
    setup.presses(label)
    assert "There is nothing to apply" in setup.says
    with of_house.house_at(house.log, read_only=True) as log:
        said = configured(log)
    assert said is not None
    assert said.name == "Bellwether Club"
    file.write_text("[")
    assert "The file is refused" in Person("setup", "s.kane", "administrator").says
