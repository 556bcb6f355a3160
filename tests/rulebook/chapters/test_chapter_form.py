"""A chapter with a missing or wrong key is refused at once, with file, key and what was expected."""

import contextlib
import copy
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from rack.cli import main
from rulebook.chapters.chapter_form import ALWAYS, SHARED_NUMBERS, fault_of
from rulebook.chapters.chapters import add_chapter, as_chapter

ROOT = Path(__file__).resolve().parents[3]
FILES = [*sorted((ROOT / "games").glob("*/chapters/*.toml")), ROOT / "tests/example_game/chapters/pa-700a.toml"]
Path_ = tuple[str | int, ...]


def keys_of(value: Any, above: Path_ = ()) -> Iterator[Path_]:
    """Yield the path of every key of a table, at any depth."""
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in items:
        if isinstance(key, str):
            yield (*above, key)
        yield from keys_of(inner, (*above, key))


def changed(table: dict[str, Any], path: Path_, *instead: Any) -> dict[str, Any]:
    """Return a copy of a table with another value at a path, or none."""
    made: Any = copy.deepcopy(table)
    inner = made
    for step in path[:-1]:
        inner = inner[step]
    if instead:
        inner[path[-1]] = instead[0]
    else:
        del inner[path[-1]]
    return dict(made)


@pytest.mark.parametrize("file", FILES, ids=lambda file: str(file.stem))
def test_every_key_of_a_wrong_type_is_named(file: Path) -> None:
    table = tomllib.loads(file.read_text())
    assert fault_of(table) is None
    for path in keys_of(table):
        fault = fault_of(changed(table, path, 3.5))
        assert fault is not None, path
        assert str(path[-1]) in fault or str(path[-2]) in fault, (path, fault)


@pytest.mark.parametrize("file", FILES, ids=lambda file: str(file.stem))
def test_without_a_key_a_chapter_is_refused_by_that_key_or_is_whole(file: Path) -> None:
    table = tomllib.loads(file.read_text())
    for path in keys_of(table):
        left = changed(table, path)
        fault = fault_of(left)
        if fault is None:
            with contextlib.suppress(ValueError):
                as_chapter(left)
        elif path[-1] != "name":  # without the name of a wager, what names it is wrong
            assert str(path[-1]) in fault, (path, fault)


@pytest.mark.parametrize(
    ("change", "found"),
    [
        (('odds_cite = "12(b)"\n', ""), r"pa-700a.toml: wager\[1\].odds_cite: Object missing required field `odds_cite`"),
        (('wager = "pair_plus"', 'wager = "pear_plus"'), r"paytable\[0\].wager: 'pear_plus'; expected a wager of the chapter"),
        (('odds = "25:1"', 'odds = "25 to 1"'), r"paytable\[0\].lines\[0\].odds: '25 to 1'"),
        (("cards_per_hand", "cards_per_hnd"), "numbers.cards_per_hand is missing"),
        (('severity = "low"', 'severity = "lowest"'), r"finding\[0\].severity: Invalid enum value 'lowest'"),
        (('name = "pair_plus"', 'name = "Pair Plus"'), r"wager\[1\].name: Expected `str` matching regex"),
        (
            ('default = "push"', 'default = "pusch"'),
            r"setting\[0\].default: 'pusch'; expected one of the values \['push', 'lose'\]",
        ),
        (("seats = { value = 6", "seats = { value = 8"), "pa-700a.toml: numbers.seats: 8; expected 1 to 7"),
        (('"7(c)" = ', '"7c" = '), r"sections: '7c'; expected a section of 688a, such as '7\(c\)'"),
        (('name = "manual_shoe"', 'name = "pitch"'), "deal_method: 'pitch'; expected one of manual_shoe, hand, automated_shoe"),
        (("wheel = ", "wheel = ["), "pa-700a.toml: not TOML"),
        (('"7(c)" = "7(c)"', '"3(c)(2)" = "3(c)"'), r"numbers.deck_age_shoe_hours is missing; section 3\(c\)\(2\) needs it"),
        (('odds = "25:1"', 'odds = "25:1", envy = "5"'), "numbers.qualifying_wager_cents is missing; a line with envy"),
    ],
)
def test_what_is_wrong_is_said_with_file_key_and_what_was_expected(change: tuple[str, str], found: str) -> None:
    with pytest.raises(ValueError, match=found):
        add_chapter(FILES[-1].read_text().replace(*change, 1), "pa-700a.toml")


def test_the_command_reads_a_chapter(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = FILES[-1].read_text()
    (tmp_path / "good.toml").write_text(text)
    (tmp_path / "bad.toml").write_text(text.replace('odds_cite = "12(b)"\n', ""))
    assert main(["rules", "check", str(tmp_path / "good.toml")]) == 0
    assert "accepted; chapter High Card (pa-700a) of the game high_card" in capsys.readouterr().out
    assert main(["rules", "check", str(tmp_path / "bad.toml")]) == 2
    assert "bad.toml: wager[1].odds_cite: Object missing required field" in capsys.readouterr().err


def test_every_number_that_shared_code_asks_for_is_asked_of_a_chapter_when_it_is_read() -> None:
    """A number without which a shared rule or settlement fails is one of every chapter, of its section, or of one chapter."""
    asked = {
        number
        for layer in ("rulebook", "replay", "floor")
        for file in (ROOT / layer).rglob("*.py")
        for number in re.findall(r"(?<!before\.)\bnumbers\[\"(\w+)\"\]", file.read_text())
    }
    of_one_chapter = {"shake_ms", "copies"}  # of 645c and 686a: their rules name the chapter's section whole
    under_a_condition = {"max_payout_floor_cents", "qualifying_wager_cents", "stub_cards", "first", "last", "device"}
    assert asked - of_one_chapter - under_a_condition <= {*ALWAYS, *SHARED_NUMBERS.values()}
