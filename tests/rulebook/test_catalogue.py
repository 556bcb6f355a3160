"""The catalogue: a record for each game, and the door by which one comes in from outside."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from rulebook.catalogue import GAMES, add_game, chapters_of, own_games, remove_game, wager_titles, wagers_by_setting
from rulebook.chapters.chapters import chapter, known_chapters
from rulebook.chapters.citation import cite
from tests.example_game.settle import GAME as HIGH_CARD
from tests.example_game.variants import CHAPTER, new_package

ROOT = Path(__file__).resolve().parents[2]
EXAMPLE = ROOT / "tests" / "example_game"
TEXT = (EXAMPLE / CHAPTER).read_text()
PACKAGE = "tests.example_game"


@pytest.fixture
def added() -> Iterator[None]:
    add_game(PACKAGE)
    yield
    remove_game("high_card")


def test_the_wagers_that_a_wrong_setting_mispays_are_those_of_games_that_set_hands() -> None:
    """The player's hands against the dealer's: §§ 688a.11(f), 645c.1(e), 659a.11(f); in California bets behind a seat, too."""
    assert wagers_by_setting() == {"base", "backline"}
    assert {name for name, game in GAMES.items() if game.by_setting} == {name for name, game in GAMES.items() if game.hands}
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
    add_game(PACKAGE)
    chapter("pa", "700a")
    remove_game("high_card")
    assert (dict(GAMES), known_chapters()) == before
    with pytest.raises(KeyError):
        chapter("pa", "700a")


def test_a_chapter_from_outside_says_how_it_is_cited(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(tmp_path)
    assert cite("700a", "11(b)") == "58 Pa. Code § 700a.11(b)"
    text = TEXT.replace("effective = ", 'cited_as = "House rules, {section}"\neffective = ', 1)
    add_game(new_package(tmp_path, {CHAPTER: text}))
    try:
        assert chapter("pa", "700a").cite("700a.11(b)") == "House rules, 11(b)"
    finally:
        remove_game("high_card")
    assert cite("700a", "11(b)") == "58 Pa. Code § 700a.11(b)"


@pytest.mark.parametrize(
    ("file", "old", "new", "message"),
    [
        ("settle.py", 'name="high_card"', 'name="dj_wild"', "there is a game dj_wild already"),
        ("settle.py", '"ante": "Ante"', '"ante": "Opening wager"', "the wager ante is called 'Ante' in another game"),
        (CHAPTER, '"700a"', '"659a"', "there is a chapter pa-659a already"),
        (CHAPTER, '"high_card"', '"low_card"', "pa-700a is of the game low_card, not of high_card"),
        (CHAPTER, 'wheel = "second"', 'wheal = "second"', "pa-700a.toml: wheal: Object contains unknown field `wheal`"),
        (CHAPTER, 'chapter = "700a"', "", "pa-700a.toml: chapter: Object missing required field `chapter`"),
        (CHAPTER, TEXT, "=", "Invalid"),
        (CHAPTER, "HC-TURN", "HC-FIRST", "pa-700a: the chapter does not declare the code HC-TURN"),
        (
            "rules.py",
            'on=("700a.11(a)",)',
            'on=("11(a)",)',
            r"no chapter of high_card has 11\(a\), the rule of HC-TURN; did you mean 700a.11\(a\)",
        ),
        ("rules.py", "(dealer_last,)", "dealer_last", r"rules\['paying'\] must be a tuple of functions with @rule"),
        ("rules.py", '@rule("HC-TURN", on=("700a.11(a)",))', "", r"rules\['paying'\] must be a tuple of functions with @rule"),
        ("rules.py", 'game="high_card"', 'game="dj_wild"', "GAME_RULES of rules.py is of the game dj_wild, not of high_card"),
        (
            "rules.py",
            'void_grounds=dealers_card_seen, rules={"paying": (dealer_last,)}',
            "rules={}",
            "pa-700a: no rule in GAME_RULES finds HC-TURN",
        ),
        (CHAPTER, "HC-TURN", "PAY-OVER", "pa-700a: the code PAY-OVER is in the register of all games"),
    ],
)
def test_a_game_that_cannot_be_added_leaves_nothing_behind(
    file: str, old: str, new: str, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(tmp_path)
    before = dict(GAMES), known_chapters()
    text = (EXAMPLE / file).read_text()
    assert old in text
    with pytest.raises(ValueError, match=message):
        add_game(new_package(tmp_path, {file: text.replace(old, new)}))
    assert (dict(GAMES), known_chapters()) == before


@pytest.mark.parametrize(
    ("left_out", "message"),
    [
        ("__init__.py", "has no __init__.py; add an empty one, and install the distribution again"),
        ("rules.py", "has no rules.py; add one with GAME_RULES"),
        (CHAPTER, r"has no chapter; add chapters/\*.toml, and to the files that its distribution includes"),
    ],
)
def test_a_package_without_a_part_is_told_which(
    left_out: str, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(ValueError, match=message):
        add_game(new_package(tmp_path, {left_out: None}))
    assert "high_card" not in GAMES


@pytest.mark.parametrize("name", ["dj_wild", "no_game"])
def test_only_what_was_added_is_removed(name: str) -> None:
    with pytest.raises(KeyError):
        remove_game(name)
    assert "dj_wild" in GAMES


def test_one_wager_has_one_title() -> None:
    for game in GAMES.values():
        assert {wager: wager_titles()[wager] for wager in game.wagers} == dict(game.wagers)


def test_every_folder_of_games_is_listed() -> None:
    assert {path.parent.name for path in (ROOT / "games").glob("*/settle.py")} == {*own_games()}


def test_what_games_share_names_no_game() -> None:
    """A game is named in its own folder and in the list of games, and nowhere else in the rulebook."""
    assert {
        path.relative_to(ROOT).as_posix(): name
        for path in (ROOT / "rulebook").rglob("*.py")
        if path.name != "catalogue.py"
        for name in GAMES
        if f'"{name}"' in path.read_text()
    } == {}
