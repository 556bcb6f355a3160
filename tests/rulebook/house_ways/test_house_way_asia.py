"""The project's house way for Fortune Asia Poker, row by row, and such house ways of one's own (§ 659a.11(b), (c), D26)."""

import random
from itertools import combinations, combinations_with_replacement

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rulebook.cards.cards import DECK, JOKER, parse_cards, rank, show
from rulebook.cards.four_card import is_legal_setting, rank_four, rank_one
from rulebook.cards.ranking import rank_two
from rulebook.house_ways.house_way import packaged_house_way
from rulebook.house_ways.house_way_asia import asia_house_way_from_table, load_asia_house_way, packaged_asia_house_way
from rulebook.house_ways.way_table import HouseWayError
from tests.rulebook.cards.plain_ranking import HANDS_7

ASIA = packaged_asia_house_way("asia")

HIGH_CARD = "high card"
ONE_PAIR = "one pair"
TWO_PAIR = "two pair"
RUN_NO_PAIR = "straight or flush with no pair"
RUN_AND_PAIR = "straight or flush with one or two pair, and a pair for the medium hand"
RUN_WITH_ACES_KINGS = "straight or flush with a pair of aces or kings"
RUN_AND_MORE = "straight or flush with four of a kind, full house or three of a kind"

# Row, seven cards, and the setting: high / medium / low. Both sides of each condition.
CHART = [
    # No pair, straight or flush: the highest card stays high, the second and third in the medium, the fourth low.
    (HIGH_CARD, "Ks Jd 9h 8c 6s 4d 2h", "Ks 6s 4d 2h / Jd 9h / 8c"),
    (HIGH_CARD, "As Kd Qh 9c 7s 4d 2h", "As 7s 4d 2h / Kd Qh / 9c"),
    (HIGH_CARD, "Jk Kd Qh 9c 7s 5d 2h", "Jk 7s 5d 2h / Kd Qh / 9c"),
    (HIGH_CARD, "Ts 9d 8h 6c 5s 3d 2h", "Ts 5s 3d 2h / 9d 8h / 6c"),
    # One pair, no straight or flush: the pair high, the two highest others in the medium, the next low.
    (ONE_PAIR, "Ks Kd Qh 9c 7s 4d 2h", "Ks Kd 4d 2h / Qh 9c / 7s"),
    (ONE_PAIR, "2s 2d Ah Kc 9s 7d 4h", "7d 4h 2s 2d / Ah Kc / 9s"),
    (ONE_PAIR, "As Jk Qh 9c 7s 5d 3h", "Jk As 5d 3h / Qh 9c / 7s"),
    (ONE_PAIR, "As Ad Qh 9c 7s 4d 2h", "As Ad 4d 2h / Qh 9c / 7s"),
    (ONE_PAIR, "9s 9d Jk Kc 7s 4d 2h", "9s 9d 4d 2h / Jk Kc / 7s"),
    # Two pair: the high pair high, the low pair in the medium, the highest other low.
    (TWO_PAIR, "As Ad 3h 3c Ks 9d 7h", "As Ad 9d 7h / 3c 3h / Ks"),
    (TWO_PAIR, "3s 3d 2h 2c Ks Td 8h", "Td 8h 3s 3d / 2c 2h / Ks"),
    (TWO_PAIR, "As Jk 9h 9c Qd 6s 3h", "Jk As 6s 3h / 9h 9c / Qd"),
    # Three pair: two high, the highest in the medium; of aces or kings only if a ten or better can be played low, else
    # one of these goes low, and the lowest pair in the medium.
    ("three pair: queens high and below", "Qs Qd 9h 9c 4s 4d 2h", "9h 9c 4s 4d / Qs Qd / 2h"),
    ("three pair: queens high and below", "Qs Qd Jh Jc Ts Td Kh", "Jh Jc Ts Td / Qs Qd / Kh"),  # K-Q-J-10 as well
    ("three pair: aces, kings high", "Ks Kd 9h 9c 4s 4d Th", "9h 9c 4s 4d / Ks Kd / Th"),
    ("three pair: aces, kings high", "Ks Kd Th Tc 4s 4d 9h", "Kd Th Tc 9h / 4s 4d / Ks"),
    ("three pair: aces, kings high", "As Jk 9h 9c 4s 4d Kh", "9h 9c 4s 4d / Jk As / Kh"),
    ("three pair: aces, kings high", "As Ad 9h 9c 4s 4d 2h", "Ad 9h 9c 2h / 4s 4d / As"),
    # Three of a kind: aces and kings part; queens to nines unless it can be played low with them together.
    ("three of a kind: aces, kings", "As Ad Ah Kc 9s 7d 4h", "Ah Ad 7d 4h / As 9s / Kc"),
    ("three of a kind: aces, kings", "As Ad Jk Kc 9s 7d 4h", "As Ad 7d 4h / Jk 9s / Kc"),
    ("three of a kind: aces, kings", "Ks Kd Kh Ac 9s 7d 4h", "Kh Kd 7d 4h / Ac 9s / Ks"),
    ("three of a kind: aces, kings", "Ks Kd Kh Qc 9s 7d 4h", "Kh Kd 7d 4h / Ks 9s / Qc"),
    ("three of a kind: queens, jacks", "Qs Qd Qh Ac Ks 7d 4h", "Qs Qd Qh 4h / Ac 7d / Ks"),
    ("three of a kind: queens, jacks", "Qs Qd Qh Ac Js 7d 4h", "Qd Qh 7d 4h / Ac Js / Qs"),
    ("three of a kind: queens, jacks", "Js Jd Jh Ac Qs 7d 4h", "Js Jd Jh 4h / Ac 7d / Qs"),
    ("three of a kind: queens, jacks", "Js Jd Jh Ac 9s 7d 4h", "Jd Jh 7d 4h / Ac 9s / Js"),
    ("three of a kind: tens, nines", "Ts Td Th Ac Js 7d 4h", "Ts Td Th 4h / Ac 7d / Js"),
    ("three of a kind: tens, nines", "Ts Td Th Ac 9s 7d 4h", "Td Th 7d 4h / Ac 9s / Ts"),
    ("three of a kind: tens, nines", "9s 9d 9h Ac Ts 7d 4h", "9s 9d 9h 4h / Ac 7d / Ts"),
    ("three of a kind: tens, nines", "9s 9d 9h Ac 8s 6d 4h", "9d 9h 6d 4h / Ac 8s / 9s"),
    ("three of a kind: eights and below", "8s 8d 8h 7c 5s 4d 2h", "8s 8h 8d 2h / 7c 4d / 5s"),
    ("three of a kind: eights and below", "2s 2d 2h Jk 9s 7d 5h", "5h 2s 2h 2d / Jk 7d / 9s"),
    # Full house: aces to queens part, jacks and below stay; a pair in the medium.
    ("full house: aces, kings, queens", "Qs Qd Qh 9c 9s 7d 4h", "Qh Qd 7d 4h / 9s 9c / Qs"),
    ("full house: aces, kings, queens", "Qs Qd Qh 9c 9s Ad 4h", "Qs Qh Qd 4h / 9s 9c / Ad"),
    ("full house: aces, kings, queens", "As Ad Jk 9c 9s 7d 4h", "As Ad 7d 4h / 9s 9c / Jk"),
    ("full house: aces, kings, queens", "Qs Qd Qh Ac As 7d 4h", "As Ac 7d 4h / Qs Qh / Qd"),
    ("full house: jacks and below", "Js Jd Jh 9c 9s 7d 4h", "Js Jh Jd 4h / 9s 9c / 7d"),
    ("full house: jacks and below", "2s 2d 2h Ac As 7d 4h", "4h 2s 2h 2d / As Ac / 7d"),
    # With a second pair the low hand first, as long as it leaves a pair in each of the others.
    ("full house with a second pair", "Ks Kd Kh 9c 9s 4d 4h", "9s 9c 4h 4d / Ks Kh / Kd"),
    ("full house with a second pair", "4s 4d 4h 9c 9s Kd Kh", "Kh 4s 4h 4d / 9s 9c / Kd"),
    ("two threes of a kind", "Ks Kd Kh 9c 9s 9d 4h", "9s 9d 9c 4h / Ks Kh / Kd"),
    ("two threes of a kind", "As Ad Jk 2c 2s 2d Kh", "Kh 2s 2d 2c / Jk As / Ad"),
    # Four of a kind: always two pairs; with a pair or three more, that goes in the medium.
    ("four of a kind", "As Ad Ah Ac 9s 7d 4h", "Ad Ac 7d 4h / As Ah / 9s"),
    ("four of a kind", "2s 2d 2h 2c 9s 7d 4h", "7d 4h 2d 2c / 2s 2h / 9s"),
    ("four of a kind", "As Ad Ah Jk 9c 7d 4h", "Ah Ad 7d 4h / Jk As / 9c"),
    ("four of a kind with a pair: aces, kings", "Ks Kd Kh Kc 9s 9d 4h", "Kh Kd Kc 4h / 9s 9d / Ks"),
    ("four of a kind with a pair: queens and below", "Qs Qd Qh Qc 9s 9d 4h", "Qs Qh Qd Qc / 9s 9d / 4h"),
    ("four of a kind with a pair: queens and below", "2s 2d 2h 2c Js Jd 4h", "2s 2h 2d 2c / Js Jd / 4h"),
    ("four of a kind with three of a kind", "Ks Kd Kh Kc 9s 9d 9h", "Kc 9s 9h 9d / Ks Kh / Kd"),
    ("four of a kind with three of a kind", "2s 2d 2h 2c 9s 9d 9h", "2s 2h 2d 2c / 9s 9h / 9d"),
    # Five aces: two, two and one.
    ("five aces", "As Ad Ah Ac Jk 9s 4d", "Ad Ac 9s 4d / Jk As / Ah"),
    ("five aces", "As Ad Ah Ac Jk Ks Kd", "Ad Ac Ks Kd / Jk As / Ah"),
    # A straight or flush with no pair: that high, and the highest low hand that is left.
    (RUN_NO_PAIR, "As Kd 9h 8c 7s 6d 2h", "9h 8c 7s 6d / As 2h / Kd"),
    (RUN_NO_PAIR, "As Kd Qh Jc 9s 6d 3h", "As Kd Qh Jc / 9s 3h / 6d"),
    (RUN_NO_PAIR, "Ks 9s 7s 6s 4h 3d Qh", "Ks 9s 7s 6s / Qh 3d / 4h"),
    (RUN_NO_PAIR, "Ah Ks Js 8s 6s 4s 2d", "Js 8s 6s 4s / Ah 2d / Ks"),
    (RUN_NO_PAIR, "Jk Kd 9h 8c 7s 4d 2h", "Jk 9h 8c 7s / Kd 2h / 4d"),
    (RUN_NO_PAIR, "Jk Kd 9h 7h 5h 4d 2c", "Jk 5h 4d 2c / Kd 7h / 9h"),  # not the flush, which leaves a four
    (RUN_NO_PAIR, "7s 6d 5h 4c Ks Jd 2h", "7s 6d 5h 4c / Ks 2h / Jd"),
    # With a pair: in the medium if it leaves a straight or flush.
    (RUN_AND_PAIR, "Ks Kd 9h 8c 7s 6d 2h", "9h 8c 7s 6d / Ks Kd / 2h"),
    (RUN_AND_PAIR, "2s 2d 9h 8c 7s 6d Kh", "9h 8c 7s 6d / 2s 2d / Kh"),
    (RUN_AND_PAIR, "As Jk 9h 8c 7s 6d 2h", "9h 8c 7s 6d / Jk As / 2h"),
    (RUN_AND_PAIR, "Ks Kd 9s 9h 8c 7s 6d", "9s 8c 7s 6d / Ks Kd / 9h"),
    (TWO_PAIR, "Ks Kh 9s 9h 8s 4s 2d", "Ks Kh 4s 2d / 9s 9h / 8s"),  # the flush leaves none
    # Otherwise a straight or flush with aces or kings, and the pair with queens and below.
    (RUN_WITH_ACES_KINGS, "Ks Kd Qh Jc Ts 6d 2h", "Kd Qh Jc Ts / Ks 2h / 6d"),
    (RUN_WITH_ACES_KINGS, "As Jk Kd Jc 9s 6d 2h", "Jk As Kd Jc / 9s 2h / 6d"),
    (ONE_PAIR, "Qs Qd Jh Tc 9s 6d 2h", "Qs Qd 6d 2h / Jh Tc / 9s"),
    (TWO_PAIR, "Ks Kd Qh Qc Js Td 2h", "Ks Kd Td 2h / Qh Qc / Js"),
    # With three or four of a kind, or a full house: a pair in the medium.
    (RUN_AND_MORE, "9s 9d 9h 8c 7s 6d 2h", "9h 8c 7s 6d / 9s 9d / 2h"),
    (RUN_AND_MORE, "Ks Kd Kh Qc Js Td 2h", "Kh Qc Js Td / Ks Kd / 2h"),
    ("three of a kind: aces, kings", "As Ad Jk Kc Qs 9d 2h", "As Ad 9d 2h / Jk Qs / Kc"),  # A-K-Q-J leaves no pair
    (RUN_AND_MORE, "As Ad Ah Kc Qs Jd 2h", "Ah Kc Qs Jd / As Ad / 2h"),
    (RUN_AND_MORE, "9s 9d 9h 9c 8s 7s 6s", "9s 8s 7s 6s / 9h 9d / 9c"),
    (RUN_AND_MORE, "Ts Td Th 9c 9s 8d 7h", "Td 9c 8d 7h / Ts Th / 9s"),
]


