"""Reads a person's typed memory of a round, cards and a time of day, as generously as is safe.

Invariant: no typed word is dropped silently; words not understood are returned as such. The result serves to find a round, never
to judge one.
"""

import re
from typing import Final

import msgspec

RANKS: Final = {
    "ace": "A",
    "king": "K",
    "queen": "Q",
    "jack": "J",
    "ten": "T",
    "nine": "9",
    "eight": "8",
    "seven": "7",
    "six": "6",
    "five": "5",
    "four": "4",
    "trey": "3",
    "three": "3",
    "deuce": "2",
    "two": "2",
    "10": "T",
    **{rank: rank for rank in "23456789"},
}
SUITS: Final = {"spade": "s", "heart": "h", "diamond": "d", "club": "c"}
SIGNS: Final = str.maketrans("♠♤♥♡♦♢♣♧", "sshhddcc", "\N{VARIATION SELECTOR-15}\N{VARIATION SELECTOR-16}")
COUNTS: Final = {"pair": 2, "two": 2, "three": 3, "trips": 3, "four": 4}
FILLERS: Final = frozenset(
    (
        "a",
        "an",
        "and",
        "at",
        "cards",
        "had",
        "have",
        "hand",
        "i",
        "in",
        "my",
        "of",
        "on",
        "plus",
        "set",
        "the",
        "to",
        "was",
        "with",
    )
)
CODE: Final = re.compile(r"(?:(10|[2-9tjqka])([shdc])|([shdc])(10|[2-9tjqka])|(jk|joker))", re.IGNORECASE)
RANK_RUN: Final = re.compile(r"(?:10|[2-9tjqka])+", re.IGNORECASE)


class CardSeen(msgspec.Struct, frozen=True):
    """A remembered card: rank (`A`, `K`, … `T`, `9` … or `Jk`) and suit (`s h d c`); empty if it was not named."""

    rank: str
    suit: str

    @property
    def code(self) -> str:
        """The card's code if rank and suit are known (`As`, `Jk`), else empty."""
        return "Jk" if self.rank == "Jk" else self.rank + self.suit if self.rank and self.suit else ""


class CardsTyped(msgspec.Struct, frozen=True):
    """The cards understood, and the words that were not."""

    cards: tuple[CardSeen, ...]
    unread: tuple[str, ...]


def cards_typed(text: str) -> CardsTyped:
    """Read typed cards; a suit named after several ranks applies to all of them.

    >>> [card.code for card in cards_typed("ace king of spades, 10♦ and the joker").cards]
    ['As', 'Ks', 'Td', 'Jk']
    >>> cards_typed("pair of aces") .cards == cards_typed("AA").cards, cards_typed("As blue").unread
    (True, ('blue',))
    """
    cards: list[CardSeen] = []
    unread: list[str] = []
    for group in re.split(r"[,;/|+&\n]+", text.replace("-", " ").translate(SIGNS)):
        _Group(cards, unread).read(group.split())
    return CardsTyped(tuple(cards), tuple(unread))


class _Group:
    """The words between two commas: ranks without a suit wait for one until the group ends."""

    def __init__(self, cards: list[CardSeen], unread: list[str]) -> None:
        self.cards, self.unread = cards, unread
        self.waiting = len(cards)

    def read(self, words: list[str]) -> None:
        times = 1
        for at, word in enumerate(words):
            low = word.strip(".:!?()'\"").lower()
            following = next((w.lower() for w in words[at + 1 :] if w.lower() != "of"), "")
            if low in COUNTS and (low in ("pair", "trips") or _plural_rank(following)):
                times = COUNTS[low]
            elif self._read_word(low, word, following, times):
                times = 1

    def _read_word(self, low: str, word: str, following: str, times: int) -> bool:
        """Read one word; return whether it was a card, which uses up a count before it."""
        singular = "six" if low in ("six", "sixes") else low.removesuffix("s") if len(low) > 3 else low
        if low in FILLERS and not (low == "a" and (word == "A" or not _is_card_word(following))):
            return False
        if low in ("joker", "jk", "jokers"):
            self.cards.append(CardSeen("Jk", ""))
        elif singular in RANKS:
            self.cards += [CardSeen(RANKS[singular], "")] * times
        elif singular in SUITS:
            self._suit(SUITS[singular])
        elif codes := _codes(low):
            self.cards += codes
            self.waiting = len(self.cards)
        elif RANK_RUN.fullmatch(low):
            self.cards += [CardSeen(_rank(each), "") for each in re.findall(r"10|.", low)] * times
        elif low:
            self.unread.append(word)
            return False
        return True

    def _suit(self, suit: str) -> None:
        """Give the suit to ranks that wait for one; if there are none, the person saw a card of that suit."""
        waiting = self.cards[self.waiting :]
        if not any(not card.suit and card.rank != "Jk" for card in waiting):
            self.cards.append(CardSeen("", suit))
        self.cards[self.waiting :] = [
            CardSeen(card.rank, card.suit or ("" if card.rank == "Jk" else suit)) for card in self.cards[self.waiting :]
        ]
        self.waiting = len(self.cards)


