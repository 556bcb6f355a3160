"""Stored counts made again, whole if that takes seconds, otherwise a part of them worked out another way."""

import random
from itertools import combinations, product
from pathlib import Path

import pytest

from analytics.theory.enumeration import ace_high, dice, pai_gow, seven_cards, tiger_9
from analytics.theory.enumeration.seven import HANDS, seven_card_hands, suitings
from analytics.theory.enumeration.tables import compute, table_names
from analytics.theory.returns import counts, write
from games.over_under import counts as over_under
from rulebook.cards.cards import DECK, parse_cards
from rulebook.cards.four_card import rank_four, rank_one
from rulebook.cards.ranking import is_ace_high, rank_five, rank_two
from rulebook.cards.wild_ranking import rank_wild
from rulebook.house_ways.house_way import packaged_house_way
from rulebook.house_ways.house_way_asia import packaged_asia_house_way
from rulebook.settlement.pai_gow import base_outcome

pytestmark = pytest.mark.kernels

ROOT = Path(__file__).resolve().parents[3]


@pytest.mark.sampled(2)
@pytest.mark.slow
@pytest.mark.parametrize("name", ["seven_cards", "ace_high", "dice", "over_under"])
def test_stored_counts_are_those_counted_again(name):
    assert dict(counts(name)) == {"command": f"rack theory --compute {name}", **compute(name)}


@pytest.mark.nightly
@pytest.mark.slow
def test_stored_counts_of_tiger_9_are_those_counted_again():
    assert counts("tiger_9")["rows"] == tiger_9.compute()["rows"]


def test_every_table_is_stored_and_says_what_it_counts(tmp_path):
    for name in table_names():
        table = counts(name)
        assert table["what"]
        assert table["method"] in ("enumeration", "simulation")
        assert table["total"] > 0
        again = write(name, table, tmp_path)
        assert again.read_text() == (ROOT / "analytics" / "theory" / "returns" / f"{name}.json").read_text()


@pytest.mark.parametrize("flush", [4, 5])
def test_the_hands_stand_for_all(flush):
    assert sum(number for _, number in seven_card_hands(flush)) == HANDS == 154_143_080


@pytest.mark.parametrize("held", [(1, 1, 1), (2, 1), (3, 2, 1, 1), (4,)])
@pytest.mark.parametrize("below", [2, 3, 5])
def test_suitings_one_by_one(held, below):
    ways = [[s for suits in dealt for s in suits] for dealt in product(*(combinations(range(4), n) for n in held))]
    assert suitings(held, 4, below) == sum(max(map(suits.count, range(4))) < below for suits in ways)


def test_a_hand_alone_gets_its_suits_as_beside_another_that_shares_no_rank():
    assert ace_high.suits_of_both(7, 6, 0) == suitings((1,) * 7, 4, 5) * suitings((1,) * 6, 4, 4)


@pytest.mark.slow
def test_both_ace_high_as_often_as_dealt():
    """200,000 deals that are ace high for the dealer: how often the player's hand is too, within four standard errors."""
    shuffle, both, dealers = random.Random(12), 0, 0
    sets = [*(((), ranks) for ranks in ace_high.rank_sets(False)), *(((52,), ranks) for ranks in ace_high.rank_sets(True))]
    weights = [suitings((1,) * len(ranks), 4, len(ranks) - 2) for _, ranks in sets]
    for joker, ranks in shuffle.choices(sets, weights, k=20_000):
        while True:
            hand = (*joker, *(r * 4 + shuffle.randrange(4) for r in ranks))
            if is_ace_high(hand):
                break
        left = [card for card in DECK if card not in hand]
        dealers += 10
        both += sum(is_ace_high(shuffle.sample(left, 7)) for _ in range(10))
    stored = {row["hand"]: row["hands"] for row in counts("ace_high")["rows"]}
    expected = stored["both_ace_high"] / sum(stored.values())
    assert abs(both / dealers - expected) < 4 * (expected * (1 - expected) / dealers) ** 0.5


def test_dice_add_up():
    for wager in ("sum", "match", "beat_it"):
        assert sum(row["rolls"] for row in counts("dice")["rows"] if row["wager"] == wager) == 216
    assert dice.compute()["total"] == 216


def test_over_under_examples_are_what_they_stand_for():
    values = {"T": 10, "J": 10, "Q": 10, "K": 10, "A": 11}
    for row in over_under.compute()["rows"]:
        worth = [values.get(card[0]) or int(card[0]) for card in row["example"].split()]
        assert (worth[0], sum(worth)) == (row["first"], row["total"])


