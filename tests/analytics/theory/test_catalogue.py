"""The catalogue of returns: a record for each game, and the door by which one comes in from outside."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from analytics.theory import theory
from analytics.theory.catalogue import RETURNS, companion_wagers, count_tables, dependent_wagers, first_wagers, theory_wagers
from analytics.theory.expectation import expectations
from analytics.theory.returns import FOLDER
from rulebook.catalogue import GAMES, add_game, chapters_of, remove_game
from rulebook.chapters.chapters import chapter
from tests.example_game.variants import new_package

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture
def high_card() -> Iterator[None]:
    add_game("tests.example_game")
    yield
    remove_game("high_card")


def test_every_game_has_a_record_and_every_record_a_game() -> None:
    assert set(RETURNS) == set(GAMES) == {record.game for record in RETURNS.values()}


def test_a_record_speaks_of_wagers_and_settings_that_a_chapter_of_the_game_has() -> None:
    for name, record in RETURNS.items():
        books = [chapter(*key.split("-", 1)) for key in chapters_of(name)]
        wagers = {wager for book in books for wager in book.wagers}
        assert set(record.combined) | set(record.companions) | set(record.bonuses) == wagers, name
        assert {book.base for book in books} == {record.combined[0]}, name
        for other in record.other_readings:
            rules = [book.settings[other.setting] for book in books]
            assert all(other.value in rule.values and other.value != rule.default for rule in rules), other


def test_every_table_that_a_record_names_is_stored_and_no_other() -> None:
    assert {path.stem for path in FOLDER.glob("*.json")} == set(count_tables())


def test_records_agree_on_how_a_table_is_made() -> None:
    for record in RETURNS.values():
        assert {name: count_tables()[name] for name in record.counts} == dict(record.counts)


def test_what_a_player_starts_with_and_what_goes_with_it() -> None:
    assert first_wagers() == ("base", "ante")
    assert set(dependent_wagers()) == {"over", "under", "blind", "raise"}
    assert companion_wagers() == ("backline",)
    assert theory_wagers() == {"base", "ante_blind_raise"}


def test_the_wagers_that_end_alike_at_all_seats() -> None:
    alike = {wager for record in RETURNS.values() for wager, bonus in record.bonuses.items() if bonus.one_result}
    assert alike == {"sum", "match", "beat_it", "tiger_9", "ace_high_bonus", "bad_beat"}
    shares = {wager: expected.shares for (wager, _), expected in expectations("pa-645c").items()}
    assert shares["sum"] == "round"
    assert shares["fortune_bonus"] == "seat"
    assert shares["base"] == "some"


def test_nothing_is_expected_of_a_bonus_on_which_nothing_is_staked() -> None:
    assert "mystery" in RETURNS["pai_gow_poker"].bonuses
    assert not any(wager == "mystery" for wager, _ in expectations("pa-645c"))


def test_a_record_from_outside_has_its_figures(high_card: None) -> None:
    figures = {(each.wager, each.paytable): each for each in theory.returns("high_card")}
    assert set(figures) == {("base", ""), ("pair_plus", "A")}
    # Worked out by hand: 72 ordinary pairs and 6 pairs of aces of 1,326 hands.
    assert figures["pair_plus", "A"].return_percent == pytest.approx(100 * (72 * 11 + 6 * 26) / 1326, abs=1e-6)
    assert figures["base", ""].return_percent == pytest.approx(100)
    # Next to a pair one hand of the same ranks is left, next to any other 3 x 3: 78 x 1 + 78 x 16 x 9 of 1,326 x 1,225 push.
    assert figures["base", ""].lines == {"win": 806_520, "push": 11_310, "lose": 806_520}
    assert ("base", "") in expectations("pa-700a")


def test_a_game_without_a_record_has_no_figures(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(tmp_path)
    add_game(new_package(tmp_path, {"returns.py": None}))
    try:
        assert theory.returns("high_card") == []
        assert expectations.__wrapped__("pa-700a") == {}
    finally:
        remove_game("high_card")


def test_nothing_of_analytics_names_a_game() -> None:
    """But for examples in docstrings, and for what is counted."""
    naming = []
    for path in (ROOT / "analytics").rglob("*"):
        if path.suffix not in (".py", ".sql") or "enumeration" in path.parts:
            continue
        code = [line for line in path.read_text().splitlines() if not line.strip().startswith((">>>", "[", "("))]
        naming += [(path.name, name) for name in GAMES for line in code if f'"{name}"' in line or f"'{name}'" in line]
    assert naming == []
