"""House ways of two and of three hands, asked in one way (§§ 688a.11(a), 659a.11(c))."""

import pytest

from rulebook.cards.cards import parse_cards
from rulebook.chapters.chapters import chapter
from rulebook.chapters.filed_way import is_set_by, read_way, settings_of
from rulebook.house_ways.way_table import HouseWayError
from rulebook.layout import Hand

FACE_UP, ASIA = chapter("pa", "688a"), chapter("pa", "659a")
EVERY_HAND = {"name": "own", "cite": "as filed", "row": [{"name": "every hand", "hand": "any"}]}


def test_a_chapter_names_the_ways_of_its_own_hands() -> None:
    assert (read_way("stones", "test", FACE_UP).name, read_way("asia", "test", ASIA).name) == ("stones", "asia")
    for name, book in (("asia", FACE_UP), ("stones", ASIA)):
        with pytest.raises(HouseWayError):
            read_way(name, "test", book)


def test_a_way_can_stand_in_the_submission() -> None:
    two = {**EVERY_HAND, "row": [{**EVERY_HAND["row"][0], "play": [{"front": "highest"}]}]}
    three = {**EVERY_HAND, "hands": "4-2-1", "row": [{**EVERY_HAND["row"][0], "play": [{}]}]}
    assert (read_way(two, "test", FACE_UP).name, read_way(three, "test", ASIA).name) == ("own", "own")
    with pytest.raises(HouseWayError):
        read_way(two, "test", ASIA)


def test_settings_are_hands_of_all_seven_cards() -> None:
    cards = parse_cards("As Kd Jc 9s 8h 4d 3c")
    (two,) = settings_of(read_way("stones", "test", FACE_UP), cards)
    assert two == Hand(cards, parse_cards("As 9s 8h 4d 3c"), parse_cards("Kd Jc"))
    (three,) = settings_of(read_way("asia", "test", ASIA), cards)
    assert three == Hand(cards, parse_cards("As 8h 4d 3c"), parse_cards("9s"), parse_cards("Kd Jc"))


def test_hands_are_set_by_the_way_or_not_and_never_where_one_is_not_known() -> None:
    cards = parse_cards("As Kd Jc 9s 8h 4d 3c")
    for name, book in (("stones", FACE_UP), ("asia", ASIA)):
        way = read_way(name, "test", book)
        right = settings_of(way, cards)[0]
        assert is_set_by(way, right)
        assert right.low is not None
        assert right.high is not None
        wrong = Hand(cards, (*right.high[:-1], right.low[0]), (right.high[-1], *right.low[1:]), right.medium)
        assert not is_set_by(way, wrong)
        assert not is_set_by(way, Hand(cards, right.high))
        assert not is_set_by(way, Hand(cards))
    assert not is_set_by(read_way("asia", "test", ASIA), Hand(cards, parse_cards("As 8h 4d 3c"), parse_cards("9s")))