@pytest.mark.parametrize(("row", "cards", "setting"), CHART, ids=[f"{row}: {cards}" for row, cards, _ in CHART])
def test_the_chart_by_hand(row, cards, setting):
    hand = parse_cards(cards)
    assert ASIA.row(hand) == row
    assert sorted(parse_cards(setting.replace("/", ""))) == sorted(hand)
    assert ranks(ASIA.choose(hand)) == ranks(parsed(setting)), str(ASIA.choose(hand))
    assert [ranks(accepted) for accepted in ASIA.settings(hand)] == [ranks(parsed(setting))]
    assert ASIA.accepts(*parsed(setting))


def parsed(text):
    return tuple(parse_cards(hand) for hand in text.split(" / "))


def ranks(setting):
    high, medium, low = setting if isinstance(setting, tuple) else (setting.high, setting.medium, setting.low)
    return rank_four(high), rank_two(medium), rank_one(low)


def test_every_row_is_worked_by_hand_but_the_one_that_sets_no_hand():
    worked = {row for row, _, _ in CHART}
    assert {row.name for row in ASIA.rows} - worked == {"any other hand"}


def dealt():
    """Hands of every kind: at random, with the joker, of few ranks, of one or two suits, of neighboring ranks."""
    dice = random.Random(659)
    for number in range(4_000):
        hand = dice.sample(DECK, 7)
        if number % 3 == 0 and JOKER not in hand:
            hand[0] = JOKER
        yield hand
    for _ in range(3_000):
        ranks_ = dice.sample(range(13), dice.choice((2, 3, 4)))
        pool = [card for card in DECK if card == JOKER or card // 4 in ranks_]
        yield dice.sample(pool, 7) if len(pool) >= 7 else [*pool, *dice.sample([c for c in DECK if c not in pool], 1)]
        suits = dice.sample(range(4), 2)
        yield dice.sample([card for card in DECK if card == JOKER or card % 4 in suits], 7)
        lowest = dice.randrange(7)
        yield dice.sample([card for card in DECK if card == JOKER or lowest <= card // 4 <= lowest + 6], 7)


@pytest.mark.nightly
@pytest.mark.slow
def test_659a_11_b_every_setting_is_legal_and_made_of_the_seven_cards():
    rows = set()
    for hand in dealt():
        settings = ASIA.settings(hand)
        assert settings
        for setting in settings:
            assert sorted((*setting.high, *setting.medium, *setting.low)) == sorted(hand)
            assert is_legal_setting(setting.high, setting.medium, setting.low), show(hand)
        assert len({ranks(setting) for setting in settings}) == len(settings)
        rows.add(ASIA.row(hand))
    assert rows == {row.name for row in ASIA.rows} - {"any other hand"}


def test_659a_11_b_every_way_that_ranks_fall_has_a_legal_setting():
    """All kinds of seven cards over six ranks, joker or not, suits in turn: no hand comes to the last row."""
    among = (12, 11, 10, 6, 2, 0)
    kinds = set()
    for jokers in ([], [JOKER]):
        for drawn in combinations_with_replacement(among, 7 - len(jokers)):
            if max(drawn.count(r) for r in drawn) > 4:
                continue
            hand = [*(r * 4 + drawn[:i].count(r) for i, r in enumerate(drawn)), *jokers]
            setting = ASIA.choose(hand)
            assert is_legal_setting(setting.high, setting.medium, setting.low), show(hand)
            kinds.add(ASIA.row(hand))
    assert "any other hand" not in kinds


def plain_rank(card):
    return 14 if card == JOKER else rank(card)


def has_straight_or_flush(hand):
    return any(4 <= rank_four(four)[0] <= 7 and rank_four(four)[0] != 6 for four in combinations(hand, 4))


@given(HANDS_7)
def test_no_pair_the_highest_card_stays_high(hand):
    cards = sorted(hand, key=plain_rank, reverse=True)
    if len({plain_rank(card) for card in hand}) == 7 and not has_straight_or_flush(hand):
        setting = ASIA.choose(hand)
        assert set(setting.high) == {cards[0], *cards[4:]}
        assert set(setting.medium) == set(cards[1:3])
        assert setting.low == (cards[3],)


def test_no_pair_and_one_pair_on_many_hands():
    dice = random.Random(421)
    high_cards = pairs = 0
    for _ in range(6_000):
        hand = dice.sample(DECK, 7)
        held = [plain_rank(card) for card in hand]
        if len(set(held)) < 6 or has_straight_or_flush(hand):
            continue
        setting = ASIA.choose(hand)
        pair = [card for card in hand if held.count(plain_rank(card)) == 2]
        singles = sorted((card for card in hand if card not in pair), key=plain_rank, reverse=True)
        if pair:
            pairs += 1
            assert set(setting.high) == {*pair, *singles[3:]}
            assert (set(setting.medium), setting.low) == (set(singles[:2]), (singles[2],))
        else:
            high_cards += 1
            assert set(setting.high) == {singles[0], *singles[4:]}
            assert (set(setting.medium), setting.low) == (set(singles[1:3]), (singles[3],))
    assert min(high_cards, pairs) > 200


@given(HANDS_7, st.permutations(range(4)), st.randoms(use_true_random=False))
def test_order_and_names_of_suits_never_matter(hand, suits, dice):
    other = [card if card == JOKER else card // 4 * 4 + suits[card % 4] for card in hand]
    dice.shuffle(other)
    assert [ranks(setting) for setting in ASIA.settings(other)] == [ranks(setting) for setting in ASIA.settings(hand)]


@given(HANDS_7)
def test_what_is_accepted_is_exactly_what_ranks_like_an_accepted_setting(hand):
    accepted = {ranks(setting) for setting in ASIA.settings(hand)}
    for low in hand:
        for medium in combinations([card for card in hand if card != low], 2):
            high = tuple(card for card in hand if card != low and card not in medium)
            assert ASIA.accepts(high, medium, (low,)) is (ranks((high, medium, (low,))) in accepted)


@pytest.mark.parametrize(
    ("high", "medium", "low", "accepted"),
    [
        ("Ah Ad 9d 7h", "3h 3c", "Ks", True),
        ("3h 3c 9d 7h", "As Ad", "Ks", False),  # foul
        ("Ah Ad 3h 3c", "Ks 9d", "7h", False),  # both pairs high
        ("Ah Ad 9d 7h", "3h 3c", "", False),
        ("Ah Ad 9d 7h Ks", "3h 3c", "", False),
        ("Ah Ad 9d", "3h 3c", "Ks 7h", False),
        ("Ac Jk 9s 4d", "As Ad", "Ah", True),  # which of the aces goes where does not matter
    ],
)
def test_accepts_goes_by_rank_and_not_by_card(high, medium, low, accepted):
    assert ASIA.accepts(*(parse_cards(text) for text in (high, medium, low))) is accepted


@pytest.mark.parametrize("text", ["Ks Kd 9h 9c 4s 4d", "Ks Kd 9h 9c 4s 4d 2h 3h", "Ks Kd 9h 9c 4s 4d 4d"])
def test_a_house_way_sets_seven_different_cards(text):
    with pytest.raises(ValueError, match="seven different cards"):
        ASIA.choose(parse_cards(text))


# ------------------------------------------------------------------------------------------------ one's own


HEAD = 'name = "own"\ncite = "as filed"\nhands = "4-2-1"\n'
CATCH_ALL = '[[row]]\nname = "rest"\nhand = "any"\nplay = [{}]\n'


def row(**keys):
    lines = [f"{key} = {value}" for key, value in keys.items()]
    return "\n".join(["[[row]]", 'name = "mine"', *lines, ""])


def own(text):
    return load_asia_house_way(HEAD + text + CATCH_ALL, "own.toml")


def test_a_house_way_of_ones_own_in_a_few_rows():
    way = own(row(hand='["one_pair", "two_pair"]', play='[{ high = "two_pair", medium_at_least = "K" }]'))
    assert str(way.choose(parse_cards("As Ad 3h 3c Ks 9d 7h"))) == "As Ad 3h 3c / Ks 9d / 7h"
    assert way.row(parse_cards("8s 8d 3h 3c Qs 9d 7h")) == "rest"  # no king for the medium: the row is passed over
    assert (way.name, way.cite, len(way.digest)) == ("own", "as filed", 64)


def test_D26_where_a_row_lists_plays_as_equal_all_are_accepted_and_the_first_is_shown():
    plays = '[[{ high = "pair", medium = "low_pair" }, { high = "two_pair", medium = "singles", first = "low" }]]'
    way = own(row(hand='"two_pair"', ranks='"A"', complete="false", play=plays))
    hand = parse_cards("As Ad 3h 3c Ks 9d 7h")
    assert [str(setting) for setting in way.settings(hand)] == ["As Ad 9d 7h / 3h 3c / Ks", "As Ad 3h 3c / Ks 7h / 9d"]
    assert way.accepts(parse_cards("As Ad 3h 3c"), parse_cards("Ks 7h"), parse_cards("9d"))
    assert not way.accepts(parse_cards("As Ad 3h 3c"), parse_cards("Ks 9d"), parse_cards("7h"))
    one = own(row(hand='"two_pair"', play='[[{ medium = "pair" }, { high = "pair", medium = "pair" }]]'))
    assert len(one.settings(hand)) == 1  # the same by rank


def test_a_house_way_within_a_rules_submission():
    table = {"name": "own", "cite": "as filed", "hands": "4-2-1", "row": [{"name": "all", "hand": "any", "play": [{}]}]}
    way = asia_house_way_from_table(table, "rules.toml")
    assert way.row(parse_cards("As Ad 3h 3c Ks 9d 7h")) == "all"
    assert way.digest == asia_house_way_from_table(dict(reversed(table.items())), "rules.toml").digest
    with pytest.raises(HouseWayError, match=r"rules.toml: dates and times have no place"):
        asia_house_way_from_table({**table, "name": {1}}, "rules.toml")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("name = ", "own.toml: not TOML"),
        (HEAD, r"own.toml: row: expected \[\[row\]\] tables"),
        (HEAD + "row = []", "own.toml: row: expected"),
        ('cite = "x"\nhands = "4-2-1"\n' + CATCH_ALL, "own.toml: name: None; expected text"),
        ('name = "x"\ncite = "x"\n' + CATCH_ALL, "own.toml: hands: None; expected one of 4-2-1"),
        (HEAD + 'color = "red"\n' + CATCH_ALL, "own.toml: color: unknown; expected one of name, cite, hands, row"),
        (HEAD + '[[row]]\nhand = "any"\n', "own.toml: row 1: name: None; expected text"),
        (HEAD + row(hand='"any"', play="[]") + CATCH_ALL, r"own.toml: row 1 \(mine\): play: \[\]; expected a list"),
        (HEAD + row(hand='"any"', play="[[]]") + CATCH_ALL, r"row 1 \(mine\): play: an empty list"),
        (HEAD + row(hand='"any"', play='["pair"]') + CATCH_ALL, r"row 1 \(mine\): play: 'pair'; expected a play"),
        (HEAD + row(hand='"any"', play='[{ high = "nice" }]') + CATCH_ALL, "high: 'nice'; expected one of any, pair"),
        (HEAD + row(hand='"any"', play='[{ medium = "best" }]') + CATCH_ALL, "medium: 'best'; expected one of any, pair"),
        (HEAD + row(hand='"any"', play='[{ first = "high" }]') + CATCH_ALL, "first: 'high'; expected one of medium, low"),
        (HEAD + row(hand='"any"', play='[{ low_at_least = "10" }]') + CATCH_ALL, "low_at_least: '10'; expected a letter"),
        (HEAD + row(hand='"any"', play='[{ low_at_least = "AK" }]') + CATCH_ALL, "low_at_least: 'AK'; expected a letter"),
        (HEAD + row(hand='"any"', play="[{ medium_at_least = 9 }]") + CATCH_ALL, "medium_at_least: 9; expected a letter"),
        (HEAD + row(hand='"any"', play='[{ front = "pair" }]') + CATCH_ALL, "front: unknown; expected one of high, medium"),
        (HEAD + row(hand='"one pair"', play="[{}]") + CATCH_ALL, "hand: 'one pair'; expected one or"),
        (HEAD + row(play="[{}]") + CATCH_ALL, "hand: None; expected one or"),
        (HEAD + row(hand='"one_pair"', ranks='"AKX"', play="[{}]") + CATCH_ALL, "ranks: 'AKX'; expected letters of A"),
        (HEAD + row(hand='"one_pair"', complete='"yes"', play="[{}]") + CATCH_ALL, "complete: 'yes'; expected true"),
        (HEAD + row(hand='"one_pair"', when='"now"', play="[{}]") + CATCH_ALL, "when: unknown"),
        (HEAD + row(hand='"one_pair"', play="[{}]"), r"row 1 \(mine\): the last row must set every hand"),
        (HEAD + row(hand='"any"', play='[{ medium = "pair" }]'), "the last row must set every hand"),
        (HEAD + row(hand='"any"', complete="true", play="[{}]"), "the last row must set every hand"),
    ],
)
def test_what_is_wrong_with_a_house_way_is_said_with_its_row(text, message):
    with pytest.raises(HouseWayError, match=message):
        load_asia_house_way(text, "own.toml")


def test_a_house_way_in_two_hands_is_none_in_three_nor_the_other_way_round():
    with pytest.raises(HouseWayError, match="no such house way; there is asia"):
        packaged_asia_house_way("stones")
    with pytest.raises(HouseWayError, match="asia"):
        packaged_house_way("asia")
