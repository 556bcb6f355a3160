"""A second opinion: hands ranked and settled again by plain rules of thumb, written from the texts and without `games`.

Slow and obvious on purpose. Cards are texts (`Ks`, `Jk`); nothing of the project is imported.
"""

from collections.abc import Iterable, Sequence

RANKS = "23456789TJQKA"
SUITS = "cdhs"
NATURAL = [rank + suit for rank in RANKS for suit in SUITS]
DECK = [*NATURAL, "Jk"]
VALUE = {rank: value for value, rank in enumerate(RANKS, 2)}

# --------------------------------------------------------------------------------------- California (GEGR-002138, D1, D2)


def five(cards: Sequence[str]) -> tuple[float, ...]:
    """Rank five cards: the joker is an ace, or completes a straight or a flush; A-2-3-4-5 is the lowest straight."""
    natural = [(VALUE[card[0]], card[1]) for card in cards if card != "Jk"]
    if len(natural) == 5:
        return _plain(natural)
    completed = (_plain([*natural, (VALUE[card[0]], card[1])]) for card in NATURAL if card not in cards)
    return max([_plain([*natural, (14, "joker")]), *(each for each in completed if each[0] in (3, 4, 7, 8))])


def _plain(cards: Iterable[tuple[int, str]]) -> tuple[float, ...]:
    values = sorted((value for value, _ in cards), reverse=True)
    one_suit = len({suit for _, suit in cards}) == 1
    groups = sorted(((values.count(value), value) for value in set(values)), reverse=True)
    sizes, ranks = [size for size, _ in groups], [value for _, value in groups]
    top = values[0] if len(set(values)) == 5 and values[0] - values[4] == 4 else 5 if values == [14, 5, 4, 3, 2] else 0
    if sizes[0] == 5:
        return (9,)
    if one_suit and top:
        return (8,) if top == 14 else (7, top)
    if sizes[0] == 4:
        return (6, *ranks)
    if sizes == [3, 2]:
        return (5, *ranks)
    if one_suit:
        return (4, *values)
    if top:
        return (3, top)
    return (2, *ranks) if sizes[0] == 3 else (1, sizes.count(2), *ranks) if sizes[0] == 2 else (0, *values)


def two(cards: Sequence[str]) -> tuple[float, ...]:
    """Rank two cards; the joker is an ace."""
    high, low = sorted((14 if card == "Jk" else VALUE[card[0]] for card in cards), reverse=True)
    return (1, 1, high) if high == low else (0, high, low)


# ------------------------------------------------------------------------------------------------ DJ Wild (687a, D5, D6)

ORDER = ["high", "pair", "two_pair", "trips", "straight", "flush", "full_house", "quads", "straight_flush", "five", "royal",
         "wilds"]  # fmt: skip


def line(cards: Sequence[str], wild: bool) -> str:
    """Name what five cards make; `wild`: deuces and the joker are any card, else deuces are twos."""
    natural = [card for card in cards if not wild or (card != "Jk" and card[0] != "2")]
    values, wilds = [VALUE[card[0]] for card in natural], 5 - len(natural)
    if wilds == 5:
        return "wilds"
    most, different = max(values.count(value) for value in values) + wilds, len(set(values)) == len(values)
    one_suit = len({card[1] for card in natural}) == 1
    if one_suit and different and min(values) >= 10:
        return "royal"
    if most >= 5:
        return "five"
    running = different and any(set(values) <= set(each) for each in RUNS)
    if one_suit and running:
        return "straight_flush"
    if most == 4:
        return "quads"
    if len(set(values)) == 2 and most == 3:
        return "full_house"
    if one_suit:
        return "flush"
    if running:
        return "straight"
    pairs = sum(values.count(value) == 2 for value in set(values))
    return "trips" if most == 3 else "two_pair" if pairs == 2 else "pair" if pairs or wilds else "high"


RUNS = [(14, 2, 3, 4, 5), *(tuple(range(low, low + 5)) for low in range(2, 11))]
