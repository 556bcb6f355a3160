"""The rules that the pai gow games share: positions, the start, hands set in two parts, and their comparison.

58 Pa. Code §§ 688a.5(i), 688a.8(d), 688a.11(c), (f); D3, D7, D8.
"""

from collections.abc import Callable, Sequence
from functools import lru_cache
from itertools import combinations
from typing import Literal

from rulebook.cards.ranking import Wheel, rank_five, rank_two
from rulebook.chapters.rulebook import Rulebook
from rulebook.layout import BettingBox, Hand
from rulebook.settlement.wagers import EVEN_MONEY, Due, Outcome, due_of

Position = int | Literal["dealer"]
CLOCKWISE: tuple[Position, ...] = (1, 2, 3, 4, 5, 6, "dealer")
Compared = Callable[[Hand, Hand], tuple[Outcome, str]]
"""Compares the hands that a player and the dealer set: the outcome (foul and unknown too), and the section it is on."""


# (player's high is higher, player's low is higher) -> outcome of the base wager. § 688a.11(f)(1)(i), (ii), (2), (3), D8
OUTCOMES = {(True, True): Outcome.WIN, (True, False): Outcome.TIE, (False, True): Outcome.TIE, (False, False): Outcome.LOSE}


def starting_place(count: int) -> int:
    """Return the place in `CLOCKWISE` that a count points at (§ 688a.5(i), D3)."""
    steps = (count - 1) % 7
    return 6 - steps


def starting_position(count: int) -> Position:
    """Return the position that gets the first card: count the dealer as one, then counterclockwise (§ 688a.5(i), D3).

    `count` is the total of three dice or the number drawn.

    >>> starting_position(8), starting_position(14), starting_position(3)
    ('dealer', 1, 5)
    """
    return CLOCKWISE[starting_place(count)]


def clockwise_from(start: Position, around: tuple[Position, ...] = CLOCKWISE) -> tuple[Position, ...]:
    """Return positions clockwise from `start`; one that is not among them is before all (§§ 688a.8(d), 9(c), 10(c)).

    >>> clockwise_from(5)
    (5, 6, 'dealer', 1, 2, 3, 4)
    """
    if start not in around:
        return (start, *around)
    at = around.index(start)
    return around[at:] + around[:at]


def is_foul(high: Sequence[int], low: Sequence[int]) -> bool:
    """Return whether hands are not five and two cards, or the high hand ranks below the low (§ 688a.11(c), (f)(1)).

    Equal is not foul: a pair of sevens behind a pair of sevens stands.
    """
    if len(high) != 5 or len(low) != 2:
        return True
    return rank_five(high) < rank_two(low)


def base_outcome(high: Sequence[int], low: Sequence[int], dealer_high: Sequence[int], dealer_low: Sequence[int]) -> Outcome:
    """Return the outcome of the base wager against a dealer who does not have ace high; copies are the dealer's (D8)."""
    return Outcome.FOUL if is_foul(high, low) else compare(high, low, dealer_high, dealer_low)


def compare(
    high: Sequence[int], low: Sequence[int], dealer_high: Sequence[int], dealer_low: Sequence[int], wheel: Wheel = "second"
) -> Outcome:
    """Return the outcome of hands that are not foul against the dealer's (§ 688a.11(f))."""
    return OUTCOMES[rank_five(high, wheel) > rank_five(dealer_high, wheel), rank_two(low) > rank_two(dealer_low)]


def high_and_low(hand: Hand, dealer: Hand, wheel: Wheel = "second") -> tuple[Outcome, str]:
    """Compare hands of five and two cards with the dealer's; `wheel` as in `rank_five` (§ 688a.11(f), D2).

    If the player's setting is unknown, the hand loses only if every setting loses; a foul setting loses, too (D376).
    """
    if hand.high is None or hand.low is None:
        if hand.cards is None or hand.disputed or dealer.high is None or dealer.low is None:
            return Outcome.UNKNOWN, "11(f)"
        highest, lowest = _best(hand.cards, wheel)
        loses = highest <= rank_five(dealer.high, wheel) and lowest <= rank_two(dealer.low)
        return (Outcome.LOSE, SECTIONS[Outcome.LOSE]) if loses else (Outcome.UNKNOWN, "11(f)")
    if is_foul(hand.high, hand.low):
        return Outcome.FOUL, "11(f)(1)(iii)" if (len(hand.high), len(hand.low)) == (5, 2) else "11(f)(1)(iv)"
    if dealer.high is None or dealer.low is None:
        return Outcome.UNKNOWN, "11(f)"
    outcome = compare(hand.high, hand.low, dealer.high, dealer.low, wheel)
    return outcome, SECTIONS[outcome]


@lru_cache(maxsize=1024)
def _best(cards: tuple[int, ...], wheel: Wheel) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return the rank of the best high hand and that of the best low hand that seven cards make in settings that are not foul."""
    set_as = [(tuple(card for card in cards if card not in low), low) for low in combinations(cards, 2)]
    legal = [(high, low) for high, low in set_as if not is_foul(high, low)]
    return max(rank_five(high, wheel) for high, _ in legal), max(rank_two(low) for _, low in legal)


SECTIONS = {Outcome.WIN: "12(a)", Outcome.TIE: "11(f)(2)", Outcome.LOSE: "11(f)(1)"}
"""The section that each outcome of the comparison is on."""


def base_due(
    book: Rulebook,
    box: BettingBox,
    dealer: Hand,
    pushed: bool | None = False,
    push: Outcome = Outcome.TIE,
    push_section: str = "",
    compared: Compared = high_and_low,
) -> Due:
    """Return what a base wager is due against the dealer's hands (§ 688a.11(f)).

    `pushed`: whether the dealer's hand pushes every base wager of the table, which comes before all else but a surrender
    that was collected (D9, D285); None if that is not known. `compared`: how the game compares the hands as set.
    """
    stake = box.stakes["base"]
    if box.voided:
        return due_of(book, box, "base", Outcome.VOID, 0, "13(d)")
    stands = box.surrendered and box.collected
    if pushed and not stands:
        return due_of(book, box, "base", push, 0, push_section)
    if box.has_abandoned("base"):
        return due_of(book, box, "base", Outcome.ABANDONED, -stake, "7(b)")
    if pushed is None and not stands:
        return due_of(book, box, "base", Outcome.UNKNOWN, None, "11(f)")
    if box.surrendered:
        return due_of(book, box, "base", Outcome.SURRENDERED, -stake, "11(d)")
    outcome, section = compared(box.hand, dealer)
    if outcome is Outcome.UNKNOWN:
        return due_of(book, box, "base", outcome, None, section)
    if outcome is Outcome.WIN:
        winnings = EVEN_MONEY.winnings(stake)
        return due_of(book, box, "base", outcome, winnings, section, winnings=winnings)
    return due_of(book, box, "base", outcome, 0 if outcome is Outcome.TIE else -stake, section)
