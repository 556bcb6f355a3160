"""Cards as integers: 53 of them, each with one text (§ 688a.3(a))."""

import pytest

from rulebook.cards.cards import CODE, DECK, JOKER, TEXT, parse_cards, rank, show, suit


def test_688a_3_a_the_deck_has_53_different_cards():
    assert list(DECK) == list(range(53))
    assert len(set(TEXT)) == 53
    assert JOKER in DECK


@pytest.mark.parametrize(
    ("text", "card", "of_rank", "of_suit"),
    [("2c", 0, 2, 0), ("2s", 3, 2, 3), ("3c", 4, 3, 0), ("Td", 33, 10, 1), ("Kh", 46, 13, 2), ("As", 51, 14, 3)],
)
def test_codes(text, card, of_rank, of_suit):
    assert CODE[text] == card
    assert TEXT[card] == text
    assert (rank(card), suit(card)) == (of_rank, of_suit)
    assert card == (of_rank - 2) * 4 + of_suit


def test_the_joker_has_a_text_and_neither_rank_nor_suit():
    assert CODE["Jk"] == JOKER == 52
    for question in (rank, suit):
        for card in (JOKER, 53, -1):
            with pytest.raises(ValueError, match="has no"):
                question(card)


def test_parsing_what_is_shown_gives_the_cards_back():
    assert parse_cards(show(DECK)) == DECK
    assert parse_cards("  ") == ()
    assert show(()) == ""


@pytest.mark.parametrize("text", ["10s", "ks", "KS", "Jks", "1c", "Ks,Kd", "??"])
def test_what_is_not_a_card_is_named(text):
    with pytest.raises(ValueError, match="is not a card"):
        parse_cards(f"Ks {text}")
