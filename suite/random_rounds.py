"""Random rounds of Chapter 688a through the judge and a second engine: `python -m suite.random_rounds --rounds N -- COMMAND …`.

Half of the rounds are dealt from a full deck; in the others one hand is rare. Exit status: 1 if the amounts due differ and no
decision explains it (`suite/engines/pa_688a.toml`).
"""

from __future__ import annotations

import argparse
import random
import sys
from collections import Counter
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

from replay.installed_games import add_installed_games
from replay.transcript.transcript import parse
from rulebook.cards.cards import parse_cards, show
from rulebook.house_ways.house_way import packaged_house_way
from suite import rounds
from suite.engine import answer
from suite.export import as_input

SUITS, RANKS = "shdc", "23456789TJQKA"
DECK = [rank + suit for suit in SUITS for rank in RANKS] + ["Jk"]
SOME = 500
"""Rounds that are handed over together."""
WAGERS = ("base", "ace_high_bonus", "fortune_bonus", "fortune_envy")


def main() -> int:
    """Play, compare, print the count and every unexplained difference."""
    parser = argparse.ArgumentParser(description="Random rounds through the judge and a second engine.")
    parser.add_argument("--rounds", type=int, default=2_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("engine", nargs="+", metavar="COMMAND", help="The second engine, after --.")
    given = parser.parse_args()
    add_installed_games()
    compared, read, differences = compare(given.engine, given.rounds, given.seed)
    for case, key, ours, theirs in differences:
        sys.stdout.write(f"seat {key[0]} {key[1]}: {ours} here, {theirs} there\n{case['text']}\n\n")
    by_decision = ", ".join(f"{number:,} by {name}" for name, number in sorted(read.items()))
    sys.stdout.write(
        f"{given.rounds:,} rounds, {compared:,} wagers compared: {by_decision or 'none'} as decided, {len(differences)} differ\n"
    )
    return 1 if differences else 0


Difference = tuple[dict[str, Any], tuple[int, str], int | None, int | None]


def compare(engine: list[str], count: int, seed: int) -> tuple[int, Counter[str], list[Difference]]:
    """Return the numbers of compared wagers and of differences by a decision, and every other difference."""
    source = random.Random(seed)
    compared, read = 0, Counter[str]()
    differences: list[Difference] = []
    for first in range(0, count, SOME):
        cases = [random_case(source, number) for number in range(first, min(first + SOME, count))]
        for case, said in zip(cases, rounds.answers(engine, cases), strict=True):
            (theirs,), (ours,) = said["rounds"], answer(case)["rounds"]
            known = {(each["seat"], each["wager"]): each["cents"] for each in theirs["due"]}
            for each in ours["due"]:
                key = each["seat"], each["wager"]
                if key not in known:
                    continue
                compared += 1
                if known[key] == each["cents"]:
                    continue
                if decision := decided(case, *key):
                    read[decision] += 1
                else:
                    differences.append((case, key, each["cents"], known[key]))
    return compared, read, differences


def decided(case: dict[str, Any], seat: int, wager: str) -> str:
    """Return the decision that explains why a wager has two readings; empty if none exists."""
    if wager == "fortune_bonus" and holds_three_within_a_straight(case["hands"][seat]):
        return "D15"
    return "D9" if wager == "base" and f"surrender seat={seat}" in case["text"].split("\n") else ""


def random_case(source: random.Random, number: int) -> dict[str, Any]:
    """Return a random round, in the form of the suite."""
    seats = sorted(source.sample(range(1, 7), source.randint(1, 6)))
    hands = dict(zip(["dealer", *seats], deal(source, len(seats) + 1), strict=True))
    text = "\n".join(statements(source, seats, hands))
    (script,) = parse(text, "random")
    return {"id": str(number), "rounds": [as_input(script)], "text": text, "hands": hands}


def statements(source: random.Random, seats: list[int], hands: dict[Any, list[str]]) -> Iterator[str]:
    """Yield the lines of a random round as a transcript."""
    yield f"rules pa-688a ace_high_bonus={source.randint(1, 5)} fortune_bonus={source.randint(1, 6)} adjacent_boxes=yes"
    patron = {seat: f"p-{seat}" for seat in seats}
    for one, other in pairwise(seats):
        if other == one + 1 and patron[one] == f"p-{one}" and source.random() < 0.1:
            patron[other] = patron[one]
    for seat in seats:
        yield f"seated seat={seat} {patron[seat]}"
    surrendered = set()
    for seat in seats:
        words = [f"base {source.choice((15, 25, 40, 500))}.00"]
        words += [f"ace_high_bonus {source.randint(1, 20)}.00"] if source.random() < 0.6 else []
        words += [f"fortune_bonus {source.choice(('1.00', '4.00', '5.00', '20.00'))}"] if source.random() < 0.7 else []
        if len(words) == 1 and source.random() < 0.3:
            surrendered.add(seat)
        yield f"wager seat={seat} {'  '.join(words)}"
    yield "deal " + " ".join(
        f"{'dealer' if each == 'dealer' else f'seat{each}'}={' '.join(cards)}" for each, cards in hands.items()
    )
    for each, cards in hands.items():
        if each in surrendered:
            yield f"surrender seat={each}"
            continue
        high, low = setting(source, cards, by_the_house_way=each == "dealer" or source.random() < 0.5)
        yield f"set {'dealer' if each == 'dealer' else f'seat={each}'} high={' '.join(high)} low={' '.join(low)}"


def setting(source: random.Random, cards: list[str], *, by_the_house_way: bool) -> tuple[list[str], list[str]]:
    """Return seven cards as high and low hand: by the house way, or by chance, which often is foul."""
    if not by_the_house_way:
        mixed = source.sample(cards, 7)
        return mixed[:5], mixed[5:]
    made = packaged_house_way("stones").choose(parse_cards(" ".join(cards)))
    return show(made.high).split(), show(made.low).split()


def deal(source: random.Random, count: int) -> Iterator[list[str]]:
    """Yield hands of seven cards: in half of the rounds one of them is rare."""
    rare = rare_cards(source) if source.random() < 0.5 else []
    rest = [card for card in source.sample(DECK, len(DECK)) if card not in rare]
    place = source.randrange(count)
    for each in range(count):
        hand = list(rare) if each == place else []
        while len(hand) < 7:
            hand.append(rest.pop())
        yield source.sample(hand, 7)


def rare_cards(source: random.Random) -> list[str]:
    """Return up to seven cards that make a rare hand."""
    suit, other = source.sample(SUITS, 2)
    low = source.randrange(7)
    run = [rank + suit for rank in RANKS]
    royal = [rank + suit for rank in "TJQKA"]
    wheel = [rank + suit for rank in "A2345"]
    aces = ["A" + each for each in SUITS]
    kinds = [
        run[low : low + 7],
        [*run[low : low + 6], "Jk"],
        run[low : low + 5],
        royal,
        [*source.sample(royal, 4), "Jk"],
        [*royal, "K" + other, "Q" + other],
        [*source.sample(royal, 4), "Jk", "K" + other, "Q" + other],
        [*aces, "Jk"],
        [*aces[:3], "Jk"],
        [RANKS[low] + each for each in SUITS],
        wheel,
        [*source.sample(wheel, 4), "Jk"],
        [*wheel, "6" + suit, "7" + suit],
        [
            RANKS[low] + suit,
            RANKS[low] + other,
            RANKS[low + 2] + suit,
            RANKS[low + 2] + other,
            "As",
            "Ah" if suit != "h" else "Ad",
        ],
        ["Jk", *(RANKS[each] + SUITS[each % 4] for each in (0, 2, 4, 6, 9, 11))],
        ["As", *(RANKS[each] + SUITS[each % 3 + 1] for each in (0, 2, 4, 7, 9, 11))],
        ["Jk", *source.sample(DECK[:-1], 6)],
        [RANKS[low + 1] + each for each in SUITS[:3]] + [RANKS[low + step] + source.choice(SUITS) for step in (0, 2, 3, 4)],
    ]
    return list(dict.fromkeys(source.choice(kinds)))


def holds_three_within_a_straight(cards: list[str]) -> bool:
    """Whether seven cards hold three of a rank and, with a joker for any, five ranks in a row."""
    ranks = [RANKS.index(card[0]) if card != "Jk" else 12 for card in cards]
    runs = [{12, 0, 1, 2, 3}, *({*range(low, low + 5)} for low in range(9))]
    jokers = cards.count("Jk")
    plain = {RANKS.index(card[0]) for card in cards if card != "Jk"}
    return max(Counter(ranks).values()) == 3 and any(len(run - plain) <= jokers for run in runs)


if __name__ == "__main__":
    sys.exit(main())
