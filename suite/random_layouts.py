"""Random layouts of Chapter 688a through our settlement and a second engine.

`python -m suite.random_layouts --rounds N -- COMMAND …`. `suite.random_rounds` plays whole rounds through the judge; here only
settlement takes part, so that millions can be played. Four of ten layouts hold a rare hand, one of ten a copy of the dealer's.
Exit status: 1 at the first due that differs if no decision explains it.
"""

import argparse
import random
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import combinations
from operator import itemgetter
from typing import TypeVar

import msgspec

from games.face_up_pai_gow.settle import settle
from replay.installed_games import add_installed_games
from replay.transcript.transcript import parse
from rulebook.cards.cards import ACE, CODE, DECK, JOKER, TEXT
from rulebook.chapters.rulebook import Rulebook
from rulebook.layout import BettingBox, Cards, Hand, TableLayout
from rulebook.settlement.pai_gow import is_foul
from suite.random_rounds import WAGERS, holds_three_within_a_straight, rare_cards

T = TypeVar("T")
Split = tuple[Callable[[Cards], Cards], Callable[[Cards], Cards]]
SOME = 500
"""Layouts that are handed over together: their answers fit into a pipe, so that neither side waits for the other."""
SEATS = [
    seats
    for count, weight in ((1, 400), (2, 100), (3, 45), (4, 20), (5, 25), (6, 50))
    for seats in [*combinations(range(1, 7), count)] * weight
]


class DuesDifferError(Exception):
    """Two engines come to other dues, and no decision explains it."""


class RandomLayout(msgspec.Struct, frozen=True):
    """A layout, as our settlement has it and as a line for the second engine."""

    line: str
    book: Rulebook
    table: TableLayout
    kind: str


def splits(low_count: int) -> list[Split]:
    """Return every way to take a high hand and a low hand of some cards out of seven."""
    lows = combinations(range(7), low_count)
    return [(itemgetter(*(at for at in range(7) if at not in low)), itemgetter(*low)) for low in lows]


SPLITS, OTHER_SPLITS = splits(2), splits(3)


