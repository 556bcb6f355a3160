"""Fortune Asia Poker: what every wager of a round is due (58 Pa. Code Chapter 659a).

Seven cards are set into a high hand of four, a medium hand of two and a low hand of one. A player who wins two of the three
hands wins the base wager; any other result loses it, and there is no tie (D8). The invariant is that of
`games.face_up_pai_gow.settle`.
"""

from collections.abc import Sequence

from rulebook.cards.four_card import is_legal_setting, rank_four, rank_one
from rulebook.cards.ranking import highest_unpaired, rank_two
from rulebook.chapters.rulebook import Paytable, Rulebook
from rulebook.game import Game
from rulebook.layout import BettingBox, Cards, Hand, TableLayout
from rulebook.settlement.bonus import in_turn, seven_card
from rulebook.settlement.pai_gow import base_due
from rulebook.settlement.wagers import Due, MaximumPayout, Outcome, due_of, offered, without_cards, won_at_odds

HANDS = {"high": 4, "medium": 2, "low": 1}

HIGHEST = {9: "nine_high", 10: "ten_high", 11: "jack_high", 12: "queen_high", 13: "king_high", 14: "ace_high"}
"""The line of the Insurance that a highest card makes; eight high without a pair is always a straight (§ 659a.12(c))."""


def insurance_line(cards: Sequence[int]) -> str | None:
    """Return the line of the Insurance that seven cards make, None if they have a pair or better (§ 659a.11(h)(2)).

    "Pair or better" means the five-card hands of § 659a.6(d): four in a row or of one suit do not count here.

    >>> from rulebook.cards.cards import parse_cards
    >>> insurance_line(parse_cards("As Ks Qd Jh 8s 6c 4d")), insurance_line(parse_cards("As Kh Qd Jh Ts 6c 4d"))
    ('ace_high', None)
    """
    return HIGHEST.get(highest_unpaired(cards))


def lines(paytable: Paytable, cards: Sequence[int], side: int | None = None) -> frozenset[str]:
    """Return the lines of a bonus paytable that seven cards make."""
    if paytable.wager != "insurance":
        return seven_card(paytable, cards)
    line = insurance_line(cards)
    return frozenset() if line is None else frozenset((line,))


def settle(book: Rulebook, layout: TableLayout) -> list[Due]:
    """Return what every wager and Envy Bonus of the round is due, in the order of settlement (§ 659a.11(e)-(h))."""

    def base(box: BettingBox, cap: MaximumPayout) -> Due:
        return base_due(book, box, layout.dealer, compared=two_of_three)

    def insurance(box: BettingBox, cap: MaximumPayout) -> Due:
        return _insurance(book, box, cap)

    return in_turn(book, layout, {"base": base, "insurance": insurance})


def two_of_three(hand: Hand, dealer: Hand) -> tuple[Outcome, str]:
    """Compare three hands with the dealer's: copies are the dealer's, and two won win (§ 659a.11(f), D8).

    >>> from rulebook.cards.cards import parse_cards
    >>> player = Hand(high=parse_cards("As Ac 6d 4s"), medium=parse_cards("Tc 7c"), low=parse_cards("9h"))
    >>> bank = Hand(high=parse_cards("Kh Kd 5d 3c"), medium=parse_cards("Jc 9h"), low=parse_cards("8c"))
    >>> two_of_three(player, bank)[0]
    <Outcome.WIN: 'win'>
    """
    parts = _parts(hand)
    if parts is None:
        return Outcome.UNKNOWN, "11(f)"
    section = foul_section(*parts)
    if section is not None:
        return Outcome.FOUL, section
    others = _parts(dealer)
    if others is None:
        return Outcome.UNKNOWN, "11(f)"
    won = sum(mine > theirs for mine, theirs in zip(_ranks(*parts), _ranks(*others), strict=True))
    return (Outcome.WIN, "12(a)") if won >= 2 else (Outcome.LOSE, "659a.11(f)(1)(i)")


def foul_section(high: Sequence[int], medium: Sequence[int], low: Sequence[int]) -> str | None:
    """Return the section that makes a setting foul, or None if it is legal (§ 659a.11(b), (f)(1)(iii)-(v), D7).

    >>> from rulebook.cards.cards import parse_cards
    >>> foul_section(parse_cards("Ks Kc 6d 3s"), parse_cards("Kd Qd"), parse_cards("As"))
    '659a.11(f)(1)(iv)'
    """
    if is_legal_setting(high, medium, low):
        return None
    if (len(high), len(medium), len(low)) != tuple(HANDS.values()):
        return "659a.11(f)(1)(v)"
    return "659a.11(f)(1)(iv)" if rank_four(high) > rank_two(medium) else "659a.11(f)(1)(iii)"


def _parts(hand: Hand) -> tuple[Cards, Cards, Cards] | None:
    """Return the three hands. Without a medium hand they are known only if the other two hold all seven cards."""
    if hand.high is None or hand.low is None:
        return None
    if hand.medium is None:
        return (hand.high, (), hand.low) if len(hand.high) + len(hand.low) == sum(HANDS.values()) else None
    return hand.high, hand.medium, hand.low


def _ranks(high: Cards, medium: Cards, low: Cards) -> tuple[tuple[int, ...], ...]:
    return rank_four(high), rank_two(medium), rank_one(low)


def _insurance(book: Rulebook, box: BettingBox, cap: MaximumPayout) -> Due:
    wager, paytable = "insurance", offered(book, "insurance")
    if paytable is None or box.voided or box.has_abandoned(wager):
        return without_cards(book, box, wager, paytable)
    if box.hand.cards is None:
        return due_of(book, box, wager, Outcome.UNKNOWN, None, "659a.12(c)", paytable)
    line = paytable.best(lines(paytable, box.hand.cards))
    if line is None:
        return due_of(book, box, wager, Outcome.LOSE, -box.stakes[wager], "659a.11(h)(2)(i)", paytable)
    return won_at_odds(book, box, wager, paytable, line, cap, "659a.12(c)")


GAME = Game(
    name="fortune_asia",
    title="Fortune Asia Poker",
    wagers={
        "base": "Base wager",
        "insurance": "Insurance",
        "fortune_bonus": "Fortune Bonus",
        "fortune_envy": "Fortune Envy",
        "progressive": "Progressive",
        "progressive_envy": "Progressive Envy",
    },
    hands=HANDS,
    by_setting=("base",),
    settle=settle,
    lines=lines,
)
