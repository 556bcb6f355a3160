"""Names, amounts and counts in readable form: for sentences, pages and packets. Pure.

Invariant: words only, and each thing has one name. A name that is not listed is made readable, never hidden.
"""

import re
from collections.abc import Iterable, Sequence
from datetime import UTC, date, datetime, timedelta, tzinfo
from typing import Final

from rulebook.catalogue import GAMES, wager_titles
from rulebook.chapters.money import show_money

MINUS: Final = "\N{MINUS SIGN}"

CURRENCY_SYMBOLS: Final = {"USD": "$", "CAD": "CA$", "EUR": "€", "GBP": "£", "": ""}
"""ISO 4217 code → what is before an amount (empty: nothing does); of another currency the code itself does, and a space."""

COMBINED: Final = {"ante_blind_raise": "Ante, Blind and Raise"}
"""Wagers that theory counts as one."""

RANKS: Final = {
    "A": "ace", "K": "king", "Q": "queen", "J": "jack", "T": "ten", "9": "nine", "8": "eight", "7": "seven", "6": "six",
    "5": "five", "4": "four", "3": "three", "2": "deuce",
}  # fmt: skip
SUITS: Final = {"s": "spades", "h": "hearts", "d": "diamonds", "c": "clubs"}
SIGNS: Final = {"s": "♠", "h": "♥", "d": "♦", "c": "♣"}

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)

# ------------------------------------------------------------------------------------------------------ money and times


def currency_symbol(currency: str) -> str:
    """Return the symbol before an amount of a currency (ISO 4217).

    >>> currency_symbol("USD"), currency_symbol("CHF")
    ('$', 'CHF ')
    """
    return CURRENCY_SYMBOLS.get(currency, f"{currency} ")


def unsigned_amount(text: str) -> str:
    """Return a typed amount without the symbol or the code of its currency.

    >>> unsigned_amount("$ 75"), unsigned_amount("€1,000.00"), unsigned_amount("CHF 25"), unsigned_amount("25x80")
    ('75', '1,000.00', '25', '25x80')
    """
    return re.sub(r"\A(?:[A-Z]{2,3}(?=[ $])|[$€£]) ?\$?", "", text.strip())


def amount(cents: int, currency: str) -> str:
    """Return an amount of integer cents without a sign.

    >>> amount(-123450, "USD")
    '$1,234.50'
    """
    return currency_symbol(currency) + show_money(abs(cents), thousands=True)


def balance(cents: int, currency: str) -> str:
    """Return an amount with a minus if it is negative.

    >>> balance(-300, "USD"), balance(300, "USD")
    ('−$3.00', '$3.00')
    """
    return (MINUS if cents < 0 else "") + amount(cents, currency)


def difference(cents: int, currency: str) -> str:
    """Return an amount with its sign; zero has none.

    >>> difference(-2500, "USD"), difference(0, "USD"), difference(100, "USD")
    ('−$25.00', '$0.00', '+$1.00')
    """
    return ("+" if cents > 0 else "") + balance(cents, currency)


