"""A wager as a casino offers it, and the least that a filed maximum payout must allow (§ 688a.12(e), D19)."""

from collections.abc import Mapping
from typing import Final

import msgspec

from rulebook.cards.cards import JOKER, parse_cards, rank
from rulebook.cards.ranking import seven_card_lines
from rulebook.chapters.paytables import Paytable


class WagerOffer(msgspec.Struct, frozen=True):
    """A wager that is offered, with its limits in cents; `paytable` is `None` if there is only one way to pay it (base)."""

    wager: str
    paytable: Paytable | None
    min_cents: int
    max_cents: int


# The hands that win most: one for each bonus line, at its best. If a hand leaves the dealer an ace, or the joker,
# the dealer can have ace high against it.
_BEST_HANDS: Final = tuple(
    parse_cards(text)
    for text in (
        "As Ks Qs Js Ts 9s 8s",
        "As Ks Qs Js Ts Kh Qh",
        "As Ks Qs Js Ts 9s Jk",
        "As Ks Qs Js Jk Kh Qh",
        "As Ah Ad Ac Jk Ks Kh",
        "Ks Kh Kd Kc Jk 3d 2c",
        "As Ks Qs Js Ts 3d 2c",
        "Ks Qs Js Ts 9s 3d 2c",
        "Ks Kh Kd Kc 4h 3d 2c",
        "Ks Kh Kd 4c 4h 3d 2c",
        "Ks Js 9s 7s 5s 3d 2c",
        "9s 8h 7d 6c 5h 3d 2c",
        "Ks Kh Kd 9c 7h 3d 2c",
    )
)


def most_from_smallest_wagers(offers: Mapping[str, WagerOffer]) -> int:
    """Return the most that a player's smallest wagers can win on one hand, of what a maximum payout caps (D19).

    These are the odds of the Ace High and Fortune Bonus and the fixed amounts of the Progressive; the wagers win
    together if one deal lets them: the dealer's ace high next to the player's hand, or both ace high (§ 688a.12(e)).

    >>> from rulebook.chapters.rulebook import parse_submission, simple_submission
    >>> book = parse_submission(simple_submission(paytables={"fortune_bonus": "2"}, **{"fortune_bonus.min": "5.00"}))
    >>> most_from_smallest_wagers(book.offers)
    4000000
    """
    ace_high = {} if "ace_high_bonus" not in offers else _smallest_ace_high(offers["ace_high_bonus"])
    most = ace_high.get("both_ace_high", 0)
    for cards in _BEST_HANDS:
        won = sum(_smallest(offers[name], cards) for name in ("fortune_bonus", "progressive") if name in offers)
        aces = sum(card != JOKER and rank(card) == 14 for card in cards)
        dealer = [ace_high.get("dealer_ace_high_no_joker", 0)] if aces < 4 else []
        dealer += [ace_high.get("dealer_ace_high_joker", 0)] if JOKER not in cards else []
        most = max(most, won + max(dealer, default=0))
    return most


def _smallest(offer: WagerOffer, cards: tuple[int, ...]) -> int:
    assert offer.paytable is not None
    line = offer.paytable.best(seven_card_lines(cards, offer.paytable.joker))
    if line is None or line.push:
        return 0
    return line.amount_cents if line.odds is None else line.odds.winnings(offer.min_cents)


def _smallest_ace_high(offer: WagerOffer) -> dict[str, int]:
    assert offer.paytable is not None
    return {line.hand: line.odds.winnings(offer.min_cents) for line in offer.paytable.lines if line.odds is not None}
