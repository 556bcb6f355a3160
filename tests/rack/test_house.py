"""A house without a single sensor, by commands alone: from nothing to five tables open, counted and closed over two days.

No one writes JSON, and no one types an id in hex.
"""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from rack.cli import main

TABLES = ("fu-01", "fu-02", "fu-03", "dw-01", "ou-01")
DAYS = ("2026-03-02", "2026-03-03")
PEOPLE = {"person-1": "m.ortiz", "person-2": "s.kane"}


class Hands:
    """Somebody at a keyboard: every command is typed, must end as expected, and is remembered."""

    def __init__(self, capsys: pytest.CaptureFixture[str]) -> None:
        self._capsys, self.typed = capsys, list[str]()

    def types(self, line: str, *more: str, code: int = 0) -> str:
        words = [*line.split(), *more]
        self.typed += words
        try:
            got = main(words)
        except SystemExit as end:  # the parser of the action refused it
            got = int(end.code or 0)
        said = self._capsys.readouterr()
        assert got == code, f"{line}: {said.out}{said.err}"
        return said.out

    def reads(self, line: str) -> Any:
        """What a command prints, as the test reads it; a person reads the text."""
        assert main([*line.split(), "--json"]) in (0, 1)
        return json.loads(self._capsys.readouterr().out)