def moment(at_us: int, zone: tzinfo | None) -> datetime:
    """Return a time of the log (UTC microseconds) in a time zone, whole seconds; in UTC if none is given."""
    return (_EPOCH + timedelta(seconds=at_us // 1_000_000)).astimezone(zone or UTC)


def utc(at_us: int) -> str:
    """Return a time such as `2026-03-01T21:14:00Z`."""
    return f"{moment(at_us, UTC):%Y-%m-%dT%H:%M:%SZ}"


def zone_note(at: datetime) -> str:
    """Return the zone after a local time in the repeated hour of a clock change; empty otherwise.

    >>> from zoneinfo import ZoneInfo
    >>> zone = ZoneInfo("America/New_York")
    >>> [zone_note(datetime(2026, 11, 1, hour, 46, tzinfo=zone, fold=fold)) for hour, fold in ((0, 0), (1, 0), (1, 1), (2, 0))]
    ['', ' EDT', ' EST', '']
    """
    return f" {at:%Z}" if at.replace(fold=1 - at.fold).utcoffset() != at.utcoffset() else ""


def minute_words(at: datetime) -> str:
    """Return a local time to the minute; with its zone in the repeated hour of a clock change."""
    return f"{at:%H:%M}{zone_note(at)}"


def day_words(day: date) -> str:
    """Return a gaming day in words.

    >>> day_words(date(2026, 3, 6))
    'Fri 6 Mar 2026'
    """
    return f"{day:%a} {day.day} {day:%b %Y}"


# ---------------------------------------------------------------------------------------------------------------- names


_STRAIGHT_FLUSHES: Final = {
    "seven card straight flush joker": "seven-card straight flush with joker",
    "seven card straight flush any": "seven-card straight flush with or without joker",
    "seven card straight flush": "seven-card straight flush",
}
"""Pay lines whose name on the wire, taken apart, is not what the paytable says; the longer ones first."""


def _as_printed(words: str) -> str:
    for spelled, printed in _STRAIGHT_FLUSHES.items():
        words = words.replace(spelled, printed)
    return words


def plain(token: str) -> str:
    """Return a name of the wire within a sentence.

    >>> plain("manual_shoe"), plain("seven_card_straight_flush_joker")
    ('manual shoe', 'seven-card straight flush with joker')
    """
    return _as_printed(token.replace("_", " "))


def heading(token: str) -> str:
    """Return a name of the wire as a heading.

    >>> heading("gaming_day")
    'Gaming day'
    """
    return capitalized(plain(token))


def capitalized(words: str) -> str:
    """Return words with a capital at their beginning; the rest stays as it is."""
    return words[:1].upper() + words[1:]


def game_name(game: str) -> str:
    """Return the title of a game, from its record.

    >>> game_name("over_under"), game_name("no_such_game")
    ('Over/Under', 'No such game')
    """
    record = GAMES.get(game)
    return record.title if record is not None else heading(game)


def wager_name(wager: str) -> str:
    """Return the wager's name.

    >>> wager_name("ace_high_bonus"), wager_name("bad_beat"), wager_name("new_wager")
    ('Ace High Bonus', 'Two-Way Bad Beat', 'New wager')
    """
    return wager_titles().get(wager) or COMBINED.get(wager) or heading(wager)


def wager_with_number(wager: str, number: int | None) -> str:
    """Return the wager's name, with the number that it was placed on where it has one.

    >>> wager_with_number("match", 4), wager_with_number("base", None)
    ('Match on 4', 'Base wager')
    """
    return wager_name(wager) if number is None else f"{wager_name(wager)} on {number}"


def wager_with_paytable(wager: str, paytable: str | None) -> str:
    """Return the wager's name, with its paytable if it has one."""
    return f"{wager_name(wager)}, paytable {paytable}" if paytable else wager_name(wager)


def edition_changes(changes: str) -> str:
    """Return what an edition of a chapter changes, with wagers, paytables and lines by their names.

    >>> edition_changes("strikes tiger_9; line fortune_bonus/1/three_of_a_kind; paytable match/2; title")
    'Strikes Tiger 9; Fortune Bonus, paytable 1: three of a kind; Match, paytable 2; title'
    >>> edition_changes("the first edition")
    'The first edition'
    """
    phrases = []
    for phrase in changes.split("; "):
        verb, _, keys = phrase.partition(" ")
        phrases.append(" ".join([verb] * (verb not in _ENTRIES) + [", ".join(map(_changed, keys.split(", ")))]).rstrip())
    return capitalized("; ".join(phrases))


_ENTRIES: Final = ("line", "paytable", "wager")
"""Entries of an edition that are shown by their names alone."""


def _changed(key: str) -> str:
    wager, *below = key.split("/")
    if wager not in wager_titles():
        return plain(key)
    return ": ".join((wager_with_paytable(wager, below[0] if below else None), *map(plain, below[1:])))


def line_name(line: str) -> str:
    """Return a paytable's line or an outcome; Envy Bonuses name the seats whose hands they are for, each after an `@`.

    >>> line_name("ace_high_push"), line_name("four_of_a_kind@2 straight_flush@5")
    ('Ace high push', 'Four of a kind of seat 2; straight flush of seat 5')
    """
    if "@" not in line:
        return heading(line)
    hands = [hand.partition("@") for hand in line.split()]
    return heading("; ".join(f"{hand} of seat {seat}" for hand, _, seat in hands))


_AMOUNT: Final = re.compile(r"(?<![\w.,$-])([0-9]+)\.([0-9]{2})(?![0-9]| h\b| %|\.[0-9])")
"""An amount within a finding's sentence, which has two decimals; hours and percentages have them too."""


_JOINED: Final = re.compile(r"(?<=[a-z0-9])_(?=[a-z0-9])(?=[^`]*(?:`[^`]*`[^`]*)*$)")
"""The underscores that are read as spaces. A field's name in backticks keeps its own."""


def readable(sentence: str, currency: str = "") -> str:
    """Return a finding's sentence with its tokens as words and its amounts in a currency (ISO 4217).

    >>> readable("12000.00 paid (dealer_ace_high_joker, paytable 5)", "USD")
    '$12,000.00 paid (dealer ace high joker, paytable 5)'
    >>> readable("on the table for 24.15 h", "USD"), readable("12.00 paid")
    ('on the table for 24.15 h', '12.00 paid')
    >>> readable("wager_paid v1: Object contains unknown field `amount_cents`")
    'wager paid v1: Object contains unknown field `amount_cents`'
    """
    words = _as_printed(_JOINED.sub(" ", sentence))
    return _AMOUNT.sub(lambda found: amount(int(found[1] + found[2]), currency), words)


def table_name(identifier: str) -> str:
    """Return the id of a table, dealer or patron in its form on the floor; observed rounds of a table are marked.

    >>> table_name("fu-01"), table_name("observed/fu-01")
    ('FU-01', 'FU-01 (observed)')
    """
    kind, is_kind, name = identifier.rpartition("/")
    return f"{name.upper()} ({kind})" if is_kind else identifier.upper()


def identified(kind: str, identifier: str) -> str:
    """Return a thing by its kind and its id; an id that names the kind itself is alone.

    >>> identified("deck", "k-1"), identified("deck", "deck-7"), identified("dice set", "dice-2")
    ('deck k-1', 'deck-7', 'dice-2')
    """
    return identifier if identifier.partition("-")[0] in kind.split() else f"{kind} {identifier}"


def position_name(position: object) -> str:
    """Return a position as a heading.

    >>> position_name(3), position_name("dealer"), position_name("pile-2")
    ('Seat 3', 'Dealer', 'Pile 2')
    """
    return f"Seat {position}" if isinstance(position, int) else heading(str(position).replace("-", " "))


def position_phrase(position: int | str) -> str:
    """Return a position within a sentence.

    >>> position_phrase(3), position_phrase("dealer"), position_phrase("pile-2")
    ('seat 3', 'the dealer', 'pile 2')
    """
    if isinstance(position, int):
        return f"seat {position}"
    return position.replace("-", " ") if position.startswith("pile-") else f"the {position}"


# ---------------------------------------------------------------------------------------------------------------- cards


def card_name(card: str | None) -> str:
    """Return a card's name.

    >>> card_name("Ks"), card_name("Jk"), card_name(None)
    ('king of spades', 'joker', 'a card that was not read')
    """
    if card is None:
        return "a card that was not read"
    if card == "Jk":
        return "joker"
    return f"{RANKS.get(card[0], card[0])} of {SUITS.get(card[1:], card[1:])}"


def cards_short(cards: Sequence[str | None]) -> str:
    """Return cards as signs.

    >>> cards_short(["Ks", "Td", "Jk", None])
    'K♠ 10♦ Joker ?'
    """
    return " ".join(
        "?" if c is None else "Joker" if c == "Jk" else f"{'10' if c[0] == 'T' else c[0]}{SIGNS.get(c[1:], c[1:])}" for c in cards
    )


# ---------------------------------------------------------------------------------------------------- counts and lists


def plural(count: int, one: str, many: str | None = None) -> str:
    """Return a count with its noun.

    >>> plural(1, "finding"), plural(1200, "finding")
    ('1 finding', '1,200 findings')
    """
    return f"{count:,} {one if count == 1 else many or one + 's'}"


def listed(names: Iterable[str]) -> str:
    """Return one or more names as a list within a sentence.

    >>> listed(["2"]), listed(["2", "2", "4"])
    ('2', '2, 2 and 4')
    """
    *others, last = names
    return f"{', '.join(others)} and {last}" if others else last
