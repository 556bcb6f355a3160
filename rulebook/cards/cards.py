"""Cards as small integers: 0 to 51 are (rank - 2) * 4 + suit with suits in the order c, d, h, s; 52 is the joker.

The text of a card is rank and suit (`Ks`, `Td`, `9c`); the joker is `Jk`. A deck of the pai gow games has 53 cards
(58 Pa. Code § 688a.3(a)).
"""

from collections.abc import Iterable

JOKER = 52
DECK = tuple(range(53))
ACE = 14

RANKS = "23456789TJQKA"
SUITS = "cdhs"

TEXT: tuple[str, ...] = (*(r + s for r in RANKS for s in SUITS), "Jk")
CODE: dict[str, int] = {text: card for card, text in enumerate(TEXT)}

READ: dict[str | None, int | None] = {None: None} | {text: card for card, text in enumerate(TEXT)}
"""The card of a text as a reader gave it: None if it was not read."""


def rank(card: int) -> int:
    """Return the rank of a card, 2 to 14 (an ace). The joker has none: ValueError.

    >>> rank(CODE["Ks"]), rank(CODE["2c"])
    (13, 2)
    """
    if not 0 <= card < JOKER:
        raise ValueError(f"card {card} has no rank")
    return card // 4 + 2


def suit(card: int) -> int:
    """Return the suit of a card, 0 to 3 for clubs, diamonds, hearts, spades. The joker has none: ValueError.

    >>> suit(CODE["Ks"]), suit(CODE["2c"])
    (3, 0)
    """
    if not 0 <= card < JOKER:
        raise ValueError(f"card {card} has no suit")
    return card % 4


def parse_cards(text: str) -> tuple[int, ...]:
    """Return the cards written in `text`, in that order; ValueError names what is not a card.

    >>> parse_cards("Ks Kd Jk")
    (47, 45, 52)
    """
    cards = []
    for word in text.split():
        if word not in CODE:
            raise ValueError(f"{word!r} is not a card (rank and suit such as Ks, or Jk)")
        cards.append(CODE[word])
    return tuple(cards)


def show(cards: Iterable[int]) -> str:
    """Return cards as text, in the order given.

    >>> show((47, 45, 52))
    'Ks Kd Jk'
    """
    return " ".join(TEXT[card] for card in cards)