def test_seven_cards_with_nothing_go_by_their_highest():
    assert seven_cards.key_of(parse_cards("Jk Kd Qh 9s 7c 5d 2h"))[2] == 14
    assert seven_cards.key_of(parse_cards("Ks Kd Qh 9s 7c 5d 2h"))[2] == 0


# ------------------------------------------------------------------------------------------------------------- DJ Wild


@pytest.mark.parametrize("hand", ["royal_flush", "five_wilds"])
def test_the_dealers_hands_against_a_hand_one_by_one(hand):
    """All four natural royal flushes are alike, so one of them is worked out against every dealer's hand."""
    row = next(row for row in counts("dj_wild")["rows"] if row["hand"] == hand and row["hands"] < 5)
    cards = parse_cards(row["example"])
    mine, found = rank_wild(cards), {"lower": 0, "equal": 0, "higher": 0}
    for dealt in combinations([card for card in DECK if card not in cards], 5):
        theirs = rank_wild(dealt)
        found["lower" if theirs < mine else "equal" if theirs == mine else "higher"] += row["hands"]
    assert found == {kind: row[f"dealer_{kind}"] for kind in found}


def test_every_raised_hand_meets_every_dealers_hand():
    table = counts("dj_wild")
    assert sum(row["hands"] for row in table["rows"]) == table["total"]
    for row in table["rows"]:
        met = row["dealer_lower"] + row["dealer_equal"] + row["dealer_higher"]
        assert met == row["raised"] * table["dealer_hands"]


# ------------------------------------------------------------------------------------------------------------- pai gow


def deals(number, seed):
    shuffle = random.Random(seed)
    for _ in range(number):
        cards = shuffle.sample(DECK, 14)
        yield tuple(cards[:7]), tuple(cards[7:])


def best_outcome(cards, dealer):
    """The best that a player can do against hands on show, every legal setting tried."""
    found = []
    for low in combinations(cards, 2):
        high = [card for card in cards if card not in low]
        if rank_five(high) >= rank_two(low):
            found.append(base_outcome(high, low, dealer.high, dealer.low).value)
    return min(found, key=("win", "tie", "lose").index)


@pytest.mark.slow
def test_rounds_end_as_the_game_says():
    nine_before_ace_high = parse_cards("As 9d 8c 6h 4s 3d 2c"), parse_cards("Kd Kh 7s 7d 5c 5h 2d")
    dealt = [nine_before_ace_high, *deals(150, 3)]
    tables = pai_gow.two_hands("second", [hand for both in dealt for hand in both])
    way, named = packaged_house_way("stones"), {"tie": "push"}
    for dealer, player in dealt:
        theirs, mine = way.choose(dealer), way.choose(player)
        by_house = base_outcome(mine.high, mine.low, theirs.high, theirs.low).value
        best = best_outcome(player, theirs)
        kinds = ("ace_high" * is_ace_high(dealer), "tiger_9" * tiger_9.is_nine_high(theirs))
        expected = ("_".join(filter(None, kinds)) or "other", named.get(by_house, by_house), named.get(best, best))
        assert pai_gow.outcome(tables, 5, dealer, player) == expected


def test_what_pushes_for_all_comes_as_often_in_the_rounds_as_in_all_hands():
    """Of 50,000,000 rounds within five standard errors: Tiger 9 before an ace high too, and ace high behind a nine."""
    table, ace = counts("base_two_hands"), {row["hand"]: row["hands"] for row in counts("ace_high")["rows"]}
    nines = sum(row["hands"] for row in counts("tiger_9")["rows"] if row["shown"]) / counts("tiger_9")["total"]
    total = table["total"]
    for kind, chance in (("tiger_9", nines), ("ace_high", sum(ace.values()) / counts("ace_high")["total"])):
        seen = sum(row["rounds"] for row in table["rows"] if row["play"] == "best" and kind in row["dealer"])
        assert seen / total == pytest.approx(chance, abs=5 * (chance * (1 - chance) / total) ** 0.5)


def test_rounds_of_three_hands_end_as_set():
    dealt = list(deals(40, 4))
    tables = pai_gow.three_hands([hand for both in dealt for hand in both])
    way = packaged_asia_house_way("asia")
    for dealer, player in dealt:
        mine, theirs = way.choose(player), way.choose(dealer)
        won = (
            (rank_four(mine.high) > rank_four(theirs.high))
            + (rank_two(mine.medium) > rank_two(theirs.medium))
            + (rank_one(mine.low) > rank_one(theirs.low))
        )
        assert pai_gow.outcome(tables, 4, dealer, player)[1] == ("win" if won >= 2 else "lose")