@pytest.fixture
def hands(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Hands:
    monkeypatch.setenv("RACK_LOG", f"sqlite://{tmp_path}/house/floor.db")
    monkeypatch.chdir(tmp_path)
    return Hands(capsys)


@pytest.mark.slow
def test_five_tables_over_two_days_from_nothing(hands: Hands, tmp_path: Path) -> None:
    tables = "3 face_up_pai_gow, 1 dj_wild, 1 over_under"
    options = f"--zone America/New_York --first-day {DAYS[0]}"
    hands.types(f"init house {options}", "--name", "Bellwether Casino", "--tables", tables)
    path = tmp_path / "house" / "property.toml"
    for sample, person in PEOPLE.items():
        path.write_text(path.read_text().replace(sample, person))
    assert "14 events" not in hands.types("plan house", code=1)
    assert "13 events appended" in hands.types("apply house --by m.ortiz")
    assert "0 events appended, 0 files" in hands.types("apply house --by s.kane")
    hands.types(f"rules sign {' '.join(TABLES)} --by s.kane")
    assert hands.types("rules filed").count("m-ortiz") == len(TABLES)
    hands.types("keys new house/log.key --by m-ortiz")

    for day, drop in zip(DAYS, ("4,100.00", "3,900.00"), strict=True):
        for table in TABLES:
            opener = "--chips 25x400,100x100" if day == DAYS[0] else ""
            hands.types(f"pit open {table} --by m.ortiz --day {day} --at 19:00 --dealer d-07 --verified-by s.kane {opener}")
        hands.types("pit tap-in fu-01 d-08 --by s.kane --at 9:14pm")
        hands.types(f"pit fill fu-01 --by m.ortiz --chips 25x80 --slip f-{day[-1]} --at 22:00")
        hands.types(f"pit credit dw-01 --by m.ortiz --amount 500.00 --slip c-{day[-1]} --at 23:30")
        for table in TABLES:
            hands.types(f"pit close {table} --by m.ortiz --amount 19,500.00 --verified-by s.kane --at 02:14")
        boxes = " ".join(f"{table}={drop}" for table in TABLES)
        hands.types(f"count enter {boxes} --day {day} --by m.ortiz")
        hands.types(f"count again {boxes} --day {day} --by s.kane")

    (fill,) = [
        each for each in hands.reads("pit list fu-01") if each["type"] == "fill_received" and each["gaming_day"] == DAYS[1]
    ]
    hands.types(f"pit correct fu-01 {fill['line']} --by s.kane --amount 2,500.00", "--reason", "the slip says 2,500")
    assert "entered: " in hands.types("pit list fu-01")

    assert "no verdicts" in hands.types("replay --warehouse w.duckdb")
    hands.types("hold --warehouse w.duckdb")
    by_table = {row["table_id"]: row for row in hands.reads("hold --warehouse w.duckdb --period all")}
    # closer - opener - fills + credits + drop, over both days: 19,500 twice from an opener of 20,000
    assert by_table["fu-02"]["win_cents"] == -50_000 + 800_000
    assert by_table["fu-01"]["win_cents"] == -50_000 - 200_000 - 250_000 + 800_000
    assert by_table["dw-01"]["win_cents"] == -50_000 + 100_000 + 800_000
    hands.types("hold tray --warehouse w.duckdb")
    hands.types("verify")

    said = " ".join(hands.typed)
    assert not re.search(r"\b[0-9a-f]{16,}\b", said)
    assert "{" not in said


def test_the_doctor_is_content_once_all_parts_run(hands: Hands, tmp_path: Path) -> None:
    hands.types("init house", "--name", "B", "--zone", "UTC", "--first-day", DAYS[0], "--tables", "1 dj_wild")
    hands.types("apply house --by person-1")
    for line in (
        "rules sign dw-01 --by person-2",
        "keys new house/log.key --by person-1",
        "keys new house/witness.key --witness w.example",
        "checkpoint --key house/log.key",
        "witness --key house/witness.key --folder house/witness",
        "archive --out house/archive",
        f"verify --log archive://{tmp_path}/house/archive",
    ):
        hands.types(line)
    hands.types("doctor house", code=1)
    parts = {part["name"]: part["ok"] for part in hands.reads("doctor house")}
    assert [name for name, ok in parts.items() if not ok] == ["sign-in", "mail"]
    (tmp_path / "house" / "log.key.pub").write_text((tmp_path / "house" / "witness.key.pub").read_text())
    assert not {part["name"]: part["ok"] for part in hands.reads("doctor house")}["key"]


def test_people_are_invited_listed_and_signed_out(hands: Hands, tmp_path: Path) -> None:
    hands.types("init house", "--name", "B", "--zone", "UTC", "--first-day", DAYS[0], "--tables", "1 dj_wild")
    path = tmp_path / "house" / "property.toml"
    text = path.read_text()
    path.write_text(text.replace("[sign_in]", "# [sign_in]").replace("address =", "# address ="))
    hands.types("apply house --by person-1")
    hands.types("sign-in invite person-1", code=2)  # there is no sign-in of our own
    path.write_text(text.replace("http://localhost:8501", "http://rack.example"))
    hands.types("plan house", code=2)
    path.write_text(text)
    hands.types("apply house --by person-1")
    login = (tmp_path / "house" / "login.toml").read_text()
    assert "0 events appended, 0 files" in hands.types("apply house --by person-1")
    assert (tmp_path / "house" / "login.toml").read_text() == login
    assert "http://localhost:8501/sign-in/invited#" in hands.types("sign-in invite person-1 --hours 168")
    hands.types("sign-in invite person-1 --hours 169", code=2)
    hands.types("sign-in invite no.one", code=2)
    hands.types("sign-in end person-2")
    hands.types("sign-in remove person-1")
    standing = {row["person"]: row for row in hands.reads("sign-in list")}
    assert standing["person-1"]["invited_until"] == "–"
    assert [line["what"] for line in hands.reads("sign-in history person-1")] == [
        "invited",
        "passkeys, password and invitation removed",
    ]


def test_an_invitation_is_drawn_for_the_camera_of_a_phone(hands: Hands) -> None:
    pytest.importorskip("segno", reason="comes with the pages")
    hands.types("init house", "--name", "B", "--zone", "UTC", "--first-day", DAYS[0], "--tables", "1 dj_wild")
    hands.types("apply house --by person-1")
    link, _, *drawn = hands.types("sign-in invite person-1 --qr").splitlines()
    assert link.startswith("http://localhost:8501/sign-in/invited#")
    assert len(drawn) >= 15
    assert {len(line) for line in drawn} == {len(drawn[0])}


def test_a_table_that_the_file_closes_is_opened_until_then(hands: Hands, tmp_path: Path) -> None:
    hands.types("init house", "--name", "B", "--zone", "UTC", "--first-day", DAYS[0], "--tables", "1 dj_wild")
    hands.types("apply house --by person-1")
    path = tmp_path / "house" / "property.toml"
    path.write_text(path.read_text().replace('id = "dw-01"', f'id = "dw-01"\nclosed = {DAYS[1]}'))
    hands.types(f"pit open dw-01 --by person-1 --day {DAYS[1]} --at 19:00 --amount 1.00", code=2)
    hands.types(f"pit open dw-01 --by person-1 --day {DAYS[0]} --at 19:00 --amount 1.00")
    path.write_text("[")
    hands.types("pit close dw-01 --by person-1 --at 20:00 --amount 1.00")
    hands.types(f"pit open dw-01 --by person-1 --day {DAYS[1]} --at 19:00")


def test_six_questions_are_asked_on_a_terminal(hands: Hands, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    answers = ["Bellwether", "America/New_York", "", "", DAYS[0], "1 dj_wild"]
    asked: list[str] = []

    def answer(question: str) -> str:
        asked.append(question)
        return answers[len(asked) - 1]

    monkeypatch.setattr("sys.stdin.isatty", lambda: True, raising=False)
    monkeypatch.setattr("builtins.input", answer)
    hands.types("init house")
    assert len(asked) == 6
    assert 'cutover = "06:00"' in (tmp_path / "house" / "property.toml").read_text()
    hands.types("init other --name B --zone UTC --cutover 05:00 --currency EUR --first-day 2026-03-02 --tables", "1 over_under")
    assert len(asked) == 6


def test_boxes_of_the_day_are_asked_for_on_a_terminal(hands: Hands, monkeypatch: pytest.MonkeyPatch) -> None:
    hands.types("init house", "--name", "B", "--zone", "UTC", "--first-day", DAYS[0], "--tables", "2 dj_wild")
    hands.types("apply house --by person-1")
    for table in ("dw-01", "dw-02"):
        hands.types(f"pit open {table} --by person-1 --day {DAYS[0]} --at 19:00 --amount 100.00")
    asked: list[str] = []

    def answer(question: str) -> str:
        asked.append(question)
        return "100x5,20x12"

    monkeypatch.setattr("sys.stdin.isatty", lambda: True, raising=False)
    monkeypatch.setattr("builtins.input", answer)
    hands.types(f"count enter --day {DAYS[0]} --by person-1")
    hands.types(f"count again --day {DAYS[0]} --by person-2")
    assert asked == ["dw-01: ", "dw-02: "] * 2
    assert hands.reads("pit list dw-02")[-1]["counts"]["amount_cents"] == 74_000


def test_what_the_house_may_not_do_is_a_sentence_and_exit_code_2(hands: Hands) -> None:
    hands.types("init house", "--name", "B", "--zone", "UTC", "--first-day", DAYS[0], "--tables", "1 dj_wild")
    hands.types("apply house --by nobody", code=2)
    hands.types("apply house --by person-1")
    assert "(a device)" not in hands.types("rules filed dw-01")
    for line in (
        "pit open dw-01 --by person-1",
        f"pit open dw-01 --by person-1 --day {DAYS[0]} --amount 1.00 --chips 1x1",
        f"pit open dw-01 --by nobody --day {DAYS[0]} --amount 1.00",
        "pit open --by person-1",
        "pit fill dw-01 --by person-1 --amount 1.00",
        "pit correct dw-01 x --by person-1 --reason y --strike",
        f"pit tap-out dw-01 --by person-1 --day {DAYS[0]}",
        "count enter --by person-1",
        f"count enter dw-01 --day {DAYS[0]} --by person-1",
        f"count again dw-01=1.00 --day {DAYS[0]} --by person-1",
        "rules sign dw-01 --by person-1",
        "doctor house --send-test",
        "init house --name B --zone UTC --first-day 2026-03-02",
    ):
        hands.types(line, code=2)
    hands.types("doctor house", code=1)
