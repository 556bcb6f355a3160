"""The house way of the California chart, row by row, and house ways of one's own (§ 688a.11(a), D26)."""

import random
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rulebook.cards.cards import DECK, JOKER, parse_cards, show
from rulebook.cards.ranking import rank_five, rank_two
from rulebook.house_ways.house_way import load_house_way, packaged_house_way
from rulebook.house_ways.way_table import HouseWayError
from tests.rulebook.cards.plain_ranking import HANDS_7

STONES = packaged_house_way("stones")

# Row, seven cards, and the accepted settings: the first is the one to show. Both sides of each condition.
CHART = [
    # High card: second and third highest in front.
    ("high card", "Ks Jd 9h 8c 6s 4d 2h", ["Ks 8c 6s 4d 2h / Jd 9h"]),
    ("high card", "As Kd Qh 9c 7s 4d 2h", ["As 9c 7s 4d 2h / Kd Qh"]),
    ("high card", "Jk Kd Qh 9c 7s 4d 2h", ["Jk 9c 7s 4d 2h / Kd Qh"]),
    ("high card", "9s 8d 7h 5c 4s 3d 2h", ["9s 5c 4s 3d 2h / 8d 7h"]),
    # One pair: behind, the highest two others in front; the joker and an ace are a pair.
    ("one pair", "Ks Kd Qh 9c 7s 4d 2h", ["Ks Kd 7s 4d 2h / Qh 9c"]),
    ("one pair", "2s 2d Ah Kc 9s 7d 4h", ["9s 7d 4h 2s 2d / Ah Kc"]),
    ("one pair", "As Jk Qh 9c 7s 4d 2h", ["Jk As 7s 4d 2h / Qh 9c"]),
    ("one pair", "9s 9d Jk Kc 7s 4d 2h", ["9s 9d 7s 4d 2h / Jk Kc"]),
    # Two pair, aces to queens high: the small pair in front, whatever else there is.
    ("two pair: aces, kings, queens high", "As Ad 3h 3c Ks 9d 7h", ["As Ad Ks 9d 7h / 3c 3h"]),
    ("two pair: aces, kings, queens high", "Ks Kd 2h 2c As 9d 7h", ["Ks Kd As 9d 7h / 2c 2h"]),
    ("two pair: aces, kings, queens high", "Qs Qd 2h 2c As 9d 7h", ["Qs Qd As 9d 7h / 2c 2h"]),
    ("two pair: aces, kings, queens high", "As Jk 3h 3c Ks 9d 7h", ["Jk As Ks 9d 7h / 3h 3c"]),
    # Jacks to nines high: both behind with an ace in front, else the small pair.
    ("two pair: jacks, tens, nines high", "Js Jd 4h 4c As 9d 7h", ["Js Jd 4h 4c 7h / As 9d"]),
    ("two pair: jacks, tens, nines high", "Js Jd 4h 4c Jk 9d 7h", ["Js Jd 4h 4c 7h / Jk 9d"]),
    ("two pair: jacks, tens, nines high", "Js Jd 4h 4c Ks 9d 7h", ["Js Jd Ks 9d 7h / 4h 4c"]),
    ("two pair: jacks, tens, nines high", "9s 9d 4h 4c As Kd 7h", ["9s 9d 4h 4c 7h / As Kd"]),
    ("two pair: jacks, tens, nines high", "9s 9d 4h 4c Ks Qd 7h", ["9s 9d Ks Qd 7h / 4h 4c"]),
    # Eights to sixes high: with a king or better.
    ("two pair: eights, sevens, sixes high", "8s 8d 4h 4c Ks 9d 7h", ["8s 8d 4h 4c 7h / Ks 9d"]),
    ("two pair: eights, sevens, sixes high", "8s 8d 4h 4c Qs 9d 7h", ["8s 8d Qs 9d 7h / 4h 4c"]),
    ("two pair: eights, sevens, sixes high", "6s 6d 4h 4c As Qd 9h", ["6s 6d 4h 4c 9h / As Qd"]),
    ("two pair: eights, sevens, sixes high", "6s 6d 4h 4c Qs Jd 9h", ["6s 6d Qs Jd 9h / 4h 4c"]),
    # Fives to threes high: with a queen or better.
    ("two pair: fives, fours, threes high", "5s 5d 4h 4c Qs 9d 7h", ["5s 5d 4h 4c 7h / Qs 9d"]),
    ("two pair: fives, fours, threes high", "5s 5d 4h 4c Js 9d 7h", ["5s 5d Js 9d 7h / 4h 4c"]),
    ("two pair: fives, fours, threes high", "3s 3d 2h 2c Ks Jd 9h", ["3s 3d 2h 2c 9h / Ks Jd"]),
    ("two pair: fives, fours, threes high", "3s 3d 2h 2c Js Td 9h", ["3s 3d Js Td 9h / 2h 2c"]),
    # Three pair: the highest in front, with or without a straight or flush.
    ("three pair", "Ks Kd 9h 9c 4s 4d 2h", ["9h 9c 4s 4d 2h / Ks Kd"]),
    ("three pair", "3s 3d 9h 9c 4s 4d Ah", ["Ah 4s 4d 3s 3d / 9h 9c"]),
    ("three pair", "As Jk 9h 9c 4s 4d Kh", ["Kh 9h 9c 4s 4d / Jk As"]),
    ("three pair", "Ks Kd Qh Qc Js As Jk", ["Ks Kd Qh Qc Js / Jk As"]),  # also A-K-Q-J and the joker
    # Three of a kind: aces part, kings do not.
    ("three of a kind: aces", "As Ad Ah Kc 9s 7d 4h", ["Ah Ad 9s 7d 4h / As Kc"]),
    ("three of a kind: aces", "As Ad Jk Kc 9s 7d 4h", ["As Ad 9s 7d 4h / Jk Kc"]),
    ("three of a kind: kings and below", "Ks Kd Kh Ac 9s 7d 4h", ["Ks Kh Kd 7d 4h / Ac 9s"]),
    ("three of a kind: kings and below", "2s 2d 2h Qc 9s 7d 4h", ["7d 4h 2s 2h 2d / Qc 9s"]),
    ("three of a kind: kings and below", "2s 2d 2h Jk 9s 7d 4h", ["7d 4h 2s 2h 2d / Jk 9s"]),
    # Two threes: the highest pair that there can be.
    ("two threes of a kind", "Ks Kd Kh 9c 9s 9d 4h", ["Kd 9s 9d 9c 4h / Ks Kh"]),
    ("two threes of a kind", "As Ad Jk 2c 2s 2d Kh", ["Ad Kh 2s 2d 2c / Jk As"]),
    # Straight or flush with no pair: the highest two that leave one behind.
    ("straight or flush with no pair", "9s 8d 7h 6c 5s Kd Qh", ["9s 8d 7h 6c 5s / Kd Qh"]),
    ("straight or flush with no pair", "9s 8d 7h 6c 5s 4d 3h", ["7h 6c 5s 4d 3h / 9s 8d"]),
    ("straight or flush with no pair", "Ks Qs 9s 7s 6s 4s 2s", ["9s 7s 6s 4s 2s / Ks Qs"]),
    ("straight or flush with no pair", "Ks 9s 8s 7s 6s 5s 2d", ["9s 8s 7s 6s 5s / Ks 2d"]),
    ("straight or flush with no pair", "As Kd Qh Jc Ts 9d 8h", ["Qh Jc Ts 9d 8h / As Kd"]),
    ("straight or flush with no pair", "As 2d 3h 4c 5s 6d 9h", ["6d 5s 4c 3h 2d / As 9h"]),
    ("straight or flush with no pair", "Jk 9d 8h 7c 5s Kd 2h", ["Jk 9d 8h 7c 5s / Kd 2h"]),
    ("straight or flush with no pair", "Jk Qs 9s 7s 4s Kd Jh", ["Jk Qs 9s 7s 4s / Kd Jh"]),
    # A flush and a straight: what leaves the higher cards in front. K-2 with the flush, 5-2 with the straight.
    ("straight or flush with no pair", "Ks Qd Jd Td 9d 5d 2h", ["Qd Jd Td 9d 5d / Ks 2h"]),
    # Straight or flush with one pair: a pair in front where it can be, else the highest two.
    ("straight or flush with one pair", "Ks Kd 9h 8c 7s 6d 5h", ["9h 8c 7s 6d 5h / Ks Kd"]),
    ("straight or flush with one pair", "9s 9d 8h 7c 6s 5d Kh", ["9s 8h 7c 6s 5d / Kh 9d"]),
    ("straight or flush with one pair", "As Jk 9h 8c 7s 6d 5h", ["9h 8c 7s 6d 5h / Jk As"]),
    ("straight or flush with one pair", "As Jk 9h 8c 7s 6d 2h", ["Jk 9h 8c 7s 6d / As 2h"]),
    ("straight or flush with one pair", "9s 9d 8s 7s 6s 5s Kh", ["9s 8s 7s 6s 5s / Kh 9d", "9d 8s 7s 6s 5s / Kh 9s"]),
    # With two pair: a pair in front and a complete hand behind, else as two pair.
    ("straight or flush with two pair, one of them ace and joker", "As Jk Ks Kd Qh Jc Th", ["Jk As Qh Jc Th / Ks Kd"]),
    ("two pair: jacks, tens, nines high", "9s 9d 8h 8c 7s 6d 5h", ["9s 9d 7s 6d 5h / 8h 8c"]),
    ("two pair: aces, kings, queens high", "As Ad Ks Kd Qh Jc Th", ["As Ad Qh Jc Th / Ks Kd"]),
    ("two pair: eights, sevens, sixes high", "8s 8d 7h 7c 6s 5d Jk", ["8s 8d 7h 7c 5d / Jk 6s"]),
    ("two pair: jacks, tens, nines high", "9s 9d 8h 8s 7s 5s 2s", ["9s 9d 7s 5s 2s / 8s 8h"]),
    # The joker as the second ace, or to complete: both are accepted.
    (
        "straight or flush with two pair, one of them ace and joker",
        "As Jk 9h 9c 8s 7d 6h",
        ["Jk As 8s 7d 6h / 9h 9c", "Jk 9h 8s 7d 6h / As 9c"],
    ),
    # With three of a kind: a pair in front, or an ace.
    ("straight or flush with three of a kind", "9s 9d 9h 8c 7s 6d 5h", ["9h 8c 7s 6d 5h / 9s 9d"]),
    ("straight or flush with three of a kind", "As Ad Ah Kc Qs Jd Th", ["Ah Kc Qs Jd Th / As Ad"]),
    ("straight or flush with three of a kind", "As Ad Jk 9c 8s 7d 6h", ["Jk 9c 8s 7d 6h / As Ad"]),
    ("straight or flush with three of a kind", "As Ad Jk Kc Qs Jd 2h", ["Jk As Kc Qs Jd / Ad 2h"]),
    ("straight or flush with three of a kind", "7s 7d 7h Jk 9c 8s 6d", ["Jk 9c 8s 7h 6d / 7s 7d"]),
    # Full house: the highest pair that leaves three of a kind; with a second pair, the higher of the two.
    ("full house", "Ks Kd Kh 9c 9s 7d 4h", ["Ks Kh Kd 7d 4h / 9s 9c"]),
    ("full house", "2s 2d 2h 9c 9s 7d 4h", ["7d 4h 2s 2h 2d / 9s 9c"]),
    ("full house", "Ks Kd Kh 9c 9s Ad Ah", ["Ks Kh Kd 9s 9c / Ah Ad"]),
    ("full house", "Ks Kd Kh Jk As Qd Jh", ["Ks Kh Kd Qd Jh / Jk As"]),  # also A-K-Q-J and the joker
    ("full house", "As Ad Jk Kc Ks 7d 4h", ["Jk As Ad 7d 4h / Ks Kc"]),
    # Four of a kind: aces to queens part.
    ("four of a kind: aces, kings, queens", "Qs Qd Qh Qc As Kd 4h", ["As Kd Qd Qc 4h / Qs Qh"]),
    ("four of a kind: aces, kings, queens", "As Ad Ah Ac Ks 9d 4h", ["Ad Ac Ks 9d 4h / As Ah"]),
    ("four of a kind: aces, kings, queens", "As Ad Ah Jk Ks 9d 4h", ["Ah Ad Ks 9d 4h / Jk As"]),
    # Aces with the joker that completes: two aces in front; behind it may complete or not.
    ("four of a kind: aces, kings, queens", "As Ad Ah Jk Kc Qd Js", ["Jk Ad Kc Qd Js / As Ah", "Ah Ad Kc Qd Js / Jk As"]),
    # Jacks to nines: together with a king in front.
    ("four of a kind: jacks, tens, nines", "Js Jd Jh Jc Ks 9d 4h", ["Js Jh Jd Jc 4h / Ks 9d"]),
    ("four of a kind: jacks, tens, nines", "Js Jd Jh Jc Qs 9d 4h", ["Qs Jd Jc 9d 4h / Js Jh"]),
    ("four of a kind: jacks, tens, nines", "9s 9d 9h 9c Jk 8d 4h", ["9s 9h 9d 9c 4h / Jk 8d"]),
    # Eights to sixes: with a queen.
    ("four of a kind: eights, sevens, sixes", "8s 8d 8h 8c Qs 9d 4h", ["8s 8h 8d 8c 4h / Qs 9d"]),
    ("four of a kind: eights, sevens, sixes", "8s 8d 8h 8c Js 9d 4h", ["Js 9d 8d 8c 4h / 8s 8h"]),
    ("four of a kind: eights, sevens, sixes", "6s 6d 6h 6c As 9d 4h", ["6s 6h 6d 6c 4h / As 9d"]),
    # Fives and below: always together.
    ("four of a kind: fives and below", "5s 5d 5h 5c 9s 8d 4h", ["5s 5h 5d 5c 4h / 9s 8d"]),
    ("four of a kind: fives and below", "2s 2d 2h 2c 5s 4d 3h", ["3h 2s 2h 2d 2c / 5s 4d"]),
    # With a pair: it goes in front, aces or not.
    ("four of a kind with a pair", "As Ad Ah Ac 2s 2d Kh", ["As Ah Ad Ac Kh / 2s 2d"]),
    ("four of a kind with a pair", "2s 2d 2h 2c Jk Ad Kh", ["Kh 2s 2h 2d 2c / Jk Ad"]),
    # With three of a kind the chart is silent.
    (
        "four of a kind with three of a kind: sixes and above",
        "Ks Kd Kh Kc 9s 9d 9h",
        ["Ks Kh Kd Kc 9d / 9s 9h", "Kd Kc 9s 9h 9d / Ks Kh"],
    ),
    ("four of a kind with three of a kind: sixes and above", "6s 6d 6h 6c 9s 9d 9h", ["9d 6s 6h 6d 6c / 9s 9h"]),
    ("four of a kind with three of a kind: fives and below", "5s 5d 5h 5c 2s 2d 2h", ["5s 5h 5d 5c 2d / 2s 2h"]),
    # Five aces: two of them in front, with a pair as well.
    ("five aces", "As Ad Ah Ac Jk 9s 4d", ["Ah Ad Ac 9s 4d / Jk As"]),
    ("five aces", "As Ad Ah Ac Jk Ks Kd", ["Ah Ad Ac Ks Kd / Jk As"]),
]


