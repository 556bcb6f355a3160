"""Exact chances at the tables: totals of three dice, starting positions, repeated ranks in a hand."""

from collections.abc import Iterator
from functools import cache
from itertools import product
from math import comb, factorial

import msgspec

from rulebook.catalogue import chapters_of
from rulebook.chapters.chapters import chapter
from rulebook.settlement.pai_gow import starting_position

RANKS = 13


class Pack(msgspec.Struct, frozen=True):
    """The cards of a game: `copies` of 52 cards, and jokers."""

    copies: int
    jokers: int

    @property
    def cards(self) -> int:
        """The number of cards."""
        return 52 * self.copies + self.jokers

    @property
    def kinds(self) -> int:
        """The number of kinds of cards; all jokers are one kind."""
        return 52 + (1 if self.jokers else 0)


@cache
def pack_of(game: str) -> Pack | None:
    """Return the cards of a game, by its chapter; None for a game without a chapter.

    >>> pack_of("face_up_pai_gow"), pack_of("over_under")
    (Pack(copies=1, jokers=1), Pack(copies=6, jokers=0))
    """
    keys = chapters_of(game)
    if not keys:
        return None
    numbers = chapter(*keys[0].split("-", 1)).numbers
    size, jokers = numbers.get("deck_size", 53), numbers.get("jokers", 1)
    return Pack(copies=(size - jokers) // 52, jokers=jokers)


@cache
def cards_of(pack: Pack) -> dict[str, float]:
    """Return kind of card → the chance that a dealt card is of that kind.

    >>> chances = cards_of(Pack(copies=2, jokers=4))
    >>> round(108 * chances["Ks"]), round(108 * chances["Jk"])
    (2, 4)
    """
    chances = {rank + suit: pack.copies / pack.cards for rank in "23456789TJQKA" for suit in "cdhs"}
    return {**chances, "Jk": pack.jokers / pack.cards} if pack.jokers else chances


@cache
def totals() -> dict[str, float]:
    """Return the total of three dice → its chance.

    >>> round(216 * totals()["10"])
    27
    """
    ways_of = dict.fromkeys(range(3, 19), 0)
    for dice in product(range(1, 7), repeat=3):
        ways_of[sum(dice)] += 1
    return {str(total): ways / 216 for total, ways in ways_of.items()}


@cache
def starts_by_dice() -> dict[str, float]:
    """Return the starting position → its chance by the total of three dice (D3): they differ.

    >>> {position: round(216 * chance) for position, chance in starts_by_dice().items()}["dealer"]
    31
    """
    chances = {str(starting_position(count)): 0.0 for count in range(1, 8)}
    for total, chance in totals().items():
        chances[str(starting_position(int(total)))] += chance
    return chances


@cache
def patterns(pack: Pack, cards: int) -> dict[tuple[str, bool], float]:
    """Return (repetitions of a hand's ranks, longest first; whether it has a joker) → the chance.

    >>> found = patterns(Pack(copies=1, jokers=1), 7)
    >>> round(sum(found.values()), 12), round(found["4+3", False] * comb(53, 7))
    (1.0, 624)
    """
    ways_of: dict[tuple[str, bool], float] = {}
    for jokers in range(min(pack.jokers, cards) + 1):
        for parts in _partitions(cards - jokers, min(4 * pack.copies, cards), RANKS):
            ways = comb(pack.jokers, jokers) * _ways(parts, 4 * pack.copies)
            if ways:
                key = "+".join(map(str, parts)), jokers > 0
                ways_of[key] = ways_of.get(key, 0.0) + ways / comb(pack.cards, cards)
    return ways_of


def _ways(parts: tuple[int, ...], suits: int) -> int:
    """Return the number of ways to choose ranks for the parts, and cards of each rank."""
    if len(parts) > RANKS:
        return 0
    ways = factorial(RANKS) // factorial(RANKS - len(parts))
    for part in set(parts):
        ways //= factorial(parts.count(part))
    for part in parts:
        ways *= comb(suits, part)
    return ways


def _partitions(total: int, largest: int, most: int) -> Iterator[tuple[int, ...]]:
    """Yield the partitions of a number, parts descending."""
    if total == 0:
        yield ()
        return
    if most == 0:
        return
    for part in range(min(total, largest), 0, -1):
        for rest in _partitions(total - part, part, most - 1):
            yield (part, *rest)