def _is_card_word(word: str) -> bool:
    bare = word.strip(".:!?()'\"").removesuffix("s")
    return len(bare) > 2 and (bare in RANKS or bare in ("joker", "pair", "sixe"))


def _plural_rank(word: str) -> bool:
    return word.endswith("s") and len(word) > 3 and (word.removesuffix("s") in RANKS or word == "sixes")


def _rank(token: str) -> str:
    return "T" if token == "10" else token.upper()


def _codes(low: str) -> list[CardSeen]:
    """Return cards written as codes without a space (`AsKs`, `s10`); empty for any other word."""
    cards, at = [], 0
    while at < len(low):
        match = CODE.match(low, at)
        if match is None:
            return []
        rank, suit, suit_first, rank_after, joker = match.groups()
        cards.append(CardSeen("Jk", "") if joker else CardSeen(_rank(rank or rank_after), (suit or suit_first).lower()))
        at = match.end()
    return cards


class TimeTyped(msgspec.Struct, frozen=True):
    """A time of day in minutes after midnight; `either_half`: it may also be twelve hours later.

    `spread` is the reach of a part of the day in minutes before and after: "afternoon" is 15:00, three hours either way.
    """

    minutes: int
    either_half: bool
    spread: int = 0


PARTS_OF_DAY: Final = {
    "early morning": TimeTyped(300, False, 150),
    "morning": TimeTyped(540, False, 180),
    "lunchtime": TimeTyped(750, False, 60),
    "lunch": TimeTyped(750, False, 60),
    "noon": TimeTyped(720, False),
    "midnight": TimeTyped(0, False),
    "afternoon": TimeTyped(900, False, 180),
    "dinner": TimeTyped(1110, False, 90),
    "evening": TimeTyped(1200, False, 150),
    "night": TimeTyped(1380, False, 210),
}
"""Part of the day → its middle, and how far it reaches."""


def part_of_day(time: TimeTyped) -> str:
    """Return the name of a part of the day; empty if the time is not one."""
    return next((name for name, part in PARTS_OF_DAY.items() if part == time and part.spread), "")


TIME: Final = re.compile(r"(\d{1,2})(?:[:.h ]?(\d{2}))?\s*(am|pm|a|p)?", re.IGNORECASE)


def time_typed(text: str) -> TimeTyped | None:
    """Read a time of day; None if it is not one. An hour up to 12 without am, pm or a leading zero may be in either half.

    >>> time_typed("21:14").minutes, time_typed("9.14 pm").minutes, time_typed("9:14").either_half, time_typed("late")
    (1274, 1274, True, None)
    """
    if (part := PARTS_OF_DAY.get(text.strip().lower())) is not None:
        return part
    match = TIME.fullmatch(text.strip().lower().replace(".m.", "m").replace("o'clock", "").strip())
    if match is None:
        return None
    hour, minute, half = int(match[1]), int(match[2] or 0), (match[3] or "")[:1]
    if hour > 23 or minute > 59 or (half and not 1 <= hour <= 12):
        return None
    if half:
        return TimeTyped((hour % 12 + (12 if half == "p" else 0)) * 60 + minute, False)
    return TimeTyped(hour * 60 + minute, 1 <= hour <= 12 and not match[1].startswith("0"))
