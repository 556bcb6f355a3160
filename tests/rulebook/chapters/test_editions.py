"""Editions of a chapter: what an amendment changes, from which gaming day, and what it may not change."""

from pathlib import Path
from typing import Any

import msgspec
import pytest

from rulebook.chapters.chapters import add_chapter, chapter, known_chapters, remove_chapter
from rulebook.chapters.editions import FIXED_NUMBERS, amendment_from_words, read_amendment
from rulebook.chapters.known_editions import known_editions
from rulebook.chapters.rulebook import RulesRefused, parse_submission, submission_from_words

ROOT = Path(__file__).resolve().parents[3]
DAY, BEFORE = "2027-02-01", "2027-01-31"


def amendment(*words: str, key: str = "pa-688a", edition: int = 2, day: str = DAY) -> str:
    return amendment_from_words([key, str(edition), day, *words])


def line(wager: str, hand: str, key: str = "pa-688a", day: str = DAY, published: tuple[str, ...] = ()) -> str:
    book = chapter(*key.split("-", 1), day=day, published=published)
    found = next(each for each in book.paytable(wager, "1").lines if each.hand == hand)
    return str(found.odds)


RAISED = amendment("line=ace_high_bonus/1/both_ace_high/25:1")


@pytest.mark.parametrize(("day", "odds"), [("", "20:1"), (BEFORE, "20:1"), (DAY, "25:1"), ("2030-01-01", "25:1")])
def test_an_amendment_counts_from_its_gaming_day(day: str, odds: str) -> None:
    assert line("ace_high_bonus", "both_ace_high", day=day, published=(RAISED,)) == odds


def test_amendments_count_in_the_order_of_their_numbers_and_the_first_text_of_a_number_counts() -> None:
    third = amendment("line=ace_high_bonus/1/both_ace_high/30:1", edition=3, day="2027-03-01")
    again = amendment("line=ace_high_bonus/1/both_ace_high/99:1", day="2027-01-01")
    published = (third, RAISED, again)
    days = [line("ace_high_bonus", "both_ace_high", day=day, published=published) for day in (DAY, "2027-03-01")]
    assert days == ["25:1", "30:1"]
    made = chapter("pa", "688a", day="2027-03-01", published=published)
    assert (made.edition, len(made.edition_digest)) == (3, 64)


@pytest.mark.parametrize("key", known_chapters())
def test_an_edition_that_changes_nothing_leaves_every_byte_as_it_is(key: str) -> None:
    first = chapter(*key.split("-", 1))
    same = amendment(f"title={first.title}", key=key)
    made = chapter(*key.split("-", 1), day=DAY, published=(same,))
    answers: dict[str, Any] = {"citations": {}, "has_answers": {}}
    assert msgspec.structs.replace(made, **answers) == msgspec.structs.replace(first, **answers)


def test_what_a_chapter_copies_is_amended_with_the_chapter_that_it_is_of() -> None:
    """688a as first proposed copies the paytables of the Ace High Bonus from 688a (Annex A)."""
    assert line("ace_high_bonus", "both_ace_high", key="pa-688a-proposed", published=(RAISED,)) == "25:1"
    made = chapter("pa", "688a-proposed", day=DAY, published=(RAISED,))
    assert made.edition == 1  # of its own there is none
    assert made.edition_digest


@pytest.mark.parametrize(
    ("word", "found"),
    [
        ("strike=base", "strike: wager 'base': the game is not played without it"),
        ("strike=bonus", "strike: wager 'bonus': there is none"),
        ("strike=ace_high_bonus/9", "strike: paytable '9' of 'ace_high_bonus': there is none"),
        ("strike=ace_high_bonus/1/flush", "strike: line 'flush': there is none"),
        ("line=ace_high_bonus/9/both_ace_high/25:1", "line: paytable '9' of 'ace_high_bonus': there is none"),
        ("line=ace_high_bonus/1/both_ace_high/25to1", "lines[0].odds: '25to1'"),
        ("number=seats/7/2(a)", "numbers.seats: an amendment does not change this"),
        ("number=high_hand_cards/6/1", "numbers.high_hand_cards: an amendment does not change this"),
        ("game=dj_wild", "game: an amendment does not change this"),
        ("wheel=lowest", "wheel: an amendment does not change this"),
        ("felt=red", "felt: an amendment does not change this"),
    ],
)
def test_what_does_not_fit_is_named(word: str, found: str) -> None:
    with pytest.raises(ValueError, match="pa-688a, edition 2: ") as refused:
        chapter("pa", "688a", day=DAY, published=(amendment(word),))
    assert found in str(refused.value)


