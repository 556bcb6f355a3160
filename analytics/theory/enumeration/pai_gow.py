"""The base wagers of the pai gow games, by simulation: two hands of seven cards, set and compared.

The house way's setting, and the possible settings, are computed once for every hand distinct by ranks and flushes
(`analytics.theory.enumeration.seven`); the rounds then only look them up. If the dealer's hands are shown first (688a,
California), the player's best setting is the best against them.
"""

from collections.abc import Callable, Sequence
from itertools import chain, combinations
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from analytics.theory.enumeration.seven import seven_card_hands
from analytics.theory.enumeration.tiger_9 import NINE
from analytics.theory.kernels.compiling import compiled
from rulebook.cards.cards import JOKER
from rulebook.cards.four_card import rank_four, rank_one
from rulebook.cards.ranking import HandClass, Rank, Wheel, is_ace_high, rank_five, rank_two
from rulebook.cards.signature import RANK_BITS, UNIT
from rulebook.house_ways.house_way import packaged_house_way
from rulebook.house_ways.house_way_asia import packaged_asia_house_way

Ints = npt.NDArray[Any]

ROUNDS: Final = 50_000_000
OUTCOMES: Final = ("win", "push", "lose")
DEALERS: Final = ("other", "ace_high", "tiger_9", "ace_high_tiger_9")
"""The reasons for a push of the dealer's hands. A nine and an ace high together push as each does alone."""
PLAYS: Final = ("house_way", "best")
_PARTS: Final = tuple((two, tuple(i for i in range(7) if i not in two)) for two in combinations(range(7), 2))
_SLOTS: Final = 1 << 22
_UNITS: Final = np.array([unit & RANK_BITS for unit in UNIT], dtype=np.int64)
_MASK_SHIFT: Final = 42


def _wrapping() -> np.errstate:
    """Let the arithmetic of hashes and random numbers wrap around, as it does when it is compiled."""
    return np.errstate(over="ignore")


class HandTables(NamedTuple):
    """The data of every hand: hash slots to its row, the hands set by the house way, and the settings to choose from.

    Ranks are numbered from the lowest up. `dealer` is an index of `DEALERS`. The settings of row r are `choice` from `begins[r]`
    to `begins[r + 1]`; settings beaten by another in both hands are left out.
    """

    keys: Ints
    rows: Ints
    house: Ints
    dealer: Ints
    begins: Ints
    choice: Ints


def two_hands(wheel: Wheel, hands: Sequence[tuple[int, ...]] | None = None) -> HandTables:
    """Compute hands of five and two, set by `stones`."""
    way = packaged_house_way("stones", wheel)

    def settings(cards: Sequence[int]) -> tuple[tuple[Rank, Rank], list[tuple[Rank, Rank]]]:
        legal = set()
        for two, five in _PARTS:
            low, high = rank_two([cards[i] for i in two]), rank_five([cards[i] for i in five], wheel)
            if high >= low:
                legal.add((high, low))
        shown = way.choose(cards)
        return (rank_five(shown.high, wheel), rank_two(shown.low)), _undominated(legal)

    return _tables(5, settings, hands)


def three_hands(hands: Sequence[tuple[int, ...]] | None = None) -> HandTables:
    """Compute hands of four, two and one, set by `asia`."""
    way = packaged_asia_house_way("asia")

    def settings(cards: Sequence[int]) -> tuple[tuple[Rank, ...], list[tuple[Rank, ...]]]:
        shown = way.choose(cards)
        return (rank_four(shown.high), rank_two(shown.medium), rank_one(shown.low)), []

    return _tables(4, settings, hands)


def _undominated(settings: set[tuple[Rank, Rank]]) -> list[tuple[Rank, Rank]]:
    undominated: list[tuple[Rank, Rank]] = []
    for high, low in sorted(settings, reverse=True):
        if not undominated or low > undominated[-1][1]:
            undominated.append((high, low))
    return undominated


def _tables(flush: int, settings: Callable[..., Any], hands: Sequence[tuple[int, ...]] | None) -> HandTables:
    hand_of: dict[int, tuple[int, ...]] = {}
    for cards in hands if hands is not None else (cards for cards, _ in seven_card_hands(flush)):
        hand_of.setdefault(int(_key(np.array(cards), flush, _UNITS)), cards)
    house, dealer, choices = [], [], []
    for cards in hand_of.values():
        shown, all_ = settings(cards)
        house.append(shown)
        choices.append(all_)
        nine_high = shown[1][:2] == (HandClass.HIGH_CARD, NINE)
        dealer.append(is_ace_high(cards) + 2 * nine_high)
    choice = list(chain.from_iterable(choices))
    number = [
        {rank: i for i, rank in enumerate(sorted({hand[at] for hand in chain(house, choice)}))} for at in range(len(house[0]))
    ]
    keys, rows = np.full(_SLOTS, -1, dtype=np.int64), np.zeros(_SLOTS, dtype=np.int32)
    with _wrapping():
        for row, key in enumerate(hand_of):
            slot = int(_slot(key))
            while keys[slot] != -1:
                slot = (slot + 1) % _SLOTS
            keys[slot], rows[slot] = key, row

    def numbered(settings_: Sequence[Sequence[Rank]]) -> Ints:
        as_numbers = [[number[at][rank] for at, rank in enumerate(hands_)] for hands_ in settings_]
        return np.array(as_numbers, dtype=np.int16).reshape(len(settings_), len(number))

    begins = np.cumsum([0, *map(len, choices)], dtype=np.int32)
    return HandTables(keys, rows, numbered(house), np.array(dealer, dtype=np.int8), begins, numbered(choice))


