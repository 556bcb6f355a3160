"""Random rounds, judged by the program and by a second opinion that shares no code with it."""

from itertools import product
from random import Random

import pytest

from replay.transcript.transcript import judge
from tests.properties.second_opinion import DECK, ORDER, RANKS, SUITS, five, line, two

ROUNDS = 100


def dues(transcript: str) -> dict[tuple[int, str], int | None]:
    (judged,) = judge(transcript, "second opinion")
    return {(each.seat, each.wager): each.due_cents for each in judged.conclusion.settlements}


def some(random: Random, count: int, ranks: str, suits: str, without: list[str]) -> list[str]:
    """Cards of few ranks or suits make hands; too few of them are filled up."""
    close = [card for card in DECK if card not in without and (card == "Jk" or (card[0] in ranks and card[1] in suits))]
    rest = [card for card in DECK if card not in without and card not in close]
    random.shuffle(close)
    return [*close, *random.sample(rest, min(count, len(rest)))][:count]


def close_cards(random: Random, count: int, without: list[str]) -> list[str]:
    kind, low = random.randrange(4), random.randrange(9)
    ranks = RANKS if kind in (0, 1) else RANKS[low : low + 5] if kind == 2 else "".join(random.sample(RANKS, 3))
    found = some(random, count, ranks, SUITS if kind != 1 else random.choice(SUITS), without)
    random.shuffle(found)
    return found


@pytest.mark.parametrize("seed", range(4))
def test_california_base_wagers(seed: int) -> None:
    """Both hands won win, one pushes, copies are the player-dealer's; a low hand above the high hand is foul."""
    random = Random(seed)
    for _ in range(ROUNDS):
        bank = close_cards(random, 7, [])
        player = close_cards(random, 7, bank)
        if five(bank[:5]) < two(bank[5:]) or has_no_pair(bank):
            continue
        won = (five(player[:5]) > five(bank[:5])) + (two(player[5:]) > two(bank[5:]))
        high, low = five(player[:5]), two(player[5:])
        expected = -2500 if high < low or won == 0 else 2500 if won == 2 else 0
        told = (
            "rules ca-gegr-002138\nplayer_dealer seat=4 100.00\nwager seat=5 base 25.00\n"
            f"deal dealer={' '.join(bank)} seat5={' '.join(player)}\n"
            f"set dealer high={' '.join(bank[:5])} low={' '.join(bank[5:])}\n"
            f"set seat=5 high={' '.join(player[:5])} low={' '.join(player[5:])}\n"
        )
        assert dues(told)[5, "base"] == expected, told


def has_no_pair(cards: list[str]) -> bool:
    """Whether seven cards have neither pair nor better: such a bank may push everything, which other rounds show."""
    return len({card[0] for card in cards if card != "Jk"} | ({"A"} if "Jk" in cards else set())) == 7


BLIND = {"wilds": 1000, "royal": 50, "five": 10, "straight_flush": 9, "quads": 4, "full_house": 3, "flush": 2, "straight": 1}
TRIPS_04 = {
    "wilds": (0, 2000),
    "royal": (1000, 90),
    "five": (0, 70),
    "straight_flush": (200, 25),
    "quads": (60, 6),
    "full_house": (30, 5),
    "flush": (25, 4),
    "straight": (20, 3),
    "trips": (6, 1),
}
BAD_BEAT_02 = {
    "royal": 10000,
    "five": 10000,
    "straight_flush": 5000,
    "quads": 500,
    "full_house": 400,
    "flush": 300,
    "straight": 100,
    "trips": 9,
}


@pytest.mark.parametrize("seed", range(4))
def test_dj_wild_by_lines(seed: int) -> None:
    """Blind, Trips DJWT-04 and Bad Beat DJWBB-02 by what the hands make, wild and natural; equal lines are left out."""
    random = Random(100 + seed)
    for _ in range(ROUNDS):
        dealer = close_cards(random, 5, [])
        player = some(random, 5, "2" + random.choice(RANKS) + random.choice(RANKS), SUITS, dealer)
        player = player if random.random() < 0.5 else close_cards(random, 5, dealer)
        makes, against = line(player, wild=True), line(dealer, wild=True)
        if makes == against:
            continue
        won = ORDER.index(makes) > ORDER.index(against)
        natural = "Jk" not in player and line(player, wild=False) == makes
        trips = TRIPS_04.get(makes)
        told = (
            "rules pa-687a trips=DJWT-04 bad_beat=DJWBB-02\nwager seat=2 ante 10.00 blind 10.00 trips 5.00 bad_beat 5.00\n"
            f"deal seat2={' '.join(player)} dealer={' '.join(dealer)}\nwager seat=2 raise 20.00\n"
        )
        found = dues(told)
        assert found[2, "ante"] == (1000 if won else -1000), told
        assert found[2, "blind"] == (BLIND.get(makes, 0) * 1000 if won else -1000), told
        assert found[2, "trips"] == (trips[0 if natural else 1] * 500 if trips else -500), told
        assert found[2, "bad_beat"] == (-500 if won or makes not in BAD_BEAT_02 else BAD_BEAT_02[makes] * 500), told


@pytest.mark.nightly
def test_every_roll_of_three_dice() -> None:
    """Sum A to D, Match on the 4, Beat It A to C with the first die red, by every roll (§ 645c.2(g))."""
    for dice in product(range(1, 7), repeat=3):
        total, kinds, steps = sum(dice), len(set(dice)), sorted(dice)
        series = steps[1] - steps[0] == steps[2] - steps[1] == 1
        ahead, best = 2 * dice[0] - total, 2 * max(dice) - total
        red = {4: 50, 3: 10, 2: 10, 1: 1, 0: 1}.get(ahead, -1)
        wagers = {
            "sum=A": ("sum", {17: 25, 16: 6, 8: 3}.get(total, -1) * 1000),
            "sum=B": ("sum", {3: 25, 8: 4, 9: 2}.get(total, -1) * 1000),
            "sum=C": ("sum", {1: 3000, 2: 1000, 3: -1000}[kinds]),
            "sum=D": ("sum", 7500 if series else -1000),
            "match=yes": ("match", {3: 100, 2: 6}.get(dice.count(4), -1) * 1000),
            "beat_it=A": ("beat_it", red * 1000),
            "beat_it=B": ("beat_it", 60_000 if ahead == 4 else red * 1000),
            "beat_it=C": ("beat_it", 2500 if best >= 1 else -1000),
        }
        for filed, (wager, expected) in wagers.items():
            number = " number=4" if wager == "match" else ""
            thrown = f"dice {' '.join(map(str, dice))} colours=red,blue,blue\n"
            told = f"rules pa-645c {filed}\nwager seat=3 base 25.00 {wager} 10.00{number}\n{thrown}"
            assert dues(told)[3, wager] == expected, told