@pytest.mark.parametrize(
    ("change", "found"),
    [
        (("edition = 2", "edition = 1"), "edition: Expected `int` >= 2"),
        (("effective = 2027-02-01", 'effective = "soon"'), "effective: Invalid RFC3339 encoded date"),
        (('cite = "not stated"\n', ""), "cite: Object missing required field `cite`"),
        (('[[line]]\nwager = "ace_high_bonus"\npaytable = "1"\nhand = "both_ace_high"\nodds = "25:1"\n', ""), "nothing"),
        (("edition = 2", "edition = "), "not TOML"),
    ],
)
def test_what_is_no_amendment_is_named_with_its_file(change: tuple[str, str], found: str) -> None:
    with pytest.raises(ValueError, match=r"new\.toml: ") as refused:
        read_amendment(RAISED.replace(*change), "new.toml")
    assert found in str(refused.value)


def test_a_wager_that_ends_is_not_offered_any_more_and_the_filing_stays() -> None:
    text = submission_from_words(["pa-688a", "effective=2026-01-01", "ace_high_bonus=1", "fortune_bonus=1"])
    published = (amendment("strike=ace_high_bonus"),)
    assert "ace_high_bonus" in parse_submission(text, day=BEFORE, published=published).offers
    book = parse_submission(text, day=DAY, published=published)
    assert list(book.offers) == ["base", "fortune_bonus"]
    assert "ace_high_bonus" not in book.chapter.wagers


def test_rules_filed_after_a_wager_ended_cannot_offer_it() -> None:
    text = submission_from_words(["pa-688a", "effective=2027-02-01", "ace_high_bonus=1"])
    with pytest.raises(RulesRefused, match=r"wagers.ace_high_bonus: no such wager; the chapter has base, fortune_bonus"):
        parse_submission(text, published=(amendment("strike=ace_high_bonus"),))


def test_a_limit_that_is_raised_refuses_what_was_filed_below_it() -> None:
    """§ 688a.12(e): the maximum payout is at least $50,000; an amendment makes it $60,000."""
    text = submission_from_words(["pa-688a", "effective=2026-01-01", "max_payout=50000.00"])
    published = (amendment("number=max_payout_floor_cents/6000000/12(e)"),)
    assert parse_submission(text, day=BEFORE, published=published).max_payout_cents == 5_000_000
    with pytest.raises(RulesRefused, match=r"max_payout: 50000.00; at least 60000.00"):
        parse_submission(text, day=DAY, published=published)


def test_the_numbers_that_can_be_amended_are_read_by_name() -> None:
    """What no rule reads from the chapter would be amended without effect."""
    folders = ("replay", "rulebook", "games")
    files = [file for name in folders for file in (ROOT / name).rglob("*.py") if "simulation" not in file.parts]
    source = "".join(file.read_text() for file in files)
    for key in known_chapters():
        numbers = chapter(*key.split("-", 1)).numbers.keys() - FIXED_NUMBERS
        assert [name for name in sorted(numbers) if f'"{name}"' not in source] == []


def test_a_chapter_from_outside_brings_its_own_amendments() -> None:
    text = (ROOT / "tests/example_game/chapters/pa-700a.toml").read_text()
    own, other = amendment("strike=pair_plus", key="pa-700a"), amendment("strike=fortune_bonus")
    add_chapter(text, "pa-700a.toml", [own, other])
    try:
        assert "pair_plus" in chapter("pa", "700a", day=BEFORE).wagers
        assert "pair_plus" not in chapter("pa", "700a", day=DAY).wagers
        assert "fortune_bonus" in chapter("pa", "688a", day=DAY).wagers
    finally:
        remove_chapter("pa-700a")


def test_editions_are_listed_with_who_holds_them_and_what_is_not_held_until_it_is_brought() -> None:
    brought = amendment_from_words(["pa-687a", "2", "2027-02-01", "strike_section=13(i)"])
    held = [each[1:] for each in known_editions([brought]) if each.chapter == "pa-687a"][1:]
    assert [(edition, day, changes, by) for edition, day, _, _, changes, by in held] == [
        (2, "2027-02-01", "strikes 13(i)", "property"),
        (None, None, "not known: the text is not held, and nothing is judged by it", "not held"),
    ]
    same = brought.replace('cite = "not stated"', 'cite = "55 Pa.B. 261"')
    assert [each.held for each in known_editions([same]) if each.chapter == "pa-687a"] == ["program", "property"]
