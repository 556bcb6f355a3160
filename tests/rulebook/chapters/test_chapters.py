"""A chapter's file says what docs/adding-a-game.md lets it say, and a key that is misspelt or missing is named."""

import re
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, get_args

import msgspec
import pytest

from events.vocabulary.base import WagerName
from rulebook.cards.ranking import JokerMode, Wheel
from rulebook.catalogue import GAMES
from rulebook.chapters import chapters
from rulebook.chapters.chapter_form import Closes, Unit
from rulebook.chapters.chapters import chapter, known_chapters

ROOT = Path(__file__).resolve().parents[3]
GUIDE = (ROOT / "docs" / "adding-a-game.md").read_text().partition("## 1.")[2].partition("## 2.")[0]
FILES = sorted((ROOT / "games").glob("*/chapters/*.toml"))
LISTS = ("wager", "paytable", "deal_method", "starting", "shuffler", "setting", "finding")
ALLOWED = {
    "wheel": get_args(Wheel),
    "closes": get_args(Closes),
    "unit": get_args(Unit),
    "joker": get_args(JokerMode),
    "deals_to": ("all", "bettors", "seats"),
    "like": ("688a",),
    "game": tuple(GAMES),
}


def explained() -> dict[str, set[str]]:
    """Return the keys that the guide's table has for a file ("") and for each table in it."""
    found: dict[str, set[str]] = {"": set()}
    for row in re.findall(r"^\| (`.*?) \| (.*) \|$", GUIDE, re.M):
        tables = re.findall(r"`\[+(\w+)\]+`", row[0])
        words = set(re.findall(r"`(\w+)`", row[1]))
        for table in tables:
            found[table] = words
        if not tables:
            found[""] |= set(re.findall(r"`(\w+)`", row[0]))
    return found


def strays(table: Mapping[str, Any]) -> Iterator[str]:
    """Yield the keys of a chapter that the guide does not explain, and the values that none of its choices are."""
    known = explained()
    for key in table:
        if key not in known[""] and key not in known:
            yield key
    yield from (f"numbers.{name}.{key}" for name, entry in table["numbers"].items() for key in entry.keys() ^ {"value", "cite"})
    for kind in LISTS:
        for entry in table.get(kind, ()):
            yield from (f"{kind}.{key}" for key in entry if key not in known[kind] | {"from"})
            yield from (f"line.{key}" for line in entry.get("lines", ()) for key in line if key not in known["paytable"])
    for entry in (table, *(entry for kind in LISTS for entry in table.get(kind, ()))):
        yield from (f"{key} = {entry[key]}" for key in ALLOWED if key in entry and entry[key] not in ALLOWED[key])


@pytest.mark.parametrize("file", FILES, ids=lambda file: str(file.stem))
def test_every_key_of_a_chapter_is_explained_in_the_guide(file: Path) -> None:
    table = tomllib.loads(file.read_text())
    assert list(strays(table)) == []
    assert f"{table['jurisdiction']}-{table['chapter']}" == file.stem
    assert table["game"] == file.parents[1].name


@pytest.mark.parametrize(
    ("change", "found"),
    [
        (("wheel", "wheal"), ["wheal"]),
        (('"second"', '"third"'), ["wheel = third"]),
        (("always = true", "allways = true"), ["wager.allways"]),
        (('odds = "20:1"', 'ods = "20:1"'), ["line.ods"]),
        (("[[setting]]\n", '[[setting]]\nunit = "dollars"\n'), ["unit = dollars"]),
        (("seats = { value", "seats = { valeu"), ["numbers.seats.valeu", "numbers.seats.value"]),
    ],
)
def test_the_check_of_keys(change: tuple[str, str], found: list[str]) -> None:
    text = (ROOT / "games" / "face_up_pai_gow" / "chapters" / "pa-688a.toml").read_text().replace(*change, 1)
    assert sorted(strays(tomllib.loads(text))) == found


@pytest.mark.parametrize("key", known_chapters())
def test_a_chapter_has_what_every_chapter_needs(key: str) -> None:
    book = chapter(*key.split("-", 1))
    assert {"seats", "deck_size", "jokers", "decks_max", "cards_per_hand"} <= set(book.numbers)
    for wager in book.wagers:
        msgspec.convert(wager, WagerName)  # the form of stored names
    assert book.shufflers
    assert book.deal_methods


def test_a_key_that_is_missing_is_named_with_the_file(monkeypatch: pytest.MonkeyPatch) -> None:
    text = (ROOT / "games" / "over_under" / "chapters" / "pa-686a.toml").read_text().replace("wheel = ", "wheal = ", 1)
    monkeypatch.setattr(chapters, "table_of", lambda where, name: tomllib.loads(text))
    with pytest.raises(ValueError, match=r"the chapter pa-686a: 'wheel' is missing"):
        chapters._edition.__wrapped__("pa", "686a", ())


def test_every_game_has_a_chapter() -> None:
    assert {chapter(*key.split("-", 1)).game for key in known_chapters()} == set(GAMES)