@pytest.mark.parametrize(("row", "cards", "settings"), CHART, ids=[f"{row}: {cards}" for row, cards, _ in CHART])
def test_the_chart_by_hand(row, cards, settings):
    hand = parse_cards(cards)
    assert STONES.row(hand) == row
    accepted = STONES.settings(hand)
    assert [ranks(setting) for setting in accepted] == [ranks(parsed(text)) for text in settings]
    assert STONES.choose(hand) == accepted[0]
    for text in settings:
        assert STONES.accepts(*parsed(text))


def parsed(text):
    high, low = text.split(" / ")
    return parse_cards(high), parse_cards(low)


def ranks(setting):
    high, low = setting if isinstance(setting, tuple) else (setting.high, setting.low)
    return rank_five(high), rank_two(low)


def test_every_row_of_the_chart_is_worked_by_hand_but_the_two_that_set_no_hand_themselves():
    worked = {row for row, _, _ in CHART}
    assert {row.name for row in STONES.rows} - worked == {"straight or flush with two pair", "any other hand"}


@pytest.mark.parametrize(
    ("high", "low", "accepted"),
    [
        ("As Ad Ks 9d 7h", "3h 3c", True),
        ("As Ad 3h 3c 7h", "Ks 9d", False),  # both pairs behind, though aces are high
        ("3h 3c Ks 9d 7h", "As Ad", False),  # foul
        ("As Ad Ks 9d 7h", "3h", False),
        ("As Ad Ks 9d", "3h 3c 7h", False),
        ("Ah Ac 9s 4d Jk", "As Ad", True),  # which of the aces goes in front does not matter
        ("As Ah Jk 9s 4d", "Ac Ad", True),
        ("As Ah Ac Jk Ad", "9s 4d", False),
    ],
)
def test_accepts_goes_by_rank_and_not_by_card(high, low, accepted):
    assert STONES.accepts(parse_cards(high), parse_cards(low)) is accepted


