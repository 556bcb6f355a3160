"""Names and amounts as sentences write them. Pure."""

from __future__ import annotations

from typing import Final

from games.rulebook.money import show_money

CURRENCY_SYMBOLS: Final = {"USD": "$", "CAD": "CA$", "EUR": "€", "GBP": "£"}
"""ISO 4217 code → what stands before an amount; of another currency the code itself does, and a space."""

WAGER_NAMES: Final = {"base": "Base wager", "mystery": "Must-Hit-By bonus", "bad_beat": "Two-Way Bad Beat"}
"""Names that are not just the words of the wire."""


def currency_symbol(currency: str) -> str:
    """Return what stands before an amount of a currency (ISO 4217).

    >>> currency_symbol("USD"), currency_symbol("CHF")
    ('$', 'CHF ')
    """
    return CURRENCY_SYMBOLS.get(currency, f"{currency} ")


def amount(cents: int, currency: str) -> str:
    """Return an amount of integer cents without a sign.

    >>> amount(-123450, "USD")
    '$1,234.50'
    """
    return currency_symbol(currency) + show_money(abs(cents), thousands=True)


def words(token: str) -> str:
    """Return a name of the wire as a heading.

    >>> words("ace_high_bonus"), words("base")
    ('Ace High Bonus', 'Base wager')
    """
    return WAGER_NAMES.get(token) or token.replace("_", " ").title()
