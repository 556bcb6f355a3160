"""The words of a transcript's line, taken one by one, with errors that name file, line and what was expected."""

import re
from collections.abc import Sequence
from typing import Final, Literal

from rulebook.cards.cards import CODE
from rulebook.chapters.money import parse_money

Position = int | Literal["dealer"]
CURRENCY: Final = "USD"
"""The money of a transcript that is of no property: dollars and cents."""
THOUSANDS = re.compile(r"\d{1,3}(,\d{3})+(\.|$)", re.ASCII)
"""Groups of three; `25,00` is not money, for it can be meant otherwise."""


def _digits(word: str) -> str:
    """Return an amount without the dollar sign and the commas between thousands."""
    amount = word.removeprefix("$")
    return amount.replace(",", "") if THOUSANDS.match(amount) else amount


_SUIT_SIGNS = str.maketrans("♠♤♥♡♦♢♣♧", "sshhddcc")
_TEXT_OR_PICTURE = "\ufe0e\ufe0f"
"""The characters that a keyboard adds to a sign to choose its look."""


def card_named(word: str) -> str | None:
    """Return the card that a word names, in whatever case, with 10 for T and a suit's sign for its letter; None if it names none.

    >>> card_named("Ks"), card_named("10H"), card_named("Q♥"), card_named("JK"), card_named("11h")
    ('Ks', 'Th', 'Qh', 'Jk', None)
    """
    word = word.rstrip(_TEXT_OR_PICTURE)
    rank, suit = word[:-1], word[-1:]
    card = ("T" if rank == "10" else rank.upper()) + suit.lower().translate(_SUIT_SIGNS)
    return card if card in CODE else None


class TranscriptError(ValueError):
    """A line of a transcript cannot be read; names the file, the line and what was expected. Nothing was judged."""

    def __init__(self, source: str, line: int, message: str) -> None:
        super().__init__(f"{source}:{line}: {message}")
        self.source, self.line, self.message = source, line, message


class Words:
    """The words of one statement. Options (`key=value`, and known flags) can be anywhere after the keyword."""

    def __init__(self, source: str, line: int, keyword: str, words: Sequence[str], seats: int = 6) -> None:
        self.source, self.line, self.keyword, self.rest, self.seats = source, line, keyword, list(words), seats

    def error(self, message: str) -> TranscriptError:
        """Return the error of this line; the caller raises it."""
        return TranscriptError(self.source, self.line, f"{self.keyword}: {message}")

    def take(self, what: str) -> str:
        """Take the next word."""
        if not self.rest:
            raise self.error(f"expected {what}")
        return self.rest.pop(0)

    def peek(self) -> str | None:
        """Look at the next word."""
        return self.rest[0] if self.rest else None

    def option(self, key: str) -> str | None:
        """Take `key=value` from anywhere in the line."""
        for index, word in enumerate(self.rest):
            if word.startswith(key + "="):
                return self.rest.pop(index)[len(key) + 1 :]
        return None

    def flag(self, word: str) -> bool:
        """Take a word if it is there."""
        if word in self.rest:
            self.rest.remove(word)
            return True
        return False

    def one_of(self, words: Sequence[str], default: str | None = None) -> str:
        """Take the word of a closed list that is in the line, or the default."""
        for word in words:
            if self.flag(word):
                return word
        if default is None:
            raise self.error("expected one of " + ", ".join(words))
        return default

    def number(self, what: str, least: int = 0, most: int = 1_000_000) -> int:
        """Take a whole number."""
        return self.as_number(self.take(what), what, least, most)

    def as_number(self, word: str, what: str, least: int = 0, most: int = 1_000_000) -> int:
        """Read a whole number from a word."""
        if not (word.isascii() and word.isdigit()) or len(word) > 12 or not least <= int(word) <= most:
            raise self.error(f"expected {what} ({least} to {most}), got {word!r}")
        return int(word)

    def seat(self) -> int:
        """Take `seat=N` (or `seatN`) from anywhere in the line."""
        for index, word in enumerate(self.rest):
            if word.startswith("seat") and word.removeprefix("seat").removeprefix("=").isdigit():
                digits = self.rest.pop(index).removeprefix("seat").removeprefix("=")
                return self.as_number(digits, "a seat", 1, self.seats)
        raise self.error(f"expected a seat like seat=3 (1 to {self.seats}), got {' '.join(self.rest)!r}")

    def position(self, word: str | None = None) -> Position:
        """Read `dealer`, `seat=3` or `seat3`."""
        word = word if word is not None else self.take("dealer or seat=N")
        if word == "dealer":
            return "dealer"
        digits = word.removeprefix("seat=") if word.startswith("seat=") else word.removeprefix("seat")
        if digits == word:
            raise self.error(f"expected dealer or seat=N, got {word!r}")
        return self.as_number(digits, "a seat", 1, self.seats)

    def is_position(self) -> bool:
        """Whether the next word names a position."""
        word = self.peek()
        return word is not None and (word == "dealer" or word.startswith("seat"))

    def money(self, what: str = "an amount") -> int:
        """Take an amount of money, in cents."""
        return self.as_money(self.take(what), what)

    def as_money(self, word: str, what: str = "an amount") -> int:
        """Read an amount of money from a word, in cents."""
        try:
            return parse_money(_digits(word))
        except ValueError as error:
            raise self.error(f"expected {what} like 25.00, got {word!r}") from error

    def as_meter(self, word: str) -> int:
        """Read a meter reading like 10432.1750 (up to four decimals), in centicents."""
        whole, _, fraction = _digits(word).partition(".")
        if not (whole.isascii() and whole.isdigit() and len(fraction) <= 4 and (fraction.isdigit() or not fraction)):
            raise self.error(f"expected a meter reading like 10432.1750, got {word!r}")
        if len(whole) > 11 or not fraction.isascii():
            raise self.error(f"expected a meter reading like 10432.1750, got {word!r}")
        return int(whole) * 10_000 + int(fraction.ljust(4, "0"))

    def as_percent_bp(self, word: str) -> int:
        """Read a share like 100% or 2.5%, in basis points."""
        whole, _, fraction = word.removesuffix("%").partition(".")
        if not (whole.isascii() and whole.isdigit() and len(whole) <= 3 and len(fraction) <= 2):
            raise self.error(f"expected a share like 10%, got {word!r}")
        if fraction and not (fraction.isascii() and fraction.isdigit()):
            raise self.error(f"expected a share like 10%, got {word!r}")
        return int(whole) * 100 + int(fraction.ljust(2, "0"))

    def card(self) -> str | None:
        """Take one card; an unread one (`??`) is None."""
        return self.as_card(self.take("a card"))

    def as_card(self, word: str) -> str | None:
        """Read a card from a word."""
        if word == "??":
            return None
        card = card_named(word)
        if card is None:
            raise self.error(f"expected a card like Ks, Td or Jk (?? if it was not read), got {word!r}")
        return card

    def cards(self) -> list[str | None]:
        """Take the cards that follow."""
        cards = []
        while self.rest and (self.rest[0] == "??" or card_named(self.rest[0]) is not None):
            cards.append(self.as_card(self.rest.pop(0)))
        return cards

    def end(self) -> None:
        """End the line: raise `TranscriptError` if words of it remain."""
        if self.rest:
            raise self.error("did not understand " + " ".join(repr(word) for word in self.rest[:5]))
