"""What a form needs of each chapter, and the answer to what was typed: in the words of page, packet and command."""

import pytest

from replay.transcript.entry import answer, form, forms
from rulebook.chapters.chapters import known_chapters

BOTH_ACE_HIGH = """\
rules pa-688a ace_high_bonus=1
wager seat=3 base 25.00 ace_high_bonus 10.00
deal dealer=Jk Kd Jc 9s 8h 4d 3c  seat3=As Qd Th 9h 7c 5s 2d
pay seat=3 ace_high_bonus 100.00
"""


@pytest.mark.parametrize("key", known_chapters())
def test_each_wager_of_a_chapter_has_a_key_of_its_own(key: str) -> None:
    letters = [wager["letter"] for wager in form(key)["wagers"]]
    assert len(set(letters)) == len(letters)
    assert all(letter.isalpha() and len(letter) == 1 for letter in letters)


@pytest.mark.parametrize(
    ("key", "seats", "cards", "first", "copies", "joker", "dealer", "hands"),
    [
        ("pa-688a", 6, 7, 7, 1, True, True, ["high", "low"]),  # § 688a.2(a), .3(a), .8(d)
        ("pa-645c", 6, 7, 7, 1, True, True, ["high", "low"]),
        ("pa-659a", 6, 7, 7, 1, True, True, ["high", "medium", "low"]),  # § 659a.1, .8(c)
        ("pa-686a", 6, 3, 1, 6, False, False, []),  # § 686a.3(a): six decks, no joker; .7: one card, then two
        ("pa-687a", 6, 5, 5, 1, True, True, []),
        ("ca-gegr-002138", 7, 7, 7, 1, True, True, ["high", "low"]),
    ],
)
def test_a_form_has_the_seats_and_hands_of_its_chapter(
    key: str, seats: int, cards: int, first: int, copies: int, joker: bool, dealer: bool, hands: list[str]
) -> None:
    made = form(key)
    assert [made["seats"], made["cards"], made["first_cards"], made["copies"]] == [seats, cards, first, copies]
    assert [made["joker"], made["dealer"], list(made["hands"])] == [joker, dealer, hands]


def test_every_chapter_has_a_form() -> None:
    assert [made["key"] for made in forms()] == list(known_chapters())


def test_wagers_placed_after_the_first_cards_are_late_686a_7g_687a_7d() -> None:
    late = {key: [wager["name"] for wager in form(key)["wagers"] if wager["late"]] for key in ("pa-686a", "pa-687a")}
    assert late == {"pa-686a": ["over", "under"], "pa-687a": ["raise"]}


def test_both_ace_high_paid_short_688a_12b() -> None:
    """20 to 1 on $10.00 is $200.00; $100.00 was paid."""
    (round_,) = answer(BOTH_ACE_HIGH)["rounds"]
    assert round_["verdict"] == "VARIANCE"
    assert round_["sentence"].startswith("Seat 3 is owed $100.00")
    bonus = round_["wagers"][1]
    assert [bonus[name] for name in ("staked", "due", "done", "differs")] == [
        "$10.00", "+$200.00", "+$100.00", "−$100.00",
    ]  # fmt: skip
    (finding,) = round_["findings"]
    assert finding["to_do"] == ["Pay $100.00 to the patron at seat 3."]
    assert finding["section"] == "58 Pa. Code § 688a.12(b)"
    assert finding["lines"] == [2, 4]


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("rules pa-688a\nwager seat=9 base 5.00\n", 2, "seat"),
        ("rules pa-688a\nwager seat=3 base\n", 2, "amount"),
        ("rules pa-999a\n", 1, "pa-999a"),
    ],
)
def test_a_line_that_cannot_be_read_is_named(text: str, line: int, words: str) -> None:
    said = answer(text)
    assert said["rounds"] == []
    assert said["error"]["line"] == line
    assert words in said["error"]["words"]


def test_nothing_typed_is_no_error_of_the_program() -> None:
    assert answer("")["rounds"] == []
