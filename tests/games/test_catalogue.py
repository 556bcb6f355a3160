"""The catalogue: a record for each game, and the door by which one comes in from outside."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from games.catalogue import GAMES, add_game, chapters_of, remove_game, wager_titles, wagers_by_setting
from games.rulebook.chapters import chapter, known_chapters
from games.rulebook.citation import cite
from tests.example_game.high_card import GAME as HIGH_CARD

ROOT = Path(__file__).resolve().parents[2]
TEXT = (ROOT / "tests" / "example_game" / "700a.toml").read_text()


@pytest.fixture
def added() -> Iterator[None]:
    add_game(HIGH_CARD, [TEXT])
    yield
    remove_game(HIGH_CARD.name)


def test_the_wagers_that_a_wrong_setting_mispays_are_those_of_games_that_set_hands() -> None:
    """The player's hands against the dealer's: §§ 688a.11(f), 645c.1(e), 659a.11(f); in California bets behind a seat, too."""
    assert wagers_by_setting() == {"base", "backline"}
    assert {name for name, game in GAMES.items() if game.by_setting} == {
        name for name, game in GAMES.items() if game.hands
    }
    assert all(set(game.by_setting) <= game.wagers.keys() for game in GAMES.values())


def test_every_wager_of_every_chapter_has_a_title() -> None:
    for key in known_chapters():
        book = chapter(*key.split("-", 1))
        titles = set(GAMES[book.game].wagers)
        assert set(book.wagers) <= titles, key
        assert titles - set(book.wagers) <= {"fortune_envy", "progressive_envy"}, key


def test_a_game_is_called_as_its_chapter_is() -> None:
    for name, game in GAMES.items():
        assert all(chapter(*key.split("-", 1)).title.startswith(game.title) for key in chapters_of(name)), name


def test_the_games_whose_bank_a_patron_holds() -> None:
    assert [name for name, game in GAMES.items() if game.patron_banked] == ["player_dealer"]


def test_a_game_from_outside_is_known_until_it_is_removed(added: None) -> None:
    assert GAMES["high_card"] is HIGH_CARD
    assert chapters_of("high_card") == ("pa-700a",)
    assert "pa-700a" in known_chapters()
    assert chapter("pa", "700a").title == "High Card"


def test_a_removed_game_leaves_nothing_behind() -> None:
    before = dict(GAMES), known_chapters()
    add_game(HIGH_CARD, [TEXT])
    chapter("pa", "700a")
    remove_game("high_card")
    assert (dict(GAMES), known_chapters()) == before
    with pytest.raises(KeyError):
        chapter("pa", "700a")


def test_a_chapter_from_outside_says_how_it_is_cited() -> None:
    assert cite("700a", "11(b)") == "58 Pa. Code § 700a.11(b)"
    add_game(HIGH_CARD, [TEXT.replace("effective = ", 'cited_as = "House rules, {section}"\neffective = ', 1)])
    try:
        assert chapter("pa", "700a").cite("700a.11(b)") == "House rules, 11(b)"
    finally:
        remove_game("high_card")
    assert cite("700a", "11(b)") == "58 Pa. Code § 700a.11(b)"


@pytest.mark.parametrize(
    ("game", "text", "message"),
    [
        ({"name": "dj_wild"}, TEXT, "there is a game dj_wild already"),
        ({"wagers": {"ante": "Opening wager"}}, TEXT, "the wager ante is called 'Ante' in another game"),
        ({}, TEXT.replace("700a", "688a", 1).replace('"700a"', '"688a"'), "there is a chapter pa-688a already"),
        ({}, TEXT.replace('"high_card"', '"low_card"'), "pa-700a is of the game low_card, not of high_card"),
        ({}, TEXT.replace('wheel = "second"', 'wheal = "second"'), "'wheel' is missing"),
        ({}, TEXT.replace('chapter = "700a"', ""), "'chapter' is missing"),
        ({}, "=", "Invalid"),
    ],
)
def test_a_game_that_cannot_be_added_leaves_nothing_behind(game: dict[str, object], text: str, message: str) -> None:
    before = dict(GAMES), known_chapters()
    with pytest.raises(ValueError, match=message):
        add_game(msgspec.structs.replace(HIGH_CARD, **game), [text])
    assert (dict(GAMES), known_chapters()) == before


@pytest.mark.parametrize("name", ["dj_wild", "no_game"])
def test_only_what_was_added_is_removed(name: str) -> None:
    with pytest.raises(KeyError):
        remove_game(name)
    assert "dj_wild" in GAMES


def test_one_wager_has_one_title() -> None:
    for game in GAMES.values():
        assert {wager: wager_titles()[wager] for wager in game.wagers} == dict(game.wagers)


def test_what_games_share_names_no_game() -> None:
    """A game is named in its own module and in the catalogue, and nowhere else in `games`."""
    shared = [
        path
        for path in (ROOT / "games").rglob("*.py")
        if path.relative_to(ROOT / "games").as_posix() not in {f"{name}.py" for name in GAMES} | {"catalogue.py"}
    ]
    assert {
        path.relative_to(ROOT).as_posix(): name for path in shared for name in GAMES if f'"{name}"' in path.read_text()
    } == {}