@compiled
def _slot(key: int) -> Any:
    mixed = np.uint64(key) * np.uint64(0x9E3779B97F4A7C15)
    return np.int64(mixed >> np.uint64(42))  # of 2**22


@compiled
def _key(cards: Ints, flush: int, units: Ints) -> Any:
    """Return the key that distinguishes seven cards: the count of each rank, and the ranks of a suit that can make a flush.

    If two suits can (six cards and the joker, three of each), one determines the other: the lower one is used.
    """
    key = np.int64(0)
    masks = np.zeros(4, dtype=np.int64)
    held = np.zeros(4, dtype=np.int64)
    needed = flush
    for card in cards:
        key += units[card]
        if card == JOKER:
            needed = flush - 1
        else:
            masks[card & 3] |= np.int64(1) << (card >> 2)
            held[card & 3] += 1
    best = np.int64(0)
    for suit in range(4):
        if held[suit] >= needed and (best == 0 or masks[suit] < best):
            best = masks[suit]
    return key + (best << _MASK_SHIFT)


@compiled
def _row(key: int, keys: Ints, rows: Ints) -> Any:
    slot = _slot(key)
    while keys[slot] != key:
        if keys[slot] == -1:
            raise ValueError("a hand that is not in the tables")
        slot = (slot + 1) % keys.shape[0]
    return rows[slot]


@compiled
def _outcome(wins: int, hands: int) -> int:
    """Return the outcome: of two hands, one win is a push (D8); of three hands, two wins win, and nothing pushes."""
    if hands == 3:
        return 0 if wins >= 2 else 2
    return 2 - wins


@compiled
def _next(state: Ints) -> Any:
    """The next 64 bits of splitmix64."""
    state[0] += np.uint64(0x9E3779B97F4A7C15)
    z = state[0]
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))


@compiled
def deal(deck: Ints, state: Ints) -> None:
    """Shuffle fourteen cards to the front of the deck."""
    for i in range(14):
        j = i + np.int64(((_next(state) >> np.uint64(32)) * np.uint64(53 - i)) >> np.uint64(32))
        deck[i], deck[j] = deck[j], deck[i]


@compiled
def judge(
    dealer: Ints,
    player: Ints,
    flush: int,
    units: Ints,
    keys: Ints,
    rows: Ints,
    house: Ints,
    kind: Ints,
    begins: Ints,
    choice: Ints,
) -> tuple[int, int, int]:
    """Return the kind of the dealer's hand, and the outcomes of the player's hands set by the house way and in the best way."""
    theirs, mine = _row(_key(dealer, flush, units), keys, rows), _row(_key(player, flush, units), keys, rows)
    hands = house.shape[1]
    wins = 0
    for at in range(hands):
        wins += house[mine, at] > house[theirs, at]
    by_house = _outcome(wins, hands)
    best = by_house
    for i in range(begins[mine], begins[mine + 1]):
        won = 0
        for at in range(hands):
            won += choice[i, at] > house[theirs, at]
        best = min(best, _outcome(won, hands))
    return kind[theirs], by_house, best


@compiled
def _play(
    rounds: int, seed: int, flush: int, units: Ints, keys: Ints, rows: Ints, house: Ints, kind: Ints, begins: Ints, choice: Ints
) -> Ints:
    counted = np.zeros((4, 2, 3), dtype=np.int64)
    deck = np.arange(53)
    state = np.array([seed], dtype=np.uint64)
    for _ in range(rounds):
        deal(deck, state)
        dealt, by_house, best = judge(deck[:7], deck[7:14], flush, units, keys, rows, house, kind, begins, choice)
        counted[dealt, 0, by_house] += 1
        counted[dealt, 1, best] += 1
    return counted


def play(tables: HandTables, flush: int, rounds: int, seed: int) -> Ints:
    """Play rounds; return their number by the dealer's hand, the player's setting (house way, best) and the outcome."""
    with _wrapping():
        counted: Ints = _play(rounds, seed, flush, _UNITS, *tables)
    return counted


def outcome(tables: HandTables, flush: int, dealer: Sequence[int], player: Sequence[int]) -> tuple[str, str, str]:
    """Return the kind of the dealer's hand and the outcomes of two hands, set by the house way and in the best way."""
    with _wrapping():
        dealt, by_house, best = judge(np.array(dealer), np.array(player), flush, _UNITS, *tables)
    return DEALERS[dealt], OUTCOMES[by_house], OUTCOMES[best]


def compute(wheel: Wheel | None, rounds: int = ROUNDS, seed: int = 688) -> dict[str, Any]:
    """Simulate hands of five and two with a wheel, or (None) hands of four, two and one."""
    dealers: tuple[str, ...] = DEALERS
    plays: tuple[str, ...] = PLAYS
    if wheel is None:
        counted = play(three_hands(), 4, rounds, seed).sum(axis=0, keepdims=True)
        dealers, plays, what = ("any",), PLAYS[:1], "hands of four, two and one, set by asia"
    else:
        counted = play(two_hands(wheel), 5, rounds, seed)
        what = f"hands of five and two, the dealer's set by stones; A-2-3-4-5 is the {wheel} straight"
    return {
        "what": f"rounds of one player: {what}; by what the dealer has, how the player sets, and the outcome",
        "method": "simulation",
        "seed": seed,
        "total": rounds,
        "rows": [
            {"dealer": dealer, "play": how, "outcome": outcome_, "rounds": int(counted[i, j, k])}
            for i, dealer in enumerate(dealers)
            for j, how in enumerate(plays)
            for k, outcome_ in enumerate(OUTCOMES)
        ],
    }