def main() -> int:
    """Play, and print what came up and how often a decision explains a difference."""
    parser = argparse.ArgumentParser(description="Random layouts through our settlement and a second engine.")
    parser.add_argument("--rounds", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("engine", nargs="+", metavar="COMMAND", help="The second engine, after --.")
    given = parser.parse_args()
    add_installed_games()
    try:
        seen, read, compared = compare(given.engine, given.rounds, given.seed)
    except DuesDifferError as error:
        sys.stdout.write(f"{error}\n")
        return 1
    for name, number in sorted(seen.items()):
        sys.stdout.write(f"{number:>12,}  {name}\n")
    by_decision = ", ".join(f"{number:,} by {name}" for name, number in sorted(read.items()))
    sys.stdout.write(f"{given.rounds:,} rounds, {compared:,} dues compared: {by_decision or 'none'} as decided, 0 differ\n")
    return 0


def compare(engine: list[str], count: int, seed: int) -> tuple[Counter[str], Counter[str], int]:
    """Return what came up, the explained differences, and how many dues agreed. Raises `DuesDifferError` for any other."""
    layouts = random_layouts(random.Random(seed))
    seen, read, compared = Counter[str](), Counter[str](), 0
    with subprocess.Popen(engine, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        for first in range(0, count, SOME):
            some = [next(layouts) for _ in range(min(SOME, count - first))]
            process.stdin.write("".join([f"{each.line}\n" for each in some]))
            process.stdin.flush()
            ours = [dues(each, seen) for each in some]
            for layout, here in zip(some, ours, strict=True):
                there = process.stdout.readline().rstrip("\n")
                compared += len(WAGERS) * len(layout.table.boxes)
                if here != there:
                    read.update(explained(layout, here, there))
    return seen, read, compared


def dues(layout: RandomLayout, seen: Counter[str]) -> str:
    """Return the cents that our settlement comes to: for each seat those of `WAGERS`. Counts in `seen` what came up."""
    cents = {box.seat: dict.fromkeys(WAGERS, 0) for box in layout.table.boxes}
    seen[f"layout: {layout.kind}"] += 1
    for due in settle(layout.book, layout.table):
        seen[f"{due.wager}: {due.outcome.value} {due.line}"] += 1
        assert due.net_cents is not None
        cents[due.seat][due.wager] += due.net_cents
    return " ".join([",".join(map(str, each.values())) for each in cents.values()])


def explained(layout: RandomLayout, here: str, there: str) -> Iterator[str]:
    """Yield the decision that explains each difference (`suite/engines/pa_688a.toml`); `DuesDifferError` if none does."""
    ours, theirs = ([seat.split(",") for seat in said.split()] for said in (here, there))
    at = f"\n{layout.line}\n{layout.table}"
    if len(ours) != len(theirs):
        raise DuesDifferError(f"{here} here, {there or 'no answer'} there{at}")
    for box, some, others in zip(layout.table.boxes, ours, theirs, strict=True):
        for wager, one, other in zip(WAGERS, some, others, strict=True):
            if one == other:
                continue
            if wager == "fortune_bonus" and holds_three_within_a_straight([TEXT[card] for card in box.hand.cards or ()]):
                yield "D15"
            elif wager == "base" and box.surrendered and not box.collected:
                yield "D9"
            else:
                raise DuesDifferError(f"seat {box.seat} {wager}: {one} here, {other} there{at}")


def random_layouts(source: random.Random) -> Iterator[RandomLayout]:
    """Yield layouts of 30 filings without end."""
    books = [
        (f"{ace_high} {fortune}", script.book)
        for ace_high in range(1, 6)
        for fortune in range(1, 7)
        for script in parse(f"rules pa-688a ace_high_bonus={ace_high} fortune_bonus={fortune}\nwager seat=1 base 25.00", "")
    ]
    rare = [tuple(map(CODE.__getitem__, rare_cards(source))) for _ in range(20_000)]
    while True:
        filed, book = pick(source, books)
        seats = pick(source, SEATS)
        kind, hands = deal(source, 1 + len(seats), rare)
        split = set_of(source, hands[0])
        dealer, shown = hand_of(hands[0], split)
        boxes, words = [], [f"{filed} dealer::::{shown}"]
        last, bettor = 0, ""
        for seat, cards in zip(seats, hands[1:], strict=True):
            bettor = bettor if seat == last + 1 and source.random() < 0.1 else f"p{seat}"
            own = split if kind == "copy" and not last else set_of(source, cards, by_chance=0.15)
            last = seat
            hand, shown = hand_of(cards, own)
            box = wagered(source, seat, bettor, hand)
            boxes.append(box)
            stakes = ",".join([str(box.stakes.get(wager, "")) for wager in WAGERS[:3]])
            words.append(f"{seat}:{bettor}:{stakes}:{'s' if box.surrendered else ''}:{shown}")
        yield RandomLayout(" ".join(words), book, TableLayout(boxes=boxes, dealer=dealer), kind)


def wagered(source: random.Random, seat: int, bettor: str, hand: Hand) -> BettingBox:
    """Return a box with stakes; one with a base wager alone is surrendered at times (§ 688a.11(d) is clear about no other)."""
    stakes = {"base": pick(source, (1500, 2500, 4000, 50000))}
    if source.random() < 0.6:
        stakes["ace_high_bonus"] = 100 * int(1 + 20 * source.random())
    if source.random() < 0.7:
        stakes["fortune_bonus"] = pick(source, (100, 499, 500, 501, 2000))
    surrendered = len(stakes) == 1 and source.random() < 0.3
    return BettingBox(seat, bettor, hand, stakes, surrendered=surrendered, collected=surrendered and source.random() < 0.5)


def pick(source: random.Random, some: Sequence[T]) -> T:
    """Return one of some, in a fraction of the time that `choice` takes."""
    return some[int(len(some) * source.random())]


def set_of(source: random.Random, cards: Cards, by_chance: float = 0) -> Split:
    """Return how seven cards are set: not foul, or at times by chance, with three cards in some low hands."""
    if source.random() < by_chance:
        return pick(source, OTHER_SPLITS if source.random() < 0.05 else SPLITS)
    while True:
        high, low = pick(source, SPLITS)
        if not is_foul(high(cards), low(cards)):
            return high, low


def hand_of(cards: Cards, split: Split) -> tuple[Hand, str]:
    """Return a hand as set, and as the second engine reads it."""
    high, low = split[0](cards), split[1](cards)
    return Hand(cards, high, low), f"{''.join([TEXT[card] for card in high])}:{''.join([TEXT[card] for card in low])}"


def deal(source: random.Random, count: int, rare: Sequence[Cards]) -> tuple[str, list[Cards]]:
    """Return a kind of layout, and its hands: the dealer's, then the players'."""
    deck = list(DECK)
    for at in range(7 * count):
        other = at + int((53 - at) * source.random())
        deck[at], deck[other] = deck[other], deck[at]
    kind, given, place, chance = "plain deck", Cards(), 0, source.random()
    if chance < 0.1:
        kind, given, place = "copy", copied(deck[:7]), 1
    elif chance < 0.5:
        kind, given, place = "rare hand", pick(source, rare), int(count * source.random())
    for at, card in enumerate(given, 7 * place):
        other = deck.index(card)
        deck[at], deck[other] = deck[other], deck[at]
    return kind, [tuple(deck[at : at + 7]) for at in range(0, 7 * count, 7)]


def copied(cards: Sequence[int]) -> Cards:
    """Return cards of the same ranks in the suits that come next, an ace for the joker; fewer if a rank runs out."""
    copy: list[int] = []
    for card in cards:
        rank = ACE - 2 if card == JOKER else card // 4
        of_rank = (4 * rank + (card + step) % 4 for step in range(1, 5))
        copy += [next((each for each in of_rank if each not in copy and each not in cards), JOKER)]
    return tuple(card for card in copy if card != JOKER)


if __name__ == "__main__":
    sys.exit(main())