@pytest.mark.slow
def test_every_setting_is_legal_and_made_of_the_seven_cards():
    dice = random.Random(11)
    with_joker = 0
    for number in range(24_000):
        hand = dice.sample(DECK, 7)
        if number % 3 == 0 and JOKER not in hand:
            hand[0] = JOKER
        with_joker += JOKER in hand
        settings = STONES.settings(hand)
        assert settings
        for setting in settings:
            assert sorted((*setting.high, *setting.low)) == sorted(hand)
            assert (len(setting.high), len(setting.low)) == (5, 2)
            assert rank_five(setting.high) >= rank_two(setting.low), show(hand)
        assert len({ranks(setting) for setting in settings}) == len(settings)
    assert with_joker > 8_000


def test_no_hand_comes_to_the_row_for_any_other():
    """Every way that ranks fall, joker included, over four ranks of all suits with others: no hand is left over."""
    dice = random.Random(12)
    few = [card for card in DECK if card == JOKER or card // 4 in (12, 11, 5, 0)]
    for _ in range(6_000):
        hand = [*dice.sample(few, 6), dice.choice([card for card in DECK if card not in few])]
        assert STONES.row(hand) != "any other hand"
        assert STONES.row(dice.sample(few, 7)) != "any other hand"


@given(HANDS_7, st.permutations(range(4)), st.randoms(use_true_random=False))
def test_order_and_names_of_suits_never_matter(hand, suits, dice):
    other = [card if card == JOKER else card // 4 * 4 + suits[card % 4] for card in hand]
    dice.shuffle(other)
    assert {ranks(setting) for setting in STONES.settings(other)} == {ranks(setting) for setting in STONES.settings(hand)}


@given(HANDS_7)
def test_what_is_accepted_is_exactly_what_ranks_like_an_accepted_setting(hand):
    accepted = {ranks(setting) for setting in STONES.settings(hand)}
    for low in combinations(hand, 2):
        high = tuple(card for card in hand if card not in low)
        assert STONES.accepts(high, low) is ((rank_five(high), rank_two(low)) in accepted)


@pytest.mark.parametrize("text", ["Ks Kd 9h 9c 4s 4d", "Ks Kd 9h 9c 4s 4d 2h 3h", "Ks Kd 9h 9c 4s 4d 4d"])
def test_a_house_way_sets_seven_different_cards(text):
    with pytest.raises(ValueError, match="seven different cards"):
        STONES.choose(parse_cards(text))


# ------------------------------------------------------------------------------------------------ one's own


HEAD = 'name = "own"\ncite = "as filed"\n'
CATCH_ALL = '[[row]]\nname = "rest"\nhand = "any"\nplay = [{ front = "highest" }]\n'


def row(**keys):
    lines = [f"{key} = {value}" for key, value in keys.items()]
    return "\n".join(["[[row]]", 'name = "mine"', *lines, ""])


def test_a_house_way_of_ones_own_in_a_few_rows():
    way = load_house_way(
        HEAD + row(hand='["one_pair", "two_pair"]', play='[{ front = "unlike", back = "pair", at_least = "K" }]') + CATCH_ALL,
        "own.toml",
    )
    assert str(way.choose(parse_cards("As Ad 3h 3c Ks 9d 7h"))) == "Ad 9d 7h 3h 3c / As Ks"
    assert way.row(parse_cards("8s 8d 3h 3c Qs 9d 7h")) == "rest"  # no king for the front: the row is passed over
    assert len(way.digest) == 64
    assert (way.name, way.cite) == ("own", "as filed")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("name = ", "own.toml: not TOML"),
        (HEAD, r"own.toml: row: expected \[\[row\]\] tables"),
        (HEAD + "row = [1]", "own.toml: row: expected"),
        (HEAD + "row = []", "own.toml: row: expected"),
        ('cite = "x"\n' + CATCH_ALL, "own.toml: name: None; expected text"),
        (HEAD + 'color = "red"\n' + CATCH_ALL, "own.toml: color: unknown; expected one of name, cite, row"),
        (HEAD + '[[row]]\nhand = "any"\n', "own.toml: row 1: name: None; expected text"),
        (HEAD + row(hand='"any"', play="[]") + CATCH_ALL, r"own.toml: row 1 \(mine\): play: \[\]; expected a list"),
        (HEAD + row(hand='"any"', play="[[]]") + CATCH_ALL, r"row 1 \(mine\): play: an empty list"),
        (HEAD + row(hand='"any"', play='["pair"]') + CATCH_ALL, r"row 1 \(mine\): play: 'pair'; expected a play"),
        (HEAD + row(hand='"any"', play="[{}]") + CATCH_ALL, r"row 1 \(mine\): front: None; expected one of highest"),
        (HEAD + row(hand='"any"', play='[{ front = "best" }]') + CATCH_ALL, "front: 'best'; expected one of highest"),
        (HEAD + row(hand='"any"', play='[{ front = "pair", back = "nice" }]') + CATCH_ALL, "back: 'nice'; expected one"),
        (HEAD + row(hand='"any"', play='[{ front = "pair", at_least = "10" }]') + CATCH_ALL, "at_least: '10'; expected a"),
        (HEAD + row(hand='"any"', play='[{ front = "pair", at_least = 10 }]') + CATCH_ALL, "at_least: 10; expected a"),
        (HEAD + row(hand='"any"', play='[{ front = "pair", behind = "pair" }]') + CATCH_ALL, "behind: unknown"),
        (HEAD + row(hand='"one pair"', play='[{ front = "pair" }]') + CATCH_ALL, "hand: 'one pair'; expected one or"),
        (HEAD + row(hand="[]", play='[{ front = "pair" }]') + CATCH_ALL, r"hand: \[\]; expected one or"),
        (HEAD + row(play='[{ front = "pair" }]') + CATCH_ALL, "hand: None; expected one or"),
        (HEAD + row(hand='"one_pair"', ranks='"AKX"', play='[{ front = "pair" }]') + CATCH_ALL, "ranks: 'AKX'; expected"),
        (HEAD + row(hand='"one_pair"', ranks="14", play='[{ front = "pair" }]') + CATCH_ALL, "ranks: 14; expected"),
        (HEAD + row(hand='"one_pair"', complete='"yes"', play='[{ front = "pair" }]') + CATCH_ALL, "complete: 'yes'"),
        (HEAD + row(hand='"one_pair"', when='"now"', play='[{ front = "pair" }]') + CATCH_ALL, "when: unknown"),
        (HEAD + row(hand='"one_pair"', play='[{ front = "highest" }]'), r"row 1 \(mine\): the last row must set every hand"),
        (HEAD + row(hand='"any"', play='[{ front = "pair" }]'), "the last row must set every hand"),
        (HEAD + row(hand='"any"', complete="true", play='[{ front = "highest" }]'), "the last row must set every hand"),
    ],
)
def test_what_is_wrong_with_a_house_way_is_said_with_its_row(text, message):
    with pytest.raises(HouseWayError, match=message):
        load_house_way(text, "own.toml")


def test_a_house_way_that_does_not_come_with_the_project():
    with pytest.raises(HouseWayError, match=r"no such house way; there is .*stones"):
        packaged_house_way("marbles")
